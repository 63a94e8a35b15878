//! What of a project others use: its tests, its examples, and what its libraries export.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use craig_chunk::names::{DefinitionKind, Role, Traits};
use craig_source::Language;

use super::map::Ranked;
use super::table::Family;
use super::{SymbolGraph, SymbolIx};

impl SymbolGraph {
    /// Of `central`, visible definitions outside of types, those that `roots`, the main files of libraries, export before the
    /// others; among these by how many tests and examples use them (`n_users`), then by rank. Of scripts, only those that roots
    /// export: nobody else can import the others by the name of the package. The same holds for what is below a name that begins
    /// with `_`.
    pub fn public_api(&self, roots: &[u32], central: &[Ranked], n_users: &[u32]) -> Vec<SymbolIx> {
        let exported = self.exported_by(roots);
        let is_importable = |symbol: SymbolIx| {
            let file = &self.files[self.definition(symbol).file as usize];
            let needs_export = is_private(&file.path) || !roots.is_empty() && is_script(file.language);
            !needs_export || exported.contains(&symbol)
        };
        let is_offered = |&Ranked { symbol, .. }: &Ranked| {
            self.outermost(symbol) == symbol
                && is_importable(symbol)
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

    /// What files export: of scripts, by their statements, otherwise what they define or import from others.
    fn exported_by(&self, roots: &[u32]) -> BTreeSet<SymbolIx> {
        let (scripts, others): (Vec<u32>, Vec<u32>) =
            roots.iter().partition(|&&root| is_script(self.files[root as usize].language));
        let mut exported = self.exported_by_scripts(scripts);
        for root in others {
            exported.extend(self.definitions_in(root));
            let imported = self.references_in(root, 1..=u32::MAX).filter(|found| found.role == Role::Import);
            exported.extend(imported.map(|found| found.symbol));
        }
        exported
    }

    fn exported_by_scripts(&self, mut open: Vec<u32>) -> BTreeSet<SymbolIx> {
        let mut exported = BTreeSet::new();
        let mut seen = BTreeSet::new();
        while let Some(file) = open.pop() {
            if seen.insert(file) {
                let is_exported = |at: &SymbolIx| self.definition(*at).traits.has(Traits::EXPORTED);
                exported.extend(self.definitions_in(file).filter(is_exported));
                exported.extend(of_file(&self.exported, file));
                open.extend(of_file(&self.exported_files, file));
            }
        }
        exported
    }

    /// The definition around another that no type encloses.
    fn outermost(&self, symbol: SymbolIx) -> SymbolIx {
        let is_namespace = |&at: &SymbolIx| self.definition(at).kind == DefinitionKind::Module;
        self.enclosing(symbol).filter(|at| !is_namespace(at)).last().unwrap_or(symbol)
    }
}

/// The second of the pairs of a file; the pairs are in the order of files.
fn of_file(pairs: &[(u32, u32)], file: u32) -> impl Iterator<Item = u32> {
    let first = pairs.partition_point(|&(of, _)| of < file);
    pairs[first..].iter().take_while(move |&&(of, _)| of == file).map(|&(_, found)| found)
}

fn is_script(language: Language) -> bool {
    Family::from_language(language) == Family::Script
}

/// Whether a folder or the module itself has a name that begins with `_`, but not with `__`.
fn is_private(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('_') && !part.starts_with("__"))
}
