//! Notes in comments: `TODO` and similar tags.

use std::borrow::Cow;

use craig_text::whole_words;
use serde::{Deserialize, Serialize};

use super::{Measured, rounded};

const TAGS: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

/// Beginnings of comments in any language.
const MARKS: &[&str] = &["//", "#", "/*", "*", "--", "<!--", ";", "%", "\"\"\"", "{-"];

/// Longest text of a note.
const MOST_CHARS: usize = 120;

/// Notes of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Notes {
    /// How many.
    pub total: usize,
    /// How many for 1,000 lines of code.
    pub per_1000_lines: f64,
    /// Files with notes, most first.
    pub files: Vec<FileNotes>,
    /// Every note, by path and line.
    pub places: Vec<Note>,
}

/// Notes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileNotes {
    /// Path.
    pub file: String,
    /// How many notes.
    pub count: usize,
}

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Path.
    pub file: String,
    /// Line, 1-based.
    pub line: u32,
    /// `TODO`, `FIXME`, `XXX` or `HACK`.
    pub tag: Cow<'static, str>,
    /// What follows the tag on its line.
    pub text: String,
}

/// Notes of one text.
pub(super) fn notes(path: &str, text: &str) -> Vec<Note> {
    let found = text.lines().zip(1u32..).filter_map(|(line, number)| {
        let (tag, at) = TAGS.iter().find_map(|tag| Some((*tag, whole_words(line, tag).next()?)))?;
        let before = &line[..at];
        let in_comment =
            MARKS.iter().any(|mark| before.contains(mark)) || before.trim().is_empty() && number > 1;
        let rest = line[at + tag.len()..].trim_start_matches([':', ' ']).trim_end_matches("*/").trim();
        in_comment.then(|| Note {
            file: path.to_owned(),
            line: number,
            tag: Cow::Borrowed(tag),
            text: rest.chars().take(MOST_CHARS).collect(),
        })
    });
    found.collect()
}

pub(super) fn report(measured: &[Measured]) -> Notes {
    let places: Vec<Note> = measured.iter().flat_map(|file| file.notes.iter().cloned()).collect();
    let with_notes = measured.iter().filter(|file| !file.notes.is_empty());
    let mut files: Vec<FileNotes> =
        with_notes.map(|file| FileNotes { file: file.path.clone(), count: file.notes.len() }).collect();
    files.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.file.cmp(&b.file)));
    let lines: u64 = measured.iter().map(|file| u64::from(file.lines)).sum();
    let per_1000_lines = rounded(1_000.0 * places.len() as f64 / lines.max(1) as f64);
    Notes { total: places.len(), per_1000_lines, files, places }
}
