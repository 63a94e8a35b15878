//! The definitions of an indexed project, which distinguish symbols of the same name in explanations.

use std::path::Path;
use std::sync::Arc;

use craig_chunk::names::Traits;
use craig_explain::{Definitions, Holder};
use craig_model::Cancellation;
use craig_symbols::{SymbolFile, SymbolGraph, SymbolIx};

use crate::{Engine, EngineError};

/// Maximum number of definitions of a name to consider.
const MOST_ALIKE: usize = 200;

/// The definitions of a project's code, as they were indexed.
pub struct CodeDefinitions {
    graph: Arc<SymbolGraph>,
    /// The generation of the project.
    pub(super) generation: u64,
}

impl Engine {
    /// The definitions of the project that holds `directory`, as they are indexed; none if it is not ingested.
    pub fn code_definitions(&self, directory: &Path) -> Result<Option<CodeDefinitions>, EngineError> {
        let Some(handle) = self.project_of_directory(directory)? else { return Ok(None) };
        let store = self.store()?;
        self.read(&store, &handle, |project| {
            let graph = self.symbol_graph(&store, project, &Cancellation::default())?;
            Ok(Some(CodeDefinitions { graph, generation: project.generation }))
        })
    }
}

impl Definitions for CodeDefinitions {
    fn holders(&self, name: &str) -> Vec<Holder> {
        let named = self.graph.named(name).iter().take(MOST_ALIKE);
        let is_local = |at: SymbolIx| self.graph.definition(at).traits.has(Traits::LOCAL);
        named.filter(|&&at| !is_local(at)).map(|&at| self.holder(at)).collect()
    }
}

impl CodeDefinitions {
    fn holder(&self, at: SymbolIx) -> Holder {
        let holder_of = |of| self.type_around(of).unwrap_or_else(|| self.file_stem(of));
        Holder {
            name: holder_of(at).to_owned(),
            is_type: self.type_around(at).is_some(),
            overrides: self.graph.overridden(at).map(|base| holder_of(base).to_owned()).collect(),
        }
    }

    fn type_around(&self, at: SymbolIx) -> Option<&str> {
        let mut around = self.graph.enclosing(at).skip(1).map(|of| self.graph.definition(of));
        around.find(|of| of.kind.is_type()).map(|of| of.name.as_str())
    }

    fn file_stem(&self, at: SymbolIx) -> &str {
        craig_text::path::file_stem(&self.file(at).path)
    }

    fn file(&self, at: SymbolIx) -> &SymbolFile {
        &self.graph.files[self.graph.definition(at).file as usize]
    }
}
