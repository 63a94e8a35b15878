//! Names of functions, and numbers of their parameters.

use tree_sitter::Node;

use super::ANONYMOUS;
use crate::grammar::counting::FindPart;
use crate::grammar::unquoted;
use crate::languages::c::declared;

/// Names are cut off here.
const MAX_NAME_BYTES: usize = 120;

/// The name of a function and its line. `around` is its parent: asking the node for it would be slow.
pub(super) fn function_name<'t>(
    find: Option<FindPart>,
    node: Node<'t>,
    around: Option<Node<'t>>,
    text: &str,
) -> (String, u32) {
    match find.map_or_else(|| name_node(node, around), |find| find(node)) {
        Some(name) => {
            let written = text.get(name.byte_range()).unwrap_or_default();
            let written = unquoted(written.lines().next().unwrap_or_default().trim());
            (written[..written.floor_char_boundary(MAX_NAME_BYTES)].to_owned(), line(name))
        }
        None => (unnamed(node).to_owned(), line(node)),
    }
}

fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// Names of functions that have a keyword instead of a name.
fn unnamed(node: Node<'_>) -> &'static str {
    match node.kind() {
        "secondary_constructor" => "constructor",
        "init_declaration" => "init",
        "deinit_declaration" => "deinit",
        "subscript_declaration" => "subscript",
        "getter" | "computed_getter" => "get",
        "setter" | "computed_setter" => "set",
        "computed_modify" => "modify",
        "willset_clause" => "willSet",
        "didset_clause" => "didSet",
        _ => ANONYMOUS,
    }
}

fn name_node<'t>(node: Node<'t>, around: Option<Node<'t>>) -> Option<Node<'t>> {
    match node.kind() {
        // The grammar calls the type of its value so.
        "subscript_declaration" => None,
        "function_definition" if node.child_by_field_name("declarator").is_some() => c_name(node),
        "arrow_function" | "function_expression" | "generator_function" => {
            node.child_by_field_name("name").or_else(|| bound_name(node, around?))
        }
        "function_declaration" | "function_definition" | "init_declaration" => {
            node.child_by_field_name("name").or_else(|| bound_name(node, around?))
        }
        _ => node.child_by_field_name("name"),
    }
}

/// The last part of a declarator: `baz` of `Foo::Bar::baz`.
fn c_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut name = declared(node.child_by_field_name("declarator")?);
    for _ in 0..64 {
        match name.child_by_field_name("name").filter(|_| name.kind() == "qualified_identifier") {
            Some(inner) => name = inner,
            None => break,
        }
    }
    Some(name)
}

/// What a function expression is bound to: a variable, a property, a field.
fn bound_name<'t>(node: Node<'t>, parent: Node<'t>) -> Option<Node<'t>> {
    match parent.kind() {
        "variable_declarator" | "field_definition" | "public_field_definition" => {
            parent.child_by_field_name("name").or_else(|| parent.child_by_field_name("property"))
        }
        "pair" => parent.child_by_field_name("key"),
        "assignment_expression" => {
            let left = parent.child_by_field_name("left")?;
            Some(left.child_by_field_name("property").unwrap_or(left))
        }
        "field" => parent.child_by_field_name("name"),
        "expression_list" => assigned_name(node, parent),
        _ => None,
    }
}

/// Most values of one assignment that are searched.
const MAX_ASSIGNED: usize = 16;

/// The name at the same position on the left of a Lua assignment: `add` of `M.add = function() end`.
fn assigned_name<'t>(value: Node<'t>, values: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = values.walk();
    let at = values.named_children(&mut cursor).take(MAX_ASSIGNED).position(|one| one == value)?;
    let names = values.prev_named_sibling().filter(|names| names.kind() == "variable_list")?;
    let name = names.named_child(u32::try_from(at).ok()?)?;
    Some(name.child_by_field_name("field").or_else(|| name.child_by_field_name("method")).unwrap_or(name))
}

/// Number of parameters that a function declares; 0 if the grammar has none.
pub(super) fn parameters(find: Option<FindPart>, node: Node<'_>) -> u32 {
    let list = find.unwrap_or(parameter_list)(node);
    let Some(list) = list else { return u32::from(node.child_by_field_name("parameter").is_some()) };
    let mut cursor = list.walk();
    let n = list.named_children(&mut cursor).filter(|child| !child.kind().contains("comment")).count();
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The field `parameters` of a function, or of its innermost declarator that has one.
fn parameter_list(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(list) = node.child_by_field_name("parameters") {
        return Some(list);
    }
    let mut function = node.child_by_field_name("declarator")?;
    for _ in 0..16 {
        if let Some(list) = function.child_by_field_name("parameters") {
            return Some(list);
        }
        function = function.child_by_field_name("declarator")?;
    }
    None
}
