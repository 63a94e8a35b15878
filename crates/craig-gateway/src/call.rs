//! A call to a provider, and what becomes of it: the attempts, the waits between them, how a failure is told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backon::{BackoffBuilder as _, ExponentialBuilder};
use bytes::Bytes;
use craig_engine::{FailureClass, message_in, retry_after, shortened};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;

use crate::breaker::Breaker;
use crate::client::Target;
use crate::failure::{Problem, class_name};

/// A call that gave nothing.
#[derive(Clone, Debug)]
pub(crate) struct CallFailure {
    pub(crate) class: FailureClass,
    /// The provider's status, when it answered.
    pub(crate) status: Option<u16>,
    /// How long the provider wants to be left alone.
    pub(crate) retry_after: Option<Duration>,
    /// Whether nothing was sent, because the provider failed too often or asked to be left alone.
    pub(crate) is_short_circuit: bool,
    /// Whether the gateway is to blame: the provider had too little time, or there was no room for its answer.
    pub(crate) is_ours: bool,
    /// What exactly is wrong, where the class says too little.
    pub(crate) detail: Option<&'static Detail>,
    /// What the provider said to the client, without its key; told to nobody else.
    pub(crate) said: Option<Said>,
}

/// A failure with a message of its own, because somebody can act on it.
#[derive(Debug)]
pub(crate) struct Detail {
    /// Its name in metrics, logs and headers.
    label: &'static str,
    /// The message for clients.
    message: &'static str,
}

pub(crate) static REDIRECT: Detail = Detail {
    label: "redirect",
    message: "the provider redirects to another address, which the gateway does not follow: whoever runs it should check 'base_url'",
};

pub(crate) static COMPRESSED: Detail = Detail {
    label: "compressed",
    message: "the provider compresses its answer, although the gateway asks for a plain one",
};

pub(crate) static NO_RESULTS: Detail =
    Detail { label: "no_results", message: "the reranking provider gave an answer without results" };

pub(crate) static NO_ROOM: Detail = Detail { label: "overloaded", message: "" };

/// The parts of a provider's error that help whoever sent the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Said {
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
            said: None,
        }
    }

    /// An answer that cannot be used, and why.
    pub(crate) fn unusable(detail: &'static Detail) -> Self {
        Self { detail: Some(detail), ..Self::new(FailureClass::BadAnswer) }
    }

    /// There is no room for an answer.
    pub(crate) fn no_room() -> Self {
        Self { is_ours: true, ..Self::unusable(&NO_ROOM) }
    }

    /// The breaker lets nothing through for `wait`.
    pub(crate) fn short_circuit(class: FailureClass, wait: Duration) -> Self {
        Self { retry_after: Some(wait), is_short_circuit: true, ..Self::new(class) }
    }

    /// What an answer with an error status says.
    pub(crate) fn refused(target: &Target, status: StatusCode, headers: &HeaderMap, body: &Bytes) -> Self {
        if status.is_redirection() {
            return Self::unusable(&REDIRECT);
        }
        let wait = headers.get(header::RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?));
        Self {
            status: Some(status.as_u16()),
            retry_after: wait,
            said: Some(said(target, body)),
            ..Self::new(FailureClass::of_status(status.as_u16()))
        }
    }

    /// What an answer says that reports an error although its status is a success; `whole` is all of it.
    pub(crate) fn reported(target: &Target, error: &Value, whole: &Bytes) -> Self {
        let (class, status) = class_of_reported(error);
        Self { status, said: Some(said(target, whole)), ..Self::new(class) }
    }

    /// Its name in metrics and logs.
    pub(crate) fn label(&self) -> &'static str {
        match self.detail {
            _ if self.is_short_circuit => "circuit_open",
            Some(detail) => detail.label,
            None => class_name(self.class),
        }
    }

    /// Whether the request itself is wrong, so that nobody else needs to be asked.
    pub(crate) fn is_final(&self) -> bool {
        self.class == FailureClass::InvalidRequest && self.status != Some(404)
    }

    /// What the client is told. `sent` are the texts that the provider got: words of them are cut out of what it said.
    pub(crate) fn problem(&self, sent: &[&[u8]]) -> Problem {
        let provider_said = |fallback: &str| match &self.said {
            Some(said) if !said.message.is_empty() => without_words_of(&said.message, sent),
            _ => fallback.to_owned(),
        };
        match self.class {
            _ if self.is_ours && self.class == FailureClass::BadAnswer => Problem::overloaded(),
            FailureClass::InvalidRequest => {
                let status = self.status.and_then(|status| StatusCode::from_u16(status).ok());
                let said = self.said.clone().unwrap_or_default();
                Problem {
                    code: said.code.unwrap_or_else(|| "invalid_request".to_owned()),
                    param: said.param,
                    status: status.unwrap_or(StatusCode::BAD_REQUEST),
                    ..Problem::invalid(provider_said("the provider refuses the request"))
                }
            }
            FailureClass::RateLimit => Problem::too_many(
                "upstream_rate_limit",
                "the provider's limit is reached",
                self.retry_after.unwrap_or(Duration::from_secs(1)),
            ),
            FailureClass::Auth => Problem::upstream(
                StatusCode::BAD_GATEWAY,
                "upstream_auth",
                "the provider does not accept the gateway's key: tell whoever runs the gateway",
            ),
            FailureClass::Timeout => Problem::upstream(
                StatusCode::GATEWAY_TIMEOUT,
                "upstream_timeout",
                "the provider gave no answer in time",
            ),
            FailureClass::Network => {
                let status = if self.is_short_circuit {
                    StatusCode::SERVICE_UNAVAILABLE
                } else {
                    StatusCode::BAD_GATEWAY
                };
                let code =
                    if self.is_short_circuit { "upstream_unavailable" } else { "upstream_unreachable" };
                Problem {
                    retry_after: self.retry_after,
                    ..Problem::upstream(status, code, "the provider cannot be reached")
                }
            }
            FailureClass::Server => Problem {
                retry_after: self.retry_after,
                ..Problem::upstream(StatusCode::BAD_GATEWAY, "upstream_error", "the provider failed")
            },
            FailureClass::BadAnswer | FailureClass::Model | FailureClass::Cancelled => Problem::upstream(
                StatusCode::BAD_GATEWAY,
                "upstream_bad_answer",
                self.detail
                    .map_or("the provider gave an answer that cannot be used", |detail| detail.message),
            ),
        }
    }
}

/// What an error means that comes with a status of success: by its number, else by its words.
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

fn said(target: &Target, body: &Bytes) -> Said {
    let text = String::from_utf8_lossy(body);
    let error = serde_json::from_str::<Value>(&text).unwrap_or_default();
    let field = |name: &str| error["error"][name].as_str().map(|text| shortened(&target.redact(text)));
    // A page of HTML says nothing to a client.
    let message = if error.is_null() { String::new() } else { shortened(&target.redact(&message_in(&text))) };
    Said { message, code: field("code"), param: field("param") }
}

/// A run of so many letters and digits of a request is cut out of errors, and each longer one: names of most fields are
/// shorter.
const SHORTEST_CUT: usize = 16;

/// `message` with `[…]` in place of what it quotes of `texts`. Only letters and digits are compared, so that it does not
/// matter how either is spaced or escaped.
fn without_words_of(message: &str, texts: &[&[u8]]) -> String {
    let letters: Vec<(usize, u8)> =
        message.bytes().enumerate().filter(|(_, byte)| is_letter(*byte)).collect();
    let text: Vec<u8> = letters.iter().map(|(_, byte)| *byte).collect();
    let sent: Vec<Vec<u8>> = texts.iter().map(|text| letters_of(text)).collect();
    let mut is_quoted = vec![false; message.len()];
    for start in 0..text.len().saturating_sub(SHORTEST_CUT - 1) {
        let window = start..start + SHORTEST_CUT;
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

/// How often a call is tried, and until when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Tries, the first included.
    pub(crate) tries: usize,
    pub(crate) deadline: Instant,
    /// Wait before the second try; it doubles, and varies so that many clients do not come at once.
    pub(crate) first_wait: Duration,
    /// A provider that asks for a longer wait is taken for one that refuses.
    pub(crate) longest_wait: Duration,
}

impl Patience {
    /// Calls `attempt` with the time left until it succeeds, fails for good, or patience is at its end. The breaker hears
    /// once what came of all attempts; the provider's `Retry-After` is the least wait.
    pub(crate) async fn persist<T, F: Future<Output = Result<T, CallFailure>>>(
        &self,
        breaker: &Arc<Breaker>,
        mut attempt: impl FnMut(Duration) -> F,
    ) -> Result<T, CallFailure> {
        let mut waits = ExponentialBuilder::default()
            .with_min_delay(self.first_wait)
            .with_max_delay(self.longest_wait)
            .with_max_times(self.tries.saturating_sub(1))
            .with_jitter()
            .build();
        let mut admission = breaker.admit()?;
        loop {
            let failure = match attempt(self.time_left()).await {
                Ok(done) => {
                    admission.succeed();
                    return Ok(done);
                }
                Err(failure) => failure,
            };
            admission.note(&failure);
            let wait = match waits.next() {
                Some(wait) if failure.class.is_passing() && admission.may_retry() => {
                    wait.max(failure.retry_after.unwrap_or_default())
                }
                _ => return Err(failure),
            };
            if wait > self.longest_wait || wait >= self.time_left() {
                return Err(failure);
            }
            tokio::time::sleep(wait).await;
        }
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
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
        let cut = |message: &str| without_words_of(message, &[b"", request]);
        assert_eq!(cut("bad: 'a very secret \"question\" about code'!"), "bad: '[…]'!");
        assert_eq!(cut("'max_tokens' must be positive"), "'max_tokens' must be positive");
        assert_eq!(cut("short"), "short");
        assert_eq!(without_words_of("é is no é, naïve café", &[b"xx"]), "é is no é, naïve café");
    }
}
