//! Swift.

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Plain};
use crate::grammar::counting::Counting;
use crate::grammar::find::{child, field, import, last_leaf, text};
use crate::grammar::{Answer, At, Definition, Imports, Rule, Table, branches, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Interface, Method, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    simplify: Some(branches::whole_only),
    has_conditions: true,
    counting: Some(&COUNTING),
    imports: Imports { words: &["import", "package"], ..Imports::DEFAULT },
    ..Table::new(
        craig_grammars::SWIFT,
        ".",
        &[
            ("comment", Rule::Attach),
            ("multiline_comment", Rule::Attach),
            ("import_declaration", Rule::Import(read_import)),
            ("class_declaration", Rule::Ask(class)),
            ("protocol_declaration", define(Interface).rule()),
            ("function_declaration", define(Function).rule()),
            ("protocol_function_declaration", define(Method).inside(At::Nowhere).rule()),
            ("init_declaration", define(Method).rule()),
            ("deinit_declaration", define(Method).named(At::Kind("deinit")).rule()),
            ("subscript_declaration", define(Method).named(At::Kind("subscript")).inside(At::Nowhere).rule()),
            ("property_declaration", Rule::Ask(properties)),
            ("protocol_property_declaration", Rule::Ask(properties)),
            ("enum_entry", Rule::Ask(entries)),
            ("typealias_declaration", define(Type).rule()),
            ("associatedtype_declaration", define(Type).rule()),
            ("macro_declaration", define(Function).named(At::Kind("simple_identifier")).rule()),
            ("statements", Rule::Open),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &[
        "function_declaration",
        "init_declaration",
        "deinit_declaration",
        "subscript_declaration",
        "computed_getter",
        "computed_setter",
        "computed_modify",
        "willset_clause",
        "didset_clause",
    ],
    decides: &[
        "if_statement",
        "guard_statement",
        "for_statement",
        "while_statement",
        "repeat_while_statement",
        "switch_entry",
        "catch_block",
        "ternary_expression",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "repeat_while_statement",
        "switch_statement",
        "do_statement",
    ],
    operations: &["conjunction_expression", "disjunction_expression"],
    operators: &["&&", "||"],
    is_decision: not_default_entry,
    ..Counting::C_LIKE
};

fn not_default_entry(node: Node<'_>, _: &str) -> bool {
    node.kind() != "switch_entry"
        || node.child(0).is_some_and(|first| !matches!(first.kind(), "default_keyword" | "default"))
}

/// Class, struct, actor, enum or extension; an extension only names its members' parent.
fn class<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = field(node, "name") else { return Plain };
    let body = field(node, "body");
    let keyword = field(node, "declaration_kind").map(|kind| text(kind, source)).unwrap_or_default();
    match keyword {
        "extension" => Defines(Definition::new(Class, name).body(body).unlisted()),
        "enum" => Defines(Definition::new(Enum, name).body(body)),
        _ => Defines(Definition::new(Class, name).body(body)),
    }
}

fn properties<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor).filter(|name| name.kind() == "pattern");
    let names = names.map(|pattern| field(pattern, "bound_identifier").unwrap_or_else(|| last_leaf(pattern)));
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

fn entries<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let mut cursor = node.walk();
    let names =
        node.children_by_field_name("name", &mut cursor).filter(|name| name.kind() == "simple_identifier");
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    imports.extend(child(node, "identifier").map(|name| import(text(name, source), node)));
}
