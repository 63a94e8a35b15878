//! Context for an edit of selected code.

use std::time::Duration;

use craig_context::{Block, Format, InlineQuery, Reference, Selection, Tokenizer, boost, fitted, truncate};
use craig_model::logistic;
use craig_search::{Description, Filter, Hit, KindFilter};
use craig_source::{Content, Language, ReadError, mask_secrets, mask_text};
use craig_store::{Project, Store};

use super::{
    Clock, ContextAnswer, MIN_CHARS, NoContext, OpenProject, checked, checked_score, score_if_open,
    tokenizer_of,
};
use crate::options::StoredOptions;
use crate::project::{root_of, unknown_file};
use crate::{Engine, EngineError, SearchRequest, Visibility};

/// A request for context; fields that are `None` take their values from the settings.
#[derive(Clone, Debug, Default)]
pub struct InlineContextRequest {
    /// What is to be done.
    pub instruction: String,
    /// Path of the file that is edited, relative to the project.
    pub path: String,
    /// First and last line of the selection, 1-based, inclusive.
    pub lines: (u32, u32),
    /// The file's text as the editor has it; `None` when it is saved.
    pub text: Option<String>,
    /// Paths of files that are open or were edited lately; they count a little more.
    pub open_files: Vec<String>,
    /// Maximum number of blocks, 1 to 20.
    pub max_chunks: Option<usize>,
    /// Minimum score of a block, 0 to 1.
    pub min_score: Option<f32>,
    /// Maximum length of a block's code in bytes.
    pub max_code_length: Option<usize>,
    /// How tokens are counted.
    pub tokenizer: Option<Tokenizer>,
    /// Time limit of the answer.
    pub deadline: Option<Duration>,
}

/// A request with what the settings say.
struct Limits {
    max_chunks: usize,
    min_score: f32,
    max_code_length: usize,
    tokenizer: Tokenizer,
}

/// Hits for each block that is wanted: some are of the selection.
const PER_BLOCK: usize = 4;

/// A definition that fits the name in a reference by less than this is another one.
const MIN_FIT: f32 = 0.6;

/// Added to the log-odds of relevance where the instruction points to code: the instruction implies that such code
/// exists, while the calibrated relevance also has to doubt that. Chosen by hand: `evals/inline.json` is met with it,
/// and it was not fitted.
const EXISTS: f32 = 2.0;

/// Hits of a search for a reference rank below a definition with exactly that name.
const MOST_OF_SEARCH: f32 = 0.9;

impl Engine {
    /// Code that helps to edit the selection as instructed, from the current index of project `handle`. Never the
    /// selection itself.
    ///
    /// The score of a block is the calibrated relevance of a search. Where the instruction points to code, the score of
    /// a definition is how well its name fits, and relevance is computed as if it were certain that there is such code.
    /// Requested patterns raise it. A search that fails is reported in the answer.
    pub fn inline_context(
        &self,
        handle: &str,
        request: &InlineContextRequest,
    ) -> Result<ContextAnswer, EngineError> {
        let limits = self.inline_limits(request)?;
        let mut clock = Clock::new(request.deadline.unwrap_or(self.config().context.deadline));
        let mut store = self.store()?;
        let project = self.indexed_project(&store, handle)?;
        let answer = match &project {
            _ if !self.config().context.inline.enabled => ContextAnswer::none(NoContext::Disabled),
            None => ContextAnswer::none(NoContext::NotReady),
            Some(project) => {
                let (selection, language) =
                    selection(&store, project, request, self.visibility == Visibility::All)?;
                self.inline_answer(
                    OpenProject { store: &store, project },
                    request,
                    &selection,
                    language,
                    &limits,
                    &mut clock,
                )
            }
        };
        Ok(self.finished(&mut store, answer, "inline", project.as_ref(), &clock))
    }

    fn inline_limits(&self, request: &InlineContextRequest) -> Result<Limits, EngineError> {
        let config = &self.config().context;
        let inline = &config.inline;
        let length = request.max_code_length.unwrap_or(inline.max_code_length);
        Ok(Limits {
            max_chunks: checked(
                "the maximum number of chunks",
                request.max_chunks.unwrap_or(inline.max_chunks),
                1,
                20,
            )?,
            min_score: checked_score(request.min_score.unwrap_or(inline.min_score))?,
            max_code_length: checked("the maximum code length", length, 50, 100_000)?,
            tokenizer: tokenizer_of(request.tokenizer, config),
        })
    }

    fn inline_answer(
        &self,
        asked: OpenProject<'_>,
        request: &InlineContextRequest,
        selection: &Selection,
        language: Language,
        limits: &Limits,
        clock: &mut Clock,
    ) -> ContextAnswer {
        let OpenProject { store, project } = asked;
        let query = InlineQuery::new(&mask_secrets(&request.instruction), &selection.text, language);
        let mut answer = ContextAnswer { query: query.text.clone(), ..ContextAnswer::default() };
        answer.elapsed.extract_ms = clock.step_ms();
        if query.text.chars().count() < MIN_CHARS {
            return ContextAnswer { query: answer.query, ..ContextAnswer::none(NoContext::TooShort) };
        }
        let found = self.inline_hits(store, project, &query, limits, &mut answer.notes, clock);
        answer.elapsed.search_ms = clock.step_ms();
        let hits = match found {
            Ok(hits) => hits,
            Err(error) => return ContextAnswer { notes: answer.notes, ..ContextAnswer::failed(&error) },
        };
        let blocks = chosen(hits, request, selection, language, limits);
        answer.elapsed.rank_ms = clock.step_ms();
        let had_blocks = !blocks.is_empty();
        let blocks: Vec<Block> = blocks.into_iter().filter_map(|block| shortened(block, limits)).collect();
        let fitted = fitted(Format::Inline, blocks, usize::MAX, limits.tokenizer, |_, _| None);
        answer.elapsed.format_ms = clock.step_ms();
        answer.with(fitted, had_blocks)
    }

    /// Definitions that the instruction points to, and what a search finds. With definitions, the search is skipped if
    /// there is no time left for it.
    fn inline_hits(
        &self,
        store: &Store,
        project: &Project,
        query: &InlineQuery,
        limits: &Limits,
        notes: &mut Vec<String>,
        clock: &Clock,
    ) -> Result<Vec<Hit>, EngineError> {
        let mut hits = match &query.reference {
            Some(reference) if reference.is_name() => {
                self.referred(store, project, reference, limits, notes)?
            }
            _ => Vec::new(),
        };
        if !hits.is_empty() && !clock.is_early() {
            return Ok(hits);
        }
        let request = SearchRequest {
            limit: PER_BLOCK * limits.max_chunks,
            per_file: usize::MAX,
            rerank: false,
            ..SearchRequest::default()
        };
        let found = self.found(store, &project.reference, &query.text, &request, notes)?;
        let searched = found.hits.into_iter().map(|mut hit| {
            if query.reference.is_some() {
                hit.score = given_that_it_exists(hit.score).min(MOST_OF_SEARCH);
            }
            hit
        });
        merge(&mut hits, searched);
        Ok(hits)
    }

    fn referred(
        &self,
        store: &Store,
        project: &Project,
        reference: &Reference,
        limits: &Limits,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Hit>, EngineError> {
        let Reference { names, place, .. } = reference;
        let code = Filter::new(KindFilter::Code, Vec::new(), None);
        let compound = reference.as_compound.as_ref().map(|(words, kinds)| (words, kinds));
        let mut hits: Vec<Hit> = Vec::new();
        for (words, kinds) in compound.into_iter().chain([(&reference.words, &reference.kinds)]) {
            let description = Description { names, words, kinds, place };
            let found = self.ask_index(store, project, notes, |index| {
                index.definitions(store, project.id, &description, &code, MIN_FIT, 8 * limits.max_chunks)
            })?;
            merge(&mut hits, found);
        }
        Ok(hits)
    }
}

/// Adds hits; those that overlap one that is there only raise its score.
fn merge(hits: &mut Vec<Hit>, more: impl IntoIterator<Item = Hit>) {
    for hit in more {
        match hits.iter_mut().find(|other| other.overlaps(&hit)) {
            Some(other) => other.score = other.score.max(hit.score),
            None => hits.push(hit),
        }
    }
}

/// The selected code, where it was when it was indexed, and its language. `reads_disk`: as the file is now.
fn selection(
    store: &Store,
    project: &Project,
    request: &InlineContextRequest,
    reads_disk: bool,
) -> Result<(Selection, Language), EngineError> {
    let path = request.path.trim_start_matches("./");
    let stored = store.file_text(project.id, path)?;
    let indexed = stored.as_ref().and_then(|file| file.content.as_deref());
    let current = match &request.text {
        Some(text) => mask_text(path, text).into_owned(),
        None if reads_disk => text_on_disk(store, project, path, indexed)?,
        None => {
            let reason = "it has no text in the index".to_owned();
            let unreadable = || EngineError::UnreadableFile { path: path.to_owned(), reason };
            indexed.map(str::to_owned).ok_or_else(unreadable)?
        }
    };
    let (first, last) = request.lines;
    let n_lines = current.lines().count().max(1) as u32;
    if first == 0 || first > last || first > n_lines {
        return Err(EngineError::NoSuchLines { path: path.to_owned(), first, last, n_lines });
    }
    let language = stored.as_ref().map(|file| file.record.language);
    let language = language.or_else(|| Language::from_path(path)).unwrap_or(Language::Text);
    Ok((Selection::new(path, first..=last.min(n_lines), &current, indexed), language))
}

/// The saved file, or the indexed one if the project no longer exists on disk.
fn text_on_disk(
    store: &Store,
    project: &Project,
    path: &str,
    indexed: Option<&str>,
) -> Result<String, EngineError> {
    let unreadable = |reason: String| EngineError::UnreadableFile { path: path.to_owned(), reason };
    let options = StoredOptions::parse(&project.options).source();
    let read = root_of(project).map(|root| craig_source::read(&root, path, &options));
    match (read, indexed) {
        (Ok(Ok(file)), _) => match file.content {
            Content::Text(text) | Content::Unindexed(text, _) => Ok(text),
            Content::Secret => Err(unreadable("it is a secret".to_owned())),
            Content::Binary => Err(unreadable("it is not text".to_owned())),
        },
        (_, Some(indexed)) => Ok(indexed.to_owned()),
        (Ok(Err(ReadError::Vanished { .. })), None) => Err(unknown_file(store, project, path)?),
        (Ok(Err(error)), None) => Err(unreadable(error.to_string())),
        (Err(error), None) => Err(unreadable(error.to_string())),
    }
}

/// Relevance with the knowledge that there is code of the kind that is looked for.
fn given_that_it_exists(relevance: f32) -> f32 {
    let relevance = relevance.clamp(1e-6, 1.0 - 1e-6);
    let log_odds = (relevance / (1.0 - relevance)).ln() + EXISTS;
    logistic(log_odds)
}

/// The best blocks: relevant enough, not the selection, those of its language and its neighbourhood first among equals.
fn chosen(
    hits: Vec<Hit>,
    request: &InlineContextRequest,
    selection: &Selection,
    language: Language,
    limits: &Limits,
) -> Vec<Block> {
    let mut blocks: Vec<Block> = hits
        .iter()
        .filter(|hit| hit.score >= limits.min_score)
        .filter(|hit| !selection.covers(&hit.path, &(hit.line_start..=hit.line_end)))
        .map(Block::from_hit)
        .collect();
    boost(&mut blocks, &request.instruction, &selection.text);
    for block in blocks.iter_mut().filter(|block| request.open_files.contains(&block.path)) {
        block.score = score_if_open(block.score);
    }
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let nearness = |block: &Block| {
        (
            block.language == language.id(),
            block.path == selection.path,
            folder(&block.path) == folder(&selection.path),
        )
    };
    // Stable: of equals the first found stays first.
    blocks.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| nearness(b).cmp(&nearness(a))));
    blocks.truncate(limits.max_chunks);
    blocks
}

/// The block with code that is not too long; `None` when not even a line of it fits.
fn shortened(mut block: Block, limits: &Limits) -> Option<Block> {
    truncate(&mut block, limits.max_code_length).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exists_is_more_likely_and_order_stays() {
        let scores: Vec<f32> = [0.0, 0.1, 0.3, 0.7, 1.0].map(given_that_it_exists).to_vec();
        assert!(scores.is_sorted() && scores[2] > 0.7 && scores[1] < 0.5, "{scores:?}");
    }
}
