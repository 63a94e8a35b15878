//! Dense candidates: signs scanned, the nearest rescored.

use fixedbitset::FixedBitSet;

use crate::best::Best;
use crate::index::LiveSegment;
use crate::mapped::hamming;
use crate::query::Query;

/// A chunk of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChunkAt {
    /// Segment, numbered within the index.
    pub(crate) segment: usize,
    /// Chunk, numbered within the segment.
    pub(crate) chunk: u32,
}

/// Chunks whose distances are computed together, before any is looked at: they stay in the fastest cache.
const BLOCK_CHUNKS: usize = 1024;

/// Chunks that are passed over together when none of them is near.
const GLANCE_CHUNKS: usize = 32;

/// The chunks whose signs are nearest to the query's: at least `n_wanted` where there are so many, and all that are as near
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
    let mut best = Best::new(n_wanted);
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

/// Offers what `item` makes of the numbers of all distances that are small enough.
fn offer_near<T>(distances: &[u16], best: &mut Best<T>, item: impl Fn(u32) -> Option<T>) {
    for (glance, few) in distances.chunks(GLANCE_CHUNKS).enumerate() {
        // Signed, because every processor compares eight of these at once.
        let nearest = few.iter().map(|&distance| distance as i16).min().unwrap_or(i16::MAX);
        if -f32::from(nearest) < best.lowest() {
            continue;
        }
        for (at, &distance) in (0u32..).zip(few) {
            let score = -f32::from(distance);
            if score >= best.lowest()
                && let Some(item) = item((glance * GLANCE_CHUNKS) as u32 + at)
            {
                best.offer(score, item);
            }
        }
    }
}
