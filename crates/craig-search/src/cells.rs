//! Cells: the space of signs in parts, so that a search of a large index looks at those near the query alone.
//!
//! An inverted file (Jégou, Douze & Schmid, TPAMI 2011) whose centroids are compiled in. They do not depend on the project,
//! so that which chunks are looked at depends neither on when each was indexed nor on how they are spread over segments. Made by
//! `craig-train cells` from vectors of the built-in model; chunks of other models are in one cell.

use std::sync::LazyLock;

use craig_model::Quantized;

use crate::mapped::{dot, hamming};

/// Number of cells of the built-in model.
pub const N_CELLS: usize = 1024;

/// Words that hold the signs of one centroid.
const CENTROID_WORDS: usize = 4;

/// Chunks up to which all cells are looked at.
const ALL_CELLS_CHUNKS: usize = 131_072;

/// Share of the cells that is looked at however large the index is: one in so many.
const LEAST_SHARE: usize = 4;

struct Centroids {
    signs: Vec<u64>,
    /// Each component as 1 or −1, as long vectors are compared.
    codes: Vec<i8>,
}

/// The signs of each centroid, little-endian.
const CELLS: &[u8] = include_bytes!("../cells.bin");

static CENTROIDS: LazyLock<Centroids> = LazyLock::new(|| {
    let words = CELLS.as_chunks::<{ size_of::<u64>() }>().0;
    let signs: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let code = |word: &u64, bit: u32| if word >> bit & 1 == 1 { 1 } else { -1 };
    let codes = signs.iter().flat_map(|word| (0..u64::BITS).map(move |bit| code(word, bit))).collect();
    Centroids { signs, codes }
});

/// The cell of a vector with these signs: the one with the nearest centroid, the first of equals.
pub(crate) fn cell_of(signs: &[u64], distances: &mut Vec<u16>) -> u16 {
    hamming(signs, &CENTROIDS.signs, distances);
    let nearest = (0u16..).zip(distances.iter()).min_by_key(|&(_, distance)| distance);
    nearest.map_or(0, |(cell, _)| cell)
}

/// The cells that are looked at for `query`, a vector of the index's embedder, where `n_chunks` may answer: ascending;
/// `None` for all.
pub(crate) fn looked_at(query: &Quantized, n_chunks: usize) -> Option<Vec<usize>> {
    let length = CENTROID_WORDS * u64::BITS as usize;
    if n_chunks <= ALL_CELLS_CHUNKS || query.codes.len() != length {
        return None;
    }
    let n_wanted = (N_CELLS * ALL_CELLS_CHUNKS / n_chunks).max(N_CELLS / LEAST_SHARE);
    let similarity = |cell: usize| dot(&query.codes, &CENTROIDS.codes[cell * length..(cell + 1) * length]);
    let mut cells: Vec<(i32, usize)> = (0..N_CELLS).map(|cell| (-similarity(cell), cell)).collect();
    cells.sort_unstable();
    let mut nearest: Vec<usize> = cells.into_iter().take(n_wanted).map(|(_, cell)| cell).collect();
    nearest.sort_unstable();
    Some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::FORMAT;

    #[test]
    fn other_centroids_are_another_format() {
        let made = (FORMAT, xxhash_rust::xxh3::xxh3_64(CELLS));
        assert_eq!(
            made,
            (11, 0x3589_3243_F654_452C),
            "chunks of indexes lie in the cells of before: count up"
        );
    }

    #[test]
    fn every_centroid_is_in_its_own_cell() {
        let rows = CENTROIDS.signs.chunks_exact(CENTROID_WORDS);
        assert_eq!(rows.len(), N_CELLS);
        let mut distances = Vec::new();
        for (cell, signs) in rows.enumerate() {
            assert_eq!(usize::from(cell_of(signs, &mut distances)), cell);
        }
    }

    #[test]
    fn the_larger_an_index_the_smaller_the_share_that_is_looked_at() {
        let cell = 7;
        let codes = CENTROIDS.codes[cell * 256..(cell + 1) * 256].to_vec();
        let query = Quantized { scale: 1.0, codes };
        assert_eq!(looked_at(&query, 100_000), None);
        let n_looked_at = |n_chunks| looked_at(&query, n_chunks).map_or(N_CELLS, |cells| cells.len());
        assert_eq!([200_000, 300_000, 600_000, 10_000_000].map(n_looked_at), [671, 447, 256, 256]);
        assert!(looked_at(&query, 10_000_000).unwrap().contains(&cell), "the nearest is among them");
    }
}
