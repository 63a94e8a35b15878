//! The overview of a project: what a newcomer should know, on one page.

use std::collections::HashMap;

use craig_chunk::names::{Role, Traits};
use craig_insight::{About, Architecture, EntryPoint, sentence};
use craig_model::Cancellation;
use craig_symbols::{MapFocus, Ranked, SymbolIx};
use craig_text::path::{extension, folder, name};
use craig_text::{PathRole, distinct};
use serde::Serialize;

use super::text::FileLines;
use super::{Asked, CallDirection, CallRow, GraphSymbol, SymbolRequest, calls};
use crate::{Engine, EngineError};

/// Types that are listed.
const MOST_TYPES: usize = 10;

/// Symbols of the public API that are listed.
const MOST_OFFERED: usize = 12;

/// Maximum number of entry points that are tried for a flow.
const MOST_ENTRIES: usize = 5;

/// Maximum number of symbols of the public API that are tried for a flow.
const MOST_STARTS: usize = 30;

/// Levels of a flow.
const FLOW_DEPTH: u32 = 4;

/// Rows of a flow.
const MOST_ROWS: usize = 24;

/// Calls that are followed from one symbol.
const MOST_BRANCHES: usize = 5;

/// Minimum confidence of a call that is followed, in percent.
const FLOW_CONFIDENCE: u8 = 70;

/// What a newcomer should know about a project.
#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    /// Name of the project.
    pub project: String,
    /// Its purpose, a sentence of its manifest or README.
    pub about: Option<About>,
    /// Its modules, by path.
    pub modules: Vec<OverviewModule>,
    /// Its central types, the most central first.
    pub types: Vec<OverviewSymbol>,
    /// The most used symbols of its libraries, judged by tests and examples; empty for programs.
    pub public_api: Vec<OverviewSymbol>,
    /// Where it starts, the most important first.
    pub entry_points: Vec<EntryPoint>,
    /// The calls from the first of these; `None` if it calls nothing in the project.
    pub flow: Option<Flow>,
}

/// A module of an overview.
#[derive(Clone, Debug, Serialize)]
pub struct OverviewModule {
    /// Path; `.` for files at the top.
    pub path: String,
    /// Its purpose, a sentence of its manifest, README or comments.
    pub about: Option<About>,
    /// Code files.
    pub files: usize,
    /// Lines of these.
    pub lines: u64,
    /// Modules that its product code uses, most first.
    pub uses: Vec<String>,
}

/// A symbol with what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverviewSymbol {
    /// The symbol.
    #[serde(flatten)]
    pub symbol: GraphSymbol,
    /// Its declaration on one line.
    pub signature: String,
    /// The first sentence of its comment.
    pub about: Option<String>,
}

/// The calls from one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flow {
    /// The symbol.
    pub from: GraphSymbol,
    /// Its callees and their callees in the order of the calls; each comes before its own callees.
    pub calls: Vec<CallRow>,
}

impl Engine {
    /// The overview of a project as currently indexed.
    pub fn overview(&self, handle: &str, cancellation: &Cancellation) -> Result<Overview, EngineError> {
        let architecture = self.architecture(handle, cancellation)?;
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let graph = self.symbol_graph(&store, project, cancellation)?;
            let asked = Asked::from_parts(&store, project, &graph, Vec::new());
            Page { asked, files: HashMap::new(), cancellation }.overview(architecture)
        })
    }
}

/// An overview that is being made.
struct Page<'a> {
    /// Asks about no symbol yet.
    asked: Asked<'a>,
    files: HashMap<u32, FileLines>,
    cancellation: &'a Cancellation,
}

impl Page<'_> {
    fn overview(mut self, architecture: Architecture) -> Result<Overview, EngineError> {
        let graph = self.asked.graph;
        let central = graph.central(&MapFocus::default());
        let types = central.iter().map(|found| found.symbol);
        let types = types.filter(|&at| graph.definition(at).kind.is_type() && graph.is_visible(at));
        let types = self.distinct(types, MOST_TYPES);
        let roots = self.roots(&architecture.entry_points);
        let n_users = graph.n_outside_users();
        let offered = self.offered(&roots, &architecture.entry_points, &central, &n_users);
        let flow = self.flow(&architecture.entry_points, &offered, &n_users);
        let offered = self.distinct(offered.into_iter(), MOST_OFFERED);
        Ok(Overview {
            project: self.asked.project.name.clone(),
            about: architecture.about,
            modules: architecture.modules.into_iter().map(OverviewModule::from).collect(),
            types: self.described(&types)?,
            public_api: self.described(&offered)?,
            entry_points: architecture.entry_points,
            flow,
        })
    }

    /// The first definitions that are not of one symbol.
    fn distinct(&self, symbols: impl Iterator<Item = SymbolIx>, most: usize) -> Vec<SymbolIx> {
        distinct(symbols.map(|symbol| self.asked.representative(symbol))).take(most).collect()
    }

    fn described(&mut self, symbols: &[SymbolIx]) -> Result<Vec<OverviewSymbol>, EngineError> {
        symbols.iter().map(|&symbol| self.describe(symbol)).collect()
    }

    fn describe(&mut self, symbol: SymbolIx) -> Result<OverviewSymbol, EngineError> {
        let definition = self.asked.graph.definition(symbol);
        if !self.files.contains_key(&definition.file) {
            let (store, project) = (self.asked.store, self.asked.project);
            let lines = FileLines::read(store, project, self.asked.path(definition.file))?;
            self.files.insert(definition.file, lines);
        }
        let lines = &self.files[&definition.file];
        let doc = lines.doc(definition.line_start, definition.line, definition.line_end);
        Ok(OverviewSymbol {
            symbol: self.asked.symbol(symbol),
            signature: lines.signature(definition.line, definition.line_end),
            about: doc.and_then(|doc| sentence(first_paragraph(&doc))).filter(|about| !about.contains(" = ")),
        })
    }

    /// The public API of a library: of the package at the top, or of a project without a program of its own. If no
    /// manifest names the main files of a library, examples must show that there is one.
    fn offered(
        &self,
        roots: &[u32],
        entries: &[EntryPoint],
        central: &[Ranked],
        n_users: &[u32],
    ) -> Vec<SymbolIx> {
        let graph = self.asked.graph;
        let is_of_top = |&root: &u32| {
            let folder = folder(&graph.files[root as usize].path);
            matches!(folder, "" | "src" | "lib") || name(&graph.files[root as usize].path) == "__init__.py"
        };
        if has_program(entries) && !roots.iter().any(is_of_top) {
            return Vec::new();
        }
        let is_example = |path: &str| matches!(PathRole::from_path(path), PathRole::Example);
        if roots.is_empty() && !graph.files.iter().any(|file| is_example(&file.path)) {
            return Vec::new();
        }
        let path = |file: u32| graph.files[file as usize].path.as_str();
        let is_of_library = |file: u32| roots.iter().any(|&root| is_one_language(path(root), path(file)));
        let mut offered = graph.public_api(roots, central, n_users);
        offered.retain(|&at| match roots.is_empty() {
            true => n_users[at as usize] > 0,
            false => is_of_library(graph.definition(at).file),
        });
        offered
    }

    /// The main files of libraries: those of entry points, and of packages of Python that define or import more than their version.
    fn roots(&self, entries: &[EntryPoint]) -> Vec<u32> {
        let graph = self.asked.graph;
        let libraries = entries.iter().filter(|entry| entry.kind == "library");
        let mut roots: Vec<u32> = libraries.filter_map(|entry| graph.file(&entry.file)).collect();
        let is_package = |path: &str| {
            let path = path.strip_prefix("src/").unwrap_or(path);
            path.ends_with("/__init__.py") && path.matches('/').count() == 1
        };
        let packages = graph.files.iter().filter(|file| !file.is_test && is_package(&file.path));
        let packages = packages.filter_map(|file| graph.file(&file.path));
        roots.extend(packages.filter(|&root| graph.exports_something(root)));
        roots
    }

    /// The calls from the first entry point that has any; for a library, from one of its most used functions.
    fn flow(&self, entries: &[EntryPoint], offered: &[SymbolIx], n_users: &[u32]) -> Option<Flow> {
        let programs = entries.iter().filter(|entry| entry.kind != "library" && is_product(&entry.file));
        for entry in programs.take(MOST_ENTRIES) {
            let starts = self.starts(entry);
            if let Some(flow) =
                starts.into_iter().map(|start| self.flow_from(start)).max_by_key(|flow| flow.calls.len())
                && !flow.calls.is_empty()
            {
                return Some(flow);
            }
        }
        self.flow_of_api(offered, n_users)
    }

    /// The start of an entry point: its `main`, otherwise the functions that its file defines and calls.
    fn starts(&self, entry: &EntryPoint) -> Vec<SymbolIx> {
        let graph = self.asked.graph;
        let Some(file) = graph.file(&entry.file) else { return Vec::new() };
        let is_start = |&at: &SymbolIx| {
            let definition = graph.definition(at);
            definition.kind.is_callable() && !definition.traits.has(Traits::LOCAL)
        };
        let defined: Vec<SymbolIx> = graph.definitions_in(file).filter(is_start).collect();
        let is_main = |&&at: &&SymbolIx| match entry.line {
            Some(line) => graph.definition(at).line == line,
            None => graph.definition(at).name == "main",
        };
        if let Some(&main) = defined.iter().find(is_main) {
            return vec![main];
        }
        let called = graph.references_in(file, 1..=u32::MAX).filter(|found| {
            let is_imported_main = found.role == Role::Import
                && matches!(graph.definition(found.symbol).name.as_str(), "main" | "cli");
            let is_called = found.within.is_none() && found.role == Role::Call;
            (is_called || is_imported_main) && found.confidence >= FLOW_CONFIDENCE
        });
        let called = called.map(|found| self.asked.representative(found.symbol));
        defined.into_iter().chain(called).take(MOST_STARTS).collect()
    }

    /// The flow of the function or method that tests and examples use much, and that calls much.
    fn flow_of_api(&self, offered: &[SymbolIx], n_users: &[u32]) -> Option<Flow> {
        let graph = self.asked.graph;
        let members = |&at: &SymbolIx| {
            let file = graph.definition(at).file;
            graph.definitions_in(file).filter(move |&member| graph.enclosing(member).any(|outer| outer == at))
        };
        let is_start = |&at: &SymbolIx| {
            let definition = graph.definition(at);
            definition.kind.is_callable() && graph.is_visible(at) && !definition.traits.has(Traits::LOCAL)
        };
        let mut starts: Vec<SymbolIx> =
            offered.iter().take(MOST_OFFERED).flat_map(members).filter(is_start).collect();
        starts.sort_by_key(|&at| std::cmp::Reverse(n_users[at as usize]));
        starts.truncate(MOST_STARTS);
        let flows = starts.into_iter().map(|at| (n_users[at as usize], self.flow_from(at)));
        let weight = |(n_users, flow): &(u32, Flow)| f64::from(n_users + 1).sqrt() * flow.calls.len() as f64;
        let best = flows.max_by(|a, b| weight(a).total_cmp(&weight(b)))?.1;
        (!best.calls.is_empty()).then_some(best)
    }

    /// The calls from a symbol, as deep as space permits.
    fn flow_from(&self, symbol: SymbolIx) -> Flow {
        let Asked { store, project, graph, .. } = self.asked;
        let asked = Asked::from_parts(store, project, graph, vec![symbol]);
        let request = SymbolRequest {
            min_confidence: FLOW_CONFIDENCE,
            depth: FLOW_DEPTH,
            cancellation: self.cancellation.clone(),
            ..SymbolRequest::default()
        };
        let all = calls::hierarchy(&asked, CallDirection::Out, &request).calls;
        let shown =
            (1..=FLOW_DEPTH).rev().map(|depth| pruned(&all, depth)).find(|rows| rows.len() <= MOST_ROWS);
        Flow { from: asked.symbol(symbol), calls: shown.unwrap_or_default() }
    }
}

impl From<craig_insight::Module> for OverviewModule {
    fn from(module: craig_insight::Module) -> Self {
        let uses = module.uses.into_iter().filter(|used| used.count > 0).map(|used| used.module);
        Self {
            path: module.path,
            about: module.about,
            files: module.files,
            lines: module.lines,
            uses: uses.collect(),
        }
    }
}

/// Whether a project is a program of its own: its examples may be programs anyway.
fn has_program(entries: &[EntryPoint]) -> bool {
    entries.iter().any(|entry| entry.kind != "library" && is_product(&entry.file))
}

fn is_product(path: &str) -> bool {
    PathRole::from_path(path).is_product()
}

/// Whether files may be of one library, by their extensions: those of scripts are used together.
fn is_one_language(a: &str, b: &str) -> bool {
    let is_script = |path: &str| extension(path).contains("ts") || extension(path).contains("js");
    extension(a) == extension(b) || is_script(a) && is_script(b)
}

/// A comment up to its first empty line or tag.
fn first_paragraph(doc: &str) -> &str {
    let ends = ["\n\n", "\n@", "\n:param", "\nArgs:", "\nParameters"];
    let end = ends.into_iter().filter_map(|end| doc.find(end)).min();
    &doc[..end.unwrap_or(doc.len())]
}

/// The rows of a call tree down to a depth, with the calls of each symbol that lead furthest, and without tests.
fn pruned(rows: &[CallRow], most_depth: u32) -> Vec<CallRow> {
    // How many rows are below each.
    let n_below = |at: usize| rows[at + 1..].iter().take_while(|row| row.depth > rows[at].depth).count();
    let mut kept = Vec::new();
    // The first and last row below each that is open, exclusive.
    let mut open = vec![(0, rows.len())];
    while let Some((first, end)) = open.pop() {
        let mut children: Vec<(usize, usize)> = Vec::new();
        let mut at = first;
        while at < end {
            let n = n_below(at);
            let is_code = rows[at].kind.is_some_and(|kind| kind.is_callable() || kind.is_type());
            let is_shown = is_code && !rows[at].test && !rows[at].repeated && rows[at].depth <= most_depth;
            if is_shown {
                children.push((at, n));
            }
            at += n + 1;
        }
        children.sort_by_key(|&(at, n)| (std::cmp::Reverse(n), at));
        children.truncate(MOST_BRANCHES);
        kept.extend(children.iter().map(|&(at, _)| at));
        open.extend(children.into_iter().map(|(at, n)| (at + 1, at + 1 + n)));
    }
    kept.sort_unstable();
    kept.into_iter().map(|at| rows[at].clone()).collect()
}
