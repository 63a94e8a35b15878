"""C++ for `truth_lsp.py --adapter truth_cpp.py`: clangd, after `compile_commands.py`; `impact` is null."""

import re

import syntax
from truth_lsp import CONSTRUCTOR, ENUM_MEMBER, TYPES, Adapter, C

syntax.GRAMMARS["cpp"] = ("tree_sitter_cpp", "language")


class Cpp(C):
    language = "cpp"
    grammars = {".cc": "cpp", ".hh": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cxx": "cpp", ".h": "cpp"}
    separator = "::"
    keep_open = 40

    def prepare(self, repository):
        """clangd needs seconds for each file that is opened: what a change reaches is left out."""
        repository.impact = lambda d: None

    def name(self, symbol, containers):
        parts = symbol["name"].split("::")
        owner = parts[-2:-1] or ([] if symbol["kind"] in TYPES else containers[-1:])
        return "::".join([*owner, parts[-1]]), parts[-1]

    def kind(self, symbol, containers, repository, path):
        if symbol["kind"] == CONSTRUCTOR:
            return None
        kind = "constant" if symbol["kind"] == ENUM_MEMBER else Adapter.kind(self, symbol, containers, repository, path)
        text = self.extent(symbol, repository, path)
        if kind == "type" and "{" not in text and not re.search(r"\b(using|typedef)\b", text):
            return None  # class name;
        return kind

    def is_definition(self, symbol, kind, repository, path):
        text = self.extent(symbol, repository, path)
        return kind not in ("function", "method") or "{" in text or re.search(r"=\s*(0|default|delete)\s*;?$", text.strip()) is not None


def role_cpp(node, kind):
    if syntax.inside(node, "preproc_include"):
        return "import"
    if node.parent is not None and node.parent.type == "using_declaration":
        return "import"
    start = node
    node = syntax.climb(node, [("qualified_identifier", "name"), ("template_function", "name"), ("template_method", "name"),
                               ("template_type", "name"), ("dependent_name", None), ("field_expression", "field"),
                               ("parenthesized_expression", None)])
    parent = node.parent
    if parent is None:
        return "read"
    if parent.type == "using_declaration":
        return "import"
    if parent.type == "base_class_clause":
        return "inherit"
    if parent.type == "call_expression" and syntax.is_field(node, "function"):
        return "call"
    if parent.type in ("new_expression", "compound_literal_expression") and syntax.is_field(node, "type"):
        return "call"
    if kind == "type" or start.type == "type_identifier":
        return "type"
    if parent.type == "pointer_expression" and parent.parent.type == "parenthesized_expression":
        outer = parent.parent
        if outer.parent.type == "call_expression" and syntax.is_field(outer, "function"):
            return "call"
    if parent.type in ("field_designator", "field_initializer", "update_expression"):
        return "write"
    if syntax.is_write(node, {"assignment_expression": "left"}, ()):
        return "write"
    return "read"


syntax.ROLES["cpp"] = role_cpp
ADAPTER = Cpp()
