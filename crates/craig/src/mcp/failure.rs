//! Errors of tools: what is wrong, and what an agent should do next.

use std::fmt::Display;

use craig_engine::{EngineError, without_control_tokens};
use rmcp::model::{CallToolResult, ContentBlock};

/// The failure of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    message: String,
    next: Option<String>,
}

/// Hints of the command line, and their equivalents with tools.
const IN_TERMS_OF_TOOLS: &[(&str, &str)] = &[
    ("run 'craig ingest <directory>'", "call trigger_ingest with the directory of the project"),
    ("run 'craig ingest' on", "call trigger_ingest with"),
    ("'craig tree' lists the files of a project", "get_file_structure lists the files of a project"),
    ("as 'craig tree' shows it", "as get_file_structure shows it"),
    ("'craig stats' lists the languages of a project", "get_project_metadata lists the languages"),
    ("'--fixed-strings' searches for exactly this text", "literal: true searches for exactly this text"),
    (
        "'craig search' finds code by what it does, 'craig grep' by its text",
        "query_code finds code by what it does, grep by its text",
    ),
    (
        "wait until it has finished, or omit --no-wait",
        "wait until query_ingestion_status reports that it has ended",
    ),
];

impl Failure {
    /// What is wrong, and the call that helps.
    pub(super) fn new(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { message: message.into(), next: Some(next.into()) }
    }

    /// Something that should not happen.
    pub(super) fn internal(error: impl Display) -> Self {
        Self::new(
            format!("internal error of craig: {error}"),
            "try again; if it happens again, report a bug in craig",
        )
    }

    /// As text: `error: …` and `next: …`.
    pub(super) fn text(&self) -> String {
        match &self.next {
            Some(next) => format!("error: {}\nnext: {next}", self.message),
            None => format!("error: {}", self.message),
        }
    }

    /// As a part of the note of an answer.
    pub(super) fn in_a_note(&self) -> String {
        match &self.next {
            Some(next) => format!("{}: {next}", self.message),
            None => self.message.clone(),
        }
    }

    /// As the result of a tool, which the model sees.
    pub(super) fn result(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(without_control_tokens(&self.text()))])
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self { message: error.to_string(), next: error.hint().map(|hint| in_terms_of_tools(&hint)) }
    }
}

/// A hint of the engine, with tools instead of commands.
pub(super) fn in_terms_of_tools(hint: &str) -> String {
    let hint =
        IN_TERMS_OF_TOOLS.iter().fold(hint.to_owned(), |hint, (command, tool)| hint.replace(command, tool));
    match hint.starts_with("known projects") {
        true => hint + "; list_projects has details",
        false => hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_speak_of_tools() {
        let hint = in_terms_of_tools("nothing is ingested yet: run 'craig ingest <directory>'");
        assert_eq!(hint, "nothing is ingested yet: call trigger_ingest with the directory of the project");
        assert!(in_terms_of_tools("known projects: a").contains("list_projects"));
        assert_eq!(Failure::new("a", "b").text(), "error: a\nnext: b");
    }
}
