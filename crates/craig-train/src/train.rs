//! `train`: makes the built-in embedding out of pairs. Recipe and results: `model/README.md`.

mod corpus;
pub(crate) mod export;
mod matrix;
mod step;
mod validation;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::Args;
use craig_model::{StaticModel, Vocabulary};

use crate::metrics::mean;
use crate::pairs::{self, Kind, Pair};
use crate::random::{Random, hash};
use corpus::Corpus;
use step::{Adam, Parameters};
use validation::Validation;

#[derive(Args)]
pub(crate) struct TrainArguments {
    /// Pairs that `mine` wrote.
    #[arg(long)]
    pairs: PathBuf,
    /// Folder to write weights and vocabulary to.
    #[arg(long)]
    out: PathBuf,
    /// Decides first weights, order and views.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Times that every pair is seen.
    #[arg(long, default_value_t = 3)]
    epochs: usize,
    /// Words in the vocabulary.
    #[arg(long, default_value_t = 40_000)]
    words: usize,
    /// Components of a vector, a multiple of 32.
    #[arg(long, default_value_t = 256)]
    dimensions: usize,
    /// Highest learning rate.
    #[arg(long, default_value_t = 0.002)]
    rate: f32,
    /// Divisor of similarities in the loss.
    #[arg(long, default_value_t = 0.05)]
    temperature: f32,
    /// Kinds of pairs to use, separated by commas; all unless given.
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<Kind>,
}

/// Steps until the learning rate is at its highest; from there it falls to 0.
const WARM_UP_STEPS: f32 = 200.0;

pub(crate) fn run(arguments: &TrainArguments) -> Result<()> {
    ensure!(arguments.dimensions.is_multiple_of(32), "the number of dimensions is no multiple of 32");
    let all = pairs::read(&arguments.pairs)?.collect::<Result<Vec<Pair>>>()?;
    let (held_out, mut pairs): (Vec<Pair>, Vec<Pair>) =
        all.into_iter().partition(|pair| corpus::is_held_out(&pair.repository));
    if !arguments.kinds.is_empty() {
        pairs.retain(|pair| arguments.kinds.contains(&pair.kind));
    }
    let words: &'static str = corpus::vocabulary(&pairs, arguments.words).leak();
    let vocabulary = Vocabulary::new(words);
    let corpus = Corpus::new(&pairs, &vocabulary)?;
    log(&format!("{} pairs, {} held out, {} words", pairs.len(), held_out.len(), vocabulary.len()));
    drop(pairs);
    let parameters = learn(arguments, &corpus, vocabulary.len());
    let weights = export::weights(&parameters)?;
    export::write(&arguments.out, &weights, words)?;
    report(crate::model::parse(weights, words.to_owned())?, &held_out);
    Ok(())
}

fn learn(arguments: &TrainArguments, corpus: &Corpus, n_rows: usize) -> Parameters {
    let mut parameters = Parameters::new(n_rows, arguments.dimensions, arguments.seed);
    let mut adam = Adam::new(&parameters);
    let mut random = Random::new(hash(arguments.seed, &["order"]));
    let mut n_steps = 0;
    for epoch in 0..arguments.epochs {
        let started = Instant::now();
        let batches = corpus.epoch(&mut random);
        let n_steps_in_all = batches.len() * arguments.epochs;
        let mut losses = Vec::with_capacity(batches.len());
        for examples in &batches {
            let batch = corpus.batch(examples, random.next());
            let gradients = step::gradients(&parameters, &batch, arguments.temperature);
            let rate = arguments.rate * share_of_rate(n_steps, n_steps_in_all);
            adam.step(&mut parameters, &batch, &gradients, rate);
            losses.push(f64::from(gradients.loss));
            n_steps += 1;
        }
        let seconds = started.elapsed().as_secs_f32();
        log(&format!(
            "epoch {:>2}: loss {:.4}, {} steps, {seconds:.0} s",
            epoch + 1,
            mean(losses),
            batches.len()
        ));
    }
    parameters
}

/// Rises in a straight line, then falls to 0 in another.
fn share_of_rate(step: usize, n_steps: usize) -> f32 {
    let warm = (step as f32 + 1.0) / WARM_UP_STEPS;
    let left = 1.0 - step as f32 / n_steps as f32;
    warm.min(1.0) * left
}

fn report(model: &StaticModel, held_out: &[Pair]) {
    for kind in [Kind::Doc, Kind::Purpose] {
        let by_language = Validation::new(held_out, kind).mrr(model);
        log(&format!("{kind:?} of repositories held out: MRR {:.4}", mean(by_language.values().copied())));
        by_language.iter().for_each(|(language, mrr)| log(&format!("  {language:<16} {mrr:.4}")));
    }
}

#[expect(clippy::print_stdout, reason = "progress is what a person watches while it trains")]
fn log(line: &str) {
    println!("{line}");
}
