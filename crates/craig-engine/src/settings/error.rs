//! Settings that cannot be used.

use std::path::PathBuf;

use thiserror::Error;

/// Settings cannot be used. No message holds a value of a secret.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The user's file is not there or cannot be read.
    #[error("cannot read the settings file {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The file is no TOML.
    #[error("{}:{line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// No setting goes by that name.
    #[error("{place}: no setting {key:?}")]
    UnknownKey {
        /// The key.
        key: String,
        /// File and line, or what else it stands in.
        place: String,
        /// Known keys that are most like it.
        similar: Vec<String>,
    },
    /// There was such a setting once.
    #[error("{place}: the setting {key:?} was removed: {instead}")]
    Retired {
        /// The key.
        key: &'static str,
        /// File and line, or what else it stands in.
        place: String,
        /// What to do now.
        instead: &'static str,
    },
    /// A value in a file is not what the setting can be.
    #[error("{place}: {key}: {reason}")]
    Value {
        /// The key.
        key: String,
        /// File and line.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// The value of an environment variable is not what the setting can be.
    #[error("{name}: {reason}")]
    Variable {
        /// The variable.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A value on the command line is not what the setting can be.
    #[error("{key}: {reason}")]
    Flag {
        /// The key.
        key: String,
        /// What is wrong.
        reason: String,
    },
    /// A project's file sets what only the user may set.
    #[error("{place}: a project may not set {key:?}")]
    NotForProjects {
        /// The key.
        key: String,
        /// File and line.
        place: String,
    },
    /// Settings that do not go together.
    #[error("{key} has to be set {why}")]
    Missing {
        /// The key.
        key: &'static str,
        /// What wants it.
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
                "it could send your code or keys elsewhere; if you want it, set it in your own settings file, or pass \
                 over the project's file with CRAIG_PROJECT_SETTINGS=false"
                    .to_owned(),
            ),
            Self::Missing { key, .. } => {
                Some(format!("set it in your settings file, or with --set {key}=…; 'craig settings' shows them all"))
            }
            Self::Unreadable { .. } | Self::Syntax { .. } => None,
            _ => Some("'craig settings' shows all settings, docs/settings.md explains them".to_owned()),
        }
    }
}
