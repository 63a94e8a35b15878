//! Measures functions: cyclomatic complexity, nesting and length, and finds comments, from the syntax tree.

mod name;
mod table;

use std::ops::Range;

use craig_source::Language;
use tree_sitter::{Node, Tree};

use crate::grammar::counting::Counting;
use crate::languages;
use crate::trees::{language_of_code, trees};
use table::{Role, Roles};

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

/// What the syntax tree of a file shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Functions in file order.
    pub functions: Vec<FunctionMetrics>,
    /// Bytes of comments in file order, and of strings that are statements of their own, as Python's docstrings are; `None` if
    /// functions of the language are not measured.
    pub comments: Option<Vec<Range<usize>>>,
}

/// Measures every function of `text`, in file order; empty if the language has no grammar or no functions.
///
/// A decision is a condition, a loop with one, a case that is not the default, a `catch`, a ternary, and each `&&` or `||`.
/// Of the arms of a Rust `match` the first is free, as one is always taken; its `?` decides, and so do default values in
/// JavaScript. Nested functions are counted for themselves; lambdas belong to the function that they stand in, but in
/// JavaScript, TypeScript and Go, where function expressions are functions of their own. A `.h` that is C++ is read so.
///
/// The work grows with the length of the text, however deep it is nested. `None` when it takes too long to parse.
pub fn metrics(language: Language, text: &str) -> Option<Vec<FunctionMetrics>> {
    measures(language, text).map(|found| found.functions)
}

/// The same with the comments of the file.
pub fn measures(language: Language, text: &str) -> Option<Measures> {
    let table = languages::table(language_of_code(language, text));
    let Some(counting) = table.and_then(|table| table.counting) else { return Some(Measures::default()) };
    let (mut found, mut comments) = (Vec::new(), Vec::new());
    for (grammar, tree) in trees(language, text)? {
        let roles = Roles::new(counting, &grammar.language);
        let (open, units) = (Vec::new(), Vec::new());
        let measuring = Measuring {
            counting,
            roles: &roles,
            text,
            open,
            units,
            done: &mut found,
            comments: &mut comments,
        };
        measuring.tree(&tree);
    }
    found.sort_by_key(|(order, _)| *order);
    let functions = found.into_iter().map(|(_, function)| function).collect();
    Some(Measures { functions, comments: Some(comments) })
}

/// A node whose children are being visited.
///
/// Keeps the parent and the previous siblings: to find those of a node, tree-sitter descends from the root each time.
struct Open<'t> {
    node: Node<'t>,
    nests: bool,
    is_unit: bool,
    /// Kinds of the previous child, and of the previous named one.
    before: &'t str,
    named_before: &'t str,
}

/// A function being measured.
struct Unit {
    function: FunctionMetrics,
    start_byte: usize,
    /// Control structures around the innermost statement.
    depth: u32,
}

struct Measuring<'a, 't> {
    counting: &'static Counting,
    roles: &'a Roles,
    text: &'a str,
    open: Vec<Open<'t>>,
    /// Functions around the node, outermost first.
    units: Vec<Unit>,
    done: &'a mut Vec<(usize, FunctionMetrics)>,
    comments: &'a mut Vec<Range<usize>>,
}

impl<'t> Measuring<'_, 't> {
    fn tree(mut self, tree: &'t Tree) {
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

    fn enter(&mut self, node: Node<'t>, field: Option<&str>) {
        let role = self.roles.role(node);
        self.comment(node, role);
        let is_free = role.is_arm && self.open.last().is_none_or(|around| around.named_before != node.kind());
        let decides = !is_free && (self.counting.is_decision)(node, self.text);
        let decisions = self.decisions(node, field, role.decides && decides, role.is_operator);
        let nests = role.nests && decides && !self.continues_if(node, field);
        let is_unit = role.is_unit && node.is_named() && (self.counting.is_unit)(node, self.text);
        if let Some(around) = self.units.last_mut() {
            around.function.complexity += decisions;
            if nests {
                around.depth += 1;
                around.function.nesting = around.function.nesting.max(around.depth);
            }
        }
        if is_unit {
            let unit = self.unit(node);
            self.units.push(unit);
        }
        if let Some(around) = self.open.last_mut() {
            around.before = node.kind();
            around.named_before = if node.is_named() { node.kind() } else { around.named_before };
        }
        self.open.push(Open { node, nests, is_unit, before: "", named_before: "" });
    }

    fn comment(&mut self, node: Node<'_>, role: Role) {
        let is_statement =
            || self.open.last().is_some_and(|around| around.node.kind() == "expression_statement");
        let is_nested = || self.comments.last().is_some_and(|last| node.start_byte() < last.end);
        if (role.is_comment || role.is_string && is_statement()) && !is_nested() {
            self.comments.push(node.byte_range());
        }
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if open.is_unit
            && let Some(unit) = self.units.pop()
        {
            self.done.push((unit.start_byte, unit.function));
        }
        if open.nests
            && let Some(around) = self.units.last_mut()
        {
            around.depth -= 1;
        }
    }

    fn decisions(&self, node: Node<'_>, field: Option<&str>, decides: bool, is_operator: bool) -> u32 {
        if !node.is_named() {
            return u32::from(is_operator && field != Some("name") && self.in_operation());
        }
        u32::from(decides)
    }

    /// Whether the parent is an expression whose operators decide.
    fn in_operation(&self) -> bool {
        self.open.last().is_some_and(|parent| self.roles.role(parent.node).is_operation)
    }

    /// An `if` that is the alternative of another `if`.
    fn continues_if(&self, node: Node<'_>, field: Option<&str>) -> bool {
        if !self.roles.role(node).is_if {
            return false;
        }
        let Some(parent) = self.open.last() else { return false };
        let around = self.roles.role(parent.node);
        around.is_else || around.is_if && (field == Some("alternative") || parent.before == "else")
    }

    fn unit(&self, node: Node<'_>) -> Unit {
        let around = self.open.last().map(|around| around.node);
        let (name, line_start) = name::function_name(self.counting.name, node, around, self.text);
        let end = node.end_position();
        let last_row = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
        let line_end = u32::try_from(last_row + 1).unwrap_or(u32::MAX).max(line_start);
        let function = FunctionMetrics {
            name,
            line_start,
            line_end,
            complexity: 1,
            nesting: 0,
            parameters: name::parameters(self.counting.parameters, node),
        };
        Unit { function, start_byte: node.start_byte(), depth: 0 }
    }
}
