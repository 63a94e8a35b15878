"""What a mention of a symbol does there (its role), and where identifiers stand: read from tree-sitter's syntax tree.

One function a language: `role_python(node, symbol_kind)` and so on; `node` is the leaf under the mention. `ROLES` and
`GRAMMARS` are keyed by language; a further language adds itself to both.
"""

import importlib

import tree_sitter

GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "go": ("tree_sitter_go", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "c": ("tree_sitter_c", "language"),
    "java": ("tree_sitter_java", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
}
_parsers = {}


def parse(grammar, source):
    """The syntax tree of `source` (bytes)."""
    if grammar not in _parsers:
        module, function = GRAMMARS[grammar]
        language = tree_sitter.Language(getattr(importlib.import_module(module), function)())
        _parsers[grammar] = tree_sitter.Parser(language)
    return _parsers[grammar].parse(source)


def leaf(tree, line, start, end):
    """The smallest node over the bytes `start..end` of a line (counted from 0)."""
    return tree.root_node.descendant_for_point_range((line, start), (line, end))


def identifiers(tree):
    """Every identifier of a file, in code and not in comments or strings: (text, line, column in bytes)."""
    stack, found = [tree.root_node], []
    while stack:
        node = stack.pop()
        if node.child_count == 0:
            if "identifier" in node.type or node.type in ("constant", "name", "instance_variable", "identifier_suffix"):
                found.append((node.text.decode("utf-8", "replace"), *node.start_point))
        else:
            stack.extend(node.children)
    return found


def is_field(node, name):
    """Whether `node` is the field `name` of its parent."""
    parent = node.parent
    if parent is None:
        return False
    return any(child == node for child in parent.children_by_field_name(name))


def ancestors(node):
    node = node.parent
    while node is not None:
        yield node
        node = node.parent


def inside(node, *types):
    return any(a.type in types for a in ancestors(node))


def climb(node, steps):
    """Climbs while (parent's type, field) is one of `steps`: from `c` in `a.b.c` to the whole expression."""
    while node.parent is not None and any(
        node.parent.type == kind and (field is None or is_field(node, field)) for kind, field in steps
    ):
        node = node.parent
    return node


def role_python(node, kind):
    if inside(node, "import_statement", "import_from_statement", "future_import_statement"):
        return "import"
    if node.type in ("string_content", "string"):
        return "type" if inside(node, "type") else "other"
    if node.parent is not None and node.parent.type == "keyword_argument" and is_field(node, "name"):
        return "write"
    node = climb(node, [("attribute", "attribute"), ("parenthesized_expression", None)])
    parent = node.parent
    if parent is None:
        return "read"
    if parent.type == "call" and is_field(node, "function"):
        call = parent
        if call.parent is not None and call.parent.type == "argument_list" and is_field(call.parent, "superclasses"):
            return "inherit"
        return "call"
    if parent.type == "decorator":
        return "call"
    base = climb(node, [("subscript", "value")])
    if base.parent is not None and base.parent.type == "argument_list" and is_field(base.parent, "superclasses"):
        return "inherit"
    for a in [node, *ancestors(node)]:
        if a.type in ("type", "type_parameter", "generic_type"):
            return "type"
        if a.type in ("block", "module", "argument_list", "parameters", "expression_statement"):
            break
    if kind == "type":
        if inside_until(node, ("except_clause", "except_group_clause"), ("block",)):
            return "type"
        call = next((a for a in ancestors(node) if a.type == "call"), None)
        if call is not None:
            function = call.child_by_field_name("function")
            if function.text.decode().split(".")[-1] in ("isinstance", "issubclass", "cast", "TypeVar"):
                return "type"
    if is_write(node, {"assignment": "left", "augmented_assignment": "left", "for_statement": "left", "named_expression": "name",
                       "for_in_clause": "left", "as_pattern": "alias"},
                ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "as_pattern_target", "tuple")):
        return "write"
    if parent.type == "delete_statement":
        return "write"
    return "read"


def inside_until(node, types, stop):
    for a in ancestors(node):
        if a.type in types:
            return True
        if a.type in stop:
            return False
    return False


def is_write(node, targets, through):
    """Whether `node` is what an assignment assigns to; `through` are the patterns it may stand in."""
    while node.parent is not None and node.parent.type in through:
        node = node.parent
    parent = node.parent
    return parent is not None and parent.type in targets and is_field(node, targets[parent.type])


def role_go(node, kind):
    if inside(node, "import_declaration"):
        return "import"
    start = node
    node = climb(node, [("selector_expression", "field"), ("parenthesized_expression", None), ("qualified_type", "name")])
    parent = node.parent
    if parent is None:
        return "read"
    field = next((a for a in [node, *ancestors(node)] if a.type == "field_declaration"), None)
    if field is not None and not field.children_by_field_name("name"):
        return "inherit"
    if parent.type in ("type_elem", "constraint_elem") and parent.parent.type == "interface_type" and parent.named_child_count == 1:
        return "inherit"
    instance = climb(node, [("index_expression", "operand"), ("type_instantiation_expression", None)])
    if instance.parent is not None and instance.parent.type == "call_expression" and is_field(instance, "function"):
        return "type" if kind == "type" else "call"
    if kind == "type" or start.type == "type_identifier":
        return "type"
    if parent.type == "literal_element" and parent.parent.type == "keyed_element" and is_field(parent, "key"):
        return "write"
    if parent.type == "keyed_element" and is_field(node, "key"):
        return "write"
    if parent.type in ("inc_statement", "dec_statement"):
        return "write"
    if is_write(node, {"assignment_statement": "left", "short_var_declaration": "left", "range_clause": "left"},
                ("expression_list", "parenthesized_expression")):
        return "write"
    return "read"


MEMBERS = ("method_definition", "method_signature", "abstract_method_signature", "property_signature", "public_field_definition",
           "field_definition")


def export_javascript(node):
    """The name under which CommonJS exports an identifier there, or None: `module.exports = { a: node }`, `exports.a = node`."""
    parent = node.parent
    if parent is None:
        return None
    name = None
    if node.type == "shorthand_property_identifier":
        name, literal = node, parent
    elif parent.type == "pair" and is_field(node, "value"):
        name, literal = parent.child_by_field_name("key"), parent.parent
    elif parent.type == "assignment_expression" and is_field(node, "right"):
        left = parent.child_by_field_name("left")
        if left.type == "member_expression" and left.child_by_field_name("object").text in (b"exports", b"module.exports"):
            property = left.child_by_field_name("property")
            return None if property.text == b"exports" else property
        return None
    else:
        return None
    assignment = literal.parent
    if assignment is not None and assignment.type == "assignment_expression" and is_field(literal, "right"):
        if assignment.child_by_field_name("left").text in (b"module.exports", b"exports"):
            return name if name.type.endswith("identifier") else None
    return None


def role_javascript(node, kind):
    if export_javascript(node) is not None:
        return "other"
    if inside_until(node, ("import_statement", "import_alias"), ("statement_block",)):
        return "import"
    export = next((a for a in ancestors(node) if a.type == "export_statement"), None)
    if node.parent is not None and node.parent.type in MEMBERS and (is_field(node, "name") or is_field(node, "property")):
        return "override"
    if node.parent is not None and node.parent.type == "export_specifier":
        return "import" if export is not None and export.child_by_field_name("source") else "other"
    if node.parent is not None and node.parent.type in ("shorthand_property_identifier_pattern", "object_pattern", "pair_pattern"):
        declarator = next((a for a in ancestors(node) if a.type == "variable_declarator"), None)
        value = declarator and declarator.child_by_field_name("value")
        if value is not None and value.text.startswith((b"require(", b"await import(")):
            return "import"
    declared = node.parent is not None and node.parent.type == "variable_declarator" and is_field(node, "name")
    if declared and (value := node.parent.child_by_field_name("value")) is not None and value.text.startswith((b"require(", b"await import(")):
        return "import"
    if node.type in ("string", "string_fragment"):
        called = next((a for a in ancestors(node) if a.type == "call_expression"), None)
        if called is not None and called.child_by_field_name("function").text in (b"require", b"import"):
            return "import"
    heritage = next((a for a in ancestors(node) if a.type in ("class_heritage", "extends_clause", "implements_clause",
                                                              "extends_type_clause", "class_body", "statement_block")), None)
    if heritage is not None and heritage.type not in ("class_body", "statement_block"):
        base = climb(node, [("member_expression", "property"), ("nested_type_identifier", "name"), ("generic_type", "name")])
        if base.parent.type in ("class_heritage", "extends_clause", "extends_type_clause"):
            return "inherit"
        if base.parent.type == "implements_clause":
            return "implement"
        return "type"
    if node.type == "type_identifier":
        return "type"
    if inside_until(node, ("type_query", "type_annotation", "type_arguments", "type_predicate_annotation", "asserts_annotation", "type_alias_declaration", "lookup_type"),
                    ("statement_block", "class_body", "object", "arguments")) and kind in ("type", "constant", "function"):
        return "type"
    node = climb(node, [("member_expression", "property"), ("parenthesized_expression", None), ("non_null_expression", None),
                        ("as_expression", None), ("instantiation_expression", None)])
    parent = node.parent
    if parent is None:
        return "read"
    if parent.type == "member_expression" and is_field(node, "object"):
        method = parent.child_by_field_name("property")
        if method is not None and method.text in (b"call", b"apply") and is_field(parent, "function"):
            return "call"
    if parent.type == "call_expression" and is_field(node, "function"):
        return "call"
    if parent.type == "new_expression" and is_field(node, "constructor"):
        return "call"
    if parent.type == "decorator":
        return "call"
    if parent.type in ("jsx_opening_element", "jsx_self_closing_element"):
        return "call"
    if parent.type == "jsx_closing_element":
        return "other"
    if parent.type == "binary_expression" and is_field(node, "right") and parent.child_by_field_name("operator").type == "instanceof":
        return "type" if kind == "type" else "read"
    if node.type == "member_expression" and node.child_by_field_name("object").text.startswith(b"require("):
        if parent.type == "variable_declarator":
            return "import"
    if parent.type == "pair" and is_field(node, "key"):
        return "write"
    if node.type == "shorthand_property_identifier" and kind == "field":
        return "write"
    if parent.type == "update_expression":
        return "write"
    if is_write(node, {"assignment_expression": "left", "augmented_assignment_expression": "left", "for_in_statement": "left"},
                ("array_pattern", "assignment_pattern")):
        return "write"
    return "read"


def role_c(node, kind):
    if inside(node, "preproc_include"):
        return "import"
    if inside(node, "preproc_ifdef", "preproc_if", "preproc_elif") and node.parent.type in ("preproc_ifdef", "preproc_defined"):
        return "read"
    start = node
    node = climb(node, [("field_expression", "field"), ("parenthesized_expression", None)])
    parent = node.parent
    if parent is None:
        return "read"
    if start.type == "type_identifier" or kind == "type":
        return "type"
    if parent.type == "call_expression" and is_field(node, "function"):
        return "call"
    if parent.type == "pointer_expression" and parent.parent.type == "parenthesized_expression":
        outer = parent.parent
        if outer.parent.type == "call_expression" and is_field(outer, "function"):
            return "call"
    if parent.type == "field_designator":
        return "write"
    if parent.type == "update_expression":
        return "write"
    if is_write(node, {"assignment_expression": "left"}, ()):
        return "write"
    return "read"


ROLES = {
    "python": role_python,
    "go": role_go,
    "javascript": role_javascript,
    "typescript": role_javascript,
    "tsx": role_javascript,
    "c": role_c,
}
