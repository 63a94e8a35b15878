//! Orders candidates: a score from features, and a probability of relevance from the scores of all candidates.

use crate::features::Features;

/// Relevance of a candidate on an open scale; only differences between candidates of one query mean something.
///
/// A sum of weighted features. Weights: coordinate ascent on NDCG@10 over `evals/`, roles set by hand, since most of
/// its repositories hold no tests or examples; see `docs/benchmarks.md`.
pub(crate) fn score(f: &Features) -> f32 {
    let names = 0.75 * f.name_coverage
        + 0.1 * f.name_precision
        + 0.3 * f.name_prefix
        + 0.8 * f.name_exact
        + 0.75 * f.path_coverage
        + 0.1 * f.folder_coverage;
    let definitions = 1.2 * f.definition_exact
        + 0.5 * f.type_exact
        + 0.2 * (f.symbol_file + f.compound_symbol + f.compound_body);
    let text = 0.5 * (f.body_best + f.body_file)
        + 0.15 * f.body_three
        + 0.6 * f.coverage_file
        + 0.2 * f.coverage_head;
    let dense = f.dense_best
        + f.label_best
        + 0.5 * f.label_three
        + 0.6 * (f.dense_symbols + f.dense_path)
        + 0.75 * f.dense_whole
        + 0.1 * f.dense_head;
    let weight_in_project =
        0.1 * (f.log_tokens + f.log_imports + f.is_entry) + 0.03 * f.used_most + 0.2 * f.hub;
    names + definitions + text + dense + weight_in_project - role(f)
}

/// What its part in the project takes from a candidate's score.
fn role(f: &Features) -> f32 {
    1.2 * f.is_test
        + 0.9 * f.is_example
        + 0.8 * (f.is_vendored + f.is_config)
        + 0.6 * f.is_other_platform
        + 0.5 * (f.is_stub + f.is_docs)
        + 0.3 * f.is_legacy
        + 0.2 * (f.is_barrel + f.is_internal)
        + 0.1 * f.is_types
}

/// Probability that each candidate is relevant, from the scores of all of them, best first.
///
/// Logistic in the score, in how far it lies behind the best, and, for the best, in how far it leads: a candidate that
/// stands out is more surely meant. Fitted on the ten best candidates of the questions of `evals/`, and of questions
/// asked of repositories that they are not about; see `docs/benchmarks.md`.
pub(crate) fn relevances(scores: &[f32]) -> Vec<f32> {
    let best = scores.first().copied().unwrap_or_default();
    let lead = (best - scores.get(1).copied().unwrap_or(best)).min(MAX_LEAD);
    let logit = |(rank, score): (usize, &f32)| {
        let lead = if rank == 0 { lead } else { 0.0 };
        SCORE_WEIGHT * score + BEHIND_WEIGHT * (best - score) + LEAD_WEIGHT * lead + BIAS
    };
    scores.iter().enumerate().map(logit).map(|logit| 1.0 / (1.0 + (-logit).exp())).collect()
}

const SCORE_WEIGHT: f32 = 0.53;
const BEHIND_WEIGHT: f32 = -1.12;
const LEAD_WEIGHT: f32 = 1.52;
const BIAS: f32 = -4.0;

/// A larger lead says no more than this one.
const MAX_LEAD: f32 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_falls_with_the_score_and_rises_with_the_lead() {
        let clear = relevances(&[7.0, 5.0, 4.0]);
        assert!(clear.is_sorted_by(|a, b| a > b), "{clear:?}");
        let close = relevances(&[7.0, 6.9, 4.0]);
        assert!(close[0] < clear[0], "{close:?} {clear:?}");
        assert!(relevances(&[]).is_empty());
    }

    #[test]
    fn a_test_file_stands_behind_the_code_it_tests() {
        let code = Features { dense_best: 0.5, ..Features::default() };
        assert!(score(&Features { is_test: 1.0, ..code }) < score(&code));
    }
}
