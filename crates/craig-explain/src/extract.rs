//! The extractive explanation: whole sentences of the documentation, verbatim.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::context::Subject;
use crate::library::{Library, Place};
use crate::names::{identifiers, words_of};
use crate::page::Unit;
use crate::sentence;

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
    // Every cited section is quoted once before any is quoted twice; only the first one unconditionally.
    for citation in 0..cited.len() {
        let least = if citation == 0 { f32::NEG_INFINITY } else { LEAST_WORTH };
        choose(&mut pool, &mut chosen, |one| one.quote.citation == citation, least);
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
    let is_listed = !is_about && place.section.units.iter().any(|unit| defines_subject(unit, subject));
    let mut found = Vec::new();
    let mut position = 0;
    for unit in &place.section.units {
        let defines = defines_subject(unit, subject);
        // Of a list of names, the entries of others are not about this one.
        if is_listed && !defines && unit.defines.is_some() {
            continue;
        }
        for bytes in &unit.sentences {
            let sentence = &text[bytes.clone()];
            position += 1;
            if !is_quotable(sentence, unit.is_row) {
                continue;
            }
            let names = identifiers(sentence).any(|(_, name)| is_subject(name, subject));
            let owner = subject.owner.as_deref();
            let names_owner = owner.is_some_and(|owner| identifiers(sentence).any(|(_, name)| name == owner));
            // Sentences about other names, beside the best section or before a list that has this one, only fill the answer.
            if (citation > 0 || is_listed) && !(names || defines || is_about) {
                continue;
            }
            let early = 2.0 / position as f32;
            let score = lead
                + if names { 2.0 } else { 0.0 }
                + if defines { 2.0 } else { 0.0 }
                + if names_owner { 0.5 } else { 0.0 }
                + if is_about { 0.8 + 1.5 * early } else { 0.3 * early }
                - if sentence.ends_with(':') { 1.5 } else { 0.0 }
                - if sentence.len() < 25 { 0.7 } else { 0.0 }
                - if n_words(sentence) < ENOUGH_WORDS && !unit.is_row { TOO_SHORT } else { 0.0 };
            found.push(Scored {
                quote: Quote { citation, bytes: bytes.clone() },
                score,
                words: words_of(sentence).into_iter().collect(),
            });
        }
    }
    found
}

fn defines_subject(unit: &Unit, subject: &Subject) -> bool {
    unit.defines.as_ref().is_some_and(|named| is_subject(&named.name, subject))
}

fn is_subject(name: &str, subject: &Subject) -> bool {
    name == subject.name || subject.aliases.iter().any(|alias| alias == name)
}

/// A sentence of fewer words is quoted only where its section has no other.
const ENOUGH_WORDS: usize = 3;

/// What a sentence of fewer words than that is worth less: more than any sentence is worth.
const TOO_SHORT: f32 = 20.0;

fn n_words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count()
}

/// Whether a sentence has content: no link, image or tag alone, not too long; a short one only when it ends as one.
fn is_quotable(sentence: &str, is_row: bool) -> bool {
    let n_words = n_words(sentence);
    let is_enough =
        n_words >= ENOUGH_WORDS || is_row && n_words > 1 || n_words > 0 && sentence.ends_with(['.', '!']);
    is_enough
        && sentence.len() <= MAX_SENTENCE_BYTES
        && !sentence.starts_with(['!', '<'])
        && !sentence::is_link(sentence)
        && !TAGS.iter().any(|tag| sentence.contains(tag))
        && (is_row || !sentence.contains(" | "))
}

/// Tags that set a page and are no words of it.
const TAGS: &[&str] = &["<img", "<a ", "<br", "<td", "<table", "<div", "<p "];

#[cfg(test)]
mod tests {
    use super::*;

    /// The quotes about `start` from all sections of a text, each with its citation.
    fn quoted(text: &str) -> Vec<String> {
        let library = Library::of_texts(vec![("README.md".into(), text.into())]);
        let cited: Vec<usize> = (0..library.n_sections()).collect();
        let subject = Subject { name: "start".into(), ..Subject::default() };
        let sentence = |quote: Quote| {
            format!("{} {}", quote.citation, &library.place(cited[quote.citation]).page.text[quote.bytes])
        };
        quotes(&library, &cited, &subject).into_iter().map(sentence).collect()
    }

    #[test]
    fn a_short_sentence_is_quoted_where_there_is_no_other() {
        assert_eq!(quoted("# start\nGoes on.\n"), ["0 Goes on."]);
        assert_eq!(quoted("# start\nGoes on. It begins the whole work.\n"), ["0 It begins the whole work."]);
        assert_eq!(quoted("# start\nExample\n"), Vec::<String>::new());
    }

    #[test]
    fn a_row_of_a_table_is_quoted_whole() {
        let text = "# Methods\n\n| Name | Meaning |\n|---|---|\n| `start()` | Begins. |\n| `stop()` | Ends the work. |\n";
        assert_eq!(quoted(text), ["0 `start()` | Begins."]);
    }

    #[test]
    fn links_images_and_other_names_are_not_quoted() {
        let text = "\
# start
[![Build](a.svg)](b)
- [How to start it](#start)

Begins the whole work.
# stop
This ends the whole work.
# Usage
You have to call `start` before.
";
        assert_eq!(quoted(text), ["0 Begins the whole work.", "2 You have to call `start` before."]);
    }
}
