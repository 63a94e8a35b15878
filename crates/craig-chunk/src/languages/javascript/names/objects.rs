//! Objects written out, and what variables are defined as.

use tree_sitter::Node;

use super::classes::{class_named, has_word, method};
use super::expressions::quoted_name;
use super::frameworks::{wrapped, wrappers};
use super::functions::{function_body, signature};
use super::types::MAX_PARTS;
use crate::grammar::{child, field, named_children};
use crate::names::walk::Walk;
use crate::names::{Choice, DefinitionIx, DefinitionKind, Role, Site, Source, Traits, Value};

/// A value that is returned: an object written out is of a type of its own that has no name.
pub(super) fn value_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if bare(node).kind() == "array" {
        return tuple_of(walk, node);
    }
    let is_new = |object: &Node<'t>| has_names(*object) && cast_type(node).is_none();
    let Some(object) = object_in(walk, node).filter(is_new).filter(|_| !walk.expected.is_typed()) else {
        return walk.visit(node);
    };
    wrappers(walk, bare(node));
    match walk.define_as("object", object, object, DefinitionKind::Type, Traits::LOCAL) {
        Some(at) => {
            object_of(walk, object, at);
            Value::Instance(Source::Definition(at))
        }
        None => Value::Unknown,
    }
}

/// An array written out whose elements differ is a tuple.
fn tuple_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let array = bare(node);
    let is_call = |part: Node<'_>| matches!(part.kind(), "new_expression" | "call_expression" | "identifier");
    let mut texts: Vec<&str> = named_children(array).map(|part| walk.text_of(part)).collect();
    let n_elements = texts.len();
    texts.sort_unstable();
    texts.dedup();
    if n_elements < 2 || texts.len() < n_elements || !named_children(array).all(is_call) {
        return walk.visit(node);
    }
    let parts: Vec<Value> = named_children(array).map(|part| walk.visit(part)).collect();
    walk.tuple(array, &parts)
}

/// The object that a value is, or that it wraps.
pub(super) fn object_in<'t>(walk: &Walk<'t>, value: Node<'t>) -> Option<Node<'t>> {
    let inner = bare(value);
    let object = if inner.kind() == "object" { Some(inner) } else { wrapped(walk, inner) };
    object.filter(|object| object.kind() == "object")
}

/// Whether an object has members with names.
fn has_names(object: Node<'_>) -> bool {
    let is_named = |part: Node<'_>| match part.kind() {
        "pair" => field(part, "key").is_some_and(|key| key.kind() == "property_identifier"),
        kind => matches!(kind, "method_definition" | "shorthand_property_identifier"),
    };
    named_children(object).any(is_named)
}

/// Whether a value is an object that has members with names.
pub(super) fn has_members(walk: &Walk<'_>, value: Node<'_>) -> bool {
    object_in(walk, value).is_some_and(has_names)
}

/// Whether a value is an object that has functions, or what may be some, under names.
pub(super) fn has_functions(walk: &Walk<'_>, value: Node<'_>) -> bool {
    let is_function = |part: Node<'_>| match part.kind() {
        "pair" => field(part, "value").is_some_and(|value| FUNCTIONS.contains(&value.kind())),
        kind => matches!(kind, "method_definition" | "shorthand_property_identifier"),
    };
    object_in(walk, value).is_some_and(|object| named_children(object).any(is_function))
}

/// The members of an object that is what `owner` stands for.
pub(super) fn object_of<'t>(walk: &mut Walk<'t>, object: Node<'t>, owner: DefinitionIx) {
    walk.inside(Some(owner), |walk| members(walk, object, owner));
}

/// An object that no variable holds: its functions are no definitions that others could name.
pub(super) fn object<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut expected = std::mem::take(&mut walk.expected);
    let mut taken = Vec::new();
    for part in named_children(node) {
        match part.kind() {
            "pair" => {
                let held = key(walk, part, expected);
                if let Some(value) = field(part, "value") {
                    walk.expected = held;
                    match field(part, "key").filter(|_| function_of(walk, value).is_some()) {
                        Some(name) => {
                            local_function(walk, name, part, value);
                        }
                        None => {
                            walk.visit(value);
                        }
                    }
                    walk.expected = Value::Unknown;
                }
            }
            "method_definition" => {
                let held = key(walk, part, expected);
                let Some(name) = field(part, "name") else { continue };
                let at = local_method(walk, name, part);
                if has_word(part, "get")
                    && let Some(known) = at.and_then(|at| walk.definition(at))
                {
                    known.traits = known.traits.and(Traits::PROPERTY);
                }
                walk.function(at, |walk| {
                    if expected.is_typed() {
                        walk.declare_local_named("this", expected);
                    }
                    walk.expected = held;
                    signature(walk, part)
                });
                if let Some(at) = at {
                    walk.set_parameters(at);
                }
            }
            "shorthand_property_identifier" => {
                if expected.is_typed() {
                    walk.at_site(part, Role::Write, Site::Key(expected));
                }
                walk.visit(part);
            }
            "spread_element" => {
                let value = walk.children(part);
                if expected.is_typed() && value.is_typed() {
                    expected = walk.choice(Choice::Guarded(expected, value));
                }
                taken.push(value);
            }
            _ => {
                walk.visit(part);
            }
        }
    }
    spread(walk, taken)
}

/// What an object takes its members from: `{ ...one, ...other }`.
pub(super) fn spread<'t>(walk: &mut Walk<'t>, parts: Vec<Value>) -> Value {
    let mut known: Vec<Value> = parts.into_iter().filter(|part| part.is_typed()).collect();
    known.truncate(MAX_PARTS);
    let Some(last) = known.pop() else { return Value::Builtin };
    known.into_iter().rfold(last, |other, part| walk.choice(Choice::Union(part, other)))
}

/// The key of a property of an object whose type is known; what it holds.
fn key<'t>(walk: &mut Walk<'t>, part: Node<'t>, of: Value) -> Value {
    let Some(name) = field(part, "key").or_else(|| field(part, "name")) else { return Value::Unknown };
    match name.kind() {
        "computed_property_name" => {
            walk.visit(name);
            Value::Unknown
        }
        "property_identifier" if of.is_typed() => walk.at_site(name, Role::Write, Site::Key(of)),
        "string" if of.is_typed() => match child(name, "string_fragment") {
            Some(name) => walk.at_site(name, Role::Write, Site::Key(of)),
            None => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

/// The name of a key that is not computed.
pub(super) fn plain_name<'t>(walk: &Walk<'t>, key: Node<'t>) -> Option<Node<'t>> {
    match key.kind() {
        "property_identifier" => Some(key),
        _ => quoted_name(walk, key),
    }
}

/// Defines a function that is given a name which nothing else can refer to.
pub(super) fn local_function<'t>(
    walk: &mut Walk<'t>,
    name: Node<'t>,
    whole: Node<'t>,
    value: Node<'t>,
) -> Option<DefinitionIx> {
    let at = local_method(walk, name, whole);
    cast_types(walk, value);
    wrappers(walk, bare(value));
    match function_of(walk, value) {
        Some(function) => function_body(walk, at, function),
        None => {
            walk.visit(value);
        }
    }
    at
}

fn local_method<'t>(walk: &mut Walk<'t>, name: Node<'t>, whole: Node<'t>) -> Option<DefinitionIx> {
    let name = match name.kind() {
        "identifier" | "private_property_identifier" => Some(name),
        _ => plain_name(walk, name),
    };
    walk.define(name?, whole, DefinitionKind::Method, Traits::LOCAL)
}

/// The members of an object that a definition holds.
fn members<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    // They are those of the object's declared type, too.
    let expected = std::mem::take(&mut walk.expected);
    for part in named_children(node) {
        let held = match part.kind() {
            "pair" | "method_definition" if expected.is_typed() => key(walk, part, expected),
            _ => Value::Unknown,
        };
        match part.kind() {
            "pair" => {
                match (field(part, "key").and_then(|key| plain_name(walk, key)), field(part, "value")) {
                    (Some(name), Some(value)) => {
                        walk.expected = held;
                        defined(walk, Some(owner), name, part, value, Some(owner));
                        walk.expected = Value::Unknown;
                    }
                    (None, Some(value)) => {
                        if !expected.is_typed() {
                            walk.field(part, "key");
                        }
                        walk.expected = held;
                        walk.visit(value);
                        walk.expected = Value::Unknown;
                    }
                    _ => {
                        walk.children(part);
                    }
                }
            }
            "method_definition" => method(walk, part, owner),
            "shorthand_property_identifier" => {
                if expected.is_typed() {
                    walk.at_site(part, Role::Write, Site::Key(expected));
                }
                let value = walk.visit(part);
                let kind = DefinitionKind::Field;
                if let Some(at) = walk.define_in(Some(owner), part, part, kind, Traits::default()) {
                    walk.set_value(at, value);
                }
            }
            // It has the members of what it takes them from.
            "spread_element" => {
                let taken = walk.children(part);
                if let Some(known) = walk.definition(owner).filter(|_| taken.is_typed()) {
                    known.supers.push(taken);
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

pub(super) const FUNCTIONS: &[&str] = &["arrow_function", "function_expression", "generator_function"];

/// Defines `name` as `value`: a function, a class, an object with members, or a plain variable. Gives the definition.
pub(super) fn defined<'t>(
    walk: &mut Walk<'t>,
    owner: Option<DefinitionIx>,
    name: Node<'t>,
    whole: Node<'t>,
    value: Node<'t>,
    this: Option<DefinitionIx>,
) -> Option<DefinitionIx> {
    let is_member = owner.is_some();
    let inner = bare(value);
    let function = function_of(walk, value);
    if function.is_some() || inner.kind() == "class" {
        cast_types(walk, value);
    }
    if let Some(function) = function {
        let kind = if is_member { DefinitionKind::Method } else { DefinitionKind::Function };
        let at = walk.define_in(owner.or(walk.within), name, whole, kind, Traits::default());
        if let Some(at) = at
            && !is_member
        {
            walk.bind(at);
        }
        let this = match function.kind() {
            "arrow_function" => walk.this,
            _ => this.or(at.filter(|_| is_constructor_name(walk.text_of(name)))).or(walk.this),
        };
        let before = std::mem::replace(&mut walk.this, this);
        wrappers(walk, inner);
        function_body(walk, at, function);
        walk.this = before;
        return at;
    }
    if inner.kind() == "class" {
        return class_named(walk, inner, name, owner);
    }
    let is_constant = walk.text_of(name).chars().all(|c| !c.is_lowercase());
    let kind = match is_member {
        true => DefinitionKind::Field,
        false if is_constant => DefinitionKind::Constant,
        false => DefinitionKind::Variable,
    };
    let at = walk.define_in(owner.or(walk.within), name, whole, kind, Traits::default())?;
    if !is_member {
        walk.bind(at);
    }
    if let Some(object) = object_in(walk, value) {
        wrappers(walk, inner);
        let of = cast_type(value).map_or(Value::Unknown, |of| walk.visit(of).instance());
        walk.expected = walk.expected.or(of);
        object_of(walk, object, at);
    } else {
        let value = walk.inside(Some(at), |walk| walk.visit(value));
        walk.set_value(at, value);
    }
    Some(at)
}

/// The function that a value is, or that it wraps.
pub(super) fn function_of<'t>(walk: &Walk<'t>, value: Node<'t>) -> Option<Node<'t>> {
    let inner = bare(value);
    let function = if FUNCTIONS.contains(&inner.kind()) { Some(inner) } else { wrapped(walk, inner) };
    function.filter(|function| FUNCTIONS.contains(&function.kind()))
}

/// A function with a capital is a constructor: what it sets on `this` are fields.
pub(super) fn is_constructor_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// The type that a value is cast to.
fn cast_type(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "parenthesized_expression" => node.named_child(0).and_then(cast_type),
        "as_expression" | "satisfies_expression" => node.named_child(1),
        _ => None,
    }
}

/// Reads the types that a value is cast to.
fn cast_types<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match node.kind() {
        "parenthesized_expression" => {
            if let Some(inner) = node.named_child(0) {
                cast_types(walk, inner);
            }
        }
        "as_expression" | "satisfies_expression" => {
            for of in named_children(node).skip(1) {
                walk.visit(of);
            }
            if let Some(inner) = node.named_child(0) {
                cast_types(walk, inner);
            }
        }
        _ => {}
    }
}

/// A value without parentheses, casts, and calls that only freeze it.
pub(super) fn bare(node: Node<'_>) -> Node<'_> {
    let inner = match node.kind() {
        "parenthesized_expression" | "as_expression" | "satisfies_expression" => node.named_child(0),
        _ => None,
    };
    inner.map_or(node, bare)
}
