//! How likely a passage explains a name: boosted trees over its features.
//!
//! `passages.json`, written by `craig-train explain`.

use std::sync::LazyLock;

use craig_model::{Tree, Trees, columns, logistic};
use serde::{Deserialize, Serialize};

use super::{FEATURES, N_FEATURES, Passage};

/// What `craig-train explain` learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassageWeights {
    /// Minimum probability of the best passage for an explanation to be shown.
    pub threshold: f32,
    /// Minimum probability of the best passage for a definition to count as documentation, not as a mention.
    pub documented: f32,
    /// Log-odds to which the trees add.
    pub start: f32,
    /// The trees.
    pub trees: Vec<Tree>,
}

/// Estimates how likely passages explain a name.
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

    /// A ranker with these weights; `None` if they use an unknown feature.
    pub fn new(weights: &PassageWeights) -> Option<Self> {
        let trees = Trees::new(&weights.trees, FEATURES)?;
        let &PassageWeights { threshold, documented, start, .. } = weights;
        Some(Self { threshold, documented, start, trees })
    }

    /// The probability that each passage explains the name, from 0 to 1.
    pub fn probabilities(&self, passages: &[Passage]) -> Vec<f32> {
        let rows: Vec<_> = passages.iter().map(|one| one.features.to_array()).collect();
        let sums = self.trees.sums(&columns(&rows, N_FEATURES));
        sums.into_iter().map(|sum| logistic(self.start + sum)).collect()
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
