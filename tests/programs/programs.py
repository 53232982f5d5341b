#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real programs, run without and with the recorder: the same results, a capture that merges without a fault, and a trace that
`vef check` accepts. Prints the figures of each.

usage: programs.py NAME VEF DIRECTORY OPENMPI_MPIRUN MPICH_MPIRUN PETSC_PROGRAM
Exit status 77: the program is not installed (scripts/setup.sh programs).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from lammps_melt import melt  # noqa: E402

SCALAPACK = "/usr/lib/x86_64-linux-gnu/scalapack"

ESPRESSO_INPUT = """&control
  calculation = 'scf', prefix = 'si', pseudo_dir = '/usr/share/espresso/pseudo', outdir = './out'
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = 12.0
/
&electrons
  conv_thr = 1.0d-8
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
"""

# Files of ScaLAPACK's and BLACS' testers: small ones of the examples' forms.
CHOLESKY_INPUT = """'Cholesky factorization'
'a comment'
'LLT.out'
6 device
'U'
1 problem sizes
17 N
2 block sizes
4 7 NB
1 right-hand sides
3 NRHS
1 their block sizes
3 NBRHS
2 grids
2 4 P
2 1 Q
3.0 threshold
T condition estimation
"""
BLACS_INPUT = """'BLACS'
6 device
'blacstest.out'
'T' point to point
'T' broadcasts
'T' combinations
'F' others
2 precisions
'I' 'Z'
0 verbosity
"""
BLACS_SHAPES = """2
'G' 'U' UPLO
'E' 'U' DIAG
2 matrices
2 13 M
7 9 N
3 14 LDASRC
3 14 LDADEST
"""
BLACS_FILES = {
    "bt.dat": BLACS_INPUT,
    "sdrv.dat": BLACS_SHAPES + "2 pairs\n0 1 RSRC\n0 0 CSRC\n1 0 RDEST\n1 1 CDEST\n2 grids\n2 4 P\n2 1 Q\n",
    "bsbr.dat": "3\n'R' 'C' 'A' scopes\n3\n'I' '1' 'T' topologies\n" + BLACS_SHAPES +
                "2 sources\n0 1 RSRC\n0 0 CSRC\n2 grids\n2 4 P\n2 1 Q\n",
    "comb.dat": "2\n'+' '>' operations\n2\n'R' 'A' scopes\n0 repeatability\n0 coherence\n2\n' ' 'T' topologies\n"
                "1 matrices\n5 M\n7 N\n6 LDASRC\n6 LDADEST\n6 LDI\n2 destinations\n0 -1 RDEST\n0 -1 CDEST\n"
                "2 grids\n2 4 P\n2 1 Q\n",
}


def write(**files):
    def prepare(directory):
        for name, text in files.items():
            (directory / name).write_text(text)
    return prepare


def hpcc_input(directory):
    text = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    (directory / "hpccinf.txt").write_text(text.replace("1000         Ns", "200          Ns"))


def nothing(_directory):
    pass


# What of the output must be the same: all but times and rates.

def thermo(directory, output):
    return re.findall(r"^ *\d+(?: +-?[\d.e+-]+){5} *$", output, re.M)


def energies(directory, output):
    return re.findall(r"^!? +total energy +=.*$|estimated scf accuracy.*$|convergence has been achieved.*$", output, re.M)


def blacs_results(directory, output):
    return sorted(line.strip() for line in output.splitlines() if re.search(r"PASS|FAIL|SKIPPED|TESTS", line))


def cholesky_results(directory, output):
    return [re.sub(r"\s[\d.]+\s+[\d.]+\s+[\d.]+\s+(PASSED|FAILED)", r" \1", line) for line in output.splitlines()
            if re.search(r"PASSED$|FAILED$|tests completed", line)]


def hpcc_results(directory, output):
    text = (directory / "hpccoutf.txt").read_text()
    return re.findall(r"PASSED|FAILED|^\w*(?:Success|_errors?)=.*$|^.*tests completed.*$", text, re.M)


def sizes(directory, output):
    return [line.split()[0] for line in (directory / "np.out").read_text().splitlines()]


def whole(directory, output):
    return output.splitlines()


class Program:
    def __init__(self, family, ranks, command, needs, prepare, results, least=1):
        self.family, self.ranks, self.command, self.needs = family, ranks, command, needs
        self.prepare, self.results, self.least = prepare, results, least


LAMMPS_NEEDS = ["/usr/bin/lmp"]
PROGRAMS = {
    "lammps": Program("openmpi", 8, ["lmp", "-in", "in.lj"], LAMMPS_NEEDS,
                      write(**{"in.lj": melt(cells=10, steps=100, thermo=10)}), thermo, 10),
    "lammps_64": Program("openmpi", 64, ["lmp", "-in", "in.lj"], LAMMPS_NEEDS,
                         write(**{"in.lj": melt(cells=12, steps=20, thermo=10)}), thermo, 3),
    "espresso": Program("openmpi", 4, ["pw.x", "-in", "si.in"], ["/usr/bin/pw.x", "/usr/share/espresso/pseudo/Si.pz-vbc.UPF"],
                        write(**{"si.in": ESPRESSO_INPUT}), energies, 3),
    "hpcc": Program("openmpi", 4, ["hpcc"], ["/usr/bin/hpcc"], hpcc_input, hpcc_results, 10),
    "mpi4py": Program("openmpi", 4, ["/usr/bin/python3", str(HERE / "with_mpi4py.py")],
                      ["/usr/lib/python3/dist-packages/mpi4py"], nothing, whole),
    "petsc": Program("openmpi", 4, ["{petsc}"], ["{petsc}"], nothing, whole),
    "netpipe_openmpi": Program("openmpi", 2, ["/usr/bin/NPopenmpi", "-u", "65536", "-n", "20"], ["/usr/bin/NPopenmpi"], nothing,
                               sizes, 10),
    "netpipe_mpich": Program("mpich", 2, ["/usr/bin/NPmpich2", "-u", "65536", "-n", "20"], ["/usr/bin/NPmpich2"], nothing, sizes,
                             10),
}
for mpi in ("openmpi", "mpich"):
    tests = f"{SCALAPACK}/{mpi}-tests"
    PROGRAMS[f"blacs_{mpi}"] = Program(
        mpi, 4, [f"{tests}/xFbtest"], [f"{tests}/xFbtest"],
        write(**BLACS_FILES), blacs_results, 3)
    PROGRAMS[f"cholesky_{mpi}"] = Program(mpi, 4, [f"{tests}/xdllt"], [f"{tests}/xdllt"], write(**{"LLT.dat": CHOLESKY_INPUT}),
                                          cholesky_results, 4)


def run(command, directory):
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=directory, capture_output=True, text=True, errors="replace",
                          timeout=1500, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done, time.monotonic() - begin


def fresh(directory, program):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    program.prepare(directory)
    return directory


def main():
    name, vef, directory, openmpi, mpich, petsc = sys.argv[1:7]
    program, directory = PROGRAMS[name], pathlib.Path(directory)
    missing = [path for path in (need.format(petsc=petsc) for need in program.needs) if not os.path.exists(path)]
    if missing:
        print(f"skipped: {missing[0]} is not installed; 'scripts/setup.sh programs' installs it")
        return 77
    job = [openmpi if program.family == "openmpi" else mpich, *(["--oversubscribe"] if program.family == "openmpi" else []),
           "-n", program.ranks, *(word.format(petsc=petsc) for word in program.command)]
    plain, plain_time = run(job, fresh(directory / "plain", program))
    results = program.results(directory / "plain", plain.stdout)
    recorded_dir = fresh(directory / "recorded", program)
    recorded, recorded_time = run([vef, "record", "-o", "capture", "--", *job], recorded_dir)
    problems = []
    if len(results) < program.least:
        problems.append(f"found {len(results)} lines of results; expected at least {program.least}\n{plain.stdout[-2000:]}")
    if program.results(recorded_dir, recorded.stdout) != results:
        problems.append(f"results without the recorder: {results}\nwith it: {program.results(recorded_dir, recorded.stdout)}")
    problems += [line for line in recorded.stderr.splitlines() if line.startswith("vef: rank")]
    trace = recorded_dir / "trace.vef.zst"
    merged, merge_time = run([vef, "merge", "capture", "-o", trace, "--json"], recorded_dir)
    report = json.loads(merged.stdout)
    if report["truncated_ranks"] or report["unmatched"] or report["tasks"] != program.ranks:
        problems.append(f"vef merge: truncated {report['truncated_ranks']}, unmatched {report['unmatched'][:5]}, "
                        f"tasks {report['tasks']}")
    checked, _ = run([vef, "check", trace, "--json"], recorded_dir)
    if not json.loads(checked.stdout)["passed"]:
        problems.append(f"vef check: {checked.stdout[-2000:]}")
    stored = sum(path.stat().st_size for path in (recorded_dir / "capture").glob("*.vlog"))
    print(json.dumps({"program": name, "ranks": program.ranks, "events": report["events"],
                      "bytes_per_event": round(stored / max(report["events"], 1), 2), "messages": report["messages"],
                      "collectives": report["collectives"], "plain_s": round(plain_time, 2),
                      "recorded_s": round(recorded_time, 2), "merge_s": round(merge_time, 2),
                      "warnings": report["warnings"]}))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
