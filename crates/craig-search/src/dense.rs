//! Dense retrieval: scans the sign vectors for the nearest chunks.

use fixedbitset::FixedBitSet;

use crate::index::LiveSegment;
use crate::mapped::hamming;
use crate::query::Query;
use crate::top_k::TopK;

/// A chunk of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChunkAt {
    /// Segment, numbered within the index.
    pub(crate) segment: usize,
    /// Chunk, numbered within the segment.
    pub(crate) chunk: u32,
}

/// Chunks whose distances are computed together before they are compared: they stay in the L1 cache.
const BLOCK_CHUNKS: usize = 1024;

/// Chunks that are skipped together when none of them is near enough.
const SKIP_CHUNKS: usize = 32;

/// The chunks whose signs are nearest to the query's: at least `n_wanted` if there are that many, and all at the same distance
/// as the last of these. Of a large index only the IVF lists near the query are scanned.
///
/// Which chunks these are does not depend on how files are spread over segments.
pub(crate) fn nearest_by_sign(
    segments: &[LiveSegment],
    allowed: &[FixedBitSet],
    query: &Query,
    lists: Option<&[usize]>,
    n_wanted: usize,
) -> Vec<ChunkAt> {
    let mut best = TopK::new(n_wanted);
    let mut distances = Vec::with_capacity(BLOCK_CHUNKS);
    let words = query.bits.len().max(1);
    for (number, (live, allowed)) in segments.iter().zip(allowed).enumerate() {
        let (segment, is_full) = (&live.segment, allowed.is_full());
        let n_chunks = segment.n_chunks();
        let is_allowed = |chunk: u32| match is_full {
            true => (chunk as usize) < n_chunks,
            false => allowed[segment.file_of(chunk) as usize],
        };
        for rows in segment.rows_of(lists) {
            let blocks = segment.bits(rows.clone()).chunks(BLOCK_CHUNKS * words);
            for (first, block) in rows.step_by(BLOCK_CHUNKS).zip(blocks) {
                hamming(&query.bits, block, &mut distances);
                offer_near(&distances, &mut best, |at| {
                    Some(segment.chunk_of_row(first + at as usize))
                        .filter(|&chunk| is_allowed(chunk))
                        .map(|chunk| ChunkAt { segment: number, chunk })
                });
            }
        }
    }
    best.into_vec().into_iter().map(|(_, at)| at).collect()
}

/// Offers `item(i)` for every distance i that is small enough.
fn offer_near<T>(distances: &[u16], best: &mut TopK<T>, item: impl Fn(u32) -> Option<T>) {
    for (block, few) in distances.chunks(SKIP_CHUNKS).enumerate() {
        // Signed, because every processor compares eight of these at once.
        let nearest = few.iter().map(|&distance| distance as i16).min().unwrap_or(i16::MAX);
        if -f32::from(nearest) < best.threshold() {
            continue;
        }
        for (at, &distance) in (0u32..).zip(few) {
            let score = -f32::from(distance);
            if score >= best.threshold()
                && let Some(item) = item((block * SKIP_CHUNKS) as u32 + at)
            {
                best.offer(score, item);
            }
        }
    }
}
