//! What goes on beside the requests: changed keys, hints of other gateways, alerts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::alerts::Alerts;
use crate::breaker::{Breaker, Standing};
use crate::gateway::Gateway;
use crate::journal::Event;
use crate::keys::KeyRing;

/// How often keys and hints are looked at: a revoked key opens nothing for longer.
const BEAT: Duration = Duration::from_secs(1);

/// Beats between two looks at the alert rules, and between two tidyings.
const BEATS_TO_ALERTS: u64 = 15;
const BEATS_TO_TIDY: u64 = 60;

impl Gateway {
    /// The breakers of all providers, by name.
    pub(crate) fn breakers(&self) -> impl Iterator<Item = (&str, &Arc<Breaker>)> {
        let reranker = self.reranker.breaker().map(|breaker| ("reranker", breaker));
        let upstreams = self.providers.iter().map(|one| (one.upstream.name.as_str(), &one.breaker));
        reranker.into_iter().chain(upstreams)
    }
}

/// Goes on until it is dropped.
pub(crate) async fn keep_house(gateway: Arc<Gateway>) {
    let mut are_keys_readable = true;
    let mut alerts = Alerts::new(gateway.config.monthly_budget_usd, Instant::now());
    let mut known_open: Vec<String> = Vec::new();
    let mut beat = tokio::time::interval(BEAT);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for n in 1_u64.. {
        beat.tick().await;
        reload_keys(&gateway, &mut are_keys_readable).await;
        tell_breakers(&gateway, &mut known_open);
        exchange_hints(&gateway).await;
        if n % BEATS_TO_TIDY == 0 {
            gateway.limits.tidy();
        }
        if n % BEATS_TO_ALERTS == 0 {
            let tripped = alerts.look(&gateway.metrics, Instant::now());
            tripped.into_iter().for_each(|alert| gateway.journal.tell(Event::Alert(alert)));
        }
    }
}

/// Reads the keys again when their file has changed; while it cannot be read, those that were read hold.
async fn reload_keys(gateway: &Arc<Gateway>, is_readable: &mut bool) {
    let of = Arc::clone(gateway);
    let read = move || (!of.gate.has_keys_of(&of.config.keys)).then(|| KeyRing::open(&of.config.keys));
    match tokio::task::spawn_blocking(read).await {
        Ok(None) => *is_readable = true,
        Ok(Some(Ok(keys))) => {
            *is_readable = true;
            gateway.journal.tell(Event::KeysReloaded { keys: keys.records().len() });
            gateway.gate.replace_keys(keys);
        }
        _ if *is_readable => {
            *is_readable = false;
            gateway.journal.tell(Event::KeysUnreadable);
        }
        _ => {}
    }
}

/// Logs each breaker that has opened since the last look.
fn tell_breakers(gateway: &Gateway, known_open: &mut Vec<String>) {
    let open: Vec<String> = gateway
        .breakers()
        .filter(|(_, breaker)| breaker.standing() == Standing::Open)
        .map(|(name, _)| name.to_owned())
        .collect();
    for provider in open.iter().filter(|name| !known_open.contains(name)) {
        gateway.journal.tell(Event::BreakerOpened { provider: provider.clone() });
    }
    *known_open = open;
}

/// Tells other gateways which providers are down, and hears it from them.
async fn exchange_hints(gateway: &Gateway) {
    let Some(redis) = &gateway.redis else { return };
    for (name, breaker) in gateway.breakers() {
        let key = format!("down:{name}");
        match breaker.open_for() {
            Some(remaining) => redis.put(&key, b"1", remaining).await,
            None => {
                if let Some(remaining) = redis.time_left(&key).await.filter(|left| !left.is_zero()) {
                    breaker.open_by_hint(remaining);
                }
            }
        }
    }
}
