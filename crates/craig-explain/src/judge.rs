//! How likely a place explains a subject: boosted trees over [`Features`], fitted by `craig-train explain`.

use std::sync::LazyLock;

use craig_model::{Tree, Trees};
use serde::{Deserialize, Serialize};

use crate::features::{FEATURES, Features};

/// What `craig-train explain` learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeModel {
    /// The run that made it, and what it measured.
    pub run: Vec<String>,
    /// Probability from which on a heading or an entry that is the name documents it.
    pub documented: f32,
    /// Probability from which on whatever else is shown as a mention.
    pub mentioned: f32,
    /// Log-odds that the sums begin with.
    pub bias: f32,
    /// What they add.
    pub trees: Vec<Tree>,
}

/// The model, ready to be asked.
pub struct Judge {
    trees: Trees,
    bias: f32,
    /// Probability from which on a heading or an entry that is the name documents it.
    pub documented: f32,
    /// Probability from which on whatever else is shown as a mention.
    pub mentioned: f32,
}

impl Judge {
    /// Reads a model; `None` if a tree asks for an unknown feature.
    pub fn new(model: &JudgeModel) -> Option<Self> {
        Some(Self {
            trees: Trees::new(&model.trees, FEATURES)?,
            bias: model.bias,
            documented: model.documented,
            mentioned: model.mentioned,
        })
    }

    /// The probability of each place that it explains the subject.
    pub fn probabilities(&self, places: &[Features]) -> Vec<f32> {
        let rows: Vec<_> = places.iter().map(|features| features.to_array()).collect();
        let column = |feature: usize| rows.iter().map(|row| row[feature]).collect();
        let columns: Vec<Vec<f32>> = (0..FEATURES.len()).map(column).collect();
        self.trees.sums(&columns).into_iter().map(|sum| 1.0 / (1.0 + (-(self.bias + sum)).exp())).collect()
    }
}

/// The compiled-in model.
pub fn judge() -> &'static Judge {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| {
        let model: JudgeModel = serde_json::from_str(include_str!("../judge.json"))
            .expect("the compiled-in model is checked by a test");
        Judge::new(&model).expect("the compiled-in model is checked by a test")
    });
    &JUDGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiled_in_model_asks_for_known_features() {
        let judge = judge();
        assert!(judge.mentioned <= 1.0 && (0.1..=1.0).contains(&judge.documented));
        let probabilities =
            judge.probabilities(&[Features::default(), Features { form: 3.0, ..Features::default() }]);
        assert!(probabilities.iter().all(|one| (0.0..=1.0).contains(one)), "{probabilities:?}");
    }
}
