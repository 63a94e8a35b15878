//! Lua.

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Open, Plain};
use crate::grammar::counting::{Counting, always};
use crate::grammar::find::{child, field, import, text, unquoted};
use crate::grammar::{Answer, Definition, Imports, Rule, Table};
use crate::kind::ChunkKind::{self, Constant, Function, Method};
use crate::outline::Import;
use crate::reference::ReferenceKind;

pub(super) static TABLE: Table = Table {
    closer: "end",
    stub: "()end",
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["require"],
        asked: &["function_call", "variable_declaration", "assignment_statement"],
        kind: ReferenceKind::Require,
        is_executed: true,
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::LUA,
        ".",
        &[
            ("comment", Rule::Attach),
            ("function_declaration", Rule::Ask(function)),
            ("variable_declaration", Rule::Ask(variable)),
            ("assignment_statement", Rule::Ask(assignment)),
            ("field", Rule::Ask(table_field)),
            ("function_call", Rule::Ask(call)),
            ("return_statement", Rule::Ask(returned)),
            ("do_statement", Rule::Open),
            ("if_statement", Rule::Open),
            ("block", Rule::Open),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &["function_declaration", "function_definition"],
    decides: &["if_statement", "elseif_statement", "for_statement", "while_statement", "repeat_statement"],
    nests: &["if_statement", "for_statement", "while_statement", "repeat_statement"],
    operators: &["and", "or"],
    is_decision: always,
    ..Counting::C_LIKE
};

fn function<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = field(node, "name") else { return Plain };
    Defines(named(Function, name, source).body(field(node, "body")))
}

/// `M.add` is `add` of `M`.
fn named<'t>(kind: ChunkKind, name: Node<'t>, source: &'t str) -> Definition<'t> {
    let owner = field(name, "table").map(|table| text(table, source));
    let name = field(name, "field").or_else(|| field(name, "method")).unwrap_or(name);
    let kind = if owner.is_some() && kind == Function { Method } else { kind };
    Definition::new(kind, name).owner(owner)
}

fn variable<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    match child(node, "assignment_statement") {
        Some(assigned) => assignment(assigned, source),
        None => Plain,
    }
}

fn assignment<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let (Some(names), Some(values)) = (child(node, "variable_list"), child(node, "expression_list")) else {
        return Plain;
    };
    if values.named_child(0).is_some_and(|value| module_asked(value, source).is_some()) {
        return Answer::Import(read_require);
    }
    let mut found = Vec::new();
    let mut cursor = names.walk();
    for (index, name) in names.named_children(&mut cursor).enumerate() {
        let value = values.named_child(index as u32);
        let is_function = value.is_some_and(|value| value.kind() == "function_definition");
        let kind = if is_function { Function } else { Constant };
        let body = value.and_then(|value| match value.kind() {
            "function_definition" => field(value, "body"),
            "table_constructor" => Some(value),
            _ => None,
        });
        if matches!(name.kind(), "identifier" | "dot_index_expression") {
            found.push(named(kind, name, source).body(body));
        }
    }
    Answer::Several(found)
}

fn table_field<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let (Some(name), Some(value)) = (field(node, "name"), field(node, "value")) else { return Plain };
    match value.kind() {
        "function_definition" => Defines(Definition::new(Method, name).body(field(value, "body"))),
        "table_constructor" => Open(value),
        _ => Plain,
    }
}

fn returned<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let value = child(node, "expression_list").and_then(|list| list.named_child(0));
    value.filter(|value| value.kind() == "table_constructor").map_or(Plain, Open)
}

fn call<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    if module_asked(node, source).is_some() { Answer::Import(read_require) } else { Plain }
}

/// The literal of `require "x"`, also under an index: `require("x").y`.
fn module_asked<'t>(node: Node<'t>, source: &str) -> Option<Node<'t>> {
    match node.kind() {
        "function_call" => {
            let name = field(node, "name")?;
            if text(name, source) == "require" {
                return child(field(node, "arguments")?, "string");
            }
            module_asked(name, source)
        }
        "dot_index_expression" | "method_index_expression" => module_asked(field(node, "table")?, source),
        _ => None,
    }
}

fn read_require(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let node = child(node, "assignment_statement").unwrap_or(node);
    let values = child(node, "expression_list").unwrap_or(node);
    let mut found = module_asked(node, source);
    let mut cursor = values.walk();
    for value in values.named_children(&mut cursor) {
        let asked = module_asked(value, source).or_else(|| found.take());
        imports.extend(asked.map(|target| import(unquoted(text(target, source)), node)));
    }
}
