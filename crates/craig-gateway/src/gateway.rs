//! The gateway's state: everything that requests share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use craig_engine::{Engine, EngineError, TextModels};
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::budget::Budget;
use crate::cache::Cache;
use crate::caller::Gate;
use crate::client::{Client, Target};
use crate::config::GatewayConfig;
use crate::failure::Problem;
use crate::journal::Journal;
use crate::keys::{KeyRing, KeysError};
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::providers::Providers;
use crate::rerank::{Around, Reranker};
use crate::shared::Redis;
use crate::tls::TlsError;
use crate::traces::Tracer;

/// Calls of the engine and embedders at work at the same time; the others wait in their order. Rerankers have a queue of their own.
const MOST_AT_WORK: usize = 4;

/// Longest wait for an engine's answer.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long it is believed that an index is as new as its files, or not, and of how many projects.
const CHECKED_FOR: Duration = Duration::from_secs(1);
const MAX_CHECKED_PROJECTS: usize = 1_000;

/// A gateway that cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The engine's models cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The key file cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// Others than this machine could ask without a key.
    #[error(
        "{0} can be reached from other machines, and there is no key: run 'craig gateway keys add NAME', or serve 127.0.0.1"
    )]
    Unguarded(std::net::SocketAddr),
    /// Nobody can connect there.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: std::net::SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("cannot speak TLS: {0}")]
    Tls(#[from] TlsError),
    /// A provider's address or key cannot be used.
    #[error("{0}")]
    Upstream(String),
    /// The system does not give what is needed.
    #[error("cannot start: {0}")]
    System(String),
}

/// What all requests share.
pub(crate) struct Gateway {
    pub(crate) config: GatewayConfig,
    pub(crate) gate: Gate,
    pub(crate) limits: Limits,
    /// Memory for their bodies.
    pub(crate) for_requests: Budget,
    pub(crate) providers: Providers,
    pub(crate) reranker: Reranker,
    pub(crate) models: Arc<TextModels>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) journal: Journal,
    pub(crate) redis: Option<Redis>,
    pub(crate) tracer: Tracer,
    /// Whether the indexes of projects are as new as their files, by the hash of a project's name.
    pub(crate) are_current: Cache<bool, ()>,
    engine: Arc<Engine>,
    turns: Arc<Semaphore>,
    is_stopping: AtomicBool,
}

impl Gateway {
    pub(crate) fn new(config: GatewayConfig, journal: Journal) -> Result<Self, StartError> {
        let system = |error: &dyn std::fmt::Display| StartError::System(error.to_string());
        let keys = KeyRing::open(&config.keys)?;
        let is_local = config.address.ip().is_loopback();
        if !is_local && keys.is_empty() {
            return Err(StartError::Unguarded(config.address));
        }
        let metrics = Arc::new(Metrics::new().map_err(|error| system(&error))?);
        metrics.budget_usd.set(config.monthly_budget_usd.unwrap_or_default());
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
        let models = Arc::new(TextModels::new(&config.engine));
        let around = Around {
            client: client.clone(),
            models: Arc::clone(&models),
            redis: redis.clone(),
            metrics: Arc::clone(&metrics),
        };
        let bounds = &config.bounds;
        let tracer = match &config.otlp_url {
            Some(url) => Tracer::new(client.clone(), Target::new(url, None).map_err(StartError::Upstream)?),
            None => Tracer::off(),
        };
        let providers = Providers::new(&config.upstreams, client, Arc::clone(&metrics), bounds);
        Ok(Self {
            gate: Gate::new(keys, config.origins.clone(), !is_local),
            limits: Limits::new(config.limits, redis.clone()),
            for_requests,
            providers: providers.map_err(StartError::Upstream)?,
            reranker: Reranker::new(&config.rerank, bounds, around)?,
            models,
            metrics,
            journal,
            redis,
            tracer,
            are_current: Cache::new(MAX_CHECKED_PROJECTS, CHECKED_FOR),
            engine: Arc::new(Engine::new(&config.engine)),
            turns: Arc::new(Semaphore::new(MOST_AT_WORK)),
            is_stopping: AtomicBool::new(false),
            config,
        })
    }

    /// Does some work with an engine, on a thread where it may take its time.
    pub(crate) async fn with_engine<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        let engine = Arc::clone(&self.engine);
        self.at_work(move || work(&engine)).await
    }

    /// Does some work with the configured models, on a thread where it may take its time.
    pub(crate) async fn with_models<T: Send + 'static>(
        &self,
        work: impl FnOnce(&TextModels) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        let models = Arc::clone(&self.models);
        self.at_work(move || work(&models)).await
    }

    async fn at_work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        let busy = || Problem::unavailable("engine_busy", "the index is busy: try again later");
        let done = tokio::time::timeout(ENGINE_TIMEOUT, async {
            let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| busy())?;
            let work = move || {
                let done = work();
                drop(turn);
                done
            };
            tokio::task::spawn_blocking(work).await.map_err(|_| Problem::internal())
        });
        Ok(done.await.map_err(|_| busy())???)
    }

    /// Says that nothing new should come.
    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}
