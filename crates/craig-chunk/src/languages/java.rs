//! Java.

pub(crate) mod names;

use tree_sitter::Node;

use crate::grammar::counting::Counting;
use crate::grammar::find::{child_of, children, field, import, text};
use crate::grammar::{Answer, At, Definition, Form, Imports, Rule, Style, Table, define, starts_upper};
use crate::kind::ChunkKind::{Class, Constant, Enum, Interface, Method, Module};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["import", "package"],
        packages: &[
            ("package_declaration", At::Kind("scoped_identifier")),
            ("package_declaration", At::Kind("identifier")),
        ],
        uses: Some(&USES),
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::JAVA,
        ".",
        &[
            ("line_comment", Rule::Attach),
            ("block_comment", Rule::Attach),
            ("import_declaration", Rule::Import(read_import)),
            ("module_declaration", define(Module).rule()),
            ("class_declaration", define(Class).rule()),
            ("record_declaration", define(Class).rule()),
            ("interface_declaration", define(Interface).rule()),
            ("annotation_type_declaration", define(Interface).rule()),
            ("enum_declaration", define(Enum).rule()),
            ("enum_body_declarations", Rule::Open),
            ("enum_constant", define(Constant).rule()),
            ("method_declaration", define(Method).rule()),
            ("constructor_declaration", define(Method).rule()),
            ("compact_constructor_declaration", define(Method).rule()),
            ("annotation_type_element_declaration", define(Method).rule()),
            ("field_declaration", Rule::Ask(fields)),
            ("constant_declaration", Rule::Ask(fields)),
        ],
    )
};

static USES: Style = Style::new(Form::Path("."), is_type_name);

/// `Cart`, or `com.shop.Cart`.
fn is_type_name(name: &str) -> bool {
    match name.rsplit_once('.') {
        Some((package, simple)) => starts_upper(simple) && !starts_upper(package),
        None => starts_upper(name),
    }
}

static COUNTING: Counting = Counting {
    units: &["method_declaration", "constructor_declaration", "compact_constructor_declaration"],
    decides: &[
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "switch_label",
        "ternary_expression",
        "catch_clause",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "switch_expression",
        "try_statement",
        "try_with_resources_statement",
    ],
    operators: &["&&", "||"],
    ..Counting::C_LIKE
};

fn fields<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let names = children(node, "variable_declarator").into_iter().filter_map(|d| field(d, "name"));
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(name) = child_of(node, &["scoped_identifier", "identifier"]) else { return };
    let mut found = import(text(name, source), node);
    if child_of(node, &["asterisk"]).is_some() {
        found.names.push("*".to_owned());
    }
    imports.push(found);
}
