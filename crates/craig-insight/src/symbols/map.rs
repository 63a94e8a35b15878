//! The map of a project: what is central, by PageRank over the references between its symbols.

use std::collections::BTreeMap;

use craig_chunk::names::{DefinitionKind, Role, Traits};

use super::{SymbolDefinition, SymbolGraph, SymbolIx};

/// Part of a symbol's rank that goes on to what it refers to. Source: Brin & Page, 1998.
const DAMPING: f64 = 0.85;
/// Ranks change by less than a thousandth after as many rounds.
const ROUNDS: usize = 30;
/// How much likelier a walk begins in what the map is about than anywhere else.
const FOCUS: f64 = 200.0;
/// Tests say little about what is central.
const TEST_WEIGHT: f64 = 0.1;

/// What a map is about; with nothing, the whole project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapFocus {
    /// Paths of files.
    pub files: Vec<String>,
    /// Names of symbols.
    pub names: Vec<String>,
}

impl SymbolGraph {
    /// Rank of each definition: the probability that a random walk along references stands there. The sum is 1.
    pub fn ranks(&self, focus: &MapFocus) -> Vec<f64> {
        let n = self.definitions.len();
        if n == 0 {
            return Vec::new();
        }
        let start = self.start(focus);
        let edges = self.weighted_edges();
        let mut leaving = vec![0.0; n];
        for (&(from, _), weight) in &edges {
            leaving[from as usize] += weight;
        }
        let mut ranks = start.clone();
        for _ in 0..ROUNDS {
            let dangling: f64 =
                ranks.iter().zip(&leaving).filter(|(_, out)| **out == 0.0).map(|(rank, _)| rank).sum();
            let mut next: Vec<f64> =
                start.iter().map(|start| start * (1.0 - DAMPING + DAMPING * dangling)).collect();
            for (&(from, to), weight) in &edges {
                next[to as usize] += DAMPING * ranks[from as usize] * weight / leaving[from as usize];
            }
            ranks = next;
        }
        ranks
    }

    /// Definitions worth a place in a map, best first.
    pub fn central(&self, focus: &MapFocus) -> Vec<SymbolIx> {
        let ranks = self.ranks(focus);
        let mut found: Vec<SymbolIx> =
            (0..self.definitions.len() as SymbolIx).filter(|&at| self.is_mapped(at)).collect();
        found.sort_by(|&a, &b| ranks[b as usize].total_cmp(&ranks[a as usize]).then(a.cmp(&b)));
        found
    }

    fn is_mapped(&self, at: SymbolIx) -> bool {
        let definition = &self.definitions[at as usize];
        let is_minor = matches!(
            definition.kind,
            DefinitionKind::Field
                | DefinitionKind::EnumMember
                | DefinitionKind::Module
                | DefinitionKind::Variable
        );
        !is_minor && !definition.traits.has(Traits::LOCAL) && !self.files[definition.file as usize].is_test
    }

    /// Where a walk begins.
    fn start(&self, focus: &MapFocus) -> Vec<f64> {
        let is_in_focus = |definition: &SymbolDefinition| {
            let path = &self.files[definition.file as usize].path;
            focus.names.contains(&definition.name)
                || focus
                    .files
                    .iter()
                    .any(|file| craig_text::path::is_in(path, file.trim_end_matches('/')) || path == file)
        };
        let weight = |definition: &SymbolDefinition| {
            let of_file = if self.files[definition.file as usize].is_test { TEST_WEIGHT } else { 1.0 };
            if is_in_focus(definition) { of_file * FOCUS } else { of_file }
        };
        let weights: Vec<f64> = self.definitions.iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// How strongly each symbol refers to each other one.
    fn weighted_edges(&self) -> BTreeMap<(SymbolIx, SymbolIx), f64> {
        let mut edges: BTreeMap<(SymbolIx, SymbolIx), f64> = BTreeMap::new();
        for reference in &self.references {
            let Some(from) = reference.within else { continue };
            if from == reference.symbol || matches!(reference.role, Role::Import | Role::Override) {
                continue;
            }
            let of_file = if self.files[reference.file as usize].is_test { TEST_WEIGHT } else { 1.0 };
            *edges.entry((from, reference.symbol)).or_default() +=
                of_file * f64::from(reference.confidence) / 100.0;
        }
        // The tenth mention says less than the first.
        edges.values_mut().for_each(|weight| *weight = weight.sqrt());
        edges
    }
}
