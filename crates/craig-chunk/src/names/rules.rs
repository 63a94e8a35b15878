//! Readers that several languages share.

use tree_sitter::Node;

use super::walk::Walk;
use super::{DefinitionKind, Role, Traits, Value};
use crate::grammar::find::field;

/// What makes a value of the language.
pub(crate) fn plain<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children(node);
    Value::Builtin
}

pub(crate) fn this<'t>(walk: &mut Walk<'t>, _: Node<'t>) -> Value {
    walk.this_value()
}

/// An assignment of `right` to `left`, also one that calculates.
pub(crate) fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "left", Role::Write);
    walk.field(node, "right")
}

/// `condition ? consequence : alternative`
pub(crate) fn ternary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "condition");
    let first = walk.field(node, "consequence");
    let other = walk.field(node, "alternative");
    walk.either(first, other)
}

/// A member of an enumeration, with its name in field `name`.
pub(crate) fn enum_member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        walk.define(name, node, DefinitionKind::EnumMember, Traits::STATIC);
    }
    walk.children_except(node, &["name"]);
    Value::Unknown
}

/// The type of an instance.
pub(crate) fn itself(value: Value) -> Value {
    match value {
        Value::Instance(source) => Value::Itself(source),
        other => other,
    }
}
