//! Leaves alone what fails: a circuit breaker by failure rate for each model of a provider, with rate limits apart.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use craig_engine::FailureClass;

use crate::call::CallFailure;

/// The window is counted in so many slices, so that requests leave it a few at a time.
const SLICES: u32 = 10;

/// A provider that asks to be left alone for longer is asked again after this time.
const LONGEST_RATE_LIMIT: Duration = Duration::from_secs(3_600);

/// Models of which only clients know the name: beyond so many for one provider, they share a breaker.
const MAX_OTHER_MODELS: usize = 100;

/// What models are called in metrics and logs of which only clients know the name.
pub(crate) const OTHER_MODEL: &str = "other";

/// When breakers open, and how they close again.
#[derive(Clone, Copy, Debug)]
pub struct BreakerSettings {
    /// Requests of the last so much time are looked at.
    pub window: Duration,
    /// Fewer of them prove nothing.
    pub min_requests: u32,
    /// Share of them that failed, from which on nothing is sent any more.
    pub failure_rate: f64,
    /// Wait before the first probe; it doubles with each probe that fails.
    pub probe_after: Duration,
    /// Longest wait between two probes.
    pub max_probe_after: Duration,
}

/// The breakers of one provider, by what it calls its models.
pub(crate) struct Breakers {
    settings: BreakerSettings,
    /// Of the models that the configuration names; the empty name is the provider's own choice.
    configured: BTreeMap<String, Arc<Breaker>>,
    /// Of models that only clients name. The lock is held to find one, never while something is waited for.
    others: Mutex<HashMap<String, Arc<Breaker>>>,
    /// Of those beyond [`MAX_OTHER_MODELS`].
    rest: Arc<Breaker>,
}

/// Whether a model of a provider is worth asking for.
///
/// Closed, it lets everything through. When enough requests of the window failed, it opens; after a wait, it is half
/// open: a single request may try. It closes the breaker, or opens it again for twice the time. Only faults of the
/// provider count, and a request counts once, whatever its retries. A 429 opens nothing: the model is left alone for as
/// long as the provider asks. What one process has seen stays with it.
///
/// The lock is held for a few instructions, never while something is waited for.
pub(crate) struct Breaker {
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

/// How a breaker stands; metrics have the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Closed = 0,
    HalfOpen = 1,
    Open = 2,
}

/// The right of one request to ask. What came of it is recorded when it is dropped: nothing where nobody knows, as when the
/// client has gone away.
pub(crate) struct Admission {
    breaker: Arc<Breaker>,
    pub(crate) is_probe: bool,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The provider works, whatever it said.
    Answered,
    Failed,
}

impl Breakers {
    pub(crate) fn new<'m>(settings: BreakerSettings, models: impl IntoIterator<Item = &'m str>) -> Self {
        let breaker = || Arc::new(Breaker::new(settings));
        let configured = models.into_iter().chain([""]).map(|model| (model.to_owned(), breaker())).collect();
        Self { settings, configured, others: Mutex::default(), rest: breaker() }
    }

    /// The breaker of a model; of whatever the provider chooses where `model` is `None`.
    pub(crate) fn for_model(&self, model: Option<&str>) -> Arc<Breaker> {
        let model = model.unwrap_or_default();
        if let Some(breaker) = self.configured.get(model) {
            return Arc::clone(breaker);
        }
        let mut others = self.others();
        if let Some(breaker) = others.get(model) {
            return Arc::clone(breaker);
        }
        if others.len() >= MAX_OTHER_MODELS {
            others.retain(|_, breaker| Arc::strong_count(breaker) > 1 || !breaker.is_idle());
        }
        if others.len() >= MAX_OTHER_MODELS {
            return Arc::clone(&self.rest);
        }
        let breaker = Arc::new(Breaker::new(self.settings));
        others.insert(model.to_owned(), Arc::clone(&breaker));
        breaker
    }

    /// How each configured model stands, and as `other` the worst of those that only clients name.
    pub(crate) fn standings(&self) -> Vec<(&str, Standing)> {
        let configured = self.configured.iter().filter(|(model, _)| !model.is_empty());
        let mut standings: Vec<_> =
            configured.map(|(model, breaker)| (model.as_str(), breaker.standing())).collect();
        let unnamed =
            self.configured.get("").into_iter().chain([&self.rest]).map(|breaker| breaker.standing());
        let others = self.others().values().map(|breaker| breaker.standing()).max();
        standings.push((OTHER_MODEL, unnamed.chain(others).max().unwrap_or(Standing::Closed)));
        standings
    }

    fn others(&self) -> MutexGuard<'_, HashMap<String, Arc<Breaker>>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Breaker {
    pub(crate) fn new(settings: BreakerSettings) -> Self {
        Self { settings, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one request through, or says for how long there is none.
    pub(crate) fn admit(self: &Arc<Self>) -> Result<Admission, CallFailure> {
        let is_probe = self.state().admit(Instant::now())?;
        Ok(Admission { breaker: Arc::clone(self), is_probe, outcome: None })
    }

    /// How it stands now.
    pub(crate) fn standing(&self) -> Standing {
        match &self.state().open {
            None => Standing::Closed,
            Some(open) if open.until > Instant::now() => Standing::Open,
            Some(_) => Standing::HalfOpen,
        }
    }

    /// Whether it knows nothing that would be missed.
    fn is_idle(&self) -> bool {
        let (mut state, now) = (self.state(), Instant::now());
        state.forget(now, self.settings.window);
        state.slices.is_empty()
            && state.open.is_none()
            && state.limited_until.is_none_or(|until| until <= now)
    }

    fn record(&self, outcome: Outcome, is_probe: bool) {
        let (mut state, now) = (self.state(), Instant::now());
        match (&mut state.open, is_probe) {
            // Sent before it opened: tells nothing new.
            (Some(_), false) => {}
            (Some(open), true) if outcome == Outcome::Failed => {
                open.wait = (open.wait * 2).min(self.settings.max_probe_after);
                open.until = now + varied(open.wait);
            }
            (Some(_), true) => *state = State::default(),
            (None, _) => {
                state.count(outcome, now, self.settings.window);
                if state.fails_too_often(&self.settings) {
                    let wait = self.settings.probe_after.min(self.settings.max_probe_after);
                    state.slices.clear();
                    state.open = Some(Open { until: now + varied(wait), wait, is_probed: false });
                }
            }
        }
    }
}

impl State {
    /// Whether the request that is let through is a probe.
    fn admit(&mut self, now: Instant) -> Result<bool, CallFailure> {
        if let Some(until) = self.limited_until.filter(|until| *until > now) {
            return Err(CallFailure::short_circuit(FailureClass::RateLimit, until - now));
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        if open.until > now || open.is_probed {
            let wait = open.until.saturating_duration_since(now).max(Duration::from_secs(1));
            return Err(CallFailure::short_circuit(FailureClass::Network, wait));
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

    /// Forgets what has left the window.
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

/// A wait with up to a tenth more or less, so that several gateways do not probe at once.
fn varied(wait: Duration) -> Duration {
    use std::hash::{BuildHasher as _, RandomState};
    let share = (RandomState::new().hash_one(wait) % 1_000) as f64 / 1_000.0;
    wait.mul_f64(0.9 + 0.2 * share)
}

impl Admission {
    /// The provider has answered well.
    pub(crate) fn succeed(mut self) {
        self.outcome = Some(Outcome::Answered);
    }

    /// An attempt of the request failed; a later one may succeed.
    pub(crate) fn note(&mut self, failure: &CallFailure) {
        if failure.class == FailureClass::RateLimit
            && let Some(wait) = failure.retry_after
        {
            self.breaker.state().limited_until = Some(Instant::now() + wait.min(LONGEST_RATE_LIMIT));
        }
        self.outcome = match failure.class {
            FailureClass::Network
            | FailureClass::Timeout
            | FailureClass::Server
            | FailureClass::BadAnswer
                if !failure.is_ours =>
            {
                Some(Outcome::Failed)
            }
            FailureClass::RateLimit | FailureClass::Auth | FailureClass::InvalidRequest => {
                Some(Outcome::Answered)
            }
            _ => self.outcome,
        };
    }

    /// Whether the request may ask once more: a probe asks once, and what has opened meanwhile stays closed to others.
    pub(crate) fn may_retry(&self) -> bool {
        !self.is_probe && self.breaker.state().open.is_none()
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        if let Some(outcome) = self.outcome {
            self.breaker.record(outcome, self.is_probe);
        }
        if self.is_probe
            && let Some(open) = &mut self.breaker.state().open
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
        breaker.admit().map_err(|_| "refused").unwrap().note(&CallFailure::new(class));
    }

    fn succeed(breaker: &Arc<Breaker>) {
        breaker.admit().map_err(|_| "refused").unwrap().succeed();
    }

    /// Waits until a probe is due; by then it may be long overdue.
    fn wait_for_probe(breaker: &Breaker) {
        while breaker.standing() == Standing::Open {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn half_of_enough_requests_have_to_fail() {
        let few = breaker();
        (0..19).for_each(|_| fail(&few, FailureClass::Server));
        assert_eq!(few.standing(), Standing::Closed);
        succeed(&few);
        assert_eq!(few.standing(), Standing::Open, "19 of 20 have failed");
        assert!(few.admit().is_err_and(|failure| failure.is_short_circuit));
        let well = breaker();
        (0..100).for_each(|_| {
            fail(&well, FailureClass::Timeout);
            succeed(&well);
            succeed(&well);
        });
        assert_eq!(well.standing(), Standing::Closed, "a third of them has failed");
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
            let mut admission = breaker.admit().map_err(|_| "refused").unwrap();
            (0..3).for_each(|_| admission.note(&CallFailure::new(FailureClass::Network)));
        }
        for class in [FailureClass::RateLimit, FailureClass::InvalidRequest, FailureClass::Auth] {
            assert!(breaker.standing() == Standing::Closed);
            assert!(Admission { breaker: self::breaker(), is_probe: false, outcome: None }.outcome_of(class));
        }
        let ours = CallFailure { is_ours: true, ..CallFailure::new(FailureClass::Timeout) };
        breaker.admit().map_err(|_| "refused").unwrap().note(&ours);
        drop(breaker.admit());
        assert_eq!(breaker.standing(), Standing::Closed, "19 requests are not 20");
        fail(&breaker, FailureClass::BadAnswer);
        assert_eq!(breaker.standing(), Standing::Open);
    }

    impl Admission {
        /// Whether a failure of this class leaves the provider blameless.
        fn outcome_of(mut self, class: FailureClass) -> bool {
            self.note(&CallFailure::new(class));
            self.outcome == Some(Outcome::Answered)
        }
    }

    #[test]
    fn one_probe_at_a_time_closes_or_opens_it_for_longer() {
        let breaker = breaker();
        (0..20).for_each(|_| fail(&breaker, FailureClass::Server));
        wait_for_probe(&breaker);
        let probe = breaker.admit().map_err(|_| "no probe").unwrap();
        assert!(breaker.admit().is_err(), "a second probe");
        drop(probe);
        fail(&breaker, FailureClass::Server);
        assert_eq!(breaker.standing(), Standing::Open);
        assert_eq!(breaker.state().open.as_ref().map(|open| open.wait), Some(Duration::from_millis(40)));
        wait_for_probe(&breaker);
        succeed(&breaker);
        assert_eq!(breaker.standing(), Standing::Closed);
        (0..19).for_each(|_| fail(&breaker, FailureClass::Server));
        assert_eq!(breaker.standing(), Standing::Closed, "it begins anew");
    }

    #[test]
    fn waits_between_probes_grow_up_to_a_bound() {
        let breaker = breaker();
        (0..20).for_each(|_| fail(&breaker, FailureClass::Server));
        for _ in 0..20 {
            breaker.state().open.as_mut().unwrap().until = Instant::now();
            fail(&breaker, FailureClass::Server);
        }
        let wait = breaker.state().open.as_ref().unwrap().wait;
        assert_eq!(wait, SETTINGS.max_probe_after);
    }

    #[test]
    fn a_rate_limit_leaves_the_model_alone_and_opens_nothing() {
        let breakers = Breakers::new(SETTINGS, ["configured"]);
        let limited = CallFailure {
            retry_after: Some(Duration::from_secs(9)),
            ..CallFailure::new(FailureClass::RateLimit)
        };
        breakers.for_model(Some("a")).admit().map_err(|_| "refused").unwrap().note(&limited);
        let refused = breakers.for_model(Some("a")).admit().err().unwrap();
        assert_eq!((refused.class, refused.is_short_circuit), (FailureClass::RateLimit, true));
        assert!(refused.retry_after.is_some_and(|wait| wait > Duration::from_secs(8)));
        assert_eq!(breakers.for_model(Some("a")).standing(), Standing::Closed);
        assert!(breakers.for_model(Some("b")).admit().is_ok() && breakers.for_model(None).admit().is_ok());
    }

    #[test]
    fn clients_that_invent_models_do_not_make_breakers_without_end() {
        let breakers = Breakers::new(SETTINGS, ["configured"]);
        (0..20).for_each(|_| fail(&breakers.for_model(Some("down")), FailureClass::Server));
        for n in 0..1_000 {
            fail(&breakers.for_model(Some(&format!("invented {n}"))), FailureClass::InvalidRequest);
        }
        assert!(breakers.others().len() <= MAX_OTHER_MODELS);
        assert_eq!(breakers.for_model(Some("down")).standing(), Standing::Open);
        assert_eq!(breakers.standings(), [("configured", Standing::Closed), (OTHER_MODEL, Standing::Open)]);
    }
}
