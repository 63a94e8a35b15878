"""rust-analyzer for `truth_lsp.py --adapter truth_rust.py`.

No proc macros and no build scripts are run: attribute macros count as absent, what a derive makes is not there.
Afterwards `truth_rust.py FILE.json CHECKOUT` mends the file. RUST_SRC may name the `library` folder of the standard library's sources.
"""

import json
import os
import re
import sys

import syntax
from truth_lsp import CONSTANT, ENUM_MEMBER, FIELD, FUNCTION, METHOD, STRUCT, ENUM, INTERFACE, TYPE_PARAMETER, Adapter, tool, write

IMPL = 19
SETTINGS = {
    "cargo": {"features": "all", "buildScripts": {"enable": False}, "sysrootSrc": os.environ.get("RUST_SRC") or None},
    "procMacro": {"enable": False},
    "checkOnSave": False,
    "diagnostics": {"enable": False},
    "cachePriming": {"enable": True, "numThreads": 1},
    "numThreads": 2,
    "lru": {"capacity": 2000},
    "files": {"watcher": "client"},
}


class Rust(Adapter):
    language = "rust"
    command = [tool("rust-analyzer")]
    grammars = {".rs": "rust"}
    separator = "::"
    settings = {"rust-analyzer": SETTINGS}
    options = SETTINGS
    quiet = 15
    open_first = 1
    keep_open = 40

    def name(self, symbol, containers):
        if symbol["kind"] == IMPL:
            match = re.match(r"impl(?:<.*?>)?\s+(?:.*?\bfor\s+)?(?:&(?:'\w+\s+)?(?:mut\s+)?|dyn\s+)*(?:\w+::)*(\w+)", symbol["name"])
            for child in symbol.get("children") or []:
                child["impl"] = match[1] if match else "_"
            return symbol["name"], symbol["name"]
        last = symbol["name"].removeprefix("r#")
        if "impl" in symbol:
            containers = [symbol["impl"]]
        return "::".join([*containers[-1:], last]), last

    def kind(self, symbol, containers, repository, path):
        number = symbol["kind"]
        if number in (STRUCT, ENUM, INTERFACE):
            return "type"
        if number == TYPE_PARAMETER:  # an alias; an associated type is no definition of its own
            return None if "impl" in symbol or containers else "type"
        if number in (FUNCTION, METHOD):
            return "method" if "impl" in symbol or containers and containers[-1] == INTERFACE else "function"
        if number in (FIELD, ENUM_MEMBER):
            return "field"
        if number == CONSTANT:
            return "constant"
        return None


def role_rust(node, kind):
    for a in syntax.ancestors(node):
        if a.type in ("use_declaration", "extern_crate_declaration"):
            return "import"
        if a.type in ("block", "declaration_list", "token_tree"):
            break
    parent = node.parent
    if parent is None:
        return "read"
    if parent.type in ("function_item", "function_signature_item", "const_item", "type_item", "associated_type") and syntax.is_field(node, "name"):
        return "implement"
    if parent.type == "macro_invocation" and syntax.is_field(node, "macro") or parent.type == "attribute":
        return "call"
    if parent.type == "token_tree":
        return role_in_tokens(node, kind)
    start = node
    node = syntax.climb(node, [("scoped_identifier", "name"), ("scoped_type_identifier", "name"), ("field_expression", "field"),
                               ("generic_function", "function"), ("generic_type", "type"), ("generic_type_with_turbofish", "type"),
                               ("parenthesized_expression", None)])
    parent = node.parent
    if parent.type == "macro_invocation":
        return "call"
    if parent.type == "call_expression" and syntax.is_field(node, "function"):
        return "call"
    if parent.type == "impl_item" and syntax.is_field(node, "trait"):
        return "implement"
    if parent.type == "trait_bounds" and parent.parent is not None and parent.parent.type == "trait_item":
        return "inherit"
    if parent.type == "field_initializer" and is_first(node, parent) or parent.type == "shorthand_field_initializer":
        return "write"
    if kind == "type":
        return "type"
    if kind == "field" and start.type == "type_identifier":
        return "read"  # a variant in a pattern or a literal with fields
    if start.type == "type_identifier":
        return "type"
    if parent.type in ("assignment_expression", "compound_assignment_expr") and syntax.is_field(node, "left"):
        return "write"
    return "read"


def is_first(node, parent):
    return parent.child_count > 0 and parent.children[0] == node or syntax.is_field(node, "field")


def role_in_tokens(node, kind):
    """A macro's arguments are tokens without structure."""
    following, previous = node.next_sibling, node.prev_sibling
    if following is not None and following.type == "!":
        return "call"
    if following is not None and following.type == "token_tree" and following.text.startswith(b"("):
        return "call"
    if following is not None and following.type == "::" and kind not in ("type",):
        turbofish = following.next_sibling
        if turbofish is not None and turbofish.type == "<":
            return "call"
    if kind == "type":
        return "type"
    if following is not None and following.type == "=" and previous is not None and previous.type == ".":
        return "write"
    if following is not None and following.type == ":" and kind == "field":
        return "write"
    return "read"


syntax.ROLES["rust"] = role_rust
ADAPTER = Rust()


def mend(path, root):
    """Leaves out lines that mention the symbol only as `Self`, and what is corrected by hand in CORRECTIONS."""
    with open(path) as file:
        record = json.load(file)
    for symbol in record["symbols"]:
        last = symbol["name"].split("::")[-1]
        corrected = CORRECTIONS.get(f"{record['repository']}/{symbol['path']}:{symbol['line']}", {})
        kept = []
        for reference in symbol["references"]:
            with open(os.path.join(root, reference[0]), encoding="utf-8") as file:
                line = file.read().split("\n")[reference[1] - 1]
            if re.search(rf"\b{re.escape(last)}\b", line) and reference[:2] not in corrected.get("remove", []):
                kept.append(reference)
        symbol["impact"] = corrected.get("impact", symbol["impact"])
        symbol["references"] = [] if corrected.get("only_of_trait") else kept
        if corrected.get("only_of_trait"):
            symbol["definitions"], symbol["impact"], symbol["unresolved"] = [[symbol["path"], symbol["line"]]], [], []
    write(path, record)


# A constant in an impl of a trait: rust-analyzer answers for the constant of the trait.
# A parameter with the method's name on the method's line: taken for the method.
CORRECTIONS = {
    "tokio-rs/axum/axum-extra/src/extract/with_rejection.rs:145": {"only_of_trait": True},
    "tokio-rs/axum/axum-extra/src/routing/typed.rs:319": {"only_of_trait": True},
    "poem-web/poem/poem-openapi/src/types/external/prost_wkt_types/struct.rs:11": {"only_of_trait": True},
    "poem-web/poem/poem-openapi/src/types/multipart/upload.rs:83": {"only_of_trait": True},
    "seanmonstar/warp/src/filters/body.rs:238": {"only_of_trait": True},
    "seanmonstar/warp/src/filters/body.rs:249": {"only_of_trait": True},
    "seanmonstar/warp/src/filters/reply.rs:83": {"remove": [["src/filters/reply.rs", 85]], "impact": ["tests/reply_with.rs"]},
    "seanmonstar/warp/src/filters/sse.rs:108": {"remove": [["src/filters/sse.rs", 109]], "impact": []},
    "tokio-rs/axum/axum/src/extract/ws.rs:241": {"remove": [["axum/src/extract/ws.rs", 246]]},
}

if __name__ == "__main__":
    mend(sys.argv[1], sys.argv[2])
