//! `fit`: learns the ranker and its probability of relevance from labelled questions, and evaluates both on held-out
//! repositories.

mod examples;
mod logistic;
mod report;
pub(crate) mod reports;
mod softmax;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use craig_engine::FEATURE_NAMES;
use craig_search::{RankerWeights, RelevanceWeights, SCORE_FEATURE_NAMES, ScoreWeights};
use rayon::prelude::*;

use self::examples::{Asked, Collection, Example};
use self::logistic::Observation;
use self::softmax::{Linear, N_COLUMNS};

#[derive(Args)]
pub(crate) struct FitArguments {
    /// File of labelled questions; may be given several times, each with its --corpora.
    #[arg(long, required = true)]
    questions: Vec<PathBuf>,
    /// Folder with the repositories of the questions at the same place, each checked out under its name.
    #[arg(long, required = true)]
    corpora: Vec<PathBuf>,
    /// Database for the indexes; kept, so that a second run is quick.
    #[arg(long)]
    db: PathBuf,
    /// Questions that no repository answers: a JSON list of {"query", "category"}.
    #[arg(long)]
    unrelated: Option<PathBuf>,
    /// How much a file of questions counts beside the others, in the same order; 1 unless given.
    #[arg(long)]
    weight: Vec<f64>,
    /// Strength of the pull of the ranker's weights towards their priors.
    #[arg(long, default_value_t = 50.0)]
    pull: f64,
    /// Shuffles of the repositories into folds that results are averaged over.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    shuffles: u64,
    /// File to write the weights to.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// One sixth of the repositories is held out at a time.
const N_FOLDS: usize = 6;

pub(crate) fn run(arguments: &FitArguments) -> Result<()> {
    ensure!(
        arguments.questions.len() == arguments.corpora.len(),
        "give one --corpora for each --questions, in the same order"
    );
    let is_weight = |weight: &f64| weight.is_finite() && *weight > 0.0;
    ensure!(arguments.weight.iter().all(is_weight), "a --weight has to be above 0");
    let collection = Collection::gather(arguments)?;
    let held_out = cross_validate(&collection, arguments);
    let lines = report::lines(&collection, &held_out);
    report::print(&lines);
    let Some(out) = &arguments.out else { return Ok(()) };
    let weights = fit_all(&collection, &held_out[0].scores, arguments.pull, lines);
    let text = serde_json::to_string_pretty(&weights)? + "\n";
    std::fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))
}

/// Predictions of the models of one shuffle for examples that they were not fitted on.
struct HeldOut {
    /// For each example in order, the scores of its candidates.
    scores: Vec<Vec<f32>>,
    /// For each example in order, the relevances of its candidates, best first, and whether each is relevant.
    relevances: Vec<Vec<(f64, bool)>>,
}

fn cross_validate(collection: &Collection, arguments: &FitArguments) -> Vec<HeldOut> {
    (0..arguments.shuffles)
        .into_par_iter()
        .map(|shuffle| {
            let fold_of = collection.folds(N_FOLDS, shuffle);
            let scores = held_out_scores(collection, &fold_of, arguments.pull);
            let relevances = held_out_relevances(collection, &fold_of, &scores);
            HeldOut { scores, relevances }
        })
        .collect()
}

/// The scores that [`RankerWeights`] has weights of, but that for reports, which `fit-reports` fits.
struct Ranker {
    words: Linear,
    symbol: Linear,
}

/// The weights for symbols are fitted on fewer questions, so the pull towards the weights for all is weaker.
const SYMBOL_PULL: f64 = 20.0;

impl Ranker {
    fn fit(examples: &[&Example], pull: f64) -> Self {
        let words = Linear::prior().refined(examples, pull);
        let symbols: Vec<&Example> = examples.iter().copied().filter(|example| example.is_symbol).collect();
        let symbol = words.refined(&symbols, SYMBOL_PULL);
        Self { words, symbol }
    }

    fn scores(&self, example: &Example) -> Vec<f32> {
        if example.is_symbol { self.symbol.scores(example) } else { self.words.scores(example) }
    }
}

/// Scores of each example by a ranker that was not fitted on its repository.
fn held_out_scores(collection: &Collection, fold_of: &[usize], pull: f64) -> Vec<Vec<f32>> {
    let rankers: Vec<Ranker> = (0..N_FOLDS)
        .into_par_iter()
        .map(|fold| {
            let seen =
                |example: &&Example| example.asked == Asked::Own && fold_of[example.repository] != fold;
            Ranker::fit(&collection.examples.iter().filter(seen).collect::<Vec<_>>(), pull)
        })
        .collect();
    collection.examples.iter().map(|example| rankers[fold_of[example.repository]].scores(example)).collect()
}

/// Relevances of the ten best of each example by a model fitted on the other folds.
fn held_out_relevances(
    collection: &Collection,
    fold_of: &[usize],
    scores: &[Vec<f32>],
) -> Vec<Vec<(f64, bool)>> {
    let observed: Vec<Vec<Observation>> = collection
        .examples
        .iter()
        .zip(scores)
        .map(|(example, scores)| example.observations(scores))
        .collect();
    let models: Vec<logistic::Model> = (0..N_FOLDS)
        .map(|fold| {
            let seen = collection.examples.iter().zip(&observed);
            let seen = seen.filter(|(example, _)| fold_of[example.repository] != fold);
            logistic::Model::fit(seen.flat_map(|(_, observations)| observations))
        })
        .collect();
    let relevances = |(example, observations): (&Example, &Vec<Observation>)| {
        models[fold_of[example.repository]].relevances(observations)
    };
    collection.examples.iter().zip(&observed).map(relevances).collect()
}

/// Fits both models on all examples. The relevance is fitted on `held_out`, the scores of rankers that were not fitted on the
/// questions: a ranker is more confident on its training data than on new data.
fn fit_all(collection: &Collection, held_out: &[Vec<f32>], pull: f64, run: Vec<String>) -> RankerWeights {
    let own: Vec<&Example> = collection.examples.iter().filter(|e| e.asked == Asked::Own).collect();
    let ranker = Ranker::fit(&own, pull);
    let observed: Vec<_> = collection
        .examples
        .iter()
        .zip(held_out)
        .flat_map(|(example, scores)| example.observations(scores))
        .collect();
    let relevance = logistic::Model::fit(&observed);
    let (score_features, raw_features) = relevance.weights().split_at(SCORE_FEATURE_NAMES.len());
    let known = RankerWeights::compiled_in();
    let of_reports = known.run.into_iter().filter(|line| line.starts_with(reports::REPORTS));
    RankerWeights {
        run: run.into_iter().chain(of_reports).collect(),
        words: score_weights(&ranker.words),
        symbol: score_weights(&ranker.symbol),
        report: known.report,
        relevance: RelevanceWeights {
            bias: relevance.bias() as f32,
            score_features: named(&SCORE_FEATURE_NAMES, score_features),
            features: named(FEATURE_NAMES, raw_features),
        },
    }
}

fn score_weights(score: &Linear) -> ScoreWeights {
    let (features, shares) = score.weights().split_at(N_COLUMNS / 2);
    ScoreWeights { features: named(FEATURE_NAMES, features), shares: named(FEATURE_NAMES, shares) }
}

/// The weights that do not round to 0, by name.
fn named(names: &[&str], weights: &[f64]) -> BTreeMap<String, f32> {
    let rounded = weights.iter().map(|weight| (weight * 10_000.0).round() / 10_000.0);
    names
        .iter()
        .zip(rounded)
        .filter(|&(_, weight)| weight != 0.0)
        .map(|(name, weight)| ((*name).to_owned(), weight as f32))
        .collect()
}
