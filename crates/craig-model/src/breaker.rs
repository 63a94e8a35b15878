//! A circuit breaker: asks a failing provider only now and then, until it works again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::FailureClass;

/// The window is counted in this many slices, so that requests leave it a few at a time.
const SLICES: u32 = 10;

/// Longest pause that a provider can ask for.
const MAX_RATE_LIMIT: Duration = Duration::from_secs(3_600);

/// When breakers open, and how they close again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakerSettings {
    /// Requests of this much time are counted.
    pub window: Duration,
    /// Fewer requests in the window prove nothing.
    pub min_requests: u32,
    /// Share of failed requests at which a breaker opens.
    pub failure_rate: f64,
    /// Wait before the first probe; it doubles with each probe that fails.
    pub probe_after: Duration,
    /// Longest wait between two probes.
    pub max_probe_after: Duration,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            window: Duration::from_secs(30),
            min_requests: 20,
            failure_rate: 0.5,
            probe_after: Duration::from_secs(1),
            max_probe_after: Duration::from_secs(60),
        }
    }
}

/// The circuit breaker of one model of a provider.
///
/// Closed, it lets everything through. It opens when enough requests of the window failed. After a wait it is half open:
/// one request may try as a probe, which closes the breaker, or opens it again for twice the time. Only failures of the
/// provider count, and a request counts once, whatever its retries. A 429 does not open it: the model is not asked for as
/// long as the provider says. The state belongs to one process.
///
/// The lock is held for a few instructions, never while something is awaited.
pub struct Breaker {
    settings: BreakerSettings,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Slices of the window in which there were requests, the oldest first.
    slices: VecDeque<Slice>,
    open: Option<Open>,
    limited_until: Option<Instant>,
}

/// Requests of a slice of time.
#[derive(Debug)]
struct Slice {
    started: Instant,
    requests: u32,
    failures: u32,
}

#[derive(Debug)]
struct Open {
    until: Instant,
    /// Wait before this probe; twice as long before the next.
    wait: Duration,
    is_probed: bool,
}

/// The state of a breaker; metrics report the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakerState {
    /// Everything is let through.
    Closed = 0,
    /// One request may try.
    HalfOpen = 1,
    /// Nothing is let through.
    Open = 2,
}

/// Why a breaker lets a request not through, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerOpen {
    /// [`FailureClass::RateLimit`] if the provider asked for a pause, else [`FailureClass::Network`].
    pub class: FailureClass,
    /// When it may let one through.
    pub retry_after: Duration,
}

/// The permission to send one request. The breaker counts its outcome when it is dropped: nothing if the outcome is not
/// known, as when the client has gone away.
pub struct Admission {
    breaker: Arc<Breaker>,
    is_probe: bool,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The provider works, whatever it answered.
    Answered,
    Failed,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(settings: BreakerSettings) -> Self {
        Self { settings, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one request through, or says for how long there is none.
    pub fn admit(self: &Arc<Self>) -> Result<Admission, BreakerOpen> {
        let is_probe = self.lock().admit(Instant::now())?;
        Ok(Admission { breaker: Arc::clone(self), is_probe, outcome: None })
    }

    /// Its state now.
    pub fn state(&self) -> BreakerState {
        match &self.lock().open {
            None => BreakerState::Closed,
            Some(open) if open.until > Instant::now() => BreakerState::Open,
            Some(_) => BreakerState::HalfOpen,
        }
    }

    /// Whether it knows nothing that would be missed.
    pub fn is_idle(&self) -> bool {
        let (mut state, now) = (self.lock(), Instant::now());
        state.forget(now, self.settings.window);
        state.slices.is_empty()
            && state.open.is_none()
            && state.limited_until.is_none_or(|until| until <= now)
    }

    fn record(&self, outcome: Outcome, is_probe: bool) {
        let (mut state, now) = (self.lock(), Instant::now());
        match (&mut state.open, is_probe) {
            // It was sent before the breaker opened: nothing new.
            (Some(_), false) => {}
            (Some(open), true) if outcome == Outcome::Failed => {
                open.wait = (open.wait * 2).min(self.settings.max_probe_after);
                open.until = now + with_jitter(open.wait);
            }
            // The model works, but may have asked for a pause.
            (Some(_), true) => {
                *state = State { limited_until: state.limited_until, ..State::default() };
            }
            (None, _) => {
                state.count(outcome, now, self.settings.window);
                if state.fails_too_often(&self.settings) {
                    let wait = self.settings.probe_after.min(self.settings.max_probe_after);
                    state.slices.clear();
                    state.open = Some(Open { until: now + with_jitter(wait), wait, is_probed: false });
                }
            }
        }
    }
}

impl State {
    /// Whether the request that is let through is a probe.
    fn admit(&mut self, now: Instant) -> Result<bool, BreakerOpen> {
        if let Some(until) = self.limited_until.filter(|until| *until > now) {
            return Err(BreakerOpen { class: FailureClass::RateLimit, retry_after: until - now });
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        if open.until > now || open.is_probed {
            let retry_after = open.until.saturating_duration_since(now).max(Duration::from_secs(1));
            return Err(BreakerOpen { class: FailureClass::Network, retry_after });
        }
        open.is_probed = true;
        Ok(true)
    }

    fn count(&mut self, outcome: Outcome, now: Instant, window: Duration) {
        self.forget(now, window);
        let is_current = |slice: &Slice| now.saturating_duration_since(slice.started) < window / SLICES;
        if !self.slices.back().is_some_and(is_current) {
            self.slices.push_back(Slice { started: now, requests: 0, failures: 0 });
        }
        if let Some(slice) = self.slices.back_mut() {
            slice.requests += 1;
            slice.failures += u32::from(outcome == Outcome::Failed);
        }
    }

    /// Drops what has left the window.
    fn forget(&mut self, now: Instant, window: Duration) {
        let is_old = |slice: &Slice| now.saturating_duration_since(slice.started) >= window;
        while self.slices.front().is_some_and(is_old) {
            self.slices.pop_front();
        }
    }

    fn fails_too_often(&self, settings: &BreakerSettings) -> bool {
        let sum = |count: fn(&Slice) -> u32| self.slices.iter().map(count).sum::<u32>();
        let (requests, failures) = (sum(|slice| slice.requests), sum(|slice| slice.failures));
        requests >= settings.min_requests.max(1)
            && failures > 0
            && f64::from(failures) >= settings.failure_rate * f64::from(requests)
    }
}

/// A wait that is up to a tenth longer or shorter, so that several processes do not probe at once.
fn with_jitter(wait: Duration) -> Duration {
    use std::hash::{BuildHasher as _, RandomState};
    let share = (RandomState::new().hash_one(wait) % 1_000) as f64 / 1_000.0;
    wait.mul_f64(0.9 + 0.2 * share)
}

impl Admission {
    /// The provider has answered well.
    pub fn succeed(mut self) {
        self.outcome = Some(Outcome::Answered);
    }

    /// An attempt failed; a later one may succeed. Failures that the provider is not to blame for are not to be recorded.
    pub fn record_failure(&mut self, class: FailureClass, retry_after: Option<Duration>) {
        if class == FailureClass::RateLimit
            && let Some(wait) = retry_after
        {
            self.breaker.lock().limited_until = Some(Instant::now() + wait.min(MAX_RATE_LIMIT));
        }
        self.outcome = match class {
            FailureClass::Network
            | FailureClass::Timeout
            | FailureClass::Server
            | FailureClass::BadAnswer => Some(Outcome::Failed),
            FailureClass::RateLimit | FailureClass::Auth | FailureClass::InvalidRequest => {
                Some(Outcome::Answered)
            }
            FailureClass::Model | FailureClass::Busy | FailureClass::Cancelled => self.outcome,
        };
    }

    /// Whether the request may be sent again: a probe is sent once, and nothing is once the breaker has opened.
    pub fn may_retry(&self) -> bool {
        !self.is_probe && self.breaker.lock().open.is_none()
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        if let Some(outcome) = self.outcome {
            self.breaker.record(outcome, self.is_probe);
        }
        if self.is_probe
            && let Some(open) = &mut self.breaker.lock().open
        {
            open.is_probed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: BreakerSettings = BreakerSettings {
        window: Duration::from_secs(30),
        min_requests: 20,
        failure_rate: 0.5,
        probe_after: Duration::from_millis(20),
        max_probe_after: Duration::from_secs(60),
    };

    fn breaker() -> Arc<Breaker> {
        Arc::new(Breaker::new(SETTINGS))
    }

    fn fail(breaker: &Arc<Breaker>, class: FailureClass) {
        breaker.admit().unwrap().record_failure(class, None);
    }

    fn succeed(breaker: &Arc<Breaker>) {
        breaker.admit().unwrap().succeed();
    }

    /// Waits until a probe is due; by then it may be long overdue.
    fn wait_for_probe(breaker: &Breaker) {
        while breaker.state() == BreakerState::Open {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn half_of_enough_requests_have_to_fail() {
        let few = breaker();
        (0..19).for_each(|_| fail(&few, FailureClass::Server));
        assert_eq!(few.state(), BreakerState::Closed);
        succeed(&few);
        assert_eq!(few.state(), BreakerState::Open, "19 of 20 have failed");
        assert!(few.admit().is_err_and(|open| open.class == FailureClass::Network));
        let well = breaker();
        (0..100).for_each(|_| {
            fail(&well, FailureClass::Timeout);
            succeed(&well);
            succeed(&well);
        });
        assert_eq!(well.state(), BreakerState::Closed, "a third of them has failed");
    }

    #[test]
    fn what_has_left_the_window_does_not_count() {
        let (mut state, start) = (State::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        (0..19).for_each(|_| state.count(Outcome::Failed, at(0), SETTINGS.window));
        state.count(Outcome::Failed, at(29), SETTINGS.window);
        assert!(state.fails_too_often(&SETTINGS));
        state.count(Outcome::Failed, at(30), SETTINGS.window);
        assert!(!state.fails_too_often(&SETTINGS), "{state:?}");
    }

    #[test]
    fn a_request_counts_once_and_only_faults_of_the_provider_count() {
        let breaker = breaker();
        for _ in 0..19 {
            let mut admission = breaker.admit().unwrap();
            (0..3).for_each(|_| admission.record_failure(FailureClass::Network, None));
        }
        for class in [FailureClass::RateLimit, FailureClass::InvalidRequest, FailureClass::Auth] {
            assert!(breaker.state() == BreakerState::Closed);
            assert!(Admission { breaker: self::breaker(), is_probe: false, outcome: None }.outcome_of(class));
        }
        drop(breaker.admit());
        assert_eq!(breaker.state(), BreakerState::Closed, "19 requests are not 20");
        fail(&breaker, FailureClass::BadAnswer);
        assert_eq!(breaker.state(), BreakerState::Open);
    }

    impl Admission {
        /// Whether a failure of this class leaves the provider blameless.
        fn outcome_of(mut self, class: FailureClass) -> bool {
            self.record_failure(class, None);
            self.outcome == Some(Outcome::Answered)
        }
    }

    #[test]
    fn one_probe_at_a_time_closes_or_opens_it_for_longer() {
        let breaker = breaker();
        (0..20).for_each(|_| fail(&breaker, FailureClass::Server));
        wait_for_probe(&breaker);
        let probe = breaker.admit().unwrap();
        assert!(breaker.admit().is_err(), "a second probe");
        drop(probe);
        fail(&breaker, FailureClass::Server);
        assert_eq!(breaker.state(), BreakerState::Open);
        assert_eq!(breaker.lock().open.as_ref().map(|open| open.wait), Some(Duration::from_millis(40)));
        wait_for_probe(&breaker);
        succeed(&breaker);
        assert_eq!(breaker.state(), BreakerState::Closed);
        (0..19).for_each(|_| fail(&breaker, FailureClass::Server));
        assert_eq!(breaker.state(), BreakerState::Closed, "it begins anew");
    }

    #[test]
    fn waits_between_probes_grow_up_to_a_bound() {
        let breaker = breaker();
        (0..20).for_each(|_| fail(&breaker, FailureClass::Server));
        for _ in 0..20 {
            breaker.lock().open.as_mut().unwrap().until = Instant::now();
            fail(&breaker, FailureClass::Server);
        }
        let wait = breaker.lock().open.as_ref().unwrap().wait;
        assert_eq!(wait, SETTINGS.max_probe_after);
    }

    #[test]
    fn a_rate_limit_pauses_requests_and_opens_nothing() {
        let breaker = breaker();
        breaker.admit().unwrap().record_failure(FailureClass::RateLimit, Some(Duration::from_secs(9)));
        let refused = breaker.admit().err().unwrap();
        assert_eq!(refused.class, FailureClass::RateLimit);
        assert!(refused.retry_after > Duration::from_secs(8));
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn a_rate_limited_probe_closes_it_and_pauses_requests() {
        let breaker = breaker();
        (0..20).for_each(|_| fail(&breaker, FailureClass::Server));
        wait_for_probe(&breaker);
        breaker.admit().unwrap().record_failure(FailureClass::RateLimit, Some(Duration::from_secs(9)));
        assert_eq!(breaker.state(), BreakerState::Closed);
        assert!(breaker.admit().is_err_and(|open| open.class == FailureClass::RateLimit));
    }
}
