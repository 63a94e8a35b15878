//! Ruby.

mod names;

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, OpenFunction, Plain};
use crate::grammar::counting::{Counting, always};
use crate::grammar::find::{child, children, field, import, text, unquoted};
use crate::grammar::{Answer, At, Definition, Form, Imports, Rule, Style, Table, define, starts_upper};
use crate::kind::ChunkKind::{self, Class, Constant, Method, Module};
use crate::outline::Import;
use crate::reference::ReferenceKind;

pub(super) static TABLE: Table = Table {
    closer: "end",
    stub: ";end",
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["require", "load", "autoload"],
        asked: &["call"],
        kind: ReferenceKind::Require,
        is_executed: true,
        uses: Some(&USES),
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::RUBY,
        "::",
        &[
            ("comment", Rule::Attach),
            ("module", Rule::Ask(module)),
            ("class", Rule::Ask(class)),
            ("singleton_class", Rule::Open),
            ("body_statement", Rule::Open),
            ("block_body", Rule::Open),
            ("method", define(Method).inside(At::Nowhere).rule()),
            ("singleton_method", define(Method).inside(At::Nowhere).rule()),
            ("alias", define(Method).inside(At::Nowhere).rule()),
            ("assignment", Rule::Ask(assignment)),
            ("call", Rule::Ask(call)),
            ("if", Rule::Open),
            ("unless", Rule::Open),
            ("else", Rule::Open),
            ("then", Rule::Open),
            ("begin", Rule::Open),
        ],
    )
};

static USES: Style = Style { whole: true, is_put_into: true, ..Style::new(Form::Path("::"), ends_upper) };

fn ends_upper(path: &str) -> bool {
    starts_upper(path.rsplit("::").next().unwrap_or(path))
}

static COUNTING: Counting = Counting {
    units: &["method", "singleton_method"],
    decides: &[
        "if",
        "elsif",
        "unless",
        "while",
        "until",
        "for",
        "when",
        "in_clause",
        "rescue",
        "if_modifier",
        "unless_modifier",
        "while_modifier",
        "until_modifier",
        "rescue_modifier",
        "conditional",
    ],
    nests: &["if", "unless", "while", "until", "for", "case", "case_match", "begin"],
    ifs: &[],
    operations: &["binary", "operator_assignment"],
    operators: &["&&", "||", "and", "or", "&&=", "||="],
    is_decision: always,
    ..Counting::C_LIKE
};

fn module<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    named_scope(node, Module, source)
}

fn class<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    named_scope(node, Class, source)
}

/// `class Api::V1::Users` is `Users` of `Api::V1`.
fn named_scope<'t>(node: Node<'t>, kind: ChunkKind, source: &'t str) -> Answer<'t> {
    let Some(name) = field(node, "name") else { return Plain };
    let owner = field(name, "scope").map(|scope| text(scope, source));
    let name = field(name, "name").unwrap_or(name);
    Defines(Definition::new(kind, name).owner(owner).body(field(node, "body")))
}

/// Constants; `Point = Struct.new(:x) do … end` is a class.
fn assignment<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let block = field(node, "right").filter(|right| right.kind() == "call").and_then(block_of);
    match (field(node, "left").filter(|left| left.kind() == "constant"), block) {
        (Some(left), Some(body)) => Defines(Definition::new(Class, left).body(Some(body))),
        (Some(left), None) => Defines(Definition::new(Constant, left)),
        (None, Some(body)) => OpenFunction(body),
        (None, None) => Plain,
    }
}

fn block_of(call: Node<'_>) -> Option<Node<'_>> {
    field(field(call, "block")?, "body")
}

fn call<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(method) = field(node, "method") else { return Plain };
    if field(node, "receiver").is_none() {
        let symbols = || {
            let arguments = field(node, "arguments").map(|args| children(args, "simple_symbol"));
            arguments.unwrap_or_default().into_iter()
        };
        match text(method, source) {
            "require" | "require_relative" | "load" | "autoload" => return Answer::Import(read_require),
            "attr_accessor"
            | "attr_reader"
            | "attr_writer"
            | "mattr_accessor"
            | "cattr_accessor"
            | "class_attribute"
            | "thread_mattr_accessor"
            | "mattr_reader"
            | "cattr_reader"
            | "attribute" => {
                return Answer::Several(symbols().map(|name| Definition::new(Constant, name)).collect());
            }
            "define_method" | "alias_method" | "scope" | "delegate" | "define_singleton_method" => {
                return Answer::Several(
                    symbols().take(1).map(|name| Definition::new(Method, name)).collect(),
                );
            }
            "private" | "protected" | "public" | "private_class_method" | "module_function" | "memoize" => {
                return field(node, "arguments").map_or(Plain, Answer::Open);
            }
            _ => {}
        }
    }
    block_of(node).map_or(Plain, OpenFunction)
}

fn read_require(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let literal = field(node, "arguments").and_then(|args| child(args, "string"));
    let Some(literal) = literal else { return };
    let relative = field(node, "method").is_some_and(|method| text(method, source) == "require_relative");
    let target = unquoted(text(literal, source));
    let is_bare = relative && !target.starts_with('.');
    imports.push(import(&if is_bare { format!("./{target}") } else { target.to_owned() }, node));
}
