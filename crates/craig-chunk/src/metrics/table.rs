//! The roles of node kinds in measuring, by kind id.

use tree_sitter::Node;

use crate::grammar::counting::Counting;

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
            let tables = [
                counting.units,
                counting.decides,
                counting.nests,
                counting.ifs,
                counting.elses,
                counting.operations,
                counting.arms,
            ];
            let missing: Vec<_> = tables.concat().into_iter().filter(|kind| !known(kind)).collect();
            let is_c = matches!(language, Language::C);
            assert!(
                is_c || missing.is_empty() || missing.iter().all(|kind| shared.contains(kind)),
                "{language:?} has no {missing:?}"
            );
        }
    }
}
