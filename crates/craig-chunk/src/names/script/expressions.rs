//! Expressions and statements, and their values.

use tree_sitter::Node;

use super::classes::type_arguments;
use super::modules::required;
use super::objects::{bare, defined};
use super::types::collection_of;
use super::variables::pattern;
use crate::grammar::{child, field, injected, named_children, registration};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{Role, Site, Source, Value};

pub(super) fn template<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node) {
        walk.children(part);
    }
    Value::Builtin
}

pub(super) fn this<'t>(walk: &mut Walk<'t>, _: Node<'t>) -> Value {
    // Of an object whose type is known from where it stands.
    match walk.local_value("this") {
        Value::Unknown => walk.this_value(),
        known => known,
    }
}

pub(super) fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = walk.name(node, role);
    walk.narrowed(node).unwrap_or(value)
}

pub(super) fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "property_identifier" | "private_property_identifier" | "identifier")
}

pub(super) fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    walk.expected = Value::Unknown;
    let value = match field(node, "object") {
        Some(object) if object.kind() == "super" => walk.this.map_or(Value::Unknown, Value::Super),
        Some(object) => walk.visit(object),
        None => Value::Unknown,
    };
    match field(node, "property").filter(|name| is_name(*name)) {
        Some(name) => {
            let value = walk.member(name, value, role);
            walk.narrowed(node).unwrap_or(value)
        }
        None => Value::Unknown,
    }
}

pub(super) fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "object");
    walk.field(node, "index");
    walk.first_of(value).element()
}

/// Methods of collections whose callback gets an element first.
const CALLBACKS: &[&str] =
    &["forEach", "map", "filter", "find", "some", "every", "flatMap", "findIndex", "findLast"];

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(loaded) = required(walk, node) {
        return loaded;
    }
    walk.expected = Value::Unknown;
    let Some(function) = field(node, "function") else { return Value::Unknown };
    if function.kind() == "super" {
        if let (Some(this), Some(list)) = (walk.this, field(node, "arguments")) {
            let called = walk.name_as("constructor", function, Role::Call, Site::Member(Value::Super(this)));
            arguments(walk, list, called, Value::Unknown);
            return Value::Instance(Source::Definition(this));
        }
        walk.children_except(node, &["function"]);
        return Value::Unknown;
    }
    let object = match function.kind() {
        "member_expression" => field(function, "object"),
        _ => None,
    };
    let method = field(function, "property").map_or("", |name| walk.text_of(name));
    let (called, element) = match object {
        Some(object) if (CALLBACKS.contains(&method) || method == "then") && object.kind() != "super" => {
            let value = walk.visit(object);
            let called = field(function, "property")
                .map_or(Value::Unknown, |name| walk.member(name, value, Role::Call));
            let first = walk.first_of(value);
            // What a promise is of stands for the promise.
            (called, if method == "then" { first } else { first.element() })
        }
        _ => (walk.visit_as(function, Role::Call), Value::Unknown),
    };
    let types = field(node, "type_arguments").map_or(Vec::new(), |list| type_arguments(walk, list));
    let mut named = types.first().copied().unwrap_or_default();
    if let Some(list) = field(node, "arguments") {
        match registration(node, walk.text) {
            Some((name, value)) => registered(walk, name, list, value),
            None => {
                let first = arguments(walk, list, called, element);
                if let (Value::Unknown, Some(class @ Value::Itself(_))) = (named, first)
                    && is_class_name(walk, list)
                {
                    named = class;
                }
            }
        }
    }
    match (method, object, element) {
        // They keep the elements.
        ("filter", _, Value::Instance(of)) => Value::Collection(of),
        ("find" | "findLast", _, found) if found != Value::Unknown => found,
        _ => walk.inferred(called.called(), named),
    }
}

/// Whether the first of a call's arguments is written as classes are.
fn is_class_name<'t>(walk: &Walk<'t>, list: Node<'t>) -> bool {
    let first = list.named_child(0).filter(|first| first.kind() == "identifier");
    first.is_some_and(|first| walk.text_of(first).starts_with(char::is_uppercase))
}

/// Defines what a call registers under a name in quotes.
fn registered<'t>(walk: &mut Walk<'t>, name: Node<'t>, list: Node<'t>, value: Node<'t>) {
    let value = if value.kind() == "array" { injected(value).unwrap_or(value) } else { value };
    match child(name, "string_fragment") {
        Some(name) => {
            defined(walk, None, name, list, value, None);
        }
        None => {
            walk.visit(value);
        }
    }
}

/// The arguments of a call, of what is `called`; a callback gets `element` first.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, called: Value, element: Value) -> Option<Value> {
    if list.kind() == "template_string" {
        walk.visit(list);
        return None;
    }
    let mut first = None;
    for (at, argument) in named_children(list).filter(|node| node.kind() != "comment").enumerate() {
        walk.callback = element;
        walk.expected = called.parameter(at);
        let value = walk.visit(argument);
        (walk.callback, walk.expected) = (Value::Unknown, Value::Unknown);
        first = first.or(Some(value));
    }
    first
}

pub(super) fn new<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.expected = Value::Unknown;
    let made = walk.field_as(node, "constructor", Role::Call);
    let types = field(node, "type_arguments").map_or(Vec::new(), |list| type_arguments(walk, list));
    walk.children_except(node, &["constructor", "arguments", "type_arguments"]);
    if let Some(list) = field(node, "arguments") {
        arguments(walk, list, made, Value::Unknown);
    }
    match made {
        // No value of the enclosing type that a subtype may take the place of, as `this` is.
        Value::Itself(Source::Definition(of)) if walk.this == Some(of) && walk.is_type(of) => {
            Value::Called(Source::Definition(of))
        }
        _ => {
            let name = field(node, "constructor").map_or("", |name| walk.text_of(name));
            match collection_of(walk, name, &types) {
                Some(collection) => collection,
                None => walk.applied(made.instance(), types),
            }
        }
    }
}

pub(super) fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let (Some(value), Some(of)) = (node.named_child(0), node.named_child(1))
        && value.kind() == "object"
    {
        let of = walk.visit(of).instance();
        walk.expected = of;
        let value = walk.visit(value);
        walk.expected = Value::Unknown;
        return of.or(value);
    }
    let values: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    match values[..] {
        // `as const` leaves what it was.
        [value, of] if node.kind() == "as_expression" => of.instance().or(value),
        [value, ..] => value,
        _ => Value::Unknown,
    }
}

pub(super) fn assertion<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let values: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    values.first().map_or(Value::Unknown, |of| of.instance())
}

pub(super) fn array<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected).element();
    let mut last = Value::Unknown;
    for part in named_children(node) {
        walk.expected = if part.kind() == "spread_element" { Value::Unknown } else { expected };
        last = walk.visit(part);
        walk.expected = Value::Unknown;
    }
    match last {
        Value::Instance(of) | Value::Called(of) => Value::Collection(of),
        _ => Value::Builtin,
    }
}

pub(super) fn augmented<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "left", Role::Write);
    walk.field(node, "right");
    Value::Unknown
}

pub(super) fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "argument", Role::Write);
    Value::Builtin
}

pub(super) fn for_in<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let of = walk.field(node, "right");
        if let Some(left) = field(node, "left") {
            if field(node, "kind").is_some() {
                let element = walk.first_of(of).element();
                match last_of_pair(left) {
                    // `[key, value]` of a map.
                    Some(value) => {
                        for part in named_children(left) {
                            pattern(walk, part, if part == value { element } else { Value::Unknown });
                        }
                    }
                    None => pattern(walk, left, element),
                }
            } else {
                walk.visit_as(left, Role::Write);
            }
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

/// The second of the two names of a pattern: `[key, value]`.
fn last_of_pair(pattern: Node<'_>) -> Option<Node<'_>> {
    let is_pair = pattern.kind() == "array_pattern" && pattern.named_child_count() == 2;
    pattern.named_child(1).filter(|_| is_pair)
}

pub(super) fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        if let Some(parameter) = field(node, "parameter") {
            pattern(walk, parameter, Value::Unknown);
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

pub(super) fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_object = node.named_child(0).is_some_and(|value| bare(value).kind() == "object");
    walk.expected = if is_object { walk.declared } else { Value::Unknown };
    let value = walk.children(node);
    walk.expected = Value::Unknown;
    if value != Value::Builtin {
        walk.returns(value);
    }
    Value::Unknown
}
