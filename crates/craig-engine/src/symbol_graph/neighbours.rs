//! What is around a definition: what it uses, and who calls it.

use std::collections::{BTreeSet, HashMap};

use craig_chunk::names::{DefinitionKind, Traits};
use craig_store::{Project, Store};
use craig_symbols::{SymbolGraph, SymbolIx, SymbolQuery, SymbolReference};
use craig_text::distinct;
use schemars::JsonSchema;
use serde::Serialize;

use super::calls::hierarchy;
use super::{Asked, CallDirection, CallHierarchy, CallRow, FileLines, SymbolRequest};
use crate::EngineError;

/// Maximum number of callees to consider.
const MOST_CALLEES: usize = 60;

/// Maximum number of callers to consider, of callers whose own callers are considered, and of levels.
const MOST_CALLERS: usize = 500;
const MOST_FOLLOWED: u64 = 12;
const DEPTH: u32 = 3;

/// A definition near another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Neighbour {
    /// Qualified name; of code outside of definitions, the path of its file.
    pub name: String,
    /// Its kind; null for code outside of definitions.
    pub kind: Option<DefinitionKind>,
    /// Path relative to the project's folder.
    pub path: String,
    /// First and last line, with the comment above it.
    pub lines: (u32, u32),
    /// Its declaration.
    pub signature: String,
    /// Lines of the calls of it; none of what is not called.
    pub call_lines: Vec<u32>,
    /// Whether it is in a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

impl Neighbour {
    /// Whether it is a constant, or a variable outside of functions.
    pub(crate) fn is_value(&self) -> bool {
        self.kind.is_some_and(is_value)
    }
}

fn is_value(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Constant | DefinitionKind::Variable)
}

/// Maximum number of types, constants and variables to consider.
const MOST_OTHERS: usize = 24;

/// What is around a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Neighbours {
    /// Its callees in the order of the calls, followed by the types, constants and variables outside of functions that
    /// it uses.
    pub uses: Vec<Neighbour>,
    /// The member of a supertype that the callers call, where nothing calls this one by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// Its callers, each before its own callers.
    pub callers: Vec<CallRow>,
    /// Tests that reach it.
    pub tests: Vec<CallRow>,
    /// Calls of it that are not certain.
    pub n_possible: u64,
}

/// What is around the definition whose name is at a line; nothing if there is none.
pub(crate) fn neighbours(
    store: &Store,
    project: &Project,
    graph: &SymbolGraph,
    (path, line): (&str, u32),
) -> Result<Neighbours, EngineError> {
    let Some(at) = defined_at(graph, path, line) else { return Ok(Neighbours::default()) };
    let asked = Asked::from_definition(store, project, graph, at);
    let callees = SymbolRequest { limit: MOST_CALLEES, ..SymbolRequest::default() };
    let callees = hierarchy(&asked, CallDirection::Out, &callees);
    let (callers, through) = callers_or_through(&asked);
    let mut files = Files::new(store, project);
    let uses: Result<Vec<_>, EngineError> =
        callees.calls.iter().map(|row| files.callee(graph, row)).collect();
    let mut uses = uses?;
    uses.extend(files.others(&asked, &uses)?);
    let n_possible = callers.possible;
    let callers = callers.calls.into_iter().filter(|row| !row.repeated);
    let (mut tests, callers): (Vec<_>, Vec<_>) = callers.partition(|caller| caller.test);
    tests.retain(|test| !is_of_test_double(graph, test));
    Ok(Neighbours { uses, through, callers, tests, n_possible })
}

/// Whether a caller is a test double: code of a test that overrides a member of product code.
fn is_of_test_double(graph: &SymbolGraph, caller: &CallRow) -> bool {
    let definition = defined_at(graph, &caller.path, caller.line);
    definition.is_some_and(|at| graph.overridden(at).any(|base| !graph.is_test(base)))
}

/// The callers of a symbol. For a member without callers, the callers of the member that it overrides, and its name.
fn callers_or_through(asked: &Asked<'_>) -> (CallHierarchy, Option<String>) {
    let own = callers_of(asked);
    if !own.calls.is_empty() {
        return (own, None);
    }
    let bases = asked.overridden().into_iter();
    let mut found = bases.map(|base| {
        let mut callers = callers_of(&Asked::from_definition(asked.store, asked.project, asked.graph, base));
        leave_out_others(asked, &mut callers.calls);
        (base, callers)
    });
    match found.find(|(_, callers)| !callers.calls.is_empty()) {
        Some((base, callers)) => (callers, Some(asked.graph.qualified_name(base))),
        None => (own, None),
    }
}

/// Leaves out callers of the base that do not run the member: by `super`, what overrides the base runs only the base's own.
fn leave_out_others(asked: &Asked<'_>, calls: &mut Vec<CallRow>) {
    let (running, _) = asked.references(0, &[]);
    let running: BTreeSet<(&str, u32)> =
        running.iter().map(|found| (asked.path(found.file), found.line)).collect();
    let mut is_kept = true;
    calls.retain(|row| {
        if row.depth == 1 {
            is_kept = row.call_lines.iter().any(|&line| running.contains(&(row.path.as_str(), line)));
        }
        is_kept
    });
}

fn callers_of(asked: &Asked<'_>) -> CallHierarchy {
    let request = SymbolRequest { limit: MOST_CALLERS, ..SymbolRequest::default() };
    let callers = hierarchy(asked, CallDirection::In, &request);
    if callers.total > MOST_FOLLOWED {
        return callers;
    }
    hierarchy(asked, CallDirection::In, &SymbolRequest { depth: DEPTH, ..request })
}

/// The constants, and the variables outside of functions, that lines of a file use, one of which a definition begins at.
pub(crate) fn values(
    store: &Store,
    project: &Project,
    graph: &SymbolGraph,
    (path, line): (&str, u32),
    (first, last): (u32, u32),
) -> Result<Vec<Neighbour>, EngineError> {
    let Some(at) = defined_at(graph, path, line) else { return Ok(Vec::new()) };
    let used = graph.references_in(graph.definition(at).file, first..=last);
    let found = used_besides_calls(graph, used, is_value);
    described(store, project, graph, &found)
}

/// What references refer to for certain, each definition once, that is of such a kind.
fn used_besides_calls<'g>(
    graph: &SymbolGraph,
    references: impl Iterator<Item = &'g SymbolReference>,
    is_such: impl Fn(DefinitionKind) -> bool,
) -> Vec<SymbolIx> {
    let is_sure = |used: &&SymbolReference| used.confidence >= SymbolRequest::default().min_confidence;
    let sure = references.filter(is_sure).map(|used| used.symbol);
    distinct(sure.filter(|&at| is_such(graph.definition(at).kind))).take(MOST_OTHERS).collect()
}

/// Of a name with more definitions only those that are near count: common names carry little information.
const MOST_OF_NAME: usize = 3;

/// The selected definitions that have one of these names, each once, but tests and what is local to a function.
pub(crate) fn named(
    graph: &SymbolGraph,
    names: &[String],
    is_selected: impl Fn(SymbolIx) -> bool,
    is_near: impl Fn(SymbolIx) -> bool,
) -> Vec<SymbolIx> {
    let mut found: Vec<SymbolIx> = Vec::new();
    for query in names.iter().filter_map(|name| SymbolQuery::parse(name)) {
        let is_counted = |&at: &SymbolIx| {
            let definition = graph.definition(at);
            let is_local = definition.traits.has(Traits::LOCAL) || definition.traits.has(Traits::DECLARATION);
            let is_of_code = definition.kind.is_callable() || definition.kind.is_type();
            is_of_code && !is_local && !graph.is_test(at) && is_selected(at)
        };
        let mut of_name: Vec<SymbolIx> = graph.find(&query).into_iter().filter(is_counted).collect();
        if of_name.len() > MOST_OF_NAME {
            of_name.retain(|&at| is_near(at));
        }
        if of_name.len() <= MOST_OF_NAME {
            found.extend(of_name);
        }
    }
    distinct(found).collect()
}

/// Definitions with their places and signatures.
pub(crate) fn described(
    store: &Store,
    project: &Project,
    graph: &SymbolGraph,
    definitions: &[SymbolIx],
) -> Result<Vec<Neighbour>, EngineError> {
    let mut files = Files::new(store, project);
    definitions.iter().map(|&at| files.neighbour_at(graph, at)).collect()
}

/// The files of neighbours, each read once.
pub(super) struct Files<'a> {
    store: &'a Store,
    project: &'a Project,
    read: HashMap<String, FileLines>,
}

impl<'a> Files<'a> {
    pub(super) fn new(store: &'a Store, project: &'a Project) -> Self {
        Self { store, project, read: HashMap::new() }
    }

    fn get(&mut self, path: &str) -> Result<&FileLines, EngineError> {
        if !self.read.contains_key(path) {
            let lines = FileLines::read(self.store, self.project, path)?;
            self.read.insert(path.to_owned(), lines);
        }
        Ok(&self.read[path])
    }

    /// The types, constants and variables that a symbol uses, in the order of their first uses.
    fn others(&mut self, asked: &Asked<'_>, called: &[Neighbour]) -> Result<Vec<Neighbour>, EngineError> {
        let graph = asked.graph;
        let used = asked.parts.iter().flat_map(|&part| graph.references_within(part));
        let found = used_besides_calls(graph, used, |kind| is_value(kind) || kind.is_type());
        let others: Result<Vec<_>, EngineError> =
            found.iter().map(|&at| self.neighbour_at(graph, at)).collect();
        let is_called = |other: &Neighbour| {
            called.iter().any(|called| (&called.path, called.lines) == (&other.path, other.lines))
        };
        Ok(others?.into_iter().filter(|other| !is_called(other)).collect())
    }

    /// A definition by itself.
    pub(super) fn neighbour_at(
        &mut self,
        graph: &SymbolGraph,
        at: SymbolIx,
    ) -> Result<Neighbour, EngineError> {
        let definition = graph.definition(at);
        let file = &graph.files[definition.file as usize];
        let lines = self.get(&file.path)?;
        Ok(Neighbour {
            name: graph.qualified_name(at),
            kind: Some(definition.kind),
            path: file.path.clone(),
            lines: (definition.line_start, definition.line_end),
            signature: match is_value(definition.kind) {
                true => lines.shown(definition.line),
                false => lines.signature(definition.line, definition.line_end),
            },
            call_lines: Vec::new(),
            test: graph.is_test(at),
        })
    }

    fn callee(&mut self, graph: &SymbolGraph, row: &CallRow) -> Result<Neighbour, EngineError> {
        let definition = row.kind.and_then(|_| defined_at(graph, &row.path, row.line));
        let definition = definition.map(|at| graph.definition(at));
        let signature = match definition {
            Some(found) => self.get(&row.path)?.signature(found.line, found.line_end),
            None => String::new(),
        };
        Ok(Neighbour {
            name: row.name.clone(),
            kind: row.kind,
            path: row.path.clone(),
            lines: definition.map_or((row.line, row.line), |found| (found.line_start, found.line_end)),
            signature,
            call_lines: row.call_lines.clone(),
            test: row.test,
        })
    }
}

pub(crate) fn defined_at(graph: &SymbolGraph, path: &str, line: u32) -> Option<SymbolIx> {
    let query = SymbolQuery::parse(&format!("{path}:{line}"))?;
    graph.find(&query).first().copied()
}
