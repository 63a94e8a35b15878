//! Items of Rust: structures, enumerations, traits, implementations and functions.

use super::macros::MAX_NESTED;
use super::paths::visibility;
use super::types::{bound_value, implemented, taken, type_parameters, where_clause};
use tree_sitter::Node;

use super::pattern;
use crate::grammar::{field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{
    Choice, DefinitionIx, DefinitionKind, IMPLEMENTATION, Parameter, Role, Source, Traits, Value,
};

/// Notes what a type parameter takes whose bound is the type of a function.
pub(super) fn note_callable<'t>(walk: &mut Walk<'t>, name: Option<Node<'t>>, takes: Vec<Value>) {
    if let Some(name) = name.filter(|_| !takes.is_empty()) {
        walk.callables.push((walk.text_of(name), takes));
    }
}

pub(super) fn define_item<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    kind: DefinitionKind,
) -> Option<DefinitionIx> {
    let name = field(node, "name")?;
    let definition = walk.define(name, node, kind, visibility(node));
    if let Some(definition) = definition.filter(|_| walk.is_in_function()) {
        walk.bind(definition);
    }
    definition
}

pub(super) fn structure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(definition) = define_item(walk, node, DefinitionKind::Class) else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            walk.declare_local_named("Self", Value::Itself(Source::Definition(definition)));
            type_parameters(walk, node, Some(definition));
            where_clause(walk, node);
            if let Some(body) = field(node, "body") {
                fields(walk, body, definition);
            }
        });
    });
    Value::Unknown
}

/// Reads the fields of a structure or variant; of one without a name, its type.
pub(super) fn fields<'t>(walk: &mut Walk<'t>, body: Node<'t>, owner: DefinitionIx) -> Value {
    let mut unnamed = Vec::new();
    for part in named_children(body) {
        let Some(name) = field(part, "name").filter(|_| part.kind() == "field_declaration") else {
            let found = walk.visit(part);
            if !matches!(
                part.kind(),
                "attribute_item" | "visibility_modifier" | "line_comment" | "block_comment"
            ) {
                unnamed.push(found);
            }
            continue;
        };
        let definition = walk.define_in(Some(owner), name, part, DefinitionKind::Field, visibility(part));
        let value = walk.inside(definition, |walk| walk.field(part, "type")).instance();
        if let Some(definition) = definition {
            walk.set_value(definition, value);
        }
    }
    let instances: Vec<Value> = unnamed.iter().map(|part| part.instance()).collect();
    walk.positional(owner, body, &instances);
    if let [only] = unnamed[..] { only } else { Value::Unknown }
}

pub(super) fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(definition) = define_item(walk, node, DefinitionKind::Enum) else { return Value::Unknown };
    let Some(body) = field(node, "body") else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            type_parameters(walk, node, Some(definition));
            where_clause(walk, node);
            for part in named_children(body) {
                let Some(name) = field(part, "name").filter(|_| part.kind() == "enum_variant") else {
                    walk.visit(part);
                    continue;
                };
                let kind = DefinitionKind::EnumMember;
                let variant = walk.define_in(Some(definition), name, part, kind, Traits::default());
                walk.inside(variant, |walk| {
                    if let (Some(body), Some(variant)) = (field(part, "body"), variant) {
                        let held = fields(walk, body, variant);
                        walk.set_value(variant, held.instance());
                    }
                    walk.field(part, "value");
                });
            }
        });
    });
    Value::Unknown
}

pub(super) fn interface<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(definition) = define_item(walk, node, DefinitionKind::Interface) else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            walk.declare_local_named("Self", Value::Itself(Source::Definition(definition)));
            type_parameters(walk, node, Some(definition));
            let mut supers = Vec::new();
            if let Some(bounds) = field(node, "bounds") {
                supers.extend(
                    named_children(bounds)
                        .filter(|bound| bound.kind() != "lifetime")
                        .map(|bound| walk.visit_as(bound, Role::Inherit)),
                );
            }
            where_clause(walk, node);
            if let Some(known) = walk.definition(definition) {
                known.supers = supers;
            }
            walk.field(node, "body");
        });
    });
    Value::Unknown
}

/// The name of the type that an `impl` is for.
pub(super) fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..MAX_NESTED {
        at = match at.kind() {
            "type_identifier" => return Some(at),
            "scoped_type_identifier" => field(at, "name")?,
            "generic_type" | "reference_type" => field(at, "type")?,
            _ => return None,
        };
    }
    None
}

pub(super) fn implementation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = field(node, "type") else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        type_parameters(walk, node, None);
        let of_trait = walk.field_as(node, "trait", Role::Implement);
        let value = walk.visit_as(of, Role::Type);
        where_clause(walk, node);
        let owner = type_name(of).filter(|name| !walk.is_bound(*name));
        let owner = owner.map(|name| walk.id(walk.text_of(name)));
        walk.declare_local_named("Self", value);
        if owner.is_some() && value.is_typed() && matches!(of_trait, Value::Itself(_)) {
            let implementation = walk.choice(Choice::Applied(of_trait, value));
            walk.export_as(IMPLEMENTATION, implementation);
        }
        let before = std::mem::replace(&mut walk.owner, owner);
        let instance = implemented(walk, of, value);
        walk.declare_local_named("self", instance);
        let this = walk.this.take();
        let first = walk.found.definitions.len();
        walk.field(node, "body");
        walk.this = this;
        walk.owner = before;
        // A trait may be implemented for what is no type of any project: for a parameter, a tuple.
        if let Value::Itself(_) = of_trait {
            for member in walk.found.definitions.iter_mut().skip(first) {
                let is_item = matches!(member.kind, DefinitionKind::Method | DefinitionKind::Constant);
                if is_item && !member.traits.has(Traits::LOCAL) {
                    member.supers = vec![of_trait];
                }
            }
        }
    });
    Value::Unknown
}

/// Notes the type that an `impl` is for as the owner of its member.
pub(super) fn owned(walk: &mut Walk<'_>, definition: Option<DefinitionIx>) {
    let owner = walk.owner;
    if let Some(known) = definition.and_then(|definition| walk.definition(definition)) {
        known.owner = owner;
    }
}

pub(super) fn is_member(node: Node<'_>) -> bool {
    let outer = node.parent().and_then(|list| list.parent());
    outer.is_some_and(|outer| matches!(outer.kind(), "impl_item" | "trait_item"))
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_member = is_member(node);
    let kind = if is_member { DefinitionKind::Method } else { DefinitionKind::Function };
    let definition = walk.define(name, node, kind, visibility(node));
    if is_member {
        owned(walk, definition);
    } else if let Some(definition) = definition.filter(|_| walk.is_in_function()) {
        walk.bind(definition);
    }
    let owner = walk.owner.take();
    let n_callables = walk.callables.len();
    walk.function(definition, |walk| {
        type_parameters(walk, node, definition);
        where_clause(walk, node);
        let taken = field(node, "parameters").map(|list| parameters(walk, list, &|_| Value::Unknown));
        let declared = walk.field(node, "return_type").instance();
        if let Some(definition) = definition {
            walk.parameters = taken.unwrap_or_default();
            walk.set_parameters(definition);
        }
        let value = field(node, "body").map_or(Value::Unknown, |body| walk.visit(body));
        declared.or(value)
    });
    walk.callables.truncate(n_callables);
    walk.owner = owner;
    Value::Unknown
}

/// Declares parameters, those without a type with what is given for them; what those that are functions take.
pub(super) fn parameters<'t>(
    walk: &mut Walk<'t>,
    list: Node<'t>,
    given: &dyn Fn(usize) -> Value,
) -> Vec<Parameter> {
    let mut found = Vec::new();
    for part in named_children(list) {
        match part.kind() {
            "self_parameter" => {
                let this = walk.local_value("self").or(walk.local_value("Self").instance());
                walk.declare_local_named("self", this);
            }
            "parameter" => {
                let (declared, mut takes) = taken(walk, |walk| walk.field(part, "type").instance());
                let of = field(part, "type").map_or("", |of| walk.text_of(of));
                if let Some((_, known)) = walk.callables.iter().rev().find(|(name, _)| *name == of) {
                    takes.clone_from(known);
                }
                found.push(Parameter { value: Value::Unknown, takes });
                if let Some(written) = field(part, "pattern") {
                    if written.kind() == "self" {
                        walk.declare_local_named("self", declared);
                    } else {
                        pattern(walk, written, declared, 0);
                    }
                }
            }
            "attribute_item" | "line_comment" | "block_comment" => {}
            _ => {
                pattern(walk, part, given(found.len()), 0);
                found.push(Parameter::default());
            }
        }
    }
    found
}

pub(super) fn constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let kind = match node.kind() {
        "static_item" => DefinitionKind::Variable,
        _ => DefinitionKind::Constant,
    };
    let definition = define_item(walk, node, kind);
    if is_member(node) {
        owned(walk, definition);
    }
    walk.inside(definition, |walk| {
        let declared = walk.field(node, "type").instance();
        let value = walk.field(node, "value");
        if let Some(definition) = definition {
            walk.set_value(definition, declared.or(value));
        }
    });
    Value::Unknown
}

pub(super) fn type_item<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_member = is_member(node);
    let definition = define_item(walk, node, DefinitionKind::Type);
    if is_member {
        owned(walk, definition);
    }
    walk.scope(ScopeKind::Block, |walk| {
        type_parameters(walk, node, definition);
        walk.inside(definition, |walk| {
            let bound = field(node, "bounds").map_or(Value::Unknown, |bounds| bound_value(walk, bounds));
            let value = walk.field(node, "type").or(bound).instance();
            if let Some(definition) = definition {
                walk.set_value(definition, value);
            }
        });
    });
    Value::Unknown
}
