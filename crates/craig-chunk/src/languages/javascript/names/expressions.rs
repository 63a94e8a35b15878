//! Expressions and statements, and their values.

use tree_sitter::Node;

use super::classes::type_arguments;
use super::frameworks::value_of_call;
use super::functions::read_result;
use super::modules::{is_exports, required};
use super::objects::{FUNCTIONS, bare, defined};
use super::prototypes::{mixed, with_prototype};
use super::types::{collection_of, nameless_type};
use super::variables::pattern;
use crate::grammar::{child, field, named_children};
use crate::languages::javascript::{injected, registration};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{Choice, Role, Site, Source, Value};

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
    if role == Role::Call {
        walk.local_call(node);
    }
    let value = walk.name(node, role);
    walk.narrowed(node).unwrap_or(value)
}

pub(super) fn is_name(node: Node<'_>) -> bool {
    let kind = node.kind();
    matches!(kind, "property_identifier" | "private_property_identifier" | "identifier" | "string_fragment")
}

/// What a member is of: of `Shape.prototype` an instance.
fn receiver<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(object) = field(node, "object") else { return Value::Unknown };
    if object.kind() == "super" {
        return walk.this.map_or(Value::Unknown, Value::Super);
    }
    match (with_prototype(walk, object), field(object, "property")) {
        (Some(of), Some(property)) => {
            let of = walk.visit(of);
            walk.member(property, of, Role::Read);
            of.instance()
        }
        _ => walk.visit(object),
    }
}

pub(super) fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    walk.expected = Value::Unknown;
    if let Some(property) = field(node, "property").filter(|_| is_exports(walk, node)) {
        return walk.at_site(property, role, Site::Bare);
    }
    let value = receiver(walk, node);
    match field(node, "property").filter(|name| is_name(*name)) {
        Some(name) => {
            let value = walk.member(name, value, role);
            walk.narrowed(node).unwrap_or(value)
        }
        None => Value::Unknown,
    }
}

/// `list[0]`, and `this['name']`, a member.
pub(super) fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = receiver(walk, node);
    let element = walk.element(value);
    let Some(name) = field(node, "index").and_then(|index| quoted_name(walk, index)) else {
        walk.field(node, "index");
        return element;
    };
    let named = walk.member(name, value, role);
    if role == Role::Call || !element.is_typed() {
        return named;
    }
    // Of a record it is an element.
    walk.choice(Choice::Guarded(named, element))
}

/// The name in a string that could stand without quotes.
pub(super) fn quoted_name<'t>(walk: &Walk<'t>, string: Node<'t>) -> Option<Node<'t>> {
    let name = child(string, "string_fragment").filter(|_| string.kind() == "string")?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let text = walk.text_of(name);
    (text.chars().all(is_part) && !text.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
}

/// Methods of collections whose callback gets an element first.
const CALLBACKS: &[&str] = &[
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "flatMap",
    "forEach",
    "map",
    "some",
    "sort",
    "toSorted",
];

/// Those whose callback gets one as its second argument.
const SECOND: &[&str] = &["reduce", "reduceRight", "sort", "toSorted"];

/// Methods of promises; the callback of `then` gets what is promised. Promises are not told from that.
const OF_PROMISES: &[&str] = &["then", "catch", "finally"];

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(loaded) = required(walk, node) {
        return loaded;
    }
    walk.expected = Value::Unknown;
    let Some(function) = field(node, "function") else { return Value::Unknown };
    if function.kind() == "super" {
        if let (Some(this), Some(list)) = (walk.this, field(node, "arguments")) {
            let called = walk.name_as("constructor", function, Role::Call, Site::Member(Value::Super(this)));
            arguments(walk, list, called, Default::default());
            return Value::Instance(Source::Definition(this));
        }
        walk.children_except(node, &["function"]);
        return Value::Unknown;
    }
    if let Some(value) = mixed(walk, function, node).or_else(|| awaited(walk, function, node)) {
        return value;
    }
    let object = match function.kind() {
        "member_expression" => field(function, "object").filter(|object| object.kind() != "super"),
        _ => None,
    };
    let method = field(function, "property").map_or("", |name| walk.text_of(name));
    let is_of_promise = object.is_some() && OF_PROMISES.contains(&method);
    let takes = |methods: &[&str]| methods.contains(&method);
    let (called, element) = match object {
        Some(object) if is_of_promise || takes(CALLBACKS) || takes(SECOND) => {
            let value = walk.visit(object);
            let called = field(function, "property")
                .map_or(Value::Unknown, |name| walk.member(name, value, Role::Call));
            (called, if is_of_promise { value } else { walk.element(value) })
        }
        _ => (walk.visit_as(function, Role::Call), Value::Unknown),
    };
    // `(function () { return {…} })()`
    let made = if FUNCTIONS.contains(&bare(function).kind()) { walk.result } else { Value::Unknown };
    let mut type_argument = Value::Unknown;
    for (at, argument) in field(node, "type_arguments").into_iter().flat_map(named_children).enumerate() {
        let value = match argument.kind() {
            "object_type" => nameless_type(walk, argument),
            _ => walk.visit(argument),
        };
        type_argument = if at == 0 { value } else { type_argument };
    }
    let mut given = Given::default();
    if let Some(list) = field(node, "arguments") {
        match registration(node, walk.text) {
            Some((name, value)) => registered(walk, name, list, value),
            None => {
                let first = if is_of_promise && method != "then" || method.starts_with("reduce") {
                    Value::Unknown
                } else {
                    element
                };
                let second = if takes(SECOND) { element } else { Value::Unknown };
                given = arguments(walk, list, called, [first, second]);
            }
        }
    }
    match (method, element) {
        // They keep the elements.
        ("filter", Value::Instance(of)) => Value::Collection(of),
        ("find" | "findLast", found) if found != Value::Unknown => found,
        ("map", _) if given.returned.is_typed() && object.is_some() => {
            walk.choice(Choice::Guarded(called.called(), given.returned.collection()))
        }
        ("flatMap", _) if given.returned.is_typed() => {
            walk.choice(Choice::Guarded(called.called(), given.returned))
        }
        ("then", _) if is_of_promise && given.returned.is_typed() => given.returned,
        ("catch" | "finally", promised) if is_of_promise && promised.is_typed() => {
            walk.choice(Choice::Guarded(called.called(), promised))
        }
        _ if made.is_typed() => made,
        _ => value_of_call(walk, function, called, type_argument, given),
    }
}

/// `Promise.all([a(), b()])`: each of its results.
fn awaited<'t>(walk: &mut Walk<'t>, function: Node<'t>, node: Node<'t>) -> Option<Value> {
    let array = field(node, "arguments")?.named_child(0)?;
    if array.kind() != "array" || walk.text_of(function) != "Promise.all" {
        return None;
    }
    walk.visit(function);
    let parts: Vec<Value> = named_children(array).map(|part| walk.visit(part)).collect();
    Some(walk.tuple(array, &parts))
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

/// What a call is given.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'t> {
    /// Its first argument, and what that is.
    pub(super) first: Option<(Node<'t>, Value)>,
    /// What the first function among its arguments returns.
    pub(super) returned: Value,
}

/// The arguments of a call, of what is `called`; a callback gets these first.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, called: Value, callback: [Value; 2]) -> Given<'t> {
    let mut given = Given::default();
    if list.kind() == "template_string" {
        walk.visit(list);
        return given;
    }
    for (at, argument) in named_children(list).filter(|node| node.kind() != "comment").enumerate() {
        walk.callback = callback;
        walk.expected = called.parameter(at);
        let value = walk.visit(argument);
        (walk.callback, walk.expected) = Default::default();
        given.first = given.first.or(Some((argument, value)));
        if FUNCTIONS.contains(&argument.kind()) {
            given.returned = given.returned.or(walk.result);
        }
    }
    given
}

pub(super) fn new<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.expected = Value::Unknown;
    let made = walk.field_as(node, "constructor", Role::Call);
    let types = field(node, "type_arguments").map_or(Vec::new(), |list| type_arguments(walk, list));
    walk.children_except(node, &["constructor", "arguments", "type_arguments"]);
    if let Some(list) = field(node, "arguments") {
        arguments(walk, list, made, Default::default());
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
                let element = walk.element(of);
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
    let Some(value) = named_children(node).find(|part| part.kind() != "comment") else {
        return Value::Unknown;
    };
    walk.expected = if bare(value).kind() == "object" { walk.declared } else { Value::Unknown };
    read_result(walk, value);
    Value::Unknown
}
