//! The one place that writes to stdout and stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Stderr, Stdout, Write as _};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::global::Format;

/// Error label.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Warning label.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Hint label, headings of tables.
pub(crate) const LABEL: Style = AnsiColor::Cyan.on_default();
/// Paths.
pub(crate) const PATH: Style = AnsiColor::Magenta.on_default();
/// Good news, relevance.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What a reader may skip.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What a reader looks for.
pub(crate) const BOLD: Style = Style::new().bold();

/// `text` in `style`; the stream drops the style where there are no colours.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if text.is_empty() { text } else { format!("{style}{text}{style:#}") }
}

/// Stdout and stderr in the form that was asked for.
pub(crate) struct Output {
    /// Text or JSON.
    pub(crate) format: Format,
    /// No progress and no summaries.
    pub(crate) is_quiet: bool,
    stdout: AutoStream<Stdout>,
    stderr: AutoStream<Stderr>,
}

impl Output {
    pub(crate) fn new(format: Format, is_quiet: bool) -> Self {
        let (stdout, stderr) = (AutoStream::auto(io::stdout()), AutoStream::auto(io::stderr()));
        Self { format, is_quiet, stdout, stderr }
    }

    /// Shows the one answer of a command: as JSON, or as the text that `text` makes for so many columns.
    pub(crate) fn show(
        &mut self,
        answer: &impl Serialize,
        text: impl FnOnce(Columns) -> String,
    ) -> io::Result<()> {
        match self.format {
            Format::Json => self.json_line(answer),
            Format::Text => self.text(&text(Columns::of_stdout())),
        }
    }

    /// Like [`show`](Self::show), for answers that only sum up what was done: not told when quiet.
    pub(crate) fn summarize(
        &mut self,
        answer: &impl Serialize,
        text: impl FnOnce(Columns) -> String,
    ) -> io::Result<()> {
        match self.format {
            Format::Text if self.is_quiet => Ok(()),
            _ => self.show(answer, text),
        }
    }

    /// Writes one line of JSON to stdout and flushes it.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        let mut stdout = io::stdout().lock();
        stdout.write_all(line.as_bytes())?;
        stdout.flush()
    }

    /// Writes text to stdout.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.stdout.write_all(text.as_bytes())?;
        self.stdout.flush()
    }

    /// Writes bytes to stdout as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    /// Says something on stderr that a reader of the answer should know; not when quiet.
    pub(crate) fn note(&mut self, message: impl Display) {
        if !self.is_quiet {
            self.complain(&format!("{} {message}\n", styled(LABEL, "note:")));
        }
    }

    /// Warns on stderr.
    pub(crate) fn warn(&mut self, message: impl Display) {
        self.complain(&format!("{} {message}\n", styled(WARNING, "warning:")));
    }

    /// Writes text to stderr. When that is closed there is nobody left to tell.
    pub(crate) fn complain(&mut self, text: &str) {
        let _ = self.stderr.write_all(text.as_bytes());
    }
}

/// Width of the place that text is made for; `None` where lines may be as long as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns(pub(crate) Option<usize>);

impl Columns {
    fn of_stdout() -> Self {
        if !io::stdout().is_terminal() {
            return Self(None);
        }
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self(Some(width.unwrap_or(80).max(20)))
    }

    /// The width, or `otherwise` where there is none.
    pub(crate) fn or(self, otherwise: usize) -> usize {
        self.0.unwrap_or(otherwise)
    }
}
