//! Names in C#.

mod declarations;
mod types;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::rules::{assignment, enum_member, plain, ternary, this};
use crate::names::walk::NameRule::{Block, Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{Imported, Role, Site, Value};
use declarations::{
    accessor, attribute, declare_all, delegate, fields, method, parameters, property, type_declaration,
    unnamed, variables,
};
use types::{arguments_of_type, generic, qualified, type_field, type_node, type_value};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Skip),
        ("string_literal", Literal),
        ("verbatim_string_literal", Literal),
        ("raw_string_literal", Literal),
        ("character_literal", Literal),
        ("integer_literal", Literal),
        ("real_literal", Literal),
        ("boolean_literal", Literal),
        ("null_literal", Literal),
        ("predefined_type", Literal),
        ("interpolated_string_expression", Read(plain)),
        ("interpolation_format_clause", Skip),
        ("attribute_target_specifier", Skip),
        ("goto_statement", Skip),
        ("extern_alias_directive", Skip),
        ("preproc_define", Skip),
        ("preproc_undef", Skip),
        ("preproc_pragma", Skip),
        ("preproc_region", Skip),
        ("preproc_endregion", Skip),
        ("preproc_line", Skip),
        ("preproc_error", Skip),
        ("preproc_warning", Skip),
        ("preproc_if", Read(preprocessed)),
        ("preproc_elif", Read(preprocessed)),
        ("file_scoped_namespace_declaration", Read(namespace)),
        ("namespace_declaration", Read(namespace)),
        ("using_directive", Read(using)),
        ("identifier", Read(identifier)),
        ("generic_name", Read(generic)),
        ("qualified_name", Read(qualified)),
        ("alias_qualified_name", Read(qualified)),
        ("nullable_type", Read(type_node)),
        ("array_type", Read(type_node)),
        ("this", Read(this)),
        ("base", Read(base)),
        ("attribute", Read(attribute)),
        ("class_declaration", Read(type_declaration)),
        ("struct_declaration", Read(type_declaration)),
        ("record_declaration", Read(type_declaration)),
        ("interface_declaration", Read(type_declaration)),
        ("enum_declaration", Read(type_declaration)),
        ("delegate_declaration", Read(delegate)),
        ("enum_member_declaration", Read(enum_member)),
        ("method_declaration", Read(method)),
        ("constructor_declaration", Read(method)),
        ("local_function_statement", Read(method)),
        ("destructor_declaration", Read(unnamed)),
        ("operator_declaration", Read(unnamed)),
        ("conversion_operator_declaration", Read(unnamed)),
        ("indexer_declaration", Read(unnamed)),
        ("property_declaration", Read(property)),
        ("event_declaration", Read(property)),
        ("field_declaration", Read(fields)),
        ("event_field_declaration", Read(fields)),
        ("accessor_declaration", Read(accessor)),
        ("variable_declaration", Read(variables)),
        ("block", Block),
        ("for_statement", Block),
        ("using_statement", Block),
        ("fixed_statement", Block),
        ("switch_section", Block),
        ("switch_expression_arm", Block),
        ("foreach_statement", Read(for_each)),
        ("catch_clause", Read(catch)),
        ("labeled_statement", Read(labeled)),
        ("declaration_expression", Read(declaration)),
        ("declaration_pattern", Read(declaration)),
        ("var_pattern", Read(declaration)),
        ("recursive_pattern", Read(recursive_pattern)),
        ("is_pattern_expression", Read(is_pattern)),
        ("type_pattern", Read(cast)),
        ("is_expression", Read(cast)),
        ("as_expression", Read(cast)),
        ("cast_expression", Read(cast)),
        ("typeof_expression", Read(cast)),
        ("default_expression", Read(cast)),
        ("sizeof_expression", Read(cast)),
        ("parenthesized_expression", Transparent),
        ("await_expression", Transparent),
        ("return_statement", Read(returned)),
        ("checked_expression", Transparent),
        ("ref_expression", Transparent),
        ("binary_expression", Read(binary)),
        ("conditional_expression", Read(ternary)),
        ("assignment_expression", Read(assignment)),
        ("postfix_unary_expression", Read(update)),
        ("prefix_unary_expression", Read(update)),
        ("member_access_expression", Read(member)),
        ("conditional_access_expression", Read(conditional_access)),
        ("element_access_expression", Read(element)),
        ("invocation_expression", Read(call)),
        ("argument", Read(argument)),
        ("object_creation_expression", Read(creation)),
        ("implicit_object_creation_expression", Read(implicit_creation)),
        ("with_expression", Read(with)),
        ("array_creation_expression", Read(cast)),
        ("lambda_expression", Read(lambda)),
        ("anonymous_method_expression", Read(lambda)),
        ("from_clause", Read(from)),
        ("let_clause", Read(from)),
        ("query_expression", Block),
    ],
    hoists: false,
};

fn preprocessed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["condition"]);
    Value::Unknown
}

fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    walk.children_except(node, &["name"]);
    Value::Unknown
}

/// `using A.B;`, `using static A.B;`, `using C = A.B;`
fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let alias = field(node, "name");
    let Some(path) = named_children(node).filter(|part| Some(*part) != alias).last() else {
        return Value::Unknown;
    };
    let scope = field(path, "qualifier");
    let name = field(path, "name").filter(|name| name.kind() == "identifier");
    let imported = scope.zip(name).map(|(scope, name)| {
        let id = walk.id(walk.text_of(name));
        (walk.text_of(scope).trim_start_matches("global::"), Imported::Name(id), name)
    });
    match (alias, imported) {
        (Some(alias), Some((module, what, name))) => {
            let at = walk.import(node, Some(walk.text_of(alias)), module, what, false);
            walk.at_site(name, Role::Import, Site::Import(at));
        }
        (Some(_), None) => {
            type_value(walk, path, Role::Type);
        }
        (None, imported) => {
            walk.import(node, None, walk.text_of(path).trim_start_matches("global::"), Imported::All, false);
            if let (Some(_), Some((module, what, name))) = (child(node, "static"), imported) {
                let at = walk.import(node, None, module, what, false);
                walk.at_site(name, Role::Import, Site::Import(at));
            }
        }
    }
    Value::Unknown
}

/// A name in an expression.
fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    if matches!(walk.text_of(node), "_" | "var" | "dynamic" | "nameof" | "value") && !walk.is_bound(node) {
        return Value::Unknown;
    }
    walk.name(node, role)
}

fn base<'t>(walk: &mut Walk<'t>, _: Node<'t>) -> Value {
    walk.this.map_or(Value::Unknown, Value::Super)
}

fn for_each<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let declared = type_field(walk, node, "type");
        let element = walk.field(node, "right").element();
        match field(node, "left") {
            Some(left) if left.kind() == "identifier" => {
                walk.declare_local(left, declared.or(element));
            }
            // Behind a key comes an element of the map.
            Some(left) => declare_all(walk, left, element, element),
            None => {}
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        if let Some(declaration) = child(node, "catch_declaration") {
            self::declaration(walk, declaration);
        }
        for part in named_children(node).filter(|part| part.kind() != "catch_declaration") {
            walk.visit(part);
        }
    });
    Value::Unknown
}

fn labeled<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node).skip(1) {
        walk.visit(part);
    }
    Value::Unknown
}

/// A type with a name that it declares.
fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected);
    let value = type_field(walk, node, "type").or(expected);
    if let Some(name) = field(node, "name") {
        walk.declare_local(name, value);
    }
    value
}

/// `value is { Size: 2 } shape`
fn is_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.expected = walk.field(node, "expression");
    walk.field(node, "pattern");
    walk.expected = Value::Unknown;
    Value::Builtin
}

/// `Shape { Size: 2 } shape`
fn recursive_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = declaration(walk, node);
    for clause in named_children(node) {
        if clause.kind() == "property_pattern_clause" {
            for part in named_children(clause).filter(|part| part.kind() == "subpattern") {
                let name = part.named_child(0).filter(|name| name.kind() == "identifier");
                if let Some(name) = name {
                    walk.at_site(name, Role::Read, Site::Key(value));
                }
                for inner in named_children(part).filter(|inner| Some(*inner) != name) {
                    walk.visit(inner);
                }
            }
        } else if clause.kind() == "positional_pattern_clause" {
            walk.visit(clause);
        }
    }
    value
}

/// An expression with a type that its value has.
fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = field(node, "type").or_else(|| field(node, "right"));
    let value = of.map_or(Value::Unknown, |of| type_value(walk, of, Role::Type));
    walk.children_except(node, &["type", "right"]);
    if matches!(node.kind(), "is_expression" | "typeof_expression" | "sizeof_expression") {
        Value::Builtin
    } else {
        value
    }
}

fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let left = walk.field(node, "left");
    let right = walk.field(node, "right");
    if operator == "??" { walk.either(left, right) } else { Value::Builtin }
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let text = walk.text_of(node);
    let is_write = ["++", "--"].iter().any(|sign| text.starts_with(sign) || text.ends_with(sign));
    let role = if is_write { Role::Write } else { Role::Read };
    // `x!` is `x`.
    node.named_child(0).map_or(Value::Unknown, |inner| walk.visit_as(inner, role))
}

fn member_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value, role: Role) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let text = if name.kind() == "generic_name" { child(name, "identifier") } else { Some(name) };
    let value = text.map_or(Value::Unknown, |text| walk.member(text, of, role));
    let held = arguments_of_type(walk, name);
    walk.named = held.first().copied().unwrap_or_default();
    value
}

fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "expression");
    if role == Role::Read && field(node, "name").is_some_and(|name| walk.text_of(name) == "Result") {
        // What a task holds.
        member_name(walk, node, of, role);
        return of;
    }
    member_name(walk, node, of, role)
}

/// `shape?.Size`
fn conditional_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "condition");
    let condition = field(node, "condition");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != condition) {
        value = bound_member(walk, part, of, role, 0);
    }
    value
}

/// What follows `?.`: members and calls, the innermost of which is of the value.
fn bound_member<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value, role: Role, depth: usize) -> Value {
    const MAX_CHAIN: usize = 64;
    if depth > MAX_CHAIN {
        return Value::Unknown;
    }
    match node.kind() {
        "member_binding_expression" => member_name(walk, node, of, role),
        "member_access_expression" => {
            let Some(inner) = field(node, "expression") else { return Value::Unknown };
            let of = bound_member(walk, inner, of, Role::Read, depth + 1);
            member_name(walk, node, of, role)
        }
        "invocation_expression" => {
            let Some(function) = field(node, "function") else { return Value::Unknown };
            let called = bound_member(walk, function, of, Role::Call, depth + 1);
            walk.field(node, "arguments");
            called.called()
        }
        "element_binding_expression" => {
            walk.children(node);
            of.element()
        }
        _ => walk.visit_as(node, role),
    }
}

fn element<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "expression");
    walk.field(node, "subscript");
    of.element()
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(function) = field(node, "function") else { return Value::Unknown };
    let name = field(function, "name").map_or("", |name| walk.text_of(name));
    // They hand on what the task gives.
    if matches!(name, "ConfigureAwait" | "GetAwaiter" | "GetResult" | "AsTask" | "AsValueTask")
        && let Some(of) = field(function, "expression")
    {
        let of = walk.visit(of);
        walk.field(node, "arguments");
        return of;
    }
    walk.named = Value::Unknown;
    let called = walk.visit_as(function, Role::Call);
    let named = std::mem::take(&mut walk.named);
    let mut returned = Value::Unknown;
    if let Some(list) = field(node, "arguments") {
        let of = walk.receiver(called);
        let element = walk.element(of);
        returned = arguments(walk, list, called, element);
    }
    let result = walk.inferred(called.called(), named);
    match name {
        "Select" => walk.guarded(result, returned.collection()),
        "SelectMany" => walk.guarded(result, returned),
        _ => result,
    }
}

/// Reads the arguments of a call, of what is `called`; what the first function among them returns.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, called: Value, element: Value) -> Value {
    let mut returned = Value::Unknown;
    for (at, part) in named_children(list).enumerate() {
        let given = called.parameter(at);
        walk.callback[0] = walk.lambda_parameter(given, element);
        // `all.TryGetValue(key, out var found)`
        let is_out = child(part, "declaration_expression").is_some();
        walk.expected = if is_out { walk.guarded(given, element) } else { given };
        walk.result = Value::Unknown;
        let value = walk.visit(part);
        returned = returned.or(walk.result).or(value.called());
        (walk.callback, walk.expected) = Default::default();
    }
    walk.set_arguments(called, list.named_child_count());
    returned
}

fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != name) {
        value = walk.visit(part);
    }
    value
}

fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = field(node, "type").map_or(Value::Unknown, |of| type_value(walk, of, Role::Call));
    if let Some(list) = field(node, "arguments") {
        arguments(walk, list, value, Value::Unknown);
    }
    if let Some(list) = field(node, "initializer") {
        initializer(walk, list, value);
    }
    value
}

/// `new() { … }`: of the type that is declared.
fn implicit_creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = std::mem::take(&mut walk.expected);
    for part in named_children(node) {
        if part.kind() == "initializer_expression" {
            initializer(walk, part, value);
        } else {
            walk.visit(part);
        }
    }
    value
}

/// The members that an initializer sets.
fn initializer<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: Value) {
    for part in named_children(list) {
        let left = field(part, "left").filter(|left| left.kind() == "identifier");
        match left {
            Some(name) if part.kind() == "assignment_expression" => {
                walk.at_site(name, Role::Write, Site::Key(of));
                match field(part, "right") {
                    Some(right) if right.kind() == "initializer_expression" => {
                        initializer(walk, right, Value::Unknown);
                    }
                    Some(right) => {
                        walk.visit(right);
                    }
                    None => {}
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

fn with<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut of = Value::Unknown;
    for part in named_children(node) {
        if part.kind() != "with_initializer" {
            of = walk.visit(part);
            continue;
        }
        for (at, inner) in named_children(part).enumerate() {
            if at == 0 && inner.kind() == "identifier" {
                walk.at_site(inner, Role::Write, Site::Key(of));
            } else {
                walk.visit(inner);
            }
        }
    }
    of
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (expected, [first, _]) = (std::mem::take(&mut walk.expected), std::mem::take(&mut walk.callback));
    walk.function(None, |walk| {
        match field(node, "parameters") {
            Some(name) if name.kind() == "implicit_parameter" => {
                walk.declare_local(name, first);
            }
            _ => {
                parameters(walk, node);
                let list = field(node, "parameters").into_iter().flat_map(named_children);
                for (at, name) in list.filter_map(|part| field(part, "name")).enumerate() {
                    walk.declare_again(name, if at == 0 { first } else { expected.parameter(at) });
                }
            }
        }
        if let Some(body) = field(node, "body").or_else(|| child(node, "block")) {
            let value = walk.visit(body);
            if body.kind() != "block" {
                walk.returns(value);
            }
        }
        Value::Unknown
    });
    Value::Unknown
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    walk.returns(value);
    Value::Unknown
}

/// `from x in all`, `let x = …`
fn from<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = type_field(walk, node, "type");
    let name = field(node, "name").or_else(|| child(node, "identifier"));
    let of = field(node, "type");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != name && Some(*part) != of) {
        value = walk.visit(part);
    }
    let value = if node.kind() == "from_clause" { value.element() } else { value };
    if let Some(name) = name {
        walk.declare_local(name, declared.or(value));
    }
    Value::Unknown
}
