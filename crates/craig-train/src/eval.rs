//! `eval`: runs labelled questions through the real engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use craig_engine::{
    CandidateFeatures, Config, Engine, IngestRequest, Retrieval, SearchRequest, Settings, SourceOptions,
    Sources, Waiting,
};

use crate::metrics::{bootstrap_interval, mean, ndcg, recall, reciprocal_rank};
use crate::questions::{self, Question, Repository};

/// Labelled questions and the repositories they are about.
#[derive(Args)]
pub(crate) struct Corpus {
    /// File of labelled questions.
    #[arg(long)]
    questions: PathBuf,
    /// Folder with the repositories, each checked out under its name.
    #[arg(long)]
    corpora: PathBuf,
    /// Database for the indexes; kept, so that a second run is quick.
    #[arg(long)]
    db: PathBuf,
    /// Settings, such as embedder.provider=local (may be repeated); a database holds one embedder's index at a time.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl Corpus {
    /// What the engine is built from: built-in settings, and those of the command line.
    fn config(&self) -> Result<Config> {
        let flag =
            |text: &String| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        let flags =
            self.settings.iter().map(|text| flag(text).with_context(|| format!("{text} is no KEY=VALUE")));
        let environment = std::env::vars().collect();
        let sources = Sources { flags: flags.collect::<Result<_>>()?, environment, ..Sources::default() };
        Ok(Config::of(&Settings::resolve(&sources)?, &self.db)?)
    }
}

#[derive(Args)]
pub(crate) struct EvalArguments {
    #[command(flatten)]
    corpus: Corpus,
    /// Retrieval to measure.
    #[arg(long, value_enum, default_value = "ranked")]
    retrieval: Mode,
    /// Write the ranks of every question's targets to this file.
    #[arg(long)]
    golden: Option<PathBuf>,
    /// Print every question whose targets are not all on top.
    #[arg(long)]
    misses: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    Ranked,
    Lexical,
    Dense,
    Fused,
}

impl From<Mode> for Retrieval {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Ranked => Self::Ranked,
            Mode::Lexical => Self::Lexical,
            Mode::Dense => Self::Dense,
            Mode::Fused => Self::Fused,
        }
    }
}

/// One question, answered.
struct Answered<'q> {
    repository: &'q Repository,
    question: &'q Question,
    /// Rank of each target among the candidates, 1-based, 0 when it is not among them.
    ranks: Vec<usize>,
    top: Vec<String>,
}

pub(crate) fn run(arguments: &EvalArguments) -> Result<()> {
    let (mut engine, repositories) = open_corpus(&arguments.corpus)?;
    let request = SearchRequest { retrieval: arguments.retrieval.into(), ..SearchRequest::default() };
    let mut answered = Vec::new();
    for repository in &repositories {
        for question in &repository.queries {
            let candidates = engine.candidates(&repository.name, &question.query, &request)?;
            answered.push(Answered::new(repository, question, &candidates));
        }
    }
    report(&answered);
    if arguments.misses {
        answered.iter().for_each(report_miss);
    }
    if let Some(path) = &arguments.golden {
        std::fs::write(path, golden(&answered))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Loads the questions and ingests their repositories.
pub(crate) fn open_corpus(corpus: &Corpus) -> Result<(Engine, Vec<Repository>)> {
    let repositories = questions::load(&corpus.questions)?;
    let mut engine = Engine::open(&corpus.config()?)?;
    engine.accept_costs();
    ingest(&mut engine, &repositories, &corpus.corpora)?;
    Ok((engine, repositories))
}

/// Ingests repositories, each checked out in `corpora` under its name.
pub(crate) fn ingest(engine: &mut Engine, repositories: &[Repository], corpora: &Path) -> Result<()> {
    for repository in repositories {
        let request = IngestRequest {
            directory: corpora.join(&repository.name),
            name: Some(repository.name.clone()),
            options: SourceOptions::default(),
            waiting: Waiting::Wait,
        };
        engine.ingest(&request, &mut |_| {}).with_context(|| format!("cannot ingest {}", repository.name))?;
    }
    Ok(())
}

impl<'q> Answered<'q> {
    fn new(repository: &'q Repository, question: &'q Question, candidates: &[CandidateFeatures]) -> Self {
        let rank = |target: &questions::Target| {
            candidates
                .iter()
                .position(|found| target.matches(&found.path, found.lines))
                .map_or(0, |at| at + 1)
        };
        Self {
            repository,
            question,
            ranks: question.targets().map(rank).collect(),
            top: candidates.iter().take(3).map(|found| found.path.clone()).collect(),
        }
    }

    fn ndcg(&self) -> f64 {
        ndcg(&self.ranks, 10)
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn report(answered: &[Answered<'_>]) {
    let by_repository = grouped(answered, |a| a.repository.name.clone());
    let by_language = grouped(answered, |a| a.repository.language.clone());
    let of_repositories: Vec<f64> =
        by_repository.values().map(|group| mean(group.iter().map(|a| a.ndcg()))).collect();
    let of_languages: Vec<f64> = by_language.values().map(|group| mean_of_repositories(group)).collect();
    let (low, high) = bootstrap_interval(&of_repositories);
    println!(
        "NDCG@10  mean over {} repositories  {:.4}  (95% {low:.3}–{high:.3})",
        of_repositories.len(),
        mean(of_repositories.iter().copied())
    );
    println!(
        "NDCG@10  mean over {} languages     {:.4}",
        of_languages.len(),
        mean(of_languages.iter().copied())
    );
    let all = |value: &dyn Fn(&Answered<'_>) -> f64| mean(answered.iter().map(value));
    println!(
        "over {} questions: NDCG@10 {:.4}  NDCG@5 {:.4}  MRR {:.4}  recall@10 {:.4}  recall@50 {:.4}  of candidates {:.4}",
        answered.len(),
        all(&|a| a.ndcg()),
        all(&|a| ndcg(&a.ranks, 5)),
        all(&|a| reciprocal_rank(&a.ranks)),
        all(&|a| recall(&a.ranks, 10)),
        all(&|a| recall(&a.ranks, 50)),
        all(&|a| recall(&a.ranks, usize::MAX)),
    );
    print_groups("category", &grouped(answered, |a| a.question.category.clone()));
    print_groups("language", &by_language);
    print_groups("repository", &by_repository);
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn print_groups(title: &str, groups: &BTreeMap<String, Vec<&Answered<'_>>>) {
    println!("\n{title:<24} questions  NDCG@10     MRR");
    for (name, group) in groups {
        let ndcg = mean(group.iter().map(|a| a.ndcg()));
        let mrr = mean(group.iter().map(|a| reciprocal_rank(&a.ranks)));
        println!("{name:<24} {:>9}  {ndcg:>7.4}  {mrr:>6.4}", group.len());
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn report_miss(answered: &Answered<'_>) {
    if answered.ndcg() < 1.0 {
        let Answered { repository, question, ranks, top } = answered;
        println!("\n{} [{}] {:?}", repository.name, question.category, question.query);
        for (target, rank) in question.targets().zip(ranks) {
            println!("  wanted at {rank:>3}: {target:?}");
        }
        top.iter().for_each(|path| println!("  found: {path}"));
    }
}

/// Each repository counts once, however many questions it has.
fn mean_of_repositories(group: &[&Answered<'_>]) -> f64 {
    let mut by_repository: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    group.iter().for_each(|a| by_repository.entry(&a.repository.name).or_default().push(a.ndcg()));
    mean(by_repository.into_values().map(mean))
}

/// One line a question: its targets' ranks, so that a change of the ranking is a diff.
fn golden(answered: &[Answered<'_>]) -> String {
    answered.iter().map(|a| format!("{}\t{}\t{:?}\n", a.repository.name, a.question.query, a.ranks)).collect()
}

fn grouped<'a, 'q>(
    answered: &'a [Answered<'q>],
    key: impl Fn(&Answered<'q>) -> String,
) -> BTreeMap<String, Vec<&'a Answered<'q>>> {
    let mut groups: BTreeMap<String, Vec<&Answered<'q>>> = BTreeMap::new();
    answered.iter().for_each(|a| groups.entry(key(a)).or_default().push(a));
    groups
}
