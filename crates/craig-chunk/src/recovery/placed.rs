//! The definitions of a tree with the function that encloses each.

use std::ops::Range;

use tree_sitter::Tree;

use super::layout::Layout;
use crate::grammar::Grammar;
use crate::kind::ChunkKind;
use crate::walk::walk;

/// Definitions in file order; constants fill their place, but are not counted: locals of broken code look like them.
pub(super) struct Placed {
    definitions: Vec<Definition>,
}

struct Definition {
    /// 1-based.
    line: u32,
    line_end: u32,
    name: String,
    kind: ChunkKind,
    /// Line of the innermost function around it that starts on a line before.
    within: Option<u32>,
    /// Whether a type or a namespace is around it.
    is_member: bool,
}

impl Placed {
    pub(super) fn new(grammar: &Grammar, text: &str, tree: &Tree) -> Self {
        let mut symbols = walk(tree, text, grammar).symbols;
        symbols.sort_by_key(|symbol| symbol.line);
        let mut open: Vec<(u32, u32)> = Vec::new();
        let placed = |symbol: crate::Symbol| {
            open.retain(|(_, end)| *end >= symbol.line);
            let within = open.iter().rev().map(|(line, _)| *line).find(|line| *line < symbol.line);
            if is_function(symbol.kind) {
                open.push((symbol.line, symbol.line_end));
            }
            let (line, line_end) = (symbol.line, symbol.line_end);
            let is_member = symbol.parent.is_some();
            Definition { line, line_end, name: symbol.name, kind: symbol.kind, within, is_member }
        };
        Self { definitions: symbols.into_iter().map(placed).collect() }
    }

    /// How many definitions are where the layout has them: none in a function that is not indented less, none that is indented
    /// and in nothing, none that ends at a bracket of something inside.
    pub(super) fn n_in_place(&self, layout: &Layout) -> usize {
        let is_right = |found: &&Definition| {
            let is_lost = !found.is_member && found.within.is_none() && layout.indent(row(found.line)) > 0;
            !is_lost && !layout.ends_inside(row(found.line), row(found.line_end))
        };
        self.counted().filter(|found| found.is_in_place(layout)).filter(is_right).count()
    }

    /// Rows of definitions that are in a function which is not indented less, sorted.
    pub(super) fn rows_out_of_place(&self, layout: &Layout) -> Vec<usize> {
        let out = self.counted().filter(|found| !found.is_in_place(layout));
        out.map(|found| row(found.line)).collect()
    }

    /// Lines and names of what is defined in these rows.
    pub(super) fn in_rows(&self, rows: &Range<usize>) -> Vec<(u32, String)> {
        let found = self.counted().filter(|found| rows.contains(&row(found.line)));
        found.map(|found| (found.line, found.name.clone())).collect()
    }

    /// Whether something is defined in the rows of a head that reaches to this row.
    pub(super) fn reaches(&self, head: &Range<usize>, end: usize) -> bool {
        self.counted().any(|found| head.contains(&row(found.line)) && row(found.line_end) >= end)
    }

    /// The kind of what is defined in the rows of a head and fills a piece, and is not within what is not indented less.
    pub(super) fn filling(
        &self,
        head: &Range<usize>,
        piece: &Range<usize>,
        layout: &Layout,
    ) -> Option<ChunkKind> {
        let first = self.definitions.partition_point(|found| row(found.line) < head.start);
        let of_head = self.definitions[first..].iter().take_while(|found| row(found.line) < head.end);
        let fills = |found: &&Definition| layout.ends_at(piece, head.start, row(found.line_end));
        of_head.filter(fills).find(|found| found.is_in_place(layout)).map(|found| found.kind)
    }

    fn counted(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(|found| found.kind != ChunkKind::Constant)
    }

    /// Whether a function is defined in these rows.
    pub(super) fn has_function_in(&self, rows: &Range<usize>) -> bool {
        self.counted().any(|found| is_function(found.kind) && rows.contains(&row(found.line)))
    }

    /// Whether it has this definition, and not in a function of these rows.
    pub(super) fn has_outside(&self, (line, name): &(u32, String), rows: &Range<usize>) -> bool {
        let is_it = |found: &&Definition| found.line == *line && found.name == *name;
        let is_outside = |found: &Definition| found.within.is_none_or(|line| !rows.contains(&row(line)));
        self.definitions.iter().find(is_it).is_some_and(is_outside)
    }
}

impl Definition {
    fn is_in_place(&self, layout: &Layout) -> bool {
        self.within.is_none_or(|within| layout.indent(row(within)) < layout.indent(row(self.line)))
    }
}

pub(super) fn is_function(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Function | ChunkKind::Method)
}

fn row(line: u32) -> usize {
    line.saturating_sub(1) as usize
}
