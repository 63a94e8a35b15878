//! Hourly limits of each client.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::allowance::{Allowance, HOUR, Resource, Verdict};
use crate::config::HourlyLimits;
use crate::failure::Problem;
use crate::shared::Redis;

/// The limits of all clients, in memory or shared through Redis.
pub(crate) struct Limits {
    reranks: Option<Limit>,
    searches: Option<Limit>,
    redis: Option<Redis>,
}

/// Requests in an hour.
struct Limit {
    per_hour: NonZeroU32,
    rate: Rate,
}

/// Limits by the generic cell rate algorithm, the same as that of `shared.rs` for Redis. One time is kept for each client:
/// when its requests so far would be over at an even pace.
///
/// The lock is held for a few instructions.
#[derive(Default)]
pub(crate) struct Rate {
    due: Mutex<HashMap<Arc<str>, Instant>>,
}

impl Limits {
    pub(crate) fn new(limits: HourlyLimits, redis: Option<Redis>) -> Self {
        let limit = |per_hour: Option<u32>| per_hour.and_then(NonZeroU32::new).map(Limit::new);
        Self { reranks: limit(limits.reranks), searches: limit(limits.searches), redis }
    }

    /// Counts a request of `user`; `None` if there is no limit.
    pub(crate) async fn charge(&self, resource: Resource, user: &Arc<str>) -> Option<Allowance> {
        let limit = match resource {
            Resource::Rerank => self.reranks.as_ref()?,
            Resource::Search => self.searches.as_ref()?,
        };
        let per_hour = limit.per_hour.get();
        let shared = match &self.redis {
            Some(redis) => redis.charge(&format!("{}:{user}", resource.name()), per_hour, HOUR).await,
            None => None,
        };
        let verdict = shared.unwrap_or_else(|| limit.charge(user, Instant::now()));
        Some(Allowance { resource, per_hour, verdict })
    }

    /// Forgets clients whose requests no longer count.
    pub(crate) fn remove_expired(&self) {
        for limit in [&self.reranks, &self.searches].into_iter().flatten() {
            limit.remove_expired(Instant::now());
        }
    }
}

impl Limit {
    fn new(per_hour: NonZeroU32) -> Self {
        Self { per_hour, rate: Rate::default() }
    }

    fn charge(&self, user: &Arc<str>, now: Instant) -> Verdict {
        self.rate.charge(user, self.per_hour, HOUR, now)
    }

    fn remove_expired(&self, now: Instant) {
        self.rate.remove_expired(now);
    }
}

/// Locks a mutex, even if a thread that held it has panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Rate {
    /// Counts a request of `user`, who may send `most` in `time`.
    pub(crate) fn charge(&self, user: &Arc<str>, most: NonZeroU32, time: Duration, now: Instant) -> Verdict {
        let interval = time / most.get();
        let mut due = locked(&self.due);
        let next = due.get(user).map_or(now, |due| now.max(*due)) + interval;
        let ahead = next - now;
        let burst = interval * most.get();
        if ahead > burst {
            return Verdict { is_admitted: false, remaining: 0, wait: ahead - burst };
        }
        due.insert(Arc::clone(user), next);
        let remaining = (burst - ahead).as_nanos() / interval.as_nanos().max(1);
        Verdict { is_admitted: true, remaining: remaining as u32, wait: Duration::ZERO }
    }

    /// Counts `n` of `user` at once, whether they are within the limit or not.
    pub(crate) fn add(&self, user: &Arc<str>, n: u64, most: NonZeroU32, time: Duration, now: Instant) {
        let mut due = locked(&self.due);
        let next = due.get(user).map_or(now, |due| now.max(*due));
        due.insert(Arc::clone(user), next + time.mul_f64(n as f64 / f64::from(most.get())));
    }

    /// How long `user` has to wait until something is left.
    pub(crate) fn wait(&self, user: &Arc<str>, time: Duration, now: Instant) -> Duration {
        let due = locked(&self.due);
        due.get(user).map_or(Duration::ZERO, |due| due.saturating_duration_since(now).saturating_sub(time))
    }

    pub(crate) fn remove_expired(&self, now: Instant) {
        locked(&self.due).retain(|_, due| *due > now);
    }
}

/// The error for a client beyond its limit.
pub(crate) fn refusal(allowance: Allowance) -> Problem {
    let Allowance { resource, per_hour, verdict } = allowance;
    let message = format!("this key may {} {per_hour} times per hour", resource.name());
    Problem {
        allowance: Some(Box::new(allowance)),
        ..Problem::too_many("rate_limit_exceeded", message, verdict.wait)
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
        limit.remove_expired(start + HOUR * 3);
        assert!(limit.rate.due.lock().unwrap().is_empty());
        assert_eq!(limit.charge(&user, start + HOUR * 3).remaining, 3);
    }
}
