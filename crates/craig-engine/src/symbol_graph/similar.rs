//! Symbols to suggest in place of a name that no symbol has.

use craig_symbols::{SymbolGraph, SymbolIx};
use craig_text::distinct;

use crate::similar::{LEAST_SIMILARITY, similarity};

/// Names that are suggested.
const MOST_SIMILAR: usize = 5;

/// Qualified names of definitions whose own names are like `name`, the most similar first.
pub(super) fn names(graph: &SymbolGraph, name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(f64, bool, SymbolIx)> = Vec::new();
    for (at, definition) in graph.definitions.iter().enumerate() {
        let similarity = similarity(&wanted, &definition.name);
        if similarity >= LEAST_SIMILARITY {
            let at = at as SymbolIx;
            scored.push((similarity, graph.is_test(at), at));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    distinct(scored.into_iter().map(|(_, _, at)| graph.qualified_name(at))).take(MOST_SIMILAR).collect()
}
