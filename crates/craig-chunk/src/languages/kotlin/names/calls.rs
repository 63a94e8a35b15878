//! Calls, their arguments and lambdas.

use tree_sitter::Node;

use super::definitions::{declare_each, instance_is};
use super::expressions::{member_of, without_prefix};
use super::types::first;
use super::{OF_FUNCTION, bare};
use crate::grammar::{child, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{Role, Site, Source, Value};

/// The parts of a call.
pub(super) struct Call<'t> {
    pub(super) callee: Node<'t>,
    /// Its type arguments.
    pub(super) of: Option<Node<'t>>,
    pub(super) arguments: Option<Node<'t>>,
    pub(super) lambda: Option<Node<'t>>,
}

impl<'t> Call<'t> {
    pub(super) fn new(node: Node<'t>) -> Option<Self> {
        let lambda = child(node, "annotated_lambda").and_then(|lambda| child(lambda, "lambda_literal"));
        let arguments = child(node, "value_arguments");
        let callee = node.named_child(0)?;
        let of = child(node, "type_arguments");
        // `name(argument) { … }` is a call of a call.
        if callee.kind() == "call_expression" && arguments.is_none() && lambda.is_some() {
            let inner = Self { lambda, ..Self::new_plain(callee)? };
            return Some(inner);
        }
        Some(Self { callee, of, arguments, lambda })
    }

    /// A call without a lambda behind it.
    fn new_plain(node: Node<'t>) -> Option<Self> {
        let arguments = Some(child(node, "value_arguments")?);
        let of = child(node, "type_arguments");
        Some(Self { callee: node.named_child(0)?, of, arguments, lambda: None })
    }
}

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    match Call::new(node) {
        Some(call) => call_of(walk, &call),
        None => walk.children(node),
    }
}

/// Functions that give their lambda what they are called on.
const WITH_IT: &[&str] = &["also", "let", "takeIf", "takeUnless", "use"];

/// Functions that return what they are called on.
const SAME: &[&str] = &["also", "apply", "copy", "onEach", "takeIf", "takeUnless"];

/// Functions that return what their lambda returns.
const OF_LAMBDA: &[&str] =
    &["lazy", "let", "run", "runBlocking", "synchronized", "use", "with", "withContext", "withLock"];

/// Functions of the library whose lambda is called on nothing.
const WITHOUT_RECEIVER: &[&str] = &[
    "all",
    "also",
    "any",
    "assertFailsWith",
    "associate",
    "associateBy",
    "check",
    "checkNotNull",
    "count",
    "filter",
    "filterNot",
    "find",
    "first",
    "firstOrNull",
    "flatMap",
    "fold",
    "forEach",
    "forEachIndexed",
    "getOrPut",
    "groupBy",
    "joinToString",
    "last",
    "lazy",
    "let",
    "map",
    "mapIndexed",
    "mapNotNull",
    "none",
    "onEach",
    "repeat",
    "require",
    "requireNotNull",
    "single",
    "sortedBy",
    "synchronized",
    "takeIf",
    "takeUnless",
    "use",
];

/// Functions that make collections.
const MAKERS: &[&str] = &[
    "arrayListOf",
    "arrayOf",
    "arrayOfNulls",
    "emptyArray",
    "emptyList",
    "emptySequence",
    "emptySet",
    "hashSetOf",
    "linkedSetOf",
    "listOf",
    "listOfNotNull",
    "mutableListOf",
    "mutableSetOf",
    "sequenceOf",
    "setOf",
];

pub(super) fn call_of<'t>(walk: &mut Walk<'t>, call: &Call<'t>) -> Value {
    let callee = without_prefix(call.callee);
    let (of, called, name) = match callee.kind() {
        "identifier" => (Value::Unknown, called_name(walk, callee), walk.text_of(callee)),
        "navigation_expression" => {
            let (of, called) = member_of(walk, callee, Role::Call);
            let last = callee.named_child_count().checked_sub(1);
            let name = last.and_then(|last| callee.named_child(last as u32));
            (of, called, name.map_or("", |name| walk.text_of(name)))
        }
        _ => (Value::Unknown, walk.visit(callee), ""),
    };
    let held = call.of.map_or(Value::Unknown, |of| type_argument(walk, of));
    let key = match name {
        "copy" => Some(of),
        _ => name.starts_with(char::is_uppercase).then_some(called.called()),
    };
    let (n, first) = match call.arguments {
        Some(list) if list.kind() == "parenthesized_expression" => (1, walk.children(list)),
        Some(list) => {
            let element = if WITH_IT.contains(&name) { of } else { of.element() };
            arguments(walk, list, called, element, key)
        }
        None => (0, Value::Unknown),
    };
    walk.set_arguments(called, n + usize::from(call.lambda.is_some()));
    let result = call.lambda.map(|lambda| {
        let receiver = match (name, called) {
            ("apply" | "run", _) => of,
            ("with", _) => first,
            (_, Value::Itself(Source::Occurrence(at))) if !WITHOUT_RECEIVER.contains(&name) => {
                Value::Receiver(at)
            }
            _ => Value::Unknown,
        };
        let it = if WITH_IT.contains(&name) { of } else { of.element() };
        lambda_of(walk, lambda, Given { element: it, function: called.parameter(n) }, receiver)
    });
    match (name, result) {
        (_, Some(result)) if OF_LAMBDA.contains(&name) => result,
        ("async" | "associateWith" | "map" | "mapIndexed" | "mapNotNull", Some(result))
            if result.is_typed() =>
        {
            walk.guarded(called.called(), result.collection())
        }
        ("flatMap", Some(result)) if result.is_typed() => walk.guarded(called.called(), result),
        ("associateBy", _) => walk.guarded(called.called(), of),
        _ if SAME.contains(&name) && of != Value::Unknown => of,
        ("checkNotNull" | "requireNotNull", _) => first,
        _ if MAKERS.contains(&name) && of == Value::Unknown => {
            held.or(first).collection().or(called.called())
        }
        _ => walk.inferred(called.called(), held),
    }
}

/// A name that is called: a variable that holds no function is not what is called.
fn called_name<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> Value {
    let is_variable = walk.is_bound(name) && walk.defined_as(name).is_none();
    let held = walk.local_value(walk.text_of(name));
    if is_variable && held.is_typed() {
        return walk.name_as("invoke", name, Role::Call, Site::Member(held));
    }
    if is_variable && held != Value::Unknown {
        return walk.at_site(name, Role::Call, Site::Bare);
    }
    bare(walk, name, Role::Call)
}

/// Reads type arguments; the value of the first.
fn type_argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "identifier" => walk.name(node, Role::Type).instance(),
        "navigation_expression" => walk.visit_as(node, Role::Type).instance(),
        _ => first(walk, node),
    }
}

/// Reads arguments: how many there are, and the first. A lambda's parameter is an `element`; names are those of `key`.
pub(super) fn arguments<'t>(
    walk: &mut Walk<'t>,
    list: Node<'t>,
    called: Value,
    element: Value,
    key: Option<Value>,
) -> (usize, Value) {
    let mut n = 0;
    let mut first = Value::Unknown;
    for part in named_children(list).filter(|part| part.kind() == "value_argument") {
        let name = argument_name(part);
        if let (Some(name), Some(key)) = (name, key) {
            walk.at_site(name, Role::Write, Site::Key(key));
        }
        for inner in named_children(part).filter(|inner| Some(*inner) != name) {
            let value = match inner.kind() {
                "lambda_literal" => {
                    let given = Given { element, function: called.parameter(n) };
                    lambda_of(walk, inner, given, Value::Unknown)
                }
                _ => walk.visit(inner),
            };
            first = if n == 0 { value } else { first };
        }
        n += 1;
    }
    (n, first)
}

fn argument_name(node: Node<'_>) -> Option<Node<'_>> {
    child(node, "=").and_then(|_| child(node, "identifier"))
}

pub(super) fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = argument_name(node);
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != name) {
        value = walk.visit(part);
    }
    value
}

pub(super) fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    lambda_of(walk, node, Given::default(), Value::Unknown);
    Value::Unknown
}

/// What is known of the parameters of a lambda.
#[derive(Clone, Copy, Default)]
struct Given {
    /// An element of the collection whose method it is given to.
    element: Value,
    /// The function that is asked for.
    function: Value,
}

impl Given {
    /// Of several, an element is the second: behind an index, a key or an intermediate result.
    fn parameter(self, walk: &mut Walk<'_>, at: usize, n: usize) -> Value {
        let is_element = at == usize::from(n > 1);
        walk.guarded(self.function.parameter(at), if is_element { self.element } else { Value::Unknown })
    }
}

/// Reads a lambda whose parameters and receiver may be known; what it returns.
fn lambda_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, given: Given, receiver: Value) -> Value {
    walk.scope(ScopeKind::Function, |walk| {
        match receiver {
            Value::Unknown => {}
            Value::Receiver(_) => {
                walk.declare_local_named(OF_FUNCTION, receiver);
            }
            _ => instance_is(walk, receiver, receiver),
        }
        match child(node, "lambda_parameters") {
            Some(list) => {
                let n = list.named_child_count();
                for (at, part) in named_children(list).enumerate() {
                    let value = given.parameter(walk, at, n);
                    declare_each(walk, part, value);
                }
            }
            None => {
                let it = given.parameter(walk, 0, 1);
                walk.declare_local_named("it", it);
            }
        }
        let mut value = Value::Unknown;
        for part in named_children(node).filter(|part| part.kind() != "lambda_parameters") {
            value = walk.visit(part);
        }
        value
    })
}
