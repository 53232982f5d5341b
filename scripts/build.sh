#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a preset if it is not yet, or if settings are given, and builds it:
#   scripts/build.sh [PRESET [-DNAME=VALUE...] [TARGET...]]     default: release, all targets
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -gt 0 ] && shift
launcher=()
command -v ccache > /dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
settings=()
while [[ ${1:-} == -D* ]]; do settings+=("$1"); shift; done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ ! -e "build/$preset/build.ninja" ] || [ ${#settings[@]} -gt 0 ]; then
  cmake --preset "$preset" "${launcher[@]}" "${settings[@]}" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
targets=()
[ $# -gt 0 ] && targets=(--target "$@")
cmake --build "build/$preset" "${targets[@]}" > "$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
