//! Labelled definitions, and the passages that the documentation has for each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use craig_engine::{CodeDefinitions, Engine, ExplainConfig, Explainer};
use craig_explain::{CodeContext, Library, Passage, passages};
use craig_source::Language;
use serde::{Deserialize, Serialize};

use crate::corpus::{self, read_json};

/// A definition and what the documentation has on it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) lines: (usize, usize),
    pub(super) name: String,
    pub(super) truth: Truth,
}

/// What readers found.
#[derive(Clone, Debug, Deserialize)]
pub(super) enum Truth {
    /// All places that say something about it.
    Places(Vec<LabelledPlace>),
    /// The sections that document it, any of which is right: pages, each with the line of the heading.
    Sections(Vec<(String, u32)>),
}

/// Lines of a page that say something about a definition.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct LabelledPlace {
    file: String,
    /// First and last, from 1.
    lines: (usize, usize),
    grade: Grade,
}

/// How much a place says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Grade {
    Mentions,
    Explains,
}

impl Truth {
    pub(super) fn is_documented(&self) -> bool {
        match self {
            Self::Places(places) => !places.is_empty(),
            Self::Sections(sections) => !sections.is_empty(),
        }
    }

    /// How much lines of a page below a heading say; the lines of a section that documents a definition explain it.
    pub(super) fn grade(&self, file: &str, heading: u32, lines: (usize, usize)) -> Option<Grade> {
        match self {
            Self::Places(places) => places
                .iter()
                .filter(|place| place.file == file && place.lines.0 <= lines.1 && lines.0 <= place.lines.1)
                .map(|place| place.grade)
                .max(),
            Self::Sections(sections) => {
                let is_one = sections.iter().any(|(page, line)| page == file && *line == heading);
                is_one.then_some(Grade::Explains)
            }
        }
    }
}

/// Labelled definitions by the name of their repository.
pub(super) struct Labels(BTreeMap<String, Vec<Case>>);

/// A definition of a file of places.
#[derive(Deserialize)]
struct OfPlaces {
    id: String,
    repo: String,
    path: String,
    line: usize,
    name: String,
    places: Vec<LabelledPlace>,
}

/// A file of sections.
#[derive(Deserialize)]
struct OfSections {
    cases: Vec<OfSection>,
}

#[derive(Deserialize)]
struct OfSection {
    repository: String,
    file: String,
    line_start: usize,
    line_end: usize,
    symbol: String,
    expected: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    file: String,
    line: u32,
}

impl Labels {
    pub(super) fn read(places: &[PathBuf], sections: &[PathBuf]) -> Result<Self> {
        let mut cases: Vec<Case> = Vec::new();
        for file in places {
            cases.extend(
                read_json::<Vec<OfPlaces>>(file, "definitions with places")?.into_iter().map(Case::from),
            );
        }
        for file in sections {
            let read: OfSections = read_json(file, "definitions with sections")?;
            cases.extend(read.cases.into_iter().map(Case::from));
        }
        let mut found: BTreeMap<String, Vec<Case>> = BTreeMap::new();
        for case in cases {
            found.entry(craig_text::path::name(&case.repo).to_owned()).or_default().push(case);
        }
        Ok(Self(found))
    }

    pub(super) fn repositories(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    pub(super) fn of(&self, repository: &str) -> &[Case] {
        self.0.get(repository).map_or(&[], Vec::as_slice)
    }
}

impl From<OfPlaces> for Case {
    fn from(of: OfPlaces) -> Self {
        let OfPlaces { id, repo, path, line, name, places } = of;
        Self { id, repo, path, lines: (line, line), name, truth: Truth::Places(places) }
    }
}

impl From<OfSection> for Case {
    fn from(of: OfSection) -> Self {
        Self {
            id: format!("{}:{} {}", of.file, of.line_start, of.symbol),
            repo: of.repository,
            path: of.file,
            lines: (of.line_start, of.line_end),
            name: of.symbol,
            truth: Truth::Sections(of.expected.into_iter().map(|one| (one.file, one.line)).collect()),
        }
    }
}

/// A repository with its documentation.
pub(super) struct Repository {
    pub(super) name: String,
    root: PathBuf,
    pub(super) library: Arc<Library>,
    code: Option<CodeDefinitions>,
}

/// A definition with what the ranker sees of its passages.
pub(super) struct Example {
    pub(super) repository: String,
    pub(super) truth: Truth,
    pub(super) passages: Vec<Passage>,
    /// How much each passage says.
    pub(super) grades: Vec<Option<Grade>>,
}

impl Repository {
    /// Ingests the repository of this name; nothing if it is in none of the folders.
    pub(super) fn open(engine: &Engine, corpora: &[PathBuf], name: &str) -> Result<Option<Self>> {
        let Some(root) = corpora.iter().map(|folder| folder.join(name)).find(|root| root.is_dir()) else {
            return Ok(None);
        };
        corpus::ingest_one(engine, name, root.clone())?;
        let explainer = Explainer::open_in_memory(&root, &ExplainConfig::default())?;
        explainer.refresh()?;
        let code = engine.code_definitions(&root)?;
        Ok(Some(Self { name: name.to_owned(), code, library: explainer.library(), root }))
    }

    /// The context of each definition that is found; of a definition with places the name is that of its line.
    pub(super) fn contexts<'c>(&self, cases: &'c [Case]) -> impl Iterator<Item = (&'c Case, CodeContext)> {
        cases.iter().filter_map(|case| Some((case, self.context(case)?)))
    }

    fn context(&self, case: &Case) -> Option<CodeContext> {
        let bytes = std::fs::read(self.root.join(&case.path)).ok()?;
        let language = Language::from_path(&case.path).unwrap_or(Language::Text);
        let mut context =
            CodeContext::read(&case.path, language, &String::from_utf8_lossy(&bytes), Some(case.lines));
        if let Some(code) = &self.code {
            context.distinguish(code);
        }
        let is_same = context.symbol() == Some(case.name.as_str());
        (is_same || matches!(case.truth, Truth::Sections(_))).then_some(context)
    }

    pub(super) fn example(&self, case: &Case) -> Option<Example> {
        let context = self.context(case)?;
        let passages = passages(&self.library, &context, context.subjects().first()?);
        let grade = |passage: &Passage| {
            let (file, heading) = self.library.heading(passage.at);
            case.truth.grade(file, heading, passage.lines(&self.library))
        };
        Some(Example {
            repository: craig_text::path::name(&case.repo).to_owned(),
            truth: case.truth.clone(),
            grades: passages.iter().map(grade).collect(),
            passages,
        })
    }
}
