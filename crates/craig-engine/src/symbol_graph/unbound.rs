//! Lines that have a symbol's name and are bound to nothing: what a graph of symbols cannot say is left to the reader.

use std::collections::BTreeSet;

use craig_symbols::SymbolReference;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Asked, SymbolRequest, own_name};
use crate::{Engine, EngineError, GrepLine, GrepRequest};

/// Lines with the word that a symbol is called, without the definitions of all symbols of that name and what is bound to one of
/// them: calls whose receiver is unknown, comments, strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnboundLines {
    /// The last part of the symbol's name.
    pub word: String,
    /// The first of these lines, by path and line.
    pub lines: Vec<UnboundLine>,
    /// All of them, listed or not.
    pub total: u64,
}

/// A line with the name of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnboundLine {
    /// Path relative to the project's folder.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Qualified name of the definition around it.
    pub within: Option<String>,
    /// First and last line of that definition.
    pub within_lines: Option<(u32, u32)>,
    /// The line, without indentation; a long one is cut.
    pub text: String,
}

/// What is known of a symbol's name: the word, and the lines that define, or are bound to, a symbol of that name.
pub(super) struct BoundWord {
    word: String,
    places: BTreeSet<(String, u32)>,
}

impl BoundWord {
    /// `references` are those of the symbol itself. Those of the others bind a line if they are shown by default.
    pub(super) fn new(asked: &Asked<'_>, references: &[SymbolReference]) -> Self {
        let graph = asked.graph;
        let min_confidence = SymbolRequest::default().min_confidence;
        let named = graph.named(&graph.definition(asked.first()).name);
        let definitions = named.iter().map(|&at| graph.definition(at)).map(|found| (found.file, found.line));
        let others = named.iter().filter(|at| !asked.parts.contains(at));
        let bound = others.flat_map(|&at| graph.references_to(at));
        let bound = bound.filter(|found| found.confidence >= min_confidence);
        let references = references.iter().chain(bound).map(|found| (found.file, found.line));
        let places = definitions.chain(references).map(|(file, line)| (asked.path(file).to_owned(), line));
        let name = graph.qualified_name(asked.first());
        Self { word: own_name(&name).to_owned(), places: places.collect() }
    }
}

impl Engine {
    /// Unbound lines with the word; at most `limit` are listed.
    pub(super) fn unbound(
        &self,
        project: &str,
        bound: &BoundWord,
        limit: usize,
    ) -> Result<UnboundLines, EngineError> {
        // Of so many lines with the word the first that are not bound are among them.
        let n_read = limit.saturating_add(bound.places.len());
        let request =
            GrepRequest { literal: true, whole_words: true, limit: n_read, ..GrepRequest::default() };
        let found = self.grep(project, &bound.word, &request)?;
        let n_unseen = found.total_lines.saturating_sub(found.lines.len() as u64);
        let is_unbound = |line: &GrepLine| !bound.places.contains(&(line.path.clone(), line.line));
        let mut lines: Vec<UnboundLine> =
            found.lines.into_iter().filter(is_unbound).map(UnboundLine::from).collect();
        let total = lines.len() as u64 + n_unseen;
        lines.truncate(limit);
        Ok(UnboundLines { word: bound.word.clone(), total, lines })
    }
}

impl From<GrepLine> for UnboundLine {
    fn from(line: GrepLine) -> Self {
        Self {
            text: line.text.trim().to_owned(),
            path: line.path,
            line: line.line,
            within: line.symbol,
            within_lines: line.symbol_lines,
        }
    }
}
