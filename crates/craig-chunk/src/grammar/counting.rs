//! Which syntax counts as a decision, as nesting and as a function.

use tree_sitter::Node;

/// Which kinds of nodes count as what.
pub(crate) struct Counting {
    /// Functions.
    pub(crate) units: &'static [&'static str],
    /// One decision each.
    pub(crate) decides: &'static [&'static str],
    /// One level of nesting each.
    pub(crate) nests: &'static [&'static str],
    /// The conditional statement, whose `else if` is no deeper.
    pub(crate) ifs: &'static [&'static str],
    /// The node between an `if` and the `if` of its `else`.
    pub(crate) elses: &'static [&'static str],
    /// Expressions in which an operator may decide.
    pub(crate) operations: &'static [&'static str],
    /// Operators that decide.
    pub(crate) operators: &'static [&'static str],
    /// Arms that decide unless they are the first of their kind in a row.
    pub(crate) arms: &'static [&'static str],
    /// Which of the `units` really are functions.
    pub(crate) is_unit: Ask,
    /// Where the name of a function is, and the list of its parameters, if not in fields.
    pub(crate) name: Option<FindPart>,
    pub(crate) parameters: Option<FindPart>,
    /// Which of what `decides` or `nests` really does.
    pub(crate) is_decision: Ask,
}

impl Counting {
    /// Of C, and what others have as C does.
    pub(crate) const C_LIKE: Self = Self {
        units: &["function_definition"],
        decides: &[
            "if_statement",
            "for_statement",
            "for_range_loop",
            "while_statement",
            "do_statement",
            "case_statement",
            "conditional_expression",
            "catch_clause",
            "seh_except_clause",
        ],
        nests: &[
            "if_statement",
            "for_statement",
            "for_range_loop",
            "while_statement",
            "do_statement",
            "switch_statement",
            "try_statement",
        ],
        ifs: &["if_statement"],
        elses: &["else_clause"],
        operations: &["binary_expression"],
        operators: &["&&", "||", "and", "or"],
        arms: &[],
        name: None,
        parameters: None,
        is_unit: always,
        is_decision: not_default,
    };
}

/// Finds a part of a function.
pub(crate) type FindPart = for<'t> fn(Node<'t>) -> Option<Node<'t>>;

pub(crate) type Ask = for<'t> fn(Node<'t>, &'t str) -> bool;

pub(crate) fn always(_: Node<'_>, _: &str) -> bool {
    true
}

fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// `case x:` decides, `default:` does not; so for labels and statements alike.
fn not_default(node: Node<'_>, _: &str) -> bool {
    match node.kind() {
        "case_statement" | "switch_label" => node.child(0).is_some_and(|first| first.kind() != "default"),
        _ => true,
    }
}

/// `case _` is what is left.
pub(crate) fn not_wildcard_case(node: Node<'_>, text: &str) -> bool {
    if node.kind() != "case_clause" {
        return true;
    }
    let has_guard = node.child_by_field_name("guard").is_some();
    let pattern = node.child_by_field_name("pattern").or_else(|| node.named_child(0));
    has_guard || pattern.is_some_and(|pattern| text_of(pattern, text) != "_")
}

pub(crate) fn not_else_entry(node: Node<'_>, _: &str) -> bool {
    match node.kind() {
        "when_entry" | "switch_case" => node.child(0).is_some_and(|first| first.kind() != "else"),
        _ => true,
    }
}

pub(crate) fn has_body(node: Node<'_>, _: &str) -> bool {
    node.child_by_field_name("body").is_some()
}
