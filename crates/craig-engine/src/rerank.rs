//! A second look at the first hits, within a time budget; when it fails, the first order stands.

use std::time::Instant;

use craig_model::{Document, RerankRequest, Reranker};
use craig_search::{Evidence, Hit};
use serde::Serialize;

use crate::RerankOptions;

/// What became of reranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RerankReport {
    /// What reranked.
    pub reranker: String,
    /// Whether its order counts.
    pub status: RerankStatus,
    /// Why the first order stands, when it does.
    pub reason: Option<String>,
    /// Hits that were looked at.
    pub candidates: usize,
    /// Milliseconds that it took.
    pub elapsed_ms: f64,
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

/// Orders the first hits as `reranker` says; the others stay behind them.
///
/// A reranker's scores are no probabilities of relevance, and no two rerankers' are alike. So the calibrated relevances of the
/// hits stay, and are handed out anew in the new order: the best place gets the highest. A threshold lets as many hits
/// through as before, only better ones; and where nothing is relevant, no reranker makes it so. The reranker's own score
/// is the hit's first evidence.
pub(crate) fn reranked(
    reranker: &dyn Reranker,
    options: &RerankOptions,
    query: &str,
    hits: Vec<Hit>,
    pool: &rayon::ThreadPool,
) -> (Vec<Hit>, RerankReport) {
    let started = Instant::now();
    let first = hits.iter().take(options.candidates);
    let documents: Vec<Document<'_>> =
        first.map(|hit| Document { path: Some(&hit.path), text: &hit.content, score: hit.score }).collect();
    let request = RerankRequest { query, documents: &documents, deadline: started + options.timeout };
    let scores = match documents.len() {
        0 => Ok(Vec::new()),
        _ => pool.install(|| reranker.rerank(&request)).map_err(|error| error.to_string()),
    };
    let scores = scores.and_then(|scores| match scores.len() == documents.len() {
        true => Ok(scores),
        false => Err(format!("it gave {} scores for {} hits", scores.len(), documents.len())),
    });
    let report = RerankReport {
        reranker: reranker.name().to_owned(),
        status: if scores.is_ok() { RerankStatus::Applied } else { RerankStatus::Fallback },
        reason: scores.as_ref().err().cloned(),
        candidates: documents.len(),
        elapsed_ms: started.elapsed().as_secs_f64() * 1e3,
    };
    let hits = match scores {
        Ok(scores) => reordered(hits, &scores),
        Err(_) => hits,
    };
    (hits, report)
}

/// The first hits by falling `scores` of a reranker, one for each; equal ones as they were. Relevances stay where they are,
/// the best first. Hits without a score stay behind them.
pub fn reordered(mut hits: Vec<Hit>, scores: &[f32]) -> Vec<Hit> {
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
