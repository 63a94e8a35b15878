//! The paths and their handlers.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use http::{StatusCode, header};

use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::intake::enter;
use crate::{chat, context, embeddings, openapi, ranking, search, status};

pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat::complete))
        .route("/v1/rerank", post(ranking::rerank))
        .route("/v2/rerank", post(ranking::rerank))
        .route("/v1/rerank/batch", post(ranking::rerank_batch))
        .route("/v1/search", post(search::search))
        .route("/v1/context", post(context::context))
        .route("/v1/embeddings", post(embeddings::embed))
        .route("/v1/models", get(status::models))
        .route("/healthz", get(status::healthz))
        .route("/readyz", get(status::readyz))
        .route("/metrics", get(status::metrics))
        .route("/openapi.json", get(openapi))
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&gateway), enter))
        .with_state(gateway)
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], openapi::DOCUMENT.as_str()).into_response()
}

async fn nothing() -> Response {
    Problem::not_found("unknown_path", "there is no such path: GET /openapi.json lists the paths")
        .into_response()
}

async fn wrong_method() -> Response {
    let problem = Problem::not_found(
        "wrong_method",
        "this path does not take this method: GET /openapi.json lists the methods",
    );
    Problem { status: StatusCode::METHOD_NOT_ALLOWED, ..problem }.into_response()
}
