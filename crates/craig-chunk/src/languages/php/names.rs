//! Names in PHP.

mod calls;
mod declarations;
mod doc;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children, unquoted};
use crate::names::rules::{enum_member, plain};
use crate::names::walk::NameRule::{Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionKind, Imported, Role, Site, Traits, Value};
use calls::{
    call, class_argument, class_constant, creation, member, method_call, static_call, static_property,
};
use declarations::{
    attribute, bare_name, class_name, closure, constants, function, own_class, properties, type_declaration,
    type_node, use_traits,
};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Read(comment)),
        ("text", Skip),
        ("string", Read(string)),
        ("nowdoc", Literal),
        ("encapsed_string", Read(string)),
        ("heredoc", Read(plain)),
        ("integer", Literal),
        ("float", Literal),
        ("boolean", Literal),
        ("null", Literal),
        ("declare_directive", Skip),
        ("goto_statement", Skip),
        ("named_label_statement", Skip),
        ("program", Read(program)),
        ("namespace_definition", Read(namespace)),
        ("namespace_use_declaration", Read(import)),
        ("name", Read(class_name)),
        ("qualified_name", Read(class_name)),
        ("relative_name", Read(class_name)),
        ("variable_name", Read(variable)),
        ("named_type", Read(type_node)),
        ("optional_type", Read(type_node)),
        ("union_type", Read(type_node)),
        ("intersection_type", Read(type_node)),
        ("disjunctive_normal_form_type", Read(type_node)),
        ("primitive_type", Read(type_node)),
        ("bottom_type", Literal),
        ("cast_type", Skip),
        ("attribute", Read(attribute)),
        ("class_declaration", Read(type_declaration)),
        ("trait_declaration", Read(type_declaration)),
        ("interface_declaration", Read(type_declaration)),
        ("enum_declaration", Read(type_declaration)),
        ("enum_case", Read(enum_member)),
        ("use_declaration", Read(use_traits)),
        ("const_declaration", Read(constants)),
        ("property_declaration", Read(properties)),
        ("method_declaration", Read(function)),
        ("function_definition", Read(function)),
        ("anonymous_function", Read(closure)),
        ("arrow_function", Read(closure)),
        ("catch_clause", Read(catch)),
        ("foreach_statement", Read(foreach)),
        ("static_variable_declaration", Read(static_variable)),
        ("global_declaration", Read(global)),
        ("assignment_expression", Read(assignment)),
        ("reference_assignment_expression", Read(assignment)),
        ("augmented_assignment_expression", Read(augmented)),
        ("update_expression", Read(update)),
        ("binary_expression", Read(binary)),
        ("unary_op_expression", Read(plain)),
        ("cast_expression", Read(plain)),
        ("conditional_expression", Read(conditional)),
        ("match_conditional_expression", Read(match_arm)),
        ("match_default_expression", Read(match_arm)),
        ("parenthesized_expression", Transparent),
        ("error_suppression_expression", Transparent),
        ("clone_expression", Transparent),
        ("subscript_expression", Read(subscript)),
        ("array_creation_expression", Read(array)),
        ("return_statement", Read(returned)),
        ("yield_expression", Read(yielded)),
        ("argument", Read(argument)),
        ("member_access_expression", Read(member)),
        ("nullsafe_member_access_expression", Read(member)),
        ("scoped_property_access_expression", Read(static_property)),
        ("class_constant_access_expression", Read(class_constant)),
        ("function_call_expression", Read(call)),
        ("member_call_expression", Read(method_call)),
        ("nullsafe_member_call_expression", Read(method_call)),
        ("scoped_call_expression", Read(static_call)),
        ("object_creation_expression", Read(creation)),
    ],
    hoists: false,
};

/// What makes a value of the language.
fn program<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| walk.children(node))
}

fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    doc::variables(walk, node);
    Value::Unknown
}

/// `'Shop\\Store::save'` names a method.
fn string<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let text = walk.text_of(node);
    walk.children(node);
    let Some((class, method)) = unquoted(text).split_once("::") else { return Value::Builtin };
    if is_word(method) {
        let of = class_in_text(walk, node, class);
        if of != Value::Unknown {
            let start = text.len() - method.len() - 1;
            walk.name_in(node, start..start + method.len(), Role::Call, Some(Site::Member(of)));
        }
    }
    Value::Builtin
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A class by its full name, or by one that is imported, in a string.
fn class_in_text<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &'t str) -> Value {
    let path = name.trim_start_matches('\\');
    if let Some(found) = own_class(walk, path) {
        return found;
    }
    match path.split('\\').all(is_word) {
        true if walk.imports_name(path) => doc::class_named(walk, node, path),
        true => doc::class_at(walk, node, path),
        false => Value::Unknown,
    }
}

fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    walk.field(node, "body");
    Value::Unknown
}

/// `use A\\B;`, `use A\\B as C;`, `use A\\{B, C as D};`, `use function A\\b;`
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let prefix = field(node, "body").and_then(|_| child(node, "namespace_name"));
    let group = field(node, "body").unwrap_or(node);
    for clause in named_children(group).filter(|part| part.kind() == "namespace_use_clause") {
        let alias = field(clause, "alias");
        let path = named_children(clause).find(|part| Some(*part) != alias);
        let Some(path) = path else { continue };
        let name = last_name(path);
        let text = walk.text_of(name);
        let id = walk.id(text);
        let local = alias.map_or(text, |alias| walk.text_of(alias));
        // `A\\{B\\C}`: the text between is what both have in common only without a path inside.
        let module = match prefix {
            Some(prefix) => walk.text_of(prefix),
            None => before(walk, path, name),
        };
        let module = module.trim_start_matches('\\');
        let at = walk.import(clause, Some(local), module, Imported::Name(id), false);
        walk.at_site(name, Role::Import, Site::Import(at));
    }
    Value::Unknown
}

/// The last name of a path.
fn last_name(path: Node<'_>) -> Node<'_> {
    if path.kind() == "name" {
        return path;
    }
    named_children(path).filter(|part| part.kind() == "name").last().unwrap_or(path)
}

/// The path before its last name, without the separator.
fn before<'t>(walk: &Walk<'t>, path: Node<'t>, name: Node<'t>) -> &'t str {
    let text = walk.text.get(path.start_byte()..name.start_byte()).unwrap_or_default();
    text.trim_end_matches('\\')
}

/// `$this`, a local variable, or one outside of functions.
fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = child(node, "name") else { return walk.children(node) };
    if walk.text_of(name) == "this" {
        return walk.this_value();
    }
    if walk.is_bound(name) { walk.name(name, role) } else { Value::Unknown }
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let types = field(node, "type");
    let value = types.map_or(Value::Unknown, |types| {
        let values: Vec<Value> = named_children(types).map(|of| walk.visit(of)).collect();
        if let [only] = values[..] { only } else { Value::Unknown }
    });
    if let Some(name) = field(node, "name") {
        assign(walk, name, node, value);
    }
    walk.field(node, "body");
    Value::Unknown
}

/// `foreach ($all as $key => $one)`.
fn foreach<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let body = field(node, "body");
    let mut parts = named_children(node).filter(|part| Some(*part) != body && part.kind() != "comment");
    let all = parts.next().map_or(Value::Unknown, |all| walk.visit(all));
    let element = walk.element(all);
    if let Some(target) = parts.next() {
        match (target.kind(), target.named_child(0), target.named_child(1)) {
            ("pair", Some(key), Some(one)) => {
                assign(walk, key, node, Value::Unknown);
                assign_element(walk, one, node, element);
            }
            _ => assign_element(walk, target, node, element),
        }
    }
    if let Some(body) = body {
        walk.visit(body);
    }
    Value::Unknown
}

/// Binds the variable of a loop, whose type a comment before the loop may give.
fn assign_element<'t>(walk: &mut Walk<'t>, target: Node<'t>, whole: Node<'t>, element: Value) {
    let name = bare_name(target).map(|name| walk.text_of(name));
    let written = name.and_then(|name| doc::type_before(walk, whole, "var", Some(name)));
    let documented = doc::refined(walk, Value::Unknown, None, written);
    assign(walk, target, whole, documented.or(element));
}

fn static_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "value");
    if let Some(name) = field(node, "name").and_then(bare_name) {
        walk.declare_local(name, value);
    }
    Value::Unknown
}

fn global<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for name in named_children(node).filter_map(bare_name) {
        walk.declare_outside(name);
        if walk.is_bound(name) {
            walk.name(name, Role::Read);
        }
    }
    Value::Unknown
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "right");
    let Some(left) = field(node, "left") else { return value };
    let statement = node.parent().filter(|statement| statement.kind() == "expression_statement");
    let documented = match (statement, bare_name(left)) {
        (Some(statement), Some(name)) => doc::variable_before(walk, statement, walk.text_of(name)),
        _ => None,
    };
    let documented = doc::refined(walk, Value::Unknown, None, documented);
    let value = documented.or(value);
    assign(walk, left, node, value);
    value
}

/// Binds a variable or a property to a value.
fn assign<'t>(walk: &mut Walk<'t>, left: Node<'t>, whole: Node<'t>, value: Value) {
    match left.kind() {
        "variable_name" | "by_ref" => {
            let Some(name) = bare_name(left) else {
                walk.visit_as(left, Role::Write);
                return;
            };
            if walk.text_of(name) == "this" {
                return;
            }
            if walk.is_in_function() {
                walk.declare_in_function(name, value);
            } else if walk.is_bound(name) {
                walk.name(name, Role::Write);
            } else if let Some(definition) =
                walk.define(name, whole, DefinitionKind::Variable, Traits::default())
            {
                walk.set_value(definition, value);
                walk.bind(definition);
            }
        }
        "list_literal" | "array_creation_expression" | "array_element_initializer" => {
            for (at, part) in named_children(left).enumerate() {
                let is_keyed = part.named_child_count() > 1;
                let held = match left.kind() {
                    "array_element_initializer" => value,
                    _ if is_keyed => Value::Unknown,
                    _ => walk.part_or_element(value, at),
                };
                assign(walk, part, part, held);
            }
        }
        "member_access_expression" => {
            walk.visit_as(left, Role::Write);
            let is_this = field(left, "object").is_some_and(|object| walk.text_of(object) == "$this");
            let name = field(left, "name").filter(|name| name.kind() == "name");
            if let (true, Some(name), Some(this)) = (is_this, name, walk.this)
                && let Some(known) = walk.member_defined_as(Some(this), name)
            {
                walk.set_value(known, value);
            }
        }
        _ => {
            walk.visit_as(left, Role::Write);
        }
    }
}

fn augmented<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field_as(node, "left", Role::Write);
    let right = walk.field(node, "right");
    let is_default = field(node, "operator").is_some_and(|operator| walk.text_of(operator) == "??=");
    match field(node, "left").filter(|left| is_default && left.kind() == "variable_name") {
        Some(left) => {
            let value = walk.guarded(value, right);
            assign(walk, left, node, value);
            value
        }
        None => value,
    }
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "argument", Role::Write);
    Value::Builtin
}

fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let left = walk.field(node, "left");
    let right = field(node, "right");
    match (operator, right) {
        ("instanceof", Some(right)) => {
            let value = walk.visit_as(right, Role::Type).instance();
            let name = field(node, "left").map(subject).and_then(bare_name);
            if let (true, Some(name)) = (walk.is_in_function(), name)
                && walk.text_of(name) != "this"
            {
                let value = walk.guarded(left, value);
                walk.declare_local(name, value);
            }
            if let Some(path) = field(node, "left").filter(|path| path.kind() == "member_access_expression") {
                let value = walk.guarded(left, value);
                walk.narrow(path, value);
            }
            Value::Builtin
        }
        ("??", Some(right)) => {
            let right = walk.visit(right);
            walk.either(left, right)
        }
        (_, right) => {
            if let Some(right) = right {
                walk.visit(right);
            }
            Value::Builtin
        }
    }
}

/// The variable that `($found = find())` assigns, or the expression itself.
fn subject(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while at.kind() == "parenthesized_expression"
        && let Some(inner) = at.named_child(0)
    {
        at = inner;
    }
    match at.kind() {
        "assignment_expression" => field(at, "left").unwrap_or(at),
        _ => at,
    }
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let condition = walk.field(node, "condition");
    let first = match field(node, "body") {
        Some(body) => walk.visit(body),
        None => condition,
    };
    let other = walk.field(node, "alternative");
    walk.either(first, other)
}

fn match_arm<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["return_expression"]);
    walk.field(node, "return_expression")
}

fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut parts = named_children(node);
    let of = parts.next().map_or(Value::Unknown, |of| walk.visit(of));
    let element = walk.element(of);
    match parts.next().map(|index| class_argument(walk, index).ok_or(index)) {
        // A container: `$container[Shape::class]`.
        Some(Ok(class)) => walk.guarded(element, class.instance()),
        Some(Err(index)) => {
            walk.visit(index);
            element
        }
        None => element,
    }
}

fn array<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some((of, method)) = callable(walk, node) {
        let of = match of.kind() {
            "string" => class_in_text(walk, of, unquoted(walk.text_of(of))),
            _ => class_argument(walk, of).unwrap_or_else(|| walk.visit(of)),
        };
        if of.is_typed() {
            walk.member(method, of, Role::Call);
        }
        return Value::Builtin;
    }
    let parts: Vec<Value> = named_children(node).map(|part| walk.children(part)).collect();
    let has_keys = named_children(node).any(|part| part.named_child_count() > 1);
    match parts[..] {
        [_, _, ..] if !has_keys && parts.iter().all(|part| part.is_typed()) => walk.tuple(node, &parts),
        [.., Value::Instance(of)] => Value::Collection(of),
        _ => Value::Builtin,
    }
}

/// What stands in `[$store, 'save']`: an object or a class, and the name of a method.
fn callable<'t>(walk: &Walk<'t>, array: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let mut parts = named_children(array).filter(|part| part.kind() == "array_element_initializer");
    let (first, second) = (parts.next()?, parts.next()?);
    let is_pair = parts.next().is_none() && first.named_child_count() == 1 && second.named_child_count() == 1;
    let text = second.named_child(0).filter(|text| is_pair && text.named_child_count() == 1)?;
    let name = child(text, "string_content").filter(|name| is_word(walk.text_of(*name)))?;
    Some((first.named_child(0)?, name))
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    if value != Value::Builtin {
        walk.returns(value);
    }
    Value::Unknown
}

/// `yield $shape` makes the function return several.
fn yielded<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_from = node.child(0).is_some_and(|first| first.kind() == "yield from");
    let value = walk.children(node);
    let all = if is_from { value } else { value.collection() };
    if all != Value::Builtin {
        walk.returns(all);
    }
    Value::Unknown
}

fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != name) {
        value = walk.visit(part);
    }
    value
}
