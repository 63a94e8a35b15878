//! Names in C and C++.

mod declarators;
mod preprocessor;
mod types;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::rules::ternary;
use crate::names::walk::NameRule::{Block, Inside, Literal, Name, Read, Skip, Transparent, TypeName};
use crate::names::walk::{NameRule, NameTable, ScopeKind, Walk};
use crate::names::{Role, Site, Value};
use declarators::{
    alias, declaration, declarator, declared_type, function, parameter, type_definition, unparsed,
};
use preprocessor::{concatenated, directive, include, macro_definition, pasted};
use types::{
    enumeration, namespace, nested_namespace, qualified, record, template, template_arguments,
    type_descriptor, type_parameter, using,
};

pub(crate) static TABLE: NameTable = NameTable { rules: RULES, hoists: false };

const RULES: &[(&str, NameRule)] = &[
    ("comment", Skip),
    ("string_literal", Literal),
    ("raw_string_literal", Literal),
    ("char_literal", Literal),
    ("number_literal", Literal),
    ("true", Literal),
    ("false", Literal),
    ("null", Literal),
    ("primitive_type", Literal),
    ("sized_type_specifier", Literal),
    ("attribute_specifier", Skip),
    ("attribute_declaration", Skip),
    ("ms_declspec_modifier", Skip),
    ("concatenated_string", Read(concatenated)),
    ("identifier", Name),
    ("namespace_identifier", TypeName),
    ("type_identifier", TypeName),
    ("preproc_include", Read(include)),
    ("preproc_def", Read(macro_definition)),
    ("preproc_function_def", Read(macro_definition)),
    ("preproc_call", Read(directive)),
    ("compound_statement", Block),
    ("if_statement", Block),
    ("for_statement", Block),
    ("while_statement", Block),
    ("switch_statement", Block),
    ("catch_clause", Block),
    ("template_declaration", Block),
    ("function_definition", Read(function)),
    ("declaration", Read(declaration)),
    ("field_declaration", Read(declaration)),
    ("type_definition", Read(type_definition)),
    ("alias_declaration", Read(alias)),
    ("struct_specifier", Read(record)),
    ("union_specifier", Read(record)),
    ("class_specifier", Read(record)),
    ("enum_specifier", Read(enumeration)),
    ("namespace_definition", Read(namespace)),
    ("namespace_alias_definition", Read(alias)),
    ("nested_namespace_specifier", Read(nested_namespace)),
    ("using_declaration", Read(using)),
    ("type_parameter_declaration", Read(type_parameter)),
    ("optional_type_parameter_declaration", Read(type_parameter)),
    ("variadic_type_parameter_declaration", Read(type_parameter)),
    ("parameter_declaration", Read(parameter)),
    ("optional_parameter_declaration", Read(parameter)),
    ("variadic_parameter_declaration", Read(parameter)),
    ("type_descriptor", Read(type_descriptor)),
    ("template_type", Read(template)),
    ("template_function", Read(template)),
    ("template_method", Read(template)),
    ("qualified_identifier", Read(qualified)),
    ("field_expression", Read(member_access)),
    ("offsetof_expression", Read(offset_of)),
    ("call_expression", Read(call)),
    ("new_expression", Read(new)),
    ("cast_expression", Read(cast)),
    ("compound_literal_expression", Read(compound_literal)),
    ("initializer_list", Read(untyped_literal)),
    ("subscript_expression", Read(subscript)),
    ("assignment_expression", Read(assignment)),
    ("update_expression", Read(update)),
    ("conditional_expression", Read(ternary)),
    ("parenthesized_expression", Transparent),
    ("pointer_expression", Transparent),
    ("field_initializer", Read(field_initializer)),
    ("lambda_expression", Read(lambda)),
    ("for_range_loop", Read(range_loop)),
    ("return_statement", Read(returned)),
    ("this", Read(this)),
    ("binary_expression", Inside),
    ("ERROR", Read(unparsed)),
];

fn member_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "argument");
    let Some(name) = field(node, "field") else { return Value::Unknown };
    match name.kind() {
        "field_identifier" => {
            let member = walk.member(name, of, role);
            // What an iterator of a map points to is not told from its value.
            if walk.text_of(name) == "second" { walk.guarded(member, of) } else { member }
        }
        "template_method" => {
            let whole = field(name, "name").map_or(Value::Unknown, |name| walk.member(name, of, role));
            template_arguments(walk, name, whole)
        }
        "destructor_name" => Value::Unknown,
        _ => walk.visit_as(name, role),
    }
}

fn offset_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "type").instance();
    if let Some(name) = field(node, "member") {
        walk.member(name, of, Role::Read);
    }
    Value::Builtin
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.named = Value::Unknown;
    let called = walk.field_as(node, "function", Role::Call);
    let named = std::mem::take(&mut walk.named);
    let function = field(node, "function");
    let is_move = function.is_some_and(|function| {
        matches!(walk.text_of(function), "std::move" | "move" | "likely" | "unlikely")
    });
    let mut first = None;
    if let Some(arguments) = field(node, "arguments") {
        if let Some(function) = function.filter(|function| function.kind() == "identifier") {
            pasted(walk, function, arguments);
        }
        for argument in named_children(arguments) {
            walk.callback = [first.map_or(Value::Unknown, |range| walk.element(range)); 2];
            let value = walk.visit(argument);
            first.get_or_insert(value);
        }
        walk.callback = Default::default();
        let n = named_children(arguments).filter(|argument| argument.kind() != "comment").count();
        walk.set_arguments(called, n);
    }
    match called {
        _ if is_move => first.unwrap_or_default(),
        // A type that a template makes.
        Value::Instance(_) | Value::Choice(_) => called,
        _ => walk.inferred(called.called(), named),
    }
}

fn new<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field_as(node, "type", Role::Call).instance();
    walk.children_except(node, &["type"]);
    value
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type").instance();
    walk.field(node, "value");
    value
}

fn compound_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "type").instance();
    if let Some(list) = field(node, "value") {
        literal(walk, list, of);
    }
    of
}

fn untyped_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    literal(walk, node, Value::Unknown);
    Value::Unknown
}

/// The elements of a literal; `.field = value` names a field of its type. Elements of an array's literal have its type.
fn literal<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: Value) {
    for part in named_children(list) {
        if part.kind() != "initializer_pair" {
            element(walk, part, of);
            continue;
        }
        let mut cursor = part.walk();
        let mut inner = of;
        for (at, designator) in part.children_by_field_name("designator", &mut cursor).enumerate() {
            match child(designator, "field_identifier") {
                Some(name) if at == 0 => inner = walk.at_site(name, Role::Write, Site::Key(of)),
                Some(name) => inner = walk.member(name, inner, Role::Write),
                None => {
                    walk.children(designator);
                }
            }
        }
        if let Some(value) = field(part, "value") {
            element(walk, value, inner);
        }
    }
}

fn element<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value) {
    if node.kind() == "initializer_list" {
        literal(walk, node, of);
    } else {
        walk.visit(node);
    }
}

/// A pointer or an array is not told from its elements.
fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "argument");
    walk.children_except(node, &["argument"]);
    match value {
        Value::Collection(_) | Value::Itself(_) | Value::Called(_) | Value::Choice(_) => walk.element(value),
        _ => value,
    }
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field_as(node, "left", Role::Write);
    match field(node, "right") {
        Some(list) if list.kind() == "initializer_list" => literal(walk, list, value),
        Some(right) => {
            walk.visit(right);
        }
        None => {}
    }
    value
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "argument", Role::Write)
}

/// `: field(value)` of a constructor.
fn field_initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = child(node, "field_identifier") {
        walk.at_site(name, Role::Write, Site::Bare);
    }
    for part in named_children(node).filter(|part| part.kind() != "field_identifier") {
        walk.visit(part);
    }
    Value::Unknown
}

/// A lambda. What an algorithm hands to it are elements of the range that is its first argument.
fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let handed = std::mem::take(&mut walk.callback);
    walk.scope(ScopeKind::Function, |walk| {
        walk.field(node, "captures");
        if let Some(written) = field(node, "declarator") {
            walk.visit(written);
            for (parameter, element) in
                field(written, "parameters").into_iter().flat_map(named_children).zip(handed)
            {
                untyped_parameter(walk, parameter, element);
            }
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

/// Declares a parameter whose type is `auto`.
fn untyped_parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value) {
    let is_auto = field(node, "type").is_some_and(|of| of.kind() == "placeholder_type_specifier");
    if let Some(found) =
        field(node, "declarator").filter(|_| is_auto).and_then(|written| declarator(walk, written))
    {
        walk.redeclare_local(walk.text_of(found.name), value);
    }
}

fn range_loop<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        walk.field(node, "initializer");
        let declared = declared_type(walk, node);
        let range = walk.field(node, "right");
        let element = walk.element(range);
        if let Some(found) = field(node, "declarator").and_then(|written| declarator(walk, written)) {
            if found.name.kind() == "structured_binding_declarator" {
                // `[key, value]` of a map.
                let is_pair = found.name.named_child_count() == 2;
                for (at, name) in named_children(found.name).enumerate() {
                    walk.declare_local(name, if is_pair && at == 1 { element } else { Value::Unknown });
                }
            } else {
                walk.declare_local(found.name, declared.or(element));
            }
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    walk.returns(value);
    Value::Unknown
}

fn this<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if walk.is_bound(node) { walk.name(node, Role::Read) } else { walk.this_value() }
}
