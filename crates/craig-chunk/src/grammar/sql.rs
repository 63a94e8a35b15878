//! SQL: what statements create.

use tree_sitter::Node;

use super::Answer::{Define as Defines, Plain};
use super::find::{child, field};
use super::{Answer, Definition, Rule, Table};
use crate::ChunkKind::{Class, Constant, Function, Module, Type};

pub(super) static TABLE: Table = Table::new(
    craig_grammars::SQL,
    ".",
    &[
        ("comment", Rule::Attach),
        ("marginalia", Rule::Attach),
        ("statement", Rule::Open),
        ("create_table", Rule::Ask(created)),
        ("create_view", Rule::Ask(created)),
        ("create_materialized_view", Rule::Ask(created)),
        ("create_function", Rule::Ask(created)),
        ("create_procedure", Rule::Ask(created)),
        ("create_trigger", Rule::Ask(created)),
        ("create_type", Rule::Ask(created)),
        ("create_index", Rule::Ask(created)),
        ("create_sequence", Rule::Ask(created)),
        ("create_schema", Rule::Ask(created)),
        ("create_database", Rule::Ask(created)),
    ],
);

fn created<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let kind = match node.kind() {
        "create_function" | "create_procedure" | "create_trigger" => Function,
        "create_type" => Type,
        "create_index" | "create_sequence" => Constant,
        "create_schema" | "create_database" => Module,
        _ => Class,
    };
    let reference = child(node, "object_reference").and_then(|reference| field(reference, "name"));
    let name = if node.kind() == "create_index" { field(node, "column") } else { reference };
    name.or_else(|| child(node, "identifier")).map_or(Plain, |name| Defines(Definition::new(kind, name)))
}
