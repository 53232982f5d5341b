#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one MPI program with and without the recorder, and compares what was recorded with what the program says.

The expectations stand in the program's source, in comments /*@ ... */ (C) or //@ ... (C++) or !@ ... (Fortran) or #@ ... (Python):

  ranks N                       number of ranks (2)
  status N | status failed      exit status of the job (0); failed: any but 0
  plain no                      do not run without the recorder (the program's output varies)
  logs N                        number of logs (one for each rank)
  end complete | end cut off    how the logs end (complete)
  set NAME=VALUE                environment of the ranks
  says PATTERN                  the recorder may say lines that match (else it must be silent)
  WHO: LINE                     the next line of these ranks' logs, as log_text prints it; {expression} of r (rank) and
                                n (ranks) is put in; ~LINE is a regular expression
  merged KEY=VALUE ...          what `vef merge --json` says of the recording, which `vef check` must accept
  count WHO: N PATTERN          instead of lines: how many lines of the log match

WHO is *, or ranks such as 0 or 1,2, or !0, or a log RANK.THREAD; with @openmpi or @mpich for one library only. Lines of failed
polls are left out, unless an expectation of this log names them.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys


class Case:
    def __init__(self, source, family):
        self.ranks, self.status, self.plain, self.logs, self.end, self.env = 2, "0", True, None, "complete", {}
        self.says, self.merged = None, {}
        self.lines = collections.defaultdict(list)  # log -> expected lines
        self.counts = []  # (log, count, pattern)
        with open(source, encoding="utf-8") as text:
            directives = read_directives(text.read())
        for directive in directives:
            if directive.startswith("ranks "):
                self.ranks = int(directive.split()[1])
        for directive in directives:
            self.read(directive, family)

    def read(self, directive, family):
        word, _, rest = directive.partition(" ")
        if word == "ranks":
            return
        if word in ("status", "end", "says"):
            setattr(self, word, rest)
        elif word == "plain":
            self.plain = rest != "no"
        elif word == "logs":
            self.logs = int(rest)
        elif word.partition("@")[0] == "merged":
            if word.partition("@")[2] in ("", family):
                self.merged.update((key, int(value)) for key, value in (w.split("=") for w in rest.split()))
        elif word == "set":
            name, _, value = rest.partition("=")
            self.env[name] = value
        else:
            counted = word == "count"
            who, _, text = (rest if counted else directive).partition(": ")
            for log, rank in self.members(who, family):
                if counted:
                    number, _, pattern = text.partition(" ")
                    self.counts.append((log, int(fill(number, rank, self.ranks)), fill(pattern, rank, self.ranks)))
                else:
                    self.lines[log].append(fill(text, rank, self.ranks))

    def members(self, who, family):
        who, _, only = who.partition("@")
        if only and only != family:
            return []
        if re.fullmatch(r"\d+\.\d+", who):
            return [(who, int(who.split(".")[0]))]
        if who == "*":
            ranks = range(self.ranks)
        elif who.startswith("!"):
            ranks = [r for r in range(self.ranks) if r != int(who[1:])]
        else:
            ranks = [int(w) for w in who.split(",")]
        return [(f"{r}.0", r) for r in ranks]


def read_directives(text):
    """A comment may go over several lines (clang-format breaks long ones)."""
    found = re.findall(r"^\s*/\*@ (.*?)\s*\*/|^(?://|[!#])@ (.*?)\s*$", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s*\n\s*\*?\s*", " ", c or line) for c, line in found]


def fill(text, r, n):
    return re.sub(r"\{([^{}]+)\}", lambda m: str(eval(m[1], {"r": r, "n": n})), text)


def run(command, env, directory, limit):
    return subprocess.run(command, env=env, cwd=directory, capture_output=True, text=True, errors="replace",
                          timeout=limit, check=False)


def launch(args, case, directory, preload):
    settings = dict(case.env)
    if preload:
        settings.update({"LD_PRELOAD": args.shim, "VEF_DIR": "capture"})
    command = [args.mpirun]
    if args.family == "openmpi":
        command += ["--oversubscribe", "-n", str(case.ranks)]
        for name, value in settings.items():
            command += ["-x", f"{name}={value}"]
    else:
        command += ["-n", str(case.ranks)]
        for name, value in settings.items():
            command += ["-env", name, value]
    env = dict(os.environ)
    for name in [n for n in env if n.startswith("VEF_") or n == "LD_PRELOAD"]:
        del env[name]
    return run(command + args.program, env, directory, args.limit)


def read_logs(text):
    logs, name = collections.OrderedDict(), None
    for line in text.splitlines():
        if line.startswith("# "):
            name = line[2:]
            logs[name] = []
        else:
            logs[name].append(line)
    return logs


def compare_lines(name, expected, found):
    wants_polls = any("polls" in line for line in expected)
    found = [line for line in found if wants_polls or not line.startswith("polls")]
    problems = []
    for i in range(max(len(expected), len(found))):
        want = expected[i] if i < len(expected) else "(end)"
        have = found[i] if i < len(found) else "(end)"
        same = re.fullmatch(want[1:], have) if want.startswith("~") else want == have
        if not same:
            problems.append(f"log {name}, line {i + 1}: found '{have}'; expected '{want}'")
    return problems[:10]


def check_logs(case, logs):
    problems = []
    wanted = case.logs if case.logs is not None else case.ranks
    if len(logs) != wanted:
        problems.append(f"found {len(logs)} logs; expected {wanted}")
    for name, lines in logs.items():
        if not lines or lines[-1] != case.end:
            problems.append(f"log {name}: found the end '{lines[-1] if lines else ''}'; expected '{case.end}'")
        if name in case.lines:
            problems += compare_lines(name, case.lines[name], lines[:-1])
    for name, number, pattern in case.counts:
        found = sum(1 for line in logs.get(name, []) if re.search(pattern, line))
        if found != number:
            problems.append(f"log {name}: found {found} lines of '{pattern}'; expected {number}")
    return problems


def check_merged(args, case):
    env, limit = dict(os.environ), args.limit
    merge = run([args.vef, "merge", "capture", "-o", "merged.vef", "--json", "--quiet"], env, args.directory, limit)
    if merge.returncode != 0:
        return [f"vef merge: {merge.stdout}{merge.stderr}"]
    report = json.loads(merge.stdout)
    problems = [f"merged: found {key}={report[key]}; expected {value}" for key, value in case.merged.items()
                if report[key] != value]
    check = run([args.vef, "check", "--quiet", "merged.vef"], env, args.directory, limit)
    return problems + ([f"vef check: {check.stdout}{check.stderr}"] if check.returncode != 0 else [])


def check_status(case, result, what):
    wrong = result.returncode == 0 if case.status == "failed" else result.returncode != int(case.status)
    return [f"{what}: found exit status {result.returncode}; expected {case.status}"] if wrong else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("family", "mpirun", "shim", "log-text", "vef", "source", "directory"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--limit", type=float, default=100, help="seconds for each run")
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    case = Case(args.source, args.family)
    shutil.rmtree(args.directory, ignore_errors=True)
    os.makedirs(args.directory)

    with_recorder = launch(args, case, args.directory, True)
    problems = check_status(case, with_recorder, "with the recorder")
    if case.plain:
        plain = launch(args, case, args.directory, False)
        problems += check_status(case, plain, "without the recorder")
        if sorted(plain.stdout.splitlines()) != sorted(with_recorder.stdout.splitlines()):
            problems.append(f"output without the recorder:\n{plain.stdout}with it:\n{with_recorder.stdout}")
    said = [line for line in with_recorder.stderr.splitlines() if line.startswith("vef:")]
    said = [line for line in said if case.says is None or not re.search(case.says, line)]
    if said:
        problems.append(f"the recorder said: {said}")
    text = run([args.log_text, os.path.join(args.directory, "capture")], dict(os.environ), None, args.limit)
    if text.returncode != 0:
        problems.append(f"log_text: {text.stderr}")
    else:
        problems += check_logs(case, read_logs(text.stdout))
    if case.merged:
        problems += check_merged(args, case)
    if problems:
        print("\n".join(problems))
        print("--- logs\n" + text.stdout + "--- stdout\n" + with_recorder.stdout + "--- stderr\n" + with_recorder.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
