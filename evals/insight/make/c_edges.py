#!/usr/bin/env python3
"""Tells which files of C and C++ include which, with the folders that the project's own build gives its compiler.

    c_edges.py FOLDER [-I INCLUDED]... [--check]

Every include line outside of comments counts, whatever conditions are around it: a line in quotes is looked up beside its file,
then as one in angle brackets in the included folders, in their order. Lines: `import`, from, to. With --check, what `gcc -MM` says each source
depends on is held against the edges followed from it; what differs is told on the standard error.
"""

import argparse
import os
import re
import subprocess
import sys

SOURCES = (".c", ".cc", ".cpp", ".cxx")
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.M)


def bare(text):
    return COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text.replace("\\\n", ""))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder")
    arguments.add_argument("-I", dest="included", action="append", default=[])
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    os.chdir(given.folder)
    edges = {}
    for folder, _, names in os.walk("."):
        for name in names:
            if name.endswith(SOURCES + HEADERS):
                path = os.path.normpath(os.path.join(folder, name))
                edges[path] = included_by(path, given.included)
    for path in sorted(edges):
        for to in sorted(edges[path]):
            print(f"import\t{path}\t{to}")
    if given.check:
        check(edges, given.included)


def included_by(path, folders):
    found = set()
    for quoted, angled in INCLUDE.findall(bare(open(path, errors="replace").read())):
        places = ([os.path.dirname(path)] if quoted else []) + folders
        for place in places:
            to = os.path.normpath(os.path.join(place, quoted or angled))
            if os.path.isfile(to):
                if to != path and not to.startswith(".."):
                    found.add(to)
                break
    return found


def check(edges, folders):
    n_checked = n_failed = 0
    for path in sorted(edges):
        if not path.endswith(SOURCES):
            continue
        command = ["gcc", "-MM", *(f"-I{folder}" for folder in folders), path]
        told = subprocess.run(command, capture_output=True, text=True)
        if told.returncode:
            n_failed += 1
            continue
        n_checked += 1
        theirs = {os.path.normpath(name) for name in told.stdout.replace("\\\n", " ").split()[1:]}
        seen, todo = set(), [path]
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo.extend(edges.get(at, ()))
        for missing in sorted(theirs - seen):
            print(f"gcc only: {path} {missing}", file=sys.stderr)
    print(f"gcc -MM agrees on what it reads; {n_checked} sources checked, {n_failed} it cannot read", file=sys.stderr)


main()
