//! Middleware of all requests: authentication, bounds of size and time, counting and logging.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use http_body_util::BodyExt as _;

use crate::allowance::Resource;
use crate::attributes::HTTP_RESPONSE_STATUS_CODE;
use crate::budget::Reservation;
use crate::caller::{Caller, Guest};
use crate::client::is_plain;
use crate::failure::{BAD_TOKEN, Problem, write_error};
use crate::gateway::Gateway;
use crate::journal::{Event, RequestCompleted};
use crate::metrics::{Counted, ms};
use crate::protocol::ProtocolName;
use crate::raw::RawObject;
use crate::routes::{Access, Route};
use crate::sse::without_bom;
use crate::traces::Trace;

/// A request that is too large is read up to this many times the limit before it is refused, so that a sender that writes
/// first and reads afterwards sees the error.
const DRAINED_TIMES: usize = 4;

/// Memory is reserved for this many copies of a body while it is read: its buffer grows by doubling.
const COPIES: usize = 3;

/// Memory is reserved for this many copies once a body is parsed: its texts are counted, ranked and masked.
pub(crate) const WORK_COPIES: usize = 6;

/// Maximum number of bytes of headers. Hyper bounds its buffer by the same number, but checks only while a head is
/// incomplete: one that arrives in a few large pieces may be longer.
pub(crate) const MAX_HEADER_BYTES: usize = 64 << 10;

/// Most headers of a request.
pub(crate) const MAX_HEADERS: usize = 100;

/// Where services for a team serve the Model Context Protocol.
pub const MCP_PATH: &str = "/mcp";

/// The header with the id of a request.
const REQUEST_ID: &str = "x-request-id";

/// Admits a request, passes it on, counts and logs its outcome.
pub(crate) async fn enter(State(gateway): State<Arc<Gateway>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let _open = Counted::new(&gateway.metrics.open_requests);
    name_host(&mut request);
    let origin = gateway.gate.admitted_origin(request.headers());
    if request.method() == Method::OPTIONS
        && let Some(origin) = origin
    {
        return preflight(origin);
    }
    let entry = Entry::new(&gateway, &request, started);
    let caller = entry.admit(&gateway, request.headers()).await;
    let mut response = match caller.clone() {
        Some(Err(problem)) => problem.into_response(),
        Some(Ok(caller)) => {
            if entry.matched.is_none() {
                let guest = Guest::new(&caller, &gateway, request.headers());
                request.extensions_mut().insert(guest);
            }
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        None => next.run(request).await,
    };
    entry.complete(&gateway, origin, &mut response);
    entry.record(&gateway, caller.and_then(Result::ok), response.status());
    response
}

/// A request that has just arrived.
struct Entry {
    started: Instant,
    matched: Option<&'static Route>,
    /// The path in metrics, which is never the text of a client.
    route: &'static str,
    method: Method,
    is_http1: bool,
    request_id: Arc<str>,
    trace: Option<Trace>,
}

impl Entry {
    fn new(gateway: &Gateway, request: &Request, started: Instant) -> Self {
        let matched = request.extensions().get::<MatchedPath>().and_then(|path| Route::at(path.as_str()));
        Self {
            started,
            matched,
            route: match matched {
                Some(route) => route.path,
                None if request.uri().path() == MCP_PATH => MCP_PATH,
                None => "other",
            },
            method: request.method().clone(),
            is_http1: request.version() < Version::HTTP_2,
            request_id: request_id(request.headers()),
            trace: gateway.tracer.is_on().then(|| Trace::from_headers(request.headers())),
        }
    }

    /// The caller, or why the request is refused; `None` if its route is open to everybody.
    async fn admit(&self, gateway: &Gateway, headers: &HeaderMap) -> Option<Result<Caller, Problem>> {
        if has_large_head(headers) {
            return Some(Err(Problem::headers_too_large()));
        }
        if is_open(gateway, self.matched) {
            return None;
        }
        let mut caller = match gateway.gate.admit(headers).await {
            Ok(caller) => caller,
            Err(problem) => return Some(Err(problem)),
        };
        caller.trace.clone_from(&self.trace);
        caller.request_id = Arc::clone(&self.request_id);
        // Each request to the MCP server counts as a search.
        if self.route == MCP_PATH
            && let Err(problem) = gateway.charge(Resource::Search, &caller).await
        {
            return Some(Err(problem));
        }
        Some(Ok(caller))
    }

    /// Writes the body of an error, and the headers that all responses have.
    fn complete(&self, gateway: &Gateway, origin: Option<HeaderValue>, response: &mut Response) {
        challenge(gateway, response);
        let protocol = self.matched.map_or(ProtocolName::Chat, |route| route.protocol);
        write_error(response, protocol.protocol());
        let headers = response.headers_mut();
        if let Ok(value) = HeaderValue::from_str(&self.request_id) {
            headers.insert(REQUEST_ID, value);
        }
        if let Some(origin) = origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
        }
        if gateway.is_stopping() && self.is_http1 {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }

    /// Traces, counts and logs the outcome.
    fn record(self, gateway: &Gateway, caller: Option<Caller>, status: StatusCode) {
        let Self { route, method, trace, started, .. } = &self;
        if let Some(trace) = trace {
            let span = trace.request(method, route, *started);
            let span = span.whole(HTTP_RESPONSE_STATUS_CODE, status.as_u16().into());
            gateway.tracer.send(if status.is_server_error() { span.failed(status.as_str()) } else { span });
        }
        gateway.metrics.requests.with_label_values(&[route, status.as_str()]).inc();
        gateway.meter.request(method, route, status.as_str(), started.elapsed());
        if gateway.config.logs_requests && *route != "/healthz" {
            gateway.journal.log(Event::RequestCompleted(RequestCompleted {
                request_id: self.request_id.to_string(),
                route,
                status: status.as_u16(),
                latency_ms: ms(started.elapsed()),
                user: caller.map(|caller| caller.user.to_string()),
            }));
        }
    }
}

/// Adds to an unauthorized response where the client can sign in.
fn challenge(gateway: &Gateway, response: &mut Response) {
    let Some(identity) = gateway.gate.identity().filter(|_| response.status() == StatusCode::UNAUTHORIZED)
    else {
        return;
    };
    let is_bad_token =
        response.extensions().get::<Problem>().is_some_and(|problem| problem.code == BAD_TOKEN);
    if let Some(challenge) = identity.challenge(is_bad_token) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
}

/// Answers a browser's preflight for an allowed origin.
fn preflight(origin: HeaderValue) -> Response {
    let allowed = HeaderValue::from_static(
        "authorization, content-type, x-api-key, api-key, anthropic-version, anthropic-beta, openai-beta, \
         x-craig-framing, x-craig-project, x-request-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, \
         last-event-id",
    );
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin),
        (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE")),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, allowed),
        (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("3600")),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// HTTP/2 has the name of the host in the address, HTTP/1 in a header.
fn name_host(request: &mut Request) {
    if request.headers().contains_key(header::HOST) {
        return;
    }
    let authority = request.uri().authority().map(|authority| authority.as_str());
    if let Some(host) = authority.and_then(|host| HeaderValue::from_str(host).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
}

/// Whether there are too many headers, or too many bytes of them as HTTP/1 writes them: `name: value`, and the end of the line.
fn has_large_head(headers: &HeaderMap) -> bool {
    let bytes = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    headers.len() > MAX_HEADERS || bytes.sum::<usize>() > MAX_HEADER_BYTES
}

/// Whether a route needs no key.
fn is_open(gateway: &Gateway, route: Option<&Route>) -> bool {
    match route.map(|route| route.access) {
        Some(Access::Everybody) => true,
        Some(Access::Metrics) => gateway.config.has_open_metrics,
        Some(Access::Key) | None => false,
    }
}

/// The client's own id if it is a plain one, else a new one.
fn request_id(headers: &HeaderMap) -> Arc<str> {
    let is_plain = |id: &&str| {
        (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(is_plain);
    given.map_or_else(|| format!("{:016x}", fastrand::u64(..)).into(), Arc::from)
}

/// The whole body of a request, within the bounds, and the memory that is reserved for it and its copies.
pub(crate) async fn reserved_body(
    request: Request,
    gateway: &Gateway,
) -> Result<(Bytes, Reservation), Problem> {
    let bounds = &gateway.config.bounds;
    let (head, mut body) = request.into_parts();
    let mut reservation = gateway.for_requests.reservation();
    let announced_bytes = announced_bytes(&head.headers);
    let refusal = if !is_plain(&head.headers) {
        Some(Problem::encoded())
    } else if announced_bytes > bounds.max_body_bytes {
        Some(Problem::too_large(bounds.max_body_bytes))
    } else if !reservation.grow_to(gateway.room_for(announced_bytes, COPIES)) {
        Some(Problem::overloaded())
    } else {
        None
    };
    if let Some(problem) = refusal {
        let waits = head.headers.contains_key(header::EXPECT);
        drain(body, if waits { 0 } else { bounds.max_body_bytes * DRAINED_TIMES }, bounds.client_timeout)
            .await;
        return Err(problem);
    }
    let read = collect(&mut body, gateway, &mut reservation);
    match tokio::time::timeout(bounds.client_timeout, read).await {
        Ok(Ok(read)) => Ok((read, reservation)),
        Ok(Err(problem)) => {
            drain(body, bounds.max_body_bytes * DRAINED_TIMES, bounds.client_timeout).await;
            Err(problem)
        }
        Err(_) => Err(Problem::too_slow()),
    }
}

fn announced_bytes(headers: &HeaderMap) -> usize {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    length.unwrap_or_default()
}

async fn collect(
    body: &mut Body,
    gateway: &Gateway,
    reservation: &mut Reservation,
) -> Result<Bytes, Problem> {
    let bounds = &gateway.config.bounds;
    let mut whole = BytesMut::new();
    let mut only = None;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::invalid("the request ended early"))?;
        let Ok(data) = frame.into_data() else { continue };
        let n_bytes = whole.len() + only.as_ref().map_or(0, Bytes::len) + data.len();
        let refusal = if n_bytes > bounds.max_body_bytes {
            Some(Problem::too_large(bounds.max_body_bytes))
        } else {
            (!reservation.grow_to(gateway.room_for(n_bytes, COPIES))).then(Problem::overloaded)
        };
        if let Some(problem) = refusal {
            return Err(problem);
        }
        // Most requests arrive in one piece, which is not copied.
        match (whole.is_empty(), only.take()) {
            (true, None) => only = Some(data),
            (_, first) => {
                whole.extend_from_slice(&first.unwrap_or_default());
                whole.extend_from_slice(&data);
            }
        }
    }
    Ok(without_bom(only.unwrap_or_else(|| whole.freeze())))
}

/// Reads the rest of a body and drops it.
async fn drain(mut body: Body, max_bytes: usize, within: Duration) {
    let read = async {
        let mut left = max_bytes;
        while left > 0 {
            let Some(Ok(frame)) = body.frame().await else { return };
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        }
    };
    // The request is refused whether or not the rest arrives.
    let _ = tokio::time::timeout(within, read).await;
}

/// A request's JSON as `T`, and the memory that is reserved for it; errors do not repeat its content.
pub(crate) async fn json_body<T: serde::de::DeserializeOwned>(
    request: Request,
    gateway: &Gateway,
) -> Result<(T, Reservation), Problem> {
    let (body, mut reservation) = reserved_body(request, gateway).await?;
    if !reservation.grow_to(gateway.room_for(body.len(), WORK_COPIES)) {
        return Err(Problem::overloaded());
    }
    Ok((parsed(&body)?, reservation))
}

/// JSON as `T`; errors do not repeat its content.
pub(crate) fn parsed<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => wrong_shape(body, &error),
        _ => Problem::invalid(format!("the request is not JSON: {}", place_of(&error))),
    })
}

/// The problem of a request that is JSON of another shape: names of known fields are ours, but values and other names would be
/// the client's.
fn wrong_shape(body: &[u8], error: &serde_json::Error) -> Problem {
    let (text, place) = (error.to_string(), place_of(error));
    if let Some(rest) = text.strip_prefix("missing field `") {
        let field = rest.split('`').next().unwrap_or_default();
        return Problem::invalid_field(field, format!("the field '{field}' is missing ({place})"));
    }
    if text.starts_with("unknown field ") {
        let known = text.rsplit_once(", expected ").map_or("", |(_, known)| known);
        let known = known.split(" at line").next().unwrap_or_default();
        return Problem::invalid(format!("a field is unknown ({place}): expected {known}"));
    }
    match field_at(body, error) {
        Some(field) => {
            let message = format!("the field '{field}' has a value of the wrong type ({place})");
            Problem::invalid_field(&field, message)
        }
        None => Problem::invalid(format!("a field has a value of the wrong type ({place})")),
    }
}

fn place_of(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

/// The field of a request whose value is wrong: an unknown field is skipped, so it is a known one.
fn field_at(body: &[u8], error: &serde_json::Error) -> Option<String> {
    let before: usize = body
        .split_inclusive(|byte| *byte == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    let at = before + error.column();
    let fields = RawObject::read(body).ok()?;
    let has_it = |value: &str| {
        let start = value.as_ptr().addr() - body.as_ptr().addr();
        (start..=start + value.len()).contains(&at)
    };
    fields.iter().find(|(_, value)| has_it(value)).map(|(name, _)| name.to_owned())
}

/// The caller of a request.
pub(crate) fn caller_of(request: &Request) -> Result<Caller, Problem> {
    request.extensions().get::<Caller>().cloned().ok_or_else(Problem::unauthorized)
}

/// `name=milliseconds`, as `Server-Timing` lists them.
pub(crate) fn timing(entries: &[(&str, Duration)]) -> HeaderValue {
    let mut text = String::with_capacity(24 * entries.len());
    for (name, time) in entries {
        let (separator, us) = (if text.is_empty() { "" } else { ", " }, time.as_micros());
        let _ = write!(text, "{separator}{name};dur={}.{:03}", us / 1_000, us % 1_000);
    }
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}
