//! Layers: modules by the length of the longest path to one that uses nothing; cycles; uses against the order.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use craig_symbols::FileIx;
use craig_text::path::folder;
use petgraph::graphmap::DiGraphMap;
use serde::{Deserialize, Serialize};

use crate::Analysis;
use crate::dependencies::Place;
use crate::graph::Edge;
use crate::modules::{Modules, Uses, shown};

/// Modules of one height.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// 0 for modules that use no other.
    pub level: usize,
    /// Groups of modules; modules of one group use each other.
    pub groups: Vec<Vec<String>>,
}

/// Modules of which folders use each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleCycle {
    /// Paths.
    pub modules: Vec<String>,
    /// Whether it exists by imports of types only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub type_only: bool,
    /// Whether it exists by imports within functions only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lazy: bool,
}

/// A use of a module of a higher layer by one of a lower layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The module that uses.
    pub from: String,
    /// The module that is used, although it is above.
    pub to: String,
    /// Pairs of files.
    pub count: usize,
    /// Pairs of files in the other direction: of the weakest link, if it leads through other modules.
    pub against: usize,
    /// The first of the uses.
    pub places: Vec<Place>,
}

/// So many times as many uses decide which of two modules is above the other. Measured in `evals/insight`.
const DECIDES: usize = 5;

/// Most places reported for a violation.
const MOST_PLACES: usize = 5;

/// Uses that agree on an order of the modules, and those against it.
pub(super) struct Order {
    agreed: DiGraphMap<usize, usize>,
    /// The use with how many it is against.
    against: BTreeMap<(usize, usize), (usize, usize)>,
}

impl Order {
    /// Adds uses from the most to the fewest, without imports of types, which nothing executes, those of examples, and those
    /// of the rest.
    /// One is against the order if those before it lead back from its target, each of them [`DECIDES`] times as often.
    pub(super) fn new(uses: &Uses, rest: Option<usize>) -> Self {
        let between = uses.iter().filter(|((from, to), _)| rest != Some(*from) && rest != Some(*to));
        let by_pair = between.map(|(&pair, counts)| (pair, counts.product - counts.types - counts.examples));
        let mut by_count: Vec<((usize, usize), usize)> = by_pair.filter(|(_, count)| *count > 0).collect();
        by_count.sort_by_key(|&(pair, count)| (Reverse(count), pair));
        let mut order = Self { agreed: DiGraphMap::new(), against: BTreeMap::new() };
        for ((from, to), count) in by_count {
            match weakest_link(&order.agreed, to, from, count.saturating_mul(DECIDES)) {
                Some(link) => drop(order.against.insert((from, to), (count, link))),
                None => drop(order.agreed.add_edge(from, to, count)),
            }
        }
        order
    }

    pub(super) fn layers(&self, map: &Modules, left_out: &BTreeSet<usize>) -> Vec<Layer> {
        let mut graph = self.agreed.clone();
        for module in 0..map.paths.len() {
            graph.add_node(module);
        }
        for &module in left_out {
            graph.remove_node(module);
        }
        let mut levels: BTreeMap<usize, usize> = BTreeMap::new();
        let mut found: BTreeMap<usize, Vec<Vec<String>>> = BTreeMap::new();
        // Components come in reverse topological order: those that a component uses come before it.
        for component in petgraph::algo::tarjan_scc(&graph) {
            let below = component
                .iter()
                .flat_map(|&module| graph.neighbors(module))
                .filter(|used| !component.contains(used));
            let level = below.map(|used| levels.get(&used).map_or(0, |level| level + 1)).max().unwrap_or(0);
            levels.extend(component.iter().map(|&module| (module, level)));
            found.entry(level).or_default().push(names(map, component));
        }
        let sorted = |(level, mut groups): (usize, Vec<Vec<String>>)| {
            groups.sort();
            Layer { level, groups }
        };
        found.into_iter().map(sorted).collect()
    }

    pub(super) fn is_against(&self, from: usize, to: usize) -> bool {
        self.against.contains_key(&(from, to))
    }

    /// Modules of which single folders use each other in a circle. Modules alone are not enough: `a` and `a/b` use each other
    /// already if `a/c` uses `a/b`, and that uses `a/d`.
    pub(super) fn cycles(&self, analysis: &Analysis, map: &Modules) -> Vec<ModuleCycle> {
        let all = self.rings(analysis, map, |_| true);
        let run = self.rings(analysis, map, |edge| !edge.weakness.type_only);
        let loaded = self.rings(analysis, map, |edge| !edge.weakness.lazy);
        let holds_in = |ring: &BTreeSet<usize>, others: &[BTreeSet<usize>]| {
            others.iter().any(|other| !other.is_disjoint(ring))
        };
        let mut found: Vec<ModuleCycle> = all
            .iter()
            .map(|ring| ModuleCycle {
                modules: names(map, ring.iter().copied()),
                type_only: !holds_in(ring, &run),
                lazy: !holds_in(ring, &loaded),
            })
            .collect();
        found.sort_by(|a, b| b.modules.len().cmp(&a.modules.len()).then_with(|| a.modules.cmp(&b.modules)));
        found
    }

    /// The modules of each strongly connected component of folders that lies in several modules.
    fn rings(
        &self,
        analysis: &Analysis,
        map: &Modules,
        is_wanted: impl Fn(&Edge) -> bool,
    ) -> Vec<BTreeSet<usize>> {
        // The parts of a flat folder are one: their files use each other as those of any folder do.
        let mut folders: BTreeMap<&str, u32> = BTreeMap::new();
        let mut module_of: Vec<usize> = Vec::new();
        let mut graph: DiGraphMap<u32, ()> = DiGraphMap::new();
        for edge in analysis.graph.of_product().filter(|edge| is_wanted(edge)) {
            let (Some(from), Some(to)) = (map.of_file[edge.from], map.of_file[edge.to]) else { continue };
            let is_of_rest = map.rest.is_some_and(|rest| rest == from || rest == to);
            if is_of_rest || map.is_example[edge.from] || self.is_against(from, to) {
                continue;
            }
            let mut node = |module: usize, file: FileIx| {
                let place = folder(&analysis.workspace.files[file].path);
                *folders.entry(place).or_insert_with(|| {
                    module_of.push(module);
                    u32::try_from(module_of.len() - 1).unwrap_or(u32::MAX)
                })
            };
            let (from, to) = (node(from, edge.from), node(to, edge.to));
            graph.add_edge(from, to, ());
        }
        // Not the algorithm of Tarjan, which is recursive in the library: there may be many folders.
        let components = petgraph::algo::kosaraju_scc(&graph);
        let modules = |component: Vec<u32>| -> BTreeSet<usize> {
            component.iter().filter_map(|&folder| module_of.get(folder as usize).copied()).collect()
        };
        let mut rings: Vec<BTreeSet<usize>> = Vec::new();
        for mut ring in components.into_iter().map(modules).filter(|ring| ring.len() > 1) {
            rings.retain(|other| {
                let is_apart = other.is_disjoint(&ring);
                if !is_apart {
                    ring.extend(other);
                }
                is_apart
            });
            rings.push(ring);
        }
        rings
    }

    pub(super) fn violations(&self, analysis: &Analysis, map: &Modules) -> Vec<Violation> {
        let mut places: BTreeMap<(usize, usize), Vec<Place>> = BTreeMap::new();
        for edge in analysis.graph.of_product() {
            if let (Some(from), Some(to)) = (map.of_file[edge.from], map.of_file[edge.to])
                && self.against.contains_key(&(from, to))
                && !edge.weakness.type_only
                && !map.is_example[edge.from]
            {
                let file = analysis.workspace.files[edge.from].path.clone();
                places.entry((from, to)).or_default().push(Place { file, line: edge.line });
            }
        }
        let mut found: Vec<Violation> = self
            .against
            .iter()
            .map(|(&(from, to), &(count, against))| {
                let mut places = places.remove(&(from, to)).unwrap_or_default();
                places.sort();
                places.truncate(MOST_PLACES);
                let name = |module: usize| shown(&map.paths[module]).to_owned();
                Violation { from: name(from), to: name(to), count, against, places }
            })
            .collect();
        found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| (&a.from, &a.to).cmp(&(&b.from, &b.to))));
        found
    }
}

/// Modules with nothing but tests and examples, and the rest.
pub(super) fn without_product(analysis: &Analysis, map: &Modules) -> BTreeSet<usize> {
    let mut has_product = vec![false; map.paths.len()];
    let mut has_others = vec![false; map.paths.len()];
    for (at, file) in analysis.workspace.files.iter().enumerate() {
        if let Some(module) = map.of_file[at] {
            let is_product = !file.is_test && !map.is_example[at];
            has_product[module] |= is_product;
            has_others[module] |= !is_product;
        }
    }
    let is_without = |&module: &usize| map.rest == Some(module) || has_others[module] && !has_product[module];
    (0..map.paths.len()).filter(is_without).collect()
}

fn names(map: &Modules, modules: impl IntoIterator<Item = usize>) -> Vec<String> {
    let mut names: Vec<String> =
        modules.into_iter().map(|module| shown(&map.paths[module]).to_owned()).collect();
    names.sort();
    names
}

/// The fewest uses on the shortest path between two modules, of edges with at least `least` uses.
fn weakest_link(graph: &DiGraphMap<usize, usize>, from: usize, to: usize, least: usize) -> Option<usize> {
    let mut links: BTreeMap<usize, usize> = BTreeMap::from([(from, usize::MAX)]);
    let mut open = VecDeque::from([from]);
    while let Some(module) = open.pop_front() {
        let link = links[&module];
        if module == to {
            return Some(link);
        }
        for (_, next, &count) in graph.edges(module).filter(|(_, _, count)| **count >= least) {
            if let Entry::Vacant(unseen) = links.entry(next) {
                unseen.insert(link.min(count));
                open.push_back(next);
            }
        }
    }
    None
}
