//! A line of `craig search --batch`.

use craig_engine::{Guesses, KindFilter, SearchRequest};
use serde::Deserialize;

use crate::cli::batch::BatchLine;
use crate::cli::units::limit_or_all;

/// One query, with options that override those of the command line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryLine {
    pub(super) query: String,
    limit: Option<usize>,
    per_file: Option<usize>,
    language: Option<Languages>,
    path: Option<String>,
    kind: Option<KindFilter>,
    min_score: Option<f32>,
    names: Option<Vec<String>>,
    code: Option<Vec<String>>,
}

/// One language or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Languages {
    One(String),
    Many(Vec<String>),
}

impl BatchLine for QueryLine {
    const WHAT: &'static str = "query";
    const SUBJECT: &'static str = "query";
    const EXAMPLE: &'static str = "{\"query\": \"…\", \"limit\": 5}";

    fn subject(&self) -> Option<&str> {
        Some(&self.query)
    }
}

impl QueryLine {
    pub(super) fn request(&self, given: &SearchRequest) -> SearchRequest {
        let languages = match &self.language {
            None => given.languages.clone(),
            Some(Languages::One(language)) => vec![language.clone()],
            Some(Languages::Many(languages)) => languages.clone(),
        };
        SearchRequest {
            limit: self.limit.map_or(given.limit, limit_or_all),
            per_file: self.per_file.unwrap_or(given.per_file),
            min_score: self.min_score.unwrap_or(given.min_score),
            languages,
            path: self.path.clone().or_else(|| given.path.clone()),
            kind: self.kind.unwrap_or(given.kind),
            guesses: Guesses {
                names: self.names.clone().unwrap_or_else(|| given.guesses.names.clone()),
                code: self.code.clone().unwrap_or_else(|| given.guesses.code.clone()),
            },
            ..given.clone()
        }
    }
}
