//! Top-k selection over a stream of scored items.

/// Keeps the `k` highest scores, and all that equal the lowest of these: the selection does not depend on the order in which
/// items are offered.
pub(crate) struct TopK<T> {
    k: usize,
    /// Items with lower scores cannot be among the best.
    threshold: f32,
    kept: Vec<(f32, T)>,
    /// Number of kept items at which those below the `k` best are dropped.
    full: usize,
}

impl<T> TopK<T> {
    pub(crate) fn new(k: usize) -> Self {
        Self { k: k.max(1), threshold: f32::NEG_INFINITY, kept: Vec::new(), full: 4 * k.max(1) }
    }

    /// The lowest score that can still be among the best.
    pub(crate) fn threshold(&self) -> f32 {
        self.threshold
    }

    pub(crate) fn offer(&mut self, score: f32, item: T) {
        if score < self.threshold {
            return;
        }
        self.kept.push((score, item));
        if self.kept.len() >= self.full {
            self.truncate();
            self.full = self.full.max(2 * self.kept.len());
        }
    }

    /// The kept items, in no particular order.
    pub(crate) fn into_vec(mut self) -> Vec<(f32, T)> {
        self.truncate();
        self.kept
    }

    fn truncate(&mut self) {
        if self.kept.len() > self.k {
            let (_, kth, _) = self.kept.select_nth_unstable_by(self.k - 1, |a, b| b.0.total_cmp(&a.0));
            let threshold = kth.0;
            self.threshold = threshold;
            self.kept.retain(|(score, _)| *score >= threshold);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_k_best_and_their_ties_are_kept(scores in proptest::collection::vec(0u8..40, 0..400), k in 1usize..30) {
            let mut best = TopK::new(k);
            scores.iter().enumerate().for_each(|(at, &score)| best.offer(f32::from(score), at));
            let mut descending = scores.clone();
            descending.sort_unstable_by(|a, b| b.cmp(a));
            let lowest = descending.get(k - 1).or(descending.last()).copied().unwrap_or_default();
            let mut kept: Vec<usize> = best.into_vec().into_iter().map(|(_, at)| at).collect();
            kept.sort_unstable();
            let expected: Vec<usize> = (0..scores.len()).filter(|&at| scores[at] >= lowest).collect();
            prop_assert_eq!(kept, expected);
        }
    }
}
