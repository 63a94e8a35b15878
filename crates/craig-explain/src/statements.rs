//! What of a section can be quoted: whole sentences with content, entries, short samples.

use std::ops::Range;

use crate::library::Place;
use crate::page::Fence;
use crate::sentence::{announces, is_ended, is_link, n_words};

/// Longest sentence that is quoted, in bytes; longer ones are tables or lists without stops.
const MAX_SENTENCE_BYTES: usize = 600;

/// A sentence of fewer words is a fragment unless it ends as a sentence.
const ENOUGH_WORDS: usize = 3;

/// A section is opened with so many sentences.
const N_OPENING: usize = 2;

/// Most quotes of a section, and of the entries of a list that its first sentence announces.
const MAX_QUOTES: usize = 4;
const MAX_LISTED: usize = 6;

/// Prose of fewer words is helped by a sample.
const FEW_WORDS: usize = 6;

/// Longest code block that is quoted, in lines with its marks.
const MAX_SAMPLE_LINES: usize = 16;

/// A sentence that may be quoted.
pub(crate) struct Statement {
    /// Index of its run of prose.
    pub(crate) unit: usize,
    /// Its number among the sentences of the run.
    pub(crate) number: usize,
    /// In bytes of the page.
    pub(crate) bytes: Range<usize>,
    /// It ends with a colon: what it announces follows.
    pub(crate) announces: bool,
    /// It begins with a word that points to the sentence before it.
    pub(crate) goes_on: bool,
    pub(crate) n_words: usize,
}

impl Statement {
    /// Whether it stands right before another one in the same run of prose.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.unit == other.unit && self.number + 1 == other.number
    }
}

/// The sentences of a section that have content, in order.
pub(crate) fn statements(place: Place<'_>) -> Vec<Statement> {
    let mut found = Vec::new();
    for (unit, run) in place.section.units.iter().enumerate() {
        for (number, bytes) in run.sentences.iter().enumerate() {
            let sentence = &place.page.text[bytes.clone()];
            if is_quotable(sentence, run.is_row) {
                found.push(Statement {
                    unit,
                    number,
                    bytes: bytes.clone(),
                    announces: announces(sentence),
                    goes_on: number > 0 && goes_on(sentence),
                    n_words: n_words(sentence),
                });
            }
        }
    }
    found
}

/// What a section begins with, what else in it `says` the name, and a sample where that has few words.
pub(crate) fn opening(
    place: Place<'_>,
    statements: &[Statement],
    says: &dyn Fn(&Range<usize>) -> bool,
) -> Vec<Range<usize>> {
    let Some(first) = statements.first() else { return sample(place).into_iter().collect() };
    let is_item = |one: &&Statement| !place.section.units[one.unit].items.is_empty();
    let n_listed = match first.announces {
        true => statements[1..].iter().take_while(is_item).take(MAX_LISTED).count(),
        false => 0,
    };
    let n_first = (1 + n_listed).max(N_OPENING).min(statements.len());
    let mut quotes: Vec<Range<usize>> = statements[..n_first].iter().map(|one| one.bytes.clone()).collect();
    let is_alone = |one: &&Statement| !one.announces && !one.goes_on && says(&one.bytes);
    let rest = statements[n_first..].iter().filter(is_alone).map(|one| one.bytes.clone());
    quotes.extend(rest.take(MAX_QUOTES.saturating_sub(n_first)));
    // What is announced and not quoted is missed.
    let ends_open =
        |quotes: &[Range<usize>]| quotes.last().is_some_and(|last| announces(&place.page.text[last.clone()]));
    let n_words: usize = statements[..n_first].iter().map(|one| one.n_words).sum();
    if ends_open(&quotes) || n_words < FEW_WORDS {
        quotes.extend(sample(place));
    }
    while ends_open(&quotes) {
        quotes.pop();
    }
    quotes
}

/// The entry that a run of prose is, and what follows it inside of the entry.
pub(crate) fn entry(place: Place<'_>, statements: &[Statement], unit: usize) -> Vec<Range<usize>> {
    let units = &place.section.units;
    let own = &units[unit];
    let is_inside = |at: usize| {
        let next = &units[at];
        let is_same_item = own.items.last().is_some_and(|item| next.items.contains(item));
        let is_next_paragraph =
            own.items.is_empty() && at == unit + 1 && next.items.is_empty() && next.defines.is_none();
        !own.is_row && !next.is_row && (is_same_item || is_next_paragraph)
    };
    let of_entry = statements.iter().filter(|one| one.unit == unit || one.unit > unit && is_inside(one.unit));
    let mut quotes: Vec<Range<usize>> = of_entry.map(|one| one.bytes.clone()).take(MAX_QUOTES).collect();
    while quotes.pop_if(|last| announces(&place.page.text[last.clone()])).is_some() {}
    quotes
}

/// The first code block of a section, if it is short.
fn sample(place: Place<'_>) -> Option<Range<usize>> {
    place.section.fences.first().filter(|fence| is_short(place, fence)).map(|fence| fence.bytes.clone())
}

/// The code block right behind a run of prose, if it is short.
pub(crate) fn sample_after(place: Place<'_>, unit: usize) -> Option<Range<usize>> {
    let next = place.section.fences.iter().find(|fence| fence.n_units_before == unit + 1);
    next.filter(|fence| is_short(place, fence)).map(|fence| fence.bytes.clone())
}

fn is_short(place: Place<'_>, fence: &Fence) -> bool {
    let text = &place.page.text[fence.bytes.clone()];
    text.starts_with("```") && text.lines().count() <= MAX_SAMPLE_LINES
}

/// Whether a sentence has content: words outside of code, no link or image or tag alone.
fn is_quotable(sentence: &str, is_row: bool) -> bool {
    let n_words = n_words(sentence);
    let is_enough = match is_row {
        true => sentence.split(" | ").skip(1).any(has_prose),
        false => has_prose(sentence) && (n_words >= ENOUGH_WORDS || n_words > 0 && is_ended(sentence)),
    };
    is_enough
        && sentence.len() <= MAX_SENTENCE_BYTES
        && !sentence.starts_with(['!', '<'])
        && !is_link(sentence.strip_prefix("See ").unwrap_or(sentence))
        && (is_row || !sentence.contains(" | "))
}

/// Whether a text has words that are no code.
fn has_prose(text: &str) -> bool {
    let outside: String = text.split('`').step_by(2).collect();
    n_words(&outside) > 1
}

/// Whether a sentence begins with a word that points to one before it: "This makes", "However, it".
fn goes_on(sentence: &str) -> bool {
    let word = sentence.split(|c: char| !c.is_alphabetic() && c != '\'').find(|word| !word.is_empty());
    word.is_some_and(|word| POINTERS.iter().any(|pointer| word.eq_ignore_ascii_case(pointer)))
}

/// Words that a sentence begins with that goes on from the one before it.
const POINTERS: &[&str] = &[
    "this",
    "that",
    "these",
    "those",
    "it",
    "its",
    "they",
    "such",
    "however",
    "instead",
    "otherwise",
    "then",
    "therefore",
    "also",
    "but",
    "and",
    "or",
    "so",
];
