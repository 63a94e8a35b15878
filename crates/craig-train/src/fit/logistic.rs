//! The probability of relevance: a logistic model of the score features and the raw features of a candidate.

use craig_engine::FEATURE_NAMES;
use craig_search::{FeatureValues, SCORE_FEATURE_NAMES};
use craig_text::dot;

use crate::metrics::{deviations, sigmoid};

/// Columns: score features, raw features, and a one for the bias.
const N_COLUMNS: usize = SCORE_FEATURE_NAMES.len() + FEATURE_NAMES.len() + 1;

type Row = [f64; N_COLUMNS];

/// Strength of the L2 penalty, in standardised units.
const PULL: f64 = 30.0;

/// Added to the log-odds that the labels give. A question has one to three labelled files, and every other file that would help
/// counts as irrelevant; and a user who sets a threshold of 0.7 wants an answer to most questions, with three of four hits
/// relevant. With this offset, both hold on the given repositories, held out; see `docs/benchmarks.md`.
const LABEL_OFFSET: f64 = 0.9;

/// Steps of Newton's method; it converges in fewer.
const N_STEPS: usize = 15;

/// A candidate, and whether it was relevant.
#[derive(Clone)]
pub(super) struct Observation {
    row: Row,
    is_relevant: bool,
    /// How much it counts.
    weight: f64,
}

impl Observation {
    pub(super) fn new(
        score_features: [f32; SCORE_FEATURE_NAMES.len()],
        features: &FeatureValues,
        is_relevant: bool,
        weight: f64,
    ) -> Self {
        let mut row = [1.0; N_COLUMNS];
        let values = score_features.iter().chain(features);
        row.iter_mut().zip(values).for_each(|(column, &value)| *column = f64::from(value));
        Self { row, is_relevant, weight }
    }
}

/// A fitted logistic model.
pub(super) struct Model {
    weights: Row,
}

impl Model {
    pub(super) fn fit<'o>(observations: impl IntoIterator<Item = &'o Observation>) -> Self {
        let observations: Vec<&Observation> = observations.into_iter().collect();
        let deviations = deviations(observations.iter().map(|observation| &observation.row));
        let mut weights = [0.0; N_COLUMNS];
        for _ in 0..N_STEPS {
            let (gradient, curvature) = derivatives(&observations, &weights, &deviations);
            let step = solve(curvature, gradient);
            weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
        }
        Self { weights }
    }

    /// Weights of the score features, then of the raw features.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights[..N_COLUMNS - 1]
    }

    pub(super) fn bias(&self) -> f64 {
        self.weights[N_COLUMNS - 1] + LABEL_OFFSET
    }

    /// Predicted relevance of the candidates of one question, best first, each with its label; never rising.
    pub(super) fn relevances(&self, observations: &[Observation]) -> Vec<(f64, bool)> {
        let mut least = 1.0f64;
        let probability = |observation: &Observation| {
            least = least.min(sigmoid(dot(&self.weights, &observation.row) + LABEL_OFFSET));
            (least, observation.is_relevant)
        };
        observations.iter().map(probability).collect()
    }
}

/// First and second derivatives of the penalised negative log-likelihood.
fn derivatives(observations: &[&Observation], weights: &Row, deviations: &Row) -> (Row, Vec<Row>) {
    let pull = |at: usize| if at == N_COLUMNS - 1 { 1e-6 } else { PULL * deviations[at].powi(2) };
    let mut gradient: Row = std::array::from_fn(|at| pull(at) * weights[at]);
    let mut curvature = vec![[0.0; N_COLUMNS]; N_COLUMNS];
    (0..N_COLUMNS).for_each(|at| curvature[at][at] = pull(at));
    for observation in observations {
        let row = &observation.row;
        let probability = sigmoid(dot(weights, row));
        let excess = observation.weight * (probability - f64::from(u8::from(observation.is_relevant)));
        let weight = observation.weight * (probability * (1.0 - probability)).max(1e-9);
        for at in (0..N_COLUMNS).filter(|&at| row[at] != 0.0) {
            gradient[at] += excess * row[at];
            let factor = weight * row[at];
            curvature[at].iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
        }
    }
    (gradient, curvature)
}

/// Solves a symmetric positive definite system by Gaussian elimination.
fn solve(mut matrix: Vec<Row>, mut right: Row) -> Row {
    for at in 0..N_COLUMNS {
        let pivot_row = matrix[at];
        for below in at + 1..N_COLUMNS {
            let factor = matrix[below][at] / pivot_row[at];
            matrix[below]
                .iter_mut()
                .zip(pivot_row)
                .skip(at)
                .for_each(|(value, pivot)| *value -= factor * pivot);
            right[below] -= factor * right[at];
        }
    }
    for at in (0..N_COLUMNS).rev() {
        let known: f64 = (at + 1..N_COLUMNS).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(score: f32, is_relevant: bool) -> Observation {
        Observation::new([score, 0.0, 0.0, 0.0], &[0.0; FEATURE_NAMES.len()], is_relevant, 1.0)
    }

    /// 80 of 100 with a high score and 10 of 100 with a low one are relevant: the model predicts that, plus the offset.
    #[test]
    fn probabilities_are_frequencies_plus_the_offset() {
        let observations: Vec<_> = (0..10_000)
            .map(|at| observation(1.0, at % 100 < 80))
            .chain((0..10_000).map(|at| observation(-1.0, at % 100 < 10)))
            .collect();
        let model = Model::fit(&observations);
        let predicted =
            model.relevances(&[observation(1.0, true), observation(-1.0, false), observation(1.0, true)]);
        let with_offset = |share: f64| sigmoid((share / (1.0 - share)).ln() + LABEL_OFFSET);
        assert!((predicted[0].0 - with_offset(0.8)).abs() < 0.01, "{predicted:?}");
        assert!((predicted[1].0 - with_offset(0.1)).abs() < 0.01, "{predicted:?}");
        assert_eq!(predicted[2].0, predicted[1].0, "it never rises");
    }
}
