//! Symbols: where they are defined, who refers to them, who calls whom, and what a change of one may affect.

mod answer;
mod calls;
mod editor;
mod export;
mod kept;
mod linked;
mod neighbours;
mod overview;
mod repo_map;
mod similar;
mod text;
mod unbound;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use craig_chunk::names::{Role, Traits};
use craig_model::Cancellation;
use craig_search::Filter;
use craig_store::{Project, Store};
use craig_symbols::{ScipFile, SymbolGraph, SymbolIx, SymbolQuery, SymbolReference};

pub(crate) use self::text::FileLines;
use self::unbound::BoundWord;
use crate::left_out::has_word;
use crate::project::unknown_file;
use crate::{Engine, EngineError};

pub(crate) use self::answer::lines_of_definition;
pub use self::answer::{
    CallDirection, CallHierarchy, CallRow, GraphSymbol, Impact, ImpactedFile, ImpactedSymbol, ReferenceLine,
    References, Subject, SymbolText, own_name,
};

pub use self::export::ScipExport;
pub use self::kept::KeptSymbol;
pub(crate) use self::linked::{defined, is_product, linked, runs};
pub use self::neighbours::{Neighbour, Neighbours};
pub(crate) use self::neighbours::{defined_at, described, named, neighbours, values};
pub use self::overview::{Flow, Overview, OverviewModule, OverviewSymbol};
pub use self::repo_map::{MapRequest, MappedFile, MappedSymbol, RepoMap};
pub use self::unbound::{UnboundLine, UnboundLines};
pub(crate) use self::ways::ways;

pub use self::editor::{BoundSymbol, OutlinedName, SymbolCursor, SymbolPlace, SymbolPlaces, outlined_names};

/// Which references count, and how many are listed.
#[derive(Clone, Debug)]
pub struct SymbolRequest {
    /// Minimum confidence of a reference, in percent.
    pub min_confidence: u8,
    /// Roles of references; empty means all.
    pub roles: Vec<Role>,
    /// Maximum number of steps: of callers' callers, of what a change affects.
    pub depth: u32,
    /// Maximum number of rows; all are counted.
    pub limit: usize,
    /// Maximum number of unbound lines with the symbol's name, which are counted in any case; `None` omits them.
    pub unbound: Option<usize>,
    /// Ends the work from another thread.
    pub cancellation: Cancellation,
}

impl Default for SymbolRequest {
    fn default() -> Self {
        Self {
            min_confidence: 70,
            roles: Vec::new(),
            depth: 1,
            limit: usize::MAX,
            unbound: None,
            cancellation: Cancellation::default(),
        }
    }
}

/// Other symbols of a name that are listed.
const MOST_OTHERS: usize = 10;

/// Maximum number of definitions of a name that are considered for other symbols.
const MOST_CANDIDATES: usize = 200;

impl Engine {
    /// The definition of a symbol of a project, as currently indexed: `route`, `Router.route`, or `src/router.py:12`.
    pub fn symbol(
        &self,
        handle: &str,
        name: &str,
        request: &SymbolRequest,
    ) -> Result<SymbolText, EngineError> {
        self.ask_graph(handle, name, request, |asked| {
            let definition = asked.graph.definition(asked.first());
            let lines = FileLines::read(asked.store, asked.project, asked.path_of(asked.first()))?;
            let (sure, _) = asked.references(request.min_confidence, &[]);
            Ok(SymbolText {
                signature: lines.signature(definition.line, definition.line_end),
                doc: lines.doc(definition.line_start, definition.line, definition.line_end),
                line_start: definition.line_start,
                text: lines.text(definition.line_start, definition.line_end),
                references: sure.len() as u64,
                subject: asked.subject(),
            })
        })
    }

    /// The references to a symbol, by path and line.
    pub fn references(
        &self,
        handle: &str,
        name: &str,
        request: &SymbolRequest,
    ) -> Result<References, EngineError> {
        let (mut found, bound) = self.ask_graph(handle, name, request, |asked| {
            let bound = request.unbound.map(|most| {
                // Lines with references of other roles are bound, too.
                let (bound, _) = asked.references(request.min_confidence, &[]);
                (BoundWord::new(asked, &bound), most)
            });
            Ok((asked.listed_references(request)?, bound))
        })?;
        if let Some((bound, most)) = bound {
            found.unbound = Some(self.unbound(handle, &bound, most)?);
        }
        Ok(found)
    }

    /// The callers or callees of a symbol, and theirs, down to the requested depth.
    pub fn call_hierarchy(
        &self,
        handle: &str,
        name: &str,
        direction: CallDirection,
        request: &SymbolRequest,
    ) -> Result<CallHierarchy, EngineError> {
        let (mut found, bound) = self.ask_graph(handle, name, request, |asked| {
            let bound = request.unbound.map(|most| {
                let (all, _) = asked.references(0, &[]);
                (BoundWord::new(asked, &all), most)
            });
            Ok((calls::hierarchy(asked, direction, request), bound))
        })?;
        if let Some((bound, most)) = bound {
            found.unbound = Some(self.unbound(handle, &bound, most)?);
        }
        Ok(found)
    }

    /// The symbols and files that a change of a symbol may affect, to the requested depth, including its own file.
    pub fn impact(&self, handle: &str, name: &str, request: &SymbolRequest) -> Result<Impact, EngineError> {
        self.ask_graph(handle, name, request, |asked| Ok(impact(asked, request)))
    }

    /// Asks about the symbol that `name` names, in one state of the project.
    fn ask_graph<T>(
        &self,
        handle: &str,
        name: &str,
        request: &SymbolRequest,
        ask: impl FnOnce(&Asked<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let graph = self.symbol_graph(&store, project, &request.cancellation)?;
            let asked = Asked::find(&store, project, &graph, name);
            ask(&asked.map_err(|error| self.with_note(&store, project, error))?)
        })
    }

    /// An error about an unknown symbol, with the files over the size limit that contain its name. If the symbol was given as
    /// a place in an unknown file, the error is about the file.
    fn with_note(&self, store: &Store, project: &Project, error: EngineError) -> EngineError {
        let EngineError::UnknownSymbol { project: of, name, similar, .. } = error else { return error };
        let query = SymbolQuery::parse(&name);
        if let Some(path) = query.as_ref().and_then(SymbolQuery::path)
            && let Ok(None) = store.tracked_file(project.id, path)
        {
            return unknown_file(store, project, path).unwrap_or_else(|error| error);
        }
        let has_name = |text: &str| query.as_ref().is_some_and(|query| has_word(text, query.name()));
        let note = self.note_about_large_files(project, &Filter::default(), has_name);
        EngineError::UnknownSymbol { project: of, name, similar, note }
    }

    /// The graph of a project in a snapshot of the caller.
    pub(crate) fn symbol_graph(
        &self,
        store: &Store,
        project: &Project,
        cancellation: &Cancellation,
    ) -> Result<Arc<SymbolGraph>, EngineError> {
        let scip = ScipFile::find(&project.source_path);
        self.graph_of(project, scip.as_ref().map(ScipFile::stamp), || {
            let is_cancelled = || cancellation.is_cancelled();
            Ok(SymbolGraph::open(store, project, scip.as_ref(), &*self.pool()?, &is_cancelled)?)
        })
    }
}

/// The symbol that was asked about.
struct Asked<'a> {
    store: &'a Store,
    project: &'a Project,
    graph: &'a SymbolGraph,
    /// Its definitions, the one to show first.
    parts: Vec<SymbolIx>,
    /// Definitions that were named as well, the likeliest first.
    others: Vec<SymbolIx>,
    /// The requested line, if no name is defined there.
    inner_line: Option<u32>,
}

impl<'a> Asked<'a> {
    fn find(
        store: &'a Store,
        project: &'a Project,
        graph: &'a SymbolGraph,
        name: &str,
    ) -> Result<Self, EngineError> {
        let query = SymbolQuery::parse(name);
        let found = query.as_ref().map(|query| graph.find(query)).unwrap_or_default();
        let Some(&first) = found.first() else {
            let similar = query.map(|query| similar::names(graph, query.name())).unwrap_or_default();
            return Err(EngineError::UnknownSymbol {
                project: project.name.clone(),
                name: name.to_owned(),
                similar,
                note: None,
            });
        };
        let all = graph.parts(first);
        // A place is that of one overload, a name is that of all.
        let line = query.as_ref().and_then(SymbolQuery::line);
        let mut parts = if line.is_some() { graph.parts_of_overload(first) } else { all.clone() };
        parts.sort_by_key(|&at| (at != first, at));
        let others = found.into_iter().chain(all).filter(|at| !parts.contains(at)).collect();
        let inner_line = line.filter(|line| graph.definition(first).line != *line);
        Ok(Self { store, project, graph, parts, others, inner_line })
    }

    /// The symbol that a definition is of, with all of its overloads.
    fn from_definition(
        store: &'a Store,
        project: &'a Project,
        graph: &'a SymbolGraph,
        first: SymbolIx,
    ) -> Self {
        let mut parts = graph.parts(first);
        parts.sort_by_key(|&at| (at != first, at));
        Self::from_parts(store, project, graph, parts)
    }

    /// The symbol that has these definitions.
    fn from_parts(
        store: &'a Store,
        project: &'a Project,
        graph: &'a SymbolGraph,
        parts: Vec<SymbolIx>,
    ) -> Self {
        Self { store, project, graph, parts, others: Vec::new(), inner_line: None }
    }

    fn first(&self) -> SymbolIx {
        self.parts[0]
    }

    fn path_of(&self, symbol: SymbolIx) -> &'a str {
        self.path(self.graph.definition(symbol).file)
    }

    fn path(&self, file: u32) -> &'a str {
        &self.graph.files[file as usize].path
    }

    fn is_test(&self, file: u32) -> bool {
        self.graph.files[file as usize].is_test
    }

    /// Whether code of a file is of a test, in a definition or outside of all.
    fn is_of_test(&self, within: Option<SymbolIx>, file: u32) -> bool {
        within.map_or_else(|| self.is_test(file), |within| self.graph.is_test(within))
    }

    fn symbol(&self, at: SymbolIx) -> GraphSymbol {
        let definition = self.graph.definition(at);
        GraphSymbol {
            name: self.graph.qualified_name(at),
            kind: definition.kind,
            path: self.path(definition.file).to_owned(),
            line: definition.line,
            line_end: definition.line_end,
            test: self.graph.is_test(at),
        }
    }

    fn subject(&self) -> Subject {
        let mut groups: Vec<Vec<SymbolIx>> = Vec::new();
        for &other in self.others.iter().take(MOST_CANDIDATES) {
            if !groups.iter().any(|group| group.contains(&other)) {
                let mut group = self.graph.parts(other);
                group.sort_by_key(|&at| at != other);
                groups.push(group);
            }
        }
        let unseen = self.others.len().saturating_sub(MOST_CANDIDATES);
        Subject {
            project: self.project.name.clone(),
            symbol: self.symbol(self.first()),
            inner_line: self.inner_line,
            also_defined: self.parts[1..].iter().map(|&at| self.symbol(at)).collect(),
            overrides: self.overridden().into_iter().map(|base| self.symbol(base)).collect(),
            others: groups.iter().take(MOST_OTHERS).map(|group| self.symbol(group[0])).collect(),
            more_others: (groups.len().saturating_sub(MOST_OTHERS) + unseen) as u64,
        }
    }

    /// The members that the symbol overrides, each once.
    fn overridden(&self) -> BTreeSet<SymbolIx> {
        let all = self.parts.iter().flat_map(|&part| self.graph.overridden(part));
        all.map(|base| self.representative(base)).take(MOST_OTHERS).collect()
    }

    /// References to the symbol of at least a confidence and of some roles, by place, and the number of those below.
    fn references(&self, min_confidence: u8, roles: &[Role]) -> (Vec<SymbolReference>, u64) {
        let mut by_place: BTreeMap<(u32, u32, u32), SymbolReference> = BTreeMap::new();
        let all = self.parts.iter().flat_map(|&part| self.graph.references_to(part));
        for &found in all.filter(|found| roles.is_empty() || roles.contains(&found.role)) {
            let known = by_place.entry((found.file, found.line, found.column)).or_insert(found);
            if found.confidence > known.confidence {
                *known = found;
            }
        }
        let (sure, possible): (Vec<_>, Vec<_>) =
            by_place.into_values().partition(|found| found.confidence >= min_confidence);
        (sure, possible.len() as u64)
    }

    /// The references to the symbol that count.
    fn listed_references(&self, request: &SymbolRequest) -> Result<References, EngineError> {
        let (sure, possible) = self.references(request.min_confidence, &request.roles);
        let mut files: Vec<u32> = sure.iter().map(|found| found.file).collect();
        files.dedup();
        Ok(References {
            references: self.lines(&sure[..sure.len().min(request.limit)])?,
            total: sure.len() as u64,
            total_files: files.len() as u64,
            possible,
            unbound: None,
            subject: self.subject(),
        })
    }

    /// References, by place, with the texts of their lines.
    fn lines(&self, references: &[SymbolReference]) -> Result<Vec<ReferenceLine>, EngineError> {
        let mut rows = Vec::with_capacity(references.len());
        for of_file in references.chunk_by(|a, b| a.file == b.file) {
            let path = self.path(of_file[0].file);
            let lines = FileLines::read(self.store, self.project, path)?;
            rows.extend(of_file.iter().map(|found| {
                let within = found.within.map(|within| self.graph.run_by(within));
                let around = within.map(|within| self.graph.definition(within));
                ReferenceLine {
                    path: path.to_owned(),
                    line: found.line,
                    column: lines.column(found.line, found.column),
                    role: found.role,
                    within: within.map(|within| self.graph.qualified_name(within)),
                    within_lines: around.map(|around| (around.line, around.line_end)),
                    confidence: found.confidence,
                    test: self.is_of_test(found.within, found.file),
                    text: lines.shown(found.line),
                }
            }));
        }
        Ok(rows)
    }

    fn representative(&self, symbol: SymbolIx) -> SymbolIx {
        representative(self.graph, symbol)
    }
}

/// The definition that represents a symbol, rather than one of its declarations.
fn representative(graph: &SymbolGraph, symbol: SymbolIx) -> SymbolIx {
    let key = |&at: &SymbolIx| (graph.definition(at).traits.has(Traits::DECLARATION), at);
    graph.parts_of_overload(symbol).into_iter().min_by_key(key).unwrap_or(symbol)
}

fn impact(asked: &Asked<'_>, request: &SymbolRequest) -> Impact {
    let depth = request.depth as usize;
    let mut reach = asked.graph.reach(&asked.parts, depth + 1, request.min_confidence);
    let n_reached = reach.files.len() + reach.symbols.len();
    reach.files.retain(|found| found.distance <= depth);
    reach.symbols.retain(|(_, distance)| *distance <= depth);
    let (_, possible) = asked.references(request.min_confidence, &[]);
    let files = reach.files.iter().take(request.limit).map(|found| ImpactedFile {
        distance: found.distance as u32,
        path: asked.path(found.file).to_owned(),
        test: asked.is_test(found.file),
    });
    let symbols = reach.symbols.iter().take(request.limit).map(|&(symbol, distance)| ImpactedSymbol {
        distance: distance as u32,
        symbol: asked.symbol(symbol),
    });
    Impact {
        depth: request.depth,
        goes_further: n_reached > reach.files.len() + reach.symbols.len(),
        files: files.collect(),
        symbols: symbols.collect(),
        total_files: reach.files.len() as u64,
        total_tests: reach.files.iter().filter(|found| asked.is_test(found.file)).count() as u64,
        total_symbols: reach.symbols.len() as u64,
        total_test_symbols: reach.symbols.iter().filter(|(at, _)| asked.graph.is_test(*at)).count() as u64,
        possible,
        subject: asked.subject(),
    }
}
