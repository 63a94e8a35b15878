//! Calls of PHP: functions, methods, static members, and the doubles that tests make.

use super::declarations::{bare_name, body_of_type, class_name};
use tree_sitter::Node;

use super::is_word;
use crate::grammar::{child, field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionKind, Imported, Role, Site, Source, Traits, Value};

/// The name of a member, unless it is computed.
pub(super) fn member_name<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let name = field(node, "name")?;
    if name.kind() == "name" {
        return Some(name);
    }
    walk.visit(name);
    None
}

pub(super) fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "object");
    let found = member_name(walk, node).map_or(Value::Unknown, |name| walk.member(name, of, role));
    walk.narrowed(node).unwrap_or(found)
}

pub(super) fn scope_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "relative_scope" => class_name(walk, node),
        _ => walk.visit_as(node, Role::Type),
    }
}

pub(super) fn static_property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = field(node, "scope").map_or(Value::Unknown, |scope| scope_of(walk, scope));
    match field(node, "name").and_then(bare_name) {
        Some(name) => walk.member(name, of, role),
        None => walk.field(node, "name"),
    }
}

pub(super) fn class_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut parts = named_children(node);
    let of = parts.next().map_or(Value::Unknown, |scope| scope_of(walk, scope));
    match parts.next() {
        Some(name) if walk.text_of(name) == "class" => Value::Builtin,
        Some(name) if name.kind() == "name" => walk.member(name, of, Role::Read),
        _ => Value::Unknown,
    }
}

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let function = field(node, "function");
    let called = walk.field_as(node, "function", Role::Call);
    let is_define = function.is_some_and(|function| walk.text_of(function) == "define");
    if let Some(arguments) = field(node, "arguments") {
        let name = arguments.named_child(0).and_then(|first| first.named_child(0));
        let name = name.filter(|name| is_define && name.kind() == "string");
        if let Some(name) = name.and_then(|name| child(name, "string_content")) {
            walk.define_in(None, name, node, DefinitionKind::Constant, Traits::default());
        }
        if function.is_some_and(|function| CALLING.contains(&walk.text_of(function).trim_start_matches('\\')))
        {
            named_children(arguments).for_each(|argument| function_in_text(walk, argument));
        }
        let name = function.map_or("", |function| walk.text_of(function).trim_start_matches('\\'));
        let (class, first) = match CALLING.contains(&name) {
            true => (Value::Unknown, given_elements(walk, name, arguments)),
            false => self::arguments(walk, arguments),
        };
        return match name {
            "array_map" => walk.result.collection(),
            name if SAME.contains(&name) => first,
            name if ELEMENTS.contains(&name) => walk.element(first),
            name => made_of_class(walk, name, class, called.called()),
        };
    }
    called.called()
}

pub(super) fn method_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "object");
    let name = member_name(walk, node);
    let called = name.map_or(Value::Unknown, |name| walk.member(name, of, Role::Call));
    let element = walk.element(of);
    walk.callback = [element, Value::Unknown];
    let class = field(node, "arguments").map_or(Value::Unknown, |list| arguments(walk, list).0);
    walk.callback = Default::default();
    match name.map_or("", |name| walk.text_of(name)) {
        name if OF_DOUBLES.contains(&name) => of,
        name => made_of_class(walk, name, class, called.called()),
    }
}

/// The value of a call whose first argument is a class, if that is `Shape::class`.
pub(super) fn made_of_class(walk: &mut Walk<'_>, name: &str, class: Value, called: Value) -> Value {
    match class.instance() {
        Value::Unknown => called,
        instance if DOUBLES.contains(&name) => instance,
        instance if CONTAINERS.contains(&name) => walk.guarded(called, instance),
        _ => called,
    }
}

/// Methods and functions of containers and entity managers that return an instance of the class that is their argument.
pub(super) const CONTAINERS: &[&str] =
    &["app", "find", "get", "getByType", "getReference", "instantiate", "make", "makeWith", "resolve"];

/// Functions of the language that call a function by its name.
pub(super) const CALLING: &[&str] = &[
    "array_filter",
    "array_map",
    "array_reduce",
    "array_walk",
    "call_user_func",
    "call_user_func_array",
    "is_callable",
    "uasort",
    "uksort",
    "usort",
];

/// Reads the arguments of a function of the language that calls a function for the elements of an array; the array.
fn given_elements<'t>(walk: &mut Walk<'t>, name: &str, list: Node<'t>) -> Value {
    let is_function = |argument: &Node<'t>| {
        let inner = argument.named_child(0);
        inner.is_some_and(|inner| matches!(inner.kind(), "anonymous_function" | "arrow_function"))
    };
    let (functions, others): (Vec<_>, Vec<_>) = named_children(list).partition(is_function);
    let values: Vec<Value> = others.into_iter().map(|argument| walk.visit(argument)).collect();
    let array = values.into_iter().find(|value| value.is_typed()).unwrap_or_default();
    let element = walk.element(array);
    walk.result = Value::Unknown;
    for function in functions {
        walk.callback = match name {
            "array_reduce" => [Value::Unknown, element],
            _ => [element, element],
        };
        walk.visit(function);
        walk.callback = Default::default();
    }
    array
}

/// A function by its full name in a string.
pub(super) fn function_in_text<'t>(walk: &mut Walk<'t>, argument: Node<'t>) {
    let text = argument.named_child(0).filter(|text| matches!(text.kind(), "string" | "encapsed_string"));
    let Some(content) = text.and_then(|text| child(text, "string_content")) else { return };
    let written = walk.text_of(content);
    let path = written.trim_start_matches('\\');
    if path.split('\\').all(is_word) {
        let (module, name) = path.rsplit_once('\\').unwrap_or(("", path));
        let id = walk.id(name);
        let import = walk.import(content, None, module, Imported::Name(id), false);
        let range = written.len() - name.len()..written.len();
        walk.name_in(content, range, Role::Call, Some(Site::Import(import)));
    }
}

/// Functions of the language that return their first argument, or an array of some of its elements.
pub(super) const SAME: &[&str] = &[
    "array_diff_key",
    "array_filter",
    "array_intersect_key",
    "array_merge",
    "array_replace",
    "array_reverse",
    "array_slice",
    "array_splice",
    "array_unique",
    "array_values",
    "iterator_to_array",
];

/// Functions of the language that return an element of their first argument.
pub(super) const ELEMENTS: &[&str] = &["array_pop", "array_shift", "current", "end", "next", "prev", "reset"];

/// Methods of test frameworks that make a stand-in for the class that is their argument.
pub(super) const DOUBLES: &[&str] = &[
    "prophesize",
    "createMock",
    "createStub",
    "createPartialMock",
    "createConfiguredMock",
    "getMockBuilder",
    "getMockForAbstractClass",
    "mock",
    "spy",
];

/// Methods of stand-ins that return them.
pub(super) const OF_DOUBLES: &[&str] = &[
    "reveal",
    "getMock",
    "disableOriginalConstructor",
    "setConstructorArgs",
    "onlyMethods",
    "setMethods",
    "getMockForAbstractClass",
];

/// Reads arguments; of the first, the class if it is `Shape::class`, and its value otherwise.
pub(super) fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> (Value, Value) {
    let mut first = None;
    for argument in named_children(list) {
        let class = argument.named_child(0).and_then(|inner| class_argument(walk, inner));
        let found = match class {
            Some(class) => (class, Value::Unknown),
            None => (Value::Unknown, walk.visit(argument)),
        };
        first.get_or_insert(found);
    }
    first.unwrap_or_default()
}

/// The class of `Shape::class`.
pub(super) fn class_argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Value> {
    let is_class =
        node.kind() == "class_constant_access_expression" && walk.text_of(node).ends_with("::class");
    let class = node.named_child(0).filter(|_| is_class)?;
    Some(scope_of(walk, class))
}

pub(super) fn static_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = field(node, "scope").map_or(Value::Unknown, |scope| scope_of(walk, scope));
    let name = member_name(walk, node);
    let called = name.map_or(Value::Unknown, |name| walk.member(name, of, Role::Call));
    let class = field(node, "arguments").map_or(Value::Unknown, |list| arguments(walk, list).0);
    made_of_class(walk, name.map_or("", |name| walk.text_of(name)), class, called.called())
}

pub(super) fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        match part.kind() {
            "name" | "qualified_name" | "relative_name" => value = walk.visit_as(part, Role::Call).instance(),
            "anonymous_class" => value = anonymous(walk, part),
            _ => {
                walk.visit(part);
            }
        }
    }
    value
}

pub(super) fn anonymous<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = child(node, "class").unwrap_or(node);
    let text = if name == node { "class" } else { walk.text_of(name) };
    let definition = walk.define_as(text, name, node, DefinitionKind::Class, Traits::LOCAL);
    let Some(definition) = definition else { return Value::Unknown };
    body_of_type(walk, node, definition);
    Value::Instance(Source::Definition(definition))
}
