//! Reranking as a service: remembered, shared between equal requests, queued, retried, and given up in time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use craig_engine::{
    Document, EngineError, FailureClass, HostedRerank, ModelError, RankedDocument, Ranking, RerankDialect,
    TextModels,
};
use serde::{Deserialize, Serialize};

use crate::breaker::{Breaker, Standing};
use crate::cache::{Cache, Key};
use crate::call::{CallFailure, NO_RESULTS, Patience};
use crate::client::{Client, Target};
use crate::config::{Bounds, RerankSettings};
use crate::metrics::{Metrics, ms};
use crate::queue::{Full, Queue};
use crate::shared::Redis;

/// Largest answer of a reranking provider.
const MAX_ANSWER_BYTES: usize = 8 << 20;

/// Wait before the second try.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// A provider is not blamed for being late when more than this share of the time was spent in the queue.
const MAX_QUEUED_SHARE: f64 = 0.1;

/// How much longer a rerank is waited for than it may take.
const SLACK: Duration = Duration::from_millis(50);

/// What to rank.
#[derive(Clone, Debug)]
pub(crate) struct RerankJob {
    pub(crate) query: String,
    pub(crate) documents: Vec<RerankDocument>,
    /// Best documents that are asked for.
    pub(crate) top: usize,
}

/// A document to be ranked.
#[derive(Clone, Debug)]
pub(crate) struct RerankDocument {
    /// Path of its file, where that is known.
    pub(crate) path: Option<String>,
    pub(crate) text: String,
}

impl RerankDocument {
    fn as_document(&self) -> Document<'_> {
        Document { path: self.path.as_deref(), text: &self.text, score: 0.0 }
    }
}

/// Where an order came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Voyage,
    /// Another server that speaks `/v1/rerank`.
    Provider,
    Local,
    Cache,
    /// The order in which results were found, since reranking was not to be had.
    Fallback,
    /// Nobody asked for it.
    Off,
}

impl Source {
    /// Its name in headers and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Voyage => "voyage",
            Self::Provider => "provider",
            Self::Local => "local",
            Self::Cache => "cache",
            Self::Fallback => "fallback",
            Self::Off => "off",
        }
    }
}

/// An order of documents.
#[derive(Clone, Debug)]
pub(crate) struct Reranked {
    pub(crate) order: Arc<Order>,
    pub(crate) source: Source,
}

/// What is remembered of a rerank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Order {
    /// Place and score, best first.
    pub(crate) ranked: Vec<(usize, f32)>,
    pub(crate) total_tokens: Option<u64>,
}

/// Why there is no order.
#[derive(Clone, Debug)]
pub(crate) enum RerankFailure {
    /// The provider.
    Call(CallFailure),
    /// Too many wait already.
    Full,
    /// It waited for others for so long that too little time was left.
    Queued,
    /// The time is over.
    Late,
    /// A model of this machine.
    Local(FailureClass),
}

impl RerankFailure {
    /// Its name in metrics and logs.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Call(failure) => failure.label(),
            Self::Full => "queue_full",
            Self::Queued => "queue_timeout",
            Self::Late => "timeout",
            Self::Local(class) => crate::failure::class_name(*class),
        }
    }
}

/// What reranks, and everything around it.
pub(crate) struct Reranker {
    provider: Option<Provider>,
    models: Arc<TextModels>,
    queue: Queue,
    cache: Cache<(Arc<Order>, bool), RerankFailure>,
    redis: Option<Redis>,
    metrics: Arc<Metrics>,
    timeout: Duration,
    tries: usize,
    cache_time: Duration,
    usd_per_million_tokens: f64,
}

struct Provider {
    client: Client,
    target: Target,
    dialect: RerankDialect,
    model: String,
    breaker: Arc<Breaker>,
}

/// What a reranker works with.
pub(crate) struct Around {
    pub(crate) client: Client,
    pub(crate) models: Arc<TextModels>,
    pub(crate) redis: Option<Redis>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Reranker {
    /// Fails when the provider's key is missing or its address is none.
    pub(crate) fn new(
        settings: &RerankSettings,
        bounds: &Bounds,
        around: Around,
    ) -> Result<Self, EngineError> {
        let Around { client, models, redis, metrics } = around;
        let provider = match &settings.provider {
            Some(keyed) => {
                let hosted = keyed.usable(|hosted| &hosted.endpoint)?;
                Some(Provider::new(hosted, client, Arc::new(Breaker::new(bounds.breaker)))?)
            }
            None => None,
        };
        let cache = Cache::new(settings.cache_entries as usize, settings.cache_time);
        let queue = Queue::new(
            settings.max_running,
            settings.max_waiting,
            metrics.reranks_running.clone(),
            metrics.reranks_waiting.clone(),
        );
        Ok(Self {
            provider,
            models,
            queue,
            cache,
            redis,
            metrics,
            timeout: settings.timeout,
            tries: bounds.tries,
            cache_time: settings.cache_time,
            usd_per_million_tokens: settings.usd_per_million_tokens,
        })
    }

    /// How the provider's breaker stands, when there is a provider.
    pub(crate) fn standing(&self) -> Option<Standing> {
        self.provider.as_ref().map(|provider| provider.breaker.standing())
    }

    /// What is asked, for people.
    pub(crate) fn model(&self) -> &str {
        self.provider.as_ref().map_or("local", |provider| &provider.model)
    }

    /// Whether results that were found by our own ranking are in the best order that there is without a provider.
    pub(crate) fn is_builtin_ranking(&self, config: &craig_engine::RerankerConfig) -> bool {
        self.provider.is_none() && matches!(config, craig_engine::RerankerConfig::Off)
    }

    /// Orders documents within the time budget. Equal requests at the same time share one answer.
    pub(crate) async fn rerank(&self, job: RerankJob) -> Result<Reranked, RerankFailure> {
        let started = Instant::now();
        let ranked = match job.documents.is_empty() {
            true => Ok(Reranked {
                order: Arc::new(Order { ranked: Vec::new(), total_tokens: None }),
                source: Source::Local,
            }),
            false => self.remembered(job, started + self.timeout).await,
        };
        self.metrics.rerank_ms.observe(ms(started.elapsed()));
        match &ranked {
            Ok(reranked) => self.metrics.reranks.with_label_values(&[reranked.source.name()]).inc(),
            Err(failure) => self.metrics.rerank_errors.with_label_values(&[failure.label()]).inc(),
        }
        ranked
    }

    async fn remembered(&self, job: RerankJob, deadline: Instant) -> Result<Reranked, RerankFailure> {
        let key = self.key(&job);
        // Whether another gateway had it.
        let work = self.cache.get(&key, async {
            match self.shared_order(&key, job.documents.len()).await {
                Some(order) => Ok((Arc::new(order), true)),
                None => Ok((self.ordered(&key, job, deadline).await?, false)),
            }
        });
        // A little longer than the work itself takes, so that it is known what it failed with.
        let found = tokio::time::timeout_at((deadline + SLACK).into(), work).await;
        let (answer, was_here) = found.map_err(|_| RerankFailure::Late)?;
        let (order, was_elsewhere) = answer?;
        let is_cached = was_here || was_elsewhere;
        let counter = if is_cached { &self.metrics.cache_hits } else { &self.metrics.cache_misses };
        counter.inc();
        let source = if is_cached { Source::Cache } else { self.source() };
        Ok(Reranked { order, source })
    }

    fn source(&self) -> Source {
        match &self.provider {
            Some(provider) if provider.dialect == RerankDialect::Voyage => Source::Voyage,
            Some(_) => Source::Provider,
            None => Source::Local,
        }
    }

    /// Model, query and documents, each by its hash; their paths too, unless a provider ranks them, who is sent texts alone.
    fn key(&self, job: &RerankJob) -> Key {
        let mut key = blake3::Hasher::new();
        key.update(blake3::hash(self.model().as_bytes()).as_bytes());
        key.update(blake3::hash(job.query.as_bytes()).as_bytes());
        key.update(&job.top.to_le_bytes());
        job.documents.iter().for_each(|document| {
            if self.provider.is_none() {
                let path = document.path.as_deref().unwrap_or_default();
                key.update(blake3::hash(path.as_bytes()).as_bytes());
            }
            key.update(blake3::hash(document.text.as_bytes()).as_bytes());
        });
        *key.finalize().as_bytes()
    }

    async fn shared_order(&self, key: &Key, n_documents: usize) -> Option<Order> {
        let bytes = self.redis.as_ref()?.get(&cache_name(key)).await?;
        let order: Order = serde_json::from_slice(&bytes).ok()?;
        order.ranked.iter().all(|(index, _)| *index < n_documents).then_some(order)
    }

    async fn ordered(
        &self,
        key: &Key,
        job: RerankJob,
        deadline: Instant,
    ) -> Result<Arc<Order>, RerankFailure> {
        let asked = Instant::now();
        // At least half of the time is left for the reranker.
        let turn = tokio::time::timeout_at((deadline - self.timeout / 2).into(), self.queue.turn()).await;
        let turn = turn.map_err(|_| RerankFailure::Queued)?.map_err(|Full| RerankFailure::Full)?;
        let top = job.top;
        let ranking = match &self.provider {
            Some(provider) => {
                let was_queued = asked.elapsed() > self.timeout.mul_f64(MAX_QUEUED_SHARE);
                let ranking = provider.rank(&job, self.tries, deadline, was_queued).await;
                ranking.map_err(|failure| match failure.class {
                    FailureClass::Timeout if failure.is_ours => RerankFailure::Queued,
                    _ => RerankFailure::Call(failure),
                })?
            }
            None => self.ranked_here(job, deadline).await?,
        };
        drop(turn);
        let order = Order {
            ranked: ranking
                .ranked
                .iter()
                .take(top)
                .map(|document| (document.index, document.score))
                .collect(),
            total_tokens: ranking.total_tokens,
        };
        self.count_tokens(&order);
        self.share(key, &order).await;
        Ok(Arc::new(order))
    }

    async fn ranked_here(&self, job: RerankJob, deadline: Instant) -> Result<Ranking, RerankFailure> {
        let models = Arc::clone(&self.models);
        let work = move || {
            let documents = job.documents.iter().map(RerankDocument::as_document).collect::<Vec<_>>();
            models.rerank(&job.query, &documents, deadline)
        };
        let scores = match tokio::task::spawn_blocking(work).await {
            Ok(Ok(scores)) => scores,
            Ok(Err(EngineError::Model(error))) => return Err(RerankFailure::Local(error.class())),
            _ => return Err(RerankFailure::Local(FailureClass::Model)),
        };
        let mut ranked: Vec<RankedDocument> =
            scores.into_iter().enumerate().map(|(index, score)| RankedDocument { index, score }).collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Ranking { ranked, total_tokens: None })
    }

    fn count_tokens(&self, order: &Order) {
        if let Some(tokens) = order.total_tokens {
            self.metrics.voyage_tokens.inc_by(tokens);
            self.metrics.cost_usd.inc_by(self.usd_per_million_tokens * tokens as f64 / 1e6);
        }
    }

    async fn share(&self, key: &Key, order: &Order) {
        let Some(redis) = &self.redis else { return };
        if let Ok(bytes) = serde_json::to_vec(order)
            && !self.cache_time.is_zero()
        {
            redis.put(&cache_name(key), &bytes, self.cache_time).await;
        }
    }
}

fn cache_name(key: &Key) -> String {
    format!("rerank:{}", blake3::Hash::from_bytes(*key).to_hex())
}

impl Provider {
    fn new(hosted: &HostedRerank, client: Client, breaker: Arc<Breaker>) -> Result<Self, EngineError> {
        let target = Target::new(&hosted.endpoint.url, hosted.endpoint.key.clone())
            .map_err(|reason| ModelError::Unsupported { reason })?;
        Ok(Self { client, target, dialect: hosted.dialect, model: hosted.model.clone(), breaker })
    }

    /// `was_queued`: it had less time than it should have, which is not its fault.
    async fn rank(
        &self,
        job: &RerankJob,
        tries: usize,
        deadline: Instant,
        was_queued: bool,
    ) -> Result<Ranking, CallFailure> {
        let texts: Vec<&str> = job.documents.iter().map(|document| document.text.as_str()).collect();
        let body = Bytes::from(self.dialect.request(&self.model, &job.query, &texts, job.top).to_string());
        let patience = Patience {
            tries,
            deadline,
            first_wait: FIRST_WAIT,
            longest_wait: deadline.saturating_duration_since(Instant::now()),
        };
        let ask = async |time_left| {
            let ranking = self.ask(body.clone(), texts.len(), time_left).await;
            ranking.map_err(|failure| match failure.class {
                FailureClass::Timeout if failure.status.is_none() => {
                    CallFailure { is_ours: was_queued, ..failure }
                }
                _ => failure,
            })
        };
        patience.persist(&self.breaker, ask).await
    }

    async fn ask(&self, body: Bytes, n_documents: usize, within: Duration) -> Result<Ranking, CallFailure> {
        let (_, answer) = self.client.post_whole(&self.target, body, within, MAX_ANSWER_BYTES).await?;
        let answer =
            serde_json::from_slice(&answer).map_err(|_| CallFailure::new(FailureClass::BadAnswer))?;
        match Ranking::read(&answer, n_documents) {
            Ok(ranking) if ranking.ranked.is_empty() => Err(CallFailure::unusable(&NO_RESULTS)),
            Ok(ranking) => Ok(ranking),
            Err(_) => Err(CallFailure::new(FailureClass::BadAnswer)),
        }
    }
}
