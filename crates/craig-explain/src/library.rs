//! All documentation of a project, ready to be asked.

mod likeness;
mod translation;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use craig_model::{Embedding, Quantized, StaticModel};
use craig_source::{ContentHash, content_hash};
use rayon::prelude::*;

use crate::context::clipped;
use crate::page::{Mentions, Page, Section};

use self::likeness::Vectors;
use craig_text::{compact, lower_words};

/// Longest stretch of a section that one vector stands for.
const PART_BYTES: usize = 2_400;

/// A page with a vector for each part of each of its sections.
#[derive(Clone, Debug)]
pub struct Document {
    /// The page.
    pub page: Page,
    /// Hash of its text.
    pub hash: ContentHash,
    /// For each section, a vector for each part.
    pub vectors: Vec<Vec<Quantized>>,
}

impl Document {
    /// Reads a document and embeds it with the built-in model.
    pub fn read(path: &str, text: String, modified_ns: i64) -> Self {
        let page = Page::read(path, text, modified_ns);
        let hash = ContentHash::from_content(page.text.as_bytes());
        let model = StaticModel::builtin();
        let embed = |(section, parts): (&Section, Vec<Range<usize>>)| {
            let texts: Vec<String> = parts.iter().map(|part| part_text(&page, section, part)).collect();
            model.documents(&texts).iter().map(Embedding::quantized).collect()
        };
        let vectors = page.sections.iter().zip(part_ranges(&page)).map(embed).collect();
        Self { page, hash, vectors }
    }
}

/// The documentation of a project.
pub struct Library {
    hash: ContentHash,
    documents: Vec<Arc<Document>>,
    /// Each section in order: its document, its place there.
    places: Vec<(usize, usize)>,
    /// Which sections say a name, and how.
    terms: HashMap<String, Vec<(u32, Mentions)>>,
    /// Spellings of names, by what they are without regard to case.
    spellings: HashMap<String, Vec<String>>,
    /// Sections whose heading is about a name, or that define it.
    named: HashMap<String, Vec<u32>>,
    /// Sections whose heading has a stem, in order.
    stems: HashMap<String, Vec<u32>>,
    /// What the project is called, lower case.
    project_names: Vec<String>,
    /// What most qualified names stand behind, normalised: `py` of `py::class_`, whatever the project is called.
    main_qualifier: Option<String>,
    /// Of each section in order.
    vectors: Vectors,
}

/// A section of a library.
#[derive(Clone, Copy)]
pub(crate) struct Place<'l> {
    pub(crate) page: &'l Page,
    pub(crate) section: &'l Section,
    /// Its place among all sections of the library.
    pub(crate) at: usize,
}

impl Library {
    /// Makes a library of documents.
    ///
    /// A page that is another one in another language is not among its sections, nor is one in another script than most:
    /// a name that both describe is quoted in the language of the original. Pages of former versions are left out, too.
    pub fn new(mut documents: Vec<Arc<Document>>) -> Self {
        documents.sort_by(|a, b| a.page.path.cmp(&b.page.path));
        let paths: BTreeSet<&str> = documents.iter().map(|document| document.page.path.as_str()).collect();
        let folded: BTreeSet<String> = paths.iter().map(|path| path.to_lowercase()).collect();
        let foreign = foreign(&documents);
        let former = former(&paths);
        let originals = documents.iter().enumerate().filter(|(at, of)| {
            let path = of.page.path.as_str();
            !foreign[*at]
                && !former.contains(path)
                && !is_for_maintainers(path)
                && !translation::is_translation(path, &folded)
        });
        let places: Vec<(usize, usize)> = originals
            .flat_map(|(document, of)| (0..of.page.sections.len()).map(move |section| (document, section)))
            .collect();
        let mut terms: HashMap<String, Vec<(u32, Mentions)>> = HashMap::new();
        let mut named: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, &(page, section)) in places.iter().enumerate() {
            for (term, mentions) in &documents[page].page.sections[section].mentions {
                let entry = (u32::try_from(at).unwrap_or(u32::MAX), *mentions);
                match terms.get_mut(term) {
                    Some(found) => found.push(entry),
                    None => drop(terms.insert(term.clone(), vec![entry])),
                }
            }
            for of in &documents[page].page.sections[section].names {
                terms.entry(of.named.name.clone()).or_default();
            }
            for name in documented_names(&documents[page].page.sections[section]) {
                named.entry(name.to_owned()).or_default().push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        let sections = places.iter().map(|&(page, section)| &documents[page].page.sections[section]);
        let owners = owners(&terms, sections);
        let mut stems: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, &(page, section)) in places.iter().enumerate() {
            for stem in &documents[page].page.sections[section].heading_stems {
                stems.entry(stem.clone()).or_default().push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        let mut spellings: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for term in terms.keys().filter(|term| !term.contains('.')) {
            spellings.entry(compact(term)).or_default().push(term.clone());
        }
        spellings.values_mut().for_each(|spellings| spellings.sort());
        let mut vectors = Vectors::default();
        for &(document, section) in &places {
            vectors.push(&documents[document].vectors[section]);
        }
        let hash =
            content_hash(documents.iter().map(|document| (document.page.path.as_str(), document.hash)));
        let spellings = spellings.into_iter().collect();
        let project_names = project_names(&documents);
        let main_qualifier = main_qualifier(&owners);
        Self {
            hash,
            places,
            terms,
            named,
            stems,
            spellings,
            project_names,
            main_qualifier,
            vectors,
            documents,
        }
    }

    /// Reads texts, each with its path, into a library.
    pub fn of_texts(texts: Vec<(String, String)>) -> Self {
        let read = |(path, text): (String, String)| Arc::new(Document::read(&path, text, 0));
        Self::new(texts.into_par_iter().map(read).collect())
    }

    /// Hash of all documents with their paths.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// The documents by path.
    pub fn documents(&self) -> &[Arc<Document>] {
        &self.documents
    }

    /// Number of sections.
    pub fn n_sections(&self) -> usize {
        self.places.len()
    }

    /// Path and line of the heading of a section.
    pub fn heading(&self, at: usize) -> (&str, u32) {
        let place = self.place(at);
        (&place.page.path, place.section.outline.line)
    }

    pub(crate) fn place(&self, at: usize) -> Place<'_> {
        let (document, section) = self.places[at];
        let page = &self.documents[document].page;
        Place { page, section: &page.sections[section], at }
    }

    pub(crate) fn mentions(&self, term: &str) -> &[(u32, Mentions)] {
        self.terms.get(term).map_or(&[], Vec::as_slice)
    }

    /// What a section says of a name.
    pub(crate) fn mentions_at(&self, term: &str, at: usize) -> Mentions {
        let found = self.mentions(term);
        let key = u32::try_from(at).unwrap_or(u32::MAX);
        found
            .binary_search_by_key(&key, |(section, _)| *section)
            .map_or_else(|_| Mentions::default(), |i| found[i].1)
    }

    /// Other spellings of a name that the documentation has.
    pub(crate) fn other_spellings(&self, name: &str) -> impl Iterator<Item = &str> {
        let spellings = self.spellings.get(&compact(name)).map_or(&[][..], Vec::as_slice);
        spellings.iter().map(String::as_str).filter(move |spelling| *spelling != name)
    }

    /// Sections that are about a name by their heading, or define it, in order.
    pub(crate) fn named(&self, name: &str) -> &[u32] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// Sections whose heading has a word of this stem, in order.
    pub(crate) fn headed_with_stem(&self, stem: &str) -> &[u32] {
        self.stems.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Whether a name is the project's own: `Ajv`, `YargsFactory` in the documentation of `yargs`.
    pub(crate) fn is_project(&self, name: &str) -> bool {
        let whole = compact(name);
        let words: Vec<String> = lower_words(name).collect();
        self.project_names.iter().any(|project| *project == whole || words.contains(project))
    }

    /// Whether a word is all that a project is called.
    pub(crate) fn is_project_word(&self, word: &str) -> bool {
        self.project_names.iter().any(|project| project == word)
    }

    /// Whether most of the qualified names of the documentation stand behind this one.
    pub(crate) fn is_main_qualifier(&self, written: &str) -> bool {
        self.main_qualifier.as_ref().is_some_and(|main| *main == compact(written))
    }

    /// Cosines of a vector and the nearest part of each section, in order.
    pub(crate) fn similarities(&self, query: &Embedding) -> Vec<f32> {
        self.vectors.similarities(query)
    }
}

/// Fewer names than this behind one qualifier do not make it that of the project.
const MIN_QUALIFIED: usize = 10;

/// The qualifier of a fifth of all qualified names at least, if there is one.
fn main_qualifier(owners: &HashMap<String, Vec<String>>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for owner in owners.values().flatten() {
        *counts.entry(owner).or_default() += 1;
    }
    let (most, n) = counts.into_iter().max_by_key(|(owner, n)| (*n, std::cmp::Reverse(*owner)))?;
    (n >= MIN_QUALIFIED && 5 * n >= owners.len()).then(|| most.to_owned())
}

/// Pages for those who maintain the project, by what they are called: how it is released, what assistants shall do.
fn is_for_maintainers(path: &str) -> bool {
    let stem = craig_text::path::file_stem(path);
    let words: Vec<String> = lower_words(stem).collect();
    let is_one = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let is_first = words.first().is_some_and(|word| FOR_MAINTAINERS.contains(&word.as_str()));
    is_first && words.len() <= 2 && !is_one(&["notes"])
}

const FOR_MAINTAINERS: &[&str] = &[
    "releasing",
    "release",
    "maintaining",
    "maintainers",
    "publishing",
    "governance",
    "agents",
    "claude",
    "copilot",
    "codeowners",
];

/// Which pages are in another script than most: a project documented in English may have a few Chinese pages without an
/// original.
fn foreign(documents: &[Arc<Document>]) -> Vec<bool> {
    let is_other: Vec<bool> =
        documents.iter().map(|document| translation::is_of_other_script(&document.page.text)).collect();
    let n_others = is_other.iter().filter(|is_other| **is_other).count();
    if 2 * n_others < documents.len() { is_other } else { vec![false; documents.len()] }
}

/// The folder in which Docusaurus keeps the documentation of former versions.
const FORMER: &str = "versioned_docs";

/// Pages of former versions; none where there are no others.
fn former<'p>(paths: &BTreeSet<&'p str>) -> BTreeSet<&'p str> {
    let is_former = |path: &&str| path.split('/').any(|part| part == FORMER);
    let found: BTreeSet<&str> = paths.iter().copied().filter(is_former).collect();
    if found.len() < paths.len() { found } else { BTreeSet::new() }
}

/// The owners of each name: in headings, and in code as `owner.name`.
fn owners<'s>(
    terms: &HashMap<String, Vec<(u32, Mentions)>>,
    sections: impl Iterator<Item = &'s Section>,
) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for (term, mentions) in terms {
        let is_code = || mentions.iter().any(|(_, m)| m.spans + m.fences > 0);
        if let Some((owner, name)) = term.split_once('.').filter(|_| is_code()) {
            found.entry(name.to_owned()).or_default().push(owner.to_owned());
        }
    }
    for of in sections.flat_map(|section| &section.names).filter(|of| !of.named.owner.is_empty()) {
        found.entry(of.named.name.clone()).or_default().push(compact(&of.named.owner));
    }
    for owners in found.values_mut() {
        owners.sort_unstable();
        owners.dedup();
    }
    found
}

/// Names that a section is about by its heading, or defines.
fn documented_names(section: &Section) -> Vec<&str> {
    let headed = section.names.iter().map(|of| of.named.name.as_str());
    let defined =
        section.units.iter().filter_map(|unit| unit.defines.as_ref()).map(|defined| defined.name.as_str());
    let mut names: Vec<&str> = headed.chain(defined).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What a project is called: by the first heading of its README, and by what the README imports most.
fn project_names(documents: &[Arc<Document>]) -> Vec<String> {
    let Some(readme) = documents.iter().find(|document| document.page.path.eq_ignore_ascii_case("readme.md"))
    else {
        return Vec::new();
    };
    let headed = readme.page.sections.iter().find(|section| !section.outline.heading.is_empty());
    let title = headed.and_then(|section| section.heading_identifiers.first()).map(String::as_str);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in imported(&readme.page.text) {
        *counts.entry(name).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(name, count)| (*count, std::cmp::Reverse(*name)));
    let mut names: Vec<String> = title.into_iter().chain(most.map(|(name, _)| name)).map(compact).collect();
    names.retain(|name| name.len() > 1);
    names.dedup();
    names
}

/// Packages that a text imports, without their scope: `require('x')`, `from '@scope/x'`.
fn imported(text: &str) -> impl Iterator<Item = &str> {
    ["require('", "require(\"", "from '", "from \""].into_iter().flat_map(move |start| {
        text.split(start).skip(1).filter_map(|rest| {
            let path = &rest[..rest.find(['\'', '"'])?];
            let name = if path.starts_with('@') { path.split('/').nth(1) } else { path.split('/').next() };
            name.filter(|name| !name.is_empty() && !name.starts_with('.') && name.len() < 60)
        })
    })
}

/// What is embedded of a part of a section: its text, and what the section belongs to.
pub(crate) fn part_text(page: &Page, section: &Section, part: &Range<usize>) -> String {
    format!("{}\n{}", section.outline.path.join(" "), &page.text[part.clone()])
}

/// The parts of each section of a page that have vectors of their own, in bytes of the page: whole lines, at most
/// [`PART_BYTES`] where lines allow.
pub(crate) fn part_ranges(page: &Page) -> Vec<Vec<Range<usize>>> {
    page.sections.iter().map(|section| section_parts(&page.text, section.outline.bytes.clone())).collect()
}

fn section_parts(text: &str, bytes: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = bytes.start;
    while start < bytes.end {
        let rest = &text[start..bytes.end];
        let most = clipped(rest, PART_BYTES);
        let is_last = most.len() == rest.len();
        let length = if is_last { rest.len() } else { most.rfind('\n').map_or(most.len(), |end| end + 1) };
        found.push(start..start + length);
        start += length;
    }
    found
}
