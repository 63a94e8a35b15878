//! Retries, and a circuit breaker around them.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use super::{Ranking, RerankRequest, Reranker};
use crate::{Breaker, ModelError, Patience};

/// Wait before the second try.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// A provider is not blamed for a timeout when more than this share of the time was spent in the queue.
const MAX_QUEUED_SHARE: f64 = 0.1;

/// A reranker that is tried a few times, and not at all while its breaker is open. A request counts once for the breaker,
/// however often it is tried, and is not tried again once the breaker has opened.
pub struct GuardedReranker<R> {
    inner: R,
    breaker: Arc<Breaker>,
    tries: usize,
}

impl<R: Reranker> GuardedReranker<R> {
    /// Tries `inner` up to `tries` times while `breaker` lets requests through.
    pub fn new(inner: R, breaker: Arc<Breaker>, tries: usize) -> Self {
        Self { inner, breaker, tries }
    }
}

impl<R: Reranker> Reranker for GuardedReranker<R> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        let whole_time = request.deadline.duration_since(request.started);
        let was_queued = request.queued > whole_time.mul_f64(MAX_QUEUED_SHARE);
        let admission = self.breaker.admit().map_err(|open| ModelError::CircuitOpen {
            provider: self.name().to_owned(),
            class: open.class,
            retry_after: open.retry_after,
        })?;
        let patience =
            Patience { tries: self.tries, deadline: Some(request.deadline), first_wait: FIRST_WAIT };
        let admission = RefCell::new(admission);
        let may_retry = || admission.borrow().may_retry();
        let answer = patience.persist_while(may_retry, |_| {
            if request.cancellation.is_cancelled() {
                return Err(ModelError::Cancelled { provider: self.name().to_owned() });
            }
            let answer = self.inner.rerank(request);
            answer.map_err(|error| match error {
                ModelError::TimedOut { .. } if was_queued => ModelError::QueueTimeout,
                error => {
                    admission.borrow_mut().record_failure(error.class(), error.retry_after());
                    error
                }
            })
        })?;
        admission.into_inner().succeed();
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{BreakerSettings, BreakerState, FailureClass};

    /// Fails in the way of `.0`, and counts how often it is asked.
    struct Failing(fn() -> ModelError, AtomicUsize);

    impl Reranker for Failing {
        fn name(&self) -> &str {
            "failing"
        }

        fn rerank(&self, _: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Err((self.0)())
        }
    }

    fn guarded(error: fn() -> ModelError) -> GuardedReranker<Failing> {
        let settings = BreakerSettings {
            min_requests: 2,
            probe_after: Duration::from_secs(3_600),
            max_probe_after: Duration::from_secs(3_600),
            ..BreakerSettings::default()
        };
        GuardedReranker::new(Failing(error, AtomicUsize::new(0)), Arc::new(Breaker::new(settings)), 2)
    }

    fn asked(reranker: &GuardedReranker<Failing>) -> usize {
        reranker.inner.1.load(Ordering::Relaxed)
    }

    fn unreachable() -> ModelError {
        ModelError::Unreachable { provider: "failing".into(), url: String::new(), reason: String::new() }
    }

    #[test]
    fn passing_failures_are_retried_and_an_open_breaker_asks_nobody() {
        let reranker = guarded(unreachable);
        let request = RerankRequest::new("q", &[], Duration::from_secs(60));
        for n in 1..=2 {
            let error = reranker.rerank(&request).unwrap_err();
            assert_eq!((error.class(), asked(&reranker)), (FailureClass::Network, 2 * n));
        }
        assert_eq!(reranker.breaker.state(), BreakerState::Open);
        let error = reranker.rerank(&request).unwrap_err();
        assert!(matches!(error, ModelError::CircuitOpen { class: FailureClass::Network, .. }), "{error}");
        assert_eq!(asked(&reranker), 4);
    }

    /// Fails, and before that so many others fail that the breaker opens.
    struct FailingWithOthers(Arc<Breaker>, AtomicUsize);

    impl Reranker for FailingWithOthers {
        fn name(&self) -> &str {
            "failing"
        }

        fn rerank(&self, _: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let others: Vec<_> = (0..2).map_while(|_| self.0.admit().ok()).collect();
            others.into_iter().for_each(|mut other| other.record_failure(FailureClass::Network, None));
            Err(unreachable())
        }
    }

    #[test]
    fn nothing_is_retried_once_the_breaker_has_opened() {
        let breaker = Arc::clone(&guarded(unreachable).breaker);
        let failing = FailingWithOthers(Arc::clone(&breaker), AtomicUsize::new(0));
        let reranker = GuardedReranker::new(failing, Arc::clone(&breaker), 3);
        let error = reranker.rerank(&RerankRequest::new("q", &[], Duration::from_secs(60))).unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
        assert_eq!((breaker.state(), reranker.inner.1.load(Ordering::Relaxed)), (BreakerState::Open, 1));
    }

    #[test]
    fn a_timeout_after_a_long_queue_is_no_fault_of_the_provider() {
        let reranker =
            guarded(|| ModelError::TimedOut { provider: "failing".into(), waited: Duration::ZERO });
        let mut request = RerankRequest::new("q", &[], Duration::from_secs(60));
        request.queued = Duration::from_secs(30);
        for _ in 0..3 {
            let error = reranker.rerank(&request).unwrap_err();
            assert!(matches!(error, ModelError::QueueTimeout), "{error}");
        }
        assert_eq!((reranker.breaker.state(), asked(&reranker)), (BreakerState::Closed, 3));
    }

    #[test]
    fn a_cancelled_request_asks_nobody() {
        let reranker = guarded(unreachable);
        let request = RerankRequest::new("q", &[], Duration::from_secs(60));
        request.cancellation.cancel();
        let error = reranker.rerank(&request).unwrap_err();
        assert_eq!((error.class(), asked(&reranker)), (FailureClass::Cancelled, 0));
    }
}
