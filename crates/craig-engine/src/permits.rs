//! A bound on how many threads do something at the same time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::lock::locked;

/// A counting semaphore.
pub(crate) struct Permits {
    /// Held only to take or return one.
    free: Mutex<usize>,
    returned: Condvar,
}

/// The right to go on, until it is dropped.
pub(crate) struct Permit<'a>(&'a Permits);

impl Permits {
    pub(crate) fn new(n_permits: usize) -> Self {
        Self { free: Mutex::new(n_permits), returned: Condvar::new() }
    }

    /// Waits until one is free.
    pub(crate) fn acquire(&self) -> Permit<'_> {
        let free = self.returned.wait_while(self.free(), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Permit(self)
    }

    fn free(&self) -> MutexGuard<'_, usize> {
        locked(&self.free)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free() += 1;
        self.0.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_threads_go_on_than_there_are_permits() {
        let permits = Permits::new(2);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _permit = permits.acquire();
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
    }
}
