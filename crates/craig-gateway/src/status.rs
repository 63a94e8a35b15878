//! `GET /v1/models`, health checks and metrics.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::embeddings::ANY_MODEL;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;

/// The models that a client may name, with the fields that OpenAI's clients read and those that Anthropic's do.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ModelList<'a> {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    data: Vec<Model<'a>>,
    /// Always false: the list is whole.
    has_more: bool,
    first_id: Option<&'a str>,
    last_id: Option<&'a str>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct Model<'a> {
    id: &'a str,
    #[schemars(extend("const" = "model"))]
    object: &'static str,
    /// Always 0.
    created: u64,
    /// Preferred provider of the model.
    owned_by: &'a str,
    #[schemars(extend("const" = "model"))]
    r#type: &'static str,
    display_name: &'a str,
    /// Always the beginning of 1970.
    created_at: &'static str,
}

/// State of this process, in a word or a few.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Status<'a> {
    status: &'a str,
}

/// Models that the configuration names, and the embedder. A provider may serve more.
pub(crate) async fn models(State(gateway): State<Arc<Gateway>>) -> Response {
    let data: Vec<Model<'_>> = listed(&gateway).collect();
    let (first_id, last_id) = (data.first().map(|model| model.id), data.last().map(|model| model.id));
    json_response(StatusCode::OK, &ModelList { object: "list", data, has_more: false, first_id, last_id })
}

/// One of them.
pub(crate) async fn model(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let unknown = || {
        Problem::not_found("model_not_found", "no such model in the configuration: GET /v1/models lists them")
    };
    let model = listed(&gateway).find(|model| model.id == id).ok_or_else(unknown)?;
    Ok(json_response(StatusCode::OK, &model))
}

fn listed(gateway: &Gateway) -> impl Iterator<Item = Model<'_>> {
    let named = gateway.providers.list().iter().flat_map(|provider| {
        let owner = provider.upstream.name.as_str();
        provider.upstream.listed().map(move |model| (model, owner))
    });
    // Of several providers of a model, the preferred one is its owner.
    let mut distinct = BTreeMap::new();
    named.chain([(ANY_MODEL, "craig")]).for_each(|(model, owner)| {
        distinct.entry(model).or_insert(owner);
    });
    distinct.into_iter().map(|(id, owned_by)| Model {
        id,
        object: "model",
        created: 0,
        owned_by,
        r#type: "model",
        display_name: id,
        created_at: "1970-01-01T00:00:00Z",
    })
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
