//! Types of C#: their values, elements and type arguments.

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionKind, Role, Site, Source, Traits, Value};

/// `Name<T>` in an expression or as a type: the thing itself.
pub(super) fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = child(node, "identifier").map_or(Value::Unknown, |name| walk.name(name, role));
    // Type arguments of a method tell nothing.
    if role != Role::Call {
        walk.set_type_arguments(value, n_types(node, "type_argument_list"));
    }
    let held = arguments_of_type(walk, node);
    walk.named = held.first().copied().unwrap_or_default();
    if matches!(role, Role::Inherit | Role::Implement) { walk.applied(value, held) } else { value }
}

/// How many types a generic name or declaration lists: `<T, U>` and `<,>` are two.
pub(super) fn n_types(node: Node<'_>, list: &str) -> u8 {
    let Some(list) = child(node, list) else { return 0 };
    let commas = list.children(&mut list.walk()).filter(|part| part.kind() == ",").count();
    u8::try_from(commas + 1).unwrap_or(u8::MAX)
}

pub(super) fn arguments_of_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Vec<Value> {
    let Some(list) = child(node, "type_argument_list") else { return Vec::new() };
    named_children(list).map(|part| type_value(walk, part, Role::Type)).collect()
}

pub(super) fn qualified<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let scope = field(node, "qualifier");
    let of = scope.map_or(Value::Unknown, |scope| walk.visit_as(scope, Role::Read));
    let text = if name.kind() == "generic_name" { child(name, "identifier") } else { Some(name) };
    let value = match (text, scope) {
        (Some(text), Some(_)) => walk.member(text, of, role),
        // `global::Name`
        (Some(text), None) => walk.at_site(text, role, Site::Bare),
        _ => Value::Unknown,
    };
    walk.set_type_arguments(value, n_types(name, "type_argument_list"));
    arguments_of_type(walk, name);
    value
}

pub(super) fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    type_value(walk, node, role)
}

pub(super) const COLLECTIONS: &[&str] = &[
    "List",
    "IList",
    "IEnumerable",
    "IEnumerator",
    "ICollection",
    "IReadOnlyList",
    "IReadOnlyCollection",
    "HashSet",
    "ISet",
    "SortedSet",
    "Queue",
    "Stack",
    "LinkedList",
    "ConcurrentQueue",
    "ConcurrentStack",
    "ConcurrentBag",
    "Collection",
    "ReadOnlyCollection",
    "ObservableCollection",
    "ImmutableList",
    "ImmutableArray",
    "IAsyncEnumerable",
    "IQueryable",
    "Span",
    "ReadOnlySpan",
    "Memory",
    "ReadOnlyMemory",
];

pub(super) const MAPS: &[&str] = &[
    "Dictionary",
    "IDictionary",
    "IReadOnlyDictionary",
    "ConcurrentDictionary",
    "SortedDictionary",
    "SortedList",
    "ImmutableDictionary",
];

/// Types that stand for what they hold: `await` and `?` take it out.
pub(super) const WRAPPERS: &[&str] = &["Task", "ValueTask", "Nullable"];

/// A type: its value is an instance of it.
pub(super) fn type_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> Value {
    let role = if role == Role::Read { Role::Type } else { role };
    match node.kind() {
        "implicit_type" => Value::Unknown,
        "identifier" if matches!(walk.text_of(node), "var" | "dynamic" | "notnull" | "unmanaged") => {
            Value::Unknown
        }
        "identifier" => walk.name(node, role).instance(),
        "qualified_name" | "alias_qualified_name" => walk.visit_as(node, role).instance(),
        "generic_name" => {
            let Some(name) = child(node, "identifier") else { return Value::Unknown };
            let whole = walk.name(name, role).instance();
            walk.set_type_arguments(whole, n_types(node, "type_argument_list"));
            let held = arguments_of_type(walk, node);
            match walk.text_of(name) {
                text if COLLECTIONS.contains(&text) => {
                    walk.several(held.first().copied().unwrap_or_default())
                }
                text if MAPS.contains(&text) => walk.several(held.last().copied().unwrap_or_default()),
                text if WRAPPERS.contains(&text) => held.first().copied().unwrap_or_default(),
                _ => walk.applied(whole, held),
            }
        }
        "array_type" => {
            let held = field(node, "type").map_or(Value::Unknown, |of| type_value(walk, of, Role::Type));
            walk.field(node, "rank");
            walk.several(held).or(Value::Builtin)
        }
        "nullable_type" | "ref_type" | "scoped_type" | "pointer_type" => {
            field(node, "type").map_or(Value::Unknown, |of| type_value(walk, of, role))
        }
        "predefined_type" => Value::Builtin,
        "tuple_type" => {
            let parts: Vec<Value> = named_children(node).map(|part| type_field(walk, part, "type")).collect();
            let tuple = walk.tuple(node, &parts);
            if let Value::Instance(Source::Definition(of)) = tuple {
                let traits = Traits::LOCAL.and(Traits::EXPORTED);
                for (part, value) in named_children(node).zip(parts) {
                    let Some(name) = field(part, "name") else { continue };
                    if let Some(at) = walk.define_in(Some(of), name, part, DefinitionKind::Field, traits) {
                        walk.set_value(at, value);
                    }
                }
            }
            tuple
        }
        _ => walk.visit(node),
    }
}

pub(super) fn type_field<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &'static str) -> Value {
    field(node, name).map_or(Value::Unknown, |of| type_value(walk, of, Role::Type))
}
