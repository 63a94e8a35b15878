//! Labelled code, and the evidence that the documentation has on it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use craig_explain::{CodeContext, Evidence, Library, evidence};
use craig_source::{DocumentOptions, Language, Root, documents};
use rayon::prelude::*;
use serde::Deserialize;

use crate::corpus::read_json;

/// The file of cases.
#[derive(Deserialize)]
struct Cases {
    repositories: BTreeMap<String, Repository>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Repository {
    revision: String,
}

#[derive(Deserialize)]
struct Case {
    repository: String,
    file: String,
    line_start: usize,
    line_end: usize,
    symbol: String,
    /// Sections that document it, any of which is right; none when it is not documented.
    expected: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    file: String,
    line: u32,
}

/// A case with the evidence on it.
pub(super) struct Example {
    pub(super) repository: String,
    /// The case, for people.
    pub(super) label: String,
    pub(super) evidence: Evidence,
    /// Page and line of the heading of each candidate.
    pub(super) places: Vec<String>,
    /// Whether each candidate is an expected section.
    pub(super) is_expected: Vec<bool>,
    pub(super) is_documented: bool,
}

/// Reads the cases and gathers the evidence on each.
pub(super) fn gather(file: &Path, corpora: &Path, first_line: bool) -> Result<Vec<Example>> {
    let all: Cases = read_json(file, "cases")?;
    let mut examples = Vec::new();
    for (name, repository) in &all.repositories {
        let root = Root::open(corpora.join(name))
            .with_context(|| format!("check {name} out at revision {}", repository.revision))?;
        let library = library(&root)?;
        let own: Vec<&Case> = all.cases.iter().filter(|case| case.repository == *name).collect();
        let gathered: Vec<Result<Example>> =
            own.par_iter().map(|case| example(case, &root, &library, first_line)).collect();
        examples.extend(gathered.into_iter().collect::<Result<Vec<_>>>()?);
    }
    Ok(examples)
}

fn library(root: &Root) -> Result<Library> {
    let listing = documents(root, &DocumentOptions::default())?;
    let read = |path: &str| -> Option<(String, String)> {
        let bytes = std::fs::read(root.path().join(path)).ok()?;
        Some((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
    };
    Ok(Library::of_texts(listing.entries.iter().filter_map(|entry| read(&entry.path)).collect()))
}

fn example(case: &Case, root: &Root, library: &Library, first_line: bool) -> Result<Example> {
    let path = root.path().join(&case.file);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let language = Language::from_path(&case.file).unwrap_or(Language::Text);
    let line_end = if first_line { case.line_start } else { case.line_end };
    let context = CodeContext::read(&case.file, language, &text, Some((case.line_start, line_end)));
    let Some(subject) = context.subjects().first() else {
        bail!("{}:{} has no name", case.file, case.line_start)
    };
    let evidence = evidence(library, &context, subject);
    let headings = || evidence.candidates.iter().map(|one| library.heading(one.at));
    let is_expected = headings()
        .map(|(file, line)| case.expected.iter().any(|one| one.file == file && one.line == line))
        .collect();
    let places = headings().map(|(file, line)| format!("{file}:{line}")).collect();
    let seen = if subject.name == case.symbol { String::new() } else { format!(" seen as {}", subject.name) };
    Ok(Example {
        repository: case.repository.clone(),
        label: format!("{}:{} {}{seen}", case.file, case.line_start, case.symbol),
        evidence,
        places,
        is_expected,
        is_documented: !case.expected.is_empty(),
    })
}
