//! Quality of the fitted trees on held-out repositories.

use std::collections::{BTreeMap, BTreeSet};

use super::HeldOut;
use super::examples::{Chunk, Collection, Example};
use crate::metrics::{bootstrap_interval, mean};

const THRESHOLDS: [f64; 8] = [0.03, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3];

/// Blocks that context has by default.
const N_BLOCKS: usize = 10;

/// The report, line by line; the same lines are kept beside the trees.
pub(super) fn lines(collection: &Collection, held_out: &[HeldOut]) -> Vec<String> {
    let kinds: BTreeSet<&str> = collection
        .examples
        .iter()
        .map(|example| example.kind.as_str())
        .filter(|kind| !["other", "unrelated"].contains(kind))
        .collect();
    let mut lines = vec![format!(
        "{:<15} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "kind", "asked", "whole1", "whole3", "whole5", "any1", "any3", "any5", "any10", "pool"
    )];
    lines.push(quality("questions", collection, held_out, |example| example.is_question));
    lines.extend(
        kinds.iter().map(|kind| quality(kind, collection, held_out, |example| example.kind == *kind)),
    );
    lines.push(interval(collection, held_out));
    let firsts = |n: usize| {
        let seen = held_out.iter().flat_map(move |shuffle| {
            let own = collection.examples.iter().zip(&shuffle.ranked);
            let own = own.filter(|(example, _)| !["other", "unrelated"].contains(&example.kind.as_str()));
            own.flat_map(move |(example, ranked)| {
                ranked.iter().take(n).map(|&(at, relevance)| (relevance, example.pool[at].answers))
            })
        });
        seen.collect::<Vec<_>>()
    };
    for n in [1, 5, 10] {
        lines.push(format!("calibration error of the first {n}: {:.4}", calibration_error(&firsts(n))));
    }
    lines.extend(reliability(&firsts(10), held_out.len()));
    lines.extend(THRESHOLDS.iter().map(|&threshold| at_threshold(collection, held_out, threshold)));
    lines
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
pub(super) fn print(lines: &[String]) {
    lines.iter().for_each(|line| println!("{line}"));
}

/// Share of questions with such a chunk among the first `n`.
fn found(example: &Example, ranked: &[(usize, f64)], n: usize, is: fn(&Chunk) -> bool) -> f64 {
    f64::from(u8::from(ranked.iter().take(n).any(|&(at, _)| is(&example.pool[at]))))
}

fn quality(
    name: &str,
    collection: &Collection,
    held_out: &[HeldOut],
    is_of: impl Fn(&Example) -> bool,
) -> String {
    let all = || {
        held_out
            .iter()
            .flat_map(|shuffle| collection.examples.iter().zip(&shuffle.ranked))
            .filter(|(example, _)| is_of(example))
    };
    let share =
        |n: usize, is: fn(&Chunk) -> bool| mean(all().map(|(example, ranked)| found(example, ranked, n, is)));
    let whole = [1, 3, 5].map(|n| format!(" {:>6.3}", share(n, |chunk| chunk.is_whole))).concat();
    let any =
        [1, 3, 5, 10, usize::MAX].map(|n| format!(" {:>6.3}", share(n, |chunk| chunk.answers))).concat();
    format!("{name:<15} {:>5}{whole}{any}", all().count() / held_out.len())
}

/// Right lines in five chunks, with the interval over repositories.
fn interval(collection: &Collection, held_out: &[HeldOut]) -> String {
    let mut by: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for shuffle in held_out {
        for (example, ranked) in
            collection.examples.iter().zip(&shuffle.ranked).filter(|(e, _)| e.is_question)
        {
            by.entry(example.repository).or_default().push(found(example, ranked, 5, |chunk| chunk.answers));
        }
    }
    let means: Vec<f64> = by.into_values().map(mean).collect();
    let (low, high) = bootstrap_interval(&means);
    format!(
        "questions, any5, mean of {} repositories {:.3} (95% {low:.3}-{high:.3})",
        means.len(),
        mean(means.iter().copied())
    )
}

/// Expected calibration error over ten equal bins, weighted by size.
fn calibration_error(predicted: &[(f64, bool)]) -> f64 {
    let n = predicted.len().max(1) as f64;
    bins(predicted).into_iter().map(|(_, size, mean, right)| size as f64 / n * (mean - right).abs()).sum()
}

/// Number, size, mean prediction and share that is right of each bin.
fn bins(predicted: &[(f64, bool)]) -> Vec<(usize, usize, f64, f64)> {
    let bin = |number: usize| {
        let within: Vec<_> =
            predicted.iter().filter(|(p, _)| ((p * 10.0) as usize).min(9) == number).collect();
        let right = mean(within.iter().map(|(_, is_right)| f64::from(u8::from(*is_right))));
        (number, within.len(), mean(within.iter().map(|(p, _)| *p)), right)
    };
    (0..10).map(bin).filter(|(_, size, ..)| *size > 0).collect()
}

fn reliability(predicted: &[(f64, bool)], n_shuffles: usize) -> Vec<String> {
    let line = |(number, size, mean, right): (usize, usize, f64, f64)| {
        let from = number as f64 / 10.0;
        format!(
            "  {from:.1}-{:.1}: {} chunks, predicted {mean:.2}, right {right:.2}",
            from + 0.1,
            size / n_shuffles
        )
    };
    bins(predicted).into_iter().map(line).collect()
}

/// What context has with a threshold.
fn at_threshold(collection: &Collection, held_out: &[HeldOut], threshold: f64) -> String {
    let shown = |is_of: &dyn Fn(&Example) -> bool| {
        let mut all: Vec<(f64, f64, f64, Option<f64>)> = Vec::new();
        for shuffle in held_out {
            for (example, ranked) in collection.examples.iter().zip(&shuffle.ranked).filter(|(e, _)| is_of(e))
            {
                let blocks: Vec<&Chunk> = ranked
                    .iter()
                    .take_while(|(_, relevance)| *relevance >= threshold)
                    .take(N_BLOCKS)
                    .map(|&(at, _)| &example.pool[at])
                    .collect();
                let count = |is: fn(&Chunk) -> bool| blocks.iter().filter(|chunk| is(chunk)).count() as f64;
                let n = blocks.len() as f64;
                let in_file = (n > 0.0).then(|| count(|chunk| chunk.is_in_file) / n);
                all.push((n, f64::from(u8::from(n > 0.0)), count(|chunk| chunk.answers).min(1.0), in_file));
            }
        }
        all
    };
    let own = shown(&|example| example.is_question);
    let issues = shown(&|example| example.kind == "issue");
    let others = shown(&|example| example.kind == "other");
    let unrelated = shown(&|example| example.kind == "unrelated");
    let context = |all: &[(f64, f64, f64, Option<f64>)]| mean(all.iter().map(|shown| shown.1));
    format!(
        "at {threshold:.2}: questions with context {:.3}, {:.1} blocks, right lines {:.3}, blocks in a labelled file {:.3}; context for issues {:.3}, for questions about others {:.3}, for unrelated ones {:.3}",
        context(&own),
        mean(own.iter().map(|shown| shown.0)),
        mean(own.iter().map(|shown| shown.2)),
        mean(own.iter().filter_map(|shown| shown.3)),
        context(&issues),
        context(&others),
        context(&unrelated),
    )
}
