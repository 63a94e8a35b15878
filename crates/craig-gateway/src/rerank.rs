//! Reranks with the engine's pipeline on a thread that may block, and counts the outcome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use craig_engine::{Cancellation, Document, EngineError, ModelError, Ranking, RerankReport, RerankSource};

use crate::budget::Reservation;
use crate::call::CallFailure;
use crate::gateway::Gateway;
use crate::metrics::{Metrics, ms};

/// How much longer the gateway waits for a rerank than it may take, so that the failure of the pipeline is known.
const TIMEOUT_SLACK: Duration = Duration::from_millis(250);

/// A document to be ranked.
#[derive(Clone, Debug)]
pub(crate) struct RerankDocument {
    /// Path of its file, if known.
    pub(crate) path: Option<String>,
    pub(crate) text: String,
}

impl RerankDocument {
    fn as_document(&self) -> Document<'_> {
        Document { path: self.path.as_deref(), text: &self.text, score: 0.0 }
    }
}

/// The source of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Reranker(RerankSource),
    /// The order in which results were found, since reranking failed.
    Fallback,
    /// Reranking was not requested.
    Off,
}

impl Source {
    /// Its name in headers and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reranker(RerankSource::Voyage) => "voyage",
            Self::Reranker(RerankSource::Provider) => "provider",
            Self::Reranker(RerankSource::Local) => "local",
            Self::Reranker(RerankSource::Cache) => "cache",
            Self::Fallback => "fallback",
            Self::Off => "off",
        }
    }

    pub(crate) fn is_cache(self) -> bool {
        self == Self::Reranker(RerankSource::Cache)
    }
}

/// Cancels its rerank when it is dropped, for example because the client disconnects.
#[derive(Default)]
pub(crate) struct CancelOnDrop(pub(crate) Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Counts the tokens of reranks and their price: on the thread that reranks, since they are paid for even if the client
/// has gone away by then.
pub(crate) struct RerankCosts {
    metrics: Arc<Metrics>,
    usd_per_million_tokens: f64,
}

impl RerankCosts {
    pub(crate) fn count(&self, ranking: &Ranking) {
        if let Some(tokens) = ranking.total_tokens.filter(|_| ranking.source != RerankSource::Cache) {
            self.metrics.voyage_tokens.inc_by(tokens);
            self.metrics.cost_usd.inc_by(self.usd_per_million_tokens * tokens as f64 / 1e6);
        }
    }

    /// Counts those of an answer's rerank, if there was one.
    pub(crate) fn count_reported(&self, report: Option<&RerankReport>) {
        if let Some(Ok(ranking)) = report.map(|report| &report.result) {
            self.count(ranking);
        }
    }
}

impl Gateway {
    pub(crate) fn rerank_costs(&self) -> RerankCosts {
        RerankCosts {
            metrics: Arc::clone(&self.metrics),
            usd_per_million_tokens: self.config.rerank_usd_per_million_tokens,
        }
    }

    /// Ranks the `top` best of some documents within the time limit. The work may outlast its request, and holds the memory
    /// that is reserved for it.
    pub(crate) async fn rerank(
        &self,
        query: String,
        documents: Vec<RerankDocument>,
        top: usize,
        room: Option<Arc<Reservation>>,
    ) -> Result<Ranking, CallFailure> {
        let started = Instant::now();
        let cancel = CancelOnDrop::default();
        let (engine, cancellation, costs) = (Arc::clone(&self.engine), cancel.0.clone(), self.rerank_costs());
        let work = tokio::task::spawn_blocking(move || {
            let _room = room;
            let documents: Vec<_> = documents.iter().map(RerankDocument::as_document).collect();
            let result = engine.rerank_texts(&query, &documents, top, &cancellation);
            result.inspect(|ranking| costs.count(ranking))
        });
        let timeout = self.config.engine.rerank.timeout;
        let result = match tokio::time::timeout(timeout + TIMEOUT_SLACK, work).await {
            Ok(Ok(Err(EngineError::Model(error)))) => Err(error),
            Ok(Ok(result)) => result.map_err(|error| ModelError::Ranking { reason: error.to_string() }),
            Ok(Err(_)) => Err(ModelError::Ranking { reason: "it panicked".to_owned() }),
            Err(_) => Err(ModelError::TimedOut { provider: String::new(), waited: started.elapsed() }),
        };
        self.count_rerank(started.elapsed(), &result)?;
        result.map_err(|error| CallFailure::from(&error))
    }

    /// Counts a rerank: its time, and its source or failure. What it costs is counted where it is done.
    pub(crate) fn count_rerank(
        &self,
        time: Duration,
        result: &Result<Ranking, ModelError>,
    ) -> Result<Source, CallFailure> {
        let metrics = &self.metrics;
        metrics.rerank_ms.observe(ms(time));
        let ranking = result.as_ref().map_err(|error| {
            let is_local = self.engine.reranker_state().provider.is_none();
            let failure = match error {
                ModelError::TimedOut { .. } if is_local => CallFailure::rerank_timeout(),
                error => CallFailure::from(error),
            };
            metrics.rerank_errors.with_label_values(&[failure.label()]).inc();
            failure
        })?;
        let source = Source::Reranker(ranking.source);
        metrics.reranks.with_label_values(&[source.name()]).inc();
        if source.is_cache() { &metrics.cache_hits } else { &metrics.cache_misses }.inc();
        Ok(source)
    }
}
