//! Bounds how many reranks run at once and how many wait; more would only be late.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Ranking, RerankRequest, Reranker};
use crate::{Cancellation, ModelError};

/// How often a waiting request looks whether it was cancelled.
const CANCELLATION_POLL: Duration = Duration::from_millis(20);

/// A queue with a bounded number of running and of waiting requests, first come, first served.
///
/// The lock is held for a few instructions, never while something runs.
pub struct Queue {
    max_running: usize,
    max_waiting: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    /// Tickets of those that wait, the oldest first.
    waiting: VecDeque<u64>,
    next_ticket: u64,
}

/// The right to run, until it is dropped.
struct Slot<'q>(&'q Queue);

impl Queue {
    /// An empty queue.
    pub fn new(max_running: usize, max_waiting: usize) -> Self {
        Self { max_running, max_waiting, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Requests that run now.
    pub fn running(&self) -> usize {
        self.state().running
    }

    /// Requests that wait now.
    pub fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot by the deadline.
    fn slot(&self, deadline: Instant, cancellation: &Cancellation) -> Result<Slot<'_>, ModelError> {
        let mut state = self.state();
        if state.running < self.max_running && state.waiting.is_empty() {
            state.running += 1;
            return Ok(Slot(self));
        }
        if state.waiting.len() >= self.max_waiting {
            return Err(ModelError::QueueFull);
        }
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push_back(ticket);
        loop {
            let is_next = state.waiting.front() == Some(&ticket) && state.running < self.max_running;
            let time_left = deadline.saturating_duration_since(Instant::now());
            let refusal = match () {
                () if is_next => None,
                () if cancellation.is_cancelled() => {
                    Some(ModelError::Cancelled { provider: "the queue".to_owned() })
                }
                () if time_left.is_zero() => Some(ModelError::QueueTimeout),
                () => {
                    let waited = self.changed.wait_timeout(state, time_left.min(CANCELLATION_POLL));
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    continue;
                }
            };
            state.waiting.retain(|waiting| *waiting != ticket);
            state.running += usize::from(is_next);
            // The next request in the queue has to check again.
            self.changed.notify_all();
            return refusal.map_or_else(|| Ok(Slot(self)), Err);
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.state().running -= 1;
        self.0.changed.notify_all();
    }
}

/// A reranker behind a [`Queue`]. A request waits for up to half of its time, so that the other half is left for the
/// reranker.
pub struct QueuedReranker<R> {
    inner: R,
    queue: Arc<Queue>,
}

impl<R: Reranker> QueuedReranker<R> {
    /// Puts `queue` before `inner`.
    pub fn new(inner: R, queue: Arc<Queue>) -> Self {
        Self { inner, queue }
    }
}

impl<R: Reranker> Reranker for QueuedReranker<R> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        let until = request.deadline - request.deadline.duration_since(request.started) / 2;
        let asked = Instant::now();
        let _slot = self.queue.slot(until, &request.cancellation)?;
        self.inner.rerank(&RerankRequest { queued: asked.elapsed(), ..request.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn runs_and_waits_are_bounded_and_served_in_order() {
        let queue = Queue::new(2, 3);
        let (far, never) = (Instant::now() + MINUTE, Cancellation::default());
        let running = [queue.slot(far, &never).unwrap(), queue.slot(far, &never).unwrap()];
        let served = Mutex::new(Vec::new());
        let cancelled = Cancellation::default();
        std::thread::scope(|scope| {
            for n in 0..3 {
                let cancellation = if n == 1 { &cancelled } else { &never };
                let (queue, served) = (&queue, &served);
                scope.spawn(move || {
                    let slot = queue.slot(far, cancellation);
                    served.lock().unwrap().push((n, slot.as_ref().map(drop).map_err(|_| ())));
                });
                while queue.waiting() <= n {
                    std::thread::yield_now();
                }
            }
            assert_eq!(queue.slot(far, &never).err(), Some(ModelError::QueueFull));
            cancelled.cancel();
            while queue.waiting() > 2 {
                std::thread::yield_now();
            }
            drop(running);
        });
        let mut served = served.into_inner().unwrap();
        assert_eq!(served.remove(0), (1, Err(())), "it was cancelled before anybody was served");
        assert_eq!(served.len(), 2);
        assert!(served.iter().all(|(_, slot)| slot.is_ok()));
        assert_eq!((queue.running(), queue.waiting()), (0, 0));
        let _all = [queue.slot(far, &never).unwrap(), queue.slot(far, &never).unwrap()];
        assert_eq!(queue.slot(Instant::now(), &never).err(), Some(ModelError::QueueTimeout));
    }
}
