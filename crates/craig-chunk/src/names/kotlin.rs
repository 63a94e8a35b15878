//! Names in Kotlin.

use tree_sitter::Node;

use super::rules::{assignment, itself, plain};
use super::walk::NameRule::{Literal, Read, Skip, Transparent};
use super::walk::{NameTable, ScopeKind, Walk};
use super::{DefinitionIx, DefinitionKind, Imported, Role, Site, Source, Traits, Value, java};
use crate::grammar::{child, field};

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
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
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
    let mut cursor = node.walk();
    let mut open: Option<DefinitionIx> = None;
    for part in node.named_children(&mut cursor) {
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
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.children(&mut cursor).collect();
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
    let mut cursor = path.walk();
    let names: Vec<Node<'t>> =
        path.named_children(&mut cursor).filter(|part| part.kind() == "identifier").collect();
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
    let is_member = !matches!(receiver, Value::Unknown | Value::Builtin)
        && !walk.is_bound(node)
        && walk.text_of(node).starts_with(char::is_lowercase);
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
    let mut cursor = node.walk();
    let of = node.named_children(&mut cursor).find(|part| is_type(*part));
    match of {
        Some(of) => walk.visit(of),
        None => walk.this.map_or(Value::Unknown, Value::Super),
    }
}

const HOLDERS: &[&str] = &[
    "Array",
    "Channel",
    "Deferred",
    "Flow",
    "Lazy",
    "MutableCollection",
    "MutableIterable",
    "MutableIterator",
    "MutableList",
    "MutableSet",
    "MutableStateFlow",
    "Sequence",
    "StateFlow",
];
const MAPS: &[&str] = &["MutableMap"];

/// A type: its value is an instance of it.
fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    };
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
    let names: Vec<Node<'t>> = parts.iter().copied().filter(|part| part.kind() == "identifier").collect();
    let (Some(&first), Some(&last)) = (names.first(), names.last()) else { return Value::Unknown };
    let is_package = |name: &&Node<'t>| walk.text_of(**name).starts_with(char::is_lowercase);
    let n_package = names[..names.len() - 1].iter().take_while(is_package).count();
    let n_package = if walk.is_bound(first) { 0 } else { n_package };
    let mut value = Value::Unknown;
    for (at, &name) in names.iter().enumerate().skip(n_package) {
        let role = if name == last { role } else { Role::Type };
        value = match at {
            0 => walk.name(name, role),
            _ if at == n_package => at_path(walk, first, name, role),
            _ => walk.member(name, itself(value), role),
        };
    }
    let mut held = Vec::new();
    for part in parts {
        if part.kind() == "type_arguments" {
            let mut cursor = part.walk();
            held.extend(part.named_children(&mut cursor).map(|part| walk.visit_as(part, Role::Type)));
        } else if part.kind() != "identifier" {
            walk.visit(part);
        }
    }
    collection(walk, last, &held).unwrap_or_default().or(value.instance())
}

/// What a type of a collection holds.
fn collection<'t>(walk: &mut Walk<'t>, name: Node<'t>, held: &[Value]) -> Option<Value> {
    let text = walk.text_of(name);
    let element = if java::HOLDERS.contains(&text) || HOLDERS.contains(&text) {
        held.first()
    } else if java::MAPS.contains(&text) || MAPS.contains(&text) {
        held.last()
    } else {
        None
    };
    let id = walk.id(text);
    let is_other = |module| {
        let module = walk.found.text(module);
        !module.starts_with("java.") && !module.starts_with("kotlin")
    };
    let is_imported = walk.found.imports.iter().any(|of| of.local == Some(id) && is_other(of.module));
    element.filter(|_| !is_imported).map(|element| element.collection())
}

/// `T & Any`
fn first<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut cursor = node.walk();
    let values: Vec<Value> = node.named_children(&mut cursor).map(|part| walk.visit(part)).collect();
    values.first().copied().unwrap_or_default()
}

/// The name of a parameter in a type of functions means nothing.
fn parameter_of_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    typed(walk, node)
}

/// `Shape.(Int) -> Unit`
fn type_of_functions<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    lambda_type(walk, node);
    Value::Unknown
}

/// Reads a type of functions; what they are called on.
fn lambda_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut receiver = Value::Unknown;
    let mut is_before = true;
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        is_before &= part.kind() != "function_type_parameters";
        let value = walk.visit(part);
        receiver = if is_before && is_type(part) { value } else { receiver };
    }
    receiver
}

/// The type of a parameter, and of a lambda what it is called on.
fn parameter_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> (Value, Value) {
    let mut cursor = node.walk();
    let mut of = node.named_children(&mut cursor).find(|part| is_type(*part));
    for _ in 0..4 {
        let Some(outer) = of.filter(|of| matches!(of.kind(), "nullable_type" | "parenthesized_type")) else {
            break;
        };
        let mut cursor = outer.walk();
        of = outer.named_children(&mut cursor).find(|part| is_type(*part));
    }
    match of {
        Some(of) if of.kind() == "function_type" => (Value::Unknown, lambda_type(walk, of)),
        _ => (typed(walk, node), Value::Unknown),
    }
}

/// The type behind a name.
fn typed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut cursor = node.walk();
    let mut value = Value::Unknown;
    for part in node.named_children(&mut cursor) {
        if is_type(part) {
            value = walk.visit_as(part, Role::Type);
        } else if part.kind() == "annotation" {
            walk.visit(part);
        }
    }
    value
}

/// `@Name(argument)`
fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    let mut cursor = node.walk();
    let mut of = Value::Unknown;
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "value_arguments" => {
                arguments(walk, part, Value::Unknown, Some(of));
            }
            "use_site_target" => {}
            _ => of = walk.visit_as(part, Role::Type),
        }
    }
    Value::Unknown
}

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
        let mut cursor = list.walk();
        for part in list.named_children(&mut cursor) {
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

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
fn instance_is(walk: &mut Walk<'_>, this: Value, receiver: Value) {
    walk.declare_local_named("this", this);
    walk.declare_local_named(RECEIVER, receiver);
    walk.declare_local_named(OF_FUNCTION, Value::Unknown);
}

fn declare<'t>(walk: &mut Walk<'t>, parameters: &[(Node<'t>, Value)]) {
    for &(name, value) in parameters {
        walk.declare_local(name, value);
    }
}

/// Reads members; initializers see the parameters of the constructor.
fn members<'t>(walk: &mut Walk<'t>, body: Node<'t>, parameters: &[(Node<'t>, Value)]) {
    let mut cursor = body.walk();
    for member in body.named_children(&mut cursor) {
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
    let mut cursor = lambda.walk();
    let is_argument = |around: Node<'_>| around.kind() == "explicit_delegation";
    let call = lambda.parent().and_then(|annotated| annotated.parent());
    call.and_then(|call| call.parent()).is_some_and(is_argument)
        && lambda.named_children(&mut cursor).any(|part| part.kind().ends_with("_declaration"))
}

fn class_parameters<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let made =
        if node.kind() == "primary_constructor" { Some(node) } else { child(node, "primary_constructor") };
    let list = made.and_then(|made| child(made, "class_parameters"));
    let Some(list) = list else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|part| part.kind() == "class_parameter").collect()
}

/// Parameters of the constructor: properties are members; the others are returned.
fn constructor_parameters<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    owner: DefinitionIx,
) -> Vec<(Node<'t>, Value)> {
    let mut locals = Vec::new();
    if let Some(made) = child(node, "primary_constructor") {
        annotations(walk, made);
    }
    for parameter in class_parameters(node) {
        locals.extend(class_parameter(walk, parameter, owner));
    }
    locals
}

/// A parameter of the constructor, if it is no property.
fn class_parameter<'t>(
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
    let mut cursor = list.walk();
    list.named_children(&mut cursor).any(|part| walk.text_of(part) == word)
}

/// What parameters of the constructor are if no argument is given.
fn constructor_defaults<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    for parameter in class_parameters(node) {
        constructor_default(walk, parameter, &[]);
    }
}

fn constructor_default<'t>(walk: &mut Walk<'t>, parameter: Node<'t>, locals: &[(Node<'t>, Value)]) {
    walk.scope(ScopeKind::Block, |walk| {
        declare(walk, locals);
        let mut cursor = parameter.walk();
        let parts = parameter.named_children(&mut cursor).skip_while(|part| !is_type(*part));
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
        let mut cursor = list.walk();
        let parameters: Vec<Node<'t>> =
            list.named_children(&mut cursor).filter(|part| part.kind() == kind).collect();
        // The bounds may name all of them.
        for name in parameters.iter().filter_map(|&parameter| child(parameter, "identifier")) {
            walk.declare_local(name, Value::Unknown);
        }
        for parameter in parameters {
            let value = typed(walk, parameter);
            if let Some(name) = child(parameter, "identifier") {
                walk.declare_local(name, value);
            }
        }
    }
}

fn supers<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Vec<Value> {
    child(node, "delegation_specifiers").map_or(Vec::new(), |list| supers_of(walk, list))
}

fn supers_of<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Vec<Value> {
    let mut supers = Vec::new();
    let node = list.parent().unwrap_or(list);
    let mut cursor = list.walk();
    for specifier in list.named_children(&mut cursor) {
        let mut cursor = specifier.walk();
        for part in specifier.named_children(&mut cursor) {
            match part.kind() {
                "constructor_invocation" | "explicit_delegation" => {
                    let is_class = part.kind() == "constructor_invocation";
                    let role = if is_class { Role::Inherit } else { Role::Implement };
                    let mut cursor = part.walk();
                    for (at, inner) in part.named_children(&mut cursor).enumerate() {
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
fn companion<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

fn object<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

fn enum_entry<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = child(node, "identifier") else { return Value::Unknown };
    annotations(walk, node);
    let definition = walk.define(name, node, DefinitionKind::EnumMember, Traits::STATIC);
    if let Some(list) = child(node, "value_arguments") {
        let of = walk.this_value();
        arguments(walk, list, Value::Unknown, Some(of));
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

fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

fn constructor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

fn initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
    let mut cursor = node.walk();
    let mut before =
        node.named_children(&mut cursor).take_while(|part| part.start_byte() < name.start_byte());
    before.find(|part| is_type(*part))
}

/// The name of the type that a receiver is of, with those of the types around it; nothing of a type parameter.
fn receiver_name<'t>(walk: &Walk<'t>, node: Node<'t>, receiver: Node<'t>) -> Option<&'t str> {
    let mut of = receiver;
    for _ in 0..8 {
        if of.kind() == "user_type" {
            break;
        }
        let mut cursor = of.walk();
        of = of.named_children(&mut cursor).find(|part| is_type(*part))?;
    }
    let mut cursor = of.walk();
    let names = of.named_children(&mut cursor).filter(|part| part.kind() == "identifier");
    let names: Vec<Node<'t>> = names.filter(|name| walk.text_of(*name) != "Companion").collect();
    let &last = names.last()?;
    let is_type_name = |name: &&Node<'t>| walk.text_of(**name).starts_with(char::is_uppercase);
    let &outermost = names.iter().find(is_type_name).unwrap_or(&last);
    let name = walk.text.get(outermost.start_byte()..last.end_byte())?;
    let mut cursor = node.walk();
    let mut lists = node.named_children(&mut cursor).filter(|part| part.kind() == "type_parameters");
    let is_parameter = lists.any(|list| {
        let mut cursor = list.walk();
        list.named_children(&mut cursor)
            .filter_map(|part| child(part, "identifier"))
            .any(|of| walk.text_of(of) == name)
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

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
        }
        returned(walk, node)
    });
    Value::Unknown
}

/// The type behind the parameters.
fn return_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut behind =
        node.named_children(&mut cursor).skip_while(|part| part.kind() != "function_value_parameters");
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
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor) {
        match part.kind() {
            "parameter_modifiers" => {
                is_several = walk.text_of(part).split_whitespace().any(|word| word == "vararg");
                walk.visit(part);
            }
            "parameter" => {
                n += 1;
                is_fixed &= !is_several;
                let (value, of_lambda) = parameter_type(walk, part);
                receiver = of_lambda;
                let value = if std::mem::take(&mut is_several) { value.collection() } else { value };
                if let Some(name) = child(part, "identifier") {
                    walk.declare_local(name, value);
                }
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
    u8::try_from(n).ok().filter(|_| is_fixed)
}

fn anonymous_function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Function, |walk| {
        let list = child(node, "function_value_parameters");
        receiver_is(walk, list.and_then(|list| receiver(node, list)));
        parameters(walk, node);
        returned(walk, node);
    });
    Value::Unknown
}

fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor).skip_while(|part| *part != declared).skip(1) {
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

fn accessor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
    initial_value(walk, node, list);
    if is_member(node) {
        let mut cursor = list.walk();
        for name in list.named_children(&mut cursor).filter_map(|part| child(part, "identifier")) {
            walk.define(name, node, DefinitionKind::Variable, Traits::default());
        }
    } else {
        declare_several(walk, list, Value::Unknown);
    }
    Value::Unknown
}

/// Declares what is taken apart; behind a key or an index comes an element.
fn declare_several<'t>(walk: &mut Walk<'t>, list: Node<'t>, element: Value) {
    let mut cursor = list.walk();
    let parts = list.named_children(&mut cursor).filter(|part| part.kind() == "variable_declaration");
    for (at, part) in parts.enumerate() {
        let of = typed(walk, part);
        if let Some(name) = child(part, "identifier") {
            walk.declare_local(name, of.or(if at == 1 { element } else { Value::Unknown }));
        }
    }
}

/// Declares a parameter of a lambda or loop.
fn declare_each<'t>(walk: &mut Walk<'t>, part: Node<'t>, value: Value) {
    if part.kind() == "multi_variable_declaration" {
        declare_several(walk, part, value);
        return;
    }
    let of = typed(walk, part);
    if let Some(name) = child(part, "identifier") {
        walk.declare_local(name, of.or(value));
    }
}

fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    walk.scope(ScopeKind::Block, |walk| walk.children(node))
}

fn for_each<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let mut each = None;
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            match part.kind() {
                "variable_declaration" | "multi_variable_declaration" => each = Some(part),
                "annotation" | "label" | "line_comment" | "block_comment" => {}
                _ => {
                    let element = walk.visit(part).element();
                    if let Some(each) = each.take() {
                        declare_each(walk, each, element);
                    }
                }
            }
        }
    });
    Value::Unknown
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let value = typed(walk, node);
        if let Some(name) = child(node, "identifier") {
            walk.declare_local(name, value);
        }
        child(node, "block").map_or(Value::Unknown, |block| walk.visit(block))
    })
}

/// The value of one of the branches.
fn branches<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut cursor = node.walk();
    let mut value = Value::Unknown;
    for (at, part) in node.named_children(&mut cursor).enumerate() {
        if part.kind() == "finally_block" {
            walk.visit(part);
        } else {
            let other = walk.visit(part);
            value = if at == 0 { other } else { value.branch(other) };
        }
    }
    value
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(condition) = field(node, "condition") else { return walk.children(node) };
    let mut cursor = node.walk();
    let mut parts = node.named_children(&mut cursor).filter(|part| *part != condition);
    let consequence = parts.next();
    let is_denied = condition.kind() == "is_expression" && child(condition, "!is").is_some();
    let first = if is_denied {
        let compared = compared(walk, condition);
        let value = consequence.map_or(Value::Unknown, |part| walk.visit(part));
        // `if (x !is Shape) return`: from there on it is one.
        if let Some((name, value)) = compared
            && consequence.is_some_and(|part| leaves(walk, part))
        {
            walk.declare_local(name, value);
        }
        value
    } else {
        walk.scope(ScopeKind::Block, |walk| {
            walk.visit(condition);
            consequence.map_or(Value::Unknown, |part| walk.visit(part))
        })
    };
    match parts.next() {
        Some(other) => first.branch(walk.visit(other)),
        None => first,
    }
}

/// Whether code ends with a jump out of the block.
fn leaves(walk: &Walk<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "return_expression" | "throw_expression" => true,
        "block" => {
            let last = node.named_child_count().checked_sub(1).and_then(|last| node.named_child(last as u32));
            last.is_some_and(|last| last.kind() != "block" && leaves(walk, last))
        }
        _ => matches!(walk.text_of(node), "break" | "continue"),
    }
}

fn when<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let mut subject = None;
        let mut value: Option<Value> = None;
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            match part.kind() {
                "when_subject" => subject = when_subject(walk, part),
                "when_entry" => {
                    let other = when_entry(walk, part, subject);
                    value = Some(value.map_or(other, |value| value.branch(other)));
                }
                _ => {}
            }
        }
        value.unwrap_or_default()
    })
}

/// Reads what is compared; the variable that holds it.
fn when_subject<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let declared = child(node, "variable_declaration");
    let mut cursor = node.walk();
    let mut value = Value::Unknown;
    let mut subject = None;
    for part in node.named_children(&mut cursor).filter(|part| Some(*part) != declared) {
        value = walk.visit(part);
        subject = (part.kind() == "identifier" && walk.is_bound(part)).then_some(part);
    }
    let Some(declared) = declared else { return subject };
    let of = typed(walk, declared);
    let name = child(declared, "identifier")?;
    walk.declare_local(name, of.or(value));
    Some(name)
}

fn when_entry<'t>(walk: &mut Walk<'t>, node: Node<'t>, subject: Option<Node<'t>>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let mut cursor = node.walk();
        let conditions: Vec<Node<'t>> = node.children_by_field_name("condition", &mut cursor).collect();
        for &condition in &conditions {
            if condition.kind() != "type_test" {
                walk.visit(condition);
                continue;
            }
            let of = typed(walk, condition);
            let is_denied = child(condition, "!is").is_some();
            if let Some(subject) = subject.filter(|_| conditions.len() == 1 && !is_denied) {
                walk.declare_local(subject, of);
            }
        }
        let mut cursor = node.walk();
        let mut value = Value::Unknown;
        for part in node.named_children(&mut cursor).filter(|part| !conditions.contains(part)) {
            value = walk.visit(part);
        }
        value
    })
}

fn leave<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["label"]);
    Value::Builtin
}

/// `break@outer` is read as an expression with a label.
fn labeled<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_jump = child(node, "label")
        .is_some_and(|label| matches!(walk.text_of(label), "break@" | "continue@" | "return@"));
    if is_jump { Value::Builtin } else { walk.children(node) }
}

/// A variable that was compared with a type is of that type from there on.
fn is<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some((name, value)) = compared(walk, node) {
        walk.declare_local(name, value);
    }
    Value::Builtin
}

/// Reads a comparison with a type: the local variable, and the type's instance.
fn compared<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<(Node<'t>, Value)> {
    walk.field(node, "left");
    let value = walk.field(node, "right");
    let name = field(node, "left").filter(|left| left.kind() == "identifier")?;
    (walk.is_bound(name) && walk.defined_as(name).is_none()).then_some((name, value))
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "left");
    walk.field(node, "right")
}

fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(generic) = generic_call(node) {
        return call_of(walk, &generic);
    }
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let left = walk.field(node, "left");
    let right = walk.field(node, "right");
    if operator == "?:" { left.branch(right) } else { Value::Builtin }
}

/// `name<Type>(argument)` is read as two comparisons.
fn generic_call(node: Node<'_>) -> Option<Call<'_>> {
    let operator = |node| field(node, "operator").map(|operator: Node<'_>| operator.kind());
    let (left, arguments) = (field(node, "left")?, field(node, "right")?);
    let is_generic = operator(node) == Some(">")
        && operator(left) == Some("<")
        && matches!(arguments.kind(), "parenthesized_expression" | "lambda_literal");
    let (callee, of) = (field(left, "left")?, field(left, "right")?);
    let is_named = |node: Node<'_>| matches!(node.kind(), "identifier" | "navigation_expression");
    (is_generic && is_named(callee) && is_named(of)).then_some(Call {
        callee,
        of: Some(of),
        arguments: Some(arguments).filter(|list| list.kind() != "lambda_literal"),
        lambda: Some(arguments).filter(|list| list.kind() == "lambda_literal"),
    })
}

/// `a shl b`
fn infix<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
    let &[left, name, right] = &parts[..] else { return walk.children(node) };
    let of = walk.visit_as(left, Role::Read);
    let called = walk.member(name, of, Role::Call);
    walk.set_arguments(called, 1);
    walk.visit(right);
    called.called()
}

fn unary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let role = if matches!(operator, "++" | "--") { Role::Write } else { Role::Read };
    let value = walk.field_as(node, "argument", role);
    if operator == "!!" { value } else { Value::Builtin }
}

fn index<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    let mut cursor = node.walk();
    let values: Vec<Value> =
        node.named_children(&mut cursor).map(|part| walk.visit_as(part, Role::Read)).collect();
    values.first().map_or(Value::Unknown, |of| of.element())
}

fn navigation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    member_of(walk, node, role).1
}

/// A member, with the value that it is a member of.
fn member_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> (Value, Value) {
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> =
        node.named_children(&mut cursor).filter(|part| !part.kind().ends_with("comment")).collect();
    let &[object, name] = &parts[..] else { return (Value::Unknown, walk.children(node)) };
    match walk.text_of(name) {
        "class" if child(node, "::").is_some() => {
            walk.visit_as(object, Role::Type);
            return (Value::Unknown, Value::Builtin);
        }
        "Companion" => return (Value::Unknown, walk.visit(object)),
        _ => {}
    }
    if let Some(first) = path_start(walk, object)
        && java::is_type_name(walk.text_of(name))
    {
        return (Value::Unknown, at_path(walk, first, name, role));
    }
    let of = walk.visit(object);
    (of, walk.member(name, of, role))
}

/// The first name of a package: several names with dots between that are no variables.
fn path_start<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    if node.kind() != "navigation_expression" || !java::is_package(walk.text_of(node)) {
        return None;
    }
    let mut first = node;
    while first.kind() == "navigation_expression" {
        first = first.named_child(0)?;
    }
    (first.kind() == "identifier" && !walk.is_bound(first)).then_some(first)
}

/// `::name`, `List<Shape>::name`
fn reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut cursor = node.walk();
    let mut of = None;
    for part in node.named_children(&mut cursor) {
        match (part.kind(), of) {
            ("identifier", Some(of)) => {
                walk.member(part, of, Role::Read);
            }
            ("identifier", None) => {
                bare(walk, part, Role::Read);
            }
            _ => of = Some(walk.visit_as(part, Role::Type)),
        }
    }
    Value::Unknown
}

/// The parts of a call.
struct Call<'t> {
    callee: Node<'t>,
    /// Its type arguments.
    of: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
    lambda: Option<Node<'t>>,
}

impl<'t> Call<'t> {
    fn new(node: Node<'t>) -> Option<Self> {
        let lambda = child(node, "annotated_lambda").and_then(|lambda| child(lambda, "lambda_literal"));
        let arguments = child(node, "value_arguments");
        let callee = node.named_child(0)?;
        let of = child(node, "type_arguments");
        // `name(argument) { … }` is a call of a call.
        if callee.kind() == "call_expression" && arguments.is_none() && lambda.is_some() {
            let inner = Self { lambda, ..Self::new_plain(callee)? };
            return Some(inner);
        }
        Some(Self { callee, of, arguments, lambda })
    }

    /// A call without a lambda behind it.
    fn new_plain(node: Node<'t>) -> Option<Self> {
        let arguments = Some(child(node, "value_arguments")?);
        let of = child(node, "type_arguments");
        Some(Self { callee: node.named_child(0)?, of, arguments, lambda: None })
    }
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    match Call::new(node) {
        Some(call) => call_of(walk, &call),
        None => walk.children(node),
    }
}

/// Functions that give their lambda what they are called on.
const WITH_IT: &[&str] = &["also", "let", "takeIf", "takeUnless", "use"];
/// Functions that return what they are called on.
const SAME: &[&str] = &["also", "apply", "copy", "onEach", "takeIf", "takeUnless"];
/// Functions that return what their lambda returns.
const OF_LAMBDA: &[&str] =
    &["lazy", "let", "run", "runBlocking", "synchronized", "use", "with", "withContext", "withLock"];
/// Functions of the library whose lambda is called on nothing.
const WITHOUT_RECEIVER: &[&str] = &[
    "all",
    "also",
    "any",
    "assertFailsWith",
    "associate",
    "associateBy",
    "check",
    "checkNotNull",
    "count",
    "filter",
    "filterNot",
    "find",
    "first",
    "firstOrNull",
    "flatMap",
    "fold",
    "forEach",
    "forEachIndexed",
    "getOrPut",
    "groupBy",
    "joinToString",
    "last",
    "lazy",
    "let",
    "map",
    "mapIndexed",
    "mapNotNull",
    "none",
    "onEach",
    "repeat",
    "require",
    "requireNotNull",
    "single",
    "sortedBy",
    "synchronized",
    "takeIf",
    "takeUnless",
    "use",
];
/// Functions that make collections.
const MAKERS: &[&str] = &[
    "arrayListOf",
    "arrayOf",
    "arrayOfNulls",
    "emptyArray",
    "emptyList",
    "emptySequence",
    "emptySet",
    "hashSetOf",
    "linkedSetOf",
    "listOf",
    "listOfNotNull",
    "mutableListOf",
    "mutableSetOf",
    "sequenceOf",
    "setOf",
];

fn call_of<'t>(walk: &mut Walk<'t>, call: &Call<'t>) -> Value {
    let callee = call.callee;
    let (of, called, name) = match callee.kind() {
        "identifier" => (Value::Unknown, called_name(walk, callee), walk.text_of(callee)),
        "navigation_expression" => {
            let (of, called) = member_of(walk, callee, Role::Call);
            let last = callee.named_child_count().checked_sub(1);
            let name = last.and_then(|last| callee.named_child(last as u32));
            (of, called, name.map_or("", |name| walk.text_of(name)))
        }
        _ => (Value::Unknown, walk.visit(callee), ""),
    };
    let held = call.of.map_or(Value::Unknown, |of| type_argument(walk, of));
    let key = match name {
        "copy" => Some(of),
        _ => name.starts_with(char::is_uppercase).then_some(called.called()),
    };
    let (n, first) = match call.arguments {
        Some(list) if list.kind() == "parenthesized_expression" => (1, walk.children(list)),
        Some(list) => {
            let element = if WITH_IT.contains(&name) { of } else { of.element() };
            arguments(walk, list, element, key)
        }
        None => (0, Value::Unknown),
    };
    walk.set_arguments(called, n + usize::from(call.lambda.is_some()));
    let result = call.lambda.map(|lambda| {
        let receiver = match (name, called) {
            ("apply" | "run", _) => of,
            ("with", _) => first,
            (_, Value::Itself(Source::Occurrence(at))) if !WITHOUT_RECEIVER.contains(&name) => {
                Value::Receiver(at)
            }
            _ => Value::Unknown,
        };
        let it = if WITH_IT.contains(&name) { of } else { of.element() };
        lambda_of(walk, lambda, it, receiver)
    });
    match (name, result) {
        (_, Some(result)) if OF_LAMBDA.contains(&name) => result,
        _ if SAME.contains(&name) && of != Value::Unknown => of,
        ("checkNotNull" | "requireNotNull", _) => first,
        _ if MAKERS.contains(&name) && of == Value::Unknown => {
            held.or(first).collection().or(called.called())
        }
        _ => called.called(),
    }
}

/// A name that is called: a variable that holds no function is not what is called.
fn called_name<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> Value {
    let is_variable = walk.is_bound(name) && walk.defined_as(name).is_none();
    if is_variable && walk.local_value(walk.text_of(name)) != Value::Unknown {
        return walk.at_site(name, Role::Call, Site::Bare);
    }
    bare(walk, name, Role::Call)
}

/// Reads type arguments; the value of the first.
fn type_argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "identifier" => walk.name(node, Role::Type).instance(),
        "navigation_expression" => walk.visit_as(node, Role::Type).instance(),
        _ => first(walk, node),
    }
}

/// Reads arguments: how many there are, and the first. A lambda's parameter is an `element`; names are those of `key`.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, element: Value, key: Option<Value>) -> (usize, Value) {
    let mut n = 0;
    let mut first = Value::Unknown;
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor).filter(|part| part.kind() == "value_argument") {
        let name = argument_name(part);
        if let (Some(name), Some(key)) = (name, key) {
            walk.at_site(name, Role::Write, Site::Key(key));
        }
        let mut cursor = part.walk();
        for inner in part.named_children(&mut cursor).filter(|inner| Some(*inner) != name) {
            let value = match inner.kind() {
                "lambda_literal" => lambda_of(walk, inner, element, Value::Unknown),
                _ => walk.visit(inner),
            };
            first = if n == 0 { value } else { first };
        }
        n += 1;
    }
    (n, first)
}

fn argument_name(node: Node<'_>) -> Option<Node<'_>> {
    child(node, "=").and_then(|_| child(node, "identifier"))
}

fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = argument_name(node);
    let mut cursor = node.walk();
    let mut value = Value::Unknown;
    for part in node.named_children(&mut cursor).filter(|part| Some(*part) != name) {
        value = walk.visit(part);
    }
    value
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.take_role();
    lambda_of(walk, node, Value::Unknown, Value::Unknown);
    Value::Unknown
}

/// Reads a lambda whose first parameter and receiver may be known; what it returns.
fn lambda_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, it: Value, receiver: Value) -> Value {
    walk.scope(ScopeKind::Function, |walk| {
        match receiver {
            Value::Unknown => {}
            Value::Receiver(_) => {
                walk.declare_local_named(OF_FUNCTION, receiver);
            }
            _ => instance_is(walk, receiver, receiver),
        }
        match child(node, "lambda_parameters") {
            Some(list) => {
                let mut cursor = list.walk();
                for (at, part) in list.named_children(&mut cursor).enumerate() {
                    declare_each(walk, part, if at == 0 { it } else { Value::Unknown });
                }
            }
            None => {
                walk.declare_local_named("it", it);
            }
        }
        let mut value = Value::Unknown;
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor).filter(|part| part.kind() != "lambda_parameters") {
            value = walk.visit(part);
        }
        value
    })
}
