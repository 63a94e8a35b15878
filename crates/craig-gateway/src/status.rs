//! `GET /v1/models`, health checks and metrics.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::embeddings::ANY_MODEL;
use crate::failure::json_response;
use crate::gateway::Gateway;

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
    /// Preferred provider of the model.
    owned_by: &'a str,
}

/// State of this process, in a word or a few.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Status<'a> {
    status: &'a str,
}

/// Models that the configuration names, and the embedder. A provider may serve more.
pub(crate) async fn models(State(gateway): State<Arc<Gateway>>) -> Response {
    let named = gateway.providers.iter().flat_map(|provider| {
        let owner = provider.upstream.name.as_str();
        provider.upstream.listed().map(move |model| (model, owner))
    });
    // Of several providers of a model, the preferred one is its owner.
    let mut distinct = BTreeMap::new();
    named.chain([(ANY_MODEL, "craig")]).for_each(|(model, owner)| {
        distinct.entry(model).or_insert(owner);
    });
    let model = |(id, owned_by)| Model { id, object: "model", created: 0, owned_by };
    let data = distinct.into_iter().map(model).collect();
    json_response(StatusCode::OK, &ModelList { object: "list", data })
}

/// The process runs.
pub(crate) async fn healthz() -> Response {
    json_response(StatusCode::OK, &Status { status: "ok" })
}

/// Whether this process can serve: it is not stopping, and can read its keys. The state of providers does not matter, since
/// another gateway would reach them no better.
pub(crate) async fn readyz(State(gateway): State<Arc<Gateway>>) -> Response {
    let (status, word) = match (gateway.is_stopping(), gateway.gate.is_closed()) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        (false, true) => (StatusCode::SERVICE_UNAVAILABLE, "the key file cannot be read"),
        (false, false) => (StatusCode::OK, "ready"),
    };
    json_response(status, &Status { status: word })
}

pub(crate) async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response {
    gateway.update_gauges();
    let n_tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    gateway.metrics.runtime_tasks.set(i64::try_from(n_tasks).unwrap_or(i64::MAX));
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], gateway.metrics.page()).into_response()
}
