//! PHP.

mod names;

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Open, Plain};
use crate::grammar::counting::{Counting, always};
use crate::grammar::find::{
    child, child_of, children, field, import, import_names, last_leaf, text, unquoted,
};
use crate::grammar::{Answer, At, Definition, Form, Imports, Rule, Style, Table, define, starts_upper};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Interface, Method, Module};
use crate::names::Role;
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["namespace", "use", "require", "include"],
        packages: &[("namespace_definition", At::Field("name"))],
        is_executed: true,
        uses: Some(&USES),
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::PHP,
        "\\",
        &[
            ("comment", Rule::Attach),
            ("namespace_definition", Rule::Ask(namespace)),
            ("namespace_use_declaration", Rule::Import(read_use)),
            ("expression_statement", Rule::Ask(statement)),
            ("return_statement", Rule::Ask(returned)),
            ("class_declaration", define(Class).rule()),
            ("trait_declaration", define(Class).rule()),
            ("interface_declaration", define(Interface).rule()),
            ("enum_declaration", define(Enum).rule()),
            ("enum_case", define(Constant).rule()),
            ("function_definition", define(Function).rule()),
            ("method_declaration", define(Method).rule()),
            ("const_declaration", Rule::Ask(constants)),
            ("property_declaration", Rule::Ask(properties)),
            ("if_statement", Rule::Open),
            ("else_clause", Rule::Open),
            ("compound_statement", Rule::Open),
            ("declaration_list", Rule::Open),
        ],
    )
};

static USES: Style = Style {
    root: "\\",
    qualified_by: Some(Role::Import),
    ..Style::new(Form::Path("\\"), |name| name.contains('\\') || starts_upper(name))
};

static COUNTING: Counting = Counting {
    units: &["function_definition", "method_declaration"],
    decides: &[
        "if_statement",
        "else_if_clause",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "case_statement",
        "match_conditional_expression",
        "conditional_expression",
        "catch_clause",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "match_expression",
        "try_statement",
    ],
    is_decision: always,
    ..Counting::C_LIKE
};

fn namespace<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    match (field(node, "name"), field(node, "body")) {
        (Some(name), Some(body)) => Defines(Definition::new(Module, name).body(Some(body))),
        _ => Plain,
    }
}

fn constants<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let names = children(node, "const_element").into_iter().filter_map(|element| child(element, "name"));
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

fn properties<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let names = children(node, "property_element").into_iter().filter_map(|element| field(element, "name"));
    Answer::Several(names.map(|name| Definition::new(Constant, last_leaf(name))).collect())
}

fn returned<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let class = node.named_child(0).filter(|value| value.kind() == "object_creation_expression");
    let class = class.and_then(|value| child(value, "anonymous_class"));
    class.and_then(|class| field(class, "body")).map_or(Plain, Open)
}

fn statement<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(expression) = node.named_child(0) else { return Plain };
    match expression.kind() {
        "require_expression"
        | "require_once_expression"
        | "include_expression"
        | "include_once_expression" => Answer::Import(read_include),
        "function_call_expression" => defined(expression, source).map_or(Plain, Defines),
        _ => Plain,
    }
}

/// `define('NAME', …)`.
fn defined<'t>(call: Node<'t>, source: &'t str) -> Option<Definition<'t>> {
    let function = field(call, "function")?;
    if text(function, source) != "define" {
        return None;
    }
    let name = field(call, "arguments")?.named_child(0)?.named_child(0)?;
    (name.kind() == "string").then(|| Definition::new(Constant, name))
}

fn read_use(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let name_of = |clause: Node<'_>| {
        child_of(clause, &["qualified_name", "name", "namespace_name"]).map(|name| text(name, source))
    };
    if let Some(group) = field(node, "body") {
        let prefix = child(node, "namespace_name").map(|name| text(name, source)).unwrap_or_default();
        let names = children(group, "namespace_use_clause").into_iter().filter_map(name_of).collect();
        imports.push(import_names(prefix, names, node));
        return;
    }
    for clause in children(node, "namespace_use_clause") {
        imports.extend(name_of(clause).map(|name| import(name.trim_start_matches('\\'), node)));
    }
}

fn read_include(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(mut path) = node.named_child(0).and_then(|expression| expression.named_child(0)) else { return };
    while let Some(inner) = path.named_child(0).filter(|_| path.kind() == "parenthesized_expression") {
        path = inner;
    }
    let path = field(path, "right").unwrap_or(path);
    if matches!(path.kind(), "string" | "encapsed_string") {
        imports.push(import(unquoted(text(path, source)), node));
    }
}
