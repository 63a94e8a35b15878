//! Colours of code: what the grammar makes of it, and the words that were searched for.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use craig_engine::{Language, TokenKind, is_stop_word, lower_words, root, tokens};

use super::output::{DIM, has_colours, styled};

/// Words of fewer letters are not marked: they are in too many others.
const MIN_MARKED: usize = 3;

/// Paints lines of code.
pub(crate) struct Painter {
    /// Roots of the query's words, in lower case.
    marked: Vec<String>,
}

impl Painter {
    /// Marks the words of `query`, but those that questions consist of.
    pub(crate) fn new(query: &str) -> Self {
        let mut marked: Vec<String> = lower_words(query)
            .filter(|word| word.len() >= MIN_MARKED && !is_stop_word(word))
            .map(|word| root(&word).to_owned())
            .collect();
        marked.sort_unstable();
        marked.dedup();
        Self { marked }
    }

    /// The style of each byte of each line of a piece of code; empty if the output has no colours.
    pub(crate) fn styles(&self, language: &str, lines: &[&str]) -> Vec<Vec<Style>> {
        if !has_colours() {
            return Vec::new();
        }
        let text = lines.join("\n");
        let mut styles = vec![Style::new(); text.len()];
        let tokens = Language::from_id(language).map(|language| tokens(language, &text)).unwrap_or_default();
        for (bytes, kind) in tokens {
            styles[bytes].fill(colour(kind));
        }
        for bytes in self.matches(&text) {
            styles[bytes].iter_mut().for_each(|style| *style = style.bold().underline());
        }
        let mut rest = styles.as_slice();
        let mut line_styles = |line: &&str| {
            let (line, after) = rest.split_at(line.len());
            rest = after.get(1..).unwrap_or_default();
            line.to_vec()
        };
        lines.iter().map(&mut line_styles).collect()
    }

    /// Where the marked words are.
    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let lower = text.to_ascii_lowercase();
        // To the end of the word: `expir` is in `expires`.
        let whole = |(at, root): (usize, &str)| {
            let end = at + root.len();
            at..end + text[end..].bytes().take_while(u8::is_ascii_lowercase).count()
        };
        let of_word =
            |word: &String| -> Vec<Range<usize>> { lower.match_indices(word.as_str()).map(whole).collect() };
        self.marked.iter().flat_map(of_word).collect()
    }
}

/// A line with its styles; what has been appended to it since has none.
pub(crate) fn painted(line: &str, styles: &[Style]) -> String {
    runs(line, styles).into_iter().map(|(style, run)| styled(style, run)).collect()
}

/// A line as runs of one style.
pub(crate) fn runs<'l>(line: &'l str, styles: &[Style]) -> Vec<(Style, &'l str)> {
    let style_at = |at: usize| styles.get(at).copied().unwrap_or_default();
    let mut runs = Vec::new();
    let mut start = 0;
    for (at, _) in line.char_indices().chain([(line.len(), '\0')]) {
        if at > start && (at == line.len() || style_at(at) != style_at(start)) {
            runs.push((style_at(start), &line[start..at]));
            start = at;
        }
    }
    runs
}

fn colour(kind: TokenKind) -> Style {
    match kind {
        TokenKind::Comment => DIM,
        TokenKind::String => AnsiColor::Green.on_default(),
        TokenKind::Constant => AnsiColor::Cyan.on_default(),
        TokenKind::Keyword => AnsiColor::Magenta.on_default(),
        TokenKind::Type => AnsiColor::Yellow.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_query_are_found_in_identifiers() {
        let text = "let session = expireSession(); // sessions";
        let found: Vec<&str> = Painter::new("how do sessions expire")
            .matches(text)
            .into_iter()
            .map(|bytes| &text[bytes])
            .collect();
        assert_eq!(found, ["expire", "session", "Session", "sessions"]);
    }

    #[test]
    fn a_line_is_painted_in_runs_of_one_style() {
        let styles = [vec![DIM; 2], vec![Style::new(); 3]].concat();
        assert_eq!(painted("ab é…", &styles), format!("{} é…", styled(DIM, "ab")));
    }
}
