//! Commands that an editor may execute.

mod code;
mod index;
mod limits;

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use craig_engine::{
    Cancellation, ChatContextRequest, CodeContext, ContextAnswer, Engine, EngineError, Explained, Guesses,
    InlineContextRequest, KindFilter, PackageExplanation, PrepareRequest, Progress, Refresh, SearchRequest,
};
use lsp_server::RequestId;
use lsp_types::{ExecuteCommandParams, Range, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use self::limits::Limits;
use super::addresses::{path_of, uri_of};
use super::folders::{Code, Folder};
use super::hover::{definition, distinguish};
use super::messages::Done;
use super::open_text::OpenText;
use super::server::{Reply, Server};
use super::tasks::Task;
use super::text::{lines, offset};
use crate::json::as_printed;

pub(crate) const EXPLAIN: &str = "craig.explain";
const INDEX: &str = "craig.indexDocumentation";
const SEARCH: &str = "craig.search";
const CONTEXT: &str = "craig.context";
const RATE: &str = "craig.rate";
const RELATED: &str = "craig.related";
const SYMBOL: &str = "craig.symbol";
const MAP: &str = "craig.map";
const INGEST: &str = "craig.ingest";
const PAUSE: &str = "craig.pause";
const STATUS: &str = "craig.status";

pub(crate) const COMMANDS: &[&str] =
    &[EXPLAIN, INDEX, SEARCH, CONTEXT, RATE, RELATED, SYMBOL, MAP, INGEST, PAUSE, STATUS];

/// Code to explain.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExplainArguments {
    uri: Uri,
    /// The whole text when not given.
    range: Option<Range>,
    /// Whether the language model rephrases it; by default as the settings say.
    model: Option<bool>,
    /// `false` leaves it to the editor to show the answer.
    show: Option<bool>,
    /// Maximum number of sections that are quoted.
    max_sources: Option<usize>,
    /// Minimum confidence, 0 to 1.
    min_confidence: Option<f32>,
    /// Maximum total length of the quotes, in bytes.
    max_length: Option<usize>,
}

/// What to search for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SearchArguments {
    query: String,
    /// Only the folder that holds it; all folders when not given.
    uri: Option<Uri>,
    limit: Option<usize>,
    #[serde(default)]
    language: Vec<String>,
    path: Option<String>,
    #[serde(default)]
    kind: KindFilter,
    min_score: Option<f32>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    code: Vec<String>,
    /// `false` answers from the index without checking for changed files.
    refresh: Option<bool>,
}

/// A request for context.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ContextArguments {
    /// A chat message; with a selection, what is to be done with it.
    message: String,
    /// The folder that holds it; needed where there are several.
    uri: Option<Uri>,
    /// The selected code of the text at `uri`.
    range: Option<Range>,
    #[serde(default)]
    history: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    code: Vec<String>,
    max_chunks: Option<usize>,
    min_score: Option<f32>,
    token_budget: Option<usize>,
    /// Whether the first results are reranked, for a chat; by default as the settings say.
    rerank: Option<bool>,
    /// Maximum length of a block's code in bytes, for an edit.
    max_code_length: Option<usize>,
    refresh: Option<bool>,
}

/// Whether context was helpful.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RateArguments {
    /// Of the context.
    id: u64,
    helpful: bool,
    /// The folder that holds it; needed where there are several.
    uri: Option<Uri>,
}

/// Executes a command.
pub(super) fn execute(server: &mut Server, id: &RequestId, params: &Value) -> anyhow::Result<Reply> {
    let params: ExecuteCommandParams = serde_json::from_value(params.clone())?;
    let first = params.arguments.into_iter().next().unwrap_or(Value::Null);
    match params.command.as_str() {
        EXPLAIN => explain(server, id, arguments(first)?),
        INDEX => {
            server.folders.iter().for_each(Folder::activate);
            Ok(Reply::Now(Value::Null))
        }
        SEARCH => search(server, id, arguments(first)?),
        CONTEXT => context(server, id, arguments(first)?),
        RATE => rate(server, id, &arguments(first)?),
        RELATED => code::related(server, id, &arguments(first)?),
        SYMBOL => code::symbol(server, id, arguments(first)?),
        MAP => code::map(server, id, arguments(first)?),
        INGEST => index::ingest(server, &arguments(first)?),
        PAUSE => Ok(index::pause(server, &arguments(first)?)),
        STATUS => index::status(server, id, &arguments(first)?),
        other => bail!("no command {other:?}; the commands are {}", COMMANDS.join(", ")),
    }
}

/// A command without an argument is one with an empty object.
fn arguments<A: serde::de::DeserializeOwned>(first: Value) -> anyhow::Result<A> {
    let first = if first.is_null() { json!({}) } else { first };
    serde_json::from_value(first).context("the first argument is invalid (docs/editors.md)")
}

/// The explanation with its Markdown; it is shown, too, where the editor can do that.
fn explain(server: &mut Server, id: &RequestId, arguments: ExplainArguments) -> anyhow::Result<Reply> {
    let ExplainArguments { uri, range, model, show, max_sources, min_confidence, max_length } = arguments;
    let limits = Limits { max_sources, min_confidence, max_length };
    let is_open = server.texts.contains_key(uri.as_str());
    let text = OpenText::new(server, &uri).filter(|_| is_open);
    let text = text.ok_or_else(|| anyhow!("the file is not open, or is outside the workspace"))?;
    let folder = folder_of(server, &uri)?;
    if let Some(trouble) = &folder.trouble {
        bail!("{trouble}");
    }
    let Some(library) = folder.library.clone() else {
        folder.activate();
        return Ok(Reply::OnceIndexed);
    };
    let words = model.unwrap_or(folder.config.in_words).then(|| Arc::clone(&folder.words));
    let code = folder.code.as_ref().ok().cloned();
    let comments = folder.config.comments;
    server.tasks.start(id.clone(), move |task| {
        let mut context = asked_about(&text, code.as_ref(), range, &task.cancellation)?;
        distinguish(&mut context, code.as_ref());
        let mut extract = limits.apply(craig_engine::explain_context(&library, &context));
        extract.comment = extract.comment.filter(|_| comments);
        let explained = match words {
            Some(words) => words.reword(&library, &context, extract, &task.cancellation),
            None => Explained::from(extract),
        };
        // If the database cannot be read, the documentation answers alone.
        let packages = match (&code, range) {
            (Some(code), Some(range)) => explained_packages(&text, code, range).unwrap_or_default(),
            _ => Vec::new(),
        };
        let explained = Explained { packages, ..explained };
        let is_shown = show.unwrap_or(true);
        Ok(Done::Explanation { uri, folder: text.folder, explained: Box::new(explained), is_shown })
    });
    Ok(Reply::Later)
}

/// What packages say about the name at the place, or about the imported symbols in the selected lines.
fn explained_packages(text: &OpenText, code: &Code, range: Range) -> anyhow::Result<Vec<PackageExplanation>> {
    let importing = text.importing();
    if range.start != range.end {
        let (first, last) = (range.start.line + 1, range.end.line + 1);
        return Ok(code.engine.explain_imports(&text.folder, importing, (first, last))?);
    }
    let Some(name) = text.name_at(range.start) else { return Ok(Vec::new()) };
    let found = code.engine.explain_import_at(&text.folder, importing, name.line, name.column)?;
    Ok(found.into_iter().collect())
}

/// The selected lines, or the whole text when there is no range; where nothing is selected the symbol at the place, else
/// the line.
fn asked_about(
    text: &OpenText,
    code: Option<&Code>,
    range: Option<Range>,
    cancellation: &Cancellation,
) -> anyhow::Result<CodeContext> {
    let language = text.language();
    let by_lines = || CodeContext::read(&text.path, language, &text.text, range.map(lines));
    let Some(place) = range.filter(|range| range.start == range.end).map(|range| range.start) else {
        return Ok(by_lines());
    };
    let defined = text.name_at(place).map(|name| definition(text, code, &name, cancellation)).transpose()?;
    if let Some(defined) = defined.flatten() {
        return Ok(defined);
    }
    let at_place =
        CodeContext::at(&text.path, language, &text.text, offset(&text.text, place, text.encoding));
    Ok(if at_place.symbol().is_some() { at_place } else { by_lines() })
}

fn search(server: &mut Server, id: &RequestId, arguments: SearchArguments) -> anyhow::Result<Reply> {
    let folders = match &arguments.uri {
        Some(uri) => vec![folder_of(server, uri)?],
        None => server.folders.iter().collect(),
    };
    let codes: Vec<anyhow::Result<Code>> = folders.into_iter().map(code_of).collect();
    let request = SearchRequest {
        limit: arguments.limit.unwrap_or(10).clamp(1, 100),
        min_score: arguments.min_score.unwrap_or_default(),
        languages: arguments.language,
        path: arguments.path,
        kind: arguments.kind,
        guesses: Guesses { names: arguments.names, code: arguments.code },
        ..SearchRequest::default()
    };
    request.check(&arguments.query).map_err(with_hint)?;
    let (query, refresh) = (arguments.query, refresh(arguments.refresh));
    server.tasks.start(id.clone(), move |task| {
        let notes = RefCell::new(Vec::new());
        let found_in = |code: anyhow::Result<Code>| {
            let search = |engine: &Engine, project: &str| engine.search(project, &query, &request);
            let (folder, answer) = prepared(&code?, refresh, task, search)?;
            notes.borrow_mut().extend(answer.notes);
            found(&folder, &answer.project, &answer.hits)
        };
        let (hits, errors) = of_folders(codes.into_iter().map(found_in))?;
        let hits = best_hits(hits, request.limit);
        let mut answer = json!({ "query": query, "hits": hits, "errors": errors });
        let notes = notes.into_inner();
        if !notes.is_empty() {
            answer["notes"] = json!(notes);
        }
        Ok(Done::Answer(answer))
    });
    Ok(Reply::Later)
}

/// The hits of all folders, and what went wrong in some of them. Fails if no folder could be searched.
fn of_folders(
    searched: impl Iterator<Item = anyhow::Result<Vec<Value>>>,
) -> anyhow::Result<(Vec<Value>, Vec<String>)> {
    let (mut hits, mut n_found, mut errors) = (Vec::new(), 0, Vec::new());
    for folder in searched {
        match folder {
            Ok(found) => {
                n_found += 1;
                hits.extend(found);
            }
            Err(error) => errors.push(error),
        }
    }
    match errors.first() {
        Some(_) if n_found == 0 => Err(errors.swap_remove(0)),
        _ => Ok((hits, errors.iter().map(|error| format!("{error:#}")).collect())),
    }
}

/// The most relevant hits of several folders: relevance is a probability, which compares across folders. One folder may
/// lie in another.
fn best_hits(mut hits: Vec<Value>, limit: usize) -> Vec<Value> {
    let score = |hit: &Value| hit["score"].as_f64().unwrap_or_default();
    hits.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut seen = HashSet::new();
    hits.retain(|hit| seen.insert(hit["uri"].to_string()));
    hits.truncate(limit);
    hits
}

/// The hits of a folder with their places as the editor writes them.
fn found(folder: &Path, project: &str, hits: &[craig_engine::Hit]) -> anyhow::Result<Vec<Value>> {
    let hit = |hit: &craig_engine::Hit| -> anyhow::Result<Value> {
        let mut printed = as_printed(hit)?;
        printed["project"] = json!(project);
        printed["uri"] = json!(uri_of(&folder.join(&hit.path)));
        printed["range"] = range_of(hit.line_start, hit.line_end);
        Ok(printed)
    };
    hits.iter().map(hit).collect()
}

fn context(server: &mut Server, id: &RequestId, arguments: ContextArguments) -> anyhow::Result<Reply> {
    let code = one_folder(server, arguments.uri.as_ref())?;
    let selection = match (&arguments.uri, arguments.range) {
        (_, None) => None,
        (None, Some(_)) => bail!("range requires uri"),
        (Some(uri), Some(range)) => {
            let file = path_of(uri).context("uri is not a file")?;
            Some((file, range, server.texts.get(uri.as_str()).cloned()))
        }
    };
    let refresh = refresh(arguments.refresh);
    server.tasks.start(id.clone(), move |task| {
        let (folder, answer) = prepared(&code, refresh, task, |engine, project| match selection {
            None => engine.chat_context(project, &chat_request(arguments)),
            Some((file, range, text)) => {
                let path = engine.path_in_project(project, &code.folder, &file)?;
                engine.inline_context(project, &inline_request(arguments, path, range, text))
            }
        })?;
        Ok(Done::Answer(context_as_json(&folder, &answer)?))
    });
    Ok(Reply::Later)
}

/// Stores a verdict in the database, for `craig stats`.
fn rate(server: &mut Server, id: &RequestId, arguments: &RateArguments) -> anyhow::Result<Reply> {
    let code = one_folder(server, arguments.uri.as_ref())?;
    let (context, helpful) = (arguments.id, arguments.helpful);
    server.tasks.start(id.clone(), move |_| {
        code.engine.rate_context(Some(context), helpful, None).map_err(with_hint)?;
        Ok(Done::Answer(Value::Null))
    });
    Ok(Reply::Later)
}

fn chat_request(arguments: ContextArguments) -> ChatContextRequest {
    ChatContextRequest {
        message: arguments.message,
        history: arguments.history,
        guesses: Guesses { names: arguments.names, code: arguments.code },
        max_chunks: arguments.max_chunks,
        min_similarity: arguments.min_score,
        token_budget: arguments.token_budget,
        rerank: arguments.rerank,
        ..ChatContextRequest::default()
    }
}

fn inline_request(
    arguments: ContextArguments,
    path: String,
    range: Range,
    text: Option<String>,
) -> InlineContextRequest {
    let (first, last) = lines(range);
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    InlineContextRequest {
        instruction: arguments.message,
        path,
        lines: (line(first), line(last)),
        text,
        max_chunks: arguments.max_chunks,
        min_score: arguments.min_score,
        max_code_length: arguments.max_code_length,
        ..InlineContextRequest::default()
    }
}

/// The answer of `craig context` as JSON, with the places as the editor writes them.
fn context_as_json(folder: &Path, answer: &ContextAnswer) -> anyhow::Result<Value> {
    let mut printed = as_printed(answer)?;
    for (block, row) in answer.blocks.iter().zip(printed["blocks"].as_array_mut().into_iter().flatten()) {
        row["uri"] = json!(uri_of(&folder.join(&block.path)));
        row["range"] = range_of(block.line_start, block.line_end);
    }
    Ok(printed)
}

/// How long a request waits for another one that ingests the folder: the threads of tasks are few.
const MAX_WAIT: Duration = Duration::from_millis(500);

/// Brings the project of a folder up to date and answers from it; gives the project's folder, too.
fn prepared<T>(
    code: &Code,
    refresh: Refresh,
    task: &Task,
    answer: impl FnOnce(&Engine, &str) -> Result<T, EngineError>,
) -> anyhow::Result<(std::path::PathBuf, T)> {
    let engine = &*code.engine;
    let work = || {
        let options = Some(&code.options);
        let max_wait = Some(MAX_WAIT);
        let request =
            PrepareRequest { refresh, options, max_wait, ..PrepareRequest::for_directory(&code.folder) };
        let mut progress =
            |progress: &Progress| task.report_progress(progress.current.clone(), progress.percent());
        let (project, _) = engine.prepare(&request, &mut progress)?;
        let root = engine.directory_of(&project)?;
        Ok((root, answer(engine, &project)?))
    };
    work().map_err(with_hint)
}

fn refresh(wanted: Option<bool>) -> Refresh {
    match wanted {
        Some(false) => Refresh::Skip,
        _ => Refresh::Ingest,
    }
}

/// The folder that is meant: the one that holds the address, else the only one.
fn one_folder(server: &Server, uri: Option<&Uri>) -> anyhow::Result<Code> {
    let folder = match (uri, server.folders.as_slice()) {
        (Some(uri), _) => folder_of(server, uri)?,
        (None, [only]) => only,
        (None, folders) => bail!("there are {} folders: give uri to choose one", folders.len()),
    };
    code_of(folder)
}

fn folder_of<'s>(server: &'s Server, uri: &Uri) -> anyhow::Result<&'s Folder> {
    let (folder, _) = server.folder_of(uri).context("uri is outside the workspace")?;
    Ok(folder)
}

fn code_of(folder: &Folder) -> anyhow::Result<Code> {
    folder.code.clone().map_err(|error| anyhow!("{}: {error}", folder.path.display()))
}

/// An error with its hint.
fn with_hint(error: EngineError) -> anyhow::Error {
    match error.hint() {
        Some(hint) => anyhow!("{error}; {hint}"),
        None => error.into(),
    }
}

/// Lines, 1-based and inclusive, as a range.
pub(super) fn range_of(first: u32, last: u32) -> Value {
    json!({ "start": { "line": first.saturating_sub(1), "character": 0 }, "end": { "line": last, "character": 0 } })
}
