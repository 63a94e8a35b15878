//! Types as they are written, and what they hold.

use tree_sitter::Node;

use super::calls::arguments;
use super::{at_path, is_type};
use crate::grammar::named_children;
use crate::languages::java::names::types as java;
use crate::names::rules::itself;
use crate::names::walk::Walk;
use crate::names::{Parameter, Role, Value};

const HOLDERS: &[&str] = &[
    "Array",
    "Channel",
    "Deferred",
    "Flow",
    "Lazy",
    "MutableCollection",
    "MutableIterable",
    "MutableIterator",
    "MutableList",
    "MutableSet",
    "MutableStateFlow",
    "Sequence",
    "StateFlow",
];

const MAPS: &[&str] = &["MutableMap"];

/// A type: its value is an instance of it.
pub(super) fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    };
    let parts: Vec<Node<'t>> = named_children(node).collect();
    let names: Vec<Node<'t>> = parts.iter().copied().filter(|part| part.kind() == "identifier").collect();
    let (Some(&first), Some(&last)) = (names.first(), names.last()) else { return Value::Unknown };
    let is_package = |name: &&Node<'t>| walk.text_of(**name).starts_with(char::is_lowercase);
    let n_package = names[..names.len() - 1].iter().take_while(is_package).count();
    let n_package = if walk.is_bound(first) { 0 } else { n_package };
    let mut value = Value::Unknown;
    for (at, &name) in names.iter().enumerate().skip(n_package) {
        let role = if name == last { role } else { Role::Type };
        value = match at {
            0 => walk.name(name, role),
            _ if at == n_package => at_path(walk, first, name, role),
            _ => walk.member(name, itself(value), role),
        };
    }
    let mut held = Vec::new();
    for part in parts {
        if part.kind() == "type_arguments" {
            held.extend(named_children(part).map(|part| walk.visit_as(part, Role::Type)));
        } else if part.kind() != "identifier" {
            walk.visit(part);
        }
    }
    match collection(walk, last, &held).unwrap_or_default() {
        _ if matches!(walk.text_of(last), "Pair" | "Triple") && !held.is_empty() => walk.tuple(node, &held),
        Value::Unknown => walk.applied(value.instance(), held),
        collection => collection,
    }
}

/// What a type of a collection holds.
fn collection<'t>(walk: &mut Walk<'t>, name: Node<'t>, held: &[Value]) -> Option<Value> {
    let text = walk.text_of(name);
    let element = if java::HOLDERS.contains(&text) || HOLDERS.contains(&text) {
        held.first()
    } else if java::MAPS.contains(&text) || MAPS.contains(&text) {
        held.last()
    } else {
        None
    };
    let id = walk.id(text);
    let is_other = |module| {
        let module = walk.found.text(module);
        !module.starts_with("java.") && !module.starts_with("kotlin")
    };
    let is_imported = walk.found.imports.iter().any(|of| of.local == Some(id) && is_other(of.module));
    element.filter(|_| !is_imported).map(|&element| walk.several(element))
}

/// `T & Any`
pub(super) fn first<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let values: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    values.first().copied().unwrap_or_default()
}

/// The name of a parameter in a type of functions means nothing.
pub(super) fn parameter_of_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    typed(walk, node)
}

/// `Shape.(Int) -> Unit`
pub(super) fn type_of_functions<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    lambda_type(walk, node);
    Value::Unknown
}

/// Reads a type of functions; what they are called on, and what they take.
fn lambda_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> (Value, Vec<Value>) {
    let mut receiver = Value::Unknown;
    let mut takes = Vec::new();
    let mut is_before = true;
    for part in named_children(node) {
        if part.kind() == "function_type_parameters" {
            is_before = false;
            takes = named_children(part).map(|of| walk.visit(of)).collect();
            continue;
        }
        let value = walk.visit(part);
        receiver = if is_before && is_type(part) { value } else { receiver };
    }
    (receiver, takes)
}

/// A parameter, and what it is called on if it is a lambda.
pub(super) fn parameter_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> (Parameter, Value) {
    let mut of = named_children(node).find(|part| is_type(*part));
    for _ in 0..4 {
        let Some(outer) = of.filter(|of| matches!(of.kind(), "nullable_type" | "parenthesized_type")) else {
            break;
        };
        of = named_children(outer).find(|part| is_type(*part));
    }
    match of {
        Some(of) if of.kind() == "function_type" => {
            let (receiver, takes) = lambda_type(walk, of);
            (Parameter { value: Value::Unknown, takes }, receiver)
        }
        _ => (Parameter { value: typed(walk, node), takes: Vec::new() }, Value::Unknown),
    }
}

/// The type behind a name.
pub(super) fn typed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        if is_type(part) {
            value = walk.visit_as(part, Role::Type);
        } else if part.kind() == "annotation" {
            walk.visit(part);
        }
    }
    value
}

/// `@Name(argument)`
pub(super) fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    let mut of = Value::Unknown;
    for part in named_children(node) {
        match part.kind() {
            "value_arguments" => {
                arguments(walk, part, Value::Unknown, Value::Unknown, Some(of));
            }
            "use_site_target" => {}
            _ => of = walk.visit_as(part, Role::Type),
        }
    }
    Value::Unknown
}
