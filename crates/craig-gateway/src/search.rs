//! `POST /v1/search`: the gateway's own index.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use craig_engine::{Hit, KindFilter, SearchRequest};
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};

use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body, timing};
use crate::rerank::Source;

/// Most hits of one search.
const MAX_LIMIT: usize = 100;

#[derive(Deserialize)]
struct SearchBody {
    project: String,
    query: String,
    limit: Option<usize>,
    per_file: Option<usize>,
    min_score: Option<f32>,
    #[serde(default)]
    languages: Vec<String>,
    path: Option<String>,
    kind: Option<Kind>,
    #[serde(default)]
    rerank: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    All,
    Code,
    Docs,
    Config,
}

#[derive(Serialize)]
struct Answer<'a> {
    object: &'static str,
    project: &'a str,
    results: &'a [Hit],
}

impl SearchBody {
    fn request(&self) -> SearchRequest {
        let default = SearchRequest::default();
        SearchRequest {
            limit: self.limit.unwrap_or(default.limit).min(MAX_LIMIT),
            per_file: self.per_file.unwrap_or(default.per_file).clamp(1, MAX_LIMIT),
            min_score: self.min_score.unwrap_or(default.min_score),
            languages: self.languages.clone(),
            path: self.path.clone(),
            kind: match self.kind {
                None | Some(Kind::All) => KindFilter::All,
                Some(Kind::Code) => KindFilter::Code,
                Some(Kind::Docs) => KindFilter::Docs,
                Some(Kind::Config) => KindFilter::Config,
            },
            rerank: self.rerank,
            ..default
        }
    }
}

pub(crate) async fn search(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    answer(&gateway, request).await.unwrap_or_else(Problem::into_response)
}

async fn answer(gateway: &Gateway, request: Request) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let body: SearchBody = json_body(request, &gateway.config.bounds).await?;
    let found = gateway.search(&caller, body.project.clone(), body.query.clone(), body.request()).await?;
    gateway.tell(&found, &caller);
    let answer = Answer { object: "list", project: &body.project, results: &found.items };
    let mut response = json_response(StatusCode::OK, &answer);
    found.allowances.iter().for_each(|allowance| allowance.tell(&mut response));
    let headers = response.headers_mut();
    let source = found.ordered_by.map_or("off", Source::name);
    headers.insert("x-craig-rerank", HeaderValue::from_static(source));
    headers.insert("server-timing", timing(&[("search", found.search_time), ("rerank", found.rerank_time)]));
    if let Some(trouble) = found.trouble {
        headers.insert("x-craig-trouble", HeaderValue::from_static(trouble));
    }
    Ok(response)
}
