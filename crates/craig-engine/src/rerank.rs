//! Reranking: the pipeline that everything in the process shares, and what it does to hits and texts.

mod pipeline;
mod texts;

use std::sync::Arc;
use std::time::Instant;

use craig_model::{BreakerState, Cancellation, Document, ModelError, Ranking, SharedCache};
use craig_search::{Evidence, Hit};
use serde::Serialize;

use crate::clock::milliseconds;
use crate::{Engine, EngineError, RerankerConfig};
pub(crate) use pipeline::{RerankPipeline, RerankSubject, Rerankers};

/// The outcome of reranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RerankReport {
    /// Name of the reranker.
    pub reranker: String,
    /// Whether its order counts.
    pub status: RerankStatus,
    /// Why the original order was kept, if it was.
    pub reason: Option<String>,
    /// Number of reranked hits.
    pub candidates: usize,
    /// Milliseconds that it took.
    pub elapsed_ms: f64,
    /// The ranking, or why there is none; for servers.
    #[serde(skip)]
    pub result: Result<Ranking, ModelError>,
}

/// Whose order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RerankStatus {
    /// The reranker's.
    Applied,
    /// The first one: the reranker failed, or took too long.
    Fallback,
}

/// The load of the rerankers of a process, and the state of the configured provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RerankerState {
    /// Reranks that run now.
    pub running: usize,
    /// Reranks that wait for their turn.
    pub waiting: usize,
    /// The configured provider's name of its model, and the state of its circuit breaker.
    pub provider: Option<(String, BreakerState)>,
}

impl Engine {
    /// Ranks texts for a query with the configured reranker, else with the built-in ranking. Only the `top` best are needed.
    pub fn rerank_texts(
        &self,
        query: &str,
        documents: &[Document<'_>],
        top: usize,
        cancellation: &Cancellation,
    ) -> Result<Ranking, EngineError> {
        match self.reranker(RerankSubject::Texts)? {
            Some(pipeline) => Ok(pipeline.rerank(query, documents, top, cancellation)?),
            None => Ok(Ranking::from_scores([])),
        }
    }

    /// The load of the rerankers, and the state of the configured provider.
    pub fn reranker_state(&self) -> RerankerState {
        let mut state = RerankerState::default();
        for pipeline in self.rerankers().iter() {
            state.running += pipeline.queue.running();
            state.waiting += pipeline.queue.waiting();
            if let Some((model, breaker)) = &pipeline.provider {
                state.provider = Some((model.clone(), breaker.state()));
            }
        }
        state
    }

    /// Whether a search with `rerank` asks a reranker; if not, the built-in ranking is the best order there is.
    pub fn reranks_hits(&self) -> bool {
        RerankSubject::Hits.reranker(self.config()).is_some()
    }

    /// The same for the context of a chat.
    pub fn reranks_context(&self) -> bool {
        RerankSubject::Context.reranker(self.config()).is_some()
    }

    /// Shares rankings with other processes. To be called before anything is reranked.
    pub fn share_rankings(&self, shared: Arc<dyn SharedCache>) {
        // Only the first one counts.
        let _ = self.rerankers().shared.set(shared);
    }

    /// Fails if a provider's reranker is configured and its key is missing.
    pub fn check_reranker(&self) -> Result<(), EngineError> {
        match self.config().reranker {
            RerankerConfig::Hosted(_) => self.reranker(RerankSubject::Texts).map(drop),
            _ => Ok(()),
        }
    }

    /// The reranker for `subject`, loaded when it is first used; `None` if nothing reranks it.
    pub(crate) fn reranker(
        &self,
        subject: RerankSubject,
    ) -> Result<Option<Arc<RerankPipeline>>, EngineError> {
        let choice = subject.reranker(self.config());
        choice.map(|choice| self.rerankers().get(choice, self)).transpose()
    }

    /// The same for hits that are useful in their first order, too: a model that cannot be used is no failure of the
    /// search.
    pub(crate) fn loaded_reranker(
        &self,
        subject: RerankSubject,
    ) -> Result<Option<Result<Arc<RerankPipeline>, ModelError>>, EngineError> {
        match self.reranker(subject) {
            Ok(pipeline) => Ok(pipeline.map(Ok)),
            Err(EngineError::Model(error)) => Ok(Some(Err(error))),
            Err(error) => Err(error),
        }
    }
}

impl RerankReport {
    /// The report for a reranker that cannot be loaded: the original order is kept.
    pub(crate) fn unavailable(error: ModelError, n_candidates: usize) -> Self {
        Self {
            reranker: "the configured reranker".to_owned(),
            status: RerankStatus::Fallback,
            reason: Some(error.to_string()),
            candidates: n_candidates,
            elapsed_ms: 0.0,
            result: Err(error),
        }
    }
}

/// Orders the first hits by the reranker's scores; the others follow them.
///
/// A reranker's scores are no probabilities of relevance, and no two rerankers' are alike. So the calibrated relevances of
/// the hits stay, and are assigned again in the new order: the best place gets the highest. A threshold lets as many hits
/// through as before, only better ones; and where nothing is relevant, no reranker makes it so. The reranker's own score
/// is the hit's first evidence.
pub(crate) fn reranked(
    pipeline: &RerankPipeline,
    query: &str,
    hits: Vec<Hit>,
    cancellation: &Cancellation,
) -> (Vec<Hit>, RerankReport) {
    let started = Instant::now();
    let first = hits.iter().take(pipeline.candidates);
    let documents: Vec<Document<'_>> =
        first.map(|hit| Document { path: Some(&hit.path), text: &hit.content, score: hit.score }).collect();
    let n_candidates = documents.len();
    let result = pipeline.rerank(query, &documents, n_candidates, cancellation);
    let report = RerankReport {
        reranker: pipeline.reranker.name().to_owned(),
        status: if result.is_ok() { RerankStatus::Applied } else { RerankStatus::Fallback },
        reason: result.as_ref().err().map(ModelError::to_string),
        candidates: n_candidates,
        elapsed_ms: milliseconds(started.elapsed()),
        result,
    };
    let hits = match &report.result {
        Ok(ranking) => reordered(hits, &ranking.scores(n_candidates)),
        Err(_) => hits,
    };
    (hits, report)
}

/// The first hits by descending `scores` of a reranker, one for each; equal ones as they were. Relevances stay where they
/// are, the best first. Hits without a score stay behind them.
fn reordered(mut hits: Vec<Hit>, scores: &[f32]) -> Vec<Hit> {
    let rest = hits.split_off(hits.len().min(scores.len()));
    let mut relevances: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
    relevances.sort_by(|a, b| b.total_cmp(a));
    let mut scored: Vec<(f32, Hit)> = scores.iter().copied().zip(hits).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let place = |((score, mut hit), relevance): ((f32, Hit), f32)| {
        hit.evidence.insert(0, Evidence { signal: "rerank".to_owned(), value: score });
        hit.more.iter_mut().for_each(|more| more.score = more.score.min(relevance));
        hit.score = relevance;
        hit
    };
    scored.into_iter().zip(relevances).map(place).chain(rest).collect()
}
