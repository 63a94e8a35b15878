//! How good a ranking is.

use crate::random::Random;

/// NDCG@k with binary gain: `ranks` are the 1-based ranks at which targets were found, 0 for those that were not.
///
/// Each target counts at the first result that matches it, so two targets may share a rank; the ideal puts
/// min(k, number of targets) targets on top.
pub(crate) fn ndcg(ranks: &[usize], k: usize) -> f64 {
    let gain = |rank: usize| 1.0 / ((rank + 1) as f64).log2();
    let found: f64 = ranks.iter().filter(|&&rank| (1..=k).contains(&rank)).map(|&rank| gain(rank)).sum();
    let ideal: f64 = (1..=ranks.len().min(k)).map(gain).sum();
    if ideal == 0.0 { 0.0 } else { found / ideal }
}

/// 1 / rank of the first target found, 0 when none was.
pub(crate) fn reciprocal_rank(ranks: &[usize]) -> f64 {
    ranks.iter().filter(|&&rank| rank > 0).min().map_or(0.0, |&rank| 1.0 / rank as f64)
}

/// Share of the targets found within the first k.
pub(crate) fn recall(ranks: &[usize], k: usize) -> f64 {
    ranks.iter().filter(|&&rank| (1..=k).contains(&rank)).count() as f64 / ranks.len().max(1) as f64
}

pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, n) = values.into_iter().fold((0.0, 0usize), |(sum, n), value| (sum + value, n + 1));
    if n == 0 { 0.0 } else { sum / n as f64 }
}

/// Standard deviation of each column of `rows`, at least a thousandth, so that it can be divided by.
pub(crate) fn deviations<'r, const N: usize>(rows: impl Iterator<Item = &'r [f64; N]> + Clone) -> [f64; N] {
    let n = rows.clone().count().max(1) as f64;
    std::array::from_fn(|at| {
        let mean = rows.clone().map(|row| row[at]).sum::<f64>() / n;
        let variance = rows.clone().map(|row| (row[at] - mean).powi(2)).sum::<f64>() / n;
        variance.sqrt().max(1e-3)
    })
}

/// The probability of log-odds.
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The middle 95% of the means of resampled groups (percentile bootstrap), from a fixed seed.
pub(crate) fn bootstrap_interval(values: &[f64]) -> (f64, f64) {
    const N_SAMPLES: usize = 2_000;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = Random::new(0);
    let mut draw = || values[random.below(values.len())];
    let mut means: Vec<f64> = (0..N_SAMPLES).map(|_| mean((0..values.len()).map(|_| draw()))).collect();
    means.sort_by(f64::total_cmp);
    (means[N_SAMPLES / 40], means[N_SAMPLES - 1 - N_SAMPLES / 40])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ndcg_counts_found_targets_against_the_ideal() {
        assert_eq!(ndcg(&[1], 10), 1.0);
        assert!((ndcg(&[2], 10) - 0.6309).abs() < 1e-4);
        assert!((ndcg(&[1, 0], 10) - 1.0 / (1.0 + 0.6309)).abs() < 1e-3);
        assert_eq!(ndcg(&[11], 10), 0.0);
        assert_eq!(reciprocal_rank(&[0, 4]), 0.25);
        assert_eq!(recall(&[1, 0], 10), 0.5);
    }

    #[test]
    fn the_interval_holds_the_mean() {
        let values = [0.2, 0.4, 0.9, 1.0];
        let (low, high) = bootstrap_interval(&values);
        assert!(low < 0.625 && 0.625 < high, "{low} {high}");
    }
}
