#!/usr/bin/env python3
"""Applies what a reader corrected: correct.py TRUTH.json CORRECTIONS.json, where CORRECTIONS has
{"repository/path:line": {"add": [[path, line, role]], "remove" and "open": [[path, line]], "why": …}} for places of definitions;
"open" are lines that may be taken for mentions or not."""
import json
import sys

from truth_lsp import write

record, corrections = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
for symbol in record["symbols"]:
    mend = corrections.get(f"{record['repository']}/{symbol['path']}:{symbol['line']}")
    if mend and symbol["name"] == mend.get("name", symbol["name"]):
        gone = [tuple(r) for r in mend.get("remove", [])]
        kept = {tuple(r) for r in symbol["references"] if tuple(r[:2]) not in gone} | {tuple(r) for r in mend.get("add", [])}
        symbol["references"] = sorted(kept)
        gone = {tuple(o) for o in mend.get("open", [])}
        if symbol["unresolved"] is not None:
            symbol["unresolved"] = sorted({*map(tuple, symbol["unresolved"]), *gone})
        if symbol["unresolved"] is not None:
            symbol["unresolved"] = [u for u in symbol["unresolved"] if tuple(u) not in {k[:2] for k in kept}]
write(sys.argv[1], record)
