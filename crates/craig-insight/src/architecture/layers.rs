//! Layers: modules by the length of the longest path to one that uses nothing.

use std::collections::BTreeMap;

use petgraph::graphmap::DiGraphMap;
use serde::Serialize;

use crate::modules::{Modules, shown};

/// Modules of one height.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layer {
    /// 0 for modules that use no other.
    pub level: usize,
    /// Groups of modules; modules of one group form a cycle.
    pub groups: Vec<Vec<String>>,
}

pub(super) fn layers(map: &Modules, uses: &BTreeMap<(usize, usize), usize>) -> Vec<Layer> {
    let mut graph: DiGraphMap<usize, ()> = DiGraphMap::from_edges(uses.keys().copied());
    for module in 0..map.paths.len() {
        graph.add_node(module);
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
        let mut names: Vec<String> =
            component.iter().map(|&module| shown(&map.paths[module]).to_owned()).collect();
        names.sort();
        found.entry(level).or_default().push(names);
    }
    let sorted = |(level, mut groups): (usize, Vec<Vec<String>>)| {
        groups.sort();
        Layer { level, groups }
    };
    found.into_iter().map(sorted).collect()
}
