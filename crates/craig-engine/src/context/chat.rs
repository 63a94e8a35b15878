//! Context for a chat message.

use std::collections::HashMap;
use std::time::Duration;

use craig_context::{Block, ChatQuery, Format, SourceText, Tokenizer, enclosing, fitted, merged};
use craig_model::Cancellation;
use craig_search::{Evidence, Found, Guesses, Hit};
use craig_source::mask_secrets;
use craig_store::{Project, Store};

use super::cache::CacheKey;
use super::guess::{GuessCache, guessed};
use super::{
    Clock, ContextAnswer, MIN_CHARS, NoContext, OpenProject, checked, checked_score, score_if_open,
    tokenizer_of,
};
use crate::models::language_model;
use crate::rerank::{RerankReport, RerankSubject, reranked};
use crate::{Engine, EngineError, SearchRequest};

/// A request for context; fields that are `None` take their values from the settings.
#[derive(Clone, Debug, Default)]
pub struct ChatContextRequest {
    /// The message.
    pub message: String,
    /// Earlier messages of the conversation, oldest first.
    pub history: Vec<String>,
    /// What the calling language model expects the code to look like. It does not affect whether there is any context.
    pub guesses: Guesses,
    /// The conversation: within one, answers are kept.
    pub conversation: Option<String>,
    /// Paths of files that are open or were edited lately; they count a little more.
    pub open_files: Vec<String>,
    /// Maximum number of blocks, 1 to 20.
    pub max_chunks: Option<usize>,
    /// Minimum relevance of a block, 0 to 1.
    pub min_similarity: Option<f32>,
    /// Maximum number of tokens of the whole text.
    pub token_budget: Option<usize>,
    /// How tokens are counted.
    pub tokenizer: Option<Tokenizer>,
    /// Time limit of the answer.
    pub deadline: Option<Duration>,
    /// Whether the first results are reranked.
    pub rerank: Option<bool>,
    /// How the blocks are written.
    pub format: Format,
    /// Ends reranking from another thread.
    pub cancellation: Cancellation,
}

/// Hits for each block that is wanted: neighbours are joined.
const PER_BLOCK: usize = 2;

/// A message gets context if it is at least this likely to be about the project …
const ABOUT: f32 = 0.74;

/// … or its best block is at least this likely to answer.
const WORTHWHILE: f32 = 0.35;

/// A message with so many words, such as the text of an issue, is rarely about something else.
const LONG_MESSAGE: usize = 60;

/// A block needs at least this share of the best one's probability …
const SHARE_OF_BEST: f32 = 0.1;

/// … where that is less than this.
const LIKELY: f32 = 0.04;

/// A search finds at least this many hits, so that a reranker has something to choose from.
const MIN_CANDIDATES: usize = 15;

/// A message that begins or ends with it wants no context.
const NO_CONTEXT: &str = "/no-context";

/// A request with what the settings say.
struct Limits {
    max_chunks: usize,
    min_similarity: f32,
    token_budget: usize,
    tokenizer: Tokenizer,
    rerank: bool,
    cancellation: Cancellation,
}

impl Limits {
    /// Whether a message may be about something else: then it gets no context, unless any block is wanted for any message.
    fn is_elsewhere(&self, message: &str, found: &Found) -> bool {
        self.min_similarity > 0.0
            && !is_long(message)
            && found.about < ABOUT
            && found.best_unaided < WORTHWHILE
    }

    /// Minimum relevance of a block, by that of the best one.
    fn floor(&self, best: f32) -> f32 {
        let likely = (SHARE_OF_BEST * best).min(LIKELY);
        if self.min_similarity > 0.0 { self.min_similarity.max(likely) } else { 0.0 }
    }
}

impl Engine {
    /// The code that a chat message is about, from the current index of project `handle`.
    ///
    /// A search that fails is reported in the answer, not as an error: a chat goes on without context. Errors are
    /// requests that make no sense.
    pub fn chat_context(
        &self,
        handle: &str,
        request: &ChatContextRequest,
    ) -> Result<ContextAnswer, EngineError> {
        let limits = self.chat_limits(request)?;
        let request = &without_secrets(request);
        let mut clock = Clock::new(request.deadline.unwrap_or(self.config().context.deadline));
        let mut store = self.store()?;
        let project = self.indexed_project(&store, handle)?;
        let answer = match (self.refusal(request), &project) {
            (Some(reason), _) => ContextAnswer::none(reason),
            (None, None) => ContextAnswer::none(NoContext::NotReady),
            (None, Some(project)) => self.chat_answer(&store, project, request, &limits, &mut clock),
        };
        Ok(self.finished(&mut store, answer, "chat", project.as_ref(), &clock))
    }

    fn chat_limits(&self, request: &ChatContextRequest) -> Result<Limits, EngineError> {
        let config = &self.config().context;
        let chat = &config.chat;
        Ok(Limits {
            max_chunks: checked(
                "the maximum number of chunks",
                request.max_chunks.unwrap_or(chat.max_chunks),
                1,
                20,
            )?,
            min_similarity: checked_score(request.min_similarity.unwrap_or(chat.min_similarity))?,
            token_budget: checked(
                "the token budget",
                request.token_budget.unwrap_or(chat.token_budget),
                100,
                200_000,
            )?,
            tokenizer: tokenizer_of(request.tokenizer, config),
            rerank: request.rerank.unwrap_or(chat.rerank),
            cancellation: request.cancellation.clone(),
        })
    }

    /// Why a message gets no context, whatever the project.
    fn refusal(&self, request: &ChatContextRequest) -> Option<NoContext> {
        let message = request.message.trim();
        match () {
            () if !self.config().context.chat.enabled => Some(NoContext::Disabled),
            () if wants_none(message) => Some(NoContext::NotWanted),
            () if message.chars().count() < MIN_CHARS => Some(NoContext::TooShort),
            () => None,
        }
    }

    fn chat_answer(
        &self,
        store: &Store,
        project: &Project,
        request: &ChatContextRequest,
        limits: &Limits,
        clock: &mut Clock,
    ) -> ContextAnswer {
        let key = cache_key(project, request, limits);
        if let Some(answer) = key.as_ref().and_then(|key| self.cached(store, project, key)) {
            return answer;
        }
        let history: Vec<&str> = request.history.iter().map(String::as_str).collect();
        let query = ChatQuery::new(&request.message, &history);
        let mut answer = ContextAnswer {
            query: query
                .history
                .iter()
                .chain([&query.text])
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("\n"),
            keywords: query.keywords.clone(),
            ..ContextAnswer::default()
        };
        answer.elapsed.extract_ms = clock.step_ms();
        if query.keywords.is_empty() {
            let none = ContextAnswer::none(NoContext::Generic);
            return ContextAnswer { query: answer.query, elapsed: answer.elapsed, ..none };
        }
        let found = self.found_for(store, project, (request, &query), limits, &mut answer, clock);
        answer.elapsed.search_ms += clock.step_ms();
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                let ContextAnswer { query, notes, elapsed, .. } = answer;
                return ContextAnswer { query, notes, elapsed, ..ContextAnswer::failed(&error) };
            }
        };
        let answer = self.written(OpenProject { store, project }, found, request, limits, answer, clock);
        if let Some(key) = key.filter(|_| !answer.is_degraded && !clock.is_late.get()) {
            self.keep(store, project, key, &answer);
        }
        answer
    }

    /// What a language model expects the code to look like, if the settings want that for an answer as likely as `best`, and
    /// it answers in time.
    fn model_guesses(
        &self,
        request: &ChatContextRequest,
        best: f32,
        answer: &mut ContextAnswer,
        clock: &mut Clock,
    ) -> Option<Guesses> {
        let config = self.config();
        let model = config.language_model.as_ref()?;
        if !request.guesses.is_empty() || !config.context.chat.ask_model.wants(best) {
            return None;
        }
        let key = GuessCache::key(&request.message, &request.history);
        if let Some(known) = self.guesses().get(&key) {
            return Some(known);
        }
        let limit = config.context.rephrase_timeout;
        clock.extend(limit);
        let guesses = language_model(model)
            .map_err(|error| error.to_string())
            .and_then(|model| guessed(model, &request.message, &request.history, limit));
        answer.elapsed.rephrase_ms = clock.step_ms();
        match guesses {
            Ok(guesses) => {
                self.guesses().put(key, guesses.clone());
                Some(guesses)
            }
            Err(reason) => {
                answer.note_failure(reason);
                None
            }
        }
    }

    /// What is found for the question.
    fn found_for(
        &self,
        store: &Store,
        project: &Project,
        (request, query): (&ChatContextRequest, &ChatQuery),
        limits: &Limits,
        answer: &mut ContextAnswer,
        clock: &mut Clock,
    ) -> Result<Found, EngineError> {
        let search = SearchRequest {
            limit: (PER_BLOCK * limits.max_chunks).max(MIN_CANDIDATES),
            per_file: usize::MAX,
            history: query.history.clone(),
            message: Some(request.message.clone()),
            guesses: request.guesses.clone(),
            rerank: false,
            ..SearchRequest::default()
        };
        let found = self.found(store, &project.reference, &query.text, &search, &mut answer.notes)?;
        answer.elapsed.search_ms = clock.step_ms();
        let is_about = !limits.is_elsewhere(&request.message, &found);
        let guesses =
            is_about.then(|| self.model_guesses(request, found.best_unaided, answer, clock)).flatten();
        let mut found = match guesses {
            None => found,
            Some(guesses) => {
                let search = SearchRequest { guesses, ..search };
                self.found(store, &project.reference, &query.text, &search, &mut answer.notes)?
            }
        };
        answer.n_candidates = found.hits.len();
        if limits.rerank {
            found.hits = self.reranked_hits(found.hits, &limits.cancellation, answer, clock);
        }
        Ok(found)
    }

    /// The hits in the order of the reranker; as they are if there is none or it fails.
    fn reranked_hits(
        &self,
        hits: Vec<Hit>,
        cancellation: &Cancellation,
        answer: &mut ContextAnswer,
        clock: &mut Clock,
    ) -> Vec<Hit> {
        let pipeline = match self.loaded_reranker(RerankSubject::Context) {
            Ok(Some(pipeline)) => pipeline,
            Ok(None) => {
                answer
                    .notes
                    .push("not reranked: neither a reranker nor a language model is configured".into());
                return hits;
            }
            Err(error) => {
                answer.note_failure(format!("not reranked: {error}"));
                return hits;
            }
        };
        let (hits, report) = match pipeline {
            Ok(pipeline) => {
                clock.extend(pipeline.timeout);
                reranked(&pipeline, &answer.query, hits, cancellation)
            }
            Err(error) => {
                let report = RerankReport::unavailable(error, hits.len());
                (hits, report)
            }
        };
        if let Some(reason) = &report.reason {
            answer.note_failure(format!("not reranked: {reason}"));
        }
        answer.rerank = Some(report);
        hits
    }

    /// Chooses blocks of the hits, fits them into the budget and writes them.
    fn written(
        &self,
        asked: OpenProject<'_>,
        mut found: Found,
        request: &ChatContextRequest,
        limits: &Limits,
        mut answer: ContextAnswer,
        clock: &mut Clock,
    ) -> ContextAnswer {
        let OpenProject { store, project } = asked;
        for hit in found.hits.iter_mut().filter(|hit| request.open_files.contains(&hit.path)) {
            hit.score = score_if_open(hit.score);
        }
        // Stable: of equals the first found stays first.
        found.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        if limits.is_elsewhere(&request.message, &found) {
            found.hits.clear();
        }
        let mut hits = found.hits;
        let floor = limits.floor(hits.first().map_or(0.0, |best| best.score));
        hits.retain(|hit| hit.score >= floor);
        if !hits.is_empty()
            && let Some(whole) = answer.optional(self.whole_project(store, project, &hits, limits))
        {
            answer.elapsed.rank_ms += clock.step_ms();
            let n_files = whole.len();
            let fitted = fitted(request.format, whole, limits.token_budget, limits.tokenizer, |_, _| None);
            answer.elapsed.format_ms += clock.step_ms();
            if fitted.blocks.len() == n_files && fitted.blocks.iter().all(|block| !block.is_truncated) {
                answer.is_whole_project = true;
                return answer.with(fitted, true);
            }
        }
        let paths = hits.iter().map(|hit| hit.path.as_str());
        let texts = answer.optional(Self::source_texts(store, project, paths, clock));
        let mut blocks = merged(hits.iter().map(Block::from_hit).collect(), |path| texts.get(path));
        let is_likely = blocks.first().is_some_and(|best| best.score >= WORTHWHILE);
        if is_likely && blocks.len() < limits.max_chunks && clock.is_early() {
            let needed = self.needed(store, project, &blocks, &texts, &request.message);
            blocks.extend(answer.optional(needed));
        }
        blocks.truncate(limits.max_chunks);
        answer.elapsed.rank_ms += clock.step_ms();
        let deadline: &Clock = clock;
        let had_blocks = !blocks.is_empty();
        let wider = |blocks: &[Block], at| wider(blocks, at, &texts).filter(|_| deadline.is_early());
        let fitted = fitted(request.format, blocks, limits.token_budget, limits.tokenizer, wider);
        answer.elapsed.format_ms += clock.step_ms();
        answer.with(fitted, had_blocks)
    }

    /// All files of a project that has no more of them than blocks are wanted, if they may fit into the budget whole.
    fn whole_project(
        &self,
        store: &Store,
        project: &Project,
        hits: &[Hit],
        limits: &Limits,
    ) -> Result<Option<Vec<Block>>, EngineError> {
        // Large projects are recognized without reading a list of their files.
        if self.index(store, project, &mut Vec::new())?.n_files() > limits.max_chunks as u64 {
            return Ok(None);
        }
        let files = store.file_records(project.id)?;
        let bytes: u64 = files.iter().map(|file| file.size).sum();
        // A token has at least one byte; this many of them are never within the budget.
        let is_small =
            files.len() <= limits.max_chunks && bytes <= MAX_BYTES_PER_TOKEN * limits.token_budget as u64;
        if !is_small || files.iter().any(|file| file.is_binary || file.withheld.is_some()) {
            return Ok(None);
        }
        let mut blocks = Vec::new();
        for file in &files {
            let stored = store.file_text(project.id, &file.path)?;
            let Some(text) = stored.and_then(|stored| stored.content) else { return Ok(None) };
            if text.trim().is_empty() {
                continue;
            }
            let best =
                hits.iter().filter(|hit| hit.path == file.path).map(|hit| hit.score).fold(0.0, f32::max);
            let lines = (1, text.lines().count().max(1) as u32);
            let block = Block::from_text(&file.path, lines, best, &text);
            let why = vec![Evidence { signal: "whole_project".to_owned(), value: 1.0 }];
            blocks.push(Block { language: file.language.id().to_owned(), why, ..block });
        }
        blocks.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Some(blocks))
    }

    fn cached(&self, store: &Store, project: &Project, key: &CacheKey) -> Option<ContextAnswer> {
        let version = |path: &str| Some(store.tracked_file(project.id, path).ok()??.id);
        self.contexts().get(key, project.generation, version)
    }

    fn keep(&self, store: &Store, project: &Project, key: CacheKey, answer: &ContextAnswer) {
        let version = |path: &String| {
            let tracked = store.tracked_file(project.id, path).ok()??;
            Some((path.clone(), tracked.id))
        };
        let files: Option<Vec<_>> = answer.blocks.iter().map(|block| version(&block.path)).collect();
        // A file that is gone by now: the answer is not worth keeping.
        let Some(files) = files else { return };
        self.contexts().put(key, project.generation, files, answer.clone());
    }
}

/// Tokens rarely have more bytes, so larger texts are not even counted.
const MAX_BYTES_PER_TOKEN: u64 = 8;

/// Maximum number of bytes of a message that are read: of a longer one the beginning and the end, which hold the
/// question.
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// A message of at most `most` bytes: of a longer one the beginning and the end.
pub(super) fn clipped(message: &str, most: usize) -> String {
    if message.len() <= most {
        return message.to_owned();
    }
    let start = message.floor_char_boundary(most / 2);
    let end = message.ceil_char_boundary(message.len() - most / 2);
    format!("{}\n{}", &message[..start], &message[end..])
}

/// A request whose messages hold no secret: they are searched for, given to models and kept.
fn without_secrets(request: &ChatContextRequest) -> ChatContextRequest {
    let masked = |message: &String| clipped(&mask_secrets(message), MAX_MESSAGE_BYTES);
    ChatContextRequest {
        message: masked(&request.message),
        history: request.history.iter().map(masked).collect(),
        ..request.clone()
    }
}

fn is_long(message: &str) -> bool {
    craig_text::count_words(message) >= LONG_MESSAGE
}

fn wants_none(message: &str) -> bool {
    let is_command = |word: &str| word.eq_ignore_ascii_case(NO_CONTEXT);
    let mut words = message.split_whitespace();
    words.next().is_some_and(is_command) || words.next_back().is_some_and(is_command)
}

/// The function or type that block `at` is a part of, unless it holds another block, too.
fn wider(blocks: &[Block], at: usize, texts: &HashMap<String, SourceText>) -> Option<Block> {
    let block = blocks.get(at).filter(|block| !block.is_truncated)?;
    let text = texts.get(&block.path)?;
    let lines = enclosing(block, text)?;
    let is_other = |(other_at, other): (usize, &Block)| other_at != at && other.overlaps(&block.path, &lines);
    if blocks.iter().enumerate().any(is_other) {
        return None;
    }
    let (line_start, line_end) = (*lines.start(), *lines.end());
    Some(Block { line_start, line_end, content: text.lines(&lines).to_owned(), tokens: 0, ..block.clone() })
}

fn cache_key(project: &Project, request: &ChatContextRequest, limits: &Limits) -> Option<CacheKey> {
    let conversation = request.conversation.clone()?;
    let request = format!(
        "{}\0{}\0{}\0{:?} {} {} {} {:?} {:?} {:?}",
        request.message,
        request.history.join("\0"),
        request.open_files.join("\0"),
        request.guesses,
        limits.max_chunks,
        limits.min_similarity,
        limits.token_budget,
        limits.tokenizer,
        limits.rerank,
        request.format,
    );
    Some(CacheKey { project: project.key(), conversation, request })
}

#[cfg(test)]
mod tests {
    use super::wants_none;

    #[test]
    fn the_command_stands_at_either_end() {
        assert!(wants_none("/no-context how is it done?") && wants_none("how is it done? /No-Context"));
        assert!(!wants_none("what does /no-context do?") && !wants_none("no-context"));
    }
}
