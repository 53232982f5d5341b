#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs, on Debian 12, what is missing of the packages that building and running need. Called by the other scripts;
# does nothing, quickly, when all is there.
#   scripts/setup.sh build        compiler, libraries, both MPIs
#   scripts/setup.sh build demo   and what the demo runs (LAMMPS)
#   scripts/setup.sh build test   and what the tests run
#   scripts/setup.sh programs     the real programs that the slow tests record
set -euo pipefail

build=(g++ cmake ninja-build pkg-config python3 libopenmpi-dev openmpi-bin libmpich-dev mpich libzstd-dev
       zlib1g-dev libxxhash-dev libboost-iostreams-dev libcli11-dev libfmt-dev nlohmann-json3-dev
       libtomlplusplus-dev libotf2-trace-dev libdw-dev libunwind8 libgtest-dev libgmock-dev libbenchmark-dev)
demo=(lammps lammps-examples)
test=(lammps lammps-examples gfortran python3-mpi4py zstd gzip chromium clang-format valgrind
      libsimgrid-dev python3-protobuf otf2-tools)
programs=(lammps quantum-espresso quantum-espresso-data hpcc python3-mpi4py libpetsc-real-dev netpipe-openmpi
          netpipe-mpich2 scalapack-mpi-test)

wanted=()
for group in "${@:-build}"; do
  case $group in
    build) wanted+=("${build[@]}"); command -v npm > /dev/null || wanted+=(npm) ;;
    demo) wanted+=("${demo[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    programs) wanted+=("${programs[@]}") ;;
    *) echo "setup.sh: '$group' is no group of packages; expected build, demo, test or programs" >&2; exit 2 ;;
  esac
done

missing=()
# dpkg-query fails as soon as one package is unknown to it; what it prints of the others is still right.
known=$(dpkg-query -W -f '${Package} ${Status}\n' "${wanted[@]}" 2> /dev/null || true)
installed=$(awk '/ ok installed$/ {print $1}' <<< "$known")
for package in "${wanted[@]}"; do
  grep -qx "$package" <<< "$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo > /dev/null; then
    sudo=(sudo)
  else
    echo "setup.sh: missing packages and no root rights; have somebody run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi
echo "Installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
