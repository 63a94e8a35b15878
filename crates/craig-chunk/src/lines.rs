//! Line numbers of chunks.

use crate::outline::Chunk;

/// Sets the lines of chunks that lie in file order, in one pass over the text.
pub(crate) fn number(chunks: &mut [Chunk], text: &str) {
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    let mut line_at = |to: usize| {
        line += newlines(&bytes[at..to]);
        at = to;
        line
    };
    for chunk in chunks {
        let range = chunk.bytes.clone();
        chunk.line_start = line_at(range.start);
        let last = range.start + text[range.clone()].trim_end().len().max(1) - 1;
        chunk.line_end = line_at(last.max(range.start));
    }
}

pub(crate) fn newlines(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX)
}
