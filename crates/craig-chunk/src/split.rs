//! Cuts a stretch that is too large for one chunk, at the best boundaries there are.

use std::ops::Range;

/// A place where a stretch may be cut; the lowest rank is the best.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    pub(crate) at: usize,
    pub(crate) rank: u16,
}

/// Sizes in bytes of the parts of a stretch.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// No part is larger.
    pub(crate) max: usize,
    /// What parts should have.
    pub(crate) target: usize,
}

/// The starts of all parts but the first. `boundaries` are in order; where they lack, lines and then characters serve.
pub(crate) fn split(text: &str, range: Range<usize>, boundaries: &[Boundary], sizes: Sizes) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut start = range.start;
    while range.end - start > sizes.max {
        let parts = (range.end - start).div_ceil(sizes.target);
        let target = (range.end - start) / parts;
        let window = start + target / 2..(start + target * 3 / 2).min(start + sizes.max);
        let cut = best_boundary(boundaries, &window, start + target)
            .or_else(|| best_line(text, &window, start + target))
            .unwrap_or_else(|| text.floor_char_boundary(start + target).max(start + 1));
        let cut = text.ceil_char_boundary(cut);
        cuts.push(cut);
        start = cut;
    }
    cuts
}

/// The boundary of the lowest rank in the window; of several, the nearest to the target.
fn best_boundary(boundaries: &[Boundary], window: &Range<usize>, target: usize) -> Option<usize> {
    let first = boundaries.partition_point(|boundary| boundary.at <= window.start);
    let inside = boundaries[first..].iter().take_while(|boundary| boundary.at < window.end);
    inside.min_by_key(|boundary| (boundary.rank, boundary.at.abs_diff(target))).map(|boundary| boundary.at)
}

/// The line start in the window that follows a blank line, else the least indented, else the nearest to the target.
fn best_line(text: &str, window: &Range<usize>, target: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let ends = (window.start..window.end).filter(|&at| bytes[at] == b'\n' && at + 1 < bytes.len());
    let starts = ends.map(|end| end + 1).filter(|&start| start > window.start);
    starts.min_by_key(|&start| (line_rank(bytes, start), start.abs_diff(target)))
}

/// 0 after a blank line, else 1 and one more for each 8 columns of indentation.
fn line_rank(bytes: &[u8], start: usize) -> usize {
    let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r');
    let before = bytes[..start - 1].iter().rev().take(256).find(|byte| !is_blank(byte));
    if before == Some(&b'\n') {
        return 0;
    }
    1 + bytes[start..].iter().take(64).take_while(is_blank).count() / 8
}

/// Overlap with the part before: about a tenth of a part, from a line start where there is one.
pub(crate) fn overlap(text: &str, unit_start: usize, start: usize, size: usize) -> usize {
    let wanted = size / 10;
    let earliest = text.ceil_char_boundary(start.saturating_sub(wanted).max(unit_start));
    let line = text[earliest..start].find('\n').map(|end| earliest + end + 1);
    let from = if is_line_start(text, earliest) {
        earliest
    } else {
        line.filter(|at| *at < start).unwrap_or(earliest)
    };
    start - from
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}
