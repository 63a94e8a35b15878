//! Batches: reads one JSON object per line, and writes one JSON result per line as soon as it is ready.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::failure::{Outcome, Refusal, message_and_hint};
use super::output::Output;

/// A line of a batch.
pub(crate) trait BatchLine: DeserializeOwned {
    /// Name of such a line in error messages.
    const WHAT: &'static str;
    /// The identifying field, which is repeated in the result of a failed line.
    const SUBJECT: &'static str;
    /// A valid line.
    const EXAMPLE: &'static str;

    /// The value of that field.
    fn subject(&self) -> Option<&str>;
}

/// Opens the file of a batch of `L`, or stdin for `-`.
pub(crate) fn open<L: BatchLine>(path: &Path) -> Result<Box<dyn BufRead>, Refusal> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let refuse = |error: io::Error| {
        Refusal::new(
            format!("cannot read the batch file {}: {error}", path.display()),
            format!("give a file of lines such as {{\"{}\": \"…\"}}, or '-' for stdin", L::SUBJECT),
        )
    };
    let file = File::open(path).map_err(refuse)?;
    if file.metadata().map_err(refuse)?.is_dir() {
        return Err(refuse(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    Ok(Box::new(BufReader::new(file)))
}

/// Answers each line as it is read and skips blank ones. A failed line also gets a result, and makes the outcome
/// partial.
pub(crate) fn run<L: BatchLine, A: Serialize>(
    mut lines: Box<dyn BufRead>,
    output: &mut Output,
    mut answer: impl FnMut(&L) -> anyhow::Result<A>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Complete;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if lines.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let line = parse::<L>(&bytes);
        let answered = line.as_ref().map_err(message_and_hint);
        match answered.and_then(|line| answer(line).map_err(|error| message_and_hint(&error))) {
            Ok(answer) => output.json_line(&answer)?,
            Err((error, hint)) => {
                outcome = Outcome::Partial;
                let value = line.as_ref().ok().and_then(L::subject);
                output.json_line(&FailedLine { subject: (L::SUBJECT, value), number, error, hint })?;
            }
        }
    }
    Ok(outcome)
}

fn parse<L: BatchLine>(bytes: &[u8]) -> anyhow::Result<L> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The column matters; serde's line number is always 1.
        let message = error.to_string().replace(" at line 1 column ", " at column ");
        let hint = format!("a line looks like {}", L::EXAMPLE);
        Refusal::new(format!("not a {}: {message}", L::WHAT), hint).into()
    })
}

/// The result of a line that could not be answered.
struct FailedLine<'a> {
    /// Name of the field, and its value if the line could be parsed.
    subject: (&'static str, Option<&'a str>),
    number: usize,
    error: String,
    hint: Option<String>,
}

impl Serialize for FailedLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, value) = &self.subject;
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry(name, value)?;
        map.serialize_entry("line", &self.number)?;
        map.serialize_entry("error", &self.error)?;
        map.serialize_entry("hint", &self.hint)?;
        map.end()
    }
}
