//! How likely a passage explains a name: boosted trees over its features.
//!
//! `passages.json`, written by `craig-train explain`.

use std::sync::LazyLock;

use craig_model::{Tree, Trees};
use serde::{Deserialize, Serialize};

use super::{FEATURES, Passage};

/// What `craig-train explain` learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassageWeights {
    /// Least probability of a passage that is shown.
    pub threshold: f32,
    /// Least probability of a passage that documents the symbol, not only mentions it.
    pub documented: f32,
    /// Log-odds to which the trees add.
    pub start: f32,
    /// The trees.
    pub trees: Vec<Tree>,
}

/// Decides which passages explain a name.
pub struct PassageRanker {
    pub(crate) threshold: f32,
    pub(crate) documented: f32,
    start: f32,
    trees: Trees,
}

impl PassageRanker {
    /// The compiled-in ranker.
    pub fn builtin() -> &'static Self {
        static RANKER: LazyLock<PassageRanker> = LazyLock::new(|| {
            let weights = serde_json::from_str(include_str!("../../passages.json")).ok();
            weights
                .and_then(|weights| PassageRanker::new(&weights))
                .expect("the compiled-in weights are checked by a test")
        });
        &RANKER
    }

    /// A ranker of these weights; `None` if they ask for a feature that there is not.
    pub fn new(weights: &PassageWeights) -> Option<Self> {
        let trees = Trees::new(&weights.trees, FEATURES)?;
        let &PassageWeights { threshold, documented, start, .. } = weights;
        Some(Self { threshold, documented, start, trees })
    }

    /// The probability that each passage explains the name, from 0 to 1.
    pub fn probabilities(&self, passages: &[Passage]) -> Vec<f32> {
        let rows: Vec<_> = passages.iter().map(|one| one.features.to_array()).collect();
        let columns: Vec<Vec<f32>> =
            (0..FEATURES.len()).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
        let probability = |sum: f32| 1.0 / (1.0 + (-(self.start + sum)).exp());
        self.trees.sums(&columns).into_iter().map(probability).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiled_in_weights_are_of_known_features() {
        let ranker = PassageRanker::builtin();
        assert!(ranker.threshold < ranker.documented && ranker.documented < 1.0);
        assert!(FEATURES.len() <= 25, "a feature needs a measured gain");
    }
}
