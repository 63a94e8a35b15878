//! Variables, patterns and assignments.

use tree_sitter::Node;

use super::expressions::is_name;
use super::modules::{exported_member, exported_whole, required_by};
use super::objects::{FUNCTIONS, bare, defined};
use crate::grammar::{field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionKind, Role, Source, Traits, Value};

pub(super) fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let value = field(node, "value");
    if let Some(value) = value
        && required_by(walk, name, value)
    {
        return Value::Unknown;
    }
    let declared = walk.field(node, "type").instance();
    if name.kind() != "identifier" {
        let held = value.map_or(Value::Unknown, |value| walk.visit(value));
        pattern(walk, name, declared.or(held));
        return Value::Unknown;
    }
    let is_local = walk.is_in_function();
    let is_function = value.is_some_and(|value| FUNCTIONS.contains(&bare(value).kind()));
    if let Some(held) = value.filter(|_| !is_local).and_then(|value| exported_with(walk, value)) {
        if let Some(at) = defined(walk, None, name, node, held, None) {
            walk.export("=", Value::Itself(Source::Definition(at)));
        }
        return Value::Unknown;
    }
    match value {
        Some(value) if is_function || !is_local => {
            walk.expected = declared;
            if let Some(at) = defined(walk, None, name, node, value, None)
                && declared != Value::Unknown
            {
                if !is_function {
                    walk.override_value(at, declared);
                } else if let Some(known) = walk.definition(at) {
                    // The function has the members of its type.
                    known.supers.push(declared);
                }
            }
            walk.expected = Value::Unknown;
        }
        Some(value) => {
            walk.expected = declared;
            let held = walk.visit(value);
            walk.expected = Value::Unknown;
            walk.declare_local(name, declared.or(held));
        }
        None if is_local => {
            walk.declare_local(name, declared);
        }
        None => {
            if let Some(at) = walk.define(name, node, DefinitionKind::Variable, Traits::default()) {
                walk.set_value(at, declared);
            }
        }
    }
    Value::Unknown
}

/// What a variable holds that is exported where it is declared: `const app = module.exports = {}`.
fn exported_with<'t>(walk: &Walk<'t>, value: Node<'t>) -> Option<Node<'t>> {
    let mut at = value;
    let mut is_exported = false;
    while at.kind() == "assignment_expression" {
        is_exported |= walk.text_of(field(at, "left")?) == "module.exports";
        at = field(at, "right")?;
    }
    is_exported.then_some(at)
}

/// Binds the names of a pattern to the members of a value.
pub(super) fn pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value) {
    match node.kind() {
        "identifier" => bound(walk, node, value),
        "shorthand_property_identifier_pattern" => {
            let held = walk.member(node, value, Role::Read);
            bound(walk, node, held);
        }
        "object_pattern" => {
            for part in named_children(node) {
                pattern(walk, part, value);
            }
        }
        "array_pattern" => {
            for part in named_children(node) {
                pattern(walk, part, walk.first_of(value).element());
            }
        }
        "pair_pattern" => {
            let held = match field(node, "key").filter(|key| key.kind() == "property_identifier") {
                Some(key) => walk.member(key, value, Role::Read),
                None => Value::Unknown,
            };
            if let Some(inner) = field(node, "value") {
                pattern(walk, inner, held);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            let default = walk.field(node, "right");
            if let Some(left) = field(node, "left") {
                pattern(walk, left, value.or(default));
            }
        }
        "rest_pattern" => {
            if let Some(inner) = node.named_child(0) {
                pattern(walk, inner, Value::Unknown);
            }
        }
        _ => {
            walk.visit_as(node, Role::Write);
        }
    }
}

/// A name of a pattern: a local variable, or one of the module.
fn bound<'t>(walk: &mut Walk<'t>, name: Node<'t>, value: Value) {
    if walk.declare_local(name, value) {
        return;
    }
    if let Some(at) = walk.define(name, name, DefinitionKind::Variable, Traits::default()) {
        walk.set_value(at, value);
    }
}

pub(super) fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
        return Value::Unknown;
    };
    if left.kind() != "member_expression" {
        // `app[name] = function () { … }`: `this` is the object.
        let object = field(left, "object").filter(|object| object.kind() == "identifier");
        let owner = object.and_then(|object| walk.defined_as(object)).or(walk.this);
        let before = std::mem::replace(&mut walk.this, owner);
        let value = walk.visit(right);
        walk.this = before;
        match left.kind() {
            "object_pattern" | "array_pattern" => {
                walk.children(left);
            }
            "identifier" => {
                if walk.is_bound(left) {
                    walk.declare_again(left, value);
                } else {
                    walk.name(left, Role::Write);
                }
            }
            _ => {
                walk.visit_as(left, Role::Write);
            }
        }
        return value;
    }
    let target = walk.text_of(left);
    if target == "module.exports" || target == "exports" {
        return exported_whole(walk, right);
    }
    let (Some(object), Some(name)) = (field(left, "object"), field(left, "property")) else {
        return Value::Unknown;
    };
    if matches!(walk.text_of(object), "exports" | "module.exports") && is_name(name) {
        return exported_member(walk, name, node, right);
    }
    assigned_member(walk, left, object, name, node, right)
}

/// `x.name = value`: a member of what `x` is defined as; of `this`, a field.
fn assigned_member<'t>(
    walk: &mut Walk<'t>,
    left: Node<'t>,
    object: Node<'t>,
    name: Node<'t>,
    whole: Node<'t>,
    right: Node<'t>,
) -> Value {
    let is_prototype = object.kind() == "member_expression"
        && field(object, "property").is_some_and(|property| walk.text_of(property) == "prototype");
    let base = if is_prototype { field(object, "object") } else { Some(object) };
    let owner = match base {
        Some(base) if base.kind() == "this" => walk.this,
        Some(base) if base.kind() == "identifier" => walk.defined_as(base),
        _ => None,
    };
    let is_this = base.is_some_and(|base| base.kind() == "this");
    let inner = bare(right);
    let defines = FUNCTIONS.contains(&inner.kind()) || inner.kind() == "class";
    if let Some(owner) = owner
        && is_name(name)
        && (is_this || is_prototype || defines)
        && !walk.is_defined(Some(owner), name)
    {
        if !is_this {
            walk.visit(object);
        }
        if defines {
            defined(walk, Some(owner), name, whole, right, Some(owner));
            return Value::Unknown;
        }
        let value = walk.visit(right);
        if let Some(at) = walk.define_in(Some(owner), name, whole, DefinitionKind::Field, Traits::default()) {
            walk.set_value(at, value);
        }
        return value;
    }
    walk.visit_as(left, Role::Write);
    let before = walk.this;
    if let Some(owner) = owner {
        walk.this = Some(owner);
    }
    let value = walk.visit(right);
    walk.this = before;
    value
}
