//! Layers: modules by the length of the longest path to one that uses nothing; cycles; uses against the order.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petgraph::graphmap::DiGraphMap;
use serde::Serialize;

use crate::Analysis;
use crate::dependencies::Place;
use crate::modules::{Modules, Uses, shown};

/// Modules of one height.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layer {
    /// 0 for modules that use no other.
    pub level: usize,
    /// Groups of modules; modules of one group form a cycle.
    pub groups: Vec<Vec<String>>,
}

/// Modules that use each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleCycle {
    /// Paths.
    pub modules: Vec<String>,
    /// Whether it exists by imports of types only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub type_only: bool,
    /// Whether it exists by imports within functions only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lazy: bool,
}

/// A use of a module of a higher layer by one of a lower layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// Adds uses from the most to the fewest. One is against the order if those before it lead back from its target, each of
    /// them [`DECIDES`] times as often.
    pub(super) fn new(uses: &Uses) -> Self {
        let by_pair = uses.iter().map(|(&pair, counts)| (pair, counts.product));
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
            found.entry(level).or_default().push(names(map, &component));
        }
        let sorted = |(level, mut groups): (usize, Vec<Vec<String>>)| {
            groups.sort();
            Layer { level, groups }
        };
        found.into_iter().map(sorted).collect()
    }

    pub(super) fn cycles(&self, map: &Modules, uses: &Uses) -> Vec<ModuleCycle> {
        let without = |is_weak: fn(&crate::modules::Counts) -> usize| {
            let strong = self.agreed.all_edges().filter(|(from, to, _)| {
                uses.get(&(*from, *to)).is_some_and(|counts| is_weak(counts) < counts.product)
            });
            rings(&strong.collect())
        };
        let (run, loaded) = (without(|counts| counts.types), without(|counts| counts.lazy));
        let all = rings(&self.agreed);
        let mut found: Vec<ModuleCycle> = all
            .iter()
            .map(|ring| {
                let holds_in = |others: &[Vec<usize>]| {
                    others.iter().any(|other| other.iter().any(|module| ring.contains(module)))
                };
                ModuleCycle {
                    modules: names(map, ring),
                    type_only: !holds_in(&run),
                    lazy: !holds_in(&loaded),
                }
            })
            .collect();
        found.sort_by(|a, b| b.modules.len().cmp(&a.modules.len()).then_with(|| a.modules.cmp(&b.modules)));
        found
    }

    pub(super) fn violations(&self, analysis: &Analysis, map: &Modules) -> Vec<Violation> {
        let mut places: BTreeMap<(usize, usize), Vec<Place>> = BTreeMap::new();
        for edge in analysis.graph.of_product() {
            if let (Some(from), Some(to)) = (map.of_file[edge.from], map.of_file[edge.to])
                && self.against.contains_key(&(from, to))
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

/// Modules with nothing but tests.
pub(super) fn of_tests(analysis: &Analysis, map: &Modules) -> BTreeSet<usize> {
    let mut has_product = vec![false; map.paths.len()];
    let mut has_tests = vec![false; map.paths.len()];
    for (file, module) in analysis.workspace.files.iter().zip(&map.of_file) {
        if let Some(module) = *module {
            has_tests[module] |= file.is_test;
            has_product[module] |= !file.is_test;
        }
    }
    (0..map.paths.len()).filter(|&module| has_tests[module] && !has_product[module]).collect()
}

fn names(map: &Modules, modules: &[usize]) -> Vec<String> {
    let mut names: Vec<String> = modules.iter().map(|&module| shown(&map.paths[module]).to_owned()).collect();
    names.sort();
    names
}

fn rings(graph: &DiGraphMap<usize, usize>) -> Vec<Vec<usize>> {
    petgraph::algo::tarjan_scc(graph).into_iter().filter(|component| component.len() > 1).collect()
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
