//! Remembers what was costly to find, and lets those who ask for the same at the same time share one answer.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

/// Names what is remembered.
pub(crate) type Key = [u8; 32];

/// Answers by their key, each for a time, the newest so many.
///
/// The lock is held to find an entry or to put one in, never while an answer is made.
pub(crate) struct Cache<V, E> {
    entries: Mutex<Entries<V, E>>,
    max_entries: usize,
    time: Duration,
}

struct Entries<V, E> {
    by_key: HashMap<Key, Arc<Entry<V, E>>>,
    /// Keys in the order in which they came; one whose entry is gone is passed over.
    in_order: VecDeque<(Key, Instant)>,
}

struct Entry<V, E> {
    made: Instant,
    answer: OnceCell<Result<V, E>>,
}

impl<V: Clone, E: Clone> Cache<V, E> {
    pub(crate) fn new(max_entries: usize, time: Duration) -> Self {
        let entries = Entries { by_key: HashMap::new(), in_order: VecDeque::new() };
        Self { entries: Mutex::new(entries), max_entries: max_entries.max(1), time }
    }

    /// What `make` gives or has given; true when somebody else had it made.
    ///
    /// All who wait for a failure share it, and who comes later has it tried again. When the one whose `make` runs goes
    /// away, another of those who wait goes on with its own.
    pub(crate) async fn get(
        &self,
        key: &Key,
        make: impl Future<Output = Result<V, E>>,
    ) -> (Result<V, E>, bool) {
        let entry = self.entry(key);
        let mut is_ours = false;
        let made = entry.answer.get_or_init(|| {
            is_ours = true;
            make
        });
        let answer = made.await.clone();
        if answer.is_err() {
            self.forget(key, &entry);
        }
        (answer, !is_ours)
    }

    fn entries(&self) -> MutexGuard<'_, Entries<V, E>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, key: &Key) -> Arc<Entry<V, E>> {
        let mut entries = self.entries();
        if let Some(entry) = entries.by_key.get(key)
            && (entry.made.elapsed() < self.time || !entry.answer.initialized())
        {
            return Arc::clone(entry);
        }
        let made = Instant::now();
        let entry = Arc::new(Entry { made, answer: OnceCell::new() });
        entries.by_key.insert(*key, Arc::clone(&entry));
        entries.in_order.push_back((*key, made));
        entries.drop_old(self.max_entries, self.time);
        entry
    }

    fn forget(&self, key: &Key, entry: &Arc<Entry<V, E>>) {
        let mut entries = self.entries();
        if entries.by_key.get(key).is_some_and(|present| Arc::ptr_eq(present, entry)) {
            entries.by_key.remove(key);
        }
    }
}

impl<V, E> Entries<V, E> {
    /// Drops what is too old, and the oldest of what is too much.
    fn drop_old(&mut self, max_entries: usize, time: Duration) {
        while let Some((key, made)) = self.in_order.front().copied() {
            let is_present = self.by_key.get(&key).is_some_and(|entry| entry.made == made);
            if is_present && self.by_key.len() <= max_entries && made.elapsed() < time {
                return;
            }
            if is_present {
                self.by_key.remove(&key);
            }
            self.in_order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    fn key(n: u8) -> Key {
        [n; 32]
    }

    async fn value(cache: &Cache<u8, u8>, n: u8) -> (Result<u8, u8>, bool) {
        cache.get(&key(n), async { Ok(n) }).await
    }

    #[tokio::test]
    async fn answers_are_remembered_for_their_time() {
        let cache = Cache::new(10, Duration::from_millis(50));
        assert_eq!(value(&cache, 1).await, (Ok(1), false));
        assert_eq!(value(&cache, 1).await, (Ok(1), true));
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert_eq!(value(&cache, 1).await, (Ok(1), false));
    }

    #[tokio::test]
    async fn the_oldest_go_first_and_nothing_piles_up() {
        let cache = Cache::new(3, HOUR);
        for n in 0..10 {
            let _ = value(&cache, n).await;
            let _ = cache.get(&key(100), async { Err(0) }).await;
        }
        assert_eq!((value(&cache, 9).await.1, value(&cache, 1).await.1), (true, false));
        let entries = cache.entries();
        assert!(entries.by_key.len() <= 3 && entries.in_order.len() < 10, "{}", entries.in_order.len());
    }

    #[tokio::test]
    async fn who_asks_at_the_same_time_shares_answers_and_failures() {
        let cache: Cache<u8, u8> = Cache::new(10, HOUR);
        let n_made = AtomicUsize::new(0);
        let failing = || async {
            n_made.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(20)).await;
            Err(7)
        };
        let key = key(1);
        let (a, b) = tokio::join!(cache.get(&key, failing()), cache.get(&key, failing()));
        assert_eq!((a, b, n_made.load(Ordering::Relaxed)), ((Err(7), false), (Err(7), true), 1));
        assert_eq!(value(&cache, 1).await, (Ok(1), false));
    }

    #[tokio::test]
    async fn when_the_first_goes_away_the_next_goes_on() {
        let cache: Cache<u8, u8> = Cache::new(10, HOUR);
        let key = key(1);
        let never = cache.get(&key, std::future::pending());
        let first = tokio::time::timeout(Duration::from_millis(20), never);
        let second = async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            value(&cache, 1).await
        };
        let (first, second) = tokio::join!(first, second);
        assert!(first.is_err());
        assert_eq!(second, (Ok(1), false));
    }
}
