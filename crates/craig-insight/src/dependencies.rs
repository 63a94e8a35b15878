//! The report of dependencies: imports between files, packages, cycles.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use craig_symbols::{Declared, Ecosystem, FileIx, Scope};
use serde::{Deserialize, Serialize};

use crate::Analysis;
use crate::graph::{Edge, PackageUse, Weakness};
use crate::mermaid::{self, Arrow, ArrowKind, Chart, Node};
use crate::modules::{Modules, shown};

/// Dependencies of the files of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dependencies {
    /// Import statements that lead to a file of the project: one for each pair of files, by path.
    pub edges: Vec<FileEdge>,
    /// Files that use each other without an import statement, by names that a package sees or by qualified names.
    pub implicit: Vec<FileEdge>,
    /// Declared packages, by manifest and name; without those of manifests that are data of tests.
    pub external: Vec<External>,
    /// Packages that are imported and that no manifest declares, by ecosystem and name: in ecosystems in which an import names
    /// its package.
    pub undeclared: Vec<Undeclared>,
    /// Imports of which neither a file nor a package was found for certain.
    pub unresolved: Vec<UnresolvedImport>,
    /// Cycles of imports: those that close when files are loaded, then those with imports of types or within functions, then those
    /// of tests; shortest first in each group.
    pub cycles: Vec<Cycle>,
    /// Strongly connected components of more than one file of product code, largest first.
    pub tangles: Vec<Vec<String>>,
    /// Files with the most files that depend on them directly, most first.
    pub most_depended: Vec<Depended>,
    /// Modules and the packages that their product code uses, as a Mermaid chart; without packages, the files that others use most.
    pub mermaid: String,
}

/// One file uses another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileEdge {
    /// The file that uses.
    pub from_file: String,
    /// The file that is used.
    pub to_file: String,
    /// Line of the first statement or use, 1-based.
    pub line: u32,
    /// How: `import`, `type_import`, `reexport`, `dynamic_import`, `require`, `include`, `static_import`, `module`; for implicit
    /// ones `same_package` or `qualified_name`.
    pub kind: Cow<'static, str>,
    /// What holds for all uses of the one file by the other.
    #[serde(flatten)]
    pub weakness: Weakness,
}

/// Files that import each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// In the order of the imports.
    pub files: Vec<String>,
    /// What holds for at least one of the imports.
    #[serde(flatten)]
    pub weakness: Weakness,
}

/// A declared package.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct External {
    /// Name in its ecosystem; `group:artifact` for Maven.
    pub name: String,
    /// The version in a lock file, else the requirement of the manifest; `None` if there is neither, or a variable of the build.
    pub version: Option<String>,
    /// `runtime`, `dev`, `build`, `optional`, `peer`, `provided` or `indirect`.
    pub scope: Scope,
    /// The manifest that declares it.
    pub manifest: String,
    /// Files with an import that is matched to it for certain, by path.
    pub used_in: Vec<String>,
    /// Where the package comes from.
    pub ecosystem: Ecosystem,
    /// The requirement of the manifest, as written.
    pub requirement: Option<String>,
    /// Places of these imports.
    pub uses: Vec<Place>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Path.
    pub file: String,
    /// Line, 1-based.
    pub line: u32,
}

/// A package that no manifest declares.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Undeclared {
    /// As imported.
    pub name: String,
    /// Where it would come from.
    pub ecosystem: Ecosystem,
    /// Files that import it.
    pub used_in: Vec<String>,
}

/// An import whose target was not found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnresolvedImport {
    /// Path of the file.
    pub file: String,
    /// Line, 1-based.
    pub line: u32,
    /// As written.
    pub target: String,
}

/// A file that others depend on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Depended {
    /// Path.
    pub file: String,
    /// How many files use it directly, with or without an import statement.
    pub dependents: usize,
}

/// Most cycles reported.
const MOST_CYCLES: usize = 500;

/// Files in the list of the most depended on.
const MOST_DEPENDED: usize = 50;

/// Modules of the chart.
const MOST_MODULES: usize = 12;

/// Files of the chart of a project without packages.
const MOST_FILES: usize = 10;

pub(crate) fn dependencies(analysis: &Analysis) -> Dependencies {
    let (workspace, graph) = (&analysis.workspace, &analysis.graph);
    let path = |file: FileIx| workspace.files[file].path.clone();
    let paths = |files: &Vec<FileIx>| files.iter().copied().map(path).collect::<Vec<String>>();
    let tangles = graph.tangles();
    let cycles = graph.cycles(MOST_CYCLES);
    let unresolved = graph.unresolved.iter().map(|import| UnresolvedImport {
        file: path(import.file),
        line: import.line,
        target: import.target.clone(),
    });
    Dependencies {
        edges: graph.edges.iter().map(|edge| file_edge(analysis, edge)).collect(),
        implicit: graph.implicit.iter().map(|edge| file_edge(analysis, edge)).collect(),
        external: external(analysis),
        undeclared: undeclared(analysis),
        unresolved: unresolved.collect(),
        cycles: cycles
            .iter()
            .map(|circle| Cycle { files: paths(&circle.files), weakness: circle.weakness })
            .collect(),
        tangles: tangles.iter().map(paths).collect(),
        most_depended: most_depended(analysis),
        mermaid: chart(analysis).text(),
    }
}

pub(crate) fn file_edge(analysis: &Analysis, edge: &Edge) -> FileEdge {
    let path = |file: FileIx| analysis.workspace.files[file].path.clone();
    FileEdge {
        from_file: path(edge.from),
        to_file: path(edge.to),
        line: edge.line,
        kind: edge.kind.into(),
        weakness: edge.weakness,
    }
}

fn external(analysis: &Analysis) -> Vec<External> {
    let mut uses: BTreeMap<usize, BTreeSet<(FileIx, u32)>> = BTreeMap::new();
    for used in &analysis.graph.packages {
        if let Some(package) = used.package {
            uses.entry(package).or_default().insert((used.file, used.line));
        }
    }
    let path = |file: FileIx| analysis.workspace.files[file].path.clone();
    let used: BTreeSet<&str> =
        uses.keys().map(|&package| analysis.packages.declared[package].manifest.as_str()).collect();
    // A manifest among tests of which nothing is used is data of a test, if imports name their packages.
    let is_data = |declared: &Declared| {
        declared.ecosystem.imports_name_packages()
            && craig_text::is_test(&declared.manifest)
            && !used.contains(declared.manifest.as_str())
    };
    let declared = analysis.packages.declared.iter().enumerate();
    let report = declared.filter(|(_, declared)| !is_data(declared)).map(|(at, declared)| {
        let uses = uses.remove(&at).unwrap_or_default();
        let files: BTreeSet<FileIx> = uses.iter().map(|(file, _)| *file).collect();
        let requirement = declared.requirement.as_ref();
        let is_variable = |text: &str| text.contains("$(") || text.contains("${");
        External {
            name: declared.name.clone(),
            version: declared
                .version
                .clone()
                .or_else(|| requirement.filter(|text| !is_variable(text)).cloned()),
            scope: declared.scope,
            manifest: declared.manifest.clone(),
            used_in: files.into_iter().map(path).collect(),
            ecosystem: declared.ecosystem,
            requirement: declared.requirement.clone(),
            uses: uses.into_iter().map(|(file, line)| Place { file: path(file), line }).collect(),
        }
    });
    report.collect()
}

fn undeclared(analysis: &Analysis) -> Vec<Undeclared> {
    let mut found: BTreeMap<(Ecosystem, String), BTreeSet<FileIx>> = BTreeMap::new();
    let is_in_none = |used: &&PackageUse| {
        used.package.is_none() && !analysis.packages.is_declared(used.ecosystem, &used.import)
    };
    for used in analysis.graph.packages.iter().filter(is_in_none) {
        let name = package_name(used.ecosystem, &used.import);
        found.entry((used.ecosystem, name)).or_default().insert(used.file);
    }
    let path = |file: FileIx| analysis.workspace.files[file].path.clone();
    let report = found.into_iter().map(|((ecosystem, name), files)| Undeclared {
        name,
        ecosystem,
        used_in: files.into_iter().map(path).collect(),
    });
    report.collect()
}

/// The part of an import that most likely names its package.
fn package_name(ecosystem: Ecosystem, import: &str) -> String {
    let leading = |separator: char, n: usize| {
        import.split(separator).take(n).collect::<Vec<_>>().join(&separator.to_string())
    };
    match ecosystem {
        Ecosystem::PyPi | Ecosystem::Hex => leading('.', 1),
        Ecosystem::Go => leading('/', 3),
        Ecosystem::RubyGems => leading('/', 1),
        _ => import.to_owned(),
    }
}

fn most_depended(analysis: &Analysis) -> Vec<Depended> {
    let mut counts: BTreeMap<FileIx, usize> = BTreeMap::new();
    for edge in analysis.graph.all() {
        *counts.entry(edge.to).or_default() += 1;
    }
    let mut counts: Vec<(FileIx, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(file, n)| (std::cmp::Reverse(*n), *file));
    let path = |file: FileIx| analysis.workspace.files[file].path.clone();
    let top = counts.into_iter().take(MOST_DEPENDED);
    top.map(|(file, dependents)| Depended { file: path(file), dependents }).collect()
}

/// Modules and what they use that is not theirs: packages by how many files of product code use them. If there are none, the
/// files that most others use.
fn chart(analysis: &Analysis) -> Chart {
    let map = Modules::from_workspace(&analysis.workspace, &analysis.graph, MOST_MODULES);
    let is_product = |file: FileIx| !analysis.workspace.files[file].is_test;
    let mut users: BTreeMap<(String, String), BTreeSet<FileIx>> = BTreeMap::new();
    for used in analysis.graph.packages.iter().filter(|used| is_product(used.file)) {
        if let Some(package) = used.package {
            let declared = &analysis.packages.declared[package];
            let key = (declared.ecosystem.title().to_owned(), declared.name.clone());
            users.entry(key).or_default().insert(used.file);
        }
    }
    if users.is_empty() {
        users = files_used_most(analysis);
    }
    let paths: Vec<&str> = map.paths.iter().map(|path| shown(path)).collect();
    let node = |(path, group): (&&str, Option<String>)| Node { label: (*path).to_owned(), group };
    let mut chart =
        Chart { nodes: paths.iter().zip(mermaid::groups(&paths)).map(node).collect(), arrows: Vec::new() };
    for ((group, label), files) in users {
        let to = chart.nodes.len();
        chart.nodes.push(Node { label, group: Some(group) });
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for module in files.into_iter().filter_map(|file| map.of_file[file]) {
            *counts.entry(module).or_default() += 1;
        }
        let arrow = |(from, n_uses)| Arrow { from, to, n_uses, kind: ArrowKind::Plain };
        chart.arrows.extend(counts.into_iter().map(arrow));
    }
    chart
}

/// The files that most others of product code use, each with these.
fn files_used_most(analysis: &Analysis) -> BTreeMap<(String, String), BTreeSet<FileIx>> {
    let mut users: BTreeMap<FileIx, BTreeSet<FileIx>> = BTreeMap::new();
    for edge in analysis.graph.of_product() {
        users.entry(edge.to).or_default().insert(edge.from);
    }
    let mut users: Vec<(FileIx, BTreeSet<FileIx>)> = users.into_iter().collect();
    users.sort_by_key(|(file, users)| (std::cmp::Reverse(users.len()), *file));
    let named = |(file, users): (FileIx, BTreeSet<FileIx>)| {
        (("used most".to_owned(), analysis.workspace.files[file].path.clone()), users)
    };
    users.into_iter().take(MOST_FILES).map(named).collect()
}
