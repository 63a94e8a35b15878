//! Health checks and metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::failure::json_response;
use crate::gateway::Gateway;

/// State of this process, in a word or a few.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Status<'a> {
    status: &'a str,
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
