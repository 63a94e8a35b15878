//! Dense candidates: signs scanned, the nearest rescored.

use fixedbitset::FixedBitSet;

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

/// The chunks whose signs are nearest to the query's: at least `n_wanted` where there are so many, all of equal distance.
///
/// Which chunks these are does not depend on how files are spread over segments.
pub(crate) fn nearest_by_sign(
    segments: &[LiveSegment],
    allowed: &[FixedBitSet],
    query: &Query,
    n_wanted: usize,
) -> Vec<ChunkAt> {
    let mut histogram = vec![0usize; query.vector.codes.len() + 1];
    let distances: Vec<Vec<u16>> = segments
        .iter()
        .zip(allowed)
        .map(|(segment, allowed)| {
            let distances = distances(segment, allowed, query);
            distances.iter().filter(|&&d| d != EXCLUDED).for_each(|&d| histogram[usize::from(d)] += 1);
            distances
        })
        .collect();
    let limit = distance_limit(&histogram, n_wanted);
    let within = |(segment, distances): (usize, Vec<u16>)| {
        let near = (0u32..).zip(distances).filter(move |&(_, d)| d <= limit);
        near.map(move |(chunk, _)| ChunkAt { segment, chunk }).collect::<Vec<_>>()
    };
    distances.into_iter().enumerate().flat_map(within).collect()
}

const EXCLUDED: u16 = u16::MAX;

fn distances(segment: &LiveSegment, allowed: &FixedBitSet, query: &Query) -> Vec<u16> {
    let n_chunks = segment.segment.chunks().len();
    let mut distances = Vec::with_capacity(n_chunks);
    hamming(&query.bits, segment.segment.bits(), &mut distances);
    for file in allowed.zeroes() {
        let chunks = segment.segment.chunks_of(file as u32);
        distances[chunks.start as usize..chunks.end as usize].fill(EXCLUDED);
    }
    distances
}

/// The smallest distance within which there are `n_wanted` chunks.
fn distance_limit(histogram: &[usize], n_wanted: usize) -> u16 {
    let mut n_within = 0;
    for (distance, n) in histogram.iter().enumerate() {
        n_within += n;
        if n_within >= n_wanted {
            return distance as u16;
        }
    }
    histogram.len() as u16
}
