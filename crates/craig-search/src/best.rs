//! The best of many scored things, chosen as they come.

/// Keeps the `n` highest scores, and all that equal the lowest of these: what is kept does not depend on the order in
/// which it came.
pub(crate) struct Best<T> {
    n: usize,
    /// Scores below it cannot be among the best.
    lowest: f32,
    kept: Vec<(f32, T)>,
    /// Number of kept at which those below the `n` best are let go.
    full: usize,
}

impl<T> Best<T> {
    pub(crate) fn new(n: usize) -> Self {
        Self { n: n.max(1), lowest: f32::NEG_INFINITY, kept: Vec::new(), full: 4 * n.max(1) }
    }

    /// The lowest score that is still wanted.
    pub(crate) fn lowest(&self) -> f32 {
        self.lowest
    }

    pub(crate) fn offer(&mut self, score: f32, item: T) {
        if score < self.lowest {
            return;
        }
        self.kept.push((score, item));
        if self.kept.len() >= self.full {
            self.cut();
            self.full = self.full.max(2 * self.kept.len());
        }
    }

    /// Those kept, in no order.
    pub(crate) fn into_vec(mut self) -> Vec<(f32, T)> {
        self.cut();
        self.kept
    }

    fn cut(&mut self) {
        if self.kept.len() > self.n {
            let (_, nth, _) = self.kept.select_nth_unstable_by(self.n - 1, |a, b| b.0.total_cmp(&a.0));
            let lowest = nth.0;
            self.lowest = lowest;
            self.kept.retain(|(score, _)| *score >= lowest);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_and_their_equals_are_kept(scores in proptest::collection::vec(0u8..40, 0..400), n in 1usize..30) {
            let mut best = Best::new(n);
            scores.iter().enumerate().for_each(|(at, &score)| best.offer(f32::from(score), at));
            let mut descending = scores.clone();
            descending.sort_unstable_by(|a, b| b.cmp(a));
            let lowest = descending.get(n - 1).or(descending.last()).copied().unwrap_or_default();
            let mut kept: Vec<usize> = best.into_vec().into_iter().map(|(_, at)| at).collect();
            kept.sort_unstable();
            let expected: Vec<usize> = (0..scores.len()).filter(|&at| scores[at] >= lowest).collect();
            prop_assert_eq!(kept, expected);
        }
    }
}
