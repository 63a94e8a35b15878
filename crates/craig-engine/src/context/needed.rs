//! Definitions that the best block needs: the types of its function's signature and, if the question is about it, what it
//! calls.

use std::collections::HashMap;

use craig_chunk::{ChunkKind, Symbol};
use craig_context::{Block, SourceText};
use craig_search::{Description, Evidence, Filter, Hit, KindFilter};
use craig_store::{Project, Store};
use craig_text::{Word, distinct, identifiers};

use crate::symbol_graph::FileLines;
use crate::{Engine, EngineError};

/// Maximum number of definitions that are added.
const MOST_NEEDED: usize = 2;

/// Names of a signature, and names that are called, that are looked up at most.
const MOST_NAMES: usize = 6;

/// Longer definitions are not added.
const MOST_LINES: u32 = 40;

/// A definition that fits a name by less has another name, or is of a test.
const SAME_NAME: f32 = 0.95;

const TYPES: &[ChunkKind] = &[ChunkKind::Class, ChunkKind::Interface, ChunkKind::Enum, ChunkKind::Type];
const FUNCTIONS: &[ChunkKind] = &[ChunkKind::Function, ChunkKind::Method];

/// Words of a question that is about what a function calls.
const ABOUT_CALLS: &[&str] =
    &["call", "calls", "called", "calling", "invoke", "invokes", "delegate", "delegates", "steps", "flow"];

impl Engine {
    /// Definitions that the best of `blocks` needs and none of them contains, as blocks with the relevance of the last
    /// one.
    pub(super) fn needed(
        &self,
        store: &Store,
        project: &Project,
        blocks: &[Block],
        texts: &HashMap<String, SourceText>,
        question: &str,
    ) -> Result<Vec<Block>, EngineError> {
        let (Some(best), Some(last)) = (blocks.first(), blocks.last()) else { return Ok(Vec::new()) };
        let Some((text, function)) =
            texts.get(&best.path).and_then(|text| Some((text, function_of(best, text)?)))
        else {
            return Ok(Vec::new());
        };
        let code = text.lines(&(function.line..=function.line_end));
        let mut wanted = Vec::new();
        if is_about_calls(question) {
            wanted
                .extend(called_in(code).into_iter().map(|name| ("called", FUNCTIONS, name)).take(MOST_NAMES));
        }
        let of_signature = names_in(&FileLines::new(code.to_owned()).signature(1, u32::MAX));
        wanted
            .extend(of_signature.into_iter().map(|name| ("type_of_signature", TYPES, name)).take(MOST_NAMES));
        let mut found: Vec<Block> = Vec::new();
        for (signal, kinds, name) in wanted.into_iter().filter(|(.., name)| *name != function.name) {
            if found.len() == MOST_NEEDED {
                break;
            }
            let Some(hit) = self.only_definition(store, project, name, kinds, &best.path)? else { continue };
            let lines = hit.line_start..=hit.line_end;
            let is_known = blocks.iter().chain(&found).any(|other| other.overlaps(&hit.path, &lines));
            if !is_known && hit.line_end - hit.line_start < MOST_LINES {
                let why = vec![Evidence { signal: signal.to_owned(), value: 1.0 }];
                found.push(Block { score: last.score, why, ..Block::from_hit(&hit) });
            }
        }
        Ok(found)
    }

    /// The definition of a name: the only one of the file at `path`, else of the project.
    fn only_definition(
        &self,
        store: &Store,
        project: &Project,
        name: String,
        kinds: &[ChunkKind],
        path: &str,
    ) -> Result<Option<Hit>, EngineError> {
        let names = [name];
        let description = Description { names: &names, kinds, ..Description::default() };
        let code = Filter::new(KindFilter::Code, Vec::new(), None);
        let mut found = self.ask_index(store, project, &mut Vec::new(), |index| {
            index.definitions(store, project.id, &description, &code, SAME_NAME, 4)
        })?;
        found.retain(|hit| hit.symbol_name.as_ref() == Some(&names[0]) && kinds.contains(&hit.chunk_type));
        if found.iter().any(|hit| hit.path == path) {
            found.retain(|hit| hit.path == path);
        }
        Ok(found.pop().filter(|_| found.is_empty()))
    }
}

/// The function that a block is, or is a part of.
fn function_of<'t>(block: &Block, text: &'t SourceText) -> Option<&'t Symbol> {
    let is_function = |symbol: &&Symbol| FUNCTIONS.contains(&symbol.kind);
    let holds = |symbol: &&Symbol| symbol.line <= block.line_end && symbol.line_end >= block.line_start;
    let functions = text.symbols.iter().filter(is_function).filter(holds);
    let is_named = |symbol: &Symbol| block.symbol_name.as_ref() == Some(&symbol.name);
    functions.min_by_key(|symbol| (!is_named(symbol), symbol.line_end - symbol.line))
}

/// The names in a signature, each once.
fn names_in(signature: &str) -> Vec<String> {
    distinct(identifiers(signature).map(|word| word.text.to_owned())).collect()
}

/// The names before an opening bracket, each once.
fn called_in(code: &str) -> Vec<String> {
    let is_called = |word: &Word<'_>| code[word.start + word.text.len()..].starts_with('(');
    distinct(identifiers(code).filter(is_called).map(|word| word.text.to_owned())).collect()
}

fn is_about_calls(question: &str) -> bool {
    identifiers(question).any(|word| ABOUT_CALLS.contains(&word.text.to_lowercase().as_str()))
}
