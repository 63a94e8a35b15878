//! C#.

use std::{borrow::Cow, ops::Range};

use tree_sitter::Node;

use super::find::{child, child_of, children, field, import, text};
use super::{Answer, At, Definition, Rule, Table, branches, define};
use crate::ChunkKind::{Class, Constant, Enum, Function, Interface, Method, Module, Type};
use crate::Import;

pub(super) static TABLE: Table = Table {
    prepare: Some(hidden),
    simplify: Some(branches::whole_only),
    has_conditions: true,
    names: Some(&crate::names::csharp::TABLE),
    ..Table::new(
        craig_grammars::C_SHARP,
        ".",
        &[
            ("comment", Rule::Attach),
            ("using_directive", Rule::Import(read_using)),
            ("namespace_declaration", define(Module).rule()),
            ("class_declaration", Rule::Ask(with_parameters)),
            ("struct_declaration", Rule::Ask(with_parameters)),
            ("record_declaration", Rule::Ask(with_parameters)),
            ("record_struct_declaration", Rule::Ask(with_parameters)),
            ("parameter", define(Constant).inside(At::Nowhere).rule()),
            ("interface_declaration", define(Interface).rule()),
            ("enum_declaration", define(Enum).rule()),
            ("enum_member_declaration", define(Constant).rule()),
            ("delegate_declaration", define(Type).inside(At::Nowhere).rule()),
            ("method_declaration", define(Method).rule()),
            ("constructor_declaration", define(Method).rule()),
            ("destructor_declaration", define(Method).rule()),
            ("local_function_statement", define(Function).rule()),
            ("operator_declaration", define(Method).named(At::Field("operator")).rule()),
            ("conversion_operator_declaration", define(Method).named(At::Field("type")).rule()),
            ("indexer_declaration", define(Method).named(At::Kind("this")).inside(At::Nowhere).rule()),
            ("property_declaration", define(Constant).inside(At::Nowhere).rule()),
            ("event_declaration", define(Constant).inside(At::Nowhere).rule()),
            ("event_field_declaration", Rule::Ask(fields)),
            ("field_declaration", Rule::Ask(fields)),
            ("global_statement", Rule::Open),
            ("declaration_list", Rule::Open),
            ("preproc_if", Rule::Open),
            ("preproc_else", Rule::Open),
            ("preproc_elif", Rule::Open),
        ],
    )
};

/// Hides what the grammar does not know: `ref struct`, and casts to pointers that are followed: `*(int*)p = 1`.
fn hidden(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for (from, to) in [("ref struct", "    struct"), ("ref partial struct", "    partial struct")] {
        if text.contains(from) {
            text = Cow::Owned(text.replace(from, to));
        }
    }
    let casts: Vec<_> = text.match_indices("*(").filter_map(|(at, _)| pointer_cast(&text, at)).collect();
    if casts.is_empty() {
        return text;
    }
    let mut bytes = text.into_owned().into_bytes();
    for cast in casts {
        bytes[cast].fill(b' ');
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The range of `*(name*)` at `at`.
fn pointer_cast(text: &str, at: usize) -> Option<Range<usize>> {
    let inside = &text[at + 2..];
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    (end > 0 && inside[end..].starts_with("*)")).then_some(at..at + 2 + end + 2)
}

fn with_parameters<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let Some(name) = field(node, "name") else { return Answer::Plain };
    let mut made = Definition::new(Class, name).body(field(node, "body"));
    if node.kind() != "class_declaration" {
        made.parameters = child(node, "parameter_list");
    }
    Answer::Define(made)
}

fn fields<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let Some(list) = child(node, "variable_declaration") else { return Answer::Plain };
    let names = children(list, "variable_declarator").into_iter().filter_map(|d| field(d, "name"));
    Answer::Several(names.map(|name| Definition::new(Constant, name)).collect())
}

fn read_using(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let alias = field(node, "name");
    let mut cursor = node.walk();
    let target = node.named_children(&mut cursor).filter(|part| Some(*part) != alias).last();
    let target = target.or_else(|| child_of(node, &["identifier", "qualified_name"]));
    imports.extend(target.map(|target| import(text(target, source), node)));
}
