//! Variables, patterns and assignments.

use tree_sitter::Node;

use super::classes::class_body;
use super::expressions::{is_name, quoted_name};
use super::frameworks::takes_callback;
use super::modules::{exported_member, exported_whole, is_exports, is_handed_on, required_by};
use super::objects::{
    bare, defined, function_of, has_functions, has_members, local_function, plain_name, value_of,
};
use super::prototypes::{assigned_prototype, prototype_owner};
use super::types::{annotated, annotation};
use crate::grammar::{all_children, field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionKind, GLOBAL, GLOBAL_OBJECTS, Role, Source, Traits, Value};

pub(super) fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let value = field(node, "value");
    if let Some(value) = value
        && required_by(walk, name, value)
    {
        return Value::Unknown;
    }
    if value.is_none() && declared_object(walk, name, node) {
        return Value::Unknown;
    }
    let documented = super::doc::declared(walk, node);
    let declared = annotated(walk, node).or(documented);
    if name.kind() != "identifier" {
        let held = value.map_or(Value::Unknown, |value| value_of(walk, value));
        pattern(walk, name, declared.or(held));
        return Value::Unknown;
    }
    let is_local = walk.is_in_function();
    let is_function = value.is_some_and(|value| function_of(walk, value).is_some());
    if let Some((exported, held)) =
        value.filter(|_| !is_local).and_then(|value| exported_with(walk, name, value))
    {
        if let Some(at) = defined(walk, None, name, node, held, None) {
            walk.export(exported, Value::Itself(Source::Definition(at)));
        }
        return Value::Unknown;
    }
    // What has functions is defined in functions, too.
    let is_defined = value.is_some_and(|value| {
        !is_local || is_function || has_functions(walk, value) || takes_callback(walk, bare(value))
    });
    if let Some(owner) = value.filter(|_| !is_local).and_then(|value| prototype_owner(walk, value)) {
        value.map(|value| defined(walk, None, name, node, value, None));
        walk.stands_for(name, owner);
        return Value::Unknown;
    }
    match value {
        Some(value) if is_defined => {
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

/// Defines a variable outside of functions that is declared by its members: `declare const api: { watch: typeof watch }`.
fn declared_object<'t>(walk: &mut Walk<'t>, name: Node<'t>, node: Node<'t>) -> bool {
    let object = annotation(node).filter(|of| of.kind() == "object_type" && !walk.is_in_function());
    let Some(object) = object else { return false };
    let Some(at) = walk.define(name, node, DefinitionKind::Variable, Traits::default()) else { return false };
    walk.inside(Some(at), |walk| class_body(walk, object, at));
    true
}

/// An expression by itself: `/** @type {Order} */ this.order;` declares a field.
pub(super) fn statement<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(member) = node.named_child(0).filter(|member| member.kind() == "member_expression")
        && let Some((object, name)) = named_member(walk, member)
        && object.kind() == "this"
        && let Some(this) = walk.this.filter(|&this| !walk.is_defined(Some(this), name))
    {
        let documented = super::doc::declared(walk, node);
        if documented.is_typed()
            && let Some(at) = walk.define_in(Some(this), name, node, DefinitionKind::Field, Traits::default())
        {
            walk.set_value(at, documented);
            return Value::Unknown;
        }
    }
    walk.role = Role::Read;
    walk.children(node);
    Value::Unknown
}

/// What a variable holds that is exported where it is declared, and the name for others: `const app = module.exports = {}`,
/// `const twice = exports.twice = …`, `const app = exports`.
fn exported_with<'t>(walk: &mut Walk<'t>, name: Node<'t>, value: Node<'t>) -> Option<(&'t str, Node<'t>)> {
    if is_exports(walk, value) {
        return Some(("=", value));
    }
    let mut exported = None;
    let mut held = value;
    while bare(held).kind() == "assignment_expression" {
        let left = field(bare(held), "left")?;
        if walk.text_of(left) == "module.exports" {
            exported = Some("=");
        } else if let Some((object, member)) = named_member(walk, left)
            && walk.text_of(member) == walk.text_of(name)
            && is_exports(walk, object)
        {
            exported = exported.or(Some(walk.text_of(member)));
        }
        held = field(bare(held), "right")?;
    }
    let exported = exported?;
    (exported == "=" || !is_handed_on(walk, exported, bare(held))).then_some((exported, held))
}

/// The object and the name of `object.name` or `object['name']`.
fn named_member<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let name = match node.kind() {
        "member_expression" => field(node, "property"),
        "subscript_expression" => field(node, "index").and_then(|index| quoted_name(walk, index)),
        _ => None,
    };
    field(node, "object").zip(name)
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
            let mut at = 0;
            for part in all_children(node) {
                match part.kind() {
                    "," => at += 1,
                    _ if part.is_named() => {
                        let named = walk.part(value, at);
                        let element = walk.element(value);
                        let held = walk.guarded(named, element);
                        pattern(walk, part, held);
                    }
                    _ => {}
                }
            }
        }
        "pair_pattern" => {
            let held = match field(node, "key").and_then(|key| plain_name(walk, key)) {
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
    let Some((object, name)) = named_member(walk, left) else {
        // `app[name] = function () { … }`: `this` is the object.
        let object = field(left, "object").filter(|object| object.kind() == "identifier");
        let owner = object.and_then(|object| walk.defined_as(object)).or(walk.this);
        let before = std::mem::replace(&mut walk.this, owner);
        let value = match function_of(walk, right).filter(|_| left.kind() == "identifier") {
            Some(_) => assigned_function(walk, left, node, right),
            None => walk.visit(right),
        };
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
    };
    if is_exports(walk, left) {
        return exported_whole(walk, right);
    }
    if is_exports(walk, object) && is_name(name) {
        return exported_member(walk, name, node, right);
    }
    if assigned_prototype(walk, left, right) {
        return Value::Unknown;
    }
    if is_global_object(walk, bare(object))
        && is_name(name)
        && let Some(value) = assigned_globally(walk, name, node, right)
    {
        return value;
    }
    assigned_member(walk, left, object, name, node, right)
}

/// A function that a variable is given later.
fn assigned_function<'t>(walk: &mut Walk<'t>, name: Node<'t>, whole: Node<'t>, function: Node<'t>) -> Value {
    let variable = walk.defined_as(name);
    let Some(at) = local_function(walk, name, whole, function) else { return Value::Unknown };
    let value = Value::Itself(Source::Definition(at));
    if let Some(variable) = variable {
        walk.set_value(variable, value);
    }
    value
}

/// Names that runtimes define: tests put something else in their place, which others do not mean.
const OF_RUNTIMES: &[&str] = &[
    "Blob",
    "Buffer",
    "CSS",
    "CustomEvent",
    "DOMParser",
    "Event",
    "EventSource",
    "File",
    "FileReader",
    "FormData",
    "HTMLElement",
    "Headers",
    "Image",
    "IntersectionObserver",
    "MutationObserver",
    "Node",
    "Notification",
    "Request",
    "ResizeObserver",
    "Response",
    "TextDecoder",
    "TextEncoder",
    "URL",
    "URLSearchParams",
    "WebSocket",
    "Worker",
    "XMLHttpRequest",
    "alert",
    "atob",
    "btoa",
    "cancelAnimationFrame",
    "clearInterval",
    "clearTimeout",
    "close",
    "confirm",
    "console",
    "crypto",
    "document",
    "event",
    "fetch",
    "getComputedStyle",
    "getSelection",
    "global",
    "history",
    "indexedDB",
    "innerHeight",
    "innerWidth",
    "localStorage",
    "location",
    "matchMedia",
    "name",
    "navigator",
    "onerror",
    "onload",
    "open",
    "parent",
    "performance",
    "print",
    "process",
    "prompt",
    "queueMicrotask",
    "requestAnimationFrame",
    "requestIdleCallback",
    "require",
    "screen",
    "scroll",
    "scrollTo",
    "self",
    "sessionStorage",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "status",
    "structuredClone",
    "top",
    "window",
];

fn is_global_object<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> bool {
    node.kind() == "identifier"
        && GLOBAL_OBJECTS.contains(&walk.text_of(node))
        && !walk.is_bound(node)
        && walk.defined_as(node).is_none()
}

/// `globalThis.name = …`: what all files see, a definition unless it has that name already.
fn assigned_globally<'t>(
    walk: &mut Walk<'t>,
    name: Node<'t>,
    whole: Node<'t>,
    value: Node<'t>,
) -> Option<Value> {
    if walk.text_of(name) == walk.text_of(bare(value)) {
        let value = walk.visit(value);
        walk.export(GLOBAL, value);
        return Some(value);
    }
    if walk.is_defined(None, name) || OF_RUNTIMES.contains(&walk.text_of(name)) {
        return None;
    }
    let within = walk.within.take();
    let at = defined(walk, None, name, whole, value, None);
    walk.within = within;
    walk.definition(at?)?.traits = Traits::default();
    let value = Value::Itself(Source::Definition(at?));
    walk.export(GLOBAL, value);
    Some(value)
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
    let is_function = function_of(walk, right).is_some();
    let defines = is_function || bare(right).kind() == "class" || has_members(walk, right);
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
        let documented = super::doc::declared(walk, whole);
        let value = walk.visit(right);
        let value = documented.or(value);
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
    let value = match is_function {
        true => local_function(walk, name, whole, right)
            .map_or(Value::Unknown, |at| Value::Itself(Source::Definition(at))),
        false => walk.visit(right),
    };
    walk.this = before;
    // A field that was declared without a type, or is nothing at first.
    if is_this
        && value.is_typed()
        && let Some(at) = walk.member_defined_as(owner, name).filter(|_| owner.is_some())
        && walk
            .definition(at)
            .is_some_and(|field| field.kind == DefinitionKind::Field && !field.value.is_typed())
    {
        walk.override_value(at, value);
    }
    value
}
