//! `explain`: evaluates explanations on labelled code, each repository with weights that were not fitted on it, and fits the
//! compiled-in weights.

mod cases;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use craig_explain::{
    Gate, GateWeights, N_SECTION_FEATURES, N_SUBJECT_FEATURES, SCORE_FEATURES, SECTION_FEATURES,
    SUBJECT_FEATURES, gate, gate_row, rank_rows,
};
use rayon::prelude::*;

use self::cases::{Example, gather};
use crate::linear::{Choice, Logistic, Observation, fit_choice, fit_logistic};

#[derive(Args)]
pub(crate) struct ExplainArguments {
    /// File of labelled cases.
    #[arg(long)]
    cases: PathBuf,
    /// Folder with the repositories of the cases, each checked out under its name.
    #[arg(long)]
    corpora: PathBuf,
    /// Fit, judge each repository by weights fitted on the others, and write the weights of all to this file.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Judge each repository by weights fitted on the others, without writing any.
    #[arg(long)]
    cross_validate: bool,
    /// Strength of the pull of the ranker's weights towards 0.
    #[arg(long, default_value_t = 40.0)]
    pull: f64,
    /// Strength of the pull of the gate's weights towards 0.
    #[arg(long, default_value_t = 40.0)]
    gate_pull: f64,
    /// Name every case that is answered wrongly.
    #[arg(long)]
    misses: bool,
    /// Only the name's line is selected, not its whole definition.
    #[arg(long)]
    first_line: bool,
    /// Write what the models see of each case to this file, a JSON object a line.
    #[arg(long)]
    dump: Option<PathBuf>,
    /// Probability from which on an answer is given; the one with the fewest errors when not set.
    #[arg(long)]
    threshold: Option<f32>,
}

pub(crate) fn run(arguments: &ExplainArguments) -> Result<()> {
    let examples = gather(&arguments.cases, &arguments.corpora, arguments.first_line)?;
    if let Some(file) = &arguments.dump {
        return dump(&examples, file);
    }
    if arguments.out.is_none() && !arguments.cross_validate {
        let answers: Vec<Answer> =
            examples.iter().map(|example| Answer::from_gate(gate(), example)).collect();
        print(
            &report(&examples, &answers, gate().threshold),
            &examples,
            &answers,
            gate().threshold,
            arguments.misses,
        );
        return Ok(());
    }
    let rankers = held_out_rankers(&examples, arguments.pull);
    let scored: Vec<Vec<(usize, f32)>> =
        examples.iter().map(|example| ranked(&rankers[&example.repository], example)).collect();
    let gates = held_out_gates(&examples, &scored, arguments.gate_pull);
    let answers: Vec<Answer> = examples
        .iter()
        .zip(&scored)
        .map(|(example, ranked)| {
            let confidence = gate_row(&example.evidence, ranked)
                .map_or(0.0, |row| gates[&example.repository].probability(&row));
            Answer::new(example, ranked.iter().map(|(at, _)| *at).collect(), confidence)
        })
        .collect();
    let threshold = arguments.threshold.unwrap_or_else(|| best_threshold(&examples, &answers));
    let lines = report(&examples, &answers, threshold);
    print(&lines, &examples, &answers, threshold, arguments.misses);
    let Some(out) = &arguments.out else { return Ok(()) };
    let weights = fit_all(&examples, &scored, arguments, threshold, lines);
    let text = serde_json::to_string_pretty(&weights)? + "\n";
    std::fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))
}

/// Writes the features of all candidates of all cases, for looking at them with other tools.
fn dump(examples: &[Example], file: &Path) -> Result<()> {
    let line = |example: &Example| {
        let rows: Vec<_> =
            example.evidence.candidates.iter().map(|one| one.features.to_array().to_vec()).collect();
        serde_json::json!({
            "repository": example.repository, "place": example.label, "is_documented": example.is_documented,
            "is_expected": example.is_expected, "places": example.places, "subject": example.evidence.subject.to_array().to_vec(), "sections": rows,
        })
    };
    let names = serde_json::json!({ "subject": SUBJECT_FEATURES, "sections": SECTION_FEATURES });
    let lines = std::iter::once(names).chain(examples.iter().map(line));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// The answer to one case.
struct Answer {
    /// Rank of the first expected section, 0-based; none when it is no candidate.
    rank: Option<usize>,
    confidence: f32,
}

impl Answer {
    fn new(example: &Example, order: Vec<usize>, confidence: f32) -> Self {
        Self { rank: order.iter().position(|&at| example.is_expected[at]), confidence }
    }

    fn from_gate(gate: &Gate, example: &Example) -> Self {
        let verdict = gate.judge(&example.evidence);
        let index = |place: usize| {
            example.evidence.candidates.iter().position(|one| one.at == place).unwrap_or_default()
        };
        Self::new(example, verdict.ranked.iter().map(|&(at, _)| index(at)).collect(), verdict.confidence)
    }
}

fn repositories(examples: &[Example]) -> Vec<String> {
    let mut names: Vec<String> = examples.iter().map(|example| example.repository.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// Weight of a case of each repository: all cases of a repository together count as the root of their number, because many cases
/// of one repository say less than as many of several; the mean is 1.
fn case_weights(examples: &[&Example]) -> BTreeMap<String, f64> {
    let mut numbers: BTreeMap<String, f64> = BTreeMap::new();
    for example in examples {
        *numbers.entry(example.repository.clone()).or_default() += 1.0;
    }
    let sum: f64 = numbers.values().map(|n| n.sqrt()).sum();
    numbers.into_iter().map(|(name, n)| (name, examples.len() as f64 / sum / n.sqrt())).collect()
}

fn choices(examples: &[&Example]) -> Vec<Choice> {
    let documented: Vec<&Example> =
        examples.iter().copied().filter(|example| example.is_expected.contains(&true)).collect();
    let weights = case_weights(&documented);
    let choice = |example: &&Example| Choice {
        rows: rank_rows(&example.evidence.candidates).iter().map(|row| row.map(f64::from).to_vec()).collect(),
        is_right: example.is_expected.clone(),
        weight: weights[&example.repository],
    };
    documented.iter().map(choice).collect()
}

fn held_out_rankers(examples: &[Example], pull: f64) -> BTreeMap<String, Vec<f64>> {
    let without = |held: String| {
        let seen: Vec<&Example> = examples.iter().filter(|example| example.repository != held).collect();
        let weights = fit_choice(&choices(&seen), pull);
        (held, weights)
    };
    repositories(examples).into_par_iter().map(without).collect()
}

fn ranked(weights: &[f64], example: &Example) -> Vec<(usize, f32)> {
    let rows = rank_rows(&example.evidence.candidates);
    let score = |row: &[f32]| row.iter().zip(weights).map(|(x, w)| f64::from(*x) * w).sum::<f64>() as f32;
    let mut ranked: Vec<(usize, f32)> = rows.iter().map(|row| score(row)).enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

fn held_out_gates(
    examples: &[Example],
    scored: &[Vec<(usize, f32)>],
    pull: f64,
) -> BTreeMap<String, Logistic> {
    let without = |held: String| {
        let seen = examples.iter().zip(scored).filter(|(example, _)| example.repository != held);
        let model = fit_logistic(&observations(seen), pull);
        (held, model)
    };
    repositories(examples).into_iter().map(without).collect()
}

fn observations<'e>(scored: impl Iterator<Item = (&'e Example, &'e Vec<(usize, f32)>)>) -> Vec<Observation> {
    let seen: Vec<_> = scored.collect();
    let weights = case_weights(&seen.iter().map(|(example, _)| *example).collect::<Vec<_>>());
    let observe = |(example, ranked): &(&Example, &Vec<(usize, f32)>)| {
        Some(Observation {
            row: gate_row(&example.evidence, ranked)?.map(f64::from).to_vec(),
            is_true: example.is_documented,
            weight: weights[&example.repository],
        })
    };
    seen.iter().filter_map(observe).collect()
}

fn fit_all(
    examples: &[Example],
    scored: &[Vec<(usize, f32)>],
    arguments: &ExplainArguments,
    threshold: f32,
    run: Vec<String>,
) -> GateWeights {
    let ranker = fit_choice(&choices(&examples.iter().collect::<Vec<_>>()), arguments.pull);
    let model = fit_logistic(&observations(examples.iter().zip(scored)), arguments.gate_pull);
    let (features, shares) = ranker.split_at(N_SECTION_FEATURES);
    let (score_features, rest) = model.weights.split_at(SCORE_FEATURES.len());
    let (subject, section) = rest.split_at(N_SUBJECT_FEATURES);
    GateWeights {
        run,
        threshold,
        features: named(SECTION_FEATURES, features),
        shares: named(SECTION_FEATURES, shares),
        bias: model.bias as f32,
        score_features: named(SCORE_FEATURES, score_features),
        subject: named(SUBJECT_FEATURES, subject),
        section: named(SECTION_FEATURES, section),
    }
}

/// The weights that do not round to 0, by name.
fn named(names: &[&str], weights: &[f64]) -> BTreeMap<String, f32> {
    let rounded = weights.iter().map(|weight| (weight * 10_000.0).round() / 10_000.0);
    let pairs = names.iter().zip(rounded).filter(|&(_, weight)| weight != 0.0);
    pairs.map(|(name, weight)| ((*name).to_owned(), weight as f32)).collect()
}

/// Outcomes of a set of cases.
#[derive(Default)]
struct Counts {
    documented: usize,
    first: usize,
    top_three: usize,
    answered_first: usize,
    answered_top_three: usize,
    refused: usize,
    undocumented: usize,
    answered_wrongly: usize,
}

impl Counts {
    fn from_cases<'e>(cases: impl Iterator<Item = (&'e Example, &'e Answer)>, threshold: f32) -> Self {
        let mut counts = Self::default();
        for (example, answer) in cases {
            let is_answered = answer.confidence >= threshold;
            if example.is_documented {
                counts.documented += 1;
                let is_within = |n: usize| answer.rank.is_some_and(|rank| rank < n);
                counts.first += usize::from(is_within(1));
                counts.top_three += usize::from(is_within(3));
                counts.answered_first += usize::from(is_within(1) && is_answered);
                counts.answered_top_three += usize::from(is_within(3) && is_answered);
                counts.refused += usize::from(!is_answered);
            } else {
                counts.undocumented += 1;
                counts.answered_wrongly += usize::from(is_answered);
            }
        }
        counts
    }

    fn line(&self, name: &str) -> String {
        let share = |n: usize, total: usize| {
            if total == 0 { "    –".to_owned() } else { format!("{:.3}", n as f64 / total as f64) }
        };
        let answered = self.documented - self.refused;
        format!(
            "{name:<14} {:>4} documented: rank 1 {} top 3 {} | of answered: {} {} | refused {} | refusals as misses: {} {} | {:>4} undocumented: answered {}",
            self.documented,
            share(self.first, self.documented),
            share(self.top_three, self.documented),
            share(self.answered_first, answered),
            share(self.answered_top_three, answered),
            share(self.refused, self.documented),
            share(self.answered_first, self.documented),
            share(self.answered_top_three, self.documented),
            self.undocumented,
            share(self.answered_wrongly, self.undocumented),
        )
    }
}

/// The threshold with the least sum of the rates of false answers and false refusals, false answers counting twice: half as many
/// are allowed.
fn best_threshold(examples: &[Example], answers: &[Answer]) -> f32 {
    let cost = |threshold: f32| {
        let counts = Counts::from_cases(examples.iter().zip(answers), threshold);
        let share = |n: usize, total: usize| n as f64 / total.max(1) as f64;
        2.0 * share(counts.answered_wrongly, counts.undocumented) + share(counts.refused, counts.documented)
    };
    let thresholds = (20..80).map(|percent| percent as f32 / 100.0);
    let costs: Vec<(f32, f64)> = thresholds.map(|threshold| (threshold, cost(threshold))).collect();
    let least = costs.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
    let best: Vec<f32> = costs.iter().filter(|(_, cost)| *cost <= least + 1e-9).map(|(at, _)| *at).collect();
    best.get(best.len() / 2).copied().unwrap_or(0.5)
}

fn report(examples: &[Example], answers: &[Answer], threshold: f32) -> Vec<String> {
    let pairs = || examples.iter().zip(answers);
    let mut lines: Vec<String> = repositories(examples)
        .iter()
        .map(|name| {
            Counts::from_cases(pairs().filter(|(example, _)| example.repository == *name), threshold)
                .line(name)
        })
        .collect();
    lines.push(Counts::from_cases(pairs(), threshold).line("all"));
    lines.push(format!("threshold {threshold}"));
    lines
}

#[expect(clippy::print_stdout, reason = "a developer's tool")]
fn print(lines: &[String], examples: &[Example], answers: &[Answer], threshold: f32, misses: bool) {
    if misses {
        for (example, answer) in examples.iter().zip(answers) {
            if let Some(what) = miss(example, answer, threshold) {
                println!("{what:<22} {:.3} {} {}", answer.confidence, example.repository, example.label);
            }
        }
    }
    lines.iter().for_each(|line| println!("{line}"));
}

fn miss(example: &Example, answer: &Answer, threshold: f32) -> Option<String> {
    let is_answered = answer.confidence >= threshold;
    match (example.is_documented, is_answered, answer.rank) {
        (true, false, rank) => {
            Some(format!("refused, rank {}", rank.map_or("–".to_owned(), |rank| (rank + 1).to_string())))
        }
        (true, true, Some(0)) | (false, false, _) => None,
        (true, true, rank) => {
            Some(format!("rank {}", rank.map_or("–".to_owned(), |rank| (rank + 1).to_string())))
        }
        (false, true, _) => Some("answered".to_owned()),
    }
}
