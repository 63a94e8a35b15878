//! Tokens of SQL that hold in every dialect.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// A name in `"…"`, `[…]` or backticks.
    Quoted,
    String,
    /// A body of PostgreSQL: `$$ … $$`.
    DollarBody,
    /// A semicolon, or what the client was told to use in its place.
    Delimiter,
    /// A line with `GO` or `/` alone.
    Separator,
    Other,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// Without quotes.
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the comments begin that belong to it.
    pub(super) lead: usize,
    pub(super) is_first_on_line: bool,
}

impl Token<'_> {
    /// Whether it is a word, in whatever case, or a mark.
    pub(super) fn is(&self, word: &str) -> bool {
        !matches!(self.kind, Kind::Quoted | Kind::String) && self.text.eq_ignore_ascii_case(word)
    }
}

#[derive(Clone)]
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    delimiter: &'t str,
    /// Strings of MySQL know backslashes.
    has_backslashes: bool,
    /// Quotes that are never closed were met: each costs a look at the rest of the text.
    n_unclosed: usize,
}

/// Statements that are indented deeper do not begin a line: long lines are data.
const MAX_INDENT: usize = 1_024;

/// Names in brackets are no longer: SQL Server allows 128 characters.
const MAX_NAME_BYTES: usize = 520;

/// After so many quotes without an end, a quote is a character like others.
const MAX_UNCLOSED: usize = 64;

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str, part: Range<usize>) -> Self {
        let has_backslashes = text[part.clone()].contains('`');
        Self { text, at: part.start, end: part.end, delimiter: ";", has_backslashes, n_unclosed: 0 }
    }

    /// Those behind a token.
    pub(super) fn after(&self, token: Token<'_>) -> Self {
        Self { at: token.end, ..self.clone() }
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Skips the rows behind a `COPY … FROM stdin;` of PostgreSQL.
    pub(super) fn skip_data(&mut self) {
        let end = self.rest().find("\n\\.").map(|end| end + 3);
        self.at += end.unwrap_or(0);
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..self.end]
    }

    /// Goes to the next token; the place where comments begin that it has right before it.
    fn skip_blanks(&mut self) -> usize {
        let mut lead = None;
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if rest[..blank].matches('\n').count() > 1 {
                lead = None;
            }
            self.at += blank;
            let rest = self.rest();
            let length = if rest.starts_with("--") || self.is_line_comment(rest) {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(length) = version_comment(rest) {
                self.at += length;
                continue;
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/").map_or(rest.len(), |end| end + 4)
            } else {
                return lead.unwrap_or(self.at);
            };
            // A comment behind a statement on its line belongs to that.
            if lead.is_none() && self.is_line_start() {
                lead = Some(self.at);
            }
            self.at += length;
        }
    }

    /// `#` begins a comment in MySQL, and the name of a temporary table in T-SQL.
    fn is_line_comment(&self, rest: &str) -> bool {
        rest.strip_prefix('#').is_some_and(|rest| rest.starts_with([' ', '#', '-', '\n']))
            && self.is_line_start()
    }

    fn is_line_start(&self) -> bool {
        let from = self.text.ceil_char_boundary(self.at.saturating_sub(MAX_INDENT));
        let before = &self.text[from..self.at];
        let line = match before.rfind('\n') {
            Some(end) => &before[end + 1..],
            None if from == 0 => before,
            None => return false,
        };
        let line = line.trim();
        line.is_empty() || version_comment(line) == Some(line.len())
    }

    pub(super) fn next(&mut self) -> Option<Token<'t>> {
        let lead = self.skip_blanks();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let start = self.at;
        let is_first_on_line = self.is_line_start();
        let token = |kind, text: &'t str, length: usize| Token {
            kind,
            text,
            start,
            end: start + length,
            lead,
            is_first_on_line,
        };
        let quoted = |kind, length: usize, quote: usize| token(kind, &rest[quote..length - quote], length);
        let found = if rest.starts_with(self.delimiter) {
            token(Kind::Delimiter, self.delimiter, self.delimiter.len())
        } else if let Some(length) = is_first_on_line.then(|| separator(rest)).flatten() {
            token(Kind::Separator, &rest[..length], length)
        } else if is_word(first) && first != '$' {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let length = rest[..length].find(self.delimiter).unwrap_or(length);
            token(Kind::Word, &rest[..length], length)
        } else if let Some(length) = self.length_of_quoted(first, rest) {
            match first {
                '$' => token(Kind::DollarBody, "", length),
                '\'' => quoted(Kind::String, length, 1),
                _ => quoted(Kind::Quoted, length, 1),
            }
        } else {
            token(Kind::Other, &rest[..first.len_utf8()], first.len_utf8())
        };
        self.at = found.end;
        if found.is("delimiter") && is_first_on_line {
            let line = self.rest().lines().next().unwrap_or_default();
            self.at += line.len();
            self.delimiter = Some(line.trim()).filter(|delimiter| !delimiter.is_empty()).unwrap_or(";");
            return self.next();
        }
        Some(found)
    }

    /// The length of a string, a quoted name or a body in dollars that is closed. One that is not is an apostrophe where none
    /// belongs, which must not hide the rest.
    fn length_of_quoted(&mut self, first: char, rest: &str) -> Option<usize> {
        if self.n_unclosed >= MAX_UNCLOSED || !matches!(first, '\'' | '"' | '`' | '[' | '$') {
            return None;
        }
        let length = match first {
            '[' => return bracketed(rest),
            '$' => dollar_body(rest),
            _ => self.closed(rest, first),
        };
        self.n_unclosed += usize::from(length.is_none());
        length
    }

    /// The length of a string between two of `quote`, which is doubled where it is meant.
    fn closed(&self, rest: &str, quote: char) -> Option<usize> {
        let mut characters = rest.char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            if c == '\\' && self.has_backslashes {
                characters.next();
            } else if c == quote {
                if !rest[at + 1..].starts_with(quote) {
                    return Some(at + 1);
                }
                characters.next();
            }
        }
        None
    }
}

/// The length of what begins or ends a comment of MySQL whose content is executed: `/*!50003 … */`.
fn version_comment(rest: &str) -> Option<usize> {
    let version =
        rest.strip_prefix("/*!").map(|version| version.bytes().take_while(u8::is_ascii_digit).count());
    version.map(|digits| digits + 3).or_else(|| rest.starts_with("*/").then_some(2))
}

/// The length of a name in brackets; an element of an array is none.
fn bracketed(rest: &str) -> Option<usize> {
    rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(())?;
    let name = &rest[..rest.floor_char_boundary(MAX_NAME_BYTES)];
    let end = name.find([']', '\n'])?;
    name[end..].starts_with(']').then_some(end + 1)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$')
}

/// The length of a line with `GO` or `/` alone at the start of `rest`.
fn separator(rest: &str) -> Option<usize> {
    let line = rest.lines().next()?.trim_end();
    let is_go = line.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("go"))
        && line[2..].trim().trim_end_matches(';').bytes().all(|byte| byte.is_ascii_digit());
    (line == "/" || is_go).then_some(line.len())
}

/// Where the last line with a separator begins.
pub(super) fn last_separator(text: &str) -> Option<usize> {
    let mut end = text.len();
    for line in text.rsplit('\n') {
        let start = end - line.len();
        let trimmed = line.trim_start();
        if separator(trimmed).is_some_and(|length| length == trimmed.trim_end().len()) {
            return Some(start);
        }
        end = start.saturating_sub(1);
    }
    None
}

/// The length of a `$tag$ … $tag$`.
fn dollar_body(rest: &str) -> Option<usize> {
    let tag_end = 1 + rest.strip_prefix('$')?.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let tag = rest.get(..=tag_end).filter(|tag| tag.ends_with('$'))?;
    let body = &rest[tag.len()..];
    body.find(tag).map(|end| end + 2 * tag.len())
}
