//! Quality of the fitted models on held-out repositories.

use std::collections::BTreeMap;

use super::HeldOut;
use super::examples::{Asked, Collection, Example};
use crate::metrics::{bootstrap_interval, mean};

/// 0.7 is the one in the requirements.
const THRESHOLDS: [f64; 6] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

/// The report, line by line; the same lines are kept beside the weights.
pub(super) fn lines(collection: &Collection, held_out: &[HeldOut]) -> Vec<String> {
    let n_sets = collection.repositories.iter().map(|(_, _, set)| set + 1).max().unwrap_or_default();
    let mut lines = Vec::new();
    for set in 0..n_sets {
        lines.push(quality(collection, held_out, set));
        lines.extend(by_category(collection, held_out, set));
    }
    let predicted: Vec<(f64, bool)> =
        held_out.iter().flat_map(|shuffle| shuffle.relevances.iter().flatten().copied()).collect();
    lines.push(format!("relevance: expected calibration error {:.4}", calibration_error(&predicted)));
    lines.extend(reliability(&predicted, held_out.len()));
    lines.extend((0..n_sets).flat_map(|set| at_thresholds(collection, held_out, set)));
    lines
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
pub(super) fn print(lines: &[String]) {
    lines.iter().for_each(|line| println!("{line}"));
}

fn quality(collection: &Collection, held_out: &[HeldOut], set: usize) -> String {
    let shuffles: Vec<BTreeMap<&str, f64>> =
        held_out.iter().map(|shuffle| collection.ndcg_by_repository(set, &shuffle.scores)).collect();
    let means: Vec<f64> = shuffles.iter().map(|by| mean(by.values().copied())).collect();
    let of_repositories: Vec<f64> =
        shuffles[0].keys().map(|name| mean(shuffles.iter().map(|by| by[name]))).collect();
    let (low, high) = bootstrap_interval(&of_repositories);
    let each: Vec<String> = means.iter().map(|mean| format!("{mean:.4}")).collect();
    format!(
        "set {set}: NDCG@10 held out {:.4} (shuffles {}), 95% {low:.3}–{high:.3}, {} repositories",
        mean(means.iter().copied()),
        each.join(" "),
        of_repositories.len()
    )
}

fn by_category(collection: &Collection, held_out: &[HeldOut], set: usize) -> Vec<String> {
    let mut by: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (at, example) in collection.examples.iter().enumerate() {
        let (_, language, of_set) = &collection.repositories[example.repository];
        if example.asked == Asked::Own && *of_set == set {
            let ndcg = mean(held_out.iter().map(|shuffle| example.ndcg(&shuffle.scores[at])));
            by.entry(format!("category {}", example.category)).or_default().push(ndcg);
            by.entry(format!("language {language}")).or_default().push(ndcg);
        }
    }
    by.into_iter()
        .map(|(name, all)| format!("  {name}: {:.3} of {}", mean(all.iter().copied()), all.len()))
        .collect()
}

/// Expected calibration error: the mean difference between predicted and observed relevance over ten equal bins, weighted by size.
fn calibration_error(predicted: &[(f64, bool)]) -> f64 {
    let n = predicted.len().max(1) as f64;
    bins(predicted).map(|bin| bin.n as f64 / n * (bin.predicted - bin.observed).abs()).sum()
}

struct Bin {
    from: f64,
    n: usize,
    predicted: f64,
    observed: f64,
}

fn bins(predicted: &[(f64, bool)]) -> impl Iterator<Item = Bin> + '_ {
    (0..10).filter_map(|bin| {
        let within: Vec<_> = predicted.iter().filter(|(p, _)| ((p * 10.0) as usize).min(9) == bin).collect();
        (!within.is_empty()).then(|| Bin {
            from: bin as f64 / 10.0,
            n: within.len(),
            predicted: mean(within.iter().map(|(p, _)| *p)),
            observed: mean(within.iter().map(|(_, relevant)| f64::from(u8::from(*relevant)))),
        })
    })
}

fn reliability(predicted: &[(f64, bool)], n_shuffles: usize) -> Vec<String> {
    let line = |bin: Bin| {
        format!(
            "  {:.1}–{:.1}: {} hits, predicted {:.2}, relevant {:.2}",
            bin.from,
            bin.from + 0.1,
            bin.n / n_shuffles,
            bin.predicted,
            bin.observed
        )
    };
    bins(predicted).map(line).collect()
}

/// Precision and answer rates for hits of at least each threshold.
fn at_thresholds(collection: &Collection, held_out: &[HeldOut], set: usize) -> Vec<String> {
    let answers = |asked: Asked| {
        let of_shuffle = move |shuffle: &HeldOut| -> Vec<Vec<(f64, bool)>> {
            let all = collection.examples.iter().zip(&shuffle.relevances);
            let of_set = |example: &Example| collection.repositories[example.repository].2 == set;
            all.filter(|(example, _)| example.asked == asked && of_set(example))
                .map(|(_, predicted)| predicted.clone())
                .collect()
        };
        held_out.iter().flat_map(of_shuffle).collect::<Vec<_>>()
    };
    let [own, other, unrelated] = [Asked::Own, Asked::Other, Asked::Unrelated].map(answers);
    let line = |threshold: f64| {
        let answered = |all: &[Vec<(f64, bool)>]| {
            mean(all.iter().map(|predicted| {
                f64::from(u8::from(predicted.first().is_some_and(|(p, _)| *p >= threshold)))
            }))
        };
        let returned = own.iter().flatten().filter(|(p, _)| *p >= threshold);
        format!(
            "set {set} at {threshold:.1}: precision of hits {:.3}; a hit for {:.3} of own questions, {:.3} of those about another repository, {:.3} of unrelated ones",
            mean(returned.map(|(_, relevant)| f64::from(u8::from(*relevant)))),
            answered(&own),
            answered(&other),
            answered(&unrelated)
        )
    };
    let asked = |all: &[Vec<(f64, bool)>]| all.len() / held_out.len();
    let sizes = format!(
        "set {set}: {} own questions, {} about another repository, {} unrelated",
        asked(&own),
        asked(&other),
        asked(&unrelated)
    );
    THRESHOLDS.iter().map(|&threshold| line(threshold)).chain([sizes]).collect()
}
