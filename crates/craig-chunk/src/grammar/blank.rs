//! Overwriting parts of a text without moving an offset.

use std::ops::Range;

/// `text` with blanks for all in these ranges, which end on the boundaries of characters, but ends of lines.
pub(crate) fn blanked(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in ranges {
        blank(&mut bytes[range]);
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Overwrites all but ends of lines with blanks.
pub(crate) fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}
