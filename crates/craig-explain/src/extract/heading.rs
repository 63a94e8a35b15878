//! Whether a section is about the subject, by its heading and those above.

use std::collections::BTreeSet;

use craig_chunk::ChunkKind;
use craig_text::{compact, is_identifier_char, root};

use super::whose::{Whose, whose_is};
use super::{Ground, Reading};
use crate::context::{Subject, is_same_owner};
use crate::library::Place;
use crate::names::{code_spans, is_plain_word, is_stem_alike, words_of};
use crate::page::{HeadingName, heading_names, plain};

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
            // What is called is no type of that name.
            let is_type = matches!(self.subject.kind, Some(ChunkKind::Type | ChunkKind::Interface));
            let is_other = is_type && of.is_call;
            self.is_subject(&of.named.name)
                && self.is_of_subject(Ground::Direct, whose)
                && !is_other
                && (of.is_alone || !self.subject.is_variable())
        };
        self.place.section.titles().any(names_it)
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
}
