//! Fits the probability that a mention helps to mentions that readers judged.

use std::collections::BTreeSet;

use craig_explain::{MENTION_FEATURES, MentionFeatures, MentionWeights};

use super::Answer;
use crate::linear::{Observation, fit_logistic};

/// Strength of the L2 penalty, in standardised units.
const PULL: f64 = 10.0;

/// Least probability of a mention that is shown. With it, 0.155 of the refusals of judged definitions are wrong, of 0.15 wanted;
/// `docs/benchmarks.md` (Explanations) has the others.
const THRESHOLD: f32 = 0.55;

/// A mention, and the shares of readers who thought it good, and wrong.
struct Mention<'a> {
    repository: &'a str,
    features: MentionFeatures,
    good: f64,
    wrong: f64,
}

/// Weights fitted to the mentions among the answers that are as they were judged; `run` reports how they do on each repository
/// when it is held out.
pub(super) fn fit(answers: &[Answer]) -> MentionWeights {
    let judged = answers.iter().filter(|answer| answer.became == "same");
    let mentions: Vec<Mention<'_>> = judged.filter_map(mention).collect();
    let repositories: BTreeSet<&str> = mentions.iter().map(|mention| mention.repository).collect();
    let mut held_out: Vec<(f32, &Mention<'_>)> = Vec::new();
    for held in &repositories {
        let (of_held, others): (Vec<&Mention<'_>>, _) =
            mentions.iter().partition(|mention| mention.repository == *held);
        let weights = fit_to(&others);
        held_out.extend(of_held.into_iter().map(|mention| (weights.probability(&mention.features), mention)));
    }
    let title =
        format!("{} mentions of {} repositories, each held out in turn", mentions.len(), repositories.len());
    let least = [0.0, THRESHOLD, 0.6, 0.7, 0.8, 0.9].map(|least| summary(&held_out, least));
    let run = [title].into_iter().chain(least).collect();
    MentionWeights { run, ..fit_to(&mentions.iter().collect::<Vec<_>>()) }
}

fn mention(answer: &Answer) -> Option<Mention<'_>> {
    let share = |wanted: &str| {
        let n = answer.judgements.iter().filter(|judgement| *judgement == wanted).count();
        n as f64 / answer.judgements.len().max(1) as f64
    };
    let features = answer.explanation.mention?;
    Some(Mention { repository: &answer.repository, features, good: share("good"), wrong: share("wrong") })
}

fn fit_to(mentions: &[&Mention<'_>]) -> MentionWeights {
    let observed = |mention: &&Mention<'_>| {
        let row: Vec<f64> = mention.features.iter().map(|value| f64::from(*value)).collect();
        [(true, mention.good), (false, 1.0 - mention.good)].map(|(is_true, weight)| Observation {
            row: row.clone(),
            is_true,
            weight,
        })
    };
    let observations: Vec<Observation> = mentions.iter().flat_map(observed).collect();
    let fitted = fit_logistic(&observations, PULL);
    // `fit_logistic` gives both outcomes the same total weight: the bias restores their real odds.
    let n_good: f64 = mentions.iter().map(|mention| mention.good).sum();
    let odds = n_good / (mentions.len() as f64 - n_good).max(1e-9);
    let named = MENTION_FEATURES.iter().zip(fitted.weights);
    MentionWeights {
        run: Vec::new(),
        threshold: THRESHOLD,
        bias: rounded(fitted.bias + odds.ln()),
        weights: named.map(|(name, weight)| ((*name).to_owned(), rounded(weight))).collect(),
    }
}

fn rounded(x: f64) -> f32 {
    ((x * 1_000.0).round() / 1_000.0) as f32
}

/// Number of mentions with at least this probability, and the shares of these that are good and wrong.
fn summary(held_out: &[(f32, &Mention<'_>)], least: f32) -> String {
    let shown: Vec<&Mention<'_>> = held_out
        .iter()
        .filter(|(probability, _)| *probability >= least)
        .map(|(_, mention)| *mention)
        .collect();
    let mean = |share: fn(&Mention<'_>) -> f64| {
        shown.iter().map(|mention| share(mention)).sum::<f64>() / shown.len().max(1) as f64
    };
    format!(
        "at least {least:.2}: {} mentions, good {:.3}, wrong {:.3}",
        shown.len(),
        mean(|mention| mention.good),
        mean(|mention| mention.wrong)
    )
}
