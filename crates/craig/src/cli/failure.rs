//! How a command ends: exit codes, and errors with hints.

use std::io;
use std::process::ExitCode;

use anyhow::Error;
use craig_engine::EngineError;
use thiserror::Error;

use super::global::Format;
use super::output::{ERROR, LABEL, Output, styled};
use super::visible::one_line;

/// How a successful command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done: 0.
    Complete,
    /// A part could not be done and was reported, such as a file, a line of a batch or an assistant: 2.
    Partial,
    /// Damage was found and not repaired: 1.
    Damaged,
    /// No line matches: 1.
    NothingFound,
}

impl Outcome {
    /// Complete if both are.
    pub(crate) fn and(self, other: Self) -> Self {
        if self == Self::Complete { other } else { self }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Complete => Self::SUCCESS,
            Outcome::Partial => Self::from(2),
            Outcome::Damaged | Outcome::NothingFound => Self::FAILURE,
        }
    }
}

/// An error of the command line itself, with a hint.
#[derive(Debug, Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    message: String,
    hint: String,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// Reports an error on stderr; returns its exit code.
pub(crate) fn report(error: &Error, output: &mut Output) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let (message, hint) = message_and_hint(error);
    print_error(&message, hint.as_deref(), output);
    ExitCode::FAILURE
}

/// The message of an error, and its hint.
pub(crate) fn message_and_hint(error: &Error) -> (String, Option<String>) {
    if let Some(error) = error.downcast_ref::<EngineError>() {
        return (error.to_string(), error.hint());
    }
    match error.downcast_ref::<Refusal>() {
        Some(refusal) => (refusal.message.clone(), Some(refusal.hint.clone())),
        None => (format!("{error:#}"), None),
    }
}

fn print_error(message: &str, hint: Option<&str>, output: &mut Output) {
    let text = match output.format {
        Format::Json => format!("{}\n", serde_json::json!({ "error": message, "hint": hint })),
        Format::Text => {
            let hint = hint.map(|hint| format!("{} {hint}\n", styled(LABEL, "hint:"))).unwrap_or_default();
            format!("{} {}\n{hint}", styled(ERROR, "error:"), one_line(message))
        }
    };
    output.complain(&text);
}

/// Whether stdout was closed, which is no error: its reader has seen enough.
fn is_closed_pipe(error: &Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Help and version go to stdout with exit code 0; invalid arguments are an error like any other.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A closed pipe is no error here either.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if asks_for_json(std::env::args_os()) {
        let text = error.render().to_string();
        // The message ends before the usage.
        let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        print_error(
            lines.join(" ").trim_start_matches("error: "),
            Some("see 'craig --help'"),
            &mut Output::new(Format::Json, false),
        );
    } else {
        let _ = error.print();
    }
    ExitCode::FAILURE
}

/// Whether arguments that could not be parsed contain `--format json`.
fn asks_for_json(args: impl Iterator<Item = std::ffi::OsString>) -> bool {
    let args: Vec<_> = args.collect();
    args.iter().any(|arg| arg == "--format=json")
        || args.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}
