//! Dart.

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Plain};
use crate::grammar::counting::{Counting, always};
use crate::grammar::find::{all_children, child, child_of, children, field, import_names, text, unquoted};
use crate::grammar::{Answer, At, Definition, Imports, Rule, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Method, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    counting: Some(&COUNTING),
    imports: Imports { words: &["import", "export", "part"], ..Imports::DEFAULT },
    ..Table::new(
        craig_grammars::DART,
        ".",
        &[
            ("comment", Rule::Attach),
            ("block_comment", Rule::Attach),
            ("documentation_comment", Rule::Attach),
            ("documentation_block_comment", Rule::Attach),
            ("annotation", Rule::Attach),
            ("import_or_export", Rule::Open),
            ("library_import", Rule::Import(read_import)),
            ("library_export", Rule::Import(read_import)),
            ("part_directive", Rule::Import(read_import)),
            ("class_declaration", define(Class).rule()),
            ("mixin_declaration", define(Class).rule()),
            ("extension_type_declaration", define(Class).rule()),
            ("extension_declaration", Rule::Ask(extension)),
            ("enum_declaration", define(Enum).rule()),
            ("enum_entry", define(Constant).inside(At::Nowhere).rule()),
            ("type_alias", define(Type).named(At::Kind("type_identifier")).rule()),
            ("member_declaration", Rule::Open),
            ("declaration", Rule::Ask(declaration)),
            ("method_declaration", Rule::Ask(method)),
            ("function_declaration", Rule::Ask(function)),
            ("getter_declaration", Rule::Ask(function)),
            ("setter_declaration", Rule::Ask(function)),
            ("external_function_declaration", Rule::Ask(function)),
            ("top_level_variable_declaration", Rule::Ask(declaration)),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &["function_declaration", "method_declaration", "getter_declaration", "setter_declaration"],
    decides: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement_case",
        "switch_expression_case",
        "catch_clause",
        "conditional_expression",
        "if_element",
        "for_element",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "switch_expression",
        "try_statement",
    ],
    elses: &[],
    operations: &["logical_and_expression", "logical_or_expression", "if_null_expression"],
    operators: &["&&", "||", "??"],
    is_decision: always,
    name: Some(name),
    parameters: Some(parameters),
    ..Counting::C_LIKE
};

/// An extension may have no name; then its members are those of the type.
fn extension<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let body = field(node, "body");
    match (field(node, "name"), field(node, "class")) {
        (Some(name), _) => Defines(Definition::new(Class, name).body(body)),
        (None, Some(extended)) => Defines(Definition::new(Class, extended).body(body).unlisted()),
        _ => Plain,
    }
}

/// Fields and variables, and methods without a body.
fn declaration<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    if let Some(name) = name(node) {
        return Defines(Definition::new(Method, name));
    }
    let lists = ["initialized_identifier_list", "static_final_declaration_list", "identifier_list"];
    let Some(list) = child_of(node, &lists) else { return Plain };
    let names = all_children(list)
        .filter_map(|part| field(part, "name").or((part.kind() == "identifier").then_some(part)));
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

fn method<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    name(node).map_or(Plain, |name| Defines(Definition::new(Method, name)))
}

fn function<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    name(node).map_or(Plain, |name| Defines(Definition::new(Function, name)))
}

/// The innermost signature of a function, method or constructor.
fn signature(node: Node<'_>) -> Option<Node<'_>> {
    let inner = field(node, "signature")
        .or_else(|| all_children(node).find(|part| part.kind().ends_with("_signature")))?;
    signature(inner).or(Some(inner))
}

/// The name of a function: of `Cart.empty()` the last.
fn name(node: Node<'_>) -> Option<Node<'_>> {
    let signature = signature(node)?;
    let mut cursor = signature.walk();
    let last = signature.children_by_field_name("name", &mut cursor).last();
    last.or_else(|| field(signature, "operator"))
}

fn parameters(node: Node<'_>) -> Option<Node<'_>> {
    field(signature(node)?, "parameters")
}

/// `import 'package:shop/order.dart' show Order;`
fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let specification = child(node, "import_specification").unwrap_or(node);
    let Some(uri) = field(specification, "uri") else { return };
    let shown =
        children(specification, "combinator").into_iter().filter(|part| child(*part, "show").is_some());
    let names = shown.flat_map(|part| children(part, "identifier")).map(|name| text(name, source));
    imports.push(import_names(unquoted(text(uri, source)), names.collect(), node));
}
