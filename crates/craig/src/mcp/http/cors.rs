//! Cross-origin requests: preflight requests, and the headers that browsers expect.
//!
//! The protocol's service decides which origins and hosts are admitted, and refuses the others with 403.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

/// Headers that a client sends, and those that it may read of an answer.
const SENT: &str = "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";
const READ: &str = "mcp-session-id, www-authenticate";

const ALLOWED_METHODS: &str = "GET, POST, DELETE";

/// How long a browser may cache a preflight response, in seconds.
const MAX_AGE_SECONDS: &str = "600";

const ASKS_FOR_THIS_NETWORK: HeaderName = HeaderName::from_static("access-control-request-private-network");
const ALLOWS_THIS_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// An origin of `--allow-origin`: `https://host`, with the port unless it is the default, or `:*` for any port.
pub(super) fn origin(text: &str) -> anyhow::Result<String> {
    let form = || {
        anyhow::anyhow!(
            "--allow-origin {text}: an origin looks like https://app.example or http://app.example:8080"
        )
    };
    let (scheme, host) = text.trim().trim_end_matches('/').split_once("://").ok_or_else(form)?;
    let usual_port = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return Err(form()),
    };
    let (name, port) =
        match host.rsplit_once(':').filter(|(name, _)| !name.starts_with('[') || name.ends_with(']')) {
            Some((name, port)) => (name, port.to_owned()),
            None => (host, usual_port.to_string()),
        };
    let is_port = port == "*" || port.parse::<u16>().is_ok();
    let is_name = !name.is_empty() && !name.contains(['/', '@', '*', '?', '#', ' ']);
    if is_port && is_name { Ok(format!("{scheme}://{name}:{port}")) } else { Err(form()) }
}

/// The CORS headers of a request.
pub(super) struct Asking {
    origin: Option<HeaderValue>,
    is_preflight: bool,
    is_from_other_network: bool,
}

impl Asking {
    pub(super) fn new(request: &Request) -> Self {
        let headers = request.headers();
        Self {
            origin: headers.get(header::ORIGIN).cloned(),
            is_preflight: request.method() == Method::OPTIONS
                && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD),
            is_from_other_network: headers.contains_key(ASKS_FOR_THIS_NETWORK),
        }
    }
}

/// Adds the CORS headers to the response to a request whose origin was admitted.
pub(super) fn complete(response: Response, asking: Asking) -> Response {
    let Some(origin) = asking.origin.filter(|_| response.status() != StatusCode::FORBIDDEN) else {
        return response;
    };
    // The service answers 405 to a preflight request that it would admit.
    let is_answer = asking.is_preflight && response.status() == StatusCode::METHOD_NOT_ALLOWED;
    let mut response = if is_answer { StatusCode::NO_CONTENT.into_response() } else { response };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    set(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    if is_answer {
        set(headers, header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS);
        set(headers, header::ACCESS_CONTROL_ALLOW_HEADERS, SENT);
        set(headers, header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS);
        if asking.is_from_other_network {
            set(headers, ALLOWS_THIS_NETWORK, "true");
        }
    }
    response
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        let read = |text: &str| origin(text).unwrap_or_else(|_| "refused".to_owned());
        assert_eq!(read("https://app.example"), "https://app.example:443");
        assert_eq!(read("http://app.example/"), "http://app.example:80");
        assert_eq!(read("https://app.example:8443"), "https://app.example:8443");
        assert_eq!(read("http://app.example:*"), "http://app.example:*");
        assert_eq!(read("http://[::1]:8080"), "http://[::1]:8080");
        assert_eq!(read("http://[::1]"), "http://[::1]:80");
        for bad in [
            "*",
            "null",
            "app.example",
            "https://",
            "https://a/b",
            "https://*",
            "file:///a",
            "https://a:b",
            "https://me@a",
        ] {
            assert_eq!(read(bad), "refused", "{bad}");
        }
    }
}
