//! What Prometheus sees. Labels are names out of the configuration and fixed words: never a user, a query, or a model name
//! that only a client knows.

use std::time::Duration;

use prometheus::{
    Counter, Encoder as _, Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec,
    IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
};

/// Bounds of milliseconds: fine where the gateway's own work lies, coarse where models think.
const MS_BUCKETS: &[f64] = &[
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1_000.0, 2_500.0, 5_000.0,
    10_000.0, 30_000.0, 60_000.0, 300_000.0,
];

/// Every metric, and the registry that shows them.
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) vector_search_ms: Histogram,
    pub(crate) rerank_ms: Histogram,
    pub(crate) total_search_ms: Histogram,
    pub(crate) llm_ms: HistogramVec,
    pub(crate) first_byte_ms: HistogramVec,
    pub(crate) overhead_ms: Histogram,
    pub(crate) searches: IntCounter,
    pub(crate) reranks: IntCounterVec,
    pub(crate) rerank_errors: IntCounterVec,
    pub(crate) cache_hits: IntCounter,
    pub(crate) cache_misses: IntCounter,
    pub(crate) breaker_state: IntGaugeVec,
    pub(crate) buffered_bytes: IntGauge,
    pub(crate) keys_readable: IntGauge,
    pub(crate) reranks_running: IntGauge,
    pub(crate) reranks_waiting: IntGauge,
    pub(crate) voyage_tokens: IntCounter,
    pub(crate) llm_tokens: IntCounterVec,
    pub(crate) cost_usd: Counter,
    pub(crate) projection_usd: Gauge,
    pub(crate) budget_usd: Gauge,
    pub(crate) requests: IntCounterVec,
    pub(crate) upstream_errors: IntCounterVec,
    pub(crate) streams_cut: IntCounterVec,
    pub(crate) open_requests: IntGauge,
    pub(crate) open_connections: IntGauge,
    pub(crate) runtime_tasks: IntGauge,
    pub(crate) rate_limited: IntCounterVec,
    pub(crate) redis_up: IntGauge,
}

impl Metrics {
    pub(crate) fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let made = Maker { registry: &registry };
        Ok(Self {
            vector_search_ms: made.histogram("vector_search_ms", "Search of an index")?,
            rerank_ms: made.histogram("rerank_ms", "Reranking, waiting included")?,
            total_search_ms: made.histogram("total_search_ms", "Search and reranking")?,
            llm_ms: made.histograms("llm_ms", "Whole answer of a language model", &["upstream", "model"])?,
            first_byte_ms: made.histograms(
                "time_to_first_byte_ms",
                "Until a language model says something",
                &["upstream"],
            )?,
            overhead_ms: made.histogram(
                "gateway_overhead_ms",
                "What the gateway adds to a language model's answer, without search and reranking",
            )?,
            searches: made.counter("searches_total", "Searches of an index")?,
            reranks: made.counters("reranks_total", "Reranks by what they came from", &["source"])?,
            rerank_errors: made.counters("rerank_errors", "Failed reranks", &["class"])?,
            cache_hits: made.counter("cache_hits", "Reranks that were remembered")?,
            cache_misses: made.counter("cache_misses", "Reranks that were not")?,
            breaker_state: made.gauges(
                "breaker_state",
                "0 closed, 1 half open, 2 open",
                &["provider", "model"],
            )?,
            buffered_bytes: made.gauge("buffered_bytes", "Memory set aside for requests and whole answers")?,
            keys_readable: made.gauge("keys_readable", "1 while the key file can be read, or there is none")?,
            reranks_running: made.gauge("reranks_running", "Reranks that are worked on")?,
            reranks_waiting: made.gauge("reranks_waiting", "Reranks that wait for their turn")?,
            voyage_tokens: made
                .counter("voyage_tokens_used", "Tokens that the reranking provider counted")?,
            llm_tokens: made.counters(
                "llm_tokens_used",
                "Tokens that language models counted",
                &["upstream", "model", "direction"],
            )?,
            cost_usd: made.dollars("estimated_cost_usd", "Estimated cost so far, in US dollars")?,
            projection_usd: made.number(
                "projected_monthly_cost_usd",
                "Cost of 30 days at the pace of the last hour, in US dollars",
            )?,
            budget_usd: made
                .number("monthly_budget_usd", "Configured budget, in US dollars; 0 when there is none")?,
            requests: made.counters(
                "requests_total",
                "Requests by route and status",
                &["route", "status"],
            )?,
            upstream_errors: made.counters(
                "upstream_errors",
                "Failed calls of language models",
                &["upstream", "class"],
            )?,
            streams_cut: made.counters(
                "streams_cut",
                "Streams that did not end well, by who ended them",
                &["by"],
            )?,
            open_requests: made.gauge("open_requests", "Requests that are worked on, streams included")?,
            open_connections: made.gauge("open_connections", "Connections of clients")?,
            runtime_tasks: made.gauge(
                "runtime_tasks",
                "Tasks: one for each connection of a client or to a provider, and a few that are always there",
            )?,
            rate_limited: made.counters(
                "rate_limited_total",
                "Requests beyond a key's limit",
                &["resource"],
            )?,
            redis_up: made.gauge("redis_up", "1 while shared state is reached")?,
            registry,
        })
    }

    /// The page that Prometheus reads.
    pub(crate) fn page(&self) -> Vec<u8> {
        let mut page = Vec::new();
        // Fails only for metrics without a name.
        let _ = TextEncoder::new().encode(&self.registry.gather(), &mut page);
        page
    }
}

/// Milliseconds, as metrics count them.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

struct Maker<'r> {
    registry: &'r Registry,
}

impl Maker<'_> {
    fn kept<C: prometheus::core::Collector + Clone + 'static>(
        &self,
        metric: C,
    ) -> Result<C, prometheus::Error> {
        self.registry.register(Box::new(metric.clone()))?;
        Ok(metric)
    }

    fn histogram(&self, name: &str, help: &str) -> Result<Histogram, prometheus::Error> {
        self.kept(Histogram::with_opts(HistogramOpts::new(name, help).buckets(MS_BUCKETS.to_vec()))?)
    }

    fn histograms(&self, name: &str, help: &str, labels: &[&str]) -> Result<HistogramVec, prometheus::Error> {
        self.kept(HistogramVec::new(HistogramOpts::new(name, help).buckets(MS_BUCKETS.to_vec()), labels)?)
    }

    fn counter(&self, name: &str, help: &str) -> Result<IntCounter, prometheus::Error> {
        self.kept(IntCounter::new(name, help)?)
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, prometheus::Error> {
        self.kept(IntCounterVec::new(Opts::new(name, help), labels)?)
    }

    fn dollars(&self, name: &str, help: &str) -> Result<Counter, prometheus::Error> {
        self.kept(Counter::new(name, help)?)
    }

    fn number(&self, name: &str, help: &str) -> Result<Gauge, prometheus::Error> {
        self.kept(Gauge::new(name, help)?)
    }

    fn gauge(&self, name: &str, help: &str) -> Result<IntGauge, prometheus::Error> {
        self.kept(IntGauge::new(name, help)?)
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec, prometheus::Error> {
        self.kept(IntGaugeVec::new(Opts::new(name, help), labels)?)
    }
}
