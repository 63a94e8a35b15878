#!/usr/bin/env python3
"""Makes truth of a dump of all definitions and references of a repository, such as `TruthScanner.java` prints.

    truth_graph.py DUMP.tsv --root CHECKOUT --repository apache/commons-lang --language java --tool "javac 17" --set dev --seed 7 --out FILE.json

A dump has lines of tabs: `D id kind name path line` and `R id path line role enclosing-id`, and
`U name path line` for what the tool could not attribute. Names carry all types around
them; the truth has the shortest that is not ambiguous in its file: a type's own name, a member's with one type. Overloads
of a name in a type are one symbol: all are its definitions, and its references are those of all.
"""

import argparse
import collections
import fnmatch
import json
import subprocess
import sys

import draw
from truth_lsp import write

KINDS = set(draw.KINDS)


def read(path):
    definitions, references, unresolved = {}, collections.defaultdict(list), collections.defaultdict(set)
    for line in open(path, encoding="utf-8"):
        parts = line.rstrip("\n").split("\t")
        if parts[0] == "D":
            _, number, kind, name, file, at = parts
            definitions[number] = {"id": number, "kind": kind, "full": name, "path": file, "line": int(at)}
        elif parts[0] == "U":
            _, name, file, at = parts
            unresolved[name].add((file, int(at)))
        else:
            _, number, file, at, role, enclosing = parts
            references[number].append((file, int(at), role, enclosing))
    return definitions, references, unresolved


def shorten(definitions):
    """Gives each its `name` and `last`."""
    users = collections.defaultdict(set)
    for d in definitions.values():
        parts = d["full"].split(".")
        d["last"] = parts[-1]
        d["name"] = parts[-1] if d["kind"] == "type" else ".".join(parts[-2:])
        users[d["path"], d["name"]].add(d["full"])
    for d in definitions.values():
        if len(users[d["path"], d["name"]]) > 1:
            d["name"] = d["full"]


def impact(ids, references, steps=3, most=300):
    files, seen, frontier = set(), set(ids), list(ids)
    for _ in range(steps):
        following = []
        for current in frontier:
            for path, line, role, enclosing in references.get(current, ()):
                files.add(path)
                if role != "import" and enclosing != "-" and enclosing not in seen:
                    seen.add(enclosing)
                    following.append(enclosing)
            if len(seen) > most + 1:
                return None
        frontier = following
    return sorted(files)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("dump")
    for name in ("root", "repository", "language", "tool", "out"):
        args.add_argument(f"--{name}", required=True)
    args.add_argument("--set", default="dev", choices=["dev", "held-out"])
    args.add_argument("--seed", type=int, default=7)
    args.add_argument("--count", type=int, default=30)
    args.add_argument("--skip", action="append", default=[], metavar="GLOB")
    args.add_argument("--skipped", default="")
    args = args.parse_args()

    definitions, references, unresolved = read(args.dump)
    shorten(definitions)
    unnamed = collections.Counter(d["last"] for d in definitions.values() if d["kind"] == "unnamed")
    drawable = [d for d in definitions.values() if d["kind"] in KINDS and not draw.left_out(d["path"])
                and not any(fnmatch.fnmatch(d["path"], glob) for glob in args.skip)]
    groups = collections.defaultdict(list)
    for d in drawable:
        groups[d["path"], d["name"], d["kind"]].append(d)

    def mentions(d):
        group = groups[d["path"], d["name"], d["kind"]]
        own = {(g["path"], g["line"]) for g in group}
        return {r[:3] for g in group for r in references[g["id"]] if r[:2] not in own}

    def open_lines(d):
        known = {r[:2] for r in mentions(d)} | {(g["path"], g["line"]) for g in groups[d["path"], d["name"], d["kind"]]}
        return sorted(unresolved[d["last"]] - known)

    def referenced(d):
        count = len(mentions(d))
        return None if count > 400 or not count and open_lines(d) else count

    drawn = draw.draw(drawable, args.seed, referenced, args.count)
    symbols = []
    for d in drawn:
        group = groups[d["path"], d["name"], d["kind"]]
        symbols.append({
            "name": d["name"], "path": d["path"], "line": d["line"], "kind": d["kind"],
            "namesakes": d["namesakes"] + unnamed[d["last"]],
            "definitions": sorted([g["path"], g["line"]] for g in group),
            "references": sorted(mentions(d)),
            "unresolved": open_lines(d),
            "impact": impact([g["id"] for g in group], references),
        })
        s = symbols[-1]
        print(f"{s['kind']:9} {s['name']:50} {s['namesakes']:4} namesakes {len(s['references']):5} references, "
              f"impact {len(s['impact']) if s['impact'] is not None else 'too wide'}", file=sys.stderr)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=args.root, capture_output=True, text=True, check=True).stdout.strip()
    write(args.out, {"repository": args.repository, "commit": commit, "language": args.language, "tool": args.tool,
                     "set": args.set, "skipped": args.skipped, "skip": args.skip, "seed": args.seed, "symbols": symbols})


if __name__ == "__main__":
    main()
