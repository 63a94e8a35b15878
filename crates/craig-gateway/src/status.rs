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

/// Whether this process can serve. The state of providers does not matter, since another gateway would reach them no better.
pub(crate) async fn readyz(State(gateway): State<Arc<Gateway>>) -> Response {
    let obstacle = gateway.obstacle().await;
    let status = obstacle.map_or(StatusCode::OK, |_| StatusCode::SERVICE_UNAVAILABLE);
    json_response(status, &Status { status: obstacle.unwrap_or("ready") })
}

impl Gateway {
    /// Why this process cannot serve. A gateway without a team needs no database: conversations go on without context.
    async fn obstacle(&self) -> Option<&'static str> {
        if self.is_stopping() {
            return Some("stopping");
        }
        if self.gate.is_closed() {
            return Some("the key file cannot be read");
        }
        let is_open = self.config.team.is_none() || self.has_database().await;
        (!is_open).then_some("the database cannot be opened")
    }
}

pub(crate) async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response {
    gateway.update_gauges();
    let n_tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    gateway.metrics.runtime_tasks.set(i64::try_from(n_tasks).unwrap_or(i64::MAX));
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], gateway.metrics.page()).into_response()
}
