//! Questions with their pools.

use std::path::Path;

use anyhow::{Context, Result};
use craig_context::{ChatQuery, InlineQuery};
use craig_engine::{Config, Engine, SearchRequest};
use craig_source::Language;

use super::FitChunksArguments;
use crate::corpus::ingest_one;
use crate::lines::{self, Grade, Question, Repository, Target};
use crate::unrelated;

/// How much a question about another repository counts in relevance: there are as many of them as of its own.
const WEIGHT_OF_OTHERS: f64 = 0.5;

/// The kind of the texts of changes.
const REPORT: &str = "report";

/// A question asked of a repository.
pub(super) struct Example {
    /// Number of the repository in the collection.
    pub(super) repository: usize,
    /// Kind of question; `other` for one about another repository, `unrelated` for one about none, `report` for
    /// the text of a change.
    pub(super) kind: String,
    /// It is asked in a chat, about the repository.
    pub(super) is_question: bool,
    /// It does not teach which messages are about the project.
    pub(super) is_of_order: bool,
    pub(super) pool: Vec<Chunk>,
}

/// A chunk of a pool.
pub(super) struct Chunk {
    pub(super) features: Vec<f32>,
    /// It shares a line with a place that answers.
    pub(super) answers: bool,
    /// It holds at least half of such a place, or lies within it.
    pub(super) is_whole: bool,
    /// It shares a line with a place that helps.
    helps: bool,
    /// It is of a labelled file.
    pub(super) is_in_file: bool,
}

impl Chunk {
    /// What it is worth to whoever asks.
    pub(super) fn gain(&self) -> f64 {
        match () {
            () if self.is_whole => 3.0,
            () if self.answers => 2.0,
            () if self.helps => 0.3,
            () => 0.0,
        }
    }
}

impl Example {
    pub(super) fn has_answer(&self) -> bool {
        self.pool.iter().any(|chunk| chunk.answers)
    }

    pub(super) fn rows(&self) -> Vec<Vec<f32>> {
        self.pool.iter().map(|chunk| chunk.features.clone()).collect()
    }

    /// How much it counts in relevance.
    pub(super) fn weight(&self) -> f64 {
        if self.kind == "other" { WEIGHT_OF_OTHERS } else { 1.0 }
    }
}

/// All examples.
pub(super) struct Collection {
    pub(super) examples: Vec<Example>,
    /// Names of the repositories.
    pub(super) repositories: Vec<String>,
}

impl Collection {
    /// Asks the engine all questions.
    pub(super) fn gather(arguments: &FitChunksArguments) -> Result<Self> {
        let engine = Engine::open(&Config::new(&arguments.db))?;
        let repositories = lines::load_both(&arguments.questions, arguments.order.as_deref())?;
        let unrelated = unrelated::load(&arguments.unrelated)?;
        let mut examples = Vec::new();
        for (number, repository) in repositories.iter().enumerate() {
            let folder = repository.folder(&arguments.corpora);
            ingest_one(&engine, &repository.name, folder.clone())?;
            let ask = Ask { engine: &engine, repository, number, folder: &folder };
            for question in repository.queries.iter().filter(|question| !question.targets.is_empty()) {
                examples.extend(ask.own(question)?);
            }
            let other = &repositories[(number + 7) % repositories.len()];
            let is_foreign = |question: &&Question| question.is_question() && question.kind != "symbol";
            for question in other.queries.iter().filter(is_foreign).filter(|q| q.history.is_empty()) {
                examples.extend(ask.chat("other", &question.query)?);
            }
            for question in unrelated::part(&unrelated, number) {
                examples.extend(ask.chat("unrelated", &question.query)?);
            }
        }
        let n_questioned = repositories.len();
        let reports = arguments.reports.as_deref().map_or(Ok(Vec::new()), lines::load)?;
        for (number, repository) in (n_questioned..).zip(&reports) {
            let folder = repository.folder(&arguments.corpora);
            ingest_one(&engine, &repository.name, folder.clone())?;
            let ask = Ask { engine: &engine, repository, number, folder: &folder };
            for question in &repository.queries {
                let example = ask.own(question)?;
                examples.extend(example.map(|example| Example { kind: REPORT.to_owned(), ..example }));
            }
        }
        let repositories =
            repositories.into_iter().chain(reports).map(|repository| repository.name).collect();
        Ok(Self { examples, repositories })
    }
}

/// Asks one repository.
struct Ask<'a> {
    engine: &'a Engine,
    repository: &'a Repository,
    number: usize,
    folder: &'a Path,
}

impl Ask<'_> {
    /// A question about the repository; the selection of an edit is not in its pool.
    fn own(&self, question: &Question) -> Result<Option<Example>> {
        let history: Vec<&str> = question.history.iter().map(String::as_str).collect();
        let text = match (&question.file, question.lines) {
            (Some(path), Some((first, last))) => self.edit(question, path, first..=last)?,
            _ => {
                let query = ChatQuery::new(&question.query, &history);
                query.history.map(|before| format!("{before}\n")).unwrap_or_default() + &query.text
            }
        };
        let Some(mut example) = self.example(&question.kind, &text, &question.targets, question)? else {
            return Ok(None);
        };
        example.is_question = question.is_question();
        Ok(Some(example))
    }

    /// What is searched for to edit lines of a file.
    fn edit(&self, question: &Question, path: &str, lines: std::ops::RangeInclusive<u32>) -> Result<String> {
        let file = self.folder.join(path);
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let n_lines = (lines.end() - lines.start() + 1) as usize;
        let selection: Vec<&str> = text.lines().skip(*lines.start() as usize - 1).take(n_lines).collect();
        let language = Language::from_path(path).unwrap_or(Language::Text);
        Ok(InlineQuery::new(&question.query, &selection.join("\n"), language).text)
    }

    /// A message that nothing here answers.
    fn chat(&self, kind: &str, message: &str) -> Result<Option<Example>> {
        let nothing = Question::plain(message);
        self.example(kind, &ChatQuery::new(message, &[]).text, &[], &nothing)
    }

    fn example(
        &self,
        kind: &str,
        text: &str,
        targets: &[Target],
        question: &Question,
    ) -> Result<Option<Example>> {
        if !craig_search::has_words(text) {
            return Ok(None);
        }
        let message = Some(question.query.clone()).filter(|_| question.file.is_none());
        let request = SearchRequest { message, ..SearchRequest::default() };
        let found = self.engine.chunk_candidates(&self.repository.name, text, &request)?;
        let is_selected = |path: &str, (first, last): (u32, u32)| {
            let selected = question.file.as_deref().zip(question.lines);
            selected.is_some_and(|(file, (from, to))| file == path && first <= to && from <= last)
        };
        let pool: Vec<Chunk> = found
            .iter()
            .filter(|chunk| !is_selected(&chunk.path, chunk.lines))
            .map(|chunk| {
                let place = (chunk.path.as_str(), chunk.lines);
                Chunk {
                    features: chunk.features.to_array().to_vec(),
                    answers: targets.iter().any(|target| target.is_touched(place)),
                    is_whole: targets.iter().any(|target| target.is_shown(place)),
                    helps: targets.iter().any(|t| t.grade == Grade::Helps && t.n_shown(place) > 0),
                    is_in_file: targets.iter().any(|target| target.path == chunk.path),
                }
            })
            .collect();
        let (repository, kind) = (self.number, kind.to_owned());
        let is_of_order = question.is_of_order || self.repository.is_of_order();
        Ok((!pool.is_empty()).then_some(Example { repository, kind, is_question: false, is_of_order, pool }))
    }
}
