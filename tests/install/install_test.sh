#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build tree into a fresh place, runs the installed vef there, and builds a foreign project against the
# package: install_test.sh BUILD_DIR SOURCE_DIR WORK_DIR.
set -euo pipefail
build=$1 source=$2 work=$3
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" > /dev/null
trace=$source/tests/data/vef3/ring-4-send-recv-a.vef
"$work/prefix/bin/vef" check "$trace" | grep -q '^passed'
for mpi in openmpi mpich; do
  shim=$("$work/prefix/bin/vef" shim-path --mpi $mpi)
  case $shim in "$work"/prefix/*) test -f "$shim" ;; *) echo "shim-path says $shim, not below the prefix"; exit 1 ;; esac
  plugin=$(dirname "$shim")/libvef-merge-$mpi.so
  test -f "$plugin" || { echo "$plugin is not there"; exit 1; }
done
# 4 sends of 86 bytes and 4 of 4 bytes (the ring program of the capture), each 1 us under way.
host() {  # NAME EXPECTED COMMAND...
  local found
  found=$("${@:3}")
  case $found in
    $2) ;;
    *) echo "$1 says '$found'; expected '$2'"; exit 1 ;;
  esac
}
cmake -G Ninja -S "$source/examples/host-minimal" -B "$work/minimal" -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/minimal" > "$work/build.log" || { cat "$work/build.log"; exit 1; }
host host-minimal "8 messages, * ps" "$work/minimal/host_minimal" "$trace"
picoseconds=$("$work/minimal/host_minimal" "$trace" | awk '{print $3}')

export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig:$work/prefix/lib64/pkgconfig:$work/prefix/lib/$(gcc -print-multiarch)/pkgconfig
# shellcheck disable=SC2046  # flags, one word each
cc -std=c11 -Wall -Wextra -Werror "$source/examples/host-c/main.c" $(pkg-config --cflags --libs vefkit) -o "$work/host_c"
# Its last cycle is the nanosecond in which the last message arrives or the last record fires, and the clock goes on once more.
host host-c "8 messages, $((picoseconds / 1000 + 1)) cycles" "$work/host_c" "$trace" 4
if "$work/host_c" "$trace" 3 2> "$work/error.txt"; then echo "host-c took 4 tasks on 3 nodes"; exit 1; fi
