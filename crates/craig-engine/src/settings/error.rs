//! Errors in settings.

use std::path::PathBuf;

use thiserror::Error;

/// Settings cannot be used. No message contains a secret.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The user's file does not exist or cannot be read.
    #[error("cannot read the settings file {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The file is not TOML.
    #[error("{}:{line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is no such setting.
    #[error("{place}: no setting {key:?}")]
    UnknownKey {
        /// The key.
        key: String,
        /// File and line, or another source.
        place: String,
        /// The most similar known keys.
        similar: Vec<String>,
    },
    /// A setting of an older version.
    #[error("{place}: the setting {key:?} was removed: {instead}")]
    Retired {
        /// The key.
        key: &'static str,
        /// File and line, or another source.
        place: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// An invalid value in a file.
    #[error("{place}: {key}: {reason}")]
    Value {
        /// The key.
        key: String,
        /// File and line.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// An invalid value in an environment variable.
    #[error("{name}: {reason}")]
    Variable {
        /// The variable.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// An invalid value on the command line.
    #[error("{key}: {reason}")]
    Flag {
        /// The key.
        key: String,
        /// What is wrong.
        reason: String,
    },
    /// A project's file sets a key that only the user may set.
    #[error("{place}: a project may not set {key:?}")]
    NotForProjects {
        /// The key.
        key: String,
        /// File and line.
        place: String,
    },
    /// A setting that another one requires.
    #[error("{key} must be set {why}")]
    Missing {
        /// The key.
        key: &'static str,
        /// What requires it.
        why: &'static str,
    },
}

impl SettingsError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownKey { similar, .. } if !similar.is_empty() => {
                Some(format!("did you mean {}?", similar.join(" or ")))
            }
            Self::NotForProjects { .. } => Some(
                "a project's file may come from strangers, and sets only which of its files count; set it in your \
                 own settings file if you want it, or ignore the project's file with \
                 CRAIG_PROJECT_SETTINGS=false"
                    .to_owned(),
            ),
            Self::Missing { key, .. } => {
                Some(format!("set it in your settings file, or with --set {key}=…; 'craig settings' lists all \
                              settings"))
            }
            Self::Unreadable { .. } | Self::Syntax { .. } => None,
            _ => Some("'craig settings' lists all settings; docs/settings.md describes them".to_owned()),
        }
    }
}
