//! The graph of files and packages: every import of a project, resolved.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use craig_chunk::{ChunkKind, Reference, ReferenceKind, Symbol};
use craig_source::Language;
use craig_symbols::{Ecosystem, FileIx, IsCancelled, Packages, Resolver, Target, Workspace};
use petgraph::graphmap::DiGraphMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// One file uses another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: FileIx,
    pub(crate) to: FileIx,
    /// Line of the first statement or use.
    pub(crate) line: u32,
    pub(crate) kind: &'static str,
    pub(crate) weakness: Weakness,
}

/// Why a use may count for less than one of product code at load time. Of several uses of a file, what holds for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Weakness {
    /// Types only: nothing of it is executed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub type_only: bool,
    /// Within a function, thus not when the file is loaded.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lazy: bool,
    /// By a test.
    #[serde(default, skip_serializing_if = "is_false")]
    pub test: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Weakness {
    fn and(self, other: Self) -> Self {
        Self {
            type_only: self.type_only && other.type_only,
            lazy: self.lazy && other.lazy,
            test: self.test && other.test,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            type_only: self.type_only || other.type_only,
            lazy: self.lazy || other.lazy,
            test: self.test || other.test,
        }
    }
}

/// Files that import each other in a circle.
pub(crate) struct Circle {
    /// In the order of the imports, beginning with the first file.
    pub(crate) files: Vec<FileIx>,
    /// What holds for at least one of its imports: without it there would be no circle.
    pub(crate) weakness: Weakness,
}

/// A place that uses a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackageUse {
    pub(crate) file: FileIx,
    pub(crate) line: u32,
    /// Index in [`Packages::declared`]; none when no manifest declares it.
    pub(crate) package: Option<usize>,
    pub(crate) ecosystem: Ecosystem,
    pub(crate) import: String,
}

/// An import of which neither file nor package was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unresolved {
    pub(crate) file: FileIx,
    pub(crate) line: u32,
    pub(crate) target: String,
}

/// All of it, sorted.
#[derive(Default)]
pub(crate) struct Graph {
    /// Import statements: one edge for each pair of files.
    pub(crate) edges: Vec<Edge>,
    /// Uses without an import statement, of pairs that no import edge joins.
    pub(crate) implicit: Vec<Edge>,
    pub(crate) packages: Vec<PackageUse>,
    pub(crate) unresolved: Vec<Unresolved>,
}

/// The edges of one file.
#[derive(Default)]
struct Part {
    edges: BTreeMap<FileIx, Edge>,
    implicit: BTreeMap<FileIx, Edge>,
    packages: Vec<PackageUse>,
    unresolved: Vec<Unresolved>,
}

impl Graph {
    /// The graph of all files; of fewer if it is cancelled.
    pub(crate) fn new(workspace: &Workspace, packages: &Packages, is_cancelled: IsCancelled<'_>) -> Self {
        let resolver = Resolver::new(workspace, packages);
        let reading = Reading { workspace, packages, resolver: &resolver };
        let parts: Vec<Part> = (0..workspace.files.len())
            .into_par_iter()
            .filter(|_| !is_cancelled())
            .map(|file| reading.part(file))
            .collect();
        let mut graph = Self::default();
        for part in parts {
            graph
                .implicit
                .extend(part.implicit.into_values().filter(|edge| !part.edges.contains_key(&edge.to)));
            graph.edges.extend(part.edges.into_values());
            graph.packages.extend(part.packages);
            graph.unresolved.extend(part.unresolved);
        }
        graph
    }

    /// Edges of both kinds.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().chain(&self.implicit)
    }

    /// Edges of both kinds that product code has: layers and cycles follow from them, since tests may use everything.
    pub(crate) fn of_product(&self) -> impl Iterator<Item = &Edge> {
        self.all().filter(|edge| !edge.weakness.test)
    }

    /// Strongly connected components of more than one file, by the imports of product code, largest first.
    pub(crate) fn tangles(&self) -> Vec<Vec<FileIx>> {
        tangles(&self.imports(|edge| !edge.weakness.test))
    }

    /// Cycles: first those of product code that close when files are loaded, then those with imports of types or within
    /// functions, last those that tests close; shortest first in each group. At most `most`.
    pub(crate) fn cycles(&self, most: usize) -> Vec<Circle> {
        let product = self.imports(|edge| !edge.weakness.test);
        let mut found = cycles(&product, most);
        if found.len() < most {
            let whole = cycles(&self.imports(|_| true), most);
            found.extend(whole.into_iter().filter(|circle| circle.weakness.test).take(most - found.len()));
        }
        found.sort_by_key(|circle| {
            let Weakness { type_only, lazy, test } = circle.weakness;
            (test, type_only || lazy)
        });
        found
    }

    /// Imports as a graph; parts of a module's tree hold it together, but do not use each other.
    fn imports(&self, is_wanted: impl Fn(&Edge) -> bool) -> Imports {
        let is_use = |edge: &&Edge| edge.kind != ReferenceKind::Module.as_str() && is_wanted(edge);
        let edges = self.edges.iter().filter(is_use).map(|edge| (edge.from, edge.to, edge.weakness));
        DiGraphMap::from_edges(edges)
    }
}

type Imports = DiGraphMap<FileIx, Weakness>;

fn tangles(imports: &Imports) -> Vec<Vec<FileIx>> {
    // Not the algorithm of Tarjan, which is recursive in the library: a chain of 10,000 files would overflow the stack.
    let components = petgraph::algo::kosaraju_scc(imports);
    let mut tangles: Vec<Vec<FileIx>> =
        components.into_iter().filter(|component| component.len() > 1).collect();
    tangles.iter_mut().for_each(|tangle| tangle.sort_unstable());
    tangles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    tangles
}

/// For each import within a component the shortest path back, shortest first. At most `most`.
fn cycles(graph: &Imports, most: usize) -> Vec<Circle> {
    let mut found = HashSet::new();
    for tangle in tangles(graph) {
        let inside: HashSet<FileIx> = tangle.iter().copied().collect();
        let edges = tangle.iter().flat_map(|&from| graph.neighbors(from).map(move |to| (from, to)));
        let mut edges: Vec<(FileIx, FileIx)> = edges.filter(|(_, to)| inside.contains(to)).collect();
        edges.sort_unstable();
        // Each search may look at all of them.
        edges.truncate((MOST_STEPS / edges.len().max(1)).max(LEAST_SEARCHES));
        for (from, to) in edges {
            if let Some(way) = way_back(graph, &inside, to, from) {
                found.insert(rotated(way));
            }
        }
    }
    let mut cycles: Vec<Vec<FileIx>> = found.into_iter().collect();
    cycles.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    cycles.truncate(most);
    let weakness = |files: &[FileIx]| {
        let next = files.iter().cycle().skip(1);
        let edges = files.iter().zip(next).filter_map(|(&from, &to)| graph.edge_weight(from, to));
        edges.fold(Weakness::default(), |all, one| all.or(*one))
    };
    cycles.into_iter().map(|files| Circle { weakness: weakness(&files), files }).collect()
}

/// Approximate number of imports visited in the search for cycles in one component; a large one has more cycles than anybody reads.
const MOST_STEPS: usize = 4_000_000;

/// Searches in a component, however large it is.
const LEAST_SEARCHES: usize = 100;

/// The shortest path from one file to another within a component.
fn way_back(graph: &Imports, inside: &HashSet<FileIx>, from: FileIx, to: FileIx) -> Option<Vec<FileIx>> {
    let mut before: HashMap<FileIx, FileIx> = HashMap::from([(from, from)]);
    let mut open = VecDeque::from([from]);
    while let Some(file) = open.pop_front() {
        if file == to {
            let mut way = vec![to];
            let mut at = to;
            while at != from {
                at = before[&at];
                way.push(at);
            }
            way.reverse();
            return Some(way);
        }
        let mut next: Vec<FileIx> = graph.neighbors(file).filter(|next| inside.contains(next)).collect();
        next.sort_unstable();
        for next in next {
            if let Entry::Vacant(unseen) = before.entry(next) {
                unseen.insert(file);
                open.push_back(next);
            }
        }
    }
    None
}

/// The same cycle, beginning with its first file.
fn rotated(mut cycle: Vec<FileIx>) -> Vec<FileIx> {
    let first = cycle.iter().enumerate().min_by_key(|(_, file)| **file).map_or(0, |(at, _)| at);
    cycle.rotate_left(first);
    cycle
}

struct Reading<'w> {
    workspace: &'w Workspace,
    packages: &'w Packages,
    resolver: &'w Resolver<'w>,
}

impl Reading<'_> {
    fn part(&self, from: FileIx) -> Part {
        let mut part = Part::default();
        for import in &self.workspace.files[from].references.imports {
            for target in self.resolver.resolve(from, import) {
                self.add(from, import, target, &mut part);
            }
        }
        let beyond = self.resolver.beyond_imports(from);
        for used in beyond.files {
            let test = self.is_test(from, used.line);
            let weakness = Weakness { test, ..Weakness::default() };
            let edge = Edge { from, to: used.to, line: used.line, kind: used.kind.as_str(), weakness };
            let known = part.implicit.entry(used.to).or_insert(edge);
            let weakness = known.weakness.and(edge.weakness);
            if edge.line < known.line {
                *known = edge;
            }
            known.weakness = weakness;
        }
        for (ecosystem, name, line) in beyond.packages {
            self.add_package(from, ecosystem, &name, line, &mut part);
        }
        part.packages.sort();
        part.packages.dedup();
        part
    }

    fn add(&self, from: FileIx, import: &Reference, target: Target, part: &mut Part) {
        match target {
            Target::File(to) if to == from => {}
            Target::File(to) => {
                let weakness = Weakness {
                    type_only: import.kind == ReferenceKind::TypeImport,
                    lazy: import.lazy,
                    test: self.is_test(from, import.line),
                };
                let edge = Edge { from, to, line: import.line, kind: import.kind.as_str(), weakness };
                let known = part.edges.entry(to).or_insert(edge);
                // That a module is a part of this one says less than that it is used.
                if known.kind == ReferenceKind::Module.as_str() {
                    *known = edge;
                } else if edge.kind != ReferenceKind::Module.as_str() {
                    known.weakness = known.weakness.and(edge.weakness);
                }
            }
            Target::Package(ecosystem, name) => self.add_package(from, ecosystem, &name, import.line, part),
            Target::Standard => {}
            Target::Unknown => part.unresolved.push(Unresolved {
                file: from,
                line: import.line,
                target: import.target.clone(),
            }),
        }
    }

    /// Whether a line belongs to a test: a file of tests, or a module of tests inside of a Rust file.
    fn is_test(&self, file: FileIx, line: u32) -> bool {
        let file = &self.workspace.files[file];
        let is_in_tests = |symbol: &Symbol| {
            symbol.kind == ChunkKind::Module
                && craig_text::is_test_module(&symbol.name)
                && (symbol.line..=symbol.line_end).contains(&line)
        };
        file.is_test || file.language == Language::Rust && file.symbols.iter().any(is_in_tests)
    }

    fn add_package(&self, file: FileIx, ecosystem: Ecosystem, import: &str, line: u32, part: &mut Part) {
        let found = self.packages.find(&self.workspace.files[file].path, ecosystem, import);
        let of = |package| PackageUse { file, line, package, ecosystem, import: import.to_owned() };
        let is_sure = ecosystem.imports_name_packages() && !self.packages.is_own(ecosystem, import);
        if found.is_empty() && !is_sure {
            part.unresolved.push(Unresolved { file, line, target: import.to_owned() });
            return;
        }
        if found.is_empty() {
            part.packages.push(of(None));
        }
        part.packages.extend(found.into_iter().map(|package| of(Some(package))));
    }
}
