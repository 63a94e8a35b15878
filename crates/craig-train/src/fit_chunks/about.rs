//! Whether a query is about the project at all: a logistic regression on what its pool is like.

use craig_search::{ABOUT_FEATURE_NAMES, AboutWeights, ChunkFeatures, about_features};

use super::examples::Example;
use crate::metrics::{deviations, sigmoid};

/// Weight of the kinds that are hard to answer; most questions of the others are easily recognised.
const WEIGHT_OF_HARD: f64 = 3.0;
const HARD: [&str; 5] = ["concept", "where", "how", "what_if", "follow_up"];

/// Weight of questions about other repositories, which are about code, too.
const WEIGHT_OF_OTHERS: f64 = 0.1;

/// Steps of gradient descent, and its rate.
const N_STEPS: usize = 4_000;
const RATE: f64 = 0.5;

const N: usize = ABOUT_FEATURE_NAMES.len();

/// Fits the weights to examples, each with its pool in ranked order and the relevance of each chunk. Edits and issues are left
/// out: they are always about the project. So are examples of the order: fitted to them as well, it
/// was no better on repositories that nothing is fitted to (decision 038).
pub(super) fn fit(examples: &[(&Example, &[(usize, f64)])]) -> AboutWeights {
    let rows: Vec<([f64; N], f64, f64)> =
        examples.iter().filter_map(|(example, ranked)| row(example, ranked)).collect();
    let n = rows.len().max(1) as f64;
    let mean: [f64; N] = std::array::from_fn(|at| rows.iter().map(|row| row.0[at]).sum::<f64>() / n);
    let spread = deviations(rows.iter().map(|row| &row.0));
    let total: f64 = rows.iter().map(|row| row.2).sum::<f64>().max(1.0);
    let (mut bias, mut weights) = (0.0, [0.0; N]);
    for _ in 0..N_STEPS {
        let (mut of_bias, mut of_weights) = (0.0, [0.0; N]);
        for (features, is_about, weight) in &rows {
            let scaled: [f64; N] = std::array::from_fn(|at| (features[at] - mean[at]) / spread[at]);
            let log_odds = bias + (0..N).map(|at| weights[at] * scaled[at]).sum::<f64>();
            let error = weight * (sigmoid(log_odds) - is_about);
            of_bias += error;
            (0..N).for_each(|at| of_weights[at] += error * scaled[at]);
        }
        bias -= RATE * of_bias / total;
        (0..N).for_each(|at| weights[at] -= RATE * of_weights[at] / total);
    }
    let unscaled: [f64; N] = std::array::from_fn(|at| weights[at] / spread[at]);
    let bias = bias - (0..N).map(|at| unscaled[at] * mean[at]).sum::<f64>();
    let named = ABOUT_FEATURE_NAMES.iter().zip(unscaled);
    AboutWeights {
        bias: bias as f32,
        weights: named.map(|(name, weight)| ((*name).to_owned(), weight as f32)).collect(),
    }
}

/// The features of an example, whether it is about the project, and how much it counts.
fn row(example: &Example, ranked: &[(usize, f64)]) -> Option<([f64; N], f64, f64)> {
    let kind = example.kind.as_str();
    if example.is_of_order || kind.starts_with("edit") || kind == "issue" {
        return None;
    }
    let features = |&(at, _): &(usize, f64)| {
        let values = example.pool[at].features.as_slice().try_into().ok()?;
        Some(ChunkFeatures::from_array(values))
    };
    let chunks: Vec<ChunkFeatures> = ranked.iter().map(features).collect::<Option<_>>()?;
    let relevances: Vec<f32> = ranked.iter().map(|(_, relevance)| *relevance as f32).collect();
    let features = about_features(&chunks, &relevances)?.map(f64::from);
    let (is_about, weight) = match kind {
        "unrelated" => (0.0, 1.0),
        "other" => (0.0, WEIGHT_OF_OTHERS),
        _ if HARD.contains(&kind) => (1.0, WEIGHT_OF_HARD),
        _ => (1.0, 1.0),
    };
    Some((features, is_about, weight))
}
