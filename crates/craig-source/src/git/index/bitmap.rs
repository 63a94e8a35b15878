//! Bitmaps in EWAH, the run-length encoding that git stores them in (`gitformat-pack(5)`, Lemire et al. 2010).

use super::number;

/// Bits of a word.
const WORD: usize = 64;

/// Which of the first `n_bits` bits of an encoded bitmap are set; further ones do not count. `None` if it is damaged.
pub(super) fn set_bits(encoded: &[u8], n_bits: usize) -> Option<Vec<bool>> {
    let n_words = number(encoded, 4..8)?;
    let mut words = encoded.get(8..)?.chunks_exact(8).take(n_words).map(word);
    let mut bits = Vec::with_capacity(n_bits);
    while let Some(marker) = words.next() {
        // One bit, how many words are filled with it, and how many words follow as they are.
        let (bit, n_filled, n_literal) = (marker & 1 == 1, (marker >> 1) as u32 as usize, marker >> 33);
        let room = n_bits - bits.len();
        bits.extend(std::iter::repeat_n(bit, n_filled.saturating_mul(WORD).min(room)));
        for _ in 0..n_literal {
            let literal = words.next()?;
            let room = n_bits - bits.len();
            bits.extend((0..WORD.min(room)).map(|at| literal >> at & 1 == 1));
        }
    }
    bits.resize(n_bits, false);
    Some(bits)
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}
