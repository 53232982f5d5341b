#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the tests: everything but those labelled slow, then the unit tests again
# under the address and undefined-behaviour sanitizers. --all adds the slow ones.
set -euo pipefail
cd "$(dirname "$0")/.."

slow=(-LE slow)
packages=(build test)
case "${1:-}" in
  "") ;;
  --all) slow=() packages+=(programs) ;;
  *) echo "usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac

scripts/setup.sh "${packages[@]}"

echo "== build (release, warnings are errors)"
scripts/build.sh release
echo "== build (unit tests with sanitizers)"
scripts/build.sh asan vef_unit_tests

echo "== unit tests under address and undefined-behaviour sanitizers"
ctest --test-dir build/asan --no-tests=error --output-on-failure -j "$(nproc)" -L unit "${slow[@]}"
echo "== all tests"
# MPI jobs bring their own parallelism: two tests at a time keep a small machine responsive.
ctest --test-dir build/release --no-tests=error --output-on-failure -j 2 "${slow[@]}"
