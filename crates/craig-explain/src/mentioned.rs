//! How likely a mention of a symbol helps: a logistic regression, fitted to mentions that two readers judged.
//!
//! Weights: `mentioned.json`, written by `craig-train judged --fit`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;

/// Names of what the regression reads, as in [`SUBJECT_FEATURES`](crate::SUBJECT_FEATURES) and
/// [`SECTION_FEATURES`](crate::SECTION_FEATURES).
pub const MENTION_FEATURES: [&str; 5] = ["length", "is_class", "called_with_kin", "affinity", "heading_has"];

/// Values of [`MENTION_FEATURES`].
pub type MentionFeatures = [f32; MENTION_FEATURES.len()];

/// What `craig-train judged --fit` learns, by names of features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MentionWeights {
    /// The run that made them, and what it measured.
    pub run: Vec<String>,
    /// Least probability of a mention that is shown.
    pub threshold: f32,
    /// Log-odds of a mention whose features are all 0.
    pub bias: f32,
    /// Log-odds of each feature.
    pub weights: BTreeMap<String, f32>,
}

impl MentionWeights {
    /// The compiled-in weights.
    pub fn builtin() -> &'static Self {
        static WEIGHTS: LazyLock<MentionWeights> = LazyLock::new(|| {
            serde_json::from_str(include_str!("../mentioned.json"))
                .expect("the compiled-in weights are checked by a test")
        });
        &WEIGHTS
    }

    /// Probability that a mention with these features helps, from 0 to 1.
    pub fn probability(&self, features: &MentionFeatures) -> f32 {
        let weight = |name: &str| self.weights.get(name).copied().unwrap_or_default();
        let sum: f32 = MENTION_FEATURES.iter().zip(features).map(|(name, value)| weight(name) * value).sum();
        1.0 / (1.0 + (-(self.bias + sum)).exp())
    }
}

/// The features of a mention in the section at `at`.
pub(crate) fn mention_features(evidence: &Evidence, at: usize) -> MentionFeatures {
    let (subject, section) = (&evidence.subject, evidence.features_at(at));
    [subject.length, subject.is_class, subject.called_with_kin, section.affinity, section.heading_has]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_those_of_known_features() {
        let weights = MentionWeights::builtin();
        assert!(weights.weights.keys().all(|name| MENTION_FEATURES.contains(&name.as_str())));
        assert!((0.3..0.9).contains(&weights.threshold));
    }
}
