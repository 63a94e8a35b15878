//! Whether a section is about the subject, by its heading and those above.

use std::collections::BTreeSet;

use craig_chunk::ChunkKind;
use craig_text::{compact, is_identifier_char, root, whole_words};

use super::whose::{Whose, occurrences, whose_is};
use super::{Cited, Ground, LITTLE_KIN, Reading};
use crate::context::{Subject, is_same_owner, owner_likeness};
use crate::library::{Library, Place};
use crate::names::{code_spans, is_plain_word, is_stem_alike, words_of};
use crate::namesakes::ALIKE;
use crate::page::{HeadingName, heading_names, plain};

/// A heading that occurs this often comes from a template.
pub(super) const MANY_ALIKE: usize = 3;

/// Names of types that share at least this share of their words may mean the same thing.
const SOME_LIKENESS: f32 = 0.3;

/// Whether a section speaks of what has something of the subject's name: its heading, one above or the page's is the name of
/// that, and none is that of what the subject belongs to.
pub(super) fn is_of_namesake(place: Place<'_>, subject: &Subject) -> bool {
    let headings: Vec<String> = headings(place).chain([place.page.stem().to_owned()]).collect();
    let names: Vec<HeadingName> = headings.iter().flat_map(|heading| heading_names(heading)).collect();
    let is_of = |holder: &String| {
        let is_holder = |of: &HeadingName| {
            of.is_alone && is_same_owner(&of.named.name, holder) || is_same_owner(&of.named.owner, holder)
        };
        headings.iter().any(|heading| is_same_owner(heading, holder)) || names.iter().any(is_holder)
    };
    subject.namesakes.iter().any(is_of) && !subject.holders().any(is_of)
}

/// Whether a section speaks of members of another type than the subject's: its heading, one above or the page's is the name
/// of that, and the page has little of what the subject's type has.
pub(super) fn is_of_other_type(library: &Library, place: Place<'_>, subject: &Subject, kin: f32) -> bool {
    if subject.owner.is_none() && !subject.is_variable() {
        return false;
    }
    let named: Vec<HeadingName> = headings(place).flat_map(|heading| heading_names(&heading)).collect();
    let is_type = |of: &HeadingName| {
        of.is_alone && of.named.name.starts_with(char::is_uppercase) && !is_plain_word(&of.named.name)
    };
    let is_own = |of: &HeadingName| {
        let is_like = |owner: &String| owner_likeness(&of.named.name, owner);
        library.is_project(&of.named.name)
            || subject.owner.as_ref().is_some_and(|owner| is_like(owner) >= SOME_LIKENESS)
            || subject.ancestors.iter().any(|ancestor| is_like(ancestor) > ALIKE)
    };
    kin < LITTLE_KIN && named.iter().any(is_type) && !named.iter().any(is_own)
}

/// Whether a section may speak of any of the things that have the subject's name: of a member that several others have, too,
/// and neither a heading is like what it belongs to, nor is the page about the names beside it.
pub(super) fn is_of_any(place: Place<'_>, subject: &Subject, cited: &Cited) -> bool {
    let is_member = matches!(subject.kind, Some(ChunkKind::Method | ChunkKind::Constant));
    let owners = || subject.owner.iter().chain(&subject.ancestors);
    let is_like_owner = |heading: &str| owners().any(|owner| owner_likeness(heading, owner) >= SOME_LIKENESS);
    is_member
        && subject.owner.is_some()
        && subject.namesakes.iter().filter(|other| !is_like_owner(other)).count() >= MANY_NAMESAKES
        && cited.kin < SAME_KIN
        && !cited.is_headed_by_owner
        && !headings(place).any(|heading| is_like_owner(&heading))
}

/// A member that so many other things have, too, is that of any of them.
const MANY_NAMESAKES: usize = 2;

/// A page that is about so large a share of the names beside a member is about what it belongs to.
const SAME_KIN: f32 = 0.3;

/// Whether a project defines several things of the subject's name, and a section names none of the folders and files that set
/// this one apart: `TaskPool` of `thread.py` and of `prefork.py`, `StrictStr` of `v1/types.py`.
pub(super) fn is_of_variant(place: Place<'_>, subject: &Subject) -> bool {
    if subject.variants.is_empty() {
        return false;
    }
    let text = place.page.text[place.section.outline.bytes.clone()].to_lowercase();
    let around: Vec<String> =
        headings(place).chain([place.page.path.clone()]).map(|text| text.to_lowercase()).collect();
    let is_named = |part: &String| {
        let part = part.to_lowercase();
        around.iter().chain([&text]).any(|text| whole_words(text, &part).next().is_some())
    };
    subject.variants.iter().any(|apart| !apart.iter().any(is_named))
}

/// The heading of a section, those above it, and the page's, as they are read.
fn headings(place: Place<'_>) -> impl Iterator<Item = String> {
    let mut sections = place.page.sections.iter();
    let title = sections.find(|section| section.outline.level == 1 && !section.names.is_empty());
    let outline = &place.section.outline;
    let above = outline.path.iter().chain([&outline.heading]).chain(title.map(|of| &of.outline.heading));
    above.map(|heading| plain(heading))
}

impl Reading<'_> {
    /// Whether the heading is about the subject; "Summary" has what the heading above is about.
    pub(super) fn is_headed(&self) -> bool {
        let names_it = |of: &HeadingName| {
            let owner = of.named.owner.as_str();
            let whose =
                if owner.is_empty() { Whose::Unknown } else { whose_is(self.library, self.subject, owner) };
            // A function may be part of an object that is made elsewhere: `QUnit.on()`.
            let is_function = self.subject.kind == Some(ChunkKind::Function) && self.subject.owner.is_none();
            let is_free = is_function && whose == Whose::Foreign && self.subject.package.is_none();
            let whose = if is_free { Whose::Unknown } else { whose };
            let is_other = whose == Whose::Unknown && self.is_of_others();
            // What is called is no type of that name.
            let is_type = matches!(self.subject.kind, Some(ChunkKind::Type | ChunkKind::Interface));
            let is_other = is_other || is_type && of.is_call;
            self.is_subject(&of.named.name)
                && self.is_of_subject(Ground::Direct, whose)
                && !is_other
                && !self.is_word_of_heading(of)
                && (of.is_alone || !self.is_place_in_heading())
                && (of.is_alone || !self.subject.is_variable())
        };
        self.place.section.titles().any(names_it)
    }

    /// Whether a heading says what is done in the subject, as "Using hooks in `addOption`": the section is about that.
    fn is_place_in_heading(&self) -> bool {
        let heading = self.place.section.outline.heading.replace('`', "");
        self.names()
            .any(|name| occurrences(&heading, name).any(|at| heading[..at].to_lowercase().ends_with(" in ")))
    }

    /// Whether the heading is the name of something else, written as code: a sentence below it says the name by the way.
    pub(super) fn is_headed_by_other(&self) -> bool {
        let section = self.place.section;
        let is_code = section.outline.heading.trim_start().starts_with('`');
        let mut titles = section.names.iter().filter(|of| of.is_alone).peekable();
        let is_own = |of: &HeadingName| {
            self.is_subject(&of.named.name)
                || whose_is(self.library, self.subject, &of.named.name) == Whose::Own
        };
        is_code && titles.peek().is_some() && !titles.any(is_own)
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

    /// Whether the heading is the name and what kind of thing it is, and nothing else.
    pub(super) fn is_headed_alone(&self) -> bool {
        self.place.section.titles().any(|of| of.is_alone && self.is_subject(&of.named.name))
    }

    /// Whether the heading has all words of a name of several, as "Display help after errors" of `helpAfterError`, or is
    /// the one word of another, as "LRU" of `Lru`.
    pub(super) fn is_headed_by_words(&self) -> bool {
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
        let stems = self.stems_of_heading();
        let has = |word: &String| stems.iter().any(|stem| is_stem_alike(root(word), stem));
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

    /// The stems of the heading, without those that only another name in code has: `Router<S>` for `route`.
    fn stems_of_heading(&self) -> Vec<&String> {
        let section = self.place.section;
        let name = self.subject.name.as_str();
        let begins_alike =
            |span: &str| span.starts_with(char::is_uppercase) == name.starts_with(char::is_uppercase);
        let is_own = |span: &&str| compact(span).contains(&compact(name)) && begins_alike(span);
        let heading = &section.outline.heading;
        let is_mixed = |word: &&str| {
            let is_small = word.starts_with(char::is_lowercase);
            is_small && word.chars().any(char::is_uppercase) || word.trim_matches('_').contains('_')
        };
        let is_other_name = |word: &&str| is_mixed(word) && compact(word) != compact(name);
        let written = heading.split(|c: char| !is_identifier_char(c)).filter(is_other_name);
        let spans = code_spans(heading).filter(|span| !is_own(span)).chain(written);
        let others: BTreeSet<String> = spans.flat_map(words_of).collect();
        let is_other = |stem: &&String| others.iter().any(|other| root(other) == stem.as_str());
        section.heading_stems.iter().filter(|stem| !is_other(stem)).collect()
    }

    /// Whether the section calls the subject in code, or has it behind a dot.
    fn is_used(&self) -> bool {
        let mentions = self.place.section.mentions.get(&self.subject.name);
        mentions.is_some_and(|mentions| mentions.calls + mentions.members > 0)
    }

    /// Whether a heading is one of many alike, as "Options" below each function: it names no single thing.
    pub(super) fn is_headed_like_others(&self) -> bool {
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
}
