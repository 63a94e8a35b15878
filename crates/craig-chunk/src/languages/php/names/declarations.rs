//! Types, members and functions of PHP.

use tree_sitter::Node;

use super::{before, doc, last_name};
use crate::grammar::{child, field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionIx, DefinitionKind, Imported, Role, Site, Source, Traits, Value};

/// The enclosing class by its keyword, or the one above it.
pub(super) fn own_class(walk: &Walk<'_>, name: &str) -> Option<Value> {
    let own = walk.this.map(|this| Value::Itself(Source::Definition(this)));
    match name {
        "self" | "static" | "__CLASS__" => Some(own.unwrap_or_default()),
        "parent" => Some(walk.this.map_or(Value::Unknown, Value::Super)),
        _ => None,
    }
}

/// A name of a class, function or constant: the thing itself.
pub(super) fn class_name<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let text = walk.text_of(node);
    if let Some(found) = own_class(walk, text) {
        return found;
    }
    match text {
        "true" | "false" | "null" | "TRUE" | "FALSE" | "NULL" => return Value::Builtin,
        _ => {}
    }
    if node.kind() == "name" {
        return walk.at_site(node, role, Site::Bare);
    }
    let name = last_name(node);
    if node.kind() == "relative_name" {
        return walk.at_site(name, role, Site::Bare);
    }
    if text.starts_with('\\') {
        let module = before(walk, node, name).trim_start_matches('\\');
        let id = walk.id(walk.text_of(name));
        let at = walk.import(node, None, module, Imported::Name(id), false);
        return walk.at_site(name, role, Site::Import(at));
    }
    let mut value = None;
    let mut parts = Vec::new();
    for part in named_children(node) {
        match part.kind() {
            "namespace_name" => {
                parts.extend(named_children(part));
            }
            _ => parts.push(part),
        }
    }
    for part in parts {
        let role = if part == name { role } else { Role::Import };
        value = Some(match value {
            None => walk.at_site(part, role, Site::Bare),
            Some(of) => walk.member(part, of, role),
        });
    }
    value.unwrap_or_default()
}

/// A type: its value is an instance of it.
pub(super) fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if matches!(walk.text_of(node), "self" | "static" | "?self" | "?static") {
        return walk.this_value();
    }
    if node.kind() == "primitive_type" {
        return match walk.text_of(node) {
            "array" | "iterable" | "mixed" | "object" => Value::Unknown,
            _ => Value::Builtin,
        };
    }
    let mut value = Value::Unknown;
    for part in named_children(node) {
        let found = match part.kind() {
            "name" | "qualified_name" | "relative_name" => walk.visit_as(part, Role::Type).instance(),
            _ => walk.visit(part),
        };
        if !value.is_typed() {
            value = found;
        }
    }
    value
}

pub(super) fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node) {
        match part.kind() {
            "arguments" => walk.visit(part),
            _ => walk.visit_as(part, Role::Call),
        };
    }
    Value::Unknown
}

pub(super) fn traits(node: Node<'_>, text: &str) -> Traits {
    let mut traits = Traits::default();
    for part in named_children(node) {
        match part.kind() {
            "static_modifier" => traits = traits.and(Traits::STATIC),
            "visibility_modifier" if text.get(part.byte_range()) == Some("private") => {
                traits = traits.and(Traits::PRIVATE);
            }
            _ => {}
        }
    }
    traits
}

pub(super) fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "interface_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    if let Some(definition) = walk.define(name, node, kind, Traits::default()) {
        let n_templates = walk.templates.len();
        doc::note_templates(walk, node, definition);
        doc::apply_supers(walk, node, definition);
        body_of_type(walk, node, definition);
        walk.inside_type(definition, |walk| doc::declared_members(walk, node, definition));
        walk.templates.truncate(n_templates);
    }
    Value::Unknown
}

pub(super) fn body_of_type<'t>(walk: &mut Walk<'t>, node: Node<'t>, definition: DefinitionIx) {
    walk.inside_type(definition, |walk| {
        let inherited = if node.kind() == "interface_declaration" { Role::Inherit } else { Role::Implement };
        for part in named_children(node) {
            match part.kind() {
                "base_clause" => add_supers(walk, part, definition, Role::Inherit),
                "class_interface_clause" => add_supers(walk, part, definition, inherited),
                "name" => {}
                _ => {
                    walk.visit(part);
                }
            }
        }
    });
}

pub(super) fn add_supers<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: DefinitionIx, role: Role) {
    for part in named_children(list) {
        if !matches!(part.kind(), "name" | "qualified_name" | "relative_name") {
            walk.visit(part);
            continue;
        }
        let value = walk.visit_as(part, role);
        if let Some(known) = walk.definition(of) {
            known.supers.push(value);
        }
    }
}

/// A trait lends its members.
pub(super) fn use_traits<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(this) = walk.this {
        for part in named_children(node) {
            if part.kind() != "use_list" {
                let value = walk.visit_as(part, Role::Inherit);
                if let Some(known) = walk.definition(this) {
                    known.supers.push(value);
                }
            }
        }
    }
    Value::Unknown
}

pub(super) fn constants<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = walk.field(node, "type");
    let traits = traits(node, walk.text);
    for element in named_children(node).filter(|part| part.kind() == "const_element") {
        let Some(name) = element.named_child(0) else { continue };
        let definition = walk.define(name, element, DefinitionKind::Constant, traits);
        let value = element.named_child(1).map_or(Value::Unknown, |value| walk.visit(value));
        if let Some(definition) = definition {
            walk.set_value(definition, declared.or(value));
        }
    }
    Value::Unknown
}

/// The name of a variable without its `$`.
pub(super) fn bare_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "name" => Some(node),
        "variable_name" => child(node, "name"),
        "by_ref" => node.named_child(0).and_then(|inner| child(inner, "name")),
        _ => None,
    }
}

pub(super) fn properties<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let traits = traits(node, walk.text);
    let declared = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    for element in named_children(node).filter(|part| part.kind() == "property_element") {
        let Some(name) = field(element, "name").and_then(bare_name) else { continue };
        let written = doc::variable_before(walk, node, walk.text_of(name));
        let value = doc::refined(walk, declared, field(node, "type"), written);
        if let Some(definition) = walk.define(name, node, DefinitionKind::Field, traits) {
            walk.set_value(definition, value);
        }
    }
    Value::Unknown
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_method = node.kind() == "method_declaration";
    let kind = match walk.text_of(name) {
        "__construct" if is_method => DefinitionKind::Constructor,
        _ if is_method => DefinitionKind::Method,
        _ => DefinitionKind::Function,
    };
    let traits = traits(node, walk.text);
    let parent = if is_method { walk.this } else { None };
    let Some(definition) = walk.define_in(parent, name, node, kind, traits) else { return Value::Unknown };
    let n_templates = walk.templates.len();
    doc::note_templates(walk, node, definition);
    walk.function(Some(definition), |walk| {
        let is_constructor = kind == DefinitionKind::Constructor;
        parameters(walk, node, is_constructor);
        let native = field(node, "return_type");
        let declared = match walk.field(node, "return_type") {
            // What it gives, the comment or the statements say.
            _ if native.is_some_and(|native| doc::is_iterator(walk.text_of(native))) => Value::Unknown,
            declared => declared,
        };
        let written = doc::type_before(walk, node, "return", None);
        let declared = doc::refined(walk, declared, native, written);
        walk.field(node, "attributes");
        walk.field(node, "body");
        declared
    });
    if returns_receiver(walk, node, definition) {
        walk.set_returns_receiver(definition);
    }
    // `(T is null ? Order : T)` depends on how the function is called.
    let is_conditional = doc::returned(walk, node).is_some_and(|documented| documented.starts_with('('));
    if is_conditional && field(node, "return_type").is_none() {
        walk.override_value(definition, Value::Unknown);
    }
    walk.templates.truncate(n_templates);
    Value::Unknown
}

/// Whether a method returns what it is called on: by its type, its comment, or else its statements.
pub(super) fn returns_receiver<'t>(walk: &mut Walk<'t>, node: Node<'t>, method: DefinitionIx) -> bool {
    let declared = field(node, "return_type").map(|declared| walk.text_of(declared));
    match declared.filter(|declared| !matches!(*declared, "self" | "?self")) {
        Some(declared) => doc::is_receiver(declared),
        None => match doc::returned(walk, node) {
            Some(documented) => doc::is_receiver(documented),
            None => {
                let this = walk.this_value();
                let returned = walk.definition(method).map(|known| known.value);
                declared.is_none() && this != Value::Unknown && returned == Some(this)
            }
        },
    }
}

/// Declares parameters; those of a constructor with a visibility are fields, too.
pub(super) fn parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>, is_constructor: bool) {
    let Some(list) = field(node, "parameters") else { return };
    let given = std::mem::take(&mut walk.callback);
    for (at, parameter) in named_children(list).enumerate() {
        walk.field(parameter, "attributes");
        let declared = walk.field(parameter, "type");
        let default = walk.field(parameter, "default_value");
        let Some(name) = field(parameter, "name").and_then(bare_name) else { continue };
        let written = doc::type_before(walk, node, "param", Some(walk.text_of(name)))
            .or_else(|| doc::type_before(walk, parameter, "var", None));
        let declared = doc::refined(walk, declared, field(parameter, "type"), written);
        let value = match parameter.kind() {
            "variadic_parameter" => declared.collection(),
            _ if declared == Value::Unknown && default != Value::Builtin => {
                default.or(given.get(at).copied().unwrap_or_default())
            }
            _ => declared,
        };
        walk.declare_local(name, value);
        if let (true, true, Some(this)) =
            (is_constructor, parameter.kind() == "property_promotion_parameter", walk.this)
        {
            let traits = Traits(traits(parameter, walk.text).0);
            let field = walk.define_in(Some(this), name, parameter, DefinitionKind::Field, traits);
            if let Some(field) = field {
                walk.set_value(field, value);
            }
        }
    }
}

pub(super) fn closure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let given = std::mem::take(&mut walk.callback);
    walk.function(None, |walk| {
        walk.callback = given;
        parameters(walk, node, false);
        walk.children_except(node, &["parameters", "body"]);
        let value = walk.field(node, "body");
        if node.kind() == "arrow_function" {
            walk.returns(value);
        }
        Value::Unknown
    });
    Value::Builtin
}
