//! C and C++.

mod attributes;
mod macros;
pub(crate) mod names;

use tree_sitter::Node;

use crate::grammar::counting::Counting;
use crate::grammar::find::{child_of, field, import, last_leaf, text};
use crate::grammar::{Answer, At, Definition, Rule, Table, define};
use crate::kind::ChunkKind::{self, Class, Constant, Enum, Function, Method, Module, Type};
use crate::outline::Import;

pub(super) static C: Table = Table {
    prepare: Some(macros::hidden),
    simplify: Some(attributes::without),
    has_conditions: true,
    names: Some(&names::TABLE),
    counting: Some(&Counting::C_LIKE),
    ..Table::new(craig_grammars::C, "::", RULES)
};
pub(super) static CPP: Table = Table {
    prepare: Some(macros::hidden),
    simplify: Some(attributes::without),
    has_conditions: true,
    names: Some(&names::TABLE),
    counting: Some(&Counting::C_LIKE),
    ..Table::new(craig_grammars::CPP, "::", RULES)
};

const RULES: &[(&str, Rule)] = &[
    ("comment", Rule::Attach),
    ("attribute_declaration", Rule::Attach),
    ("preproc_include", Rule::Import(read_include)),
    ("preproc_def", define(Constant).rule()),
    ("preproc_function_def", define(Function).rule()),
    ("preproc_if", Rule::Open),
    ("preproc_ifdef", Rule::Open),
    ("preproc_else", Rule::Open),
    ("preproc_elif", Rule::Open),
    ("preproc_elifdef", Rule::Open),
    ("linkage_specification", Rule::Open),
    ("declaration_list", Rule::Open),
    ("template_declaration", Rule::Open),
    ("namespace_definition", Rule::Ask(namespace)),
    ("function_definition", Rule::Ask(function)),
    ("declaration", Rule::Ask(declaration)),
    ("field_declaration", Rule::Ask(declaration)),
    ("type_definition", Rule::Ask(declaration)),
    ("struct_specifier", Rule::Ask(specifier)),
    ("class_specifier", Rule::Ask(specifier)),
    ("union_specifier", Rule::Ask(specifier)),
    ("enum_specifier", Rule::Ask(specifier)),
    ("enumerator", define(Constant).rule()),
    ("alias_declaration", define(Type).rule()),
    ("concept_definition", define(Type).inside(At::Nowhere).rule()),
    ("friend_declaration", Rule::Plain),
];

fn namespace<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    match (field(node, "name"), field(node, "body")) {
        (Some(name), body) => Answer::Define(Definition::new(Module, name).body(body)),
        (None, Some(body)) => Answer::Open(body),
        _ => Answer::Plain,
    }
}

fn function<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    // `else` behind a macro that stands for `if (…)` is read as a type.
    let is_branch = field(node, "type").is_some_and(|of_type| text(of_type, source) == "else");
    let declarator = field(node, "declarator").filter(|_| !is_branch);
    match declarator.map(|declarator| behind_macros(node, declarator).unwrap_or_else(|| declared(declarator)))
    {
        Some(name) => Answer::Define(named(Function, name, source).body(field(node, "body"))),
        None => Answer::Plain,
    }
}

/// The name of a function below macros without semicolons, which are read as its type and its name: what is called in a line
/// that starts where the function does.
fn behind_macros<'t>(function: Node<'t>, declarator: Node<'t>) -> Option<Node<'t>> {
    let last = declarator.named_child_count().checked_sub(1)?;
    let call = declarator.named_child(last as u32).filter(|last| last.kind() == "call_expression")?;
    let row = call.start_position().row;
    let mut first = call;
    while let Some(before) = first.prev_sibling().filter(|before| before.start_position().row == row) {
        first = before;
    }
    let start = function.start_position();
    let is_head = first != call && row > start.row && first.start_position().column == start.column;
    field(call, "function").filter(|name| is_head && name.kind() == "identifier")
}

/// The name under pointers, references, arrays, parameters and initialisers.
pub(crate) fn declared(declarator: Node<'_>) -> Node<'_> {
    let mut node = declarator;
    for _ in 0..64 {
        let next = match node.kind() {
            "parenthesized_declarator" | "reference_declarator" | "structured_binding_declarator" => {
                node.named_child(node.named_child_count().saturating_sub(1) as u32)
            }
            "operator_cast" => None,
            _ => field(node, "declarator"),
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// A definition whose name may be qualified: `Foo::Bar::baz` is `baz` of `Foo::Bar`.
fn named<'t>(kind: ChunkKind, declared: Node<'t>, source: &'t str) -> Definition<'t> {
    if declared.kind() != "qualified_identifier" {
        return Definition::new(kind, without_arguments(declared));
    }
    let mut name = declared;
    for _ in 0..64 {
        match field(name, "name").filter(|_| name.kind() == "qualified_identifier") {
            Some(inner) => name = inner,
            None => break,
        }
    }
    let owner = source.get(declared.start_byte()..name.start_byte()).unwrap_or_default();
    let owner = owner.trim_end().trim_end_matches("::");
    let owner = owner.split('<').next().filter(|owner| !owner.is_empty());
    let kind = if kind == Function { Method } else { kind };
    Definition::new(kind, without_arguments(name)).owner(owner)
}

fn without_arguments(name: Node<'_>) -> Node<'_> {
    match name.kind() {
        "template_function" | "template_method" | "template_type" => field(name, "name").unwrap_or(name),
        _ => name,
    }
}

/// Variables, prototypes, fields and typedefs; the struct or enum declared on the way counts too.
fn declaration<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let of_type = field(node, "type").and_then(|spec| of_specifier(spec));
    let kind = if node.kind() == "type_definition" { Type } else { Constant };
    // In a body, `Guard guard(lock);` is a variable, and `emit changed(value);` is a call.
    let is_in_body = node.parent().is_some_and(|parent| parent.kind() == "compound_statement");
    let mut cursor = node.walk();
    let mut found: Vec<_> = Vec::new();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let is_prototype = kind == Constant && !is_in_body && is_function(declarator);
        let kind = if is_prototype { Function } else { kind };
        found.push(named(kind, declared(declarator), source));
    }
    match of_type {
        Some(mut made) if found.is_empty() || made.body.is_some() => {
            if found.first().is_some_and(|alias| text(alias.name, source) == text(made.name, source)) {
                found.remove(0);
            }
            if made.name.kind().ends_with("_list") {
                if found.is_empty() {
                    return made.body.map_or(Answer::Plain, Answer::Open);
                }
                made.name = found.remove(0).name;
            }
            found.insert(0, made);
            Answer::Several(found)
        }
        _ => Answer::Several(found),
    }
}

fn is_function(declarator: Node<'_>) -> bool {
    let mut node = declarator;
    for _ in 0..64 {
        match node.kind() {
            "function_declarator" => {
                return field(node, "declarator").is_none_or(|d| d.kind() != "parenthesized_declarator");
            }
            "pointer_declarator" => match field(node, "declarator") {
                Some(inner) => node = inner,
                None => return false,
            },
            "reference_declarator" => match node.named_child(0) {
                Some(inner) => node = inner,
                None => return false,
            },
            _ => return false,
        }
    }
    false
}

fn specifier<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    match of_specifier(node) {
        Some(made) if !made.name.kind().ends_with("_list") => Answer::Define(made),
        Some(made) => made.body.map_or(Answer::Plain, Answer::Open),
        None => Answer::Plain,
    }
}

/// A struct, class, union or enum with a body; an unnamed one has its body for a name.
fn of_specifier(node: Node<'_>) -> Option<Definition<'_>> {
    let kind = match node.kind() {
        "struct_specifier" | "class_specifier" | "union_specifier" => Class,
        "enum_specifier" => Enum,
        _ => return None,
    };
    let body = field(node, "body")?;
    let name = field(node, "name").map_or(body, |name| match name.kind() {
        "qualified_identifier" => last_leaf(name),
        _ => without_arguments(name),
    });
    Some(Definition::new(kind, name).body(Some(body)))
}

fn read_include(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let path = field(node, "path").or_else(|| child_of(node, &["system_lib_string", "string_literal"]));
    let Some(path) = path else { return };
    let target = text(path, source).trim_matches(|c| matches!(c, '"' | '<' | '>'));
    imports.push(import(target, node));
}
