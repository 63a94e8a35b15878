#!/usr/bin/env python3
"""Adds to a Python truth file the lines that mention a symbol by the name it got at its import: `import a as b`, `b()`.

    aliases.py TRUTH.json CHECKOUT

pyright's references stop at such a name. An alias counts in the function around its import, else in the whole file.
"""
import json
import os
import sys

import syntax
from truth_lsp import write


def leaves(tree):
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        if node.type == "identifier":
            yield node
        stack.extend(node.children)


def scope(node):
    return next((a for a in syntax.ancestors(node) if a.type == "function_definition"), None)


def aliased(tree, line, last):
    """The names that an import of `last` on a line binds, with the function around it."""
    for node in leaves(tree):
        if node.start_point[0] + 1 == line and node.text.decode() == last and syntax.inside(node, "aliased_import"):
            statement = next(a for a in syntax.ancestors(node) if a.type == "aliased_import")
            alias = statement.child_by_field_name("alias")
            if alias is not None and alias.text.decode() != last and statement.parent.type == "import_from_statement":
                yield alias.text.decode(), scope(node)


def uses(tree, alias, around):
    for node in leaves(tree):
        if node.text.decode() != alias or syntax.inside(node, "import_statement", "import_from_statement"):
            continue
        if node.parent.type == "attribute" and syntax.is_field(node, "attribute") or node.parent.type == "keyword_argument" and syntax.is_field(node, "name"):
            continue
        if around is None or around in list(syntax.ancestors(node)):
            yield node


def main():
    path, root = sys.argv[1:]
    record, added, trees = json.load(open(path)), 0, {}
    for symbol in record["symbols"]:
        last = symbol["name"].split(".")[-1]
        mentions = {tuple(r) for r in symbol["references"]}
        before = len(mentions)
        for file, line, role in list(mentions):
            if role != "import":
                continue
            if file not in trees:
                trees[file] = syntax.parse("python", open(os.path.join(root, file), "rb").read())
            for alias, around in aliased(trees[file], line, last):
                for node in uses(trees[file], alias, around):
                    if [file, node.start_point[0] + 1] not in symbol["definitions"]:
                        mentions.add((file, node.start_point[0] + 1, syntax.role_python(node, symbol["kind"])))
        symbol["references"] = sorted(mentions)
        added += len(mentions) - before
        if symbol["unresolved"] is not None:
            lines = {m[:2] for m in mentions}
            symbol["unresolved"] = [u for u in symbol["unresolved"] if tuple(u) not in lines]
    write(path, record)
    print(f"{path}: {added} mentions added")


main()
