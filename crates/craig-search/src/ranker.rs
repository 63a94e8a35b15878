//! Orders candidates by a learned score, and tells how likely each is relevant.
//!
//! The score is a sum of weighted features, each as it is and as a share of the largest among the query's candidates: a
//! file that holds most of what any file holds of a question is its likely home, however little that is. A query that is
//! one identifier is weighed apart: who types a name wants its definition. Weights, and the run that made them:
//! `ranker.json`, written by `craig-train fit`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::features::{FEATURE_NAMES, Features};

const N_FEATURES: usize = FEATURE_NAMES.len();

/// Values of all features, in the order of [`FEATURE_NAMES`].
pub type FeatureValues = [f32; N_FEATURES];

static RANKER: LazyLock<Ranker> = LazyLock::new(|| {
    let weights: RankerWeights = serde_json::from_str(include_str!("../ranker.json"))
        .expect("the compiled-in weights are checked by a test");
    Ranker::new(&weights)
});

/// What `craig-train fit` learns, by names of features; what is not named weighs nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankerWeights {
    /// The run that made them, and what it measured.
    pub run: Vec<String>,
    /// The score for queries in words.
    pub words: ScoreWeights,
    /// The score for queries that are one identifier.
    pub symbol: ScoreWeights,
    /// The probability of relevance.
    pub relevance: RelevanceWeights,
}

/// A linear score: weights in log-odds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreWeights {
    /// Weights of the features as they are.
    pub features: BTreeMap<String, f32>,
    /// Weights of the features as shares, see [`shares`].
    pub shares: BTreeMap<String, f32>,
}

/// A logistic model of relevance: weights in log-odds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelevanceWeights {
    /// Log-odds of a candidate of which nothing else is known.
    pub bias: f32,
    /// Weights of how a candidate stands among the others, in the order of [`STANDING_NAMES`].
    pub standing: BTreeMap<String, f32>,
    /// Weights of the features as they are.
    pub features: BTreeMap<String, f32>,
}

/// Names of what [`standings`] gives, in order.
pub const STANDING_NAMES: [&str; 4] = ["score", "chance", "behind", "lead"];

/// The compiled-in weights, in the order of the features.
struct Ranker {
    words: LinearScore,
    symbol: LinearScore,
    bias: f32,
    standing: [f32; STANDING_NAMES.len()],
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
            bias: weights.relevance.bias,
            standing: STANDING_NAMES.map(|name| weight_of(&weights.relevance.standing, name)),
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

/// Scores of the candidates of one query, in order: log-odds of being the one that is meant, so that only their
/// differences mean something.
pub(crate) fn scores(candidates: &[Features]) -> Vec<f32> {
    let ranker = &*RANKER;
    let values: Vec<_> = candidates.iter().map(|features| features.to_array()).collect();
    let shares = shares(&values);
    let asks_symbol = candidates.first().is_some_and(|features| features.asks_symbol > 0.0);
    let linear = if asks_symbol { &ranker.symbol } else { &ranker.words };
    let score = |(values, shares)| dot(&linear.features, values) + dot(&linear.shares, shares);
    values.iter().zip(&shares).map(score).collect()
}

/// Probability that each candidate is relevant, from the features and scores of all of them, best first.
///
/// It never rises from one candidate to the next, so that a threshold cuts a list and makes no holes in it.
pub(crate) fn relevances(candidates: &[Features], scores: &[f32]) -> Vec<f32> {
    let ranker = &*RANKER;
    let mut least = 1.0f32;
    let relevance = |(features, standing): (&Features, [f32; STANDING_NAMES.len()])| {
        let standing: f32 = ranker.standing.iter().zip(standing).map(|(weight, value)| weight * value).sum();
        let log_odds = ranker.bias + standing + dot(&ranker.relevance, &features.to_array());
        least = least.min(1.0 / (1.0 + (-log_odds).exp()));
        least
    };
    candidates.iter().zip(standings(scores)).map(relevance).collect()
}

/// Each feature as a share of the largest that a candidate of the query has; 0 where none has any.
pub fn shares(candidates: &[FeatureValues]) -> Vec<FeatureValues> {
    let mut largest = [0.0f32; N_FEATURES];
    for values in candidates {
        largest.iter_mut().zip(values).for_each(|(largest, value)| *largest = largest.max(*value));
    }
    let share = |value: f32, largest: f32| if largest > 0.0 { value / largest } else { 0.0 };
    candidates.iter().map(|values| std::array::from_fn(|at| share(values[at], largest[at]))).collect()
}

/// How each candidate stands among the others, from the scores of all, best first: its score, the share of all odds that
/// are its own, how far it is behind the best, and, for the best, how far it leads.
pub fn standings(scores: &[f32]) -> Vec<[f32; STANDING_NAMES.len()]> {
    let best = scores.first().copied().unwrap_or_default();
    let odds: f32 = scores.iter().map(|score| (score - best).exp()).sum();
    let lead = (best - scores.get(1).copied().unwrap_or(best)).min(MAX_LEAD);
    let standing = |(rank, &score): (usize, &f32)| {
        let lead = if rank == 0 { lead } else { 0.0 };
        [score, (score - best).exp() / odds, (best - score).min(MAX_BEHIND), lead]
    };
    scores.iter().enumerate().map(standing).collect()
}

/// A larger lead says no more than this one.
const MAX_LEAD: f32 = 4.0;

/// Nor does a larger distance to the best.
const MAX_BEHIND: f32 = 8.0;

fn dot(weights: &FeatureValues, values: &FeatureValues) -> f32 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_those_of_known_features() {
        let weights: RankerWeights = serde_json::from_str(include_str!("../ranker.json")).unwrap();
        let scores = [&weights.words, &weights.symbol];
        let linear = scores.iter().flat_map(|score| score.features.keys().chain(score.shares.keys()));
        let all = linear.chain(weights.relevance.features.keys());
        let unknown: Vec<_> = all.filter(|name| !FEATURE_NAMES.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(weights.relevance.standing.keys().all(|name| STANDING_NAMES.contains(&name.as_str())));
    }

    #[test]
    fn relevance_never_rises_down_the_list() {
        let strong = Features { label_best: 0.8, dense_best: 0.7, name_exact: 1.0, ..Features::default() };
        let candidates = [Features::default(), strong, Features::default()];
        let relevances = relevances(&candidates, &[5.0, 4.9, -2.0]);
        assert!(relevances.is_sorted_by(|a, b| a >= b), "{relevances:?}");
        assert!(super::relevances(&[], &[]).is_empty());
    }

    #[test]
    fn a_test_file_stands_behind_the_code_it_tests() {
        let code = Features { dense_best: 0.5, ..Features::default() };
        let scores = scores(&[Features { is_test: 1.0, ..code }, code]);
        assert!(scores[0] < scores[1]);
    }

    #[test]
    fn shares_and_standings_compare_candidates() {
        let values = |best: f32| Features { body_best: best, ..Features::default() }.to_array();
        let shares = shares(&[values(2.0), values(1.0)]);
        assert_eq!([shares[0][0], shares[1][0], shares[1][1]], [1.0, 0.5, 0.0]);
        let standings = standings(&[2.0, 1.0]);
        assert!((standings[0][1] + standings[1][1] - 1.0).abs() < 1e-6);
        assert_eq!(standings.iter().map(|s| [s[2], s[3]]).collect::<Vec<_>>(), [[0.0, 1.0], [1.0, 0.0]]);
    }
}
