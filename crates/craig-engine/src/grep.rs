//! Exact lines: those of the stored texts that match a regular expression.

mod line;
mod pattern;
mod required;

use std::time::Instant;

use craig_model::Cancellation;
use craig_search::{Filter, KindFilter};
use craig_source::{Withheld, mask_secrets};
use craig_store::{
    FileId, FileRecord, PackedText, Project, ProjectId, Store, StoreError, StoredText, TrackedFile,
};
use rayon::prelude::*;
use serde::Serialize;

use self::pattern::Pattern;
use crate::clock::milliseconds;
use crate::search::{filter, languages};
use crate::{Engine, EngineError};

pub use self::line::GrepLine;
pub use self::pattern::Case;

/// Options of a search for a pattern, which is a separate argument.
#[derive(Clone, Debug)]
pub struct GrepRequest {
    /// Whether capital letters matter.
    pub case: Case,
    /// Whether a match has to begin and end where words do.
    pub whole_words: bool,
    /// Whether the pattern is a text instead of a regular expression.
    pub literal: bool,
    /// Maximum number of lines, or files; all are counted.
    pub limit: usize,
    /// Lines to show before each line.
    pub before: usize,
    /// Lines to show after each line.
    pub after: usize,
    /// Longer lines are cut around their first match, to about as many characters.
    pub line_chars: usize,
    /// Languages to search, by id or common name; empty means all.
    pub languages: Vec<String>,
    /// File, folder or pattern to search; see [`PathFilter`](craig_search::PathFilter).
    pub path: Option<String>,
    /// Folder that `path` may be relative to, relative to the project's own; empty for that.
    pub folder: String,
    /// Code, docs, config or all.
    pub kind: KindFilter,
    /// Ends the search from another thread.
    pub cancellation: Cancellation,
}

impl Default for GrepRequest {
    fn default() -> Self {
        Self {
            case: Case::Sensitive,
            whole_words: false,
            literal: false,
            limit: 100,
            before: 0,
            after: 0,
            line_chars: 300,
            languages: Vec::new(),
            path: None,
            folder: String::new(),
            kind: KindFilter::All,
            cancellation: Cancellation::default(),
        }
    }
}

impl GrepRequest {
    /// Fails for whatever a search for `pattern` would refuse in any project: to be asked before a long ingestion.
    pub fn check(&self, pattern: &str) -> Result<(), EngineError> {
        Pattern::new(pattern, self)?;
        languages(&self.languages).map(drop)
    }

    fn filter(&self, project: &Project) -> Result<Filter, EngineError> {
        filter(project, self.kind, &self.languages, self.path.as_deref(), &self.folder)
    }

    fn go_on_unless_cancelled(&self) -> Result<(), EngineError> {
        if self.cancellation.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

/// The lines that match a pattern.
#[derive(Clone, Debug, Serialize)]
pub struct GrepAnswer {
    /// Name of the project searched.
    pub project: String,
    /// The pattern.
    pub pattern: String,
    /// Milliseconds of the search, without bringing the index up to date.
    pub elapsed_ms: f64,
    /// Lines that match, in all files.
    pub total_lines: u64,
    /// Files with such a line.
    pub total_files: u64,
    /// The first of these lines, by path and line.
    pub lines: Vec<GrepLine>,
    /// Notes: that no file passes the filters, or which files match that are not searched, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl GrepAnswer {
    /// Whether lines around those that match are shown.
    pub fn has_context(&self) -> bool {
        self.lines.iter().any(|line| !line.before.is_empty() || !line.after.is_empty())
    }
}

/// The files that match a pattern.
#[derive(Clone, Debug, Serialize)]
pub struct GrepCounts {
    /// Name of the project searched.
    pub project: String,
    /// The pattern.
    pub pattern: String,
    /// Milliseconds of the search, without bringing the index up to date.
    pub elapsed_ms: f64,
    /// Lines that match, in all files.
    pub total_lines: u64,
    /// Files with such a line.
    pub total_files: u64,
    /// The first of these files, by path.
    pub files: Vec<GrepFile>,
    /// Notes: that no file passes the filters, or which files match that are not searched, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A file that matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrepFile {
    /// Path relative to the project's folder.
    pub path: String,
    /// Lines that match.
    pub lines: u64,
}

/// A file in which something was found.
struct MatchingFile {
    id: FileId,
    path: String,
    n_lines: u64,
    /// Where the first lines begin that match, in bytes.
    starts: Vec<usize>,
}

/// Bytes of text that are read while the texts before them are searched.
const GROUP_BYTES: u64 = 4 << 20;

/// Number of files whose lines are extracted in parallel.
const FILES_SHOWN_AT_ONCE: usize = 64;

impl Engine {
    /// The lines of a project, as currently indexed, that match a regular expression, by path and line.
    pub fn grep(
        &self,
        handle: &str,
        pattern: &str,
        request: &GrepRequest,
    ) -> Result<GrepAnswer, EngineError> {
        let started = Instant::now();
        let compiled = Pattern::new(pattern, request)?;
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let (found, notes) = self.matching_files(&store, project, &compiled, request, request.limit)?;
            Ok(GrepAnswer {
                project: project.name.clone(),
                pattern: mask_secrets(pattern).into_owned(),
                total_lines: found.iter().map(|file| file.n_lines).sum(),
                total_files: found.len() as u64,
                lines: lines(&store, project.id, &found, &compiled, request)?,
                notes: [notes, self.notes_of_grep(project, &compiled, request)?].concat(),
                elapsed_ms: milliseconds(started.elapsed()),
            })
        })
    }

    /// The files of a project, as currently indexed, with a line that matches a regular expression, by path.
    pub fn grep_counts(
        &self,
        handle: &str,
        pattern: &str,
        request: &GrepRequest,
    ) -> Result<GrepCounts, EngineError> {
        let started = Instant::now();
        let compiled = Pattern::new(pattern, request)?;
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let (found, notes) = self.matching_files(&store, project, &compiled, request, 0)?;
            let (total_lines, total_files) =
                (found.iter().map(|file| file.n_lines).sum(), found.len() as u64);
            let files = found.into_iter().take(request.limit);
            Ok(GrepCounts {
                project: project.name.clone(),
                pattern: mask_secrets(pattern).into_owned(),
                total_lines,
                total_files,
                files: files.map(|file| GrepFile { path: file.path, lines: file.n_lines }).collect(),
                notes: [notes, self.notes_of_grep(project, &compiled, request)?].concat(),
                elapsed_ms: milliseconds(started.elapsed()),
            })
        })
    }

    fn notes_of_grep(
        &self,
        project: &Project,
        pattern: &Pattern,
        request: &GrepRequest,
    ) -> Result<Vec<String>, EngineError> {
        let has_match = |text: &str| pattern.lines(text).next().is_some();
        Ok(self.note_about_large_files(project, &request.filter(project)?, has_match).into_iter().collect())
    }

    /// All files that match, by path, with the places of the first `most_lines` lines. Files that the index rules out are not
    /// read. Texts are searched on the threads of the pool while this thread, which has the connection, reads the next ones.
    fn matching_files(
        &self,
        store: &Store,
        project: &Project,
        pattern: &Pattern,
        request: &GrepRequest,
        most_lines: usize,
    ) -> Result<(Vec<MatchingFile>, Vec<String>), EngineError> {
        let mut filter = request.filter(project)?;
        if filter.has_path() {
            let all = store.tracked_files(project.id)?;
            filter = filter.for_paths(all.iter().map(|file| file.path.as_str()))?;
        }
        let mut tracked = self.files_with(store, project, pattern)?;
        tracked.retain(|file| filter.passes_path(&file.path));
        let (pool, mut groups) = (self.pool()?, groups(&tracked).into_iter());
        let mut next = groups.next().map(|files| store.load_packed_texts(project.id, &files)).transpose()?;
        let (mut found, mut n_places) = (Vec::new(), 0);
        while let Some(texts) = next.take() {
            request.go_on_unless_cancelled()?;
            let room = most_lines - n_places;
            let mut matching = Ok(Vec::new());
            next = pool.in_place_scope(|scope| {
                scope.spawn(|_| matching = search(texts, &filter, pattern, room));
                groups.next().map(|files| store.load_packed_texts(project.id, &files)).transpose()
            })?;
            for mut file in matching? {
                file.starts.truncate(most_lines - n_places);
                n_places += file.starts.len();
                found.push(file);
            }
        }
        let note = if found.is_empty() { note_about_filter(store, project, &filter)? } else { None };
        Ok((found, note.into_iter().collect()))
    }

    /// The files that may match, by path: all of them if the index is not at hand or is damaged.
    fn files_with(
        &self,
        store: &Store,
        project: &Project,
        pattern: &Pattern,
    ) -> Result<Vec<TrackedFile>, EngineError> {
        let index = self.index_at_hand(store, project);
        let indexed = index.and_then(|index| index.files_with(pattern.required()).ok());
        Ok(match indexed {
            Some(files) => store.tracked_files_among(project.id, &files)?,
            None => store.tracked_files(project.id)?,
        })
    }
}

/// A note that no text passes the filter, if none does.
fn note_about_filter(
    store: &Store,
    project: &Project,
    filter: &Filter,
) -> Result<Option<String>, EngineError> {
    if filter.passes_everything() {
        return Ok(None);
    }
    let mut records = store.file_records(project.id)?;
    records.retain(|record| filter.passes_path(&record.path));
    let has_text = |record: &FileRecord| !record.is_binary && record.withheld != Some(Withheld::Secret);
    let passes = |record: &FileRecord| has_text(record) && filter.passes_file(record.language, record.kind);
    Ok((!records.iter().any(passes)).then(|| filter.nothing_passes(!records.is_empty())))
}

/// Ids of files, about as many at a time as have texts of [`GROUP_BYTES`].
fn groups(files: &[TrackedFile]) -> Vec<Vec<FileId>> {
    let mut groups: Vec<Vec<FileId>> = Vec::new();
    let mut n_bytes = GROUP_BYTES;
    for file in files {
        if n_bytes >= GROUP_BYTES {
            groups.push(Vec::new());
            n_bytes = 0;
        }
        n_bytes += file.stamp.size;
        groups.last_mut().into_iter().for_each(|group| group.push(file.id));
    }
    groups
}

/// The texts that match, in the order given, each with the places of its first `most_lines` lines.
fn search(
    texts: Vec<PackedText>,
    filter: &Filter,
    pattern: &Pattern,
    most_lines: usize,
) -> Result<Vec<MatchingFile>, StoreError> {
    let search_one = |StoredText { record, content }| {
        let text = content?;
        let mut file = MatchingFile { id: record.id, path: record.path, n_lines: 0, starts: Vec::new() };
        for start in pattern.lines(&text) {
            file.n_lines += 1;
            if file.starts.len() < most_lines {
                file.starts.push(start);
            }
        }
        (file.n_lines > 0).then_some(file)
    };
    let passing =
        texts.into_par_iter().filter(|text| filter.passes_file(text.record.language, text.record.kind));
    passing.filter_map(|text| text.unpacked().map(search_one).transpose()).collect()
}

/// The lines at the places found, from texts that are what was stored.
fn lines(
    store: &Store,
    project: ProjectId,
    found: &[MatchingFile],
    pattern: &Pattern,
    request: &GrepRequest,
) -> Result<Vec<GrepLine>, EngineError> {
    let shown: Vec<&MatchingFile> = found.iter().filter(|file| !file.starts.is_empty()).collect();
    let mut lines = Vec::new();
    for files in shown.chunks(FILES_SHOWN_AT_ONCE) {
        request.go_on_unless_cancelled()?;
        let ids: Vec<FileId> = files.iter().map(|file| file.id).collect();
        for (file, outlined) in files.iter().zip(store.load_outlines(project, &ids)?) {
            lines.extend(line::of_file(&outlined, &file.starts, pattern, request));
        }
    }
    Ok(lines)
}
