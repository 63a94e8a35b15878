//! `fit-chunks`: learns the ranker of chunks and its probability of relevance from questions with labelled lines, and
//! measures both on held-out repositories.

mod about;
mod examples;
mod lambda;
mod report;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use craig_model::{Tree, columns, tree_sums};
use craig_search::{CHUNK_FEATURE_NAMES, ChunkRankerWeights, SCORE_FEATURE_NAMES, score_features};

use self::examples::{Collection, Example};
use crate::boost::{Boosting, Gradient, Table, boost};
use crate::metrics::sigmoid;
use crate::random::folds;
use serde::{Deserialize, Serialize};

#[derive(Args)]
pub(crate) struct FitChunksArguments {
    /// File of questions with labelled lines.
    #[arg(long)]
    questions: PathBuf,
    /// File of further ones, which teach the order of lines, but not which messages are about the project.
    #[arg(long)]
    order: Option<PathBuf>,
    /// Folder with the folders of the sets (`own`, `named`), each with repositories checked out under their names.
    #[arg(long)]
    corpora: PathBuf,
    /// Database for the indexes; kept, so that a second run is quick.
    #[arg(long)]
    db: PathBuf,
    /// File of texts of changes with the lines that these edit, as `evals/reports` mines them: they are fitted to as well.
    #[arg(long)]
    reports: Option<PathBuf>,
    /// Questions that no repository answers: a JSON list of {"query", "category"}.
    #[arg(long)]
    unrelated: PathBuf,
    /// Shuffles of the repositories into folds that results are averaged over.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    shuffles: u64,
    /// Trees of each model.
    #[arg(long, default_value_t = 240)]
    trees: usize,
    /// Share of each tree's answer that is added.
    #[arg(long, default_value_t = 0.1)]
    rate: f32,
    /// Pull of leaves towards 0.
    #[arg(long, default_value_t = 4.0)]
    pull: f64,
    /// Leave these features out (may be repeated).
    #[arg(long)]
    without: Vec<String>,
    /// File to write the trees to.
    #[arg(long)]
    out: Option<PathBuf>,
    /// File to write the trees of each fold to, for `lines --folds`.
    #[arg(long)]
    folds: Option<PathBuf>,
}

/// Trees, and the repositories that they were not fitted on.
#[derive(Serialize, Deserialize)]
pub(crate) struct FoldWeights {
    pub(crate) held_out: Vec<String>,
    pub(crate) weights: ChunkRankerWeights,
}

/// One sixth of the repositories is held out at a time.
const N_FOLDS: usize = 6;

/// Chunks of a query, best first, that relevance is learned from.
const N_SEEN: usize = 24;

pub(crate) fn run(arguments: &FitChunksArguments) -> Result<()> {
    let collection = Collection::gather(arguments)?;
    let held_out: Vec<HeldOut> =
        (0..arguments.shuffles).map(|shuffle| HeldOut::new(&collection, arguments, shuffle)).collect();
    let lines = report::lines(&collection, &held_out);
    report::print(&lines);
    if let Some(file) = &arguments.folds {
        write(file, &held_out[0].folds)?;
    }
    let Some(out) = &arguments.out else { return Ok(()) };
    let all: Vec<&Example> = collection.examples.iter().collect();
    let score = fit_score(&all, arguments);
    let seen: Vec<Seen> =
        all.iter().zip(&held_out[0].scores).map(|(example, scores)| Seen::new(example, scores)).collect();
    let seen: Vec<(&Example, &Seen)> = all.iter().copied().zip(&seen).collect();
    let (bias, relevance) = fit_relevance(&seen, arguments);
    let asked: Vec<(&Example, &[(usize, f64)])> =
        all.iter().zip(&held_out[0].ranked).map(|(example, ranked)| (*example, ranked.as_slice())).collect();
    let about = about::fit(&asked);
    let weights = ChunkRankerWeights { run: lines, score, bias, relevance, about };
    write(out, &weights)
}

/// Writes trees as JSON, each on a line of its own.
fn write(file: &Path, weights: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(weights)?.replace("{\"splits\"", "\n{\"splits\"") + "\n";
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Predictions of the models of one shuffle for examples that they were not fitted on.
struct HeldOut {
    /// For each example, the scores of its pool.
    scores: Vec<Vec<f32>>,
    /// For each example, its pool best first, each with its relevance.
    ranked: Vec<Vec<(usize, f64)>>,
    folds: Vec<FoldWeights>,
}

/// The best chunks of a query in their order, with what relevance is computed from.
struct Seen {
    order: Vec<usize>,
    rows: Vec<Vec<f32>>,
}

impl Seen {
    fn new(example: &Example, scores: &[f32]) -> Self {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let sorted: Vec<f32> = order.iter().map(|&at| scores[at]).collect();
        let of_scores = score_features(&sorted);
        let row = |(&at, of_scores): (&usize, &[f32; SCORE_FEATURE_NAMES.len()])| {
            example.pool[at].features.iter().chain(of_scores).copied().collect()
        };
        let rows = order.iter().zip(&of_scores).map(row).collect();
        Self { order, rows }
    }
}

impl HeldOut {
    fn new(collection: &Collection, arguments: &FitChunksArguments, shuffle: u64) -> Self {
        let fold_of = folds(&collection.repositories, N_FOLDS, shuffle);
        let examples = &collection.examples;
        let n = examples.len();
        let (mut scores, mut ranked) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let split =
            |fold: usize| (0..n).partition::<Vec<usize>, _>(|&at| fold_of[examples[at].repository] != fold);
        let mut folds = Vec::new();
        for fold in 0..N_FOLDS {
            let (fitted, held_out) = split(fold);
            let fitted: Vec<&Example> = fitted.into_iter().map(|at| &examples[at]).collect();
            let trees = fit_score(&fitted, arguments);
            let names = collection.repositories.iter().zip(&fold_of).filter(|(_, of)| **of == fold);
            let weights = ChunkRankerWeights { score: trees.clone(), ..ChunkRankerWeights::default() };
            folds.push(FoldWeights { held_out: names.map(|(name, _)| name.clone()).collect(), weights });
            held_out
                .into_iter()
                .for_each(|at| scores[at] = sums(&trees, 0.0, &examples[at].rows(), CHUNK_FEATURE_NAMES));
        }
        let seen: Vec<Seen> = examples.iter().zip(&scores).map(|(e, scores)| Seen::new(e, scores)).collect();
        for (number, fold) in folds.iter_mut().enumerate() {
            let (fitted, held_out) = split(number);
            let fitted: Vec<(&Example, &Seen)> =
                fitted.iter().map(|&at| (&examples[at], &seen[at])).collect();
            (fold.weights.bias, fold.weights.relevance) = fit_relevance(&fitted, arguments);
            let ChunkRankerWeights { bias, relevance, .. } = &fold.weights;
            for at in held_out {
                let log_odds = sums(relevance, *bias, &seen[at].rows, &relevance_names());
                let mut least = 1.0f64;
                let relevances = log_odds.into_iter().map(|log_odds| {
                    least = least.min(sigmoid(f64::from(log_odds)));
                    least
                });
                ranked[at] = seen[at].order.iter().copied().zip(relevances).collect();
            }
        }
        // Relevances that no tree was fitted to, as those of later queries.
        for (number, fold) in folds.iter_mut().enumerate() {
            let (fitted, _) = split(number);
            let fitted: Vec<(&Example, &[(usize, f64)])> =
                fitted.iter().map(|&at| (&examples[at], ranked[at].as_slice())).collect();
            fold.weights.about = about::fit(&fitted);
        }
        Self { scores, ranked, folds }
    }
}

fn relevance_names() -> Vec<&'static str> {
    CHUNK_FEATURE_NAMES.iter().chain(&SCORE_FEATURE_NAMES).copied().collect()
}

/// The trees that rank pools: only questions with an answer in their pool teach.
fn fit_score(examples: &[&Example], arguments: &FitChunksArguments) -> Vec<Tree> {
    let taught: Vec<&&Example> = examples.iter().filter(|example| example.has_answer()).collect();
    let rows: Vec<Vec<f32>> = taught.iter().flat_map(|example| example.rows()).collect();
    let table = Table::new(CHUNK_FEATURE_NAMES, &rows, &arguments.without);
    let ends: Vec<usize> = taught
        .iter()
        .scan(0, |end, example| {
            *end += example.pool.len();
            Some(*end)
        })
        .collect();
    let boosting = Boosting {
        n_trees: arguments.trees,
        rate: arguments.rate,
        pull: arguments.pull,
        share: 0.7,
        seed: 0,
    };
    boost(&table, &boosting, 0.0, |scores| {
        let mut all = Vec::with_capacity(scores.len());
        for (example, &end) in taught.iter().zip(&ends) {
            let gains: Vec<f64> = example.pool.iter().map(|chunk| chunk.gain()).collect();
            all.extend(lambda::gradients(&scores[end - gains.len()..end], &gains));
        }
        all
    })
}

/// The intercept and the trees for the log-odds of relevance, from what is seen of pools.
fn fit_relevance(examples: &[(&Example, &Seen)], arguments: &FitChunksArguments) -> (f32, Vec<Tree>) {
    let mut rows = Vec::new();
    let mut answers = Vec::new();
    for (example, seen) in examples {
        for (&at, row) in seen.order.iter().zip(&seen.rows).take(N_SEEN) {
            rows.push(row.clone());
            answers.push((example.pool[at].answers, example.weight()));
        }
    }
    let (n_right, n_all) = answers.iter().fold((0.0, 0.0), |(right, all), &(is_right, weight)| {
        (right + weight * f64::from(u8::from(is_right)), all + weight)
    });
    let bias = (n_right / (n_all - n_right)).ln() as f32;
    let table = Table::new(&relevance_names(), &rows, &arguments.without);
    let boosting =
        Boosting { n_trees: arguments.trees, rate: arguments.rate, pull: 10.0, share: 0.7, seed: 1 };
    let trees = boost(&table, &boosting, bias, |scores| {
        let gradient = |(&score, &(is_right, weight)): (&f32, &(bool, f64))| {
            let probability = sigmoid(f64::from(score));
            Gradient {
                first: weight * (probability - f64::from(u8::from(is_right))),
                second: weight * probability * (1.0 - probability),
            }
        };
        scores.iter().zip(&answers).map(gradient).collect()
    });
    (bias, trees)
}

fn sums(trees: &[Tree], start: f32, rows: &[Vec<f32>], names: &[&str]) -> Vec<f32> {
    let sums = tree_sums(trees, names, &columns(rows, names.len()));
    sums.into_iter().map(|sum| start + sum).collect()
}
