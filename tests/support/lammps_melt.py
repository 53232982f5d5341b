# SPDX-License-Identifier: Apache-2.0
"""LAMMPS's melt: a Lennard-Jones liquid of 4 * cells^3 atoms, which is what its benchmarks are run with."""

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo {thermo}
run {steps}
"""


def melt(cells, steps, thermo):
    """The input file; `thermo`: steps between two lines of output, each of which takes reductions."""
    return MELT.format(cells=cells, steps=steps, thermo=thermo)
