//! `GET /v1/projects`, `POST /v1/files`, `/v1/file` and `/v1/references`: what the page of a server for teams shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use craig_engine::{
    Engine, EngineError, IngestionState, Job, Language, OutlineRequest, OutlinedDefinition, ProjectStatus,
    ProjectSummary, References, SymbolRequest, TokenKind, tokens,
};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::allowance::Resource;
use crate::caller::Caller;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body};

/// Maximum number of references that are listed, and how many are unless the request limits them.
const MAX_REFERENCES: usize = 1_000;
const DEFAULT_REFERENCES: usize = 200;

/// A part of a text that has a colour: its first and last character, exclusive, and what it is. Characters are UTF-16 code units,
/// as in JavaScript.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Token(usize, usize, #[schemars(with = "String")] &'static str);

/// The projects that a key may use.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectList {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    data: Vec<ListedProject>,
    groups: Vec<ListedGroup>,
    /// The queue of workers, for keys that may use all projects.
    jobs: Vec<Job>,
}

#[derive(Serialize, JsonSchema)]
struct ListedProject {
    name: String,
    files: u64,
    chunks: u64,
    /// State of its newest ingestion.
    #[schemars(with = "String")]
    state: IngestionState,
    /// Percent, while it is being ingested.
    progress: u8,
    /// The error of a failed ingestion.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// When its files last changed in the index, RFC 3339.
    last_updated: String,
    /// The repository that it was ingested from by its URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ListedGroup {
    name: String,
    /// Names of its projects.
    members: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FilesRequest")]
pub(crate) struct FilesBody {
    /// Name, reference or id of the project.
    project: String,
    /// A folder; empty or missing for that of the project.
    #[serde(default)]
    folder: String,
}

/// The content of a folder.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FilesResponse")]
pub(crate) struct FilesAnswer {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    /// Folders in it, each with the number of files below it.
    folders: BTreeMap<String, u64>,
    /// Names of the files in it.
    files: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FileRequest")]
pub(crate) struct FileBody {
    /// Name, reference or id of the project.
    project: String,
    /// Path relative to the project's folder.
    path: String,
}

/// A file of the index.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FileResponse")]
pub(crate) struct FileAnswer {
    #[schemars(extend("const" = "file"))]
    object: &'static str,
    path: String,
    #[schemars(with = "String")]
    language: Language,
    /// Bytes of the file.
    size: u64,
    /// Its text, with secrets masked; null for a binary file, and for one that is withheld.
    content: Option<String>,
    tokens: Vec<Token>,
    symbols: Vec<FileSymbol>,
}

/// A definition, or a section of a document.
#[derive(Serialize, JsonSchema)]
struct FileSymbol {
    name: String,
    #[schemars(with = "String")]
    kind: craig_engine::ChunkKind,
    /// 0, or one more than that of the definition before it that it is in.
    depth: u32,
    /// Line of the name, from 1.
    line: u32,
    /// Its last line, inclusive.
    line_end: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReferencesRequest")]
pub(crate) struct ReferencesBody {
    /// Name, reference or id of the project.
    project: String,
    /// A symbol: `route`, `Router.route`, or `src/router.py:12`.
    symbol: Option<String>,
    /// Instead of a symbol: the file of a name …
    path: Option<String>,
    /// … its line, from 1 …
    #[serde(default)]
    line: u32,
    /// … and a character of it, from 1.
    #[serde(default)]
    column: u32,
    /// Maximum number of references.
    #[schemars(range(max = MAX_REFERENCES))]
    limit: Option<usize>,
}

/// The coloured parts of a text.
pub(crate) fn tokens_of(language: &str, text: &str) -> Vec<Token> {
    let Some(language) = Language::from_id(language) else { return Vec::new() };
    let mut units = Utf16 { text, byte: 0, units: 0 };
    let all = tokens(language, text).into_iter();
    all.map(|(bytes, kind)| Token(units.at(bytes.start), units.at(bytes.end), name_of(kind))).collect()
}

/// Converts ascending byte offsets of a text.
struct Utf16<'t> {
    text: &'t str,
    byte: usize,
    units: usize,
}

impl Utf16<'_> {
    fn at(&mut self, byte: usize) -> usize {
        self.units += self.text[self.byte..byte].encode_utf16().count();
        self.byte = byte;
        self.units
    }
}

fn name_of(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Comment => "comment",
        TokenKind::String => "string",
        TokenKind::Constant => "constant",
        TokenKind::Keyword => "keyword",
        TokenKind::Type => "type",
    }
}

/// Does some reading with the engine as it is for the caller; counts as a search.
async fn read<T: Serialize + Send + 'static>(
    gateway: &Gateway,
    caller: &Caller,
    work: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
) -> Result<T, Problem> {
    gateway.charge(Resource::Search, caller).await?;
    let engine = gateway.engine_for(caller);
    gateway.with_engine_for(caller, move |_| work(&engine)).await
}

pub(crate) async fn projects(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let list = read(&gateway, &caller_of(&request)?, list).await?;
    Ok(json_response(StatusCode::OK, &list))
}

fn list(engine: &Engine) -> Result<ProjectList, EngineError> {
    let listed = |(project, status): (ProjectSummary, ProjectStatus)| ListedProject {
        name: project.name,
        files: project.files,
        chunks: project.chunks,
        state: status.status,
        progress: status.progress,
        error: status.error,
        last_updated: project.last_updated,
        repository: project.git.map(|origin| origin.url),
    };
    let groups = engine.groups()?.into_iter();
    Ok(ProjectList {
        object: "list",
        data: engine.projects_with_status()?.into_iter().map(listed).collect(),
        groups: groups.map(|group| ListedGroup { name: group.name, members: group.members }).collect(),
        jobs: engine.jobs()?,
    })
}

pub(crate) async fn files(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (body, _room) = json_body::<FilesBody>(request, &gateway).await?;
    let files = read(&gateway, &caller, move |engine| folder(engine, &body)).await?;
    Ok(json_response(StatusCode::OK, &files))
}

fn folder(engine: &Engine, body: &FilesBody) -> Result<FilesAnswer, EngineError> {
    let folder = body.folder.trim_matches('/');
    let mut answer = FilesAnswer { object: "list", folders: BTreeMap::new(), files: Vec::new() };
    for file in engine.files(&body.project)? {
        let inside = match folder {
            "" => Some(file.path.as_str()),
            _ => file.path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
        };
        match inside.map(|path| path.split_once('/').ok_or(path)) {
            Some(Ok((name, _))) => *answer.folders.entry(name.to_owned()).or_default() += 1,
            Some(Err(name)) => answer.files.push(name.to_owned()),
            None => {}
        }
    }
    Ok(answer)
}

pub(crate) async fn file(State(gateway): State<Arc<Gateway>>, request: Request) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (body, _room) = json_body::<FileBody>(request, &gateway).await?;
    let file = read(&gateway, &caller, move |engine| shown_file(engine, &body)).await?;
    Ok(json_response(StatusCode::OK, &file))
}

fn shown_file(engine: &Engine, FileBody { project, path }: &FileBody) -> Result<FileAnswer, EngineError> {
    let file = engine.file(project, path)?;
    let outline = engine.outline(project, path, &OutlineRequest::default())?;
    let definitions = outline.files.into_iter().flat_map(|file| file.definitions);
    let tokens = file.content.as_deref().map(|text| tokens_of(file.entry.language.id(), text));
    Ok(FileAnswer {
        object: "file",
        path: file.entry.path,
        language: file.entry.language,
        size: file.entry.size,
        tokens: tokens.unwrap_or_default(),
        content: file.content,
        symbols: definitions.map(FileSymbol::from).collect(),
    })
}

impl From<OutlinedDefinition> for FileSymbol {
    fn from(definition: OutlinedDefinition) -> Self {
        let OutlinedDefinition { name, kind, depth, line, line_end, .. } = definition;
        Self { name, kind, depth, line, line_end }
    }
}

pub(crate) async fn references(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (body, _room) = json_body::<ReferencesBody>(request, &gateway).await?;
    let found = read(&gateway, &caller, move |engine| found_references(engine, &body)).await?;
    let unknown = || Problem::not_found("unknown_symbol", "nothing is known about the name there");
    Ok(json_response(StatusCode::OK, &found.ok_or_else(unknown)?))
}

fn found_references(engine: &Engine, body: &ReferencesBody) -> Result<Option<References>, EngineError> {
    let limit = body.limit.unwrap_or(DEFAULT_REFERENCES).min(MAX_REFERENCES);
    let request = SymbolRequest { limit, ..SymbolRequest::default() };
    match (&body.symbol, &body.path) {
        (Some(symbol), _) => engine.references(&body.project, symbol, &request).map(Some),
        (None, Some(path)) => engine.references_at(&body.project, path, (body.line, body.column), &request),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_count_as_javascript_does() {
        let text = "// 😀 é\nlet s = \"ü\";";
        let found: Vec<String> = tokens_of("rust", text)
            .iter()
            .map(|Token(start, end, kind)| {
                let units: Vec<u16> = text.encode_utf16().skip(*start).take(end - start).collect();
                format!("{kind} {}", String::from_utf16(&units).unwrap().trim_end())
            })
            .collect();
        assert_eq!(found, ["comment // 😀 é", "keyword let", "string \"ü\""]);
    }
}
