//! Haskell.

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Plain};
use crate::grammar::counting::{Counting, always};
use crate::grammar::find::{child, children, field, import_names, text};
use crate::grammar::{Answer, At, Definition, Imports, Rule, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Function, Interface, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    closer: "",
    stub: "",
    joins_same_name: true,
    counting: Some(&COUNTING),
    imports: Imports { words: &["import"], ..Imports::DEFAULT },
    ..Table::new(
        craig_grammars::HASKELL,
        ".",
        &[
            ("comment", Rule::Attach),
            ("haddock", Rule::Attach),
            ("imports", Rule::Open),
            ("import", Rule::Import(read_import)),
            ("declarations", Rule::Open),
            ("signature", Rule::Ask(signature)),
            ("function", Rule::Ask(function)),
            ("bind", define(Function).inside(At::Nowhere).rule()),
            ("foreign_import", Rule::Ask(foreign)),
            ("data_type", define(Class).inside(At::Field("constructors")).rule()),
            ("newtype", define(Class).inside(At::Field("constructor")).rule()),
            ("data_constructor", Rule::Open),
            ("gadt_constructors", Rule::Open),
            ("gadt_constructor", define(Constant).rule()),
            ("prefix", define(Constant).inside(At::Nowhere).rule()),
            ("record", Rule::Ask(record)),
            ("newtype_constructor", define(Constant).inside(At::Field("field")).rule()),
            ("field", Rule::Ask(record_field)),
            ("type_synonym", define(Type).rule()),
            ("type_family", define(Type).inside(At::Nowhere).rule()),
            ("data_family", define(Type).inside(At::Nowhere).rule()),
            ("kind_signature", Rule::Plain),
            ("class", define(Interface).inside(At::Field("declarations")).rule()),
            ("instance", Rule::Ask(instance)),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &["function"],
    decides: &["conditional", "alternative", "guards"],
    nests: &["conditional", "case", "multi_way_if", "lambda_case"],
    ifs: &[],
    operations: &[],
    is_decision: always,
    ..Counting::C_LIKE
};

/// `a, b :: Int` declares both.
fn signature<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    if let Some(name) = field(node, "name") {
        return Defines(Definition::new(Function, bare(name)));
    }
    let Some(list) = field(node, "names") else { return Plain };
    let mut cursor = list.walk();
    let names = list.named_children(&mut cursor);
    Answer::Several(names.map(|name| Definition::new(Function, bare(name))).collect())
}

/// An operator in parentheses without them: `(<+>)`.
fn bare(name: Node<'_>) -> Node<'_> {
    if name.kind() == "prefix_id" { name.named_child(0).unwrap_or(name) } else { name }
}

fn function<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let name = field(node, "name").or_else(|| {
        let infix = child(node, "infix")?;
        let operator = field(infix, "operator")?;
        Some(if operator.kind() == "infix_id" { operator.named_child(0)? } else { operator })
    });
    name.map_or(Plain, |name| Defines(Definition::new(Function, bare(name))))
}

fn foreign<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let name = field(node, "signature").and_then(|signature| field(signature, "name"));
    name.map_or(Plain, |name| Defines(Definition::new(Function, name)))
}

/// A record of a data constructor has the constructor's name; that of a newtype constructor stands inside it.
fn record<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    match field(node, "name") {
        Some(name) => Defines(Definition::new(Constant, name).body(field(node, "fields"))),
        None => Answer::Open(node),
    }
}

fn record_field<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor).filter(|name| name.is_named());
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

/// An instance only names its members' parent.
fn instance<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let Some(name) = field(node, "name") else { return Plain };
    Defines(Definition::new(Class, name).body(field(node, "declarations")).unlisted())
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(module) = field(node, "module") else { return };
    let is_hiding = child(node, "hiding").is_some();
    let list = field(node, "names").filter(|_| !is_hiding);
    let names = list.map(|list| children(list, "import_name")).unwrap_or_default();
    let names = names.into_iter().filter_map(|part| part.named_child(0)).map(|name| text(name, source));
    imports.push(import_names(text(module, source), names.collect(), node));
}
