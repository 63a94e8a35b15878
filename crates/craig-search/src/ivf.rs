//! IVF lists: the chunks' sign vectors grouped by their nearest centroid, so that a search of a large index scans only the
//! lists near the query.
//!
//! An inverted file (Jégou, Douze & Schmid, TPAMI 2011) whose centroids are compiled in. They do not depend on the project,
//! so which chunks are scanned depends neither on when each was indexed nor on how they are spread over segments. Made by
//! `craig-train ivf` from vectors of the built-in model; the chunks of any other model are in one list.

use std::sync::LazyLock;

use craig_model::Quantized;
use craig_text::dot_i8;

use crate::mapped::hamming;

/// Number of lists of the built-in model.
pub const N_IVF_LISTS: usize = 1024;

/// Words that hold the signs of one centroid.
const CENTROID_WORDS: usize = 4;

/// Chunks up to which all lists are scanned.
const EXHAUSTIVE_CHUNKS: usize = 131_072;

/// However large the index is, one list in so many is probed.
const MAX_LISTS_PER_PROBE: usize = 4;

struct Centroids {
    signs: Vec<u64>,
    /// Each component as 1 or −1, to be compared with long vectors.
    codes: Vec<i8>,
}

/// The signs of each centroid, little-endian.
const CENTROID_BYTES: &[u8] = include_bytes!("../ivf_centroids.bin");

static CENTROIDS: LazyLock<Centroids> = LazyLock::new(|| {
    let words = CENTROID_BYTES.as_chunks::<{ size_of::<u64>() }>().0;
    let signs: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let code = |word: &u64, bit: u32| if word >> bit & 1 == 1 { 1 } else { -1 };
    let codes = signs.iter().flat_map(|word| (0..u64::BITS).map(move |bit| code(word, bit))).collect();
    Centroids { signs, codes }
});

/// The list of a vector with these signs: the one with the nearest centroid, the first among equals.
pub(crate) fn nearest_list(signs: &[u64], distances: &mut Vec<u16>) -> u16 {
    hamming(signs, &CENTROIDS.signs, distances);
    // Distance and list in one number: the smallest of many numbers is found several at a time.
    let numbers = (0..N_IVF_LISTS as u32).zip(&*distances);
    let nearest = numbers.map(|(list, &distance)| u32::from(distance) << 16 | list).min();
    nearest.map_or(0, |nearest| nearest as u16)
}

/// The lists to probe for `query`, a vector of the index's embedder, where `n_chunks` may answer: ascending; `None` for all.
pub(crate) fn probed_lists(query: &Quantized, n_chunks: usize) -> Option<Vec<usize>> {
    let length = CENTROID_WORDS * u64::BITS as usize;
    if n_chunks <= EXHAUSTIVE_CHUNKS || query.codes.len() != length {
        return None;
    }
    let n_probes = (N_IVF_LISTS * EXHAUSTIVE_CHUNKS / n_chunks).max(N_IVF_LISTS / MAX_LISTS_PER_PROBE);
    let similarity = |list: usize| dot_i8(&query.codes, &CENTROIDS.codes[list * length..(list + 1) * length]);
    let mut lists: Vec<(i32, usize)> = (0..N_IVF_LISTS).map(|list| (-similarity(list), list)).collect();
    lists.sort_unstable();
    let mut probed: Vec<usize> = lists.into_iter().take(n_probes).map(|(_, list)| list).collect();
    probed.sort_unstable();
    Some(probed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_centroids_need_a_new_segment_format() {
        assert_eq!(
            xxhash_rust::xxh3::xxh3_64(CENTROID_BYTES),
            0x3589_3243_F654_452C,
            "existing segments group chunks by the old centroids: raise FORMAT"
        );
    }

    #[test]
    fn every_centroid_is_in_its_own_list() {
        let rows = CENTROIDS.signs.chunks_exact(CENTROID_WORDS);
        assert_eq!(rows.len(), N_IVF_LISTS);
        let mut distances = Vec::new();
        for (list, signs) in rows.enumerate() {
            assert_eq!(usize::from(nearest_list(signs, &mut distances)), list);
        }
    }

    #[test]
    fn the_share_of_probed_lists_falls_with_the_size_of_the_index() {
        let list = 7;
        let codes = CENTROIDS.codes[list * 256..(list + 1) * 256].to_vec();
        let query = Quantized { scale: 1.0, codes };
        assert_eq!(probed_lists(&query, 100_000), None);
        let n_probed = |n_chunks| probed_lists(&query, n_chunks).map_or(N_IVF_LISTS, |lists| lists.len());
        assert_eq!([200_000, 300_000, 600_000, 10_000_000].map(n_probed), [671, 447, 256, 256]);
        assert!(probed_lists(&query, 10_000_000).unwrap().contains(&list), "the nearest list is probed");
    }
}
