//! What can go wrong.

use craig_source::SourceError;

/// Why documentation could not be indexed or code could not be explained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The root or a glob of the settings.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The file to explain.
    #[error(transparent)]
    Read(#[from] craig_source::ReadError),
    /// The file to explain is not there.
    #[error("there is no file {path}; give one of the project, relative to its root")]
    NoFile {
        /// Path relative to the root.
        path: String,
    },
    /// The file to explain is shorter than the selection.
    #[error("there is no line {line}: {path} has {n_lines}")]
    NoLine {
        /// Path relative to the root.
        path: String,
        /// First line of the selection, from 1.
        line: usize,
        /// Number of lines of the file.
        n_lines: usize,
    },
    /// The file to explain is no text.
    #[error("{path} is not text; only text can be explained")]
    NotText {
        /// Path relative to the root.
        path: String,
    },
}
