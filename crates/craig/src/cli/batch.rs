//! `craig search --batch`: one JSON query a line in, one JSON result a line out, each as soon as it is there.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Error;
use craig_engine::{Engine, KindFilter, SearchAnswer, SearchRequest};
use serde::{Deserialize, Serialize};

use super::failure::{Outcome, Refusal, message_and_hint};
use super::output::Output;

/// One query, with what it asks for otherwise than the command line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    query: String,
    limit: Option<usize>,
    per_file: Option<usize>,
    language: Option<Languages>,
    path: Option<String>,
    kind: Option<KindFilter>,
    min_score: Option<f32>,
}

/// One language or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Languages {
    One(String),
    Many(Vec<String>),
}

/// The result line of a query that could not be answered.
#[derive(Debug, Serialize)]
struct FailedLine<'a> {
    query: Option<&'a str>,
    line: usize,
    error: String,
    hint: Option<String>,
}

impl Line {
    fn request(&self, given: &SearchRequest) -> SearchRequest {
        let languages = match &self.language {
            None => given.languages.clone(),
            Some(Languages::One(language)) => vec![language.clone()],
            Some(Languages::Many(languages)) => languages.clone(),
        };
        SearchRequest {
            limit: self.limit.unwrap_or(given.limit),
            per_file: self.per_file.unwrap_or(given.per_file),
            min_score: self.min_score.unwrap_or(given.min_score),
            languages,
            path: self.path.clone().or_else(|| given.path.clone()),
            kind: self.kind.unwrap_or(given.kind),
            retrieval: given.retrieval,
            rerank: given.rerank,
            without: given.without.clone(),
        }
    }
}

/// Opens the file of queries, or stdin for `-`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, Refusal> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let refuse = |error: io::Error| {
        Refusal::new(
            format!("cannot read the batch file {}: {error}", path.display()),
            "give a file of lines such as {\"query\": \"…\"}, or '-' for stdin",
        )
    };
    let file = File::open(path).map_err(refuse)?;
    if file.metadata().map_err(refuse)?.is_dir() {
        return Err(refuse(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    Ok(Box::new(BufReader::new(file)))
}

/// Answers each line as it is read.
pub(crate) fn run(
    mut lines: Box<dyn BufRead>,
    project: &str,
    given: &SearchRequest,
    engine: &mut Engine,
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
        match parse(&bytes) {
            Err(error) => {
                outcome = Outcome::Partial;
                output.json_line(&failed(None, number, &error))?;
            }
            Ok(line) => match answer(&line, project, given, engine) {
                Ok(answer) => output.json_line(&answer)?,
                Err(error) => {
                    outcome = Outcome::Partial;
                    output.json_line(&failed(Some(&line.query), number, &error))?;
                }
            },
        }
    }
    Ok(outcome)
}

fn parse(bytes: &[u8]) -> anyhow::Result<Line> {
    serde_json::from_slice(bytes).map_err(|error| {
        let message = error.to_string();
        // The place within the line matters, not serde's line number, which is always 1.
        let message = message.replace(" at line 1 column ", " at column ");
        Refusal::new(format!("not a query: {message}"), "a line looks like {\"query\": \"…\", \"limit\": 5}")
            .into()
    })
}

fn answer(
    line: &Line,
    project: &str,
    given: &SearchRequest,
    engine: &mut Engine,
) -> anyhow::Result<SearchAnswer> {
    Ok(engine.search(project, &line.query, &line.request(given))?)
}

fn failed<'a>(query: Option<&'a str>, line: usize, error: &Error) -> FailedLine<'a> {
    let (error, hint) = message_and_hint(error);
    FailedLine { query, line, error, hint }
}
