//! Keeps rankings for a time, and computes one only once for requests that ask the same at the same time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Document, Ranking, RerankRequest, RerankSource, Reranker};
use crate::{FailureClass, ModelError};

/// A cache that several processes share, such as Redis. While it cannot be reached, it holds nothing.
pub trait SharedCache: Send + Sync {
    /// The value of a key.
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps a value for a time.
    fn put(&self, key: &str, value: &[u8], time: Duration);
}

/// What of a document decides its score, and so belongs to the key of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// Its text alone.
    Text,
    /// Its path and the score it was found with as well.
    WholeDocument,
}

/// A reranker whose answers are kept, in memory and in a cache that processes share.
pub struct CachedReranker<R> {
    inner: R,
    entries: moka::sync::Cache<[u8; 32], Arc<Ranking>>,
    shared: Option<Arc<dyn SharedCache>>,
    time: Duration,
    scope: CacheScope,
}

impl<R: Reranker> CachedReranker<R> {
    /// Keeps the newest `max_entries` answers of `inner` for a time, also in the `shared` cache. With no time, only requests at
    /// the same time share an answer.
    pub fn new(
        inner: R,
        scope: CacheScope,
        (max_entries, time): (u64, Duration),
        shared: Option<Arc<dyn SharedCache>>,
    ) -> Self {
        let entries =
            moka::sync::Cache::builder().max_capacity(max_entries.max(1)).time_to_live(time).build();
        Self { inner, entries, shared, time, scope }
    }

    /// The hash of reranker, query and documents.
    fn key(&self, request: &RerankRequest<'_>) -> [u8; 32] {
        let mut key = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            key.update(blake3::hash(bytes).as_bytes());
        };
        add(self.name().as_bytes());
        add(request.query.as_bytes());
        add(&request.top.to_le_bytes());
        for Document { path, text, score } in request.documents {
            if self.scope == CacheScope::WholeDocument {
                add(path.unwrap_or_default().as_bytes());
                add(&score.to_le_bytes());
            }
            add(text.as_bytes());
        }
        *key.finalize().as_bytes()
    }

    fn compute(&self, key: &[u8; 32], request: &RerankRequest<'_>) -> Result<Arc<Ranking>, ModelError> {
        let name = format!("rerank:{}", blake3::Hash::from_bytes(*key).to_hex());
        if let Some(ranking) = self.shared_ranking(&name, request.documents.len()) {
            return Ok(Arc::new(Ranking { source: RerankSource::Cache, ..ranking }));
        }
        let ranking = self.inner.rerank(request)?;
        if let Some(shared) = &self.shared
            && let Ok(bytes) = serde_json::to_vec(&ranking)
            && !self.time.is_zero()
        {
            shared.put(&name, &bytes, self.time);
        }
        Ok(Arc::new(ranking))
    }

    fn shared_ranking(&self, name: &str, n_documents: usize) -> Option<Ranking> {
        let bytes = self.shared.as_ref()?.get(name)?;
        let ranking: Ranking = serde_json::from_slice(&bytes).ok()?;
        ranking.ranked.iter().all(|document| document.index < n_documents).then_some(ranking)
    }
}

impl<R: Reranker> Reranker for CachedReranker<R> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        let key = self.key(request);
        loop {
            let entry = self.entries.entry(key).or_try_insert_with(|| self.compute(&key, request));
            match entry {
                Ok(entry) if entry.is_fresh() => return Ok(Ranking::clone(entry.value())),
                Ok(entry) => {
                    return Ok(Ranking { source: RerankSource::Cache, ..Ranking::clone(entry.value()) });
                }
                Err(error) => {
                    // The request that it was computed for has gone: this one goes on with its own.
                    let is_of_other = error.class() == FailureClass::Cancelled
                        && !request.cancellation.is_cancelled()
                        && Instant::now() < request.deadline;
                    if !is_of_other {
                        return Err(ModelError::clone(&error));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Mutex, PoisonError};

    use super::*;

    const HOUR: (u64, Duration) = (10, Duration::from_secs(3_600));

    /// Scores by length, and counts how often it is asked. Fails for the query "fail".
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Reranker for Counting {
        fn name(&self) -> &str {
            "counting"
        }

        fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            match request.query {
                "fail" => Err(ModelError::QueueFull),
                _ => Ok(Ranking::from_scores(request.documents.iter().map(|d| d.text.len() as f32 / 10.0))),
            }
        }
    }

    #[derive(Default)]
    struct Memory(Mutex<HashMap<String, Vec<u8>>>);

    impl SharedCache for Memory {
        fn get(&self, key: &str) -> Option<Vec<u8>> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
        }

        fn put(&self, key: &str, value: &[u8], _: Duration) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), value.to_vec());
        }
    }

    /// The scores, and whether they came from the cache.
    fn ask<R: Reranker>(
        reranker: &CachedReranker<R>,
        query: &str,
        path: &str,
        text: &str,
    ) -> Result<(Vec<f32>, bool), ModelError> {
        let documents = [Document { path: Some(path), text, score: 0.0 }];
        let ranking = reranker.rerank(&RerankRequest::new(query, &documents, Duration::from_secs(60)))?;
        Ok((ranking.scores(1), ranking.source == RerankSource::Cache))
    }

    #[test]
    fn the_same_question_is_computed_once() {
        let reranker = CachedReranker::new(Counting::default(), CacheScope::WholeDocument, HOUR, None);
        assert_eq!(ask(&reranker, "q", "a", "x").unwrap(), (vec![0.1], false));
        assert_eq!(ask(&reranker, "q", "a", "x").unwrap(), (vec![0.1], true));
        for (query, path, text) in [("other", "a", "x"), ("q", "b", "x"), ("q", "a", "xy")] {
            assert!(!ask(&reranker, query, path, text).unwrap().1, "{query} {path} {text}");
        }
        let by_text = CachedReranker::new(Counting::default(), CacheScope::Text, HOUR, None);
        ask(&by_text, "q", "a", "x").unwrap();
        assert!(ask(&by_text, "q", "b", "x").unwrap().1, "a path that decides nothing");
    }

    #[test]
    fn failures_and_answers_without_time_are_not_kept() {
        let reranker = CachedReranker::new(Counting::default(), CacheScope::Text, HOUR, None);
        for n in 1..=2 {
            assert!(ask(&reranker, "fail", "a", "x").is_err());
            assert_eq!(reranker.inner.0.load(Ordering::Relaxed), n);
        }
        let none = (10, Duration::ZERO);
        let forgetful = CachedReranker::new(Counting::default(), CacheScope::Text, none, None);
        assert!(!ask(&forgetful, "q", "a", "x").unwrap().1 && !ask(&forgetful, "q", "a", "x").unwrap().1);
    }

    #[test]
    fn another_process_finds_it_in_the_shared_cache() {
        let shared: Arc<Memory> = Arc::default();
        let one = CachedReranker::new(Counting::default(), CacheScope::Text, HOUR, Some(shared.clone()));
        let two = CachedReranker::new(Counting::default(), CacheScope::Text, HOUR, Some(shared));
        assert_eq!(ask(&one, "q", "a", "x").unwrap(), (vec![0.1], false));
        assert_eq!(ask(&two, "q", "a", "x").unwrap(), (vec![0.1], true));
        assert_eq!(two.inner.0.load(Ordering::Relaxed), 0);
    }

    /// Reports each request, and answers it with what it receives.
    struct Scripted(Mutex<Script>);

    struct Script {
        asked: Sender<()>,
        answers: Receiver<Result<Ranking, ModelError>>,
    }

    impl Reranker for Scripted {
        fn name(&self) -> &str {
            "scripted"
        }

        fn rerank(&self, _: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
            let script = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            script.asked.send(()).unwrap();
            script.answers.recv().unwrap()
        }
    }

    #[test]
    fn when_the_first_request_is_cancelled_the_next_goes_on() {
        let ((asked, is_asked), (answer, answers)) = (channel(), channel());
        let scripted = Scripted(Mutex::new(Script { asked, answers }));
        let reranker = CachedReranker::new(scripted, CacheScope::Text, HOUR, None);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| {
                let request = RerankRequest::new("q", &[], Duration::from_secs(60));
                request.cancellation.cancel();
                reranker.rerank(&request)
            });
            is_asked.recv().unwrap();
            let second =
                scope.spawn(|| reranker.rerank(&RerankRequest::new("q", &[], Duration::from_secs(60))));
            answer.send(Err(ModelError::Cancelled { provider: String::new() })).unwrap();
            assert_eq!(first.join().unwrap().unwrap_err().class(), FailureClass::Cancelled);
            is_asked.recv().unwrap();
            answer.send(Ok(Ranking::from_scores([]))).unwrap();
            assert!(second.join().unwrap().is_ok());
        });
    }
}
