//! `lines`: how often the context for chats and edits shows the lines that answer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use craig_engine::{ChatContextRequest, Config, ContextAnswer, ContextBlock, Engine, InlineContextRequest};
use craig_search::{QueryKind, replace_chunk_ranker};
use serde::Deserialize;

use crate::corpus::{ingest_one, read_json};
use crate::fit_chunks::FoldWeights;
use crate::metrics::{bootstrap_interval, mean};
use crate::unrelated;

#[derive(Args)]
pub(crate) struct LinesArguments {
    /// File of questions with labelled lines.
    #[arg(long)]
    questions: PathBuf,
    /// Folder with the folders of the sets (`own`, `named`), each with repositories checked out under their names.
    #[arg(long)]
    corpora: PathBuf,
    /// Database for the indexes; kept, so that a second run is quick.
    #[arg(long)]
    db: PathBuf,
    /// Most blocks, instead of the setting.
    #[arg(long)]
    max_chunks: Option<usize>,
    /// Least relevance of a block, instead of the setting.
    #[arg(long)]
    min_similarity: Option<f32>,
    /// Trees of `fit-chunks --folds`: each repository is asked with those that were not fitted on it.
    #[arg(long)]
    folds: Option<PathBuf>,
    /// The same for reports: trees of `fit-chunks --reports --folds`.
    #[arg(long)]
    report_folds: Option<PathBuf>,
    /// Questions that no repository answers: each is asked a part of them, alone and after a question of its own, and the share
    /// that gets context is printed.
    #[arg(long)]
    unrelated: Option<PathBuf>,
    /// Ask each question without a history as if another question about the same repository had come before it.
    #[arg(long)]
    after_another: bool,
    /// Print the questions of this kind that are not answered, with what was shown.
    #[arg(long)]
    misses: Option<String>,
}

/// The questions on one repository.
#[derive(Deserialize)]
pub(crate) struct Repository {
    pub(crate) name: String,
    pub(crate) set: String,
    pub(crate) queries: Vec<Question>,
}

impl Repository {
    /// Its folder in the one with the folders of all sets.
    pub(crate) fn folder(&self, corpora: &Path) -> PathBuf {
        corpora.join(&self.set).join(&self.name)
    }

    /// Whether all its questions teach the order alone.
    pub(crate) fn is_of_order(&self) -> bool {
        self.queries.iter().all(|question| question.is_of_order)
    }

    /// Gives each question without a history another one as its history.
    fn ask_after_another(&mut self) {
        let own = |question: &Question| {
            (question.is_question() && question.history.is_empty()).then(|| question.query.clone())
        };
        let asked: Vec<Option<String>> = self.queries.iter().map(own).collect();
        for (at, question) in self.queries.iter_mut().enumerate().filter(|(at, _)| asked[*at].is_some()) {
            let mut others = asked.iter().cycle().skip(at + DISTANCE).take(asked.len()).flatten();
            let other = others.find(|other| **other != question.query);
            question.history.extend(other.cloned());
        }
    }
}

/// Questions from one to the one that is asked before it.
const DISTANCE: usize = 3;

#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) kind: String,
    pub(crate) query: String,
    /// Earlier messages of the conversation.
    #[serde(default)]
    pub(crate) history: Vec<String>,
    /// Of an edit, the file and its selected lines.
    pub(crate) file: Option<String>,
    pub(crate) lines: Option<(u32, u32)>,
    pub(crate) targets: Vec<Target>,
    /// It teaches how lines are ranked, but not which messages are about the project.
    #[serde(skip)]
    pub(crate) is_of_order: bool,
}

/// Lines that answer a question, or help to.
#[derive(Deserialize)]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) grade: Grade,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grade {
    Answers,
    Helps,
}

/// A path, and the first and last line.
pub(crate) type Place<'p> = (&'p str, (u32, u32));

fn place(block: &ContextBlock) -> Place<'_> {
    (&block.path, (block.line_start, block.line_end))
}

impl Question {
    /// A message about nothing that is labelled.
    pub(crate) fn plain(message: &str) -> Self {
        Self {
            kind: String::new(),
            query: message.to_owned(),
            history: Vec::new(),
            file: None,
            lines: None,
            targets: Vec::new(),
            is_of_order: false,
        }
    }

    /// Whether it is asked in a chat, and is no text of an issue.
    pub(crate) fn is_question(&self) -> bool {
        !matches!(self.kind.as_str(), "issue" | "edit_described" | "edit_named")
    }
}

impl Target {
    pub(crate) fn n_lines(&self) -> u32 {
        self.end_line - self.start_line + 1
    }

    /// Number of lines that lines of a file have of it.
    pub(crate) fn n_shown(&self, (path, lines): Place<'_>) -> u32 {
        let (first, last) = (self.start_line.max(lines.0), self.end_line.min(lines.1));
        if self.path == path && first <= last { last - first + 1 } else { 0 }
    }

    pub(crate) fn is_touched(&self, place: Place<'_>) -> bool {
        self.grade == Grade::Answers && self.n_shown(place) > 0
    }

    /// Whether lines of a file hold at least half of it, or lie within it.
    pub(crate) fn is_shown(&self, place: Place<'_>) -> bool {
        let n_shown = self.n_shown(place);
        let (first, last) = place.1;
        let lies_within = n_shown == last.saturating_sub(first) + 1;
        self.grade == Grade::Answers && n_shown > 0 && (2 * n_shown >= self.n_lines() || lies_within)
    }
}

/// What one answer is worth.
#[derive(Default)]
struct Worth {
    has_context: f64,
    /// Right lines in the first, the first three, the first five and all blocks: touched, and shown.
    touched: [f64; 4],
    shown: [f64; 4],
    /// Share of the blocks that are of a labelled file.
    in_file: Option<f64>,
    f1: f64,
    n_blocks: f64,
    n_tokens: f64,
}

/// Blocks that count, see [`Worth`].
const FIRST: [usize; 4] = [1, 3, 5, usize::MAX];

impl Worth {
    fn new(question: &Question, answer: &ContextAnswer) -> Self {
        let blocks = &answer.blocks;
        let found = |is_right: fn(&Target, Place<'_>) -> bool| {
            FIRST.map(|n| {
                let mut shown = blocks.iter().take(n);
                let is_found =
                    shown.any(|block| question.targets.iter().any(|target| is_right(target, place(block))));
                f64::from(u8::from(is_found))
            })
        };
        let paths: BTreeSet<&str> = question.targets.iter().map(|target| target.path.as_str()).collect();
        let n_in_file = blocks.iter().filter(|block| paths.contains(block.path.as_str())).count();
        Self {
            has_context: f64::from(u8::from(!blocks.is_empty())),
            touched: found(Target::is_touched),
            shown: found(Target::is_shown),
            in_file: (!blocks.is_empty()).then(|| n_in_file as f64 / blocks.len() as f64),
            f1: f1(question, blocks),
            n_blocks: blocks.len() as f64,
            n_tokens: answer.tokens as f64,
        }
    }
}

/// F1 of the lines of blocks against all labelled ones.
fn f1(question: &Question, blocks: &[ContextBlock]) -> f64 {
    let labelled: BTreeSet<(&str, u32)> = question
        .targets
        .iter()
        .flat_map(|target| (target.start_line..=target.end_line).map(|line| (target.path.as_str(), line)))
        .collect();
    let shown: BTreeSet<(&str, u32)> = blocks
        .iter()
        .flat_map(|block| (block.line_start..=block.line_end).map(|line| (block.path.as_str(), line)))
        .collect();
    let n_right = labelled.intersection(&shown).count();
    2.0 * n_right as f64 / (labelled.len() + shown.len()).max(1) as f64
}

/// What answers are worth, by repository and question.
type Worths = BTreeMap<String, Vec<Worth>>;

/// Reads questions with labelled lines.
pub(crate) fn load(file: &Path) -> Result<Vec<Repository>> {
    read_json(file, "questions with labelled lines")
}

/// The questions of a file, and those of `order`, which teach the order alone. A repository that both ask about is there once, so
/// that it is held out as a whole.
pub(crate) fn load_both(file: &Path, order: Option<&Path>) -> Result<Vec<Repository>> {
    let mut repositories = load(file)?;
    for mut repository in order.map_or(Ok(Vec::new()), load)? {
        repository.queries.iter_mut().for_each(|question| question.is_of_order = true);
        match repositories.iter_mut().find(|known| known.name == repository.name) {
            Some(known) => known.queries.extend(repository.queries),
            None => repositories.push(repository),
        }
    }
    Ok(repositories)
}

/// Ranks with the trees that were not fitted on a repository, if there are any.
fn hold_out(kind: QueryKind, folds: &[FoldWeights], repository: &str) -> Result<()> {
    if folds.is_empty() {
        return Ok(());
    }
    let is_held_out = |fold: &&FoldWeights| fold.held_out.iter().any(|name| name == repository);
    let fold = folds.iter().find(is_held_out).with_context(|| format!("no fold without {repository}"))?;
    ensure!(replace_chunk_ranker(kind, &fold.weights), "the folds are of other features: fit them again");
    Ok(())
}

/// The trees of a file; none without one.
fn load_folds(file: Option<&Path>) -> Result<Vec<FoldWeights>> {
    file.map_or(Ok(Vec::new()), |file| read_json(file, "trees by fold"))
}

pub(crate) fn run(arguments: &LinesArguments) -> Result<()> {
    let mut repositories = load(&arguments.questions)?;
    if arguments.after_another {
        repositories.iter_mut().for_each(Repository::ask_after_another);
    }
    let engine = Engine::open(&Config::new(&arguments.db))?;
    let mut kinds: BTreeMap<&str, Worths> = BTreeMap::new();
    let folds = [
        (QueryKind::Question, load_folds(arguments.folds.as_deref())?),
        (QueryKind::Report, load_folds(arguments.report_folds.as_deref())?),
    ];
    let unrelated = arguments.unrelated.as_deref().map_or(Ok(Vec::new()), unrelated::load)?;
    let mut foreign = Foreign::default();
    for (number, repository) in repositories.iter().enumerate() {
        for (kind, folds) in &folds {
            hold_out(*kind, folds, &repository.name)?;
        }
        let folder = repository.folder(&arguments.corpora);
        ingest_one(&engine, &repository.name, folder)?;
        for question in repository.queries.iter().filter(|question| !question.targets.is_empty()) {
            let answer = arguments.ask(&engine, &repository.name, question)?;
            if arguments.misses.as_deref() == Some(&question.kind) {
                print_miss(&repository.name, question, &answer);
            }
            for kind in
                question.is_question().then_some("questions").into_iter().chain([question.kind.as_str()])
            {
                let worths = kinds.entry(kind).or_default().entry(repository.name.clone()).or_default();
                worths.push(Worth::new(question, &answer));
            }
        }
        for asked in unrelated::part(&unrelated, number) {
            foreign.ask(arguments, &engine, repository, &asked.query)?;
        }
    }
    report(&kinds);
    foreign.print();
    Ok(())
}

/// Questions that a repository does not answer, and how many get context all the same: asked alone, and after a question that
/// it answers.
#[derive(Default)]
struct Foreign {
    n_asked: usize,
    n_alone: usize,
    n_after: usize,
}

impl Foreign {
    fn ask(
        &mut self,
        arguments: &LinesArguments,
        engine: &Engine,
        repository: &Repository,
        message: &str,
    ) -> Result<()> {
        let alone = Question::plain(message);
        let own = repository.queries.iter().filter(|question| question.is_question());
        let before = own.cycle().nth(self.n_asked).map(|question| question.query.clone());
        let after = Question { history: before.into_iter().collect(), ..Question::plain(message) };
        let has_context = |question: &Question| -> Result<usize> {
            let answer = arguments.ask(engine, &repository.name, question)?;
            Ok(usize::from(!answer.blocks.is_empty()))
        };
        self.n_alone += has_context(&alone)?;
        self.n_after += has_context(&after)?;
        self.n_asked += 1;
        Ok(())
    }

    #[expect(clippy::print_stdout, reason = "the report is what the command is for")]
    fn print(&self) {
        if self.n_asked > 0 {
            let share = |n: usize| n as f64 / self.n_asked as f64;
            let (alone, after) = (share(self.n_alone), share(self.n_after));
            println!(
                "{} unrelated questions with context: {alone:.3} alone, {after:.3} after a question",
                self.n_asked
            );
        }
    }
}

impl LinesArguments {
    fn ask(&self, engine: &Engine, project: &str, question: &Question) -> Result<ContextAnswer> {
        let answer = match (&question.file, question.lines) {
            (Some(path), Some(lines)) => {
                let request = InlineContextRequest {
                    instruction: question.query.clone(),
                    path: path.clone(),
                    lines,
                    max_chunks: self.max_chunks,
                    min_score: self.min_similarity,
                    ..InlineContextRequest::default()
                };
                engine.inline_context(project, &request)?
            }
            _ => {
                let request = ChatContextRequest {
                    message: question.query.clone(),
                    history: question.history.clone(),
                    max_chunks: self.max_chunks,
                    min_similarity: self.min_similarity,
                    ..ChatContextRequest::default()
                };
                engine.chat_context(project, &request)?
            }
        };
        Ok(answer)
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn print_miss(project: &str, question: &Question, answer: &ContextAnswer) {
    if question.targets.iter().any(|target| answer.blocks.iter().any(|block| target.is_shown(place(block)))) {
        return;
    }
    println!("{project}: {:?}", question.query);
    for target in question.targets.iter().filter(|target| target.grade == Grade::Answers) {
        println!("  wanted {}:{}-{}", target.path, target.start_line, target.end_line);
    }
    for block in &answer.blocks {
        println!("  {:.2} {}:{}-{}", block.score, block.path, block.line_start, block.line_end);
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn report(kinds: &BTreeMap<&str, Worths>) {
    println!(
        "{:<15} {:>5} {:>7} {:>21} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>6}",
        "kind",
        "asked",
        "context",
        "shown in 5 (95%)",
        "first",
        "in 3",
        "all",
        "any@1",
        "any@3",
        "any@5",
        "file",
        "line F1",
        "tokens"
    );
    for (kind, worths) in kinds {
        let all: Vec<&Worth> = worths.values().flatten().collect();
        let over = |value: &dyn Fn(&Worth) -> f64| mean(all.iter().map(|worth| value(worth)));
        let of_repositories: Vec<f64> =
            worths.values().map(|worths| mean(worths.iter().map(|worth| worth.shown[2]))).collect();
        let (low, high) = bootstrap_interval(&of_repositories);
        println!(
            "{kind:<15} {:>5} {:>7.3} {:>7.3} ({low:.3}-{high:.3}) {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>7.3} {:>6.0}",
            all.len(),
            over(&|worth| worth.has_context),
            over(&|worth| worth.shown[2]),
            over(&|worth| worth.shown[0]),
            over(&|worth| worth.shown[1]),
            over(&|worth| worth.shown[3]),
            over(&|worth| worth.touched[0]),
            over(&|worth| worth.touched[1]),
            over(&|worth| worth.touched[2]),
            mean(all.iter().filter_map(|worth| worth.in_file)),
            over(&|worth| worth.f1),
            over(&|worth| worth.n_tokens),
        );
    }
    let blocks = kinds.values().flat_map(|worths| worths.values().flatten()).map(|worth| worth.n_blocks);
    println!("blocks an answer: {:.1}", mean(blocks));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The labels say what they are about, and every place is a place.
    #[test]
    fn labels_are_whole() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/lines.json");
        let repositories: Vec<Repository> =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let questions: Vec<&Question> =
            repositories.iter().flat_map(|repository| &repository.queries).collect();
        assert!(repositories.len() >= 60 && questions.len() >= 1_600, "{}", questions.len());
        for question in questions {
            let query = &question.query;
            assert!(question.targets.iter().any(|target| target.grade == Grade::Answers), "{query}");
            assert!(question.targets.iter().all(|target| 0 < target.start_line), "{query}");
            assert!(question.targets.iter().all(|target| target.start_line <= target.end_line), "{query}");
            assert_eq!(question.kind.starts_with("edit"), question.file.is_some(), "{query}");
            assert_eq!(question.kind == "follow_up", !question.history.is_empty(), "{query}");
        }
    }
}
