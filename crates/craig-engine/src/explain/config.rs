//! How code is explained.

use std::path::{Path, PathBuf};
use std::time::Duration;

use craig_source::DocumentOptions;

use crate::config::{Keyed, LanguageModelConfig, language_model};
use crate::settings::{Settings, SettingsError, Sources};

/// How code is explained from documentation.
#[derive(Clone, Debug)]
pub struct ExplainConfig {
    /// Which Markdown is the documentation of a project.
    pub documents: DocumentOptions,
    /// The user's folder for what Craig keeps, by which the index of the documentation is known again; without one it is
    /// kept in memory.
    pub data_folder: Option<PathBuf>,
    /// The projects in which editors show documentation automatically.
    pub activation: Activation,
    /// Whether the comment of a definition is shown in addition to the documentation.
    pub comments: bool,
    /// Whether the language model rephrases requested explanations.
    pub in_words: bool,
    /// Maximum wait for the language model.
    pub timeout: Duration,
    /// The language model, when there is one.
    pub language_model: Option<Keyed<LanguageModelConfig>>,
}

/// The projects in which editors show documentation automatically. Requests are answered in all projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// In those with a `package.json` or scripts of JavaScript or TypeScript.
    Scripts,
    /// In all.
    Always,
    /// In none.
    Never,
}

impl Default for ExplainConfig {
    /// The built-in settings.
    fn default() -> Self {
        Self {
            documents: DocumentOptions::default(),
            data_folder: None,
            activation: Activation::Scripts,
            comments: true,
            in_words: false,
            timeout: Duration::from_secs(20),
            language_model: None,
        }
    }
}

impl ExplainConfig {
    /// The configuration of the project at `root` from `sources`, including the project's own file.
    pub fn for_project(sources: &Sources, root: &Path) -> Result<Self, SettingsError> {
        Self::from_settings(&Settings::resolve(&Sources {
            project: Some(root.to_owned()),
            ..sources.clone()
        })?)
    }

    /// The configuration from `settings`.
    pub fn from_settings(settings: &Settings) -> Result<Self, SettingsError> {
        let default = Self::default();
        let max_file_size = settings.whole("documentation.max_file_size");
        Ok(Self {
            documents: DocumentOptions {
                max_file_size_bytes: max_file_size.unwrap_or(default.documents.max_file_size_bytes),
                include: settings.texts("documentation.include"),
                exclude: settings.texts("documentation.exclude"),
            },
            data_folder: settings.data_folder().map(PathBuf::from),
            activation: match settings.text("explain.activation") {
                Some("always") => Activation::Always,
                Some("never") => Activation::Never,
                _ => Activation::Scripts,
            },
            comments: settings.is_on("explain.comments"),
            in_words: settings.is_on("explain.language_model"),
            timeout: settings.whole("explain.timeout_ms").map_or(default.timeout, Duration::from_millis),
            language_model: language_model(settings)?,
        })
    }
}
