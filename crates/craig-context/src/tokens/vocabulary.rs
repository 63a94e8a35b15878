//! A vocabulary in its compiled-in form, and token counts of texts.
//!
//! The tokens stay where they are: what is built at the first count is a table of their places by hash, in 6 ms for 200,000.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
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

    /// Merges the pair of lowest rank, of equal ones the first, until none is a token: each part that remains is one.
    fn count_piece(&self, piece: &[u8]) -> usize {
        if self.rank(piece).is_some() {
            return 1;
        }
        let n = piece.len();
        // By the start of a part, its end and the start of the part before it; 0 is the end of a part that was merged.
        let mut ends: Vec<usize> = (1..=n).collect();
        let mut before: Vec<usize> = (0..n).map(|start| start.saturating_sub(1)).collect();
        let pair = |start: usize, end: usize| Some(Reverse((self.rank(piece.get(start..end)?)?, start, end)));
        let mut pairs: BinaryHeap<_> = (0..n).filter_map(|start| pair(start, start + 2)).collect();
        let mut n_parts = n;
        while let Some(Reverse((_, start, end))) = pairs.pop() {
            let middle = ends[start];
            // One of the two was merged meanwhile.
            if middle == 0 || middle >= end || ends[middle] != end {
                continue;
            }
            (ends[start], ends[middle]) = (end, 0);
            n_parts -= 1;
            if end < n {
                before[end] = start;
                pairs.extend(pair(start, ends[end]));
            }
            if start > 0 {
                pairs.extend(pair(before[start], end));
            }
        }
        n_parts
    }

    /// Number of tokens that have a rank.
    #[cfg(test)]
    pub(super) fn n_tokens(&self) -> usize {
        self.slots.iter().filter(|slot| slot.place > 0).count()
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
