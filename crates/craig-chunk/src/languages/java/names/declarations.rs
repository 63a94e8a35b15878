//! Types, members and parameters of Java.

use super::types::type_parameters;
use tree_sitter::Node;

use crate::grammar::{all_children, child, field, named_children};
use crate::names::rules::itself;
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Parameter, Role, Site, Source, Traits, Value};

/// Modifiers and annotations, which come first.
pub(super) fn modifiers(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(0).filter(|first| first.kind() == "modifiers")
}

pub(super) fn traits(node: Node<'_>) -> (Traits, bool) {
    let mut traits = Traits::default();
    let mut is_final = false;
    if let Some(modifiers) = modifiers(node) {
        for modifier in all_children(modifiers) {
            match modifier.kind() {
                "static" => traits = traits.and(Traits::STATIC),
                "private" => traits = traits.and(Traits::PRIVATE),
                "public" => traits = traits.and(Traits::EXPORTED),
                "final" => is_final = true,
                _ => {}
            }
        }
    }
    (traits, is_final)
}

pub(super) fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "interface_declaration" | "annotation_type_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let Some(definition) = walk.define(name, node, kind, traits(node).0) else { return Value::Unknown };
    if walk.is_in_function() {
        walk.bind(definition);
    }
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            type_parameters(walk, node);
            let supers = supers(walk, node);
            if let Some(known) = walk.definition(definition) {
                known.supers = supers;
            }
            if let Some(list) = field(node, "parameters") {
                components(walk, list, definition);
            }
            walk.children_except(
                node,
                &["name", "type_parameters", "superclass", "interfaces", "parameters"],
            );
        });
    });
    Value::Unknown
}

pub(super) fn supers<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Vec<Value> {
    let mut supers = Vec::new();
    let extends = field(node, "superclass").or_else(|| child(node, "extends_interfaces"));
    for (list, role) in [(extends, Role::Inherit), (field(node, "interfaces"), Role::Implement)] {
        let Some(list) = list else { continue };
        let list = child(list, "type_list").unwrap_or(list);
        for part in named_children(list) {
            supers.push(itself(walk.visit_as(part, role)));
        }
    }
    supers
}

/// A component of a record is a field and the method that reads it.
pub(super) fn components<'t>(walk: &mut Walk<'t>, list: Node<'t>, owner: DefinitionIx) {
    let mut parts = Vec::new();
    for component in named_children(list) {
        let value = walk.field(component, "type");
        parts.push(value);
        if let Some(modifiers) = modifiers(component) {
            walk.visit(modifiers);
        }
        let Some(name) = field(component, "name") else { continue };
        for (kind, traits) in
            [(DefinitionKind::Field, Traits::PRIVATE), (DefinitionKind::Method, Traits::EXPORTED)]
        {
            if let Some(definition) = walk.define_in(Some(owner), name, component, kind, traits) {
                walk.set_value(definition, value);
                if kind == DefinitionKind::Method {
                    walk.set_arity(definition, Some(0));
                }
            }
        }
    }
    walk.positional(owner, list, &parts);
}

pub(super) fn enum_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let definition = walk.define(name, node, DefinitionKind::EnumMember, Traits::STATIC);
    walk.children_except(node, &["name", "body"]);
    if let (Some(definition), Some(body)) = (definition, field(node, "body")) {
        if let (Some(owner), Some(known)) = (walk.this, walk.definition(definition)) {
            known.supers.push(Value::Itself(Source::Definition(owner)));
        }
        walk.inside_type(definition, |walk| walk.visit(body));
    }
    Value::Unknown
}

pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "constructor_declaration" | "compact_constructor_declaration" => DefinitionKind::Constructor,
        _ if walk.this.is_none() => DefinitionKind::Function,
        _ => DefinitionKind::Method,
    };
    let Some(definition) = walk.define(name, node, kind, traits(node).0) else { return Value::Unknown };
    walk.function(Some(definition), |walk| {
        type_parameters(walk, node);
        let mut declared = walk.field(node, "type");
        if field(node, "dimensions").is_some() {
            declared = declared.collection();
        }
        let arity = match field(node, "parameters") {
            Some(list) => parameters(walk, list),
            None => (node.kind() == "annotation_type_element_declaration").then_some(0),
        };
        walk.set_arity(definition, arity);
        walk.set_parameters(definition);
        walk.children_except(node, &["name", "type_parameters", "type", "parameters", "dimensions"]);
        if kind == DefinitionKind::Constructor { walk.this_value() } else { declared }
    });
    Value::Unknown
}

/// Declares parameters; how many there are, if that is fixed.
pub(super) fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Option<u8> {
    let mut n = 0usize;
    let mut is_fixed = true;
    let mut found = Vec::new();
    for parameter in named_children(list) {
        match parameter.kind() {
            "formal_parameter" => {
                n += 1;
                let declared = typed(walk, parameter);
                found.push(Parameter { value: declared, takes: Vec::new() });
                if let Some(name) = field(parameter, "name") {
                    walk.declare_local(name, declared);
                }
            }
            "spread_parameter" => {
                is_fixed = false;
                let mut value = Value::Unknown;
                for part in named_children(parameter) {
                    match field(part, "name") {
                        Some(name) if part.kind() == "variable_declarator" => {
                            walk.declare_local(name, value.collection());
                        }
                        _ => value = walk.visit(part),
                    }
                }
            }
            _ => {}
        }
    }
    walk.parameters = found;
    u8::try_from(n).ok().filter(|_| is_fixed)
}

/// The declared type of a parameter or variable, with the dimensions behind its name.
pub(super) fn typed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(modifiers) = modifiers(node) {
        walk.visit(modifiers);
    }
    let declared = walk.field(node, "type");
    if field(node, "dimensions").is_some() { declared.collection() } else { declared }
}

pub(super) fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (traits, is_final) = traits(node);
    let is_constant = node.kind() == "constant_declaration" || (is_final && traits.has(Traits::STATIC));
    let kind = if is_constant { DefinitionKind::Constant } else { DefinitionKind::Field };
    let declared = typed(walk, node);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = field(declarator, "name") else { continue };
        let definition = walk.define(name, node, kind, traits);
        let value = walk.field(declarator, "value");
        let declared =
            if field(declarator, "dimensions").is_some() { declared.collection() } else { declared };
        if let Some(definition) = definition {
            walk.set_value(definition, declared.or(value));
        }
    }
    Value::Unknown
}

pub(super) fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field_as(node, "name", Role::Type);
    let Some(arguments) = field(node, "arguments") else { return Value::Unknown };
    for argument in named_children(arguments) {
        match field(argument, "key") {
            Some(key) if argument.kind() == "element_value_pair" => {
                walk.at_site(key, Role::Write, Site::Key(of.instance()));
                walk.field(argument, "value");
            }
            _ => {
                walk.visit(argument);
            }
        }
    }
    Value::Unknown
}

pub(super) fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = typed(walk, node);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = field(declarator, "name") else { continue };
        let value = walk.field(declarator, "value");
        let declared =
            if field(declarator, "dimensions").is_some() { declared.collection() } else { declared };
        walk.declare_local(name, declared.or(value));
    }
    Value::Unknown
}
