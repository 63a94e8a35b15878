//! The features of a passage: of its section, of the passage itself, and of the subject.

use std::collections::BTreeSet;

use craig_chunk::ChunkKind;
use craig_model::{Embedding, StaticModel};
use craig_text::{compact, root, whole_words};

use super::Passage;
use super::candidates::{sections, share_of_stems, stems};
use super::changes::is_about_changes;
use super::mention::{begins_with, mentions_name};
use super::statement::{Form, Statement, statements};
use super::whose::{Whose, whose, whose_is};
use crate::context::{CodeContext, Subject, clipped, is_same_owner, owner_likeness};
use crate::library::{Library, Place};
use crate::names::{code_spans, is_stem_alike, words_of};
use crate::page::{HeadingName, heading_names, plain};

macro_rules! features {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// The features of a passage.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Features {
            $($(#[$doc])* pub $field: f32,)*
        }

        /// Names of the features, in order.
        pub const FEATURES: &[&str] = &[$(stringify!($field)),*];

        /// Number of the features.
        pub const N_FEATURES: usize = FEATURES.len();

        impl Features {
            /// The values in order of the names.
            pub fn to_array(self) -> [f32; N_FEATURES] {
                [$(self.$field),*]
            }
        }
    };
}

features! {
    /// How the heading refers to the name: 4 it is the name, 3 it is another spelling, 2 it contains the name, 1 it contains
    /// all words of the name, 0 otherwise.
    heading,
    /// 1 if the heading is the name with its arguments: `.strict([enabled])`.
    heading_call,
    /// By how much `heading` is below the best of all candidates.
    heading_behind,
    /// Share of the heading's words that are words of the name.
    heading_share,
    /// Share of the words of the name that the heading, its parents or the path contain.
    words_around,
    /// Similarity between the name of the owner and the heading, a parent or the page.
    owner_around,
    /// Share of all mentions of the name in code that the section contains.
    section_share,
    /// Cosine similarity of code and section, less the mean of all sections.
    similarity,
    /// By how much `similarity` is below the best of all candidates.
    similarity_behind,
    /// Cosine similarity of code and passage.
    alike,
    /// 1 for release notes, news and plans.
    changes,
    /// Number of names in the section's code, logarithmic.
    breadth,
    /// Number of words in the section, logarithmic.
    length,
    /// 0 sentence, 1 list item, 2 table row, 3 code block.
    form,
    /// How the passage refers to the name: 4 it is an entry for the name, 3 it begins with the name, 2 it contains the name,
    /// 1 it contains all words of the name, 0 otherwise.
    reference,
    /// What the qualifier before the name refers to: 0 nothing, 1 the project, 2 the owner.
    whose,
    /// Number of sentences before it in its paragraph.
    number,
    /// Number of passages since the last one in the section that contains the name: 0 for such a passage, at most 9.
    since,
    /// Share of its bytes that are code.
    code,
    /// Share of its words that the definition contains.
    overlap,
    /// Kind of the subject: 0 used here, 1 value, 2 function, 3 method, 4 type.
    kind,
    /// Number of sections that contain the name in code, logarithmic.
    mentions,
    /// Number of other symbols with the name, logarithmic.
    namesakes,
    /// Share of the subject's siblings that code in the documentation uses.
    kin_called,
}

/// Number of passages to read after one that contains the name.
const N_AFTER: usize = 4;

/// Number of passages to read at the beginning of a section.
const N_FIRST: usize = 12;

/// Maximum bytes of the comment and of the definition to compare passages with.
const MAX_COMMENT_BYTES: usize = 400;
const MAX_CODE_BYTES: usize = 600;

/// Computes the features of passages for a subject.
pub(super) struct Reading<'a> {
    library: &'a Library,
    subject: &'a Subject,
    /// The name and its aliases.
    names: Vec<&'a str>,
    /// Stems of the words of the name.
    stems: Vec<String>,
    /// Stems of the words of the comment and the definition.
    code_stems: BTreeSet<String>,
    /// Embedding of the comment and the definition.
    query: Embedding,
    /// Their similarity to each section …
    similarities: Vec<f32>,
    /// … and to all sections in the mean.
    background: f32,
    /// Number of mentions of the name in the documentation's code, at least 1.
    n_mentions: f32,
    /// The features of the subject, which all passages share.
    of_subject: Features,
}

impl<'a> Reading<'a> {
    pub(super) fn new(library: &'a Library, context: &CodeContext, subject: &'a Subject) -> Self {
        let code = code_of(context, subject);
        let owner = subject.owner.as_deref().unwrap_or_default();
        let query =
            StaticModel::builtin().query(&format!("{owner} {} {} {code}", subject.name, subject.name));
        let similarities = library.similarities(&query);
        let in_code = library.mentions(&subject.name).iter().map(|(_, mentions)| mentions.in_code());
        Self {
            names: std::iter::once(&subject.name).chain(&subject.aliases).map(String::as_str).collect(),
            stems: stems(library, &subject.name),
            code_stems: words_of(&code).iter().map(|word| root(word).to_owned()).collect(),
            query,
            background: similarities.iter().sum::<f32>() / similarities.len().max(1) as f32,
            similarities,
            n_mentions: in_code.sum::<f32>().max(1.0),
            of_subject: of_subject(library, subject),
            library,
            subject,
        }
    }

    /// The passages of all candidate sections, except those about another symbol of the same name.
    pub(super) fn passages(&self) -> Vec<Passage> {
        let sections = sections(self.library, self.subject, &self.stems, &self.similarities);
        let places = sections.into_iter().map(|at| self.library.place(at));
        let mut read: Vec<(Place<'_>, Section)> = places
            .filter(|place| !is_of_namesake(*place, self.subject))
            .map(|place| (place, self.section(place)))
            .filter(|(_, section)| section.whose != Some(Whose::Foreign))
            .collect();
        let best = |value: fn(&Features) -> f32| {
            read.iter().map(|(_, section)| value(&section.features)).fold(0.0, f32::max)
        };
        let (heading, similarity) = (best(|of| of.heading), best(|of| of.similarity));
        for (_, section) in &mut read {
            section.features.heading_behind = heading - section.features.heading;
            section.features.similarity_behind = similarity - section.features.similarity;
        }
        read.iter().flat_map(|(place, section)| self.of_section(*place, section)).collect()
    }

    fn section(&self, place: Place<'_>) -> Section {
        let (library, section) = (self.library, place.section);
        let in_heading = share_of_stems(&self.stems, place, false);
        let mut features = Features { heading: self.heading(place, in_heading), ..self.of_subject };
        if in_heading >= 1.0 {
            let is_own = |stem: &&String| self.stems.iter().any(|own| is_stem_alike(own, stem));
            let n_own = section.heading_stems.iter().filter(is_own).count();
            features.heading_share = n_own as f32 / section.heading_stems.len().max(1) as f32;
        }
        if in_heading > 0.0 {
            features.words_around = share_of_stems(&self.stems, place, true);
        }
        let is_call = |of: &HeadingName| of.is_call && self.is_named(&of.named.name);
        features.heading_call = flag(section.titles().any(is_call));
        features.owner_around = self.owner_around(place);
        let in_code = library.mentions_at(&self.subject.name, place.at).in_code();
        features.section_share = in_code / self.n_mentions;
        features.similarity = self.similarities[place.at] - self.background;
        features.changes = flag(is_about_changes(place));
        features.breadth = (section.n_names_in_code as f32).ln_1p();
        features.length = (section.n_words as f32).ln_1p();
        let owners = section.titles().filter(|of| self.is_named(&of.named.name)).map(|of| &of.named.owner);
        let whose =
            owners.filter(|owner| !owner.is_empty()).map(|owner| whose_is(library, self.subject, owner));
        Section { features, whose: whose.max() }
    }

    /// How the heading refers to the name; `share` of the words of the name are in it.
    fn heading(&self, place: Place<'_>, share: f32) -> f32 {
        let is_spelled = |name: &str| compact(name) == compact(&self.subject.name);
        let level = |of: &HeadingName| match (of.is_alone, self.is_named(&of.named.name)) {
            (true, true) => 4.0,
            (true, false) if is_spelled(&of.named.name) => 3.0,
            (false, true) => 2.0,
            (false, false) if is_spelled(&of.named.name) => 2.0,
            _ => 0.0,
        };
        let titled = place.section.titles().map(level).fold(0.0, f32::max);
        let has_name = place.section.heading_identifiers.contains(&self.subject.name);
        titled.max(2.0 * flag(has_name)).max(flag(share >= 1.0))
    }

    fn owner_around(&self, place: Place<'_>) -> f32 {
        let outline = &place.section.outline;
        let around =
            || outline.path.iter().chain([&outline.heading]).map(String::as_str).chain([place.page.stem()]);
        let likeness =
            |holder: &String| around().map(|text| owner_likeness(text, holder)).fold(0.0, f32::max);
        self.subject.holders().map(likeness).fold(0.0, f32::max)
    }

    fn of_section(&self, place: Place<'_>, section: &Section) -> Vec<Passage> {
        let mut found = Vec::new();
        let mut since = usize::MAX;
        for (order, statement) in statements(&place.page.text, place.section).into_iter().enumerate() {
            let Some(mut features) = self.of_statement(place, &statement, section) else { continue };
            since = if features.reference >= CONTAINS_NAME { 0 } else { since.saturating_add(1) };
            features.since = since.min(MAX_SINCE) as f32;
            if since <= N_AFTER || order < N_FIRST {
                let written = &place.page.text[statement.bytes.clone()];
                features.alike = StaticModel::builtin().document(written).cosine(&self.query);
                features.overlap = self.overlap(written);
                let is_definition = self.is_definition(&features);
                found.push(Passage { at: place.at, statement, is_definition, features });
            }
        }
        found
    }

    /// The features of a statement, except its similarity to the code; `None` if its qualifier refers to another symbol.
    fn of_statement(&self, place: Place<'_>, statement: &Statement, section: &Section) -> Option<Features> {
        let written = &place.page.text[statement.bytes.clone()];
        let is_sample = statement.form == Form::Sample;
        let defined = place.section.units.get(statement.unit).and_then(|unit| unit.defines.as_ref());
        let entry = defined.filter(|of| statement.number == 0 && !is_sample && self.is_named(&of.name));
        let reference = self.reference(written, is_sample, entry.is_some());
        let whose = if reference >= CONTAINS_NAME {
            self.whose(written, entry.map(|of| of.owner.as_str()))
        } else {
            None
        };
        if whose == Some(Whose::Foreign) {
            return None;
        }
        let n_in_code: usize = code_spans(written).map(str::len).sum();
        Some(Features {
            reference,
            whose: number(whose.or(section.whose)),
            form: f32::from(statement.form as u8),
            number: statement.number.min(MAX_SINCE) as f32,
            code: if is_sample { 1.0 } else { n_in_code as f32 / written.len().max(1) as f32 },
            ..section.features
        })
    }

    /// How a text refers to the name.
    fn reference(&self, written: &str, is_sample: bool, is_entry: bool) -> f32 {
        let has = |name: &&str| match is_sample {
            true => whole_words(written, name).next().is_some(),
            false => mentions_name(written, name),
        };
        if is_entry {
            4.0
        } else if !is_sample && self.names.iter().any(|name| begins_with(written, name)) {
            3.0
        } else if self.names.iter().any(has) {
            CONTAINS_NAME
        } else {
            flag(self.has_words(written))
        }
    }

    /// What the qualifier before the name in a text refers to; for an entry, `owner` is the qualifier of its name.
    fn whose(&self, written: &str, owner: Option<&str>) -> Option<Whose> {
        let of_entry =
            owner.filter(|owner| !owner.is_empty()).map(|owner| whose_is(self.library, self.subject, owner));
        let in_text = || self.names.iter().map(|name| whose(self.library, self.subject, name, written)).max();
        of_entry.or_else(in_text).filter(|whose| *whose != Whose::Unknown)
    }

    /// Share of the words of a text, except those of the name, that the code contains.
    fn overlap(&self, written: &str) -> f32 {
        let words = words_of(written);
        let stems = words.iter().map(|word| root(word)).filter(|stem| stem.len() > 2);
        let telling: BTreeSet<&str> =
            stems.filter(|stem| !self.stems.iter().any(|own| own == stem)).collect();
        let n_shared = telling.iter().filter(|stem| self.code_stems.contains(**stem)).count();
        n_shared as f32 / telling.len().max(FEW_WORDS) as f32
    }

    /// Whether a text contains all words of the name.
    fn has_words(&self, written: &str) -> bool {
        let words = words_of(written);
        let is_said = |stem: &String| words.iter().any(|word| is_stem_alike(stem, root(word)));
        !self.stems.is_empty() && self.stems.iter().all(is_said)
    }

    fn is_named(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn is_definition(&self, features: &Features) -> bool {
        let is_named = features.heading >= 3.0 || features.reference >= 4.0;
        let is_owned = self.subject.owner.is_none() || features.owner_around > 0.0 || features.whose >= OWN;
        is_named && is_owned
    }
}

/// Minimum value of `reference` for a passage that contains the name itself.
const CONTAINS_NAME: f32 = 2.0;

/// The value of `whose` for the subject's owner.
const OWN: f32 = 2.0;

/// Counts of passages and sentences are clipped here.
const MAX_SINCE: usize = 9;

/// Minimum denominator of shares of words: shares of fewer words mean little.
const FEW_WORDS: usize = 4;

/// A section with the features that its passages share.
struct Section {
    features: Features,
    /// What the qualifier before the name in the heading refers to.
    whose: Option<Whose>,
}

/// Whether a section is about the owner of another symbol of the same name: its heading, a parent or the page is that
/// owner's name, and none of them is the name of the subject's own owner.
fn is_of_namesake(place: Place<'_>, subject: &Subject) -> bool {
    if subject.namesakes.is_empty() {
        return false;
    }
    let title = place.page.sections.iter().find(|section| !section.outline.heading.is_empty());
    let outline = &place.section.outline;
    let headings = outline.path.iter().chain([&outline.heading]).chain(title.map(|of| &of.outline.heading));
    let texts: Vec<String> =
        headings.map(|heading| plain(heading)).chain([place.page.stem().to_owned()]).collect();
    let names: Vec<HeadingName> = texts.iter().flat_map(|text| heading_names(text)).collect();
    let is_of = |holder: &String| {
        let has_name = |of: &HeadingName| {
            of.is_alone && is_same_owner(&of.named.name, holder) || is_same_owner(&of.named.owner, holder)
        };
        texts.iter().any(|text| is_same_owner(text, holder)) || names.iter().any(has_name)
    };
    subject.namesakes.iter().any(is_of) && !subject.holders().any(is_of)
}

/// The comment and the definition of a subject.
fn code_of(context: &CodeContext, subject: &Subject) -> String {
    let code = if subject.definition.is_empty() { &context.selected_text } else { &subject.definition };
    let comment = subject.comment.as_ref().map(|comment| comment.text.as_str()).unwrap_or_default();
    format!("{}\n{}", clipped(comment, MAX_COMMENT_BYTES), clipped(code, MAX_CODE_BYTES))
}

fn of_subject(library: &Library, subject: &Subject) -> Features {
    let n_in_code =
        library.mentions(&subject.name).iter().filter(|(_, mentions)| mentions.in_code() > 0.0).count();
    Features {
        kind: match subject.kind {
            None => 0.0,
            Some(ChunkKind::Function) => 2.0,
            Some(ChunkKind::Method) => 3.0,
            Some(
                ChunkKind::Class
                | ChunkKind::Module
                | ChunkKind::Interface
                | ChunkKind::Enum
                | ChunkKind::Type,
            ) => 4.0,
            Some(_) => 1.0,
        },
        mentions: (n_in_code as f32).ln_1p(),
        namesakes: (subject.namesakes.len() as f32).ln_1p(),
        kin_called: kin_called(library, subject),
        ..Features::default()
    }
}

/// Maximum number of siblings to look for, and minimum denominator of their share.
const MAX_SIBLINGS: usize = 80;
const FEW_SIBLINGS: usize = 4;

/// Share of the subject's siblings that the documentation's code calls or accesses as members.
fn kin_called(library: &Library, subject: &Subject) -> f32 {
    let siblings = || subject.siblings.iter().take(MAX_SIBLINGS);
    let is_used = |name: &&String| library.mentions(name).iter().any(|(_, mentions)| mentions.uses > 0);
    siblings().filter(is_used).count() as f32 / siblings().count().max(FEW_SIBLINGS) as f32
}

fn number(whose: Option<Whose>) -> f32 {
    match whose {
        None | Some(Whose::Foreign | Whose::Unknown) => 0.0,
        Some(Whose::Project) => 1.0,
        Some(Whose::Own) => OWN,
    }
}

fn flag(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}
