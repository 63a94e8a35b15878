//! Settings that the editor sends, at the start or later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use craig_engine::{DEFINITIONS, Scope};
use serde_json::Value;

/// Settings by key, weaker ones first.
pub(crate) type Flags = Vec<(String, String)>;

/// Settings from other sources than files: the editor's for all folders, the editor's for one folder, and the command
/// line, in ascending precedence.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    of_all: Flags,
    of_folders: BTreeMap<PathBuf, Flags>,
    of_command_line: Flags,
}

impl Configuration {
    /// Settings of the command line only.
    pub(crate) fn new(of_command_line: Flags) -> Self {
        Self { of_command_line, ..Self::default() }
    }

    /// Applies the editor's settings of all folders. Fails if one of them is not the editor's to set; then the previous
    /// settings stay.
    pub(crate) fn set(&mut self, given: &Value) -> Result<(), String> {
        self.of_all = flags(given)?;
        Ok(())
    }

    /// Applies the editor's settings of one folder, which may be none; fails likewise.
    pub(crate) fn set_of(&mut self, folder: &Path, given: &Value) -> Result<(), String> {
        self.of_folders.insert(folder.to_owned(), flags(given)?);
        Ok(())
    }

    /// The settings of a folder. A list that the editor sends for a folder replaces the one for all folders: editors
    /// that are asked repeat what they sent unasked.
    pub(crate) fn for_folder(&self, folder: &Path) -> Flags {
        let own = self.of_folders.get(folder).map(Vec::as_slice).unwrap_or_default();
        let is_repeated = |key: &str| own.iter().any(|(own, _)| own == key);
        let of_all = self.of_all.iter().filter(|(key, _)| !is_repeated(key));
        of_all.chain(own).chain(&self.of_command_line).cloned().collect()
    }
}

/// The settings that an editor may set in addition to those of a project. They may come with a project of another
/// author, so they name no file, no server and no key.
const OF_EDITORS: &[&str] = &[
    "explain.activation",
    "explain.comments",
    "lsp.database",
    "lsp.ingest",
    "lsp.navigation",
    "lsp.languages",
];

/// The settings in what an editor gives: `{"explain.activation": "always"}`, `{"explain": {"activation": "always"}}`, either
/// of them below `craig` or not.
///
/// Fails for a setting that an editor may not set; an unknown one is reported when the settings are read.
fn flags(given: &Value) -> Result<Flags, String> {
    let mut flags = Vec::new();
    gather(given.get("craig").unwrap_or(given), "", &mut flags);
    let is_of_project = |key: &str| DEFINITIONS.iter().any(|d| d.key == key && d.scope == Scope::Project);
    let exists = |key: &str| DEFINITIONS.iter().any(|definition| definition.key == key);
    match flags.iter().find(|(key, _)| exists(key) && !is_of_project(key) && !OF_EDITORS.contains(&&**key)) {
        Some((key, _)) => Err(format!("{key} is set in Craig's own config.toml, not by an editor")),
        None => Ok(flags),
    }
}

fn gather(value: &Value, prefix: &str, into: &mut Vec<(String, String)>) {
    let text = match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                gather(value, &key, into);
            }
            return;
        }
        Value::Null => return,
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    };
    if !prefix.is_empty() {
        into.push((prefix.to_owned(), text));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pairs(given: Value) -> Vec<(String, String)> {
        flags(&given).unwrap()
    }

    #[test]
    fn settings_are_read_nested_or_not() {
        let expected = [("explain.activation".to_owned(), "always".to_owned())];
        assert_eq!(pairs(json!({ "explain.activation": "always" })), expected);
        assert_eq!(pairs(json!({ "craig": { "explain": { "activation": "always" } } })), expected);
        let include = [("documentation.include".to_owned(), "a.md,b/*.md".to_owned())];
        assert_eq!(pairs(json!({ "documentation": { "include": ["a.md", "b/*.md"] } })), include);
        assert_eq!(pairs(Value::Null), []);
    }

    #[test]
    fn settings_of_a_folder_override_settings_of_all() {
        let mut configuration = Configuration::new(vec![("threads".into(), "1".into())]);
        let both = json!({ "documentation": { "include": ["a.md"], "exclude": ["b.md"] } });
        configuration.set(&both).unwrap();
        configuration
            .set_of(Path::new("/one"), &json!({ "documentation": { "include": ["c.md"] } }))
            .unwrap();
        configuration.set_of(Path::new("/none"), &Value::Null).unwrap();
        let of = |folder: &str| {
            let flags = configuration.for_folder(Path::new(folder));
            flags.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("/one"), "documentation.exclude=b.md documentation.include=c.md threads=1");
        assert_eq!(of("/none"), of("/other"));
        assert!(of("/other").contains("documentation.include=a.md"));
        assert!(configuration.set_of(Path::new("/one"), &json!({ "database": "x" })).is_err());
        assert!(
            configuration
                .for_folder(Path::new("/one"))
                .contains(&("documentation.include".into(), "c.md".into()))
        );
    }

    #[test]
    fn what_reaches_out_is_not_set_by_editors() {
        for key in ["language_model.base_url", "explain.language_model", "database", "embedder.provider"] {
            assert!(flags(&json!({ key: "x" })).unwrap_err().contains("config.toml"), "{key}");
        }
    }
}
