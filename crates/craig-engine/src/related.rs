//! Code that is like some other code.

use std::collections::HashSet;

use craig_store::{Project, Store, StoredChunk, StoredFile};
use craig_text::prose_words;
use serde::Serialize;

use crate::project::unknown_file;
use crate::search::SearchRequest;
use crate::{Detail, Engine, EngineError, Hit};

/// The message for people and assistants if nothing is very similar to a place.
pub const NOTHING_ALIKE: &str = "nothing here is much like it; these are the closest";

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
    /// What is like it, most alike first; the place itself is left out. Scores are the share of their words that both have.
    pub hits: Vec<Hit>,
    /// Whether the first is much like it; if not, the hits are the nearest that there is.
    pub is_alike: bool,
}

/// Number of bytes of a place that are searched for: its beginning shows what it is about.
const MOST_BYTES: usize = 4_000;

/// Share of their words that two pieces of code have in common if they are much alike.
///
/// About 1 in 100 pairs of functions of a repository has as much. Where the first hit has less, 11% of them are counterparts,
/// otherwise 44% (`evals/related`, docs/benchmarks.md).
const ALIKE: f32 = 0.25;

impl Engine {
    /// Finds code that is like the chunk at `line` of a file, which is 1-based.
    ///
    /// A search finds it, and the share of common words orders it: counterparts come first more often than in the order of the
    /// search (`evals/related`, docs/benchmarks.md).
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
        let n_lines = file.as_ref().map_or(u32::MAX, |file| file.text.lines().count().max(1) as u32);
        if line > n_lines {
            return Err(EngineError::NoSuchLines { path: path.to_owned(), first: line, last: line, n_lines });
        }
        let chunk = file.as_ref().and_then(|file| Some((file, chunk_at(file, line)?)));
        let Some((file, chunk)) = chunk else {
            return Err(EngineError::NothingToCompare { path: path.to_owned() });
        };
        let text = chunk.text(&file.text);
        let query = &text[..text.floor_char_boundary(MOST_BYTES)];
        drop(store);
        let mut hits = self.search(handle, query, &of_whole_texts(request))?.hits;
        hits.retain(|hit| {
            hit.path != path || hit.line_end < chunk.line_start || hit.line_start > chunk.line_end
        });
        order_by_common_words(text, &mut hits);
        hits.retain(|hit| hit.score > 0.0 && hit.score >= request.min_score);
        hits.truncate(request.limit);
        request.detail.shape(&*self.store()?, &project, query, &mut hits)?;
        Ok(Related {
            project: project.name,
            path: path.to_owned(),
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            symbol_name: chunk.symbol_name.clone(),
            is_alike: hits.first().is_some_and(|first| first.score >= ALIKE),
            hits,
        })
    }
}

/// The search for what is like a place, with whole texts in the order of the index, and one hit more, as the place is like
/// itself.
fn of_whole_texts(request: &SearchRequest) -> SearchRequest {
    SearchRequest {
        limit: request.limit.saturating_add(1),
        min_score: 0.0,
        rerank: false,
        detail: Detail::Full,
        ..request.clone()
    }
}

/// Scores hits by the share of their words and those of `text` that both have, and sorts them by it.
fn order_by_common_words(text: &str, hits: &mut [Hit]) {
    let words = words_of(text);
    for hit in hits.iter_mut() {
        let others = words_of(&hit.content);
        let n_common = words.intersection(&others).count();
        let n_all = words.len() + others.len() - n_common;
        hit.score = n_common as f32 / n_all.max(1) as f32;
        // These are of the search.
        hit.more.clear();
        hit.evidence.clear();
    }
    // Stable: among equals, the order of the search.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

fn words_of(text: &str) -> HashSet<String> {
    prose_words(text).into_iter().collect()
}

/// A tracked file with its chunks; a file without text has none.
fn stored_file(store: &Store, project: &Project, path: &str) -> Result<Option<StoredFile>, EngineError> {
    match store.tracked_file(project.id, path)? {
        Some(tracked) => {
            let file = store.load_files(project.id, &[tracked.id], "")?.pop();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_names() {
        let a = words_of("fn readUserName(id)");
        let b = words_of("fn read_user_age(id)");
        assert_eq!((a.intersection(&b).count(), a.union(&b).count()), (4, 6));
    }
}
