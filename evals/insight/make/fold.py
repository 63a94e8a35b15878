#!/usr/bin/env python3
"""Folds the lines of the makers into a file of `truth/`: `MAKER … | fold.py OWNER/NAME REVISION 'HOW IT WAS MADE'`."""

import sys
from collections import defaultdict

of = defaultdict(list)
for line in sys.stdin:
    kind, source, to = (line.rstrip("\n").split("\t") + [""])[:3]
    if kind:
        of[source].append("unread" if kind == "unread" else to if kind == "import" else f"{kind} {to}")
print(f"# {sys.argv[1]} {sys.argv[2]}\n# {sys.argv[3]}")
for source in sorted(of):
    print(source, *sorted(of[source]), sep="\n\t")
