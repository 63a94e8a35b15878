//! The last day in samples of a minute, for the status page.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use serde::Serialize;

use crate::limits::locked;

/// Samples of a day.
const MAX_SAMPLES: usize = 24 * 60;

/// Everything that was counted since the start, at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    /// Seconds since 1970.
    pub(crate) at: i64,
    /// Requests with an answer, those that were refused (4xx), and those that failed (5xx).
    pub(crate) answered: u64,
    pub(crate) refused: u64,
    pub(crate) failed: u64,
    /// Failed calls by provider.
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) usd: f64,
    /// Time to the first byte of answers, and to their last.
    pub(crate) first_byte: Buckets,
    pub(crate) whole: Buckets,
}

/// Counts of a histogram of durations: of those up to each bound, and of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    pub(crate) bounds: &'static [f64],
    pub(crate) cumulative: Vec<u64>,
    /// The longest of all durations since the start.
    pub(crate) longest: f64,
}

/// What happened between two times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Sample {
    /// Its end, in seconds since 1970, and how long it is.
    at: i64,
    seconds: i64,
    answered: u64,
    refused: u64,
    failed: u64,
    errors: BTreeMap<String, u64>,
    usd: f64,
    /// Median and 95th percentile in milliseconds; `None` if there were no answers.
    first_byte_ms: Option<[f64; 2]>,
    whole_ms: Option<[f64; 2]>,
}

/// The samples. The lock is taken once a minute, and when somebody looks at the page.
#[derive(Default)]
pub(crate) struct History(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    samples: VecDeque<Sample>,
    /// At the end of the last sample.
    before: Option<Totals>,
}

impl History {
    /// Ends a sample.
    pub(crate) fn add(&self, now: Totals) {
        let mut kept = locked(&self.0);
        if let Some(before) = &kept.before {
            let sample = Sample::between(before, &now);
            kept.samples.push_back(sample);
        }
        while kept.samples.len() > MAX_SAMPLES {
            kept.samples.pop_front();
        }
        kept.before = Some(now);
    }

    /// All samples, oldest first, the last one unfinished.
    pub(crate) fn samples(&self, now: &Totals) -> Vec<Sample> {
        let kept = locked(&self.0);
        let unfinished = kept.before.as_ref().filter(|before| before.at < now.at);
        let unfinished = unfinished.map(|before| Sample::between(before, now));
        kept.samples.iter().cloned().chain(unfinished).collect()
    }
}

impl Sample {
    fn between(before: &Totals, now: &Totals) -> Self {
        let since = |now: u64, before: u64| now.saturating_sub(before);
        let errors = now.errors.iter().map(|(provider, n)| {
            (provider.clone(), since(*n, before.errors.get(provider).copied().unwrap_or_default()))
        });
        Self {
            at: now.at,
            seconds: now.at - before.at,
            answered: since(now.answered, before.answered),
            refused: since(now.refused, before.refused),
            failed: since(now.failed, before.failed),
            errors: errors.filter(|(_, n)| *n > 0).collect(),
            usd: now.usd - before.usd,
            first_byte_ms: now.first_byte.percentiles_since(&before.first_byte),
            whole_ms: now.whole.percentiles_since(&before.whole),
        }
    }
}

impl Buckets {
    fn percentiles_since(&self, before: &Self) -> Option<[f64; 2]> {
        let earlier = before.cumulative.iter().copied().chain(std::iter::repeat(0));
        let counts = self.cumulative.iter().zip(earlier).map(|(now, before)| now.saturating_sub(before));
        let counts: Vec<u64> = counts.collect();
        let total = counts.last().copied().filter(|total| *total > 0)?;
        Some([0.5, 0.95].map(|share| self.percentile(&counts, share * total as f64)))
    }

    /// The value that `rank` values are not above, interpolated within its bucket, as Prometheus' `histogram_quantile` does,
    /// but no longer than any value that was measured.
    fn percentile(&self, cumulative: &[u64], rank: f64) -> f64 {
        let at = cumulative.partition_point(|count| (*count as f64) < rank);
        let Some(upper) = self.bounds.get(at) else { return self.bounds.last().copied().unwrap_or_default() };
        let below = at.checked_sub(1);
        let lower = below.map_or(0.0, |at| self.bounds[at]);
        let before = below.map_or(0, |at| cumulative[at]) as f64;
        let within = cumulative[at] as f64 - before;
        (lower + (upper - lower) * (rank - before) / within.max(1.0)).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(cumulative: &[u64]) -> Buckets {
        Buckets { bounds: &[10.0, 100.0], cumulative: cumulative.to_vec(), longest: 1_000.0 }
    }

    fn totals(at: i64, answered: u64, whole: &[u64]) -> Totals {
        let errors = BTreeMap::from([("one".to_owned(), answered / 10)]);
        Totals { at, answered, errors, usd: answered as f64, whole: buckets(whole), ..Totals::default() }
    }

    #[test]
    fn a_sample_is_what_happened_since_the_one_before() {
        let history = History::default();
        history.add(totals(0, 5, &[5, 5, 5]));
        history.add(totals(60, 105, &[55, 105, 105]));
        let samples = history.samples(&totals(90, 105, &[55, 105, 105]));
        let first = &samples[0];
        assert_eq!((first.at, first.seconds, first.answered, first.usd), (60, 60, 100, 100.0));
        assert_eq!(first.errors, BTreeMap::from([("one".to_owned(), 10)]));
        // Half of the hundred values are up to 10, 90% of the rest up to 91.
        assert_eq!((first.whole_ms, first.first_byte_ms), (Some([10.0, 91.0]), None));
        assert_eq!((samples[1].seconds, samples[1].answered, samples[1].whole_ms), (30, 0, None));
    }

    #[test]
    fn a_day_is_kept() {
        let history = History::default();
        (0..2_000).for_each(|minute| history.add(totals(60 * minute, 0, &[])));
        let samples = history.samples(&totals(60 * 1_999, 0, &[]));
        assert_eq!((samples.len(), samples[0].at), (MAX_SAMPLES, 60 * (2_000 - 1_440)));
    }

    #[test]
    fn no_percentile_is_above_the_longest_value() {
        let buckets = Buckets { longest: 30.0, ..buckets(&[1, 4, 4]) };
        assert_eq!(buckets.percentiles_since(&Buckets::default()), Some([30.0, 30.0]));
    }

    #[test]
    fn values_beyond_the_last_bound_are_at_it() {
        assert_eq!(buckets(&[0, 0, 4]).percentiles_since(&Buckets::default()), Some([100.0, 100.0]));
    }
}
