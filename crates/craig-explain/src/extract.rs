//! The extractive explanation: whole sentences and short samples of the documentation, verbatim.

mod heading;
mod mention;
mod neighbour;
mod quotable;
mod whose;

use std::collections::BTreeSet;
use std::ops::Range;

use craig_text::{root, whole_words};

use craig_chunk::ChunkKind;

use crate::context::Subject;
use crate::evidence::{is_about_changes, is_history};
use crate::library::{Library, Place};
use crate::names::{has_stem, is_plain_word, is_stem_alike, words_of};
use crate::page::{Defined, Fence, Unit, is_kind};
use crate::sentence::{announces, n_words};

use self::heading::is_of_namesake;
use self::mention::{begins_with, calls, is_among_first, mentions_name};
use self::quotable::{ENOUGH_WORDS, is_caveat, is_quotable};
use self::whose::{Whose, whose, whose_is};

/// Most bullets of an explanation.
pub const MAX_BULLETS: usize = 8;

/// Most sentences from the section that describes the subject best.
const MAX_OF_BEST: usize = 4;

/// Sentences that a section begins with are quoted, so many at most, whether or not they say the name.
const N_OPENING: usize = 2;

/// Most entries of a list that are quoted behind what announces them.
const MAX_LISTED: usize = 6;

/// Prose of fewer words is helped by a sample.
const FEW_WORDS: usize = 6;

/// Longest code block that is quoted, in lines with its marks.
const MAX_SAMPLE_LINES: usize = 16;

/// … and in bytes.
const MAX_SAMPLE_BYTES: usize = 1_000;

/// A sample of so many lines, with its marks, shows the one thing that it calls.
const SHORT_SAMPLE_LINES: usize = 8;

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

/// A section that may be cited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cited {
    /// Its place in the library.
    pub(crate) at: usize,
    /// Whether the section, its page or the headings above speak of what the subject belongs to.
    pub(crate) is_owned: bool,
    /// Whether a heading, the page or what stands before the name's dot is what the subject belongs to.
    pub(crate) is_headed_by_owner: bool,
}

/// What the cited sections say of a subject, in the order of the citations and of the text: the first one's description,
/// and a sentence of each other that describes it, too. Empty when the first section says nothing of it.
pub(crate) fn quotes(library: &Library, cited: &[Cited], subject: &Subject) -> Vec<Quote> {
    let mut found: Vec<Quote> = Vec::new();
    let mut known: Vec<BTreeSet<String>> = Vec::new();
    for (citation, &of) in cited.iter().enumerate() {
        let reading = Reading::new(library, of, subject);
        let text = &reading.place.page.text;
        let (described, most) = match citation {
            0 => (reading.description(), MAX_OF_BEST),
            _ if reading.is_beside(&cited[0]) => (reading.aside(), 1),
            _ => continue,
        };
        let is_list = described.first().is_some_and(|first| announces(&text[first.clone()]));
        let most = if is_list { MAX_BULLETS.min(most + MAX_LISTED) } else { most };
        let mut fresh: Vec<Quote> = Vec::new();
        for bytes in described {
            let words: BTreeSet<String> = words_of(&text[bytes.clone()]).into_iter().collect();
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

/// Whether a quote explains a subject: the section's heading is the name, or the quote is the subject's entry of a list.
pub(crate) fn explains(library: &Library, cited: Cited, subject: &Subject, quote: &Range<usize>) -> bool {
    let reading = Reading::new(library, cited, subject);
    reading.is_headed_alone() || reading.entry(&reading.statements()).contains(quote)
}

/// Whether a quote is surely about a subject: a whole sentence below a heading that is the name, the subject's entry of a
/// list, or a sentence that begins with the name.
pub(crate) fn is_direct(library: &Library, cited: Cited, subject: &Subject, quote: &Range<usize>) -> bool {
    let reading = Reading::new(library, cited, subject);
    let text = &reading.place.page.text[quote.clone()];
    let is_whole = !text.starts_with(char::is_lowercase) && !announces(text);
    reading.is_headed_alone() && is_whole
        || reading.entry(&reading.statements()).contains(quote)
        || reading.names().any(|name| begins_with(text, name)) && !text.contains(" | ")
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
    /// It mentions the subject's name.
    has_name: bool,
    /// Whose name that is.
    whose: Whose,
    /// Its number among the sentences of the run.
    number: usize,
    /// It ends with a colon: what it announces follows.
    announces: bool,
    /// It begins with a word that points to the sentence before it.
    goes_on: bool,
    /// It begins as sentences do: not with "because".
    is_whole: bool,
    n_words: usize,
}

impl Statement {
    /// Whether it is understood without what stands around it.
    fn stands_alone(&self) -> bool {
        !self.announces && !self.goes_on
    }

    /// Whether it stands right before another one in the same run of prose.
    fn is_before(&self, other: &Self) -> bool {
        self.unit == other.unit && self.number + 1 == other.number
    }
}

/// The chosen ones of some sentences, each behind the one before it where it goes on from that, and a short one before the
/// one that goes on from it: "There are several `get` methods. These take …".
fn chosen_ranges(statements: &[Statement], is_chosen: impl Fn(&Statement) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<&Statement> = Vec::new();
    for (at, one) in statements.iter().enumerate().filter(|(_, one)| !one.announces && is_chosen(one)) {
        if one.goes_on {
            let before = at.checked_sub(1).map(|before| &statements[before]);
            let Some(before) =
                before.filter(|before| before.is_before(one) && before.stands_alone() && before.is_whole)
            else {
                continue;
            };
            found.push(before);
        }
        found.push(one);
        let next =
            statements.get(at + 1).filter(|next| one.is_before(next) && next.goes_on && !next.announces);
        found.extend(next.filter(|_| one.n_words <= SHORT_WORDS));
    }
    found.into_iter().map(|one| one.bytes.clone()).collect()
}

/// A sentence of at most so many words is quoted with the one that goes on from it.
const SHORT_WORDS: usize = 10;

/// Whether a sentence begins with a word that points to one before it: "This makes", "However, it".
fn goes_on(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(['(', '*', '_']);
    let first = sentence.split(|c: char| !c.is_alphabetic() && c != '\'').find(|word| !word.is_empty());
    let is_word = sentence.starts_with(char::is_alphabetic);
    is_word && first.is_some_and(|word| POINTERS.iter().any(|pointer| word.eq_ignore_ascii_case(pointer)))
}

/// Whether a sentence speaks of a thing by its kind alone: "guards values of this type".
fn points_to_kind(sentence: &str) -> bool {
    let mut parts = sentence.split("this ").skip(1);
    parts.any(|rest| {
        rest.split(|c: char| !c.is_alphabetic()).next().is_some_and(|word| word.len() > 1 && is_kind(word))
    })
}

/// Words that a sentence begins with that goes on from the one before it.
const POINTERS: &[&str] = &[
    "this",
    "that",
    "these",
    "those",
    "it",
    "its",
    "it's",
    "they",
    "their",
    "them",
    "he",
    "she",
    "such",
    "however",
    "instead",
    "otherwise",
    "then",
    "therefore",
    "thus",
    "hence",
    "also",
    "additionally",
    "furthermore",
    "moreover",
    "similarly",
    "likewise",
    "but",
    "and",
    "or",
    "so",
    "nevertheless",
    "consequently",
    "conversely",
    "alternatively",
    "finally",
    "afterwards",
    "here",
    "both",
    "neither",
    "again",
    "besides",
];

/// What heads of definitions begin with.
const DECLARATIONS: &[&str] = &[
    "export ",
    "declare ",
    "public ",
    "abstract ",
    "interface ",
    "class ",
    "def ",
    "fun ",
    "fn ",
    "pub ",
    "func ",
    "type ",
    "struct ",
    "enum ",
    "static ",
    "final ",
    "protected ",
];

/// A section that is read for what it says of a subject.
struct Reading<'l> {
    library: &'l Library,
    place: Place<'l>,
    subject: &'l Subject,
    cited: Cited,
    /// It speaks of what the subject does not belong to.
    is_of_another: bool,
}

/// How a section speaks of a subject.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    /// Its heading is the name, an entry or a sentence begins with it.
    Direct,
    /// A sentence calls it in code.
    Called,
    /// Its heading has the name's words.
    Words,
    /// It says the name by the way.
    Mention,
}

impl<'l> Reading<'l> {
    fn new(library: &'l Library, cited: Cited, subject: &'l Subject) -> Self {
        let place = library.place(cited.at);
        let is_of_another = is_of_namesake(place, subject);
        Self { library, place, subject, cited, is_of_another }
    }

    /// Whether what is said of a name is said of the subject, as far as the documentation shows.
    ///
    /// A plain word may name many things. A passing mention of it therefore counts only below a heading of its owner; a method
    /// needs its owner before the dot or around it, unless the sentence calls it; a field needs a heading that names its owner;
    /// and a constant that belongs to nothing is taken for a variable.
    fn is_of_subject(&self, ground: Ground, whose: Whose) -> bool {
        let subject = self.subject;
        let is_plain = is_plain_word(&subject.name);
        let is_field = subject.kind == Some(ChunkKind::Constant) && !subject.holds_function();
        let is_function =
            matches!(subject.kind, Some(ChunkKind::Method | ChunkKind::Function)) || subject.holds_function();
        let is_member = subject.owner.is_some() && subject.kind.is_some();
        match whose {
            Whose::Own => true,
            Whose::Foreign => false,
            _ if self.is_of_another => false,
            Whose::Project if !is_member => true,
            _ if subject.is_variable() => subject.is_exported && ground == Ground::Direct,
            _ if is_field && !is_member && !subject.is_exported && ground == Ground::Words => false,
            _ if is_plain
                && ground == Ground::Mention
                && !self.cited.is_headed_by_owner
                && subject.kind.is_some() =>
            {
                false
            }
            _ if is_member && is_plain && is_function => self.cited.is_owned || ground == Ground::Called,
            _ if is_member && is_plain => self.cited.is_headed_by_owner,
            _ => ground == Ground::Direct || !is_plain || !is_field && subject.kind.is_some(),
        }
    }

    /// Whether the subject lies in a folder of internals, of which other pages do not speak: what they say is of its namesake
    /// in the API. In Go such folders hold whole programs.
    fn is_internal(&self) -> bool {
        let is_one = |part: &String| matches!(part.as_str(), "internal" | "internals");
        self.subject.package.is_none()
            && self.subject.homes.iter().any(is_one)
            && !self.place.page.path.contains("internal")
    }

    /// What the section says of the subject, the most telling first: the entry of a list that is about it, the beginning
    /// of a section that is called like it, else the sentences that say its name; and where there is none of these, the
    /// code block that shows it.
    fn description(&self) -> Vec<Range<usize>> {
        if self.is_internal() || self.is_of_changes() {
            return Vec::new();
        }
        let statements = self.without_caveats(self.statements());
        let found = self.telling(&statements);
        self.with_neighbours(&statements, found)
    }

    fn telling(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        if self.is_headed() {
            return self.opening(statements);
        }
        let entry = self.entry(statements);
        if !entry.is_empty() {
            return entry;
        }
        if self.is_headed_by_words() {
            return self.opening(statements);
        }
        let saying = self.mentions(statements);
        if saying.is_empty() { self.shown(statements) } else { saying }
    }

    /// The sentences that say the name and mean the subject; only those with its owner where there are such.
    fn mentions(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let is_named =
            |one: &Statement| self.is_named(one) && !self.is_entry(one) && one.n_words >= ENOUGH_WORDS;
        let is_owned = |one: &Statement| one.has_name && one.whose == Whose::Own;
        match statements.iter().any(is_owned) {
            true => chosen_ranges(statements, is_owned),
            false => chosen_ranges(statements, is_named),
        }
    }

    /// Whether a sentence says the name and means the subject. The entry of another name, and a row, is about that one.
    fn is_named(&self, statement: &Statement) -> bool {
        let defined = self.place.section.units[statement.unit].defines.as_ref();
        let text = &self.place.page.text[statement.bytes.clone()];
        let is_listed = || self.names().any(|name| is_among_first(text, name));
        let is_of_other = statement.number == 0
            && defined.is_some_and(|of| !self.is_subject(&of.named.name))
            && !is_listed();
        statement.has_name
            && (!is_of_other || statement.whose == Whose::Own)
            && self.is_of_subject(self.ground_of(statement), statement.whose)
    }

    /// Whether a sentence is the entry of the name: whether that is about the subject, [`Self::entry`] knows.
    fn is_entry(&self, statement: &Statement) -> bool {
        let defined = self.place.section.units[statement.unit].defines.as_ref();
        statement.number == 0 && defined.is_some_and(|of| self.is_subject(&of.named.name))
    }

    fn ground_of(&self, statement: &Statement) -> Ground {
        let text = &self.place.page.text[statement.bytes.clone()];
        let is_called = || self.names().any(|name| calls(text, name));
        let is_method = self.subject.kind == Some(ChunkKind::Method);
        match self.names().any(|name| begins_with(text, name)) {
            // A call says more of whose a method is than the place of the name.
            _ if is_method && is_called() => Ground::Called,
            true => Ground::Direct,
            false => Ground::Mention,
        }
    }

    /// Whether a section that is not the best may say something, too: on the same page, or below what the subject belongs to.
    fn is_beside(&self, best: &Cited) -> bool {
        if self.is_of_changes() {
            return false;
        }
        let is_same_page = self.library.page_of(best.at) == self.library.page_of(self.cited.at);
        // Below two headings of one page, a name is that of two things.
        let above = |place: Place<'_>| place.section.outline.path.last().cloned();
        if is_same_page && self.is_headed_alone() && above(self.place) != above(self.library.place(best.at)) {
            return false;
        }
        let is_unique = self.subject.owner.is_none() && !is_plain_word(&self.subject.name);
        is_same_page || is_unique || self.cited.is_headed_by_owner
    }

    /// One sentence of a section that is not the best: only of what describes the subject itself.
    fn aside(&self) -> Vec<Range<usize>> {
        let statements = self.statements();
        let entry = self.entry(&statements);
        if !entry.is_empty() {
            return entry;
        }
        let is_headed = self.is_headed();
        let is_described = |one: &&Statement| {
            is_headed && !one.announces || self.is_named(one) && !self.is_entry(one) && one.stands_alone()
        };
        statements.iter().filter(is_described).map(|one| one.bytes.clone()).collect()
    }

    /// The beginning of the section, then what says the name, then a code block where the prose says little.
    fn opening(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let statements = self.without_orphans(statements);
        // "Defines a relation between keys where:" says what the heading is, and what follows belongs to it.
        let begins = |one: &Statement| std::ptr::eq(one, &statements[0]) && one.n_words >= FEW_WORDS;
        let is_telling =
            |one: &&Statement| !one.announces && one.n_words >= ENOUGH_WORDS && !self.is_bare_row(one);
        let telling: Vec<&Statement> =
            statements.iter().filter(|one| is_telling(one) || begins(one)).collect();
        let (first, rest) = match telling.iter().any(is_telling) {
            false => (statements.iter().take(N_OPENING).collect(), Vec::new()),
            true => {
                let mut first = telling;
                let n_listed =
                    first[1..].iter().take_while(|one| first[0].announces && self.is_item(one)).count();
                let n_opening = N_OPENING.max(1 + n_listed.min(MAX_LISTED));
                let rest = first.split_off(n_opening.min(first.len()));
                (first, rest)
            }
        };
        let n_words: usize = first.iter().map(|one| one.n_words).sum();
        let mut found: Vec<Range<usize>> = first.iter().map(|one| one.bytes.clone()).collect();
        let announces = first.iter().all(|one| one.announces);
        if n_words < FEW_WORDS || announces {
            let sample = self.sample();
            if announces && sample.is_none() {
                return Vec::new();
            }
            found.extend(sample);
        }
        let end = found.iter().map(|bytes| bytes.end).max().unwrap_or_default();
        let is_rest =
            |one: &Statement| one.bytes.start >= end || rest.iter().any(|other| other.bytes == one.bytes);
        found.extend(chosen_ranges(statements, |one| is_rest(one) && self.is_named(one)));
        found
    }

    /// Sentences without caveats and what follows each in its paragraph: a caveat helps only readers who know the subject.
    fn without_caveats(&self, mut statements: Vec<Statement>) -> Vec<Statement> {
        let mut caveat = None;
        statements.retain(|one| {
            let text = &self.place.page.text[one.bytes.clone()];
            if is_caveat(text) {
                caveat = Some(one.unit);
            }
            caveat != Some(one.unit)
        });
        statements
    }

    /// Sentences without those of a list that a section begins with, where what announces it is not quoted.
    fn without_orphans<'s>(&self, statements: &'s [Statement]) -> &'s [Statement] {
        let units = &self.place.section.units;
        let is_announced = units.first().is_some_and(|first| first.items.is_empty() && !first.is_row);
        let is_orphan = is_announced && statements.first().is_some_and(|first| self.is_item(first));
        let n_orphans = statements.iter().take_while(|one| is_orphan && self.is_item(one)).count();
        &statements[n_orphans..]
    }

    /// Whether a sentence is a row of short cells, which say nothing without the headings of their columns.
    fn is_bare_row(&self, statement: &Statement) -> bool {
        let cells = self.place.page.text[statement.bytes.clone()].split(" | ");
        self.place.section.units[statement.unit].is_row && cells.map(n_words).all(|n| n < ENOUGH_WORDS)
    }

    /// Whether a sentence stands in a list.
    fn is_item(&self, statement: &Statement) -> bool {
        !self.place.section.units[statement.unit].items.is_empty()
    }

    /// The entry of a list or table that begins with the name, and what follows it up to the next entry.
    fn entry(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let units = &self.place.section.units;
        let begin = |at: &usize| units[*at].defines.as_ref().is_some_and(|of| self.is_entry_of_subject(of));
        let of_entry = |at: usize| -> Vec<&Statement> {
            let goes_on = units.get(at + 1).is_some_and(|next| {
                let is_inside = units[at].items.last().is_none_or(|item| next.items.contains(item));
                !units[at].is_row && !next.is_row && next.defines.is_none() && is_inside
            });
            let announces = statements.iter().any(|one| one.unit == at && one.announces);
            let is_listed = |next: &&Unit| announces && next.items.len() > units[at].items.len();
            let n_listed = units[at + 1..].iter().take_while(is_listed).take(MAX_LISTED).count();
            let end = at + 1 + n_listed.max(usize::from(goes_on));
            let mut found: Vec<&Statement> =
                statements.iter().filter(|one| (at..end).contains(&one.unit)).collect();
            while found.pop_if(|one| one.announces).is_some() {}
            found
        };
        let whose_at = |at: usize| {
            let owner = units[at].defines.as_ref().map(|of| of.named.owner.as_str()).unwrap_or_default();
            if owner.is_empty() { Whose::Unknown } else { whose_is(self.library, self.subject, owner) }
        };
        let is_of_subject = |at: &usize| self.is_of_subject(Ground::Direct, whose_at(*at));
        let entries = (0..units.len()).filter(begin).filter(is_of_subject);
        // The longest of those that say whose it is: a table of contents may list the name before.
        let n_words = |at: usize| of_entry(at).iter().map(|one| one.n_words).sum::<usize>();
        let longest = entries.max_by_key(|&at| (whose_at(at), n_words(at)));
        longest.map(of_entry).unwrap_or_default().into_iter().map(|one| one.bytes.clone()).collect()
    }

    /// Whether an entry that defines a name is about the subject. A name that is a plain word is that of an argument or an
    /// option, too: of a function's, the entry has arguments, and a type's is written as code.
    fn is_entry_of_subject(&self, of: &Defined) -> bool {
        let subject = self.subject;
        let is_free = subject.owner.is_none() && of.named.owner.is_empty();
        let is_like_it = match subject.kind {
            _ if !is_free || !is_plain_word(&subject.name) => true,
            Some(ChunkKind::Function) => of.is_call,
            Some(ChunkKind::Type | ChunkKind::Class | ChunkKind::Interface) => of.is_code,
            _ => true,
        };
        self.is_subject(&of.named.name) && is_like_it
    }

    /// A code block that shows the subject, and the sentence before it, where that says its name or all words of it: who
    /// merely uses something does not describe it.
    fn shown(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let Some(fence) = self.fence().filter(|fence| self.is_short(fence)) else { return Vec::new() };
        let text = &self.place.page.text;
        let before = statements.iter().rev().find(|one| one.unit < fence.n_units_before);
        let before = before.filter(|before| {
            let code = &text[fence.bytes.clone()];
            let whose = self.names().map(|name| whose(self.library, self.subject, name, code)).max();
            let sentence = &text[before.bytes.clone()];
            let is_described = self.has_words_of_name(sentence)
                || before.unit + 1 == fence.n_units_before
                    && self.is_short_call(code)
                    && self.has_word_of_name(sentence);
            let is_shown = is_described && self.is_of_subject(Ground::Words, whose.unwrap_or(Whose::Unknown));
            !points_to_kind(sentence) && (self.is_named(before) || is_shown)
        });
        before.map(|before| vec![before.bytes.clone(), fence.bytes.clone()]).unwrap_or_default()
    }

    /// Whether a sample of few lines calls a name of several words.
    fn is_short_call(&self, code: &str) -> bool {
        let calls = |name: &str| whole_words(code, name).any(|at| code[at + name.len()..].starts_with('('));
        words_of(&self.subject.name).len() > 1
            && code.lines().count() <= SHORT_SAMPLE_LINES
            && self.names().any(calls)
    }

    /// Whether a sentence has one of the name's words.
    fn has_word_of_name(&self, sentence: &str) -> bool {
        let others = words_of(sentence);
        words_of(&self.subject.name).iter().any(|word| has_stem(&others, word))
    }

    /// Whether a sentence has all words of a name of several, together with the heading.
    fn has_words_of_name(&self, sentence: &str) -> bool {
        let (words, others) = (words_of(&self.subject.name), words_of(sentence));
        let is_named = |word: &String| has_stem(&others, word);
        let is_headed = |word: &String| {
            self.place.section.heading_stems.iter().any(|stem| is_stem_alike(root(word), stem))
        };
        words.len() > 1
            && words.iter().any(is_named)
            && words.iter().all(|word| is_named(word) || is_headed(word))
    }

    fn sample(&self) -> Option<Range<usize>> {
        self.fence()
            .filter(|fence| self.is_short(fence) && !self.is_declaration(fence))
            .map(|fence| fence.bytes.clone())
    }

    /// Whether a code block is the definition's own head, as generated documentation repeats it: the code says as much.
    fn is_declaration(&self, fence: &Fence) -> bool {
        let text = &self.place.page.text[fence.bytes.clone()];
        let first = text.lines().skip(1).find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_head = DECLARATIONS.iter().any(|word| first.trim_start().starts_with(word));
        is_head && self.names().any(|name| whole_words(first, name).next().is_some())
    }

    /// The first code block that says the name.
    fn fence(&self) -> Option<&Fence> {
        let text = &self.place.page.text;
        let has_name = |fence: &&Fence| {
            self.names().any(|name| whole_words(&text[fence.bytes.clone()], name).next().is_some())
        };
        self.place.section.fences.iter().find(has_name)
    }

    fn is_short(&self, fence: &Fence) -> bool {
        let text = &self.place.page.text[fence.bytes.clone()];
        text.starts_with("```") && text.lines().count() <= MAX_SAMPLE_LINES && text.len() <= MAX_SAMPLE_BYTES
    }

    fn statements(&self) -> Vec<Statement> {
        let text = &self.place.page.text;
        let is_headed = self.is_headed_alone();
        let mut found = Vec::new();
        for (unit, run) in self.place.section.units.iter().enumerate() {
            for (number, bytes) in run.sentences.iter().enumerate() {
                let sentence = &text[bytes.clone()];
                if is_quotable(sentence, run.is_row) && self.adds_to_name(sentence) {
                    found.push(Statement {
                        unit,
                        number,
                        bytes: bytes.clone(),
                        // A paragraph that begins with "It" is about what the section is about.
                        goes_on: (goes_on(sentence) || !is_headed && points_to_kind(sentence))
                            && !(number == 0
                                && sentence.starts_with("It ")
                                && self.names().any(|name| mentions_name(sentence, name))),
                        has_name: self.names().any(|name| mentions_name(sentence, name)),
                        whose: self
                            .names()
                            .map(|name| whose(self.library, self.subject, name, sentence))
                            .max()
                            .unwrap_or(Whose::Unknown),
                        announces: announces(sentence),
                        is_whole: !sentence.starts_with(char::is_lowercase),
                        n_words: n_words(sentence),
                    });
                }
            }
        }
        found
    }

    /// Whether a sentence has more than the words of the name and of kinds of things: not "`Context` interface."
    fn adds_to_name(&self, sentence: &str) -> bool {
        let of_name = words_of(&self.subject.name);
        words_of(sentence).iter().any(|word| !has_stem(&of_name, word) && !is_kind(word))
    }

    /// Whether the section is about changes, by its page or its own heading, unless that heading is the name.
    fn is_of_changes(&self) -> bool {
        let mut heading = words_of(&self.place.section.outline.heading);
        // "Upgrade requests" are none.
        heading.retain(|word| word != "upgrade");
        is_page_of_changes(self.place) || is_about_changes(&heading) && !self.is_headed_alone()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.subject.name.as_str()).chain(self.subject.aliases.iter().map(String::as_str))
    }

    fn is_subject(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }
}

/// Whether a section speaks of what was, will or may be, by its headings and the names of its page and folders: notes of
/// changes say how a thing differs from what nobody knows any more, and plans say what nobody has made.
fn is_page_of_changes(place: Place<'_>) -> bool {
    let is_one = |part: &str| {
        let words = words_of(part);
        let is_plan = |word: &String| matches!(word.as_str(), "plan" | "roadmap");
        is_about_changes(&words)
            || words.iter().any(|word| PROPOSALS.contains(&word.as_str()))
            || words.first().is_some_and(is_plan)
    };
    let is_news =
        |part: &str| NEWS.iter().any(|name| part.trim_start_matches('_').eq_ignore_ascii_case(name));
    is_history(place)
        || place.page.path.split('/').any(is_one)
        || place.page.path.split(['/', '.']).any(is_news)
}

/// Words in the names of folders and pages that hold proposals.
const PROPOSALS: &[&str] = &["proposal", "proposals", "rfc", "rfcs", "sep", "seps"];

/// Names of folders and pages that hold news.
const NEWS: &[&str] = &["news", "blog", "posts", "releases", "change-log", "change_log"];

#[cfg(test)]
mod tests;
