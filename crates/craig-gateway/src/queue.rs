//! A bounded number at work and a bounded number waiting: more would only be late.

use prometheus::IntGauge;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Turns for work of which only so much is done at the same time.
pub(crate) struct Queue {
    turns: Semaphore,
    /// Places to wait in.
    places: Semaphore,
    running_gauge: IntGauge,
    waiting_gauge: IntGauge,
}

/// There is no place to wait in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// The right to work; given back when it is dropped.
pub(crate) struct Turn<'q> {
    _permit: SemaphorePermit<'q>,
    _running: Counted,
}

/// Counts in a gauge for as long as it lives.
pub(crate) struct Counted(IntGauge);

impl Counted {
    pub(crate) fn new(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Queue {
    pub(crate) fn new(
        max_running: usize,
        max_waiting: usize,
        running_gauge: IntGauge,
        waiting_gauge: IntGauge,
    ) -> Self {
        let (turns, places) = (Semaphore::new(max_running), Semaphore::new(max_waiting));
        Self { turns, places, running_gauge, waiting_gauge }
    }

    /// Waits for a turn, first come, first served.
    pub(crate) async fn turn(&self) -> Result<Turn<'_>, Full> {
        let permit = match self.turns.try_acquire() {
            Ok(permit) => permit,
            Err(_) => {
                let _place = self.places.try_acquire().map_err(|_| Full)?;
                let _waiting = Counted::new(&self.waiting_gauge);
                self.turns.acquire().await.map_err(|_| Full)?
            }
        };
        Ok(Turn { _permit: permit, _running: Counted::new(&self.running_gauge) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn so_many_work_so_many_wait_and_more_are_refused() {
        let gauge = |name: &str| IntGauge::new(name, "for a test").unwrap();
        let (running, waiting) = (gauge("running"), gauge("waiting"));
        let queue = Arc::new(Queue::new(2, 3, running.clone(), waiting.clone()));
        let turns = [queue.turn().await.unwrap(), queue.turn().await.unwrap()];
        let later = |_| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.turn().await.map(drop) })
        };
        let waiters: Vec<_> = (0..3).map(later).collect();
        while waiting.get() < 3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(queue.turn().await.err(), Some(Full));
        waiters[0].abort();
        while waiting.get() > 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let patient = later(3);
        drop(turns);
        for waiter in waiters.into_iter().skip(1).chain([patient]) {
            assert_eq!(waiter.await.unwrap(), Ok(()));
        }
        assert_eq!((running.get(), waiting.get()), (0, 0));
    }
}
