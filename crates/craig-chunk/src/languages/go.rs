//! Go.

mod names;

use tree_sitter::Node;

use crate::grammar::counting::{Counting, always};
use crate::grammar::find::{child_of, children, field, import, last_leaf, text, unquoted};
use crate::grammar::{Answer, At, Definition, Form, Imports, Rule, Style, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Function, Interface, Method, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["import", "package"],
        packages: &[("package_clause", At::Kind("package_identifier"))],
        uses: Some(&USES),
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::GO,
        ".",
        &[
            ("comment", Rule::Attach),
            ("import_declaration", Rule::Import(read_imports)),
            ("function_declaration", define(Function).rule()),
            ("method_declaration", Rule::Ask(method)),
            ("type_declaration", Rule::Open),
            ("type_spec", Rule::Ask(type_spec)),
            ("type_alias", define(Type).rule()),
            ("method_elem", define(Method).inside(At::Nowhere).rule()),
            ("field_declaration", Rule::Ask(names)),
            ("const_declaration", Rule::Open),
            ("const_spec", Rule::Ask(names)),
            ("var_declaration", Rule::Open),
            ("var_spec_list", Rule::Open),
            ("var_spec", Rule::Ask(names)),
        ],
    )
};

static USES: Style =
    Style { whole: true, ..Style::new(Form::Path("."), |name| name.split('.').count() <= 2) };

static COUNTING: Counting = Counting {
    units: &["function_declaration", "method_declaration", "func_literal"],
    decides: &["if_statement", "for_statement", "expression_case", "type_case", "communication_case"],
    nests: &[
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
    ],
    operators: &["&&", "||"],
    is_decision: always,
    ..Counting::C_LIKE
};

/// A method belongs to the type of its receiver, without pointer and type parameters.
fn method<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = field(node, "name") else { return Answer::Plain };
    let receiver =
        field(node, "receiver").and_then(|list| list.named_child(0)).and_then(|p| field(p, "type"));
    let owner = receiver.map(|receiver| text(receiver, source).trim_start_matches(['*', '(', ' ']));
    let owner = owner.and_then(|owner| owner.split(['[', ')']).next()).filter(|owner| !owner.is_empty());
    Answer::Define(Definition::new(Method, name).owner(owner).body(field(node, "body")))
}

fn type_spec<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let (Some(name), Some(type_node)) = (field(node, "name"), field(node, "type")) else {
        return Answer::Plain;
    };
    let (kind, body) = match type_node.kind() {
        "struct_type" => (Class, child_of(type_node, &["field_declaration_list"])),
        "interface_type" => (Interface, Some(type_node)),
        _ => (Type, None),
    };
    Answer::Define(Definition::new(kind, name).body(body))
}

fn names<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor).filter(|name| name.is_named());
    let mut found: Vec<_> = names.map(|name| Definition::new(Constant, name)).collect();
    if found.is_empty() {
        let embedded = field(node, "type").map(last_leaf);
        found.extend(embedded.map(|name| Definition::new(Constant, name).unlisted()));
    }
    Answer::Several(found)
}

fn read_imports(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let list = child_of(node, &["import_spec_list"]).unwrap_or(node);
    for spec in children(list, "import_spec") {
        let Some(path) = field(spec, "path") else { continue };
        imports.push(import(unquoted(text(path, source)), spec));
    }
}
