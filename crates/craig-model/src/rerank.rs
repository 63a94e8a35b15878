//! Reranking: what every reranker can do, and what it is asked.
//!
//! A reranker scores texts for a query. What makes one fit for a server are decorators, each a [`Reranker`] around another:
//! [`CachedReranker`], [`QueuedReranker`] and [`GuardedReranker`] (circuit breaker and retries). The time limit is part of
//! each request.

mod builtin;
mod cache;
mod dialect;
mod guard;
mod hosted;
mod llm;
mod queue;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::{Cancellation, ModelError};
pub use builtin::BuiltinReranker;
pub use cache::{CacheScope, CachedReranker, SharedCache};
pub use dialect::RerankDialect;
pub use guard::GuardedReranker;
pub use hosted::HostedReranker;
pub use llm::LlmReranker;
pub use queue::{Queue, QueuedReranker};

/// Scores each of a few documents for a query, looking at both together.
pub trait Reranker: Send + Sync {
    /// Names provider and model, for people.
    fn name(&self) -> &str;

    /// Ranks the documents. Fails at the deadline.
    ///
    /// Scores go from 0 to 1, higher is better. They can be compared within one ranking; they are no probabilities.
    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError>;
}

impl<R: Reranker + ?Sized> Reranker for Box<R> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        (**self).rerank(request)
    }
}

/// What to rank.
#[derive(Clone, Debug)]
pub struct RerankRequest<'a> {
    /// The query.
    pub query: &'a str,
    /// Documents that were found, best first.
    pub documents: &'a [Document<'a>],
    /// How many of the best documents the caller needs.
    pub top: usize,
    /// When the caller asked.
    pub started: Instant,
    /// How long it waited in a queue.
    pub queued: Duration,
    /// When an answer is no longer useful.
    pub deadline: Instant,
    /// Ends the request from another thread.
    pub cancellation: Cancellation,
}

impl<'a> RerankRequest<'a> {
    /// A request for all documents, to be answered within `timeout` from now on.
    pub fn new(query: &'a str, documents: &'a [Document<'a>], timeout: Duration) -> Self {
        let started = Instant::now();
        Self {
            query,
            documents,
            top: documents.len(),
            started,
            queued: Duration::ZERO,
            deadline: started + timeout,
            cancellation: Cancellation::default(),
        }
    }
}

/// A document that was found.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Path of its file, if known.
    pub path: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
    /// How relevant the search that found it thinks it is, 0 to 1.
    pub score: f32,
}

/// The answer of a reranker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// Documents by descending score, ties by index; each at most once. A provider may leave documents out.
    pub ranked: Vec<RankedDocument>,
    /// Tokens that the provider counted, if it counts them.
    pub total_tokens: Option<u64>,
    /// Where it came from.
    #[serde(skip)]
    pub source: RerankSource,
}

/// Where a ranking came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RerankSource {
    /// Voyage, or a server with its dialect.
    Voyage,
    /// Another server with `/v1/rerank`.
    Provider,
    /// This machine, or a language model.
    #[default]
    Local,
    /// An earlier request, or another one at the same time.
    Cache,
}

/// One document of a [`Ranking`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedDocument {
    /// Its index among the documents of the request.
    pub index: usize,
    /// 0 to 1, higher is better.
    pub score: f32,
}

impl Ranking {
    /// The ranking by these scores, one for each document in the order of the request.
    pub fn from_scores(scores: impl IntoIterator<Item = f32>) -> Self {
        let ranked = scores.into_iter().enumerate().map(|(index, score)| RankedDocument { index, score });
        Self::new(ranked.collect(), None)
    }

    fn new(mut ranked: Vec<RankedDocument>, total_tokens: Option<u64>) -> Self {
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        Self { ranked, total_tokens, source: RerankSource::Local }
    }

    /// The score of each of `n_documents`, in the order of the request; 0 for those that were left out.
    pub fn scores(&self, n_documents: usize) -> Vec<f32> {
        let mut scores = vec![0.0; n_documents];
        for document in &self.ranked {
            if let Some(score) = scores.get_mut(document.index) {
                *score = document.score;
            }
        }
        scores
    }
}

/// Scores as they came, in 0 to 1: where some are outside, they are logits, and all go through the logistic function.
fn in_unit_range(scores: Vec<f32>) -> Vec<f32> {
    if scores.iter().all(|score| (0.0..=1.0).contains(score)) {
        return scores;
    }
    scores.into_iter().map(logistic).collect()
}

/// The probability of log-odds: the logistic function.
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Scales scores so that the least is 0 and the greatest is 1; equal ones become ½.
fn min_max(scores: &[f32]) -> Vec<f32> {
    let least = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = greatest - least;
    scores.iter().map(|score| if range > 0.0 { (score - least) / range } else { 0.5 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logits_become_scores_and_scores_stay() {
        assert_eq!(in_unit_range(vec![0.0, 1.0, 0.25]), [0.0, 1.0, 0.25]);
        let scores = in_unit_range(vec![0.5, -3.0, 9.0]);
        assert!(scores[1] < 0.05 && (0.6..0.7).contains(&scores[0]) && scores[2] > 0.99, "{scores:?}");
    }

    #[test]
    fn ranges_are_stretched() {
        assert_eq!(min_max(&[2.0, 4.0, 3.0]), [0.0, 1.0, 0.5]);
        assert_eq!(min_max(&[2.0, 2.0]), [0.5, 0.5]);
        assert!(min_max(&[]).is_empty());
    }

    #[test]
    fn scores_become_a_ranking_and_back() {
        let ranking = Ranking::from_scores([0.2, 0.9, 0.2]);
        assert_eq!(ranking.ranked.iter().map(|document| document.index).collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!(ranking.scores(4), [0.2, 0.9, 0.2, 0.0]);
    }
}
