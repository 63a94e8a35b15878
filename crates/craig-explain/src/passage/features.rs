//! What speaks for a passage: numbers about its section, about itself, and about the name.

use std::collections::{BTreeMap, BTreeSet};

use craig_chunk::ChunkKind;
use craig_model::{Embedding, StaticModel};
use craig_text::{compact, root, whole_words};

use super::Passage;
use super::candidates::{share_of_stems, stems};
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
        /// What speaks for a passage.
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
    /// How the heading says the name: 4 it is the name, 3 another spelling of it, 2 it has it among other words, 1 it has
    /// all of its words, 0 otherwise.
    heading,
    /// The best heading of all candidates, less this one.
    heading_behind,
    /// Share of the heading's words that are the name's.
    heading_share,
    /// Share of the name's words that the heading and what is above it have.
    words_around,
    /// How like the owner the heading, one above or the page is.
    owner_around,
    /// The page's share of all that is said of the name in code.
    page_share,
    /// The section's.
    section_share,
    /// Cosine of the code and the section, above the mean of all sections.
    similarity,
    /// The best similarity of all candidates, less this one.
    similarity_behind,
    /// Cosine of the code and the passage.
    alike,
    /// It is about changes.
    changes,
    /// Names that the section has in code, logarithmic.
    breadth,
    /// Its length in words, logarithmic.
    length,
    /// 0 sentence, 1 item of a list, 2 row of a table, 3 sample.
    form,
    /// How it says the name: 4 it begins with it as an entry, 3 it begins with it, 2 it has it, 1 it has its words, 0 otherwise.
    says,
    /// Whose name it says: 0 nobody's, 1 the project's, 2 the owner's.
    whose,
    /// Sentences of its paragraph before it.
    number,
    /// Passages since one said the name, in the same section: 0 for itself, at most 9.
    since,
    /// Share of it that is code.
    code,
    /// Share of its words that the definition has, too.
    overlap,
    /// 0 used here, 1 value, 2 function, 3 method, 4 type.
    kind,
    /// Sections that say the name in code, logarithmic.
    mentions,
    /// Other things of the name, logarithmic.
    namesakes,
    /// Share of the names beside it that the documentation uses.
    kin_called,
}

/// Passages that are read after one that says the name.
const N_AFTER: usize = 4;

/// Passages that are read at the beginning of a section.
const N_FIRST: usize = 12;

/// Bytes of the comment and of the definition that passages are compared with.
const MAX_COMMENT_BYTES: usize = 400;
const MAX_CODE_BYTES: usize = 600;

/// Reads sections for what they say of a subject.
pub(super) struct Reading<'a> {
    library: &'a Library,
    subject: &'a Subject,
    /// What the subject is called, the exact name first.
    names: Vec<&'a str>,
    /// Stems of its words.
    stems: Vec<String>,
    /// Stems of the words of its comment and definition.
    code_stems: BTreeSet<String>,
    /// Its comment and definition, embedded.
    query: Embedding,
    /// How like these each section is, and all of them in the mean.
    similarities: Vec<f32>,
    background: f32,
    /// How much each page says of the name in code, and all of them together.
    mentions_by_page: BTreeMap<usize, f32>,
    n_mentions: f32,
    /// The features that all passages share.
    of_subject: Features,
}

impl<'a> Reading<'a> {
    pub(super) fn new(library: &'a Library, context: &CodeContext, subject: &'a Subject) -> Self {
        let code = code_of(context, subject);
        let owner = subject.owner.as_deref().unwrap_or_default();
        let query =
            StaticModel::builtin().query(&format!("{owner} {} {} {code}", subject.name, subject.name));
        let similarities = library.similarities(&query);
        let mut mentions_by_page: BTreeMap<usize, f32> = BTreeMap::new();
        for (at, mentions) in library.mentions(&subject.name) {
            *mentions_by_page.entry(library.page_of(*at as usize)).or_default() += mentions.in_code();
        }
        Self {
            names: std::iter::once(&subject.name).chain(&subject.aliases).map(String::as_str).collect(),
            stems: stems(library, &subject.name),
            code_stems: words_of(&code).iter().map(|word| root(word).to_owned()).collect(),
            query,
            background: similarities.iter().sum::<f32>() / similarities.len().max(1) as f32,
            similarities,
            n_mentions: mentions_by_page.values().sum::<f32>().max(1.0),
            mentions_by_page,
            of_subject: of_subject(library, subject),
            library,
            subject,
        }
    }

    pub(super) fn similarities(&self) -> &[f32] {
        &self.similarities
    }

    /// The passages of sections, with what speaks for each; none of what is about something else of the same name.
    pub(super) fn passages(&self, sections: &[usize]) -> Vec<Passage> {
        let places = sections.iter().map(|&at| self.library.place(at));
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
        let mut features = Features { heading: self.heading(place), ..self.of_subject };
        let in_heading = share_of_stems(&self.stems, place, false);
        if in_heading >= 1.0 {
            let is_own = |stem: &&String| self.stems.iter().any(|own| is_stem_alike(own, stem));
            let n_own = section.heading_stems.iter().filter(is_own).count();
            features.heading_share = n_own as f32 / section.heading_stems.len().max(1) as f32;
        }
        if in_heading > 0.0 {
            features.words_around = share_of_stems(&self.stems, place, true);
        }
        features.owner_around = self.owner_around(place);
        let page = library.page_of(place.at);
        let in_code = library.mentions_at(&self.subject.name, place.at).in_code();
        features.page_share = self.mentions_by_page.get(&page).copied().unwrap_or_default() / self.n_mentions;
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

    /// How the heading says the name.
    fn heading(&self, place: Place<'_>) -> f32 {
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
        let has_words = share_of_stems(&self.stems, place, false) >= 1.0;
        titled.max(2.0 * flag(has_name)).max(flag(has_words))
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
            since = if features.says >= SAYS { 0 } else { since.saturating_add(1) };
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

    /// What speaks for a statement, but for how like the code it is; nothing if it says the name of something else.
    fn of_statement(&self, place: Place<'_>, statement: &Statement, section: &Section) -> Option<Features> {
        let written = &place.page.text[statement.bytes.clone()];
        let is_sample = statement.form == Form::Sample;
        let defined = place.section.units.get(statement.unit).and_then(|unit| unit.defines.as_ref());
        let entry = defined.filter(|of| statement.number == 0 && !is_sample && self.is_named(&of.named.name));
        let says = self.says(written, is_sample, entry.is_some());
        let whose =
            if says >= SAYS { self.whose(written, entry.map(|of| of.named.owner.as_str())) } else { None };
        if whose == Some(Whose::Foreign) {
            return None;
        }
        let n_in_code: usize = code_spans(written).map(str::len).sum();
        Some(Features {
            says,
            whose: number(whose.or(section.whose)),
            form: f32::from(statement.form as u8),
            number: statement.number.min(MAX_SINCE) as f32,
            code: if is_sample { 1.0 } else { n_in_code as f32 / written.len().max(1) as f32 },
            ..section.features
        })
    }

    /// How a text says the name.
    fn says(&self, written: &str, is_sample: bool, is_entry: bool) -> f32 {
        let has = |name: &&str| match is_sample {
            true => whole_words(written, name).next().is_some(),
            false => mentions_name(written, name),
        };
        if is_entry {
            4.0
        } else if !is_sample && self.names.iter().any(|name| begins_with(written, name)) {
            3.0
        } else if self.names.iter().any(has) {
            SAYS
        } else {
            flag(self.has_words(written))
        }
    }

    /// Whose name a text has, as far as what stands before it tells; of an entry, what stands before the name that it begins with.
    fn whose(&self, written: &str, owner: Option<&str>) -> Option<Whose> {
        let of_entry =
            owner.filter(|owner| !owner.is_empty()).map(|owner| whose_is(self.library, self.subject, owner));
        let in_text = || self.names.iter().map(|name| whose(self.library, self.subject, name, written)).max();
        of_entry.or_else(in_text).filter(|whose| *whose != Whose::Unknown)
    }

    /// Share of the words of a text that the code has, too, less those of the name.
    fn overlap(&self, written: &str) -> f32 {
        let words = words_of(written);
        let stems = words.iter().map(|word| root(word)).filter(|stem| stem.len() > 2);
        let telling: BTreeSet<&str> =
            stems.filter(|stem| !self.stems.iter().any(|own| own == stem)).collect();
        let n_shared = telling.iter().filter(|stem| self.code_stems.contains(**stem)).count();
        n_shared as f32 / telling.len().max(FEW_WORDS) as f32
    }

    /// Whether a text has all words of the name.
    fn has_words(&self, written: &str) -> bool {
        let words = words_of(written);
        let is_said = |stem: &String| words.iter().any(|word| is_stem_alike(stem, root(word)));
        !self.stems.is_empty() && self.stems.iter().all(is_said)
    }

    fn is_named(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn is_definition(&self, features: &Features) -> bool {
        let is_named = features.heading >= 3.0 || features.says >= 4.0;
        let is_owned = self.subject.owner.is_none() || features.owner_around > 0.0 || features.whose >= OWN;
        is_named && is_owned
    }
}

/// From this value of `says` on, a passage has the name itself.
const SAYS: f32 = 2.0;

/// The value of `whose` that stands for the subject's owner.
const OWN: f32 = 2.0;

/// Passages and sentences are counted so far.
const MAX_SINCE: usize = 9;

/// Shares of fewer words say little.
const FEW_WORDS: usize = 4;

/// A section that is read.
struct Section {
    features: Features,
    /// Whose name the heading has, as far as it tells.
    whose: Option<Whose>,
}

/// Whether a section is about something else that has something of the subject's name: its heading, one above or the page's is
/// the name of that, and none is that of what the subject belongs to.
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

/// Most names beside the subject that are looked for, and fewest of which a share says something.
const MAX_SIBLINGS: usize = 80;
const FEW_SIBLINGS: usize = 4;

/// Share of the names beside the subject that the documentation calls, or reads as members.
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
