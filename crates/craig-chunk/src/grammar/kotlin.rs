//! Kotlin.

use tree_sitter::Node;

use super::Answer::{Define as Defines, Plain};
use super::find::{child, child_of, children, import, text};
use super::{Answer, At, Definition, Rule, Table, define};
use crate::ChunkKind::{Class, Constant, Enum, Function, Interface, Method, Type};
use crate::Import;

pub(super) static TABLE: Table = Table {
    names: Some(&crate::names::kotlin::TABLE),
    ..Table::new(
        craig_grammars::KOTLIN,
        ".",
        &[
            ("line_comment", Rule::Attach),
            ("block_comment", Rule::Attach),
            ("annotated_expression", Rule::Attach),
            ("import", Rule::Import(read_import)),
            ("class_declaration", Rule::Ask(class)),
            ("object_declaration", define(Class).inside(At::Kind("class_body")).rule()),
            ("companion_object", Rule::Ask(companion)),
            ("function_declaration", Rule::Ask(function)),
            ("property_declaration", Rule::Ask(property)),
            (
                "secondary_constructor",
                define(Method).named(At::Kind("constructor")).inside(At::Nowhere).rule(),
            ),
            ("type_alias", Rule::Ask(type_alias)),
            (
                "enum_entry",
                define(Constant).named(At::Kind("identifier")).inside(At::Kind("class_body")).rule(),
            ),
            ("class_parameter", Rule::Ask(parameter)),
            ("function_body", Rule::Open),
            ("block", Rule::Open),
            ("enum_entries", Rule::Open),
        ],
    )
};

fn class<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = node.child_by_field_name("name") else { return Plain };
    let kind = if child(node, "interface").is_some() {
        Interface
    } else if is_enum(node, source) {
        Enum
    } else {
        Class
    };
    let body = child_of(node, &["class_body", "enum_class_body"]);
    let mut made = Definition::new(kind, name).body(body);
    made.parameters = child(node, "primary_constructor").and_then(|made| child(made, "class_parameters"));
    Defines(made)
}

fn is_enum(node: Node<'_>, source: &str) -> bool {
    let modifiers = child(node, "modifiers").map(|modifiers| text(modifiers, source)).unwrap_or_default();
    child(node, "enum").is_some() || modifiers.split_whitespace().any(|word| word == "enum")
}

/// Members of an unnamed companion count as members of the class.
fn companion<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let body = child(node, "class_body");
    match (child(node, "identifier"), body) {
        (Some(name), body) => Defines(Definition::new(Class, name).body(body)),
        (None, Some(body)) => Answer::Open(body),
        _ => Plain,
    }
}

/// An extension function belongs to its receiver: `fun User.greet()`.
fn function<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = node.child_by_field_name("name") else { return Plain };
    let owner = receiver(node, name, source);
    let kind = if owner.is_some() { Method } else { Function };
    Defines(Definition::new(kind, name).owner(owner).body(child(node, "function_body")))
}

/// The type before the dot before a name, without type arguments.
fn receiver<'t>(node: Node<'t>, name: Node<'t>, source: &'t str) -> Option<&'t str> {
    let receiver = child_of(node, &["user_type", "nullable_type", "parenthesized_type"])?;
    if receiver.start_byte() >= name.start_byte() {
        return None;
    }
    text(receiver, source)
        .split(['<', '?'])
        .next()
        .map(|name| name.trim_start_matches('('))
        .filter(|name| !name.is_empty())
}

fn property<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    if let Some(several) = child(node, "multi_variable_declaration") {
        let names =
            children(several, "variable_declaration").into_iter().filter_map(|v| child(v, "identifier"));
        return Answer::Several(names.map(|name| Definition::new(Constant, name)).collect());
    }
    let Some(name) = child(node, "variable_declaration").and_then(|v| child(v, "identifier")) else {
        return Plain;
    };
    Defines(Definition::new(Constant, name).owner(receiver(node, name, source)))
}

fn type_alias<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let name = node.child_by_field_name("type").or_else(|| child(node, "identifier"));
    name.map_or(Plain, |name| Defines(Definition::new(Type, name)))
}

/// Constructor parameters that are properties too.
fn parameter<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let name = child_of(node, &["val", "var"]).and_then(|_| child(node, "identifier"));
    name.map_or(Plain, |name| Defines(Definition::new(Constant, name)))
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(path) = child_of(node, &["qualified_identifier", "identifier"]) else { return };
    let mut found = import(text(path, source), node);
    if text(node, source).trim_end().ends_with('*') {
        found.names.push("*".to_owned());
    }
    imports.push(found);
}
