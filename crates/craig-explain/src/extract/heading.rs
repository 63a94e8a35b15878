//! Whether a section is about the subject, by its heading and those above.

use std::collections::BTreeSet;

use craig_chunk::ChunkKind;
use craig_text::{compact, root};

use super::whose::{Whose, whose_is};
use super::{Ground, LITTLE_KIN, Reading};
use crate::context::owner_likeness;
use crate::names::{is_plain_word, is_stem_alike, words_of};
use crate::page::{HeadingName, heading_names};

/// A heading that occurs this often comes from a template.
pub(super) const MANY_ALIKE: usize = 3;

/// Names of types that share at least this share of their words may mean the same thing.
const SOME_LIKENESS: f32 = 0.3;

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
            self.is_subject(&of.named.name)
                && self.is_of_subject(Ground::Direct, whose)
                && !is_other
                && !self.is_word_of_heading(of)
                && (of.is_alone || !self.is_variable())
        };
        self.place.section.titles().any(names_it) && !self.is_of_other_type()
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
