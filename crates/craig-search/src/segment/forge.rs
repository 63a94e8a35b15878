//! Segments with arbitrary content but valid checksums, for tests: what a writer with a bug could have written.

use std::ops::Range;

use super::checks::checksums;
use super::layout::{Header, N_SECTIONS};

/// Byte ranges of the sections, without the checksums of blocks.
pub(crate) fn sections(segment: &[u8]) -> Vec<Range<usize>> {
    let header: Header = bytemuck::pod_read_unaligned(&segment[..size_of::<Header>()]);
    let range = |[start, len]: [u64; 2]| start as usize..(start + len) as usize;
    header.sections[..N_SECTIONS - 1].iter().copied().map(range).collect()
}

/// Corrects all checksums; returns the one of the header.
pub(crate) fn seal(segment: &mut [u8]) -> u64 {
    let mut header: Header = bytemuck::pod_read_unaligned(&segment[..size_of::<Header>()]);
    let sections: Vec<&[u8]> = sections(segment).into_iter().map(|range| &segment[range]).collect();
    let sums = checksums(&sections);
    header.checksum = header.checksum_with(&sums);
    let [start, len] = header.sections[N_SECTIONS - 1];
    segment[start as usize..(start + len) as usize].copy_from_slice(bytemuck::cast_slice(&sums));
    segment[..size_of::<Header>()].copy_from_slice(bytemuck::bytes_of(&header));
    header.checksum
}
