//! Hides macros that no C grammar can read, so that the definitions around them can be read.
//!
//! `FMT_BEGIN_NAMESPACE` on a line of its own, `UV_EXTERN int uv_run(…)`, `class FMT_API format_error {`, `public slots:`,
//! `emit changed(song)`, a call such as `Q_DECLARE_FLAGS(Options, Option)` without a semicolon in a class, and comments within the
//! text of a macro: they are overwritten with blanks of the same length, so all offsets stay.

use std::{borrow::Cow, ops::Range};

/// `text` with such macros blanked.
pub(super) fn hidden(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut blanked: Option<Vec<u8>> = None;
    let (mut is_directive, mut goes_on) = (false, false);
    let mut at = 0;
    let mut before = Before::default();
    while at < bytes.len() {
        let line_end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end);
        let first = first_byte(&bytes[at..line_end]);
        is_directive = first == Some(b'#') || is_directive && goes_on;
        goes_on = bytes[at..line_end].trim_ascii_end().ends_with(b"\\");
        if is_directive {
            hide_comments(bytes, at..line_end, &mut blanked);
        } else if first.is_some_and(|byte| byte.is_ascii_alphabetic()) {
            match call_of_macro(bytes, at, line_end).filter(|_| before.is_member()) {
                Some(call) => blanked.get_or_insert_with(|| bytes.to_vec())[call].fill(b' '),
                None => {
                    hide_in_line(bytes, at, line_end, &mut blanked);
                    before.read(&bytes[at..line_end]);
                }
            }
        } else if !matches!(first, Some(b'/' | b'*')) {
            before.read(&bytes[at..line_end]);
        }
        at = line_end + 1;
    }
    for word in [b"emit".as_slice(), b"Q_EMIT"] {
        hide_prefix(bytes, word, &mut blanked);
    }
    match blanked.map(String::from_utf8) {
        Some(Ok(text)) => Cow::Owned(text),
        _ => Cow::Borrowed(text),
    }
}

/// The code before a line.
#[derive(Default)]
struct Before {
    /// Of each open brace, whether it is that of a type.
    braces: Vec<bool>,
    /// Whether the declaration that is read is that of a type.
    is_type: bool,
    last: u8,
}

impl Before {
    fn read(&mut self, line: &[u8]) {
        let line = without_comment(line).trim_ascii();
        self.is_type |= matches!(self.last, 0 | b';' | b'{' | b'}' | b':' | b'>') && declares_type(line);
        for &byte in line {
            match byte {
                b'{' => self.braces.push(std::mem::take(&mut self.is_type)),
                b'}' => drop(self.braces.pop()),
                b';' => self.is_type = false,
                _ => {}
            }
        }
        self.last = line.last().copied().unwrap_or(self.last);
    }

    /// Whether what follows is a member of a type.
    fn is_member(&self) -> bool {
        self.braces.last() == Some(&true) && matches!(self.last, b';' | b'{' | b'}' | b':')
    }
}

fn declares_type(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"template").map_or(line, |list| {
        let list = list.trim_ascii_start();
        &list[closes_at(list, b"<>").unwrap_or(list.len())..]
    });
    let (from, to) = next_word(line, 0, line.len()).unwrap_or_default();
    matches!(&line[from..to], b"class" | b"struct" | b"union")
}

/// Hides comments in a line of a directive: to the grammar, the text of a macro ends at one, and the rest is code.
fn hide_comments(bytes: &[u8], line: Range<usize>, blanked: &mut Option<Vec<u8>>) {
    let mut at = line.start;
    while let Some(open) = find(&bytes[at..line.end], b"/*").map(|open| at + open) {
        let Some(close) = find(&bytes[open + 2..line.end], b"*/").map(|close| open + 2 + close + 2) else {
            return;
        };
        if !bytes[close..line.end].trim_ascii().is_empty() {
            blanked.get_or_insert_with(|| bytes.to_vec())[open..close].fill(b' ');
        }
        at = close;
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|found| found == wanted)
}

/// Hides a word that stands before a call: `emit changed(song);` of Qt.
fn hide_prefix(bytes: &[u8], word: &[u8], blanked: &mut Option<Vec<u8>>) {
    let mut at = 0;
    while let Some(from) = find(&bytes[at..], word).map(|from| at + from) {
        at = from + word.len();
        let is_statement = match bytes[..from].trim_ascii_end().last() {
            Some(b';' | b'{' | b'}' | b')' | b':') => !bytes[..from].ends_with(b":"),
            Some(b'e') => bytes[..from].trim_ascii_end().ends_with(b"else"),
            _ => false,
        };
        let is_before_call = next_word(bytes, at, bytes.len())
            .is_some_and(|(name, _)| name > at && !bytes[name].is_ascii_digit());
        if is_statement && is_before_call {
            blanked.get_or_insert_with(|| bytes.to_vec())[from..at].fill(b' ');
        }
    }
}

/// A call of a macro that is all of a line without a semicolon, if a declaration or the end of a type follows:
/// `Q_DECLARE_FLAGS(Options, Option)`.
fn call_of_macro(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let (from, to) = next_word(bytes, start, end)?;
    let code = without_comment(&bytes[to..end]).trim_ascii_end();
    let is_call =
        is_macro(&bytes[from..to]) && code.starts_with(b"(") && closes_at(code, b"()") == Some(code.len());
    let follows = bytes[end..].trim_ascii_start().first();
    let is_alone =
        follows.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'}' | b'~' | b'/'));
    (is_call && is_alone).then_some(from..to + code.len())
}

/// Where the bracket is closed that a text begins with.
fn closes_at(text: &[u8], &[open, close]: &[u8; 2]) -> Option<usize> {
    let mut depth = 0usize;
    let end = text.iter().position(|&byte| {
        depth += usize::from(byte == open);
        depth = depth.saturating_sub(usize::from(byte == close));
        depth == 0
    });
    end.map(|end| end + 1)
}

fn without_comment(line: &[u8]) -> &[u8] {
    find(line, b"//").map_or(line, |comment| &line[..comment])
}

fn first_byte(line: &[u8]) -> Option<u8> {
    line.iter().copied().find(|byte| !matches!(byte, b' ' | b'\t'))
}

/// Hides macros among the leading words of one line.
fn hide_in_line(bytes: &[u8], start: usize, end: usize, blanked: &mut Option<Vec<u8>>) {
    let mut at = start;
    let (mut leads_type, mut leads_record) = (false, false);
    while let Some((from, to)) = next_word(bytes, at, end) {
        let word = &bytes[from..to];
        if leads_record && !matches!(word, b"class" | b"struct") && is_before_name(bytes, to, end) {
            blanked.get_or_insert_with(|| bytes.to_vec())[from..to].fill(b' ');
        } else if is_macro(word) {
            if !hides(bytes, to, end, leads_type) {
                return;
            }
            blanked.get_or_insert_with(|| bytes.to_vec())[from..to].fill(b' ');
        } else if matches!(word, b"class" | b"struct" | b"union" | b"enum") {
            leads_type = true;
            leads_record = word != b"enum";
        } else if matches!(word, b"public" | b"protected" | b"private") {
            hide_slots(bytes, to, end, blanked);
            return;
        } else if !matches!(
            word,
            b"static" | b"inline" | b"extern" | b"constexpr" | b"explicit" | b"virtual" | b"friend"
        ) {
            return;
        }
        at = to;
    }
}

/// Whether the name of a type with a body follows, so that the word before it is none: `class CORELIB NODISCARD Token : Base {`.
fn is_before_name(bytes: &[u8], at: usize, end: usize) -> bool {
    let mut words = std::iter::successors(next_word(bytes, at, end), |(_, to)| next_word(bytes, *to, end));
    let is_named = words.next().is_some_and(|(from, to)| from > at && &bytes[from..to] != b"final");
    let last = words.last().or_else(|| next_word(bytes, at, end)).map_or(at, |(_, to)| to);
    let rest = bytes[last..].trim_ascii_start();
    is_named && (rest.starts_with(b"{") || rest.starts_with(b":") && !rest.starts_with(b"::"))
}

/// Hides the word between an access specifier and its colon: `public slots:`.
fn hide_slots(bytes: &[u8], at: usize, end: usize, blanked: &mut Option<Vec<u8>>) {
    if let Some((from, to)) = next_word(bytes, at, end)
        && bytes[to..end].trim_ascii() == b":"
    {
        blanked.get_or_insert_with(|| bytes.to_vec())[from..to].fill(b' ');
    }
}

/// The word after blanks at `at`.
fn next_word(bytes: &[u8], at: usize, end: usize) -> Option<(usize, usize)> {
    let blanks = bytes[at..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let from = at + blanks;
    let length = bytes[from..end].iter().take_while(|byte| is_word(**byte)).count();
    (length > 0).then_some((from, from + length))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Capitals with an underscore: not `FILE`, `DWORD`.
fn is_macro(word: &[u8]) -> bool {
    let is_upper = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    word.len() > 3 && word.iter().all(is_upper) && word[1..].contains(&b'_') && !word[0].is_ascii_digit()
}

/// Whether the word that ends at `at` cannot be a type: alone on its line, or a whole declaration follows it.
fn hides(bytes: &[u8], at: usize, end: usize, leads_type: bool) -> bool {
    let rest = bytes[at..end].trim_ascii_start();
    if rest.is_empty() {
        return !leads_type;
    }
    if rest.starts_with(b"//") {
        return true;
    }
    if !rest[0].is_ascii_alphabetic() && rest[0] != b'_' {
        return false;
    }
    leads_type || has_two_words(rest)
}

/// Whether a type and a name stand at the start: `int f`, `std::string* name`, `auto f`, but not `f(int x)`.
fn has_two_words(rest: &[u8]) -> bool {
    let head = rest
        .iter()
        .position(|byte| matches!(byte, b'(' | b'=' | b';' | b',' | b'{' | b'['))
        .unwrap_or(rest.len());
    let mut words =
        rest[..head].split(|byte| !is_word(*byte) && *byte != b':').filter(|word| !word.is_empty());
    words.next().is_some() && words.next().is_some()
}
