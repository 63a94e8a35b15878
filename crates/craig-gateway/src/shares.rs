//! Shares the threads for calls among users: one thread is always left for somebody else.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// How long a user's permits are kept after their last use, and for how many users.
const IDLE: Duration = Duration::from_secs(3_600);
const MAX_USERS: u64 = 100_000;

/// Permits for calls that take a thread. One user can hold all but one of them; further calls wait in order.
#[derive(Debug)]
pub struct Shares {
    all: Arc<Semaphore>,
    n_each: usize,
    of_users: Cache<Arc<str>, Arc<Semaphore>>,
}

/// A permit; it lasts until it is dropped.
#[derive(Debug)]
pub struct Share {
    _of_all: OwnedSemaphorePermit,
    _of_user: Option<OwnedSemaphorePermit>,
}

impl Shares {
    /// Permits for `n_each` concurrent calls per user, plus one that is left for other users.
    pub fn new(n_each: usize) -> Self {
        let of_users = Cache::builder().max_capacity(MAX_USERS).time_to_idle(IDLE).build();
        Self { all: Arc::new(Semaphore::new(n_each + 1)), n_each, of_users }
    }

    /// A permit for a call of `user`, or of nobody in particular. Never fails, since the semaphores are never closed.
    pub async fn acquire(&self, user: Option<&Arc<str>>) -> Result<Share, AcquireError> {
        // The user's own permit comes first, so that calls waiting for it hold up nobody else.
        let of_user = match user {
            Some(user) => Some(self.permits_of(user).acquire_owned().await?),
            None => None,
        };
        Ok(Share { _of_all: Arc::clone(&self.all).acquire_owned().await?, _of_user: of_user })
    }

    fn permits_of(&self, user: &Arc<str>) -> Arc<Semaphore> {
        self.of_users.get_with_by_ref(user, || Arc::new(Semaphore::new(self.n_each)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_user_with_many_calls_leaves_a_thread_to_others() {
        let shares = Shares::new(2);
        let [greedy, other]: [Arc<str>; 2] = ["greedy".into(), "other".into()];
        let soon = Duration::from_millis(1);
        let held =
            [shares.acquire(Some(&greedy)).await.unwrap(), shares.acquire(Some(&greedy)).await.unwrap()];
        assert!(tokio::time::timeout(soon, shares.acquire(Some(&greedy))).await.is_err());
        let one = shares.acquire(Some(&other)).await.unwrap();
        assert!(tokio::time::timeout(soon, shares.acquire(Some(&other))).await.is_err());
        drop(one);
        assert!(tokio::time::timeout(soon, shares.acquire(None)).await.is_ok());
        drop(held);
        assert!(tokio::time::timeout(soon, shares.acquire(Some(&greedy))).await.is_ok());
    }
}
