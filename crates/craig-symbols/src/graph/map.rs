//! The map of a project: what is central, by PageRank over the references between its symbols.

use std::collections::HashSet;

use craig_chunk::names::{DefinitionKind, Role, Traits};
use craig_source::Language;
use craig_text::PathRole;

use super::{SymbolGraph, SymbolIx};

/// Part of a symbol's rank that goes on to what it refers to. Source: Brin & Page, 1998.
const DAMPING: f64 = 0.6;
/// Most rounds; ranks have settled long before.
const MOST_ROUNDS: usize = 40;
/// The sum of all changes of a round after which ranks have settled.
const SETTLED: f64 = 1e-4;
/// How much of the walks begin in what the map is about, if it is about something.
const FOCUS: f64 = 0.9;
/// Code that is no part of the product says little about what is central in it.
const MINOR_WEIGHT: f64 = 0.3;
/// What is used only where it is defined is a detail of that place.
const OF_FILE: f64 = 0.3;
/// The same for folders.
const OF_FOLDER: f64 = 0.6;
/// How strongly a member refers to its type: a use of a method is a use of the type.
const OF_MEMBER: f64 = 1.0;

/// What a map is about; with nothing, the whole project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapFocus {
    /// Paths of files and folders.
    pub paths: Vec<String>,
    /// Definitions, with how much each of them matters.
    pub symbols: Vec<(SymbolIx, u32)>,
}

impl MapFocus {
    /// Whether it is about nothing in particular.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.symbols.is_empty()
    }
}

/// A definition and its rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The definition.
    pub symbol: SymbolIx,
    /// Its share of the rank of all definitions.
    pub rank: f64,
}

impl SymbolGraph {
    /// Definitions worth a place in a map, best first: types, functions and constants of product code; of tests, examples,
    /// vendored and generated code only what the map is about.
    pub fn central(&self, focus: &MapFocus) -> Vec<Ranked> {
        let weights = self.file_weights();
        let lifted = self.lifted();
        let focused = self.focused(focus, &lifted);
        let ranks = self.ranks(&focused, &lifted, &weights);
        let mut found: Vec<Ranked> = (0..self.definitions.len())
            .filter(|&at| lifted[at] == Some(at as SymbolIx))
            .filter(|&at| weights[self.definitions[at].file as usize] == 1.0 || focused[at] > 0.0)
            .map(|at| Ranked { symbol: at as SymbolIx, rank: ranks[at] * self.worth(at as SymbolIx) })
            .collect();
        found.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.symbol.cmp(&b.symbol)));
        found
    }

    /// The definition that stands for each one in a map: itself, or what encloses it; `None` for what has no place there.
    fn lifted(&self) -> Vec<Option<SymbolIx>> {
        // Scripts export functions as values: `export const useCart = create(…)`.
        let exported: HashSet<SymbolIx> = self.exported.iter().map(|&(_, symbol)| symbol).collect();
        let mut lifted: Vec<Option<SymbolIx>> = Vec::with_capacity(self.definitions.len());
        for (at, definition) in self.definitions.iter().enumerate() {
            let is_minor = match definition.kind {
                DefinitionKind::Variable => !exported.contains(&(at as SymbolIx)),
                DefinitionKind::Field
                | DefinitionKind::EnumMember
                | DefinitionKind::Constructor
                | DefinitionKind::Module => true,
                _ => false,
            };
            // An outer definition comes first in its file.
            let outer = definition.parent.and_then(|parent| lifted.get(parent as usize).copied().flatten());
            let is_mapped = !is_minor
                && !definition.traits.has(Traits::LOCAL)
                && !definition.traits.has(Traits::EXTENSION);
            lifted.push(if is_mapped { Some(at as SymbolIx) } else { outer });
        }
        lifted
    }

    /// How much each file says: all that is no product code says little.
    pub(super) fn file_weights(&self) -> Vec<f64> {
        let weight = |is_product: bool| if is_product { 1.0 } else { MINOR_WEIGHT };
        let is_product = |path: &str| PathRole::from_path(path).is_product();
        self.files.iter().map(|file| weight(!file.is_test && is_product(&file.path))).collect()
    }

    /// How much the map is about each definition.
    fn focused(&self, focus: &MapFocus, lifted: &[Option<SymbolIx>]) -> Vec<f64> {
        let mut focused = vec![0.0; self.definitions.len()];
        for &(symbol, weight) in &focus.symbols {
            if let Some(Some(at)) = lifted.get(symbol as usize) {
                focused[*at as usize] += f64::from(weight);
            }
        }
        for path in &focus.paths {
            let path = path.trim_end_matches('/');
            let files: Vec<bool> =
                self.files.iter().map(|file| craig_text::path::is_in(&file.path, path)).collect();
            for (at, definition) in self.definitions.iter().enumerate() {
                if files[definition.file as usize] && lifted[at] == Some(at as SymbolIx) {
                    focused[at] += 1.0;
                }
            }
        }
        focused
    }

    /// How much of its rank a definition is worth in a map.
    fn worth(&self, at: SymbolIx) -> f64 {
        let definition = self.definition(at);
        let n_lines = f64::from(definition.line_end.saturating_sub(definition.line_start) + 1);
        // Five lines say little about a project, however often they are called.
        let of_length = n_lines.min(400.0).powf(0.4);
        let of_visibility = if self.is_visible(at) { 1.0 } else { 0.4 };
        let of_kind = match definition.kind {
            DefinitionKind::Constant | DefinitionKind::Type => 0.5,
            DefinitionKind::Method if definition.traits.has(Traits::PROPERTY) => 0.5,
            _ => 1.0,
        };
        of_length * of_visibility * of_kind
    }

    /// Whether code outside of its file or package may use a definition, as far as its declaration says.
    pub fn is_visible(&self, at: SymbolIx) -> bool {
        let definition = self.definition(at);
        let is_of_interface =
            definition.parent.is_some_and(|parent| self.definition(parent).kind == DefinitionKind::Interface);
        let is_named_private = definition.name.starts_with('_');
        let says_so = match self.files[definition.file as usize].language {
            Language::Rust | Language::Go | Language::Java | Language::CSharp => {
                definition.traits.has(Traits::EXPORTED) || is_of_interface
            }
            _ => !is_named_private,
        };
        says_so && !definition.traits.has(Traits::PRIVATE)
    }

    /// Rank of each definition: the probability that a random walk along references stands there.
    fn ranks(&self, focused: &[f64], lifted: &[Option<SymbolIx>], weights: &[f64]) -> Vec<f64> {
        let n = self.definitions.len();
        // The code of a file outside of definitions refers to some, too.
        let n_nodes = n + self.files.len();
        let start = self.start(focused, lifted, weights);
        let edges = self.weighted_edges(lifted, weights);
        let mut leaving = vec![0.0; n_nodes];
        for edge in &edges {
            leaving[edge.from as usize] += edge.weight;
        }
        let mut ranks = start.clone();
        for _ in 0..MOST_ROUNDS {
            // Whoever refers to little goes on to anything.
            let dangling: f64 =
                ranks.iter().zip(&leaving).map(|(rank, out)| rank * (1.0 - out.min(1.0))).sum();
            let mut next: Vec<f64> =
                start.iter().map(|start| start * (1.0 - DAMPING + DAMPING * dangling)).collect();
            for edge in &edges {
                next[edge.to as usize] +=
                    DAMPING * ranks[edge.from as usize] * edge.weight / leaving[edge.from as usize].max(1.0);
            }
            let change: f64 = ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
            ranks = next;
            if change < SETTLED {
                break;
            }
        }
        ranks.truncate(n);
        ranks
    }

    /// Where a walk begins.
    fn start(&self, focused: &[f64], lifted: &[Option<SymbolIx>], weights: &[f64]) -> Vec<f64> {
        let n = self.definitions.len();
        let mut start: Vec<f64> = (0..n)
            .map(|at| match lifted[at] == Some(at as SymbolIx) {
                true => weights[self.definitions[at].file as usize],
                false => 0.0,
            })
            .chain(weights.iter().copied())
            .collect();
        scale(&mut start, 1.0);
        let mut about = focused.to_vec();
        if scale(&mut about, FOCUS) {
            start.iter_mut().for_each(|start| *start *= 1.0 - FOCUS);
            start.iter_mut().zip(about).for_each(|(start, about)| *start += about);
        }
        start
    }

    /// How strongly each symbol, and the code of each file outside of symbols, refers to each other symbol.
    fn weighted_edges(&self, lifted: &[Option<SymbolIx>], weights: &[f64]) -> Vec<Edge> {
        let n = self.definitions.len() as u32;
        let folders: Vec<&str> = self.files.iter().map(|file| craig_text::path::folder(&file.path)).collect();
        let nearness = |from: u32, to: u32| match () {
            () if from == to => OF_FILE,
            () if folders[from as usize] == folders[to as usize] => OF_FOLDER,
            () => 1.0,
        };
        let mut edges: Vec<Edge> = Vec::with_capacity(self.references.len() / 2);
        for reference in &self.references {
            if matches!(reference.role, Role::Import | Role::Override) {
                continue;
            }
            let Some(to) = lifted[reference.symbol as usize] else { continue };
            let within = reference.within.and_then(|within| lifted[within as usize]);
            let from = within.unwrap_or(n + reference.file);
            if from != to {
                let weight = weights[reference.file as usize] * f64::from(reference.confidence) / 100.0
                    * nearness(reference.file, self.definition(to).file);
                edges.push(Edge { from, to, weight });
            }
        }
        // In the order of the definitions, so that sums are the same each time.
        edges.sort_by_key(|edge| (edge.from, edge.to));
        edges.dedup_by(|later, edge| {
            let is_same = (later.from, later.to) == (edge.from, edge.to);
            if is_same {
                edge.weight += later.weight;
            }
            is_same
        });
        // The tenth mention says less than the first.
        edges.iter_mut().for_each(|edge| edge.weight = edge.weight.sqrt());
        for (at, definition) in self.definitions.iter().enumerate() {
            let outer = definition.parent.and_then(|parent| lifted[parent as usize]);
            if let Some(outer) = outer.filter(|_| lifted[at] == Some(at as SymbolIx)) {
                edges.push(Edge { from: at as SymbolIx, to: outer, weight: OF_MEMBER });
            }
        }
        edges
    }
}

struct Edge {
    from: u32,
    to: u32,
    weight: f64,
}

/// Scales values to a sum; `false` if all are 0.
fn scale(values: &mut [f64], to: f64) -> bool {
    let sum: f64 = values.iter().sum();
    if sum > 0.0 {
        values.iter_mut().for_each(|value| *value *= to / sum);
    }
    sum > 0.0
}
