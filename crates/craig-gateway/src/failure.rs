//! Errors for clients, without any text of their requests. `intake` writes their body in the protocol of the route.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use craig_engine::{EngineError, Fault};
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::allowance::{Allowance, whole_seconds};
use crate::index_failures::INDEX_UNREADABLE;
use crate::protocol::Protocol;

/// The code of a refused token.
pub(crate) const BAD_TOKEN: &str = "invalid_token";

/// An error for a client.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// OpenAI's `type`.
    pub(crate) kind: &'static str,
    /// The error code, for programs.
    pub(crate) code: String,
    /// For people; never holds a query, code or a key.
    pub(crate) message: String,
    /// Name of the field that is wrong.
    pub(crate) param: Option<String>,
    /// When to try again.
    pub(crate) retry_after: Option<Duration>,
    /// The limit that is reached; boxed, as most errors have none.
    pub(crate) allowance: Option<Box<Allowance>>,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            kind,
            code: code.to_owned(),
            message: message.into(),
            param: None,
            retry_after: None,
            allowance: None,
        }
    }

    /// The request cannot be understood.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", "invalid_request", message)
    }

    /// The same, with the name of the field.
    pub(crate) fn invalid_field(field: &str, message: impl Into<String>) -> Self {
        Self { param: Some(field.to_owned()), ..Self::invalid(message) }
    }

    pub(crate) fn unauthorized() -> Self {
        let message = "a gateway key is required: send it as 'Authorization: Bearer …', 'x-api-key' or \
                       'api-key'; 'craig gateway keys add' creates one";
        Self::new(StatusCode::UNAUTHORIZED, "authentication_error", "invalid_api_key", message)
    }

    /// A key was sent that is not one of those that may be used.
    pub(crate) fn unknown_key() -> Self {
        let message = "this key is not valid: it was mistyped, has expired or was revoked";
        Self { message: message.to_owned(), ..Self::unauthorized() }
    }

    /// Neither a key nor a token was sent.
    pub(crate) fn not_signed_in() -> Self {
        let message =
            "sign in at the identity provider and send its token as 'Authorization: Bearer …', or send a key";
        Self { message: message.to_owned(), ..Self::unauthorized() }
    }

    /// A token of the identity provider is refused.
    pub(crate) fn bad_token(reason: &str) -> Self {
        let message = format!("the token was refused: {reason}");
        Self::new(StatusCode::UNAUTHORIZED, "authentication_error", BAD_TOKEN, message)
    }

    /// Somebody who has signed in belongs to no group that may use the server.
    pub(crate) fn no_group() -> Self {
        Self::not_allowed("no_group", "none of your groups may use this server: ask its operator")
    }

    /// The identity provider has never answered, so no token can be verified.
    pub(crate) fn no_identity_provider() -> Self {
        let message = "the identity provider does not answer: try again later, or use a key";
        Self {
            retry_after: Some(Duration::from_secs(10)),
            ..Self::unavailable("no_identity_provider", message)
        }
    }

    /// The server has no identity provider, or its page is not registered there.
    pub(crate) fn no_sign_in() -> Self {
        Self::not_found("no_sign_in", "this server has no sign-in: use a key")
    }

    /// The token of the status page is missing or another one.
    pub(crate) fn wrong_token() -> Self {
        let message = "the status page's token is required, as 'Authorization: Bearer …'";
        Self::new(StatusCode::UNAUTHORIZED, "authentication_error", BAD_TOKEN, message)
    }

    /// A webhook's signature or token is missing or another one.
    pub(crate) fn wrong_signature() -> Self {
        let message = "the signature does not match: set the same secret here and in the webhook";
        Self::new(StatusCode::UNAUTHORIZED, "authentication_error", "wrong_signature", message)
    }

    /// A notice that was accepted before.
    pub(crate) fn replayed() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "invalid_request_error",
            "replayed",
            "this notice was accepted before",
        )
    }

    pub(crate) fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "permission_error", "forbidden", message)
    }

    /// The key is not allowed this.
    pub(crate) fn not_allowed(code: &str, message: &str) -> Self {
        Self { code: code.to_owned(), ..Self::forbidden(message) }
    }

    /// The key has spent its money. Clients do not try this status again by themselves.
    pub(crate) fn budget(message: String) -> Self {
        Self::new(StatusCode::PAYMENT_REQUIRED, "billing_error", "budget_exceeded", message)
    }

    pub(crate) fn not_found(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "invalid_request_error", code, message)
    }

    pub(crate) fn too_large(max_bytes: usize) -> Self {
        let message =
            format!("the request is larger than {max_bytes} bytes, which 'gateway.max_body' allows");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request_error", "request_too_large", message)
    }

    pub(crate) fn headers_too_large() -> Self {
        let message = "the headers of the request are too large";
        Self::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "invalid_request_error",
            "headers_too_large",
            message,
        )
    }

    /// There is no memory left for another request, or for a part of it.
    pub(crate) fn overloaded() -> Self {
        let message = "the gateway has reached its memory limit, 'gateway.max_buffered': try again";
        Self { retry_after: Some(Duration::from_secs(1)), ..Self::unavailable("overloaded", message) }
    }

    /// The body is compressed or otherwise encoded.
    pub(crate) fn encoded() -> Self {
        let message = "the body of the request is encoded ('content-encoding'): send it unencoded";
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "invalid_request_error",
            "unsupported_encoding",
            message,
        )
    }

    /// Clients cannot be identified.
    pub(crate) fn no_keys() -> Self {
        let message =
            "the gateway cannot read its key file and refuses all requests: ask its operator to check it";
        Self::unavailable("keys_unavailable", message)
    }

    pub(crate) fn too_slow() -> Self {
        let message = "the request did not arrive in time";
        Self::new(StatusCode::REQUEST_TIMEOUT, "invalid_request_error", "request_timeout", message)
    }

    pub(crate) fn too_many(code: &str, message: impl Into<String>, retry_after: Duration) -> Self {
        let new = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", code, message);
        Self { retry_after: Some(retry_after), ..new }
    }

    pub(crate) fn unavailable(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", code, message)
    }

    /// A provider failed.
    pub(crate) fn upstream(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self::new(status, "upstream_error", code, message)
    }

    pub(crate) fn internal() -> Self {
        let message = "the gateway failed";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "internal", message)
    }

    /// The body: OpenAI's error object.
    pub(crate) fn body(&self) -> ErrorBody<'_> {
        let Self { message, kind, param, code, .. } = self;
        ErrorBody { error: ErrorObject { message, r#type: kind, param: param.as_deref(), code } }
    }
}

/// OpenAI's form of an error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(crate) struct ErrorBody<'a> {
    error: ErrorObject<'a>,
}

#[derive(Serialize, JsonSchema)]
struct ErrorObject<'a> {
    message: &'a str,
    r#type: &'a str,
    /// Field that is wrong.
    param: Option<&'a str>,
    code: &'a str,
}

/// The answer without its body, which [`write_error`] adds.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        if let Some(wait) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        if let Some(allowance) = &self.allowance {
            allowance.write_headers(&mut response);
        }
        if self.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the error of an answer that is one, in the form of `protocol`.
pub(crate) fn write_error(response: &mut Response, protocol: &dyn Protocol) {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else { return };
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    *response.body_mut() = protocol.error(&problem).into();
}

/// A response with a JSON body.
pub(crate) fn json_response(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (status, [(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// An error of the engine. Its message may quote the request, so clients get another one.
impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        match error {
            error if error.is_unknown_project() => Self::not_found(
                "unknown_project",
                "no such project: GET /v1/projects lists the projects of this key",
            ),
            EngineError::UnknownFile { .. } => {
                Self::not_found("unknown_file", "the project has no such file")
            }
            EngineError::UnknownSymbol { .. } => {
                Self::not_found("unknown_symbol", "the project has no such symbol")
            }
            EngineError::Search(craig_engine::SearchError::EmptyQuery) => {
                Self::invalid_field("query", "the query contains no words")
            }
            EngineError::Search(craig_engine::SearchError::Glob { .. }) => {
                Self::invalid_field("path", "'path' is not a pattern such as 'src/**/*.rs'")
            }
            EngineError::ScoreOutOfRange { .. } => {
                Self::invalid_field("min_score", "'min_score' goes from 0 to 1")
            }
            EngineError::UnknownLanguage { .. } => Self::invalid_field("languages", "no such language"),
            error if error.fault() == Fault::User => Self::invalid("the engine refused the request"),
            EngineError::Model(error) | EngineError::Search(craig_engine::SearchError::Model(error)) => {
                let code = class_name(error.class());
                Self::upstream(StatusCode::BAD_GATEWAY, code, "the configured model cannot be used")
            }
            _ => Self::unavailable("index_unavailable", INDEX_UNREADABLE),
        }
    }
}

/// The name of a failure's class in metrics, logs and codes.
pub(crate) fn class_name(class: craig_engine::FailureClass) -> &'static str {
    use craig_engine::FailureClass;
    match class {
        FailureClass::Network => "network",
        FailureClass::RateLimit => "rate_limit",
        FailureClass::Timeout => "timeout",
        FailureClass::Server => "server",
        FailureClass::Auth => "auth",
        FailureClass::InvalidRequest => "invalid_request",
        FailureClass::BadAnswer => "bad_answer",
        FailureClass::Model => "model",
        FailureClass::Busy => "busy",
        FailureClass::Cancelled => "cancelled",
    }
}
