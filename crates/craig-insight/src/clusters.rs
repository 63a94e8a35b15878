//! Parts of a flat folder: files grouped by what they use of each other.
//!
//! Files of one stem (`dict.c`, `dict.h`) are one unit. What a large part of the folder uses says nothing about who belongs
//! together, and is left out. The groups are those of the Louvain method, always visited in the order of names. Source: Blondel,
//! Guillaume, Lambiotte & Lefebvre, Fast unfolding of communities in large networks, J. Stat. Mech. 2008.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use craig_symbols::{FileIx, Workspace};
use craig_text::path::{file_stem, under};

use crate::graph::Graph;

/// A unit that so large a share of the others uses belongs to all of them.
const HUB_SHARE: f64 = 0.3;

/// Names that begin with the same word bind as much as one use of a file that nobody else uses. More than such a share of the
/// folder says nothing, either.
const WORD_SHARE: f64 = 0.25;

/// Groups of fewer units are no part of their own.
const LEAST_UNITS: usize = 3;

/// Rounds over all units, and levels; more change nothing that anybody sees.
const MOST_ROUNDS: usize = 20;

/// A part of a folder.
pub(crate) struct Cluster {
    /// Its path as a pattern: `src/t_*`, `src/{dict,sds}`.
    pub(crate) path: String,
    pub(crate) files: Vec<FileIx>,
}

/// The parts of a folder with these files, largest first, at most `most`. Files that belong to none of them are left over.
pub(crate) fn clusters(
    workspace: &Workspace,
    graph: &Graph,
    folder: &str,
    files: &[FileIx],
    most: usize,
) -> Vec<Cluster> {
    let units = Units::new(workspace, graph, files);
    let mut groups = louvain(&units.ties());
    groups.retain(|group| group.len() >= LEAST_UNITS);
    groups
        .sort_by_key(|group| (Reverse(group.iter().map(|&unit| units.n_lines[unit]).sum::<u64>()), group[0]));
    groups.truncate(most);
    let cluster = |group: Vec<usize>| Cluster {
        path: under(folder, &units.name(&group)),
        files: group.iter().flat_map(|&unit| units.files[unit].iter().copied()).collect(),
    };
    groups.into_iter().map(cluster).collect()
}

/// The files of a folder by stem, in the order of stems.
struct Units<'w> {
    stems: Vec<&'w str>,
    files: Vec<Vec<FileIx>>,
    n_lines: Vec<u64>,
    /// Which units use each.
    users: Vec<BTreeSet<usize>>,
}

impl<'w> Units<'w> {
    fn new(workspace: &'w Workspace, graph: &Graph, files: &[FileIx]) -> Self {
        let mut by_stem: BTreeMap<&str, Vec<FileIx>> = BTreeMap::new();
        for &file in files {
            by_stem.entry(file_stem(&workspace.files[file].path)).or_default().push(file);
        }
        let stems: Vec<&str> = by_stem.keys().copied().collect();
        let files: Vec<Vec<FileIx>> = by_stem.into_values().collect();
        let unit_of: BTreeMap<FileIx, usize> = files
            .iter()
            .enumerate()
            .flat_map(|(unit, files)| files.iter().map(move |&file| (file, unit)))
            .collect();
        let mut users = vec![BTreeSet::new(); stems.len()];
        for edge in graph.of_product() {
            if let (Some(&from), Some(&to)) = (unit_of.get(&edge.from), unit_of.get(&edge.to))
                && from != to
            {
                users[to].insert(from);
            }
        }
        let n_lines = |files: &Vec<FileIx>| {
            files.iter().map(|&file| u64::from(workspace.files[file].n_lines)).sum::<u64>()
        };
        let n_lines = files.iter().map(n_lines).collect();
        Self { stems, files, n_lines, users }
    }

    fn is_share(&self, n: usize, share: f64) -> bool {
        n as f64 > share * self.stems.len() as f64
    }

    /// How strongly units belong together, both ways: a use counts for less the more others use the same.
    fn ties(&self) -> Ties {
        let mut ties: Ties = vec![BTreeMap::new(); self.stems.len()];
        let mut tie = |a: usize, b: usize, weight: f64| {
            *ties[a].entry(b).or_default() += weight;
            *ties[b].entry(a).or_default() += weight;
        };
        let is_hub: Vec<bool> =
            self.users.iter().map(|users| self.is_share(users.len(), HUB_SHARE)).collect();
        for (used, users) in self.users.iter().enumerate().filter(|(used, _)| !is_hub[*used]) {
            let weight = 1.0 / (users.len().max(1) as f64).sqrt();
            users.iter().filter(|&&user| !is_hub[user]).for_each(|&user| tie(used, user, weight));
        }
        let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (unit, stem) in self.stems.iter().enumerate().filter(|(unit, _)| !is_hub[*unit]) {
            if let Some(word) = first_word(stem) {
                by_word.entry(word).or_default().push(unit);
            }
        }
        for units in by_word.values() {
            if units.len() < 2 || self.is_share(units.len(), WORD_SHARE) {
                continue;
            }
            let weight = 1.0 / (units.len() - 1) as f64;
            for (at, &a) in units.iter().enumerate() {
                units[..at].iter().for_each(|&b| tie(a, b, weight));
            }
        }
        ties
    }

    /// The first word that two names of five share, otherwise the two largest units that others use most.
    fn name(&self, group: &[usize]) -> String {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for word in group.iter().filter_map(|&unit| first_word(self.stems[unit])) {
            *counts.entry(word).or_default() += 1;
        }
        let most = counts.iter().max_by_key(|&(word, n)| (*n, Reverse(word)));
        if let Some((word, n)) = most
            && *n >= 2
            && n * 5 >= group.len() * 2
        {
            let shared = shared_start(
                group
                    .iter()
                    .map(|&unit| self.stems[unit])
                    .filter(|stem| first_word(stem).as_deref() == Some(word.as_str())),
            );
            return format!("{shared}*");
        }
        let mut by_use: Vec<usize> = group.to_vec();
        let weight =
            |unit: usize| self.users[unit].len() as u64 * u64::from(self.n_lines[unit].max(1).ilog2());
        by_use.sort_by_key(|&unit| (Reverse(weight(unit)), unit));
        let first: Vec<&str> = by_use.iter().take(2).map(|&unit| self.stems[unit]).collect();
        format!("{{{}}}", first.join(","))
    }
}

/// `t` of `t_string`, `cluster` of `clusterLegacy`.
fn first_word(stem: &str) -> Option<String> {
    let stem = stem.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut before = None;
    let is_end = |c: char| {
        let was_lower = before.replace(c).is_some_and(char::is_lowercase);
        !c.is_alphabetic() || was_lower && c.is_uppercase()
    };
    let end = stem.find(is_end).unwrap_or(stem.len());
    (end > 0).then(|| stem[..end].to_lowercase())
}

/// What all names begin with.
fn shared_start<'t>(mut names: impl Iterator<Item = &'t str>) -> &'t str {
    let first = names.next().unwrap_or_default();
    names.fold(first, |shared, name| {
        let n = shared.chars().zip(name.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        &shared[..n]
    })
}

/// Ties of each unit by the other one.
type Ties = Vec<BTreeMap<usize, f64>>;

/// Groups of units with more ties among each other than chance would give them; units without ties are in no group.
fn louvain(ties: &Ties) -> Vec<Vec<usize>> {
    let mut members: Vec<Vec<usize>> = (0..ties.len()).map(|unit| vec![unit]).collect();
    let mut ties = ties.clone();
    for _ in 0..MOST_ROUNDS {
        let group_of = moved(&ties);
        let groups: BTreeSet<usize> = group_of.iter().copied().collect();
        if groups.len() == ties.len() {
            break;
        }
        let place: BTreeMap<usize, usize> =
            groups.iter().enumerate().map(|(at, &group)| (group, at)).collect();
        let mut joined: Ties = vec![BTreeMap::new(); groups.len()];
        let mut joined_members = vec![Vec::new(); groups.len()];
        for (unit, own) in ties.iter().enumerate() {
            let at = place[&group_of[unit]];
            joined_members[at].append(&mut members[unit]);
            for (&other, weight) in own {
                *joined[at].entry(place[&group_of[other]]).or_default() += weight;
            }
        }
        (ties, members) = (joined, joined_members);
    }
    members.iter_mut().for_each(|group| group.sort_unstable());
    members.retain(|group| group.len() > 1);
    members
}

/// Moves each unit into the neighbouring group that gains most modularity, until none moves.
fn moved(ties: &Ties) -> Vec<usize> {
    let degree: Vec<f64> = ties.iter().map(|own| own.values().sum()).collect();
    let total: f64 = degree.iter().sum();
    let mut group_of: Vec<usize> = (0..ties.len()).collect();
    let mut group_degree = degree.clone();
    for _ in 0..MOST_ROUNDS {
        let mut has_moved = false;
        for unit in 0..ties.len() {
            let own = group_of[unit];
            group_degree[own] -= degree[unit];
            let mut links: BTreeMap<usize, f64> = BTreeMap::from([(own, 0.0)]);
            for (&other, weight) in ties[unit].iter().filter(|(other, _)| **other != unit) {
                *links.entry(group_of[other]).or_default() += weight;
            }
            let gain = |group: usize, link: f64| link - group_degree[group] * degree[unit] / total.max(1e-9);
            let mut best = (own, gain(own, links[&own]));
            for (&group, &link) in &links {
                let gained = gain(group, link);
                if gained > best.1 + 1e-9 {
                    best = (group, gained);
                }
            }
            group_of[unit] = best.0;
            group_degree[best.0] += degree[unit];
            has_moved |= best.0 != own;
        }
        if !has_moved {
            break;
        }
    }
    group_of
}
