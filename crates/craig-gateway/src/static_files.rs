//! Files of the gateway's own pages, which hold no data: their scripts ask for it.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, header};

use crate::failure::write_error;
use crate::protocol::ProtocolName;

/// Nothing but a page's own files is loaded, run or sent to, and no other page may frame it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);

/// Headers of all answers of a page.
pub(crate) async fn guarded(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    write_error(&mut response, ProtocolName::Chat.protocol());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub(crate) fn html(text: &'static str) -> Response {
    file("text/html; charset=utf-8", text)
}

pub(crate) fn script(text: &'static str) -> Response {
    file("text/javascript; charset=utf-8", text)
}

pub(crate) fn style(text: &'static str) -> Response {
    file("text/css; charset=utf-8", text)
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
