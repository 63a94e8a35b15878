//! Functions that a reference links to another, in either direction.

use std::collections::BTreeSet;

use craig_chunk::names::{Role, Traits};
use craig_symbols::{SymbolGraph, SymbolIx, SymbolReference};

use super::{SymbolRequest, representative};

/// References to a function that has more of them are not followed: what everything uses links nothing in particular.
const MOST_REFERENCES: usize = 30;

/// The functions that a function runs, those that refer to it, and those that refer to a member that it overrides.
pub(crate) fn linked(graph: &SymbolGraph, function: SymbolIx) -> BTreeSet<SymbolIx> {
    let parts = graph.parts_of_overload(function);
    let bases: Vec<SymbolIx> = parts.iter().flat_map(|&part| graph.overridden(part)).collect();
    let users = parts.iter().chain(&bases).flat_map(|&used| users(graph, used));
    let product = users.chain(bases.iter().copied()).filter(|&at| is_product(graph, at));
    let mut found: BTreeSet<SymbolIx> = product.map(|at| defined(graph, at)).collect();
    found.extend(runs(graph, function));
    found.remove(&function);
    found
}

/// The functions that a definition calls or hands on, for certain, and what overrides them, in the order of the references,
/// except tests. A call of a type runs only its constructor.
pub(crate) fn runs(graph: &SymbolGraph, symbol: SymbolIx) -> Vec<SymbolIx> {
    let mut found: Vec<SymbolIx> = Vec::new();
    for part in graph.parts_of_overload(symbol) {
        let runs = |used: &&SymbolReference| used.role != Role::Override && is_followed(used);
        for used in graph.references_within(part).filter(runs) {
            let references = graph.references_to(used.symbol);
            if references.len() > MOST_REFERENCES {
                continue;
            }
            let overriding = references.iter().filter(|found| found.role == Role::Override);
            let all = [used.symbol].into_iter().chain(overriding.filter_map(|found| found.within));
            for next in all.filter(|&next| is_product(graph, next)).map(|next| defined(graph, next)) {
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
    }
    found
}

/// The definition of what a prototype declares; everything else is its own.
pub(crate) fn defined(graph: &SymbolGraph, at: SymbolIx) -> SymbolIx {
    if graph.definition(at).traits.has(Traits::DECLARATION) { representative(graph, at) } else { at }
}

/// Whether a definition is a function, and not of a test.
pub(crate) fn is_product(graph: &SymbolGraph, at: SymbolIx) -> bool {
    graph.definition(at).kind.is_callable() && !graph.is_test(at)
}

/// The functions that refer to a function or override it; none if they are many.
fn users(graph: &SymbolGraph, function: SymbolIx) -> impl Iterator<Item = SymbolIx> {
    let references = graph.references_to(function);
    let followed = if references.len() <= MOST_REFERENCES { references } else { &[] };
    let within = followed.iter().filter(|found| is_followed(found)).filter_map(|found| found.within);
    within.map(|at| graph.run_by(at)).filter(|&at| graph.definition(at).kind.is_callable())
}

fn is_followed(reference: &SymbolReference) -> bool {
    reference.role != Role::Import && reference.confidence >= SymbolRequest::default().min_confidence
}
