//! `context`: how good the context is that chats and inline edits are given.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use craig_engine::{
    ChatContextRequest, Config, ContextAnswer, ContextBlock, Engine, InlineContextRequest, Steps,
};
use serde::Deserialize;

use crate::corpus::{Corpus, ingest_one, read_json};
use crate::questions::Question;
use crate::unrelated;

#[derive(Args)]
pub(crate) struct ContextArguments {
    #[command(subcommand)]
    purpose: Purpose,
}

#[derive(Subcommand)]
enum Purpose {
    /// Ask labelled questions as chat messages: how many get context, and how much of it is labelled.
    Chat(ChatArguments),
    /// Edit code as the cases say: how often the code that an instruction points to is among the first three blocks.
    Inline(InlineArguments),
}

#[derive(Args)]
struct ChatArguments {
    #[command(flatten)]
    corpus: Corpus,
    /// Ask every repository the questions of this file, too, which no repository answers.
    #[arg(long, value_name = "FILE")]
    unrelated: Option<PathBuf>,
    /// Put the questions as people put them in a chat: with a greeting, thanks and other courtesies.
    #[arg(long)]
    politely: bool,
}

#[derive(Args)]
struct InlineArguments {
    /// File of cases.
    #[arg(long)]
    cases: PathBuf,
    /// Folder with repositories, each checked out under its name (may be repeated).
    #[arg(long, required = true)]
    corpora: Vec<PathBuf>,
    /// Database for the indexes; kept.
    #[arg(long)]
    db: PathBuf,
    /// Print every case that is missed.
    #[arg(long)]
    misses: bool,
}

pub(crate) fn run(arguments: &ContextArguments) -> Result<()> {
    match &arguments.purpose {
        Purpose::Chat(arguments) => chat(arguments),
        Purpose::Inline(arguments) => inline(arguments),
    }
}

/// Sums over chat messages.
#[derive(Default)]
struct ChatSums {
    n_asked: usize,
    n_with_context: usize,
    n_hit: usize,
    n_blocks: usize,
    n_relevant: usize,
    /// Sum over messages with context of the share of blocks that are labelled.
    relevance: f64,
    times: Times,
}

impl ChatSums {
    fn add(&mut self, question: &Question, answer: &ContextAnswer) {
        let n_relevant = answer.blocks.iter().filter(|block| is_labelled(question, block)).count();
        self.n_asked += 1;
        self.n_with_context += usize::from(!answer.blocks.is_empty());
        self.n_hit += usize::from(n_relevant > 0);
        self.n_blocks += answer.blocks.len();
        self.n_relevant += n_relevant;
        self.relevance += n_relevant as f64 / answer.blocks.len().max(1) as f64;
        self.times.add(&answer.elapsed);
    }
}

fn is_labelled(question: &Question, block: &ContextBlock) -> bool {
    question.targets().any(|target| target.matches(&block.path, (block.line_start, block.line_end)))
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn chat(arguments: &ChatArguments) -> Result<()> {
    let (engine, repositories) = arguments.corpus.open()?;
    let mut sums = ChatSums::default();
    for repository in &repositories {
        for (at, question) in repository.queries.iter().enumerate() {
            let message =
                if arguments.politely { politely(&question.query, at) } else { question.query.clone() };
            let answer = ask(&engine, &repository.name, message)?;
            sums.add(question, &answer);
        }
    }
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    println!("questions                          {:>6}", sums.n_asked);
    println!(
        "with context                       {:>6}  {:.1}%",
        sums.n_with_context,
        share(sums.n_with_context, sums.n_asked)
    );
    println!("with labelled code                 {:>6}  {:.1}%", sums.n_hit, share(sums.n_hit, sums.n_asked));
    println!("blocks                             {:>6}", sums.n_blocks);
    println!(
        "blocks that are labelled           {:>6}  {:.3}",
        sums.n_relevant,
        share(sums.n_relevant, sums.n_blocks) / 100.0
    );
    println!(
        "mean of each message's share               {:.3}",
        sums.relevance / sums.n_with_context.max(1) as f64
    );
    sums.times.print();
    match &arguments.unrelated {
        Some(file) => ask_unrelated(&engine, &repositories, file),
        None => Ok(()),
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn ask_unrelated(engine: &Engine, repositories: &[crate::questions::Repository], file: &Path) -> Result<()> {
    let (mut n_asked, mut n_given) = (0, 0);
    for question in &unrelated::load(file)? {
        for repository in repositories.iter().filter(|repository| !question.may_be_answered_by(repository)) {
            let answer = ask(engine, &repository.name, question.query.clone())?;
            n_asked += 1;
            if let Some(block) = answer.blocks.first() {
                n_given += 1;
                println!("{:.2}  {}: {}  {:?}", block.score, repository.name, block.path, question.query);
            }
        }
    }
    let share = 100.0 * f64::from(n_asked - n_given) / f64::from(n_asked.max(1));
    println!(
        "unrelated questions                {n_asked:>6}\nof these without context           {:>6}  {share:.1}%",
        n_asked - n_given
    );
    Ok(())
}

fn ask(engine: &Engine, project: &str, message: String) -> Result<ContextAnswer> {
    Ok(engine.chat_context(project, &ChatContextRequest { message, ..ChatContextRequest::default() })?)
}

/// The question as one of several kinds of people puts it.
fn politely(question: &str, at: usize) -> String {
    match at % 5 {
        0 => format!("Hi! Could you please tell me {question}? Thanks!"),
        1 => format!("I'm new to this project. Can you explain {question} in this codebase?"),
        2 => format!("hey, quick question: {question}"),
        3 => format!("I was wondering {question}, please help me understand"),
        _ => format!("{question} please"),
    }
}

/// Milliseconds of each answer: of its steps, and in all.
#[derive(Default)]
struct Times([Vec<f64>; 5]);

impl Times {
    fn add(&mut self, steps: &Steps) {
        let times = [steps.extract_ms, steps.search_ms, steps.rank_ms, steps.format_ms, steps.total_ms];
        self.0.iter_mut().zip(times).for_each(|(all, time)| all.push(time));
    }

    #[expect(clippy::print_stdout, reason = "the report is what the command is for")]
    fn print(&self) {
        println!("milliseconds                 p50 / p90 / p99");
        for (step, times) in ["extract", "search", "rank", "format", "total"].iter().zip(&self.0) {
            println!("  {step:<26} {}", percentiles(times));
        }
    }
}

fn percentiles(values: &[f64]) -> String {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let percentile = |share: f64| {
        let rank = (share * values.len() as f64).ceil() as usize;
        values.get(rank.clamp(1, values.len().max(1)) - 1).copied().unwrap_or_default()
    };
    format!("{:.2} / {:.2} / {:.2}", percentile(0.5), percentile(0.9), percentile(0.99))
}

/// The cases of one repository.
#[derive(Deserialize)]
struct Cases {
    name: String,
    cases: Vec<Case>,
}

/// An edit, and the code that its instruction points to.
#[derive(Deserialize)]
struct Case {
    instruction: String,
    /// The file that is edited, and the selected lines.
    file: String,
    lines: (u32, u32),
    /// The code that has to be found.
    path: String,
    symbol: String,
    expected_lines: (u32, u32),
}

impl Case {
    /// Whether a block shows the code: lines of it, or its name.
    fn is_shown_by(&self, block: &ContextBlock) -> bool {
        let (first, last) = self.expected_lines;
        let overlaps = block.line_start <= last && first <= block.line_end;
        block.path == self.path && (overlaps || block.symbol_name.as_deref() == Some(&self.symbol))
    }

    fn is_selection(&self, block: &ContextBlock) -> bool {
        block.overlaps(&self.file, &(self.lines.0..=self.lines.1))
    }
}

/// Blocks that count.
const N_BLOCKS: usize = 3;

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn inline(arguments: &InlineArguments) -> Result<()> {
    let repositories: Vec<Cases> = read_json(&arguments.cases, "cases")?;
    let engine = Engine::open(&Config::new(&arguments.db))?;
    let (mut n_cases, mut n_first, mut n_hit, mut n_selection, mut n_blocks) = (0, 0, 0, 0, 0);
    let mut times = Times::default();
    let mut names = BTreeSet::new();
    for repository in &repositories {
        ingest(&engine, &arguments.corpora, &repository.name)?;
        names.insert(&repository.name);
        for case in &repository.cases {
            let request = InlineContextRequest {
                instruction: case.instruction.clone(),
                path: case.file.clone(),
                lines: case.lines,
                ..InlineContextRequest::default()
            };
            let answer = engine.inline_context(&repository.name, &request)?;
            let found = answer.blocks.iter().take(N_BLOCKS).position(|block| case.is_shown_by(block));
            n_cases += 1;
            n_hit += usize::from(found.is_some());
            n_first += usize::from(found == Some(0));
            n_selection += answer.blocks.iter().filter(|block| case.is_selection(block)).count();
            n_blocks += answer.blocks.len();
            times.add(&answer.elapsed);
            if arguments.misses && found.is_none() {
                println!(
                    "{}: {:?} -> {:?}, wanted {} {}",
                    repository.name, case.instruction, answer.query, case.path, case.symbol
                );
                for block in &answer.blocks {
                    println!(
                        "    {:.2} {}:{} {:?}",
                        block.score, block.path, block.line_start, block.symbol_name
                    );
                }
            }
        }
    }
    let share = |n: usize| n as f64 / f64::from(n_cases.max(1));
    println!("cases                        {n_cases:>6}  in {} repositories", names.len());
    println!("among the first three        {n_hit:>6}  {:.3}", share(n_hit));
    println!("first                        {n_first:>6}  {:.3}", share(n_first));
    println!("blocks                       {n_blocks:>6}");
    println!("blocks of the selection      {n_selection:>6}");
    times.print();
    Ok(())
}

/// Ingests a repository from the first of `corpora` that has it.
fn ingest(engine: &Engine, corpora: &[PathBuf], name: &str) -> Result<()> {
    let directory = corpora.iter().map(|folder| folder.join(name)).find(|folder| folder.is_dir());
    ingest_one(engine, name, directory.with_context(|| format!("none of the folders has {name}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixty_cases_in_several_languages() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/inline.json");
        let repositories: Vec<Cases> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let cases: Vec<&Case> = repositories.iter().flat_map(|repository| &repository.cases).collect();
        let extensions: BTreeSet<&str> =
            cases.iter().filter_map(|case| case.path.rsplit('.').next()).collect();
        assert!(cases.len() >= 60 && extensions.len() >= 15, "{} {extensions:?}", cases.len());
        for case in cases {
            assert!(case.lines.0 <= case.lines.1 && case.expected_lines.0 <= case.expected_lines.1);
            let is_same = case.path == case.file
                && case.lines.0 <= case.expected_lines.1
                && case.expected_lines.0 <= case.lines.1;
            assert!(!is_same, "{} points to the selection itself", case.instruction);
        }
    }
}
