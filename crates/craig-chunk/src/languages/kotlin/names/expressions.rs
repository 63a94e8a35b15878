//! Control flow, operators and members.

use tree_sitter::Node;

use super::calls::{Call, call_of};
use super::definitions::declare_each;
use super::types::typed;
use super::{at_path, bare};
use crate::grammar::{child, field, named_children};
use crate::languages::java::names as java;
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{Role, Value};

pub(super) fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    walk.scope(ScopeKind::Block, |walk| walk.children(node))
}

pub(super) fn for_each<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let mut each = None;
        for part in named_children(node) {
            match part.kind() {
                "variable_declaration" | "multi_variable_declaration" => each = Some(part),
                "annotation" | "label" | "line_comment" | "block_comment" => {}
                _ => {
                    let element = walk.visit(part).element();
                    if let Some(each) = each.take() {
                        declare_each(walk, each, element);
                    }
                }
            }
        }
    });
    Value::Unknown
}

pub(super) fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let value = typed(walk, node);
        if let Some(name) = child(node, "identifier") {
            walk.declare_local(name, value);
        }
        child(node, "block").map_or(Value::Unknown, |block| walk.visit(block))
    })
}

/// The value of one of the branches.
pub(super) fn branches<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        let other = walk.visit(part);
        if part.kind() != "finally_block" {
            value = walk.either(value, other);
        }
    }
    value
}

pub(super) fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(condition) = field(node, "condition") else { return walk.children(node) };
    let mut parts = named_children(node).filter(|part| *part != condition);
    let consequence = parts.next();
    let is_denied = condition.kind() == "is_expression" && child(condition, "!is").is_some();
    let first = if is_denied {
        let compared = compared(walk, condition);
        let value = consequence.map_or(Value::Unknown, |part| walk.visit(part));
        // `if (x !is Shape) return`: from there on it is one.
        if let Some((name, value)) = compared
            && consequence.is_some_and(|part| leaves(walk, part))
        {
            walk.declare_local(name, value);
        }
        value
    } else {
        walk.scope(ScopeKind::Block, |walk| {
            walk.visit(condition);
            consequence.map_or(Value::Unknown, |part| walk.visit(part))
        })
    };
    match parts.next() {
        Some(other) => {
            let other = walk.visit(other);
            walk.either(first, other)
        }
        None => first,
    }
}

/// Whether code ends with a jump out of the block.
fn leaves(walk: &Walk<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "return_expression" | "throw_expression" => true,
        "block" => {
            let last = node.named_child_count().checked_sub(1).and_then(|last| node.named_child(last as u32));
            last.is_some_and(|last| last.kind() != "block" && leaves(walk, last))
        }
        _ => matches!(walk.text_of(node), "break" | "continue"),
    }
}

pub(super) fn when<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let mut subject = None;
        let mut value = Value::Unknown;
        for part in named_children(node) {
            match part.kind() {
                "when_subject" => subject = when_subject(walk, part),
                "when_entry" => {
                    let other = when_entry(walk, part, subject);
                    value = walk.either(value, other);
                }
                _ => {}
            }
        }
        value
    })
}

/// Reads what is compared; the variable that holds it.
fn when_subject<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let declared = child(node, "variable_declaration");
    let mut value = Value::Unknown;
    let mut subject = None;
    for part in named_children(node).filter(|part| Some(*part) != declared) {
        value = walk.visit(part);
        subject = (part.kind() == "identifier" && walk.is_bound(part)).then_some(part);
    }
    let Some(declared) = declared else { return subject };
    let of = typed(walk, declared);
    let name = child(declared, "identifier")?;
    walk.declare_local(name, of.or(value));
    Some(name)
}

fn when_entry<'t>(walk: &mut Walk<'t>, node: Node<'t>, subject: Option<Node<'t>>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let mut cursor = node.walk();
        let conditions: Vec<Node<'t>> = node.children_by_field_name("condition", &mut cursor).collect();
        for &condition in &conditions {
            if condition.kind() != "type_test" {
                walk.visit(condition);
                continue;
            }
            let of = typed(walk, condition);
            let is_denied = child(condition, "!is").is_some();
            if let Some(subject) = subject.filter(|_| conditions.len() == 1 && !is_denied) {
                walk.declare_local(subject, of);
            }
        }
        let mut value = Value::Unknown;
        for part in named_children(node).filter(|part| !conditions.contains(part)) {
            value = walk.visit(part);
        }
        value
    })
}

pub(super) fn leave<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["label"]);
    Value::Builtin
}

/// `break@outer` is read as an expression with a label.
pub(super) fn labeled<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_jump = child(node, "label")
        .is_some_and(|label| matches!(walk.text_of(label), "break@" | "continue@" | "return@"));
    if is_jump { Value::Builtin } else { walk.children(node) }
}

/// A variable that was compared with a type is of that type from there on.
pub(super) fn is<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some((name, value)) = compared(walk, node) {
        walk.declare_local(name, value);
    }
    Value::Builtin
}

/// Reads a comparison with a type: the local variable, and the type's instance.
fn compared<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<(Node<'t>, Value)> {
    walk.field(node, "left");
    let value = walk.field(node, "right");
    let name = field(node, "left").filter(|left| left.kind() == "identifier")?;
    (walk.is_bound(name) && walk.defined_as(name).is_none()).then_some((name, value))
}

pub(super) fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "left");
    walk.field(node, "right")
}

pub(super) fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(generic) = generic_call(node) {
        return call_of(walk, &generic);
    }
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let left = walk.field(node, "left");
    let right = walk.field(node, "right");
    if operator == "?:" { walk.either(left, right) } else { Value::Builtin }
}

/// `name<Type>(argument)` is read as two comparisons.
fn generic_call(node: Node<'_>) -> Option<Call<'_>> {
    let operator = |node| field(node, "operator").map(|operator: Node<'_>| operator.kind());
    let (left, arguments) = (field(node, "left")?, field(node, "right")?);
    let is_generic = operator(node) == Some(">")
        && operator(left) == Some("<")
        && matches!(arguments.kind(), "parenthesized_expression" | "lambda_literal");
    let (callee, of) = (field(left, "left")?, field(left, "right")?);
    let is_named = |node: Node<'_>| matches!(node.kind(), "identifier" | "navigation_expression");
    (is_generic && is_named(callee) && is_named(of)).then_some(Call {
        callee,
        of: Some(of),
        arguments: Some(arguments).filter(|list| list.kind() != "lambda_literal"),
        lambda: Some(arguments).filter(|list| list.kind() == "lambda_literal"),
    })
}

/// `a shl b`
pub(super) fn infix<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let parts: Vec<Node<'t>> = named_children(node).collect();
    let &[left, name, right] = &parts[..] else { return walk.children(node) };
    let of = walk.visit_as(left, Role::Read);
    let called = walk.member(name, of, Role::Call);
    walk.set_arguments(called, 1);
    walk.visit(right);
    called.called()
}

pub(super) fn unary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let role = if matches!(operator, "++" | "--") { Role::Write } else { Role::Read };
    let value = walk.field_as(node, "argument", role);
    if operator == "!!" { value } else { Value::Builtin }
}

/// What is called, or has the member: the grammar reads `!store.isOpen()` as a call of a member of `!store`.
pub(super) fn without_prefix(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "unary_expression" && node.child(0).is_some_and(|first| !first.is_named()) {
        let Some(argument) = field(node, "argument") else { break };
        node = argument;
    }
    node
}

pub(super) fn index<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    let mut parts = named_children(node);
    let of = parts.next().map_or(Value::Unknown, |of| walk.visit_as(without_prefix(of), Role::Read));
    for part in parts {
        walk.visit_as(part, Role::Read);
    }
    of.element()
}

pub(super) fn navigation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    member_of(walk, node, role).1
}

/// A member, with the value that it is a member of.
pub(super) fn member_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> (Value, Value) {
    let parts: Vec<Node<'t>> =
        named_children(node).filter(|part| !part.kind().ends_with("comment")).collect();
    let &[object, name] = &parts[..] else { return (Value::Unknown, walk.children(node)) };
    let object = without_prefix(object);
    match walk.text_of(name) {
        "class" if child(node, "::").is_some() => {
            walk.visit_as(object, Role::Type);
            return (Value::Unknown, Value::Builtin);
        }
        "Companion" => return (Value::Unknown, walk.visit(object)),
        _ => {}
    }
    if let Some(first) = path_start(walk, object)
        && java::is_type_name(walk.text_of(name))
    {
        return (Value::Unknown, at_path(walk, first, name, role));
    }
    let of = walk.visit(object);
    (of, walk.member(name, of, role))
}

/// The first name of a package: several names with dots between that are no variables.
fn path_start<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    if node.kind() != "navigation_expression" || !java::is_package(walk.text_of(node)) {
        return None;
    }
    let mut first = node;
    while first.kind() == "navigation_expression" {
        first = first.named_child(0)?;
    }
    (first.kind() == "identifier" && !walk.is_bound(first)).then_some(first)
}

/// `::name`, `List<Shape>::name`
pub(super) fn reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut of = None;
    for part in named_children(node) {
        match (part.kind(), of) {
            ("identifier", Some(of)) => {
                walk.member(part, of, Role::Read);
            }
            ("identifier", None) => {
                bare(walk, part, Role::Read);
            }
            _ => of = Some(walk.visit_as(part, Role::Type)),
        }
    }
    Value::Unknown
}
