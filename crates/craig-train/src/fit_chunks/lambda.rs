//! The gradients of LambdaMART (Burges, 2010): each pair of chunks in the wrong order pulls by what swapping them would
//! change of NDCG.

use crate::boost::Gradient;

/// Only pairs with one of so many first chunks count: what is below is not seen.
const N_FIRST: usize = 8;

/// Derivatives of the loss of one query; `gains` are what its chunks are worth.
pub(super) fn gradients(scores: &[f32], gains: &[f64]) -> Vec<Gradient> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut ideal = gains.to_vec();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let best: f64 = ideal.iter().take(N_FIRST).enumerate().map(|(rank, gain)| gain * discount(rank)).sum();
    let mut found = vec![Gradient::default(); scores.len()];
    if best == 0.0 {
        return found;
    }
    let mut sum = 0.0;
    for (rank, &upper) in order.iter().enumerate().take(N_FIRST) {
        for (below, &lower) in order.iter().enumerate().skip(rank + 1) {
            let (better, worse) = match gains[upper].total_cmp(&gains[lower]) {
                std::cmp::Ordering::Greater => (upper, lower),
                std::cmp::Ordering::Less => (lower, upper),
                std::cmp::Ordering::Equal => continue,
            };
            let apart = f64::from(scores[better] - scores[worse]);
            let change = (gains[better] - gains[worse]) * (discount(rank) - discount(below)) / best;
            // Chunks that are far apart already are not worth as much.
            let change = change / (0.01 + apart.abs());
            let doubt = 1.0 / (1.0 + apart.exp());
            let (first, second) = (change * doubt, change * doubt * (1.0 - doubt));
            found[better].first -= first;
            found[worse].first += first;
            found[better].second += second;
            found[worse].second += second;
            sum += 2.0 * first;
        }
    }
    // Queries with many pairs do not drown those with few.
    let scale = if sum > 0.0 { (1.0 + sum).log2() / sum } else { 1.0 };
    found.iter_mut().for_each(|gradient| {
        gradient.first *= scale;
        gradient.second *= scale;
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_chunks_are_pulled_up_and_others_down() {
        let found = gradients(&[1.0, 0.5, 0.0], &[0.0, 0.0, 3.0]);
        assert!(found[2].first < 0.0 && found[0].first > 0.0 && found[1].first > 0.0);
        assert!(found[0].first + found[1].first + found[2].first < 1e-9);
        assert!(gradients(&[1.0, 2.0], &[0.0, 0.0]).iter().all(|gradient| gradient.first == 0.0));
    }
}
