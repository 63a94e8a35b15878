//! Which syntax counts as a decision, as nesting and as a function in each language.

use craig_source::Language;
use tree_sitter::Node;

/// Which kinds of nodes count as what.
pub(super) struct Counting {
    /// Functions.
    units: &'static [&'static str],
    /// One decision each.
    decides: &'static [&'static str],
    /// One level of nesting each.
    nests: &'static [&'static str],
    /// The conditional statement, whose `else if` is no deeper.
    ifs: &'static [&'static str],
    /// What stands between an `if` and the `if` of its `else`.
    elses: &'static [&'static str],
    /// Expressions in which an operator may decide.
    operations: &'static [&'static str],
    /// Operators that decide.
    operators: &'static [&'static str],
    /// Arms that decide unless they are the first of their kind in a row.
    arms: &'static [&'static str],
    /// Which of the `units` really are functions.
    pub(super) is_unit: Ask,
    /// Which of what `decides` or `nests` really does.
    pub(super) is_decision: Ask,
}

type Ask = for<'t> fn(Node<'t>, &'t str) -> bool;

/// What a kind of node counts as.
#[derive(Clone, Copy, Default)]
pub(super) struct Role {
    pub(super) is_unit: bool,
    pub(super) decides: bool,
    pub(super) nests: bool,
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

fn always(_: Node<'_>, _: &str) -> bool {
    true
}

const C_LIKE: Counting = Counting {
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
    is_unit: always,
    is_decision: not_default,
};

const JAVASCRIPT: Counting = Counting {
    units: &[
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    ],
    decides: &[
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_case",
        "ternary_expression",
        "catch_clause",
        "assignment_pattern",
        "object_assignment_pattern",
        "required_parameter",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "try_statement",
    ],
    operations: &["binary_expression", "augmented_assignment_expression"],
    operators: &["&&", "||", "??", "&&=", "||=", "??="],
    is_decision: has_default,
    ..C_LIKE
};

const PYTHON: Counting = Counting {
    units: &["function_definition"],
    decides: &[
        "if_statement",
        "elif_clause",
        "for_statement",
        "while_statement",
        "except_clause",
        "conditional_expression",
        "for_in_clause",
        "if_clause",
        "case_clause",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "try_statement",
        "with_statement",
        "match_statement",
    ],
    operations: &["boolean_operator"],
    operators: &["and", "or"],
    is_decision: not_wildcard_case,
    ..C_LIKE
};

const JAVA: Counting = Counting {
    units: &["method_declaration", "constructor_declaration", "compact_constructor_declaration"],
    decides: &[
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "switch_label",
        "ternary_expression",
        "catch_clause",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "switch_expression",
        "try_statement",
        "try_with_resources_statement",
    ],
    operators: &["&&", "||"],
    ..C_LIKE
};

const GO: Counting = Counting {
    units: &["function_declaration", "method_declaration", "func_literal"],
    decides: &["if_statement", "for_statement", "expression_case", "type_case", "communication_case"],
    nests: &[
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
    ],
    operators: &["&&", "||"],
    is_decision: always,
    ..C_LIKE
};

const RUST: Counting = Counting {
    units: &["function_item"],
    decides: &[
        "if_expression",
        "for_expression",
        "while_expression",
        "match_arm",
        "try_expression",
        "let_declaration",
        "match_pattern",
        "let_chain",
    ],
    nests: &["if_expression", "for_expression", "while_expression", "loop_expression", "match_expression"],
    ifs: &["if_expression"],
    operations: &["binary_expression", "let_chain"],
    operators: &["&&", "||"],
    arms: &["match_arm"],
    is_decision: rust_decision,
    ..C_LIKE
};

const CSHARP: Counting = Counting {
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
    is_decision: csharp_decision,
    ..C_LIKE
};

const RUBY: Counting = Counting {
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
    ..C_LIKE
};

const PHP: Counting = Counting {
    units: &["function_definition", "method_declaration"],
    decides: &[
        "if_statement",
        "else_if_clause",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "case_statement",
        "match_conditional_expression",
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
        "match_expression",
        "try_statement",
    ],
    is_decision: always,
    ..C_LIKE
};

const KOTLIN: Counting = Counting {
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
    ..C_LIKE
};

const SWIFT: Counting = Counting {
    units: &[
        "function_declaration",
        "init_declaration",
        "deinit_declaration",
        "subscript_declaration",
        "computed_getter",
        "computed_setter",
        "computed_modify",
        "willset_clause",
        "didset_clause",
    ],
    decides: &[
        "if_statement",
        "guard_statement",
        "for_statement",
        "while_statement",
        "repeat_while_statement",
        "switch_entry",
        "catch_block",
        "ternary_expression",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "repeat_while_statement",
        "switch_statement",
        "do_statement",
    ],
    operations: &["conjunction_expression", "disjunction_expression"],
    operators: &["&&", "||"],
    is_decision: not_default_entry,
    ..C_LIKE
};

const SCALA: Counting = Counting {
    units: &["function_definition"],
    decides: &[
        "if_expression",
        "for_expression",
        "while_expression",
        "do_while_expression",
        "case_clause",
        "guard",
    ],
    nests: &[
        "if_expression",
        "for_expression",
        "while_expression",
        "do_while_expression",
        "match_expression",
        "try_expression",
    ],
    ifs: &["if_expression"],
    operations: &[],
    is_decision: not_wildcard_case,
    ..C_LIKE
};

const LUA: Counting = Counting {
    units: &["function_declaration", "function_definition"],
    decides: &["if_statement", "elseif_statement", "for_statement", "while_statement", "repeat_statement"],
    nests: &["if_statement", "for_statement", "while_statement", "repeat_statement"],
    operators: &["and", "or"],
    is_decision: always,
    ..C_LIKE
};

const BASH: Counting = Counting {
    units: &["function_definition"],
    decides: &[
        "if_statement",
        "elif_clause",
        "for_statement",
        "c_style_for_statement",
        "while_statement",
        "case_item",
        "ternary_expression",
    ],
    nests: &["if_statement", "for_statement", "c_style_for_statement", "while_statement", "case_statement"],
    operations: &["list", "binary_expression"],
    is_decision: not_star_item,
    ..C_LIKE
};

const ELIXIR: Counting = Counting {
    units: &["call"],
    decides: &["call", "stab_clause"],
    nests: &["call"],
    ifs: &[],
    operations: &["binary_operator"],
    operators: &["&&", "||", "and", "or"],
    is_unit: elixir_function,
    arms: &["stab_clause"],
    is_decision: elixir_decision,
    ..C_LIKE
};

const ZIG: Counting = Counting {
    units: &["function_declaration"],
    decides: &[
        "if_statement",
        "if_expression",
        "for_statement",
        "for_expression",
        "while_statement",
        "while_expression",
        "switch_case",
        "catch_expression",
        "try_expression",
    ],
    nests: &[
        "if_statement",
        "if_expression",
        "for_statement",
        "for_expression",
        "while_statement",
        "while_expression",
        "switch_expression",
    ],
    ifs: &["if_statement", "if_expression"],
    operators: &["and", "or", "orelse"],
    is_unit: has_body,
    is_decision: not_else_entry,
    ..C_LIKE
};

const HASKELL: Counting = Counting {
    units: &["function"],
    decides: &["conditional", "alternative", "guards"],
    nests: &["conditional", "case", "multi_way_if", "lambda_case"],
    ifs: &[],
    operations: &[],
    is_decision: always,
    ..C_LIKE
};

/// How functions of a language are measured.
pub(super) fn counting(language: Language) -> Option<&'static Counting> {
    Some(match language {
        Language::C | Language::Cpp | Language::Cuda => &C_LIKE,
        Language::TypeScript | Language::Tsx | Language::JavaScript => &JAVASCRIPT,
        Language::Python => &PYTHON,
        Language::Java => &JAVA,
        Language::Go => &GO,
        Language::Rust => &RUST,
        Language::CSharp => &CSHARP,
        Language::Ruby => &RUBY,
        Language::Php => &PHP,
        Language::Kotlin => &KOTLIN,
        Language::Swift => &SWIFT,
        Language::Scala => &SCALA,
        Language::Lua => &LUA,
        Language::Bash => &BASH,
        Language::Elixir => &ELIXIR,
        Language::Zig => &ZIG,
        Language::Haskell => &HASKELL,
        _ => return None,
    })
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

/// A value for what is not given decides, in parameters and where values are taken apart.
fn has_default(node: Node<'_>, _: &str) -> bool {
    node.kind() != "required_parameter" || node.child_by_field_name("value").is_some()
}

/// `case _` is what is left.
fn not_wildcard_case(node: Node<'_>, text: &str) -> bool {
    if node.kind() != "case_clause" {
        return true;
    }
    let has_guard = node.child_by_field_name("guard").is_some();
    let pattern = node.child_by_field_name("pattern").or_else(|| node.named_child(0));
    has_guard || pattern.is_some_and(|pattern| text_of(pattern, text) != "_")
}

fn not_else_entry(node: Node<'_>, _: &str) -> bool {
    match node.kind() {
        "when_entry" | "switch_case" => node.child(0).is_some_and(|first| first.kind() != "else"),
        _ => true,
    }
}

fn not_default_entry(node: Node<'_>, _: &str) -> bool {
    node.kind() != "switch_entry"
        || node.child(0).is_some_and(|first| !matches!(first.kind(), "default_keyword" | "default"))
}

fn not_star_item(node: Node<'_>, text: &str) -> bool {
    node.kind() != "case_item"
        || node.child_by_field_name("value").is_some_and(|value| text_of(value, text) != "*")
}

fn has_body(node: Node<'_>, _: &str) -> bool {
    node.child_by_field_name("body").is_some()
}

/// `let … else` and the guard of an arm decide.
fn rust_decision(node: Node<'_>, _: &str) -> bool {
    match node.kind() {
        "let_declaration" => node.child_by_field_name("alternative").is_some(),
        "match_pattern" => node.child_by_field_name("condition").is_some(),
        "let_chain" => false,
        _ => true,
    }
}

fn csharp_decision(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "switch_section" => node.child(0).is_some_and(|first| first.kind() != "default"),
        "switch_expression_arm" => node.named_child(0).is_some_and(|pattern| text_of(pattern, text) != "_"),
        _ => true,
    }
}

/// The called name of an Elixir call.
fn called<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    node.child_by_field_name("target").map_or("", |target| text_of(target, text))
}

fn elixir_function(node: Node<'_>, text: &str) -> bool {
    matches!(called(node, text), "def" | "defp" | "defmacro" | "defmacrop")
}

/// `if`, `unless`, `for` and `while`-like calls decide; of `case`, `cond`, `with` and `receive` each arm after the first.
fn elixir_decision(node: Node<'_>, text: &str) -> bool {
    node.kind() == "stab_clause" || matches!(called(node, text), "if" | "unless" | "for")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::grammar;

    #[test]
    fn every_kind_of_the_tables_is_in_the_grammar() {
        let shared = ["case_statement", "else_clause", "required_parameter"];
        for language in Language::all() {
            let (Some(counting), Some(grammar)) = (counting(language), grammar(language)) else { continue };
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
