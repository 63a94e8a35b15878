//! Python.

mod names;

use tree_sitter::Node;

use crate::grammar::counting::{Counting, not_wildcard_case};
use crate::grammar::find::{child, children, field, import, import_names, text};
use crate::grammar::{Answer, Definition, Imports, Rule, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Function, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    closer: "",
    stub: "():0",
    max_indent: 500,
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports { words: &["import"], is_executed: true, ..Imports::DEFAULT },
    ..Table::new(
        craig_grammars::PYTHON,
        ".",
        &[
            ("comment", Rule::Attach),
            ("decorator", Rule::Attach),
            ("decorated_definition", Rule::Open),
            ("function_definition", define(Function).rule()),
            ("class_definition", define(Class).rule()),
            ("type_alias_statement", Rule::Ask(type_alias)),
            ("expression_statement", Rule::Ask(assignment)),
            ("import_statement", Rule::Import(read_import)),
            ("import_from_statement", Rule::Import(read_from)),
            ("future_import_statement", Rule::Import(read_future)),
            ("if_statement", Rule::Open),
            ("elif_clause", Rule::Open),
            ("else_clause", Rule::Open),
            ("try_statement", Rule::Open),
            ("except_clause", Rule::Open),
            ("finally_clause", Rule::Open),
            ("with_statement", Rule::Open),
            ("block", Rule::Open),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &["function_definition"],
    decides: &[
        "if_statement",
        "elif_clause",
        "for_statement",
        "while_statement",
        "except_clause",
        "conditional_expression",
        "for_in_clause",
        "if_clause",
        "case_clause",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "try_statement",
        "with_statement",
        "match_statement",
    ],
    operations: &["boolean_operator"],
    operators: &["and", "or"],
    is_decision: not_wildcard_case,
    ..Counting::C_LIKE
};

fn assignment<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let Some(left) = child(node, "assignment").and_then(|a| field(a, "left")) else { return Answer::Plain };
    match left.kind() {
        "identifier" => Answer::Define(Definition::new(Constant, left)),
        "pattern_list" | "tuple_pattern" => {
            let names = children(left, "identifier");
            Answer::Several(names.into_iter().map(|name| Definition::new(Constant, name)).collect())
        }
        _ => Answer::Plain,
    }
}

/// `type Pair[A] = …`: the name is that without the parameters.
fn type_alias<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let Some(mut name) = field(node, "left") else { return Answer::Plain };
    while let Some(inner) = name.named_child(0) {
        name = inner;
    }
    Answer::Define(Definition::new(Type, name))
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        let name = field(part, "name").unwrap_or(part);
        imports.push(import(text(name, source), node));
    }
}

fn read_from(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(module) = field(node, "module_name") else { return };
    let mut names = imported_names(node, source);
    if child(node, "wildcard_import").is_some() {
        names.push("*");
    }
    imports.push(import_names(text(module, source), names, node));
}

fn read_future(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    imports.push(import_names("__future__", imported_names(node, source), node));
}

fn imported_names<'s>(node: Node<'_>, source: &'s str) -> Vec<&'s str> {
    let mut cursor = node.walk();
    node.children_by_field_name("name", &mut cursor)
        .map(|part| text(field(part, "name").unwrap_or(part), source))
        .collect()
}
