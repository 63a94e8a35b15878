//! The parts of a section that can be quoted: sentences, table rows and code blocks.

use std::ops::Range;

use crate::page::Section;
use crate::sentence::{self, n_words};

/// Longest sentence that is quoted, in bytes; longer ones are tables or lists without full stops.
const MAX_BYTES: usize = 600;

/// Longest code block that is quoted, in lines, fences included.
const MAX_SAMPLE_LINES: usize = 16;

/// … and in bytes.
const MAX_SAMPLE_BYTES: usize = 1_000;

/// The form of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// A sentence of a paragraph.
    Sentence,
    /// A sentence of a list.
    Item,
    /// A row of a table.
    Row,
    /// A code block.
    Sample,
}

/// A part of a section that can be quoted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    /// Bytes of the page.
    pub(crate) bytes: Range<usize>,
    pub(crate) form: Form,
    /// Index of its run of prose in the section; for a sample, of the run before it.
    pub(crate) unit: usize,
    /// Index among the sentences of its run.
    pub(crate) number: usize,
}

/// The statements of a section, in order.
pub(crate) fn statements(text: &str, section: &Section) -> Vec<Statement> {
    let mut found = Vec::new();
    for (unit, run) in section.units.iter().enumerate() {
        let form = match (run.is_row, run.items.is_empty()) {
            (true, _) => Form::Row,
            (_, false) => Form::Item,
            _ => Form::Sentence,
        };
        let sentences = run.sentences.iter().enumerate().map(|(number, bytes)| (number, bytes.clone()));
        let quotable = sentences.filter(|(_, bytes)| is_quotable(&text[bytes.clone()], form));
        found.extend(quotable.map(|(number, bytes)| Statement { bytes, form, unit, number }));
    }
    let samples = section.fences.iter().filter(|fence| is_sample(&text[fence.bytes.clone()]));
    found.extend(samples.map(|fence| Statement {
        bytes: fence.bytes.clone(),
        form: Form::Sample,
        unit: fence.n_units_before.saturating_sub(1),
        number: 0,
    }));
    found.sort_by_key(|one| one.bytes.start);
    found
}

/// Whether a sentence has content: it is more than a link, an image or a tag, and is not too long.
fn is_quotable(sentence: &str, form: Form) -> bool {
    n_words(sentence) > 0
        && sentence.len() <= MAX_BYTES
        && !sentence.starts_with(['!', '<'])
        && !sentence::is_link(sentence.strip_prefix("See ").unwrap_or(sentence))
        && (form == Form::Row || !sentence.contains(" | "))
}

fn is_sample(block: &str) -> bool {
    block.starts_with("```") && block.lines().count() <= MAX_SAMPLE_LINES && block.len() <= MAX_SAMPLE_BYTES
}
