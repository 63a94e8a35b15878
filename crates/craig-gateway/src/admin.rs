//! The operator's status page, at an address and with a token of its own.
//!
//! The page itself has no data. Its script asks for them with the token, and draws them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::middleware::from_fn;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use craig_engine::BreakerState;
use http::{HeaderMap, StatusCode};
use jiff::{Span, Timestamp};
use serde::Serialize;
use subtle::ConstantTimeEq as _;

use crate::caller::bearer;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::history::{Sample, Totals};
use crate::providers::Provider;
use crate::static_files::{guarded, html, script, style};
use crate::usage::Sums;

const PAGE: &str = include_str!("admin/page.html");
const SCRIPT: &str = include_str!("admin/status.js");
const STYLE: &str = include_str!("admin/status.css");

/// Days of usage that are shown.
const DAYS: i64 = 30;

/// Everything that the page shows.
#[derive(Serialize)]
struct Shown<'a> {
    version: &'static str,
    now: i64,
    open_requests: i64,
    open_connections: i64,
    is_stopping: bool,
    /// Whether the key file can be read.
    are_keys_readable: bool,
    providers: Vec<ProviderShown<'a>>,
    breakers: Vec<BreakerShown>,
    samples: Vec<Sample>,
    usage: Vec<UsageShown>,
    monthly_budget_usd: Option<f64>,
}

#[derive(Serialize)]
struct ProviderShown<'a> {
    name: &'a str,
    protocols: Vec<&'static str>,
    models: Vec<&'a str>,
    weight: Option<f64>,
    /// Failed calls since the start.
    errors: u64,
}

#[derive(Serialize)]
struct BreakerShown {
    provider: String,
    model: String,
    state: &'static str,
}

/// What a key has used of a model on a day.
#[derive(Serialize)]
struct UsageShown {
    day: String,
    key: String,
    model: String,
    #[serde(flatten)]
    sums: Sums,
}

pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/", get(|| async { html(PAGE) }))
        .route("/status.js", get(|| async { script(SCRIPT) }))
        .route("/status.css", get(|| async { style(STYLE) }))
        .route("/status.json", get(status))
        .fallback(|| async { Problem::not_found("unknown_path", "the status page is at /").into_response() })
        .layer(from_fn(guarded))
        .with_state(gateway)
}

async fn status(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> Result<Response, Problem> {
    let token = gateway.config.admin.as_ref().map(|admin| admin.token.expose().as_bytes());
    let given = bearer(&headers).unwrap_or_default().as_bytes();
    if !token.is_some_and(|token| bool::from(token.ct_eq(given))) {
        return Err(Problem::wrong_token());
    }
    // Usage is read from its file.
    let shown = move || json_response(StatusCode::OK, &gateway.shown());
    tokio::task::spawn_blocking(shown).await.map_err(|_| Problem::internal())
}

impl Gateway {
    fn shown(&self) -> Shown<'_> {
        let totals = self.metrics.totals();
        let breakers = self.breaker_states().into_iter();
        Shown {
            version: env!("CARGO_PKG_VERSION"),
            now: totals.at,
            open_requests: self.metrics.open_requests.get(),
            open_connections: self.metrics.open_connections.get(),
            is_stopping: self.is_stopping(),
            are_keys_readable: !self.gate.is_closed(),
            providers: self.providers.list().iter().map(|one| provider_shown(one, &totals)).collect(),
            breakers: breakers
                .map(|(provider, model, state)| BreakerShown { provider, model, state: state_name(state) })
                .collect(),
            samples: self.history.samples(&totals),
            usage: self.usage_shown(),
            monthly_budget_usd: self.config.monthly_budget_usd,
        }
    }

    /// Usage of the last days by day, key and model.
    fn usage_shown(&self) -> Vec<UsageShown> {
        let since = Timestamp::now().saturating_sub(Span::new().hours(24 * (DAYS - 1)));
        let since = since.map_or_else(|_| String::new(), |time| time.strftime("%Y-%m-%d").to_string());
        let names = self.gate.key_names();
        let mut rows: BTreeMap<(String, String, String), Sums> = BTreeMap::new();
        for (usage, sums) in self.usage.since(&since) {
            let key = names.get(&usage.key).cloned().unwrap_or(usage.key);
            *rows.entry((usage.day, key, usage.model)).or_default() += sums;
        }
        rows.into_iter().map(|((day, key, model), sums)| UsageShown { day, key, model, sums }).collect()
    }
}

fn provider_shown<'p>(provider: &'p Provider, totals: &Totals) -> ProviderShown<'p> {
    let upstream = &provider.upstream;
    ProviderShown {
        name: &upstream.name,
        protocols: upstream.protocols.iter().map(|protocol| protocol.name()).collect(),
        models: upstream.listed().collect(),
        weight: upstream.weight,
        errors: totals.errors.get(&upstream.name).copied().unwrap_or_default(),
    }
}

fn state_name(state: BreakerState) -> &'static str {
    match state {
        BreakerState::Closed => "closed",
        BreakerState::HalfOpen => "half open",
        BreakerState::Open => "open",
    }
}
