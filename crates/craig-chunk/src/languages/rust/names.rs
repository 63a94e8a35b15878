//! Names in Rust.

mod closures;
mod items;
mod macros;
mod paths;
mod types;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::NameRule::{Block, Literal, Name, Read, Skip, Transparent, TypeName};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{Role, Site, Value};
use closures::{call, closure};
use items::{constant, enumeration, function, implementation, interface, structure, type_item};
use macros::{MAX_NESTED, macro_definition, macro_invocation, tokens};
use paths::{attribute, import, module, path};
use types::{
    array_type, bounded_type, function_type, generic, generic_function, qualified_type, tuple, tuple_type,
    type_of,
};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("line_comment", Skip),
        ("block_comment", Skip),
        ("string_literal", Literal),
        ("raw_string_literal", Literal),
        ("char_literal", Literal),
        ("integer_literal", Literal),
        ("float_literal", Literal),
        ("boolean_literal", Literal),
        ("primitive_type", Literal),
        ("unit_type", Literal),
        ("lifetime", Skip),
        ("label", Skip),
        ("visibility_modifier", Skip),
        ("inner_attribute_item", Skip),
        ("attribute_item", Read(attribute)),
        ("identifier", Name),
        ("self", Name),
        ("type_identifier", TypeName),
        ("scoped_identifier", Read(path)),
        ("scoped_type_identifier", Read(path)),
        ("generic_type", Read(generic)),
        ("generic_type_with_turbofish", Read(generic)),
        ("generic_function", Read(generic_function)),
        ("reference_type", Read(type_of)),
        ("pointer_type", Read(type_of)),
        ("abstract_type", Read(type_of)),
        ("dynamic_type", Read(type_of)),
        ("bounded_type", Read(bounded_type)),
        ("bracketed_type", Read(type_of)),
        ("qualified_type", Read(qualified_type)),
        ("array_type", Read(array_type)),
        ("tuple_type", Read(tuple_type)),
        ("tuple_expression", Read(tuple)),
        ("function_type", Read(function_type)),
        ("use_declaration", Read(import)),
        ("extern_crate_declaration", Skip),
        ("mod_item", Read(module)),
        ("struct_item", Read(structure)),
        ("union_item", Read(structure)),
        ("enum_item", Read(enumeration)),
        ("trait_item", Read(interface)),
        ("impl_item", Read(implementation)),
        ("function_item", Read(function)),
        ("function_signature_item", Read(function)),
        ("const_item", Read(constant)),
        ("static_item", Read(constant)),
        ("type_item", Read(type_item)),
        ("associated_type", Read(type_item)),
        ("macro_definition", Read(macro_definition)),
        ("macro_invocation", Read(macro_invocation)),
        ("token_tree", Read(tokens)),
        ("block", Read(block)),
        ("if_expression", Read(conditional)),
        ("while_expression", Block),
        ("let_declaration", Read(let_declaration)),
        ("let_condition", Read(let_condition)),
        ("match_expression", Read(match_expression)),
        ("for_expression", Read(for_expression)),
        ("closure_expression", Read(closure)),
        ("field_expression", Read(member_access)),
        ("call_expression", Read(call)),
        ("struct_expression", Read(structure_literal)),
        ("index_expression", Read(index)),
        ("assignment_expression", Read(assignment)),
        ("compound_assignment_expr", Read(assignment)),
        ("type_cast_expression", Read(cast)),
        ("parenthesized_expression", Transparent),
        ("reference_expression", Read(reference)),
        ("unary_expression", Transparent),
        ("try_expression", Transparent),
        ("await_expression", Transparent),
        ("return_expression", Read(returned)),
    ],
    hoists: false,
};

// Paths and imports.

// Types.

// Macros.

// Statements, patterns and expressions.

/// The value of a block is that of its last expression.
fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.scope(ScopeKind::Block, |walk| walk.children(node));
    let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
    let is_value =
        last.is_some_and(|last| !last.kind().ends_with("statement") && !last.kind().ends_with("declaration"));
    if is_value { value } else { Value::Unknown }
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        walk.field(node, "condition");
        let value = walk.field(node, "consequence");
        let other = field(node, "alternative").map_or(Value::Unknown, |other| walk.children(other));
        value.or(other)
    })
}

fn let_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = walk.field(node, "type").instance();
    let value = walk.field(node, "value");
    walk.field(node, "alternative");
    if let Some(written) = field(node, "pattern") {
        pattern(walk, written, declared.or(value), 0);
    }
    Value::Unknown
}

fn let_condition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "value");
    if let Some(written) = field(node, "pattern") {
        pattern(walk, written, value, 0);
    }
    Value::Unknown
}

fn match_expression<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let matched = walk.field(node, "value");
    let Some(body) = field(node, "body") else { return Value::Unknown };
    let mut value = Value::Unknown;
    for arm in named_children(body).filter(|arm| arm.kind() == "match_arm") {
        let found = walk.scope(ScopeKind::Block, |walk| {
            if let Some(written) = field(arm, "pattern") {
                if let Some(inner) = written.named_child(0) {
                    pattern(walk, inner, matched, 0);
                }
                walk.field(written, "condition");
            }
            walk.field(arm, "value")
        });
        value = value.or(found);
    }
    value
}

/// Declares the variables of a pattern for a value.
fn pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value, depth: usize) {
    if depth > MAX_NESTED {
        return;
    }
    match node.kind() {
        "identifier" if walk.text_of(node).starts_with(char::is_uppercase) => {
            walk.name(node, Role::Read);
        }
        "identifier" | "shorthand_field_identifier" => {
            walk.declare_local(node, value);
        }
        "ref_pattern" | "mut_pattern" | "reference_pattern" | "or_pattern" | "captured_pattern" => {
            for part in named_children(node).filter(|part| part.kind() != "mutable_specifier") {
                pattern(walk, part, value, depth + 1);
            }
        }
        "tuple_pattern" | "slice_pattern" => {
            // A pair that is not a tuple comes from a map or `enumerate`: a key or an index, then the element.
            let is_pair = node.kind() == "tuple_pattern" && node.named_child_count() == 2;
            for (at, part) in named_children(node).enumerate() {
                let held = walk.part_or_element(value, at);
                let held = if is_pair && at == 1 { walk.guarded(held, value) } else { held };
                pattern(walk, part, held, depth + 1);
            }
        }
        "tuple_struct_pattern" => {
            let name = field(node, "type");
            let is_wrapper = name.is_some_and(|name| matches!(walk.text_of(name), "Some" | "Ok"));
            let of = walk.field(node, "type");
            let inner = match of {
                _ if is_wrapper => value,
                Value::Itself(of) if node.named_child_count() == 2 => Value::Element(of),
                _ => Value::Unknown,
            };
            let parts = named_children(node).filter(|part| Some(*part) != name);
            for part in parts {
                pattern(walk, part, inner, depth + 1);
            }
        }
        "struct_pattern" => {
            let of = walk.field(node, "type");
            for part in named_children(node).filter(|part| part.kind() == "field_pattern") {
                let Some(name) = field(part, "name") else { continue };
                let found = walk.at_site(name, Role::Read, Site::Key(of.instance()));
                match field(part, "pattern") {
                    Some(inner) => pattern(walk, inner, found, depth + 1),
                    None => pattern(walk, name, found, depth + 1),
                }
            }
        }
        _ => {
            walk.visit(node);
        }
    }
}

fn for_expression<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let element = walk.field(node, "value").element();
        if let Some(written) = field(node, "pattern") {
            pattern(walk, written, element, 0);
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "value")
}

fn member_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "value");
    let Some(name) = field(node, "field") else { return Value::Unknown };
    match walk.text_of(name).parse() {
        Ok(at) => walk.part(of, at),
        Err(_) => walk.member(name, of, role),
    }
}

fn structure_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = match field(node, "name") {
        Some(name) => walk.visit_as(name, Role::Type).instance(),
        None => Value::Unknown,
    };
    let Some(body) = field(node, "body") else { return of };
    for part in named_children(body) {
        match part.kind() {
            "field_initializer" => {
                if let Some(name) = field(part, "field").or_else(|| field(part, "name")) {
                    walk.at_site(name, Role::Write, Site::Key(of));
                }
                walk.field(part, "value");
            }
            "shorthand_field_initializer" => {
                if let Some(name) = child(part, "identifier") {
                    walk.at_site(name, Role::Write, Site::Key(of));
                    walk.visit(name);
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
    of
}

fn index<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut first = None;
    for part in named_children(node) {
        let value = walk.visit(part);
        first.get_or_insert(value);
    }
    first.unwrap_or_default().element()
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "left", Role::Write);
    walk.field(node, "right");
    Value::Unknown
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "value");
    walk.field(node, "type").instance()
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    walk.returns(value);
    Value::Unknown
}
