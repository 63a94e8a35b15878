//! Checksums of a segment: one for each block of each section, verified when the block is first read.
//!
//! A search reads little of a segment: verifying all of it when it is opened would take longer than the search. A block is a
//! page: most reads are scattered, a few rows in each place, and what is not read need not be hashed.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use super::layout::N_SECTIONS;

/// Bytes that share a checksum.
pub(super) const BLOCK_BYTES: usize = 4 << 10;

/// The checksums of all blocks of `sections`, section by section.
pub(super) fn checksums(sections: &[&[u8]]) -> Vec<u64> {
    sections.iter().flat_map(|section| section.chunks(BLOCK_BYTES)).map(xxh3_64).collect()
}

/// Which blocks of a segment have been verified, and whether one of them was damaged.
#[derive(Debug)]
pub(super) struct Checks {
    /// Number of the first block of each section.
    first_blocks: [usize; N_SECTIONS],
    /// A bit for each block. Threads share it with relaxed ordering: verifying a block twice does no harm.
    verified: Box<[AtomicU64]>,
    is_damaged: AtomicBool,
}

impl Checks {
    /// For sections of these lengths in bytes, with no block verified yet.
    pub(super) fn new(lengths: [usize; N_SECTIONS]) -> Self {
        let mut n_blocks = 0;
        let first_blocks = lengths.map(|length| {
            let first = n_blocks;
            n_blocks += length.div_ceil(BLOCK_BYTES);
            first
        });
        let verified = (0..n_blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { first_blocks, verified, is_damaged: AtomicBool::new(false) }
    }

    /// Whether all blocks with the bytes `range` of the section of this `number` have been verified.
    #[inline]
    pub(super) fn have_verified(&self, number: usize, range: &Range<usize>) -> bool {
        let first = self.first_blocks[number];
        blocks(range).all(|block| self.has_verified(first + block))
    }

    #[inline]
    fn has_verified(&self, at: usize) -> bool {
        self.verified[at / 64].load(Ordering::Relaxed) >> (at % 64) & 1 == 1
    }

    /// Verifies the blocks of `section`, which has this `number`, with its bytes `range` against the `checksums` of the segment.
    #[cold]
    pub(super) fn verify(&self, number: usize, section: &[u8], range: &Range<usize>, checksums: &[u64]) {
        for block in blocks(range) {
            let at = self.first_blocks[number] + block;
            let bytes = &section[block * BLOCK_BYTES..((block + 1) * BLOCK_BYTES).min(section.len())];
            if !self.has_verified(at) && checksums.get(at) != Some(&xxh3_64(bytes)) {
                self.mark_damaged();
            }
            self.verified[at / 64].fetch_or(1 << (at % 64), Ordering::Relaxed);
        }
    }

    pub(super) fn mark_damaged(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }
}

/// The blocks of a section with its bytes `range`.
fn blocks(range: &Range<usize>) -> Range<usize> {
    range.start / BLOCK_BYTES..range.end.div_ceil(BLOCK_BYTES)
}
