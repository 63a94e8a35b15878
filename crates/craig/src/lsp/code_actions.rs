//! The code action: documentation of what is selected.

use lsp_types::{CodeActionKind, CodeActionParams};
use serde_json::{Value, json};

use super::commands::EXPLAIN;
use super::server::Server;

/// Its kind: editors hide kinds below `source` from the lightbulb, and take those that they do not know for a refactoring.
pub(crate) const ACTION_KIND: CodeActionKind = CodeActionKind::new("craig.explain");

/// The action, for every selection in a folder whose documentation is shown unasked.
pub(super) fn answer(server: &Server, params: Value) -> anyhow::Result<Value> {
    let params: CodeActionParams = serde_json::from_value(params)?;
    let is_offered = server
        .folder_of(&params.text_document.uri)
        .is_some_and(|(folder, _)| folder.is_automatic != Some(false));
    let is_wanted = params
        .context
        .only
        .is_none_or(|only| only.iter().any(|kind| is_part_of(ACTION_KIND.as_str(), kind.as_str())));
    if !is_offered || !is_wanted {
        return Ok(json!([]));
    }
    let title = "Explain from the documentation";
    let arguments = json!([{ "uri": params.text_document.uri, "range": params.range }]);
    let command = json!({ "title": title, "command": EXPLAIN, "arguments": arguments });
    Ok(match server.client.takes_code_actions {
        true => json!([{ "title": title, "kind": ACTION_KIND, "command": command }]),
        false => json!([command]),
    })
}

/// Whether a kind is another one or below it: `craig.explain` is below `craig` and not below `cra`.
fn is_part_of(kind: &str, whole: &str) -> bool {
    let rest = kind.strip_prefix(whole);
    whole.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_actions_are_words_between_dots() {
        assert!(is_part_of("craig.explain", "craig"));
        assert!(is_part_of("craig.explain", "craig.explain"));
        assert!(is_part_of("craig.explain", ""));
        assert!(!is_part_of("craig.explain", "cra"));
        assert!(!is_part_of("craig.explain", "quickfix"));
    }
}
