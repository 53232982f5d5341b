#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a preset if it is not yet, and builds it: scripts/build.sh [PRESET [TARGET...]], default release.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -gt 0 ] && shift
launcher=()
command -v ccache > /dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ ! -e "build/$preset/build.ninja" ]; then
  cmake --preset "$preset" "${launcher[@]}" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
targets=()
[ $# -gt 0 ] && targets=(--target "$@")
cmake --build "build/$preset" "${targets[@]}" > "$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
