//! Which sentences have content, whatever they are about.

use crate::sentence::{self, n_words};

/// Longest sentence that is quoted, in bytes; longer ones are tables or lists without stops.
const MAX_SENTENCE_BYTES: usize = 600;

/// A sentence of fewer words is quoted only where its section has no other.
pub(super) const ENOUGH_WORDS: usize = 3;

/// Whether a sentence has content: no link (nor "See" and a link), image or tag alone, not too long; a short one only when it ends as one.
pub(super) fn is_quotable(sentence: &str, is_row: bool) -> bool {
    let n_words = n_words(sentence);
    let is_ended = n_words > 0 && sentence::is_ended(sentence);
    let is_enough = if is_row { is_telling_row(sentence) } else { n_words >= ENOUGH_WORDS || is_ended };
    is_enough
        && sentence.len() <= MAX_SENTENCE_BYTES
        && !sentence.starts_with(['!', '<'])
        && !REFERRALS.iter().any(|start| sentence.starts_with(start))
        && !sentence.starts_with(SIGNATURES)
        && !is_version(sentence, n_words)
        && !TASKS.iter().any(|mark| sentence.starts_with(mark))
        && (is_row || has_prose(sentence))
        && !APPEALS.iter().any(|word| sentence.contains(word))
        && !sentence::is_link(sentence.strip_prefix("See ").unwrap_or(sentence))
        && (is_row || !sentence.contains(" | "))
}

/// Words of appeals for support.
const APPEALS: &[&str] = &["sponsor", "Sponsor", "donat", "Donat", "Support from"];

/// Whether a row of a table has words behind its first cell that are no code: what is said of what the first one names.
fn is_telling_row(row: &str) -> bool {
    let is_telling = |cell: &str| {
        let words: String = cell.split('`').step_by(2).collect();
        n_words(&words) >= MIN_WORDS_OF_CELL || n_words(&words) > 0 && sentence::is_ended(cell.trim_end())
    };
    row.split(" | ").skip(1).any(is_telling)
}

/// A cell of fewer words tells nothing without the heading of its column.
const MIN_WORDS_OF_CELL: usize = 2;

/// What sentences begin with that only say where more is said.
const REFERRALS: &[&str] = &[
    "See ",
    "See: ",
    "(See ",
    "For more information",
    "For more details",
    "For details",
    "Read more",
    "Learn more",
    "Refer to",
    "Bases: ",
    "Derived from ",
    "Inherits from ",
];

/// Whether a sentence says in which version something came, and nothing else: "Added in v2.2.0".
fn is_version(sentence: &str, n_words: usize) -> bool {
    let requires = sentence.starts_with("Requires ")
        && sentence.trim_end_matches('.').ends_with(|c: char| c.is_ascii_digit());
    n_words <= MAX_WORDS_OF_VERSION && (requires || VERSIONS.iter().any(|begin| sentence.starts_with(begin)))
}

/// What the items of a list of tasks begin with.
const TASKS: &[&str] = &["[ ] ", "[x] ", "[X] "];

/// Longest sentence that merely names a version, in words.
const MAX_WORDS_OF_VERSION: usize = 5;

/// What such sentences begin with.
const VERSIONS: &[&str] = &[
    "Added in",
    "Added since",
    "Since ",
    "New in",
    "Introduced in",
    "Available since",
    "Available in",
    "Changed in",
    "Deprecated",
];

/// What generated documentation puts before signatures.
const SIGNATURES: [char; 4] = ['▸', '•', '◆', '▪'];

/// Whether a sentence has a word that is no code.
fn has_prose(sentence: &str) -> bool {
    let outside: String = sentence.split('`').step_by(2).collect();
    let has_word = outside.split_whitespace().any(|word| n_words(word) > 0 && !["and", "or"].contains(&word));
    has_word || !sentence.contains('`')
}

/// Whether a sentence says what is to be minded, or that an example follows, instead of what something is.
pub(super) fn is_caveat(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().take(6).collect();
    let begin = words.join(" ");
    let begin = begin.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '`' | '⚠'));
    CAVEATS.iter().any(|caveat| begin.starts_with(caveat))
}

/// What sentences begin with that are about something said before, or an example.
const CAVEATS: &[&str] = &[
    "⚠",
    "Note that",
    "Note,",
    "Note:",
    "NOTE",
    "Warning",
    "Caution",
    "Here's an example",
    "Here is an example",
    "The following is an example",
    "The following example",
];
