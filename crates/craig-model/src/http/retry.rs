//! How often and how long a request is tried.

use std::time::{Duration, Instant};

use backon::{BackoffBuilder as _, ExponentialBuilder};

use crate::ModelError;

/// How often a request is tried, and until when.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Tries, the first included.
    pub tries: usize,
    /// When everything has to be done; `None` for never.
    pub deadline: Option<Instant>,
    /// Wait before the second try; it doubles from try to try, and varies so that many clients do not come at once.
    pub first_wait: Duration,
}

/// Nobody waits longer for a query to be embedded.
const LONGEST_QUERY: Duration = Duration::from_secs(15);

/// Longest wait between two tries, unless the provider asks for a longer one.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A provider that asks for more is taken for one that refuses.
const LONGEST_WAIT_ASKED: Duration = Duration::from_secs(120);

impl Patience {
    /// For somebody who waits for the answer: three tries before the deadline.
    pub fn until(deadline: Instant) -> Self {
        Self { tries: 3, deadline: Some(deadline), first_wait: Duration::from_millis(250) }
    }

    /// For the query of somebody who waits for results.
    pub fn for_query() -> Self {
        Self::until(Instant::now() + LONGEST_QUERY)
    }

    /// For work of minutes, which a rate limit slows down but must not end.
    pub fn for_bulk() -> Self {
        Self { tries: 8, deadline: None, first_wait: Duration::from_secs(1) }
    }

    /// Calls `attempt` with the time left for it until it succeeds, fails for good, or patience is at its end. The
    /// provider's `Retry-After` is the least wait.
    pub(crate) fn persist<T>(
        &self,
        attempt: impl FnMut(Duration) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        self.persist_while(|| true, attempt)
    }

    /// The same, but gives up with the last error once `may_retry` is false, which is asked before and after each wait.
    pub(crate) fn persist_while<T>(
        &self,
        may_retry: impl Fn() -> bool,
        mut attempt: impl FnMut(Duration) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        let mut waits = ExponentialBuilder::default()
            .with_min_delay(self.first_wait)
            .with_max_delay(LONGEST_WAIT)
            .with_max_times(self.tries.saturating_sub(1))
            .with_jitter()
            .build();
        loop {
            let error = match attempt(self.time_left()) {
                Err(error) if error.is_passing() => error,
                done => return done,
            };
            let Some(wait) = waits.next() else { return Err(error) };
            let wait = wait.max(error.retry_after().unwrap_or_default());
            if wait > LONGEST_WAIT_ASKED || wait >= self.time_left() || !may_retry() {
                return Err(error);
            }
            std::thread::sleep(wait);
            if !may_retry() {
                return Err(error);
            }
        }
    }

    fn time_left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
