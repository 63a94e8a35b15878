//! Scala 2 and 3.

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Plain};
use crate::grammar::counting::{Counting, not_wildcard_case};
use crate::grammar::find::{child, child_of, field, import, import_names, text};
use crate::grammar::{Answer, At, Definition, Imports, Rule, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Interface, Module, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    counting: Some(&COUNTING),
    imports: Imports { packages: &[("package_clause", At::Field("name"))], ..Imports::DEFAULT },
    ..Table::new(
        craig_grammars::SCALA,
        ".",
        &[
            ("comment", Rule::Attach),
            ("block_comment", Rule::Attach),
            ("annotation", Rule::Attach),
            ("import_declaration", Rule::Import(read_import)),
            ("package_clause", Rule::Ask(package)),
            ("package_object", define(Module).rule()),
            ("class_definition", Rule::Ask(class)),
            ("object_definition", define(Class).rule()),
            ("trait_definition", define(Interface).rule()),
            ("enum_definition", Rule::Ask(enumeration)),
            ("enum_case_definitions", Rule::Open),
            ("simple_enum_case", define(Constant).rule()),
            ("full_enum_case", define(Constant).rule()),
            ("given_definition", define(Constant).rule()),
            ("function_definition", define(Function).rule()),
            ("function_declaration", define(Function).rule()),
            ("extension_definition", Rule::Open),
            ("val_definition", Rule::Ask(values)),
            ("var_definition", Rule::Ask(values)),
            ("val_declaration", Rule::Ask(values)),
            ("var_declaration", Rule::Ask(values)),
            ("class_parameter", define(Constant).inside(At::Nowhere).rule()),
            ("type_definition", define(Type).inside(At::Nowhere).rule()),
            ("template_body", Rule::Open),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &["function_definition"],
    decides: &[
        "if_expression",
        "for_expression",
        "while_expression",
        "do_while_expression",
        "case_clause",
        "guard",
    ],
    nests: &[
        "if_expression",
        "for_expression",
        "while_expression",
        "do_while_expression",
        "match_expression",
        "try_expression",
    ],
    ifs: &["if_expression"],
    operations: &[],
    is_decision: not_wildcard_case,
    ..Counting::C_LIKE
};

fn package<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    field(node, "body").map_or(Plain, Answer::Open)
}

fn class<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    with_parameters(node, Class)
}

fn enumeration<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    with_parameters(node, Enum)
}

fn with_parameters(node: Node<'_>, kind: crate::ChunkKind) -> Answer<'_> {
    let Some(name) = field(node, "name") else { return Plain };
    let mut made = Definition::new(kind, name).body(field(node, "body"));
    made.parameters = field(node, "class_parameters");
    Defines(made)
}

fn values<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let Some(pattern) = field(node, "pattern").or_else(|| field(node, "name")) else { return Plain };
    if pattern.kind() == "identifier" || pattern.kind() == "operator_identifier" {
        let body = field(node, "value").and_then(|value| child_of(value, &["template_body"]));
        return Defines(Definition::new(Constant, pattern).body(body));
    }
    let mut cursor = pattern.walk();
    let names = pattern.named_children(&mut cursor).filter(|part| part.kind() == "identifier");
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let mut cursor = node.walk();
    let path: Vec<_> = node.children_by_field_name("path", &mut cursor).collect();
    let (Some(first), Some(last)) = (path.first(), path.last()) else { return };
    let target = source.get(first.start_byte()..last.end_byte()).unwrap_or_default();
    if child(node, "namespace_wildcard").is_some() {
        imports.push(import_names(target, vec!["*"], node));
    } else if let Some(selectors) = child(node, "namespace_selectors") {
        let mut cursor = selectors.walk();
        let names = selectors
            .named_children(&mut cursor)
            .map(|part| text(field(part, "name").unwrap_or(part), source));
        imports.push(import_names(target, names.collect(), node));
    } else {
        imports.push(import(target, node));
    }
}
