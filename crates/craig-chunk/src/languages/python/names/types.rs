//! Annotations of Python.

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionKind, Role, Site, Traits, Value};

/// The node of an annotation.
pub(super) fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    node.named_child(0).map_or(Value::Unknown, |inner| type_value(walk, inner))
}

/// A type as an expression: its value is an instance of it.
pub(super) fn type_value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "type" => annotation(walk, node),
        "identifier" | "attribute" => walk.visit_as(node, Role::Type).instance(),
        "none" => Value::Builtin,
        // A forward reference.
        "string" => child(node, "string_content").map_or(Value::Unknown, |text| quoted_type(walk, text)),
        "binary_operator" | "union_type" => {
            let parts: Vec<Value> = named_children(node).map(|part| type_value(walk, part)).collect();
            parts.into_iter().find(|part| part.is_typed()).unwrap_or_default()
        }
        "subscript" | "generic_type" => generic(walk, node),
        _ => {
            walk.visit_as(node, Role::Type);
            Value::Unknown
        }
    }
}

/// A type in quotes: `'Store'`, `'shop.Store | None'`, `'list[Store]'`.
pub(super) fn quoted_type<'t>(walk: &mut Walk<'t>, content: Node<'t>) -> Value {
    let text = walk.text_of(content);
    let mut found = Value::Unknown;
    let mut is_several = false;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut at = 0;
    while let Some(start) = text[at..].find(is_part).map(|start| at + start) {
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |end| start + end);
        at = end;
        let last = text[start..end].rsplit('.').next().unwrap_or_default();
        let value = match last {
            "None" => continue,
            _ if WRAPPERS.contains(&last) => continue,
            _ if COLLECTIONS.contains(&last) => {
                is_several |= found == Value::Unknown;
                continue;
            }
            _ => quoted_name(walk, content, start, end).instance(),
        };
        found = found.or(value);
    }
    if is_several { found.collection() } else { found }
}

/// A dotted name in quotes, at these bytes of the string.
pub(super) fn quoted_name<'t>(walk: &mut Walk<'t>, content: Node<'t>, start: usize, end: usize) -> Value {
    let text = &walk.text_of(content)[start..end];
    let mut value = Value::Unknown;
    let mut at = 0;
    for part in text.split('.') {
        let range = start + at..start + at + part.len();
        let path = &text[..at + part.len()];
        let site = match (at, walk.dotted_import(path)) {
            (0, _) => None,
            (_, Some(module)) => Some(Site::Import(module)),
            (_, None) => Some(Site::Member(value)),
        };
        value = walk.name_in(content, range, Role::Type, site);
        at += part.len() + 1;
    }
    value
}

pub(super) const WRAPPERS: &[&str] = &[
    "Optional",
    "Union",
    "Annotated",
    "Final",
    "ClassVar",
    "Awaitable",
    "Type",
    "type",
    "Required",
    "NotRequired",
    "ReadOnly",
    "Coroutine",
];

pub(super) const COLLECTIONS: &[&str] = &[
    "List",
    "list",
    "Set",
    "set",
    "FrozenSet",
    "frozenset",
    "Sequence",
    "MutableSequence",
    "Iterable",
    "Iterator",
    "Tuple",
    "tuple",
    "AsyncIterator",
    "AsyncIterable",
    "Generator",
    "AsyncGenerator",
    "Collection",
    "Deque",
    "deque",
    "Dict",
    "dict",
    "Mapping",
    "MutableMapping",
    "defaultdict",
    "OrderedDict",
];

/// `Optional[Shape]`, `list[Shape]`, `Box[Shape]`.
pub(super) fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut parts = named_children(node);
    let Some(first) = parts.next() else { return Value::Unknown };
    let whole = walk.visit_as(first, Role::Type);
    let name = walk.text_of(first).rsplit('.').next().unwrap_or_default();
    let mut values = Vec::new();
    for part in parts {
        match part.kind() {
            "type_parameter" => {
                values.extend(named_children(part).map(|part| type_value(walk, part)));
            }
            _ => values.push(type_value(walk, part)),
        }
    }
    let is_known = |value: &Value| value.is_typed();
    if WRAPPERS.contains(&name) {
        let value = values.into_iter().find(is_known).unwrap_or_default();
        return match (name, value) {
            ("Type" | "type", Value::Instance(of)) => Value::Itself(of),
            (_, value) => value,
        };
    }
    if matches!(name, "Tuple" | "tuple") && !walk.text_of(node).contains("...") {
        return walk.tuple(node, &values);
    }
    if COLLECTIONS.contains(&name) {
        let value = if name.to_lowercase().contains("dict") || name.contains("Mapping") {
            values.pop().unwrap_or_default()
        } else {
            values.into_iter().find(is_known).unwrap_or_default()
        };
        return value.collection().or(Value::Builtin);
    }
    walk.applied(whole, values)
}

/// Whether a name is written as type variables are: `T`, `KeyT`, `T_co`.
pub(super) fn is_type_variable(name: &str) -> bool {
    let name = name.trim_end_matches("_co").trim_end_matches("_contra").trim_start_matches('_');
    let is_suffix = |before: char| before.is_lowercase() || before == '_';
    name.len() == 1 && name.starts_with(char::is_uppercase)
        || name.strip_suffix('T').is_some_and(|name| name.ends_with(is_suffix))
}

/// What the type variables of a class stand for in it.
pub(super) fn type_variables<'t>(
    definition: crate::names::DefinitionIx,
    names: &[Node<'t>],
) -> Vec<(Node<'t>, Value)> {
    let argument =
        |(at, &name): (usize, &Node<'t>)| Some((name, Value::Argument(definition, u8::try_from(at).ok()?)));
    names.iter().enumerate().filter_map(argument).collect()
}

pub(super) fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "right");
    let mut name = field(node, "left").and_then(|left| left.named_child(0));
    if let Some(generic) = name.filter(|name| name.kind() == "generic_type") {
        name = generic.named_child(0);
    }
    if let Some(name) = name.filter(|name| name.kind() == "identifier")
        && let Some(definition) = walk.define(name, node, DefinitionKind::Type, Traits::default())
    {
        walk.set_value(definition, value);
    }
    Value::Unknown
}
