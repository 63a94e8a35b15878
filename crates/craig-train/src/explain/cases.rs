//! Definitions of which it is known what documents them: labelled sections, and answers that two readers judged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use craig_explain::{CodeContext, Found, Library, Subject, find};
use craig_source::{DocumentOptions, Language, Root, documents};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What is known of a definition.
#[derive(Clone, Debug)]
pub(super) enum Truth {
    /// Sections that document it, any of which is right, by page and line of the heading; none if it is not documented.
    Sections(Vec<Place>),
    /// Both readers found that the documentation says nothing about it.
    Nothing,
    /// Both readers found so of the answer that quotes these lines.
    Answer { judgement: Judgement, quotes: Vec<Place> },
    /// These lines are about it: readers of a wrong refusal named them.
    Lines(Vec<Place>),
}

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Judgement {
    Good,
    Useless,
    Wrong,
    RefusedRightly,
    RefusedWrongly,
}

/// A definition with the places that may explain it.
pub(super) struct Example {
    pub(super) repository: String,
    /// The definition, for people.
    pub(super) label: String,
    pub(super) truth: Truth,
    pub(super) places: Vec<Candidate>,
}

/// A place that may explain a definition.
pub(super) struct Candidate {
    pub(super) found: Found,
    pub(super) file: String,
    /// Lines of the section, from that of its heading, and of the first quote.
    pub(super) section: (u32, u32),
    pub(super) line: u32,
    /// The first quote.
    pub(super) text: String,
}

impl Candidate {
    /// Whether a line is one of its section; readers may leave out the first folders of a path.
    pub(super) fn holds(&self, place: &Place) -> bool {
        self.file.ends_with(&place.file) && (self.section.0..=self.section.1).contains(&place.line)
    }
}

/// The file of labelled sections.
#[derive(Deserialize)]
struct Cases {
    repositories: BTreeMap<String, Pinned>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Pinned {
    revision: String,
}

#[derive(Deserialize)]
struct Case {
    repository: String,
    file: String,
    line_start: usize,
    line_end: usize,
    symbol: String,
    expected: Vec<Place>,
}

/// A definition of `explain.judged.json`.
#[derive(Deserialize)]
struct JudgedCase {
    id: String,
    repo: String,
    path: String,
    line: usize,
    name: String,
    judgements: BTreeMap<String, Read>,
    /// What was quoted, where it is known.
    #[serde(default)]
    quotes: Vec<Place>,
}

#[derive(Deserialize)]
struct Read {
    judgement: Judgement,
    #[serde(default)]
    reason: String,
}

/// A definition that is to be looked up.
struct Definition {
    path: String,
    lines: (usize, usize),
    label: String,
    truth: Truth,
}

/// Reads labelled sections, and finds the places that may explain each definition.
pub(super) fn labelled(file: &Path, corpora: &Path) -> Result<Vec<Example>> {
    let all: Cases = read(file)?;
    let mut examples = Vec::new();
    for (name, repository) in &all.repositories {
        let own = all.cases.iter().filter(|case| case.repository == *name);
        let definitions: Vec<Definition> = own
            .map(|case| Definition {
                path: case.file.clone(),
                lines: (case.line_start, case.line_end),
                label: format!("{}:{} {}", case.file, case.line_start, case.symbol),
                truth: Truth::Sections(case.expected.clone()),
            })
            .collect();
        let found = look_up(name, &corpora.join(name), &definitions)
            .with_context(|| format!("check {name} out at revision {}", repository.revision))?;
        examples.extend(found);
    }
    Ok(examples)
}

/// Reads judged answers, and finds the places that may explain each definition; repositories that are not there are left
/// out.
pub(super) fn judged(file: &Path, checkouts: &Path) -> Result<Vec<Example>> {
    let all: Vec<JudgedCase> = read(file)?;
    let mut by_repository: BTreeMap<&str, Vec<Definition>> = BTreeMap::new();
    for case in &all {
        let Some(truth) = truth(case) else { continue };
        by_repository.entry(&case.repo).or_default().push(Definition {
            path: case.path.clone(),
            lines: (case.line, case.line),
            label: format!("{} {}:{} {}", case.id, case.path, case.line, case.name),
            truth,
        });
    }
    let mut examples = Vec::new();
    for (repository, definitions) in by_repository {
        let name = repository.rsplit('/').next().unwrap_or(repository);
        let root = checkouts.join(name);
        if root.is_dir() {
            examples.extend(look_up(name, &root, &definitions)?);
        }
    }
    Ok(examples)
}

/// What two readers who agree found; none where they differ, or what they judged is not known.
fn truth(case: &JudgedCase) -> Option<Truth> {
    let mut judgements: Vec<Judgement> = case.judgements.values().map(|read| read.judgement).collect();
    judgements.dedup();
    let [judgement] = judgements[..] else { return None };
    match judgement {
        Judgement::RefusedRightly => Some(Truth::Nothing),
        Judgement::RefusedWrongly => {
            let named: Vec<Place> =
                case.judgements.values().flat_map(|read| places_in(&read.reason)).collect();
            (!named.is_empty()).then_some(Truth::Lines(named))
        }
        _ => (!case.quotes.is_empty()).then(|| Truth::Answer { judgement, quotes: case.quotes.clone() }),
    }
}

/// The lines of pages that a reason names: `docs/a.md:12-14`.
fn places_in(reason: &str) -> Vec<Place> {
    let place = |word: &str| {
        let (file, line) = word.split_once(':')?;
        let digits = line.split(|c: char| !c.is_ascii_digit()).next()?;
        let file = file.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '.');
        file.contains('.').then_some(())?;
        Some(Place { file: file.to_owned(), line: digits.parse().ok()? })
    };
    reason.split([' ', ',', '(', ')', ';']).filter_map(place).collect()
}

fn read<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<T> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not such a file", file.display()))
}

fn look_up(name: &str, folder: &Path, definitions: &[Definition]) -> Result<Vec<Example>> {
    let root = Root::open(folder.to_owned())?;
    let library = library(&root)?;
    definitions.par_iter().map(|one| example(name, one, &root.path().join(&one.path), &library)).collect()
}

fn library(root: &Root) -> Result<Library> {
    let listing = documents(root, &DocumentOptions::default())?;
    let read = |path: &str| -> Option<(String, String)> {
        let bytes = std::fs::read(root.path().join(path)).ok()?;
        Some((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
    };
    Ok(Library::of_texts(listing.entries.iter().filter_map(|entry| read(&entry.path)).collect()))
}

fn example(repository: &str, one: &Definition, path: &PathBuf, library: &Library) -> Result<Example> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let language = Language::from_path(&one.path).unwrap_or(Language::Text);
    let context = CodeContext::read(&one.path, language, &text, Some(one.lines));
    let places = match context.subjects().first() {
        Some(subject) => places(library, &context, subject),
        None if matches!(one.truth, Truth::Sections(_)) => bail!("{} has no name", one.label),
        None => Vec::new(),
    };
    let seen = context.symbol().unwrap_or_default();
    let seen = if one.label.ends_with(seen) { String::new() } else { format!(" seen as {seen}") };
    let label = format!("{}{seen}", one.label);
    Ok(Example { repository: repository.to_owned(), label, truth: one.truth.clone(), places })
}

fn places(library: &Library, context: &CodeContext, subject: &Subject) -> Vec<Candidate> {
    let candidate = |found: Found| {
        let (file, section) = library.section_lines(found.at);
        let first = &found.quotes[0];
        Candidate {
            file: file.to_owned(),
            section,
            line: library.line_of(found.at, first.start),
            text: library.quote(found.at, first).to_owned(),
            found,
        }
    };
    find(library, context, subject).into_iter().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_from_reasons() {
        let found = places_in("row at docs/a.md:91-93 (also \"x\", guides/b.rst:7), not a.b or c: 4");
        let place = |file: &str, line| Place { file: file.into(), line };
        assert_eq!(found, [place("docs/a.md", 91), place("guides/b.rst", 7)]);
    }
}
