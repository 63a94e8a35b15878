//! The seam behind which rerankers stand, and what their scores become.

use std::time::Instant;

use crate::ModelError;

/// Looks at a query and each of a few documents together, and says how well they fit.
pub trait Reranker: Send + Sync {
    /// Names provider and model, for people.
    fn name(&self) -> &str;

    /// Scores the documents, in their order: 0 to 1, higher is better. Gives up at the deadline.
    ///
    /// Scores are to be compared within one answer; they are no probabilities.
    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Vec<f32>, ModelError>;
}

/// What to score.
#[derive(Clone, Debug)]
pub struct RerankRequest<'a> {
    /// What was asked.
    pub query: &'a str,
    /// What was found, best first.
    pub documents: &'a [Document<'a>],
    /// When the answer is of no use any more.
    pub deadline: Instant,
}

/// A document that was found.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Path of the file that it is of, where that is known.
    pub path: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
    /// How good whoever found it thinks it is, 0 to 1.
    pub score: f32,
}

/// Scores as they came, in 0 to 1: where some are outside, they are logits, and all go through the logistic function.
pub(crate) fn in_unit_range(scores: Vec<f32>) -> Vec<f32> {
    if scores.iter().all(|score| (0.0..=1.0).contains(score)) {
        return scores;
    }
    scores.into_iter().map(logistic).collect()
}

pub(crate) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Scales scores so that the least is 0 and the greatest is 1; equal ones become ½.
pub(crate) fn min_max(scores: &[f32]) -> Vec<f32> {
    let least = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = greatest - least;
    scores.iter().map(|score| if range > 0.0 { (score - least) / range } else { 0.5 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logits_become_scores_and_scores_stay() {
        assert_eq!(in_unit_range(vec![0.0, 1.0, 0.25]), [0.0, 1.0, 0.25]);
        let scores = in_unit_range(vec![0.5, -3.0, 9.0]);
        assert!(scores[1] < 0.05 && (0.6..0.7).contains(&scores[0]) && scores[2] > 0.99, "{scores:?}");
    }

    #[test]
    fn ranges_are_stretched() {
        assert_eq!(min_max(&[2.0, 4.0, 3.0]), [0.0, 1.0, 0.5]);
        assert_eq!(min_max(&[2.0, 2.0]), [0.5, 0.5]);
        assert!(min_max(&[]).is_empty());
    }
}
