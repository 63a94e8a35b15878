//! Limits of keys on requests for models: at the same time, in a minute, in tokens, in money.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::caller::Caller;
use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::journal::Event;
use crate::limits::{Rate, locked};
use crate::protocol::Usage;
use crate::usage::{Sums, UsageKey, this_month};

const MINUTE: Duration = Duration::from_secs(60);

/// What keys do now, and did lately.
#[derive(Default)]
pub(crate) struct Admissions {
    running: Arc<Mutex<HashMap<Arc<str>, u32>>>,
    requests: Rate,
    tokens: Rate,
    /// Keys and months whose soft budget is reached, which is logged once.
    noticed: Mutex<HashSet<(Arc<str>, String)>>,
}

/// A request that may be sent; its key has one more until it is dropped.
pub(crate) struct Admitted {
    user: Arc<str>,
    running: Arc<Mutex<HashMap<Arc<str>, u32>>>,
    /// Whether the key is beyond its soft budget.
    pub(crate) is_over_soft_budget: bool,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut running = locked(&self.running);
        if let Some(n) = running.get_mut(&self.user) {
            *n -= 1;
            if *n == 0 {
                running.remove(&self.user);
            }
        }
    }
}

impl Admissions {
    /// Forgets what no longer counts.
    pub(crate) fn remove_expired(&self) {
        self.requests.remove_expired(Instant::now());
        self.tokens.remove_expired(Instant::now());
    }
}

impl Gateway {
    /// Admits a request of a key for a model; fails if a limit of the key is reached. Only complete answers count
    /// toward limits of tokens and money, so that requests in progress can exceed them.
    pub(crate) async fn admit_model(
        &self,
        caller: &Caller,
        model: Option<&str>,
    ) -> Result<Admitted, Problem> {
        let Caller { user, policy, .. } = caller;
        policy.check_model(model)?;
        let mut admitted = self.admit_one_more(caller)?;
        if let Some(most) = policy.requests_per_minute {
            let wait = self.wait_for_request(user, most).await;
            self.check_wait("requests", wait, || format!("this key may send {most} requests a minute"))?;
        }
        if let Some(most) = policy.tokens_per_minute {
            let wait = match most {
                0 => MINUTE,
                _ => self.admissions.tokens.wait(user, MINUTE, Instant::now()),
            };
            self.check_wait("tokens", wait, || format!("this key may use {most} tokens a minute"))?;
        }
        admitted.is_over_soft_budget = self.check_budget(caller).await?;
        Ok(admitted)
    }

    /// Counts a request of a key that may send `most` a minute; how long it has to wait if it is beyond that.
    async fn wait_for_request(&self, user: &Arc<str>, most: u32) -> Duration {
        let Some(most) = NonZeroU32::new(most) else { return MINUTE };
        let shared = match &self.redis {
            Some(redis) => redis.charge(&format!("minute:{user}"), most.get(), MINUTE).await,
            None => None,
        };
        let own = || self.admissions.requests.charge(user, most, MINUTE, Instant::now());
        let verdict = shared.unwrap_or_else(own);
        if verdict.is_admitted { Duration::ZERO } else { verdict.wait }
    }

    /// Fails if a request has to wait because of `limit`.
    fn check_wait(
        &self,
        limit: &'static str,
        wait: Duration,
        message: impl FnOnce() -> String,
    ) -> Result<(), Problem> {
        if wait.is_zero() { Ok(()) } else { Err(self.refused(limit, message(), wait)) }
    }

    fn admit_one_more(&self, caller: &Caller) -> Result<Admitted, Problem> {
        let most = caller.policy.concurrent_requests.unwrap_or(u32::MAX);
        let mut running = locked(&self.admissions.running);
        let n = running.entry(Arc::clone(&caller.user)).or_default();
        if *n >= most {
            let message = format!("this key may have {most} requests at the same time");
            return Err(self.refused("concurrent", message, Duration::from_secs(1)));
        }
        *n += 1;
        let (user, running) = (Arc::clone(&caller.user), Arc::clone(&self.admissions.running));
        Ok(Admitted { user, running, is_over_soft_budget: false })
    }

    /// Whether the key is beyond its soft budget; fails beyond the hard one.
    async fn check_budget(&self, caller: &Caller) -> Result<bool, Problem> {
        let policy = &caller.policy;
        if policy.monthly_usd.is_none() && policy.soft_monthly_usd.is_none() {
            return Ok(false);
        }
        let month = this_month();
        let own = self.usage.spent_usd(&caller.key, &month);
        let shared = match &self.redis {
            Some(redis) => redis.spent_usd(&format!("{}:{month}", caller.user)).await,
            None => None,
        };
        let spent_usd = own.max(shared.unwrap_or_default());
        if let Some(most) = policy.monthly_usd.filter(|most| spent_usd >= *most) {
            self.metrics.rate_limited.with_label_values(&["budget"]).inc();
            let message = format!("the budget of this key, {most} US dollars a month, is spent");
            return Err(Problem::budget(message));
        }
        let is_over = policy.soft_monthly_usd.is_some_and(|soft| spent_usd >= soft);
        if is_over && locked(&self.admissions.noticed).insert((Arc::clone(&caller.user), month)) {
            self.journal.log(Event::SoftBudgetReached { user: caller.user.to_string() });
        }
        Ok(is_over)
    }

    fn refused(&self, limit: &'static str, message: String, wait: Duration) -> Problem {
        self.metrics.rate_limited.with_label_values(&[limit]).inc();
        Problem::too_many("rate_limit_exceeded", message, wait)
    }

    /// Counts what an answer took against the limits of its key, and keeps it.
    pub(crate) fn record_usage(&self, caller: &Caller, key: UsageKey, sums: Sums) {
        if let Some(most) = caller.policy.tokens_per_minute.and_then(NonZeroU32::new) {
            let tokens = sums.input_tokens + sums.output_tokens;
            self.admissions.tokens.add(&caller.user, tokens, most, MINUTE, Instant::now());
        }
        if let (Some(redis), true) = (&self.redis, sums.usd > 0.0) {
            let (redis, name, usd) = (redis.clone(), format!("{}:{}", caller.user, key.month()), sums.usd);
            tokio::spawn(async move { redis.spend_usd(&name, usd).await });
        }
        self.usage.add(key, sums);
    }
}

/// The sums of an answer with these tokens.
pub(crate) fn sums(usage: Usage, usd: f64, is_estimated: bool) -> Sums {
    Sums {
        requests: 1,
        input_tokens: usage.input_tokens,
        cached_tokens: usage.cached_tokens,
        output_tokens: usage.output_tokens,
        estimated: u64::from(is_estimated),
        usd,
    }
}
