//! Types of Java: their values, elements and type arguments.

use tree_sitter::Node;

use super::{at_path, is_package};
use crate::grammar::{child, field, named_children};
use crate::names::rules::itself;
use crate::names::walk::Walk;
use crate::names::{Imported, Role, Value};

pub(super) fn scoped<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let (Some(scope), Some(name)) = (field(node, "scope"), field(node, "name")) else {
        return Value::Unknown;
    };
    if is_package(walk.text_of(scope)) {
        return at_path(walk, scope, name, role);
    }
    let of = walk.visit_as(scope, Role::Type);
    walk.member(name, of, role)
}

/// The role of a type name: that of its context, or a plain type.
pub(super) fn take_type_role(walk: &mut Walk<'_>) -> Role {
    match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    }
}

/// A type: its value is an instance of it.
pub(super) fn type_name<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    if walk.text_of(node) == "var" { Value::Unknown } else { walk.name(node, role).instance() }
}

pub(super) fn array_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let element = walk.field(node, "element");
    walk.several(element).or(Value::Builtin)
}

pub(super) fn annotated_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    let mut value = Value::Unknown;
    for part in named_children(node) {
        value = walk.visit_as(part, role);
    }
    value
}

pub(super) fn scoped_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    let mut scope = None;
    let mut name = None;
    for part in named_children(node) {
        match part.kind() {
            "marker_annotation" | "annotation" => {
                walk.visit(part);
            }
            _ => scope = name.replace(part),
        }
    }
    let (Some(scope), Some(name)) = (scope, name) else { return Value::Unknown };
    if is_package(walk.text_of(scope)) {
        return at_path(walk, scope, name, role).instance();
    }
    let of = itself(walk.visit_as(scope, Role::Type));
    walk.member(name, of, role).instance()
}

pub(crate) const HOLDERS: &[&str] = &[
    "ArrayBlockingQueue",
    "ArrayDeque",
    "ArrayList",
    "AtomicReference",
    "BlockingDeque",
    "BlockingQueue",
    "Collection",
    "CompletableFuture",
    "ConcurrentLinkedDeque",
    "ConcurrentLinkedQueue",
    "ConcurrentSkipListSet",
    "CopyOnWriteArrayList",
    "CopyOnWriteArraySet",
    "Deque",
    "EnumSet",
    "Enumeration",
    "Future",
    "HashSet",
    "Iterable",
    "Iterator",
    "LinkedBlockingQueue",
    "LinkedHashSet",
    "LinkedList",
    "List",
    "ListIterator",
    "NavigableSet",
    "Optional",
    "PriorityQueue",
    "Queue",
    "Set",
    "SoftReference",
    "SortedSet",
    "Stack",
    "Stream",
    "Supplier",
    "ThreadLocal",
    "TreeSet",
    "Vector",
    "WeakReference",
];

pub(crate) const MAPS: &[&str] = &[
    "ConcurrentHashMap",
    "ConcurrentMap",
    "ConcurrentNavigableMap",
    "ConcurrentSkipListMap",
    "EnumMap",
    "HashMap",
    "IdentityHashMap",
    "LinkedHashMap",
    "Map",
    "NavigableMap",
    "SortedMap",
    "TreeMap",
    "WeakHashMap",
];

pub(super) fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    let mut parts = named_children(node);
    let Some(first) = parts.next() else { return Value::Unknown };
    let whole = walk.visit_as(first, role);
    let mut values = Vec::new();
    for part in parts {
        values.extend(named_children(part).map(|argument| walk.visit_as(argument, Role::Type)));
    }
    let name = walk.text_of(first);
    let element = if HOLDERS.contains(&name) {
        values.first()
    } else if MAPS.contains(&name) {
        values.last()
    } else {
        return walk.applied(whole, values);
    };
    match element {
        Some(&element) if is_of_language(walk, first) => walk.several(element),
        _ => walk.applied(whole, values),
    }
}

/// `Shape.class`
pub(super) fn class_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.named = walk.children(node);
    Value::Builtin
}

/// Whether a type is one of Java's own, by the imports.
pub(super) fn is_of_language<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> bool {
    let id = walk.id(walk.text_of(name));
    let is_java = |module| walk.found.text(module).starts_with("java.");
    let imports = &walk.found.imports;
    match imports.iter().find(|import| import.local == Some(id)) {
        Some(import) => is_java(import.module),
        None => {
            walk.found.text(id) == "Iterable"
                || imports.iter().any(|import| import.what == Imported::All && is_java(import.module))
        }
    }
}

pub(super) fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "type_parameters") else { return };
    let parameters: Vec<Node<'t>> = named_children(list).collect();
    let name_of = |parameter| child(parameter, "type_identifier").or_else(|| child(parameter, "identifier"));
    // The bounds may name all of them.
    for name in parameters.iter().filter_map(|&parameter| name_of(parameter)) {
        walk.declare_local(name, Value::Unknown);
    }
    for (at, &parameter) in parameters.iter().enumerate() {
        let value = match child(parameter, "type_bound") {
            Some(bounds) => {
                let values: Vec<Value> = named_children(bounds).map(|bound| walk.visit(bound)).collect();
                values.first().copied().unwrap_or_default()
            }
            None => Value::Unknown,
        };
        if let Some(name) = name_of(parameter) {
            walk.declare_type_parameter(name, at, value);
        }
    }
}
