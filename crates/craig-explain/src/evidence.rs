//! What speaks for a section being the one that documents a name: features, each on its own, never fused.

mod kin;

use std::collections::HashMap;

use craig_model::StaticModel;

use crate::context::{CodeContext, Subject, clipped, is_same_owner, owner_likeness};
use crate::library::{Library, Place, path_words_of};
use crate::names::{is_stem_alike, qualified, words_of};
use crate::page::{HeadingName, Mentions};

use self::kin::Kin;
use craig_text::{PathRole, compact, root};

/// Most sections that are looked at for one name.
const MAX_CANDIDATES: usize = 300;

/// Sections that are looked at because their text is like the code.
const N_ALIKE: usize = 5;

macro_rules! features {
    ($(#[$of:meta])* $name:ident, $names:ident, $size:ident: $($(#[$doc:meta])* $field:ident),* $(,)?) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: f32,)*
        }

        /// Names of the features, in order.
        pub const $names: &[&str] = &[$(stringify!($field)),*];

        /// Number of the features.
        pub const $size: usize = $names.len();

        impl $name {
            /// The values in order of the names.
            pub fn to_array(self) -> [f32; $size] {
                [$(self.$field),*]
            }
        }
    };
}

features! {
    /// What speaks for one section.
    SectionFeatures, SECTION_FEATURES, N_SECTION_FEATURES:
    /// The heading is the name and nothing else.
    heading_is_name,
    /// The heading is another spelling of the name.
    heading_is_spelling,
    /// A code span of the heading begins with the name.
    heading_leads,
    /// The heading has the name as a word.
    heading_has,
    /// Share of the heading's words that are the name's, when it has all of them.
    heading_words,
    /// The heading is an alias of the name.
    heading_is_alias,
    /// The heading gives the name the owner that the code gives it.
    heading_owner,
    /// The heading gives it an ancestor of that owner.
    heading_ancestor,
    /// The heading gives the name another owner.
    heading_other_owner,
    /// The heading gives an owner to a name that has none in code.
    heading_extra_owner,
    /// The page is called like the owner.
    page_is_owner,
    /// The page is called like the file of the code.
    page_is_module,
    /// A heading above is the owner.
    above_is_owner,
    /// A heading above or the page is an ancestor of the owner.
    above_is_ancestor,
    /// The page is called like the name.
    page_is_name,
    /// A heading above is the name.
    above_is_name,
    /// It is the first heading of a page that is called like the name.
    title_of_page,
    /// The heading is the owner.
    heading_is_owner,
    /// The heading has the owner's words: "Block-level renderer methods".
    heading_names_owner,
    /// Share of the owner's words that headings above or the path have, by their beginnings: `Migrator` in "Migration API".
    above_names_owner,
    /// Anything of the section, the page or the headings above speaks of the owner.
    owned,
    /// The name has an owner, and nothing here speaks of it.
    unowned,
    /// The heading is the name, and the owner is spoken of.
    heading_owned,
    /// The heading is the name of another owner, and nothing here speaks of this one.
    heading_unowned,
    /// The heading is the name of something that its file keeps to itself.
    heading_of_unexported,
    /// It defines the name, and the owner is spoken of.
    defines_owned,
    /// It says the name in prose alone.
    only_prose,
    /// It says the name in code, but neither the heading nor a definition is about it.
    only_mentions,
    /// Arguments follow the name in the heading.
    heading_is_call,
    /// The heading has the name behind a dot or an owner.
    heading_is_member,
    /// How like the owner in the heading is that of the code.
    heading_owner_likeness,
    /// The heading gives the name no owner, or the project, and the owner in code is called like the project.
    heading_implied,
    /// Share of the names beside the subject that the page has headings for, or defines.
    page_kin,
    /// Share of the names beside the subject that the section is about, or defines.
    section_kin,
    /// The heading is the name, times the share of those beside it on the page.
    heading_with_kin,
    /// It defines the name, times the share of those beside it in the section.
    defines_with_kin,
    /// It says the owner in code.
    owner_in_code,
    /// Lists, tables or paragraphs begin with the name and arguments.
    signatures,
    /// The name has arguments, and is a function.
    callable_fits,
    /// The name has arguments, and is no function.
    callable_differs,
    /// Names that it defines, logarithmic.
    listing,
    /// A list, table or paragraph begins with the name as code.
    defines,
    /// Code spans that begin with the name, logarithmic.
    leads,
    /// Code spans with the name, logarithmic.
    spans,
    /// Code blocks with the name, logarithmic.
    fences,
    /// The name as a word of the prose, logarithmic.
    prose,
    /// Mentions with the owner before it, logarithmic.
    qualified,
    /// The first lines say the name.
    early,
    /// Only other spellings of it occur.
    only_spelling,
    /// Mentions of the owner, logarithmic.
    owner_mentions,
    /// Share of all mentions of the name.
    share,
    /// Cosine of the selection and the section, above the mean of all sections.
    similarity,
    /// Words of rare folders and names that both paths have.
    affinity,
    /// Level of the heading.
    level,
    /// Length in words, logarithmic.
    length,
    /// It has no prose.
    is_empty,
    /// It is what stands before the first heading.
    is_preamble,
    /// The page, or a heading above, is about changes: release notes, migrations.
    is_history,
    /// Its heading is the name, and it is about changes.
    heading_in_history,
    /// The page is a reference.
    is_reference,
    /// The page is the README.
    is_readme,
    /// The page is about working on the project.
    is_internal,
    /// The kind that the heading or its folder names is that of the symbol.
    kind_fits,
    /// The heading or its folder names another kind.
    kind_differs,
    /// Depth of the page in folders.
    depth,
    /// Share of the name's words that the heading has by their stems.
    heading_stems,
    /// Share of the name's words that the heading, those above or the path have by their stems, when the heading has one.
    stems_around,
    /// It has the name's words only, and never says it.
    only_stems,
    /// Code spans of which the prose around says what to do with the name, or what it is, logarithmic.
    described,
    /// In code before arguments, logarithmic.
    calls,
    /// In code behind a dot, logarithmic.
    members,
    /// In code behind the dot of an owner that is neither its own nor that of the names beside it, logarithmic.
    foreign,
    /// Mentions in code and prose by length, logarithmic.
    density,
    /// It is the first section of its page that says the name in code.
    is_first_on_page,
    /// Share of the names beside the subject that belong to what it belongs to here, as the documentation has it.
    owner_kin,
    /// The heading is the name, times that.
    heading_with_owner_kin,
    /// Share of the names beside the subject that the pages of the folder are about.
    folder_kin,
    /// Share of its runs of prose that are links and nothing else: a table of contents.
    contents,
    /// Share of all calls of the name, and of what is read behind a dot, that the section has.
    use_share,
    /// It uses the name as the code defines it: a method behind a dot, a function before arguments and behind none.
    use_fits,
    /// Cells of tables behind the first of their row that begin with the name, logarithmic.
    other_cells,
    /// Rows of its tables, logarithmic.
    rows,
    /// Names that it says in code, logarithmic: who speaks of many is about none.
    breadth,
    /// The page's share of all mentions of the name in code.
    page_share,
    /// The same for the first section of the page that says the name in code: it introduces it.
    introduces,
    /// The section right above is about the name by its heading, and has hardly any text of its own.
    below_empty,
    /// The page compares, answers what is often asked, or lists what others made.
    is_aside,
    /// The page is one of samples.
    is_sample,
    /// It begins the page that is called like the file of the code, and the name has a word of the file's:
    /// `stderrAppender` in `stderr.js`.
    introduces_module,
    /// It begins a page that has the name's words in its title and path.
    introduces_words,
    /// Share of the heading's words that are the name's by their stems, when it has all of them but the project's.
    heading_core_words,
}

features! {
    /// What is known of the name that is asked about, whatever the sections say.
    SubjectFeatures, SUBJECT_FEATURES, N_SUBJECT_FEATURES:
    /// The file exports it.
    is_exported,
    /// Its spelling says that it is private.
    is_private,
    /// It belongs to a class or object.
    has_owner,
    /// The documentation says the owner as code.
    owner_is_known,
    /// The owner has a heading.
    owner_has_heading,
    /// Words in it.
    n_words,
    /// Characters in it, logarithmic.
    length,
    /// It is a single lower-case word.
    is_plain_word,
    /// How much of what the documentation says of it is prose.
    prose_share,
    /// Sections that say it, logarithmic.
    n_sections,
    /// Sections whose heading is it, logarithmic.
    n_headings,
    /// Whether any heading names it with the owner of the code.
    has_owned_heading,
    /// Mentions with its owner before it anywhere, logarithmic.
    qualified,
    /// The owner, or else the module, is called like the project.
    is_of_project,
    /// Names beside it in code, logarithmic.
    n_siblings,
    /// The largest share of the names beside it that one page is about.
    best_kin,
    /// It is a function.
    is_function,
    /// It is a method.
    is_method,
    /// It is a class.
    is_class,
    /// It is a type or an interface.
    is_type,
    /// It is a constant or a property.
    is_constant,
    /// It is only used here, and defined elsewhere.
    is_use,
    /// The path of the code says that it is internal.
    is_internal_path,
    /// The path of the code says that it is a test or an example.
    is_test_path,
    /// It is deep in folders.
    depth,
    /// Calls of it in the documentation's code, logarithmic.
    calls,
    /// Code spans that prose describes, logarithmic.
    described,
    /// Sections that say it in code, logarithmic.
    n_in_code,
    /// Share of the names beside it that the documentation calls, or reads as members.
    kin_called,
    /// The largest share of the names beside it that belong to one thing that it belongs to in the documentation.
    best_owner_kin,
    /// The documentation calls it, times that share of the names beside it.
    called_with_kin,
    /// Share of its mentions behind a dot that are of other owners.
    foreign_share,
}

/// A section that may document a subject.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its place in the library.
    pub at: usize,
    /// What speaks for it.
    pub features: SectionFeatures,
}

/// What is known of one subject.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Of the name itself.
    pub subject: SubjectFeatures,
    /// Of sections that say the name, in file order.
    pub candidates: Vec<Candidate>,
}

impl Evidence {
    /// What speaks for the section at a place in the library: nothing if it is no candidate.
    pub(crate) fn features_at(&self, at: usize) -> SectionFeatures {
        self.candidates.iter().find(|one| one.at == at).map_or_else(Default::default, |one| one.features)
    }
}

/// Gathers what the library has on a subject.
pub fn evidence(library: &Library, context: &CodeContext, subject: &Subject) -> Evidence {
    let gathering = Gathering::new(library, context, subject);
    let mut candidates: Vec<Candidate> = gathering
        .sections()
        .into_iter()
        .map(|at| Candidate { at, features: gathering.features(library.place(at)) })
        .collect();
    let total: f32 = candidates.iter().map(|one| mass(&one.features)).sum();
    for one in &mut candidates {
        one.features.share = if total > 0.0 { mass(&one.features) / total } else { 0.0 };
    }
    Evidence { subject: gathering.subject_features(&candidates), candidates }
}

fn mass(features: &SectionFeatures) -> f32 {
    features.spans
        + features.leads
        + features.fences
        + features.prose
        + 3.0 * features.defines
        + 4.0 * features.heading_is_name
}

/// What the documentation says a name belongs to.
struct DocumentedOwner {
    /// `owner.name`, as pages count it.
    qualified: String,
    /// Normalised.
    owner: String,
    /// Share of the names beside the subject that belong to it, too.
    kin: f32,
    /// Whether it is neither the owner in code, nor like it, nor that of the names beside the subject.
    is_foreign: bool,
}

/// Behind which owners' dots a section has the name.
#[derive(Clone, Copy, Default)]
struct OwnedUse {
    /// The largest share of the names beside the subject that belong to one of them, too.
    kin: f32,
    /// How often behind those of others.
    n_foreign: f32,
}

struct Gathering<'a> {
    library: &'a Library,
    context: &'a CodeContext,
    subject: &'a Subject,
    spellings: Vec<String>,
    words: Vec<String>,
    /// Stems of the name's words, without the project's where others are left: `Request Config` describes
    /// `AxiosRequestConfig`.
    stems: Vec<String>,
    /// Calls of the name in the documentation's code, and mentions behind a dot.
    n_used: f32,
    /// How much each page says of the name in code, by its place among the documents, and all of them together.
    mentions_by_page: HashMap<usize, f32>,
    n_mentions: f32,
    /// What the documentation says the name belongs to, each with the share of the names beside it that do, too.
    documented_owners: Vec<DocumentedOwner>,
    /// By the place of the section.
    uses: HashMap<usize, OwnedUse>,
    /// How like the code each section is, and all of them in the mean.
    similarities: Vec<f32>,
    background: f32,
    code_path_words: Vec<String>,
    /// What the file of the code is called, or its folder where that says more.
    module: String,
    /// Whether the owner, or else the module, is called like the project.
    is_of_project: bool,
    kin: Kin,
}

impl<'a> Gathering<'a> {
    fn new(library: &'a Library, context: &'a CodeContext, subject: &'a Subject) -> Self {
        let query = StaticModel::builtin().query(&query_text(context, subject));
        let similarities = library.similarities(&query);
        let background = similarities.iter().sum::<f32>() / similarities.len().max(1) as f32;
        let module = module_name(&context.file_name);
        let owner = subject.owner.as_deref().unwrap_or(&module);
        let kin = Kin::from_siblings(library, &subject.siblings);
        let documented_owners = documented_owners(library, subject, owner, &kin);
        let mentions_by_page = mentions_by_page(library, subject);
        Self {
            n_mentions: mentions_by_page.values().sum(),
            mentions_by_page,
            is_of_project: library.is_project(owner),
            uses: owned_uses(library, &documented_owners),
            documented_owners,
            n_used: library
                .mentions(&subject.name)
                .iter()
                .map(|(_, m)| f32::from(m.calls) + f32::from(m.members))
                .sum(),
            stems: core_stems(library, &subject.name),
            kin,
            spellings: library.other_spellings(&subject.name).map(str::to_owned).collect(),
            words: words_of(&subject.name),
            code_path_words: path_words_of(&context.file_name),
            module,
            library,
            context,
            subject,
            similarities,
            background,
        }
    }

    /// Names that stand for the subject, the exact one first.
    fn spelled(&self) -> impl Iterator<Item = &str> {
        let name = std::iter::once(self.subject.name.as_str());
        name.chain(self.subject.aliases.iter().map(String::as_str))
            .chain(self.spellings.iter().map(String::as_str))
    }

    /// Sections that say the name, or an alias or another spelling of it.
    fn sections(&self) -> Vec<usize> {
        let mut weighed: Vec<(u32, u32)> = Vec::new();
        for name in self.spelled() {
            let is_exact = name == self.subject.name;
            for (at, mentions) in self.library.mentions(name) {
                let weight = u32::from(mentions.leads) * 3
                    + u32::from(mentions.spans)
                    + u32::from(mentions.definitions) * 6
                    + u32::from(mentions.fences.min(4))
                    + u32::from(mentions.prose.min(4))
                    + u32::from(is_exact) * 2;
                weighed.push((*at, weight));
            }
        }
        let owner = self.subject.owner.as_deref().unwrap_or_default();
        for at in 0..self.library.n_sections() {
            let place = self.library.place(at);
            let is_named = self.is_named(place);
            let is_titled = self.words.len() > 1 && has_all(&place.section.heading_words, &self.words);
            if is_named || is_titled {
                let bonus = place.section.names.iter().any(|HeadingName { named, .. }| {
                    named.name == self.subject.name
                        && (named.owner.is_empty() || is_same_owner(&named.owner, owner))
                });
                weighed.push((u32::try_from(at).unwrap_or(u32::MAX), if bonus { 2_000 } else { 1_000 }));
            }
        }
        weighed.extend(self.sections_with_stems().map(|at| (at, 1)));
        weighed.extend(self.sections_alike().into_iter().map(|at| (at, 1)));
        weighed.sort_unstable();
        let mut sums: Vec<(u32, u32)> = Vec::new();
        for (at, weight) in weighed {
            match sums.last_mut() {
                Some((last, sum)) if *last == at => *sum += weight,
                _ => sums.push((at, weight)),
            }
        }
        sums.sort_by_key(|&(at, weight)| (std::cmp::Reverse(weight), at));
        sums.truncate(MAX_CANDIDATES);
        let mut found: Vec<usize> = sums.into_iter().map(|(at, _)| at as usize).collect();
        found.sort_unstable();
        found
    }

    /// The sections whose text is most like the code: who describes it need not say its name.
    fn sections_alike(&self) -> Vec<u32> {
        let sections = 0..u32::try_from(self.similarities.len()).unwrap_or(u32::MAX);
        let mut alike: Vec<(f32, u32)> = self.similarities.iter().copied().zip(sections).collect();
        let n = alike.len();
        let n_kept = N_ALIKE.min(n);
        if n_kept < n {
            alike.select_nth_unstable_by(n_kept, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        alike.truncate(n_kept);
        alike.into_iter().map(|(_, at)| at).collect()
    }

    /// Sections that have all words of the name in their heading and what stands above it, one at least in the heading.
    fn sections_with_stems(&self) -> impl Iterator<Item = u32> {
        let is_few = |found: &&[u32]| found.len() <= MAX_CANDIDATES;
        let headed = self.stems.iter().map(|stem| self.library.headed_with_stem(stem)).filter(is_few);
        let has_words = self.stems.len() > 1;
        headed
            .flatten()
            .copied()
            .filter(move |&at| has_words && self.share_of_stems(self.library.place(at as usize), true) >= 1.0)
    }

    /// Share of the name's words that a heading has by their stems, and where `with_above` is set, those above it or the path.
    fn share_of_stems(&self, place: Place<'_>, with_above: bool) -> f32 {
        let has = |all: &[String], stem: &str| all.iter().any(|other| is_stem_alike(stem, other));
        let is_mentioned = |stem: &&String| {
            has(&place.section.heading_stems, stem) || with_above && has(&place.section.stems_above, stem)
        };
        self.stems.iter().filter(is_mentioned).count() as f32 / self.stems.len().max(1) as f32
    }

    fn is_spelled(&self, name: &str) -> bool {
        self.spelled().any(|known| known == name)
    }

    /// Whether the heading is about the name, in any spelling.
    fn is_named(&self, place: Place<'_>) -> bool {
        place.section.names.iter().any(|of| self.is_spelled(&of.named.name))
    }

    fn features(&self, place: Place<'_>) -> SectionFeatures {
        let mut features =
            SectionFeatures { is_history: flag(is_history(place)), ..SectionFeatures::default() };
        if features.is_history > 0.0 {
            features.heading_in_history = flag(self.is_named(place));
        } else {
            self.heading(place, &mut features);
        }
        self.surroundings(place, &mut features);
        self.body(place, &mut features);
        self.page(place, &mut features);
        self.usage(place, &mut features);
        self.add_page_features(place, &mut features);
        self.together(place.at, &mut features);
        features
    }

    fn heading(&self, place: Place<'_>, features: &mut SectionFeatures) {
        let subject = self.subject;
        for HeadingName { named, is_all, is_call, is_member, .. } in &place.section.names {
            let is_name = named.name == subject.name;
            let is_alias = subject.aliases.contains(&named.name);
            let is_spelling = self.spellings.contains(&named.name);
            if !(is_name || is_alias || is_spelling) {
                let owner = subject.owner.as_deref().unwrap_or_default();
                features.heading_is_owner =
                    features.heading_is_owner.max(flag(is_same_owner(&named.name, owner)));
                continue;
            }
            if is_name {
                features.heading_is_name = features.heading_is_name.max(flag(*is_all));
                features.heading_leads = features.heading_leads.max(flag(!*is_all));
            }
            features.heading_is_alias = features.heading_is_alias.max(flag(is_alias));
            features.heading_is_spelling = features.heading_is_spelling.max(flag(is_spelling && *is_all));
            features.heading_is_call = features.heading_is_call.max(flag(is_name && *is_call));
            features.heading_is_member = features.heading_is_member.max(flag(is_name && *is_member));
            self.heading_owner(&named.owner, features);
            let is_implied = named.owner.is_empty() || self.library.is_project(&named.owner);
            features.heading_implied =
                features.heading_implied.max(flag(is_name && is_implied && self.is_of_project));
        }
        let heading = &place.section.heading_identifiers;
        features.heading_has = flag(heading.contains(&subject.name));
        let words = &place.section.heading_words;
        if !self.words.is_empty() && has_all(words, &self.words) {
            features.heading_words = self.words.len() as f32 / words.len() as f32;
        }
    }

    fn heading_owner(&self, written: &str, features: &mut SectionFeatures) {
        if written.is_empty() {
            return;
        }
        let owner = self.subject.owner.as_deref().unwrap_or(&self.module);
        let likeness = owner_likeness(written, owner);
        features.heading_owner_likeness = features.heading_owner_likeness.max(likeness);
        match &self.subject.owner {
            None if is_same_owner(written, &self.module) => features.heading_owner = 1.0,
            None => features.heading_extra_owner = 1.0,
            Some(owner) if is_same_owner(written, owner) => features.heading_owner = 1.0,
            Some(_) if self.is_ancestor(written) => features.heading_ancestor = 1.0,
            Some(_) => features.heading_other_owner = 1.0 - likeness,
        }
    }

    fn is_ancestor(&self, name: &str) -> bool {
        self.subject.ancestors.iter().any(|ancestor| is_same_owner(ancestor, name))
    }

    fn surroundings(&self, place: Place<'_>, features: &mut SectionFeatures) {
        let page = place.page;
        let (stem, folder) = (page.stem(), page.path.rsplit('/').nth(1).unwrap_or_default());
        let is_called =
            |name: &str| is_same_owner(stem, name) || is_index(stem) && is_same_owner(folder, name);
        let owner = self.subject.owner.as_deref().unwrap_or_default();
        let above: Vec<String> =
            place.section.outline.path.iter().map(|heading| heading_key(heading)).collect();
        let title =
            page.sections.first().map(|first| heading_key(&first.outline.heading)).unwrap_or_default();
        let is_above = |name: &str| {
            let name = compact(name);
            !name.is_empty() && (above.contains(&name) || title == name)
        };
        features.page_is_owner = flag(is_called(owner));
        features.page_is_module = flag(is_called(&self.module));
        features.above_is_owner = flag(is_above(owner));
        features.above_is_ancestor =
            flag(self.subject.ancestors.iter().any(|ancestor| is_called(ancestor) || is_above(ancestor)));
        features.page_is_name = flag(is_called(&self.subject.name));
        features.above_is_name = flag(above.contains(&compact(&self.subject.name)));
        let owner_words = words_of(owner);
        let names_owner = |words: &[String]| has_all(words, &owner_words);
        features.heading_names_owner = flag(names_owner(&place.section.heading_words));
        let mut words_above = words_of(&page.path);
        words_above.extend(place.section.outline.path.iter().flat_map(|heading| words_of(heading)));
        let is_mentioned = |word: &&String| words_above.iter().any(|other| has_same_beginning(word, other));
        let n_named = owner_words.iter().filter(is_mentioned).count();
        features.above_names_owner = n_named as f32 / owner_words.len().max(1) as f32;
        let is_first = page.sections.iter().position(|section| !section.outline.heading.is_empty());
        let is_title =
            is_first.is_some_and(|at| page.sections[at].outline.bytes == place.section.outline.bytes);
        features.title_of_page = flag(is_title) * features.page_is_name;
    }

    fn body(&self, place: Place<'_>, features: &mut SectionFeatures) {
        let exact = self.library.mentions_at(&self.subject.name, place.at);
        let mut sum = exact.counts();
        let is_exact = sum.iter().any(|count| *count > 0.0);
        let mut is_early = exact.is_early;
        for alias in &self.subject.aliases {
            let other = self.library.mentions_at(alias, place.at);
            sum.iter_mut().zip(other.counts()).for_each(|(sum, count)| *sum += count);
            is_early |= other.is_early;
        }
        if sum.iter().all(|count| *count == 0.0) {
            for spelling in &self.spellings {
                let other = self.library.mentions_at(spelling, place.at);
                sum.iter_mut().zip(other.counts()).for_each(|(sum, count)| *sum += 0.5 * count);
                features.only_spelling = 1.0;
            }
        }
        features.signatures = f32::from(exact.signatures).min(2.0);
        let [spans, leads, fences, prose, definitions] = sum;
        features.spans = spans.ln_1p();
        features.leads = leads.ln_1p();
        features.fences = fences.ln_1p();
        features.prose = prose.ln_1p();
        features.defines = definitions.min(2.0);
        features.early = flag(is_early && is_exact);
        let owner = self.subject.owner.as_ref().unwrap_or(&self.module);
        if !owner.is_empty() {
            let owners = std::iter::once(owner).chain(&self.subject.ancestors);
            let count = |owner: &String| {
                let found = self.library.mentions_at(&qualified(owner, &self.subject.name), place.at);
                f32::from(found.spans) + f32::from(found.fences)
            };
            features.qualified = owners.map(count).sum::<f32>().ln_1p();
            let owner = self.library.mentions_at(owner, place.at);
            features.owner_in_code = flag(owner.spans + owner.fences > 0);
            features.owner_mentions =
                (f32::from(owner.spans) + f32::from(owner.fences) + f32::from(owner.prose)).ln_1p();
        }
        features.similarity = self.similarities[place.at] - self.background;
        features.listing =
            (place.section.units.iter().filter(|unit| unit.defines.is_some() && !unit.is_row).count() as f32)
                .ln_1p();
        features.length = (place.section.n_words as f32).ln_1p();
        features.is_empty = flag(place.section.units.is_empty());
    }

    /// How the section uses the name, and as whose.
    fn usage(&self, place: Place<'_>, features: &mut SectionFeatures) {
        features.heading_stems = self.share_of_stems(place, false);
        let around = self.share_of_stems(place, true);
        features.stems_around = flag(features.heading_stems > 0.0) * around;
        features.introduces_words = flag(is_start(place)) * around;
        let mentions = self.library.mentions_at(&self.subject.name, place.at);
        let mut described = f32::from(mentions.described);
        for alias in &self.subject.aliases {
            described += f32::from(self.library.mentions_at(alias, place.at).described);
        }
        features.described = described.ln_1p();
        features.calls = f32::from(mentions.calls).ln_1p();
        features.members = f32::from(mentions.members).ln_1p();
        let n_mentions = f32::from(mentions.spans) + f32::from(mentions.fences) + f32::from(mentions.prose);
        features.density = (100.0 * n_mentions / (20.0 + place.section.n_words as f32)).ln_1p();
        features.is_first_on_page =
            flag(mentions.spans + mentions.fences > 0 && self.is_first_on_page(place.at));
        let use_here = self.uses.get(&place.at).copied().unwrap_or_default();
        features.foreign = use_here.n_foreign.ln_1p();
        let headed = place.section.names.iter().filter(|of| of.named.name == self.subject.name);
        let kin_of = |of: &HeadingName| {
            let owner = compact(&of.named.owner);
            self.documented_owners
                .iter()
                .find(|documented| documented.owner == owner)
                .map_or(0.0, |documented| documented.kin)
        };
        features.owner_kin = headed.map(kin_of).fold(use_here.kin, f32::max);
        features.folder_kin = self.kin.in_folder(&place.page.path);
        let n_runs = place.section.units.iter().filter(|unit| !unit.is_row).count().max(1);
        features.contents = place.section.n_links as f32 / n_runs as f32;
        let n_used = f32::from(mentions.calls) + f32::from(mentions.members);
        features.use_share = if self.n_used > 0.0 { n_used / self.n_used } else { 0.0 };
        features.use_fits = flag(self.is_used_as_defined(mentions));
        let is_silent = n_mentions + features.spans + features.fences + features.prose == 0.0;
        features.only_stems = flag(is_silent && features.heading_is_name + features.heading_leads == 0.0);
    }

    /// What the page and the place on it say: its share of all mentions, whether it is the first, on what kind of page.
    fn add_page_features(&self, place: Place<'_>, features: &mut SectionFeatures) {
        let mentions = self.library.mentions_at(&self.subject.name, place.at);
        features.other_cells = f32::from(mentions.other_cells).ln_1p();
        let n_rows = place.section.units.iter().filter(|unit| unit.is_row).count();
        features.rows = (n_rows as f32).ln_1p();
        features.breadth = (place.section.n_names_in_code as f32).ln_1p();
        let on_page = self.mentions_by_page.get(&self.library.page_of(place.at)).copied().unwrap_or_default();
        features.page_share = if self.n_mentions > 0.0 { on_page / self.n_mentions } else { 0.0 };
        features.introduces = features.is_first_on_page * features.page_share;
        let above = self.named_above(place);
        features.below_empty = flag(above.is_some_and(|above| above.section.n_words <= FEW_WORDS));
        let of_module = words_of(&self.module).iter().any(|word| self.words.contains(word));
        features.introduces_module = flag(is_start(place) && of_module) * features.page_is_module;
        let n_words = place.section.heading_stems.len().max(1);
        if features.heading_stems >= 1.0 {
            features.heading_core_words = (self.stems.len() as f32 / n_words as f32).min(1.0);
        }
    }

    /// The section right above, where this one belongs to it and its heading is the name or describes it.
    fn named_above(&self, place: Place<'_>) -> Option<Place<'a>> {
        let above = self.library.place(place.at.checked_sub(1)?);
        let is_parent = above.page.path == place.page.path
            && above.section.outline.level < place.section.outline.level
            && !above.section.outline.heading.is_empty();
        (is_parent && (self.is_named(above) || self.share_of_stems(above, false) >= 1.0)).then_some(above)
    }

    /// Whether code uses the name as it is defined: a member behind a dot, a function before arguments and behind none.
    fn is_used_as_defined(&self, mentions: Mentions) -> bool {
        let is_method = self.subject.kind.is_some_and(|kind| kind_name(kind) == "method");
        if is_method || self.subject.owner.is_some() {
            mentions.members > 0
        } else {
            mentions.calls > mentions.members
        }
    }

    /// Whether no section before says the name in code on the same page.
    fn is_first_on_page(&self, at: usize) -> bool {
        let page = self.library.page_of(at);
        let mentions = self.library.mentions(&self.subject.name);
        let before = mentions.iter().rev().skip_while(|(other, _)| *other as usize >= at);
        let mut on_page = before.take_while(|(other, _)| self.library.page_of(*other as usize) == page);
        on_page.all(|(_, m)| m.spans + m.fences == 0)
    }

    /// What single features cannot say.
    fn together(&self, at: usize, features: &mut SectionFeatures) {
        let is_named = features.heading_is_name + features.heading_is_alias + features.heading_leads > 0.0;
        let is_owned = features.heading_owner
            + features.heading_ancestor
            + features.page_is_owner
            + features.above_is_owner
            + features.above_is_ancestor
            + features.heading_is_owner
            + features.heading_names_owner
            + features.qualified
            + features.heading_implied
            + features.owner_in_code
            > 0.0
            || features.owner_kin >= SAME_OWNER_KIN
            || features.heading_owner_likeness >= 0.5
            || features.above_names_owner >= 0.5;
        let has_owner = self.subject.owner.is_some();
        features.owned = flag(is_owned);
        features.unowned = flag(has_owner && !is_owned);
        features.heading_owned = flag(is_named && is_owned);
        features.heading_unowned =
            flag(is_named && has_owner && !is_owned && features.heading_other_owner > 0.0);
        features.heading_of_unexported = flag(is_named && !has_owner && !self.subject.is_exported);
        features.defines_owned = flag(features.defines > 0.0 && is_owned);
        let is_in_code = features.spans + features.fences > 0.0;
        let is_about = is_named || features.heading_is_spelling > 0.0 || features.defines > 0.0;
        features.page_kin = self.kin.on_page(self.library.page_of(at));
        features.section_kin = self.kin.in_section(at);
        features.heading_with_owner_kin = flag(is_named) * features.owner_kin;
        features.heading_with_kin = flag(is_named) * features.page_kin;
        features.defines_with_kin = flag(features.defines > 0.0) * features.section_kin;
        let is_callable =
            self.subject.kind.is_some_and(|kind| matches!(kind_name(kind), "function" | "method"));
        let is_called = features.heading_is_call + features.signatures > 0.0;
        features.callable_fits = flag(is_called && is_callable);
        features.callable_differs = flag(is_called && !is_callable);
        features.only_prose = flag(!is_in_code && !is_about);
        features.only_mentions = flag(is_in_code && !is_about);
    }

    fn page(&self, place: Place<'_>, features: &mut SectionFeatures) {
        let path = place.page.path.to_lowercase();
        let words = path_words_of(&place.page.path);
        let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        features.is_reference = flag(has(REFERENCE));
        features.is_sample = flag(has(SAMPLES));
        let file_words = path_words_of(craig_text::path::name(&place.page.path));
        features.is_aside = flag(file_words.iter().any(|word| ASIDE.contains(&word.as_str())));
        features.is_internal = flag(has(INTERNAL));
        features.is_readme = flag(path == "readme.md");
        features.level = f32::from(place.section.outline.level);
        features.is_preamble = flag(place.section.outline.content_start == place.section.outline.bytes.start);
        features.depth = path.matches('/').count() as f32;
        let shared = words.iter().filter(|word| self.code_path_words.contains(word));
        features.affinity = shared.map(|word| self.library.path_rarity(word)).sum();
        self.kind(place, &words, features);
    }

    /// `# Class: Client`, `functions/useTable.md`.
    fn kind(&self, place: Place<'_>, path_words: &[String], features: &mut SectionFeatures) {
        let first = place.section.heading_words.first().map(String::as_str).unwrap_or_default();
        let stated = KINDS.iter().find(|(words, _)| words.contains(&first)).or_else(|| {
            KINDS.iter().find(|(words, _)| path_words.iter().any(|word| words[1..].contains(&word.as_str())))
        });
        let own = self.subject.kind.map(kind_name);
        if let (Some((_, stated)), Some(own)) = (stated, own) {
            let fits = *stated == own || (*stated == "function" && own == "method");
            features.kind_fits = flag(fits);
            features.kind_differs = flag(!fits);
        }
    }

    fn subject_features(&self, candidates: &[Candidate]) -> SubjectFeatures {
        let subject = self.subject;
        let name = subject.name.as_str();
        let mentions = self.library.mentions(name);
        let sum = |of: fn(&Mentions) -> u16| mentions.iter().map(|(_, m)| f32::from(of(m))).sum::<f32>();
        let (prose, code) = (sum(|m| m.prose), sum(|m| m.spans) + sum(|m| m.fences));
        let owner = subject.owner.as_deref();
        let owner_mentions = owner.map(|owner| self.library.mentions(owner)).unwrap_or_default();
        let is = |kinds: &[&str]| flag(subject.kind.is_some_and(|kind| kinds.contains(&kind_name(kind))));
        let path_words = &self.code_path_words;
        let has = |names: &[&str]| flag(path_words.iter().any(|word| names.contains(&word.as_str())));
        let count = |of: fn(&SectionFeatures) -> f32| {
            candidates.iter().filter(|one| of(&one.features) > 0.0).count() as f32
        };
        let owned = |one: &&Candidate| one.features.heading_is_name > 0.0 && one.features.heading_owner > 0.0;
        let qualified_mentions =
            owner.map(|owner| self.library.mentions(&qualified(owner, name))).unwrap_or_default();
        SubjectFeatures {
            is_exported: flag(subject.is_exported),
            is_private: flag(subject.is_private),
            has_owner: flag(owner.is_some()),
            owner_is_known: flag(owner_mentions.iter().any(|(_, m)| m.spans + m.fences > 0)),
            owner_has_heading: flag(candidates.iter().any(|one| {
                one.features.above_is_owner + one.features.page_is_owner + one.features.heading_is_owner > 0.0
            })),
            n_words: self.words.len() as f32,
            length: (name.len() as f32).ln_1p(),
            is_plain_word: flag(self.words.len() == 1 && name.chars().all(char::is_lowercase)),
            prose_share: if prose + code > 0.0 { prose / (prose + code) } else { 0.0 },
            n_sections: (mentions.len() as f32).ln_1p(),
            n_headings: count(|features| features.heading_is_name).ln_1p(),
            has_owned_heading: flag(candidates.iter().any(|one| owned(&one))),
            qualified: qualified_mentions
                .iter()
                .map(|(_, m)| f32::from(m.spans) + f32::from(m.fences))
                .sum::<f32>()
                .ln_1p(),
            is_of_project: flag(self.is_of_project),
            n_siblings: (subject.siblings.len() as f32).ln_1p(),
            best_kin: self.kin.best(),
            is_function: is(&["function"]),
            is_method: is(&["method"]),
            is_class: is(&["class"]),
            is_type: is(&["type", "interface", "enum"]),
            is_constant: is(&["variable"]),
            is_use: flag(subject.kind.is_none()),
            is_internal_path: has(&[
                "internal",
                "internals",
                "util",
                "utils",
                "helper",
                "helpers",
                "private",
                "core",
                "common",
                "shared",
            ]),
            is_test_path: flag(matches!(
                PathRole::from_path(&self.context.file_name),
                PathRole::Test | PathRole::Example
            )),
            depth: self.context.file_name.matches('/').count() as f32,
            calls: sum(|m| m.calls).ln_1p(),
            described: sum(|m| m.described).ln_1p(),
            n_in_code: (mentions.iter().filter(|(_, m)| m.spans + m.fences > 0).count() as f32).ln_1p(),
            kin_called: self.kin.called(),
            called_with_kin: flag(self.n_used > 0.0) * self.kin.called(),
            best_owner_kin: self
                .documented_owners
                .iter()
                .map(|documented| documented.kin)
                .fold(0.0, f32::max),
            foreign_share: self.foreign_share(sum(|m| m.members)),
        }
    }

    /// Share of the mentions behind a dot that are of other owners.
    fn foreign_share(&self, n_members: f32) -> f32 {
        let foreign = self.documented_owners.iter().filter(|documented| documented.is_foreign);
        let count = |documented: &DocumentedOwner| {
            let found = self.library.mentions(&documented.qualified).iter();
            found.map(|(_, m)| f32::from(m.spans) + f32::from(m.fences)).sum::<f32>()
        };
        foreign.map(count).sum::<f32>() / n_members.max(1.0)
    }
}

/// Whether a section stands at the top of its page's outline.
fn is_start(place: Place<'_>) -> bool {
    place.section.outline.level <= 1
}

/// Stems of the words of a name, without those of the project's name where others are left.
fn core_stems(library: &Library, name: &str) -> Vec<String> {
    let words = words_of(name);
    let mut core: Vec<&String> = words.iter().filter(|word| !library.is_project_word(word)).collect();
    if core.is_empty() {
        core = words.iter().collect();
    }
    core.into_iter().map(|word| root(word).to_owned()).collect()
}

/// How much each page says of a name in code, by its place among the documents.
fn mentions_by_page(library: &Library, subject: &Subject) -> HashMap<usize, f32> {
    let mut found: HashMap<usize, f32> = HashMap::new();
    for (at, mentions) in library.mentions(&subject.name) {
        *found.entry(library.page_of(*at as usize)).or_default() +=
            f32::from(mentions.spans) + f32::from(mentions.fences);
    }
    found
}

/// From this share on, names that belong to the same thing in the documentation do so in code, too.
const SAME_OWNER_KIN: f32 = 0.3;

fn owned_uses(library: &Library, owners: &[DocumentedOwner]) -> HashMap<usize, OwnedUse> {
    let mut uses: HashMap<usize, OwnedUse> = HashMap::new();
    for documented in owners {
        for (at, mentions) in library.mentions(&documented.qualified) {
            let n = f32::from(mentions.spans) + f32::from(mentions.fences);
            if n > 0.0 {
                let here = uses.entry(*at as usize).or_default();
                here.kin = here.kin.max(documented.kin);
                here.n_foreign += if documented.is_foreign { n } else { 0.0 };
            }
        }
    }
    uses
}

fn documented_owners(library: &Library, subject: &Subject, owner: &str, kin: &Kin) -> Vec<DocumentedOwner> {
    let documented = |name: &String| {
        let kin = kin.of_owner(name);
        let is_own = is_same_owner(name, owner)
            || library.is_project(name)
            || subject.ancestors.iter().any(|ancestor| is_same_owner(ancestor, name))
            || owner_likeness(name, owner) >= 0.5
            || kin >= SAME_OWNER_KIN;
        DocumentedOwner {
            qualified: format!("{name}.{}", subject.name),
            owner: name.clone(),
            kin,
            is_foreign: !is_own,
        }
    };
    library.owners(&subject.name).iter().map(documented).collect()
}

/// Whether a section is about changes, by the name of its page, its title or a heading above.
pub(crate) fn is_history(place: Place<'_>) -> bool {
    let title = place.page.sections.iter().find(|section| !section.outline.heading.is_empty());
    let title = title.map(|section| section.outline.heading.as_str());
    let headings = place.section.outline.path.iter().map(String::as_str).chain(title);
    headings.chain([place.page.stem()]).any(|title| is_about_changes(&words_of(title)))
}

/// Whether words name changes between versions: "Upgrading", "Release notes", "Migration to 6", but not "Migration API".
pub(crate) fn is_about_changes(words: &[String]) -> bool {
    let is = |word: &String, among: &[&str]| among.contains(&word.as_str());
    let is_beside = |word: &String| is(word, BESIDE_CHANGES) || word.chars().any(|c| c.is_ascii_digit());
    words.iter().any(|word| is(word, CHANGES))
        || words.iter().any(|word| is(word, MAYBE_CHANGES))
            && words.iter().all(|word| is(word, MAYBE_CHANGES) || is_beside(word))
}

/// Who says one of these speaks of changes.
const CHANGES: &[&str] =
    &["changelog", "migrating", "upgrading", "upgrade", "deprecations", "whatsnew", "breaking"];

/// Who says these and nothing else, too.
const MAYBE_CHANGES: &[&str] =
    &["changes", "history", "migration", "migrate", "release", "releases", "changed", "deprecated"];

/// What may stand beside them.
const BESIDE_CHANGES: &[&str] = &[
    "notes", "note", "guide", "guides", "to", "up", "from", "for", "of", "the", "version", "versions", "v",
    "x",
];

/// A section of so few words leaves the description to those below.
const FEW_WORDS: usize = 6;

/// Words in names of pages that speak of names by the way.
const ASIDE: &[&str] = &[
    "compare",
    "comparison",
    "comparisons",
    "versus",
    "vs",
    "differences",
    "matrix",
    "faq",
    "troubleshooting",
    "ecosystem",
    "benchmark",
    "benchmarks",
    "roadmap",
    "third",
    "resources",
    "community",
    "limits",
];

/// Words in paths of pages that show samples.
const SAMPLES: &[&str] =
    &["sample", "samples", "example", "examples", "demo", "demos", "recipes", "cookbook"];
const REFERENCE: &[&str] = &["api", "reference", "references", "apis"];
const INTERNAL: &[&str] = &[
    "contributing",
    "adr",
    "adrs",
    "architecture",
    "onboarding",
    "design",
    "testing",
    "internals",
    "development",
    "oss",
    "publishing",
    "governance",
    "proposals",
    "rfcs",
    "rfc",
];

/// What headings and folders call kinds of symbols; the first is no name of a folder.
const KINDS: &[(&[&str], &str)] = &[
    (&["class", "classes"], "class"),
    (&["interface", "interfaces"], "interface"),
    (&["function", "functions", "hooks"], "function"),
    (&["type", "aliases"], "type"),
    (&["variable", "variables"], "variable"),
    (&["enum", "enums", "enumerations"], "enum"),
];

fn kind_name(kind: craig_chunk::ChunkKind) -> &'static str {
    use craig_chunk::ChunkKind as Kind;
    match kind {
        Kind::Function => "function",
        Kind::Method => "method",
        Kind::Class | Kind::Module => "class",
        Kind::Interface => "interface",
        Kind::Enum => "enum",
        Kind::Type => "type",
        _ => "variable",
    }
}

/// What a heading is called, without the words that say what kind of thing it is.
fn heading_key(heading: &str) -> String {
    let bare: String = heading.chars().filter(|c| !matches!(c, '`' | '*' | '\\')).collect();
    let named = crate::names::leading_name(&bare)
        .filter(|(_, end)| !bare[*end..].trim_start().starts_with(char::is_alphabetic));
    named.map_or_else(|| compact(&bare), |(named, _)| compact(&named.name))
}

/// The stem of a file, or its folder's name where the stem is that of every entry file.
fn module_name(path: &str) -> String {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    if is_index(stem) || stem == "mod" || stem == "lib" { folder.to_owned() } else { stem.to_owned() }
}

fn is_index(stem: &str) -> bool {
    matches!(stem.to_lowercase().as_str(), "index" | "readme" | "overview")
}

/// Whether two words are the same or begin alike for so long that they have one root.
fn has_same_beginning(a: &str, b: &str) -> bool {
    let n_shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    a == b || n_shared >= 5
}

/// Whether `all` stand in `words` one after the other.
fn has_all(words: &[String], all: &[String]) -> bool {
    !all.is_empty() && words.windows(all.len()).any(|window| window == all)
}

fn query_text(context: &CodeContext, subject: &Subject) -> String {
    let owner = subject.owner.as_deref().unwrap_or_default();
    let code = if subject.definition.is_empty() { &context.selected_text } else { &subject.definition };
    format!("{owner} {} {} {}", subject.name, subject.name, clipped(code, 600))
}

fn flag(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

#[cfg(test)]
mod tests;
