//! Which syntax counts as a decision, as nesting and as a function in each language.

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
    /// What stands between an `if` and the `if` of its `else`.
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

/// What a kind of node counts as.
#[derive(Clone, Copy, Default)]
pub(super) struct Role {
    pub(crate) is_unit: bool,
    pub(crate) decides: bool,
    pub(crate) nests: bool,
    pub(super) is_if: bool,
    pub(super) is_else: bool,
    pub(super) is_operation: bool,
    pub(super) is_operator: bool,
    pub(super) is_arm: bool,
    pub(super) is_comment: bool,
    pub(super) is_string: bool,
}

/// The roles of a grammar by kind id.
pub(super) struct Roles(Vec<Role>);

impl Roles {
    pub(super) fn new(counting: &Counting, language: &tree_sitter::Language) -> Self {
        let role = |id: usize| {
            let id = u16::try_from(id).unwrap_or_default();
            let kind = language.node_kind_for_id(id).unwrap_or_default();
            role(counting, kind, language.node_kind_is_named(id))
        };
        Self((0..language.node_kind_count()).map(role).collect())
    }

    pub(super) fn role(&self, node: Node<'_>) -> Role {
        self.of_kind(node.kind_id())
    }

    pub(super) fn of_kind(&self, kind: u16) -> Role {
        self.0.get(usize::from(kind)).copied().unwrap_or_default()
    }
}

fn role(counting: &Counting, kind: &str, is_named: bool) -> Role {
    if !is_named {
        return Role { is_operator: counting.operators.contains(&kind), ..Role::default() };
    }
    Role {
        is_unit: counting.units.contains(&kind),
        decides: counting.decides.contains(&kind),
        nests: counting.nests.contains(&kind),
        is_if: counting.ifs.contains(&kind),
        is_else: counting.elses.contains(&kind),
        is_operation: counting.operations.contains(&kind),
        is_operator: false,
        is_arm: counting.arms.contains(&kind),
        is_comment: kind.contains("comment") || kind == "haddock",
        is_string: kind == "string",
    }
}

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

#[cfg(test)]
mod tests {
    use craig_source::Language;

    use crate::languages::grammar;

    #[test]
    fn every_kind_of_the_tables_is_in_the_grammar() {
        let shared = ["case_statement", "else_clause", "required_parameter"];
        for language in Language::all() {
            let Some(grammar) = grammar(language) else { continue };
            let Some(counting) = grammar.table.counting else { continue };
            let known = |kind: &str| grammar.language.id_for_node_kind(kind, true) != 0;
            let tables = [counting.units, counting.decides, counting.nests, counting.ifs];
            let missing: Vec<_> = tables.concat().into_iter().filter(|kind| !known(kind)).collect();
            let is_c = matches!(language, Language::C);
            assert!(
                is_c || missing.is_empty() || missing.iter().all(|kind| shared.contains(kind)),
                "{language:?} has no {missing:?}"
            );
        }
    }
}
