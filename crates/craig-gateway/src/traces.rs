//! Spans for OpenTelemetry, with the [attributes](crate::attributes) of its conventions, sent as OTLP over HTTP in JSON. The
//! gateway and the MCP server share them.
//!
//! Spans hold routes, tools, the configured names of providers and models, statuses and counts. Unlike events of logs they
//! would take any text: a new attribute must hold no code or key, and a query only if a setting allows that. They are sent in
//! batches from a task of their own; those that a collector does not accept in time are dropped.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use crate::attributes::{
    ERROR_TYPE, GEN_AI_DATA_SOURCE_ID, GEN_AI_OPERATION_NAME, HTTP_REQUEST_METHOD, HTTP_ROUTE, SERVICE_NAME,
    SERVICE_VERSION,
};
use crate::budget::Budget;
use crate::client::Client;
use crate::keys::random_hex;
use crate::target::Target;

/// Spans that wait to be sent; more are dropped.
const MAX_WAITING: usize = 4_096;

/// Most spans of one message, how long they are collected, and how long sending may take.
const MAX_BATCH: usize = 512;
const COLLECTED_FOR: Duration = Duration::from_secs(1);
pub(crate) const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest answer of a collector.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// The gateway's name at a collector.
pub(crate) const SERVICE: &str = "craig-gateway";

/// The conventions' name of a search.
const RETRIEVAL: &str = "retrieval";

/// Methods that are called by their names.
const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS, Method::PATCH];

/// The kind of a span, as OTLP numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// A part of the work.
    Internal = 1,
    /// A request that is answered.
    Server = 2,
    /// A request that is sent.
    Client = 3,
}

/// A part of a request that took time.
#[derive(Clone, Debug)]
pub struct Span {
    name: String,
    kind: SpanKind,
    trace: Trace,
    parent: Option<String>,
    started: SystemTime,
    duration: Duration,
    attributes: Vec<Value>,
    is_error: bool,
}

/// The trace that a request belongs to, and its own span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    trace_id: String,
    /// The span of the caller, if any.
    parent_id: Option<String>,
    /// The span of the request.
    span_id: String,
}

impl Trace {
    /// Continues the caller's trace (`traceparent`), or begins a new one.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        Self::from_traceparent(headers.get("traceparent").and_then(|value| value.to_str().ok()))
    }

    /// Continues the trace of a `traceparent` of the W3C, or begins a new one.
    pub fn from_traceparent(given: Option<&str>) -> Self {
        let (trace_id, parent_id) = match given.and_then(parsed) {
            Some((trace_id, parent_id)) => (trace_id, Some(parent_id)),
            None => (new_id::<16>(), None),
        };
        Self { trace_id, parent_id, span_id: new_id::<8>() }
    }

    /// The span of the request itself, named as OpenTelemetry's conventions for HTTP have it.
    pub(crate) fn request(&self, method: &Method, route: &str, started: Instant) -> Span {
        let method = method_name(method);
        self.whole(format!("{method} {route}"), started)
            .text(HTTP_REQUEST_METHOD, method)
            .text(HTTP_ROUTE, route)
    }

    /// The span of a request that was answered just now.
    pub fn whole(&self, name: String, started: Instant) -> Span {
        let mut span = Span::new(name, SpanKind::Server, self.clone(), started, started.elapsed());
        span.parent.clone_from(&self.parent_id);
        span
    }

    /// The span of a search in a project; `None` if it failed, since the name may then be any text of the client.
    pub fn retrieval(&self, project: Option<&str>, started: Instant, duration: Duration) -> Span {
        let name = project.map_or_else(|| RETRIEVAL.to_owned(), |project| format!("{RETRIEVAL} {project}"));
        let span =
            self.part(name, SpanKind::Client, started, duration).text(GEN_AI_OPERATION_NAME, RETRIEVAL);
        match project {
            Some(project) => span.text(GEN_AI_DATA_SOURCE_ID, project),
            None => span,
        }
    }

    /// The span of a part of it.
    pub fn part(
        &self,
        name: impl Into<String>,
        kind: SpanKind,
        started: Instant,
        duration: Duration,
    ) -> Span {
        let own = Self { span_id: new_id::<8>(), ..self.clone() };
        let mut span = Span::new(name.into(), kind, own, started, duration);
        span.parent = Some(self.span_id.clone());
        span
    }
}

impl Span {
    fn new(name: String, kind: SpanKind, trace: Trace, started: Instant, duration: Duration) -> Self {
        let started = SystemTime::now() - started.elapsed();
        Self { name, kind, trace, parent: None, started, duration, attributes: Vec::new(), is_error: false }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.attributes.push(json!({ "key": key, "value": { "stringValue": value } }));
        self
    }

    /// Adds a number; OTLP writes whole numbers as texts.
    #[must_use]
    pub(crate) fn whole(mut self, key: &str, value: u64) -> Self {
        self.attributes.push(json!({ "key": key, "value": { "intValue": value.to_string() } }));
        self
    }

    /// Marks it as failed.
    #[must_use]
    pub fn failed(mut self, class: &str) -> Self {
        self.is_error = true;
        self.text(ERROR_TYPE, class)
    }

    fn json(&self) -> Value {
        let nanoseconds =
            |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
        json!({
            "traceId": self.trace.trace_id,
            "spanId": self.trace.span_id,
            "parentSpanId": self.parent.as_deref().unwrap_or_default(),
            "name": self.name,
            "kind": self.kind as u8,
            "startTimeUnixNano": nanoseconds(self.started),
            "endTimeUnixNano": nanoseconds(self.started + self.duration),
            "attributes": self.attributes,
            "status": { "code": if self.is_error { 2 } else { 0 } },
        })
    }
}

/// Sends spans to a collector, if one is configured.
#[derive(Clone, Debug)]
pub struct Tracer(Option<Sender<Message>>);

#[derive(Debug)]
enum Message {
    Span(Span),
    /// Send everything before, then confirm it.
    Flush(oneshot::Sender<()>),
}

impl Tracer {
    /// One that sends nothing.
    pub fn off() -> Self {
        Self(None)
    }

    /// Sends the spans of `service` to the collector at `url`, an address without `/v1/traces`, on the runtime of the caller.
    /// Fails if `url` is no address, or the system's certificates cannot be read.
    pub fn connect(url: &str, service: &'static str) -> Result<Self, String> {
        let budget = Budget::own(MAX_ANSWER_BYTES).map_err(|error| error.to_string())?;
        let client = Client::new(budget).map_err(|error| error.to_string())?;
        Ok(Self::new(client, otlp_target(url, "traces")?, service))
    }

    /// Sends spans to `target` until the last clone is dropped.
    pub(crate) fn new(client: Client, target: Target, service: &'static str) -> Self {
        let (sender, receiver) = channel(MAX_WAITING);
        tokio::spawn(send_all(receiver, client, target, service));
        Self(Some(sender))
    }

    /// Whether spans are sent.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Sends a span with the next batch.
    pub fn send(&self, span: Span) {
        if let Some(sender) = &self.0 {
            // A collector that is too slow costs spans, not requests.
            let _ = sender.try_send(Message::Span(span));
        }
    }

    /// Waits until all spans so far are sent, up to the timeout of sending.
    pub async fn flush(&self) {
        let Some(sender) = &self.0 else { return };
        let (done, sent) = oneshot::channel();
        if sender.try_send(Message::Flush(done)).is_ok() {
            // A collector that does not answer must not delay the end of the gateway.
            let _ = tokio::time::timeout(SEND_TIMEOUT, sent).await;
        }
    }
}

/// The address for a kind of messages at the collector at `url`.
pub(crate) fn otlp_target(url: &str, signal: &str) -> Result<Target, String> {
    Target::open(&format!("{}/v1/{signal}", url.trim_end_matches('/')))
}

async fn send_all(mut messages: Receiver<Message>, client: Client, target: Target, service: &'static str) {
    while let Some(first) = messages.recv().await {
        let (spans, waiting) = collected(first, &mut messages).await;
        if !spans.is_empty() {
            let message = Bytes::from(message(&spans, service).to_string());
            // A failure to send traces could only be traced.
            let _ = client.post_whole(&target, message, SEND_TIMEOUT, MAX_ANSWER_BYTES).await;
        }
        if let Some(done) = waiting {
            let _ = done.send(());
        }
    }
}

/// The spans of [`COLLECTED_FOR`], or until a flush.
async fn collected(
    first: Message,
    messages: &mut Receiver<Message>,
) -> (Vec<Span>, Option<oneshot::Sender<()>>) {
    let deadline = tokio::time::Instant::now() + COLLECTED_FOR;
    let (mut spans, mut next) = (Vec::new(), Some(first));
    while let Some(message) = next {
        match message {
            Message::Span(span) => spans.push(span),
            Message::Flush(done) => return (spans, Some(done)),
        }
        if spans.len() == MAX_BATCH {
            break;
        }
        next = tokio::time::timeout_at(deadline, messages.recv()).await.ok().flatten();
    }
    (spans, None)
}

/// The name of a method. One that a client made up would be its text.
pub(crate) fn method_name(method: &Method) -> &str {
    if METHODS.contains(method) { method.as_str() } else { "_OTHER" }
}

/// Who sends spans and metrics.
pub(crate) fn resource(service: &str) -> Value {
    let attribute = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let attributes =
        [attribute(SERVICE_NAME, service), attribute(SERVICE_VERSION, env!("CARGO_PKG_VERSION"))];
    json!({ "attributes": attributes })
}

fn message(spans: &[Span], service: &str) -> Value {
    let spans: Vec<Value> = spans.iter().map(Span::json).collect();
    json!({ "resourceSpans": [{
        "resource": resource(service),
        "scopeSpans": [{ "scope": { "name": service }, "spans": spans }],
    }] })
}

/// Trace and parent of a `traceparent` of the W3C: `00-TRACE-PARENT-FLAGS`.
fn parsed(value: &str) -> Option<(String, String)> {
    let mut parts = value.trim().split('-');
    let (version, trace, parent) = (parts.next()?, parts.next()?, parts.next()?);
    let is_id = |id: &str, length: usize| {
        id.len() == length
            && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && id.bytes().any(|b| b != b'0')
    };
    let is_valid = version.len() == 2 && version != "ff" && is_id(trace, 32) && is_id(parent, 16);
    is_valid.then(|| (trace.to_owned(), parent.to_owned()))
}

/// A random id of `N` bytes; zeros if the system gives no random numbers.
fn new_id<const N: usize>() -> String {
    random_hex::<N>().unwrap_or_else(|| "00".repeat(N))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_trace_goes_on() {
        let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        assert_eq!(parsed(&format!("00-{trace}-{parent}-01")), Some((trace.to_owned(), parent.to_owned())));
        for bad in [
            "",
            "00-x-y-01",
            &format!("ff-{trace}-{parent}-01"),
            &format!("00-{}-{parent}-01", "0".repeat(32)),
        ] {
            assert_eq!(parsed(bad), None, "{bad}");
        }
    }
}
