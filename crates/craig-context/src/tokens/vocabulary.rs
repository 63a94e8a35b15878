//! A vocabulary as it is compiled in, and the number of its tokens in a text.
//!
//! The tokens stay where they are: what is built at the first count is a table of their places by hash, in 6 ms for 200,000.

use std::hash::Hasher;

use fancy_regex::Regex;
use rustc_hash::FxHasher;

/// Tokens by rank, and what a text is cut into before pairs of bytes are merged.
pub(super) struct Vocabulary {
    /// The length of each token as a byte, and its bytes. A rank that is not given has length 0.
    tokens: &'static [u8],
    /// Open addressing; at most half of the slots are taken.
    slots: Vec<Slot>,
    piece: Regex,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// One more than the place of the token's length; 0 where the slot is free.
    place: u32,
    rank: u32,
}

/// A part of a piece: where it starts, and the rank of it with the part behind it.
struct Part {
    start: usize,
    merged: Option<u32>,
}

impl Vocabulary {
    /// The first `n_ranks` of a file in `tokenizers/`.
    pub(super) fn new(tokens: &'static [u8], n_ranks: usize, piece: &str) -> Self {
        let piece = Regex::new(piece).expect("the pattern is a constant that tests compile");
        let slots = vec![Slot::default(); (2 * n_ranks).next_power_of_two()];
        let mut vocabulary = Self { tokens, slots, piece };
        let mut place = 0;
        for rank in 0..n_ranks as u32 {
            let token = vocabulary.token(place);
            if !token.is_empty() {
                let slot = vocabulary.slot(token);
                vocabulary.slots[slot] = Slot { place: place as u32 + 1, rank };
            }
            place += 1 + token.len();
        }
        vocabulary
    }

    /// Number of tokens of a text.
    pub(super) fn count(&self, text: &str) -> usize {
        // A text that the pattern cannot be matched in is counted by its bytes: more than it has.
        let pieces = self.piece.find_iter(text);
        pieces
            .map(|piece| piece.map_or(text.len(), |piece| self.count_piece(piece.as_str().as_bytes())))
            .sum()
    }

    /// Merges the pair of lowest rank until none is a token: each part that remains is one.
    fn count_piece(&self, piece: &[u8]) -> usize {
        if self.rank(piece).is_some() {
            return 1;
        }
        let mut parts: Vec<Part> = (0..piece.len())
            .map(|start| Part { start, merged: self.rank_of(piece, start, start + 2) })
            .collect();
        while let Some((_, at)) =
            parts.iter().enumerate().filter_map(|(at, part)| Some((part.merged?, at))).min()
        {
            parts.remove(at + 1);
            for at in [Some(at), at.checked_sub(1)].into_iter().flatten() {
                let end = parts.get(at + 2).map_or(piece.len(), |part| part.start);
                parts[at].merged = parts.get(at + 1).and_then(|_| self.rank_of(piece, parts[at].start, end));
            }
        }
        parts.len()
    }

    fn rank_of(&self, piece: &[u8], start: usize, end: usize) -> Option<u32> {
        self.rank(piece.get(start..end)?)
    }

    /// The rank of a token.
    pub(super) fn rank(&self, token: &[u8]) -> Option<u32> {
        let slot = self.slots[self.slot(token)];
        (slot.place > 0).then_some(slot.rank)
    }

    /// The slot of a token, or the free one where it would be.
    fn slot(&self, token: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut hasher = FxHasher::default();
        hasher.write(token);
        let mut at = hasher.finish() as usize & mask;
        while self.slots[at].place > 0 && self.token(self.slots[at].place as usize - 1) != token {
            at = (at + 1) & mask;
        }
        at
    }

    /// The token whose length is at a place; empty behind the last.
    fn token(&self, place: usize) -> &'static [u8] {
        let Some((&length, rest)) = self.tokens.get(place..).and_then(<[u8]>::split_first) else {
            return &[];
        };
        rest.get(..usize::from(length)).unwrap_or_default()
    }
}
