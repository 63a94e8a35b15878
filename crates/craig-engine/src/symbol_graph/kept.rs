//! Symbols from a graph that is kept already: for callers that cannot wait until one is made.

use craig_symbols::{ScipFile, SymbolGraph, SymbolQuery};
use craig_text::distinct;

use super::{Asked, GraphSymbol, SymbolRequest};
use crate::{Engine, EngineError};

/// The definitions of a name, and how often they are referred to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSymbol {
    /// The requested name.
    pub name: String,
    /// Its definitions, the likeliest first.
    pub definitions: Vec<GraphSymbol>,
    /// References to any of them, of the confidence that [`SymbolRequest`] asks for by default.
    pub references: u64,
}

/// A name with more definitions than this, such as `new`, is left out: they say nothing about one of them.
const MAX_DEFINITIONS: usize = 8;

impl Engine {
    /// Definitions of `names` in the graph of symbols that is kept of a project. Names that it does not define are left out, and
    /// so are all if no graph of the project's present generation is kept.
    pub fn kept_symbols(&self, handle: &str, names: &[String]) -> Result<Vec<KeptSymbol>, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let scip = ScipFile::find(&project.source_path);
            let Some(graph) = SymbolGraph::kept_part(&store, project, scip.as_ref(), names) else {
                return Ok(Vec::new());
            };
            let found = names.iter().filter_map(|name| {
                let named = graph.find(&SymbolQuery::parse(name)?);
                let is_telling = (1..=MAX_DEFINITIONS).contains(&named.len());
                is_telling.then(|| kept_symbol(&Asked::from_parts(&store, project, &graph, named), name))
            });
            Ok(found.collect())
        })
    }
}

fn kept_symbol(asked: &Asked<'_>, name: &str) -> KeptSymbol {
    let (references, _) = asked.references(SymbolRequest::default().min_confidence, &[]);
    let symbols = distinct(asked.parts.iter().map(|&part| asked.representative(part)));
    KeptSymbol {
        name: name.to_owned(),
        definitions: symbols.map(|at| asked.symbol(at)).collect(),
        references: references.len() as u64,
    }
}
