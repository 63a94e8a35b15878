//! What is around a definition: what it calls, who calls it, and what else its file defines.

use std::collections::HashMap;

use craig_chunk::names::DefinitionKind;
use craig_insight::{SymbolGraph, SymbolIx};
use craig_store::{Project, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::calls::hierarchy;
use super::{Asked, CallDirection, CallRow, FileLines, SymbolRequest};
use crate::EngineError;

/// Callees and callers that are looked at.
const MOST_ROWS: usize = 60;

/// A definition beside another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Neighbour {
    /// Qualified name; of code outside of definitions, the path of its file.
    pub name: String,
    /// What it is; null for code outside of definitions.
    pub kind: Option<DefinitionKind>,
    /// Path relative to the project's folder.
    pub path: String,
    /// First and last line, with the comment above it.
    pub lines: (u32, u32),
    /// How it is declared.
    pub signature: String,
    /// Lines of the calls: in its own file for callers, in that of the caller for callees.
    pub call_lines: Vec<u32>,
    /// Whether it is in a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

/// Constants that are looked at.
const MOST_CONSTANTS: usize = 12;

/// What is around a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Neighbours {
    /// What it calls, in the order of the calls.
    pub callees: Vec<Neighbour>,
    /// Constants and variables outside of functions that it uses, with their lines.
    pub constants: Vec<Neighbour>,
    /// Who calls it; tests last.
    pub callers: Vec<Neighbour>,
    /// Callers in all.
    pub n_callers: u64,
    /// Calls from or to it whose other end is not certain.
    pub n_possible: u64,
}

/// What is around the definition whose name is at a line; nothing if there is none.
pub(crate) fn neighbours(
    store: &Store,
    project: &Project,
    graph: &SymbolGraph,
    (path, line): (&str, u32),
) -> Result<Neighbours, EngineError> {
    let Ok(asked) = Asked::find(store, project, graph, &format!("{path}:{line}")) else {
        return Ok(Neighbours::default());
    };
    let request = SymbolRequest { limit: MOST_ROWS, ..SymbolRequest::default() };
    let callees = hierarchy(&asked, CallDirection::Out, &request);
    let callers = hierarchy(&asked, CallDirection::In, &request);
    let mut files = Files { asked: &asked, read: HashMap::new() };
    Ok(Neighbours {
        callees: files.neighbours(&callees.calls)?,
        constants: files.constants()?,
        callers: files.neighbours(&callers.calls)?,
        n_callers: callers.total,
        n_possible: callees.possible + callers.possible,
    })
}

/// The files of the neighbours of a symbol, each read once.
struct Files<'a> {
    asked: &'a Asked<'a>,
    read: HashMap<String, FileLines>,
}

impl Files<'_> {
    fn get(&mut self, path: &str) -> Result<&FileLines, EngineError> {
        if !self.read.contains_key(path) {
            let lines = FileLines::read(self.asked.store, self.asked.project, path)?;
            self.read.insert(path.to_owned(), lines);
        }
        Ok(&self.read[path])
    }

    /// The constants that the symbol uses, in the order of their first uses.
    fn constants(&mut self) -> Result<Vec<Neighbour>, EngineError> {
        let (asked, graph) = (self.asked, self.asked.graph);
        let mut found: Vec<SymbolIx> = Vec::new();
        for used in asked.parts.iter().flat_map(|&part| graph.references_within(part)) {
            let kind = graph.definition(used.symbol).kind;
            let is_sure = used.confidence >= SymbolRequest::default().min_confidence;
            let is_constant = matches!(kind, DefinitionKind::Constant | DefinitionKind::Variable);
            if is_constant && is_sure && !found.contains(&used.symbol) {
                found.push(used.symbol);
            }
        }
        let constant = |&at: &SymbolIx| {
            let definition = graph.definition(at);
            Ok(Neighbour {
                name: graph.qualified_name(at),
                kind: Some(definition.kind),
                path: asked.path_of(at).to_owned(),
                lines: (definition.line, definition.line_end),
                signature: self.get(asked.path_of(at))?.shown(definition.line),
                call_lines: Vec::new(),
                test: asked.is_test(definition.file),
            })
        };
        found.iter().take(MOST_CONSTANTS).map(constant).collect()
    }

    fn neighbours(&mut self, rows: &[CallRow]) -> Result<Vec<Neighbour>, EngineError> {
        rows.iter().map(|row| self.neighbour(row)).collect()
    }

    fn neighbour(&mut self, row: &CallRow) -> Result<Neighbour, EngineError> {
        let graph = self.asked.graph;
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

fn defined_at(graph: &SymbolGraph, path: &str, line: u32) -> Option<SymbolIx> {
    let query = craig_insight::SymbolQuery::parse(&format!("{path}:{line}"))?;
    graph.find(&query).first().copied()
}
