//! Fits the trees: first to definitions with places, then also to those with sections, in which the first trees find the
//! passages that explain.

use craig_explain::{FEATURES, N_FEATURES, PassageRanker, PassageWeights};
use craig_model::Tree;

use super::cases::{Example, Grade, Truth};
use crate::boost::{Boosting, Gradient, Table, boost};
use crate::metrics::sigmoid;
use crate::random::Random;

/// What a passage that only mentions the definition is worth.
const MENTION: f32 = 0.6;

/// Weight of a definition with sections: all of them are of projects in JavaScript.
const WEIGHT_OF_SECTIONS: f32 = 0.4;

/// Passages of a section that documents a definition that are taken to explain it.
const N_OF_SECTION: usize = 2;

/// Passages of a definition that are fitted to, besides those that explain it.
const N_OTHERS: usize = 60;

/// Least probability of a passage that is shown, and of one that documents: see `docs/benchmarks.md` (Explanations).
const THRESHOLD: f32 = 0.5;
const DOCUMENTED: f32 = 0.7;

const BOOSTING: Boosting = Boosting { n_trees: 500, rate: 0.1, pull: 5.0, share: 0.5, seed: 0 };

/// What passages of definitions are like, what each is worth, and how much it counts.
#[derive(Default)]
struct Rows {
    rows: Vec<[f32; N_FEATURES]>,
    worth: Vec<f32>,
    weights: Vec<f32>,
}

pub(super) fn fit(examples: &[&Example], without: &[String]) -> PassageWeights {
    let mut rows = Rows::default();
    let mut random = Random::new(1);
    for example in examples.iter().filter(|example| matches!(example.truth, Truth::Places(_))) {
        let worth = |grade: &Option<Grade>| match grade {
            Some(Grade::Explains) => Some(1.0),
            Some(Grade::Mentions) => Some(MENTION),
            None => Some(0.0),
        };
        rows.add(example, &example.grades.iter().map(worth).collect::<Vec<_>>(), 1.0, &mut random);
    }
    let first = rows.fit(without);
    let Some(ranker) = PassageRanker::new(&first) else { return first };
    let mut n_added = 0;
    for example in examples.iter().filter(|example| matches!(example.truth, Truth::Sections(_))) {
        rows.add(example, &worth_of_sections(&ranker, example), WEIGHT_OF_SECTIONS, &mut random);
        n_added += 1;
    }
    if n_added == 0 { first } else { rows.fit(without) }
}

/// What the passages of a definition with sections are worth: outside of them nothing, inside the likeliest are right, and of
/// the others nothing is known.
fn worth_of_sections(ranker: &PassageRanker, example: &Example) -> Vec<Option<f32>> {
    let probabilities = ranker.probabilities(&example.passages);
    let mut inside: Vec<usize> =
        (0..example.grades.len()).filter(|&at| example.grades[at].is_some()).collect();
    inside.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
    let mut worth: Vec<Option<f32>> =
        example.grades.iter().map(|grade| grade.is_none().then_some(0.0)).collect();
    inside.iter().take(N_OF_SECTION).for_each(|&at| worth[at] = Some(1.0));
    worth
}

impl Rows {
    /// Adds the passages of a definition; together they count as the root of their number.
    fn add(&mut self, example: &Example, worth: &[Option<f32>], weight: f32, random: &mut Random) {
        let known = || (0..worth.len()).filter(|&at| worth[at].is_some());
        let of = |at: usize| worth[at].unwrap_or_default();
        if example.truth.is_documented() && known().all(|at| of(at) == 0.0) {
            // What explains it is no passage.
            return;
        }
        let weight = weight / (known().count().max(1) as f32).sqrt();
        let (right, mut wrong): (Vec<usize>, Vec<usize>) = known().partition(|&at| of(at) > 0.0);
        random.shuffle(&mut wrong);
        let n_wrong = wrong.len();
        wrong.truncate(N_OTHERS);
        let weight_of_wrong = weight * n_wrong as f32 / wrong.len().max(1) as f32;
        for (at, weight) in
            right.iter().map(|&at| (at, weight)).chain(wrong.iter().map(|&at| (at, weight_of_wrong)))
        {
            self.rows.push(example.passages[at].features.to_array());
            self.worth.push(of(at));
            self.weights.push(weight);
        }
    }

    fn fit(&self, without: &[String]) -> PassageWeights {
        let table = Table::new(FEATURES, &self.rows, without);
        let mean = f64::from(self.weights.iter().sum::<f32>()) / self.weights.len().max(1) as f64;
        let weights: Vec<f64> = self.weights.iter().map(|&weight| f64::from(weight) / mean).collect();
        let worth: f64 =
            weights.iter().zip(&self.worth).map(|(weight, &worth)| weight * f64::from(worth)).sum();
        let share = (worth / weights.iter().sum::<f64>()).clamp(1e-6, 1.0 - 1e-6);
        let start = (share / (1.0 - share)).ln() as f32;
        let trees: Vec<Tree> = boost(&table, &BOOSTING, start, |scores| {
            let gradient = |((&score, &worth), weight): ((&f32, &f32), &f64)| {
                let probability = sigmoid(f64::from(score));
                Gradient {
                    first: weight * (probability - f64::from(worth)),
                    second: weight * probability * (1.0 - probability),
                }
            };
            scores.iter().zip(&self.worth).zip(&weights).map(gradient).collect()
        });
        PassageWeights { threshold: THRESHOLD, documented: DOCUMENTED, start, trees }
    }
}
