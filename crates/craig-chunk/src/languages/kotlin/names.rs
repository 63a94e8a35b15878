//! Names in Kotlin.

mod calls;
mod definitions;
mod expressions;
mod types;

use tree_sitter::Node;

use self::calls::{argument, call, lambda};
use self::definitions::{
    accessor, alias, anonymous_function, class, class_parameter, companion, constructor, constructor_default,
    constructor_defaults, constructor_parameters, declare, enum_entry, function, initializer, instance_is,
    object, property, supers_of,
};
use self::expressions::{
    binary, block, branches, cast, catch, conditional, for_each, index, infix, is, labeled, leave,
    navigation, reference, unary, when,
};
use self::types::{annotation, first, parameter_of_type, type_node, type_of_functions};
use crate::grammar::{all_children, child, named_children};
use crate::names::rules::{assignment, plain};
use crate::names::walk::NameRule::{Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Imported, Role, Site, Source, Traits, Value};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("line_comment", Skip),
        ("block_comment", Skip),
        ("shebang", Skip),
        ("label", Skip),
        ("string_literal", Read(string)),
        ("multiline_string_literal", Read(string)),
        ("character_literal", Literal),
        ("number_literal", Literal),
        ("float_literal", Literal),
        ("source_file", Read(file)),
        ("ERROR", Read(broken)),
        ("package_header", Read(package)),
        ("import", Read(import)),
        ("identifier", Read(identifier)),
        ("this_expression", Read(this)),
        ("super_expression", Read(super_value)),
        ("user_type", Read(type_node)),
        ("nullable_type", Transparent),
        ("parenthesized_type", Transparent),
        ("type_projection", Transparent),
        ("non_nullable_type", Read(first)),
        ("function_type", Read(type_of_functions)),
        ("parameter", Read(parameter_of_type)),
        ("annotation", Read(annotation)),
        ("constructor_invocation", Read(annotation)),
        ("class_declaration", Read(class)),
        ("object_declaration", Read(class)),
        ("companion_object", Read(companion)),
        ("object_literal", Read(object)),
        ("enum_entry", Read(enum_entry)),
        ("type_alias", Read(alias)),
        ("secondary_constructor", Read(constructor)),
        ("anonymous_initializer", Read(initializer)),
        ("function_declaration", Read(function)),
        ("anonymous_function", Read(anonymous_function)),
        ("property_declaration", Read(property)),
        ("getter", Read(accessor)),
        ("setter", Read(accessor)),
        ("block", Read(block)),
        ("for_statement", Read(for_each)),
        ("catch_block", Read(catch)),
        ("try_expression", Read(branches)),
        ("if_expression", Read(conditional)),
        ("when_expression", Read(when)),
        ("return_expression", Read(leave)),
        ("throw_expression", Read(plain)),
        ("annotated_expression", Transparent),
        ("labeled_expression", Read(labeled)),
        ("parenthesized_expression", Transparent),
        ("spread_expression", Transparent),
        ("collection_literal", Read(plain)),
        ("range_expression", Read(plain)),
        ("in_expression", Read(plain)),
        ("is_expression", Read(is)),
        ("as_expression", Read(cast)),
        ("binary_expression", Read(binary)),
        ("infix_expression", Read(infix)),
        ("unary_expression", Read(unary)),
        ("assignment", Read(assignment)),
        ("index_expression", Read(index)),
        ("navigation_expression", Read(navigation)),
        ("callable_reference", Read(reference)),
        ("call_expression", Read(call)),
        ("value_argument", Read(argument)),
        ("lambda_literal", Read(lambda)),
    ],
    hoists: false,
};

const TYPES: &[&str] =
    &["user_type", "nullable_type", "function_type", "non_nullable_type", "parenthesized_type"];

/// A local name that no code can have: what bare names may be members of, in `apply` and its like.
const RECEIVER: &str = "this@";
/// As [`RECEIVER`], of what a function of the project calls its lambda on.
const OF_FUNCTION: &str = "of@";

fn is_type(node: Node<'_>) -> bool {
    TYPES.contains(&node.kind())
}

/// Names behind `$` are no nodes of the tree.
fn string<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut is_after_dollar = false;
    for part in named_children(node) {
        let text = walk.text_of(part);
        let is_content = part.kind() == "string_content";
        if is_content && is_after_dollar {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
            if text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !text.starts_with("this") {
                walk.name_in(part, 0..length, Role::Read, None);
            }
        } else if !is_content {
            walk.visit(part);
        }
        is_after_dollar = is_content && text == "$";
    }
    Value::Builtin
}

fn file<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut open: Option<DefinitionIx> = None;
    for part in named_children(node) {
        let next = walk.found.definitions.len() as DefinitionIx;
        match open {
            // What cannot be parsed ended a type too early: its other members are indented.
            Some(of) if part.start_position().column > 0 => {
                walk.inside_type(of, |walk| walk.visit(part));
                continue;
            }
            _ => {
                walk.visit(part);
            }
        }
        let is_type = walk.definition(next).is_some_and(|of| of.parent.is_none() && of.kind.is_type());
        open = Some(next).filter(|_| is_type && part.has_error());
    }
    Value::Unknown
}

/// What cannot be parsed: types stand in it as their tokens.
fn broken<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    let parts: Vec<Node<'t>> = all_children(node).collect();
    if !parts.iter().any(|part| is_keyword(*part)) {
        return walk.children(node);
    }
    let mut at = 0;
    while at < parts.len() {
        at = tokens(walk, &parts, at, 0);
    }
    Value::Unknown
}

/// Whether a token begins a type.
fn is_keyword(part: Node<'_>) -> bool {
    matches!(part.kind(), "class" | "interface" | "object")
}

/// Reads tokens up to the brace that closes them; the index behind it.
fn tokens<'t>(walk: &mut Walk<'t>, parts: &[Node<'t>], mut at: usize, depth: usize) -> usize {
    const MAX_BRACES: usize = 64;
    let mut open: Option<DefinitionIx> = None;
    let mut locals = Vec::new();
    while let Some(&part) = parts.get(at) {
        at += 1;
        let next = parts.get(at).filter(|name| name.kind() == "identifier").copied();
        match (part.kind(), open) {
            ("}", _) => return at,
            ("{", Some(of)) if depth < MAX_BRACES => {
                open = None;
                at = walk.scope(ScopeKind::Block, |walk| {
                    instance_is(walk, Value::Instance(Source::Definition(of)), Value::Unknown);
                    walk.inside_type(of, |walk| tokens(walk, parts, at, depth + 1))
                });
            }
            ("{", None) if depth < MAX_BRACES => at = tokens(walk, parts, at, depth + 1),
            (keyword @ ("class" | "interface" | "object"), _) => {
                let Some(name) = next else { continue };
                at += 1;
                let is_interface = keyword == "interface";
                let kind = if is_interface { DefinitionKind::Interface } else { DefinitionKind::Class };
                open = walk.define(name, name, kind, Traits::default());
            }
            ("fun", _) => {
                let Some(name) = next else { continue };
                at += 1;
                let is_method = walk.is_in_type();
                let kind = if is_method { DefinitionKind::Method } else { DefinitionKind::Function };
                walk.define(name, name, kind, Traits::default());
                open = None;
            }
            ("class_parameter", Some(of)) => {
                locals.extend(walk.inside_type(of, |walk| class_parameter(walk, part, of)));
                walk.inside_type(of, |walk| constructor_default(walk, part, &locals));
            }
            ("primary_constructor", Some(of)) => walk.inside_type(of, |walk| {
                let parameters = constructor_parameters(walk, part, of);
                walk.scope(ScopeKind::Block, |walk| {
                    declare(walk, &parameters);
                    constructor_defaults(walk, part);
                });
            }),
            ("delegation_specifiers", Some(of)) => {
                let supers = walk.inside_type(of, |walk| supers_of(walk, part));
                if let Some(known) = walk.definition(of) {
                    known.supers.extend(supers);
                }
            }
            _ if part.is_named() => {
                walk.visit(part);
            }
            _ => {}
        }
    }
    at
}

fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = child(node, "qualified_identifier") {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    Value::Unknown
}

fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(path) = child(node, "qualified_identifier") else { return Value::Unknown };
    let names: Vec<Node<'t>> = named_children(path).filter(|part| part.kind() == "identifier").collect();
    let is_all = child(node, "*").is_some();
    let (Some(&first), Some((&last, before))) = (names.first(), names.split_last()) else {
        return Value::Unknown;
    };
    for &name in if is_all { &names[..] } else { before } {
        let text = walk.text_of(name);
        if name != first && text.starts_with(char::is_uppercase) && text != "Companion" {
            at_path(walk, first, name, Role::Import);
        }
    }
    if is_all {
        walk.import(node, None, walk.text_of(path), Imported::All, false);
        return Value::Unknown;
    }
    let local = child(node, "identifier").unwrap_or(last);
    let id = walk.id(walk.text_of(last));
    let at =
        walk.import(node, Some(walk.text_of(local)), outer(walk, first, last), Imported::Name(id), false);
    walk.at_site(last, Role::Import, Site::Import(at));
    Value::Unknown
}

/// The text before a name of a path that begins with `first`.
fn outer<'t>(walk: &Walk<'t>, first: Node<'t>, name: Node<'t>) -> &'t str {
    let text = walk.text.get(first.start_byte()..name.start_byte()).unwrap_or_default();
    text.trim_end().trim_end_matches('.')
}

/// A name with its whole path.
fn at_path<'t>(walk: &mut Walk<'t>, first: Node<'t>, name: Node<'t>, role: Role) -> Value {
    let id = walk.id(walk.text_of(name));
    let at = walk.import(name, None, outer(walk, first, name), Imported::Name(id), false);
    walk.at_site(name, role, Site::Import(at))
}

fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    match walk.text_of(node) {
        "null" | "true" | "false" | "break" | "continue" => Value::Builtin,
        "_" => Value::Unknown,
        "it" if !walk.is_bound(node) => Value::Unknown,
        _ => bare(walk, node, role),
    }
}

/// A name by itself, which may be a member of what `apply` and its like are called on.
fn bare<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> Value {
    let receiver = walk.local_value(RECEIVER);
    let is_member =
        receiver.is_typed() && !walk.is_bound(node) && walk.text_of(node).starts_with(char::is_lowercase);
    let is_of_function = !walk.is_bound(node) && walk.text_of(node).starts_with(char::is_lowercase);
    let value = walk.name(node, role);
    let of_function = walk.local_value(OF_FUNCTION);
    if is_of_function && of_function != Value::Unknown {
        walk.at_site(node, role, Site::Key(of_function));
    }
    if is_member { walk.at_site(node, role, Site::Key(receiver)) } else { value }
}

fn this<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(label) = child(node, "identifier")
        && let Some(definition) = enclosing(walk, walk.text_of(label))
    {
        return Value::Instance(Source::Definition(definition));
    }
    walk.local_value("this").or(walk.this_value())
}

/// The type of that name around the code.
fn enclosing(walk: &Walk<'_>, name: &str) -> Option<DefinitionIx> {
    let definition = |at: DefinitionIx| walk.found.definitions.get(at as usize);
    std::iter::successors(walk.within, |&at| definition(at)?.parent)
        .find(|&at| definition(at).is_some_and(|at| at.kind.is_type() && walk.found.text(at.name) == name))
}

/// `super`, `super<Shape>`
fn super_value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = named_children(node).find(|part| is_type(*part));
    match of {
        Some(of) => walk.visit(of),
        None => walk.this.map_or(Value::Unknown, Value::Super),
    }
}
