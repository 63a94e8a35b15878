//! A cache whose values are made once, however many callers ask for the same one at the same time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use crate::lock::locked;

/// One value per key. The first caller creates it; concurrent callers wait and get the same value.
///
/// An old value is dropped as soon as it is replaced and no longer used, since values may hold open files.
pub(crate) struct SingleFlight<K, V> {
    /// Held only to find a slot. The lock of a slot is held while its value is made: callers that want the same value are
    /// to wait for it, and no others.
    slots: Mutex<HashMap<K, Slot<V>>>,
}

/// Where the value of one key is kept.
type Slot<V> = Arc<Mutex<Option<V>>>;

impl<K, V> Default for SingleFlight<K, V> {
    fn default() -> Self {
        Self { slots: Mutex::default() }
    }
}

impl<K: Eq + Hash, V: Clone> SingleFlight<K, V> {
    /// The value of `key` if it `is_current`; else the one that `make` makes. After a failure the next caller tries again.
    pub(crate) fn get<E>(
        &self,
        key: K,
        is_current: impl FnOnce(&V) -> bool,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        let slot = Arc::clone(locked(&self.slots).entry(key).or_default());
        let mut value = locked(&slot);
        if let Some(value) = value.as_ref().filter(|value| is_current(value)) {
            return Ok(value.clone());
        }
        // The old value is of no more use, and may take much memory.
        *value = None;
        Ok(value.insert(make()?).clone())
    }

    /// The value of `key` if it `is_current`; else the one that `make` makes, if any. Does not wait for another caller.
    pub(crate) fn at_hand(
        &self,
        key: K,
        is_current: impl FnOnce(&V) -> bool,
        make: impl FnOnce() -> Option<V>,
    ) -> Option<V> {
        let slot = Arc::clone(locked(&self.slots).entry(key).or_default());
        let mut value = slot.try_lock().ok()?;
        if !value.as_ref().is_some_and(is_current) {
            *value = make();
        }
        value.clone()
    }

    /// Replaces the value of `key`. If that fails, the old one is kept.
    pub(crate) fn replace<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<(), E> {
        let slot = Arc::clone(locked(&self.slots).entry(key).or_default());
        let mut value = locked(&slot);
        *value = Some(make()?);
        Ok(())
    }

    /// The values that are there, except those that are being made.
    pub(crate) fn values(&self) -> Vec<(K, V)>
    where
        K: Clone,
    {
        let slots: Vec<(K, Slot<V>)> =
            locked(&self.slots).iter().map(|(key, slot)| (key.clone(), Arc::clone(slot))).collect();
        let value = |(key, slot): (K, Slot<V>)| Some((key, slot.try_lock().ok()?.clone()?));
        slots.into_iter().filter_map(value).collect()
    }

    /// Drops all values.
    pub(crate) fn clear(&self) {
        locked(&self.slots).clear();
    }

    /// Drops the value of `key`.
    pub(crate) fn remove(&self, key: &K) {
        locked(&self.slots).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn callers_at_the_same_time_get_one_value() {
        let (cache, n_made, start) = (SingleFlight::default(), AtomicUsize::new(0), Barrier::new(8));
        let get = || {
            start.wait();
            let make = || Ok::<_, Infallible>(n_made.fetch_add(1, Ordering::SeqCst));
            cache.get("key", |_| true, make).unwrap()
        };
        let values: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(get)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(values, [0; 8]);
    }

    #[test]
    fn a_value_is_made_again_when_it_is_outdated_or_could_not_be_made() {
        let cache = SingleFlight::default();
        assert_eq!(cache.get(1, |_| true, || Err("no")), Err("no"));
        assert_eq!(cache.get(1, |_| true, || Ok::<_, &str>("a")), Ok("a"));
        assert_eq!(cache.get(1, |_| true, || Ok::<_, &str>("b")), Ok("a"));
        assert_eq!(cache.get(1, |_| false, || Ok::<_, &str>("b")), Ok("b"));
        cache.remove(&1);
        assert_eq!(cache.get(1, |_| true, || Ok::<_, &str>("c")), Ok("c"));
    }
}
