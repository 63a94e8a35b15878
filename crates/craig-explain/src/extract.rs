//! The extractive explanation: whole sentences and short samples of the documentation, verbatim.

use std::collections::BTreeSet;
use std::ops::Range;

use craig_text::{root, whole_words};

use crate::context::Subject;
use crate::library::{Library, Place};
use crate::names::{is_stem_alike, words_of};
use crate::page::Fence;
use crate::sentence;

/// Most bullets of an explanation.
pub const MAX_BULLETS: usize = 8;

/// Most sentences from the section that describes the subject best.
const MAX_OF_BEST: usize = 4;

/// Sentences that a section begins with are quoted, so many at most, whether or not they say the name.
const N_OPENING: usize = 2;

/// Longest sentence that is quoted, in bytes; longer ones are tables or lists without stops.
const MAX_SENTENCE_BYTES: usize = 600;

/// Longest code block that is quoted, in lines with its marks.
const MAX_SAMPLE_LINES: usize = 16;

/// … and in bytes.
const MAX_SAMPLE_BYTES: usize = 1_000;

/// Sentences that share more of their words say the same.
const SAME: f32 = 0.8;

/// A sentence or a code block of a section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quote {
    /// Index of the citation.
    pub(crate) citation: usize,
    /// Bytes of the page.
    pub(crate) bytes: Range<usize>,
}

/// What the cited sections say of a subject, in the order of the citations and of the text: the first one's description,
/// and a sentence of each other that describes it, too. Empty when the first section says nothing of it.
pub(crate) fn quotes(library: &Library, cited: &[usize], subject: &Subject) -> Vec<Quote> {
    let mut found: Vec<Quote> = Vec::new();
    let mut known: Vec<BTreeSet<String>> = Vec::new();
    for (citation, &at) in cited.iter().enumerate() {
        let place = library.place(at);
        let reading = Reading { place, subject };
        let (described, most) = match citation {
            0 => (reading.description(), MAX_OF_BEST),
            _ => (reading.aside(), 1),
        };
        let mut fresh: Vec<Quote> = Vec::new();
        for bytes in described {
            let words: BTreeSet<String> = words_of(&place.page.text[bytes.clone()]).into_iter().collect();
            if fresh.len() < most && !known.iter().any(|other| likeness(other, &words) > SAME) {
                known.push(words);
                fresh.push(Quote { citation, bytes });
            }
        }
        if citation == 0 && fresh.is_empty() {
            return Vec::new();
        }
        fresh.sort_by_key(|quote| quote.bytes.start);
        found.extend(fresh);
    }
    found.truncate(MAX_BULLETS);
    found
}

/// Whether a quote is surely about a subject: a whole sentence below a heading that is the name, the subject's entry of a
/// list, or a sentence that begins with the name.
pub(crate) fn is_direct(place: Place<'_>, subject: &Subject, quote: &Range<usize>) -> bool {
    let reading = Reading { place, subject };
    let text = &place.page.text[quote.clone()];
    let is_whole = !text.starts_with(char::is_lowercase) && !text.ends_with(':');
    reading.is_headed_alone() && is_whole
        || reading.entry(&reading.statements()).contains(quote)
        || reading.names().any(|name| begins_with(text, name))
}

fn likeness(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let shared = a.intersection(b).count() as f32;
    shared / (a.len() + b.len()).max(1) as f32 * 2.0
}

/// A sentence that may be quoted.
struct Statement {
    /// Index of its run of prose.
    unit: usize,
    bytes: Range<usize>,
    /// It says the subject's name.
    says: bool,
    /// It ends with a colon: what it announces follows.
    announces: bool,
    n_words: usize,
}

/// A section that is read for what it says of a subject.
struct Reading<'l> {
    place: Place<'l>,
    subject: &'l Subject,
}

impl Reading<'_> {
    /// What the section says of the subject, the most telling first: the entry of a list that is about it, the beginning
    /// of a section that is called like it, else the sentences that say its name; and where there is none of these, the
    /// code block that shows it.
    fn description(&self) -> Vec<Range<usize>> {
        let statements = self.statements();
        if self.is_headed() {
            return self.opening(&statements);
        }
        let entry = self.entry(&statements);
        if !entry.is_empty() {
            return entry;
        }
        if self.is_headed_by_words() {
            return self.opening(&statements);
        }
        let saying: Vec<Range<usize>> =
            statements.iter().filter(|one| one.says && !one.announces).map(|one| one.bytes.clone()).collect();
        if saying.is_empty() { self.shown(&statements) } else { saying }
    }

    /// One sentence of a section that is not the best: only of what describes the subject itself.
    fn aside(&self) -> Vec<Range<usize>> {
        let statements = self.statements();
        let entry = self.entry(&statements);
        if !entry.is_empty() {
            return entry;
        }
        let is_headed = self.is_headed();
        let says = |one: &&Statement| (is_headed || one.says) && !one.announces;
        statements.iter().filter(says).map(|one| one.bytes.clone()).collect()
    }

    /// The beginning of the section, then what says the name, then a code block where the prose says little.
    fn opening(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let is_telling = |one: &&Statement| !one.announces && one.n_words >= ENOUGH_WORDS;
        let telling: Vec<&Statement> = statements.iter().filter(is_telling).collect();
        let (first, rest) = match telling.is_empty() {
            true => (statements.iter().take(N_OPENING).collect(), Vec::new()),
            false => {
                let mut first = telling;
                let rest = first.split_off(N_OPENING.min(first.len()));
                (first, rest)
            }
        };
        let n_words: usize = first.iter().map(|one| one.n_words).sum();
        let mut found: Vec<Range<usize>> = first.iter().map(|one| one.bytes.clone()).collect();
        if n_words < FEW_WORDS || first.iter().all(|one| one.announces) {
            found.extend(self.sample());
        }
        found.extend(rest.iter().filter(|one| one.says).map(|one| one.bytes.clone()));
        found
    }

    /// The entry of a list or table that begins with the name, and what follows it up to the next entry.
    fn entry(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let units = &self.place.section.units;
        let begin =
            |at: &usize| units[*at].defines.as_ref().is_some_and(|named| self.is_subject(&named.name));
        let of_entry = |at: usize| -> Vec<&Statement> {
            let end =
                (at + 1..units.len()).find(|&next| units[next].defines.is_some()).unwrap_or(units.len());
            let end = if units[at].is_row { at + 1 } else { end.min(at + 2) };
            statements.iter().filter(|one| (at..end).contains(&one.unit)).collect()
        };
        let entries = (0..units.len()).filter(begin).map(of_entry);
        // The longest: a table of contents may list the name before.
        let longest = entries.max_by_key(|entry| entry.iter().map(|one| one.n_words).sum::<usize>());
        longest.unwrap_or_default().into_iter().map(|one| one.bytes.clone()).collect()
    }

    /// A code block that shows the subject, and the sentence before it; of a name that is a plain word, which samples have
    /// of anything, only where this sentence says it, too.
    fn shown(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let Some(fence) = self.fence().filter(|fence| self.is_short(fence)) else { return Vec::new() };
        let before = statements.iter().rev().find(|one| one.unit < fence.n_units_before);
        let before = before.filter(|before| before.says || !is_plain_word(&self.subject.name));
        before.map(|before| vec![before.bytes.clone(), fence.bytes.clone()]).unwrap_or_default()
    }

    fn sample(&self) -> Option<Range<usize>> {
        self.fence().filter(|fence| self.is_short(fence)).map(|fence| fence.bytes.clone())
    }

    /// The first code block that says the name.
    fn fence(&self) -> Option<&Fence> {
        let text = &self.place.page.text;
        let says = |fence: &&Fence| {
            self.names().any(|name| whole_words(&text[fence.bytes.clone()], name).next().is_some())
        };
        self.place.section.fences.iter().find(says)
    }

    fn is_short(&self, fence: &Fence) -> bool {
        let text = &self.place.page.text[fence.bytes.clone()];
        text.starts_with("```") && text.lines().count() <= MAX_SAMPLE_LINES && text.len() <= MAX_SAMPLE_BYTES
    }

    fn statements(&self) -> Vec<Statement> {
        let text = &self.place.page.text;
        let mut found = Vec::new();
        for (unit, run) in self.place.section.units.iter().enumerate() {
            for bytes in &run.sentences {
                let sentence = &text[bytes.clone()];
                if is_quotable(sentence, run.is_row) {
                    found.push(Statement {
                        unit,
                        bytes: bytes.clone(),
                        says: self.names().any(|name| says(sentence, name)),
                        announces: sentence.ends_with(':'),
                        n_words: n_words(sentence),
                    });
                }
            }
        }
        found
    }

    fn is_headed(&self) -> bool {
        self.place.section.names.iter().any(|of| self.is_subject(&of.named.name))
    }

    /// Whether the heading is the name and what kind of thing it is, and nothing else.
    fn is_headed_alone(&self) -> bool {
        self.place.section.names.iter().any(|of| of.is_alone && self.is_subject(&of.named.name))
    }

    /// Whether the heading has all words of a name of several, as "Display help after errors" of `helpAfterError`, or is
    /// the one word of another, as "LRU" of `Lru`.
    fn is_headed_by_words(&self) -> bool {
        let words = words_of(&self.subject.name);
        let section = self.place.section;
        let has = |word: &String| section.heading_stems.iter().any(|stem| is_stem_alike(root(word), stem));
        match words.len() {
            0 => false,
            1 => section.heading_words == words || words.iter().all(has) && self.is_used(),
            _ => words.iter().all(has),
        }
    }

    /// Whether the section calls the subject in code, or has it behind a dot.
    fn is_used(&self) -> bool {
        let mentions = self.place.section.mentions.get(&self.subject.name);
        mentions.is_some_and(|mentions| mentions.calls + mentions.members > 0)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.subject.name.as_str()).chain(self.subject.aliases.iter().map(String::as_str))
    }

    fn is_subject(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }
}

/// Whether a sentence says a name; a name that is a plain word, only as code.
fn says(sentence: &str, name: &str) -> bool {
    let is_word = is_plain_word(name);
    whole_words(sentence, name).any(|at| {
        let is_span = sentence[..at].matches('`').count() % 2 == 1;
        let is_call = sentence[at + name.len()..].starts_with('(');
        let is_member = sentence[..at].ends_with(['.', '#', ':']) && !sentence[..at].ends_with(": ");
        !is_word || is_span || is_call || is_member
    })
}

/// Whether a name is a word of the language, too: `start`, `Query`.
fn is_plain_word(name: &str) -> bool {
    name.chars().skip(1).all(char::is_lowercase)
}

/// Words that may come before the name that a sentence is about: "In short, the shared `Name`", "Use `Name` to".
const MAX_WORDS_BEFORE: usize = 3;

/// Whether a sentence begins with a name, which is neither the owner of another one, as in `Client.close`, nor a part of
/// a compound, as in "Client-side".
fn begins_with(sentence: &str, name: &str) -> bool {
    let is_itself = |at: usize| {
        let rest = &sentence[at + name.len()..];
        let more = rest.trim_start_matches(['.', ':', '#', '-']);
        let is_part = more.len() < rest.len() && more.starts_with(char::is_alphabetic);
        !is_part && !sentence[..at].ends_with('-') && n_words(&sentence[..at]) <= MAX_WORDS_BEFORE
    };
    says(sentence, name) && whole_words(sentence, name).any(is_itself)
}

/// A sentence of fewer words is quoted only where its section has no other.
const ENOUGH_WORDS: usize = 3;

/// Prose of fewer words is helped by a sample.
const FEW_WORDS: usize = 6;

fn n_words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count()
}

/// Whether a sentence has content: no link (nor "See" and a link), image or tag alone, not too long; a short one only when it ends as one.
fn is_quotable(sentence: &str, is_row: bool) -> bool {
    let n_words = n_words(sentence);
    let is_enough =
        n_words >= ENOUGH_WORDS || is_row && n_words > 1 || n_words > 0 && sentence.ends_with(['.', '!']);
    is_enough
        && sentence.len() <= MAX_SENTENCE_BYTES
        && !sentence.starts_with(['!', '<'])
        && !sentence::is_link(sentence.strip_prefix("See ").unwrap_or(sentence))
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
        quoted_of("start", text)
    }

    fn quoted_of(name: &str, text: &str) -> Vec<String> {
        let library = Library::of_texts(vec![("README.md".into(), text.into())]);
        let cited: Vec<usize> = (0..library.n_sections()).collect();
        let subject = Subject { name: name.into(), ..Subject::default() };
        let sentence = |quote: Quote| {
            format!("{} {}", quote.citation, &library.place(cited[quote.citation]).page.text[quote.bytes])
        };
        quotes(&library, &cited, &subject).into_iter().map(sentence).collect()
    }

    #[test]
    fn a_section_of_the_name_is_quoted_from_its_beginning() {
        let text = "# start\nComposes the parts, from left to right. Order matters a lot. Errors stop it. Call `start` once.\n";
        let expected =
            ["0 Composes the parts, from left to right.", "0 Order matters a lot.", "0 Call `start` once."];
        assert_eq!(quoted(text), expected);
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
    fn an_entry_is_quoted_with_what_follows_it() {
        let text = "# Methods\n\n- `start()`\n\n  Begins the work. Call it once.\n- `stop()`\n\n  Ends it at once.\n";
        assert_eq!(quoted(text), ["0 Begins the work.", "0 Call it once."]);
    }

    #[test]
    fn a_sample_is_quoted_where_the_prose_says_little() {
        let text = "# start\n\n```js\nawait start() // opens the port\n```\n";
        assert_eq!(quoted(text), ["0 ```js\nawait start() // opens the port\n```"]);
        let text = "# Usage\n\nOpen the port before anything else:\n\n```js\nopenPort()\nstart()\n```\n";
        let sample = "0 ```js\nopenPort()\nstart()\n```";
        assert_eq!(quoted_of("openPort", text), ["0 Open the port before anything else:", sample]);
        assert_eq!(quoted_of("start", text), Vec::<String>::new(), "samples have plain words of anything");
    }

    #[test]
    fn a_long_sample_shows_nothing() {
        let long = format!("# Usage\n\nOpen it:\n\n```js\nopenPort()\n{}```\n", "go()\n".repeat(20));
        assert_eq!(quoted_of("openPort", &long), Vec::<String>::new());
    }

    #[test]
    fn a_heading_has_all_words_of_a_name_of_several_or_is_the_one_word() {
        assert_eq!(quoted_of("openPort", "# Opening a port\nWaits for callers.\n"), ["0 Waits for callers."]);
        assert_eq!(quoted_of("Lru", "# LRU\nForgets the oldest values.\n"), ["0 Forgets the oldest values."]);
        assert_eq!(quoted_of("Input", "# All about inputs\nEvery program has some.\n"), Vec::<String>::new());
    }

    #[test]
    fn a_sentence_is_about_the_name_that_it_begins_with() {
        for sentence in ["The `Client` sends it.", "`Client` sends it.", "Use `net.Client` to send."] {
            assert!(begins_with(sentence, "Client"), "{sentence}");
        }
        for sentence in ["`Client.close()` closes.", "`Client::close`", "Client-side code is run."] {
            assert!(!begins_with(sentence, "Client"), "{sentence}");
        }
        assert!(begins_with("`client.close()` closes.", "close"));
        assert!(!begins_with("When needed, you can send just a `Client`.", "Client"));
        assert!(!begins_with("You start the engine.", "start"));
    }

    #[test]
    fn a_quote_is_direct_below_a_heading_that_is_the_name_and_no_fragment() {
        let is_direct_in = |text: &str| {
            let library = Library::of_texts(vec![("README.md".into(), text.into())]);
            let subject = Subject { name: "start".into(), ..Subject::default() };
            let quotes = quotes(&library, &[0], &subject);
            is_direct(library.place(0), &subject, &quotes[0].bytes)
        };
        assert!(is_direct_in("# start\nComposes the parts, from left to right.\n"));
        assert!(is_direct_in("# The `start` method\nComposes the parts, from left to right.\n"));
        assert!(!is_direct_in("# start\nFirst you have to open all of these:\n"));
        assert!(!is_direct_in("# start\n- the parts that are composed, from left to right\n"));
        assert!(!is_direct_in("# Types must not be like `start`\nThis is a rule of severity one.\n"));
    }

    #[test]
    fn a_word_of_the_prose_is_no_name() {
        assert_eq!(quoted("# Usage\nYou start the engine with a key.\n"), Vec::<String>::new());
    }

    #[test]
    fn links_images_and_other_names_are_not_quoted() {
        let text = "\
# start
[![Build](a.svg)](b)
- [How to start it](#start)
- See [the documentation of starting](https://example.org)

Begins the whole work.
# stop
This ends the whole work.
# Usage
You have to call `start` before.
";
        assert_eq!(quoted(text), ["0 Begins the whole work.", "2 You have to call `start` before."]);
    }
}
