//! The report of architecture: modules and layers from the imports, entry points, patterns with their evidence.

mod entries;
mod layers;
mod patterns;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Analysis;
use crate::modules::{Modules, shown};

pub use entries::EntryPoint;
pub use layers::Layer;
pub use patterns::{Evidence, Pattern};

/// The architecture of a project.
#[derive(Clone, Debug, Serialize)]
pub struct Architecture {
    /// Folders with what they hold and use, by path.
    pub modules: Vec<Module>,
    /// Modules by layer: each layer uses those before it. Modules in a cycle share a layer.
    pub layers: Vec<Layer>,
    /// Entry points of programs and libraries.
    pub entry_points: Vec<EntryPoint>,
    /// Patterns, the most certain first, each with its evidence.
    pub patterns: Vec<Pattern>,
    /// The modules as a Mermaid chart.
    pub mermaid: String,
}

/// A folder of code.
#[derive(Clone, Debug, Serialize)]
pub struct Module {
    /// Path; `.` for files at the top.
    pub path: String,
    /// Code files.
    pub files: usize,
    /// Lines of these.
    pub lines: u64,
    /// Of the files, how many are tests.
    pub test_files: usize,
    /// Languages by their share of files, largest first.
    pub languages: Vec<String>,
    /// Modules that it uses, with how many pairs of files, most first.
    pub uses: Vec<ModuleUse>,
    /// Modules that use it.
    pub used_by: Vec<ModuleUse>,
}

/// How often one module uses another.
#[derive(Clone, Debug, Serialize)]
pub struct ModuleUse {
    /// The other module.
    pub module: String,
    /// Pairs of files.
    pub count: usize,
}

/// Modules of the map.
const MOST_MODULES: usize = 24;

pub(crate) fn architecture(analysis: &Analysis) -> Architecture {
    let map = Modules::from_workspace(&analysis.workspace, MOST_MODULES);
    let uses = map.uses(&analysis.graph);
    Architecture {
        modules: modules(analysis, &map, &uses),
        layers: layers::layers(&map, &uses),
        entry_points: entries::entry_points(analysis),
        patterns: patterns::patterns(analysis),
        mermaid: map.chart(&analysis.graph),
    }
}

fn modules(analysis: &Analysis, map: &Modules, uses: &BTreeMap<(usize, usize), usize>) -> Vec<Module> {
    let files = &analysis.workspace.files;
    let describe = |(at, path): (usize, &String)| {
        let own: Vec<_> =
            files.iter().zip(&map.of_file).filter(|(_, of)| **of == Some(at)).map(|(file, _)| file).collect();
        let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &own {
            *languages.entry(file.language.id()).or_default() += 1;
        }
        let mut languages: Vec<(&str, usize)> = languages.into_iter().collect();
        languages.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
        Module {
            path: shown(path).to_owned(),
            files: own.len(),
            lines: own.iter().map(|file| u64::from(file.n_lines)).sum(),
            test_files: own.iter().filter(|file| file.is_test).count(),
            languages: languages.into_iter().map(|(name, _)| name.to_owned()).collect(),
            uses: others(map, uses, |(from, to)| (from == at).then_some(to)),
            used_by: others(map, uses, |(from, to)| (to == at).then_some(from)),
        }
    };
    map.paths.iter().enumerate().map(describe).collect()
}

fn others(
    map: &Modules,
    uses: &BTreeMap<(usize, usize), usize>,
    other: impl Fn((usize, usize)) -> Option<usize>,
) -> Vec<ModuleUse> {
    let found = uses.iter().filter_map(|(&pair, &count)| {
        other(pair).map(|other| ModuleUse { module: shown(&map.paths[other]).to_owned(), count })
    });
    let mut found: Vec<ModuleUse> = found.collect();
    found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.module.cmp(&b.module)));
    found
}
