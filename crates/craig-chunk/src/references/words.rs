//! Where imports and packages may stand: each has a word of the language in it. Most of a tree has none and is not visited.

use std::ops::Range;

use crate::grammar::Grammar;

/// Starts of words in a text, in order.
pub(super) struct Words(Vec<usize>);

impl Words {
    /// Words with which imports and packages of a language are written; `None` where any node may be one, or is needed.
    pub(super) fn new(grammar: &Grammar, text: &str) -> Option<Self> {
        let words = grammar.import_words.as_ref()?;
        let bytes = text.as_bytes();
        let is_whole = |range: &Range<usize>| {
            let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
            let after = bytes.get(range.end);
            !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                // `require_once`, `requireActual`
                && !after.is_some_and(u8::is_ascii_lowercase)
        };
        let found = words.find_iter(text).map(|found| found.range()).filter(is_whole);
        Some(Self(found.map(|range| range.start).collect()))
    }

    /// Whether one starts in a range of bytes.
    pub(super) fn are_in(&self, range: Range<usize>) -> bool {
        let next = self.0.partition_point(|&at| at < range.start);
        self.0.get(next).is_some_and(|&at| at < range.end)
    }
}
