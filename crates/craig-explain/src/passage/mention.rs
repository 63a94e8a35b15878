//! Whether a sentence mentions a name, and where.

use super::whose::occurrences;
use crate::names::is_plain_word;
use crate::sentence::n_words;

/// Whether a sentence mentions a name. A name that is a plain word counts only as code that begins with it.
pub(super) fn mentions_name(sentence: &str, name: &str) -> bool {
    let is_word = is_plain_word(name);
    occurrences(sentence, name).any(|at| {
        let is_call = sentence[at + name.len()..].starts_with('(');
        let is_member = sentence[..at].ends_with(['.', '#', ':']) && !sentence[..at].ends_with(": ");
        let after = sentence[at + name.len()..].strip_prefix(' ');
        let is_phrase = after.is_some_and(|after| after.starts_with(char::is_alphabetic));
        let is_annotation = sentence[..at].ends_with('@');
        !is_word || begins_span(&sentence[..at]) && !is_phrase || is_call || is_member || is_annotation
    })
}

/// Whether a code span begins at the end of `before`, with at most a mark before the name: `@x`. A name further inside of
/// a span belongs to something else: `ignore missing`, `{ "code": 80 }`.
fn begins_span(before: &str) -> bool {
    let Some((outside, inside)) = before.rsplit_once('`') else { return false };
    let is_span = outside.matches('`').count() % 2 == 0;
    let is_mark = inside.chars().all(|c| "@.#$&*:<'\"-".contains(c));
    is_span && is_mark
}

/// Words that may come before the name that a sentence is about: "In short, the shared `Name`", "Use `Name` to".
const MAX_WORDS_BEFORE: usize = 3;

/// Whether a sentence begins with a name.
pub(super) fn begins_with(sentence: &str, name: &str) -> bool {
    mentions_name(sentence, name)
        && occurrences(sentence, name).any(|at| n_words(&sentence[..at]) <= MAX_WORDS_BEFORE)
}
