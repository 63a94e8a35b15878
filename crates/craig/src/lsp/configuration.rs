//! Settings that the editor gives, when it starts us or later.

use craig_engine::{DEFINITIONS, Scope};
use serde_json::Value;

/// What an editor may set beside what a project may. Its settings may come with a project that somebody else has written, so
/// they name no file, no server and no key.
const OF_EDITORS: &[&str] = &["explain.activation"];

/// The settings in what an editor gives: `{"explain.activation": "always"}`, `{"explain": {"activation": "always"}}`, either
/// of them below `craig` or not.
///
/// Fails for a setting that an editor may not set; one that there is not is told when the settings are read.
pub(crate) fn flags(given: &Value) -> Result<Vec<(String, String)>, String> {
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
    fn what_reaches_out_is_not_set_by_editors() {
        for key in ["language_model.base_url", "explain.language_model", "database", "embedder.provider"] {
            assert!(flags(&json!({ key: "x" })).unwrap_err().contains("config.toml"), "{key}");
        }
    }
}
