#!/usr/bin/env python3
"""Tells which files of Rust crates use which, by rust-analyzer: `rust-analyzer lsif FOLDER >INDEX; rust_edges.py FOLDER INDEX`.

Every `use` and `extern crate` leads, for each of its paths, to the file of the deepest module on the path, as rust-analyzer resolves each segment;
every `mod x;` to its file. Lines: `import` or `module`, from, to. What it does not know can be held against nobody: `unknown`, file,
line stands for a path that leads out of FOLDER or into code that is switched off, `unread`, file for a file of no crate.
"""

import bisect
import json
import os
import re
import sys
from urllib.parse import unquote

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\'\\])\'|r#\w+|\w+|::|\S', re.S)


def main():
    root, index = os.path.abspath(sys.argv[1]), sys.argv[2]
    paths, definitions = read(root, index)
    texts = {path: open(os.path.join(root, path), errors="replace").read() for path in paths}
    files = {path: File(text) for path, text in texts.items()}
    edges = set()
    for path, file in files.items():
        known = definitions.get(path, {})
        for kind, segments in file.paths:
            targets = [known.get(file.position(at)) for at in segments]
            if not all(targets):
                edges.add(("unknown", path, str(file.position(segments[0])[0] + 1) if segments else "0"))
                continue
            homes = [target[0] for target in targets if is_module(target, texts)]
            if homes and homes[-1] != path:
                edges.add((kind, path, homes[-1]))
    edges |= {("unread", path, "") for path in rust_files(root) if path not in texts}
    for edge in sorted(edges):
        print("\t".join(edge).rstrip())


def rust_files(root):
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".rs"):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def is_module(target, texts):
    path, line, column = target
    if path not in texts:
        return False
    if (line, column) == (0, 0):
        return True
    text = texts[path].split("\n")
    return bool(re.search(r"\bmod\s+$", text[line][:column])) if line < len(text) else False


def read(root, index):
    """Documents below root, and of each the definition of every range: {path: {(line, column): (path, line, column)}}."""
    documents, ranges, holds, next_of, results, items = {}, {}, {}, {}, {}, {}
    prefix = "file://" + root + "/"
    for line in open(index):
        one = json.loads(line)
        label = one["label"]
        if label == "document":
            uri = unquote(one["uri"])
            documents[one["id"]] = uri[len(prefix):] if uri.startswith(prefix) else None
        elif label == "range":
            ranges[one["id"]] = (one["start"]["line"], one["start"]["character"])
        elif label == "contains":
            for inner in one["inVs"]:
                holds[inner] = one["outV"]
        elif label == "next":
            next_of[one["outV"]] = one["inV"]
        elif label == "textDocument/definition":
            results[one["outV"]] = one["inV"]
        elif label == "item" and "property" not in one:
            items.setdefault(one["outV"], []).extend(one["inVs"])
    definitions = {}
    for at, place in ranges.items():
        path = documents.get(holds.get(at))
        found = items.get(results.get(next_of.get(at, at)), [])
        if path and found:
            to = documents.get(holds.get(found[0]))
            if to:
                definitions.setdefault(path, {})[place] = (to, *ranges[found[0]])
    return sorted(path for path in documents.values() if path), definitions


class File:
    """The paths of a file's `use`, `extern crate` and `mod x;`, each as the offsets of its segments."""

    def __init__(self, text):
        self.starts = [0] + [found.end() for found in re.finditer("\n", text)]
        self.tokens = [(found[0], found.start()) for found in TOKEN.finditer(text) if found[0][:2] not in ("//", "/*")]
        self.paths = []
        at = 0
        while at < len(self.tokens):
            word = self.tokens[at][0]
            if word == "use" and self.begins(at):
                at = self.tree(at + 1, [])
            elif word == "crate" and at and self.tokens[at - 1][0] == "extern":
                self.paths.append(("import", [self.tokens[at + 1][1]]))
            elif word == "mod" and at + 2 < len(self.tokens) and self.tokens[at + 2][0] == ";":
                self.paths.append(("module", [self.tokens[at + 1][1]]))
            at += 1

    def begins(self, at):
        """`use` is also a bound of captured lifetimes: `impl Trait + use<'a>`."""
        return at + 1 < len(self.tokens) and self.tokens[at + 1][0] != "<"

    def tree(self, at, before):
        """Reads a use tree that begins at a token; gives the token after it."""
        segments = list(before)
        while at < len(self.tokens):
            word, offset = self.tokens[at]
            if word == "{":
                at += 1
                while at < len(self.tokens) and self.tokens[at][0] != "}":
                    at = self.tree(at, segments)
                    if at < len(self.tokens) and self.tokens[at][0] == ",":
                        at += 1
                    elif at < len(self.tokens) and self.tokens[at][0] != "}":
                        return at
                return at + 1
            if word == "as":
                at += 2
                break
            if word == "*" or word == "self" and segments:
                at += 1
                break
            if word == "::":
                at += 1
            elif re.fullmatch(r"(r#)?\w+|\$", word):
                if word != "$":
                    segments.append(offset)
                at += 1
            else:
                break
        self.paths.append(("import", segments))
        return at

    def position(self, offset):
        line = bisect.bisect_right(self.starts, offset) - 1
        return line, offset - self.starts[line]


main()
