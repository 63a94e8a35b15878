//! Definitions in the definitions that they belong to.

use std::collections::HashMap;

use craig_chunk::Symbol;
use craig_source::Language;

/// Deeper definitions are shown as if they were this deep.
const MOST_DEPTH: u32 = 12;

/// Definitions with their depths, each before those that belong to it, otherwise in file order.
///
/// A definition belongs to the one that its `parent` names: that around it, otherwise the last before it, otherwise the
/// first after it, as methods of a type may be written before or after that.
pub(super) fn nested(symbols: &[Symbol], language: Language) -> Vec<(&Symbol, u32)> {
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, symbol) in symbols.iter().enumerate() {
        by_name.entry(symbol.qualified_name(language)).or_default().push(at);
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); symbols.len()];
    let mut roots = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        let named = symbol.parent.as_ref().and_then(|parent| by_name.get(parent));
        match named.and_then(|places| owner(symbols, at, places)) {
            Some(owner) => children[owner].push(at),
            None => roots.push(at),
        }
    }
    let mut nested = Vec::with_capacity(symbols.len());
    // A stack instead of recursion: names may be nested as deeply as files are long.
    let mut open: Vec<(usize, u32)> = roots.into_iter().rev().map(|at| (at, 0)).collect();
    while let Some((at, depth)) = open.pop() {
        nested.push((&symbols[at], depth));
        let depth = (depth + 1).min(MOST_DEPTH);
        open.extend(children[at].iter().rev().map(|&child| (child, depth)));
    }
    nested
}

/// Which of the definitions at `places`, ascending, the one at `at` belongs to.
fn owner(symbols: &[Symbol], at: usize, places: &[usize]) -> Option<usize> {
    let line = symbols[at].line;
    let before = &places[..places.partition_point(|&place| place < at)];
    let is_around = |place: &&usize| symbols[**place].line_end >= line;
    // Names may be equal thousands of times: the nearest ones are enough.
    let around = before.iter().rev().take(64).find(is_around);
    around.or(before.last()).or(places.iter().find(|&&place| place != at)).copied()
}
