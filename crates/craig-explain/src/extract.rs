//! The extractive explanation: whole sentences and short samples of the documentation, verbatim.

mod whose;

use std::collections::BTreeSet;
use std::ops::Range;

use craig_text::{compact, root, whole_words};

use craig_chunk::ChunkKind;

use crate::context::{Subject, owner_likeness};
use crate::evidence::is_history;
use crate::library::{Library, Place};
use crate::names::{BEFORE_NAMES, is_plain_word, is_stem_alike, words_of};
use crate::page::{Defined, Fence, HeadingName, Page, Section, Unit, heading_names, is_kind};
use crate::sentence;

use self::whose::{Whose, occurrences, whose, whose_is};

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

/// A sample of so many lines, with its marks, shows the one thing that it calls.
const SHORT_SAMPLE_LINES: usize = 8;

/// Sentences that share more of their words say the same.
const SAME: f32 = 0.8;

/// Entries that share less of their words say something else.
const UNLIKE: f32 = 0.4;

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
    /// Share of the names beside the subject that the page is about.
    pub(crate) kin: f32,
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

/// Whether a quote is surely about a subject: a whole sentence below a heading that is the name, the subject's entry of a
/// list, or a sentence that begins with the name.
pub(crate) fn is_direct(library: &Library, cited: Cited, subject: &Subject, quote: &Range<usize>) -> bool {
    let reading = Reading::new(library, cited, subject);
    let text = &reading.place.page.text[quote.clone()];
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

/// A sentence of so few words is helped by the one that goes on from it.
const SHORT_WORDS: usize = 10;

/// Whether a sentence begins with a word that points to one before it: "This makes", "However, it".
fn goes_on(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(['(', '*', '_']);
    let first = sentence.split(|c: char| !c.is_alphabetic() && c != '\'').find(|word| !word.is_empty());
    let is_word = sentence.starts_with(char::is_alphabetic);
    is_word && first.is_some_and(|word| POINTERS.iter().any(|pointer| word.eq_ignore_ascii_case(pointer)))
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
}

/// A signature stands among so many paragraphs that a section begins with.
const SIGNATURE_WITHIN: usize = 3;

/// A heading that stands so often is that of a template.
const MANY_ALIKE: usize = 3;

/// From so many names beside a method on, a page that is about its class has headings for some of them, too …
const MIN_SIBLINGS: usize = 4;

/// … which are at least this share.
const LITTLE_KIN: f32 = 0.2;

/// Names of types that share so many of their words may be of one thing.
const SOME_LIKENESS: f32 = 0.3;

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
        Self { library, place: library.place(cited.at), subject, cited }
    }

    /// Whether what is said of a name is said of the subject, as far as the documentation shows.
    ///
    /// A name that is a plain word is one of many things: who says it by the way may mean any of them; a member that is called so is bound by its owner alone, behind the
    /// name's dot or else around it, and a field by one that a heading names. Only a method that is called in the very
    /// sentence needs none. A value that belongs to nothing, and is called by such a word, is a variable.
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
            Whose::Project if !is_member => true,
            _ if self.is_variable() => subject.is_exported && ground == Ground::Direct,
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

    /// Whether the subject is a value that belongs to nothing and is called by a plain word.
    fn is_variable(&self) -> bool {
        let subject = self.subject;
        subject.kind == Some(ChunkKind::Constant)
            && subject.owner.is_none()
            && !subject.holds_function()
            && is_plain_word(&subject.name)
            && subject.name.starts_with(char::is_lowercase)
    }

    /// Whether the page lists the methods of another thing: it is about none of the names beside the subject.
    fn is_of_others(&self) -> bool {
        let n_siblings = self.subject.siblings.len();
        let is_method = self.subject.kind == Some(ChunkKind::Method) && self.subject.owner.is_some();
        let is_listed = |section: &&Section| section.names.iter().any(|of| of.is_all && of.is_call);
        let lists_methods = self.place.page.sections.iter().filter(is_listed).count() >= MIN_SIBLINGS;
        is_method
            && lists_methods
            && n_siblings >= MIN_SIBLINGS
            && !self.cited.is_owned
            && self.cited.kin < LITTLE_KIN
    }

    /// What the section says of the subject, the most telling first: the entry of a list that is about it, the beginning
    /// of a section that is called like it, else the sentences that say its name; and where there is none of these, the
    /// code block that shows it.
    fn description(&self) -> Vec<Range<usize>> {
        let statements = self.statements();
        let is_of_many = self.is_headed_like_others();
        if self.is_headed() && !is_of_many {
            return self.opening(&statements);
        }
        let entry = self.entry(&statements);
        if !entry.is_empty() {
            return entry;
        }
        if (self.is_headed_by_words() || self.has_signature()) && !is_of_many {
            return self.opening(&statements);
        }
        let saying = self.mentions(&statements);
        if saying.is_empty() { self.shown(&statements) } else { saying }
    }

    /// The sentences that say the name and mean the subject; only those with its owner where there are such.
    fn mentions(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let is_named = |one: &Statement| self.is_named(one) && !self.is_entry(one);
        let is_owned = |one: &Statement| one.says && one.whose == Whose::Own;
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
        statement.says
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
        let is_same_page = self.library.page_of(best.at) == self.library.page_of(self.cited.at);
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
        let is_telling = |one: &&Statement| !one.announces && one.n_words >= ENOUGH_WORDS;
        let telling: Vec<&Statement> =
            statements.iter().filter(|one| is_telling(one) || begins(one)).collect();
        let (first, rest) = match telling.iter().any(is_telling) {
            false => (statements.iter().take(N_OPENING).collect(), Vec::new()),
            true => {
                let mut first = telling;
                let rest = first.split_off(N_OPENING.min(first.len()));
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

    /// Sentences without those of a list that a section begins with, where what announces it is not quoted.
    fn without_orphans<'s>(&self, statements: &'s [Statement]) -> &'s [Statement] {
        let units = &self.place.section.units;
        let is_item = |one: &Statement| !units[one.unit].items.is_empty();
        let is_announced = units.first().is_some_and(|first| first.items.is_empty() && !first.is_row);
        let is_orphan = is_announced && statements.first().is_some_and(is_item);
        let n_orphans = statements.iter().take_while(|one| is_orphan && is_item(one)).count();
        &statements[n_orphans..]
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
            let end = if goes_on { at + 2 } else { at + 1 };
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
        let is_bound = |at: &usize| whose_at(*at) == Whose::Own || self.cited.is_headed_by_owner;
        let longest = longest.filter(|at| is_bound(at) || !self.is_said_otherwise(&units[*at]));
        longest.map(of_entry).unwrap_or_default().into_iter().map(|one| one.bytes.clone()).collect()
    }

    /// Whether other sections have entries of the name that say something else: `EINVAL` below each function that returns
    /// it. Then none of them says what it is.
    fn is_said_otherwise(&self, entry: &Unit) -> bool {
        let words = |page: &Page, unit: &Unit| -> BTreeSet<String> {
            unit.sentences.iter().flat_map(|bytes| words_of(&page.text[bytes.clone()])).collect()
        };
        let here = words(self.place.page, entry);
        let others = self.library.named(&self.subject.name).iter().map(|&at| self.library.place(at as usize));
        let is_other = |other: &Place<'_>| {
            let is_entry = |unit: &&Unit| {
                unit.defines
                    .as_ref()
                    .is_some_and(|of| of.named.owner.is_empty() && self.is_subject(&of.named.name))
            };
            let mut entries = other.section.units.iter().filter(is_entry).peekable();
            entries.peek().is_some() && entries.all(|unit| likeness(&here, &words(other.page, unit)) < UNLIKE)
        };
        is_plain_word(&self.subject.name) && others.filter(is_other).count() >= MANY_ALIKE
    }

    /// Whether one of the first paragraphs is the subject's signature and nothing else: the section is about it.
    fn has_signature(&self) -> bool {
        let text = &self.place.page.text;
        let is_signature = |unit: &Unit| {
            let defined = unit.defines.as_ref().filter(|of| of.is_call && of.is_code && !unit.is_row);
            let is_whole = unit.items.is_empty() && unit.bytes.len() > 2 && {
                let written = text[unit.bytes.clone()].trim();
                written.starts_with('`') && written.ends_with('`') && written.matches('`').count() == 2
            };
            is_whole && defined.is_some_and(|of| self.is_subject(&of.named.name) && of.named.owner.is_empty())
        };
        let begin = &self.place.section.units[..SIGNATURE_WITHIN.min(self.place.section.units.len())];
        begin.iter().any(is_signature) && self.is_of_subject(Ground::Called, Whose::Unknown)
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

    /// Whether a heading is one of many alike, as "Options" below each function: it names no single thing.
    fn is_headed_like_others(&self) -> bool {
        let of = &self.place.section.outline;
        let others = self.library.named(&self.subject.name).iter().map(|&at| self.library.place(at as usize));
        let alike = others.filter(|other| other.section.outline.heading == of.heading);
        let above: BTreeSet<(&str, Option<&String>)> =
            alike.map(|other| (other.page.path.as_str(), other.section.outline.path.last())).collect();
        is_plain_word(&self.subject.name)
            && !of.heading.contains(['`', '(', '.'])
            && !self.cited.is_headed_by_owner
            && above.len() >= MANY_ALIKE
    }

    /// A code block that shows the subject, and the sentence before it, where that says its name or all words of it: who
    /// merely uses something does not describe it.
    fn shown(&self, statements: &[Statement]) -> Vec<Range<usize>> {
        let Some(fence) = self.fence().filter(|fence| self.is_short(fence)) else { return Vec::new() };
        if is_of_changes(self.place) {
            return Vec::new();
        }
        let text = &self.place.page.text;
        let before = statements.iter().rev().find(|one| one.unit < fence.n_units_before);
        let before = before.filter(|before| {
            let code = &text[fence.bytes.clone()];
            let whose = self.names().map(|name| whose(self.library, self.subject, name, code)).max();
            let is_described = self.has_words_of_name(&text[before.bytes.clone()])
                || before.unit + 1 == fence.n_units_before && self.is_short_call(code);
            let is_shown = is_described && self.is_of_subject(Ground::Words, whose.unwrap_or(Whose::Unknown));
            self.is_named(before) || is_shown
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

    /// Whether a sentence has all words of a name of several, together with the heading.
    fn has_words_of_name(&self, sentence: &str) -> bool {
        let (words, others) = (words_of(&self.subject.name), words_of(sentence));
        let is_named = |word: &String| others.iter().any(|other| is_stem_alike(root(word), root(other)));
        let is_headed = |word: &String| {
            self.place.section.heading_stems.iter().any(|stem| is_stem_alike(root(word), stem))
        };
        words.len() > 1
            && words.iter().any(is_named)
            && words.iter().all(|word| is_named(word) || is_headed(word))
    }

    fn sample(&self) -> Option<Range<usize>> {
        // What has changed is shown as it was, too.
        self.fence()
            .filter(|_| !is_of_changes(self.place))
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
        let is_history = is_of_changes(self.place);
        let is_repair = |sentence: &str| {
            is_history
                && !ADDITIONS
                    .iter()
                    .any(|word| sentence.trim_start_matches(['*', '_', '[']).starts_with(word))
        };
        let mut found = Vec::new();
        for (unit, run) in self.place.section.units.iter().enumerate() {
            for (number, bytes) in run.sentences.iter().enumerate() {
                let sentence = &text[bytes.clone()];
                if is_quotable(sentence, run.is_row) && !is_repair(sentence) && self.tells_more(sentence) {
                    found.push(Statement {
                        unit,
                        number,
                        bytes: bytes.clone(),
                        // A paragraph that begins with "It" is about what the section is about.
                        goes_on: goes_on(sentence)
                            && !(number == 0
                                && sentence.starts_with("It ")
                                && self.names().any(|name| says(sentence, name))),
                        says: self
                            .names()
                            .any(|name| says(sentence, name) || self.is_project_said(sentence, name)),
                        whose: self
                            .names()
                            .map(|name| whose(self.library, self.subject, name, sentence))
                            .max()
                            .unwrap_or(Whose::Unknown),
                        announces: sentence.ends_with(':'),
                        is_whole: !sentence.starts_with(char::is_lowercase),
                        n_words: n_words(sentence),
                    });
                }
            }
        }
        found
    }

    /// Whether the heading is about the subject; "Summary" has what the heading above is about.
    fn is_headed(&self) -> bool {
        self.place.section.titles().any(|of| {
            let owner = of.named.owner.as_str();
            let whose =
                if owner.is_empty() { Whose::Unknown } else { whose_is(self.library, self.subject, owner) };
            // A function may be part of an object that is made elsewhere: `QUnit.on()`.
            let is_function = self.subject.kind == Some(ChunkKind::Function) && self.subject.owner.is_none();
            let is_free = is_function && whose == Whose::Foreign && self.subject.package.is_none();
            let whose = if is_free { Whose::Unknown } else { whose };
            let is_other = whose == Whose::Unknown && self.is_of_others();
            self.is_subject(&of.named.name)
                && self.is_of_subject(Ground::Direct, whose)
                && !is_other
                && !self.is_word_of_heading(of)
                && (of.is_alone || !self.is_variable())
                && !self.is_of_other_type()
        })
    }

    /// Whether a sentence has more than the words of the name and of kinds of things: not "`Context` interface."
    fn tells_more(&self, sentence: &str) -> bool {
        let of_name = words_of(&self.subject.name);
        words_of(sentence).iter().any(|word| {
            let is_of_name = of_name.iter().any(|other| is_stem_alike(root(word), root(other)));
            !is_of_name && !is_kind(word)
        })
    }

    /// Whether a sentence begins with the project, and the subject is called like that: "Grape is a framework".
    fn is_project_said(&self, sentence: &str, name: &str) -> bool {
        let is_above =
            matches!(self.subject.kind, Some(ChunkKind::Module | ChunkKind::Class | ChunkKind::Constant));
        is_above
            && self.subject.owner.is_none()
            && self.library.is_project_word(&compact(name))
            && sentence.strip_prefix(name).is_some_and(|rest| rest.starts_with(" is "))
    }

    /// Whether a heading has the name as a word of prose, of which neither the section nor what it belongs to says anything
    /// in code: "Call" of a syntax tree's `Call`.
    fn is_word_of_heading(&self, of: &HeadingName) -> bool {
        let heading = &self.place.section.outline.heading;
        let in_code =
            self.place.section.mentions.get(&self.subject.name).is_some_and(|m| m.spans + m.fences > 0);
        is_plain_word(&of.named.name)
            && self.subject.kind.is_some()
            && !of.is_call
            && !of.is_member
            && !heading.contains('`')
            && !in_code
            && !self.cited.is_owned
            && !self.cited.is_headed_by_owner
    }

    /// Whether the section describes a member of another type than the subject's: the heading above it, or the page's, is the
    /// name of that.
    fn is_of_other_type(&self) -> bool {
        let Some(owner) = self.subject.owner.as_ref() else { return false };
        let place = self.place;
        let page = place
            .page
            .sections
            .iter()
            .find(|section| section.outline.level == 1 && !section.names.is_empty());
        let title = page.map(|section| &section.outline.heading);
        let above = place.section.outline.path.iter().chain(title);
        let named: Vec<HeadingName> = above.flat_map(|heading| heading_names(heading)).collect();
        let is_type = |of: &HeadingName| {
            of.is_alone && of.named.name.starts_with(char::is_uppercase) && !is_plain_word(&of.named.name)
        };
        let is_own = |of: &HeadingName| {
            let owners = std::iter::once(owner).chain(&self.subject.ancestors);
            self.library.is_project(&of.named.name)
                || owners.into_iter().any(|owner| owner_likeness(&of.named.name, owner) >= SOME_LIKENESS)
        };
        self.cited.kin < LITTLE_KIN && named.iter().any(is_type) && !named.iter().any(is_own)
    }

    /// Whether the heading is the name and what kind of thing it is, and nothing else.
    fn is_headed_alone(&self) -> bool {
        self.place.section.titles().any(|of| of.is_alone && self.is_subject(&of.named.name))
    }

    /// Whether the heading has all words of a name of several, as "Display help after errors" of `helpAfterError`, or is
    /// the one word of another, as "LRU" of `Lru`.
    fn is_headed_by_words(&self) -> bool {
        let words = words_of(&self.subject.name);
        let section = self.place.section;
        // A type is called otherwise than the event or option `progress`.
        let is_other_case = self.subject.name.starts_with(char::is_uppercase)
            && section.outline.heading.trim_start_matches('`').starts_with(char::is_lowercase);
        // Who gives the name an owner, or is the name of another thing, has its words by chance.
        let is_other_name = section.names.iter().any(|of| {
            let is_same = self.names().any(|name| compact(name) == compact(&of.named.name));
            of.is_all && !of.named.owner.is_empty()
                || of.is_alone && !is_same && !is_plain_word(&of.named.name)
                || self.is_subject(&of.named.name)
                || self.is_subject(&of.named.owner)
        });
        if !self.is_of_subject(Ground::Words, Whose::Unknown) || is_other_case || is_other_name {
            return false;
        }
        let has = |word: &String| section.heading_stems.iter().any(|stem| is_stem_alike(root(word), stem));
        match words.len() {
            0 => false,
            1 => {
                let is_method = self.subject.kind == Some(ChunkKind::Method);
                // "Postfix-Snippet", "Policy wrap" with calls of it.
                let is_first =
                    section.heading_stems.len() == 2 && section.heading_words.first() == words.first();
                let is_alone =
                    section.heading_stems.len() == 1 || is_first || is_method && self.cited.is_owned;
                section.heading_words == words || is_alone && words.iter().all(has) && self.is_used()
            }
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

/// Whether a sentence says a name; a name that is a plain word, only as code that begins with it.
fn says(sentence: &str, name: &str) -> bool {
    let is_word = is_plain_word(name);
    occurrences(sentence, name).any(|at| {
        let is_call = sentence[at + name.len()..].starts_with('(');
        let is_member = sentence[..at].ends_with(['.', '#', ':']) && !sentence[..at].ends_with(": ");
        !is_word || begins_span(&sentence[..at]) || is_call || is_member
    })
}

/// Whether what ends here is the beginning of a code span, or of one with a mark or a word for the kind of thing: `@x`,
/// `new x`. What stands in the middle of code is a part of something else: `ignore missing`, `{ "code": 80 }`.
fn begins_span(before: &str) -> bool {
    let Some((outside, inside)) = before.rsplit_once('`') else { return false };
    let is_span = outside.matches('`').count() % 2 == 0;
    let is_mark = inside.chars().all(|c| "@.#$&*:<'\"-".contains(c));
    is_span && (is_mark || is_kind_before(inside))
}

fn is_kind_before(inside: &str) -> bool {
    inside.ends_with(' ') && !inside.trim().contains(' ') && BEFORE_NAMES.contains(&inside.trim())
}

/// Words that may come before the name that a sentence is about: "In short, the shared `Name`", "Use `Name` to".
const MAX_WORDS_BEFORE: usize = 3;

/// Whether a sentence begins with a name.
fn begins_with(sentence: &str, name: &str) -> bool {
    says(sentence, name) && occurrences(sentence, name).any(|at| n_words(&sentence[..at]) <= MAX_WORDS_BEFORE)
}

/// Whether a sentence begins with names of which one is this: "`A`, `B` and `Name` open".
fn is_among_first(sentence: &str, name: &str) -> bool {
    occurrences(sentence, name).any(|at| {
        let outside: String = sentence[..at].split('`').step_by(2).collect();
        !sentence.contains(" | ")
            && outside.split_whitespace().all(|word| n_words(word) == 0 || ["and", "or"].contains(&word))
    })
}

/// Whether a sentence has a call of a name as code: "Set it by `.type(x)`".
fn calls(sentence: &str, name: &str) -> bool {
    occurrences(sentence, name).any(|at| {
        let is_span = sentence[..at].matches('`').count() % 2 == 1;
        is_span && sentence[at + name.len()..].starts_with('(')
    })
}

/// What notes of changes begin with that say what a thing is: all others say what it was, or is no more.
const ADDITIONS: &[&str] =
    &["Added", "added", "Adds", "Addition", "New", "Introduced", "Introduces", "Implemented"];

/// Whether a section speaks of changes between versions, or stands among news.
fn is_of_changes(place: Place<'_>) -> bool {
    let is_news = |part: &str| NEWS.iter().any(|name| part.eq_ignore_ascii_case(name));
    is_history(place) || place.page.path.split(['/', '.']).any(is_news)
}

/// What folders and pages of news are called.
const NEWS: &[&str] = &["news", "blog", "posts", "releases", "change-log", "change_log"];

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
    let is_ended = n_words > 0 && sentence.ends_with(['.', '!']);
    let is_enough = if is_row { is_telling_row(sentence) } else { n_words >= ENOUGH_WORDS || is_ended };
    is_enough
        && sentence.len() <= MAX_SENTENCE_BYTES
        && !sentence.starts_with(['!', '<'])
        && !REFERRALS.iter().any(|start| sentence.starts_with(start))
        && !sentence.starts_with(SIGNATURES)
        && !is_version(sentence, n_words)
        && !points_to_sample(sentence)
        && !is_about_page(sentence)
        && (is_row || has_prose(sentence))
        && !sentence::is_link(sentence.strip_prefix("See ").unwrap_or(sentence))
        && !TAGS.iter().chain(APPEALS).any(|tag| sentence.contains(tag))
        && (is_row || !sentence.contains(" | "))
}

/// Whether a row of a table has words behind its first cell that are no code: what is said of what the first one names.
fn is_telling_row(row: &str) -> bool {
    let is_telling = |cell: &str| {
        let words: String = cell.split('`').step_by(2).collect();
        n_words(&words) >= MIN_WORDS_OF_CELL || n_words(&words) > 0 && cell.trim_end().ends_with('.')
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
];

/// Whether a sentence says in which version something came, and nothing else: "Added in v2.2.0".
fn is_version(sentence: &str, n_words: usize) -> bool {
    n_words <= MAX_WORDS_OF_VERSION && VERSIONS.iter().any(|begin| sentence.starts_with(begin))
}

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
    n_words(&outside) > 0 || !sentence.contains('`')
}

/// Whether a sentence speaks of the page that it stands on: "This guide expects that you have …".
fn is_about_page(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let first = words.next().is_some_and(|word| matches!(word, "This" | "In" | "Throughout"));
    let rest: Vec<&str> = words.take(2).collect();
    let is_page = |word: &&str| PAGES.contains(&word.trim_end_matches([',', '.']));
    first && rest.iter().any(is_page) && (sentence.starts_with("This ") || rest.first() == Some(&"this"))
}

/// What a page calls itself.
const PAGES: &[&str] =
    &["guide", "page", "section", "chapter", "document", "tutorial", "article", "documentation"];

/// Whether a sentence speaks of a sample that stands elsewhere: "In the above example, …".
fn points_to_sample(sentence: &str) -> bool {
    let begin: Vec<String> =
        words_of(sentence.split('`').next().unwrap_or_default()).into_iter().take(5).collect();
    let is_one = |words: &[&str]| begin.iter().any(|word| words.contains(&word.as_str()));
    let is_pointing =
        is_one(&["in", "as", "with", "from", "the"]) && is_one(&["above", "previous", "preceding"]);
    is_pointing && is_one(&["example", "examples", "sample", "snippet", "code", "shown", "seen"])
        || sentence.starts_with("In this example")
        || sentence.starts_with("In the example")
}

/// What those say who ask for support.
const APPEALS: &[&str] = &["sponsor", "Sponsor", "donat", "Donat", "Support from"];

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
        let cited: Vec<Cited> = (0..library.n_sections())
            .map(|at| Cited { at, is_owned: true, is_headed_by_owner: true, kin: 0.0 })
            .collect();
        let subject = Subject { name: name.into(), kind: Some(ChunkKind::Function), ..Subject::default() };
        let sentence = |quote: Quote| {
            format!("{} {}", quote.citation, &library.place(cited[quote.citation].at).page.text[quote.bytes])
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
    fn a_row_without_words_is_not_quoted() {
        let text = "# Methods\n\n| Name | Type |\n|---|---|\n| `start()` | `Server` |\n";
        assert_eq!(quoted(text), Vec::<String>::new());
    }

    #[test]
    fn an_entry_ends_where_the_list_goes_on() {
        let text = "# Methods\n\n- `start()` begins the work.\n- Never call anything twice.\n\nAll of this is safe.\n";
        assert_eq!(quoted(text), ["0 `start()` begins the work."]);
        let text = "# Methods\n\n`start()`\n\nBegins the whole work.\n";
        assert_eq!(quoted(text), ["0 Begins the whole work."]);
    }

    #[test]
    fn what_announces_is_quoted_with_what_it_announces_alone() {
        assert_eq!(quoted("# start\nThis is the same as:\n\n- one\n- two\n"), Vec::<String>::new());
        assert_eq!(quoted("# Methods\n\n- `start()` has these options:\n  - one\n"), Vec::<String>::new());
    }

    #[test]
    fn a_sentence_that_goes_on_is_quoted_behind_the_one_before() {
        let text = "# Usage\nAll parts are checked. This is what `start` does first. Nothing else is.\n";
        assert_eq!(quoted(text), ["0 All parts are checked.", "0 This is what `start` does first."]);
        let text = "# Usage\n- This is what `start` does first.\n";
        assert_eq!(quoted(text), Vec::<String>::new());
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
    fn a_short_sample_shows_what_it_calls() {
        let text = "# Time zones\nUTC is supported directly, too:\n\n```js\nDate.now().toUtc()\n```\n";
        assert_eq!(quoted_of("toUtc", text).len(), 2);
        assert_eq!(quoted_of("now", text).len(), 0);
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
            let cited = Cited { at: 0, is_owned: true, is_headed_by_owner: true, kin: 0.0 };
            let quotes = quotes(&library, &[cited], &subject);
            quotes.first().is_some_and(|first| is_direct(&library, cited, &subject, &first.bytes))
        };
        assert!(is_direct_in("# start\nComposes the parts, from left to right.\n"));
        assert!(is_direct_in("# The `start` method\nComposes the parts, from left to right.\n"));
        assert!(!is_direct_in("# start\nFirst you have to open all of these:\n"));
        assert!(!is_direct_in("# start\n- the parts that are composed, from left to right\n"));
        assert!(!is_direct_in("# Types must not be like `start`\nThis is a rule of severity one.\n"));
    }

    /// The quotes about a member of `Version`.
    fn quoted_of_member(kind: ChunkKind, is_owned: bool, text: &str) -> Vec<String> {
        let library = Library::of_texts(vec![("docs/a.md".into(), text.into())]);
        let subject = Subject {
            name: "minor".into(),
            owner: Some("Version".into()),
            kind: Some(kind),
            ..Subject::default()
        };
        let quotes =
            quotes(&library, &[Cited { at: 0, is_owned, is_headed_by_owner: is_owned, kin: 0.0 }], &subject);
        quotes.into_iter().map(|quote| library.place(0).page.text[quote.bytes].to_owned()).collect()
    }

    #[test]
    fn a_member_is_bound_by_its_owner() {
        let none = Vec::<String>::new();
        let headed = "# minor\nCounts what was added.\n";
        assert_eq!(quoted_of_member(ChunkKind::Method, true, headed), ["Counts what was added."]);
        assert_eq!(quoted_of_member(ChunkKind::Method, false, headed), none);
        let plain = "# Numbers\nThere are `major` and `minor` of them.\n";
        assert_eq!(quoted_of_member(ChunkKind::Method, true, plain).len(), 1);
        assert_eq!(quoted_of_member(ChunkKind::Constant, false, plain), none, "a field that is a plain word");
        let called = "# Numbers\nGet the second one by `.minor()` of it.\n";
        assert_eq!(quoted_of_member(ChunkKind::Method, false, called).len(), 1, "a call is a method's");
        assert_eq!(quoted_of_member(ChunkKind::Constant, false, called), none);
        let with_owner = "# Numbers\nSet the `minor` property of your `Version`.\n";
        assert_eq!(quoted_of_member(ChunkKind::Constant, false, with_owner).len(), 1);
        let owned = "# Numbers\nThere is `Version.minor`, too.\n\nOther things have `minor`, as well.\n";
        assert_eq!(quoted_of_member(ChunkKind::Constant, false, owned), ["There is `Version.minor`, too."]);
        let foreign = "# minor\nUse `Release.minor` here.\n# `Release.minor`\nOf a release.\n";
        assert_eq!(quoted_of_member(ChunkKind::Method, false, foreign), none);
    }

    #[test]
    fn a_name_of_several_words_needs_no_owner_unless_the_page_is_of_another_class() {
        let text = "# openPort()\nOpens the first port of all.\n# a()\nx\n# b()\nx\n# c()\nx\n";
        let library = Library::of_texts(vec![("docs/a.md".into(), text.into())]);
        let quoted_beside = |siblings: &[&str]| {
            let subject = Subject {
                name: "openPort".into(),
                owner: Some("Relation".into()),
                kind: Some(ChunkKind::Method),
                siblings: siblings.iter().map(|name| (*name).to_owned()).collect(),
                ..Subject::default()
            };
            quotes(
                &library,
                &[Cited { at: 0, is_owned: false, is_headed_by_owner: false, kin: 0.0 }],
                &subject,
            )
            .len()
        };
        assert_eq!(quoted_beside(&[]), 1);
        assert_eq!(quoted_beside(&["joinAll", "merge", "split", "fold"]), 0);
    }

    #[test]
    fn a_heading_that_has_a_word_among_others_is_not_about_it() {
        let text = "# Bundled parsers\nInstall them all at once.\n\n- Call `Parser()` for one.\n";
        assert_eq!(quoted_of("Parser", text), ["0 Call `Parser()` for one."]);
        let text = "# Factory.register_one\nRegisters one at a time.\n";
        assert_eq!(quoted_of("FactoryOne", text), Vec::<String>::new());
        let text = "# `OpenPort.name` was added\nKeep the names of before.\n";
        assert_eq!(quoted_of("OpenPort", text), Vec::<String>::new());
    }

    #[test]
    fn a_referral_is_no_description() {
        let text = "# Usage\nSee also the pages on `openPort()` for more. Call `openPort()` first.\n";
        assert_eq!(quoted_of("openPort", text), ["0 Call `openPort()` first."]);
    }

    #[test]
    fn the_row_of_the_own_module_is_quoted() {
        let rows =
            "| `etcd` | `etcd.open(x)` | Opens an etcd. |\n| `vault` | `vault.open(x)` | Opens a vault. |\n";
        let text = format!("# Kinds\n\n| Name | Call | Meaning |\n|---|---|---|\n{rows}");
        let library = Library::of_texts(vec![("README.md".into(), text)]);
        let quoted_in = |homes: &[&str]| -> Vec<String> {
            let homes = homes.iter().map(|home| (*home).to_owned()).collect();
            let kind = Some(ChunkKind::Function);
            let subject = Subject { name: "open".into(), kind, homes, ..Subject::default() };
            let quotes = quotes(
                &library,
                &[Cited { at: 0, is_owned: false, is_headed_by_owner: false, kin: 0.0 }],
                &subject,
            );
            quotes.into_iter().map(|quote| library.place(0).page.text[quote.bytes].to_owned()).collect()
        };
        assert_eq!(quoted_in(&["vault"]), ["`vault` | `vault.open(x)` | Opens a vault."]);
        assert_eq!(quoted_in(&["consul"]), Vec::<String>::new());
    }

    /// What is quoted of a subject that the documentation says no owner of, from the first of some sections.
    fn quoted_unowned(subject: &Subject, pages: &[(&str, &str)], at: usize) -> Vec<String> {
        let texts = pages.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let library = Library::of_texts(texts);
        let cited = Cited { at, is_owned: false, is_headed_by_owner: false, kin: 0.0 };
        let text = |quote: Quote| library.place(at).page.text[quote.bytes].to_owned();
        quotes(&library, &[cited], subject).into_iter().map(text).collect()
    }

    fn named(name: &str, kind: ChunkKind) -> Subject {
        Subject { name: name.into(), kind: Some(kind), ..Subject::default() }
    }

    #[test]
    fn an_announcement_that_a_section_begins_with_is_quoted_with_what_follows() {
        let text =
            "# start\nOpens the port and waits for callers where:\n- `port` is the number of the port.\n";
        let expected =
            ["0 Opens the port and waits for callers where:", "0 `port` is the number of the port."];
        assert_eq!(quoted(text), expected);
    }

    #[test]
    fn a_heading_of_a_template_names_nothing() {
        let page =
            |name: &str| format!("# {name}\n## Options\n**size**: the most that `Options` of {name} keep.\n");
        let (a, b, c) = (page("first"), page("second"), page("third"));
        let options = named("Options", ChunkKind::Type);
        let of = |pages: &[(&str, &str)]| quoted_unowned(&options, pages, 1).len();
        assert_eq!(of(&[("a.md", &a), ("b.md", &b), ("c.md", &c)]), 0);
        assert_eq!(of(&[("a.md", &a)]), 1);
    }

    #[test]
    fn a_summary_is_about_what_the_heading_above_it_names() {
        let text =
            "# openPort\n## Summary\nWaits for callers at once.\n## Returns\nNothing that anybody needs.\n";
        let of = |at| quoted_unowned(&named("openPort", ChunkKind::Function), &[("a.md", text)], at);
        assert_eq!(of(1), ["Waits for callers at once."]);
        assert_eq!(of(2), Vec::<String>::new());
    }

    #[test]
    fn an_argument_is_neither_a_function_nor_a_type() {
        let text =
            "# Extensions\nWhere:\n- `type`: the kind of schema.\n- **Cleanup**: what is done at last.\n";
        let of = |name, kind| quoted_unowned(&named(name, kind), &[("a.md", text)], 0).len();
        assert_eq!(of("type", ChunkKind::Function), 0);
        assert_eq!(of("type", ChunkKind::Method), 1);
        assert_eq!(of("Cleanup", ChunkKind::Type), 0);
        let call = [("a.md", "# Methods\n- `type(x)`: makes a schema of it.\n")];
        assert_eq!(quoted_unowned(&named("type", ChunkKind::Function), &call, 0).len(), 1);
    }

    #[test]
    fn an_entry_that_other_sections_have_with_another_meaning_is_none() {
        let entry = |what: &str| format!("# Errors of {what}\n- `EAGAIN`: {what}.\n");
        let texts = [
            "the queue is full",
            "no message came in time",
            "a signal ended it early",
            "nobody listens there",
        ];
        let pages: Vec<(String, String)> =
            texts.iter().enumerate().map(|(at, what)| (format!("{at}.md"), entry(what))).collect();
        let pages: Vec<(&str, &str)> =
            pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let of = |n: usize| quoted_unowned(&named("EAGAIN", ChunkKind::Constant), &pages[..n], 0).len();
        assert_eq!((of(2), of(4)), (1, 0));
    }

    #[test]
    fn a_sentence_on_a_sample_that_stands_elsewhere_is_not_quoted() {
        assert_eq!(
            quoted_of("openPort", "# Usage\nIn the above example, `openPort` waits for callers.\n"),
            Vec::<String>::new()
        );
        assert_eq!(quoted_of("openPort", "# Usage\nThe example below has no `openPort` at all.\n").len(), 1);
    }

    #[test]
    fn a_signature_says_what_the_section_is_about() {
        let text = "# Repeat\nInserts the text of the passed node.\n\n`rep(node)`\n- `node`: which one.\n";
        let rep = named("rep", ChunkKind::Function);
        assert_eq!(quoted_unowned(&rep, &[("a.md", text)], 0)[0], "Inserts the text of the passed node.");
        let by_the_way = "# Repeat\nInserts the text.\n\nNext to `rep(node)` there is more.\n";
        assert_eq!(quoted_unowned(&rep, &[("a.md", by_the_way)], 0), ["Next to `rep(node)` there is more."]);
    }

    #[test]
    fn a_short_sentence_is_quoted_with_the_one_that_goes_on_from_it() {
        let text =
            "# Usage\nThere are several `openPort` methods. These take a number or a name. All wait.\n";
        let expected = ["0 There are several `openPort` methods.", "0 These take a number or a name."];
        assert_eq!(quoted_of("openPort", text), expected);
    }

    #[test]
    fn a_sentence_that_the_name_says_as_well_is_not_quoted() {
        assert_eq!(quoted_of("OpenPort", "# OpenPort\nOpen port interface.\n"), Vec::<String>::new());
    }

    #[test]
    fn notes_of_changes_explain_what_they_add() {
        let notes = "\
- Renamed `closePort()` to `openPort()`.
- There is no longer any need of `openPort()` for ports above ten.
- Added `openPort()`, which opens one.
";
        let quoted_from =
            |path: &str| quoted_unowned(&named("openPort", ChunkKind::Function), &[(path, notes)], 0).len();
        assert_eq!(
            (quoted_from("CHANGELOG.md"), quoted_from("blog/first.md"), quoted_from("ports.md")),
            (1, 1, 3)
        );
    }

    #[test]
    fn a_plain_word_amidst_code_is_a_part_of_something_else() {
        assert!(says("Use `missing` here.", "missing") && says("It is `@missing`.", "missing"));
        assert!(says("Call `new Missing` first.", "Missing") && says("Call `x.missing()`.", "missing"));
        assert!(!says("Use `ignore missing` here.", "missing") && !says("By `{ \"code\": 80 }`.", "code"));
    }

    #[test]
    fn the_entry_of_another_name_is_about_that_one() {
        let text =
            "# Usage\n- `closePort` waits until `openPort` is done.\n- Before that, call `openPort` once.\n";
        assert_eq!(quoted_of("openPort", text), ["0 Before that, call `openPort` once."]);
    }

    #[test]
    fn a_heading_of_prose_names_what_its_section_has_in_code() {
        let of = |text: &str| quoted_unowned(&named("Call", ChunkKind::Class), &[("a.md", text)], 0).len();
        assert_eq!(of("# Call\nPasses one macro to another.\n"), 0);
        assert_eq!(of("# Call\nPasses one macro to another, by a `Call`.\n"), 1);
        assert_eq!(of("# `Call`\nPasses one macro to another.\n"), 1);
    }

    #[test]
    fn a_member_of_another_type_is_not_quoted() {
        let subject =
            Subject { owner: Some("SignInput".into()), ..named("protectedHeader", ChunkKind::Constant) };
        let page = |title: &str| {
            format!("# Interface: {title}\n## Properties\n### protectedHeader\nIs protected, of course.\n")
        };
        let of = |title: &str| quoted_unowned(&subject, &[("a.md", &page(title))], 2).len();
        assert_eq!((of("SignInput"), of("VerifyResult")), (1, 0));
    }

    #[test]
    fn what_speaks_of_the_page_or_is_all_code_is_not_quoted() {
        for text in [
            "This guide expects that you have an `openPort`.",
            "`openPort(x) => Port`",
            "▸ static `openPort` of a port",
        ] {
            assert_eq!(quoted_of("openPort", &format!("# Usage\n{text}\n")), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_words_of_another_name_are_there_by_chance() {
        assert_eq!(
            quoted_of("BlockStart", "# `BlockStartParser`\nReads the first line.\n"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_type_is_not_the_event_of_the_same_word() {
        let text = "# `progress`\nIs emitted again and again.\n";
        assert_eq!(quoted_of("progress", text), ["0 Is emitted again and again."]);
        assert_eq!(quoted_of("Progress", text), Vec::<String>::new());
    }

    #[test]
    fn a_repair_is_no_description() {
        let text = "# Changelog\n- Fixed `openPort()` for ports below ten.\n- Added `openPort()`, which opens one.\n";
        assert_eq!(quoted_of("openPort", text), ["0 Added `openPort()`, which opens one."]);
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
