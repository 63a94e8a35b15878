//! Context for chats and inline edits, through the one door: which project, which settings, what is kept of it.

mod cache;
mod chat;
mod config;
mod guess;
mod inline;
mod needed;
mod uses;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use craig_context::{Block, Fitted, SourceText, Tokenizer};
use craig_search::{PathBase, PathFilter};
use craig_store::{Project, Store, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::milliseconds;
use crate::{Engine, EngineError, RerankReport};

pub(crate) use cache::ContextCache;
pub use chat::ChatContextRequest;
pub use config::{ChatConfig, ContextConfig, InlineConfig, Telemetry};
pub(crate) use guess::GuessCache;
pub use guess::{AskModel, GUESS_TASK, MAX_GUESS_TOKENS, guess_prompt, read_guesses};
pub use inline::InlineContextRequest;
pub use uses::{ContextStatistics, Latency, ScoreShare, UseOverTime};

/// Context for a prompt, or why there is none.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ContextAnswer {
    /// Pieces of code, best first.
    pub blocks: Vec<Block>,
    /// Tokens of the context as Markdown; 0 when there is none.
    pub tokens: usize,
    /// Why there is no context; null when there is some.
    pub reason: Option<String>,
    /// The same reason as one word.
    pub reason_code: Option<NoContext>,
    /// Number for feedback; null when nothing is kept.
    pub id: Option<u64>,
    /// Name of the project.
    pub project: String,
    /// The query.
    pub query: String,
    /// Telling words of the question.
    pub keywords: Vec<String>,
    /// The blocks as Markdown, ready for the prompt; empty when there are none.
    pub markdown: String,
    /// Whether the blocks are all files of a small project.
    pub is_whole_project: bool,
    /// Hits that the search found.
    #[serde(skip)]
    pub n_candidates: usize,
    /// The outcome of reranking, if it was attempted.
    #[serde(skip)]
    pub rerank: Option<RerankReport>,
    /// Whether the answer is one that was given before.
    pub is_cached: bool,
    /// Steps that failed and were skipped, such as a model that did not respond.
    pub notes: Vec<String>,
    /// Whether a step failed, or was skipped for lack of time: the next answer may be better.
    #[serde(skip)]
    pub is_degraded: bool,
    /// How long it took.
    pub elapsed: Steps,
}

/// Why there is no context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoContext {
    /// The settings say so.
    Disabled,
    /// The message begins or ends with `/no-context`.
    NotWanted,
    /// Fewer than three characters.
    TooShort,
    /// The message has no specific words.
    Generic,
    /// Nothing has been indexed yet.
    NotReady,
    /// Nothing is relevant enough.
    NothingRelevant,
    /// Nothing fits into the budget.
    OverBudget,
    /// The search failed.
    Failed,
}

impl NoContext {
    fn reason(self) -> &'static str {
        match self {
            Self::Disabled => "context is disabled in the settings",
            Self::NotWanted => "the message opts out of context",
            Self::TooShort => "the message has fewer than three characters",
            Self::Generic => "the message has no specific words",
            Self::NotReady => "the index is not ready yet",
            Self::NothingRelevant => "nothing in the project is relevant enough",
            Self::OverBudget => "nothing relevant fits into the budget",
            Self::Failed => "the search failed",
        }
    }

    /// The reason as one word.
    pub fn code(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NotWanted => "not_wanted",
            Self::TooShort => "too_short",
            Self::Generic => "generic",
            Self::NotReady => "not_ready",
            Self::NothingRelevant => "nothing_relevant",
            Self::OverBudget => "over_budget",
            Self::Failed => "failed",
        }
    }
}

/// Milliseconds of each step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Steps {
    /// Reading the question.
    pub extract_ms: f64,
    /// Asking a language model what the code may look like.
    pub rephrase_ms: f64,
    /// Searching, reranking included.
    pub search_ms: f64,
    /// Filtering, joining and ranking.
    pub rank_ms: f64,
    /// Counting tokens, fitting and writing.
    pub format_ms: f64,
    /// All of it.
    pub total_ms: f64,
}

impl ContextAnswer {
    fn none(reason: NoContext) -> Self {
        Self { reason: Some(reason.reason().to_owned()), reason_code: Some(reason), ..Self::default() }
    }

    /// An empty context, since the search failed.
    fn failed(error: &EngineError) -> Self {
        Self { reason: Some(format!("the search failed: {error}")), ..Self::none(NoContext::Failed) }
    }

    /// The result of an optional step, or a note that it failed.
    fn optional<T: Default>(&mut self, step: Result<T, EngineError>) -> T {
        step.unwrap_or_else(|error| {
            self.note_failure(error.to_string());
            T::default()
        })
    }

    /// Notes that a step failed and was skipped.
    fn note_failure(&mut self, note: String) {
        self.notes.push(note);
        self.is_degraded = true;
    }

    /// Keeps the blocks that fit, or records why there are none.
    fn with(mut self, fitted: Fitted, had_blocks: bool) -> Self {
        if fitted.blocks.is_empty() {
            let reason = if had_blocks { NoContext::OverBudget } else { NoContext::NothingRelevant };
            self.reason = Some(reason.reason().to_owned());
            self.reason_code = Some(reason);
        }
        self.blocks = fitted.blocks;
        self.tokens = fitted.tokens;
        self.markdown = fitted.markdown;
        self
    }
}

/// The project that is asked, and the connection that reads it.
#[derive(Clone, Copy)]
struct OpenProject<'a> {
    store: &'a Store,
    project: &'a Project,
}

/// Measures the steps of one answer.
struct Clock {
    started: Instant,
    last: Instant,
    deadline: Instant,
    /// Whether a step was skipped for lack of time.
    is_late: Cell<bool>,
}

impl Clock {
    fn new(limit: Duration) -> Self {
        let now = Instant::now();
        Self { started: now, last: now, deadline: now + limit, is_late: Cell::new(false) }
    }

    /// Milliseconds since the last step ended.
    fn step_ms(&mut self) -> f64 {
        let now = Instant::now();
        let step = now.duration_since(self.last);
        self.last = now;
        milliseconds(step)
    }

    fn total_ms(&self) -> f64 {
        milliseconds(self.started.elapsed())
    }

    /// Whether there is time left for an optional step, which is skipped otherwise.
    fn is_early(&self) -> bool {
        let is_early = Instant::now() < self.deadline;
        self.is_late.set(self.is_late.get() || !is_early);
        is_early
    }

    /// Gives a step its own time.
    fn extend(&mut self, by: Duration) {
        self.deadline += by;
    }
}

/// Fewer characters are nothing to search for.
const MIN_CHARS: usize = 3;

/// Added to the scores of files that are open.
const OPEN_FILE: f32 = 0.03;

/// The score of what is in a file that is open.
fn score_if_open(score: f32) -> f32 {
    (score + OPEN_FILE).min(1.0)
}

impl Engine {
    /// The project to answer from; `None` when nothing of it is indexed yet.
    fn indexed_project(&self, store: &Store, handle: &str) -> Result<Option<Project>, EngineError> {
        match self.find(store, handle) {
            Ok(project) => Ok(Some(project).filter(|project| project.generation > 0)),
            Err(EngineError::Purged { .. } | EngineError::Store(StoreError::UnknownProject { .. })) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the tokenizer's table on a thread of its own, so that counting need not wait for it.
    pub fn warm_up_tokenizer(&self) {
        let tokenizer = self.config().context.tokenizer;
        std::thread::spawn(move || tokenizer.warm_up());
    }

    /// The first of some paths that is a tracked file of a project, as written or in another spelling of a
    /// [`PathFilter`].
    pub fn first_tracked(
        &self,
        handle: &str,
        written: impl IntoIterator<Item = String>,
    ) -> Result<Option<String>, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let base = PathBase { root: Some(&project.source_path), folder: "" };
        let spelled = |path: String| {
            let others: Vec<String> = PathFilter::paths(&path, base).collect();
            std::iter::once(path).chain(others)
        };
        for path in written.into_iter().flat_map(spelled) {
            if store.tracked_file(project.id, &path)?.is_some() {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// The folder of a project that `directory` is, relative to the project's own; empty for that and for others.
    pub fn folder_in_project(&self, handle: &str, directory: &Path) -> Result<String, EngineError> {
        let project = self.find(&*self.store()?, handle)?;
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let inside = real.strip_prefix(&project.source_path).ok().and_then(Path::to_str);
        Ok(inside.map(|folder| folder.replace(std::path::MAIN_SEPARATOR, "/")).unwrap_or_default())
    }

    /// The path of `file` in a project; `file` may be relative to the project, to `root`, or to the working directory. Only
    /// a path that begins with `.` or `..` is relative to `root` first.
    pub fn path_in_project(&self, handle: &str, root: &Path, file: &Path) -> Result<String, EngineError> {
        let project = self.find(&*self.store()?, handle)?;
        let source = Path::new(&project.source_path);
        let inside = |place: PathBuf| {
            let real = place.canonicalize().ok()?;
            real.strip_prefix(source).ok()?.to_str().map(|path| path.replace(std::path::MAIN_SEPARATOR, "/"))
        };
        let mut places = [source.join(file), root.join(file), file.to_owned()];
        if matches!(file.components().next(), Some(Component::CurDir | Component::ParentDir)) {
            places.rotate_left(1);
        }
        let as_named = || file.to_string_lossy().trim_start_matches("./").to_owned();
        Ok(places.into_iter().find_map(inside).unwrap_or_else(as_named))
    }

    /// Texts and symbols of these files, as far as there is time.
    fn source_texts<'p>(
        store: &Store,
        project: &Project,
        paths: impl IntoIterator<Item = &'p str>,
        clock: &Clock,
    ) -> Result<HashMap<String, SourceText>, EngineError> {
        let mut texts = HashMap::new();
        for path in paths {
            if texts.contains_key(path) || !clock.is_early() {
                continue;
            }
            let Some(tracked) = store.tracked_file(project.id, path)? else { continue };
            let outlined = store.load_outlines(project.id, &[tracked.id])?.pop();
            if let Some(file) = outlined {
                texts.insert(path.to_owned(), SourceText { text: file.text, symbols: file.symbols });
            }
        }
        Ok(texts)
    }

    /// Closes an answer: its time, and what is kept of it.
    fn finished(
        &self,
        store: &mut Store,
        mut answer: ContextAnswer,
        kind: &'static str,
        project: Option<&Project>,
        clock: &Clock,
    ) -> ContextAnswer {
        answer.elapsed.total_ms = clock.total_ms();
        answer.is_degraded |= clock.is_late.get();
        if let Some(project) = project {
            answer.project = project.name.clone();
            answer.id = self.keep_use(store, project, kind, &answer);
        }
        answer
    }
}

/// The tokenizer of a request, else of the settings.
fn tokenizer_of(asked: Option<Tokenizer>, config: &ContextConfig) -> Tokenizer {
    asked.unwrap_or(config.tokenizer)
}

fn checked(what: &'static str, value: usize, least: u64, most: u64) -> Result<usize, EngineError> {
    match (least..=most).contains(&(value as u64)) {
        true => Ok(value),
        false => Err(EngineError::OutOfRange { what, value: value as u64, least, most }),
    }
}

fn checked_score(score: f32) -> Result<f32, EngineError> {
    if (0.0..=1.0).contains(&score) { Ok(score) } else { Err(EngineError::ScoreOutOfRange { score }) }
}
