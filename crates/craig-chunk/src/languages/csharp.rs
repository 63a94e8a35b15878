//! C#.

mod names;

use std::{borrow::Cow, ops::Range};

use tree_sitter::Node;

use crate::grammar::counting::{Counting, has_body};
use crate::grammar::find::{child, child_of, children, field, import, text};
use crate::grammar::{
    Answer, At, Definition, Form, Imports, Rule, Style, Table, branches, define, starts_upper,
    text as node_text,
};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Interface, Method, Module, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    prepare: Some(hidden),
    simplify: Some(branches::whole_only),
    has_conditions: true,
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["using", "namespace"],
        packages: &[
            ("namespace_declaration", At::Field("name")),
            ("file_scoped_namespace_declaration", At::Field("name")),
        ],
        uses: Some(&USES),
        ..Imports::DEFAULT
    },
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

static USES: Style = Style::new(Form::Last, starts_upper);

static COUNTING: Counting = Counting {
    units: &[
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "operator_declaration",
        "conversion_operator_declaration",
        "local_function_statement",
        "accessor_declaration",
    ],
    decides: &[
        "if_statement",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "switch_section",
        "switch_expression_arm",
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
        "switch_expression",
        "try_statement",
    ],
    operators: &["&&", "||", "??"],
    is_unit: has_body,
    is_decision,
    ..Counting::C_LIKE
};

fn is_decision(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "switch_section" => node.child(0).is_some_and(|first| first.kind() != "default"),
        "switch_expression_arm" => node.named_child(0).is_some_and(|pattern| node_text(pattern, text) != "_"),
        _ => true,
    }
}

/// Hides what the grammar does not know: `ref struct`, casts to pointers that are followed (`*(int*)p = 1`), and
/// keywords that are names where they stand (`if (async)`, `[property]`).
fn hidden(text: &str) -> Cow<'_, str> {
    let refs = ["ref struct", "ref partial struct"].into_iter().flat_map(|form| text.match_indices(form));
    let refs = refs.map(|(at, _)| at..at + "ref".len());
    let casts = text.match_indices("*(").filter_map(|(at, _)| pointer_cast(text, at));
    let blanks: Vec<_> = refs.chain(casts).collect();
    let names: Vec<_> = NAMES_TOO.into_iter().flat_map(|word| names(text, word)).collect();
    if blanks.is_empty() && names.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in blanks {
        bytes[range].fill(b' ');
    }
    for range in names {
        bytes[range].fill(b'_');
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The range of `*(name*)` at `at`.
fn pointer_cast(text: &str, at: usize) -> Option<Range<usize>> {
    let inside = &text[at + 2..];
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    (end > 0 && inside[end..].starts_with("*)")).then_some(at..at + 2 + end + 2)
}

/// Keywords that may be names: a modifier, and targets of attributes.
const NAMES_TOO: [&str; 7] = ["async", "event", "field", "method", "param", "property", "type"];

/// Where a keyword is a name: `async` unless a declaration or a lambda follows, another behind `[` unless a colon follows.
fn names<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, word)| at..at + word.len()).filter(move |range| {
        let (before, behind) = (&text[..range.start], text[range.end..].trim_ascii_start());
        let is_word = !before.ends_with(is_of_word) && !text[range.end..].starts_with(is_of_word);
        let is_name = match word {
            "async" => !behind.starts_with(|c: char| is_of_word(c) || c == '(' || c == '@'),
            _ => before.trim_ascii_end().ends_with('[') && !behind.starts_with(':'),
        };
        is_word && is_name
    })
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
