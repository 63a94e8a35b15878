//! What speaks for a section being the one that documents a name: features, each on its own, never fused.

mod kin;

use std::collections::HashMap;

use craig_model::StaticModel;

use crate::context::{CodeContext, Subject, clipped, is_same_owner, owner_likeness};
use crate::library::{Library, Place, path_words_of};
use crate::names::{is_stem_alike, qualified, words_of};
use crate::page::{HeadingName, Mentions};

use self::kin::Kin;
use craig_chunk::ChunkKind;
use craig_text::{compact, root};

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
    /// A code span of the heading begins with the name.
    heading_leads,
    /// How unlike the owner in code is another one that the heading gives the name.
    heading_other_owner,
    /// The heading has the owner's words: "Block-level renderer methods".
    heading_names_owner,
    /// The name has an owner, and nothing of the section, the page or the headings above speaks of it.
    unowned,
    /// It says the name in prose alone.
    only_prose,
    /// The heading is the name, times the share of those beside it on the page.
    heading_with_kin,
    /// It defines the name, times the share of those beside it in the section.
    defines_with_kin,
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
    /// It has no prose.
    is_empty,
    /// The page, or a heading above, is about changes: release notes, migrations.
    is_history,
    /// Share of the name's words that the heading has by their stems.
    heading_stems,
    /// It has the name's words only, and never says it.
    only_stems,
    /// In code before arguments, logarithmic.
    calls,
    /// Share of the names beside the subject that belong to what it belongs to here, as the documentation has it.
    owner_kin,
    /// Share of the names beside the subject that the pages of the folder are about.
    folder_kin,
    /// It uses the name as the code defines it: a method behind a dot, a function before arguments and behind none.
    use_fits,
    /// The page's share of all mentions of the name in code.
    page_share,
    /// Share of the heading's words that are the name's by their stems, when it has all of them but the project's.
    heading_core_words,
}

features! {
    /// What is known of the name that is asked about, whatever the sections say.
    SubjectFeatures, SUBJECT_FEATURES, N_SUBJECT_FEATURES:
    /// The file exports it.
    is_exported,
    /// It is a single lower-case word.
    is_plain_word,
    /// It is a type or an interface.
    is_type,
    /// It is a constant or a property.
    is_constant,
    /// It is deep in folders.
    depth,
    /// The documentation calls it, times the share of the names beside it that it calls, or reads as members.
    called_with_kin,
}

/// A section that may document a subject.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its place in the library.
    pub at: usize,
    /// What speaks for it.
    pub features: SectionFeatures,
    /// Whether the section, its page or the headings above speak of what the subject belongs to.
    pub(crate) is_owned: bool,
    /// Whether a heading, the page or what stands before the name's dot is what the subject belongs to.
    pub(crate) is_headed_by_owner: bool,
}

/// What is known of one subject.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Of the name itself.
    pub subject: SubjectFeatures,
    /// Of sections that say the name, in file order.
    pub candidates: Vec<Candidate>,
}

/// Gathers what the library has on a subject.
pub fn evidence(library: &Library, context: &CodeContext, subject: &Subject) -> Evidence {
    let gathering = Gathering::new(library, context, subject);
    let (mut candidates, masses): (Vec<Candidate>, Vec<f32>) =
        gathering.sections().into_iter().map(|at| gathering.candidate(library.place(at))).unzip();
    let total: f32 = masses.iter().sum();
    for (one, mass) in candidates.iter_mut().zip(masses) {
        one.features.share = if total > 0.0 { mass / total } else { 0.0 };
    }
    Evidence { subject: gathering.subject_features(), candidates }
}

/// What the documentation says a name belongs to.
struct DocumentedOwner {
    /// `owner.name`, as pages count it.
    qualified: String,
    /// Normalised.
    owner: String,
    /// Share of the names beside the subject that belong to it, too.
    kin: f32,
}

/// What a heading says of the name.
#[derive(Default)]
struct Headed {
    /// It is the name or an alias, or a code span of it begins with one.
    is_named: bool,
    /// It is another spelling of the name.
    is_spelling: bool,
    /// It is the owner, gives the name the owner that the code gives it, or an ancestor of that.
    is_of_owner: bool,
    /// How like the owner in code is the one that it gives the name.
    likeness: f32,
    /// It gives the name no owner, or the project, and the owner in code is called like the project.
    is_implied: bool,
}

/// How often a section says the name.
#[derive(Default)]
struct Said {
    spans: f32,
    leads: f32,
    fences: f32,
    prose: f32,
    definitions: f32,
    /// With the owner before it.
    qualified: f32,
    /// The owner, in code.
    owner_in_code: bool,
}

impl Said {
    /// How much the section says of the name.
    fn mass(&self, is_headed: f32) -> f32 {
        let counts = [self.spans, self.leads, self.fences, self.prose];
        counts.iter().map(|count| count.ln_1p()).sum::<f32>()
            + 3.0 * self.definitions.min(2.0)
            + 4.0 * is_headed
    }
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
    /// How much each page says of the name in code, by its place among the documents, and all of them together.
    mentions_by_page: HashMap<usize, f32>,
    n_mentions: f32,
    /// What the documentation says the name belongs to.
    documented_owners: Vec<DocumentedOwner>,
    /// The largest share of the names beside the subject that belong to what has it here, by the place of the section.
    owner_kin: HashMap<usize, f32>,
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
        let documented_owners = documented_owners(library, subject, &kin);
        let mentions_by_page = mentions_by_page(library, subject);
        Self {
            n_mentions: mentions_by_page.values().sum(),
            mentions_by_page,
            is_of_project: library.is_project(owner),
            owner_kin: owner_kin(library, &documented_owners),
            documented_owners,
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

    /// A section with what speaks for it but its share of all mentions, and how much it says of the name.
    fn candidate(&self, place: Place<'_>) -> (Candidate, f32) {
        let mut features =
            SectionFeatures { is_history: flag(is_history(place)), ..SectionFeatures::default() };
        let headed = match features.is_history > 0.0 {
            true => Headed::default(),
            false => self.headed(place, &mut features),
        };
        let said = self.body(place, &mut features);
        self.words(place, &mut features);
        self.usage(place, &said, &mut features);
        self.page(place, &mut features);
        let is_headed_by_owner = headed.is_of_owner || self.is_below_owner(place) || said.qualified > 0.0;
        let is_owned = is_headed_by_owner
            || headed.is_implied
            || headed.likeness >= 0.5
            || said.owner_in_code
            || features.heading_names_owner > 0.0
            || features.owner_kin >= SAME_OWNER_KIN
            || self.is_mentioned_above(place);
        features.unowned = flag(self.subject.owner.is_some() && !is_owned);
        let is_defined = said.definitions > 0.0;
        let is_about = headed.is_named || headed.is_spelling || is_defined;
        let page_kin = self.kin.on_page(self.library.page_of(place.at));
        features.heading_with_kin = flag(headed.is_named) * page_kin;
        features.defines_with_kin = flag(is_defined) * self.kin.in_section(place.at);
        features.only_prose = flag(said.spans + said.fences == 0.0 && !is_about);
        let mass = said.mass(features.heading_is_name);
        let is_owned = is_owned || page_kin >= OWNED_KIN;
        (Candidate { at: place.at, features, is_owned, is_headed_by_owner }, mass)
    }

    fn headed(&self, place: Place<'_>, features: &mut SectionFeatures) -> Headed {
        let subject = self.subject;
        let mut headed = Headed::default();
        for HeadingName { named, is_all, .. } in &place.section.names {
            let is_name = named.name == subject.name;
            let is_alias = subject.aliases.contains(&named.name);
            let is_spelling = self.spellings.contains(&named.name);
            if !(is_name || is_alias || is_spelling) {
                let owner = subject.owner.as_deref().unwrap_or_default();
                headed.is_of_owner |= is_same_owner(&named.name, owner);
                continue;
            }
            if is_name {
                features.heading_is_name = features.heading_is_name.max(flag(*is_all));
                features.heading_leads = features.heading_leads.max(flag(!*is_all));
            }
            headed.is_named |= is_name || is_alias;
            headed.is_spelling |= is_spelling && *is_all;
            self.heading_owner(&named.owner, &mut headed, features);
            let is_implied = named.owner.is_empty() || self.library.is_project(&named.owner);
            headed.is_implied |= is_name && is_implied && self.is_of_project;
        }
        headed
    }

    fn heading_owner(&self, written: &str, headed: &mut Headed, features: &mut SectionFeatures) {
        if written.is_empty() {
            return;
        }
        let owner = self.subject.owner.as_deref().unwrap_or(&self.module);
        let likeness = owner_likeness(written, owner);
        headed.likeness = headed.likeness.max(likeness);
        if is_same_owner(written, owner) || self.subject.owner.is_some() && self.is_ancestor(written) {
            headed.is_of_owner = true;
        } else if self.subject.owner.is_some() {
            features.heading_other_owner = 1.0 - likeness;
        }
    }

    fn is_ancestor(&self, name: &str) -> bool {
        self.subject.ancestors.iter().any(|ancestor| is_same_owner(ancestor, name))
    }

    /// Whether the page or a heading above is called like the owner or an ancestor of it.
    fn is_below_owner(&self, place: Place<'_>) -> bool {
        let page = place.page;
        let (stem, folder) = (page.stem(), page.path.rsplit('/').nth(1).unwrap_or_default());
        let is_called =
            |name: &str| is_same_owner(stem, name) || is_index(stem) && is_same_owner(folder, name);
        let title = page.sections.first().map(|first| heading_key(&first.outline.heading));
        let above = place.section.outline.path.iter().map(|heading| heading_key(heading));
        let above: Vec<String> = above.chain(title).collect();
        let is_above = |name: &str| !compact(name).is_empty() && above.contains(&compact(name));
        let mut owners = self.subject.owner.iter().chain(&self.subject.ancestors);
        owners.any(|owner| is_called(owner) || is_above(owner))
    }

    /// Whether headings above or the path have half of the owner's words, by their beginnings: `Migrator` in "Migration API".
    fn is_mentioned_above(&self, place: Place<'_>) -> bool {
        let owner_words = words_of(self.subject.owner.as_deref().unwrap_or_default());
        let mut words_above = words_of(&place.page.path);
        words_above.extend(place.section.outline.path.iter().flat_map(|heading| words_of(heading)));
        let is_mentioned = |word: &&String| words_above.iter().any(|other| has_same_beginning(word, other));
        let n_named = owner_words.iter().filter(is_mentioned).count();
        !owner_words.is_empty() && 2 * n_named >= owner_words.len()
    }

    fn body(&self, place: Place<'_>, features: &mut SectionFeatures) -> Said {
        let mut sum = self.library.mentions_at(&self.subject.name, place.at).counts();
        for alias in &self.subject.aliases {
            let other = self.library.mentions_at(alias, place.at);
            sum.iter_mut().zip(other.counts()).for_each(|(sum, count)| *sum += count);
        }
        if sum.iter().all(|count| *count == 0.0) {
            for spelling in &self.spellings {
                let other = self.library.mentions_at(spelling, place.at);
                sum.iter_mut().zip(other.counts()).for_each(|(sum, count)| *sum += 0.5 * count);
                features.only_spelling = 1.0;
            }
        }
        features.similarity = self.similarities[place.at] - self.background;
        features.is_empty = flag(place.section.units.is_empty());
        let [spans, leads, fences, prose, definitions] = sum;
        let mut said = Said { spans, leads, fences, prose, definitions, ..Said::default() };
        let owner = self.subject.owner.as_ref().unwrap_or(&self.module);
        if !owner.is_empty() {
            let owners = std::iter::once(owner).chain(&self.subject.ancestors);
            let count = |owner: &String| {
                let found = self.library.mentions_at(&qualified(owner, &self.subject.name), place.at);
                f32::from(found.spans) + f32::from(found.fences)
            };
            said.qualified = owners.map(count).sum();
            let owner = self.library.mentions_at(owner, place.at);
            let in_code = f32::from(owner.spans) + f32::from(owner.fences);
            said.owner_in_code = in_code > 0.0;
            features.owner_mentions = (in_code + f32::from(owner.prose)).ln_1p();
        }
        said
    }

    /// What headings and paths have of the words of the name and its owner.
    fn words(&self, place: Place<'_>, features: &mut SectionFeatures) {
        let owner_words = words_of(self.subject.owner.as_deref().unwrap_or_default());
        features.heading_names_owner = flag(has_all(&place.section.heading_words, &owner_words));
        features.heading_stems = self.share_of_stems(place, false);
        if features.heading_stems >= 1.0 {
            let n_words = place.section.heading_stems.len().max(1);
            features.heading_core_words = (self.stems.len() as f32 / n_words as f32).min(1.0);
        }
    }

    /// How the section uses the name, and as whose.
    fn usage(&self, place: Place<'_>, said: &Said, features: &mut SectionFeatures) {
        let mentions = self.library.mentions_at(&self.subject.name, place.at);
        features.calls = f32::from(mentions.calls).ln_1p();
        let headed = place.section.names.iter().filter(|of| of.named.name == self.subject.name);
        let kin_of = |of: &HeadingName| {
            let owner = compact(&of.named.owner);
            self.documented_owners
                .iter()
                .find(|documented| documented.owner == owner)
                .map_or(0.0, |documented| documented.kin)
        };
        let kin_here = self.owner_kin.get(&place.at).copied().unwrap_or_default();
        features.owner_kin = headed.map(kin_of).fold(kin_here, f32::max);
        features.folder_kin = self.kin.in_folder(&place.page.path);
        features.use_fits = flag(self.is_used_as_defined(mentions));
        let is_silent = said.spans + said.fences + said.prose == 0.0;
        features.only_stems = flag(is_silent && features.heading_is_name + features.heading_leads == 0.0);
    }

    /// Whether code uses the name as it is defined: a member behind a dot, a function before arguments and behind none.
    fn is_used_as_defined(&self, mentions: Mentions) -> bool {
        if self.subject.kind == Some(ChunkKind::Method) || self.subject.owner.is_some() {
            mentions.members > 0
        } else {
            mentions.calls > mentions.members
        }
    }

    fn page(&self, place: Place<'_>, features: &mut SectionFeatures) {
        features.level = f32::from(place.section.outline.level);
        let words = path_words_of(&place.page.path);
        let shared = words.iter().filter(|word| self.code_path_words.contains(word));
        features.affinity = shared.map(|word| self.library.path_rarity(word)).sum();
        let on_page = self.mentions_by_page.get(&self.library.page_of(place.at)).copied().unwrap_or_default();
        features.page_share = if self.n_mentions > 0.0 { on_page / self.n_mentions } else { 0.0 };
    }

    fn subject_features(&self) -> SubjectFeatures {
        use ChunkKind as Kind;
        let subject = self.subject;
        let name = subject.name.as_str();
        let is = |kinds: &[Kind]| flag(subject.kind.is_some_and(|kind| kinds.contains(&kind)));
        let is_called = self.library.mentions(name).iter().any(|(_, m)| m.calls + m.members > 0);
        let is_other = |kind| {
            !matches!(
                kind,
                Kind::Function
                    | Kind::Method
                    | Kind::Class
                    | Kind::Module
                    | Kind::Interface
                    | Kind::Enum
                    | Kind::Type
            )
        };
        SubjectFeatures {
            is_exported: flag(subject.is_exported),
            is_plain_word: flag(self.words.len() == 1 && name.chars().all(char::is_lowercase)),
            is_type: is(&[Kind::Type, Kind::Interface, Kind::Enum]),
            is_constant: flag(subject.kind.is_some_and(is_other)),
            depth: self.context.file_name.matches('/').count() as f32,
            called_with_kin: flag(is_called) * self.kin.called(),
        }
    }
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

/// Share of the names beside a subject that a page is about, from which on it is about what they all belong to.
const OWNED_KIN: f32 = 0.25;

fn owner_kin(library: &Library, owners: &[DocumentedOwner]) -> HashMap<usize, f32> {
    let mut found: HashMap<usize, f32> = HashMap::new();
    for documented in owners {
        for (at, mentions) in library.mentions(&documented.qualified) {
            if mentions.spans + mentions.fences > 0 {
                let here = found.entry(*at as usize).or_default();
                *here = here.max(documented.kin);
            }
        }
    }
    found
}

fn documented_owners(library: &Library, subject: &Subject, kin: &Kin) -> Vec<DocumentedOwner> {
    let documented = |name: &String| DocumentedOwner {
        qualified: format!("{name}.{}", subject.name),
        owner: name.clone(),
        kin: kin.of_owner(name),
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
