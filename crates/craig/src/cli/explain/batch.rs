//! A line of `craig explain --batch`.

use std::path::PathBuf;

use craig_engine::Selection;
use serde::Deserialize;

use crate::cli::batch::BatchLine;

/// One selection.
#[derive(Debug, Deserialize)]
pub(super) struct SelectionLine {
    file: PathBuf,
    line_start: Option<usize>,
    line_end: Option<usize>,
}

impl BatchLine for SelectionLine {
    const WHAT: &'static str = "selection";
    const SUBJECT: &'static str = "file";
    const EXAMPLE: &'static str = "{\"file\": \"src/client.js\", \"line_start\": 10, \"line_end\": 20}";

    fn subject(&self) -> Option<&str> {
        self.file.to_str()
    }
}

impl SelectionLine {
    pub(super) fn selection(&self) -> Selection {
        let lines = match (self.line_start, self.line_end) {
            (None, None) => None,
            (Some(start), end) => Some((start, end.unwrap_or(start).max(start))),
            (None, Some(end)) => Some((end, end)),
        };
        Selection { file: self.file.clone(), lines }
    }
}
