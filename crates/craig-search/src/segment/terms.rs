//! Terms as keys: 64 bits of a hash stand for field and word.

use std::hash::Hasher;

use bytemuck::{Pod, Zeroable};

use crate::analysis::Field;

/// A word in a field. Two words share a key about once in 10⁹ vocabularies of 100,000 words; they would then share
/// their postings, which costs a little precision and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct TermKey(u64);

impl TermKey {
    pub(crate) fn new(field: Field, term: &str) -> Self {
        // Not as the hash's seed: for the shortest words a seed is as good as another letter.
        let spread = u64::from(field as u8).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self(xxhash_rust::xxh3::xxh3_64(term.as_bytes()).wrapping_add(spread))
    }
}

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
    fn short_words_of_all_fields_have_keys_of_their_own() {
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
