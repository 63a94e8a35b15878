//! What goes on beside the requests: changed keys, breakers that open, projected costs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::breaker::Standing;
use crate::cost_projection::CostProjection;
use crate::gateway::Gateway;
use crate::journal::Event;

/// How often keys and breakers are looked at: a revoked key opens nothing for longer.
const BEAT: Duration = Duration::from_secs(1);

/// Beats between two projections of costs, and between two tidyings.
const BEATS_TO_PROJECT: u64 = 15;
const BEATS_TO_TIDY: u64 = 60;

impl Gateway {
    /// How all breakers stand, by provider and model.
    pub(crate) fn standings(&self) -> impl Iterator<Item = (&str, &str, Standing)> {
        let reranker = self.reranker.standing().into_iter();
        let reranker = reranker.map(|standing| ("reranker", self.reranker.model(), standing));
        reranker.chain(self.providers.iter().flat_map(|provider| {
            let name = provider.upstream.name.as_str();
            provider.breakers.standings().into_iter().map(move |(model, standing)| (name, model, standing))
        }))
    }
}

/// Goes on until it is dropped.
pub(crate) async fn keep_house(gateway: Arc<Gateway>) {
    let mut are_keys_readable = true;
    let mut projection = CostProjection::new(Instant::now());
    let mut known_open = Vec::new();
    let mut beat = tokio::time::interval(BEAT);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for n in 1_u64.. {
        beat.tick().await;
        reload_keys(&gateway, &mut are_keys_readable).await;
        tell_breakers(&gateway, &mut known_open);
        if n % BEATS_TO_TIDY == 0 {
            gateway.limits.tidy();
        }
        if n % BEATS_TO_PROJECT == 0 {
            let metrics = &gateway.metrics;
            metrics.projection_usd.set(projection.project(metrics.cost_usd.get(), Instant::now()));
        }
    }
}

/// Reads the keys again when their file has changed. While it cannot be read, nobody is let in: to
/// remove or damage the file must neither open the gateway nor keep a revoked key valid.
async fn reload_keys(gateway: &Arc<Gateway>, is_readable: &mut bool) {
    let of = Arc::clone(gateway);
    let read = move || (!of.gate.has_keys_of(&of.config.keys)).then(|| of.gate.read_keys(&of.config.keys));
    match tokio::task::spawn_blocking(read).await {
        Ok(None) => {}
        Ok(Some(Ok(n_keys))) => {
            *is_readable = true;
            gateway.journal.tell(Event::KeysReloaded { keys: n_keys });
        }
        _ if *is_readable => {
            *is_readable = false;
            gateway.journal.tell(Event::KeysUnreadable);
        }
        _ => {}
    }
    gateway.metrics.keys_readable.set(i64::from(!gateway.gate.is_closed()));
}

/// Logs each breaker that has opened since the last look.
fn tell_breakers(gateway: &Gateway, known_open: &mut Vec<(String, String)>) {
    let open: Vec<(String, String)> = gateway
        .standings()
        .filter(|(.., standing)| *standing == Standing::Open)
        .map(|(provider, model, _)| (provider.to_owned(), model.to_owned()))
        .collect();
    for (provider, model) in open.iter().filter(|one| !known_open.contains(one)) {
        let (provider, model) = (provider.clone(), model.clone());
        gateway.journal.tell(Event::BreakerOpened { provider, model });
    }
    *known_open = open;
}
