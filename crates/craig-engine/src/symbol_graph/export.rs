//! The graph of symbols as a SCIP index, for other tools.

use craig_model::Cancellation;
use craig_symbols::ScipOrigin;
use serde::Serialize;

use crate::{Engine, EngineError};

/// A SCIP index and what is in it.
#[derive(Clone, Debug, Serialize)]
pub struct ScipExport {
    /// Name of the project.
    pub project: String,
    /// Files in the index.
    pub documents: u64,
    /// Symbols.
    pub symbols: u64,
    /// Places that define a symbol or refer to one.
    pub occurrences: u64,
    /// The bytes of the index file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl Engine {
    /// The symbols of a project as currently indexed, with references of at least `min_confidence` percent.
    pub fn scip(
        &self,
        handle: &str,
        min_confidence: u8,
        cancellation: &Cancellation,
    ) -> Result<ScipExport, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let graph = self.symbol_graph(&store, project, cancellation)?;
            let root = file_uri(&project.source_path);
            let origin =
                ScipOrigin { project: &project.name, root: &root, version: env!("CARGO_PKG_VERSION") };
            let mut failed = None;
            let text = |path: &str| match store.file_text(project.id, path) {
                Ok(found) => found.and_then(|found| found.content),
                Err(error) => {
                    failed = Some(error);
                    None
                }
            };
            let index = graph.scip(origin, min_confidence, text);
            match failed {
                Some(error) => Err(error.into()),
                None => Ok(ScipExport {
                    project: project.name.clone(),
                    documents: index.documents,
                    symbols: index.symbols,
                    occurrences: index.occurrences,
                    bytes: index.bytes,
                }),
            }
        })
    }
}

/// The `file:` URI of an absolute path.
fn file_uri(path: &str) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
