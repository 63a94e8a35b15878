//! Measures functions: cyclomatic complexity, nesting and length, from the syntax tree.

mod name;
mod table;

use craig_source::Language;
use tree_sitter::{Node, Tree};

use crate::trees;
use table::{Counting, Roles, counting};

/// The name of a function that has none.
pub const ANONYMOUS: &str = "(anonymous)";

/// One function as it is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionMetrics {
    /// Name as written, without what encloses it; [`ANONYMOUS`] when it has none.
    pub name: String,
    /// Line of the name, 1-based.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Cyclomatic complexity: 1 and one for each decision. McCabe, IEEE TSE 1976.
    pub complexity: u32,
    /// Control structures that enclose the deepest statement; an `else if` is no deeper than its `if`.
    pub nesting: u32,
    /// Parameters it declares.
    pub parameters: u32,
}

/// Measures every function of `text`, in file order; none where the language has no grammar or no functions.
///
/// A decision is a condition, a loop with one, a case that is not the default, a `catch`, a ternary, and each `&&` or `||`.
/// Of the arms of a Rust `match` the first is free, as one is always taken; its `?` decides, and so do default values in
/// JavaScript. Nested functions are counted for themselves; lambdas belong to the function that they stand in, but in
/// JavaScript, TypeScript and Go, where function expressions are functions of their own. A `.h` that is C++ is read so.
pub fn metrics(language: Language, text: &str) -> Vec<FunctionMetrics> {
    let Some(counting) = counting(language) else { return Vec::new() };
    let mut found = Vec::new();
    for (grammar, tree) in trees(language, text) {
        let roles = Roles::of(counting, &grammar.language);
        Measuring { counting, roles: &roles, text, open: Vec::new(), done: &mut found }.tree(&tree);
    }
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, function)| function).collect()
}

/// A node whose children are being looked at.
struct Open {
    /// Index into the table's roles.
    kind: u16,
    nests: bool,
    /// The function that begins here, with the number of structures around the innermost statement.
    unit: Option<Unit>,
}

/// A function being measured.
struct Unit {
    function: FunctionMetrics,
    start_byte: usize,
    depth: u32,
}

struct Measuring<'a> {
    counting: &'static Counting,
    roles: &'a Roles,
    text: &'a str,
    open: Vec<Open>,
    done: &'a mut Vec<(usize, FunctionMetrics)>,
}

impl Measuring<'_> {
    fn tree(mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        loop {
            self.enter(cursor.node(), cursor.field_name());
            if cursor.goto_first_child() {
                continue;
            }
            self.leave();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    fn enter(&mut self, node: Node<'_>, field: Option<&str>) {
        let role = self.roles.role(node);
        let is_unit = role.is_unit && node.is_named() && (self.counting.is_unit)(node, self.text);
        let unit = is_unit.then(|| self.unit(node));
        let decisions = self.decisions(node, field, role);
        let nests =
            role.nests && !self.continues_if(node, field) && (self.counting.is_decision)(node, self.text);
        if let Some(around) = self.innermost() {
            around.function.complexity += decisions;
            if nests {
                around.depth += 1;
                around.function.nesting = around.function.nesting.max(around.depth);
            }
        }
        self.open.push(Open { kind: node.kind_id(), nests, unit });
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if let Some(unit) = open.unit {
            self.done.push((unit.start_byte, unit.function));
        }
        if open.nests
            && let Some(around) = self.innermost()
        {
            around.depth -= 1;
        }
    }

    fn innermost(&mut self) -> Option<&mut Unit> {
        self.open.iter_mut().rev().find_map(|open| open.unit.as_mut())
    }

    fn decisions(&self, node: Node<'_>, field: Option<&str>, role: table::Role) -> u32 {
        if !node.is_named() {
            return u32::from(role.is_operator && field != Some("name") && self.in_operation());
        }
        u32::from(role.decides && (self.counting.is_decision)(node, self.text))
    }

    /// Whether the parent is an expression whose operators decide.
    fn in_operation(&self) -> bool {
        self.open.last().is_some_and(|parent| self.roles.of_kind(parent.kind).is_operation)
    }

    /// An `if` that is the alternative of another `if`.
    fn continues_if(&self, node: Node<'_>, field: Option<&str>) -> bool {
        let is_if = |kind: u16| self.roles.of_kind(kind).is_if;
        if !is_if(node.kind_id()) {
            return false;
        }
        let Some(parent) = self.open.last() else { return false };
        let in_else = self.roles.of_kind(parent.kind).is_else;
        let after_else = || node.prev_sibling().is_some_and(|before| before.kind() == "else");
        in_else || is_if(parent.kind) && (field == Some("alternative") || after_else())
    }

    fn unit(&self, node: Node<'_>) -> Unit {
        let (name, line_start) = name::of(node, self.text);
        let end = node.end_position();
        let last_row = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
        let line_end = u32::try_from(last_row + 1).unwrap_or(u32::MAX).max(line_start);
        let function = FunctionMetrics {
            name,
            line_start,
            line_end,
            complexity: 1,
            nesting: 0,
            parameters: name::parameters(node),
        };
        Unit { function, start_byte: node.start_byte(), depth: 0 }
    }
}
