//! Definitions by name, for people who know what they look for.

use craig_search::{Description, Filter, Hit};
use serde::Serialize;

use crate::{Engine, EngineError};

/// How well a definition has to fit a name: case, separators, tests and minor kinds apart, it is that name.
const SAME_NAME: f32 = 0.88;

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// Path relative to the project's folder.
    pub path: String,
    /// Name as written.
    pub name: String,
    /// Its kind: `function`, `class` and so on.
    pub kind: String,
    /// Qualified name of what encloses it.
    pub parent: Option<String>,
    /// Line of the name, 1-based.
    pub line: u32,
    /// Last line of the definition, 1-based, inclusive.
    pub line_end: u32,
}

impl Engine {
    /// Definitions of a project, as currently indexed, whose names hold `part` in any case; the most similar names
    /// first.
    pub fn symbols(&self, handle: &str, part: &str, limit: usize) -> Result<Vec<Symbol>, EngineError> {
        let store = self.store()?;
        let found = self.read(&store, handle, |project| Ok(store.symbols_with(project.id, part, limit)?))?;
        let symbol = |(path, symbol): (String, craig_chunk::Symbol)| Symbol {
            path,
            name: symbol.name,
            kind: symbol.kind.as_str().to_owned(),
            parent: symbol.parent,
            line: symbol.line,
            line_end: symbol.line_end,
        };
        Ok(found.into_iter().map(symbol).collect())
    }

    /// The definitions of `name` in a project as currently indexed, the likeliest first: `request`, or `Client.request`
    /// with what encloses it.
    pub fn definitions(&self, handle: &str, name: &str, limit: usize) -> Result<Vec<Hit>, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let names = [name.to_owned()];
        let description = Description { names: &names, ..Description::default() };
        self.ask_index(&store, &project, &mut Vec::new(), |index| {
            index.definitions(&store, project.id, &description, &Filter::default(), SAME_NAME, limit)
        })
    }
}
