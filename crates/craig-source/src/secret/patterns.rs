//! Finds all of many short texts in one pass.

use std::ops::Range;

/// Bytes that the table is asked about.
const KEY_BYTES: usize = 4;

/// The table has a bit for each value of a hash of so many bits: small enough for the processor's fastest memory.
const HASH_BITS: u32 = 17;

const N_ENTRIES: usize = 1 << HASH_BITS;

/// Searches for some hundred patterns at the price of one: at each place of a text, one bit of a table says whether four bytes
/// of any pattern may be there. Only then are patterns compared.
pub(super) struct Patterns {
    patterns: Vec<&'static [u8]>,
    /// Whether an entry has patterns.
    is_used: Box<[u64; N_ENTRIES / 64]>,
    /// The first and the last of an entry's patterns in `entries`.
    ends: Vec<(u16, u16)>,
    /// Patterns by entry: the number, and where in the pattern its key begins.
    entries: Vec<(u16, u16)>,
}

impl Patterns {
    /// Patterns of four bytes and more; of three, if a letter, a digit, `-`, `_` or `.` follows.
    pub(super) fn new(patterns: impl IntoIterator<Item = &'static str>) -> Self {
        let patterns: Vec<&[u8]> = patterns.into_iter().map(str::as_bytes).collect();
        let mut keyed: Vec<(usize, u16, u16)> = Vec::new();
        for (number, pattern) in (0..).zip(&patterns) {
            let offset = key_offset(pattern);
            let mut add = |key: [u8; KEY_BYTES]| keyed.push((entry(key), number, offset as u16));
            match pattern[offset..] {
                [a, b, c, d, ..] => add([a, b, c, d]),
                [a, b, c] => (0..=u8::MAX).filter(is_dotted).for_each(|next| add([a, b, c, next])),
                _ => {}
            }
        }
        keyed.sort_unstable();
        let mut is_used = Box::new([0; N_ENTRIES / 64]);
        let mut ends = vec![(0, 0); N_ENTRIES];
        for (at, (entry, ..)) in (0..).zip(&keyed) {
            if is_used[entry / 64] & 1 << (entry % 64) == 0 {
                is_used[entry / 64] |= 1 << (entry % 64);
                ends[*entry].0 = at;
            }
            ends[*entry].1 = at + 1;
        }
        let entries = keyed.into_iter().map(|(_, number, offset)| (number, offset)).collect();
        Self { patterns, is_used, ends, entries }
    }

    /// Calls `look` for each pattern found: its number, and where it is.
    pub(super) fn for_each(&self, text: &str, mut look: impl FnMut(usize, Range<usize>)) {
        for (at, key) in text.as_bytes().windows(KEY_BYTES).enumerate() {
            let entry = entry([key[0], key[1], key[2], key[3]]);
            if self.is_used[entry / 64] & 1 << (entry % 64) != 0 {
                self.compare(text.as_bytes(), at, entry, &mut look);
            }
        }
    }

    #[inline(never)]
    fn compare(&self, text: &[u8], at: usize, entry: usize, look: &mut impl FnMut(usize, Range<usize>)) {
        let (first, last) = self.ends[entry];
        for (number, offset) in &self.entries[usize::from(first)..usize::from(last)] {
            let pattern = self.patterns[usize::from(*number)];
            let Some(start) = at.checked_sub(usize::from(*offset)) else { continue };
            let Some(found) = text.get(start..start + pattern.len()) else { continue };
            if found.iter().eq(pattern) {
                look(usize::from(*number), start..start + pattern.len());
            }
        }
    }
}

/// Where the four bytes of a pattern begin that texts have least often: those with the fewest small letters and blanks.
fn key_offset(pattern: &[u8]) -> usize {
    let n_common = |offset: &usize| {
        let key = &pattern[*offset..*offset + KEY_BYTES];
        key.iter().filter(|byte| byte.is_ascii_lowercase() || **byte == b' ').count()
    };
    (0..(pattern.len() + 1).saturating_sub(KEY_BYTES)).min_by_key(n_common).unwrap_or_default()
}

fn is_dotted(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// The entry of four bytes: a multiplicative hash.
fn entry(key: [u8; KEY_BYTES]) -> usize {
    (u32::from_le_bytes(key).wrapping_mul(0x9E37_79B1) >> (u32::BITS - HASH_BITS)) as usize
}
