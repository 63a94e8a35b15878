//! The one place with unsafe code: memory-mapped files, and the bit count that the processor has an instruction for.
#![expect(
    unsafe_code,
    reason = "mapping a file and calling a function compiled for a detected processor feature"
)]

use std::fs::File;
use std::path::Path;

/// A read-only memory map of a whole file.
#[derive(Debug)]
pub(crate) struct Mapped(memmap2::Mmap);

impl Mapped {
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        // Opening a pipe would block until a writer opens it.
        if !std::fs::metadata(path)?.is_file() {
            return Err(std::io::Error::other("it is not a regular file"));
        }
        let file = File::open(path)?;
        // SAFETY: segment files are written once under a temporary name, renamed, and never written again; Craig only
        // unlinks them, which leaves the mapping intact. Their folder belongs to Craig. If another program writes to a mapped
        // file, bytes change under a reader: Rust's rules do not allow that, but readers survive it, because they trust no
        // byte. If the file is truncated, the system ends the process with SIGBUS.
        unsafe { memmap2::Mmap::map(&file) }.map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Makes `distances` the number of bits in which each row of `rows` differs from `query`; a row is `query.len()` words.
pub(crate) fn hamming(query: &[u64], rows: &[u64], distances: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512vpopcntdq")
        && std::arch::is_x86_feature_detected!("avx512vl")
    {
        // SAFETY: the features that the function is compiled for were detected on this processor.
        return unsafe { hamming_avx512(query, rows, distances) };
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the feature that the function is compiled for was detected on this processor.
        return unsafe { hamming_popcnt(query, rows, distances) };
    }
    hamming_any(query, rows, distances);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn hamming_popcnt(query: &[u64], rows: &[u64], distances: &mut Vec<u16>) {
    hamming_any(query, rows, distances);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512vpopcntdq,avx512vl")]
fn hamming_avx512(query: &[u64], rows: &[u64], distances: &mut Vec<u16>) {
    hamming_any(query, rows, distances);
}

#[inline(always)]
fn hamming_any(query: &[u64], rows: &[u64], distances: &mut Vec<u16>) {
    distances.clear();
    distances.resize(rows.len() / query.len().max(1), 0);
    if let Ok(query) = <&[u64; 4]>::try_from(query) {
        // The built-in model's 256 dimensions, unrolled. No closures: they would not be compiled for the processor.
        for (distance, row) in distances.iter_mut().zip(rows.as_chunks::<4>().0) {
            *distance = differing_bits(query, row);
        }
        return;
    }
    for (distance, row) in distances.iter_mut().zip(rows.chunks_exact(query.len().max(1))) {
        *distance = differing_bits(query, row);
    }
}

#[inline(always)]
fn differing_bits(a: &[u64], b: &[u64]) -> u16 {
    let mut n_bits = 0;
    for (x, y) in a.iter().zip(b) {
        n_bits += (x ^ y).count_ones();
    }
    n_bits as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectorised_and_portable_versions_agree() {
        let query = [0xF0F0_1234_u64, 7, u64::MAX, 0];
        let rows: Vec<u64> = (0..40u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let (mut fast, mut plain) = (Vec::new(), Vec::new());
        hamming(&query, &rows, &mut fast);
        hamming_any(&query, &rows, &mut plain);
        assert_eq!(fast, plain);
        assert_eq!(fast[0], (0..4).map(|i| (query[i] ^ rows[i]).count_ones() as u16).sum::<u16>());
    }
}
