//! State that several gateways share through Redis: limits, reranks and added context. Circuit breakers are each
//! gateway's own. While Redis cannot be reached, each gateway goes on with what it has in memory; that is logged once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use craig_engine::SharedCache;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands as _, RedisError, RedisResult, Script};

use crate::allowance::Verdict;
use crate::journal::{Event, Journal};
use crate::metrics::Metrics;

/// Maximum wait for an answer of Redis: a request is worth more than exact limits.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(100);
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// How long Redis is not asked after it failed.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How long what was spent in a month is kept: longer than any month.
const SPENT_SECONDS: i64 = 40 * 24 * 3_600;

/// The prefix of our keys.
const NAMESPACE: &str = "craig:gateway:";

/// A rate limit by the generic cell rate algorithm: the state is one time, in milliseconds of Redis' own clock.
///
/// Arguments: milliseconds between two requests, most requests at once. Returns whether this one is admitted, how many
/// more would be, and the milliseconds until one is.
const LIMIT: &str = r"
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local interval = tonumber(ARGV[1])
local burst = tonumber(ARGV[2])
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local next = due + interval
local wait = next - interval * burst - now
if wait > 0 then
  return {0, 0, math.ceil(wait)}
end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil(next - now))
return {1, math.floor((interval * burst - (next - now)) / interval), 0}
";

/// A Redis server, which may be unreachable.
#[derive(Clone)]
pub(crate) struct Redis {
    connection: ConnectionManager,
    limit: Arc<Script>,
    /// Milliseconds since `started` until which it is not asked; 0 while it answers.
    unreachable_until: Arc<AtomicU64>,
    started: Instant,
    journal: Journal,
    metrics: Arc<Metrics>,
}

impl Redis {
    /// Fails if `address` is not an address. The first request connects.
    pub(crate) fn new(address: &str, journal: Journal, metrics: Arc<Metrics>) -> Result<Self, RedisError> {
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_number_of_retries(0);
        let client = redis::Client::open(address)?;
        metrics.redis_up.set(1);
        Ok(Self {
            connection: ConnectionManager::new_lazy_with_config(client, config)?,
            limit: Arc::new(Script::new(LIMIT)),
            unreachable_until: Arc::default(),
            started: Instant::now(),
            journal,
            metrics,
        })
    }

    /// Counts a request of `name` against `most` in `time`; `None` while Redis cannot be reached.
    pub(crate) async fn charge(&self, name: &str, most: u32, time: Duration) -> Option<Verdict> {
        let mut connection = self.connection.clone();
        let interval_ms = time.as_secs_f64() * 1e3 / f64::from(most);
        let mut call = self.limit.key(format!("{NAMESPACE}limit:{name}"));
        call.arg(interval_ms).arg(most);
        let answer = self.ask(call.invoke_async(&mut connection)).await?;
        let (is_admitted, remaining, wait_ms): (u32, u32, u64) = answer;
        Some(Verdict { is_admitted: is_admitted == 1, remaining, wait: Duration::from_millis(wait_ms) })
    }

    /// US dollars that all gateways have spent for `name`; `None` also if there are none.
    pub(crate) async fn spent_usd(&self, name: &str) -> Option<f64> {
        let mut connection = self.connection.clone();
        self.ask(connection.get(format!("{NAMESPACE}spent:{name}"))).await?
    }

    /// Adds US dollars to what was spent for `name`.
    pub(crate) async fn spend_usd(&self, name: &str, usd: f64) {
        let mut connection = self.connection.clone();
        let key = format!("{NAMESPACE}spent:{name}");
        let mut calls = redis::pipe();
        calls.cmd("INCRBYFLOAT").arg(&key).arg(usd).ignore().expire(&key, SPENT_SECONDS).ignore();
        let _: Option<()> = self.ask(calls.query_async(&mut connection)).await;
    }

    /// The value of a key; `None` also while Redis cannot be reached.
    async fn get(&self, name: &str) -> Option<Vec<u8>> {
        let mut connection = self.connection.clone();
        self.ask(connection.get(format!("{NAMESPACE}{name}"))).await?
    }

    /// The values of several keys, in their order; fewer while Redis cannot be reached.
    pub(crate) async fn get_all(&self, names: &[String]) -> Vec<Option<Vec<u8>>> {
        let mut connection = self.connection.clone();
        let keys: Vec<String> = names.iter().map(|name| format!("{NAMESPACE}{name}")).collect();
        self.ask(connection.mget(&keys)).await.unwrap_or_default()
    }

    /// Keeps a value for `time`.
    pub(crate) async fn put(&self, name: &str, value: &[u8], time: Duration) {
        let mut connection = self.connection.clone();
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let put = connection.pset_ex(format!("{NAMESPACE}{name}"), value, milliseconds.max(1));
        let _: Option<()> = self.ask(put).await;
    }

    async fn ask<T>(&self, call: impl Future<Output = RedisResult<T>>) -> Option<T> {
        let now = self.started.elapsed().as_millis() as u64;
        if self.unreachable_until.load(Ordering::Relaxed) > now {
            return None;
        }
        let answer = tokio::time::timeout(CONNECT_TIMEOUT, call).await.ok().and_then(Result::ok);
        let next = if answer.is_some() { 0 } else { now + RETRY_AFTER.as_millis() as u64 };
        let before = self.unreachable_until.swap(next, Ordering::Relaxed);
        match (before == 0, answer.is_some()) {
            (true, false) => {
                self.metrics.redis_up.set(0);
                self.journal.log(Event::RedisLost);
            }
            (false, true) => {
                self.metrics.redis_up.set(1);
                self.journal.log(Event::RedisBack);
            }
            _ => {}
        }
        answer
    }
}

/// Redis for the engine, whose threads may block.
pub(crate) struct BlockingRedis {
    pub(crate) redis: Redis,
    pub(crate) runtime: tokio::runtime::Handle,
}

impl SharedCache for BlockingRedis {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.runtime.block_on(self.redis.get(key))
    }

    fn put(&self, key: &str, value: &[u8], time: Duration) {
        self.runtime.block_on(self.redis.put(key, value, time));
    }
}
