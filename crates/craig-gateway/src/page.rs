//! The page of a server for teams: search, files with their symbols, and the state of ingestion.

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;

use crate::static_files::{guarded, html, script, style};

/// Its files, which need no key.
pub(crate) fn router() -> Router {
    Router::new()
        .route("/", get(|| async { html(include_str!("page/page.html")) }))
        .route("/page.js", get(|| async { script(include_str!("page/page.js")) }))
        .route("/page.css", get(|| async { style(include_str!("page/page.css")) }))
        .layer(from_fn(guarded))
}
