//! Every error of the engine, classified by who can fix it, with hints.

use std::path::PathBuf;

use craig_explain::ExplainError;
use craig_insight::InsightError;
use craig_model::{FailureClass, ModelError};
use craig_search::SearchError;
use craig_source::{BadUrl, GitError, LeftOut, ProtectedFolder, SourceError};
use craig_store::{ArchiveError, DatabaseAddress, StoreError, StoreErrorKind};
use craig_symbols::SymbolError;
use craig_text::shell_word;
use thiserror::Error;

use crate::cost::EmbeddingCost;
use crate::settings::SettingsError;

/// An operation failed; work that was committed before is kept.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The source directory cannot be used.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The source directory of a project no longer exists.
    #[error("the directory of the project {project:?} is gone: {}", path.display())]
    SourceGone {
        /// Name of the project.
        project: String,
        /// Where it was.
        path: PathBuf,
    },
    /// What is asked for needs one project, not a group.
    #[error("{group:?} is a group of projects, but a single project is needed")]
    IsAGroup {
        /// Name of the group.
        group: String,
    },
    /// A project was given where a group is needed.
    #[error("{project:?} is a project, not a group")]
    NotAGroup {
        /// Name of the project.
        project: String,
    },
    /// A project is not a member of a group.
    #[error("{project:?} is not in the group {group:?}")]
    NotInGroup {
        /// Name of the project.
        project: String,
        /// Name of the group.
        group: String,
        /// Names of its members.
        known: Vec<String>,
    },
    /// A home directory or a system folder would become a project, and the user has not confirmed it.
    #[error("{} is {why}, not a project", path.display())]
    ProtectedSource {
        /// The directory.
        path: PathBuf,
        /// Kind of the protected folder.
        why: ProtectedFolder,
    },
    /// The path of a directory now contains a link to another place.
    #[error("{} now leads to {}: its files are not read", path.display(), leads_to.display())]
    SourceReplaced {
        /// The requested directory.
        path: PathBuf,
        /// Where the link leads.
        leads_to: PathBuf,
    },
    /// The database cannot be used, or lacks the requested data.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A project was purged while it was being read, usually by another process.
    #[error("the project {project:?} was purged in the meantime")]
    Purged {
        /// Name of the project.
        project: String,
    },
    /// The named database does not exist.
    #[error("the database {} does not exist", path.display())]
    NoDatabase {
        /// The path that was named.
        path: PathBuf,
    },
    /// Searching or indexing failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Embedding would be expensive or change the embedder, and the user has not confirmed it.
    #[error("{0}")]
    CostsNotAccepted(Box<EmbeddingCost>),
    /// An analysis failed, or its target does not exist.
    #[error(transparent)]
    Insight(#[from] InsightError),
    /// The symbols of a project cannot be read.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// Documentation could not be indexed, or code could not be explained.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// The system could not start a thread.
    #[error("cannot start worker threads: {0}")]
    Threads(String),
    /// A project with that name would be ambiguous or empty.
    #[error("{name:?} is not a valid project name: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// The directory is already a project with another name.
    #[error("{directory} is already the project {project:?}")]
    DirectoryTaken {
        /// The directory.
        directory: String,
        /// Name of its project.
        project: String,
    },
    /// The repository is already a project, whose clone is in the data folder of another machine or user.
    #[error(
        "the repository is already the project {project:?}, cloned to {folder}, which is not in this data folder"
    )]
    ClonedElsewhere {
        /// Name of the project.
        project: String,
        /// Its clone.
        folder: String,
    },
    /// The project has no such file.
    #[error("the project {project:?} has no file {path:?}")]
    UnknownFile {
        /// Name of the project.
        project: String,
        /// Requested path.
        path: String,
        /// Why it is not part of the project, if it exists.
        left_out: Option<Box<LeftOut>>,
        /// Similar paths.
        similar: Vec<String>,
    },
    /// The project has no symbol of that name.
    #[error("the project {project:?} has no symbol {name:?}")]
    UnknownSymbol {
        /// Name of the project.
        project: String,
        /// Requested name.
        name: String,
        /// Similar names.
        similar: Vec<String>,
        /// Which unsearched files have the name.
        note: Option<String>,
    },
    /// No package of that name is used by the project, or its documentation was not added.
    #[error("the project {project:?} has no package {package:?}")]
    UnknownPackage {
        /// Name of the project.
        project: String,
        /// Name asked for.
        package: String,
        /// Names that it has.
        known: Vec<String>,
    },
    /// The queue has no job of this number.
    #[error("there is no job {id}")]
    UnknownJob {
        /// The number.
        id: u64,
    },
    /// A file without text cannot be compared with others.
    #[error("{path} has no text to compare")]
    NothingToCompare {
        /// Requested path.
        path: String,
    },
    /// There is no language of that name.
    #[error("no language {name:?}")]
    UnknownLanguage {
        /// The name.
        name: String,
        /// Languages with similar names.
        similar: Vec<String>,
    },
    /// A number out of range.
    #[error("{what} is {value}, outside {least} to {most}")]
    OutOfRange {
        /// Name of the number.
        what: &'static str,
        /// The requested number.
        value: u64,
        /// The minimum.
        least: u64,
        /// The maximum.
        most: u64,
    },
    /// Lines that a file does not have.
    #[error("{path} has no {}: it ends at line {n_lines}", lines(*first, *last))]
    NoSuchLines {
        /// Path of the file.
        path: String,
        /// Requested first line.
        first: u32,
        /// Requested last line.
        last: u32,
        /// Lines that it has.
        n_lines: u32,
    },
    /// A file whose text cannot be read.
    #[error("cannot read {path}: {reason}")]
    UnreadableFile {
        /// Path of the file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// An archive of an index cannot be written or read.
    #[error("{}: {source}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why not.
        source: ArchiveError,
    },
    /// There is no such context to rate.
    #[error("no context {}has been returned yet", id.map(|id| format!("{id} ")).unwrap_or_default())]
    NoContextToRate {
        /// Requested number.
        id: Option<u64>,
    },
    /// A pattern that is not a valid regular expression, or cannot match within a line.
    #[error("cannot search for the pattern {}: {reason}", marked(pattern, *at))]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        reason: String,
        /// The place in the pattern, in bytes, if it is known.
        at: Option<usize>,
    },
    /// The request was cancelled.
    #[error("the search was cancelled")]
    Cancelled,
    /// A relevance out of range.
    #[error("the minimum relevance is {score}, outside 0 to 1")]
    ScoreOutOfRange {
        /// The requested relevance.
        score: f32,
    },
}

/// Who can fix an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The user: the request itself is invalid.
    User,
    /// The machine: disk, permissions, another process.
    Environment,
}

impl EngineError {
    /// Whether the project does not exist, or does no longer.
    pub fn is_unknown_project(&self) -> bool {
        matches!(self, Self::Purged { .. } | Self::Store(StoreError::UnknownProject { .. }))
    }

    /// Who can fix it.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Store(error) if error.kind() == StoreErrorKind::User => Fault::User,
            Self::Search(SearchError::Glob { .. } | SearchError::EmptyQuery)
            | Self::Insight(InsightError::UnknownTarget { .. })
            | Self::Explain(
                ExplainError::NotText { .. } | ExplainError::NoFile { .. } | ExplainError::NoLine { .. },
            )
            | Self::Purged { .. }
            | Self::BadName { .. }
            | Self::DirectoryTaken { .. }
            | Self::ClonedElsewhere { .. }
            | Self::UnknownFile { .. }
            | Self::UnknownSymbol { .. }
            | Self::UnknownPackage { .. }
            | Self::UnknownJob { .. }
            | Self::NothingToCompare { .. }
            | Self::UnknownLanguage { .. }
            | Self::BadPattern { .. }
            | Self::NoDatabase { .. }
            | Self::Settings(_)
            | Self::CostsNotAccepted(_)
            | Self::ProtectedSource { .. }
            | Self::OutOfRange { .. }
            | Self::NoSuchLines { .. }
            | Self::UnreadableFile { .. }
            | Self::Archive { .. }
            | Self::NoContextToRate { .. }
            | Self::IsAGroup { .. }
            | Self::NotAGroup { .. }
            | Self::NotInGroup { .. }
            | Self::ScoreOutOfRange { .. } => Fault::User,
            Self::Source(SourceError::Git(error)) if error.is_of_the_user() => Fault::User,
            Self::Model(error) | Self::Search(SearchError::Model(error)) => model_fault(error),
            Self::Source(_)
            | Self::Explain(_)
            | Self::SourceGone { .. }
            | Self::SourceReplaced { .. }
            | Self::Store(_)
            | Self::Search(_)
            | Self::Insight(_)
            | Self::Symbols(_)
            | Self::Cancelled
            | Self::Threads(_) => Fault::Environment,
        }
    }

    /// Whether the database or the index could not be written; both can still be read.
    pub(crate) fn is_of_writing(&self) -> bool {
        match self {
            Self::Store(error) | Self::Search(SearchError::Store(error)) => error.is_unwritable(),
            Self::Search(SearchError::Io { .. }) => true,
            _ => false,
        }
    }

    /// What to do next, if the message does not already include it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error)
            | Self::Search(SearchError::Store(error))
            | Self::Symbols(SymbolError::Store(error))
            | Self::Insight(InsightError::Store(error) | InsightError::Symbols(SymbolError::Store(error))) => {
                store_hint(error)
            }
            Self::Insight(InsightError::UnknownTarget { similar, .. }) if similar.is_empty() => {
                Some("give a path as 'craig tree' shows it, or the name of a function or type".into())
            }
            Self::Insight(InsightError::UnknownTarget { similar, .. }) => {
                Some(format!("did you mean {}?", similar.join(", ")))
            }
            Self::Search(SearchError::EmptyQuery) => {
                Some("include at least one word or name, such as 'where is the retry logic'".into())
            }
            Self::Search(SearchError::Glob { .. }) => {
                Some("patterns look like 'src/**/*.rs' or '*.md'".into())
            }
            Self::Search(SearchError::Damaged { .. }) => Some(
                "it was rebuilt and is damaged again: check the disk and memory of this machine, then run \
                 'craig doctor'"
                    .into(),
            ),
            Self::Search(SearchError::Io { .. }) => Some(
                "free disk space, or remove its folder; the index is rebuilt automatically".into(),
            ),
            Self::Model(error) | Self::Search(SearchError::Model(error)) => error.hint(),
            Self::Settings(error) => error.hint(),
            Self::Source(SourceError::Git(error)) => error.hint(),
            Self::CostsNotAccepted(_) => Some("confirm with --yes, or set another 'embedder.provider'".into()),
            Self::ProtectedSource { path, why: ProtectedFolder::GitData } => {
                Some(format!("give its URL, so that its files are checked out: file://{}", path.display()))
            }
            Self::ProtectedSource { path, .. } => Some(format!(
                "ingest the directory of one project; 'craig ingest --yes {}' indexes the whole directory",
                shell_word(&path.to_string_lossy())
            )),
            Self::SourceReplaced { leads_to, .. } => Some(format!(
                "run 'craig ingest {}' if that is where the project is now",
                shell_word(&leads_to.to_string_lossy())
            )),
            Self::SourceGone { project, .. } => Some(format!(
                "its index can still be searched; run 'craig ingest' on the new place if it has moved, or \
                 'craig purge {}' if it is no longer needed",
                shell_word(project)
            )),
            Self::IsAGroup { .. } => {
                Some("name one of its members; 'craig group list' shows them".into())
            }
            Self::NotAGroup { .. } => {
                Some("'craig group list' shows all groups; a new group needs a name that no project has".into())
            }
            Self::NotInGroup { known, .. } => Some(format!("its members: {}", known.join(", "))),
            Self::BadName { .. } => Some("choose another name with --name".into()),
            Self::DirectoryTaken { project, .. } => Some(format!(
                "omit --name to ingest it again; to rename it, run 'craig purge {}' first",
                shell_word(project)
            )),
            Self::UnknownSymbol { similar, note: None, .. } if similar.is_empty() => Some(
                "'craig search' finds code by what it does, 'craig grep' by its text; names are 'Cart.total' or \
                 'src/cart.py:12'"
                    .into(),
            ),
            Self::ClonedElsewhere { project, .. } => Some(format!(
                "use the same data folder (XDG_DATA_HOME) for all processes that ingest into this database, or \
                 run 'craig purge {}' first",
                shell_word(project)
            )),
            Self::UnknownFile { left_out: Some(left_out), .. } => Some(left_out.to_string()),
            Self::UnknownSymbol { note: Some(note), .. } => Some(note.clone()),
            Self::UnknownFile { similar, .. } | Self::UnknownSymbol { similar, .. } if !similar.is_empty() => {
                Some(format!("did you mean {}?", similar.join(", ")))
            }
            Self::UnknownPackage { package, known, .. } => Some(package_hint(package, known)),
            Self::UnknownJob { .. } => Some("'craig jobs list' shows all jobs".into()),
            Self::NothingToCompare { .. } => Some("binary files and secrets are tracked by name only".into()),
            Self::UnknownFile { .. } => Some("'craig tree' lists the files of a project".into()),
            Self::UnknownLanguage { similar, .. } if !similar.is_empty() => {
                Some(format!("did you mean {}?", similar.join(", ")))
            }
            Self::UnknownLanguage { .. } => {
                Some("'craig stats' lists the languages of a project".into())
            }
            Self::NoSuchLines { .. } => Some("lines are 1-based and inclusive".into()),
            Self::UnreadableFile { .. } => {
                Some("give a text file of the project, as 'craig tree' shows it".into())
            }
            Self::Archive { source: ArchiveError::Damaged(_), .. } => {
                Some("give a file that 'craig index export' wrote, and copy it again if it was cut off".into())
            }
            Self::Archive { source: ArchiveError::MadeOtherwise | ArchiveError::Version { .. }, .. } => {
                Some("export it again with this version of craig and the same embedder; 'craig ingest' needs no \
                      archive".into())
            }
            Self::Archive { .. } => None,
            Self::NoContextToRate { .. } => {
                Some("'craig context chat' returns the id of its context as \"id\", unless telemetry.enabled is \
                      false".into())
            }
            Self::Purged { .. } => {
                Some("'craig list' shows all projects; 'craig ingest <directory>' creates one again".into())
            }
            Self::NoDatabase { .. } => {
                Some("check the spelling of --db; 'craig ingest <directory>' with the same --db creates it".into())
            }
            Self::BadPattern { .. } => Some(
                "'--fixed-strings' searches for exactly this text; in a regular expression, \\( is a parenthesis".into(),
            ),
            Self::ScoreOutOfRange { .. } => Some("relevance is between 0 and 1: 70% is 0.7".into()),
            _ => None,
        }
    }
}

impl From<GitError> for EngineError {
    fn from(error: GitError) -> Self {
        Self::Source(error.into())
    }
}

impl From<BadUrl> for EngineError {
    fn from(error: BadUrl) -> Self {
        GitError::from(error).into()
    }
}

/// `line 7`, or `lines 7-9`.
fn lines(first: u32, last: u32) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// A pattern in quotes, shortened, with a mark at the error.
fn marked(pattern: &str, at: Option<usize>) -> String {
    const MOST_CHARS: usize = 60;
    let beginning = |text: &str| match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    let Some((before, after)) = at.and_then(|at| pattern.split_at_checked(at)) else {
        return format!("\"{}\"", beginning(pattern));
    };
    let before = match before.char_indices().rev().nth(MOST_CHARS) {
        Some((start, _)) => format!("…{}", &before[start..]),
        None => before.to_owned(),
    };
    let gap = if after.is_empty() { "" } else { " " };
    format!("\"{before} <-- HERE{gap}{}\"", beginning(after))
}

/// Names that are printed at most.
const MOST_KNOWN: usize = 8;

fn package_hint(package: &str, known: &[String]) -> String {
    let lower = package.to_lowercase();
    let similar: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|name| name.to_lowercase().contains(&lower))
        .take(3)
        .collect();
    let some: Vec<&str> = known.iter().map(String::as_str).take(MOST_KNOWN).collect();
    match (similar.is_empty(), some.is_empty()) {
        (false, _) => format!("did you mean {}?", similar.join(", ")),
        (true, true) => {
            "'craig docs add' indexes the documentation of the packages that the project uses".into()
        }
        (true, false) => format!("'craig docs list' shows them all; among them are {}", some.join(", ")),
    }
}

fn model_fault(error: &ModelError) -> Fault {
    match error.class() {
        FailureClass::Auth | FailureClass::InvalidRequest | FailureClass::Model => Fault::User,
        _ => Fault::Environment,
    }
}

fn store_hint(error: &StoreError) -> Option<String> {
    Some(match error {
        StoreError::UnknownProject { known, .. } if known.is_empty() => {
            "nothing is ingested yet: run 'craig ingest <directory>'".into()
        }
        StoreError::UnknownProject { known, .. } => format!("known projects: {}", known.join(", ")),
        StoreError::NameTaken { name, .. } => {
            format!("choose another name with --name, or 'craig purge {}' first", shell_word(name))
        }
        StoreError::NotEmpty { .. } => {
            "name a database without projects: a new file, or an empty database or schema of the server".into()
        }
        StoreError::CopyDiffers { .. } => {
            "run 'craig doctor' with --db for the original; remove the unfinished copy, and copy again".into()
        }
        StoreError::DamagedText { .. } => {
            "run 'craig doctor --repair', which rereads the file from its source".into()
        }
        StoreError::Address { .. } | StoreError::ServerAddress { .. } => {
            "give --db (or CRAIG_DB) the path of a file, or postgres://USER@HOST/DATABASE; its password belongs in \
             PGPASSWORD or ~/.pgpass"
                .into()
        }
        StoreError::Server { .. } => {
            "check that the server runs, and that the address, PGPASSWORD or ~/.pgpass are those of this user".into()
        }
        StoreError::Corrupt { .. } => {
            "point --db (or CRAIG_DB) to another file; if this was a Craig database, move it away and ingest again \
             (sources are not touched)"
                .into()
        }
        StoreError::Newer { .. } => "use the newer craig that wrote it, or point --db to another file".into(),
        StoreError::OtherRole { .. } => {
            "point --db (or CRAIG_DB) to another file, which is created if it does not exist; or move this one \
             away".into()
        }
        StoreError::Full { .. } => {
            "free some space, or point --db to another disk; then run the same command again".into()
        }
        StoreError::Held { .. } => "wait until it has finished, or omit --no-wait".into(),
        StoreError::Lock { .. } => {
            "check the permissions of the folder and the free disk space, or point --db (or CRAIG_DB) to \
             another place".into()
        }
        StoreError::Busy { .. } => "try again when the other process has finished".into(),
        StoreError::Unrecovered { path } => format!(
            "run 'craig list' once as a user with write permission, or copy {} and its companion files to your \
             own folder and point --db there",
            path.display()
        ),
        StoreError::Older { .. } => {
            "run 'craig list' once as a user with write permission, or point --db to another file".into()
        }
        StoreError::ReadOnly { path } if DatabaseAddress::from(path).file().is_none() => {
            "the server is a standby, or its user may not write: name another one with --db (or CRAIG_DB)".into()
        }
        StoreError::ReadOnly { .. } | StoreError::Open { .. } => {
            "check the permissions of the file and its folder, or point --db (or CRAIG_DB) to another place"
                .into()
        }
        _ => return None,
    })
}
