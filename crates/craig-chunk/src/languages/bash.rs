//! Bash and other POSIX-like shells.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::grammar::counting::Counting;
use crate::grammar::find::{field, import, text, unquoted};
use crate::grammar::{Answer, Imports, Rule, Table, define, text as node_text};
use crate::kind::ChunkKind::{Constant, Function};
use crate::outline::Import;
use crate::reference::ReferenceKind;

pub(super) static TABLE: Table = Table {
    prepare: Some(narrow),
    counting: Some(&COUNTING),
    imports: Imports {
        asked: &["command"],
        kind: ReferenceKind::Require,
        is_executed: true,
        ..Imports::DEFAULT
    },
    ..Table::new(
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
    )
};

static COUNTING: Counting = Counting {
    units: &["function_definition"],
    decides: &[
        "if_statement",
        "elif_clause",
        "for_statement",
        "c_style_for_statement",
        "while_statement",
        "case_item",
        "ternary_expression",
    ],
    nests: &["if_statement", "for_statement", "c_style_for_statement", "while_statement", "case_statement"],
    operations: &["list", "binary_expression"],
    is_decision: not_star_item,
    ..Counting::C_LIKE
};

fn not_star_item(node: Node<'_>, text: &str) -> bool {
    node.kind() != "case_item"
        || node.child_by_field_name("value").is_some_and(|value| node_text(value, text) != "*")
}

/// The text with letters in place of characters above U+00FF: after a brace, the grammar's scanner looks them up in C's table
/// of bytes, and reads beyond its end.
fn narrow(text: &str) -> Cow<'_, str> {
    let is_wide = |c: char| c > '\u{ff}';
    if !text.contains(is_wide) {
        return Cow::Borrowed(text);
    }
    let mut narrow = String::with_capacity(text.len());
    for c in text.chars() {
        match is_wide(c) {
            true => narrow.extend(std::iter::repeat_n('x', c.len_utf8())),
            false => narrow.push(c),
        }
    }
    Cow::Owned(narrow)
}

fn command<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    match field(node, "name").map(|name| text(name, source)) {
        Some("source" | ".") => Answer::Import(read_source),
        _ => Answer::Plain,
    }
}

fn read_source(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    imports.extend(field(node, "argument").map(|path| import(unquoted(text(path, source)), node)));
}
