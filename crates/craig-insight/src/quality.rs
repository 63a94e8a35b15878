//! The report of quality: functions by complexity, duplicated code, long files, notes left in comments, and tests.

mod clones;
mod notes;
mod tests_of;
mod tokens;

use std::collections::HashSet;
use std::ops::RangeInclusive;

use craig_chunk::{FunctionMetrics, Measures, measures};
use craig_source::{FileKind, Language};
use craig_store::{FileId, OutlinedFile, ProjectId, Store};
use craig_symbols::{IsCancelled, go_on_unless};
use craig_text::PathRole;
use rayon::{ThreadPool, prelude::*};
use serde::{Deserialize, Serialize};

use crate::{Analysis, InsightError};
use tokens::Tokens;

pub use clones::{Clone, ClonePlace, Duplication};
pub use notes::{FileNotes, Note, Notes};
pub use tests_of::ModuleTests;

/// A file longer than this is a long one.
pub const LONG_FILE_LINES: u32 = 500;

/// A function more complex than this is worth a second look (McCabe's own limit).
pub const COMPLEX: u32 = 10;

/// Measures of the quality of a project's code.
#[derive(std::clone::Clone, Debug, Serialize, Deserialize)]
pub struct Quality {
    /// Sums.
    pub summary: Summary,
    /// All functions, the most complex first, then the longest, then by path.
    pub functions: Vec<Function>,
    /// Duplicated code, most lines first.
    pub duplication: Duplication,
    /// Code files of more than 500 lines, longest first.
    pub long_files: Vec<LongFile>,
    /// `TODO`, `FIXME`, `XXX` and `HACK` in comments.
    pub notes: Notes,
    /// Folders with their tests.
    pub tests: Vec<ModuleTests>,
    /// Code files whose functions are missing above, as they took too long to parse; rarely any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_parsed: Vec<String>,
}

impl Quality {
    /// Changes when something else is measured.
    pub const VERSION: u32 = 3;
}

/// Sums over a project.
#[derive(std::clone::Clone, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Code files measured; generated and minified ones are left out.
    pub files: usize,
    /// Lines of these.
    pub lines: u64,
    /// Functions.
    pub functions: usize,
    /// Mean complexity of a function.
    pub complexity_mean: f64,
    /// 90th percentile of complexity.
    pub complexity_p90: u32,
    /// Functions more complex than 10.
    pub complex_functions: usize,
    /// Mean lines of a function.
    pub function_lines_mean: f64,
    /// Code files that are tests.
    pub test_files: usize,
    /// Lines of tests, with those inside of Rust files, per line of other code.
    pub test_lines_ratio: f64,
}

/// One function.
#[derive(std::clone::Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Path of its file.
    pub file: String,
    /// Line of its name, 1-based.
    pub line_start: u32,
    /// Name as written; `(anonymous)` where there is none.
    pub name: String,
    /// Lines from its name to its end.
    pub lines: u32,
    /// Cyclomatic complexity: 1 and one for each decision.
    pub complexity: u32,
    /// Control structures around the deepest statement.
    pub nesting: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Parameters.
    pub parameters: u32,
}

/// A long file.
#[derive(std::clone::Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongFile {
    /// Path.
    pub file: String,
    /// Lines.
    pub lines: u32,
    /// Functions in it.
    pub functions: usize,
}

/// Measurements of one code file.
struct Measured {
    path: String,
    language: Language,
    lines: u32,
    is_test: bool,
    has_tests_inside: bool,
    /// Lines of the tests inside of a Rust file.
    inner_tests: Option<RangeInclusive<u32>>,
    /// `None` when the file took too long to parse.
    functions: Option<Vec<FunctionMetrics>>,
    notes: Vec<Note>,
    tokens: Tokens,
}

/// Texts read from the store at a time.
const GROUP: usize = 256;

/// Measures a project, parsing its texts on the threads of `pool`. Fails soon after it is cancelled.
pub fn quality(
    store: &Store,
    project: ProjectId,
    pool: &ThreadPool,
    is_cancelled: IsCancelled<'_>,
) -> Result<Quality, InsightError> {
    let records = store.file_records(project)?;
    let is_wanted = |record: &&craig_store::FileRecord| {
        !record.is_binary && record.withheld.is_none() && is_measured(&record.path, record.language)
    };
    let wanted: Vec<FileId> = records.iter().filter(is_wanted).map(|record| record.id).collect();
    let mut measured = Vec::with_capacity(wanted.len());
    for group in wanted.chunks(GROUP) {
        let texts = store.load_outlines(project, group)?;
        let read = |file: OutlinedFile| {
            (!is_cancelled()).then(|| measure(file.record.path, file.record.language, &file.text))
        };
        pool.install(|| measured.par_extend(texts.into_par_iter().filter_map(read)));
        go_on_unless(is_cancelled)?;
    }
    let analysis = Analysis::load(store, project, pool, is_cancelled)?;
    Ok(report(measured, &used_by_tests(&analysis)))
}

/// Measures texts, each with its path.
pub fn quality_of_texts<'a>(
    texts: impl IntoIterator<Item = (&'a str, &'a str)> + std::clone::Clone,
) -> Quality {
    let measured = texts.clone().into_iter().filter_map(|(path, text)| {
        let language = Language::from_path(path).filter(|language| is_measured(path, *language))?;
        Some(measure(path.to_owned(), language, text))
    });
    report(measured.collect(), &used_by_tests(&Analysis::from_texts(texts)))
}

/// Whether people wrote the code of a file, as far as its path shows.
fn is_measured(path: &str, language: Language) -> bool {
    language.kind() == FileKind::Code && PathRole::from_path(path) != PathRole::Generated
}

/// Files that tests import or use by name.
fn used_by_tests(analysis: &Analysis) -> HashSet<&str> {
    let uses = analysis.graph.all().filter(|edge| edge.weakness.test);
    uses.map(|edge| analysis.workspace.files[edge.to].path.as_str()).collect()
}

fn measure(path: String, language: Language, text: &str) -> Measured {
    let is_rust = language == Language::Rust;
    let (tokens, by_marks) = tokens::read(language, text);
    let (functions, by_tree) = match measures(language, text) {
        Some(Measures { functions, comments }) => (Some(functions), comments),
        None => (None, None),
    };
    let comments = match by_tree {
        // The trees of a component or page are of its scripts alone.
        Some(mut comments) if language.comments().block.is_some_and(|(open, _)| open == "<!--") => {
            comments.extend(by_marks);
            comments.sort_by_key(|comment| comment.start);
            comments
        }
        Some(comments) => comments,
        None => by_marks,
    };
    Measured {
        language,
        lines: u32::try_from(text.lines().count()).unwrap_or(u32::MAX),
        is_test: craig_text::is_test(&path),
        has_tests_inside: is_rust && text.contains("#[cfg(test)]"),
        inner_tests: is_rust.then(|| inner_tests(text)).flatten(),
        functions,
        notes: notes::notes(&path, text, &comments),
        tokens,
        path,
    }
}

/// The module of tests of a Rust file: from its attribute to the brace that closes it.
fn inner_tests(text: &str) -> Option<RangeInclusive<u32>> {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.windows(2).position(|pair| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    })?;
    let end = lines[start..].iter().position(|line| *line == "}").map_or(lines.len(), |n| start + n + 1);
    Some(u32::try_from(start + 1).ok()?..=u32::try_from(end).ok()?)
}

impl Measured {
    /// Lines of tests: all of a test file, or those of the tests inside of it.
    fn test_lines(&self) -> u64 {
        let inner = self.inner_tests.as_ref().map_or(0, |lines| u64::from(lines.end() - lines.start()) + 1);
        if self.is_test { u64::from(self.lines) } else { inner }
    }
}

fn report(mut measured: Vec<Measured>, used_by_tests: &HashSet<&str>) -> Quality {
    measured.sort_by(|a, b| a.path.cmp(&b.path));
    let functions = functions(&measured);
    Quality {
        summary: summary(&measured, &functions),
        duplication: clones::duplication(&measured),
        long_files: long_files(&measured),
        notes: notes::report(&measured),
        tests: tests_of::modules(&measured, used_by_tests),
        not_parsed: measured
            .iter()
            .filter(|file| file.functions.is_none())
            .map(|file| file.path.clone())
            .collect(),
        functions,
    }
}

fn functions(measured: &[Measured]) -> Vec<Function> {
    let all = measured.iter().flat_map(|file| {
        file.functions.iter().flatten().map(|function| Function {
            file: file.path.clone(),
            line_start: function.line_start,
            name: function.name.clone(),
            lines: function.line_end - function.line_start + 1,
            complexity: function.complexity,
            nesting: function.nesting,
            line_end: function.line_end,
            parameters: function.parameters,
        })
    });
    let mut functions: Vec<Function> = all.collect();
    functions.sort_by(|a, b| {
        (b.complexity, b.lines)
            .cmp(&(a.complexity, a.lines))
            .then_with(|| (&a.file, a.line_start).cmp(&(&b.file, b.line_start)))
    });
    functions
}

fn summary(measured: &[Measured], functions: &[Function]) -> Summary {
    let lines: u64 = measured.iter().map(|file| u64::from(file.lines)).sum();
    let test_lines: u64 = measured.iter().map(Measured::test_lines).sum();
    let mean = |of: fn(&Function) -> u32| {
        let sum: u64 = functions.iter().map(|function| u64::from(of(function))).sum();
        rounded(sum as f64 / functions.len().max(1) as f64)
    };
    Summary {
        files: measured.len(),
        lines,
        functions: functions.len(),
        complexity_mean: mean(|function| function.complexity),
        complexity_p90: functions.get(functions.len() / 10).map_or(0, |function| function.complexity),
        complex_functions: functions.iter().filter(|function| function.complexity > COMPLEX).count(),
        function_lines_mean: mean(|function| function.lines),
        test_files: measured.iter().filter(|file| file.is_test).count(),
        test_lines_ratio: rounded(test_lines as f64 / (lines - test_lines).max(1) as f64),
    }
}

/// Rounds to two decimals, which are the same on every platform.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn long_files(measured: &[Measured]) -> Vec<LongFile> {
    let long = measured.iter().filter(|file| file.lines > LONG_FILE_LINES);
    let mut long: Vec<LongFile> = long
        .map(|file| LongFile {
            file: file.path.clone(),
            lines: file.lines,
            functions: file.functions.as_ref().map_or(0, Vec::len),
        })
        .collect();
    long.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.file.cmp(&b.file)));
    long
}
