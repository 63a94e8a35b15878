//! The report of architecture: modules and layers from the imports, entry points.

mod entries;
mod layers;
mod sentences;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Analysis;
use crate::mermaid::{self, Arrow, ArrowKind, Chart, Node};
use crate::modules::{Counts, Modules, Uses, shown};

pub use entries::EntryPoint;
pub use layers::{Layer, ModuleCycle, Violation};
use sentences::Sentences;

/// The architecture of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Architecture {
    /// What the project is for, in a sentence of its manifest or README.
    pub about: Option<About>,
    /// Folders with what they hold and use, by path.
    pub modules: Vec<Module>,
    /// Modules by layer: each layer uses those before it. Modules that use each other share a layer; those of tests and
    /// examples are in none, nor is `.` if it holds folders for which there was no room.
    pub layers: Vec<Layer>,
    /// Modules that use each other in a circle, and single folders of which do, largest first.
    pub cycles: Vec<ModuleCycle>,
    /// Uses against the layers: few, compared with those in the other direction. Most first.
    pub violations: Vec<Violation>,
    /// Entry points of programs and libraries, the most important first.
    pub entry_points: Vec<EntryPoint>,
    /// The modules as a Mermaid chart: by folder, with the heaviest uses, cycles thick, uses against the layers dotted.
    pub mermaid: String,
}

/// A folder of code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    /// Path; `.` for files at the top. The folders for which there was no room are counted with the one around them.
    pub path: String,
    /// What it is for, in a sentence of its manifest, its README or the documentation of its package.
    pub about: Option<About>,
    /// Code files.
    pub files: usize,
    /// Lines of these.
    pub lines: u64,
    /// Of the files, how many are tests.
    pub test_files: usize,
    /// Languages by their share of files, largest first.
    pub languages: Vec<String>,
    /// Modules that it uses, most first.
    pub uses: Vec<ModuleUse>,
    /// Modules that use it.
    pub used_by: Vec<ModuleUse>,
}

/// A sentence and where it is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The sentence.
    pub text: String,
    /// Path of the file that says so.
    pub file: String,
}

/// How often one module uses another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModuleUse {
    /// The other module.
    pub module: String,
    /// Pairs of files, the first of product code.
    pub count: usize,
    /// Pairs of files, the first a test.
    pub tests: usize,
}

/// Modules of the map.
const MOST_MODULES: usize = 24;

pub(crate) fn architecture(analysis: &Analysis) -> Architecture {
    let map = Modules::from_workspace(&analysis.workspace, &analysis.graph, MOST_MODULES);
    let uses = map.uses(&analysis.graph);
    let order = layers::Order::new(&uses, map.rest);
    let cycles = order.cycles(analysis, &map);
    let sentences = Sentences::new(analysis);
    Architecture {
        about: sentences.of_project(),
        modules: modules(analysis, &map, &uses, &sentences),
        layers: order.layers(&map, &layers::without_product(analysis, &map)),
        mermaid: chart(&map, &uses, &order, &cycles).text(),
        cycles,
        violations: order.violations(analysis, &map),
        entry_points: entries::entry_points(analysis),
    }
}

fn chart(map: &Modules, uses: &Uses, order: &layers::Order, cycles: &[ModuleCycle]) -> Chart {
    let paths: Vec<&str> = map.paths.iter().map(|path| shown(path)).collect();
    let in_cycle = |from: usize, to: usize| {
        let has = |cycle: &ModuleCycle, at: usize| cycle.modules.iter().any(|module| module == paths[at]);
        cycles.iter().any(|cycle| has(cycle, from) && has(cycle, to))
    };
    let arrow = |(&(from, to), counts): (&(usize, usize), &Counts)| {
        let kind = match () {
            () if order.is_against(from, to) => ArrowKind::Against,
            () if in_cycle(from, to) => ArrowKind::Cycle,
            () => ArrowKind::Plain,
        };
        (counts.product > 0).then_some(Arrow { from, to, n_uses: counts.product, kind })
    };
    let node = |(path, group): (&&str, Option<String>)| Node { label: (*path).to_owned(), group };
    Chart {
        nodes: paths.iter().zip(mermaid::groups(&paths)).map(node).collect(),
        arrows: uses.iter().filter_map(arrow).collect(),
    }
}

fn modules(analysis: &Analysis, map: &Modules, uses: &Uses, sentences: &Sentences<'_>) -> Vec<Module> {
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
            about: sentences.of_module(path).filter(|_| map.rest != Some(at)),
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

fn others(map: &Modules, uses: &Uses, other: impl Fn((usize, usize)) -> Option<usize>) -> Vec<ModuleUse> {
    let found = uses.iter().filter_map(|(&pair, counts)| {
        let module = shown(&map.paths[other(pair)?]).to_owned();
        Some(ModuleUse { module, count: counts.product, tests: counts.tests })
    });
    let mut found: Vec<ModuleUse> = found.collect();
    found.sort_by(|a, b| (b.count, b.tests).cmp(&(a.count, a.tests)).then_with(|| a.module.cmp(&b.module)));
    found
}
