//! Settings: built-in default < user's file < project's file < environment < flag.
//!
//! A setting has one definition in `definition.rs`; parsing, environment names, `craig settings` and `docs/settings.md` come
//! from it. A project's file may come from strangers, so it may set only what concerns that project.

mod definition;
mod error;
mod file;
mod page;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use craig_source::{Root, SourceOptions};
use serde::Serialize;

use definition::{RETIRED, Retired};

pub use definition::{DEFINITIONS, Definition, Scope};
pub use error::SettingsError;
pub use page::page;
pub use value::{Kind, Value};

/// Name of the settings file in a project's directory.
pub const PROJECT_FILE: &str = ".craig.toml";

/// Every setting with its value and its source.
#[derive(Clone, Debug)]
pub struct Settings {
    values: BTreeMap<&'static str, (Value, Origin)>,
    environment: Environment,
    data_folder: Option<PathBuf>,
}

/// The source of a value, by ascending precedence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "from", content = "place", rename_all = "lowercase")]
pub enum Origin {
    /// Built in.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// An environment variable.
    Environment(String),
    /// The command line.
    Flag,
}

/// Environment variables, provided by the caller. API keys are among them, so `Debug` does not show them.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Environment of {} variables", self.0.len())
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

impl Environment {
    /// The value of a variable; an empty one counts as not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }
}

/// The sources of settings; without any, all settings have their defaults.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The user's file, which need not exist unless `must_exist`.
    pub user_file: Option<PathBuf>,
    /// Whether a missing user's file is an error, since the user named it.
    pub must_exist: bool,
    /// Directory of the project, whose file is read if there is one.
    pub project: Option<PathBuf>,
    /// Environment variables.
    pub environment: Environment,
    /// Settings of the command line: key and value.
    pub flags: Vec<(String, String)>,
    /// The user's data folder; `None` if there is no home directory.
    pub data_folder: Option<PathBuf>,
}

impl Settings {
    /// Merges the sources by precedence.
    pub fn resolve(sources: &Sources) -> Result<Self, SettingsError> {
        let mut settings = Self::builtin(sources);
        if let Some(path) = &sources.user_file
            && let Some(text) = file::user_text(path, sources.must_exist)?
        {
            settings.merge_file(path, &text, Scope::User)?;
        }
        // A project's file cannot decide whether it is read.
        let mut without_project = settings.clone();
        without_project.merge_environment()?;
        without_project.merge_flags(&sources.flags)?;
        if let Some(directory) =
            sources.project.as_deref().filter(|_| without_project.is_on("project_settings"))
        {
            settings.merge_project(directory)?;
        }
        settings.merge_environment()?;
        settings.merge_flags(&sources.flags)?;
        Ok(settings)
    }

    fn builtin(sources: &Sources) -> Self {
        let default =
            |definition: &'static Definition| (definition.key, (definition.default_value(), Origin::Default));
        Self {
            values: DEFINITIONS.iter().map(default).collect(),
            environment: sources.environment.clone(),
            data_folder: sources.data_folder.clone(),
        }
    }

    fn merge_file(&mut self, path: &Path, text: &str, scope: Scope) -> Result<(), SettingsError> {
        for (definition, value) in file::parse(path, text, scope)? {
            let origin = match scope {
                Scope::User => Origin::User(path.to_owned()),
                Scope::Project => Origin::Project(path.to_owned()),
            };
            self.merge(definition, value, origin);
        }
        Ok(())
    }

    fn merge_project(&mut self, directory: &Path) -> Result<(), SettingsError> {
        // A directory that cannot be opened is reported by the command that uses it.
        let Ok(root) = Root::open(directory) else { return Ok(()) };
        match file::project_text(&root)? {
            Some(text) => self.merge_file(&root.path().join(PROJECT_FILE), &text, Scope::Project),
            None => Ok(()),
        }
    }

    fn merge_environment(&mut self) -> Result<(), SettingsError> {
        for retired in RETIRED {
            if let Some(place) = retired.variables().find(|name| self.environment.get(name).is_some()) {
                let Retired { key, instead, .. } = *retired;
                return Err(SettingsError::Retired { key, place, instead });
            }
        }
        for definition in DEFINITIONS {
            let variable = definition.variables().find(|name| self.environment.get(name).is_some());
            let Some(variable) = variable else { continue };
            let text = self.environment.get(&variable).unwrap_or_default().to_owned();
            let value = definition
                .parse(&text)
                .map_err(|reason| SettingsError::Variable { name: variable.clone(), reason })?;
            self.merge(definition, value, Origin::Environment(variable));
        }
        Ok(())
    }

    fn merge_flags(&mut self, flags: &[(String, String)]) -> Result<(), SettingsError> {
        for (key, text) in flags {
            let definition = definition::find(key, || "the command line".to_owned())?;
            let value =
                definition.parse(text).map_err(|reason| SettingsError::Flag { key: key.clone(), reason })?;
            self.merge(definition, value, Origin::Flag);
        }
        Ok(())
    }

    /// Overrides a value; lists are concatenated, except with their default.
    fn merge(&mut self, definition: &'static Definition, value: Value, origin: Origin) {
        let value = match (self.values.get(definition.key), value) {
            (Some((Value::Texts(present), before)), Value::Texts(more)) if *before != Origin::Default => {
                Value::Texts(present.iter().cloned().chain(more).collect())
            }
            (_, value) => value,
        };
        self.values.insert(definition.key, (value, origin));
    }

    /// Every setting, in the order of the definitions.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Definition, &Value, &Origin)> {
        DEFINITIONS.iter().filter_map(|definition| {
            let (value, origin) = self.values.get(definition.key)?;
            Some((definition, value, origin))
        })
    }

    /// The environment among the sources.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The user's data folder; `None` if there is no home directory.
    pub fn data_folder(&self) -> Option<&Path> {
        self.data_folder.as_deref()
    }

    fn value(&self, key: &str) -> &Value {
        // A key without a definition is caught by the test that builds everything from the defaults.
        self.values.get(key).map_or(&Value::Unset, |(value, _)| value)
    }

    /// The text of `key`; `None` if it is not set.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.value(key) {
            Value::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The path of `key`, where `~/` is the home directory; `None` if it is not set.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        let text = self.text(key)?;
        match text.strip_prefix("~/").zip(self.environment.get("HOME")) {
            Some((rest, home)) => Some(Path::new(home).join(rest)),
            None => Some(PathBuf::from(text)),
        }
    }

    /// Whether `key` has its default.
    pub fn is_default(&self, key: &str) -> bool {
        self.values.get(key).is_none_or(|(_, origin)| *origin == Origin::Default)
    }

    /// The whole number of `key`; `None` if it is not set.
    pub fn whole(&self, key: &str) -> Option<u64> {
        match self.value(key) {
            Value::Whole(number) => Some(*number),
            _ => None,
        }
    }

    /// The number of `key`; `None` if it is not set.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.value(key) {
            Value::Number(number) => Some(*number),
            Value::Whole(number) => Some(*number as f64),
            _ => None,
        }
    }

    /// Whether `key` is true.
    pub fn is_on(&self, key: &str) -> bool {
        matches!(self.value(key), Value::Switch(true))
    }

    /// The texts of `key`.
    pub fn texts(&self, key: &str) -> Vec<String> {
        match self.value(key) {
            Value::Texts(texts) => texts.clone(),
            _ => Vec::new(),
        }
    }

    /// Which files of a project are tracked by default.
    pub fn source(&self) -> SourceOptions {
        use craig_source::{Hidden, IgnoreRules};
        let default = SourceOptions::default();
        SourceOptions {
            max_file_size_bytes: self.whole("source.max_file_size").unwrap_or(default.max_file_size_bytes),
            hidden: if self.is_on("source.hidden") { Hidden::Include } else { Hidden::Exclude },
            ignore_rules: if self.is_on("source.ignore_files") {
                IgnoreRules::Respect
            } else {
                IgnoreRules::Disregard
            },
            extra_skipped_folders: self.texts("source.skip_folders"),
            extra_ignore_globs: self.texts("source.exclude"),
            extra_include_globs: self.texts("source.include"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error for settings from one source.
    fn refusal(sources: &Sources) -> String {
        let error = Settings::resolve(sources).err().map(|error| (error.to_string(), error.hint()));
        let (error, hint) = error.unwrap_or_else(|| panic!("{sources:?} is not refused"));
        assert!(hint.is_some_and(|hint| hint.contains("craig settings")));
        error
    }

    #[test]
    fn a_retired_setting_names_its_replacement_in_every_source() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let sentence = "the setting \"gateway.example.failures_to_open\" was removed: \
                        set 'gateway.breaker_failure_rate' instead";
        let variable = |name: &str| Sources {
            environment: [(name.to_owned(), "5".to_owned())].into_iter().collect(),
            ..Sources::default()
        };
        for name in ["CRAIG_GATEWAY_EXAMPLE_FAILURES_TO_OPEN", "EXAMPLE_FAILURES"] {
            assert_eq!(refusal(&variable(name)), format!("{name}: {sentence}"));
        }
        let flags = vec![("gateway.example.failures_to_open".to_owned(), "5".to_owned())];
        let flag = Sources { flags, ..Sources::default() };
        assert_eq!(refusal(&flag), format!("the command line: {sentence}"));
        for text in ["[gateway.example]\nfailures_to_open = 5", "[gateway]\nexample.failures_to_open = \"x\""]
        {
            let user_file = root.join("config.toml");
            std::fs::write(&user_file, text).unwrap();
            let user = Sources { user_file: Some(user_file.clone()), ..Sources::default() };
            assert_eq!(refusal(&user), format!("{}:2: {sentence}", user_file.display()));
            std::fs::write(root.join(PROJECT_FILE), text).unwrap();
            let project = Sources { project: Some(root.clone()), ..Sources::default() };
            assert_eq!(refusal(&project), format!("{}:2: {sentence}", root.join(PROJECT_FILE).display()));
        }
    }
}
