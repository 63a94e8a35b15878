//! Hides what a merge that conflicts leaves in a file: markers, and all versions of the lines but one.

use std::ops::Range;

use crate::grammar::Grammar;
use crate::grammar::blank::blanked;

/// Which side of a conflict a line is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    None,
    Ours,
    /// The common ancestor, which git writes in between if it is asked to.
    Base,
    Theirs,
}

/// Whether a text may have conflicts.
pub(crate) fn are_in(text: &str) -> bool {
    text.contains("<<<<<<<")
}

/// `text` without markers and ancestors: both sides remain, which is right where they hold whole definitions.
pub(crate) fn both_sides(grammar: &'static Grammar, text: &str) -> Option<(&'static Grammar, String)> {
    Some((grammar, without(text, |side| side == Side::Base)?))
}

/// `text` as the first side has it.
pub(crate) fn first_side(grammar: &'static Grammar, text: &str) -> Option<(&'static Grammar, String)> {
    Some((grammar, without(text, |side| matches!(side, Side::Base | Side::Theirs))?))
}

/// `text` with markers, and lines on sides that are hidden, as blanks; none if it has no conflict.
fn without(text: &str, hides: impl Fn(Side) -> bool) -> Option<String> {
    if !are_in(text) {
        return None;
    }
    let mut side = Side::None;
    let mut hidden: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = match (marker(line), side) {
            (Some('<'), Side::None) => Some(Side::Ours),
            (Some('|'), Side::Ours) => Some(Side::Base),
            (Some('='), Side::Ours | Side::Base) => Some(Side::Theirs),
            (Some('>'), Side::Theirs) => Some(Side::None),
            _ => None,
        };
        if next.is_some() || hides(side) {
            hidden.push(at..at + line.len());
        }
        side = next.unwrap_or(side);
        at += line.len();
    }
    (side == Side::None && !hidden.is_empty()).then(|| blanked(text, hidden))
}

/// The character of a marker: seven of it at the start of a line, and nothing or a name behind it.
fn marker(line: &str) -> Option<char> {
    let first = line.chars().next().filter(|first| matches!(first, '<' | '|' | '=' | '>'))?;
    let rest = line.trim_end().trim_start_matches(first);
    (line.trim_end().len() - rest.len() == 7 && (rest.is_empty() || rest.starts_with(' '))).then_some(first)
}
