//! What is left to a client of what it may request in an hour.

use std::time::Duration;

use axum::response::Response;
use http::HeaderValue;

/// The time that limits are counted over.
pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Rerank,
    Search,
}

impl Resource {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rerank => "rerank",
            Self::Search => "search",
        }
    }
}

/// The verdict of a rate limiter on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) is_admitted: bool,
    /// Requests that would be admitted at once.
    pub(crate) remaining: u32,
    /// When the next one is admitted.
    pub(crate) wait: Duration,
}

/// What is left to a client after a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    pub(crate) resource: Resource,
    pub(crate) per_hour: u32,
    pub(crate) verdict: Verdict,
}

impl Allowance {
    pub(crate) fn is_admitted(&self) -> bool {
        self.verdict.is_admitted
    }

    pub(crate) fn write_headers(&self, response: &mut Response) {
        let interval = HOUR / self.per_hour.max(1);
        let used = self.per_hour.saturating_sub(self.verdict.remaining);
        let headers = response.headers_mut();
        headers.insert("x-ratelimit-resource", HeaderValue::from_static(self.resource.name()));
        headers.insert("x-ratelimit-limit", HeaderValue::from(self.per_hour));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(self.verdict.remaining));
        headers.insert("x-ratelimit-reset", HeaderValue::from(whole_seconds(interval * used)));
    }
}

/// Seconds, rounded up, at least one.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs_f64().ceil() as u64).max(1)
}
