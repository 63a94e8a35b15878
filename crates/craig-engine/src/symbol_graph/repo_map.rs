//! The map of a project: how its central symbols are declared, within a budget of tokens.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use craig_chunk::names::DefinitionKind;
use craig_context::Tokenizer;
use craig_model::Cancellation;
use craig_search::{Hit, KindFilter};
use craig_store::{Project, Store};
use craig_symbols::{MapFocus, SymbolGraph, SymbolIx};
use schemars::JsonSchema;
use serde::Serialize;

use super::text::FileLines;
use crate::project::unknown_file;
use crate::{Engine, EngineError, SearchRequest};

/// Hits of a question that a map is about.
const MOST_HITS: usize = 12;

/// Symbols for which there is no room that are tried before the map is full.
const MOST_MISFITS: usize = 20;

/// Longer declarations are cut.
const MOST_CHARS: usize = 120;

/// Default token budget of a map.
const DEFAULT_TOKENS: usize = 1_024;

/// The focus and the token budget of a map.
#[derive(Clone, Debug)]
pub struct MapRequest {
    /// Files and folders, relative to the project's folder. With neither these nor a query, the map is of the whole project.
    pub paths: Vec<String>,
    /// A question.
    pub query: Option<String>,
    /// Maximum number of tokens of the text.
    pub budget_tokens: usize,
    /// Ends the work from another thread.
    pub cancellation: Cancellation,
}

impl Default for MapRequest {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            query: None,
            budget_tokens: DEFAULT_TOKENS,
            cancellation: Cancellation::default(),
        }
    }
}

/// The central symbols of a project, or of the requested focus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepoMap {
    /// Name of the project.
    pub project: String,
    /// Files, the one with the most central symbol first.
    pub files: Vec<MappedFile>,
    /// Symbols in the map.
    pub shown: u64,
    /// Symbols that could be in it.
    pub total: u64,
    /// Tokens of the map as text.
    pub tokens: u64,
}

/// A file of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MappedFile {
    /// Path relative to the project's folder.
    pub path: String,
    /// Its symbols by line.
    pub symbols: Vec<MappedSymbol>,
}

/// A symbol of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MappedSymbol {
    /// Qualified name: "Cart.total".
    pub name: String,
    /// function, method, class and so on.
    pub kind: DefinitionKind,
    /// 0, or one more than that of the symbol before it that it is in.
    pub depth: u32,
    /// Line of the name, from 1.
    pub line: u32,
    /// How it is declared, on one line; after the name of its type, if it is written outside of that and does not name it.
    pub signature: String,
}

impl MappedFile {
    /// Its lines in a map: the path, then declarations with their lines, indented by what they are in.
    pub fn text(&self) -> String {
        self.symbols.iter().fold(format!("{}\n", self.path), |text, symbol| text + &symbol.text())
    }
}

impl MappedSymbol {
    /// Its line in a map.
    fn text(&self) -> String {
        format!("{:>5} {}{}\n", self.line, "  ".repeat(self.depth as usize), self.signature)
    }
}

impl Engine {
    /// The map of a project as currently indexed.
    ///
    /// Fails if a path is not that of a file or folder of the project.
    pub fn repo_map(&self, handle: &str, request: &MapRequest) -> Result<RepoMap, EngineError> {
        let hits = match request.query.as_deref() {
            Some(query) => self.hits_of(handle, query, &request.cancellation)?,
            None => Vec::new(),
        };
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let graph = self.symbol_graph(&store, project, &request.cancellation)?;
            for path in &request.paths {
                check_path(&store, project, &graph, path)?;
            }
            let symbols = hits.iter().flat_map(|hit| symbols_of(&graph, hit)).collect();
            let focus = MapFocus { paths: request.paths.clone(), symbols };
            let central = graph.central(&focus);
            let mut drawing = Drawing::new(&store, project, &graph, request.budget_tokens);
            for ranked in &central {
                if drawing.n_misfits > MOST_MISFITS || request.cancellation.is_cancelled() {
                    break;
                }
                drawing.add(ranked.symbol)?;
            }
            Ok(drawing.map(central.len()))
        })
    }

    fn hits_of(
        &self,
        handle: &str,
        query: &str,
        cancellation: &Cancellation,
    ) -> Result<Vec<Hit>, EngineError> {
        let request = SearchRequest {
            limit: MOST_HITS,
            per_file: 3,
            kind: KindFilter::Code,
            rerank: false,
            cancellation: cancellation.clone(),
            ..SearchRequest::default()
        };
        Ok(self.search(handle, query, &request)?.hits)
    }
}

/// Fails for what is neither a file nor a folder of the project.
fn check_path(store: &Store, project: &Project, graph: &SymbolGraph, path: &str) -> Result<(), EngineError> {
    let path = path.trim_end_matches('/');
    let is_here = |file: &str| craig_text::path::is_in(file, path);
    if graph.files.iter().any(|file| is_here(&file.path)) {
        return Ok(());
    }
    match store.tracked_files(project.id)?.iter().any(|file| is_here(&file.path)) {
        true => Ok(()),
        false => Err(unknown_file(store, project, path)?),
    }
}

/// The symbols that a hit shows, each with how relevant that is, in percent.
fn symbols_of(graph: &SymbolGraph, hit: &Hit) -> Vec<(SymbolIx, u32)> {
    let Some(file) = graph.file(&hit.path) else { return Vec::new() };
    let more = hit.more.iter().map(|range| (range.line_start, range.line_end, range.score));
    let ranges = std::iter::once((hit.line_start, hit.line_end, hit.score)).chain(more);
    let mut symbols = Vec::new();
    for (first, last, score) in ranges {
        let percent = (score.clamp(0.01, 1.0) * 100.0) as u32;
        let is_inside = |&at: &SymbolIx| (first..=last).contains(&graph.definition(at).line);
        let inside: Vec<SymbolIx> = graph.definitions_in(file).filter(is_inside).collect();
        let shown =
            if inside.is_empty() { Vec::from_iter(graph.definition_around(file, first)) } else { inside };
        symbols.extend(shown.into_iter().map(|at| (at, percent)));
    }
    symbols
}

/// A map that is being made.
struct Drawing<'a> {
    store: &'a Store,
    project: &'a Project,
    graph: &'a SymbolGraph,
    tokenizer: Tokenizer,
    tokens_left: usize,
    /// Files in the order in which they came.
    files: Vec<u32>,
    /// Symbols of each file, by line.
    symbols: HashMap<u32, BTreeMap<(u32, SymbolIx), MappedSymbol>>,
    /// What is in the map, and its other definitions.
    known: HashSet<SymbolIx>,
    lines: HashMap<u32, FileLines>,
    n_misfits: usize,
}

impl<'a> Drawing<'a> {
    fn new(store: &'a Store, project: &'a Project, graph: &'a SymbolGraph, budget_tokens: usize) -> Self {
        Self {
            store,
            project,
            graph,
            tokenizer: Tokenizer::default(),
            tokens_left: budget_tokens,
            files: Vec::new(),
            symbols: HashMap::new(),
            known: HashSet::new(),
            lines: HashMap::new(),
            n_misfits: 0,
        }
    }

    /// Adds a symbol, after the types around it, if there is room for all of them.
    fn add(&mut self, symbol: SymbolIx) -> Result<(), EngineError> {
        if self.known.contains(&symbol) {
            return Ok(());
        }
        let file = self.graph.definition(symbol).file;
        let around: Vec<SymbolIx> = self.around(symbol).collect();
        let mut n_tokens = match self.files.contains(&file) {
            true => 0,
            false => self.tokenizer.count(&format!("{}\n", self.graph.files[file as usize].path)),
        };
        let mut added = Vec::new();
        for (depth, &at) in around.iter().rev().enumerate() {
            if !self.known.contains(&at) {
                let mapped = self.mapped(at, depth as u32)?;
                n_tokens += self.tokenizer.count(&mapped.text());
                added.push((at, mapped));
            }
        }
        if n_tokens > self.tokens_left {
            self.n_misfits += 1;
            return Ok(());
        }
        self.tokens_left -= n_tokens;
        if !self.files.contains(&file) {
            self.files.push(file);
        }
        for (at, mapped) in added {
            self.known.extend(self.graph.parts(at));
            self.known.insert(at);
            self.symbols.entry(file).or_default().insert((mapped.line, at), mapped);
        }
        Ok(())
    }

    /// A symbol and those whose lines are around it, innermost first; methods may be written outside of their type.
    fn around(&self, symbol: SymbolIx) -> impl Iterator<Item = SymbolIx> + use<'a> {
        let graph = self.graph;
        let definition = graph.definition(symbol);
        graph.enclosing(symbol).filter(move |&at| {
            let outer = graph.definition(at);
            outer.file == definition.file && (outer.line_start..=outer.line_end).contains(&definition.line)
        })
    }

    fn mapped(&mut self, symbol: SymbolIx, depth: u32) -> Result<MappedSymbol, EngineError> {
        let definition = self.graph.definition(symbol);
        let lines = match self.lines.entry(definition.file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let path = &self.graph.files[definition.file as usize].path;
                place.insert(FileLines::read(self.store, self.project, path)?)
            }
        };
        let mut signature = lines.signature(definition.line, definition.line_end);
        // A method may be written outside of its type, and not name it.
        let owner = definition.parent.map(|parent| self.graph.definition(parent).name.as_str());
        if let Some(owner) = owner.filter(|owner| depth == 0 && !signature.contains(owner)) {
            signature = format!("{owner}: {signature}");
        }
        if let Some((end, _)) = signature.char_indices().nth(MOST_CHARS) {
            signature.truncate(end);
            signature.push('…');
        }
        Ok(MappedSymbol {
            name: self.graph.qualified_name(symbol),
            kind: definition.kind,
            depth,
            line: definition.line,
            signature,
        })
    }

    /// The finished map of a project with so many symbols.
    fn map(mut self, n_symbols: usize) -> RepoMap {
        let of_file = |file: u32, symbols: BTreeMap<(u32, SymbolIx), MappedSymbol>| MappedFile {
            path: self.graph.files[file as usize].path.clone(),
            symbols: symbols.into_values().collect(),
        };
        let files: Vec<MappedFile> = self
            .files
            .iter()
            .map(|&file| of_file(file, self.symbols.remove(&file).unwrap_or_default()))
            .collect();
        let text: String = files.iter().map(MappedFile::text).collect();
        let shown = files.iter().map(|file| file.symbols.len() as u64).sum();
        RepoMap {
            project: self.project.name.clone(),
            shown,
            total: n_symbols as u64,
            tokens: self.tokenizer.count(&text) as u64,
            files,
        }
    }
}
