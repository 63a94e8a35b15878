//! `POST /v1/search`: the gateway's own index.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use craig_engine::{Guesses, KindFilter, ProjectHit, SearchRequest};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::browse::{Token, tokens_of};
use crate::caller::Caller;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body, timing};

/// Maximum number of hits of one search.
const MAX_LIMIT: usize = 100;

/// Maximum number of projects of one search that are named.
const MAX_PROJECTS: usize = 100;

/// Maximum number of languages of one search that are read.
const MAX_LANGUAGES: usize = 1_000;

/// Maximum number of names, and most lines, that are read as guesses.
pub(crate) const MAX_GUESSES: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SearchRequest")]
pub(crate) struct SearchBody {
    /// Name, reference or id of the project.
    project: Option<String>,
    /// Several projects instead; without any, all that the key may use.
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_PROJECTS>")]
    projects: Vec<String>,
    /// A sentence or a symbol.
    query: String,
    /// Maximum number of hits.
    #[schemars(range(max = MAX_LIMIT))]
    limit: Option<usize>,
    /// Maximum number of hits of one file.
    per_file: Option<usize>,
    /// Minimum score of a hit.
    #[schemars(range(min = 0.0, max = 1.0))]
    min_score: Option<f32>,
    /// Only files in these languages.
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_LANGUAGES>")]
    languages: Vec<String>,
    /// Only this file or folder, or files whose path matches this pattern.
    path: Option<String>,
    /// Only files of this kind.
    kind: Option<KindFilter>,
    /// Up to 8 names that the code probably uses.
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_GUESSES>")]
    names: Vec<String>,
    /// Up to 3 lines of code or comments that the code that answers may contain.
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_GUESSES>")]
    code: Vec<String>,
    /// Whether the hits are reranked, if one project is searched.
    #[serde(default)]
    rerank: bool,
    /// Whether each hit has the `tokens` of its code, for highlighting.
    #[serde(default)]
    tokens: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchResponse<'a> {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    /// The project, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    /// Names of the projects that were searched; if there are more than 100, only those with results.
    projects: Vec<String>,
    /// The number of projects that were searched.
    num_projects: usize,
    results: Vec<FoundHit>,
    /// Whether anything seems to answer; if not, the hits are the nearest that there is.
    is_answered: bool,
    /// Notes: that no file passes the filters.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

/// A hit, with the tokens of its code if they were requested.
#[derive(Serialize, JsonSchema)]
struct FoundHit {
    #[serde(flatten)]
    found: ProjectHit,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<Token>,
}

impl FoundHit {
    fn new(found: ProjectHit, with_tokens: bool) -> Self {
        let tokens =
            if with_tokens { tokens_of(&found.hit.language, &found.hit.content) } else { Vec::new() };
        Self { found, tokens }
    }
}

impl SearchBody {
    /// The projects that are named; all of them must be allowed.
    async fn named_projects(&self, gateway: &Gateway, caller: &Caller) -> Result<Vec<String>, Problem> {
        let named: Vec<String> = self.project.iter().chain(&self.projects).cloned().collect();
        for project in &named {
            gateway.check_project(caller, project).await?;
        }
        Ok(named)
    }

    fn request(&self) -> SearchRequest {
        let default = SearchRequest::default();
        SearchRequest {
            limit: self.limit.unwrap_or(default.limit).min(MAX_LIMIT),
            per_file: self.per_file.unwrap_or(default.per_file).clamp(1, MAX_LIMIT),
            min_score: self.min_score.unwrap_or(default.min_score),
            languages: self.languages.clone(),
            path: self.path.clone(),
            kind: self.kind.unwrap_or(default.kind),
            guesses: Guesses { names: self.names.clone(), code: self.code.clone() },
            rerank: self.rerank,
            ..default
        }
    }
}

pub(crate) async fn search(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (body, _room) = json_body::<SearchBody>(request, &gateway).await?;
    let projects = body.named_projects(&gateway, &caller).await?;
    let (answer, report) = gateway.search(&caller, projects, body.query.clone(), body.request()).await?;
    gateway.log_search(&report, &caller);
    let results = answer.hits.into_iter().map(|found| FoundHit::new(found, body.tokens));
    let answer = SearchResponse {
        object: "list",
        project: body.project.as_deref(),
        projects: answer.projects,
        num_projects: answer.num_projects,
        results: results.collect(),
        is_answered: answer.is_answered,
        notes: &answer.notes,
    };
    let mut response = json_response(StatusCode::OK, &answer);
    report.write_headers(&mut response);
    let times = [("search", report.search_time), ("rerank", report.rerank_time)];
    response.headers_mut().insert("server-timing", timing(&times));
    Ok(response)
}
