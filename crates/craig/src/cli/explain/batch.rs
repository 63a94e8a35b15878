//! `craig explain --batch`: one selection a line in, one explanation a line out.

use std::io::BufRead;
use std::path::PathBuf;

use craig_engine::{Explainer, Explanation, Selection};
use serde::{Deserialize, Serialize};

use crate::cli::failure::{Outcome, Refusal, message_and_hint};
use crate::cli::output::Output;

/// One selection.
#[derive(Debug, Deserialize)]
struct Line {
    file: PathBuf,
    line_start: Option<usize>,
    line_end: Option<usize>,
}

/// The result line of a selection that could not be explained.
#[derive(Debug, Serialize)]
struct FailedLine<'a> {
    file: Option<&'a PathBuf>,
    line: usize,
    error: String,
    hint: Option<String>,
}

/// Answers each line as it is read.
pub(super) fn run(
    mut lines: Box<dyn BufRead>,
    explainer: &Explainer,
    output: &mut Output,
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
        let parsed = parse(&bytes).map_err(anyhow::Error::from);
        let answered = parsed.as_ref().map_err(message_and_hint);
        match answered.and_then(|line| answer(line, explainer).map_err(|error| message_and_hint(&error))) {
            Ok(explanation) => output.json_line(&explanation)?,
            Err((error, hint)) => {
                outcome = Outcome::Partial;
                let file = parsed.as_ref().ok().map(|line| &line.file);
                output.json_line(&FailedLine { file, line: number, error, hint })?;
            }
        }
    }
    Ok(outcome)
}

fn parse(bytes: &[u8]) -> Result<Line, Refusal> {
    serde_json::from_slice(bytes).map_err(|error| {
        let message = error.to_string().replace(" at line 1 column ", " at column ");
        Refusal::new(
            format!("not a selection: {message}"),
            "a line looks like {\"file\": \"src/client.js\", \"line_start\": 10, \"line_end\": 20}",
        )
    })
}

fn answer(line: &Line, explainer: &Explainer) -> anyhow::Result<Explanation> {
    let lines = match (line.line_start, line.line_end) {
        (None, None) => None,
        (Some(start), end) => Some((start, end.unwrap_or(start).max(start))),
        (None, Some(end)) => Some((end, end)),
    };
    Ok(explainer.explain(&Selection { file: line.file.clone(), lines })?)
}
