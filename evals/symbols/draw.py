#!/usr/bin/env python3
"""Draws the symbols of a repository whose truth is recorded.

    draw.py --seed 7 definitions.json          # the order in which symbols are tried, a cell a line

`truth_lsp.py` calls `draw` with what it has read from the tool's document symbols. A definition is a dict with at least
`name`, `last` (the name without its qualification), `path`, `line` and `kind`.

Strata: five kinds, each half with a last name that is unique in the repository and half with namesakes. A cell that
runs dry is filled from the same kind first, from any kind afterwards. At most a third of the symbols have no reference,
and at most a fifth, one a cell, are defined in tests. Names of one character, Python's
`__names__` and JavaScript's constructors are not drawn.
"""

import argparse
import json
import random
import re

KINDS = ["function", "method", "type", "field", "constant"]

LEFT_OUT = re.compile(
    r"(^|/)(node_modules|vendor|vendored|third_party|thirdparty|deps|dist|build|target|out|__generated__|generated|\.git)/"
    r"|\.min\.(js|mjs|css)$|\.bundle\.js$|_pb2(_grpc)?\.pyi?$|\.pb\.go$|\.pb\.[ch]c?$|_generated\.go$|\.generated\.\w+$"
)
GENERATED = re.compile(r"code generated .*do not edit|@generated|automatically generated|this file is generated|a bison parser", re.I)
TESTS = re.compile(
    r"(^|/)(tests?|spec|specs|__tests__|testing|testdata|fixtures?|test-d|examples?|benchmarks?|bench)/"
    r"|(^|/)test_[^/]*$|(^|/)conftest\.py$|_test\.\w+$|[._-](test|spec|test-d|bench)\.\w+$|Tests?\.(java|php)$|_spec\.rb$"
)


def left_out(path, text=None):
    """Whether a file is vendored, generated or minified."""
    if LEFT_OUT.search(path):
        return True
    if text is None:
        return False
    lines = text.splitlines()
    return bool(GENERATED.search("\n".join(lines[:8]))) or (len(lines) > 0 and len(text) / len(lines) > 300)


def in_tests(path):
    return bool(TESTS.search(path))


def entities(definitions):
    """One dict for each definition that may be drawn, with `namesakes`: how many share its last name."""
    seen, names = {}, {}
    for d in definitions:
        key = (d["path"], d["name"], d["kind"])
        if key not in seen:
            seen[key] = d
            names.setdefault(d["last"], set()).add(key)
    for d in seen.values():
        d["namesakes"] = len(names[d["last"]])
    return [d for d in seen.values() if len(d["last"]) > 1 and not re.match(r"__\w+__$|constructor$", d["last"])]


def cells(definitions, seed):
    """Definitions in the order in which they are tried: {(kind, unique): [definition, …]}."""
    rng = random.Random(seed)
    out = {(kind, unique): [] for kind in KINDS for unique in (True, False)}
    for d in sorted(entities(definitions), key=lambda d: (d["path"], d["line"], d["name"])):
        out[d["kind"], d["namesakes"] == 1].append(d)
    for cell in out.values():
        rng.shuffle(cell)
    return out


def draw(definitions, seed, referenced, count=30, tries=80):
    """`count` definitions. `referenced(d)` says how many references there are, or None if the tool cannot say."""
    left = cells(definitions, seed)
    drawn, without, tests = [], 0, 0
    most_without, most_tests = count // 3, count // 5

    def take(cell, wanted, bare_allowed):
        nonlocal without, tests
        got = bare = tried = tested = 0
        while cell and got < wanted and tried < tries:
            d = cell.pop(0)
            if in_tests(d["path"]) and (tests >= most_tests or tested):
                continue
            tried += 1
            n = referenced(d)
            if n is None:
                continue
            if n == 0 and (bare >= bare_allowed or without >= most_without):
                continue
            drawn.append(d)
            got += 1
            bare += n == 0
            without += n == 0
            tests += in_tests(d["path"])
            tested += in_tests(d["path"])
        return got

    each = count // len(left)
    for kind in KINDS:
        missing = 0
        for unique in (True, False):
            missing += each - take(left[kind, unique], each, 1)
        for unique in (True, False):
            missing -= take(left[kind, unique], missing, 0)
    while len(drawn) < count:
        before = len(drawn)
        for kind in KINDS:
            for unique in (True, False):
                if len(drawn) < count:
                    take(left[kind, unique], 1, 0)
        if len(drawn) == before:
            break
    return sorted(drawn, key=lambda d: (d["path"], d["line"], d["name"]))


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--seed", type=int, required=True)
    args.add_argument("definitions")
    args = args.parse_args()
    for (kind, unique), cell in cells(json.load(open(args.definitions)), args.seed).items():
        print(kind, "unique" if unique else "namesakes", len(cell), " ".join(d["name"] for d in cell[:8]), sep="\t")


if __name__ == "__main__":
    main()
