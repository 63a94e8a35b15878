//! Context that was added to conversations. When a conversation continues, the same bytes are added in the same place:
//! the provider's prompt cache then still has everything before the new turn.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use serde::{Deserialize, Serialize};

use crate::config::Placement;
use crate::conversation::UserTurn;
use crate::shared::Redis;

/// Overhead of an entry in bytes.
const ENTRY_BYTES: usize = 200;

/// Names the conversation up to a question: a hash of what the user wrote until then.
pub(crate) type Key = blake3::Hash;

/// The context that was added before a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Inserted {
    /// Empty if there was nothing to put in.
    pub(crate) text: String,
    pub(crate) placement: Placement,
    /// `file:first-last` of each piece of code in the text.
    pub(crate) references: Vec<String>,
}

impl Inserted {
    /// Whether it has this piece of a file.
    pub(crate) fn has(&self, path: &str, content: &str) -> bool {
        self.text.contains(path) && self.text.contains(content)
    }
}

/// The memory of a gateway, shared through Redis if there is one.
pub(crate) struct ContextMemory {
    local: Cache<Key, Arc<Inserted>>,
    redis: Option<Redis>,
    time: Duration,
}

impl ContextMemory {
    /// Remembers up to `max_bytes`, for `time`; `None` if that is nothing.
    pub(crate) fn new(max_bytes: u64, time: Duration, redis: Option<Redis>) -> Option<Self> {
        if max_bytes == 0 || time.is_zero() {
            return None;
        }
        let weight = |_: &Key, inserted: &Arc<Inserted>| {
            u32::try_from(inserted.text.len() + ENTRY_BYTES).unwrap_or(u32::MAX)
        };
        let local = Cache::builder().max_capacity(max_bytes).weigher(weight).time_to_live(time).build();
        Some(Self { local, redis, time })
    }

    /// The context that was added before the remembered ones of these turns.
    pub(crate) async fn recall(&self, turns: &[UserTurn]) -> Vec<(UserTurn, Arc<Inserted>)> {
        let keys: Vec<Key> = turns.iter().map(|turn| turn.key).collect();
        let found = self.get(&keys).await;
        turns.iter().zip(found).filter_map(|(turn, inserted)| Some((*turn, inserted?))).collect()
    }

    async fn get(&self, keys: &[Key]) -> Vec<Option<Arc<Inserted>>> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.push(self.local.get(key).await);
        }
        let missing: Vec<usize> = (0..keys.len()).filter(|at| found[*at].is_none()).collect();
        if let Some(redis) = self.redis.as_ref().filter(|_| !missing.is_empty()) {
            let names: Vec<String> = missing.iter().map(|at| name(&keys[*at])).collect();
            for (at, value) in missing.into_iter().zip(redis.get_all(&names).await) {
                let Some(inserted) = value.and_then(|value| serde_json::from_slice(&value).ok()) else {
                    continue;
                };
                let inserted = Arc::new(inserted);
                self.local.insert(keys[at], Arc::clone(&inserted)).await;
                found[at] = Some(inserted);
            }
        }
        found
    }

    /// Remembers what was put before a question.
    pub(crate) async fn put(&self, key: Key, inserted: Arc<Inserted>) {
        if let Some(redis) = &self.redis
            && let Ok(value) = serde_json::to_vec(&*inserted)
        {
            redis.put(&name(&key), &value, self.time).await;
        }
        self.local.insert(key, inserted).await;
    }
}

fn name(key: &Key) -> String {
    format!("context:{}", key.to_hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inserted(text: String) -> Arc<Inserted> {
        Arc::new(Inserted { text, placement: Placement::Turn, references: Vec::new() })
    }

    #[tokio::test]
    async fn what_is_remembered_is_bounded() {
        let memory = ContextMemory::new(100_000, Duration::from_secs(60), None).unwrap();
        let key = |n: u32| blake3::hash(&n.to_le_bytes());
        for n in 0..100 {
            memory.put(key(n), inserted("x".repeat(10_000))).await;
        }
        memory.local.run_pending_tasks().await;
        assert!(memory.local.weighted_size() <= 100_000);
        memory.put(key(7), inserted("y".to_owned())).await;
        assert_eq!(memory.get(&[key(1_000), key(7)]).await[1].as_ref().unwrap().text, "y");
        assert!(ContextMemory::new(0, Duration::from_secs(1), None).is_none());
        assert!(ContextMemory::new(1, Duration::ZERO, None).is_none());
    }
}
