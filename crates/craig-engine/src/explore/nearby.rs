//! Functions that are linked to what was found: a step of a flow may share no word with the question.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use craig_search::{Guesses, Hit};
use craig_symbols::{SymbolGraph, SymbolIx, SymbolQuery};
use craig_text::stems;

use super::surroundings::first_line;
use crate::symbol_graph::{defined, defined_at, is_product, linked};

/// Relevance that the definitions of a guessed name share; a name with more definitions is not looked at.
const OF_NAME: f32 = 0.1;
const MOST_OF_NAME: usize = 20;

/// Share of a function's relevance that the functions linked to it give, and how many links it passes.
const OF_LINKS: f32 = 0.7;
const N_STEPS: usize = 2;

/// Weight of a function whose name has no word of the question or the guesses; with all of them it is 1 more.
const UNNAMED: f32 = 0.2;

/// The functions of hits, those with a guessed name, and those that are linked to either, most relevant first.
pub(super) fn nearby(graph: &SymbolGraph, query: &str, guesses: &Guesses, hits: &[Hit]) -> Vec<SymbolIx> {
    let own = found(graph, guesses, hits);
    let mut links: BTreeMap<SymbolIx, BTreeSet<SymbolIx>> = BTreeMap::new();
    for &function in own.keys() {
        for other in linked(graph, function) {
            links.entry(function).or_default().insert(other);
            links.entry(other).or_default().insert(function);
        }
    }
    let asked: HashSet<String> = stems(&format!("{query} {}", guesses.names.join(" "))).collect();
    let weight = |at: SymbolIx| {
        let words: Vec<String> = stems(&graph.definition(at).name).collect();
        let n_asked = words.iter().filter(|word| asked.contains(*word)).count();
        UNNAMED + n_asked as f32 / words.len().max(1) as f32
    };
    let mut relevance = spread(&own, &links);
    relevance.retain(|at, _| links.contains_key(at));
    let mut ranked: Vec<(SymbolIx, f32)> =
        relevance.into_iter().map(|(at, of)| (at, of * weight(at))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.into_iter().map(|(at, _)| at).collect()
}

/// The functions of hits with their scores, and those with a guessed name.
fn found(graph: &SymbolGraph, guesses: &Guesses, hits: &[Hit]) -> BTreeMap<SymbolIx, f32> {
    let of_hits =
        hits.iter().filter_map(|hit| Some((defined_at(graph, &hit.path, first_line(hit))?, hit.score)));
    let queries = guesses.names.iter().filter_map(|name| SymbolQuery::parse(name));
    let of_names = queries.map(|query| graph.find(&query)).filter(|named| named.len() <= MOST_OF_NAME);
    let of_names = of_names.flat_map(|named| {
        let share = OF_NAME / named.len() as f32;
        named.into_iter().map(move |at| (at, share))
    });
    let mut found = BTreeMap::new();
    for (at, score) in of_hits.chain(of_names) {
        if is_product(graph, at) {
            let known: &mut f32 = found.entry(defined(graph, at)).or_default();
            *known = known.max(score);
        }
    }
    found
}

/// Each function's own relevance and that of the functions linked to it, which share theirs among all their links.
fn spread(
    own: &BTreeMap<SymbolIx, f32>,
    links: &BTreeMap<SymbolIx, BTreeSet<SymbolIx>>,
) -> BTreeMap<SymbolIx, f32> {
    let mut relevance = own.clone();
    for _ in 0..N_STEPS {
        let mut next: BTreeMap<SymbolIx, f32> =
            own.iter().map(|(&at, score)| (at, (1.0 - OF_LINKS) * score)).collect();
        for (at, others) in links {
            let given = OF_LINKS * relevance.get(at).copied().unwrap_or_default() / others.len() as f32;
            for &other in others {
                *next.entry(other).or_default() += given;
            }
        }
        relevance = next;
    }
    relevance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_passes_two_links_and_is_shared_among_many() {
        let own = BTreeMap::from([(1, 1.0)]);
        let pairs = [(1, 2), (2, 3), (3, 4), (1, 5), (5, 6), (5, 7)];
        let mut links: BTreeMap<SymbolIx, BTreeSet<SymbolIx>> = BTreeMap::new();
        for (a, b) in pairs {
            links.entry(a).or_default().insert(b);
            links.entry(b).or_default().insert(a);
        }
        let relevance = spread(&own, &links);
        let of = |at: SymbolIx| relevance.get(&at).copied().unwrap_or_default();
        assert!(of(1) > of(2) && of(2) > 0.0 && of(3) > 0.0, "{relevance:?}");
        assert!(of(3) > of(6) && of(6) == of(7), "{relevance:?}");
        assert_eq!(of(4), 0.0);
    }
}
