//! `POST /v1/search`: the gateway's own index.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use craig_engine::{Hit, KindFilter, SearchRequest};
use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body, timing};

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
    kind: Option<KindFilter>,
    #[serde(default)]
    rerank: bool,
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
            kind: self.kind.unwrap_or(default.kind),
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
    let found = gateway.search(&caller, body.project.clone(), body.query.clone(), body.request()).await?;
    gateway.tell(&found, &caller);
    let answer = Answer { object: "list", project: &body.project, results: &found.items };
    let mut response = json_response(StatusCode::OK, &answer);
    found.tell(&mut response);
    let times = [("search", found.search_time), ("rerank", found.rerank_time)];
    response.headers_mut().insert("server-timing", timing(&times));
    Ok(response)
}
