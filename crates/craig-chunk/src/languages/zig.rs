//! Zig.

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Open, Plain};
use crate::grammar::counting::{Counting, has_body, not_else_entry};
use crate::grammar::find::{child, child_of, field, import, text, unquoted};
use crate::grammar::{Answer, At, Definition, Imports, Rule, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    counting: Some(&COUNTING),
    imports: Imports { words: &["import"], asked: &["variable_declaration"], ..Imports::DEFAULT },
    ..Table::new(
        craig_grammars::ZIG,
        ".",
        &[
            ("comment", Rule::Attach),
            ("variable_declaration", Rule::Ask(variable)),
            ("function_declaration", define(Function).rule()),
            ("container_field", define(Constant).inside(At::Nowhere).rule()),
            ("test_declaration", Rule::Ask(test)),
            ("expression_statement", Rule::Ask(returned)),
            ("block", Rule::Open),
        ],
    )
};

const CONTAINERS: &[&str] = &[
    "struct_declaration",
    "union_declaration",
    "opaque_declaration",
    "enum_declaration",
    "error_set_declaration",
];

static COUNTING: Counting = Counting {
    units: &["function_declaration"],
    decides: &[
        "if_statement",
        "if_expression",
        "for_statement",
        "for_expression",
        "while_statement",
        "while_expression",
        "switch_case",
        "catch_expression",
        "try_expression",
    ],
    nests: &[
        "if_statement",
        "if_expression",
        "for_statement",
        "for_expression",
        "while_statement",
        "while_expression",
        "switch_expression",
    ],
    ifs: &["if_statement", "if_expression"],
    operators: &["and", "or", "orelse"],
    is_unit: has_body,
    is_decision: not_else_entry,
    ..Counting::C_LIKE
};

fn variable<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    if child_of(node, &["const", "var"]).is_none() {
        return Plain;
    }
    let Some(name) = child(node, "identifier") else { return Plain };
    if let Some(container) = child_of(node, CONTAINERS) {
        let is_enum = matches!(container.kind(), "enum_declaration" | "error_set_declaration");
        let kind = if is_enum { Enum } else { Class };
        return Defines(Definition::new(kind, name).body(Some(container)));
    }
    if module_asked(node, source).is_some() {
        return Answer::Import(read_import);
    }
    Defines(Definition::new(Constant, name))
}

fn test<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    match child_of(node, &["string", "identifier"]) {
        Some(name) => Defines(Definition::new(Function, name).unlisted()),
        None => Plain,
    }
}

/// The container a generic type function returns.
fn returned<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let container = child(node, "return_expression").and_then(|value| child_of(value, CONTAINERS));
    container.map_or(Plain, Open)
}

/// The string of `@import("x")`, also under fields: `@import("x").y`.
fn module_asked<'t>(node: Node<'t>, source: &str) -> Option<Node<'t>> {
    let mut value = child_of(node, &["builtin_function", "field_expression"])?;
    for _ in 0..16 {
        if value.kind() == "builtin_function" {
            let name = child(value, "builtin_identifier")?;
            let arguments = child(value, "arguments").filter(|_| text(name, source) == "@import")?;
            return child(arguments, "string");
        }
        value = field(value, "object")?;
    }
    None
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    imports.extend(module_asked(node, source).map(|path| import(unquoted(text(path, source)), node)));
}
