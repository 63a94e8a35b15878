//! Conditions, and what they say about variables: type guards, `instanceof`, discriminants.

use tree_sitter::Node;

use super::expressions::this;
use crate::grammar::{field, named_children};
use crate::names::walk::Walk;
use crate::names::{Choice, Value};

pub(super) fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    condition(walk, node).value
}

pub(super) fn unary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    condition(walk, node).value
}

/// What is known of variables, and members of them, where a condition holds, and where it does not.
#[derive(Default)]
struct Condition<'t> {
    value: Value,
    holds: Vec<(Node<'t>, Value)>,
    fails: Vec<(Node<'t>, Value)>,
}

fn condition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Condition<'t> {
    match node.kind() {
        "parenthesized_expression" => match node.named_child(0) {
            Some(inner) => condition(walk, inner),
            None => Condition::default(),
        },
        "unary_expression" => {
            let Some(inner) = field(node, "argument") else { return Condition::default() };
            if field(node, "operator").is_none_or(|operator| operator.kind() != "!") {
                walk.visit(inner);
                return Condition { value: Value::Builtin, ..Condition::default() };
            }
            let Condition { holds, fails, .. } = condition(walk, inner);
            Condition { value: Value::Builtin, holds: fails, fails: holds }
        }
        "binary_expression" => logical(walk, node),
        "call_expression" => {
            let value = walk.visit(node);
            let tested = field(node, "arguments").and_then(|arguments| arguments.named_child(0));
            let holds = tested.and_then(|tested| guarded(walk, tested, value)).into_iter().collect();
            Condition { value, holds, fails: Vec::new() }
        }
        _ => Condition { value: walk.visit(node), ..Condition::default() },
    }
}

/// A variable, or a member of one, that is what a guard says if that is a type.
fn guarded<'t>(walk: &mut Walk<'t>, tested: Node<'t>, guard: Value) -> Option<(Node<'t>, Value)> {
    if !is_path(tested) || !matches!(guard, Value::Called(_) | Value::Instance(_)) {
        return None;
    }
    let known = known(walk, tested);
    Some((tested, walk.choice(Choice::Guarded(guard, known))))
}

/// What a variable, or a member of one that was just read, is known to be.
fn known<'t>(walk: &mut Walk<'t>, path: Node<'t>) -> Value {
    match (walk.narrowed(path), path.kind()) {
        (Some(known), _) => known,
        (None, "identifier") => walk.local_value(walk.text_of(path)),
        (None, "this") => this(walk, path),
        (None, _) => field(path, "property").map_or(Value::Unknown, |name| walk.last_member(name)),
    }
}

/// Of `shape.kind`, which is compared with a literal, the shape: of a union it is one type from here on.
fn discriminated<'t>(walk: &mut Walk<'t>, compared: Node<'t>) -> Option<(Node<'t>, Value)> {
    let of = field(compared, "object").filter(|of| compared.kind() == "member_expression" && is_path(*of))?;
    let known = known(walk, of);
    known.is_typed().then(|| (of, walk.choice(Choice::Tested(known, Value::Unknown))))
}

/// `switch (shape.kind) { … }`
pub(super) fn switch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(tested) = field(node, "value") else { return Value::Unknown };
    walk.visit(tested);
    let compared =
        if tested.kind() == "parenthesized_expression" { tested.named_child(0) } else { Some(tested) };
    let fact = compared.and_then(|compared| discriminated(walk, compared));
    let facts: Vec<(Node<'t>, Value)> = fact.into_iter().collect();
    walk.narrowing(&facts, |walk| walk.field(node, "body"));
    Value::Unknown
}

/// A variable, or a member of one: `node.left`.
fn is_path(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "this" => true,
        "member_expression" => field(node, "object").is_some_and(is_path),
        _ => false,
    }
}

fn logical<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Condition<'t> {
    let operator = field(node, "operator").map_or("", |operator| operator.kind());
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
        return Condition::default();
    };
    let expected = std::mem::take(&mut walk.expected);
    match operator {
        "&&" => {
            let left = condition(walk, left);
            walk.expected = expected;
            let right = walk.narrowing(&left.holds, |walk| condition(walk, right));
            let holds = left.holds.into_iter().chain(right.holds).collect();
            Condition { value: right.value, holds, fails: Vec::new() }
        }
        "||" => {
            let left = condition(walk, left);
            walk.expected = expected;
            let right = walk.narrowing(&left.fails, |walk| condition(walk, right));
            let fails = left.fails.into_iter().chain(right.fails).collect();
            let value = walk.either(left.value, right.value);
            Condition { value, holds: Vec::new(), fails }
        }
        "instanceof" => {
            walk.visit(left);
            let of = walk.visit(right).instance();
            let holds = guarded(walk, left, of).into_iter().collect();
            Condition { value: Value::Builtin, holds, fails: Vec::new() }
        }
        "??" => {
            let left = walk.visit(left);
            walk.expected = expected;
            let right = walk.visit(right);
            Condition { value: walk.either(left, right), ..Condition::default() }
        }
        _ => {
            walk.visit(left);
            walk.visit(right);
            let is_tested = matches!(right.kind(), "string" | "number");
            let fact = is_tested.then(|| discriminated(walk, left)).flatten().into_iter().collect();
            let (holds, fails) = match operator {
                "===" | "==" => (fact, Vec::new()),
                "!==" | "!=" => (Vec::new(), fact),
                _ => (Vec::new(), Vec::new()),
            };
            Condition { value: Value::Builtin, holds, fails }
        }
    }
}

/// `if (isShape(x)) { … }`, and what follows `if (!isShape(x)) return`.
pub(super) fn if_statement<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(tested) = field(node, "condition") else {
        walk.children(node);
        return Value::Unknown;
    };
    let Condition { holds, fails, .. } = condition(walk, tested);
    let then = field(node, "consequence");
    if let Some(then) = then {
        walk.narrowing(&holds, |walk| walk.visit(then));
    }
    if let Some(other) = field(node, "alternative") {
        walk.narrowing(&fails, |walk| walk.visit(other));
    } else if then.is_some_and(leaves) {
        fails.into_iter().for_each(|(path, value)| walk.narrow(path, value));
    }
    Value::Unknown
}

/// Whether what follows a statement is not reached from it.
fn leaves(statement: Node<'_>) -> bool {
    match statement.kind() {
        "return_statement" | "throw_statement" | "continue_statement" | "break_statement" => true,
        "statement_block" => named_children(statement).last().is_some_and(leaves),
        _ => false,
    }
}

pub(super) fn ternary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected);
    let tested = field(node, "condition").map_or_else(Condition::default, |tested| condition(walk, tested));
    walk.expected = expected;
    let first = walk.narrowing(&tested.holds, |walk| walk.field(node, "consequence"));
    walk.expected = expected;
    let other = walk.narrowing(&tested.fails, |walk| walk.field(node, "alternative"));
    walk.expected = Value::Unknown;
    walk.either(first, other)
}
