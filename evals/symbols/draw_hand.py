#!/usr/bin/env python3
"""Draws symbols that a reader labels, and prints every line with their word.

    draw_hand.py ROOT ruby|csharp|kotlin|scala --seed 7 --count 10 [--skip PREFIX]…

Definitions come from tree-sitter. Names with more than 150 lines are passed over: nobody labels them with care.
"""

import argparse
import os
import re
import subprocess

import draw
import syntax

syntax.GRAMMARS |= {"csharp": ("tree_sitter_c_sharp", "language"), "kotlin": ("tree_sitter_kotlin", "language"), "scala": ("tree_sitter_scala", "language")}
SUFFIXES = {"ruby": (".rb", ".ru", ".rake", "Rakefile", ".gemspec", ".erb"), "csharp": (".cs",), "kotlin": (".kt", ".kts"), "scala": (".scala", ".sc", ".mill")}
READ_ONLY = ("Rakefile", ".gemspec", ".erb")  # mentions are read there, definitions are not drawn
TYPES = {"class_declaration", "struct_declaration", "interface_declaration", "record_declaration", "enum_declaration", "object_declaration",
         "class_definition", "object_definition", "trait_definition", "enum_definition", "class", "module", "delegate_declaration"}
METHODS = {"method_declaration", "function_declaration", "function_definition", "method", "singleton_method"}


def name_of(node):
    name = node.child_by_field_name("name")
    if name is None:
        name = next((c for c in node.children if c.type in ("identifier", "simple_identifier", "type_identifier")), None)
    return name


def definitions(root, language, skip):
    found = []

    def add(types, name, kind, path):
        last = name.text.decode().split("::")[-1]
        if re.match(r"\w+[?!=]?$", last) and not last.startswith("test_"):
            full = last if kind == "type" or not types else f"{types[-1]}.{last}"
            found.append({"name": full, "last": last, "path": path, "line": name.start_point[0] + 1, "kind": kind})

    def walk(node, types, path, local):
        kind = node.type
        if kind in TYPES and node.is_named and name_of(node) is not None:
            if not local:
                add(types, name_of(node), "type", path)
            types = [*types, name_of(node).text.decode().split("::")[-1]]
        elif kind in METHODS and name_of(node) is not None:
            if not local:
                add(types, name_of(node), "method" if types else "function", path)
            local = True
        elif not local and kind in ("property_declaration", "val_definition", "var_definition"):
            name = node.child_by_field_name("pattern") or name_of(node) or next((name_of(c) for c in node.children if c.type == "variable_declaration"), None)
            if name is not None:
                add(types, name, "field" if types else "constant", path)
            local = True
        elif not local and kind in ("field_declaration", "constant"):
            constant = re.search(rb"\bconst\b|\bstatic readonly\b", node.text) is not None
            for c in node.children:
                for v in c.children if c.type == "variable_declaration" else ():
                    if v.type == "variable_declarator":
                        add(types, name_of(v), "constant" if constant else "field", path)
            local = True
        elif kind in ("enum_member_declaration", "enum_entry"):
            add(types, name_of(node), "constant", path)
        elif kind == "assignment" and node.child_by_field_name("left") is not None and node.child_by_field_name("left").type == "constant":
            add(types, node.child_by_field_name("left"), "constant", path)
        elif language == "ruby" and kind == "call" and node.text.startswith((b"attr_reader", b"attr_accessor", b"attr_writer")):
            for a in (node.child_by_field_name("arguments") or node).children:
                if a.type == "simple_symbol":
                    found.append({"name": ".".join([*types[-1:], a.text.decode()[1:]]), "last": a.text.decode()[1:], "path": path,
                                  "line": a.start_point[0] + 1, "kind": "field"})
        for child in node.children:
            walk(child, types, path, local)

    for path in files(root, language):
        if path.endswith(READ_ONLY):
            continue
        if not draw.left_out(path) and not path.startswith(tuple(skip)):
            with open(os.path.join(root, path), "rb") as file:
                walk(syntax.parse(language, file.read()).root_node, [], path, False)
    return found


def files(root, language):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return [p for p in listed if p.endswith(SUFFIXES[language])]


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("root")
    args.add_argument("language", choices=sorted(SUFFIXES))
    args.add_argument("--seed", type=int, default=7)
    args.add_argument("--count", type=int, default=10)
    args.add_argument("--skip", action="append", default=["\0"])
    args = args.parse_args()
    found = definitions(args.root, args.language, args.skip)
    text = {p: open(os.path.join(args.root, p), errors="replace").read().split("\n") for p in files(args.root, args.language)}

    def lines(name):
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return [(p, n, line) for p in text for n, line in enumerate(text[p], 1) if name in line and word.search(line)]

    def referenced(d):
        n = len(lines(d["last"])) - 1
        return None if n > 150 else n

    print(len(found), "definitions")
    for number, d in enumerate(draw.draw(found, args.seed, referenced, args.count), 1):
        print(f"\n## {number} {d['kind']} {d['name']} {d['path']}:{d['line']} namesakes {d['namesakes']}")
        for path, n, line in lines(d["last"]):
            print(f"   {path}:{n}: {line.strip()[:130]}")


if __name__ == "__main__":
    main()
