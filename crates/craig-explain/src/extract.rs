//! The extractive explanation: whole sentences of the documentation, verbatim.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::context::Subject;
use crate::library::{Library, Place};
use crate::names::{identifiers, words_of};

/// Most bullets of an explanation.
pub const MAX_BULLETS: usize = 8;

/// Longest sentence that is quoted, in bytes; longer ones are tables or lists without stops.
const MAX_SENTENCE_BYTES: usize = 600;

/// How much likeness to what is already quoted takes from a sentence (maximal marginal relevance; Carbonell & Goldstein,
/// SIGIR 1998).
const REDUNDANCY: f32 = 2.0;

/// A sentence of a section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quote {
    /// Index of the citation.
    pub(crate) citation: usize,
    /// Bytes of the page.
    pub(crate) bytes: Range<usize>,
}

struct Scored {
    quote: Quote,
    score: f32,
    words: BTreeSet<String>,
}

/// The best sentences of the cited sections, in the order of the citations and of the text.
pub(crate) fn quotes(library: &Library, cited: &[usize], subject: &Subject) -> Vec<Quote> {
    let mut pool: Vec<Scored> = Vec::new();
    for (citation, &at) in cited.iter().enumerate() {
        pool.extend(scored(library.place(at), citation, subject));
    }
    let mut chosen: Vec<Scored> = Vec::new();
    // Every cited section says something before any says a second thing.
    for citation in 0..cited.len() {
        choose(&mut pool, &mut chosen, |one| one.quote.citation == citation, f32::NEG_INFINITY);
    }
    while chosen.len() < MAX_BULLETS && choose(&mut pool, &mut chosen, |_| true, LEAST_WORTH) {}
    chosen.truncate(MAX_BULLETS);
    let mut quotes: Vec<Quote> = chosen.into_iter().map(|one| one.quote).collect();
    quotes.sort_by_key(|quote| (quote.citation, quote.bytes.start));
    quotes
}

/// A further sentence that is worth less is not quoted.
const LEAST_WORTH: f32 = 1.0;

/// Moves the best sentence that `fits` from the pool; false when there is none.
fn choose(
    pool: &mut Vec<Scored>,
    chosen: &mut Vec<Scored>,
    fits: impl Fn(&Scored) -> bool,
    least: f32,
) -> bool {
    let worth = |one: &Scored| {
        let likest = chosen.iter().map(|known| likeness(&known.words, &one.words)).fold(0.0, f32::max);
        one.score - REDUNDANCY * likest
    };
    let best = pool
        .iter()
        .enumerate()
        .filter(|(_, one)| fits(one))
        .map(|(at, one)| (at, worth(one)))
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    match best {
        Some((at, worth)) if worth >= least => {
            chosen.push(pool.remove(at));
            true
        }
        _ => false,
    }
}

fn likeness(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let shared = a.intersection(b).count() as f32;
    shared / (a.len() + b.len()).max(1) as f32 * 2.0
}

fn scored(place: Place<'_>, citation: usize, subject: &Subject) -> Vec<Scored> {
    let text = &place.page.text;
    let is_about = place.section.names.iter().any(|of| is_subject(&of.named.name, subject));
    let lead = if citation == 0 { 1.0 } else { 0.0 };
    let mut found = Vec::new();
    let mut position = 0;
    for unit in &place.section.units {
        let defines = unit.defines.as_ref().is_some_and(|named| is_subject(&named.name, subject));
        for bytes in &unit.sentences {
            let sentence = &text[bytes.clone()];
            position += 1;
            if !is_quotable(sentence) {
                continue;
            }
            let names = identifiers(sentence).any(|(_, name)| is_subject(name, subject));
            let owner = subject.owner.as_deref();
            let names_owner = owner.is_some_and(|owner| identifiers(sentence).any(|(_, name)| name == owner));
            let early = 2.0 / position as f32;
            let score = lead
                + if names { 2.0 } else { 0.0 }
                + if defines { 2.0 } else { 0.0 }
                + if names_owner { 0.5 } else { 0.0 }
                + if is_about { 0.8 + 1.5 * early } else { 0.3 * early }
                - if sentence.ends_with(':') { 1.5 } else { 0.0 }
                - if sentence.len() < 25 { 0.7 } else { 0.0 };
            found.push(Scored {
                quote: Quote { citation, bytes: bytes.clone() },
                score,
                words: words_of(sentence).into_iter().collect(),
            });
        }
    }
    found
}

fn is_subject(name: &str, subject: &Subject) -> bool {
    name == subject.name || subject.aliases.iter().any(|alias| alias == name)
}

/// Whether a sentence says something: words, no markup of tables or images alone, not too long.
fn is_quotable(sentence: &str) -> bool {
    let n_words = sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    n_words >= 3
        && sentence.len() <= MAX_SENTENCE_BYTES
        && !sentence.starts_with("![")
        && !sentence.contains(" | ")
}
