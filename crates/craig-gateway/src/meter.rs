//! Metrics for OpenTelemetry, by its conventions for generative models and for HTTP servers, sent as OTLP over HTTP in JSON.
//!
//! Like the metrics for Prometheus they hold configured names and fixed words only. They are kept as histograms of the same
//! library, in a registry of their own: counts since the start, which a collector adds up.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::Method;
use prometheus::proto::{Metric, MetricFamily};
use prometheus::{HistogramOpts, HistogramVec, Registry};
use serde_json::{Value, json};

use crate::attributes::{
    ERROR_TYPE, GEN_AI_OPERATION_NAME, GEN_AI_PROVIDER_NAME, GEN_AI_REQUEST_MODEL, GEN_AI_TOKEN_TYPE,
    HTTP_REQUEST_METHOD, HTTP_RESPONSE_STATUS_CODE, HTTP_ROUTE,
};
use crate::client::Client;
use crate::protocol::Usage;
use crate::target::Target;
use crate::traces::{SEND_TIMEOUT, SERVICE, method_name, resource};

/// The bounds that the conventions advise: seconds of a model's answer, tokens, seconds of a request.
const OPERATION_SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
const REQUEST_SECONDS: &[f64] =
    &[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// A histogram of the conventions. The library's names have no dots.
struct Convention {
    name: &'static str,
    unit: &'static str,
    bounds: &'static [f64],
    attributes: &'static [&'static str],
}

static OPERATION: Convention = Convention {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    bounds: OPERATION_SECONDS,
    attributes: &[GEN_AI_OPERATION_NAME, GEN_AI_PROVIDER_NAME, GEN_AI_REQUEST_MODEL, ERROR_TYPE],
};

static TOKEN_USAGE: Convention = Convention {
    name: "gen_ai.client.token.usage",
    unit: "{token}",
    bounds: TOKENS,
    attributes: &[GEN_AI_OPERATION_NAME, GEN_AI_PROVIDER_NAME, GEN_AI_REQUEST_MODEL, GEN_AI_TOKEN_TYPE],
};

static REQUEST: Convention = Convention {
    name: "http.server.request.duration",
    unit: "s",
    bounds: REQUEST_SECONDS,
    attributes: &[HTTP_REQUEST_METHOD, HTTP_ROUTE, HTTP_RESPONSE_STATUS_CODE],
};

/// Counts for a collector, if one is configured.
pub(crate) struct Meter(Option<Instruments>);

struct Instruments {
    registry: Registry,
    operation: HistogramVec,
    token_usage: HistogramVec,
    request: HistogramVec,
    client: Client,
    target: Target,
    since: SystemTime,
}

/// The operation, the provider and the model of an answer.
pub(crate) type Answering<'a> = [&'a str; 3];

impl Meter {
    pub(crate) fn off() -> Self {
        Self(None)
    }

    /// Counts for the collector at `target`.
    pub(crate) fn new(client: Client, target: Target) -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let histogram = |convention: &Convention| {
            let options = HistogramOpts::new(plain(convention.name), convention.name);
            let labels: Vec<String> = convention.attributes.iter().map(|name| plain(name)).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let made = HistogramVec::new(options.buckets(convention.bounds.to_vec()), &labels)?;
            registry.register(Box::new(made.clone()))?;
            Ok::<_, prometheus::Error>(made)
        };
        Ok(Self(Some(Instruments {
            operation: histogram(&OPERATION)?,
            token_usage: histogram(&TOKEN_USAGE)?,
            request: histogram(&REQUEST)?,
            registry,
            client,
            target,
            since: SystemTime::now(),
        })))
    }

    /// Counts a request that was answered with `status`.
    pub(crate) fn request(&self, method: &Method, route: &str, status: &str, time: Duration) {
        if let Some(instruments) = &self.0 {
            let labels = [method_name(method), route, status];
            instruments.request.with_label_values(&labels).observe(time.as_secs_f64());
        }
    }

    /// Counts a model's answer, and why it failed if it did.
    pub(crate) fn answer(
        &self,
        names: Answering<'_>,
        time: Duration,
        failure: Option<&str>,
        usage: Option<Usage>,
    ) {
        let Some(instruments) = &self.0 else { return };
        let [operation, provider, model] = names;
        let labels = [operation, provider, model, failure.unwrap_or_default()];
        instruments.operation.with_label_values(&labels).observe(time.as_secs_f64());
        let Some(usage) = usage else { return };
        for (kind, tokens) in [("input", usage.input_tokens), ("output", usage.output_tokens)] {
            let labels = [operation, provider, model, kind];
            instruments.token_usage.with_label_values(&labels).observe(tokens as f64);
        }
    }

    /// Sends everything that was counted since the start.
    pub(crate) async fn send(&self) {
        let Some(Instruments { registry, client, target, since, .. }) = &self.0 else { return };
        let metrics: Vec<Value> =
            registry.gather().iter().filter_map(|family| metric(family, *since)).collect();
        let message = json!({ "resourceMetrics": [{
            "resource": resource(SERVICE),
            "scopeMetrics": [{ "scope": { "name": SERVICE }, "metrics": metrics }],
        }] });
        // A failure to send metrics could only be counted.
        let _ = client.post_whole(target, Bytes::from(message.to_string()), SEND_TIMEOUT, 64 << 10).await;
    }
}

/// A name as the library allows it.
fn plain(name: &str) -> String {
    name.replace('.', "_")
}

/// A family of histograms in OTLP.
fn metric(family: &MetricFamily, since: SystemTime) -> Option<Value> {
    let convention =
        [&OPERATION, &TOKEN_USAGE, &REQUEST].into_iter().find(|known| known.name == family.help())?;
    let points: Vec<Value> =
        family.get_metric().iter().map(|metric| point(convention, metric, since)).collect();
    Some(json!({
        "name": convention.name,
        "unit": convention.unit,
        // Cumulative.
        "histogram": { "aggregationTemporality": 2, "dataPoints": points },
    }))
}

/// OTLP writes whole numbers of 64 bits as texts, and has counts of each bucket.
fn point(convention: &Convention, metric: &Metric, since: SystemTime) -> Value {
    let nanoseconds =
        |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
    let histogram = metric.get_histogram();
    let upper = histogram.get_bucket().iter().map(|bucket| bucket.cumulative_count());
    let mut before = 0;
    let counts = upper.chain([histogram.get_sample_count()]).map(|cumulative| {
        let own = cumulative.saturating_sub(before);
        before = cumulative;
        own.to_string()
    });
    let counts: Vec<String> = counts.collect();
    let labels = metric.get_label().iter().filter(|label| !label.value().is_empty());
    let attributes = labels.filter_map(|label| {
        let name = convention.attributes.iter().find(|name| plain(name) == label.name())?;
        let value = match label.value().parse::<u16>() {
            Ok(status) if *name == HTTP_RESPONSE_STATUS_CODE => json!({ "intValue": status.to_string() }),
            _ => json!({ "stringValue": label.value() }),
        };
        Some(json!({ "key": name, "value": value }))
    });
    json!({
        "attributes": attributes.collect::<Vec<_>>(),
        "startTimeUnixNano": nanoseconds(since),
        "timeUnixNano": nanoseconds(SystemTime::now()),
        "count": histogram.get_sample_count().to_string(),
        "sum": histogram.get_sample_sum(),
        "bucketCounts": counts,
        "explicitBounds": convention.bounds,
    })
}
