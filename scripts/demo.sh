#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The whole way on a real application: records LAMMPS' melt example on 8 ranks of Open MPI, merges the rank logs into one
# VEF trace, checks it, draws the report and replays it on four simulated networks. Results: demo-out/.
set -euo pipefail
cd "$(dirname "$0")/.."
source_dir=$PWD

scripts/setup.sh build demo
echo "== build"
scripts/build.sh release vef vef-openmpi vef-mpich
vef=$source_dir/build/release/cli/vef

out=$source_dir/demo-out
rm -rf "$out"
mkdir -p "$out/lammps"

# More ranks than cores, and (in a container) perhaps root: Open MPI wants to be told that both are meant.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi

step() { printf '\n$ %s\n' "$*"; "$@"; }

echo "== record: LAMMPS, 8 ranks"
cd "$out/lammps"
step "$vef" record -o "$out/melt.capture" -- mpirun.openmpi -n 8 lmp -in /usr/share/lammps/examples/melt/in.melt \
  > "$out/lammps/output.txt"
tail -n 1 "$out/lammps/output.txt"
cd "$out"
echo "== merge, check, report"
step "$vef" merge melt.capture -o melt.vef.zst
step "$vef" check melt.vef.zst
step "$vef" report melt.vef.zst -o melt.html --data melt.data
echo "== replay on four networks, the tasks on random nodes"
for network in fat-tree-256-conf1 fat-tree-256-conf2 megafly-288-conf1 megafly-288-conf2; do
  step "$vef" replay melt.vef.zst --network "$source_dir/networks/$network.toml" --mapping random -o "melt.$network"
done
printf '\nThe trace:   %s\nThe report:  %s (open it in a browser)\nThe replays: %s/melt.{fat-tree-256,megafly-288}-conf{1,2}/\n' \
  "$out/melt.vef.zst" "$out/melt.html" "$out"
