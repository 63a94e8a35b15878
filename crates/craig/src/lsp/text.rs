//! Texts that an editor has open, and positions in them: in UTF-8, UTF-16 or UTF-32 units, as was agreed.

use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};

/// Units that columns count in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first that the client offers and that costs least here; UTF-16 when it offers none.
    pub(crate) fn agreed(offered: &[PositionEncodingKind]) -> Self {
        let known = [Self::Utf8, Self::Utf16, Self::Utf32];
        known.into_iter().find(|encoding| offered.contains(&encoding.kind())).unwrap_or(Self::Utf16)
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The byte of a position; positions beyond the end of a line or of the text mean that end, as the protocol requires.
pub(crate) fn offset(text: &str, position: Position, encoding: Encoding) -> usize {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let Some(start) = starts.nth(position.line as usize) else { return text.len() };
    let line = text[start..].split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut left = position.character as usize;
    for (at, c) in line.char_indices() {
        let units = encoding.units(c);
        if left < units {
            return start + at;
        }
        left -= units;
    }
    start + line.len()
}

/// The position of a byte.
pub(crate) fn position(text: &str, at: usize, encoding: Encoding) -> Position {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count();
    let column: usize =
        before.rsplit('\n').next().unwrap_or_default().chars().map(|c| encoding.units(c)).sum();
    Position::new(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// The lines that a selection touches, 1-based: one that ends before the first character of a line does not touch that.
pub(super) fn lines(range: Range) -> (usize, usize) {
    let Range { start, end } = range;
    let is_before = end == Position::new(end.line, 0) && end.line > start.line;
    (start.line as usize + 1, end.line as usize + usize::from(!is_before))
}

/// Applies one change: a part that is replaced, or the whole text.
pub(crate) fn apply(text: &mut String, change: TextDocumentContentChangeEvent, encoding: Encoding) {
    match change.range {
        None => *text = change.text,
        Some(Range { start, end }) => {
            let start = offset(text, start, encoding);
            let end = offset(text, end, encoding).max(start);
            text.replace_range(start..end, &change.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé😀b\r\nsecond\n";

    #[test]
    fn positions_and_bytes_agree_in_every_encoding() {
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (at, _) in TEXT.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
                assert_eq!(offset(TEXT, position(TEXT, at, encoding), encoding), at, "{encoding:?} {at}");
            }
        }
        assert_eq!(position(TEXT, 7, Encoding::Utf16), Position::new(0, 4));
        assert_eq!(position(TEXT, 7, Encoding::Utf8), Position::new(0, 7));
        assert_eq!(position(TEXT, 7, Encoding::Utf32), Position::new(0, 3));
    }

    #[test]
    fn positions_outside_are_at_the_nearest_end() {
        assert_eq!(offset(TEXT, Position::new(0, 99), Encoding::Utf16), 8);
        assert_eq!(offset(TEXT, Position::new(9, 0), Encoding::Utf16), TEXT.len());
        assert_eq!(offset(TEXT, Position::new(0, 3), Encoding::Utf16), 3, "inside of a surrogate pair");
    }

    #[test]
    fn changes_replace_parts_or_all() {
        let mut text = TEXT.to_owned();
        let range = Range::new(Position::new(0, 2), Position::new(1, 3));
        let change =
            TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: "X".into() };
        apply(&mut text, change, Encoding::Utf16);
        assert_eq!(text, "aéXond\n");
        let whole = TextDocumentContentChangeEvent { range: None, range_length: None, text: "new".into() };
        apply(&mut text, whole, Encoding::Utf16);
        assert_eq!(text, "new");
    }

    #[test]
    fn a_selection_touches_the_lines_that_it_has_characters_of() {
        let lines = |a, b, c, d| lines(Range::new(Position::new(a, b), Position::new(c, d)));
        assert_eq!(lines(4, 0, 7, 0), (5, 7));
        assert_eq!(lines(4, 0, 7, 1), (5, 8));
        assert_eq!(lines(4, 2, 4, 9), (5, 5));
        assert_eq!(lines(4, 0, 4, 0), (5, 5));
    }

    #[test]
    fn the_encoding_is_one_that_the_client_offers() {
        assert_eq!(Encoding::agreed(&[]), Encoding::Utf16);
        assert_eq!(Encoding::agreed(&[PositionEncodingKind::UTF32]), Encoding::Utf32);
        assert_eq!(
            Encoding::agreed(&[PositionEncodingKind::UTF16, PositionEncodingKind::UTF8]),
            Encoding::Utf8
        );
    }
}
