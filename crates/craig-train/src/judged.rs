//! `judged`: explains definitions again whose explanations were judged by readers, and counts what has become of the answers.

mod mentions;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use craig_engine::{Engine, ExplainConfig, Explainer, Selection};
use craig_explain::{Explanation, Kind};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::corpus::{self, read_json};

#[derive(Args)]
pub(crate) struct JudgedArguments {
    /// File of judged definitions (may be repeated).
    #[arg(long, required = true)]
    judged: Vec<PathBuf>,
    /// Folder with the repositories, each checked out under its name at the commit of the file; others are skipped.
    #[arg(long)]
    corpora: PathBuf,
    /// Database for the indexes, whose definitions distinguish symbols of the same name; kept for the next run.
    #[arg(long)]
    db: PathBuf,
    /// Write every answer to this file, a JSON object a line.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Fit the probability that a mention helps, and write its weights to this file (mentioned.json of craig-explain).
    #[arg(long)]
    fit: Option<PathBuf>,
}

/// A definition, its answer at the time, and what readers thought of that.
#[derive(Deserialize)]
struct Case {
    id: String,
    repo: String,
    path: PathBuf,
    line: usize,
    name: String,
    /// By reader.
    judgements: BTreeMap<String, Judgement>,
    /// What was quoted; empty for a refusal, and for answers of which nothing is kept.
    #[serde(default)]
    quotes: Vec<Quote>,
}

#[derive(Deserialize)]
struct Judgement {
    judgement: String,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct Quote {
    text: String,
}

/// A definition with its answer of today.
#[derive(Serialize)]
struct Answer {
    repository: String,
    id: String,
    path: PathBuf,
    line: usize,
    name: String,
    became: &'static str,
    judgements: Vec<String>,
    reasons: Vec<String>,
    explanation: Explanation,
}

pub(crate) fn run(arguments: &JudgedArguments) -> Result<()> {
    let engine = Engine::open(&corpus::config(&arguments.db, &[])?)?;
    let mut answers = Vec::new();
    for (repository, cases) in by_repository(&arguments.judged)? {
        let root = arguments.corpora.join(&repository);
        if root.is_dir() {
            corpus::ingest_one(&engine, &repository, root.clone())?;
            let explainer = Explainer::open_in_memory(&root, &ExplainConfig::default())?;
            explainer.refresh()?;
            explainer.set_code(engine.code_definitions(&root)?);
            answers.extend(explained(&explainer, &repository, cases));
        }
    }
    if let Some(path) = &arguments.out {
        let mut file =
            std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        for answer in &answers {
            writeln!(file, "{}", serde_json::to_string(answer)?)?;
        }
    }
    print(&answers);
    if let Some(path) = &arguments.fit {
        let text = serde_json::to_string_pretty(&mentions::fit(&answers))? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn by_repository(files: &[PathBuf]) -> Result<BTreeMap<String, Vec<Case>>> {
    let mut found: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for file in files {
        for case in read_json::<Vec<Case>>(file, "judged definitions")? {
            found.entry(craig_text::path::name(&case.repo).to_owned()).or_default().push(case);
        }
    }
    Ok(found)
}

fn explained(explainer: &Explainer, repository: &str, cases: Vec<Case>) -> Vec<Answer> {
    let explain = |case: Case| {
        let selection = Selection { file: case.path.clone(), lines: Some((case.line, case.line)) };
        let explanation = explainer.explain(&selection).ok()?;
        let (judgements, reasons) =
            case.judgements.values().map(|one| (one.judgement.clone(), one.reason.clone())).unzip();
        Some(Answer {
            became: became(&case, &explanation),
            repository: repository.to_owned(),
            id: case.id,
            path: case.path,
            line: case.line,
            name: case.name,
            judgements,
            reasons,
            explanation,
        })
    };
    cases.into_par_iter().filter_map(explain).collect()
}

/// What has become of an answer; it is the same if it begins with the same quote.
fn became(case: &Case, answer: &Explanation) -> &'static str {
    let was_refused = case.judgements.values().all(|one| one.judgement.starts_with("refused"));
    match answer.bullets.first() {
        None if was_refused => "refused again",
        None => "lost",
        Some(_) if was_refused => "new",
        Some(first) if case.quotes.first().is_some_and(|quote| quote.text == first.text) => "same",
        Some(_) => "changed",
    }
}

/// Prints what has become of how many answers; a judgement of one of two readers counts half.
#[expect(clippy::print_stdout, reason = "a developer's tool")]
fn print(answers: &[Answer]) {
    let mut counts: BTreeMap<(&str, &str, &str), f64> = BTreeMap::new();
    for answer in answers {
        let kind = match answer.explanation.kind {
            Some(Kind::Documented) => "documented",
            Some(Kind::Mentioned) => "mentioned",
            None => "refused",
        };
        for judgement in &answer.judgements {
            *counts.entry((answer.became, kind, judgement)).or_default() +=
                1.0 / answer.judgements.len() as f64;
        }
    }
    println!("{:<14} {:<11} {:<16} {:>7}", "became", "now", "was judged", "answers");
    for ((became, kind, judgement), number) in counts {
        println!("{became:<14} {kind:<11} {judgement:<16} {number:>7.1}");
    }
}
