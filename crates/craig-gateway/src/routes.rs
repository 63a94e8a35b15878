//! Which path is answered by what.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use http::{StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::embeddings::ANY_MODEL;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::enter;
use crate::{chat, context, embeddings, openapi, ranking, search};

/// Every path, as metrics and logs name them.
pub(crate) const ROUTES: [&str; 12] = [
    "/v1/chat/completions",
    "/v1/rerank",
    "/v2/rerank",
    "/v1/rerank/batch",
    "/v1/search",
    "/v1/context",
    "/v1/embeddings",
    "/v1/models",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
];

/// The models that a client may name.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ModelList<'a> {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    data: Vec<Model<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Model<'a> {
    id: &'a str,
    #[schemars(extend("const" = "model"))]
    object: &'static str,
    /// Always 0.
    created: u64,
    /// Provider that serves the model.
    owned_by: &'a str,
}

/// State of this process, in a word or a few.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Status<'a> {
    status: &'a str,
}

pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat::complete))
        .route("/v1/rerank", post(ranking::rerank))
        .route("/v2/rerank", post(ranking::rerank))
        .route("/v1/rerank/batch", post(ranking::rerank_batch))
        .route("/v1/search", post(search::search))
        .route("/v1/context", post(context::context))
        .route("/v1/embeddings", post(embeddings::embed))
        .route("/v1/models", get(models))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(openapi))
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&gateway), enter))
        .with_state(gateway)
}

/// Models that the configuration names, and what embeds. A provider may serve more under names of its own.
async fn models(State(gateway): State<Arc<Gateway>>) -> Response {
    let named = gateway.providers.iter().flat_map(|provider| {
        let owner = provider.upstream.name.as_str();
        provider.upstream.listed().map(move |model| (model, owner))
    });
    let distinct: BTreeSet<(&str, &str)> = named.chain([(ANY_MODEL, "craig")]).collect();
    let model = |(id, owned_by)| Model { id, object: "model", created: 0, owned_by };
    let data = distinct.into_iter().map(model).collect();
    json_response(StatusCode::OK, &ModelList { object: "list", data })
}

/// The process lives.
async fn healthz() -> Response {
    json_response(StatusCode::OK, &Status { status: "ok" })
}

/// This process can serve: it is not stopping, and knows whom to let in. What providers do is no reason to take it out of
/// service, since another gateway would reach them no better.
async fn readyz(State(gateway): State<Arc<Gateway>>) -> Response {
    let (status, word) = match (gateway.is_stopping(), gateway.gate.is_closed()) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        (false, true) => (StatusCode::SERVICE_UNAVAILABLE, "the key file cannot be read"),
        (false, false) => (StatusCode::OK, "ready"),
    };
    json_response(status, &Status { status: word })
}

async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response {
    for (provider, model, standing) in gateway.standings() {
        gateway.metrics.breaker_state.with_label_values(&[provider, model]).set(standing as i64);
    }
    let n_tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    gateway.metrics.runtime_tasks.set(i64::try_from(n_tasks).unwrap_or(i64::MAX));
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], gateway.metrics.page()).into_response()
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], openapi::DOCUMENT.as_str()).into_response()
}

async fn nothing() -> Response {
    Problem::not_found("unknown_path", "there is nothing here: GET /openapi.json lists the paths")
        .into_response()
}

async fn wrong_method() -> Response {
    let problem = Problem::not_found(
        "wrong_method",
        "this path does not take this method: GET /openapi.json lists the methods",
    );
    Problem { status: StatusCode::METHOD_NOT_ALLOWED, ..problem }.into_response()
}
