//! What speaks for a place explaining a subject: few numbers of the quote, the section and the subject.

use std::collections::HashMap;

use craig_chunk::ChunkKind;
use craig_model::StaticModel;
use craig_text::path;

use crate::candidates::{Candidate, Form, Spelling};
use crate::context::{CodeContext, Subject, clipped, is_same_owner, owner_likeness};
use crate::library::{Library, Place};
use crate::names::{code_spans, is_in_span, is_plain_word, words_of};
use crate::page::HeadingName;
use crate::page::heading_names;
use crate::sentence::n_words;
use crate::whose::{Whose, headings, occurrences};

macro_rules! features {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// What speaks for one place.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Features {
            $($(#[$doc])* pub $field: f32,)*
        }

        /// Names of the features, in order.
        pub const FEATURES: &[&str] = &[$(stringify!($field)),*];

        impl Features {
            /// The values in order of the names.
            pub fn to_array(self) -> [f32; FEATURES.len()] {
                [$(self.$field),*]
            }
        }
    };
}

features! {
    /// 0: a sentence says the name; 1: the heading has it; 2: an entry begins with it; 3: the heading is it.
    form,
    /// 0: the words of a heading; 1: another case; 2: an alias; 3: as in the code.
    spelling,
    /// Words before the name in the first quote; 20 if it is not there.
    position,
    /// The first quote has the name as code.
    in_code,
    /// Arguments follow the name.
    is_call,
    /// 0: what stands before the name's dot is another owner; 1: nothing does; 2: the project; 3: its own.
    whose,
    /// Words of the quotes, logarithmic.
    n_words,
    /// Other code in the first quote, logarithmic.
    n_spans,
    /// How like the owner, or the file of what has none, the headings above, the page or its folder are.
    owner_around,
    /// By how much more the surroundings of another heading or entry that is the name are like the owner.
    owner_gap,
    /// A heading above is the name of another type.
    other_type,
    /// Share of the names beside the subject that the page has headings or entries for.
    kin,
    /// The page or a heading above is about changes.
    is_history,
    /// Words of rare folders and names that both paths have.
    affinity,
    /// Cosine of the code and the section, above the mean of all sections.
    similarity,
    /// Level of the heading.
    level,
    /// The name has an owner.
    is_member,
    /// It is a word of the language, too.
    is_plain_word,
    /// Words in it.
    name_words,
    /// 0: defined elsewhere; 1: a value; 2: a type; 3: a function.
    kind,
    /// The file exports it.
    is_exported,
    /// Its spelling says that it is private.
    is_private,
    /// Sections that say it in code, logarithmic.
    n_sections,
    /// Headings and entries that are the name, logarithmic.
    n_rivals,
    /// The section's share of all that is said of the name in code.
    share,
}

/// Words before a name that is not in the first quote.
const NOT_THERE: f32 = 20.0;

/// The features of each candidate.
pub(crate) fn features(
    library: &Library,
    context: &CodeContext,
    subject: &Subject,
    candidates: &[Candidate],
) -> Vec<Features> {
    if candidates.is_empty() {
        return Vec::new();
    }
    let about = About::new(library, context, subject, candidates);
    let mut found: Vec<Features> = candidates.iter().map(|one| about.features(one)).collect();
    let is_name = |one: &Features| one.form >= f32::from(Form::Entry as u8);
    let best = found.iter().filter(|one| is_name(one)).map(|one| one.owner_around).fold(0.0, f32::max);
    found.iter_mut().for_each(|one| one.owner_gap = (best - one.owner_around).max(0.0));
    found
}

/// What is the same for all candidates.
struct About<'a> {
    library: &'a Library,
    subject: &'a Subject,
    of_subject: Features,
    /// What the subject belongs to: its owner and what that extends, or its file.
    owners: Vec<String>,
    code_path_words: Vec<String>,
    similarities: Vec<f32>,
    background: f32,
    n_mentions: f32,
    /// By the place of the page.
    kin: HashMap<usize, f32>,
}

impl<'a> About<'a> {
    fn new(
        library: &'a Library,
        context: &CodeContext,
        subject: &'a Subject,
        candidates: &[Candidate],
    ) -> Self {
        let similarities = library.similarities(&StaticModel::builtin().query(&query_text(context, subject)));
        let mentions = library.mentions(&subject.name);
        let in_code = mentions.iter().filter(|(_, m)| m.code > 0).count();
        let rivals = candidates.iter().filter(|one| matches!(one.form, Form::Heading | Form::Entry)).count();
        let owners = subject.holders().chain(&subject.package).cloned().collect();
        Self {
            of_subject: Features {
                is_member: flag(subject.owner.is_some()),
                is_plain_word: flag(is_plain_word(&subject.name)),
                name_words: words_of(&subject.name).len() as f32,
                kind: kind(subject),
                is_exported: flag(subject.is_exported),
                is_private: flag(subject.is_private),
                n_sections: (in_code as f32).ln_1p(),
                n_rivals: (rivals as f32).ln_1p(),
                ..Features::default()
            },
            owners,
            code_path_words: crate::library::path_words_of(&context.file_name),
            background: similarities.iter().sum::<f32>() / similarities.len().max(1) as f32,
            similarities,
            n_mentions: mentions.iter().map(|(_, m)| f32::from(m.code)).sum::<f32>().max(1.0),
            kin: kin(library, &subject.siblings),
            library,
            subject,
        }
    }

    fn features(&self, one: &Candidate) -> Features {
        let place = self.library.place(one.at);
        let first = &place.page.text[one.quotes[0].clone()];
        let n_words: usize = one.quotes.iter().map(|bytes| n_words(&place.page.text[bytes.clone()])).sum();
        let (position, in_code) = self.position(first);
        let words = crate::library::path_words_of(&place.page.path);
        let shared = words.iter().filter(|word| self.code_path_words.contains(word));
        Features {
            form: one.form as u8 as f32,
            spelling: one.spelling as u8 as f32,
            position,
            in_code,
            is_call: flag(one.is_call),
            whose: one.whose as u8 as f32,
            n_words: (n_words as f32).ln_1p(),
            n_spans: (code_spans(first).count() as f32).ln_1p(),
            owner_around: self.owner_around(place),
            other_type: flag(self.is_of_other_type(place)),
            kin: self.kin.get(&self.library.page_of(one.at)).copied().unwrap_or_default(),
            is_history: flag(is_history(place)),
            affinity: shared.map(|word| self.library.path_rarity(word)).sum(),
            similarity: self.similarities[one.at] - self.background,
            level: f32::from(place.section.outline.level),
            share: f32::from(self.library.mentions_at(&self.subject.name, one.at).code) / self.n_mentions,
            ..self.of_subject
        }
    }

    /// Words before the name in a text, and whether it stands there as code.
    fn position(&self, text: &str) -> (f32, f32) {
        let names = std::iter::once(&self.subject.name).chain(&self.subject.aliases);
        let found = names.filter_map(|name| occurrences(text, name).next()).min();
        found.map_or((NOT_THERE, 0.0), |at| {
            ((n_words(&text[..at]) as f32).min(NOT_THERE), flag(is_in_span(text, at)))
        })
    }

    /// How like what the subject belongs to is what the page, its folder and the headings around are called.
    fn owner_around(&self, place: Place<'_>) -> f32 {
        let written = headings(place).flat_map(|heading| {
            let named = heading_names(&heading).into_iter();
            named.flat_map(|of| [of.named.owner, of.named.name]).chain([heading]).collect::<Vec<_>>()
        });
        let folder = path::name(path::folder(&place.page.path)).to_owned();
        let around = written.chain([place.page.stem().to_owned(), folder]);
        let likeness =
            |text: String| self.owners.iter().map(|owner| owner_likeness(&text, owner)).fold(0.0, f32::max);
        around.filter(|text| !text.is_empty()).map(likeness).fold(0.0, f32::max)
    }

    /// Whether a heading around is the name of a type that the subject has nothing to do with.
    fn is_of_other_type(&self, place: Place<'_>) -> bool {
        let is_type = |of: &HeadingName| {
            of.is_alone && of.named.name.starts_with(char::is_uppercase) && !is_plain_word(&of.named.name)
        };
        let is_own = |of: &HeadingName| {
            is_same_owner(&of.named.name, &self.subject.name)
                || self.library.is_project(&of.named.name)
                || self.owners.iter().any(|owner| owner_likeness(&of.named.name, owner) > 0.3)
        };
        let named: Vec<HeadingName> = headings(place).flat_map(|heading| heading_names(&heading)).collect();
        named.iter().any(is_type) && !named.iter().any(is_own)
    }
}

fn kind(subject: &Subject) -> f32 {
    match subject.kind {
        None => 0.0,
        Some(ChunkKind::Function | ChunkKind::Method) => 3.0,
        Some(
            ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum | ChunkKind::Type | ChunkKind::Module,
        ) => 2.0,
        Some(_) => 1.0,
    }
}

/// Most names beside the subject that are looked for.
const MAX_SIBLINGS: usize = 80;

/// Fewer names than this say little of a page: shares are of at least so many.
const FEW_SIBLINGS: usize = 4;

/// Share of the names that each page has headings or entries for.
fn kin(library: &Library, siblings: &[String]) -> HashMap<usize, f32> {
    let mut pages: HashMap<usize, f32> = HashMap::new();
    let n = siblings.len().clamp(FEW_SIBLINGS, MAX_SIBLINGS) as f32;
    for name in siblings.iter().take(MAX_SIBLINGS) {
        let mut named: Vec<usize> =
            library.named(name).iter().map(|&at| library.page_of(at as usize)).collect();
        named.dedup();
        named.into_iter().for_each(|page| *pages.entry(page).or_default() += 1.0 / n);
    }
    pages
}

/// Whether a section is about changes, by the name of its page, its title or a heading above.
pub(crate) fn is_history(place: Place<'_>) -> bool {
    let title = place.page.sections.iter().find(|section| !section.outline.heading.is_empty());
    let title = title.map(|section| section.outline.heading.as_str());
    let headings = place.section.outline.path.iter().map(String::as_str).chain(title);
    let mut words = headings.chain([place.page.path.as_str()]).flat_map(words_of);
    words.any(|word| CHANGES.contains(&word.as_str()))
}

/// Words that name changes between versions, and plans.
const CHANGES: &[&str] = &[
    "changelog",
    "changes",
    "history",
    "migrating",
    "migration",
    "upgrading",
    "upgrade",
    "deprecations",
    "whatsnew",
    "breaking",
    "release",
    "releases",
    "news",
    "blog",
    "roadmap",
    "proposals",
    "rfcs",
    "plan",
];

fn query_text(context: &CodeContext, subject: &Subject) -> String {
    let owner = subject.owner.as_deref().unwrap_or_default();
    let code = if subject.definition.is_empty() { &context.selected_text } else { &subject.definition };
    format!("{owner} {} {} {}", subject.name, subject.name, clipped(code, 600))
}

fn flag(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

const _: () = assert!(FEATURES.len() <= 25, "few features, each of them measured");
const _: () = assert!(Whose::Own as u8 == 3 && Spelling::Exact as u8 == 3 && Form::Heading as u8 == 3);
