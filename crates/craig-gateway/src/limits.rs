//! How much one client may ask for in an hour.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::response::Response;
use http::HeaderValue;

use crate::caller::Caller;
use crate::config::HourlyLimits;
use crate::failure::{Problem, whole_seconds};
use crate::shared::{Redis, Verdict};

const HOUR: Duration = Duration::from_secs(3_600);

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

/// The limits of all clients, in memory or shared through Redis.
pub(crate) struct Limits {
    reranks: Option<Limit>,
    searches: Option<Limit>,
    redis: Option<Redis>,
}

/// A limit by the generic cell rate algorithm, as `shared.rs` has it for Redis: of each client one time is kept, when its
/// requests so far would be over at an even pace.
///
/// The lock is held for a few instructions.
struct Limit {
    per_hour: NonZeroU32,
    due: Mutex<HashMap<Arc<str>, Instant>>,
}

/// What is left to a client after a request, for its headers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    resource: Resource,
    per_hour: u32,
    verdict: Verdict,
}

impl Limits {
    pub(crate) fn new(limits: HourlyLimits, redis: Option<Redis>) -> Self {
        let limit = |per_hour: Option<u32>| per_hour.and_then(NonZeroU32::new).map(Limit::new);
        Self { reranks: limit(limits.reranks), searches: limit(limits.searches), redis }
    }

    /// Counts a request of `caller`; `None` where there is no limit.
    pub(crate) async fn charge(&self, resource: Resource, caller: &Caller) -> Option<Allowance> {
        let limit = match resource {
            Resource::Rerank => self.reranks.as_ref()?,
            Resource::Search => self.searches.as_ref()?,
        };
        let per_hour = limit.per_hour.get();
        let shared = match &self.redis {
            Some(redis) => redis.charge(&format!("{}:{}", resource.name(), caller.user), per_hour).await,
            None => None,
        };
        let verdict = shared.unwrap_or_else(|| limit.charge(&caller.user, Instant::now()));
        Some(Allowance { resource, per_hour, verdict })
    }

    /// Forgets clients that have not asked for long.
    pub(crate) fn tidy(&self) {
        for limit in [&self.reranks, &self.searches].into_iter().flatten() {
            limit.tidy(Instant::now());
        }
    }
}

impl Limit {
    fn new(per_hour: NonZeroU32) -> Self {
        Self { per_hour, due: Mutex::default() }
    }

    fn charge(&self, user: &Arc<str>, now: Instant) -> Verdict {
        let per_hour = self.per_hour.get();
        let interval = HOUR / per_hour;
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let next = due.get(user).map_or(now, |due| now.max(*due)) + interval;
        let ahead = next - now;
        let burst = interval * per_hour;
        if ahead > burst {
            return Verdict { is_admitted: false, remaining: 0, wait: ahead - burst };
        }
        due.insert(Arc::clone(user), next);
        let remaining = (burst - ahead).as_nanos() / interval.as_nanos().max(1);
        Verdict { is_admitted: true, remaining: remaining as u32, wait: Duration::ZERO }
    }

    fn tidy(&self, now: Instant) {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, due| *due > now);
    }
}

impl Allowance {
    pub(crate) fn is_admitted(&self) -> bool {
        self.verdict.is_admitted
    }

    /// What a client beyond its limit is told.
    pub(crate) fn problem(&self) -> Problem {
        let (name, per_hour) = (self.resource.name(), self.per_hour);
        let message = format!("this key may {name} {per_hour} times an hour");
        Problem {
            allowance: Some(Box::new(*self)),
            ..Problem::too_many("rate_limit_exceeded", message, self.verdict.wait)
        }
    }

    /// Tells the client what is left to it.
    pub(crate) fn tell(&self, response: &mut Response) {
        let interval = HOUR / self.per_hour.max(1);
        let used = self.per_hour.saturating_sub(self.verdict.remaining);
        let headers = response.headers_mut();
        headers.insert("x-ratelimit-resource", HeaderValue::from_static(self.resource.name()));
        headers.insert("x-ratelimit-limit", HeaderValue::from(self.per_hour));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(self.verdict.remaining));
        headers.insert("x-ratelimit-reset", HeaderValue::from(whole_seconds(interval * used)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_admitted_and_then_one_after_the_other() {
        let limit = Limit::new(NonZeroU32::new(4).unwrap());
        let (user, other): (Arc<str>, Arc<str>) = ("a".into(), "b".into());
        let start = Instant::now();
        let remaining: Vec<u32> = (0..4).map(|_| limit.charge(&user, start).remaining).collect();
        assert_eq!(remaining, [3, 2, 1, 0]);
        let refused = limit.charge(&user, start);
        assert_eq!((refused.is_admitted, refused.wait), (false, HOUR / 4));
        assert!(limit.charge(&other, start).is_admitted);
        assert!(limit.charge(&user, start + HOUR / 4).is_admitted);
        assert!(!limit.charge(&user, start + HOUR / 4).is_admitted);
        limit.tidy(start + HOUR * 3);
        assert!(limit.due.lock().unwrap().is_empty());
        assert_eq!(limit.charge(&user, start + HOUR * 3).remaining, 3);
    }
}
