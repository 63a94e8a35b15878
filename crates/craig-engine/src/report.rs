//! Results of operations: plain data to show or to serialise. The JSON forms are documented in `docs/cli.md`.

use std::collections::BTreeMap;

use craig_source::{FileKind, FileType, Language, ReadError, Skipped, Withheld};
use schemars::JsonSchema;
use serde::Serialize;

use crate::GitOrigin;

/// The result of an ingestion.
#[derive(Clone, Debug, Serialize)]
pub struct IngestReport {
    /// Name of the project.
    pub project: String,
    /// Its unique reference.
    pub reference: String,
    /// Its number.
    pub id: u64,
    /// Its source directory.
    pub source_path: String,
    /// Files by outcome.
    pub files: FileCounts,
    /// Chunks written.
    pub chunks: u64,
    /// Vectors computed.
    pub vectors_embedded: u64,
    /// Vectors reused from equal texts.
    pub vectors_reused: u64,
    /// Bytes of source read.
    pub bytes: u64,
    /// Duration in seconds.
    pub elapsed_s: f64,
    /// Files and folders that could not be processed, each with its reason.
    pub failed: Vec<FailedFile>,
    /// Files over the size limit: not tracked.
    pub too_large: Vec<String>,
    /// Folders that are git working trees of their own, and so projects of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_repositories: Vec<String>,
    /// Files that are secrets, such as `.env`: tracked by name only.
    pub secrets: Vec<String>,
    /// The repository it was cloned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<GitOrigin>,
    /// Other events to report, such as a damaged index that was rebuilt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl IngestReport {
    /// True when some files could not be processed.
    pub fn is_partial(&self) -> bool {
        !self.failed.is_empty()
    }
}

/// Files of an ingestion by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileCounts {
    /// Files of the project after it.
    pub total: u64,
    /// New files.
    pub added: u64,
    /// Changed files.
    pub changed: u64,
    /// Removed files.
    pub removed: u64,
    /// Unchanged files.
    pub unchanged: u64,
}

impl FileCounts {
    /// Files that were added, changed or removed.
    pub fn differences(self) -> u64 {
        self.added + self.changed + self.removed
    }
}

/// A file or folder that could not be processed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedFile {
    /// Path relative to the source directory.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl FailedFile {
    pub(crate) fn new(path: &str, error: &ReadError) -> Self {
        let reason = match error {
            ReadError::Unreadable { source, .. } => format!("cannot be read: {source}"),
            other => other.to_string(),
        };
        // The report names the path itself.
        let reason = reason.strip_prefix(&format!("{path} ")).unwrap_or(&reason).to_owned();
        Self { path: path.to_owned(), reason }
    }
}

impl From<&Skipped> for FailedFile {
    fn from(skipped: &Skipped) -> Self {
        Self { path: skipped.path.clone(), reason: skipped.reason.to_string() }
    }
}

/// A project in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProjectSummary {
    /// Number in this database.
    pub id: u64,
    /// Name.
    pub name: String,
    /// Unique reference: the same in every database.
    pub reference: String,
    /// Source directory.
    pub source_path: String,
    /// When it was first ingested, RFC 3339.
    pub ingestion_date: String,
    /// When its files last changed here, RFC 3339.
    pub last_updated: String,
    /// Hash over all files, hex; null until an ingestion has completed.
    pub content_hash: Option<String>,
    /// Files, binary ones included.
    pub files: u64,
    /// Indexed chunks.
    pub chunks: u64,
    /// The repository it was cloned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<GitOrigin>,
}

/// Status of the newest ingestion of a project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProjectStatus {
    /// Name of the project.
    pub project: String,
    /// State of that ingestion.
    pub status: IngestionState,
    /// Percent, 0–100.
    pub progress: u8,
    /// The file last processed.
    pub current_file: Option<String>,
    /// Files to process.
    pub total_files: u64,
    /// Files processed.
    pub processed_files: u64,
    /// RFC 3339; null before the first ingestion.
    pub started_at: Option<String>,
    /// RFC 3339.
    pub completed_at: Option<String>,
    /// Why it failed, and what to do about it.
    pub error: Option<String>,
}

/// The size of a project's index, from stored counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectGlance {
    /// Name of the project.
    pub name: String,
    /// Tracked files.
    pub files: u64,
    /// State of its newest ingestion.
    pub state: IngestionState,
}

/// State of an ingestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IngestionState {
    /// None was started yet.
    Pending,
    /// Running.
    InProgress,
    /// Done.
    Completed,
    /// Ended by an error, or with its process.
    Failed,
}

impl From<craig_store::IngestionState> for IngestionState {
    fn from(state: craig_store::IngestionState) -> Self {
        match state {
            craig_store::IngestionState::Pending => Self::Pending,
            craig_store::IngestionState::InProgress => Self::InProgress,
            craig_store::IngestionState::Completed => Self::Completed,
            craig_store::IngestionState::CutOff | craig_store::IngestionState::Failed => Self::Failed,
        }
    }
}

/// How a source directory differs from the index.
#[derive(Clone, Debug, Serialize)]
pub struct UpdateCheck {
    /// Name of the project.
    pub project: String,
    /// True when nothing differs.
    pub up_to_date: bool,
    /// New files.
    pub added: Vec<String>,
    /// Files whose content differs.
    pub changed: Vec<String>,
    /// Files that are gone.
    pub removed: Vec<String>,
    /// Files and folders that could not be read.
    pub failed: Vec<FailedFile>,
    /// The repository it was cloned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<GitOrigin>,
    /// The repository's current commit, when the server was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_commit: Option<String>,
}

/// One tracked file.
#[derive(Clone, Debug, Serialize)]
pub struct FileEntry {
    /// Path relative to the source directory.
    pub path: String,
    /// Binary by extension or content.
    pub is_binary: bool,
    /// Language id.
    pub language: Language,
    /// Code, docs or config.
    pub kind: FileKind,
    /// Coarse type.
    pub r#type: FileType,
    /// Size in bytes.
    pub size: u64,
    /// Modification time, RFC 3339.
    pub modified_date: Option<String>,
    /// Why its text is not searched, when it is not.
    pub withheld: Option<Withheld>,
    /// BLAKE3 of its bytes, hex.
    pub file_hash: String,
}

/// A file with its text.
#[derive(Clone, Debug, Serialize)]
pub struct FileText {
    /// Its metadata.
    #[serde(flatten)]
    pub entry: FileEntry,
    /// `None` for binary files and secrets.
    pub content: Option<String>,
}

/// A folder or file of a project's tree.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TreeNode {
    /// Last part of the path.
    pub name: String,
    /// The file, when it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileEntry>,
    /// Children of a folder: folders first, then files, each by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TreeNode>,
}

/// Sums over one project or all.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Statistics {
    /// Projects counted.
    pub projects: u64,
    /// Files, binary ones included.
    pub files: u64,
    /// Binary files.
    pub binary_files: u64,
    /// Bytes of source.
    pub bytes: u64,
    /// Chunks.
    pub chunks: u64,
    /// Files and bytes by language id, binary files left out.
    pub languages: BTreeMap<String, LanguageShare>,
    /// The database.
    pub database: String,
    /// Bytes of the database and of everything derived from it.
    pub database_bytes: u64,
    /// Embedder of the vectors.
    pub embedder: String,
}

/// One language's share of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguageShare {
    /// Files.
    pub files: u64,
    /// Bytes.
    pub bytes: u64,
}
