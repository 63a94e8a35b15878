//! Whole sentences of Markdown prose.

use std::ops::Range;

use craig_text::{count_words, is_unspaced_stop};

/// Words whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "eg", "ie", "no", "incl", "fig", "sec", "dr", "mr",
    "mrs", "st",
];

/// Byte ranges of the sentences of `text`, in order, without blanks around them.
///
/// A sentence ends at a full stop, question mark or exclamation mark outside of code, brackets and abbreviations, before a
/// blank and whatever can begin another, at a full stop of Chinese, Japanese or Hindi, or where a tag breaks the line. What follows the last such place is a sentence, too.
pub(crate) fn split(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut is_code, mut depth) = (0, false, 0_usize);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '`' => is_code = !is_code,
            '<' if !is_code && text[at..].starts_with("<br") => {
                let end = text[at..].find('>').map_or(text.len(), |length| at + length + 1);
                push(&mut found, text, start..at);
                start = end;
                while chars.next_if(|&(next, _)| next < end).is_some() {}
            }
            '(' | '[' | '（' if !is_code => depth += 1,
            ')' | ']' | '）' if !is_code => depth = depth.saturating_sub(1),
            _ if is_unspaced_stop(c) && !is_code && depth == 0 => {
                let end = at + c.len_utf8();
                let end = end + closing_marks(&text[end..]);
                push(&mut found, text, start..end);
                start = end;
                while chars.next_if(|&(next, _)| next < end).is_some() {}
            }
            '.' | '?' | '!' if !is_code && depth == 0 => {
                let end = at + 1 + closing_marks(&text[at + 1..]);
                if ends_here(&text[start..at], &text[end..], c) {
                    push(&mut found, text, start..end);
                    start = end;
                    while chars.next_if(|&(next, _)| next < end).is_some() {}
                }
            }
            _ => {}
        }
    }
    push(&mut found, text, start..text.len());
    found
}

/// Number of words of a sentence that have letters.
pub(crate) fn n_words(sentence: &str) -> usize {
    let words = sentence.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    words.map(count_words).sum()
}

/// Whether a sentence ends with a colon: it announces what follows.
pub(crate) fn announces(sentence: &str) -> bool {
    sentence.ends_with([':', '：'])
}

/// Whether a sentence is a link, or several, and nothing else: an entry of a table of contents, a badge.
pub(crate) fn is_link(sentence: &str) -> bool {
    let (mut depth, mut has_target, mut has_words) = (0_usize, false, false);
    let mut before = ' ';
    for c in sentence.chars() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => has_words |= depth == 0 && c.is_alphanumeric(),
        }
        has_target |= before == ']' && matches!(c, '(' | '[');
        before = c;
    }
    has_target && !has_words
}

/// Bytes of quotes and marks of emphasis that belong to the sentence before.
fn closing_marks(rest: &str) -> usize {
    rest.len() - rest.trim_start_matches(['*', '_', '"', '\'', '”', '’', '」', '』', '.', '!', '?']).len()
}

fn ends_here(before: &str, after: &str, mark: char) -> bool {
    let Some(next) = after.chars().next() else { return true };
    if !next.is_whitespace() {
        return false;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let is_abbreviation = mark == '.' && ABBREVIATIONS.contains(&word.to_lowercase().as_str());
    let is_number = mark == '.'
        && !word.is_empty()
        && word.chars().all(|c| c.is_ascii_digit())
        && before.trim().len() == word.len();
    let begins = after.trim_start().chars().next();
    !is_abbreviation && !is_number && begins.is_none_or(|c| !c.is_lowercase())
}

fn push(found: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let end = range.start + part.trim_end().len();
    if start < end {
        found.push(start..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_alone_say_nothing() {
        assert!(is_link("[.isDone()](#isdone)") && is_link("[![Build](a.svg)](b) [x][y]"));
        assert!(!is_link("See [`x`](#x)") && !is_link("`f(x)`") && !is_link("(Not a link.)"));
    }

    #[test]
    fn sentences_are_whole() {
        let text = "Calls `a.b. c` (see. That) e.g. Foo. Returns **x.** Version 1.5 is\nnew! Why? so";
        let found: Vec<_> = split(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(
            found,
            ["Calls `a.b. c` (see. That) e.g. Foo.", "Returns **x.**", "Version 1.5 is\nnew!", "Why? so"]
        );
        let chinese = "调用 `a。b` 返回用户（见上。）的会话。“真的？”は。まだ";
        let found: Vec<_> = split(chinese).into_iter().map(|range| &chinese[range]).collect();
        assert_eq!(found, ["调用 `a。b` 返回用户（见上。）的会话。", "“真的？”", "は。", "まだ"]);
        let broken = "`since` (`string`)<br>\nThe version.<br />Or none.";
        let found: Vec<_> = split(broken).into_iter().map(|range| &broken[range]).collect();
        assert_eq!(found, ["`since` (`string`)", "The version.", "Or none."]);
    }
}
