//! Where the documentation may speak of a subject: headings and entries that are its name, sentences that say it.

use std::collections::BTreeSet;
use std::ops::Range;

use craig_text::root;

use crate::context::Subject;
use crate::library::{Library, Place};
use crate::names::{is_plain_word, is_stem_alike, words_of};
use crate::page::Section;
use crate::statements::{Statement, entry, opening, sample_after, statements};
use crate::whose::{Whose, is_of_namesake, occurrences, says, whose, whose_is};

/// Most sections that are read for one subject.
const MAX_SECTIONS: usize = 300;

/// How a place speaks of a name, the surest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A sentence says it.
    Sentence,
    /// The heading has it, or all of its words, among others.
    Topic,
    /// An entry of a list or table begins with it.
    Entry,
    /// The heading is it, and nothing else but the kind of thing it is.
    Heading,
}

/// How a name is written, the surest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spelling {
    /// The words of a heading: "Spot check" of `spot_check`.
    Words,
    /// In another case, or with other joints: `upperFirst` of `upper_first`.
    Variant,
    /// Under another name that the file exports it by.
    Alias,
    /// As in the code.
    Exact,
}

/// A place that may speak of a subject.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The section, by its place in the library.
    pub(crate) at: usize,
    pub(crate) form: Form,
    pub(crate) spelling: Spelling,
    /// Whose name is written there.
    pub(crate) whose: Whose,
    /// Whether arguments follow the name.
    pub(crate) is_call: bool,
    /// What would be quoted, in bytes of the page; never empty.
    pub(crate) quotes: Vec<Range<usize>>,
}

/// All places that may speak of a subject, in the order of the library.
pub(crate) fn candidates(library: &Library, subject: &Subject) -> Vec<Candidate> {
    let names = Names::new(library, subject);
    let mut found = Vec::new();
    for at in sections(library, &names) {
        let place = library.place(at);
        if !is_of_namesake(place, subject) {
            Reading { library, subject, names: &names, place }.collect(&mut found);
        }
    }
    found
}

/// The names of a subject.
struct Names {
    /// Each with how it is written; the exact one first.
    written: Vec<(String, Spelling)>,
    /// Stems of its words, without the project's where others are left.
    stems: Vec<String>,
}

impl Names {
    fn new(library: &Library, subject: &Subject) -> Self {
        let mut written = vec![(subject.name.clone(), Spelling::Exact)];
        written.extend(subject.aliases.iter().map(|alias| (alias.clone(), Spelling::Alias)));
        let variants = library.other_spellings(&subject.name);
        written.extend(variants.map(|variant| (variant.to_owned(), Spelling::Variant)));
        let words = words_of(&subject.name);
        let own: Vec<&String> = words.iter().filter(|word| !library.is_project_word(word)).collect();
        let words = if own.is_empty() { words.iter().collect() } else { own };
        Self { written, stems: words.into_iter().map(|word| root(word).to_owned()).collect() }
    }

    fn spelling(&self, name: &str) -> Option<Spelling> {
        self.written.iter().find(|(written, _)| written == name).map(|(_, spelling)| *spelling)
    }

    /// Whether a heading has the words of a name of several, or is that of one; and how many others it has.
    fn words_in(&self, section: &Section) -> Option<usize> {
        let has = |stem: &String| section.heading_stems.iter().any(|other| is_stem_alike(stem, other));
        let is_alone = section.heading_stems.len() == 1;
        let is_whole = (self.stems.len() > 1 || is_alone) && self.stems.iter().all(has);
        is_whole.then(|| section.heading_stems.len().saturating_sub(self.stems.len()))
    }
}

/// Sections that say a name of the subject, or whose heading has its words, in order.
fn sections(library: &Library, names: &Names) -> BTreeSet<usize> {
    let mut weighed: Vec<(u32, usize)> = Vec::new();
    for (name, _) in &names.written {
        let documented: BTreeSet<u32> = library.named(name).iter().copied().collect();
        weighed.extend(documented.iter().map(|&at| (0, at as usize)));
        let weight =
            |at: &u32, n: u16| if documented.contains(at) { 0 } else { 1_000 - u32::from(n).min(999) };
        weighed.extend(
            library.mentions(name).iter().map(|(at, m)| (weight(at, m.code + m.prose), *at as usize)),
        );
    }
    if let Some(rarest) =
        names.stems.iter().map(|stem| library.headed_with_stem(stem)).min_by_key(|of| of.len())
    {
        let is_headed = |at: &&u32| names.words_in(library.place(**at as usize).section).is_some();
        weighed.extend(rarest.iter().filter(is_headed).map(|&at| (0, at as usize)));
    }
    weighed.sort_unstable();
    let mut found = BTreeSet::new();
    for (_, at) in weighed {
        if found.len() == MAX_SECTIONS {
            break;
        }
        found.insert(at);
    }
    found
}

/// A section that is read for what it says of a subject.
struct Reading<'l> {
    library: &'l Library,
    subject: &'l Subject,
    names: &'l Names,
    place: Place<'l>,
}

impl Reading<'_> {
    fn collect(&self, found: &mut Vec<Candidate>) {
        let statements = statements(self.place);
        found.extend(self.headed(&statements));
        let entries = self.entries(&statements);
        let is_of_entry =
            |bytes: &Range<usize>| entries.iter().any(|entry: &Candidate| entry.quotes.contains(bytes));
        let said: Vec<Candidate> = statements
            .iter()
            .filter(|one| !is_of_entry(&one.bytes))
            .filter_map(|one| self.said(one, &statements))
            .collect();
        found.extend(entries);
        found.extend(said);
    }

    /// The section, if its heading is the name or has it.
    fn headed(&self, statements: &[Statement]) -> Option<Candidate> {
        let section = self.place.section;
        let named = section.titles().filter_map(|of| {
            let spelling = self.names.spelling(&of.named.name)?;
            let form = if of.is_alone { Form::Heading } else { Form::Topic };
            let owner = of.named.owner.as_str();
            let whose =
                if owner.is_empty() { Whose::Unknown } else { whose_is(self.library, self.subject, owner) };
            Some((form, spelling, whose, of.is_call))
        });
        let by_words = || {
            let form = match self.names.words_in(section)? {
                0 => Form::Heading,
                _ => Form::Topic,
            };
            Some((form, Spelling::Words, Whose::Unknown, false))
        };
        let (form, spelling, whose, is_call) =
            named.max_by_key(|&(form, spelling, whose, _)| (form, whose, spelling)).or_else(by_words)?;
        let says = |bytes: &Range<usize>| self.says(&self.place.page.text[bytes.clone()]).is_some();
        let quotes = opening(self.place, statements, &says);
        (!quotes.is_empty()).then_some(Candidate {
            at: self.place.at,
            form,
            spelling,
            whose,
            is_call,
            quotes,
        })
    }

    /// The entries of lists and tables that begin with the name.
    fn entries(&self, statements: &[Statement]) -> Vec<Candidate> {
        let units = &self.place.section.units;
        let of_unit = |(unit, run): (usize, &crate::page::Unit)| {
            let defined = run.defines.as_ref()?;
            let spelling = self.names.spelling(&defined.named.name)?;
            let owner = defined.named.owner.as_str();
            let quotes = entry(self.place, statements, unit);
            (!quotes.is_empty()).then(|| Candidate {
                at: self.place.at,
                form: Form::Entry,
                spelling,
                whose: match owner.is_empty() {
                    true => Whose::Unknown,
                    false => whose_is(self.library, self.subject, owner),
                },
                is_call: defined.is_call,
                quotes,
            })
        };
        units.iter().enumerate().filter_map(of_unit).collect()
    }

    /// A sentence that says the name, behind the one it goes on from; or one that announces a sample that has it.
    fn said(&self, statement: &Statement, statements: &[Statement]) -> Option<Candidate> {
        let text = &self.place.page.text[statement.bytes.clone()];
        let sample = statement.announces.then(|| sample_after(self.place, statement.unit)).flatten();
        let of_sample = sample.as_ref().map(|bytes| &self.place.page.text[bytes.clone()]);
        let (name, spelling) =
            self.says(text).or_else(|| of_sample.and_then(|sample| self.is_called(sample)))?;
        let mut quotes = vec![statement.bytes.clone()];
        if statement.announces {
            quotes.push(sample?);
        }
        if statement.goes_on {
            let before = statements.iter().find(|before| before.is_before(statement))?;
            quotes.insert(0, before.bytes.clone());
        }
        let is_call = occurrences(text, name).any(|at| text[at + name.len()..].starts_with('('));
        Some(Candidate {
            at: self.place.at,
            form: Form::Sentence,
            spelling,
            whose: whose(self.library, self.subject, name, text),
            is_call,
            quotes,
        })
    }

    /// The name of the subject that a sample of code calls, if any.
    fn is_called(&self, sample: &str) -> Option<(&str, Spelling)> {
        let calls = |(name, spelling): &&(String, Spelling)| {
            *spelling == Spelling::Exact
                && occurrences(sample, name).any(|at| sample[at + name.len()..].starts_with('('))
        };
        self.names.written.iter().find(calls).map(|(name, spelling)| (name.as_str(), *spelling))
    }

    /// The name of the subject that a text says, if any.
    fn says(&self, text: &str) -> Option<(&str, Spelling)> {
        let is_said = |(name, spelling): &&(String, Spelling)| {
            // Another spelling of a plain word is a word.
            (*spelling != Spelling::Variant || !is_plain_word(name)) && says(text, name)
        };
        self.names.written.iter().find(is_said).map(|(name, spelling)| (name.as_str(), *spelling))
    }
}

#[cfg(test)]
mod tests;
