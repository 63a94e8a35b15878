//! The one place that writes to stdout and stderr.

use std::borrow::Cow;
use std::fmt::Display;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, IsTerminal as _, Stderr, Stdout, Write as _};
use std::path::PathBuf;
use std::sync::LazyLock;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::global::Format;
use super::links::Links;
use super::visible;

/// Style of the label of errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Warning label.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Hint label, headings of tables.
pub(crate) const LABEL: Style = AnsiColor::Cyan.on_default();
/// Paths.
pub(crate) const PATH: Style = AnsiColor::Magenta.on_default();
/// Success, relevance.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Relevance of what may answer.
pub(crate) const FAIR: Style = AnsiColor::Yellow.on_default();
/// Less important text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Important text.
pub(crate) const BOLD: Style = Style::new().bold();

/// `text` in `style` and on one line; the stream drops the style if it has no colours.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if text.is_empty() {
        return text;
    }
    let (start, end) = (format!("{style}").replace(CSI, &MARK), format!("{style:#}").replace(CSI, &MARK));
    format!("{start}{}{end}", escaped(&text, visible::one_line))
}

/// Whether stdout keeps styles.
pub(crate) fn has_colours() -> bool {
    AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// The start of an escape sequence.
const CSI: &str = "\x1b[";

/// The start of our own style: a random number distinguishes it from an escape sequence in a repository.
static MARK: LazyLock<String> = LazyLock::new(|| format!("{CSI}{};", RandomState::new().hash_one(CSI) >> 16));

/// Text with all control characters escaped, except the styles that [`styled`] made.
fn escaped(text: &str, escape: impl for<'t> Fn(&'t str) -> Cow<'t, str>) -> Cow<'_, str> {
    if !text.contains(CSI) {
        return escape(text);
    }
    let is_parameter = |c: char| c.is_ascii_digit() || c == ';';
    let mut shown = String::with_capacity(text.len());
    for (at, part) in text.split(MARK.as_str()).enumerate() {
        let parameters = part.find(|c| !is_parameter(c)).filter(|_| at > 0);
        let parameters = parameters.filter(|&end| part[end..].starts_with('m')).map_or(0, |end| end + 1);
        if parameters > 0 {
            shown += &MARK;
            shown += &part[..parameters];
        }
        shown += &escape(&part[parameters..]);
    }
    Cow::Owned(shown)
}

/// Text for a terminal: escaped, with styles as escape sequences.
fn printable(text: &str) -> String {
    escaped(text, visible::lines).replace(MARK.as_str(), CSI)
}

/// Stdout and stderr in the requested format.
pub(crate) struct Output {
    /// Text or JSON.
    pub(crate) format: Format,
    /// No progress and no summaries.
    pub(crate) is_quiet: bool,
    stdout: AutoStream<Stdout>,
    stderr: AutoStream<Stderr>,
    links: Option<Links>,
}

impl Output {
    pub(crate) fn new(format: Format, is_quiet: bool) -> Self {
        let (stdout, stderr) = (AutoStream::auto(io::stdout()), AutoStream::auto(io::stderr()));
        Self { format, is_quiet, stdout, stderr, links: None }
    }

    /// From now on, paths below `root` are links, where the terminal shows them.
    pub(crate) fn link_paths(&mut self, root: PathBuf) {
        self.links = Links::to_files_of(root);
    }

    /// Prints the answer of a command as JSON, or as the text that `text` returns for the given number of columns.
    pub(crate) fn show(
        &mut self,
        answer: &impl Serialize,
        text: impl FnOnce(Columns) -> String,
    ) -> io::Result<()> {
        match self.format {
            Format::Json => self.json_line(answer),
            Format::Text => self.text(&text(Columns::from_stdout())),
        }
    }

    /// Like [`show`](Self::show), for summaries of what was done; prints nothing when quiet.
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
        let line = serde_json::to_string(value)?;
        let line = if io::stdout().is_terminal() { visible::json(&line) } else { line.into() };
        self.raw(format!("{line}\n").as_bytes())
    }

    /// Writes text to stdout; control characters other than the styles of [`styled`], line ends and tabs are escaped.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        let text = printable(text);
        let text = match &self.links {
            Some(links) => links.link(&text, PATH),
            None => text,
        };
        self.stdout.write_all(text.as_bytes())?;
        self.stdout.flush()
    }

    /// Writes the text of a file to stdout: unchanged into a pipe, escaped on a terminal.
    pub(crate) fn content(&mut self, text: &str) -> io::Result<()> {
        let text = if io::stdout().is_terminal() { visible::lines(text) } else { text.into() };
        self.raw(text.as_bytes())
    }

    /// Writes bytes to stdout unchanged; never bytes from a repository.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    /// Prints a note on stderr, unless quiet.
    pub(crate) fn note(&mut self, message: impl Display) {
        if !self.is_quiet {
            self.complain(&format!(
                "{} {}\n",
                styled(LABEL, "note:"),
                visible::one_line(&message.to_string())
            ));
        }
    }

    /// Prints a warning on stderr.
    pub(crate) fn warn(&mut self, message: impl Display) {
        self.complain(&format!(
            "{} {}\n",
            styled(WARNING, "warning:"),
            visible::one_line(&message.to_string())
        ));
    }

    /// Writes text to stderr. Errors are ignored, since there is nowhere to report them.
    pub(crate) fn complain(&mut self, text: &str) {
        let _ = self.stderr.write_all(printable(text).as_bytes());
    }
}

/// Width of the terminal; `None` if lines may have any length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns(pub(crate) Option<usize>);

impl Columns {
    fn from_stdout() -> Self {
        if !io::stdout().is_terminal() {
            return Self(None);
        }
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self(Some(width.unwrap_or(80).max(20)))
    }

    /// The width, or `otherwise` if lines may have any length.
    pub(crate) fn or(self, otherwise: usize) -> usize {
        self.0.unwrap_or(otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_styles_of_ours_reach_the_terminal() {
        let hostile = "a\x1b[31mb\x1b[1;0m\n\x1b]0;t\x07";
        let text = format!("{} {hostile}\n", styled(GOOD, hostile));
        expect_test::expect![[r#"
            "\u{1b}[32ma\\u{1b}[31mb\\u{1b}[1;0m\\n\\u{1b}]0;t\\u{7}\u{1b}[0m a\\u{1b}[31mb\\u{1b}[1;0m\n\\u{1b}]0;t\\u{7}\n"
        "#]]
        .assert_eq(&format!("{:?}\n", printable(&text)));
    }

    #[test]
    fn styles_may_stand_in_styled_text() {
        let text = printable(&styled(DIM, format_args!("a {}", styled(BOLD, "b"))));
        assert_eq!(text, "\u{1b}[2ma \u{1b}[1mb\u{1b}[0m\u{1b}[0m");
    }
}
