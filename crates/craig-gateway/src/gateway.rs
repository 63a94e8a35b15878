//! The state that all requests share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use craig_engine::{Engine, EngineError};
use moka::future::Cache;
use thiserror::Error;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::admission::Admissions;
use crate::audit;
use crate::budget::{Budget, Reservation};
use crate::caller::{Caller, Gate};
use crate::client::Client;
use crate::config::{GatewayConfig, Injection};
use crate::context_memory::ContextMemory;
use crate::failure::Problem;
use crate::guesses::{GuessCache, guess_cache};
use crate::history::History;
use crate::hooks::Notices;
use crate::identity::Identity;
use crate::index_failures::IndexFailures;
use crate::journal::{Event, Journal};
use crate::keys::{KeyRing, KeysError};
use crate::limits::Limits;
use crate::meter::Meter;
use crate::metrics::Metrics;
use crate::providers::Providers;
use crate::shared::{BlockingRedis, Redis};
use crate::shares::Shares;
use crate::target::Target;
use crate::tls::TlsError;
use crate::traces::{SERVICE, Tracer, otlp_target};
use crate::usage::UsageLog;

/// Engine calls of one user that run at the same time; others wait in order. Calls that rerank wait in the reranker's queue
/// instead, and are made without reranking when it is full.
const MAX_ENGINE_CALLS: usize = 4;

/// Requests whose results are masked and counted at the same time.
const MAX_COUNTING: usize = 4;

/// Maximum wait for an engine's answer.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long, and for how many projects, it is remembered whether an index is up to date.
const FRESHNESS_TIME: Duration = Duration::from_secs(1);
const MAX_FRESHNESS_ENTRIES: u64 = 1_000;

/// How long it is remembered whether the database can be opened.
const DATABASE_TIME: Duration = Duration::from_secs(1);

/// A gateway that cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The engine's models cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The key file cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// Other machines could send requests without a key.
    #[error(
        "{0} can be reached from other machines, and there is no key: run 'craig gateway keys add NAME', or serve 127.0.0.1"
    )]
    Unguarded(std::net::SocketAddr),
    /// It cannot listen there.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: std::net::SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// It cannot serve the status page there.
    #[error("cannot serve the status page at {address}: {source}")]
    AdminListen {
        /// Where.
        address: std::net::SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The file of usage cannot be used.
    #[error("cannot use the file of usage {}: {source}", path.display())]
    Usage {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("cannot use TLS: {0}")]
    Tls(#[from] TlsError),
    /// A provider's address or key cannot be used.
    #[error("{0}")]
    Upstream(String),
    /// A resource of the system is not available.
    #[error("cannot start: {0}")]
    System(String),
}

/// The state that all requests share, for one configuration. That of the next configuration shares everything with it that
/// has not changed; a request keeps the one that it began with.
pub(crate) struct Gateway {
    pub(crate) config: GatewayConfig,
    pub(crate) gate: Gate,
    pub(crate) limits: Arc<Limits>,
    /// Memory for the bodies of requests.
    pub(crate) for_requests: Budget,
    pub(crate) providers: Providers,
    client: Client,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) journal: Journal,
    pub(crate) redis: Option<Redis>,
    pub(crate) tracer: Tracer,
    pub(crate) meter: Arc<Meter>,
    /// Whether the index of a project is up to date with its files, by the name of the project.
    pub(crate) freshness: Cache<String, bool>,
    pub(crate) known_guesses: GuessCache,
    /// Context that was added to conversations; `None` if it is not remembered.
    pub(crate) context_memory: Option<Arc<ContextMemory>>,
    pub(crate) engine: Arc<Engine>,
    /// Permits to mask and count the results of clients, which takes memory beyond that of their request.
    pub(crate) counting: Arc<Semaphore>,
    /// Limits of keys on requests for models.
    pub(crate) admissions: Arc<Admissions>,
    /// What was used.
    pub(crate) usage: Arc<UsageLog>,
    engine_calls: Arc<Shares>,
    reranking_calls: Arc<Semaphore>,
    is_stopping: Arc<AtomicBool>,
    /// What the status page shows of the last day.
    pub(crate) history: Arc<History>,
    /// Webhooks that were accepted.
    pub(crate) notices: Arc<Notices>,
    /// Logs why the index cannot be read.
    pub(crate) index_failures: Arc<IndexFailures>,
    /// Whether the database can be opened.
    database: Cache<(), bool>,
}

impl Gateway {
    pub(crate) fn new(config: GatewayConfig, journal: Journal) -> Result<Self, StartError> {
        let system = |error: &dyn std::fmt::Display| StartError::System(error.to_string());
        let keys = KeyRing::open(&config.keys)?;
        let usage = UsageLog::open(&config.usage)
            .map_err(|source| StartError::Usage { path: config.usage.clone(), source })?;
        let is_local = config.address.ip().is_loopback();
        if !is_local && keys.is_empty() && config.identity.is_none() {
            return Err(StartError::Unguarded(config.address));
        }
        let metrics = Arc::new(Metrics::new().map_err(|error| system(&error))?);
        metrics.budget_usd.set(config.monthly_budget_usd.unwrap_or_default());
        metrics.is_config_current.set(1);
        let (for_requests, for_answers) =
            Budget::for_requests_and_answers(config.bounds.max_buffered_bytes, &metrics.buffered_bytes);
        let client = Client::new(for_answers).map_err(|error| system(&error))?;
        let redis = match &config.redis {
            Some(address) => {
                let redis = Redis::new(address, journal.clone(), Arc::clone(&metrics));
                // The address may hold a password, which the library's message repeats.
                Some(redis.map_err(|_| {
                    StartError::System("the address of Redis is none such as redis://host:6379".into())
                })?)
            }
            None => None,
        };
        let providers =
            Providers::new(&config.upstreams, client.clone(), Arc::clone(&metrics), &config.bounds, &[]);
        let failures = IndexFailures::new(journal.clone());
        Ok(Self {
            gate: Gate::new(keys, identity(&config, &client, &journal), config.origins.clone(), !is_local),
            limits: Arc::new(Limits::new(config.limits, redis.clone())),
            for_requests,
            providers: providers.map_err(StartError::Upstream)?,
            tracer: tracer(&config, &client)?,
            meter: meter(&config, &client)?,
            context_memory: context_memory(&config, redis.as_ref()),
            engine: engine(&config, redis.clone())?,
            reranking_calls: reranking_calls(&config),
            client,
            metrics,
            journal,
            redis,
            freshness: Cache::builder()
                .max_capacity(MAX_FRESHNESS_ENTRIES)
                .time_to_live(FRESHNESS_TIME)
                .build(),
            known_guesses: guess_cache(),
            counting: Arc::new(Semaphore::new(MAX_COUNTING)),
            admissions: Arc::default(),
            usage: Arc::new(usage),
            engine_calls: Arc::new(Shares::new(MAX_ENGINE_CALLS)),
            is_stopping: Arc::default(),
            history: Arc::default(),
            notices: Arc::default(),
            index_failures: Arc::new(failures),
            database: Cache::builder().time_to_live(DATABASE_TIME).build(),
            config,
        })
    }

    /// The state for another configuration. Limits, caches and breakers whose settings are the same go on as they are; the
    /// engine goes on unless a setting has changed.
    pub(crate) fn with_config(&self, config: GatewayConfig) -> Result<Self, StartError> {
        let has_same_settings = config.settings == self.config.settings;
        let metrics = Arc::clone(&self.metrics);
        let client = self.client.clone();
        let before = self.providers.list();
        let providers =
            Providers::new(&config.upstreams, client.clone(), Arc::clone(&metrics), &config.bounds, before);
        let memory = |config: &GatewayConfig| (config.injection.memory_bytes, config.injection.memory_time);
        Ok(Self {
            gate: self.gate.with(
                match config.identity == self.config.identity {
                    true => self.gate.identity().cloned(),
                    false => identity(&config, &client, &self.journal),
                },
                config.origins.clone(),
            ),
            limits: match config.limits == self.config.limits {
                true => Arc::clone(&self.limits),
                false => Arc::new(Limits::new(config.limits, self.redis.clone())),
            },
            for_requests: self.for_requests.clone(),
            providers: providers.map_err(StartError::Upstream)?,
            tracer: match config.otlp_url == self.config.otlp_url {
                true => self.tracer.clone(),
                false => tracer(&config, &client)?,
            },
            meter: match config.otlp_url == self.config.otlp_url {
                true => Arc::clone(&self.meter),
                false => meter(&config, &client)?,
            },
            context_memory: match memory(&config) == memory(&self.config) {
                true => self.context_memory.clone(),
                false => context_memory(&config, self.redis.as_ref()),
            },
            engine: match has_same_settings {
                true => Arc::clone(&self.engine),
                false => engine(&config, self.redis.clone())?,
            },
            reranking_calls: match has_same_settings {
                true => Arc::clone(&self.reranking_calls),
                false => reranking_calls(&config),
            },
            client,
            metrics,
            journal: self.journal.clone(),
            redis: self.redis.clone(),
            freshness: self.freshness.clone(),
            known_guesses: self.known_guesses.clone(),
            counting: Arc::clone(&self.counting),
            admissions: Arc::clone(&self.admissions),
            usage: Arc::clone(&self.usage),
            engine_calls: Arc::clone(&self.engine_calls),
            is_stopping: Arc::clone(&self.is_stopping),
            history: Arc::clone(&self.history),
            notices: Arc::clone(&self.notices),
            index_failures: Arc::clone(&self.index_failures),
            database: self.database.clone(),
            config,
        })
    }

    /// Logs the models that have a price and no provider: most likely, their names are misspelt.
    pub(crate) fn log_unused_prices(&self) {
        let models = self.config.prices.unused(&self.config.upstreams);
        if !models.is_empty() {
            self.journal.log(Event::PricesUnused { models });
        }
    }

    /// Memory to reserve for `copies` of a body of `n_bytes`. A quarter of the budget is left for the forwarded body,
    /// so that a request that is larger than all of it may still come alone.
    pub(crate) fn room_for(&self, n_bytes: usize, copies: usize) -> usize {
        let total = self.for_requests.total_bytes();
        n_bytes.saturating_mul(copies).min(total - total / 4)
    }

    /// A part of the memory for answers.
    pub(crate) fn answer_reservation(&self) -> Reservation {
        self.client.reservation()
    }

    /// A body that was written for a provider, with the memory that is reserved for it; `None` if there is none left.
    pub(crate) fn reserved(&self, body: Vec<u8>) -> Option<Bytes> {
        let mut reservation = self.for_requests.reservation();
        let room = body.len().min(self.for_requests.total_bytes() / 4);
        reservation.grow_to(room).then(|| Arc::new(reservation).with(Bytes::from(body)))
    }

    /// The engine as it is for one request of the holder of a key; what it reads is logged.
    pub(crate) fn engine_for(&self, caller: &Caller) -> Arc<Engine> {
        let engine = self.engine.within(caller.policy.visibility());
        match self.config.logs_requests {
            true => Arc::new(engine.observed(audit::observer(&self.journal, caller))),
            false => Arc::new(engine),
        }
    }

    /// Fails if the key may use neither the project nor a group that it is in.
    pub(crate) async fn check_project(&self, caller: &Caller, project: &str) -> Result<(), Problem> {
        let Err(refusal) = caller.policy.check_project(project) else { return Ok(()) };
        let (engine, name) = (self.engine.within(caller.policy.visibility()), project.to_owned());
        match self.with_engine(move |_| Ok(engine.project(&name).is_ok())).await? {
            true => Ok(()),
            false => Err(refusal),
        }
    }

    /// Whether the database can be opened, or could a moment ago.
    pub(crate) async fn has_database(&self) -> bool {
        let engine = Arc::clone(&self.engine);
        // Not within the threads of calls: a busy server has a database.
        let check = async move {
            let checked = tokio::task::spawn_blocking(move || engine.check_database().is_ok());
            checked.await.unwrap_or(false)
        };
        self.database.get_with((), check).await
    }

    /// Calls the engine on a thread that may block.
    pub(crate) async fn with_engine<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.call_engine(self.engine_calls.acquire(None), ENGINE_TIMEOUT, call).await
    }

    /// The same within the caller's share of the threads.
    pub(crate) async fn with_engine_for<T: Send + 'static>(
        &self,
        caller: &Caller,
        call: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.call_engine(self.engine_calls.acquire(Some(&caller.user)), ENGINE_TIMEOUT, call).await
    }

    /// The permit for a call that reranks; `None` if as many calls as can be queued rerank already.
    pub(crate) fn rerank_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.reranking_calls).try_acquire_owned().ok()
    }

    /// Calls the engine for something that is reranked: the call may wait for a provider, and must not keep others waiting.
    pub(crate) async fn with_reranking_engine<T: Send + 'static>(
        &self,
        permit: OwnedSemaphorePermit,
        call: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        let timeout = ENGINE_TIMEOUT + self.config.engine.rerank.timeout;
        self.call_engine(std::future::ready(Ok(permit)), timeout, call).await
    }

    async fn call_engine<T: Send + 'static, P: Send + 'static>(
        &self,
        permit: impl Future<Output = Result<P, AcquireError>>,
        timeout: Duration,
        call: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        let busy = || Problem::unavailable("engine_busy", "the index is busy: try again later");
        let done = tokio::time::timeout(timeout, async {
            let permit = permit.await.map_err(|_| busy())?;
            let engine = Arc::clone(&self.engine);
            let call = move || {
                let done = call(&engine);
                drop(permit);
                done
            };
            tokio::task::spawn_blocking(call).await.map_err(|_| Problem::internal())
        });
        let done = done.await.map_err(|_| busy())??;
        Ok(done.inspect_err(|error| self.index_failures.log(error))?)
    }

    /// The name of the reranking model for clients.
    pub(crate) fn reranker_model(&self) -> String {
        self.engine.reranker_state().provider.map_or_else(|| "local".to_owned(), |(model, _)| model)
    }

    /// Marks the gateway as stopping.
    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}

fn identity(config: &GatewayConfig, client: &Client, journal: &Journal) -> Option<Arc<Identity>> {
    let identity = |config| Identity::new(config, client.clone(), journal.clone());
    config.identity.clone().map(identity).map(Arc::new)
}

fn tracer(config: &GatewayConfig, client: &Client) -> Result<Tracer, StartError> {
    match &config.otlp_url {
        Some(url) => Ok(Tracer::new(client.clone(), collector(url, "traces")?, SERVICE)),
        None => Ok(Tracer::off()),
    }
}

fn meter(config: &GatewayConfig, client: &Client) -> Result<Arc<Meter>, StartError> {
    let Some(url) = &config.otlp_url else { return Ok(Arc::new(Meter::off())) };
    let meter = Meter::new(client.clone(), collector(url, "metrics")?);
    meter.map(Arc::new).map_err(|error| StartError::System(error.to_string()))
}

fn collector(url: &str, signal: &str) -> Result<Target, StartError> {
    otlp_target(url, signal).map_err(StartError::Upstream)
}

fn context_memory(config: &GatewayConfig, redis: Option<&Redis>) -> Option<Arc<ContextMemory>> {
    let Injection { memory_bytes, memory_time, .. } = config.injection;
    ContextMemory::new(memory_bytes, memory_time, redis.cloned()).map(Arc::new)
}

/// Permits for calls that rerank or wait for it.
fn reranking_calls(config: &GatewayConfig) -> Arc<Semaphore> {
    let rerank = &config.engine.rerank;
    let most = rerank.max_running.saturating_add(rerank.max_waiting).min(Semaphore::MAX_PERMITS);
    Arc::new(Semaphore::new(most))
}

/// The engine of a gateway. Fails if the key of a reranking provider is missing.
fn engine(config: &GatewayConfig, redis: Option<Redis>) -> Result<Arc<Engine>, StartError> {
    let engine = Engine::new(&config.engine);
    if let Some(redis) = redis {
        let runtime = tokio::runtime::Handle::current();
        engine.share_rankings(Arc::new(BlockingRedis { redis, runtime }));
    }
    engine.check_reranker()?;
    Ok(Arc::new(engine))
}
