//! Java.

use tree_sitter::Node;

use super::find::{child_of, children, field, import, text};
use super::{Answer, Definition, Rule, Table, define};
use crate::ChunkKind::{Class, Constant, Enum, Interface, Method, Module};
use crate::Import;

pub(super) static TABLE: Table = Table {
    names: Some(&crate::names::java::TABLE),
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
