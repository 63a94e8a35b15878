//! Content negotiation: responses in the media type that a client accepts, and errors of the protocol for messages that
//! cannot be read.
//!
//! The protocol's service requires clients to accept both JSON and event streams. Many accept anything, or JSON alone.

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

use crate::json_rpc::{Fault, IdScanner};

/// Longer messages are refused; only the id of such a message is read.
pub(super) const MOST_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// A client that sends more than this is not read any further.
const MOST_READ_BYTES: usize = 16 * MOST_MESSAGE_BYTES;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// How a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    Events,
}

impl Form {
    /// Event streams for clients that name them, JSON for others; `None` if a client accepts neither.
    fn accepted(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(header::ACCEPT);
        let ranges: Vec<&str> = values
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        let names = |names: &[&str]| ranges.iter().any(|range| accepts(range, names));
        if names(&[EVENTS, "text/*"]) {
            Some(Self::Events)
        } else if ranges.is_empty() || names(&[JSON, "application/*", "*/*"]) {
            Some(Self::Json)
        } else {
            None
        }
    }
}

/// Whether a range of an Accept header is one of `names`, and not excluded with `q=0`.
fn accepts(range: &str, names: &[&str]) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let is_named =
        parts.next().is_some_and(|name| names.iter().any(|known| name.eq_ignore_ascii_case(known)));
    let weight = parts.find_map(|part| part.strip_prefix("q=")?.trim().parse::<f32>().ok());
    is_named && weight.is_none_or(|weight| weight > 0.0)
}

/// Lets a request through as the protocol's service expects it, and its answer as the client does.
pub(super) async fn negotiate(mut request: Request, next: Next) -> Response {
    let is_post = request.method() == Method::POST;
    if !is_post && request.method() != Method::GET {
        return next.run(request).await;
    }
    let Some(form) = Form::accepted(request.headers()) else {
        let text = "this server answers in application/json and text/event-stream, and the Accept header names neither\n";
        return (StatusCode::NOT_ACCEPTABLE, text).into_response();
    };
    request.headers_mut().insert(header::ACCEPT, BOTH);
    if is_post { post(request, form, next).await } else { next.run(request).await }
}

async fn post(request: Request, form: Form, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let is_json = parts.headers.get(header::CONTENT_TYPE).is_some_and(is_json);
    let message = match read(body).await {
        Ok(message) => message,
        Err(response) => return response,
    };
    let response = next.run(Request::from_parts(parts, Body::from(message.clone()))).await;
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
        return refusal(StatusCode::BAD_REQUEST, &Fault::of_unreadable(&message));
    }
    match form {
        Form::Json => as_json(response).await,
        Form::Events => response,
    }
}

fn is_json(value: &HeaderValue) -> bool {
    value.to_str().is_ok_and(|value| accepts(value, &[JSON]))
}

/// The whole message. Fails with a response if it is too long, or cannot be read to its end.
async fn read(mut body: Body) -> Result<Bytes, Response> {
    let mut message = Vec::new();
    let mut too_long: Option<IdScanner> = None;
    let mut n_read = 0;
    while let Some(frame) =
        std::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).await
    {
        let Ok(Ok(piece)) = frame.map(|frame| frame.into_data()) else { continue };
        n_read += piece.len();
        if let Some(scanner) = &mut too_long {
            scanner.read(&piece);
        } else if n_read > MOST_MESSAGE_BYTES {
            let mut scanner = IdScanner::default();
            scanner.read(&std::mem::take(&mut message));
            scanner.read(&piece);
            too_long = Some(scanner);
        } else {
            message.extend_from_slice(&piece);
        }
        if n_read > MOST_READ_BYTES {
            break;
        }
    }
    match too_long {
        None => Ok(message.into()),
        Some(scanner) => {
            let fault = Fault::of_too_long(&scanner, MOST_MESSAGE_BYTES);
            Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, &fault))
        }
    }
}

fn refusal(status: StatusCode, fault: &Fault) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], fault.response().to_string()).into_response()
}

/// The response of a stream of events as JSON, without what was sent before it, such as progress.
async fn as_json(response: Response) -> Response {
    let is_stream = |value: &HeaderValue| value.as_bytes().starts_with(EVENTS.as_bytes());
    if !response.headers().get(header::CONTENT_TYPE).is_some_and(is_stream) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let events = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let Some(message) = response_in(&events) else {
        return (StatusCode::INTERNAL_SERVER_ERROR, "the stream ended without a response\n").into_response();
    };
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    parts.headers.remove(header::CACHE_CONTROL);
    Response::from_parts(parts, Body::from(message))
}

/// The JSON-RPC response in a stream of events with one line of data each.
fn response_in(events: &[u8]) -> Option<Vec<u8>> {
    let data = events.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    let is_response = |data: &[u8]| {
        let message: Option<Value> = serde_json::from_slice(data).ok();
        message.is_some_and(|message| message.get("result").or(message.get("error")).is_some())
    };
    data.map(<[u8]>::trim_ascii).rfind(|data| is_response(data)).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_what_it_accepts() {
        let form = |accept: &[&'static str]| {
            let headers = accept.iter().map(|value| (header::ACCEPT, HeaderValue::from_static(value)));
            Form::accepted(&headers.collect())
        };
        for accept in [
            "*/*",
            "application/json",
            "application/*",
            "text/html, */*;q=0.8",
            "APPLICATION/JSON",
            "text/event-stream;q=0, application/json",
        ] {
            assert_eq!(form(&[accept]), Some(Form::Json), "{accept}");
        }
        for accept in
            ["application/json, text/event-stream", "text/event-stream", "text/event-stream;q=0.5,*/*"]
        {
            assert_eq!(form(&[accept]), Some(Form::Events), "{accept}");
        }
        assert_eq!(form(&["application/json", "text/event-stream"]), Some(Form::Events), "in two headers");
        assert_eq!(form(&[]), Some(Form::Json));
        assert_eq!(form(&["text/html"]), None);
        assert_eq!(form(&["application/json;q=0"]), None);
    }

    #[test]
    fn the_response_of_a_stream_is_its_last_message() {
        let events = b": ping\n\nid: 1\ndata: {\"method\":\"notifications/progress\"}\n\ndata: {\"id\":1,\"result\":{}}\n\n";
        assert_eq!(response_in(events).unwrap(), b"{\"id\":1,\"result\":{}}");
        assert_eq!(response_in(b"data: {\"method\":\"a\"}\n\n"), None);
    }
}
