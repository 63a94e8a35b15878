//! Names in Java.

mod declarations;
pub(crate) mod types;

use tree_sitter::Node;

use crate::grammar::{all_children, child, field, named_children};
use crate::names::rules::{assignment, itself, plain, ternary, this};
use crate::names::walk::NameRule::{Block, Literal, Name, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionKind, Imported, Role, Site, Traits, Value};
use declarations::{
    annotation, enum_constant, fields, method, parameters, type_declaration, typed, variables,
};
use types::{annotated_type, array_type, class_literal, generic, scoped, scoped_type, type_name};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("line_comment", Skip),
        ("block_comment", Skip),
        ("string_literal", Read(string)),
        ("character_literal", Literal),
        ("decimal_integer_literal", Literal),
        ("hex_integer_literal", Literal),
        ("octal_integer_literal", Literal),
        ("binary_integer_literal", Literal),
        ("decimal_floating_point_literal", Literal),
        ("hex_floating_point_literal", Literal),
        ("true", Literal),
        ("false", Literal),
        ("null_literal", Literal),
        ("integral_type", Literal),
        ("floating_point_type", Literal),
        ("boolean_type", Literal),
        ("void_type", Literal),
        ("package_declaration", Read(package)),
        ("import_declaration", Read(import)),
        ("exports_module_directive", Skip),
        ("opens_module_directive", Skip),
        ("requires_module_directive", Skip),
        ("identifier", Name),
        ("scoped_identifier", Read(scoped)),
        ("this", Read(this)),
        ("type_identifier", Read(type_name)),
        ("scoped_type_identifier", Read(scoped_type)),
        ("generic_type", Read(generic)),
        ("array_type", Read(array_type)),
        ("annotated_type", Read(annotated_type)),
        ("class_literal", Read(class_literal)),
        ("class_declaration", Read(type_declaration)),
        ("record_declaration", Read(type_declaration)),
        ("interface_declaration", Read(type_declaration)),
        ("enum_declaration", Read(type_declaration)),
        ("annotation_type_declaration", Read(type_declaration)),
        ("enum_constant", Read(enum_constant)),
        ("method_declaration", Read(method)),
        ("constructor_declaration", Read(method)),
        ("compact_constructor_declaration", Read(method)),
        ("annotation_type_element_declaration", Read(method)),
        ("field_declaration", Read(fields)),
        ("constant_declaration", Read(fields)),
        ("marker_annotation", Read(annotation)),
        ("annotation", Read(annotation)),
        ("local_variable_declaration", Read(variables)),
        ("resource", Read(resource)),
        ("enhanced_for_statement", Read(for_each)),
        ("for_statement", Block),
        ("block", Block),
        ("constructor_body", Block),
        ("switch_block_statement_group", Block),
        ("switch_rule", Block),
        ("try_with_resources_statement", Block),
        ("while_statement", Block),
        ("catch_clause", Read(catch)),
        ("switch_expression", Read(switch)),
        ("type_pattern", Read(type_pattern)),
        ("record_pattern", Read(record_pattern)),
        ("labeled_statement", Read(labeled)),
        ("break_statement", Skip),
        ("continue_statement", Skip),
        ("parenthesized_expression", Transparent),
        ("unary_expression", Read(plain)),
        ("binary_expression", Read(plain)),
        ("instanceof_expression", Read(instance_of)),
        ("ternary_expression", Read(ternary)),
        ("assignment_expression", Read(assignment)),
        ("update_expression", Read(update)),
        ("cast_expression", Read(cast)),
        ("field_access", Read(field_access)),
        ("array_access", Read(array_access)),
        ("array_creation_expression", Read(array_creation)),
        ("method_invocation", Read(call)),
        ("object_creation_expression", Read(creation)),
        ("explicit_constructor_invocation", Read(constructor_call)),
        ("method_reference", Read(method_reference)),
        ("return_statement", Read(returned)),
        ("lambda_expression", Read(lambda)),
    ],
    hoists: false,
};

fn string<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node).filter(|part| part.kind() == "string_interpolation") {
        walk.children(part);
    }
    Value::Builtin
}

fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = child(node, "scoped_identifier").or_else(|| child(node, "identifier"));
    if let Some(name) = name {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    Value::Unknown
}

fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(path) = child(node, "scoped_identifier").or_else(|| child(node, "identifier")) else {
        return Value::Unknown;
    };
    if child(node, "asterisk").is_some() {
        walk.import(node, None, walk.text_of(path), Imported::All, false);
        imported_types(walk, path);
    } else if let (Some(scope), Some(name)) = (field(path, "scope"), field(path, "name")) {
        let text = walk.text_of(name);
        let id = walk.id(text);
        let at = walk.import(node, Some(text), walk.text_of(scope), Imported::Name(id), false);
        imported_types(walk, scope);
        walk.at_site(name, Role::Import, Site::Import(at));
    }
    Value::Unknown
}

/// The types that a path goes through.
fn imported_types<'t>(walk: &mut Walk<'t>, path: Node<'t>) {
    let mut open = Some(path);
    while let Some(path) = open {
        let (Some(scope), Some(name)) = (field(path, "scope"), field(path, "name")) else { return };
        if !walk.text_of(name).starts_with(char::is_uppercase) {
            return;
        }
        at_path(walk, scope, name, Role::Import);
        open = Some(scope);
    }
}

/// A name with its whole path.
fn at_path<'t>(walk: &mut Walk<'t>, scope: Node<'t>, name: Node<'t>, role: Role) -> Value {
    let id = walk.id(walk.text_of(name));
    let at = walk.import(name, None, walk.text_of(scope), Imported::Name(id), false);
    walk.at_site(name, role, Site::Import(at))
}

/// Whether the text is that of a package by its form.
pub(crate) fn is_package(text: &str) -> bool {
    text.split('.').all(|part| {
        part.starts_with(|c: char| c.is_lowercase() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

pub(crate) fn is_type_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase) && (text.len() == 1 || text.contains(char::is_lowercase))
}

fn resource<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return walk.children(node) };
    let declared = typed(walk, node);
    let value = walk.field(node, "value");
    walk.declare_local(name, declared.or(value));
    Value::Unknown
}

fn for_each<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let declared = typed(walk, node);
        let element = walk.field(node, "value").element();
        if let Some(name) = field(node, "name") {
            walk.declare_local(name, declared.or(element));
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        if let Some(parameter) = child(node, "catch_formal_parameter") {
            let mut values = Vec::new();
            if let Some(types) = child(parameter, "catch_type") {
                values.extend(named_children(types).map(|of| walk.visit(of)));
            }
            if let Some(name) = field(parameter, "name") {
                let value = if let [only] = values[..] { only } else { Value::Unknown };
                walk.declare_local(name, value);
            }
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

/// A name behind `case` is a constant of the enumeration, or one that is in sight.
fn switch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "condition");
    let Some(body) = field(node, "body") else { return Value::Unknown };
    for group in named_children(body) {
        walk.scope(ScopeKind::Block, |walk| {
            for part in named_children(group) {
                if part.kind() == "switch_label" {
                    label(walk, part, of);
                } else {
                    walk.visit(part);
                }
            }
        });
    }
    Value::Unknown
}

fn label<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value) {
    for part in named_children(node) {
        match part.kind() {
            "identifier" => {
                if of.is_typed() {
                    walk.member(part, of, Role::Read);
                }
                walk.at_site(part, Role::Read, Site::Bare);
            }
            "pattern" => {
                walk.children(part);
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

fn type_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    typed_pattern(walk, node, Value::Unknown);
    Value::Unknown
}

/// Declares a name of the type before it, or of the type of `held` for `var`.
fn typed_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, held: Value) {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        match part.kind() {
            "identifier" => drop(walk.declare_local(part, value)),
            _ if walk.text_of(part) == "var" => value = held,
            _ => value = walk.visit(part),
        }
    }
}

fn record_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut of = Value::Unknown;
    for part in named_children(node) {
        match part.kind() {
            "identifier" => of = walk.visit_as(part, Role::Type).instance(),
            "record_pattern_body" => {
                for (at, component) in named_children(part).enumerate() {
                    if component.kind() == "record_pattern_component" {
                        let held = walk.part(of, at);
                        typed_pattern(walk, component, held);
                    } else {
                        walk.visit(component);
                    }
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
    Value::Unknown
}

fn labeled<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node).filter(|part| part.kind() != "identifier") {
        walk.visit(part);
    }
    Value::Unknown
}

fn instance_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "left");
    let value = walk.field(node, "right");
    if let Some(name) = field(node, "name") {
        walk.declare_local(name, value);
    }
    walk.field(node, "pattern");
    Value::Builtin
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(operand) = node.named_child(0) {
        walk.visit_as(operand, Role::Write);
    }
    Value::Builtin
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    value
}

fn field_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let (Some(object), Some(name)) = (field(node, "object"), field(node, "field")) else {
        return Value::Unknown;
    };
    if name.kind() == "this" {
        return walk.visit(object).instance();
    }
    let is_own = object.kind() == "super";
    // `Shape.super.name` has more than an object, a dot and a name.
    if is_own || node.child_count() > 3 && child(node, "super").is_some() {
        if !is_own {
            walk.visit(object);
        }
        let of = walk.this.map_or(Value::Unknown, Value::Super);
        return walk.member(name, of, role);
    }
    if is_path(walk, object) && is_type_name(walk.text_of(name)) {
        return at_path(walk, object, name, role);
    }
    let of = walk.visit(object);
    walk.member(name, of, role)
}

/// Whether an expression is a package: several names with dots between that are no variables.
fn is_path<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> bool {
    if node.kind() != "field_access" || !is_package(walk.text_of(node)) {
        return false;
    }
    let mut first = node;
    while let Some(inner) = field(first, "object") {
        first = inner;
    }
    first.kind() == "identifier" && !walk.is_bound(first)
}

fn array_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "array");
    walk.field(node, "index");
    value.element()
}

fn array_creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    value.collection().or(Value::Builtin)
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let [handed, _] = std::mem::take(&mut walk.callback);
    let object = field(node, "object");
    let (of, called) = match (object, field(node, "name")) {
        (_, None) => return Value::Unknown,
        (None, Some(name)) => (Value::Unknown, walk.at_site(name, Role::Call, Site::Bare)),
        (Some(object), Some(name)) => {
            let is_own = object.kind() == "super";
            // `Shape.super.area()` has more than an object, a dot, a name and arguments.
            let is_super = is_own || node.child_count() > 4 && child(node, "super").is_some();
            walk.callback[0] = if is_of_library(walk, object) { handed } else { Value::Unknown };
            let of = if is_own { Value::Unknown } else { walk.visit(object) };
            walk.callback = Default::default();
            let of = if is_super { walk.this.map_or(Value::Unknown, Value::Super) } else { of };
            (of, walk.member(name, of, Role::Call))
        }
    };
    let types = field(node, "type_arguments").map_or(Value::Unknown, |list| walk.children(list));
    walk.named = Value::Unknown;
    let name = field(node, "name").map_or("", |name| walk.text_of(name));
    let mut returned = Value::Unknown;
    if let Some(list) = field(node, "arguments") {
        // `Comparator.comparing(order -> …)` gets what the method that it is handed to takes.
        let is_of_library = object.is_some_and(|object| is_of_library(walk, object));
        let element = if is_of_library { handed } else { walk.element(of) };
        returned = arguments(walk, list, called, element, KEYED.contains(&name));
    }
    let named = types.or(std::mem::take(&mut walk.named));
    let result = walk.inferred(called.called(), named);
    match name {
        "map" | "mapToObj" => walk.guarded(result, returned.collection()),
        "flatMap" => walk.guarded(result, returned),
        "collect" if gathers(walk, node) => walk.guarded(result, of),
        _ => result,
    }
}

/// Calls of a comparator or collector that are followed.
const MAX_CHAIN: usize = 8;

/// Methods of maps whose function gets a key first.
const KEYED: &[&str] = &["compute", "computeIfAbsent", "computeIfPresent", "forEach", "replaceAll"];

/// Whether an object is `Comparator` or `Collectors`, or a chain of a few calls that begins so.
fn is_of_library<'t>(walk: &Walk<'t>, object: Node<'t>) -> bool {
    let is_call = |node: &Node<'t>| node.kind() == "method_invocation";
    let inner = |node: &Node<'t>| field(*node, "object").filter(|_| is_call(node));
    let mut chain = std::iter::successors(Some(object), inner).take(MAX_CHAIN);
    chain.any(|node| matches!(walk.text_of(node), "Comparator" | "Collectors"))
}

/// Whether `collect` makes a list or a set.
fn gathers(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let text = field(node, "arguments").map_or("", |list| walk.text_of(list));
    text.contains("toList(") || text.contains("toSet(")
}

/// Reads arguments; what the first function among them returns. Functions get an `element`; with `is_keyed` those of a map, behind
/// a key.
fn arguments<'t>(
    walk: &mut Walk<'t>,
    list: Node<'t>,
    called: Value,
    element: Value,
    is_keyed: bool,
) -> Value {
    let mut n = 0;
    let mut returned = Value::Unknown;
    for argument in named_children(list) {
        match argument.kind() {
            "line_comment" | "block_comment" => continue,
            "lambda_expression" => {
                let given = called.parameter(n);
                // Behind another argument, a function of several gets an intermediate result first.
                let is_first =
                    if takes_several(argument) { n == 0 && !is_keyed } else { n == 0 || !is_keyed };
                let first = walk.lambda_parameter(given, if is_first { element } else { Value::Unknown });
                let second = walk.guarded(given.parameter(1), element);
                lambda_of(walk, argument, [first, second], given);
                returned = returned.or(walk.result);
            }
            "method_reference" => {
                let referred = walk.visit(argument);
                returned = returned.or(referred);
            }
            _ => {
                walk.callback[0] = element;
                walk.visit(argument);
                walk.callback = Default::default();
            }
        }
        n += 1;
    }
    walk.set_arguments(called, n);
    returned
}

/// Whether a lambda has several parameters.
fn takes_several(lambda: Node<'_>) -> bool {
    field(lambda, "parameters")
        .is_some_and(|list| list.kind() != "identifier" && list.named_child_count() > 1)
}

fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = field(node, "type") else { return walk.children(node) };
    for outer in named_children(node).take_while(|part| *part != of) {
        walk.visit(outer);
    }
    walk.field(node, "type_arguments");
    let value = walk.visit_as(of, Role::Call);
    if let Some(list) = field(node, "arguments") {
        arguments(walk, list, value, Value::Unknown, false);
    }
    if let Some(body) = child(node, "class_body") {
        let extended = extended_again(walk, of);
        let new = child(node, "new").unwrap_or(node);
        let end = if of.kind() == "generic_type" { of.named_child(0).unwrap_or(of) } else { of }.end_byte();
        let name = walk.text.get(new.start_byte()..end).unwrap_or_default();
        if let Some(definition) = walk.define_as(name, of, node, DefinitionKind::Class, Traits::LOCAL) {
            if let Some(known) = walk.definition(definition) {
                known.supers.push(itself(extended));
            }
            walk.inside_type(definition, |walk| walk.visit(body));
        }
    }
    value
}

/// The type of an anonymous class is also what the class extends.
fn extended_again<'t>(walk: &mut Walk<'t>, of: Node<'t>) -> Value {
    match of.kind() {
        "generic_type" => of.named_child(0).map_or(Value::Unknown, |of| extended_again(walk, of)),
        _ => walk.visit_as(of, Role::Implement),
    }
}

fn constructor_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["constructor"]);
    Value::Unknown
}

/// `Shape::area`, `Shape::new`: what it returns.
fn method_reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_new = child(node, "new").is_some();
    let mut parts = all_children(node).filter(|part| part.is_named() || part.kind() == "super");
    let Some(first) = parts.next() else { return Value::Unknown };
    let of = match first.kind() {
        "super" => walk.this.map_or(Value::Unknown, Value::Super),
        _ => walk.visit_as(first, if is_new { Role::Call } else { Role::Read }),
    };
    let mut returned = if is_new { of.instance() } else { Value::Unknown };
    for part in parts {
        if part.kind() == "identifier" {
            returned = walk.member(part, of, Role::Read).called();
        } else {
            walk.visit(part);
        }
    }
    returned
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    walk.returns(value);
    Value::Unknown
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    lambda_of(walk, node, [Value::Unknown; 2], Value::Unknown);
    Value::Unknown
}

/// Reads a lambda with its first parameters; the others are what `given` takes.
fn lambda_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, first: [Value; 2], given: Value) {
    walk.function(None, |walk| {
        match field(node, "parameters") {
            Some(list) if list.kind() == "formal_parameters" => {
                parameters(walk, list);
            }
            Some(name) if name.kind() == "identifier" => {
                walk.declare_local(name, first[0]);
            }
            Some(list) => {
                for (at, name) in named_children(list).enumerate() {
                    walk.declare_local(name, first.get(at).copied().unwrap_or(given.parameter(at)));
                }
            }
            None => {}
        }
        let value = walk.field(node, "body");
        match field(node, "body") {
            Some(body) if body.kind() != "block" => walk.returns(value),
            _ => {}
        }
        Value::Unknown
    });
}
