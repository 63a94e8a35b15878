//! Text without structure: windows at paragraphs and lines.

use std::ops::Range;

use crate::kind::ChunkKind;
use crate::outline::Chunk;
use crate::split::{Sizes, overlap, split};

/// Windows of 500 to 1000 tokens at about four characters a token.
const WINDOW: Sizes = Sizes { max: 3600, target: 2800 };

/// Cuts `range` into windows with an overlap of a tenth.
pub(crate) fn windows(
    text: &str,
    range: Range<usize>,
    kind: ChunkKind,
    name: Option<&str>,
    parent: Option<&str>,
) -> Vec<Chunk> {
    if range.is_empty() {
        return Vec::new();
    }
    let cuts = split(text, range.clone(), &[], WINDOW);
    let starts = std::iter::once(range.start).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([range.end]);
    let window = |(start, end): (usize, usize)| Chunk {
        bytes: start..end,
        overlap_bytes: if start == range.start { 0 } else { overlap(text, range.start, start, end - start) },
        line_start: 0,
        line_end: 0,
        kind,
        symbol_name: name.map(str::to_owned),
        parent: parent.map(str::to_owned),
    };
    starts.zip(ends).map(window).collect()
}
