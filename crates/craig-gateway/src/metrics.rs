//! Metrics for Prometheus. Labels are configured names and fixed words: never a user, a query, or a model that only a client
//! names.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use prometheus::core::Collector;
use prometheus::proto::{Bucket, LabelPair, Metric};
use prometheus::{
    Counter, Encoder as _, Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec,
    IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
};

use crate::history::{Buckets, Totals};

/// Bucket bounds in milliseconds: fine for the gateway's own work, coarse for models.
const MS_BUCKETS: &[f64] = &[
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1_000.0, 2_500.0, 5_000.0,
    10_000.0, 30_000.0, 60_000.0, 300_000.0,
];

/// Durations by labels, in milliseconds.
pub(crate) struct DurationVec {
    histograms: HistogramVec,
    longest: Longest,
}

/// Durations with the same labels.
pub(crate) struct Durations {
    histogram: Histogram,
    longest: Longest,
}

/// The longest duration of all, as the bits of its milliseconds: those of positive numbers have the same order.
type Longest = Arc<AtomicU64>;

impl DurationVec {
    pub(crate) fn with(&self, labels: &[&str]) -> Durations {
        let histogram = self.histograms.with_label_values(labels);
        Durations { histogram, longest: Arc::clone(&self.longest) }
    }

    /// The buckets of all labels together.
    fn buckets(&self) -> Buckets {
        let mut counts = vec![0; MS_BUCKETS.len() + 1];
        for metric in metrics_of(&self.histograms) {
            let histogram = metric.get_histogram();
            let buckets = histogram.get_bucket().iter().map(Bucket::cumulative_count);
            let cumulative = buckets.chain([histogram.get_sample_count()]);
            counts.iter_mut().zip(cumulative).for_each(|(sum, n)| *sum += n);
        }
        let longest = f64::from_bits(self.longest.load(Ordering::Relaxed));
        Buckets { bounds: MS_BUCKETS, cumulative: counts, longest }
    }
}

impl Durations {
    pub(crate) fn observe(&self, duration: Duration) {
        // First: no percentile is cut off below a duration that counts in it.
        self.longest.fetch_max(ms(duration).to_bits(), Ordering::Relaxed);
        self.histogram.observe(ms(duration));
    }
}

/// All metrics, and their registry.
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) vector_search_ms: Histogram,
    pub(crate) rerank_ms: Histogram,
    pub(crate) total_search_ms: Histogram,
    pub(crate) llm_ms: DurationVec,
    pub(crate) first_byte_ms: DurationVec,
    pub(crate) overhead_ms: Histogram,
    pub(crate) searches: IntCounter,
    pub(crate) reranks: IntCounterVec,
    pub(crate) rerank_errors: IntCounterVec,
    pub(crate) guesses: IntCounterVec,
    pub(crate) cache_hits: IntCounter,
    pub(crate) cache_misses: IntCounter,
    pub(crate) breaker_state: IntGaugeVec,
    pub(crate) buffered_bytes: IntGauge,
    pub(crate) keys_readable: IntGauge,
    pub(crate) reloads: IntCounterVec,
    pub(crate) is_config_current: IntGauge,
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
        let new = Maker { registry: &registry };
        Ok(Self {
            vector_search_ms: new.histogram("vector_search_ms", "Duration of a search")?,
            rerank_ms: new.histogram("rerank_ms", "Duration of reranking, queue included")?,
            total_search_ms: new.histogram("total_search_ms", "Duration of search and reranking")?,
            llm_ms: new.durations(
                "llm_ms",
                "Duration of a language model's whole answer",
                &["upstream", "model"],
            )?,
            first_byte_ms: new.durations(
                "time_to_first_byte_ms",
                "Time to first byte of a language model's answer",
                &["upstream"],
            )?,
            overhead_ms: new.histogram(
                "gateway_overhead_ms",
                "Time that the gateway adds to a language model's answer, without search and reranking",
            )?,
            searches: new.counter("searches_total", "Searches")?,
            reranks: new.counters("reranks_total", "Reranks by source", &["source"])?,
            rerank_errors: new.counters("rerank_errors", "Failed reranks", &["class"])?,
            guesses: new.counters(
                "guesses_total",
                "Chats for which a model was asked what the code may look like, by what came of it",
                &["outcome"],
            )?,
            cache_hits: new.counter("cache_hits", "Rerank cache hits")?,
            cache_misses: new.counter("cache_misses", "Rerank cache misses")?,
            breaker_state: new.gauges(
                "breaker_state",
                "0 closed, 1 half open, 2 open",
                &["provider", "model"],
            )?,
            buffered_bytes: new.gauge("buffered_bytes", "Memory reserved for requests and whole answers")?,
            keys_readable: new.gauge("keys_readable", "1 while the key file can be read or there is none")?,
            reloads: new.counters(
                "reloads_total",
                "Reloads of the configuration by outcome",
                &["outcome"],
            )?,
            is_config_current: new.gauge(
                "config_last_reload_successful",
                "0 while the last reload of the configuration was refused",
            )?,
            reranks_running: new.gauge("reranks_running", "Reranks that run now")?,
            reranks_waiting: new.gauge("reranks_waiting", "Reranks that wait in the queue")?,
            voyage_tokens: new.counter("voyage_tokens_used", "Tokens that the reranking provider counted")?,
            llm_tokens: new.counters(
                "llm_tokens_used",
                "Tokens of language models, as providers report them, or as the gateway estimates them",
                &["upstream", "model", "direction"],
            )?,
            cost_usd: new.dollars("estimated_cost_usd", "Estimated cost so far, in US dollars")?,
            projection_usd: new.number(
                "projected_monthly_cost_usd",
                "Cost of 30 days at the pace of the last hour, in US dollars",
            )?,
            budget_usd: new
                .number("monthly_budget_usd", "Configured budget, in US dollars; 0 when there is none")?,
            requests: new.counters("requests_total", "Requests by route and status", &["route", "status"])?,
            upstream_errors: new.counters(
                "upstream_errors",
                "Failed calls of language models",
                &["upstream", "class"],
            )?,
            streams_cut: new.counters(
                "streams_cut",
                "Streams that ended early, by who ended them",
                &["by"],
            )?,
            open_requests: new.gauge("open_requests", "Requests in progress, streams included")?,
            open_connections: new.gauge("open_connections", "Open connections of clients")?,
            runtime_tasks: new.gauge(
                "runtime_tasks",
                "Tasks: one for each connection of a client or to a provider, and a few that always run",
            )?,
            rate_limited: new.counters(
                "rate_limited_total",
                "Requests beyond a key's limit",
                &["resource"],
            )?,
            redis_up: new.gauge("redis_up", "1 while Redis can be reached")?,
            registry,
        })
    }

    /// What was counted since the start, for the status page.
    pub(crate) fn totals(&self) -> Totals {
        let mut totals = Totals {
            at: Timestamp::now().as_second(),
            usd: self.cost_usd.get(),
            first_byte: self.first_byte_ms.buckets(),
            whole: self.llm_ms.buckets(),
            ..Totals::default()
        };
        for metric in metrics_of(&self.requests) {
            let n = metric.get_counter().get_value() as u64;
            match label(&metric, "status").as_bytes().first() {
                _ if !label(&metric, "route").starts_with("/v") => {}
                Some(b'5') => totals.failed += n,
                Some(b'4') => totals.refused += n,
                _ => totals.answered += n,
            }
        }
        for metric in metrics_of(&self.upstream_errors) {
            let provider = label(&metric, "upstream").to_owned();
            *totals.errors.entry(provider).or_default() += metric.get_counter().get_value() as u64;
        }
        totals
    }

    /// All metrics in the text format of Prometheus.
    pub(crate) fn page(&self) -> Vec<u8> {
        let mut page = Vec::new();
        // It fails only for metrics without a name.
        let _ = TextEncoder::new().encode(&self.registry.gather(), &mut page);
        page
    }
}

/// The metrics of a family, one for each combination of labels.
fn metrics_of(family: &impl Collector) -> Vec<Metric> {
    family.collect().iter().flat_map(|family| family.get_metric().to_vec()).collect()
}

fn label<'m>(metric: &'m Metric, name: &str) -> &'m str {
    metric.get_label().iter().find(|label| label.name() == name).map_or("", LabelPair::value)
}

/// A duration in milliseconds.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Counts in a gauge for as long as it lives.
pub(crate) struct Counted(IntGauge);

impl Counted {
    pub(crate) fn new(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Registers metrics.
struct Maker<'r> {
    registry: &'r Registry,
}

impl Maker<'_> {
    fn registered<C: Collector + Clone + 'static>(&self, metric: C) -> Result<C, prometheus::Error> {
        self.registry.register(Box::new(metric.clone()))?;
        Ok(metric)
    }

    fn histogram(&self, name: &str, help: &str) -> Result<Histogram, prometheus::Error> {
        self.registered(Histogram::with_opts(HistogramOpts::new(name, help).buckets(MS_BUCKETS.to_vec()))?)
    }

    fn durations(&self, name: &str, help: &str, labels: &[&str]) -> Result<DurationVec, prometheus::Error> {
        let options = HistogramOpts::new(name, help).buckets(MS_BUCKETS.to_vec());
        let histograms = self.registered(HistogramVec::new(options, labels)?)?;
        Ok(DurationVec { histograms, longest: Longest::default() })
    }

    fn counter(&self, name: &str, help: &str) -> Result<IntCounter, prometheus::Error> {
        self.registered(IntCounter::new(name, help)?)
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, prometheus::Error> {
        self.registered(IntCounterVec::new(Opts::new(name, help), labels)?)
    }

    fn dollars(&self, name: &str, help: &str) -> Result<Counter, prometheus::Error> {
        self.registered(Counter::new(name, help)?)
    }

    fn number(&self, name: &str, help: &str) -> Result<Gauge, prometheus::Error> {
        self.registered(Gauge::new(name, help)?)
    }

    fn gauge(&self, name: &str, help: &str) -> Result<IntGauge, prometheus::Error> {
        self.registered(IntGauge::new(name, help)?)
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec, prometheus::Error> {
        self.registered(IntGaugeVec::new(Opts::new(name, help), labels)?)
    }
}
