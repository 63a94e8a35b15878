//! Notes in comments: `TODO` and similar tags.

use std::borrow::Cow;
use std::ops::Range;

use craig_text::whole_words;
use serde::{Deserialize, Serialize};

use super::{Measured, rounded};

const TAGS: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

/// What may close a comment on the line of its note.
const CLOSES: &[&str] = &["*/", "-->", "\"\"\"", "-}"];

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

/// Notes of the comments of a text, one for each line.
pub(super) fn notes(path: &str, text: &str, comments: &[Range<usize>]) -> Vec<Note> {
    let mut found: Vec<Note> = Vec::new();
    let (mut number, mut counted) = (1, 0);
    for comment in comments {
        number += lines_in(text, counted..comment.start);
        counted = comment.start;
        let lines = text.get(comment.clone()).unwrap_or_default().lines();
        for (line, number) in lines.zip(number..) {
            let Some((tag, at)) = TAGS.iter().find_map(|tag| Some((*tag, whole_words(line, tag).next()?)))
            else {
                continue;
            };
            if found.last().is_some_and(|last| last.line == number) {
                continue;
            }
            let rest = line[at + tag.len()..].trim_start_matches([':', ' ']);
            let rest = CLOSES.iter().fold(rest.trim_end(), |rest, close| rest.trim_end_matches(close)).trim();
            let text = rest.chars().take(MOST_CHARS).collect();
            found.push(Note { file: path.to_owned(), line: number, tag: Cow::Borrowed(tag), text });
        }
    }
    found
}

fn lines_in(text: &str, range: Range<usize>) -> u32 {
    let bytes = text.as_bytes().get(range).unwrap_or_default();
    u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX)
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
