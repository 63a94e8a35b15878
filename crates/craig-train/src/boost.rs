//! Boosting of oblivious trees (Dorogush, Ershov & Gulin, 2018) by second-order gradients (Chen & Guestrin, KDD 2016).

use craig_model::{N_LEAVES, TREE_DEPTH, Tree, columns};
use rayon::prelude::*;

use crate::random::Random;

/// Values of each feature, each with the bin of its row.
pub(crate) struct Table {
    names: Vec<String>,
    /// For each feature, what the values of a bin are above; bin 0 is above nothing.
    thresholds: Vec<Vec<f32>>,
    /// For each feature, the bin of each row.
    bins: Vec<Vec<u8>>,
}

/// How trees are grown.
#[derive(Clone, Copy)]
pub(crate) struct Boosting {
    pub(crate) n_trees: usize,
    /// Share of each tree's answer that is added.
    pub(crate) rate: f32,
    /// Pull of leaves towards 0: second derivatives that speak for nothing.
    pub(crate) pull: f64,
    /// Share of the features that each tree may ask for.
    pub(crate) share: f32,
    pub(crate) seed: u64,
}

/// First and second derivative of the loss in the score of a row.
#[derive(Clone, Copy, Default)]
pub(crate) struct Gradient {
    pub(crate) first: f64,
    pub(crate) second: f64,
}

/// Most bins of a feature.
const N_BINS: usize = 64;

impl Table {
    /// A table of rows with the values of the features of these names, less the features `without`.
    pub(crate) fn new<R: AsRef<[f32]>>(names: &[&str], rows: &[R], without: &[String]) -> Self {
        let (names, columns): (Vec<String>, Vec<Vec<f32>>) = names
            .iter()
            .map(|name| (*name).to_owned())
            .zip(columns(rows, names.len()))
            .filter(|(name, _)| !without.contains(name))
            .unzip();
        let thresholds: Vec<Vec<f32>> = columns.iter().map(|column| quantiles(column)).collect();
        let bins = columns.iter().zip(&thresholds).map(|(column, thresholds)| {
            column.iter().map(|value| thresholds.partition_point(|above| above < value) as u8).collect()
        });
        let bins = bins.collect();
        Self { names, thresholds, bins }
    }

    fn n_rows(&self) -> usize {
        self.bins.first().map_or(0, Vec::len)
    }
}

/// What divides values into bins of about the same size.
fn quantiles(values: &[f32]) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let mut thresholds: Vec<f32> = (1..N_BINS).map(|at| sorted[at * sorted.len() / N_BINS]).collect();
    thresholds.dedup();
    // A value has to be above a threshold, so the largest divides nothing.
    thresholds.retain(|threshold| Some(threshold) != sorted.last());
    thresholds
}

/// Grows trees; `gradients` gives the derivatives of all rows at their scores.
pub(crate) fn boost(
    table: &Table,
    boosting: &Boosting,
    start: f32,
    mut gradients: impl FnMut(&[f32]) -> Vec<Gradient>,
) -> Vec<Tree> {
    let mut scores = vec![start; table.n_rows()];
    let mut random = Random::new(boosting.seed);
    let mut trees = Vec::new();
    for _ in 0..boosting.n_trees {
        let gradients = gradients(&scores);
        let asked: Vec<usize> = (0..table.names.len()).filter(|_| random.unit() < boosting.share).collect();
        let (tree, leaves) = grow(table, boosting, &gradients, &asked);
        scores.iter_mut().zip(leaves).for_each(|(score, leaf)| *score += tree.leaves[usize::from(leaf)]);
        trees.push(tree);
    }
    trees
}

/// Grows one tree; also gives the leaf of each row.
fn grow(table: &Table, boosting: &Boosting, gradients: &[Gradient], asked: &[usize]) -> (Tree, Vec<u8>) {
    let mut leaves = vec![0u8; table.n_rows()];
    let mut splits: [(String, f32); TREE_DEPTH] = Default::default();
    for (depth, split) in splits.iter_mut().enumerate() {
        let n_leaves = 1 << depth;
        let best = asked
            .par_iter()
            .map(|&feature| {
                let histogram = histogram(&table.bins[feature], &leaves, gradients, n_leaves);
                let (gain, bin) = best_split(&histogram, table.thresholds[feature].len(), boosting.pull);
                (gain, feature, bin)
            })
            .reduce(|| (f64::MIN, usize::MAX, 0), |a, b| if (b.0, a.1) > (a.0, b.1) { b } else { a });
        let (_, feature, bin) = best;
        if feature == usize::MAX || table.thresholds[feature].is_empty() {
            continue;
        }
        *split = (table.names[feature].clone(), table.thresholds[feature][bin]);
        for (leaf, &own) in leaves.iter_mut().zip(&table.bins[feature]) {
            *leaf |= u8::from(usize::from(own) > bin) << depth;
        }
    }
    let mut sums = [Gradient::default(); N_LEAVES];
    for (&leaf, gradient) in leaves.iter().zip(gradients) {
        sums[usize::from(leaf)].add(*gradient);
    }
    let value = |sum: Gradient| -f64::from(boosting.rate) * sum.first / (sum.second + boosting.pull);
    let rounded = |value: f64| (value * 10_000.0).round() as f32 / 10_000.0;
    (Tree { splits, leaves: sums.map(|sum| rounded(value(sum))) }, leaves)
}

impl Gradient {
    fn add(&mut self, other: Self) {
        self.first += other.first;
        self.second += other.second;
    }

    /// How much the loss falls if a leaf with this sum has its best value.
    fn gain(self, pull: f64) -> f64 {
        self.first * self.first / (self.second + pull)
    }
}

/// Sums of the gradients of each leaf, by bin.
fn histogram(bins: &[u8], leaves: &[u8], gradients: &[Gradient], n_leaves: usize) -> Vec<[Gradient; N_BINS]> {
    let mut sums = vec![[Gradient::default(); N_BINS]; n_leaves];
    for ((&bin, &leaf), gradient) in bins.iter().zip(leaves).zip(gradients) {
        sums[usize::from(leaf)][usize::from(bin)].add(*gradient);
    }
    sums
}

/// The bin that rows have to be above so that the loss falls most, and by how much.
fn best_split(histogram: &[[Gradient; N_BINS]], n_thresholds: usize, pull: f64) -> (f64, usize) {
    let mut gains = vec![0.0; n_thresholds];
    for bins in histogram {
        let mut all = Gradient::default();
        bins.iter().for_each(|gradient| all.add(*gradient));
        let mut below = Gradient::default();
        for (gain, gradient) in gains.iter_mut().zip(bins) {
            below.add(*gradient);
            let above = Gradient { first: all.first - below.first, second: all.second - below.second };
            *gain += below.gain(pull) + above.gain(pull);
        }
    }
    let best = (0..n_thresholds).max_by(|&a, &b| gains[a].total_cmp(&gains[b]));
    best.map_or((f64::MIN, 0), |bin| (gains[bin], bin))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What depends on two features together is learned.
    #[test]
    fn trees_learn_what_depends_on_two_features() {
        let bit = |row: usize, at: usize| (row >> at & 1) as f32;
        let rows: Vec<[f32; 3]> = (0..800).map(|row| [0, 1, 2].map(|at| bit(row, at))).collect();
        let wanted = |row: usize| f64::from(bit(row, 0)) * f64::from(bit(row, 1));
        let table = Table::new(&["a", "b", "noise"], &rows, &[]);
        let boosting = Boosting { n_trees: 60, rate: 0.3, pull: 1.0, share: 1.1, seed: 0 };
        let mut last = Vec::new();
        let trees = boost(&table, &boosting, 0.0, |scores| {
            last = scores.to_vec();
            let first = |row: usize| f64::from(scores[row]) - wanted(row);
            (0..800).map(|row| Gradient { first: first(row), second: 1.0 }).collect()
        });
        assert!((0..800).all(|row| (f64::from(last[row]) - wanted(row)).abs() < 0.02));
        let asked = |name: &str| trees[0].splits.iter().any(|(asked, _)| asked == name);
        assert!(asked("a") && asked("b"));
    }
}
