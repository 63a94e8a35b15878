//! Ranks the chunks of the first files in one list, and estimates the probability that each answers.
//!
//! Both models are boosted trees, fitted by `craig-train fit-chunks` to questions with labelled lines; `chunk_ranker.json`
//! holds them and the report of the run. The ranker was fitted with LambdaMART (Burges, 2010), so that only differences of
//! scores within one query are meaningful; the probability is fitted to what is left on top. Reports, such as the texts of
//! issues, have models of their own in `report_ranker.json`, fitted to texts of changes as well.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use craig_model::{Tree, Trees, columns, logistic};
use serde::{Deserialize, Serialize};

use crate::query::QueryKind;
use crate::ranker::{SCORE_FEATURE_NAMES, score_features};
use crate::{CHUNK_FEATURE_NAMES, ChunkFeatures};

/// The compiled-in models of both kinds, or those that replace them.
static OF_QUESTIONS: LazyLock<RwLock<Arc<ChunkRanker>>> =
    LazyLock::new(|| compiled_in(include_str!("../chunk_ranker.json")));
static OF_REPORTS: LazyLock<RwLock<Arc<ChunkRanker>>> =
    LazyLock::new(|| compiled_in(include_str!("../report_ranker.json")));

fn compiled_in(json: &str) -> RwLock<Arc<ChunkRanker>> {
    let weights: ChunkRankerWeights =
        serde_json::from_str(json).expect("the compiled-in trees are checked by a test");
    let ranker = ChunkRanker::new(&weights).expect("the compiled-in trees are checked by a test");
    RwLock::new(Arc::new(ranker))
}

fn of_kind(kind: QueryKind) -> &'static RwLock<Arc<ChunkRanker>> {
    match kind {
        QueryKind::Question => &OF_QUESTIONS,
        QueryKind::Report => &OF_REPORTS,
    }
}

fn ranker(kind: QueryKind) -> Arc<ChunkRanker> {
    of_kind(kind).read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Lets all searches of the process use other trees than the compiled-in ones, to measure these where they were not fitted;
/// false, and nothing changes, if they ask for features that there are not.
pub fn replace_chunk_ranker(kind: QueryKind, weights: &ChunkRankerWeights) -> bool {
    let Some(ranker) = ChunkRanker::new(weights) else { return false };
    *of_kind(kind).write().unwrap_or_else(PoisonError::into_inner) = Arc::new(ranker);
    true
}

/// The parameters that `craig-train fit-chunks` learns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkRankerWeights {
    /// Report of the run that made them.
    pub run: Vec<String>,
    /// The score: features are those of [`CHUNK_FEATURE_NAMES`].
    pub score: Vec<Tree>,
    /// Log-odds of relevance before any tree contributes.
    pub bias: f32,
    /// Log-odds of relevance: features of chunks, and then [`SCORE_FEATURE_NAMES`].
    pub relevance: Vec<Tree>,
    /// Whether the query is about the project.
    #[serde(default)]
    pub about: AboutWeights,
}

/// A logistic regression on [`ABOUT_FEATURE_NAMES`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutWeights {
    /// Log-odds where all features are 0.
    pub bias: f32,
    /// A weight for each feature, by its name; what is not there counts nothing.
    pub weights: BTreeMap<String, f32>,
}

/// Features that show that a query is about the project at all: its words occur there, and several places are similar
/// to it.
pub const ABOUT_FEATURE_NAMES: [&str; 8] = [
    "best_relevance_log_odds",
    "best_cosine",
    "best_coverage",
    "mean_cosine",
    "mean_coverage",
    "unknown_share",
    "n_terms",
    "mean_idf",
];

/// The means are over so many of the first chunks.
const N_OF_MEANS: usize = 8;

/// The features of a query, from its chunks with their relevances, best first; none without chunks.
pub fn about_features(
    chunks: &[ChunkFeatures],
    relevances: &[f32],
) -> Option<[f32; ABOUT_FEATURE_NAMES.len()]> {
    let best = chunks.first()?;
    let relevance = relevances.first()?.clamp(1e-4, 1.0 - 1e-4);
    let first = &chunks[..chunks.len().min(N_OF_MEANS)];
    let mean = |of: fn(&ChunkFeatures) -> f32| first.iter().map(of).sum::<f32>() / first.len() as f32;
    Some([
        (relevance / (1.0 - relevance)).ln(),
        best.best_cosine,
        best.best_coverage,
        mean(|chunk| chunk.cosine),
        mean(|chunk| chunk.coverage_all),
        best.unknown_share,
        best.n_terms,
        best.mean_idf,
    ])
}

struct ChunkRanker {
    score: Trees,
    bias: f32,
    relevance: Trees,
    about: AboutWeights,
}

impl ChunkRanker {
    fn new(weights: &ChunkRankerWeights) -> Option<Self> {
        let names: Vec<&str> = CHUNK_FEATURE_NAMES.iter().chain(&SCORE_FEATURE_NAMES).copied().collect();
        Some(Self {
            score: Trees::new(&weights.score, CHUNK_FEATURE_NAMES)?,
            bias: weights.bias,
            relevance: Trees::new(&weights.relevance, &names)?,
            about: weights.about.clone(),
        })
    }
}

/// First chunks that have a probability of their own.
const N_DISTINCT: usize = 40;

/// Scores of the chunks of one query: only their differences mean something.
pub(crate) fn chunk_scores(kind: QueryKind, chunks: &[ChunkFeatures]) -> Vec<f32> {
    ranker(kind).score.sums(&features(chunks))
}

/// The contribution of each kind of signal to the score of a chunk, without negligible ones.
pub(crate) fn contributions(kind: QueryKind, chunk: ChunkFeatures) -> Vec<(&'static str, f32)> {
    let mut by_signal: BTreeMap<&str, f32> = BTreeMap::new();
    let of_features = ranker(kind).score.contributions(&chunk.to_array());
    for (name, value) in CHUNK_FEATURE_NAMES.iter().zip(of_features) {
        *by_signal.entry(signal(name)).or_default() += value;
    }
    by_signal.into_iter().filter(|(_, value)| value.abs() >= 0.005).collect()
}

/// The name of the signal that a feature belongs to.
fn signal(feature: &str) -> &'static str {
    match feature {
        _ if feature.starts_with("file_") => "its file",
        _ if feature.starts_with("body") || feature.starts_with("coverage") => "words of its text",
        "symbol" | "defines" | "name_precision" | "parent_coverage" => "names",
        _ if feature.starts_with("cosine") || feature.starts_with("label") => "meaning",
        _ if feature.starts_with("blend") => "words and meaning",
        "phrase" => "phrase",
        "n_terms"
        | "mean_idf"
        | "unknown_share"
        | "best_coverage"
        | "best_cosine"
        | "best_file_relevance" => "the query",
        _ => "kind and place",
    }
}

/// Probability that each chunk answers, from the features and scores of the pool, best first.
///
/// It never rises from one chunk to the next, so a threshold keeps a prefix of the list.
pub(crate) fn chunk_relevances(kind: QueryKind, chunks: &[ChunkFeatures], scores: &[f32]) -> Vec<f32> {
    let ranker = ranker(kind);
    // Those behind share the last probability.
    let n_distinct = chunks.len().min(N_DISTINCT);
    let mut columns = features(&chunks[..n_distinct]);
    let of_scores = &score_features(scores)[..n_distinct];
    columns.extend((0..SCORE_FEATURE_NAMES.len()).map(|at| of_scores.iter().map(|row| row[at]).collect()));
    let mut least = 1.0f32;
    let falling = |log_odds: f32| {
        least = least.min(logistic(ranker.bias + log_odds));
        least
    };
    let mut relevances: Vec<f32> = ranker.relevance.sums(&columns).into_iter().map(falling).collect();
    relevances.resize(chunks.len(), least);
    relevances
}

/// How sure it is, from 0 to 1, that a query is about the project.
pub(crate) fn about(kind: QueryKind, chunks: &[ChunkFeatures], relevances: &[f32]) -> f32 {
    let ranker = ranker(kind);
    let Some(features) = about_features(chunks, relevances) else { return 0.0 };
    let weight = |name: &&str| ranker.about.weights.get(*name).copied().unwrap_or_default();
    let terms = ABOUT_FEATURE_NAMES.iter().map(weight).zip(features);
    let log_odds = ranker.about.bias + terms.map(|(weight, value)| weight * value).sum::<f32>();
    logistic(log_odds)
}

/// The values of each feature of chunks.
fn features(chunks: &[ChunkFeatures]) -> Vec<Vec<f32>> {
    let rows: Vec<_> = chunks.iter().map(|chunk| chunk.to_array()).collect();
    columns(&rows, CHUNK_FEATURE_NAMES.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trees_are_over_known_features() {
        for json in [include_str!("../chunk_ranker.json"), include_str!("../report_ranker.json")] {
            let weights: ChunkRankerWeights = serde_json::from_str(json).unwrap();
            assert!(ChunkRanker::new(&weights).is_some());
            assert!(!weights.score.is_empty() && !weights.relevance.is_empty());
        }
    }

    #[test]
    fn relevance_never_rises_with_the_rank() {
        let strong =
            ChunkFeatures { cosine: 0.9, body: 1.5, file_relevance: 0.9, ..ChunkFeatures::default() };
        let chunks = [ChunkFeatures::default(), strong, ChunkFeatures::default()];
        for kind in [QueryKind::Question, QueryKind::Report] {
            let relevances = chunk_relevances(kind, &chunks, &[5.0, 4.9, -2.0]);
            assert!(relevances.is_sorted_by(|a, b| a >= b), "{relevances:?}");
            assert!(chunk_relevances(kind, &[], &[]).is_empty());
        }
    }
}
