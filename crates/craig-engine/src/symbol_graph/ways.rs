//! How some definitions reach each other: the shortest ways through calls, callbacks, and overrides of called members.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};

use craig_store::{Project, Store};
use craig_symbols::{SymbolGraph, SymbolIx};
use craig_text::distinct;

use super::linked::runs;
use super::neighbours::{Files, Neighbour};
use super::representative;
use crate::EngineError;

/// Maximum number of definitions on a path, and of definitions whose calls are followed from one of them.
const MOST_STEPS: usize = 8;
const MOST_FOLLOWED: usize = 1_500;

/// Ways that are given.
const MOST_WAYS: usize = 3;

/// The ways of at least two calls between these definitions, those that pass most of them first. None is a part of another.
pub(crate) fn ways(
    store: &Store,
    project: &Project,
    graph: &SymbolGraph,
    between: &[SymbolIx],
) -> Result<Vec<Vec<Neighbour>>, EngineError> {
    let callables = between.iter().filter(|&&at| graph.definition(at).kind.is_callable());
    let ends: Vec<SymbolIx> = distinct(callables.map(|&at| representative(graph, at))).collect();
    let mut calls = Calls { graph, known: HashMap::new() };
    let mut found: Vec<Vec<SymbolIx>> =
        ends.iter().flat_map(|&from| calls.shortest(from, &ends)).filter(|way| way.len() > 2).collect();
    let n_ends = |way: &[SymbolIx]| way.iter().filter(|at| ends.contains(at)).count();
    found.sort_by_key(|way| (std::cmp::Reverse(n_ends(way)), way.len()));
    let mut ways: Vec<Vec<SymbolIx>> = Vec::new();
    for way in found {
        let on_way: HashSet<&SymbolIx> = way.iter().collect();
        let is_part = ways.iter().any(|longer| on_way.iter().all(|at| longer.contains(at)));
        if !is_part && ways.len() < MOST_WAYS {
            ways.push(way);
        }
    }
    let mut files = Files::new(store, project);
    let mut step = |at: &SymbolIx| files.neighbour_at(graph, *at);
    ways.iter().map(|way| way.iter().map(&mut step).collect()).collect()
}

/// What definitions run, each looked up once.
struct Calls<'g> {
    graph: &'g SymbolGraph,
    known: HashMap<SymbolIx, Vec<SymbolIx>>,
}

impl Calls<'_> {
    /// The shortest way from a definition to each of `ends` that it reaches.
    fn shortest(&mut self, from: SymbolIx, ends: &[SymbolIx]) -> Vec<Vec<SymbolIx>> {
        let mut before: HashMap<SymbolIx, SymbolIx> = HashMap::from([(from, from)]);
        let mut open = VecDeque::from([(from, 1)]);
        let mut n_followed = 0;
        while let Some((symbol, n_steps)) = open.pop_front() {
            // Later ones are not nearer.
            if n_steps >= MOST_STEPS || n_followed >= MOST_FOLLOWED {
                break;
            }
            n_followed += 1;
            for &next in self.made_by(symbol) {
                if let Entry::Vacant(entry) = before.entry(next) {
                    entry.insert(symbol);
                    open.push_back((next, n_steps + 1));
                }
            }
        }
        let way = |&end: &SymbolIx| {
            let step = |&at: &SymbolIx| before.get(&at).copied().filter(|&other| other != at);
            let mut way: Vec<SymbolIx> = std::iter::successors(Some(end), step).collect();
            way.reverse();
            way
        };
        ends.iter().filter(|&&end| end != from && before.contains_key(&end)).map(way).collect()
    }

    fn made_by(&mut self, symbol: SymbolIx) -> &[SymbolIx] {
        self.known.entry(symbol).or_insert_with(|| runs(self.graph, symbol))
    }
}
