//! What of a project others use: its tests, its examples, and what its libraries export.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use craig_chunk::names::{DefinitionKind, Role, Traits};

use super::map::Ranked;
use super::{SymbolGraph, SymbolIx};

impl SymbolGraph {
    /// Of `central`, visible definitions outside of types, those that `roots`, the main files of libraries, define or import before
    /// the others; among these by how many tests and examples use them (`n_users`), then by rank.
    pub fn public_api(&self, roots: &[u32], central: &[Ranked], n_users: &[u32]) -> Vec<SymbolIx> {
        let exported = self.exported_by(roots);
        let is_offered = |&Ranked { symbol, .. }: &Ranked| {
            self.outermost(symbol) == symbol
                && self.is_visible(symbol)
                && !self.definition(symbol).traits.has(Traits::LOCAL)
        };
        let offered = central.iter().filter(|found| is_offered(found));
        let mut offered: Vec<SymbolIx> = offered.map(|found| found.symbol).collect();
        // Stable: those that are used equally keep the order of their ranks.
        offered.sort_by_key(|&at| (!exported.contains(&at), Reverse(n_users[at as usize])));
        offered
    }

    /// How many files of tests and examples refer to each definition, or to a member of it.
    pub fn n_outside_users(&self) -> Vec<u32> {
        let weights = self.file_weights();
        let mut pairs: Vec<(SymbolIx, u32)> = Vec::new();
        for found in &self.references {
            if weights[found.file as usize] < 1.0 && found.role != Role::Override && found.confidence >= 70 {
                pairs.extend(self.enclosing(found.symbol).map(|at| (at, found.file)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut n_users = vec![0; self.definitions.len()];
        pairs.iter().for_each(|&(symbol, _)| n_users[symbol as usize] += 1);
        n_users
    }

    /// Whether a main file defines or imports a name that users may know: not only `__version__`.
    pub fn exports_something(&self, root: u32) -> bool {
        self.exported_by(&[root]).iter().any(|&at| {
            let definition = self.definition(at);
            definition.kind != DefinitionKind::Module && !definition.name.starts_with('_')
        })
    }

    /// What files define, or import from others.
    fn exported_by(&self, roots: &[u32]) -> BTreeSet<SymbolIx> {
        let mut exported = BTreeSet::new();
        for &root in roots {
            exported.extend(self.definitions_in(root));
            let imported = self.references_in(root, 1..=u32::MAX).filter(|found| found.role == Role::Import);
            exported.extend(imported.map(|found| found.symbol));
        }
        exported
    }

    /// The definition around another that no type encloses.
    fn outermost(&self, symbol: SymbolIx) -> SymbolIx {
        let is_namespace = |&at: &SymbolIx| self.definition(at).kind == DefinitionKind::Module;
        self.enclosing(symbol).filter(|at| !is_namespace(at)).last().unwrap_or(symbol)
    }
}
