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
cmake -G Ninja -S "$source/tests/install" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/consumer" > "$work/build.log" || { cat "$work/build.log"; exit 1; }
# 4 sends of 86 bytes and 4 of 4 bytes (the ring program of the capture).
test "$("$work/consumer/consumer" "$trace")" = "8 messages"
