//! The ranker: a linear score, fitted so that each question's targets get most of the softmax probability.
//!
//! Loss: the cross-entropy between the targets of a question and the softmax of its candidates' scores (ListNet's top-one
//! loss; Cao et al., ICML 2007), each repository of a set counting the same, and a quadratic pull of every weight towards its
//! prior. Convex, so there is one answer, and where it starts from does not matter.

use craig_engine::FEATURE_NAMES;
use craig_search::ScoreWeights;

use super::examples::Example;
use crate::adam::Adam;
use crate::metrics::deviations;

/// Each feature as it is, then each as a share.
pub(super) const N_COLUMNS: usize = 2 * FEATURE_NAMES.len();

type Row = [f64; N_COLUMNS];

/// Prior weights of a file's role in its project, in log-odds. Most labelled repositories are exported without their tests and
/// examples, so these weights cannot be learned from their questions.
const PRIORS: [(&str, f64); 11] = [
    ("is_test", -3.0),
    ("is_example", -2.2),
    ("is_vendored", -2.0),
    ("is_config", -2.0),
    ("is_other_platform", -1.5),
    ("is_stub", -1.2),
    ("is_docs", -1.2),
    ("is_legacy", -0.8),
    ("is_barrel", -0.5),
    ("is_internal", -0.5),
    ("is_types", -0.3),
];

/// Features of the query, the same for all its candidates: they cannot order anything.
const QUERY_FEATURES: [&str; 4] = ["asks_symbol", "asks_question", "asks_report", "n_terms"];

/// In standardised units: enough to converge.
const ADAM: Adam = Adam { n_steps: 300, step: 0.05 };

/// A fitted linear score.
pub(super) struct Linear {
    weights: Row,
}

/// The candidates of all questions, standardised.
struct Table {
    rows: Vec<Row>,
    /// For each question, its rows, the target probability of each, and the question's weight.
    questions: Vec<(std::ops::Range<usize>, Vec<f64>, f64)>,
    deviations: Row,
}

impl Linear {
    /// The prior weights.
    pub(super) fn prior() -> Self {
        let mut weights = [0.0; N_COLUMNS];
        for (name, weight) in PRIORS {
            if let Some(at) = FEATURE_NAMES.iter().position(|feature| *feature == name) {
                weights[at] = weight;
            }
        }
        Self { weights }
    }

    /// The score with these weights.
    pub(super) fn from_weights(weights: &ScoreWeights) -> Self {
        let mut row = [0.0; N_COLUMNS];
        let (features, shares) = row.split_at_mut(FEATURE_NAMES.len());
        for (columns, by_name) in [(features, &weights.features), (shares, &weights.shares)] {
            for (column, name) in columns.iter_mut().zip(FEATURE_NAMES) {
                *column = by_name.get(*name).map_or(0.0, |&weight| f64::from(weight));
            }
        }
        Self { weights: row }
    }

    /// Learns from the examples that have a target among their candidates, starting from this score and pulled towards it.
    pub(super) fn refined(&self, examples: &[&Example], pull: f64) -> Self {
        let table = Table::new(examples);
        let prior: Row = std::array::from_fn(|at| self.weights[at] * table.deviations[at]);
        let mut weights = prior;
        ADAM.minimise(&mut weights, |weights, gradient| {
            gradient.copy_from_slice(&table.gradient(weights, &prior, pull));
        });
        weights.iter_mut().zip(table.deviations).for_each(|(weight, deviation)| *weight /= deviation);
        Self { weights }
    }

    /// In the order of the columns.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(super) fn scores(&self, example: &Example) -> Vec<f32> {
        let score =
            |row: Row| self.weights.iter().zip(row).map(|(weight, value)| weight * value).sum::<f64>() as f32;
        rows(example).map(score).collect()
    }
}

fn rows(example: &Example) -> impl Iterator<Item = Row> + '_ {
    let of_the_query: Vec<usize> = (0..N_COLUMNS)
        .filter(|at| QUERY_FEATURES.contains(&FEATURE_NAMES[at % FEATURE_NAMES.len()]))
        .collect();
    example.candidates.iter().zip(&example.shares).map(move |(values, shares)| {
        let mut row = [0.0; N_COLUMNS];
        row.iter_mut()
            .zip(values.iter().chain(shares))
            .for_each(|(column, &value)| *column = f64::from(value));
        of_the_query.iter().for_each(|&at| row[at] = 0.0);
        row
    })
}

impl Table {
    fn new(examples: &[&Example]) -> Self {
        let usable: Vec<_> =
            examples.iter().filter(|e| (0..e.candidates.len()).any(|at| e.is_relevant(at))).collect();
        let mut rows: Vec<Row> = Vec::new();
        let mut questions = Vec::new();
        for example in &usable {
            let start = rows.len();
            rows.extend(self::rows(example));
            let targets: Vec<f64> = (0..example.candidates.len())
                .map(|at| f64::from(u8::from(example.is_relevant(at))))
                .collect();
            let n_targets: f64 = targets.iter().sum();
            let in_repository = usable.iter().filter(|e| e.repository == example.repository).count();
            let wanted = targets.iter().map(|target| target / n_targets).collect();
            questions.push((start..rows.len(), wanted, example.weight / in_repository as f64));
        }
        let total: f64 = questions.iter().map(|(_, _, weight)| weight).sum();
        let n_questions = questions.len() as f64;
        questions.iter_mut().for_each(|(_, _, weight)| *weight *= n_questions / total);
        let deviations = deviations(rows.iter());
        rows.iter_mut().for_each(|row| {
            row.iter_mut().zip(deviations).for_each(|(value, deviation)| *value /= deviation)
        });
        Self { rows, questions, deviations }
    }

    fn gradient(&self, weights: &[f64], prior: &Row, pull: f64) -> Row {
        let mut gradient: Row = std::array::from_fn(|at| pull * (weights[at] - prior[at]));
        for (range, wanted, weight) in &self.questions {
            let rows = &self.rows[range.clone()];
            let probabilities =
                softmax(rows.iter().map(|row| row.iter().zip(weights).map(|(x, w)| x * w).sum()).collect());
            for ((row, probability), wanted) in rows.iter().zip(probabilities).zip(wanted) {
                let excess = weight * (probability - wanted);
                gradient.iter_mut().zip(row).for_each(|(sum, value)| *sum += excess * value);
            }
        }
        gradient
    }
}

fn softmax(mut scores: Vec<f64>) -> Vec<f64> {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - best).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    scores
}
