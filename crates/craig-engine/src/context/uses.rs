//! Statistics of the context that was given. Nothing of it leaves the machine.

use std::collections::BTreeMap;

use craig_source::mask_secrets;
use craig_store::{ContextUse, Project, Store};
use serde::Serialize;

use super::{ContextAnswer, Telemetry};
use crate::{Engine, EngineError};

/// Sums over the context that was given.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContextStatistics {
    /// Requests of chats.
    pub chats: u64,
    /// Requests of inline edits.
    pub inline_edits: u64,
    /// Requests that got context.
    pub with_context: u64,
    /// Requests that got none, by the reason.
    pub without: BTreeMap<String, u64>,
    /// Mean score of the blocks that were given; `None` when there was nothing.
    pub mean_score: Option<f64>,
    /// Requests by the score of their best piece, ten ranges from 0 to 1.
    pub best_scores: Vec<ScoreShare>,
    /// Milliseconds of whole requests, and of each step.
    pub latency: Vec<Latency>,
    /// Tokens of the context.
    pub tokens: u64,
    /// Tokens that reading the same files whole would have taken more, estimated.
    pub tokens_saved: u64,
    /// Number of answers rated helpful.
    pub helpful: u64,
    /// Number of answers rated unhelpful.
    pub unhelpful: u64,
    /// Requests day by day.
    pub days: Vec<UseOverTime>,
}

/// Requests whose best piece has a score in a range.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreShare {
    /// Minimum score of the range.
    pub from: f64,
    /// Requests.
    pub requests: u64,
}

/// Percentiles of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// The step, or `total`.
    pub step: &'static str,
    /// Half of the requests took at most so long, in milliseconds.
    pub p50_ms: f64,
    /// Nine of ten.
    pub p90_ms: f64,
    /// Ninety-nine of a hundred.
    pub p99_ms: f64,
}

/// Requests of one day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UseOverTime {
    /// The day, UTC.
    pub day: String,
    /// Requests.
    pub requests: u64,
    /// Number of these with context.
    pub with_context: u64,
}

impl Engine {
    /// Records whether the context with `id`, or the newest one, was helpful; returns its id.
    pub fn rate_context(
        &self,
        id: Option<u64>,
        helpful: bool,
        note: Option<&str>,
    ) -> Result<u64, EngineError> {
        let note = note.map(mask_secrets);
        self.store()?
            .rate_context_use(id, helpful, note.as_deref())?
            .ok_or(EngineError::NoContextToRate { id })
    }

    /// Statistics of the context that was given from one project, or from all.
    pub fn context_statistics(&self, handle: Option<&str>) -> Result<ContextStatistics, EngineError> {
        let store = self.store()?;
        let project = handle.map(|handle| self.find(&store, handle)).transpose()?;
        Ok(statistics(&store.context_uses(project.map(|project| project.id))?))
    }

    /// Keeps what the settings allow; `None` when nothing is kept, also when another process writes at the moment.
    pub(super) fn keep_use(
        &self,
        store: &mut Store,
        project: &Project,
        kind: &'static str,
        answer: &ContextAnswer,
    ) -> Option<u64> {
        let telemetry = self.config().context.telemetry;
        if telemetry == Telemetry::Off {
            return None;
        }
        let us = |ms: f64| (ms * 1e3) as u64;
        let steps = &answer.elapsed;
        let scores: Vec<f64> = answer.blocks.iter().map(|block| f64::from(block.score)).collect();
        let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        let used = ContextUse {
            kind: kind.to_owned(),
            reason: answer.reason_code.map(|reason| reason.code().to_owned()),
            blocks: answer.blocks.len() as u32,
            tokens: answer.tokens as u64,
            whole_tokens: whole_tokens(store, project, answer),
            best_score: scores.iter().copied().reduce(f64::max),
            mean_score: (!scores.is_empty()).then_some(mean),
            step_us: [steps.extract_ms, steps.search_ms, steps.rank_ms, steps.format_ms].map(us),
            total_us: us(steps.total_ms),
            query: (telemetry == Telemetry::Texts).then(|| answer.query.clone()),
            ..ContextUse::default()
        };
        // Statistics are no reason to let a chat wait, or fail.
        store.record_context_use(project.id, &used).ok()
    }
}

/// Tokens of the files of an answer read whole, at as many bytes a token as its pieces have.
fn whole_tokens(store: &Store, project: &Project, answer: &ContextAnswer) -> u64 {
    let mut paths: Vec<&str> = answer.blocks.iter().map(|block| block.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let size = |path: &&str| Some(store.tracked_file(project.id, path).ok()??.stamp.size);
    let bytes: u64 = paths.iter().filter_map(size).sum();
    let given_bytes: usize = answer.blocks.iter().map(|block| block.content.len()).sum();
    let given_tokens: usize = answer.blocks.iter().map(|block| block.tokens).sum();
    if given_bytes == 0 { 0 } else { bytes * given_tokens as u64 / given_bytes as u64 }
}

const STEPS: [&str; 4] = ["extract", "search", "rank", "format"];

fn statistics(uses: &[ContextUse]) -> ContextStatistics {
    let n_of = |is: &dyn Fn(&&ContextUse) -> bool| uses.iter().filter(is).count() as u64;
    let given: Vec<&ContextUse> = uses.iter().filter(|used| used.blocks > 0).collect();
    let scores: Vec<f64> = given.iter().filter_map(|used| used.mean_score).collect();
    let mut without = BTreeMap::new();
    for reason in uses.iter().filter_map(|used| used.reason.clone()) {
        *without.entry(reason).or_default() += 1;
    }
    ContextStatistics {
        chats: n_of(&|used| used.kind == "chat"),
        inline_edits: n_of(&|used| used.kind == "inline"),
        with_context: given.len() as u64,
        without,
        mean_score: (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64),
        best_scores: best_scores(&given),
        latency: latencies(uses),
        tokens: given.iter().map(|used| used.tokens).sum(),
        tokens_saved: given.iter().map(|used| used.whole_tokens.saturating_sub(used.tokens)).sum(),
        helpful: n_of(&|used| used.helpful == Some(true)),
        unhelpful: n_of(&|used| used.helpful == Some(false)),
        days: days(uses),
    }
}

fn best_scores(given: &[&ContextUse]) -> Vec<ScoreShare> {
    let range = |used: &ContextUse| ((used.best_score.unwrap_or_default() * 10.0) as usize).min(9);
    let requests = |at| given.iter().filter(|used| range(used) == at).count() as u64;
    (0..10).map(|at| ScoreShare { from: at as f64 / 10.0, requests: requests(at) }).collect()
}

fn latencies(uses: &[ContextUse]) -> Vec<Latency> {
    if uses.is_empty() {
        return Vec::new();
    }
    let of = |step: &'static str, time: &dyn Fn(&ContextUse) -> u64| {
        let mut times: Vec<u64> = uses.iter().map(time).collect();
        times.sort_unstable();
        let percentile = |share: f64| {
            let rank = (share * times.len() as f64).ceil() as usize;
            times[rank.clamp(1, times.len()) - 1] as f64 / 1e3
        };
        Latency { step, p50_ms: percentile(0.5), p90_ms: percentile(0.9), p99_ms: percentile(0.99) }
    };
    let steps = STEPS.iter().enumerate().map(|(at, step)| of(step, &|used| used.step_us[at]));
    steps.chain([of("total", &|used| used.total_us)]).collect()
}

fn days(uses: &[ContextUse]) -> Vec<UseOverTime> {
    let mut days: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for used in uses {
        let day = days.entry(used.used_at.get(..10).unwrap_or_default()).or_default();
        day.0 += 1;
        day.1 += u64::from(used.blocks > 0);
    }
    let use_of_day = |(day, (requests, with_context)): (&str, (u64, u64))| UseOverTime {
        day: day.to_owned(),
        requests,
        with_context,
    };
    days.into_iter().map(use_of_day).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_uses() {
        let used = |blocks, us, score: Option<f64>| ContextUse {
            kind: "chat".into(),
            used_at: "2026-01-02T03:04:05Z".into(),
            reason: (blocks == 0).then(|| "generic".into()),
            blocks,
            tokens: 100 * u64::from(blocks),
            whole_tokens: 1_000 * u64::from(blocks),
            best_score: score,
            mean_score: score,
            total_us: us,
            helpful: (blocks == 2).then_some(true),
            ..ContextUse::default()
        };
        let uses: Vec<_> = (1..=100)
            .map(|n| used(if n % 4 == 0 { 0 } else { 2 }, n * 1_000, (n % 4 != 0).then_some(1.0)))
            .collect();
        let sums = statistics(&uses);
        assert_eq!((sums.chats, sums.inline_edits, sums.with_context), (100, 0, 75));
        assert_eq!(sums.without.get("generic"), Some(&25));
        assert_eq!((sums.tokens, sums.tokens_saved, sums.helpful), (15_000, 135_000, 75));
        assert_eq!(sums.best_scores[9].requests, 75);
        let total = sums.latency.last().unwrap();
        assert_eq!((total.step, total.p50_ms, total.p90_ms, total.p99_ms), ("total", 50.0, 90.0, 99.0));
        assert_eq!(sums.days, [UseOverTime { day: "2026-01-02".into(), requests: 100, with_context: 75 }]);
        assert_eq!(statistics(&[]).latency, []);
    }
}
