#!/usr/bin/env python3
"""Lets the go command load a module whose requirements cannot be downloaded.

    go_stubs.py CHECKOUT STUBS [module=folder …]     # on a working copy only: go.mod changes

Every required module is replaced by a given folder or by an empty module: what the repository takes from it does not
resolve, what it defines itself does.
"""

import pathlib
import re
import sys


def main():
    checkout, stubs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    given = dict(a.split("=", 1) for a in sys.argv[3:])
    file = checkout / "go.mod"
    text = file.read_text().split("// stubs\n")[0]
    lines = ["// stubs"]
    for module in sorted(set(re.findall(r"^(?:require)?\s*([\w.-]+\.\w+/\S+) v", text, re.M))):
        folder = pathlib.Path(given[module]).resolve() if module in given else stubs / module.replace("/", "!")
        if module not in given:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "go.mod").write_text(f"module {module}\n\ngo 1.16\n")
        lines.append(f"replace {module} => {folder}")
    file.write_text(text + "\n".join(lines) + "\n")


main()
