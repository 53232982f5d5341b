# SPDX-License-Identifier: Apache-2.0
"""Reads functions.tbl, and a preprocessed mpi.h."""
import re
import sys

LARGE_OFFSET = 2000  # number of the large-count variant = number + this


class Param:
    """One parameter of one function: its word (what it is), its name in the wrapper, its C type."""

    def __init__(self, word, name, ctype):
        self.word, self.name, self.ctype = word, name, ctype


class Function:
    def __init__(self, number, name, recipe, params, large):
        self.number, self.name, self.recipe, self.params, self.large = number, name, recipe, params, large

    @property
    def enumerator(self):
        prefix, _, rest = self.name.partition("_")
        words = ([] if prefix == "MPI" else ["Mpix"]) + rest.split("_")
        return "k" + "".join(part[0].upper() + part[1:] for part in words)


def fail(path, line_number, message):
    sys.exit(f"{path}:{line_number}: {message}")


def make_params(words, types, large):
    params, seen = [], {}
    for word in words:
        seen[word] = seen.get(word, 0) + 1
        name = word if seen[word] == 1 else f"{word}_{seen[word]}"
        if word == "int":
            name = f"int_{seen[word]}"
        params.append(Param(word, name, types[word][1 if large else 0]))
    return params


def read_local(path, line_number, words):
    """The functions of a line 'local NAME[_c] ...'."""
    names = []
    for word in words:
        match = re.fullmatch(r"(MPIX?_\w+?)(\[_c\])?", word)
        if not match:
            fail(path, line_number, f"found {word!r}; expected 'local MPI_NAME[_c] ...'")
        names += [match[1], match[1] + "_c"] if match[2] else [match[1]]
    return names


class Section:
    def __init__(self, title):
        self.title, self.functions, self.local = title, [], []


class Table:
    """The functions with a recipe, by number; the names of the local ones; both also as the sections have them."""

    def __init__(self, sections):
        self.sections = sections
        self.functions = sorted((f for s in sections for f in s.functions), key=lambda f: f.number)
        self.local = sorted(name for s in sections for name in s.local)


def read_table(path):
    types, sections = {}, []
    with open(path, encoding="utf-8") as table:
        for line_number, line in enumerate(table, 1):
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            if line.startswith("param "):
                match = re.fullmatch(r"param (\w+)\s*: ([^|]+?)(?: \| (.+))?", line)
                if not match:
                    fail(path, line_number, f"found {line!r}; expected 'param WORD : TYPE [| LARGE TYPE]'")
                types[match[1]] = (match[2], match[3] or match[2])
                continue
            fields = line.split()
            if fields[0] == "section":
                sections.append(Section(" ".join(fields[1:])))
                continue
            if not sections:
                fail(path, line_number, f"found {line!r}; expected 'section TITLE' first")
            if fields[0] == "local":
                sections[-1].local += read_local(path, line_number, fields[1:])
                continue
            match = re.fullmatch(r"(MPIX?_\w+?)(\[_c\])?", fields[1]) if len(fields) >= 3 else None
            if not match or not fields[0].isdigit():
                fail(path, line_number, f"found {line!r}; expected 'NUMBER MPI_NAME RECIPE WORD...'")
            number, recipe, words = int(fields[0]), fields[2], fields[3:]
            for word in words:
                if word not in types:
                    fail(path, line_number, f"found the parameter {word!r}; expected one declared with 'param'")
            if not 0 < number < LARGE_OFFSET:
                fail(path, line_number, f"found the number {number}; expected 1..{LARGE_OFFSET - 1}")
            sections[-1].functions.append(Function(number, match[1], recipe, make_params(words, types, False), False))
            if match[2]:
                sections[-1].functions.append(Function(number + LARGE_OFFSET, match[1] + "_c", recipe,
                                                       make_params(words, types, True), True))
    table = Table(sections)
    names = [f.name for f in table.functions] + table.local
    for key, values in (("number", [f.number for f in table.functions]), ("name", names)):
        twice = sorted({v for v in values if values.count(v) > 1})
        if twice:
            sys.exit(f"{path}: found the {key} {twice[0]} twice; expected each once")
    return table


def declared_functions(path):
    """Names of the functions that a preprocessed mpi.h declares; PMPI_x counts as MPI_x."""
    with open(path, encoding="utf-8", errors="replace") as header:
        text = "".join(line for line in header if not line.startswith("#"))
    statements = (s for s in text.split(";") if not s.lstrip().startswith("typedef"))
    return {match[1] for s in statements for match in re.finditer(r"[\w*]\s+\**P?(MPIX?_[A-Z]\w*)\s*\(", s)}
