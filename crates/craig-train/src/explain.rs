//! `explain`: fits the model that judges which places explain a definition, and measures it where it was not fitted.

mod cases;
mod outcome;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use craig_explain::{FEATURES, Features, Judge, JudgeModel, judge};
use rayon::prelude::*;

use self::cases::{Candidate, Example, Judgement, Truth};
use self::outcome::{Answer, Counts};
use crate::boost::{Boosting, Gradient, Table, boost};
use crate::metrics::sigmoid;

#[derive(Args)]
pub(crate) struct ExplainArguments {
    /// Files of labelled sections, whose repositories are in the folder of `--corpora`.
    #[arg(long)]
    cases: Vec<PathBuf>,
    /// Folder with the repositories of the cases, each checked out under its name.
    #[arg(long, requires = "cases")]
    corpora: Option<PathBuf>,
    /// File of definitions whose answers two readers judged.
    #[arg(long)]
    judged: Option<PathBuf>,
    /// Folder with their repositories; those that are not there are left out.
    #[arg(long, requires = "judged")]
    checkouts: Option<PathBuf>,
    /// Fit, judge each repository by trees fitted on the others, and write the trees fitted to all to this file.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Judge each repository by trees fitted on the others, without writing any.
    #[arg(long)]
    cross_validate: bool,
    /// Cross-validate without each feature in turn.
    #[arg(long)]
    ablation: bool,
    /// Number of trees.
    #[arg(long, default_value_t = 120)]
    trees: usize,
    /// Share of each tree's answer that is added.
    #[arg(long, default_value_t = 0.08)]
    rate: f32,
    /// Pull of the leaves towards 0.
    #[arg(long, default_value_t = 6.0)]
    pull: f64,
    /// Name every definition that is answered or refused wrongly.
    #[arg(long)]
    misses: bool,
    /// Write what the model sees of each definition to this file, a JSON object a line.
    #[arg(long)]
    dump: Option<PathBuf>,
    /// Probability from which on a name in a heading or entry counts as documented.
    #[arg(long, default_value_t = 0.6)]
    documented: f32,
    /// Probability from which on a mention is shown.
    #[arg(long, default_value_t = 0.7)]
    mentioned: f32,
}

/// Repositories are judged in so many groups, each by trees that were fitted to the other groups.
const N_FOLDS: usize = 10;

pub(crate) fn run(arguments: &ExplainArguments) -> Result<()> {
    let examples = gather(arguments)?;
    if let Some(file) = &arguments.dump {
        return dump(&examples, file);
    }
    if arguments.ablation {
        return ablation(&examples, arguments);
    }
    if arguments.out.is_none() && !arguments.cross_validate {
        let answers: Vec<Answer> = examples.iter().map(|example| Answer::new(judge(), example)).collect();
        print(&report(&examples, &answers), &examples, &answers, arguments.misses);
        return Ok(());
    }
    let answers = held_out(&examples, arguments, None);
    let lines = report(&examples, &answers);
    print(&lines, &examples, &answers, arguments.misses);
    let Some(out) = &arguments.out else { return Ok(()) };
    let all: Vec<&Example> = examples.iter().collect();
    let model = JudgeModel { run: lines, ..fit(&all, arguments, None) };
    let text = serde_json::to_string(&model)?.replace("{\"splits\"", "\n{\"splits\"") + "\n";
    std::fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))
}

fn gather(arguments: &ExplainArguments) -> Result<Vec<Example>> {
    let mut examples = Vec::new();
    for file in &arguments.cases {
        let corpora = arguments.corpora.as_ref().context("--cases needs --corpora")?;
        examples.extend(cases::labelled(file, corpora)?);
    }
    if let Some(file) = &arguments.judged {
        let checkouts = arguments.checkouts.as_ref().context("--judged needs --checkouts")?;
        examples.extend(cases::judged(file, checkouts)?);
    }
    ensure!(!examples.is_empty(), "there is nothing to measure: give --cases, --judged or both");
    Ok(examples)
}

/// Writes the features of all places of all definitions, for looking at them with other tools.
fn dump(examples: &[Example], file: &Path) -> Result<()> {
    let place = |example: &Example, one: &Candidate| {
        serde_json::json!({
            "form": format!("{:?}", one.found.form), "file": one.file, "section": [one.section.0, one.section.1],
            "line": one.line, "text": one.text, "features": one.found.features.to_array().to_vec(),
            "label": label(example, one),
        })
    };
    let line = |example: &Example| {
        let places: Vec<_> = example.places.iter().map(|one| place(example, one)).collect();
        serde_json::json!({
            "repository": example.repository, "definition": example.label, "truth": format!("{:?}", example.truth),
            "places": places,
        })
    };
    let lines = std::iter::once(serde_json::json!(FEATURES)).chain(examples.iter().map(line));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Whether a place explains a definition, as far as that is known.
fn label(example: &Example, one: &Candidate) -> Option<bool> {
    match &example.truth {
        Truth::Nothing => Some(false),
        Truth::Sections(expected) => {
            let is_expected =
                expected.iter().any(|place| place.file == one.file && place.line == one.section.0);
            // What else says the name of something documented may be a fair mention.
            (is_expected || expected.is_empty() || one.found.is_name()).then_some(is_expected)
        }
        Truth::Answer { judgement: Judgement::Good, quotes } => {
            quotes.iter().any(|place| outcome::is_about(one, place)).then_some(true)
        }
        Truth::Answer { quotes, .. } => {
            let is_quoted = |place: &cases::Place| place.file == one.file && place.line == one.line;
            quotes.iter().any(is_quoted).then_some(false)
        }
        Truth::Lines(named) => named.iter().any(|place| outcome::is_about(one, place)).then_some(true),
    }
}

/// A model fitted to some examples, without a feature.
fn fit(examples: &[&Example], arguments: &ExplainArguments, without: Option<usize>) -> JudgeModel {
    let mut rows: Vec<Features> = Vec::new();
    let mut labels: Vec<(bool, f64)> = Vec::new();
    for example in examples {
        let labelled: Vec<(&Candidate, bool)> =
            example.places.iter().filter_map(|one| Some((one, label(example, one)?))).collect();
        // Many places of one definition say less than as many of several.
        let weight = 1.0 / (labelled.len().max(1) as f64).sqrt();
        for (one, is_right) in labelled {
            rows.push(one.found.features);
            labels.push((is_right, weight));
        }
    }
    let column = |feature: usize| rows.iter().map(|row| row.to_array()[feature]).collect();
    let kept: Vec<usize> = (0..FEATURES.len()).filter(|at| Some(*at) != without).collect();
    let columns: Vec<Vec<f32>> = kept.iter().map(|&at| column(at)).collect();
    let names: Vec<&str> = kept.iter().map(|&at| FEATURES[at]).collect();
    let weight_of = |wanted: bool| -> f64 {
        labels.iter().filter(|(is_right, _)| *is_right == wanted).map(|(_, weight)| weight).sum()
    };
    let bias = (weight_of(true) / weight_of(false)).ln() as f32;
    let boosting = Boosting {
        n_trees: arguments.trees,
        rate: arguments.rate,
        pull: arguments.pull,
        share: 0.7,
        seed: 0,
    };
    let trees = boost(&Table::new(&names, &columns), &boosting, bias, |scores| {
        let gradient = |(&score, &(is_right, weight)): (&f32, &(bool, f64))| {
            let probability = sigmoid(f64::from(score));
            Gradient {
                first: weight * (probability - f64::from(u8::from(is_right))),
                second: weight * probability * (1.0 - probability),
            }
        };
        scores.iter().zip(&labels).map(gradient).collect()
    });
    JudgeModel {
        run: Vec::new(),
        documented: arguments.documented,
        mentioned: arguments.mentioned,
        bias,
        trees,
    }
}

/// Answers to all examples, each by trees fitted to the repositories of other folds.
fn held_out(examples: &[Example], arguments: &ExplainArguments, without: Option<usize>) -> Vec<Answer> {
    let repositories: BTreeSet<&str> = examples.iter().map(|example| example.repository.as_str()).collect();
    let folds: BTreeMap<&str, usize> =
        repositories.into_iter().enumerate().map(|(at, name)| (name, at % N_FOLDS)).collect();
    let judges: Vec<Judge> = (0..N_FOLDS)
        .into_par_iter()
        .map(|fold| {
            let seen: Vec<&Example> =
                examples.iter().filter(|example| folds[example.repository.as_str()] != fold).collect();
            Judge::new(&fit(&seen, arguments, without)).expect("trees over known features")
        })
        .collect();
    examples.iter().map(|example| Answer::new(&judges[folds[example.repository.as_str()]], example)).collect()
}

#[expect(clippy::print_stdout, reason = "a developer's tool")]
fn ablation(examples: &[Example], arguments: &ExplainArguments) -> Result<()> {
    let all = (0..FEATURES.len()).map(Some);
    for without in std::iter::once(None).chain(all) {
        let answers = held_out(examples, arguments, without);
        let counts = Counts::from_answers(examples.iter().zip(&answers));
        let name = without.map_or("nothing", |at| FEATURES[at]);
        println!("without {name:<16} {}", counts.short());
    }
    Ok(())
}

fn report(examples: &[Example], answers: &[Answer]) -> Vec<String> {
    let of = |is_judged: bool| {
        let pairs = examples.iter().zip(answers);
        Counts::from_answers(
            pairs.filter(|(example, _)| matches!(example.truth, Truth::Sections(_)) != is_judged),
        )
    };
    let mut lines = Vec::new();
    for (name, counts) in [("labelled sections", of(false)), ("judged answers", of(true))] {
        if counts.n > 0 {
            lines.extend(counts.lines(name));
        }
    }
    lines
}

#[expect(clippy::print_stdout, reason = "a developer's tool")]
fn print(lines: &[String], examples: &[Example], answers: &[Answer], misses: bool) {
    for (example, answer) in examples.iter().zip(answers).filter(|_| misses) {
        if let Some(what) = answer.miss() {
            let shown = answer.shown.map(|at| &example.places[at]);
            let shown = shown.map(|one| format!(" {}:{} {:?}", one.file, one.line, one.text));
            println!(
                "{what} {:.3} {} {}{}",
                answer.confidence,
                example.repository,
                example.label,
                shown.unwrap_or_default()
            );
        }
    }
    lines.iter().for_each(|line| println!("{line}"));
}
