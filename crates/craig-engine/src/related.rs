//! Code that is like some other code.

use craig_store::{Project, Store, StoredChunk, StoredFile};
use serde::Serialize;

use crate::project::unknown_file;
use crate::search::SearchRequest;
use crate::{Engine, EngineError, Hit};

/// What is like a place.
#[derive(Clone, Debug, Serialize)]
pub struct Related {
    /// Name of the project.
    pub project: String,
    /// Path of the place.
    pub path: String,
    /// First line of the code that others are compared with.
    pub line_start: u32,
    /// Its last line, inclusive.
    pub line_end: u32,
    /// Symbol that it defines, or heading.
    pub symbol_name: Option<String>,
    /// What is like it, best first; the place itself left out.
    pub hits: Vec<Hit>,
}

/// Bytes of a place that others are compared with: what it is about stands at its beginning.
const MOST_BYTES: usize = 4_000;

impl Engine {
    /// Finds code that is like the chunk at `line` of a file, which is 1-based.
    pub fn related(
        &self,
        handle: &str,
        path: &str,
        line: u32,
        request: &SearchRequest,
    ) -> Result<Related, EngineError> {
        let path = path.trim_start_matches("./");
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let file = stored_file(&store, &project, path)?;
        let chunk = file.as_ref().and_then(|file| Some((file, chunk_at(file, line)?)));
        let Some((file, chunk)) = chunk else {
            return Err(EngineError::NothingToCompare { path: path.to_owned() });
        };
        let text = chunk.text(&file.text);
        let query = &text[..text.floor_char_boundary(MOST_BYTES)];
        // One more of each, since the place is like itself.
        let wider = SearchRequest { limit: request.limit + 1, ..request.clone() };
        drop(store);
        let mut hits = self.search(handle, query, &wider)?.hits;
        hits.retain(|hit| {
            hit.path != path || hit.line_end < chunk.line_start || hit.line_start > chunk.line_end
        });
        hits.truncate(request.limit);
        Ok(Related {
            project: project.name,
            path: path.to_owned(),
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            symbol_name: chunk.symbol_name.clone(),
            hits,
        })
    }
}

/// A tracked file with its chunks, of which one without text has none.
fn stored_file(store: &Store, project: &Project, path: &str) -> Result<Option<StoredFile>, EngineError> {
    match store.tracked_file(project.id, path)? {
        Some(tracked) => {
            let file = store.load_files(&[tracked.id], "")?.pop();
            Ok(file.map(StoredFile::verified).transpose()?)
        }
        None => Err(unknown_file(store, project, path)?),
    }
}

/// The chunk that holds a line, or the last before it.
fn chunk_at(file: &StoredFile, line: u32) -> Option<&StoredChunk> {
    let holds = |chunk: &&StoredChunk| (chunk.line_start..=chunk.line_end).contains(&line);
    file.chunks.iter().find(holds).or_else(|| file.chunks.iter().rfind(|chunk| chunk.line_start <= line))
}
