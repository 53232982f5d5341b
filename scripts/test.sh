#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the tests: the unit tests under the address and undefined-behaviour
# sanitizers, then all others on the optimised build. --all adds those labelled slow, and the unit tests optimised.
set -euo pipefail
cd "$(dirname "$0")/.."

slow=(-LE slow)
packages=(build test)
unit=OFF
case "${1:-}" in
  "") ;;
  --all) slow=() packages+=(programs) unit=ON ;;
  *) echo "usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac

scripts/setup.sh "${packages[@]}"

echo "== build (release, warnings are errors)"
scripts/build.sh release -DVEF_UNIT_TESTS=$unit
echo "== build (unit tests with sanitizers)"
scripts/build.sh asan vef_unit_tests

echo "== unit tests under address and undefined-behaviour sanitizers"
ctest --test-dir build/asan --no-tests=error --output-on-failure -j "$(nproc)" -L unit "${slow[@]}"
echo "== all tests"
# MPI jobs bring their own parallelism: two tests at a time keep a small machine responsive.
ctest --test-dir build/release --no-tests=error --output-on-failure -j 2 "${slow[@]}"
