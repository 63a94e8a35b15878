//! Ranks candidates by a learned score, and estimates the probability that each is relevant.
//!
//! The score is linear in the features, each raw and as a share of the largest value among the query's candidates: the file
//! that covers most of a question is likely to answer it, however little that is. A query that is one identifier has weights
//! of its own: a user who types a name wants its definition. So has a report: its fix changes the product. Weights, and the
//! runs that made them: `ranker.json`, written by `craig-train fit` and `fit-reports`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use craig_model::logistic;
use craig_text::dot;
use serde::{Deserialize, Serialize};

use crate::features::{FEATURE_NAMES, Features};

const N_FEATURES: usize = FEATURE_NAMES.len();

/// Values of all features, in the order of [`FEATURE_NAMES`].
pub type FeatureValues = [f32; N_FEATURES];

static RANKER: LazyLock<Ranker> = LazyLock::new(|| Ranker::new(&RankerWeights::compiled_in()));

/// The weights that `craig-train fit` learns, by feature name; other features have weight 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankerWeights {
    /// Report of the run that made them.
    pub run: Vec<String>,
    /// The score of queries in words.
    pub words: ScoreWeights,
    /// The score of queries that are one identifier.
    pub symbol: ScoreWeights,
    /// The score of reports.
    pub report: ScoreWeights,
    /// The probability of relevance.
    pub relevance: RelevanceWeights,
}

impl RankerWeights {
    /// Those that searches use.
    ///
    /// # Panics
    ///
    /// Never: a test reads them.
    pub fn compiled_in() -> Self {
        serde_json::from_str(include_str!("../ranker.json"))
            .expect("the compiled-in weights are checked by a test")
    }
}

/// A linear score: weights in log-odds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreWeights {
    /// Weights of the raw features.
    pub features: BTreeMap<String, f32>,
    /// Weights of the features as shares, see [`shares`].
    pub shares: BTreeMap<String, f32>,
}

/// A logistic model of relevance: weights in log-odds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelevanceWeights {
    /// The intercept.
    pub bias: f32,
    /// Weights of the score features, see [`score_features`].
    pub score_features: BTreeMap<String, f32>,
    /// Weights of the raw features.
    pub features: BTreeMap<String, f32>,
}

/// Names of the [`score_features`], in order.
pub const SCORE_FEATURE_NAMES: [&str; 4] = ["score", "softmax_probability", "gap", "margin"];

/// The compiled-in weights, in the order of the features.
struct Ranker {
    words: LinearScore,
    symbol: LinearScore,
    report: LinearScore,
    bias: f32,
    score_features: [f32; SCORE_FEATURE_NAMES.len()],
    relevance: FeatureValues,
}

struct LinearScore {
    features: FeatureValues,
    shares: FeatureValues,
}

impl Ranker {
    fn new(weights: &RankerWeights) -> Self {
        Self {
            words: LinearScore::new(&weights.words),
            symbol: LinearScore::new(&weights.symbol),
            report: LinearScore::new(&weights.report),
            bias: weights.relevance.bias,
            score_features: SCORE_FEATURE_NAMES
                .map(|name| weight_of(&weights.relevance.score_features, name)),
            relevance: in_order(&weights.relevance.features),
        }
    }
}

impl LinearScore {
    fn new(weights: &ScoreWeights) -> Self {
        Self { features: in_order(&weights.features), shares: in_order(&weights.shares) }
    }
}

fn in_order(by_name: &BTreeMap<String, f32>) -> FeatureValues {
    std::array::from_fn(|at| weight_of(by_name, FEATURE_NAMES[at]))
}

fn weight_of(by_name: &BTreeMap<String, f32>, name: &str) -> f32 {
    by_name.get(name).copied().unwrap_or_default()
}

/// Scores of the candidates of one query, in order: logits of a softmax, so only their differences are meaningful.
pub(crate) fn scores(candidates: &[Features]) -> Vec<f32> {
    let ranker = &*RANKER;
    let values: Vec<_> = candidates.iter().map(|features| features.to_array()).collect();
    let shares = shares(&values);
    let linear = match candidates.first() {
        Some(features) if features.asks_report > 0.0 => &ranker.report,
        Some(features) if features.asks_symbol > 0.0 => &ranker.symbol,
        _ => &ranker.words,
    };
    let score = |(values, shares): (&FeatureValues, &FeatureValues)| {
        dot(&linear.features, values) + dot(&linear.shares, shares)
    };
    values.iter().zip(&shares).map(score).collect()
}

/// Probability that each candidate is relevant, from the features and scores of all of them, best first.
///
/// It is monotonic: it never rises from one candidate to the next, so a threshold keeps a prefix of the list.
pub(crate) fn relevances(candidates: &[Features], scores: &[f32]) -> Vec<f32> {
    let ranker = &*RANKER;
    let mut least = 1.0f32;
    let relevance = |(features, from_score): (&Features, [f32; SCORE_FEATURE_NAMES.len()])| {
        let weighted = ranker.score_features.iter().zip(from_score).map(|(weight, value)| weight * value);
        let log_odds = ranker.bias + weighted.sum::<f32>() + dot(&ranker.relevance, &features.to_array());
        least = least.min(logistic(log_odds));
        least
    };
    candidates.iter().zip(score_features(scores)).map(relevance).collect()
}

/// Each feature as a share of its largest value among the candidates of a query; 0 if none is above 0.
pub fn shares(candidates: &[FeatureValues]) -> Vec<FeatureValues> {
    let mut largest = [0.0f32; N_FEATURES];
    for values in candidates {
        largest.iter_mut().zip(values).for_each(|(largest, value)| *largest = largest.max(*value));
    }
    let share = |value: f32, largest: f32| if largest > 0.0 { value / largest } else { 0.0 };
    candidates.iter().map(|values| std::array::from_fn(|at| share(values[at], largest[at]))).collect()
}

/// Features of each candidate from the scores of all candidates, best first: its score, its softmax probability, its
/// gap to the best score, and, for the best only, its margin over the second.
pub fn score_features(scores: &[f32]) -> Vec<[f32; SCORE_FEATURE_NAMES.len()]> {
    let best = scores.first().copied().unwrap_or_default();
    let sum: f32 = scores.iter().map(|score| (score - best).exp()).sum();
    let margin = (best - scores.get(1).copied().unwrap_or(best)).min(MAX_MARGIN);
    let features = |(rank, &score): (usize, &f32)| {
        let margin = if rank == 0 { margin } else { 0.0 };
        [score, (score - best).exp() / sum, (best - score).min(MAX_GAP), margin]
    };
    scores.iter().enumerate().map(features).collect()
}

/// Margins are clipped here: larger ones carry no more information.
const MAX_MARGIN: f32 = 4.0;

/// Gaps are clipped here.
const MAX_GAP: f32 = 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_weights_are_of_known_features() {
        let weights = RankerWeights::compiled_in();
        let scores = [&weights.words, &weights.symbol, &weights.report];
        let linear = scores.iter().flat_map(|score| score.features.keys().chain(score.shares.keys()));
        let all = linear.chain(weights.relevance.features.keys());
        let unknown: Vec<_> = all.filter(|name| !FEATURE_NAMES.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(
            weights.relevance.score_features.keys().all(|name| SCORE_FEATURE_NAMES.contains(&name.as_str()))
        );
    }

    #[test]
    fn relevance_never_rises_with_the_rank() {
        let strong = Features { label_best: 0.8, dense_best: 0.7, name_exact: 1.0, ..Features::default() };
        let candidates = [Features::default(), strong, Features::default()];
        let relevances = relevances(&candidates, &[5.0, 4.9, -2.0]);
        assert!(relevances.is_sorted_by(|a, b| a >= b), "{relevances:?}");
        assert!(super::relevances(&[], &[]).is_empty());
    }

    #[test]
    fn a_test_file_ranks_below_the_code_it_tests() {
        let code = Features { dense_best: 0.5, ..Features::default() };
        let scores = scores(&[Features { is_test: 1.0, ..code }, code]);
        assert!(scores[0] < scores[1]);
    }

    #[test]
    fn shares_and_score_features_compare_candidates() {
        let values = |best: f32| Features { body_best: best, ..Features::default() }.to_array();
        let shares = shares(&[values(2.0), values(1.0)]);
        assert_eq!([shares[0][0], shares[1][0], shares[1][1]], [1.0, 0.5, 0.0]);
        let score_features = score_features(&[2.0, 1.0]);
        assert!((score_features[0][1] + score_features[1][1] - 1.0).abs() < 1e-6);
        assert_eq!(score_features.iter().map(|s| [s[2], s[3]]).collect::<Vec<_>>(), [[0.0, 1.0], [1.0, 0.0]]);
    }
}
