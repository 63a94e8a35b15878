//! Types, functions, properties and their parameters.

use tree_sitter::Node;

use super::calls::{Call, arguments, call_of};
use super::types::{parameter_type, typed};
use super::{OF_FUNCTION, RECEIVER, is_type};
use crate::grammar::{child, field, named_children};
use crate::names::rules::itself;
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Role, Source, Traits, Value};

/// What the words before a declaration say.
#[derive(Clone, Copy, Default)]
struct Modifiers {
    traits: Traits,
    is_override: bool,
    is_constant: bool,
    is_enum: bool,
}

fn modifiers(walk: &Walk<'_>, node: Node<'_>) -> Modifiers {
    let mut found = Modifiers::default();
    if let Some(list) = child(node, "modifiers") {
        for part in named_children(list) {
            let add = match walk.text_of(part) {
                "private" => Traits::PRIVATE,
                "public" => Traits::EXPORTED,
                "expect" => Traits::DECLARATION,
                _ => Traits::default(),
            };
            found.traits = found.traits.and(add);
            match walk.text_of(part) {
                "override" => found.is_override = true,
                "const" => found.is_constant = true,
                "enum" => found.is_enum = true,
                _ => {}
            }
        }
    }
    if walk.is_static && !found.is_override {
        found.traits = found.traits.and(Traits::STATIC);
    }
    found
}

fn annotations<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    if let Some(list) = child(node, "modifiers") {
        walk.visit(list);
    }
}

pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let modifiers = modifiers(walk, node);
    let kind = if child(node, "interface").is_some() {
        DefinitionKind::Interface
    } else if modifiers.is_enum || child(node, "enum_class_body").is_some() {
        DefinitionKind::Enum
    } else {
        DefinitionKind::Class
    };
    let Some(definition) = walk.define(name, node, kind, modifiers.traits) else { return Value::Unknown };
    if !is_member(node) {
        walk.bind(definition);
    }
    type_parts(walk, node, definition);
    Value::Unknown
}

/// Reads what stands in a declaration of a type.
fn type_parts<'t>(walk: &mut Walk<'t>, node: Node<'t>, definition: DefinitionIx) {
    let is_static = std::mem::take(&mut walk.is_static);
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            instance_is(walk, Value::Instance(Source::Definition(definition)), Value::Unknown);
            annotations(walk, node);
            type_parameters(walk, node);
            let parameters = constructor_parameters(walk, node, definition);
            let supers = walk.scope(ScopeKind::Block, |walk| {
                declare(walk, &parameters);
                constructor_defaults(walk, node);
                supers(walk, node)
            });
            if let Some(known) = walk.definition(definition) {
                known.supers.extend(supers);
            }
            let body = child(node, "class_body").or_else(|| child(node, "enum_class_body"));
            let body = body.or_else(|| delegated(node)?.lambda);
            if let Some(body) = body {
                members(walk, body, &parameters);
            }
        });
    });
    walk.is_static = is_static;
}

/// Says what `this` is, and what bare names may be members of beside the enclosing type.
pub(super) fn instance_is(walk: &mut Walk<'_>, this: Value, receiver: Value) {
    walk.declare_local_named("this", this);
    walk.declare_local_named(RECEIVER, receiver);
    walk.declare_local_named(OF_FUNCTION, Value::Unknown);
}

pub(super) fn declare<'t>(walk: &mut Walk<'t>, parameters: &[(Node<'t>, Value)]) {
    for &(name, value) in parameters {
        walk.declare_local(name, value);
    }
}

/// Reads members; initializers see the parameters of the constructor.
fn members<'t>(walk: &mut Walk<'t>, body: Node<'t>, parameters: &[(Node<'t>, Value)]) {
    for member in named_children(body) {
        match member.kind() {
            "property_declaration" | "anonymous_initializer" if !parameters.is_empty() => {
                walk.scope(ScopeKind::Block, |walk| {
                    declare(walk, parameters);
                    walk.visit(member);
                });
            }
            _ => {
                walk.visit(member);
            }
        }
    }
}

/// `by list { … }` of a class: its body is read as an argument of a call.
fn delegated(node: Node<'_>) -> Option<Call<'_>> {
    let list = child(node, "delegation_specifiers")?;
    let last = list.named_child_count().checked_sub(1).and_then(|last| list.named_child(last as u32))?;
    let call = child(child(last, "explicit_delegation")?, "call_expression")?;
    Call::new(call).filter(|call| call.lambda.is_some_and(is_body))
}

/// Whether a lambda is the body of a class.
fn is_body(lambda: Node<'_>) -> bool {
    let is_argument = |around: Node<'_>| around.kind() == "explicit_delegation";
    let call = lambda.parent().and_then(|annotated| annotated.parent());
    call.and_then(|call| call.parent()).is_some_and(is_argument)
        && named_children(lambda).any(|part| part.kind().ends_with("_declaration"))
}

fn class_parameters<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let made =
        if node.kind() == "primary_constructor" { Some(node) } else { child(node, "primary_constructor") };
    let list = made.and_then(|made| child(made, "class_parameters"));
    let Some(list) = list else { return Vec::new() };
    named_children(list).filter(|part| part.kind() == "class_parameter").collect()
}

/// Parameters of the constructor: properties are members; the others are returned.
pub(super) fn constructor_parameters<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    owner: DefinitionIx,
) -> Vec<(Node<'t>, Value)> {
    let mut locals = Vec::new();
    if let Some(made) = child(node, "primary_constructor") {
        annotations(walk, made);
    }
    let mut parts = Vec::new();
    for parameter in class_parameters(node) {
        let local = class_parameter(walk, parameter, owner);
        let member =
            child(parameter, "identifier").and_then(|name| walk.member_defined_as(Some(owner), name));
        parts.push(member.and_then(|at| walk.definition(at)).map_or(Value::Unknown, |known| known.value));
        locals.extend(local);
    }
    if has_modifier(walk, node, "data") {
        walk.positional(owner, node, &parts);
    }
    locals
}

/// A parameter of the constructor, if it is no property.
pub(super) fn class_parameter<'t>(
    walk: &mut Walk<'t>,
    parameter: Node<'t>,
    owner: DefinitionIx,
) -> Option<(Node<'t>, Value)> {
    annotations(walk, parameter);
    let value = typed(walk, parameter);
    let is_several = has_modifier(walk, parameter, "vararg");
    let value = if is_several { value.collection() } else { value };
    let name = child(parameter, "identifier")?;
    if child(parameter, "val").or_else(|| child(parameter, "var")).is_none() {
        return Some((name, value));
    }
    let traits = modifiers(walk, parameter).traits;
    let of = walk.define_in(Some(owner), name, parameter, DefinitionKind::Field, traits)?;
    walk.set_value(of, value);
    None
}

fn has_modifier(walk: &Walk<'_>, node: Node<'_>, word: &str) -> bool {
    let Some(list) = child(node, "modifiers") else { return false };
    named_children(list).any(|part| walk.text_of(part) == word)
}

/// What parameters of the constructor are if no argument is given.
pub(super) fn constructor_defaults<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    for parameter in class_parameters(node) {
        constructor_default(walk, parameter, &[]);
    }
}

pub(super) fn constructor_default<'t>(
    walk: &mut Walk<'t>,
    parameter: Node<'t>,
    locals: &[(Node<'t>, Value)],
) {
    walk.scope(ScopeKind::Block, |walk| {
        declare(walk, locals);
        let parts = named_children(parameter).skip_while(|part| !is_type(*part));
        for part in parts.skip(1) {
            walk.visit(part);
        }
    });
}

/// Declares type parameters, with the bounds behind `where`.
fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let lists = [("type_parameters", "type_parameter"), ("type_constraints", "type_constraint")];
    for (list, kind) in lists {
        let Some(list) = child(node, list) else { continue };
        let parameters: Vec<Node<'t>> = named_children(list).filter(|part| part.kind() == kind).collect();
        // The bounds may name all of them.
        for name in parameters.iter().filter_map(|&parameter| child(parameter, "identifier")) {
            walk.declare_local(name, Value::Unknown);
        }
        for (at, parameter) in parameters.into_iter().enumerate() {
            let value = typed(walk, parameter);
            match child(parameter, "identifier") {
                Some(name) if kind == "type_parameter" => walk.declare_type_parameter(name, at, value),
                Some(name) => {
                    walk.declare_local(name, value);
                }
                None => {}
            }
        }
    }
}

fn supers<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Vec<Value> {
    child(node, "delegation_specifiers").map_or(Vec::new(), |list| supers_of(walk, list))
}

pub(super) fn supers_of<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Vec<Value> {
    let mut supers = Vec::new();
    let node = list.parent().unwrap_or(list);
    for specifier in named_children(list) {
        for part in named_children(specifier) {
            match part.kind() {
                "constructor_invocation" | "explicit_delegation" => {
                    let is_class = part.kind() == "constructor_invocation";
                    let role = if is_class { Role::Inherit } else { Role::Implement };
                    for (at, inner) in named_children(part).enumerate() {
                        if at == 0 {
                            supers.push(itself(walk.visit_as(inner, role)));
                        } else if let Some(call) =
                            delegated(node).filter(|_| inner.kind() == "call_expression")
                        {
                            if call.arguments.is_some() {
                                call_of(walk, &Call { lambda: None, ..call });
                            } else {
                                walk.visit(call.callee);
                            }
                        } else {
                            walk.visit(inner);
                        }
                    }
                }
                "annotation" => {
                    walk.visit(part);
                }
                _ => supers.push(itself(walk.visit_as(part, Role::Implement))),
            }
        }
    }
    supers
}

/// Members of a companion are members of the class.
pub(super) fn companion<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    annotations(walk, node);
    let supers = supers(walk, node);
    if let Some(name) = field(node, "name")
        && let Some(definition) = walk.define(name, node, DefinitionKind::Class, Traits::STATIC)
        && let Some(known) = walk.definition(definition)
    {
        known.supers.clone_from(&supers);
    }
    if let Some(known) = walk.this.and_then(|this| walk.definition(this)) {
        known.supers.extend(supers);
    }
    let is_static = std::mem::replace(&mut walk.is_static, true);
    if let Some(body) = child(node, "class_body") {
        walk.children(body);
    }
    walk.is_static = is_static;
    Value::Unknown
}

pub(super) fn object<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let specifier = child(node, "delegation_specifiers").and_then(|list| list.named_child(0));
    let end = specifier.map_or(node.start_byte() + "object".len(), |specifier| specifier.end_byte());
    let text = walk.text.get(node.start_byte()..end).unwrap_or_default();
    let text = text.split(['(', '<', '\n']).next().unwrap_or_default().trim_end();
    let Some(definition) = walk.define_as(text, node, node, DefinitionKind::Class, Traits::LOCAL) else {
        return walk.children(node);
    };
    type_parts(walk, node, definition);
    Value::Instance(Source::Definition(definition))
}

pub(super) fn enum_entry<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = child(node, "identifier") else { return Value::Unknown };
    annotations(walk, node);
    let definition = walk.define(name, node, DefinitionKind::EnumMember, Traits::STATIC);
    if let Some(list) = child(node, "value_arguments") {
        let of = walk.this_value();
        arguments(walk, list, Value::Unknown, Value::Unknown, Some(of));
    }
    if let (Some(definition), Some(body)) = (definition, child(node, "class_body")) {
        if let (Some(owner), Some(known)) = (walk.this, walk.definition(definition)) {
            known.supers.push(Value::Itself(Source::Definition(owner)));
        }
        walk.scope(ScopeKind::Block, |walk| {
            instance_is(walk, Value::Instance(Source::Definition(definition)), Value::Unknown);
            walk.inside_type(definition, |walk| walk.children(body));
        });
    }
    Value::Unknown
}

pub(super) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "type") else { return Value::Unknown };
    let traits = modifiers(walk, node).traits;
    let definition = walk.define(name, node, DefinitionKind::Type, traits);
    walk.scope(ScopeKind::Block, |walk| {
        type_parameters(walk, node);
        let value = typed(walk, node);
        if let Some(definition) = definition {
            walk.set_value(definition, value);
        }
    });
    Value::Unknown
}

pub(super) fn constructor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let around = node.parent().and_then(|body| if body.is_error() { Some(body) } else { body.parent() });
    let name = around.and_then(|around| field(around, "name").or_else(|| child(around, "identifier")));
    let (Some(keyword), Some(name)) = (child(node, "constructor"), name) else { return walk.children(node) };
    let traits = modifiers(walk, node).traits;
    let definition = walk.define_as(walk.text_of(name), keyword, node, DefinitionKind::Constructor, traits);
    walk.function(definition, |walk| {
        annotations(walk, node);
        let arity = parameters(walk, node);
        if let Some(definition) = definition {
            walk.set_arity(definition, arity);
        }
        for part in ["constructor_delegation_call", "block"] {
            if let Some(part) = child(node, part) {
                walk.visit(part);
            }
        }
        walk.this_value()
    });
    Value::Unknown
}

pub(super) fn initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Function, |walk| walk.children(node));
    Value::Unknown
}

/// Whether a declaration is one of a type or of the file, and not of a function.
fn is_member(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return true };
    let is_read_as_body = matches!(parent.kind(), "source_file" | "class_body" | "enum_class_body")
        || parent.kind() == "lambda_literal" && is_body(parent);
    is_read_as_body || parent.is_error() && parent.parent().is_none_or(|file| file.kind() == "source_file")
}

/// The type before the name of an extension.
fn receiver<'t>(node: Node<'t>, name: Node<'t>) -> Option<Node<'t>> {
    let mut before = named_children(node).take_while(|part| part.start_byte() < name.start_byte());
    before.find(|part| is_type(*part))
}

/// The name of the type that a receiver is of, with those of the types around it; nothing of a type parameter.
fn receiver_name<'t>(walk: &Walk<'t>, node: Node<'t>, receiver: Node<'t>) -> Option<&'t str> {
    let mut of = receiver;
    for _ in 0..8 {
        if of.kind() == "user_type" {
            break;
        }
        of = named_children(of).find(|part| is_type(*part))?;
    }
    let names = named_children(of).filter(|part| part.kind() == "identifier");
    let names: Vec<Node<'t>> = names.filter(|name| walk.text_of(*name) != "Companion").collect();
    let &last = names.last()?;
    let is_type_name = |name: &&Node<'t>| walk.text_of(**name).starts_with(char::is_uppercase);
    let &outermost = names.iter().find(is_type_name).unwrap_or(&last);
    let name = walk.text.get(outermost.start_byte()..last.end_byte())?;
    let mut lists = named_children(node).filter(|part| part.kind() == "type_parameters");
    let is_parameter = lists.any(|list| {
        named_children(list).filter_map(|part| child(part, "identifier")).any(|of| walk.text_of(of) == name)
    });
    (!is_parameter).then_some(name)
}

/// Notes what an extension extends.
fn extends<'t>(walk: &mut Walk<'t>, node: Node<'t>, receiver: Option<Node<'t>>, of: Option<DefinitionIx>) {
    if let Some(receiver) = receiver
        && let Some(name) = receiver_name(walk, node, receiver)
    {
        let name = walk.id(name);
        if let Some(known) = of.and_then(|of| walk.definition(of)) {
            known.owner = Some(name);
        }
    }
}

/// In an extension `this` is what it is called on.
fn receiver_is<'t>(walk: &mut Walk<'t>, receiver: Option<Node<'t>>) {
    if let Some(receiver) = receiver {
        let value = walk.visit_as(receiver, Role::Type);
        let is_in_type = walk.this.is_some();
        instance_is(walk, value, if is_in_type { value } else { Value::Unknown });
    }
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_member = is_member(node);
    let kind = if is_member && walk.is_in_type() { DefinitionKind::Method } else { DefinitionKind::Function };
    let receiver = receiver(node, name);
    let mut traits = modifiers(walk, node).traits;
    if let Some(receiver) = receiver {
        traits = traits.and(Traits::EXTENSION);
        let is_parameter = receiver_name(walk, node, receiver).is_none();
        let of = return_type(node).map(|of| walk.text_of(of));
        if is_parameter && of == Some(walk.text_of(receiver)) {
            traits = traits.and(Traits::RETURNS_RECEIVER);
        }
    }
    let definition = walk.define(name, node, kind, traits);
    extends(walk, node, receiver, definition);
    if let Some(definition) = definition.filter(|_| !is_member) {
        walk.bind(definition);
    }
    walk.function(definition, |walk| {
        annotations(walk, node);
        type_parameters(walk, node);
        receiver_is(walk, receiver);
        let arity = parameters(walk, node);
        if let Some(definition) = definition {
            walk.set_arity(definition, arity);
            walk.set_parameters(definition);
        }
        returned(walk, node)
    });
    Value::Unknown
}

/// The type behind the parameters.
fn return_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut behind = named_children(node).skip_while(|part| part.kind() != "function_value_parameters");
    behind.find(|part| is_type(*part))
}

/// What a function returns: of the declared type, else by its body.
fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = return_type(node).map(|of| walk.visit_as(of, Role::Type));
    let Some(body) = child(node, "function_body") else { return declared.unwrap_or(Value::Builtin) };
    let value = walk.children(body);
    let has_block = child(body, "block").is_some();
    declared.unwrap_or(if has_block { Value::Builtin } else { value })
}

/// Declares parameters; how many there are, if that is fixed.
fn parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<u8> {
    let list = child(node, "function_value_parameters")?;
    let mut receiver = Value::Unknown;
    let mut n = 0usize;
    let mut is_fixed = true;
    let mut is_several = false;
    let mut found = Vec::new();
    for part in named_children(list) {
        match part.kind() {
            "parameter_modifiers" => {
                is_several = walk.text_of(part).split_whitespace().any(|word| word == "vararg");
                walk.visit(part);
            }
            "parameter" => {
                n += 1;
                is_fixed &= !is_several;
                let (mut parameter, of_lambda) = parameter_type(walk, part);
                receiver = of_lambda;
                let value = parameter.value;
                parameter.value = if std::mem::take(&mut is_several) { value.collection() } else { value };
                if let Some(name) = child(part, "identifier") {
                    walk.declare_local(name, parameter.value);
                }
                found.push(parameter);
            }
            "line_comment" | "block_comment" => {}
            // What it is if no argument is given.
            _ => {
                is_fixed = false;
                walk.visit(part);
            }
        }
    }
    if let Some(function) = walk.within.filter(|_| receiver != Value::Unknown)
        && let Some(known) = walk.definition(function).filter(|known| known.kind.is_callable())
    {
        known.supers = vec![receiver];
    }
    walk.parameters = found;
    u8::try_from(n).ok().filter(|_| is_fixed)
}

pub(super) fn anonymous_function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Function, |walk| {
        let list = child(node, "function_value_parameters");
        receiver_is(walk, list.and_then(|list| receiver(node, list)));
        parameters(walk, node);
        returned(walk, node);
    });
    Value::Unknown
}

pub(super) fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    annotations(walk, node);
    let Some(declared) = child(node, "variable_declaration") else { return destructured(walk, node) };
    let Some(name) = child(declared, "identifier") else { return Value::Unknown };
    if !is_member(node) {
        let of = typed(walk, declared);
        let value = initial_value(walk, node, declared);
        walk.declare_local(name, of.or(value));
        return Value::Unknown;
    }
    let receiver = receiver(node, name);
    let modifiers = modifiers(walk, node);
    let is_constant =
        modifiers.is_constant || walk.text_of(name).chars().all(|c| c.is_uppercase() || c == '_');
    let kind = match (is_constant, walk.is_in_type()) {
        (true, _) => DefinitionKind::Constant,
        (false, true) => DefinitionKind::Field,
        (false, false) => DefinitionKind::Variable,
    };
    let is_extension = receiver.is_some();
    let traits = if is_extension { modifiers.traits.and(Traits::EXTENSION) } else { modifiers.traits };
    let definition = walk.define(name, node, kind, traits);
    extends(walk, node, receiver, definition);
    walk.scope(ScopeKind::Block, |walk| {
        type_parameters(walk, node);
        let of = typed(walk, declared);
        let value = initial_value(walk, node, declared);
        receiver_is(walk, receiver);
        let read = accessors(walk, node, definition, of);
        if let Some(definition) = definition {
            walk.set_value(definition, of.or(value).or(read));
        }
    });
    Value::Unknown
}

/// The value behind `=` or `by`.
fn initial_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, declared: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node).skip_while(|part| *part != declared).skip(1) {
        match part.kind() {
            "getter" | "setter" | "type_constraints" => {}
            "property_delegate" => {
                let by = walk.children(part);
                let call = part.named_child(0).map_or("", |call| walk.text_of(call));
                value = if call.starts_with("lazy") { by } else { Value::Unknown };
            }
            _ => value = walk.visit(part),
        }
    }
    value
}

/// Reads getter and setter; what the getter returns.
fn accessors<'t>(walk: &mut Walk<'t>, node: Node<'t>, definition: Option<DefinitionIx>, of: Value) -> Value {
    let mut value = Value::Unknown;
    for kind in ["getter", "setter"] {
        if let Some(part) = child(node, kind) {
            walk.expected = of;
            let read = walk.inside(definition, |walk| accessor(walk, part));
            value = if kind == "getter" { read } else { value };
        }
    }
    value
}

pub(super) fn accessor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = std::mem::take(&mut walk.expected);
    walk.scope(ScopeKind::Function, |walk| {
        walk.declare_local_named("field", of);
        annotations(walk, node);
        let declared = typed(walk, node);
        if let Some(name) = child(node, "identifier") {
            walk.declare_local(name, declared.or(of));
        }
        let value = child(node, "function_body").map_or(Value::Unknown, |body| walk.children(body));
        declared.or(value)
    })
}

/// `val (a, b) = pair`
fn destructured<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(list) = child(node, "multi_variable_declaration") else { return walk.children(node) };
    let value = initial_value(walk, node, list);
    if is_member(node) {
        for name in named_children(list).filter_map(|part| child(part, "identifier")) {
            walk.define(name, node, DefinitionKind::Variable, Traits::default());
        }
    } else {
        let parts = named_children(list).filter(|part| part.kind() == "variable_declaration");
        for (at, part) in parts.enumerate() {
            let held = walk.part(value, at);
            declare_each(walk, part, held);
        }
    }
    Value::Unknown
}

/// Declares what is taken apart: its parts, or behind a key or an index an element.
fn declare_several<'t>(walk: &mut Walk<'t>, list: Node<'t>, element: Value) {
    let parts = named_children(list).filter(|part| part.kind() == "variable_declaration");
    for (at, part) in parts.enumerate() {
        let named = walk.part(element, at);
        let held = walk.guarded(named, if at == 1 { element } else { Value::Unknown });
        declare_each(walk, part, held);
    }
}

/// Declares a parameter of a lambda or loop.
pub(super) fn declare_each<'t>(walk: &mut Walk<'t>, part: Node<'t>, value: Value) {
    if part.kind() == "multi_variable_declaration" {
        declare_several(walk, part, value);
        return;
    }
    let of = typed(walk, part);
    if let Some(name) = child(part, "identifier") {
        walk.declare_local(name, of.or(value));
    }
}
