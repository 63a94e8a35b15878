//! Term keys: a 64-bit hash of field and word.

use std::hash::Hasher;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::analysis::Field;

/// A word in a field. Two words share a key about once in 10⁹ vocabularies of 100,000 words; they would then share
/// their postings, which costs a little precision and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct TermKey(u64);

impl TermKey {
    pub(crate) fn new(field: Field, term: &str) -> Self {
        // This is not used as the hash's seed: for the shortest words, a seed acts like another letter.
        let spread = u64::from(field as u8).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self(xxhash_rust::xxh3::xxh3_64(term.as_bytes()).wrapping_add(spread))
    }
}

impl TermKey {
    /// Position of the key in `sorted`, whose keys ascend.
    ///
    /// Interpolation search: keys are hashes, so they are evenly distributed. The position is guessed, the guess is refined twice,
    /// and its surroundings are searched, which reads four places in memory where binary search reads twenty. `touch` is called
    /// with each range of keys before it is read.
    pub(crate) fn find_in(self, sorted: &[Self], touch: impl Fn(Range<usize>)) -> Option<usize> {
        let last = sorted.len().checked_sub(1)?;
        let keys_within = |distance: u64| ((u128::from(distance) * sorted.len() as u128) >> 64) as usize;
        let mut guess = keys_within(self.0).min(last);
        for _ in 0..2 {
            touch(guess..guess + 1);
            let distance = keys_within(self.0.abs_diff(sorted[guess].0));
            guess = match sorted[guess] <= self {
                true => (guess + distance).min(last),
                false => guess.saturating_sub(distance),
            };
        }
        let (low, high) = (guess.saturating_sub(REACH), (guess + REACH).min(sorted.len()));
        touch(low..high);
        let near = &sorted[low..high];
        let is_inside =
            near.first().is_some_and(|first| *first <= self) && near.last().is_some_and(|last| self <= *last);
        if is_inside {
            near.binary_search(&self).ok().map(|at| low + at)
        } else {
            touch(0..sorted.len());
            sorted.binary_search(&self).ok()
        }
    }
}

/// How far around the last guess a key is searched before falling back to all keys.
const REACH: usize = 32;

/// Hashes a [`TermKey`] to itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn present_keys_are_found_and_absent_ones_are_not() {
        let keys = |n: usize| {
            let mut keys: Vec<_> = (0..n).map(|i| TermKey::new(Field::Body, &format!("word{i}"))).collect();
            keys.sort_unstable();
            keys
        };
        for n in [0, 1, 2, 100, 20_000] {
            let sorted = keys(n);
            assert!(sorted.iter().enumerate().all(|(at, key)| key.find_in(&sorted, drop) == Some(at)), "{n}");
            assert_eq!(TermKey::new(Field::Path, "word0").find_in(&sorted, drop), None);
        }
        let crowded = [TermKey(1), TermKey(2), TermKey(u64::MAX)];
        assert!(crowded.iter().enumerate().all(|(at, key)| key.find_in(&crowded, drop) == Some(at)));
    }

    #[test]
    fn short_words_of_all_fields_have_distinct_keys() {
        let letters: Vec<char> = ('a'..='z').chain('0'..='9').collect();
        let mut words: Vec<String> = letters.iter().map(char::to_string).collect();
        words.extend(letters.iter().flat_map(|a| letters.iter().map(move |b| format!("{a}{b}"))));
        words.extend(
            words[36..].to_vec().iter().flat_map(|ab| letters.iter().map(move |c| format!("{ab}{c}"))),
        );
        let keys: HashSet<TermKey> =
            words.iter().flat_map(|word| Field::ALL.map(|field| TermKey::new(field, word))).collect();
        assert_eq!(keys.len(), words.len() * Field::ALL.len());
    }
}
