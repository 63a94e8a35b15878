//! Failures of calls to providers: what is known of one, and what clients, metrics and logs get of it.

use std::time::Duration;

use bytes::Bytes;
use craig_engine::{BreakerOpen, FailureClass, ModelError, message_in, retry_after, shortened};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;

use crate::failure::{Problem, class_name};
use crate::protocol::MAX_ERROR_BYTES;
use crate::target::Target;

/// A call that failed.
#[derive(Clone, Debug)]
pub(crate) struct CallFailure {
    pub(crate) class: FailureClass,
    /// The provider's status, when it answered.
    pub(crate) status: Option<u16>,
    /// When the provider may be asked again.
    pub(crate) retry_after: Option<Duration>,
    /// Whether nothing was sent, because the circuit breaker of the model is open or the provider has asked for a pause.
    pub(crate) is_short_circuit: bool,
    /// Whether the gateway is to blame: the provider had too little time, or there was no room for its answer.
    pub(crate) is_ours: bool,
    /// The exact problem, if the class is too general.
    pub(crate) detail: Option<&'static Detail>,
    /// The provider's error, without its key; only its client may see it. Boxed, as most failures have none.
    pub(crate) provider_error: Option<Box<ProviderError>>,
    /// Why the provider cannot be reached, for the log.
    pub(crate) cause: Option<String>,
    /// Why nothing was sent, if the request cannot be translated into the provider's protocol.
    pub(crate) untranslatable: Option<Box<Problem>>,
}

/// A failure with its own label and message, because the reader can act on it.
#[derive(Debug)]
pub(crate) struct Detail {
    /// Its name in metrics, logs and headers.
    label: &'static str,
    /// The message for clients.
    message: &'static str,
}

static REDIRECT: Detail = Detail {
    label: "redirect",
    message: "the provider redirects to another address, which the gateway does not follow: ask the operator of \
              the gateway to check 'base_url'",
};

pub(crate) static COMPRESSED: Detail = Detail {
    label: "compressed",
    message: "the provider sent a compressed response, although the gateway requested a plain one",
};

static NO_RESULTS: Detail =
    Detail { label: "no_results", message: "the reranking provider's response has no results" };

static QUEUE_FULL: Detail = Detail { label: "queue_full", message: "too many reranks are already queued" };

static QUEUE_TIMEOUT: Detail =
    Detail { label: "queue_timeout", message: "the time limit expired while this rerank was queued" };

static RERANK_TIMEOUT: Detail =
    Detail { label: "timeout", message: "reranking took longer than 'reranker.timeout_ms' allows" };

static OVERLOADED: Detail = Detail { label: "overloaded", message: "" };

/// The parts of a provider's error that help the sender of the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProviderError {
    pub(crate) message: String,
    pub(crate) code: Option<String>,
    pub(crate) param: Option<String>,
}

impl CallFailure {
    pub(crate) fn new(class: FailureClass) -> Self {
        Self {
            class,
            status: None,
            retry_after: None,
            is_short_circuit: false,
            is_ours: false,
            detail: None,
            provider_error: None,
            cause: None,
            untranslatable: None,
        }
    }

    /// The provider cannot be reached.
    pub(crate) fn unreachable(cause: Option<String>) -> Self {
        Self { cause, ..Self::new(FailureClass::Network) }
    }

    /// The request cannot be translated into the provider's protocol; the provider is not to blame.
    pub(crate) fn untranslatable(problem: Box<Problem>) -> Self {
        Self { is_ours: true, untranslatable: Some(problem), ..Self::new(FailureClass::InvalidRequest) }
    }

    /// An answer that cannot be used, and why.
    pub(crate) fn unusable(detail: &'static Detail) -> Self {
        Self { detail: Some(detail), ..Self::new(FailureClass::BadAnswer) }
    }

    /// A local reranker did not answer in time.
    pub(crate) fn rerank_timeout() -> Self {
        Self { detail: Some(&RERANK_TIMEOUT), ..Self::new(FailureClass::Timeout) }
    }

    /// There is no memory left for an answer.
    pub(crate) fn overloaded() -> Self {
        Self { is_ours: true, ..Self::unusable(&OVERLOADED) }
    }

    /// An answer with an error status.
    pub(crate) fn refused(target: &Target, status: StatusCode, headers: &HeaderMap, body: &Bytes) -> Self {
        if status.is_redirection() {
            return Self::unusable(&REDIRECT);
        }
        let wait = headers.get(header::RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?));
        Self {
            status: Some(status.as_u16()),
            retry_after: wait,
            provider_error: Some(Box::new(provider_error(target, body))),
            ..Self::new(FailureClass::of_status(status.as_u16()))
        }
    }

    /// An answer that reports an error although its status is a success; `whole` is all of it.
    pub(crate) fn reported(target: &Target, error: &Value, whole: &Bytes) -> Self {
        Self { provider_error: Some(Box::new(provider_error(target, whole))), ..Self::from_event(error) }
    }

    /// The same, without the provider's words.
    pub(crate) fn from_event(error: &Value) -> Self {
        let (class, status) = class_of_reported(error);
        Self { status, ..Self::new(class) }
    }

    /// Its name in metrics and logs.
    pub(crate) fn label(&self) -> &'static str {
        match self.detail {
            _ if self.is_short_circuit && self.class != FailureClass::RateLimit => "circuit_open",
            _ if self.untranslatable.is_some() => "untranslatable",
            Some(detail) => detail.label,
            None if self.is_context_too_long() => "context_too_long",
            None => class_name(self.class),
        }
    }

    /// Whether a request was sent to the provider.
    pub(crate) fn was_sent(&self) -> bool {
        !self.is_short_circuit && self.untranslatable.is_none()
    }

    /// Whether the request itself is wrong, so that nobody else needs to be asked. Other statuses below 500 are about this
    /// provider: a model that it does not have or has no more, a method that it does not know.
    pub(crate) fn is_final(&self) -> bool {
        self.class == FailureClass::InvalidRequest
            && self.untranslatable.is_none()
            && !self.is_context_too_long()
            && self.status.is_none_or(|status| matches!(status, 400 | 413..=415 | 422 | 431))
    }

    /// Whether the request is too long for the model of this provider, so that another provider's may do.
    pub(crate) fn is_context_too_long(&self) -> bool {
        let Some(error) = self.provider_error.as_ref() else { return false };
        self.class == FailureClass::InvalidRequest
            && (error.code.as_deref() == Some(CONTEXT_TOO_LONG)
                || TOO_LONG.iter().any(|words| error.message.contains(words)))
    }

    /// The error for the client. `sent` are the texts that the provider got: quotes of them are cut out of its message.
    pub(crate) fn problem(&self, sent: &[&[u8]]) -> Problem {
        if let Some(problem) = &self.untranslatable {
            return (**problem).clone();
        }
        match self.class {
            _ if self.is_ours && self.class == FailureClass::BadAnswer => Problem::overloaded(),
            FailureClass::InvalidRequest => {
                let status = self.status.and_then(|status| StatusCode::from_u16(status).ok());
                let error = self.provider_error.as_deref().cloned().unwrap_or_default();
                let message = match error.message.as_str() {
                    "" => "the provider refused the request".to_owned(),
                    message => without_quotes(message, sent),
                };
                Problem {
                    code: error.code.unwrap_or_else(|| "invalid_request".to_owned()),
                    param: error.param,
                    status: status.unwrap_or(StatusCode::BAD_REQUEST),
                    ..Problem::invalid(message)
                }
            }
            FailureClass::RateLimit => Problem::too_many(
                "upstream_rate_limit",
                "the provider's rate limit is reached",
                self.retry_after.unwrap_or(Duration::from_secs(1)),
            ),
            FailureClass::Auth => Problem::upstream(
                StatusCode::BAD_GATEWAY,
                "upstream_auth",
                "the provider rejected the gateway's key: ask the operator of the gateway to check it",
            ),
            FailureClass::Busy => {
                let message = self.detail.map_or("too many requests at once", |detail| detail.message);
                Problem::too_many(self.label(), message, Duration::from_secs(1))
            }
            FailureClass::Timeout => {
                let provider = ("upstream_timeout", "the provider did not respond in time");
                let (code, message) =
                    self.detail.map_or(provider, |detail| ("rerank_timeout", detail.message));
                Problem::upstream(StatusCode::GATEWAY_TIMEOUT, code, message)
            }
            FailureClass::Network if self.is_short_circuit => Problem {
                retry_after: self.retry_after,
                ..Problem::upstream(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "upstream_unavailable",
                    "too many requests to the provider have failed: try again later",
                )
            },
            FailureClass::Network => Problem {
                retry_after: self.retry_after,
                ..Problem::upstream(
                    StatusCode::BAD_GATEWAY,
                    "upstream_unreachable",
                    "the provider cannot be reached",
                )
            },
            FailureClass::Server => Problem {
                retry_after: self.retry_after,
                ..Problem::upstream(StatusCode::BAD_GATEWAY, "upstream_error", "the provider failed")
            },
            FailureClass::Model => Problem::upstream(
                StatusCode::BAD_GATEWAY,
                "rerank_failed",
                "the local reranker cannot be used",
            ),
            FailureClass::BadAnswer | FailureClass::Cancelled => Problem::upstream(
                StatusCode::BAD_GATEWAY,
                "upstream_bad_answer",
                self.detail.map_or("the provider's response is invalid", |detail| detail.message),
            ),
        }
    }
}

/// OpenAI's code for a request that is too long for the model.
const CONTEXT_TOO_LONG: &str = "context_length_exceeded";

/// The words of providers that have no code for it: Anthropic's two (the prompt alone, and with `max_tokens`), and those of
/// vLLM, SGLang and other servers that repeat OpenAI's message.
const TOO_LONG: [&str; 3] = ["prompt is too long", "exceed context limit", "maximum context length"];

/// The class of an error that comes with a status of success: by its number, else by its words.
fn class_of_reported(error: &Value) -> (FailureClass, Option<u16>) {
    let number = |name: &str| {
        let number = error[name].as_u64().or_else(|| error[name].as_str()?.parse().ok())?;
        u16::try_from(number).ok().filter(|status| (400..600).contains(status))
    };
    if let Some(status) = ["status", "code"].into_iter().find_map(number) {
        return (FailureClass::of_status(status), Some(status));
    }
    let words = ["type", "code"].map(|name| error[name].as_str().unwrap_or_default()).join(" ");
    let classes = [
        ("rate_limit", FailureClass::RateLimit),
        ("invalid_api_key", FailureClass::Auth),
        ("authentication", FailureClass::Auth),
        ("permission", FailureClass::Auth),
        ("invalid_request", FailureClass::InvalidRequest),
        ("context_length", FailureClass::InvalidRequest),
    ];
    let class = classes.into_iter().find(|(word, _)| words.contains(word));
    (class.map_or(FailureClass::Server, |(_, class)| class), None)
}

impl From<BreakerOpen> for CallFailure {
    fn from(open: BreakerOpen) -> Self {
        Self { retry_after: Some(open.retry_after), is_short_circuit: true, ..Self::new(open.class) }
    }
}

impl From<&ModelError> for CallFailure {
    fn from(error: &ModelError) -> Self {
        let failure = Self { retry_after: error.retry_after(), ..Self::new(error.class()) };
        let detailed = |detail| Self { detail: Some(detail), ..failure.clone() };
        match error {
            ModelError::Refused { status, message, .. } => {
                let error = ProviderError { message: message.clone(), ..ProviderError::default() };
                Self { status: Some(*status), provider_error: Some(Box::new(error)), ..failure }
            }
            ModelError::CircuitOpen { .. } => Self { is_short_circuit: true, ..failure },
            ModelError::Redirected { .. } => detailed(&REDIRECT),
            ModelError::Compressed { .. } => detailed(&COMPRESSED),
            ModelError::NoResults { .. } => detailed(&NO_RESULTS),
            ModelError::QueueFull => detailed(&QUEUE_FULL),
            ModelError::QueueTimeout => detailed(&QUEUE_TIMEOUT),
            _ => failure,
        }
    }
}

fn provider_error(target: &Target, body: &Bytes) -> ProviderError {
    if body.len() > MAX_ERROR_BYTES {
        return ProviderError::default();
    }
    let text = String::from_utf8_lossy(body);
    let error = serde_json::from_str::<Value>(&text).unwrap_or_default();
    let field = |name: &str| error["error"][name].as_str().map(|text| shortened(&target.redact(text)));
    // A page of HTML is useless to a client.
    let message = if error.is_null() { String::new() } else { shortened(&target.redact(&message_in(&text))) };
    ProviderError { message, code: field("code"), param: field("param") }
}

/// Runs of this many letters and digits of a request are cut out of errors: names of most fields are shorter.
const MIN_QUOTE_BYTES: usize = 16;

/// `message` with `[…]` in place of quotes of `texts`. Only letters and digits are compared, so that spaces and escapes do
/// not matter.
fn without_quotes(message: &str, texts: &[&[u8]]) -> String {
    let letters: Vec<(usize, u8)> =
        message.bytes().enumerate().filter(|(_, byte)| is_letter(*byte)).collect();
    let text: Vec<u8> = letters.iter().map(|(_, byte)| *byte).collect();
    let sent: Vec<Vec<u8>> = texts.iter().map(|text| letters_of(text)).collect();
    let mut is_quoted = vec![false; message.len()];
    for start in 0..text.len().saturating_sub(MIN_QUOTE_BYTES - 1) {
        let window = start..start + MIN_QUOTE_BYTES;
        if sent.iter().any(|sent| memchr::memmem::find(sent, &text[window.clone()]).is_some()) {
            is_quoted[letters[window.start].0..=letters[window.end - 1].0].fill(true);
        }
    }
    let mut kept = String::with_capacity(message.len());
    let mut was_quoted = false;
    for (at, c) in message.char_indices() {
        match is_quoted[at] {
            false => kept.push(c),
            true if !was_quoted => kept.push_str("[…]"),
            true => {}
        }
        was_quoted = is_quoted[at];
    }
    kept
}

/// Letters, digits, and everything that is not ASCII.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// The letters of a text, without those of its escapes.
fn letters_of(text: &[u8]) -> Vec<u8> {
    let mut is_escaped = false;
    let mut kept = Vec::with_capacity(text.len());
    for &byte in text {
        if !is_escaped && is_letter(byte) {
            kept.push(byte);
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_with_a_status_of_success_are_understood() {
        let class = |error: Value| class_of_reported(&error);
        assert_eq!(class(json!({ "code": 429 })), (FailureClass::RateLimit, Some(429)));
        assert_eq!(class(json!({ "code": "503" })), (FailureClass::Server, Some(503)));
        assert_eq!(class(json!({ "code": 7 })), (FailureClass::Server, None));
        assert_eq!(class(json!({ "type": "rate_limit_error" })), (FailureClass::RateLimit, None));
        assert_eq!(class(json!({ "type": "authentication_error" })), (FailureClass::Auth, None));
        assert_eq!(class(json!({ "code": "context_length_exceeded" })), (FailureClass::InvalidRequest, None));
        assert_eq!(class(json!({ "type": "overloaded_error" })), (FailureClass::Server, None));
        assert_eq!(class(json!("no")), (FailureClass::Server, None));
    }

    #[test]
    fn errors_do_not_repeat_what_was_asked() {
        let request =
            br#"{"messages":[{"content":"a very\n  secret \"question\" about code"}],"max_tokens":-1}"#;
        let cut = |message: &str| without_quotes(message, &[b"", request]);
        assert_eq!(cut("bad: 'a very secret \"question\" about code'!"), "bad: '[…]'!");
        assert_eq!(cut("'max_tokens' must be positive"), "'max_tokens' must be positive");
        assert_eq!(cut("short"), "short");
        assert_eq!(without_quotes("é is no é, naïve café", &[b"xx"]), "é is no é, naïve café");
    }
}
