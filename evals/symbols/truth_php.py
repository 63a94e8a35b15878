"""intelephense for `truth_lsp.py --adapter truth_php.py`. PHP_INCLUDE names folders of libraries, split at `:`.

CORRECTIONS may name a file of what a reader has corrected: {"path:line" of a definition: {"add" or "remove": [[path, line], …]}}.
"""

import json
import os
import tempfile

import syntax
from truth_lsp import CONSTANT, FIELD, PROPERTY, Adapter, tool

CORRECTIONS = {}
if os.environ.get("CORRECTIONS"):
    with open(os.environ["CORRECTIONS"]) as file:
        CORRECTIONS = json.load(file)


class Php(Adapter):
    language = "php"
    command = [tool("intelephense"), "--stdio"]
    grammars = {".php": "php"}
    separator = "::"
    settings = {"intelephense": {
        "environment": {"includePaths": [p for p in os.environ.get("PHP_INCLUDE", "").split(":") if p], "phpVersion": "8.2.0"},
        "telemetry": {"enabled": False}, "diagnostics": {"enable": False}, "files": {"maxSize": 5000000},
        "references": {"exclude": []},
    }}
    options = {"storagePath": tempfile.mkdtemp(), "clearCache": True}
    quiet = 20
    open_first = 1
    keep_open = 300

    def prepare(self, repository):
        """Magic methods are no symbols to ask for: nobody types their names."""
        read = repository.read_symbols

        def read_symbols():
            read()
            repository.drawable = [d for d in repository.drawable if not d["last"].startswith("__")]

        repository.read_symbols = read_symbols

    def name(self, symbol, containers):
        last = symbol["name"].lstrip("$")
        return "::".join([*containers[-1:], last]), last

    def kind(self, symbol, containers, repository, path):
        if symbol["kind"] in (FIELD, PROPERTY):
            return "field"
        if symbol["kind"] == CONSTANT:
            return "constant"
        return super().kind(symbol, containers, repository, path)

    def definitions(self, repository, d):
        # intelephense's answer starts at the comment above a definition
        return {(d["path"], d["line"])}

    def references(self, repository, d):
        found = set()
        for path, line, column in super().references(repository, d):
            start = len(repository.lines(path)[line - 1][:column].encode())
            node = syntax.leaf(repository.tree(path), line - 1, start, start + 1)
            if node.type not in ("comment", "text", "string_content"):
                found.add((path, line, column))
        corrected = CORRECTIONS.get(f"{d['path']}:{d['line']}", {})
        found = {m for m in found if [m[0], m[1]] not in corrected.get("remove", [])}
        for path, line in corrected.get("add", []):
            found.add((path, line, repository.lines(path)[line - 1].rindex(d["last"])))
        return found


def role_php(node, kind):
    if node.type == "name" and node.parent.type == "variable_name":
        node = node.parent
    if syntax.inside(node, "namespace_use_declaration"):
        return "import"
    node = syntax.climb(node, [("qualified_name", None), ("namespace_name", None)])
    parent = node.parent
    if parent is None:
        return "read"
    if parent.type in ("use_declaration", "use_list"):
        return "inherit"
    if parent.type == "base_clause":
        return "inherit"
    if parent.type == "class_interface_clause":
        return "implement"
    if parent.type == "object_creation_expression":
        return "call"
    if parent.type == "attribute":
        return "call"
    if parent.type in ("method_declaration", "property_element", "const_element"):
        return "override"
    if parent.type in ("function_call_expression", "member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"):
        if syntax.is_field(node, "scope") and kind == "type":
            return "type"
        if syntax.is_field(node, "name") and kind == "method" or syntax.is_field(node, "function") and kind == "function":
            return "call"
    if kind == "type":
        return "type"
    if parent.type in ("member_access_expression", "nullsafe_member_access_expression", "scoped_property_access_expression") and syntax.is_field(node, "name"):
        node, parent = parent, parent.parent
    if parent.type == "update_expression":
        return "write"
    while parent.type in ("subscript_expression",) and parent.children[0] == node:
        node, parent = parent, parent.parent
    if parent.type in ("assignment_expression", "augmented_assignment_expression", "reference_assignment_expression") and syntax.is_field(node, "left"):
        return "write"
    if parent.type in ("unset_statement", "list_literal"):
        return "write"
    return "read"


syntax.ROLES["php"] = role_php
ADAPTER = Php()
