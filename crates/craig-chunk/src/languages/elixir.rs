//! Elixir, where definitions are calls.

use tree_sitter::Node;

use crate::grammar::Answer::{Define as Defines, Plain};
use crate::grammar::counting::Counting;
use crate::grammar::find::{child, children, field, import, import_names, text};
use crate::grammar::{Answer, Definition, Imports, Rule, Table, text as node_text};
use crate::kind::ChunkKind::{Class, Constant, Function, Interface, Module, Type};
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    closer: "end",
    stub: " do end",
    joins_same_name: true,
    counting: Some(&COUNTING),
    imports: Imports { asked: &["call"], ..Imports::DEFAULT },
    ..Table::new(
        craig_grammars::ELIXIR,
        ".",
        &[
            ("comment", Rule::Attach),
            ("call", Rule::Ask(call)),
            ("unary_operator", Rule::Ask(attribute)),
            ("do_block", Rule::Open),
            ("else_block", Rule::Open),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &["call"],
    decides: &["call", "stab_clause"],
    nests: &["call"],
    ifs: &[],
    operations: &["binary_operator"],
    operators: &["&&", "||", "and", "or"],
    is_unit: is_function,
    name: Some(counted_name),
    arms: &["stab_clause"],
    is_decision,
    ..Counting::C_LIKE
};

/// The called name of an Elixir call.
fn called<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    node.child_by_field_name("target").map_or("", |target| node_text(target, text))
}

fn is_function(node: Node<'_>, text: &str) -> bool {
    matches!(called(node, text), "def" | "defp" | "defmacro" | "defmacrop")
}

/// `if`, `unless`, `for` and `while`-like calls decide; of `case`, `cond`, `with` and `receive` each arm after the first.
fn is_decision(node: Node<'_>, text: &str) -> bool {
    node.kind() == "stab_clause" || matches!(called(node, text), "if" | "unless" | "for")
}

fn call<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(target) = field(node, "target").filter(|target| target.kind() == "identifier") else {
        return Plain;
    };
    let first = child(node, "arguments").and_then(|arguments| arguments.named_child(0));
    let body = child(node, "do_block");
    let named = |kind| first.map_or(Plain, |name| Defines(Definition::new(kind, name).body(body)));
    match text(target, source) {
        "defmodule" => named(Module),
        "defprotocol" => named(Interface),
        "defimpl" => match named(Class) {
            Defines(made) => Defines(made.unlisted()),
            other => other,
        },
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate" | "defn"
        | "defnp" => match first.and_then(function_name) {
            Some(name) => Defines(Definition::new(Function, name).body(body)),
            None => Plain,
        },
        "test" | "property" => match named(Function) {
            Defines(made) => Defines(made.body(None).unlisted()),
            other => other,
        },
        "describe" | "quote" | "if" | "unless" | "setup" | "for" => body.map_or(Plain, Answer::OpenFunction),
        "alias" | "import" | "use" | "require" => Answer::Import(read_import),
        _ => Plain,
    }
}

/// The name in a head: `find`, `find(id)`, `find(id) when …`, `a + b`.
fn function_name(head: Node<'_>) -> Option<Node<'_>> {
    let mut head = head;
    for _ in 0..8 {
        head = match head.kind() {
            "identifier" => return Some(head),
            "call" => field(head, "target")?,
            "binary_operator" => {
                let operator = field(head, "operator")?;
                if operator.kind() != "when" {
                    return Some(operator);
                }
                field(head, "left")?
            }
            _ => return None,
        };
    }
    None
}

fn attribute<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(call) = field(node, "operand").filter(|operand| operand.kind() == "call") else { return Plain };
    let Some(name) = field(call, "target") else { return Plain };
    let value = child(call, "arguments").and_then(|arguments| arguments.named_child(0));
    let head =
        value.and_then(|value| if value.kind() == "binary_operator" { field(value, "left") } else { None });
    match text(name, source) {
        "moduledoc" | "behaviour" | "derive" | "before_compile" => Plain,
        "doc" | "spec" | "impl" | "deprecated" | "typedoc" | "since" | "tag" | "dialyzer" | "describetag" => {
            Answer::Attach
        }
        "type" | "typep" | "opaque" => {
            head.and_then(function_name).map_or(Plain, |name| Defines(Definition::new(Type, name)))
        }
        "callback" | "macrocallback" => {
            head.and_then(function_name).map_or(Plain, |name| Defines(Definition::new(Function, name)))
        }
        _ => Defines(Definition::new(Constant, name)),
    }
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(module) = child(node, "arguments").and_then(|arguments| arguments.named_child(0)) else {
        return;
    };
    match (field(module, "left"), field(module, "right")) {
        (Some(prefix), Some(group)) if group.kind() == "tuple" => {
            let names = children(group, "alias").into_iter().map(|name| text(name, source)).collect();
            imports.push(import_names(text(prefix, source), names, node));
        }
        _ if matches!(module.kind(), "alias" | "dot") => imports.push(import(text(module, source), node)),
        _ => {}
    }
}

/// `total` of `def total(items) when …`.
fn counted_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut head =
        node.named_children(&mut cursor).find(|child| child.kind() == "arguments")?.named_child(0)?;
    for _ in 0..8 {
        match head.kind() {
            "binary_operator" => head = head.child_by_field_name("left")?,
            "call" => return head.child_by_field_name("target"),
            _ => break,
        }
    }
    Some(head)
}
