//! Reproducible randomness: a small generator, folds of repositories, and hashes that order things by seed.

use std::collections::HashMap;

/// SplitMix64. Source: Steele, Lea & Flood, OOPSLA 2014.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is above 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Normally distributed with mean 0 and variance 1 (Irwin–Hall: the sum of twelve uniform numbers).
    pub(crate) fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    /// Puts `items` into random order (Fisher–Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// The fold of each repository, in shuffle number `shuffle`. A name that occurs several times is in one fold.
pub(crate) fn folds<N: AsRef<str>>(names: &[N], n_folds: usize, shuffle: u64) -> Vec<usize> {
    let mut order: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    Random::new(shuffle).shuffle(&mut order);
    let mut fold_of: HashMap<&str, usize> = HashMap::new();
    for name in order {
        let next = fold_of.len() % n_folds;
        fold_of.entry(name).or_insert(next);
    }
    names.iter().map(|name| fold_of[name.as_ref()]).collect()
}

/// A number that `seed` and `parts` decide, the same on every machine.
pub(crate) fn hash(seed: u64, parts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    let digest = hasher.finalize();
    digest.as_bytes().iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_every_number() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            let mut items: Vec<usize> = (0..20).collect();
            random.shuffle(&mut items);
            (items, random.below(1000))
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
        assert_ne!(hash(1, &["a", "b"]), hash(1, &["ab"]));
    }

    #[test]
    fn folds_are_of_equal_size_and_keep_a_name_together() {
        let folds = folds(&["a", "b", "c", "d", "a", "e", "f"], 3, 0);
        assert_eq!(folds[0], folds[4]);
        let size = |fold: usize| folds[..4].iter().chain(&folds[5..]).filter(|of| **of == fold).count();
        assert_eq!([0, 1, 2].map(size), [2, 2, 2]);
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut random = Random::new(1);
        let drawn: Vec<f32> = (0..20_000).map(|_| random.normal()).collect();
        let mean = drawn.iter().sum::<f32>() / drawn.len() as f32;
        let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / drawn.len() as f32;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
