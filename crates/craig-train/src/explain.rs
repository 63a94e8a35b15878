//! `explain`: fits the ranker of passages to labelled definitions, and measures explanations on repositories held out.

mod cases;
mod fit;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use craig_engine::Engine;
use craig_explain::{PassageRanker, PassageWeights, explain_by};

use self::cases::{Example, Labels, Repository};
use self::report::Outcome;
use crate::corpus;
use crate::random::folds;

/// Repositories are held out in so many groups.
const N_FOLDS: usize = 5;

#[derive(Args)]
pub(crate) struct ExplainArguments {
    /// File of definitions with the places that explain them (may be repeated).
    #[arg(long)]
    places: Vec<PathBuf>,
    /// File of definitions with the sections that document them (may be repeated).
    #[arg(long)]
    sections: Vec<PathBuf>,
    /// Folder with repositories, each checked out under its name (may be repeated).
    #[arg(long, required = true)]
    corpora: Vec<PathBuf>,
    /// Database for the indexes, whose definitions distinguish symbols of the same name; kept for the next run.
    #[arg(long)]
    db: PathBuf,
    /// Fit: measure each repository by weights that are fitted to others, and write the weights of all to this file.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Leave a feature out (may be repeated): fitted without it, and the same numbers printed.
    #[arg(long, requires = "out")]
    without: Vec<String>,
    /// Write every answer to this file, a JSON object a line.
    #[arg(long)]
    answers: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ExplainArguments) -> Result<()> {
    let labels = Labels::read(&arguments.places, &arguments.sections)?;
    let engine = Engine::open(&corpus::config(&arguments.db, &[])?)?;
    let names: Vec<&String> = labels.repositories().collect();
    let fold_of: BTreeMap<&String, usize> = names.iter().copied().zip(folds(&names, N_FOLDS, 1)).collect();
    let mut rankers: Vec<PassageRanker> = Vec::new();
    if arguments.out.is_some() {
        let mut examples: Vec<Example> = Vec::new();
        for name in &names {
            if let Some(repository) = Repository::open(&engine, &arguments.corpora, name)? {
                examples.extend(labels.of(name).iter().filter_map(|case| repository.example(case)));
            }
        }
        let held_out = |fold: usize| {
            let others = examples.iter().filter(|example| fold_of[&example.repository] != fold);
            fit::fit(&others.collect::<Vec<_>>(), &arguments.without)
        };
        rankers = (0..N_FOLDS).map(|fold| ranker(&held_out(fold))).collect::<Result<_>>()?;
        report::print_ranking(&examples, |example| &rankers[fold_of[&example.repository]]);
        if let Some(out) = arguments.out.as_ref().filter(|_| arguments.without.is_empty()) {
            let weights = fit::fit(&examples.iter().collect::<Vec<_>>(), &[]);
            let text = serde_json::to_string(&weights)? + "\n";
            std::fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))?;
        }
    }
    // Opened again: all libraries at once take gigabytes.
    let mut outcomes: Vec<Outcome> = Vec::new();
    for name in &names {
        let Some(repository) = Repository::open(&engine, &arguments.corpora, name)? else { continue };
        let ranker = rankers.get(fold_of[name]).unwrap_or(PassageRanker::builtin());
        let answers = repository.contexts(labels.of(name));
        outcomes
            .extend(answers.map(|(case, context)| {
                Outcome::new(case, explain_by(ranker, &repository.library, &context))
            }));
    }
    report::print_answers(&outcomes);
    match &arguments.answers {
        Some(file) => report::write_answers(&outcomes, file),
        None => Ok(()),
    }
}

fn ranker(weights: &PassageWeights) -> Result<PassageRanker> {
    PassageRanker::new(weights).context("the weights are of known features")
}
