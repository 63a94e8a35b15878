//! Members and supertypes that functions and objects are given: `Shape.prototype = {…}`, `util.inherits`, `Object.assign`.

use tree_sitter::Node;

use super::modules::{exported_from, is_exports};
use super::objects::{bare, object_of, spread, value_of};
use crate::grammar::{field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionIx, Role, Source, Value};

/// Functions that give their first argument the members of the others.
const MIXINS: &[&str] = &[
    "Object.assign",
    "_.assign",
    "_.extend",
    "$.extend",
    "jQuery.extend",
    "angular.extend",
    "util._extend",
    "assign",
    "extend",
    "mixin",
];

/// Functions that make their first argument, or its prototype, inherit from the second, by their last name.
const INHERITS: &[&str] = &["inherits", "setPrototypeOf", "_inherits", "__extends"];

/// `Shape` of `Shape.prototype`.
pub(super) fn with_prototype<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let property = field(node, "property").filter(|_| node.kind() == "member_expression")?;
    field(node, "object").filter(|_| walk.text_of(property) == "prototype")
}

/// Of a variable that holds `Shape.prototype`, what is defined as `Shape`: it has the members that the variable is given.
pub(super) fn prototype_owner<'t>(walk: &mut Walk<'t>, value: Node<'t>) -> Option<DefinitionIx> {
    with_prototype(walk, value)?;
    owner(walk, value)
}

/// What is defined by the name that `Shape` or `Shape.prototype` has.
fn owner<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<DefinitionIx> {
    let named = with_prototype(walk, node).unwrap_or(node);
    if named.kind() == "identifier" { walk.defined_as(named) } else { None }
}

/// `Shape.prototype = …`, `Shape.prototype.__proto__ = …`: whether it was read.
pub(super) fn assigned_prototype<'t>(walk: &mut Walk<'t>, left: Node<'t>, right: Node<'t>) -> bool {
    let is_proto = field(left, "property").is_some_and(|property| walk.text_of(property) == "__proto__");
    let prototype = if is_proto { field(left, "object") } else { Some(left) };
    let Some(prototype) = prototype.filter(|of| is_proto || with_prototype(walk, *of).is_some()) else {
        return false;
    };
    let Some(owner) = owner(walk, prototype).filter(|_| is_given(walk, right)) else { return false };
    walk.visit(prototype);
    give(walk, owner, right);
    true
}

/// Whether a value is members, or something to inherit from.
fn is_given(walk: &Walk<'_>, value: Node<'_>) -> bool {
    let value = bare(value);
    match value.kind() {
        "object" | "new_expression" => true,
        "member_expression" => with_prototype(walk, value).is_some(),
        "call_expression" => {
            let name = called_name(walk, value);
            name == "Object.create" || MIXINS.contains(&name)
        }
        _ => false,
    }
}

fn called_name<'t>(walk: &Walk<'t>, call: Node<'t>) -> &'t str {
    field(call, "function").map_or("", |function| walk.text_of(function))
}

pub(super) fn arguments_of<'t>(call: Node<'t>) -> Vec<Node<'t>> {
    let list = field(call, "arguments").filter(|list| list.kind() == "arguments");
    list.map_or(Vec::new(), |list| named_children(list).filter(|node| node.kind() != "comment").collect())
}

/// Gives a definition the members of a value: those of an object written out are its own, others are inherited.
fn give<'t>(walk: &mut Walk<'t>, owner: DefinitionIx, value: Node<'t>) {
    let value = bare(value);
    if value.kind() == "object" {
        object_of(walk, value, owner);
        return;
    }
    if value.kind() == "call_expression" && is_given(walk, value) {
        walk.field_as(value, "function", Role::Call);
        let is_create = called_name(walk, value) == "Object.create";
        for (at, argument) in arguments_of(value).into_iter().enumerate() {
            // What follows the prototype are descriptors.
            if is_create && at > 0 {
                walk.visit(argument);
            } else {
                give(walk, owner, argument);
            }
        }
        return;
    }
    let inherited = match value.kind() {
        "new_expression" => {
            let made = walk.field_as(value, "constructor", Role::Inherit);
            walk.children_except(value, &["constructor"]);
            made
        }
        _ => walk.visit_as(with_prototype(walk, value).unwrap_or(value), Role::Inherit),
    };
    if let Some(known) = walk.definition(owner).filter(|_| inherited.is_typed()) {
        known.supers.push(inherited);
    }
}

/// Whether a call gives its first argument the members of the others.
pub(super) fn is_mixin(walk: &Walk<'_>, call: Node<'_>) -> bool {
    call.kind() == "call_expression" && MIXINS.contains(&called_name(walk, call))
}

/// `util.inherits(Shape, Base)` before `Shape` is defined.
fn inherited_later<'t>(walk: &mut Walk<'t>, function: Node<'t>, arguments: &[Node<'t>]) -> Option<Value> {
    let &[target, base] = arguments else { return None };
    let named = with_prototype(walk, target).unwrap_or(target);
    if named.kind() != "identifier" || walk.is_bound(named) {
        return None;
    }
    walk.visit_as(function, Role::Call);
    walk.visit(target);
    let base = walk.visit_as(with_prototype(walk, base).unwrap_or(base), Role::Inherit);
    let name = walk.id(walk.text_of(named));
    walk.later_super(name, base);
    Some(Value::Unknown)
}

/// What the calls that make a base of a class are given: of `extends mixed(Base).with(Other)` the class inherits from all.
pub(super) fn given_bases<'t>(walk: &Walk<'t>, call: Node<'t>, bases: &mut Vec<Value>) {
    if call.kind() != "call_expression" {
        return;
    }
    if let Some(object) = field(call, "function").and_then(|function| field(function, "object")) {
        given_bases(walk, object, bases);
    }
    for argument in arguments_of(call) {
        let name = match argument.kind() {
            "identifier" => argument,
            "member_expression" => field(argument, "property").unwrap_or(argument),
            _ => {
                given_bases(walk, argument, bases);
                continue;
            }
        };
        bases.extend(Some(walk.last_member(name)).filter(|base| base.is_typed()));
    }
}

/// `util.inherits(Shape, Base)`, `Object.assign(Shape.prototype, {…})`: its value, if it was read.
pub(super) fn mixed<'t>(walk: &mut Walk<'t>, function: Node<'t>, call: Node<'t>) -> Option<Value> {
    let last_name = field(function, "property").unwrap_or(function);
    let inherits = INHERITS.contains(&walk.text_of(last_name));
    if !inherits && !is_mixin(walk, call) {
        return None;
    }
    let arguments = arguments_of(call);
    let (&target, others) = arguments.split_first().filter(|(_, others)| !others.is_empty())?;
    if !inherits && is_exports(walk, target) {
        walk.visit_as(function, Role::Call);
        let value = walk.visit(target);
        others.iter().for_each(|&other| exported_from(walk, other));
        return Some(value);
    }
    if let Some(owner) = owner(walk, target) {
        walk.visit_as(function, Role::Call);
        walk.visit(target);
        others.iter().for_each(|&other| give(walk, owner, other));
        return Some(Value::Itself(Source::Definition(owner)));
    }
    if inherits {
        return inherited_later(walk, function, &arguments);
    }
    if target.kind() != "object" {
        return None;
    }
    walk.visit_as(function, Role::Call);
    let parts = arguments.iter().map(|&part| value_of(walk, part)).collect();
    Some(spread(walk, parts))
}
