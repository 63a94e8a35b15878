//! Classes, interfaces, enumerations and namespaces.

use tree_sitter::Node;

use super::functions::{function_body, is_function_type, type_parameters};
use super::objects::{FUNCTIONS, bare};
use super::types::WRAPPERS;
use crate::grammar::{all_children, child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Role, Source, Traits, Value};

pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match field(node, "name") {
        Some(name) => class_named(walk, node, name, None)
            .map_or(Value::Unknown, |at| Value::Itself(Source::Definition(at))),
        None => {
            walk.expected = Value::Unknown;
            walk.scope(ScopeKind::Function, |walk| walk.children(node));
            Value::Unknown
        }
    }
}

pub(super) fn class_named<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    name: Node<'t>,
    owner: Option<DefinitionIx>,
) -> Option<DefinitionIx> {
    walk.expected = Value::Unknown;
    let at = walk.define_in(owner.or(walk.within), name, node, DefinitionKind::Class, Traits::default())?;
    walk.bind(at);
    walk.scope(ScopeKind::Block, |walk| {
        let supers = walk.inside(Some(at), |walk| {
            type_parameters(walk, node);
            child(node, "class_heritage").map_or(Vec::new(), |heritage| inherited(walk, heritage))
        });
        if let Some(known) = walk.definition(at) {
            known.supers = supers;
        }
        for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
            walk.visit(decorator);
        }
        if let Some(body) = field(node, "body") {
            walk.inside_type(at, |walk| class_body(walk, body, at));
        }
    });
    Some(at)
}

fn inherited<'t>(walk: &mut Walk<'t>, heritage: Node<'t>) -> Vec<Value> {
    let mut supers = Vec::new();
    for part in named_children(heritage) {
        match part.kind() {
            "extends_clause" => {
                let of = walk.field_as(part, "value", Role::Inherit);
                let list = field(part, "type_arguments");
                let arguments = list.map_or(Vec::new(), |list| type_arguments(walk, list));
                walk.children_except(part, &["value", "type_arguments"]);
                supers.push(walk.applied(of, arguments));
            }
            "implements_clause" => supers.extend(super_types(walk, part, Role::Implement)),
            _ => supers.push(walk.visit_as(part, Role::Inherit)),
        }
    }
    supers
}

fn super_types<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> Vec<Value> {
    named_children(node)
        .map(|part| match part.kind() {
            "generic_type" => {
                let value = walk.field_as(part, "name", role);
                let name = field(part, "name").map_or("", |name| walk.text_of(name));
                let Some(list) = field(part, "type_arguments") else { return value };
                let arguments = type_arguments(walk, list);
                // `extends Partial<Base>`
                if WRAPPERS.contains(&name) {
                    arguments.first().copied().unwrap_or_default()
                } else {
                    walk.applied(value, arguments)
                }
            }
            _ => walk.visit_as(part, role),
        })
        .collect()
}

pub(super) fn type_arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Vec<Value> {
    named_children(list).map(|argument| walk.visit(argument)).collect()
}

pub(super) fn class_body<'t>(walk: &mut Walk<'t>, body: Node<'t>, owner: DefinitionIx) {
    for part in named_children(body) {
        match part.kind() {
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                method(walk, part, owner)
            }
            "field_definition" | "public_field_definition" | "property_signature" => {
                property(walk, part, owner);
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    all_children(node).any(|part| part.kind() == word)
}

pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
        walk.visit(decorator);
    }
    let Some(name) = field(node, "name") else { return };
    let mut traits = Traits::default();
    if has_word(node, "get") || has_word(node, "set") {
        traits = traits.and(Traits::PROPERTY);
    }
    if has_word(node, "static") {
        traits = traits.and(Traits::STATIC);
    }
    if node.kind() != "method_definition" {
        traits = traits.and(Traits::DECLARATION);
    }
    let at = match name.kind() {
        "property_identifier" | "private_property_identifier" => {
            let is_constructor = walk.text_of(name) == "constructor";
            let kind = if is_constructor { DefinitionKind::Constructor } else { DefinitionKind::Method };
            walk.define_in(Some(owner), name, node, kind, traits)
        }
        _ => {
            walk.visit(name);
            None
        }
    };
    let before = walk.this.replace(owner);
    function_body(walk, at, node);
    walk.this = before;
}

fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
        walk.visit(decorator);
    }
    let name = field(node, "name").or_else(|| field(node, "property"));
    let declared_type = field(node, "type");
    let is_object =
        declared_type.and_then(|of| of.named_child(0)).is_some_and(|of| of.kind() == "object_type");
    let declared = if is_object { Value::Unknown } else { walk.field(node, "type").instance() };
    let parameters = std::mem::take(&mut walk.parameters);
    let named = name.and_then(|name| match name.kind() {
        "property_identifier" | "private_property_identifier" => Some(name),
        "string" => child(name, "string_fragment"),
        _ => None,
    });
    let Some(name) = named else {
        if let Some(name) = name {
            walk.visit(name);
        }
        walk.field(node, if is_object { "type" } else { "value" });
        walk.field(node, "value");
        return;
    };
    let traits = if has_word(node, "static") { Traits::STATIC } else { Traits::default() };
    let value = field(node, "value");
    if let Some(value) = value.filter(|value| FUNCTIONS.contains(&bare(*value).kind())) {
        let at = walk.define_in(Some(owner), name, node, DefinitionKind::Method, traits);
        let before = walk.this.replace(owner);
        walk.expected = declared;
        function_body(walk, at, bare(value));
        walk.this = before;
        return;
    }
    let Some(at) = walk.define_in(Some(owner), name, node, DefinitionKind::Field, traits) else { return };
    if is_object {
        if let Some(of) = declared_type.and_then(|of| of.named_child(0)) {
            let before = walk.this;
            walk.inside(Some(at), |walk| class_body(walk, of, at));
            walk.this = before;
        }
    } else if declared_type.is_some_and(is_function_type) {
        walk.parameters = parameters;
        walk.set_parameters(at);
    }
    let held = value.map_or(Value::Unknown, |value| {
        walk.inside(Some(at), |walk| {
            walk.expected = declared;
            let held = walk.visit(value);
            walk.expected = Value::Unknown;
            held
        })
    });
    walk.set_value(at, declared.or(held));
}

pub(super) fn interface<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(at) = walk.define(name, node, DefinitionKind::Interface, Traits::default()) else {
        return Value::Unknown;
    };
    walk.bind(at);
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside(Some(at), |walk| type_parameters(walk, node));
        let clause = child(node, "extends_type_clause").or_else(|| child(node, "extends_clause"));
        if let Some(clause) = clause {
            let supers = walk.inside(Some(at), |walk| super_types(walk, clause, Role::Inherit));
            if let Some(known) = walk.definition(at) {
                known.supers = supers;
            }
        }
        if let Some(body) = field(node, "body") {
            walk.inside_type(at, |walk| class_body(walk, body, at));
        }
    });
    Value::Unknown
}

pub(super) fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(at) = walk.define(name, node, DefinitionKind::Enum, Traits::default()) else {
        return Value::Unknown;
    };
    walk.bind(at);
    let Some(body) = field(node, "body") else { return Value::Unknown };
    walk.inside_type(at, |walk| {
        for part in named_children(body) {
            let name = field(part, "name").unwrap_or(part);
            if name.kind() == "property_identifier" {
                walk.define_in(Some(at), name, part, DefinitionKind::EnumMember, Traits::STATIC);
            }
            walk.field(part, "value");
        }
    });
    Value::Unknown
}

pub(super) fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name").filter(|name| name.kind() == "identifier");
    let Some(at) = name.and_then(|name| walk.define(name, node, DefinitionKind::Module, Traits::default()))
    else {
        return walk.field(node, "body");
    };
    if let Some(body) = field(node, "body") {
        walk.inside(Some(at), |walk| walk.children(body));
    }
    Value::Unknown
}
