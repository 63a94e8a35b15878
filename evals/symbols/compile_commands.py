#!/usr/bin/env python3
"""Writes compile_commands.json into a checkout of a C project, one entry for each file.

    compile_commands.py CHECKOUT 'FLAGS' FILE…
"""

import json
import pathlib
import shlex
import sys


def main():
    checkout = pathlib.Path(sys.argv[1]).resolve()
    flags = shlex.split(sys.argv[2])
    entries = [{"directory": str(checkout), "file": file, "arguments": ["cc", "-c", *flags, file]} for file in sys.argv[3:]]
    (checkout / "compile_commands.json").write_text(json.dumps(entries, indent=1) + "\n")


main()
