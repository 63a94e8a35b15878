//! Orders candidates: a score from features, and a probability from the score.

use crate::features::Features;

/// Relevance of a candidate on an open scale; only the order means something.
///
/// First weights, set by hand on `evals/` (see `docs/benchmarks.md`).
pub(crate) fn score(features: &Features) -> f32 {
    let f = features;
    let names = 1.0 * f.name_coverage + 0.6 * f.name_precision + 0.5 * f.path_coverage + 0.8 * f.name_exact;
    let definitions = 1.2 * f.definition_exact + 0.5 * f.symbol_best + 0.4 * f.symbol_file;
    let text = 0.5 * f.body_best + 0.15 * f.body_three + 0.5 * f.body_file + 0.4 * f.coverage_file;
    let dense = 1.0 * f.dense_best
        + 0.6 * f.dense_symbols
        + 0.6 * f.dense_path
        + 0.6 * f.dense_name
        + 0.5 * f.dense_whole
        + 0.3 * f.dense_head;
    let role = 1.2 * f.is_test
        + 0.9 * f.is_example
        + 0.8 * f.is_vendored
        + 0.5 * f.is_stub
        + 0.2 * f.is_barrel
        + 0.5 * f.is_docs
        + 0.8 * f.is_config;
    names + definitions + text + dense - role
}

/// Probability that a candidate of that score is relevant.
pub(crate) fn probability(score: f32) -> f32 {
    1.0 / (1.0 + (-(1.6 * score - 4.0)).exp())
}
