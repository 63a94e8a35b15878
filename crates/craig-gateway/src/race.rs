//! Several providers for one answer: the next is asked as soon as one fails, or sends nothing for too long.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use craig_engine::{Admission, Breaker, FailureClass};

use crate::call::CallFailure;
use crate::upstreams::Patience;

/// Wait before the second try of a provider, and the longest wait between two. A provider that asks for a longer pause is not
/// asked again.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Time limits and retries of a race.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Maximum time until the first provider begins to answer.
    pub(crate) timeout: Duration,
    /// Time without a first byte after which the next provider is asked as well.
    pub(crate) first_byte: Duration,
    /// Tries for each provider, the first included.
    pub(crate) tries: usize,
    /// Whether answers are streamed, so that a late first byte means a slow provider.
    pub(crate) is_streamed: bool,
}

impl Pace {
    /// The same for a provider with bounds of its own.
    pub(crate) fn with(self, patience: Patience) -> Self {
        Self {
            timeout: patience.timeout.unwrap_or(self.timeout),
            first_byte: patience.first_byte_timeout.unwrap_or(self.first_byte),
            tries: patience.tries.unwrap_or(self.tries),
            ..self
        }
    }
}

/// A race between providers, the preferred one first.
pub(crate) struct Race<'r, T> {
    deadline: Instant,
    contenders: Vec<Contender>,
    running: Vec<Attempt<'r, T>>,
    failures: Vec<Failure>,
    /// When the next provider that was not asked yet is asked, although others are still running.
    next_fresh: Instant,
    tries: usize,
}

/// A provider in a race.
struct Contender {
    pace: Pace,
    state: Ask,
    admission: Option<Admission>,
    waits: ExponentialBackoff,
}

/// Whether a provider is asked, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Fresh,
    Running,
    Again(Instant),
    Never,
}

struct Attempt<'r, T> {
    index: usize,
    started: Instant,
    work: Pin<Box<dyn Future<Output = Result<T, CallFailure>> + Send + 'r>>,
}

/// The result of a race.
pub(crate) struct Finish<T> {
    /// The winner; if there is none, the index of the failure to report, unless there were no providers.
    pub(crate) result: Result<Won<T>, Option<usize>>,
    /// All failures, those before a success included.
    pub(crate) failures: Vec<Failure>,
    /// Attempts of all providers.
    pub(crate) tries: usize,
}

/// The attempt that won a race.
pub(crate) struct Won<T> {
    /// Index of the provider.
    pub(crate) index: usize,
    pub(crate) started: Instant,
    pub(crate) answer: T,
}

/// A failed attempt, or one that a circuit breaker has prevented.
pub(crate) struct Failure {
    /// Index of the provider.
    pub(crate) index: usize,
    pub(crate) started: Instant,
    pub(crate) time: Duration,
    pub(crate) failure: CallFailure,
}

impl<'r, T> Race<'r, T> {
    /// A race of providers with these limits, until the longest of their times is over.
    pub(crate) fn new(paces: impl Iterator<Item = Pace>) -> Self {
        let now = Instant::now();
        let waits = |pace: Pace| {
            ExponentialBuilder::default()
                .with_min_delay(FIRST_WAIT)
                .with_max_delay(LONGEST_WAIT)
                .with_max_times(pace.tries.saturating_sub(1))
                .with_jitter()
                .build()
        };
        let contender = |pace| Contender { pace, state: Ask::Fresh, admission: None, waits: waits(pace) };
        let contenders: Vec<Contender> = paces.map(contender).collect();
        let longest = contenders.iter().map(|contender| contender.pace.timeout).max().unwrap_or_default();
        Self {
            deadline: now + longest,
            contenders,
            running: Vec::new(),
            failures: Vec::new(),
            next_fresh: now,
            tries: 0,
        }
    }

    /// Runs the race: `breaker` gives a provider's circuit breaker, `attempt` asks it.
    pub(crate) async fn run<F: Future<Output = Result<T, CallFailure>> + Send + 'r>(
        mut self,
        breaker: impl Fn(usize) -> Arc<Breaker>,
        attempt: impl Fn(usize) -> F,
    ) -> Finish<T> {
        loop {
            let now = Instant::now();
            let next = self.next_start(now);
            if let Some((index, _)) = next.filter(|(_, at)| *at <= now) {
                if self.admit(index, &breaker) {
                    self.start(index, attempt(index));
                }
                continue;
            }
            if (next.is_none() && self.running.is_empty()) || now >= self.deadline {
                return self.lost();
            }
            let until = next.map_or(self.deadline, |(_, at)| at.min(self.deadline));
            match self.ended(until).await {
                Some((index, started, Ok(answer))) => return self.won(index, started, answer),
                Some((index, started, Err(failure))) => {
                    let is_final = failure.is_final();
                    self.failed(index, started, failure);
                    if is_final {
                        // The request itself was refused, so that other failures do not matter.
                        let last = self.failures.len().checked_sub(1);
                        return self.finish(Err(last));
                    }
                }
                None => {}
            }
        }
    }

    /// Which provider is asked next, and when. First tries come before second ones.
    fn next_start(&self, now: Instant) -> Option<(usize, Instant)> {
        let fresh = self.contenders.iter().position(|contender| contender.state == Ask::Fresh);
        if let Some(index) = fresh {
            return Some((index, if self.running.is_empty() { now } else { self.next_fresh }));
        }
        let again =
            self.contenders.iter().enumerate().filter_map(|(index, contender)| match contender.state {
                Ask::Again(at) => Some((index, at)),
                _ => None,
            });
        again.min_by_key(|(_, at)| *at)
    }

    /// Whether a provider may be asked now. One that may not is out of the race.
    fn admit(&mut self, index: usize, breaker: impl Fn(usize) -> Arc<Breaker>) -> bool {
        let contender = &mut self.contenders[index];
        if let Some(admission) = &contender.admission {
            let may_retry = admission.may_retry();
            if !may_retry {
                contender.leave();
            }
            return may_retry;
        }
        match breaker(index).admit() {
            Ok(admission) => contender.admission = Some(admission),
            Err(open) => {
                contender.state = Ask::Never;
                self.failures.push(Failure::new(index, Instant::now(), open.into()));
            }
        }
        self.contenders[index].admission.is_some()
    }

    fn start(&mut self, index: usize, work: impl Future<Output = Result<T, CallFailure>> + Send + 'r) {
        let started = Instant::now();
        self.contenders[index].state = Ask::Running;
        let n_fresh = self.contenders.iter().filter(|contender| contender.state == Ask::Fresh).count();
        let left = self.deadline.saturating_duration_since(started);
        let share = left / u32::try_from(n_fresh + 1).unwrap_or(u32::MAX);
        self.next_fresh = started + self.contenders[index].pace.first_byte.min(share);
        self.tries += 1;
        self.running.push(Attempt { index, started, work: Box::pin(work) });
    }

    /// The next attempt that ends, and when it started; `None` if none ends by `until`.
    async fn ended(&mut self, until: Instant) -> Option<(usize, Instant, Result<T, CallFailure>)> {
        let running = &mut self.running;
        let next = std::future::poll_fn(|context| {
            for at in 0..running.len() {
                if let Poll::Ready(result) = running[at].work.as_mut().poll(context) {
                    let Attempt { index, started, .. } = running.swap_remove(at);
                    return Poll::Ready((index, started, result));
                }
            }
            Poll::Pending
        });
        tokio::time::timeout_at(until.into(), next).await.ok()
    }

    fn failed(&mut self, index: usize, started: Instant, failure: CallFailure) {
        let now = Instant::now();
        self.next_fresh = now;
        let left = self.deadline.saturating_duration_since(now);
        let contender = &mut self.contenders[index];
        if let Some(admission) = &mut contender.admission {
            record(admission, &failure);
        }
        let wait = contender.waits.next().filter(|_| failure.class.is_passing());
        let wait = wait.map(|wait| wait.max(failure.retry_after.unwrap_or_default()));
        self.failures.push(Failure::new(index, started, failure));
        contender.state = match wait.filter(|wait| *wait <= LONGEST_WAIT && *wait < left) {
            Some(wait) => Ask::Again(now + wait),
            None => Ask::Never,
        };
        if contender.state == Ask::Never || !contender.admission.as_ref().is_some_and(Admission::may_retry) {
            contender.leave();
        }
    }

    fn won(mut self, index: usize, started: Instant, answer: T) -> Finish<T> {
        let time = started.elapsed();
        if let Some(admission) = self.contenders[index].admission.take() {
            admission.succeed();
        }
        // An answer that is not streamed arrives at its end: only a provider that takes much longer than another is slow.
        let is_streamed = self.contenders[index].pace.is_streamed;
        self.blame_the_silent(if is_streamed { Duration::ZERO } else { time * 3 });
        self.finish(Ok(Won { index, started, answer }))
    }

    fn lost(mut self) -> Finish<T> {
        for failure in self.blame_the_silent(Duration::ZERO) {
            if self.failures.iter().all(|other| other.index != failure.index) {
                self.failures.push(failure);
            }
        }
        let reported = reported(&self.failures);
        self.finish(Err(reported))
    }

    fn finish(self, result: Result<Won<T>, Option<usize>>) -> Finish<T> {
        Finish { result, failures: self.failures, tries: self.tries }
    }

    /// The time after which a provider that sent nothing counts as slow.
    fn fair_time(&self, index: usize) -> Duration {
        let n = u32::try_from(self.contenders.len()).unwrap_or(u32::MAX).max(1);
        let pace = self.contenders[index].pace;
        pace.first_byte.min(pace.timeout / n).mul_f64(0.9)
    }

    /// Records a timeout of each provider that is still running. Returns the timeouts of those that were asked too
    /// late to be blamed: within their fair time, or within `least`.
    fn blame_the_silent(&mut self, least: Duration) -> Vec<Failure> {
        let mut blameless = Vec::new();
        for Attempt { index, started, .. } in std::mem::take(&mut self.running) {
            let is_ours = started.elapsed() < self.fair_time(index).max(least);
            let failure = CallFailure { is_ours, ..CallFailure::new(FailureClass::Timeout) };
            if let Some(admission) = &mut self.contenders[index].admission {
                record(admission, &failure);
            }
            let failures = if is_ours { &mut blameless } else { &mut self.failures };
            failures.push(Failure::new(index, started, failure));
        }
        blameless
    }
}

/// Lets the breaker know of a failure that the provider is to blame for.
fn record(admission: &mut Admission, failure: &CallFailure) {
    if !failure.is_ours {
        admission.record_failure(failure.class, failure.retry_after);
    }
}

impl Contender {
    /// Is not asked again; its breaker counts the outcome.
    fn leave(&mut self) {
        self.state = Ask::Never;
        self.admission = None;
    }
}

impl Failure {
    /// A failure that was noticed just now.
    fn new(index: usize, started: Instant, failure: CallFailure) -> Self {
        Self { index, started, time: started.elapsed(), failure }
    }
}

/// The index of the failure to report: the last one of the last provider that was called, else that of the breaker that
/// closes first, else that of a translation.
fn reported(failures: &[Failure]) -> Option<usize> {
    let all = || failures.iter().enumerate();
    let called = all().filter(|(_, failed)| failed.failure.was_sent()).max_by_key(|(_, failed)| failed.index);
    let short_circuits = all().filter(|(_, failed)| failed.failure.is_short_circuit);
    let shortest = short_circuits.min_by_key(|(_, failed)| failed.failure.retry_after);
    let untranslatable = all().max_by_key(|(_, failed)| failed.index);
    called.or(shortest).or(untranslatable).map(|(at, _)| at)
}
