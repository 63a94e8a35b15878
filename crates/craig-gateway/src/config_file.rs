//! Files that settings of the gateway name.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that a setting names, and that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigFileError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is malformed.
    #[error("{place}: {reason}")]
    Malformed {
        /// The file, and its line if that is known.
        place: String,
        /// Why.
        reason: String,
    },
}

impl ConfigFileError {
    pub(crate) fn malformed(path: &Path, reason: String) -> Self {
        Self::Malformed { place: path.display().to_string(), reason }
    }

    /// The same about the byte at `at` of its text.
    pub(crate) fn at(path: &Path, text: &str, at: usize, reason: String) -> Self {
        let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        Self::Malformed { place: format!("{}:{line}", path.display()), reason }
    }
}

/// The text of the file at `path`.
pub(crate) fn text_of(path: &Path) -> Result<String, ConfigFileError> {
    std::fs::read_to_string(path)
        .map_err(|source| ConfigFileError::Unreadable { path: path.to_owned(), source })
}
