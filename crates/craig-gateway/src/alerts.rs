//! The rules of `deploy/gateway/alerts.yml`, for those who have no Prometheus: a tripped rule is logged.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use prometheus::core::Collector as _;

use crate::journal::Alert;
use crate::metrics::Metrics;

/// Rules look at what happened in this time.
const WINDOW: Duration = Duration::from_secs(300);

/// Costs are projected from this time to a month of 30 days.
const COST_WINDOW: Duration = Duration::from_secs(3_600);
const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Fewer searches and reranks than this in a window tell nothing.
const LEAST_EVENTS: f64 = 20.0;

const MOST_ERRORS: f64 = 0.05;
const MOST_P95_MS: f64 = 1_000.0;

/// What the rules compare, at one time.
#[derive(Clone, Debug)]
struct Sample {
    at: Instant,
    reranks: f64,
    errors: f64,
    /// Cumulative counts of `rerank_ms`, by upper bound.
    latency: Vec<(f64, u64)>,
    cost_usd: f64,
}

/// The rules, and what they were told so far.
pub(crate) struct Alerts {
    samples: VecDeque<Sample>,
    budget_usd: Option<f64>,
    firing: Vec<&'static str>,
    started: Instant,
}

impl Alerts {
    pub(crate) fn new(budget_usd: Option<f64>, now: Instant) -> Self {
        Self { samples: VecDeque::new(), budget_usd, firing: Vec::new(), started: now }
    }

    /// Takes a sample; gives the rules that have tripped or hold again since the last one.
    pub(crate) fn look(&mut self, metrics: &Metrics, now: Instant) -> Vec<Alert> {
        let alerts = self.judge(sample(metrics, now));
        if let Some(projection) = alerts.iter().find(|alert| alert.rule == "cost_projection") {
            metrics.projection_usd.set(projection.value);
        }
        self.changed(alerts)
    }

    /// How each rule stands.
    fn judge(&mut self, new: Sample) -> Vec<Alert> {
        // The last one from before the window is what it is compared with.
        while self.samples.get(1).is_some_and(|old| new.at - old.at > COST_WINDOW) {
            self.samples.pop_front();
        }
        let nothing =
            Sample { at: self.started, reranks: 0.0, errors: 0.0, latency: Vec::new(), cost_usd: 0.0 };
        let before = |window: Duration| {
            self.samples
                .iter()
                .rev()
                .find(|old| new.at - old.at >= window)
                .or(self.samples.front())
                .unwrap_or(&nothing)
        };
        let old = before(WINDOW);
        let n_events = new.reranks + new.errors - old.reranks - old.errors;
        let has_events = n_events >= LEAST_EVENTS;
        let error_rate = if has_events { (new.errors - old.errors) / n_events } else { 0.0 };
        let p95 = if has_events { quantile(&new.latency, &old.latency, 0.95) } else { 0.0 };
        let oldest = before(COST_WINDOW);
        let seconds = (new.at - oldest.at).as_secs_f64().max(60.0);
        let projected = (new.cost_usd - oldest.cost_usd) / seconds * MONTH.as_secs_f64();
        let alert = |rule, severity, value: f64, threshold: f64| Alert {
            rule,
            severity,
            firing: value > threshold,
            value,
            threshold,
        };
        let alerts = vec![
            alert("rerank_error_rate", "warning", error_rate, MOST_ERRORS),
            alert("rerank_latency_p95", "warning", p95, MOST_P95_MS),
            alert("cost_projection", "critical", projected, self.budget_usd.unwrap_or(f64::MAX)),
        ];
        self.samples.push_back(new);
        alerts
    }

    fn changed(&mut self, alerts: Vec<Alert>) -> Vec<Alert> {
        let was_firing = std::mem::take(&mut self.firing);
        self.firing = alerts.iter().filter(|alert| alert.firing).map(|alert| alert.rule).collect();
        alerts.into_iter().filter(|alert| alert.firing != was_firing.contains(&alert.rule)).collect()
    }
}

fn sample(metrics: &Metrics, at: Instant) -> Sample {
    let sum = |counter: &prometheus::IntCounterVec| -> f64 {
        counter
            .collect()
            .iter()
            .flat_map(|family| family.get_metric())
            .map(|metric| metric.get_counter().get_value())
            .sum()
    };
    let families = metrics.rerank_ms.collect();
    let buckets = families.iter().flat_map(|family| family.get_metric());
    let latency = buckets
        .flat_map(|metric| metric.get_histogram().get_bucket())
        .map(|bucket| (bucket.upper_bound(), bucket.cumulative_count()))
        .collect();
    // A fallback is counted among the reranks and among the errors: it is one event.
    let fallbacks = metrics.reranks.with_label_values(&["fallback"]).get() as f64;
    Sample {
        at,
        reranks: sum(&metrics.reranks) - fallbacks,
        errors: sum(&metrics.rerank_errors),
        latency,
        cost_usd: metrics.cost_usd.get(),
    }
}

/// The upper bound of the bucket that holds a quantile of what came between two counts.
fn quantile(new: &[(f64, u64)], old: &[(f64, u64)], share: f64) -> f64 {
    let before = |at: usize| old.get(at).map_or(0, |(_, count)| *count);
    let counts: Vec<u64> =
        new.iter().enumerate().map(|(at, (_, count))| count.saturating_sub(before(at))).collect();
    let Some(all) = counts.last().filter(|all| **all > 0) else { return 0.0 };
    let rank = *all as f64 * share;
    let bucket = counts.iter().position(|count| *count as f64 >= rank).unwrap_or(0);
    new[bucket].0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(alerts: &mut Alerts, metrics: &Metrics, seconds: u64) -> Vec<(&'static str, bool)> {
        let at = alerts.started + Duration::from_secs(seconds);
        alerts.look(metrics, at).into_iter().map(|alert| (alert.rule, alert.firing)).collect()
    }

    #[test]
    fn rules_trip_once_and_hold_again() {
        let metrics = Metrics::new().unwrap();
        let mut alerts = Alerts::new(Some(10.0), Instant::now());
        let rerank = |source: &str, n: u64| metrics.reranks.with_label_values(&[source]).inc_by(n);
        rerank("voyage", 95);
        assert_eq!(look(&mut alerts, &metrics, 15), []);
        rerank("voyage", 90);
        rerank("fallback", 10);
        metrics.rerank_errors.with_label_values(&["server"]).inc_by(10);
        (0..100).for_each(|_| metrics.rerank_ms.observe(2_000.0));
        metrics.cost_usd.inc_by(1.0);
        let expected = [("rerank_error_rate", true), ("rerank_latency_p95", true), ("cost_projection", true)];
        assert_eq!(look(&mut alerts, &metrics, 30), expected);
        assert_eq!(look(&mut alerts, &metrics, 45), []);
        assert_eq!(
            look(&mut alerts, &metrics, 400),
            [("rerank_error_rate", false), ("rerank_latency_p95", false)]
        );
        assert_eq!(look(&mut alerts, &metrics, 5_000), [("cost_projection", false)]);
    }

    #[test]
    fn a_few_failures_are_no_rate() {
        let metrics = Metrics::new().unwrap();
        let mut alerts = Alerts::new(None, Instant::now());
        metrics.rerank_errors.with_label_values(&["network"]).inc_by(5);
        assert_eq!(look(&mut alerts, &metrics, 15), []);
    }
}
