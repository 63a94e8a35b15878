//! The pieces of a section that can be quoted: sentences, rows of tables, samples of code.

use std::ops::Range;

use crate::page::Section;
use crate::sentence::{self, n_words};

/// Longest piece of prose that is quoted, in bytes; longer ones are tables or lists without stops.
const MAX_BYTES: usize = 600;

/// Longest code block that is quoted, in lines with its marks.
const MAX_SAMPLE_LINES: usize = 16;

/// … and in bytes.
const MAX_SAMPLE_BYTES: usize = 1_000;

/// What a piece is.
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

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    /// Bytes of the page.
    pub(crate) bytes: Range<usize>,
    pub(crate) form: Form,
    /// Its run of prose, among those of the section; of a sample, the one before it.
    pub(crate) unit: usize,
    /// Its number among the sentences of the run.
    pub(crate) number: usize,
}

/// The pieces of a section, in order.
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

/// Whether prose has content: no link, image or tag alone, not too long.
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
