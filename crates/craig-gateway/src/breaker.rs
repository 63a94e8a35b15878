//! Leaves a provider alone that fails: a circuit breaker, with rate limits counted apart.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use craig_engine::FailureClass;

use crate::call::CallFailure;

/// Failures in a row after which nothing is sent any more.
const FAILURES_TO_OPEN: u32 = 5;

/// How long nothing is sent; then one request tries.
const COOL_DOWN: Duration = Duration::from_secs(60);

/// Whether a provider is worth asking.
///
/// Closed, it lets everything through; after [`FAILURES_TO_OPEN`] failures in a row it is open for [`COOL_DOWN`]; then it is
/// half open: a single request may try, and closes it or opens it again. A 429 is no failure of that kind: the provider is
/// well, and is left alone for as long as it asks. A request that is refused for what it says is none either.
///
/// The lock is held for a few instructions, never while something is waited for.
pub(crate) struct Breaker {
    state: Mutex<State>,
    cool_down: Duration,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
    is_probed: bool,
    limited_until: Option<Instant>,
}

/// How a breaker stands, as metrics tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Closed = 0,
    HalfOpen = 1,
    Open = 2,
}

/// The right to one attempt. Dropped without a word, as when a client goes away, it says nothing of the provider.
pub(crate) struct Admission<'b> {
    breaker: &'b Breaker,
    is_probe: bool,
}

impl Breaker {
    pub(crate) fn new() -> Self {
        Self::with_cool_down(COOL_DOWN)
    }

    pub(crate) fn with_cool_down(cool_down: Duration) -> Self {
        Self { state: Mutex::default(), cool_down }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one attempt through, or says for how long there is none.
    pub(crate) fn admit(&self) -> Result<Admission<'_>, CallFailure> {
        let now = Instant::now();
        let mut state = self.state();
        if let Some(until) = state.limited_until.filter(|until| *until > now) {
            return Err(CallFailure::short_circuit(FailureClass::RateLimit, until - now));
        }
        let Some(until) = state.open_until else { return Ok(Admission { breaker: self, is_probe: false }) };
        if until > now || state.is_probed {
            let wait = until.saturating_duration_since(now).max(Duration::from_secs(1));
            return Err(CallFailure::short_circuit(FailureClass::Network, wait));
        }
        state.is_probed = true;
        Ok(Admission { breaker: self, is_probe: true })
    }

    /// How it stands now.
    pub(crate) fn standing(&self) -> Standing {
        match self.state().open_until {
            None => Standing::Closed,
            Some(until) if until > Instant::now() => Standing::Open,
            Some(_) => Standing::HalfOpen,
        }
    }

    /// Opens it because another instance says that the provider is down; an open one stays as it is.
    pub(crate) fn open_by_hint(&self, remaining: Duration) {
        let mut state = self.state();
        if state.open_until.is_none() {
            state.open_until = Some(Instant::now() + remaining.min(self.cool_down));
        }
    }

    /// How long it stays open, when it is.
    pub(crate) fn open_for(&self) -> Option<Duration> {
        self.state().open_until?.checked_duration_since(Instant::now())
    }
}

impl Admission<'_> {
    pub(crate) fn succeed(self) {
        let mut state = self.breaker.state();
        state.failures = 0;
        state.open_until = None;
        state.limited_until = None;
    }

    pub(crate) fn fail(self, failure: &CallFailure) {
        let mut state = self.breaker.state();
        match failure.class {
            FailureClass::RateLimit => {
                let wait = failure.retry_after.filter(|wait| !wait.is_zero());
                state.limited_until = wait.map(|wait| Instant::now() + wait.min(self.breaker.cool_down));
            }
            FailureClass::InvalidRequest | FailureClass::Model | FailureClass::Cancelled => {}
            _ => {
                state.failures += 1;
                if state.failures >= FAILURES_TO_OPEN || self.is_probe {
                    state.open_until = Some(Instant::now() + self.breaker.cool_down);
                }
            }
        }
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        if self.is_probe {
            self.breaker.state().is_probed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(breaker: &Breaker, class: FailureClass) {
        breaker.admit().expect("admitted").fail(&CallFailure::new(class));
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_a_success_between_does_not() {
        let breaker = Breaker::new();
        (0..4).for_each(|_| fail(&breaker, FailureClass::Server));
        breaker.admit().expect("still closed").succeed();
        (0..4).for_each(|_| fail(&breaker, FailureClass::Network));
        assert_eq!(breaker.standing(), Standing::Closed);
        fail(&breaker, FailureClass::Timeout);
        assert_eq!(breaker.standing(), Standing::Open);
        assert!(breaker.admit().is_err_and(|failure| failure.is_short_circuit));
    }

    #[test]
    fn one_probe_at_a_time_closes_or_opens_it_again() {
        let breaker = Breaker::with_cool_down(Duration::from_millis(20));
        (0..5).for_each(|_| fail(&breaker, FailureClass::Server));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(breaker.standing(), Standing::HalfOpen);
        let probe = breaker.admit().expect("one probe");
        assert!(breaker.admit().is_err(), "a second probe");
        drop(probe);
        breaker
            .admit()
            .expect("a probe that vanished leaves its place")
            .fail(&CallFailure::new(FailureClass::Server));
        assert_eq!(breaker.standing(), Standing::Open);
        std::thread::sleep(Duration::from_millis(30));
        breaker.admit().expect("next probe").succeed();
        assert_eq!(breaker.standing(), Standing::Closed);
    }

    #[test]
    fn limits_and_bad_requests_are_no_failures() {
        let breaker = Breaker::new();
        for class in [FailureClass::RateLimit, FailureClass::InvalidRequest] {
            (0..10).for_each(|_| fail(&breaker, class));
        }
        assert_eq!(breaker.standing(), Standing::Closed);
        let limited = CallFailure {
            retry_after: Some(Duration::from_secs(9)),
            ..CallFailure::new(FailureClass::RateLimit)
        };
        breaker.admit().expect("admitted").fail(&limited);
        let refused = breaker.admit().err().expect("left alone");
        assert_eq!((refused.class, refused.is_short_circuit), (FailureClass::RateLimit, true));
        assert!(refused.retry_after.is_some_and(|wait| wait > Duration::from_secs(8)));
    }
}
