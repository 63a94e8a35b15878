//! PowerShell.

use tree_sitter::Node;

use crate::grammar::counting::{Counting, always};
use crate::grammar::find::{child, child_of, import, text, unquoted};
use crate::grammar::{Answer, At, Imports, Rule, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Method};
use crate::outline::Import;
use crate::reference::ReferenceKind;

pub(super) static TABLE: Table = Table {
    counting: Some(&COUNTING),
    imports: Imports {
        asked: &["pipeline"],
        kind: ReferenceKind::Require,
        is_executed: true,
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::POWERSHELL,
        ".",
        &[
            ("comment", Rule::Attach),
            ("statement_list", Rule::Open),
            (
                "function_statement",
                define(Function).named(At::Kind("function_name")).inside(At::Nowhere).rule(),
            ),
            ("class_statement", define(Class).named(At::Kind("simple_name")).inside(At::Itself).rule()),
            (
                "class_method_definition",
                define(Method).named(At::Kind("simple_name")).inside(At::Nowhere).rule(),
            ),
            (
                "class_property_definition",
                define(Constant).named(At::Kind("variable")).inside(At::Nowhere).rule(),
            ),
            ("enum_statement", define(Enum).named(At::Kind("simple_name")).inside(At::Itself).rule()),
            ("enum_member", define(Constant).named(At::Kind("simple_name")).inside(At::Nowhere).rule()),
            ("pipeline", Rule::Ask(pipeline)),
        ],
    )
};

static COUNTING: Counting = Counting {
    units: &["function_statement", "class_method_definition"],
    decides: &[
        "if_statement",
        "elseif_clause",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "switch_clause",
        "catch_clause",
        "trap_statement",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "try_statement",
    ],
    operations: &["logical_expression"],
    operators: &["-and", "-or", "-xor"],
    is_decision: always,
    name: Some(name),
    parameters: Some(parameters),
    ..Counting::C_LIKE
};

fn name(node: Node<'_>) -> Option<Node<'_>> {
    child_of(node, &["function_name", "simple_name"])
}

/// `function Get-Order($name)`, or `param($name)` in its body.
fn parameters(node: Node<'_>) -> Option<Node<'_>> {
    let declared = child(node, "function_parameter_declaration")
        .or_else(|| child(node, "script_block").and_then(|block| child(block, "param_block")));
    declared.and_then(|of| child(of, "parameter_list")).or_else(|| child(node, "class_method_parameter_list"))
}

/// A command that loads a file or module: `using module Shop`, `Import-Module ./Shop.psm1`, `. ./lib.ps1`.
fn command(pipeline: Node<'_>) -> Option<Node<'_>> {
    child(child(pipeline, "pipeline_chain")?, "command")
}

fn pipeline<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    match command(node).and_then(|command| target(command, source)) {
        Some(_) => Answer::Import(read_import),
        None => Answer::Plain,
    }
}

fn target<'t>(command: Node<'t>, source: &'t str) -> Option<&'t str> {
    let name = child_of(command, &["command_name", "command_name_expr"])?;
    let name_text = text(name, source);
    if child(command, "command_invokation_operator").is_some_and(|operator| text(operator, source) == ".") {
        return Some(unquoted(name_text));
    }
    let arguments = source.get(name.end_byte()..command.end_byte()).unwrap_or_default();
    let mut words = arguments.split_whitespace().filter(|word| !word.starts_with('-'));
    match name_text.to_ascii_lowercase().as_str() {
        "import-module" | "ipmo" => words.next().map(unquoted),
        "using" => words
            .next()
            .filter(|word| word.eq_ignore_ascii_case("module"))
            .and_then(|_| words.next())
            .map(unquoted),
        _ => None,
    }
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    if let Some(target) = command(node).and_then(|command| target(command, source)) {
        imports.push(import(target, node));
    }
}
