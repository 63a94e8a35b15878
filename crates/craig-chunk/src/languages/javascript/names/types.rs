//! Types as they are written: composite types, generics, aliases.

use tree_sitter::Node;

use super::classes::class_body;
use super::functions::{is_function_type, signature, type_parameters};
use crate::grammar::{child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{Choice, DefinitionIx, DefinitionKind, Role, Source, Traits, Value};

/// `module.Type`.
pub(super) fn nested_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = type_role(walk);
    let module = walk.field(node, "module");
    field(node, "name").map_or(Value::Unknown, |name| walk.member(name, module, role))
}

fn type_role(walk: &mut Walk<'_>) -> Role {
    match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    }
}

pub(super) fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(at) = walk.define(name, node, DefinitionKind::Type, Traits::default()) else {
        return Value::Unknown;
    };
    walk.bind(at);
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside(Some(at), |walk| type_parameters(walk, node));
        let Some(value) = field(node, "value") else { return };
        if value.kind() == "object_type" {
            walk.inside_type(at, |walk| class_body(walk, value, at));
            return;
        }
        walk.inside(Some(at), |walk| {
            walk.alias = Some(at);
            let mut parts = Vec::new();
            let of = alias_parts(walk, value, &mut parts);
            walk.alias = None;
            walk.set_value(at, of);
            set_alias_parts(walk, at, parts, value.kind() == "union_type");
        });
        if is_function_type(value) {
            walk.set_parameters(at);
        }
    });
    Value::Unknown
}

/// Of how many types one is a union or an intersection, as far as they are followed.
pub(super) const MAX_ALIAS_PARTS: usize = 64;

/// Makes the parts of a union or an intersection the supertypes of its alias.
pub(super) fn set_alias_parts(walk: &mut Walk<'_>, at: DefinitionIx, parts: Vec<Value>, is_union: bool) {
    if let Some(known) = walk.definition(at)
        && parts.len() > 1
    {
        known.supers = parts;
        if is_union {
            known.traits = known.traits.and(Traits::UNION);
        }
    }
}

/// The types that an alias is a union or an intersection of; the first that is known.
fn alias_parts<'t>(walk: &mut Walk<'t>, node: Node<'t>, parts: &mut Vec<Value>) -> Value {
    match node.kind() {
        "union_type" | "intersection_type" => {
            let mut first = Value::Unknown;
            for part in named_children(node) {
                let of = alias_parts(walk, part, parts);
                first = if first.is_typed() { first } else { of };
            }
            first
        }
        "parenthesized_type" => node.named_child(0).map_or(Value::Unknown, |of| alias_parts(walk, of, parts)),
        _ => {
            let of = walk.visit(node);
            if of.is_typed() && parts.len() < MAX_ALIAS_PARTS {
                parts.push(of.instance());
            }
            of
        }
    }
}

/// The members of an object type in an alias are its own: `type A = B & { x: string }`. In a function, it is a type without a
/// name: `function f(options: { x: string })`.
pub(super) fn object_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match walk.alias.take() {
        Some(owner) => {
            walk.inside_type(owner, |walk| class_body(walk, node, owner));
            walk.alias = Some(owner);
        }
        None if walk.within.is_some() && walk.is_in_function() => return nameless_type(walk, node),
        None => {
            for part in named_children(node) {
                match part.kind() {
                    "method_signature" => walk.function(None, |walk| signature(walk, part)),
                    _ => {
                        walk.children_except(part, &["name"]);
                    }
                }
            }
        }
    }
    Value::Unknown
}

/// An object type that has no name. No others can name its members.
pub(super) fn nameless_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(at) = walk.define_as("object", node, node, DefinitionKind::Type, Traits::LOCAL) else {
        return Value::Unknown;
    };
    walk.scope(ScopeKind::Function, |walk| walk.inside_type(at, |walk| class_body(walk, node, at)));
    Value::Itself(Source::Definition(at))
}

pub(super) const WRAPPERS: &[&str] = &[
    "Exclude",
    "Extract",
    "InstanceType",
    "Promise",
    "Readonly",
    "Partial",
    "Required",
    "NonNullable",
    "Awaited",
    "PromiseLike",
    "DeepReadonly",
    "Pick",
    "Omit",
];

const COLLECTIONS: &[&str] = &[
    "Array",
    "ReadonlyArray",
    "Set",
    "ReadonlySet",
    "Iterable",
    "Iterator",
    "AsyncIterable",
    "AsyncIterator",
    "IterableIterator",
    "Generator",
    "AsyncGenerator",
];

/// A composite type: an array, a generic with its arguments, a union, an intersection. Its value is the type itself.
pub(super) fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "array_type" => {
            let of = walk.children(node);
            walk.first_of(of).collection().or(Value::Builtin)
        }
        "generic_type" => {
            let role = walk.take_role();
            let whole = walk.field_as(node, "name", role);
            let name = field(node, "name").map_or("", |name| walk.text_of(name));
            let mut arguments = Vec::new();
            if let Some(list) = field(node, "type_arguments") {
                arguments.extend(named_children(list).map(|argument| walk.visit(argument)));
            }
            let first = arguments.first().copied().unwrap_or_default();
            match name {
                _ if WRAPPERS.contains(&name) => first,
                "ReturnType" => first.called(),
                _ => match collection_of(walk, name, &arguments) {
                    Some(collection) => collection,
                    None => walk.applied(whole, arguments),
                },
            }
        }
        _ => {
            let parts: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
            let mut known: Vec<Value> = parts.into_iter().filter(|part| part.is_typed()).collect();
            known.truncate(MAX_PARTS);
            let last = known.pop().unwrap_or_default();
            known
                .into_iter()
                .rfold(last, |other, part| walk.choice(Choice::Union(part.instance(), other.instance())))
        }
    }
}

/// What a collection of JavaScript holds that is applied to these types.
pub(super) fn collection_of(walk: &Walk<'_>, name: &str, arguments: &[Value]) -> Option<Value> {
    let held = match name {
        _ if COLLECTIONS.contains(&name) => arguments.first()?,
        "Map" | "Record" | "ReadonlyMap" | "WeakMap" => arguments.last()?,
        _ => return None,
    };
    Some(walk.first_of(*held).collection().or(Value::Builtin))
}

/// Of a union that has no name, so many types are followed.
pub(super) const MAX_PARTS: usize = 8;

pub(super) fn conditional_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        walk.children_except(node, &["consequence", "alternative"]);
        let first = walk.field(node, "consequence");
        let other = walk.field(node, "alternative");
        walk.either(first, other)
    })
}

/// `[Order, Invoice]`
pub(super) fn tuple_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let parts: Vec<Value> = named_children(node).map(|part| part_type(walk, part)).collect();
    walk.tuple(node, &parts)
}

/// A part of a tuple's type, which may have a name.
fn part_type<'t>(walk: &mut Walk<'t>, part: Node<'t>) -> Value {
    match part.kind() {
        "required_parameter" | "optional_parameter" => walk.field(part, "type").instance(),
        "rest_type" => {
            walk.children(part);
            Value::Unknown
        }
        _ => walk.visit(part).instance(),
    }
}

/// `Type['name']`: what the member holds.
pub(super) fn indexed_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = node.named_child(0) else { return Value::Unknown };
    let of = walk.visit(of).instance();
    let Some(index) = node.named_child(1) else { return of };
    let name = index.named_child(0).filter(|name| name.kind() == "string");
    match name.and_then(|name| child(name, "string_fragment")) {
        Some(name) => walk.member(name, of, Role::Read),
        None => {
            walk.visit(index);
            walk.element(of)
        }
    }
}

/// `typeof x`: what `x` is.
pub(super) fn type_query<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children(node)
}

/// The type that a definition is annotated with.
pub(super) fn annotation(node: Node<'_>) -> Option<Node<'_>> {
    field(node, "type").and_then(|of| of.named_child(0))
}

/// What a definition with a type annotation holds: an instance of the type, or after `typeof`, the named thing itself.
pub(super) fn annotated<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let named = walk.field(node, "type");
    if annotation(node).is_some_and(|of| of.kind() == "type_query") { named } else { named.instance() }
}

/// `x is Type`: `x` is a parameter. What a guard says of its argument stands for what it returns.
pub(super) fn type_predicate<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "type")
}

pub(super) fn mapped<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        walk.declare_local(name, Value::Unknown);
    }
    walk.children_except(node, &["name"]);
    Value::Unknown
}

pub(super) fn infer<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = node.named_child(0) {
        walk.declare_local(name, Value::Unknown);
    }
    Value::Unknown
}

pub(super) fn index_signature<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| walk.children_except(node, &["name"]));
    Value::Unknown
}
