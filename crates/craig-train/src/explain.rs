//! `explain`: fits the ranker of passages to labelled definitions, and measures explanations on repositories held out.

mod cases;
mod fit;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use craig_engine::Engine;
use craig_explain::{CodeContext, PassageRanker, PassageWeights, explain_by};
use rayon::prelude::*;

use self::cases::{Case, Example, Labels, Repository};
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
    /// Repository to fit nothing to (may be repeated): its answers are measured like those of the others.
    #[arg(long, requires = "out")]
    held_out: Vec<String>,
    /// Leave a feature out (may be repeated): fitted without it, and the same numbers printed.
    #[arg(long, requires = "out")]
    without: Vec<String>,
    /// Write every answer to this file, a JSON object a line.
    #[arg(long)]
    answers: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ExplainArguments) -> Result<()> {
    let study = Study {
        labels: Labels::read(&arguments.places, &arguments.sections)?,
        engine: Engine::open(&corpus::config(&arguments.db, &[])?)?,
        arguments,
    };
    let names: Vec<&String> = study.labels.repositories().collect();
    let fold_of: BTreeMap<&String, usize> = names.iter().copied().zip(folds(&names, N_FOLDS, 1)).collect();
    let mut rankers: Vec<PassageRanker> = Vec::new();
    if let Some(out) = &arguments.out {
        let examples = study.each(|repository, cases| {
            cases.iter().filter_map(|case| repository.example(case)).collect::<Vec<Example>>()
        })?;
        let fitted = || examples.iter().filter(|of| !arguments.held_out.contains(&of.repository));
        let held_out = |fold: usize| {
            let others = fitted().filter(|example| fold_of[&example.repository] != fold);
            fit::fit(&others.collect::<Vec<_>>(), &arguments.without)
        };
        rankers = (0..N_FOLDS).map(|fold| ranker(&held_out(fold))).collect::<Result<_>>()?;
        report::print_ranking(&examples, |example| &rankers[fold_of[&example.repository]]);
        if arguments.without.is_empty() {
            let text = serde_json::to_string(&fit::fit(&fitted().collect::<Vec<_>>(), &[]))? + "\n";
            std::fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))?;
        }
    }
    // Opened again: all libraries at once take gigabytes.
    let outcomes = study.each(|repository, cases| {
        let ranker = rankers.get(fold_of[&repository.name]).unwrap_or(PassageRanker::builtin());
        let explained = |(case, context): (&Case, CodeContext)| {
            Outcome::new(case, explain_by(ranker, &repository.library, &context))
        };
        repository.contexts(cases).map(explained).collect::<Vec<Outcome>>()
    })?;
    report::print_answers(&outcomes);
    match &arguments.answers {
        Some(file) => report::write_answers(&outcomes, file),
        None => Ok(()),
    }
}

struct Study<'a> {
    arguments: &'a ExplainArguments,
    labels: Labels,
    engine: Engine,
}

impl Study<'_> {
    /// Opens each repository that is there, several at once, and gathers what `of` makes of its definitions.
    fn each<T: Send>(&self, of: impl Fn(&Repository, &[Case]) -> Vec<T> + Sync) -> Result<Vec<T>> {
        let names: Vec<&String> = self.labels.repositories().collect();
        let gathered = names.par_iter().map(|name| {
            let repository = Repository::open(&self.engine, &self.arguments.corpora, name)?;
            Ok(repository.map(|repository| of(&repository, self.labels.of(name))).unwrap_or_default())
        });
        Ok(gathered.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

fn ranker(weights: &PassageWeights) -> Result<PassageRanker> {
    PassageRanker::new(weights).context("the weights are of known features")
}
