//! Code spans, which no markup looks into.

use std::collections::HashMap;
use std::ops::Range;

/// Bytes of the code spans of a text, in order, with their backticks: those that Markdown sees.
pub(super) fn code_spans(text: &str) -> Vec<Range<usize>> {
    let runs = backtick_runs(text);
    let mut next_of_length: HashMap<usize, usize> = HashMap::new();
    let mut closers = vec![None; runs.len()];
    for (at, run) in runs.iter().enumerate().rev() {
        closers[at] = next_of_length.insert(run.len(), at);
    }
    let mut spans = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let closer: Option<usize> = closers[at];
        if let Some(closer) = closer {
            spans.push(runs[at].start..runs[closer].end);
        }
        at = closer.unwrap_or(at) + 1;
    }
    spans
}

fn backtick_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end += 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}

/// What a code span holds, without its backticks.
pub(super) fn code_of(span: &str) -> &str {
    span.trim_matches('`').trim()
}

/// A code span that holds `code`.
pub(super) fn code(code: &str) -> String {
    match code {
        "" => String::new(),
        _ if code.contains('`') => format!("`` {code} ``"),
        _ => format!("`{code}`"),
    }
}

/// Whether Markdown takes the angle bracket that a text begins with for HTML.
pub(super) fn begins_tag(text: &str) -> bool {
    text[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c))
}

/// Appends the line breaks that `rendered` lacks of those that `written` has, the first instead of its last blank.
pub(super) fn with_line_breaks(rendered: String, written: &str) -> String {
    let count = |text: &str| text.matches('\n').count();
    let n_missing = count(written).saturating_sub(count(&rendered));
    if n_missing == 0 {
        return rendered;
    }
    let mut rendered = rendered;
    match rendered.rfind(' ') {
        Some(blank) => rendered.replace_range(blank..=blank, "\n"),
        None => rendered.push('\n'),
    }
    rendered.extend(std::iter::repeat_n('\n', n_missing - 1));
    rendered
}
