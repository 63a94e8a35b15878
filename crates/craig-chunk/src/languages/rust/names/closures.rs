//! Closures of Rust and what a call gives their parameters.

use super::items::parameters;
use tree_sitter::Node;

use crate::grammar::{field, named_children};
use crate::names::walk::Walk;
use crate::names::{Part, Role, Value};

pub(super) fn closure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    closure_given(walk, node, &|_| Value::Unknown)
}

/// Reads a closure whose parameters are known from where it is passed.
pub(super) fn closure_given<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    given: &dyn Fn(usize) -> Value,
) -> Value {
    walk.function(None, |walk| {
        if let Some(list) = field(node, "parameters") {
            parameters(walk, list, given);
        }
        walk.field(node, "return_type");
        walk.field(node, "body")
    });
    Value::Unknown
}

/// Methods of options and iterators that call a closure with what is in them, or with each element.
pub(super) const VISITING: &[&str] = &[
    "all",
    "and_then",
    "any",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "for_each",
    "inspect",
    "is_none_or",
    "is_ok_and",
    "is_some_and",
    "map",
    "map_or",
    "map_or_else",
    "map_while",
    "max_by_key",
    "min_by_key",
    "partition",
    "position",
    "retain",
    "skip_while",
    "sort_by_key",
    "take_while",
    "try_for_each",
];

/// Methods that call a closure with two elements.
pub(super) const COMPARING: &[&str] =
    &["dedup_by", "is_sorted_by", "max_by", "min_by", "sort_by", "sort_unstable_by"];

/// Whether a closure that is passed to a method takes what is in the option, or an element, as its parameter of this number.
pub(super) fn is_visited(method: &str, at: usize) -> bool {
    match at {
        0 => VISITING.contains(&method) || COMPARING.contains(&method),
        1 => COMPARING.contains(&method) || matches!(method, "fold" | "try_fold"),
        _ => false,
    }
}

/// What is in an option, or an element of a collection or iterator.
pub(super) fn content(walk: &mut Walk<'_>, of: Value) -> Value {
    match of {
        Value::Collection(_) => of.element(),
        _ => {
            let element = walk.element(of);
            walk.guarded(element, of)
        }
    }
}

/// The closure that an argument is, also by reference or in a box.
pub(super) fn closure_of<'t>(walk: &Walk<'t>, argument: Node<'t>) -> Option<Node<'t>> {
    match argument.kind() {
        "closure_expression" => Some(argument),
        "reference_expression" => {
            field(argument, "value").filter(|inner| inner.kind() == "closure_expression")
        }
        "call_expression" => {
            let maker = field(argument, "function").map_or("", |maker| walk.text_of(maker));
            let list = field(argument, "arguments")
                .filter(|_| matches!(maker, "Box::new" | "Rc::new" | "Arc::new"))?;
            list.named_child(0).filter(|inner| inner.kind() == "closure_expression")
        }
        _ => None,
    }
}

/// Reads the arguments of a function, or of a method of a value. Closures among them take what the function declares, or else
/// what is in the option or iterator that the method is called on.
pub(super) fn arguments<'t>(
    walk: &mut Walk<'t>,
    list: Node<'t>,
    function: Value,
    method: Option<(Value, &str)>,
) {
    let parts = named_children(list).filter(|part| !part.kind().ends_with("comment"));
    for (at, part) in parts.enumerate() {
        let Some(closure) = closure_of(walk, part) else {
            walk.visit(part);
            continue;
        };
        let given = [0, 1].map(|inner| {
            let visited = match method {
                Some((of, name)) if is_visited(name, inner) => content(walk, of),
                _ => Value::Unknown,
            };
            walk.guarded(passed(function, at, inner), visited)
        });
        closure_given(walk, closure, &|inner| match given.get(inner) {
            Some(&given) => given,
            None => passed(function, at, inner),
        });
    }
}

/// What a function passes to the closure that is its argument `at`, as the parameter `inner` of that.
pub(super) fn passed(function: Value, at: usize, inner: usize) -> Value {
    match (function, u8::try_from(at), u8::try_from(inner)) {
        (Value::Itself(source), Ok(at), Ok(inner)) => Value::Parameter(source, at, Part::Parameter(inner)),
        _ => Value::Unknown,
    }
}

/// Methods of the wrappers above that give what is in them.
pub(super) const UNWRAPPING: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or_default",
    "unwrap_or",
    "unwrap_or_else",
    "clone",
    "cloned",
    "copied",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "borrow",
    "borrow_mut",
    "lock",
    "to_owned",
    "ok",
    "ok_or",
    "ok_or_else",
    "map_err",
    "context",
    "with_context",
    "iter",
    "iter_mut",
    "into_iter",
    "enumerate",
    "get_or_insert_with",
    "by_ref",
    "project",
    "rev",
    "to_vec",
    "unwrap_unchecked",
];

/// Methods of collections that give an element.
pub(super) const ELEMENTS: &[&str] =
    &["get", "get_mut", "first", "last", "pop", "next", "first_mut", "last_mut", "remove"];

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(function) = field(node, "function") else { return Value::Unknown };
    let generic = Some(function).filter(|function| function.kind() == "generic_function");
    let function = generic.and_then(|generic| field(generic, "function")).unwrap_or(function);
    let returned = call_of(walk, function, field(node, "arguments"));
    let Some(types) = generic.and_then(|generic| field(generic, "type_arguments")) else { return returned };
    let types: Vec<Value> = named_children(types).map(|of| walk.visit(of)).collect();
    walk.inferred(returned, types.first().copied().unwrap_or_default())
}

/// Reads a call of a function that is written without type arguments.
fn call_of<'t>(walk: &mut Walk<'t>, function: Node<'t>, list: Option<Node<'t>>) -> Value {
    let method = Some(function).filter(|function| function.kind() == "field_expression");
    match method.and_then(|method| Some((field(method, "value")?, field(method, "field")?))) {
        Some((receiver, name)) if name.kind() == "field_identifier" => {
            let of = walk.visit(receiver);
            let member = walk.member(name, of, Role::Call);
            let name = walk.text_of(name);
            if let Some(list) = list {
                arguments(walk, list, member, Some((of, name)));
            }
            called_method(of, name, member)
        }
        _ => {
            let value = walk.visit_as(function, Role::Call);
            let name = walk.text_of(function);
            if matches!(
                name,
                "Some" | "Ok" | "Box::new" | "Rc::new" | "Arc::new" | "RefCell::new" | "Mutex::new"
            ) {
                return list.map_or(Value::Unknown, |list| walk.children(list));
            }
            if let Some(list) = list {
                arguments(walk, list, value, None);
            }
            match value {
                Value::Instance(_) | Value::Collection(_) => value,
                _ => value.called(),
            }
        }
    }
}

/// The value of a call of a method of `of`; `member` is the method.
pub(super) fn called_method(of: Value, name: &str, member: Value) -> Value {
    match of {
        _ if UNWRAPPING.contains(&name) => of,
        Value::Collection(_) if ELEMENTS.contains(&name) => of.element(),
        _ => member.called(),
    }
}
