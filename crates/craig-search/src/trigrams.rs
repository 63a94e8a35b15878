//! A prefilter for exact search: for each file, a Bloom filter of its trigrams (sequences of three bytes), with one hash
//! function.

use craig_store::FileId;

use crate::index::LiveSegment;
use crate::{Index, SearchError};

/// Non-ASCII characters that equal an ASCII letter when case is ignored: the Kelvin sign and the long s.
///
/// A file with one of them passes every filter, so [`Required::Text`] may have the letter for it.
pub const OTHER_FORMS: [(char, char); 2] = [('k', '\u{212a}'), ('s', '\u{17f}')];

/// What a text has to contain, ignoring the case of ASCII letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Required {
    /// These bytes.
    Text(Vec<u8>),
    /// All of these; nothing if there are none.
    All(Vec<Self>),
    /// At least one of these.
    Any(Vec<Self>),
}

impl Required {
    /// True of every text.
    pub const NOTHING: Self = Self::All(Vec::new());
}

impl Index {
    /// The indexed files that may contain what is `required`: all that contain it, and some others.
    pub fn files_with(&self, required: &Required) -> Result<Vec<FileId>, SearchError> {
        let wanted = Wanted::new(required);
        let mut found = Vec::new();
        for LiveSegment { segment, live } in &self.segments {
            let files = live.ones().filter(|&file| wanted.may_be_in(segment.trigrams(file as u32)));
            found.extend(files.map(|file| FileId::from_u64(segment.files()[file].id)));
        }
        self.unless_damaged(Ok(found))
    }
}

/// [`Required`] as hashes of trigrams.
enum Wanted {
    Trigrams(Vec<usize>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl Wanted {
    fn new(required: &Required) -> Self {
        let each = |parts: &[Required]| parts.iter().map(Self::new).collect();
        match required {
            Required::Text(text) => Self::Trigrams(hashes(text).collect()),
            Required::All(parts) => Self::All(each(parts)),
            Required::Any(parts) => Self::Any(each(parts)),
        }
    }

    fn may_be_in(&self, bits: &[u64]) -> bool {
        match self {
            Self::Trigrams(hashes) => hashes.iter().all(|&hash| has(bits, hash)),
            Self::All(parts) => parts.iter().all(|part| part.may_be_in(bits)),
            Self::Any(parts) => parts.iter().any(|part| part.may_be_in(bits)),
        }
    }
}

/// Largest share of bits set, which is the share of false positives for one trigram. `docs/benchmarks.md` (Exact lines) has the
/// sizes that were compared.
const MAX_SET: f64 = 0.3;

/// The filter of a text, whose number of words is a power of two.
pub(crate) fn trigrams(text: &str) -> Vec<u64> {
    if text.contains(OTHER_FORMS.map(|(_, form)| form)) {
        return vec![u64::MAX];
    }
    let n_words = (text.len() / 16).next_power_of_two();
    let mut bits = vec![0u64; n_words];
    for hash in hashes(text.as_bytes()) {
        bits[(hash / 64) & (n_words - 1)] |= 1 << (hash % 64);
    }
    while let Some(half) = folded(&bits) {
        bits = half;
    }
    bits
}

/// The filter folded to half its length, unless it would be too full.
fn folded(bits: &[u64]) -> Option<Vec<u64>> {
    let (low, high) = bits.split_at(bits.len() / 2);
    let half: Vec<u64> = low.iter().zip(high).map(|(low, high)| low | high).collect();
    let n_set: u32 = half.iter().map(|word| word.count_ones()).sum();
    (!half.is_empty() && f64::from(n_set) <= MAX_SET * (half.len() * 64) as f64).then_some(half)
}

/// Whether the bit of a hash is set. An empty filter, as of a damaged segment, has all.
fn has(bits: &[u64], hash: usize) -> bool {
    let word = bits.get((hash / 64) & bits.len().wrapping_sub(1));
    word.is_none_or(|word| word >> (hash % 64) & 1 == 1)
}

/// 2⁶⁴ divided by the golden ratio. Multiplication by it spreads similar numbers (Knuth, The Art of Computer Programming, 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hashes of all trigrams, 24 bits each.
fn hashes(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let bytes = text.iter().map(|byte| u32::from(byte.to_ascii_lowercase()));
    let sequences = bytes.scan(0u32, |last, byte| {
        *last = (*last << 8 | byte) & 0xff_ffff;
        Some(*last)
    });
    sequences.skip(2).map(|trigram| (u64::from(trigram).wrapping_mul(GOLDEN) >> 40) as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn may_contain(text: &str, required: &Required) -> bool {
        Wanted::new(required).may_be_in(&trigrams(text))
    }

    fn text(text: &str) -> Required {
        Required::Text(text.into())
    }

    #[test]
    fn a_text_without_a_word_is_left_out() {
        let code = "fn retry_request(request: &Request) -> Result<Response, Error> {\n".repeat(40);
        assert!(may_contain(&code, &text("RETRY_request")));
        assert!(!may_contain(&code, &text("CircuitBreaker")));
        assert!(may_contain(&code, &Required::Any(vec![text("CircuitBreaker"), text("retry")])));
        assert!(!may_contain(&code, &Required::All(vec![text("CircuitBreaker"), text("retry")])));
        assert!(may_contain(&code, &Required::NOTHING));
        assert!(!may_contain(&code, &Required::Any(Vec::new())));
    }

    #[test]
    fn letters_that_are_others_without_case_hide_nothing() {
        assert!(may_contain("ta\u{17f}k", &text("task")));
        assert!(may_contain("tas\u{212a}s", &text("tasks")));
    }

    proptest! {
        #[test]
        fn every_part_of_a_text_may_be_in_it(
            start in "[a-cA-C \n\u{e9}]{0,40}", part in "\\PC{0,20}", end in "\\PC{0,400}",
        ) {
            let whole = format!("{start}{part}{end}");
            prop_assert!(may_contain(&whole, &text(&part)));
            prop_assert!(may_contain(&whole, &text(&part.to_ascii_uppercase())));
        }

        #[test]
        fn bit_sets_are_small(text in "\\PC{0,3000}") {
            let n_bits = trigrams(&text).len() * 64;
            prop_assert!(n_bits <= 64.max(16 * text.len()));
        }
    }
}
