//! `fit-reports`: learns the weights by which the ranker orders files for a report, such as the text of an issue, from texts
//! of changes and the files that these edit. The other weights stay as they are.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use craig_context::ChatQuery;
use craig_engine::{Config, Engine, SearchRequest};
use craig_search::RankerWeights;
use rayon::prelude::*;

use super::examples::{Asked, Example};
use super::softmax::Linear;
use super::{N_FOLDS, report, score_weights};
use crate::corpus::ingest_one;
use crate::lines;
use crate::metrics::mean;
use crate::questions::Target;

#[derive(Args)]
pub(crate) struct FitReportsArguments {
    /// File of texts of changes with the lines that these edit, as `evals/reports` mines them.
    #[arg(long)]
    reports: PathBuf,
    /// Folder with the folders of the sets, each with repositories checked out under their names.
    #[arg(long)]
    corpora: PathBuf,
    /// Database for the indexes; kept, so that a second run is quick.
    #[arg(long)]
    db: PathBuf,
    /// Strength of the pull of the weights towards those of queries in words.
    #[arg(long, default_value_t = 20.0)]
    pull: f64,
    /// File of weights to write, which has the other weights already.
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &FitReportsArguments) -> Result<()> {
    let examples = gather(arguments)?;
    let mut weights = RankerWeights::compiled_in();
    let words = Linear::from_weights(&weights.words);
    let refined = |examples: &[&Example]| words.refined(examples, arguments.pull);
    let held_out: Vec<Linear> = (0..N_FOLDS)
        .into_par_iter()
        .map(|fold| refined(&examples.iter().filter(|e| e.repository % N_FOLDS != fold).collect::<Vec<_>>()))
        .collect();
    let lines = [
        quality("weights of words", &examples, |_| &words),
        quality("weights of reports, each repository held out", &examples, |e| {
            &held_out[e.repository % N_FOLDS]
        }),
    ];
    report::print(&lines);
    let Some(out) = &arguments.out else { return Ok(()) };
    weights.report = score_weights(&refined(&examples.iter().collect::<Vec<_>>()));
    weights.run.retain(|line| !line.starts_with(REPORTS));
    weights.run.extend(lines);
    let text = serde_json::to_string_pretty(&weights)? + "\n";
    std::fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))
}

/// What lines about reports begin with.
pub(super) const REPORTS: &str = "reports: ";

/// Asks the engine all reports. Several revisions of a repository count as one.
fn gather(arguments: &FitReportsArguments) -> Result<Vec<Example>> {
    let engine = Engine::open(&Config::new(&arguments.db))?;
    let mut examples = Vec::new();
    let mut repositories: Vec<String> = Vec::new();
    for repository in lines::load(&arguments.reports)? {
        let folder = repository.folder(&arguments.corpora);
        ingest_one(&engine, &repository.name, folder)?;
        let name = repository.name.split('@').next().unwrap_or_default().to_owned();
        if !repositories.contains(&name) {
            repositories.push(name.clone());
        }
        let number = repositories.iter().position(|known| *known == name).unwrap_or_default();
        for question in &repository.queries {
            let text = ChatQuery::new(&question.query, &[]).text;
            if !craig_search::has_words(&text) {
                continue;
            }
            let found = engine.candidates(&repository.name, &text, &SearchRequest::default())?;
            let paths: BTreeSet<&String> = question.targets.iter().map(|target| &target.path).collect();
            let targets: Vec<Target> = paths.into_iter().cloned().map(Target::File).collect();
            let targets: Vec<&Target> = targets.iter().collect();
            if !found.is_empty() {
                examples.push(Example::new(number, 1.0, "report", Asked::Own, &found, &targets));
            }
        }
    }
    Ok(examples)
}

/// Shares of reports with an edited file first, and among the first three and ten.
fn quality<'l>(name: &str, examples: &[Example], by: impl Fn(&Example) -> &'l Linear) -> String {
    let among = |n: usize| {
        mean(examples.iter().map(|example| {
            let order = Example::order(&by(example).scores(example));
            f64::from(u8::from(order.iter().take(n).any(|&at| example.is_relevant(at))))
        }))
    };
    let [first, three, ten] = [1, 3, 10].map(among);
    let n = examples.len();
    format!("{REPORTS}{name}: an edited file first {first:.3}, in three {three:.3}, in ten {ten:.3} of {n}")
}
