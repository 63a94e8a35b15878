//! Bash and other POSIX-like shells.

use tree_sitter::Node;

use super::find::{field, import, text, unquoted};
use super::{Answer, Rule, Table, define};
use crate::ChunkKind::{Constant, Function};
use crate::Import;

pub(super) static TABLE: Table = Table::new(
    craig_grammars::BASH,
    "::",
    &[
        ("comment", Rule::Attach),
        ("function_definition", define(Function).rule()),
        ("declaration_command", Rule::Open),
        ("variable_assignment", define(Constant).rule()),
        ("command", Rule::Ask(command)),
        ("if_statement", Rule::Open),
        ("else_clause", Rule::Open),
        ("compound_statement", Rule::Open),
    ],
);

fn command<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    match field(node, "name").map(|name| text(name, source)) {
        Some("source" | ".") => Answer::Import(read_source),
        _ => Answer::Plain,
    }
}

fn read_source(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    imports.extend(field(node, "argument").map(|path| import(unquoted(text(path, source)), node)));
}
