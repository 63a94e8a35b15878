//! Imports and exports, those of CommonJS too.

use tree_sitter::Node;

use super::classes::{class_as, has_word};
use super::frameworks::wrappers;
use super::functions::{function_body, signature};
use super::objects::{FUNCTIONS, bare, defined, object_in, object_of, plain_name};
use super::prototypes::{arguments_of, is_mixin};
use crate::grammar::{child, field, named_children, unquoted};
use crate::names::walk::Walk;
use crate::names::{DefinitionIx, DefinitionKind, Imported, Role, Site, Source, Traits, Value};

/// `require("x")` and `import("x")`.
pub(super) fn required<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Value> {
    let function = field(node, "function")?;
    let is_loading = matches!(walk.text_of(function), "require" | "import");
    let argument = field(node, "arguments")?.named_child(0)?;
    if !is_loading || argument.kind() != "string" {
        return None;
    }
    let module = unquoted(walk.text_of(argument));
    let what = if walk.text_of(function) == "import" { Imported::Module } else { Imported::Default };
    let at = walk.import(node, None, module, what, false);
    Some(walk.at_site(function, Role::Import, Site::Import(at)))
}

/// `const x = require("x")`, `const { a, b: c } = require("x")`: imports.
pub(super) fn required_by<'t>(walk: &mut Walk<'t>, name: Node<'t>, value: Node<'t>) -> bool {
    let inner = bare(value);
    let (call, picked) = match inner.kind() {
        "member_expression" => (field(inner, "object"), field(inner, "property")),
        _ => (Some(inner), None),
    };
    let Some(call) = call.filter(|call| call.kind() == "call_expression") else { return false };
    let function = field(call, "function").map_or("", |function| walk.text_of(function));
    let argument = field(call, "arguments").and_then(|arguments| arguments.named_child(0));
    let Some(argument) = argument.filter(|argument| function == "require" && argument.kind() == "string")
    else {
        return false;
    };
    if walk.is_in_function() {
        return false;
    }
    let module = unquoted(walk.text_of(argument));
    match (name.kind(), picked) {
        ("identifier", None) => {
            let at = walk.import(name, Some(walk.text_of(name)), module, Imported::Default, false);
            walk.at_site(name, Role::Import, Site::Import(at));
        }
        ("identifier", Some(picked)) => {
            let id = walk.id(walk.text_of(picked));
            let at = walk.import(name, Some(walk.text_of(name)), module, Imported::Name(id), false);
            walk.at_site(picked, Role::Import, Site::Import(at));
        }
        ("object_pattern", None) => required_names(walk, name, module),
        _ => return false,
    }
    true
}

fn required_names<'t>(walk: &mut Walk<'t>, pattern: Node<'t>, module: &'t str) {
    for part in named_children(pattern) {
        let (name, local) = match part.kind() {
            "pair_pattern" => (field(part, "key"), field(part, "value")),
            "object_assignment_pattern" => (field(part, "left"), field(part, "left")),
            _ => (Some(part), Some(part)),
        };
        let (Some(name), Some(local)) = (name, local) else { continue };
        if !matches!(local.kind(), "identifier" | "shorthand_property_identifier_pattern") {
            continue;
        }
        let id = walk.id(walk.text_of(name));
        let at = walk.import(part, Some(walk.text_of(local)), module, Imported::Name(id), false);
        walk.at_site(name, Role::Import, Site::Import(at));
    }
}

/// Whether a node is `exports` or `module.exports` of a module of CommonJS.
pub(super) fn is_exports<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> bool {
    match walk.text_of(node) {
        "exports" => !walk.is_bound(node),
        "module.exports" => !field(node, "object").is_some_and(|module| walk.is_bound(module)),
        _ => false,
    }
}

/// `module.exports = …`.
pub(super) fn exported_whole<'t>(walk: &mut Walk<'t>, right: Node<'t>) -> Value {
    let inner = bare(right);
    if let Some(object) = object_in(walk, inner) {
        wrappers(walk, inner);
        named_children(object).for_each(|part| exported_part(walk, part));
        return Value::Builtin;
    }
    match inner.kind() {
        // `module.exports = Object.assign(create, { … })`
        "call_expression" if is_mixin(walk, inner) => {
            walk.field_as(inner, "function", Role::Call);
            let mut arguments = arguments_of(inner).into_iter();
            let target = arguments.next().map_or(Value::Unknown, |target| exported_whole(walk, target));
            arguments.for_each(|argument| exported_from(walk, argument));
            target
        }
        _ => {
            let value = match default_definition(walk, right, right) {
                Some(at) => Value::Itself(Source::Definition(at)),
                None => walk.visit(right),
            };
            walk.export("=", value);
            value
        }
    }
}

/// Exports all that a value has.
pub(super) fn exported_from<'t>(walk: &mut Walk<'t>, value: Node<'t>) {
    if value.kind() == "object" {
        named_children(value).for_each(|part| exported_part(walk, part));
    } else {
        let value = walk.visit(value);
        walk.export("*", value);
    }
}

/// Defines what a module is, or exports as its default, if that has no name of its own.
fn default_definition<'t>(walk: &mut Walk<'t>, value: Node<'t>, whole: Node<'t>) -> Option<DefinitionIx> {
    let inner = bare(value);
    let is_nameless = field(inner, "name").is_none();
    let traits = Traits::EXPORTED;
    match inner.kind() {
        kind if is_nameless && FUNCTIONS.contains(&kind) => {
            let at = walk.define_as("default", inner, whole, DefinitionKind::Function, traits)?;
            function_body(walk, Some(at), inner);
            Some(at)
        }
        "class" if is_nameless => class_as(walk, inner, "default", traits),
        _ => {
            let object = object_in(walk, inner)?;
            let at = walk.define_as("default", inner, whole, DefinitionKind::Variable, traits)?;
            wrappers(walk, inner);
            object_of(walk, object, at);
            Some(at)
        }
    }
}

fn exported_part<'t>(walk: &mut Walk<'t>, part: Node<'t>) {
    match part.kind() {
        "shorthand_property_identifier" => {
            let value = walk.visit(part);
            let name = walk.text_of(part);
            walk.export(name, value);
        }
        "pair" => {
            let (Some(name), Some(value)) = (field(part, "key"), field(part, "value")) else { return };
            match plain_name(walk, name) {
                Some(name) => {
                    exported_member(walk, name, part, value);
                }
                None => {
                    walk.children(part);
                }
            }
        }
        "spread_element" => {
            let value = walk.children(part);
            walk.export("*", value);
        }
        "method_definition" => {
            let Some(name) = field(part, "name").filter(|name| name.kind() == "property_identifier") else {
                return;
            };
            let is_getter = has_word(part, "get");
            let traits = if is_getter { Traits::EXPORTED.and(Traits::PROPERTY) } else { Traits::EXPORTED };
            let at = walk.define(name, part, DefinitionKind::Function, traits);
            walk.function(at, |walk| signature(walk, part));
            if let Some(at) = at {
                walk.export(walk.text_of(name), Value::Itself(Source::Definition(at)));
            }
        }
        _ => {
            walk.visit(part);
        }
    }
}

/// Whether a value hands on what it names: a name is exported as itself, or another module's export is.
pub(super) fn is_handed_on<'t>(walk: &mut Walk<'t>, name: &'t str, value: Node<'t>) -> bool {
    match value.kind() {
        // The default is a way to the whole, and no name of its own.
        "identifier" => walk.text_of(value) == name || name == "default",
        "member_expression" => {
            let (Some(object), Some(property)) = (field(value, "object"), field(value, "property")) else {
                return false;
            };
            let local = walk.id(walk.text_of(object));
            let import = walk.found.imports.iter().find(|import| import.local == Some(local));
            let is_of_package = import
                .is_some_and(|import| !walk.found.text(import.module).starts_with(['.', '/', '#', '@']));
            walk.text_of(property) == name && !is_of_package
        }
        _ => false,
    }
}

/// `exports.name = value`: a definition, unless the value is that name of another place.
pub(super) fn exported_member<'t>(
    walk: &mut Walk<'t>,
    name: Node<'t>,
    whole: Node<'t>,
    value: Node<'t>,
) -> Value {
    let text = walk.text_of(name);
    let inner = bare(value);
    if is_handed_on(walk, text, inner) {
        let value = walk.visit(value);
        walk.export(text, value);
        return value;
    }
    if walk.is_in_function() {
        return walk.visit(value);
    }
    // `exports.twice = exports.double = …`
    if inner.kind() == "assignment_expression" {
        let value = walk.visit(value);
        walk.export(text, value);
        return value;
    }
    match defined(walk, None, name, whole, value, None) {
        Some(at) => {
            let value = Value::Itself(Source::Definition(at));
            walk.export(text, value);
            value
        }
        None => Value::Unknown,
    }
}

pub(super) fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(clause) = child(node, "import_require_clause") {
        let module = field(clause, "source").map(|source| unquoted(walk.text_of(source)));
        if let (Some(name), Some(module)) = (clause.named_child(0), module) {
            let at = walk.import(node, Some(walk.text_of(name)), module, Imported::Default, false);
            walk.at_site(name, Role::Import, Site::Import(at));
        }
        return Value::Unknown;
    }
    let Some(module) = field(node, "source").map(|source| unquoted(walk.text_of(source))) else {
        return Value::Unknown;
    };
    let Some(clause) = child(node, "import_clause") else {
        walk.import(node, None, module, Imported::Module, false);
        return Value::Unknown;
    };
    for part in named_children(clause) {
        match part.kind() {
            "identifier" => {
                let at = walk.import(part, Some(walk.text_of(part)), module, Imported::Default, false);
                walk.at_site(part, Role::Import, Site::Import(at));
            }
            "namespace_import" => {
                if let Some(name) = part.named_child(0) {
                    walk.import(part, Some(walk.text_of(name)), module, Imported::Module, false);
                }
            }
            _ => specifiers(walk, part, Some(module), false),
        }
    }
    Value::Unknown
}

/// `{ a, b as c }` of an import, a re-export, or an export.
fn specifiers<'t>(walk: &mut Walk<'t>, list: Node<'t>, module: Option<&'t str>, reexported: bool) {
    for part in named_children(list) {
        let Some(name) = field(part, "name") else { continue };
        let local = field(part, "alias").unwrap_or(name);
        let (text, local_text) = (walk.text_of(name), walk.text_of(local));
        match module {
            Some(module) => {
                let what = match text {
                    "default" => Imported::Default,
                    _ => Imported::Name(walk.id(text)),
                };
                let at = walk.import(part, Some(local_text), module, what, reexported);
                walk.at_site(name, Role::Import, Site::Import(at));
            }
            None => {
                let value = walk.name(name, Role::Import);
                export_as(walk, local_text, local, value);
            }
        }
    }
}

pub(super) fn export<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let module = field(node, "source").map(|source| unquoted(walk.text_of(source)));
    for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
        walk.visit(decorator);
    }
    if let Some(clause) = child(node, "export_clause") {
        specifiers(walk, clause, module, true);
        return Value::Unknown;
    }
    if let Some(module) = module {
        let local = child(node, "namespace_export").and_then(|export| export.named_child(0));
        match local {
            Some(local) => {
                walk.import(node, Some(walk.text_of(local)), module, Imported::Module, true);
            }
            None => {
                walk.import(node, None, module, Imported::All, true);
            }
        }
        return Value::Unknown;
    }
    let first = walk.found.definitions.len();
    let value = match (field(node, "declaration"), field(node, "value")) {
        (Some(declaration), _) => walk.visit(declaration),
        (None, Some(value)) => match default_definition(walk, value, node) {
            Some(at) => Value::Itself(Source::Definition(at)),
            None => walk.visit(value),
        },
        (None, None) => walk.children(node),
    };
    let made = &mut walk.found.definitions[first..];
    if let Some(around) = made.first().map(|definition| definition.parent) {
        let exported = made.iter_mut().filter(|definition| definition.parent == around);
        exported.for_each(|definition| definition.traits = definition.traits.and(Traits::EXPORTED));
    }
    if has_word(node, "default") {
        let made =
            (walk.found.definitions.len() > first).then_some(Source::Definition(first as DefinitionIx));
        let value = match (field(node, "declaration"), made) {
            (Some(_), Some(made)) => Value::Itself(made),
            _ => value,
        };
        export_as(walk, "default", node, value);
    } else if has_word(node, "=") {
        export_as(walk, "=", node, value);
    }
    Value::Unknown
}

/// An export of the file, or of the module that is declared around it, which has it as a member.
fn export_as<'t>(walk: &mut Walk<'t>, text: &'t str, at: Node<'t>, value: Value) {
    let Some(module) = walk.declared_module else {
        walk.export(text, value);
        return;
    };
    let exported = walk
        .inside(Some(module), |walk| walk.define_as(text, at, at, DefinitionKind::Variable, Traits::LOCAL));
    if let Some(exported) = exported {
        walk.set_value(exported, value);
    }
}
