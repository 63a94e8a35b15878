//! `query_code`: the right code for a question or a symbol.

use craig_engine::{
    Detail, GrepRequest, Guesses, KindFilter, NO_ANSWER, PER_FILE, ProjectsAnswer, SearchRequest,
    with_numbers,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hits::{FoundHit, paged, split};
use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::{State, StateName};
use crate::mcp::page::{Page, PageEnd, Paging};

/// Default and maximum number of hits.
const DEFAULT_LIMIT: usize = 10;
const MOST_HITS: usize = 100;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Question or symbol.
    query: String,
    #[serde(flatten)]
    guesses: Guesses,
    /// Default: the workspace's.
    project: Option<String>,
    /// Several projects.
    #[serde(default)]
    projects: Vec<String>,
    #[serde(flatten)]
    filters: Filters,
    /// Minimum score, 0 to 1.
    min_score: Option<f32>,
    /// Hits, all with code.
    limit: Option<usize>,
    /// Per file (default 3).
    per_file: Option<usize>,
    /// At most 40 lines (default), whole symbol, full piece.
    detail: Option<Detail>,
    /// false: places without code.
    content: Option<bool>,
    #[serde(flatten)]
    paging: Paging,
}

/// Which files are searched.
#[derive(Clone, Deserialize, JsonSchema)]
pub(super) struct Filters {
    /// File, folder or pattern: "src/**/*.rs".
    path: Option<String>,
    /// Only these: ["python", "rust"].
    #[serde(default)]
    language: Vec<String>,
    /// Only this kind of file.
    kind: Option<KindFilter>,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    hits: Vec<FoundHit>,
    /// Further places that may answer, less likely: path, lines, symbol and score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    /// Names of the projects that were searched; if there are more than 100, only those with hits.
    projects: Vec<String>,
    /// Milliseconds of the search itself.
    elapsed_ms: f64,
    /// Whether the index is as new as the files.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

impl Filters {
    /// A request with these filters.
    pub(super) fn request(&self) -> SearchRequest {
        SearchRequest {
            languages: self.language.clone(),
            path: self.path.clone(),
            kind: self.kind.unwrap_or_default(),
            ..SearchRequest::default()
        }
    }

    /// A request for exact lines with these filters.
    pub(super) fn grep_request(&self) -> GrepRequest {
        GrepRequest {
            languages: self.language.clone(),
            path: self.path.clone(),
            kind: self.kind.unwrap_or_default(),
            ..GrepRequest::default()
        }
    }

    /// Whether they exclude anything.
    fn are_narrow(&self) -> bool {
        self.path.is_some() || !self.language.is_empty() || self.kind.unwrap_or_default() != KindFilter::All
    }
}

impl Arguments {
    fn request(&self) -> SearchRequest {
        SearchRequest {
            limit: self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST_HITS),
            per_file: self.per_file.unwrap_or(PER_FILE).clamp(1, MOST_HITS),
            min_score: self.min_score.unwrap_or(0.0),
            detail: self.detail.unwrap_or(Detail::Lines),
            guesses: self.guesses.clone(),
            ..self.filters.request()
        }
    }
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "query_code",
        title: "Search code",
        description: "Finds code and documentation by meaning, symbol or words, as hits with probability. \
                      Prefer it to explore for filters, several projects or more hits. Guess in names and code.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Found>, Failure> {
    let arguments = &call.arguments;
    let page = Page::new(&arguments.paging, &call.raw)?;
    let request = arguments.request();
    request.check(&arguments.query)?;
    let Some(Scope { projects, are_all, mut notes }) = scope(&call).await? else {
        return Ok(not_ingested(&call, page).into());
    };
    let mut worst = State::Fresh;
    for project in &projects {
        let state = call.shared.bring_up_to_date(project).await?;
        notes.extend(state.note(project));
        worst = worst.max(state);
    }
    let request = match (&request.path, projects.as_slice()) {
        (Some(path), [project]) => {
            SearchRequest { path: Some(call.shared.path_in_project(project, path).await?), ..request }
        }
        _ => request,
    };
    // Where all are meant, groups answer for their members.
    let named = if are_all { Vec::new() } else { projects };
    let answer = search(&call, named, request.clone()).await?;
    let n_notes = notes.len();
    notes.extend(answer.notes);
    let ProjectsAnswer { projects, num_projects, hits, is_answered, elapsed_ms, .. } = answer;
    let (with_content, max_bytes) = (arguments.content != Some(false), page.budget_bytes());
    if hits.is_empty() && notes.len() == n_notes {
        notes.push(nothing_found(arguments));
    }
    if !is_answered && !hits.is_empty() {
        notes.push(NO_ANSWER.to_owned());
    }
    let (hits, others) = split(hits, arguments.limit, is_answered, num_projects > 1);
    let hits: Vec<FoundHit> = hits
        .into_iter()
        .map(|mut found| {
            if request.detail == Detail::Full {
                found.hit.content = with_numbers(&found.hit.content, found.hit.line_start);
            }
            FoundHit::new(found, with_content, max_bytes)
        })
        .collect();
    let (hits, page, links) = paged(page, hits, notes, call.caller.knows_links());
    Ok(Answer { fields: Found { hits, others, projects, elapsed_ms, freshness: worst.name(), page }, links })
}

/// What to search.
struct Scope {
    projects: Vec<String>,
    /// Whether these are all projects that the client may see.
    are_all: bool,
    /// What to know about the choice.
    notes: Vec<String>,
}

/// The projects to search: the named ones, otherwise the workspace's; all projects if there is no workspace. `None` for a
/// workspace that is not ingested: hits of other projects would be mistaken for its code.
async fn scope(call: &Call<Arguments>) -> Result<Option<Scope>, Failure> {
    let mut projects: Vec<String> = Vec::new();
    for named in call.arguments.project.iter().chain(&call.arguments.projects) {
        let project = call.shared.project_named(named).await?;
        if !projects.contains(&project) {
            projects.push(project);
        }
    }
    if projects.is_empty() {
        projects = call.shared.own_projects().await?;
    }
    if !projects.is_empty() {
        return Ok(Some(Scope { projects, are_all: false, notes: Vec::new() }));
    }
    let all = call.shared.run(|engine| engine.project_references()).await?;
    if all.is_empty() {
        return Err(call.shared.no_own_project());
    }
    if !call.shared.workspace.folders().is_empty() {
        return Ok(None);
    }
    let note = format!(
        "there is no workspace ({}), so these hits are from all {} ingested projects: choose one with project",
        call.shared.workspace.absence(),
        all.len()
    );
    Ok(Some(Scope { projects: all, are_all: true, notes: vec![note] }))
}

/// The answer if the workspace is not ingested: no hits, and how to ingest it.
fn not_ingested(call: &Call<Arguments>, page: Page) -> Found {
    let notes = vec![format!("nothing was searched: {}", call.shared.no_own_project().in_a_note())];
    let (hits, page, _) = paged(page, Vec::new(), notes, false);
    Found {
        hits,
        others: Vec::new(),
        projects: Vec::new(),
        elapsed_ms: 0.0,
        freshness: StateName::Unchecked,
        page,
    }
}

async fn search(
    call: &Call<Arguments>,
    projects: Vec<String>,
    request: SearchRequest,
) -> Result<ProjectsAnswer, Failure> {
    let query = call.arguments.query.clone();
    let search = call.shared.run(move |engine| engine.search_projects(&projects, &query, &request));
    let names = |answer: &ProjectsAnswer| answer.projects.join(", ");
    call.caller.retrieval(&call.arguments.query, search, names).await
}

fn nothing_found(arguments: &Arguments) -> String {
    let mut note = "nothing was found".to_owned();
    if arguments.min_score.is_some_and(|score| score > 0.0) {
        note += "; lower min_score";
    }
    if arguments.filters.are_narrow() {
        note +=
            "; leave filters out (get_project_metadata lists the languages, get_file_structure the paths)";
    }
    note + "; or rephrase the query"
}
