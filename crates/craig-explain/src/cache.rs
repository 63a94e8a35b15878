//! Explanations that were given before.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use craig_source::ContentHash;

use crate::explain::Explanation;

/// How long an explanation is kept.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(600);

/// Most explanations that are kept.
const CAPACITY: usize = 1_000;

/// What an explanation depends on: the selection with what surrounds it, the documents, the model, the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheKey(ContentHash);

impl CacheKey {
    /// The key of a selection of a text, asked of documents with this hash and explained by `model`.
    pub fn of(
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
        Self(ContentHash::of(&bytes))
    }
}

/// Keeps explanations for a while. A document that changes gives other keys, so nothing stale comes back.
#[derive(Debug)]
pub struct Cache<T = Explanation> {
    kept: HashMap<CacheKey, (Instant, T)>,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { kept: HashMap::new() }
    }
}

impl<T> Cache<T> {
    /// What was answered before, if that is not too long ago.
    pub fn get(&self, key: CacheKey, now: Instant) -> Option<&T> {
        let (since, explanation) = self.kept.get(&key)?;
        (now.duration_since(*since) < TIME_TO_LIVE).then_some(explanation)
    }

    /// Keeps an answer; when there are too many the old ones go, and all when none is old.
    pub fn put(&mut self, key: CacheKey, now: Instant, explanation: T) {
        if self.kept.len() >= CAPACITY {
            self.kept.retain(|_, (since, _)| now.duration_since(*since) < TIME_TO_LIVE);
        }
        if self.kept.len() >= CAPACITY {
            self.kept.clear();
        }
        self.kept.insert(key, (now, explanation));
    }
}
