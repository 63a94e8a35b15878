//! Explanations that were given before.

use std::time::Duration;

use craig_source::ContentHash;

use crate::explain::Explanation;

/// How long an explanation is kept.
const TIME_TO_LIVE: Duration = Duration::from_secs(600);

/// Most explanations that are kept.
const CAPACITY: u64 = 1_000;

/// What an explanation depends on: the selection with what surrounds it, the documents, the model, the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheKey(ContentHash);

impl CacheKey {
    /// The key of a selection of a text, asked of documents with this hash and explained by `model`.
    pub fn new(
        path: &str,
        text: &str,
        lines: Option<(usize, usize)>,
        documents: ContentHash,
        model: &str,
    ) -> Self {
        let mut bytes = Vec::with_capacity(text.len() + path.len() + 128);
        for part in [path.as_bytes(), text.as_bytes(), model.as_bytes(), env!("CARGO_PKG_VERSION").as_bytes()]
        {
            // The length keeps one part from running into the next.
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        let (first, last) = lines.unwrap_or((0, 0));
        bytes.extend_from_slice(&(first as u64).to_le_bytes());
        bytes.extend_from_slice(&(last as u64).to_le_bytes());
        bytes.extend_from_slice(&documents.0);
        Self(ContentHash::from_content(&bytes))
    }
}

/// Explanations that were given before. A document that changes gives other keys, so nothing stale comes back.
pub type Cache<T = Explanation> = moka::sync::Cache<CacheKey, T>;

/// An empty cache.
pub fn cache<T: Clone + Send + Sync + 'static>() -> Cache<T> {
    moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(TIME_TO_LIVE).build()
}
