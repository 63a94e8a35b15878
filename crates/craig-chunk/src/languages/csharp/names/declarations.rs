//! Types, members and parameters of C#.

use super::types::{n_types, type_field, type_value};
use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Parameter, Role, Site, Source, Traits, Value};

pub(super) fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = field(node, "name").map_or(Value::Unknown, |name| attribute_type(walk, name));
    if let Some(list) = child(node, "attribute_argument_list") {
        for part in named_children(list) {
            if let Some(name) = field(part, "name") {
                walk.at_site(name, Role::Write, Site::Key(of));
            }
            walk.children_except(part, &["name"]);
        }
    }
    Value::Unknown
}

/// The type of an attribute, whose name may leave out its end: `[Logged]` of `LoggedAttribute`.
pub(super) fn attribute_type<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> Value {
    let written = type_value(walk, name, Role::Type);
    let text = walk.text_of(field(name, "name").unwrap_or(name));
    let Value::Instance(Source::Occurrence(at)) = written else { return written };
    let Some(site) = walk.found.occurrences.get(at as usize).map(|occurrence| occurrence.site) else {
        return written;
    };
    if text.ends_with("Attribute") {
        return written;
    }
    let whole = walk.name_where(at, &format!("{text}Attribute"), Role::Type, site).instance();
    walk.guarded(whole, written)
}

pub(super) fn traits(node: Node<'_>, text: &str) -> Traits {
    let mut traits = Traits::default();
    for part in named_children(node).filter(|part| part.kind() == "modifier") {
        match text.get(part.byte_range()) {
            Some("static" | "const") => traits = traits.and(Traits::STATIC),
            Some("public") => traits = traits.and(Traits::EXPORTED),
            _ => {}
        }
    }
    traits
}

pub(super) fn has_modifier(node: Node<'_>, text: &str, modifier: &str) -> bool {
    named_children(node)
        .any(|part| part.kind() == "modifier" && text.get(part.byte_range()) == Some(modifier))
}

pub(super) fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "interface_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let Some(definition) = walk.define(name, node, kind, traits(node, walk.text)) else {
        return Value::Unknown;
    };
    walk.set_arity(definition, Some(n_types(node, "type_parameter_list")).filter(|n| *n > 0));
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            type_parameters(walk, node);
            for part in named_children(node) {
                match part.kind() {
                    "base_list" if kind == DefinitionKind::Enum => {}
                    "base_list" => bases(walk, part, definition),
                    "parameter_list" => primary_parameters(walk, node, part, definition),
                    "type_parameter_list" | "type_parameter_constraints_clause" | "modifier" => {}
                    _ if Some(part) == field(node, "name") => {}
                    _ => {
                        walk.visit(part);
                    }
                }
            }
        });
    });
    Value::Unknown
}

pub(super) fn bases<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: DefinitionIx) {
    for part in named_children(list) {
        if part.kind() == "argument_list" {
            walk.visit(part);
            continue;
        }
        let base =
            if part.kind() == "primary_constructor_base_type" { field(part, "type") } else { Some(part) };
        let Some(base) = base else { continue };
        let mut letters = walk.text_of(base).rsplit('.').next().unwrap_or_default().chars();
        let is_interface = letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase);
        let role = if is_interface { Role::Implement } else { Role::Inherit };
        let value = match walk.visit_as(base, role) {
            Value::Instance(source) => Value::Itself(source),
            other => other,
        };
        if let Some(known) = walk.definition(of) {
            known.supers.push(value);
        }
        if base != part
            && let Some(arguments) = child(part, "argument_list")
        {
            walk.visit(arguments);
        }
    }
}

/// Parameters of a type are seen in all of it; those of a record are its properties.
pub(super) fn primary_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>, list: Node<'t>, of: DefinitionIx) {
    let mut parts = Vec::new();
    for parameter in named_children(list).filter(|part| part.kind() == "parameter") {
        let value = type_field(walk, parameter, "type");
        parts.push(value);
        let Some(name) = field(parameter, "name") else { continue };
        if node.kind() == "record_declaration" {
            let definition =
                walk.define_in(Some(of), name, parameter, DefinitionKind::Field, Traits::EXPORTED);
            if let Some(definition) = definition {
                walk.set_value(definition, value);
            }
        } else {
            walk.declare_local(name, value);
        }
    }
    if node.kind() == "record_declaration" {
        walk.positional(of, list, &parts);
    }
}

/// Declares type parameters, with the types that bound them.
pub(super) fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let list = field(node, "type_parameters").or_else(|| child(node, "type_parameter_list"));
    let Some(list) = list else { return };
    for (at, parameter) in named_children(list).enumerate() {
        if let Some(name) = field(parameter, "name") {
            walk.declare_type_parameter(name, at, Value::Unknown);
        }
    }
    for clause in named_children(node).filter(|part| part.kind() == "type_parameter_constraints_clause") {
        let mut value = Value::Unknown;
        for bound in named_children(clause) {
            value = value.or(type_field(walk, bound, "type"));
        }
        if let Some(name) = child(clause, "identifier") {
            let mut names = named_children(list).filter_map(|parameter| field(parameter, "name"));
            match names.position(|other| walk.text_of(other) == walk.text_of(name)) {
                Some(at) => walk.declare_type_parameter(name, at, value),
                None => walk.redeclare_local(walk.text_of(name), value),
            }
        }
    }
}

pub(super) fn delegate<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let definition = walk.define(name, node, DefinitionKind::Type, traits(node, walk.text));
    if let Some(definition) = definition {
        walk.set_arity(definition, Some(n_types(node, "type_parameter_list")).filter(|n| *n > 0));
    }
    walk.function(None, |walk| {
        walk.inside(definition, |walk| {
            type_parameters(walk, node);
            type_field(walk, node, "type");
            parameters(walk, node);
        });
        Value::Unknown
    });
    if let Some(definition) = definition {
        walk.set_parameters(definition);
    }
    Value::Unknown
}

pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "constructor_declaration" => DefinitionKind::Constructor,
        "method_declaration" if walk.this.is_some() => DefinitionKind::Method,
        _ => DefinitionKind::Function,
    };
    let mut traits = traits(node, walk.text);
    if field(node, "parameters")
        .and_then(|list| child(list, "parameter"))
        .is_some_and(|first| has_modifier(first, walk.text, "this"))
    {
        traits = traits.and(Traits::EXTENSION);
    }
    let Some(definition) = walk.define(name, node, kind, traits) else { return Value::Unknown };
    if traits.has(Traits::EXTENSION) {
        note_extended(walk, node, definition);
    }
    if kind == DefinitionKind::Function {
        walk.bind(definition);
    }
    walk.function(Some(definition), |walk| {
        type_parameters(walk, node);
        let declared = type_field(walk, node, "returns").or(type_field(walk, node, "type"));
        let arity = parameters(walk, node);
        if traits.has(Traits::EXTENSION) {
            // What it is called on.
            walk.parameters.drain(..1.min(walk.parameters.len()));
        } else {
            walk.set_arity(definition, arity);
        }
        walk.set_parameters(definition);
        rest(walk, node);
        declared
    });
    Value::Unknown
}

/// Notes the type that an extension extends, by its name.
pub(super) fn note_extended(walk: &mut Walk<'_>, node: Node<'_>, definition: DefinitionIx) {
    let first = field(node, "parameters").and_then(|list| child(list, "parameter"));
    let Some(of) = first.and_then(|first| field(first, "type")) else { return };
    let of = if of.kind() == "nullable_type" { field(of, "type").unwrap_or(of) } else { of };
    let name = if of.kind() == "generic_name" { child(of, "identifier") } else { Some(of) };
    if let Some(name) =
        name.map(|name| field(name, "name").unwrap_or(name)).filter(|name| name.kind() == "identifier")
    {
        let owner = walk.id_of(walk.text_of(name));
        if let Some(known) = walk.definition(definition) {
            known.owner = Some(owner);
        }
    }
}

/// The parts of a member that are neither its name nor its signature.
pub(super) fn rest<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let fields = ["name", "returns", "type", "parameters", "type_parameters", "operator"];
    let known: Vec<Node<'t>> = fields.iter().filter_map(|name| field(node, name)).collect();
    for part in named_children(node) {
        let is_read = !known.contains(&part)
            && !matches!(
                part.kind(),
                "modifier" | "type_parameter_constraints_clause" | "type_parameter_list"
            );
        match part.kind() {
            "explicit_interface_specifier" => {
                if let Some(of) = part.named_child(0) {
                    type_value(walk, of, Role::Type);
                }
            }
            _ if is_read => {
                walk.visit(part);
            }
            _ => {}
        }
    }
}

/// Declares parameters; how many there are, if that is fixed.
pub(super) fn parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<u8> {
    let list = field(node, "parameters").or_else(|| child(node, "parameter_list"))?;
    let mut n = 0usize;
    let mut is_fixed = true;
    let mut found = Vec::new();
    for parameter in named_children(list) {
        if parameter.kind() == "parameter" {
            n += 1;
            let value = type_field(walk, parameter, "type");
            found.push(Parameter { value, takes: Vec::new() });
            let Some(name) = field(parameter, "name") else { continue };
            let of = field(parameter, "type");
            for part in named_children(parameter) {
                if part != name && Some(part) != of && part.kind() != "modifier" {
                    is_fixed &= part.kind() == "attribute_list";
                    walk.visit(part);
                }
            }
            walk.declare_local(name, value);
        } else if parameter.kind() != "attribute_list" {
            // `params T[] all` has no node of its own in the list.
            is_fixed = false;
        }
    }
    if let (Some(of), Some(name)) = (field(list, "type"), field(list, "name")) {
        is_fixed = false;
        let value = type_value(walk, of, Role::Type);
        walk.declare_local(name, value);
    }
    walk.parameters = found;
    u8::try_from(n).ok().filter(|_| is_fixed)
}

/// An operator, indexer or destructor.
pub(super) fn unnamed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.function(None, |walk| {
        type_field(walk, node, "type");
        parameters(walk, node);
        rest(walk, node);
        Value::Unknown
    });
    Value::Unknown
}

pub(super) fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let traits = traits(node, walk.text).and(Traits::PROPERTY);
    let Some(definition) = walk.define(name, node, DefinitionKind::Field, traits) else {
        return Value::Unknown;
    };
    let value = type_field(walk, node, "type");
    walk.set_value(definition, value);
    walk.expected = value;
    walk.function(None, |walk| {
        walk.inside(Some(definition), |walk| rest(walk, node));
        Value::Unknown
    });
    Value::Unknown
}

pub(super) fn accessor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["name"]);
    Value::Unknown
}

pub(super) fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(list) = child(node, "variable_declaration") else { return Value::Unknown };
    let traits = traits(node, walk.text);
    let is_constant = has_modifier(node, walk.text, "const");
    let kind = if is_constant { DefinitionKind::Constant } else { DefinitionKind::Field };
    if let Some(attributes) = child(node, "attribute_list") {
        walk.visit(attributes);
    }
    let declared = type_field(walk, list, "type");
    for declarator in named_children(list).filter(|part| part.kind() == "variable_declarator") {
        let Some(name) = field(declarator, "name") else { continue };
        let definition = walk.define(name, node, kind, traits);
        walk.expected = declared;
        walk.children_except(declarator, &["name"]);
        if let Some(definition) = definition {
            walk.set_value(definition, declared);
        }
    }
    Value::Unknown
}

pub(super) fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = type_field(walk, node, "type");
    for declarator in named_children(node).filter(|part| part.kind() == "variable_declarator") {
        let name = field(declarator, "name");
        walk.expected = declared;
        let mut value = Value::Unknown;
        let pattern = child(declarator, "tuple_pattern");
        for part in named_children(declarator).filter(|part| Some(*part) != name && Some(*part) != pattern) {
            value = walk.visit(part);
        }
        walk.expected = Value::Unknown;
        if let Some(pattern) = pattern {
            declare_all(walk, pattern, value, Value::Unknown);
        } else if let Some(name) = name {
            walk.declare_local(name, declared.or(value));
        }
    }
    Value::Unknown
}

/// Declares the names of a pattern as the parts of a value.
pub(super) fn declare_all<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value, second: Value) {
    for (at, part) in named_children(node).enumerate() {
        if part.kind() == "identifier" {
            let named = walk.part(value, at);
            let held = walk.guarded(named, if at == 1 { second } else { Value::Unknown });
            walk.declare_local(part, held);
        }
    }
}
