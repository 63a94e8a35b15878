//! JSON over HTTP to a provider: time-outs, retries with backoff, errors that say whose turn it is.

mod retry;

use std::borrow::Cow;
use std::io::{BufRead as _, BufReader, Read as _};
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::http::{Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use crate::tls::crypto_provider;
use crate::{ModelError, Secret};
pub use retry::Patience;

/// Longest message of a provider that is passed on.
const MAX_MESSAGE_CHARS: usize = 300;

/// Largest answer that is read, in bytes: 128 vectors of 4,096 numbers as text are 10 MB.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// A provider's address, and how it is talked to.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Name of the provider in messages.
    pub provider: String,
    /// Whole address that requests are posted to.
    pub url: String,
    /// Key, sent as a bearer token.
    pub key: Option<Secret>,
    /// Environment variable that the key came from, for hints.
    pub key_variable: Option<String>,
    /// Longest wait for one answer.
    pub timeout: Duration,
    /// What every request passes before it is sent, as JSON: overwrites what is not to leave the machine.
    pub masked: fn(&str) -> Cow<'_, str>,
}

impl Endpoint {
    /// Posts `body` and gives the JSON that comes back. Passing failures are tried again as `patience` allows.
    pub fn post(&self, body: &Value, patience: &Patience) -> Result<Value, ModelError> {
        patience.persist(|timeout| self.post_once(body, timeout, MAX_ANSWER_BYTES))
    }

    /// Posts `body` and hands on the lines of what comes back, as they come, until `on_line` has enough of them.
    pub(crate) fn post_for_lines(
        &self,
        body: &Value,
        timeout: Duration,
        mut on_line: impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<(), ModelError> {
        let started = Instant::now();
        let mut response = self.send(body, timeout.min(self.timeout))?;
        let failed = |error: std::io::Error| self.failure(ureq::Error::from(error), started.elapsed());
        let reader = response.body_mut().as_reader();
        for line in BufReader::new(reader.take(MAX_ANSWER_BYTES)).split(b'\n') {
            let line = line.map_err(failed)?;
            if on_line(String::from_utf8_lossy(&line).trim_end_matches('\r')).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Sends `body`; an answer that is an error is one.
    fn send(&self, body: &Value, timeout: Duration) -> Result<Response<Body>, ModelError> {
        let started = Instant::now();
        let request = AGENT.post(&self.url).config().timeout_global(Some(timeout)).build();
        let request = match &self.key {
            Some(key) => request.header("Authorization", format!("Bearer {}", key.expose())),
            None => request,
        };
        let failed = |error| self.failure(error, started.elapsed());
        let request = request.header("Content-Type", "application/json");
        let mut response = request.send(&*(self.masked)(&body.to_string())).map_err(failed)?;
        if response.status().is_redirection() {
            return Err(ModelError::Redirected { provider: self.provider.clone() });
        }
        if !response.status().is_success() {
            let text = text_of(&mut response, MAX_ANSWER_BYTES).map_err(failed)?;
            return Err(self.refusal(&response, &text));
        }
        if is_compressed(&response) {
            return Err(ModelError::Compressed { provider: self.provider.clone() });
        }
        Ok(response)
    }

    /// Posts `body` once and gives the JSON that comes back, of at most `max_bytes`.
    pub(crate) fn post_once(
        &self,
        body: &Value,
        timeout: Duration,
        max_bytes: u64,
    ) -> Result<Value, ModelError> {
        let started = Instant::now();
        let mut response = self.send(body, timeout.min(self.timeout))?;
        let text =
            text_of(&mut response, max_bytes).map_err(|error| self.failure(error, started.elapsed()))?;
        serde_json::from_str(&text).map_err(|error| self.bad_answer(format!("it is not JSON: {error}")))
    }

    /// An error for an answer that cannot be used.
    pub(crate) fn bad_answer(&self, reason: impl Into<String>) -> ModelError {
        ModelError::BadAnswer { provider: self.provider.clone(), reason: reason.into() }
    }

    fn failure(&self, error: ureq::Error, waited: Duration) -> ModelError {
        let provider = self.provider.clone();
        match error {
            ureq::Error::Timeout(_) => ModelError::TimedOut { provider, waited },
            ureq::Error::BodyExceedsLimit(limit) => {
                self.bad_answer(format!("it is larger than {limit} bytes"))
            }
            other => ModelError::Unreachable {
                provider,
                url: without_credentials(&self.url),
                reason: self.redact(&other.to_string()),
            },
        }
    }

    fn refusal<T>(&self, response: &Response<T>, text: &str) -> ModelError {
        ModelError::Refused {
            provider: self.provider.clone(),
            status: response.status().as_u16(),
            message: shortened(&self.redact(&message_in(text))),
            retry_after: response
                .headers()
                .get("retry-after")
                .and_then(|value| retry_after(value.to_str().ok()?)),
            key_variable: self.key_variable.clone(),
        }
    }

    fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}

/// The address without the name and password before its host.
pub(crate) fn without_credentials(url: &str) -> String {
    let Ok(uri) = url.parse::<Uri>() else {
        // It is not sent either; a password may be anywhere before an '@'.
        return url.rsplit('@').next().unwrap_or(url).to_owned();
    };
    match uri.authority().and_then(|authority| authority.as_str().rsplit_once('@')) {
        Some((credentials, _)) => url.replacen(&format!("{credentials}@"), "", 1),
        None => url.to_owned(),
    }
}

/// Whether the body is encoded in a way other than gzip, the one that requests offer.
fn is_compressed<T>(response: &Response<T>) -> bool {
    response.headers().get_all("content-encoding").iter().any(|encoding| {
        let encoding = encoding.as_bytes().trim_ascii();
        !(encoding.is_empty()
            || encoding.eq_ignore_ascii_case(b"identity")
            || encoding.eq_ignore_ascii_case(b"gzip"))
    })
}

fn text_of(response: &mut Response<Body>, max_bytes: u64) -> Result<String, ureq::Error> {
    response.body_mut().with_config().limit(max_bytes).lossy_utf8(true).read_to_string()
}

/// One agent for all providers, so that connections are kept open. The system's own certificates are trusted.
static AGENT: LazyLock<Agent> = LazyLock::new(|| {
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(crypto_provider())
        .build();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        // As many as a gateway asks its reranker at once, by default.
        .max_idle_connections(16)
        .max_idle_connections_per_host(16)
        .timeout_connect(Some(Duration::from_secs(10)))
        .user_agent(concat!("craig/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls);
    config.build().new_agent()
});

/// What the body of a provider's error says: the forms of OpenAI, Voyage, Cohere and TEI, else the text.
pub fn message_in(text: &str) -> String {
    let Ok(body) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let places = ["/error/message", "/detail", "/message", "/error"];
    let found = places.iter().find_map(|place| body.pointer(place)?.as_str());
    found.map_or_else(|| text.to_owned(), str::to_owned)
}

/// One line of at most 300 characters.
pub fn shortened(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// How long a `Retry-After` asks to wait: it is seconds or a date. `None` when it is neither.
pub fn retry_after(value: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(jiff::Timestamp::now())).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_and_shortened() {
        for body in [
            r#"{"error":{"message":"no such model"}}"#,
            r#"{"detail":"no such model"}"#,
            r#"{"message":"no such model"}"#,
            r#"{"error":"no such model","error_type":"x"}"#,
            "no such\n model",
        ] {
            assert_eq!(shortened(&message_in(body)), "no such model");
        }
        assert_eq!(shortened(&"x".repeat(400)).chars().count(), MAX_MESSAGE_CHARS + 1);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let after = retry_after;
        assert_eq!(after("3"), Some(Duration::from_secs(3)));
        assert_eq!(after("-3"), None);
        assert_eq!(after("soon"), None);
        assert_eq!(after("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(60);
        let date = later.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let wait = after(&date).unwrap();
        assert!((58..=60).contains(&wait.as_secs()), "{date} {wait:?}");
    }

    #[test]
    fn addresses_are_shown_without_passwords() {
        for (url, expected) in [
            ("https://me:secret@host/v1", "https://host/v1"),
            ("https://me@host:8080/v1/@me@x?q=a@b", "https://host:8080/v1/@me@x?q=a@b"),
            ("https://host/models@v1", "https://host/models@v1"),
            ("https://me:a secret@host/v1", "host/v1"),
        ] {
            assert_eq!(without_credentials(url), expected);
        }
    }
}
