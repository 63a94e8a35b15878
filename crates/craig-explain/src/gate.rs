//! Decides: which section documents a name, and whether any does.
//!
//! A linear score orders sections; a logistic model of the best one's evidence estimates how likely the name is documented.
//! Weights: `gate.json`, written by `craig-train explain`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use craig_text::dot;
use serde::{Deserialize, Serialize};

use crate::evidence::{
    Candidate, Evidence, N_SECTION_FEATURES, N_SUBJECT_FEATURES, SECTION_FEATURES, SUBJECT_FEATURES,
};

/// Columns of the ranker: each feature as it is, then as a share of the largest among the candidates.
pub const N_RANK_COLUMNS: usize = 2 * N_SECTION_FEATURES;

/// Names of what the gate reads of the ranker's scores: the best one, its margin over the second, its softmax probability.
pub const SCORE_FEATURES: &[&str] = &["score", "margin", "softmax_probability"];

/// Columns of the gate: features of the scores, the subject, the best section.
pub const N_GATE_COLUMNS: usize = SCORE_FEATURES.len() + N_SUBJECT_FEATURES + N_SECTION_FEATURES;

/// What `craig-train explain` learns, by names of features; what is not named weighs nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateWeights {
    /// The run that made them, and what it measured.
    pub run: Vec<String>,
    /// Probability from which on an answer is given.
    pub threshold: f32,
    /// The ranker's weights of features as they are.
    pub features: BTreeMap<String, f32>,
    /// The ranker's weights of features as shares.
    pub shares: BTreeMap<String, f32>,
    /// Log-odds of a name of which nothing is known.
    pub bias: f32,
    /// The gate's weights of the scores' features.
    pub score_features: BTreeMap<String, f32>,
    /// The gate's weights of the subject.
    pub subject: BTreeMap<String, f32>,
    /// The gate's weights of the best section.
    pub section: BTreeMap<String, f32>,
}

/// Weights in the order of the columns.
#[derive(Clone, Debug)]
pub struct Gate {
    rank: Vec<f32>,
    bias: f32,
    gate: Vec<f32>,
    /// Probability from which on an answer is given.
    pub threshold: f32,
}

/// The compiled-in gate.
pub fn gate() -> &'static Gate {
    static GATE: LazyLock<Gate> = LazyLock::new(|| {
        let weights: GateWeights = serde_json::from_str(include_str!("../gate.json"))
            .expect("the compiled-in weights are checked by a test");
        Gate::new(&weights)
    });
    &GATE
}

/// Sections, best first, each with its score, and the probability that the name is documented.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Places in the library with scores in log-odds, best first.
    pub ranked: Vec<(usize, f32)>,
    /// From 0 to 1.
    pub confidence: f32,
}

impl Gate {
    /// Puts weights in order.
    pub fn new(weights: &GateWeights) -> Self {
        let of = |map: &BTreeMap<String, f32>, names: &[&str]| -> Vec<f32> {
            names.iter().map(|name| map.get(*name).copied().unwrap_or_default()).collect()
        };
        Self {
            rank: [of(&weights.features, SECTION_FEATURES), of(&weights.shares, SECTION_FEATURES)].concat(),
            bias: weights.bias,
            gate: [
                of(&weights.score_features, SCORE_FEATURES),
                of(&weights.subject, SUBJECT_FEATURES),
                of(&weights.section, SECTION_FEATURES),
            ]
            .concat(),
            threshold: weights.threshold,
        }
    }

    /// Judges evidence.
    pub fn judge(&self, evidence: &Evidence) -> Verdict {
        self.judge_from(evidence, 0)
    }

    /// Judges evidence without the best `n_skipped` sections, which turned out to say nothing.
    pub(crate) fn judge_from(&self, evidence: &Evidence, n_skipped: usize) -> Verdict {
        let rows = rank_rows(&evidence.candidates);
        let score = |row: &[f32; N_RANK_COLUMNS]| dot(&self.rank, row);
        let mut ranked: Vec<(usize, f32)> = rows.iter().map(score).enumerate().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.drain(..n_skipped.min(ranked.len()));
        let confidence = match gate_row(evidence, &ranked) {
            Some(row) => 1.0 / (1.0 + (-(self.bias + dot(&self.gate, &row))).exp()),
            None => 0.0,
        };
        let place = |(index, score): (usize, f32)| (evidence.candidates[index].at, score);
        Verdict { ranked: ranked.into_iter().map(place).collect(), confidence }
    }
}

/// What the ranker sees of each candidate.
pub fn rank_rows(candidates: &[Candidate]) -> Vec<[f32; N_RANK_COLUMNS]> {
    let values: Vec<_> = candidates.iter().map(|one| one.features.to_array()).collect();
    let mut largest = [0.0f32; N_SECTION_FEATURES];
    for row in &values {
        largest.iter_mut().zip(row).for_each(|(largest, value)| *largest = largest.max(*value));
    }
    let share = |value: f32, largest: f32| if largest > 0.0 { value / largest } else { 0.0 };
    let row = |values: &[f32; N_SECTION_FEATURES]| {
        std::array::from_fn(|at| match at.checked_sub(N_SECTION_FEATURES) {
            None => values[at],
            Some(at) => share(values[at], largest[at]),
        })
    };
    values.iter().map(row).collect()
}

/// What the gate sees, from candidates in order of their scores, each by its index; none when there is no candidate.
pub fn gate_row(evidence: &Evidence, ranked: &[(usize, f32)]) -> Option<[f32; N_GATE_COLUMNS]> {
    let &(best, score) = ranked.first()?;
    let margin = ranked.get(1).map_or(MAX_MARGIN, |second| score - second.1).min(MAX_MARGIN);
    let odds: f32 = ranked.iter().map(|(_, other)| (other - score).exp()).sum();
    let score_features = [score.clamp(-MAX_SCORE, MAX_SCORE), margin, 1.0 / odds];
    let values = score_features
        .into_iter()
        .chain(evidence.subject.to_array())
        .chain(evidence.candidates[best].features.to_array());
    let mut row = [0.0; N_GATE_COLUMNS];
    row.iter_mut().zip(values).for_each(|(column, value)| *column = value);
    Some(row)
}

/// Margins are clipped here: a larger one says no more.
const MAX_MARGIN: f32 = 4.0;

/// Nor does a larger score.
const MAX_SCORE: f32 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_those_of_known_features() {
        let weights: GateWeights = serde_json::from_str(include_str!("../gate.json")).unwrap();
        let all_known = |map: &BTreeMap<String, f32>, names: &[&str]| {
            map.keys().all(|name| names.contains(&name.as_str()))
        };
        assert!(
            all_known(&weights.features, SECTION_FEATURES) && all_known(&weights.shares, SECTION_FEATURES)
        );
        assert!(
            all_known(&weights.section, SECTION_FEATURES) && all_known(&weights.subject, SUBJECT_FEATURES)
        );
        assert!(all_known(&weights.score_features, SCORE_FEATURES));
        assert!((0.1..0.95).contains(&weights.threshold));
    }
}
