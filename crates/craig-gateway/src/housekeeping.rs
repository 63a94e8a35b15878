//! Background work: reloading keys and the configuration, writing usage, logging breakers that open, projecting costs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use craig_engine::BreakerState;
use tokio::sync::Notify;

use crate::cost_projection::CostProjection;
use crate::gateway::Gateway;
use crate::journal::Event;
use crate::live::Live;
use crate::usage::FLUSH_AFTER;
use crate::watched_file::WatchedFile;

/// How often keys and breakers are checked: a revoked key is valid for no longer.
const BEAT: Duration = Duration::from_secs(1);

/// Beats between two projections of costs, two cleanups of the limits, and two samples for the status page.
const BEATS_TO_PROJECT: u64 = 15;
const BEATS_TO_CLEANUP: u64 = 60;
const BEATS_TO_SAMPLE: u64 = 60;

/// Beats between two looks at what workers have ingested.
const BEATS_TO_FOLLOW: u64 = 2;

/// Beats between two messages with metrics, as OpenTelemetry has it by default.
const BEATS_TO_SEND: u64 = 60;

/// While nothing is used, what other processes append is read once in so many times [`FLUSH_AFTER`].
const IDLE_FLUSHES: u64 = 20;

impl Gateway {
    /// The states of all circuit breakers, by provider and model.
    pub(crate) fn breaker_states(&self) -> Vec<(String, String, BreakerState)> {
        let reranker = self.engine.reranker_state().provider;
        let reranker = reranker.map(|(model, state)| ("reranker".to_owned(), model, state));
        let providers = self.providers.list().iter().flat_map(|provider| {
            let states = provider.breakers.states().into_iter();
            states.map(|(model, state)| (provider.upstream.name.clone(), model.to_owned(), state))
        });
        reranker.into_iter().chain(providers).collect()
    }

    /// Sets the gauges that show a present state.
    pub(crate) fn update_gauges(&self) {
        for (provider, model, state) in self.breaker_states() {
            self.metrics.breaker_state.with_label_values(&[&provider, &model]).set(state as i64);
        }
        let reranker = self.engine.reranker_state();
        self.metrics.reranks_running.set(gauge(reranker.running));
        self.metrics.reranks_waiting.set(gauge(reranker.waiting));
    }
}

fn gauge(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Does the work of each beat until the task is aborted.
pub(crate) async fn keep_house(live: Arc<Live>) {
    let mut are_keys_readable = true;
    let mut projection = CostProjection::new(Instant::now());
    let mut known_open = Vec::new();
    let mut following = tokio::spawn(async {});
    let mut beat = tokio::time::interval(BEAT);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for n in 1_u64.. {
        beat.tick().await;
        let gateway = live.gateway();
        reload_keys(&gateway, &mut are_keys_readable).await;
        log_opened_breakers(&gateway, &mut known_open);
        if n % BEATS_TO_CLEANUP == 0 {
            gateway.limits.remove_expired();
            gateway.admissions.remove_expired();
            tokio::spawn(remove_orphaned_indexes(Arc::clone(&gateway)));
        }
        // Bringing a large index up to date may take longer.
        if n % BEATS_TO_FOLLOW == 0 && following.is_finished() && gateway.config.team.is_some() {
            following = tokio::spawn(follow(Arc::clone(&gateway)));
        }
        if n % BEATS_TO_SAMPLE == 1 && gateway.config.admin.is_some() {
            gateway.history.add(gateway.metrics.totals());
        }
        if n % BEATS_TO_SEND == 0 {
            let meter = Arc::clone(&gateway.meter);
            tokio::spawn(async move { meter.send().await });
        }
        if n % BEATS_TO_PROJECT == 0 {
            let metrics = &gateway.metrics;
            metrics.projection_usd.set(projection.project(metrics.cost_usd.get(), Instant::now()));
        }
    }
}

/// Reloads the configuration when `reload` is notified or one of its files changes, until the task is aborted. A changed file
/// is read once it has stayed the same for two beats: it may still be being written.
pub(crate) async fn keep_current(live: Arc<Live>, reload: Arc<Notify>) {
    let mut served = live.gateway().config.files.clone();
    let mut changed = None;
    let mut beat = tokio::time::interval(BEAT);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let is_asked = tokio::select! {
            _ = beat.tick() => false,
            () = reload.notified() => true,
        };
        let now = present_state(&served).await;
        if is_asked || (now != served && changed.as_ref() == Some(&now)) {
            let reloaded = Arc::clone(&live);
            // An error means a panic: the configuration is as it was.
            let is_replaced = tokio::task::spawn_blocking(move || reloaded.reload()).await.unwrap_or(false);
            // A configuration that was refused is read again after its next change.
            served = if is_replaced { live.gateway().config.files.clone() } else { now };
            changed = None;
        } else {
            changed = (now != served).then_some(now);
        }
    }
}

async fn present_state(files: &[WatchedFile]) -> Vec<WatchedFile> {
    let files = files.to_vec();
    let read = move || files.iter().map(WatchedFile::now).collect();
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

/// Appends usage to its file until the task is aborted. If that fails, the usage is kept and written later.
pub(crate) async fn keep_usage(live: Arc<Live>) {
    let mut is_writable = true;
    let mut beat = tokio::time::interval(FLUSH_AFTER);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for n in 0_u64.. {
        beat.tick().await;
        let gateway = live.gateway();
        if !gateway.usage.has_pending() && n % IDLE_FLUSHES != 0 {
            continue;
        }
        let usage = Arc::clone(&gateway.usage);
        let flushed = tokio::task::spawn_blocking(move || usage.flush()).await;
        let is_now = matches!(flushed, Ok(Ok(())));
        if is_writable && !is_now {
            gateway.journal.log(Event::UsageUnwritable);
        }
        is_writable = is_now;
    }
}

/// Reads the keys again when their file has changed. While it cannot be read, nobody is admitted: a removed or damaged file
/// must neither open the gateway nor keep a revoked key valid.
async fn reload_keys(gateway: &Arc<Gateway>, is_readable: &mut bool) {
    let reader = Arc::clone(gateway);
    let read = move || {
        let (gate, path) = (&reader.gate, &reader.config.keys);
        (!gate.has_keys_of(path)).then(|| gate.read_keys(path))
    };
    match tokio::task::spawn_blocking(read).await {
        Ok(None) => {}
        Ok(Some(Ok(n_keys))) => {
            *is_readable = true;
            gateway.journal.log(Event::KeysReloaded { keys: n_keys });
        }
        _ if *is_readable => {
            *is_readable = false;
            gateway.journal.log(Event::KeysUnreadable);
        }
        _ => {}
    }
    gateway.metrics.keys_readable.set(i64::from(!gateway.gate.is_closed()));
}

/// Removes what purges on other machines have left on this one.
async fn remove_orphaned_indexes(gateway: Arc<Gateway>) {
    if gateway.config.team.is_some() {
        // Failures are retried a minute later.
        let _ = gateway.with_engine(|engine| engine.remove_orphaned_indexes()).await;
    }
}

/// Brings indexes up to date with what workers have ingested.
async fn follow(gateway: Arc<Gateway>) {
    // It takes none of the threads of calls. A failure is reported by the next search of the project.
    let _ = tokio::task::spawn_blocking(move || gateway.engine.follow()).await;
}

/// Logs each breaker that has opened since the last check.
fn log_opened_breakers(gateway: &Gateway, known_open: &mut Vec<(String, String)>) {
    let states = gateway.breaker_states().into_iter();
    let open = states.filter(|(.., state)| *state == BreakerState::Open);
    let open: Vec<(String, String)> = open.map(|(provider, model, _)| (provider, model)).collect();
    for (provider, model) in open.iter().filter(|one| !known_open.contains(one)) {
        let (provider, model) = (provider.clone(), model.clone());
        gateway.journal.log(Event::BreakerOpened { provider, model });
    }
    *known_open = open;
}
