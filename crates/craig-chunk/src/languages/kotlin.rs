//! Kotlin.

mod names;

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::grammar::Answer::{Define as Defines, Plain};
use crate::grammar::blank::blank;
use crate::grammar::counting::{Counting, not_else_entry};
use crate::grammar::find::{all_children, child, child_of, children, import, text};
use crate::grammar::{Answer, At, Definition, Form, Imports, Rule, Style, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Interface, Method, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    simplify: Some(keywords_as_names),
    misreads: Some(misreads),
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["import", "package"],
        packages: &[
            ("package_header", At::Kind("qualified_identifier")),
            ("package_header", At::Kind("identifier")),
        ],
        uses: Some(&USES),
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::KOTLIN,
        ".",
        &[
            ("line_comment", Rule::Attach),
            ("block_comment", Rule::Attach),
            ("annotated_expression", Rule::Attach),
            ("import", Rule::Import(read_import)),
            ("class_declaration", Rule::Ask(class)),
            ("object_declaration", define(Class).inside(At::Kind("class_body")).rule()),
            ("companion_object", Rule::Ask(companion)),
            ("function_declaration", Rule::Ask(function)),
            ("property_declaration", Rule::Ask(property)),
            (
                "secondary_constructor",
                define(Method).named(At::Kind("constructor")).inside(At::Nowhere).rule(),
            ),
            ("type_alias", Rule::Ask(type_alias)),
            (
                "enum_entry",
                define(Constant).named(At::Kind("identifier")).inside(At::Kind("class_body")).rule(),
            ),
            ("class_parameter", Rule::Ask(parameter)),
            ("function_body", Rule::Open),
            ("block", Rule::Open),
        ],
    )
};

/// Kotlin's keywords that may be names, too.
const SOFT_KEYWORDS: [&str; 46] = [
    "abstract",
    "actual",
    "annotation",
    "by",
    "catch",
    "companion",
    "const",
    "constructor",
    "crossinline",
    "data",
    "delegate",
    "dynamic",
    "enum",
    "expect",
    "external",
    "field",
    "file",
    "final",
    "finally",
    "get",
    "import",
    "infix",
    "init",
    "inline",
    "inner",
    "internal",
    "lateinit",
    "noinline",
    "open",
    "operator",
    "out",
    "override",
    "param",
    "private",
    "property",
    "protected",
    "public",
    "receiver",
    "reified",
    "sealed",
    "set",
    "suspend",
    "tailrec",
    "value",
    "vararg",
    "where",
];
/// Among so many words of an expression one that declares something is looked for.
const MAX_MISREAD_WORDS: usize = 200;
/// Modifiers that the grammar takes for the name of an infix call if they follow an expression without a semicolon.
const MODIFIERS_AS_NAMES: [&str; 8] =
    ["actual", "annotation", "const", "data", "expect", "inner", "operator", "value"];

static USES: Style = Style::new(Form::Member, |_| true);

static COUNTING: Counting = Counting {
    units: &["function_declaration", "secondary_constructor", "getter", "setter"],
    decides: &[
        "if_expression",
        "for_statement",
        "while_statement",
        "do_while_statement",
        "when_entry",
        "catch_block",
    ],
    nests: &[
        "if_expression",
        "for_statement",
        "while_statement",
        "do_while_statement",
        "when_expression",
        "try_expression",
    ],
    ifs: &["if_expression"],
    operators: &["&&", "||", "?:"],
    is_decision: not_else_entry,
    ..Counting::C_LIKE
};

/// How the declaration of a property's field begins.
const FIELD: &str = "field";

/// `text` where keywords that are names do not look like keywords, and modifiers do not look like names: `fun suspend(…)`,
/// `it.where { … }`, `actual fun` behind a function that is an expression. Members in one line with their class end with a
/// semicolon, and `field = …` below a property looks like its getter.
fn keywords_as_names(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut is_annotated = false;
    let mut annotation: Option<Range<usize>> = None;
    let mut open: Option<usize> = None;
    let mut is_property = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        for word in line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
            let start = word.as_ptr() as usize - line.as_ptr() as usize;
            let end = start + word.len();
            let before = &line[..start];
            if SOFT_KEYWORDS.contains(&word) {
                let is_declared = line[end..].starts_with('(')
                    && (before.ends_with("fun ") || before.ends_with("> ") && before.contains("fun <"));
                if before.ends_with('.') && !before.ends_with("..") || is_declared {
                    bytes[at + start..at + end].fill(b'_');
                }
            }
            if start == 0 && MODIFIERS_AS_NAMES.contains(&word) && line[end..].starts_with(' ') {
                bytes[at..at + end].fill(b' ');
                bytes[at] = if is_annotated { b' ' } else { b';' };
            }
        }
        end_members(line, &mut bytes[at..]);
        if is_property {
            field_as_getter(line, &mut bytes[at..]);
        }
        is_property = line.split_ascii_whitespace().any(|word| matches!(word, "val" | "var"));
        let start =
            if line.starts_with('@') { Some(at) } else { open.filter(|_| !line.trim_ascii().is_empty()) };
        let end = at + line.trim_ascii_end().len();
        let is_annotation = start.is_some_and(|start| is_annotation(&text[start..end]));
        open = start.filter(|_| !is_annotation);
        if start.is_none() || is_annotation {
            if let Some(first) = annotation.take().filter(|_| is_annotation) {
                blank(&mut bytes[first]);
            }
            annotation = start.map(|start| start..end);
        }
        is_annotated = if line.trim_ascii().is_empty() { is_annotated } else { is_annotation };
        at += line.len();
    }
    String::from_utf8(bytes).ok().filter(|simplified| simplified != text)
}

/// Writes `get()` for the `field` that a line begins with, if it declares the field of the property above.
fn field_as_getter(line: &str, bytes: &mut [u8]) {
    let content = line.trim_ascii_start();
    if content.strip_prefix(FIELD).is_some_and(|rest| rest.trim_start().starts_with(['=', ':'])) {
        bytes[line.len() - content.len()..][..FIELD.len()].copy_from_slice(b"get()");
    }
}

/// Writes `;}` for ` }` behind a member in the line of its class: the grammar does not end it there otherwise.
fn end_members(line: &str, bytes: &mut [u8]) {
    let Some(open) = line.find('{') else { return };
    let mut words = line[open..].split_ascii_whitespace();
    if !words.any(|word| matches!(word, "fun" | "val" | "var")) {
        return;
    }
    for (close, _) in line.match_indices(" }").filter(|(close, _)| *close > open) {
        if !line[..close].ends_with(['{', ';']) {
            bytes[close] = b';';
        }
    }
}

/// Whether a text is one annotation and no more.
fn is_annotation(text: &str) -> bool {
    let name = text.strip_prefix('@').unwrap_or_default();
    let rest = name.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let is_closed = rest.starts_with('(')
        && rest.ends_with(')')
        && rest.matches('(').count() == rest.matches(')').count();
    rest.len() < name.len() && (rest.is_empty() || is_closed)
}

/// Whether the tree of a text without errors has declarations as expressions: annotations above `annotation class A` make the
/// grammar read an infix call. Expressions are no part of a file but in scripts.
fn misreads(tree: &Tree, text: &str) -> bool {
    let is_declaration = |node: Node<'_>| {
        let words = text.get(node.byte_range()).unwrap_or_default().split_ascii_whitespace();
        matches!(node.kind(), "annotated_expression" | "infix_expression")
            && words
                .take(MAX_MISREAD_WORDS)
                .any(|word| matches!(word, "class" | "interface" | "object" | "fun"))
    };
    all_children(tree.root_node()).any(is_declaration)
}

fn class<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = node.child_by_field_name("name") else { return Plain };
    let kind = if child(node, "interface").is_some() {
        Interface
    } else if is_enum(node, source) {
        Enum
    } else {
        Class
    };
    let body = child_of(node, &["class_body", "enum_class_body"]);
    let mut made = Definition::new(kind, name).body(body);
    made.parameters = child(node, "primary_constructor").and_then(|made| child(made, "class_parameters"));
    Defines(made)
}

fn is_enum(node: Node<'_>, source: &str) -> bool {
    let modifiers = child(node, "modifiers").map(|modifiers| text(modifiers, source)).unwrap_or_default();
    child(node, "enum").is_some() || modifiers.split_whitespace().any(|word| word == "enum")
}

/// Members of an unnamed companion count as members of the class.
fn companion<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let body = child(node, "class_body");
    match (child(node, "identifier"), body) {
        (Some(name), body) => Defines(Definition::new(Class, name).body(body)),
        (None, Some(body)) => Answer::Open(body),
        _ => Plain,
    }
}

/// An extension function belongs to its receiver: `fun User.greet()`.
fn function<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = node.child_by_field_name("name") else { return Plain };
    let owner = receiver(node, name, source);
    let kind = if owner.is_some() { Method } else { Function };
    Defines(Definition::new(kind, name).owner(owner).body(child(node, "function_body")))
}

/// The type before the dot before a name, without type arguments.
fn receiver<'t>(node: Node<'t>, name: Node<'t>, source: &'t str) -> Option<&'t str> {
    let receiver = child_of(node, &["user_type", "nullable_type", "parenthesized_type"])?;
    if receiver.start_byte() >= name.start_byte() {
        return None;
    }
    text(receiver, source)
        .split(['<', '?'])
        .next()
        .map(|name| name.trim_start_matches('('))
        .filter(|name| !name.is_empty())
}

fn property<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    if let Some(several) = child(node, "multi_variable_declaration") {
        let names =
            children(several, "variable_declaration").into_iter().filter_map(|v| child(v, "identifier"));
        return Answer::Several(names.map(|name| Definition::new(Constant, name)).collect());
    }
    let Some(name) = child(node, "variable_declaration").and_then(|v| child(v, "identifier")) else {
        return Plain;
    };
    Defines(Definition::new(Constant, name).owner(receiver(node, name, source)))
}

fn type_alias<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let name = node.child_by_field_name("type").or_else(|| child(node, "identifier"));
    name.map_or(Plain, |name| Defines(Definition::new(Type, name)))
}

/// Constructor parameters that are properties too.
fn parameter<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let name = child_of(node, &["val", "var"]).and_then(|_| child(node, "identifier"));
    name.map_or(Plain, |name| Defines(Definition::new(Constant, name)))
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(path) = child_of(node, &["qualified_identifier", "identifier"]) else { return };
    let mut found = import(text(path, source), node);
    if text(node, source).trim_end().ends_with('*') {
        found.names.push("*".to_owned());
    }
    imports.push(found);
}
