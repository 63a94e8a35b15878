//! Macros, links, marks and attributes in the prose of AsciiDoc.

use std::collections::HashMap;

use crate::markup::inline::{begins_tag, code, with_line_breaks};

/// Longest value of an attribute that is written where its name stands.
const MAX_VALUE_BYTES: usize = 200;

/// Longest name of an attribute.
const MAX_NAME_BYTES: usize = 60;

/// Attributes that every file has.
const BUILT_IN: &[(&str, &str)] = &[
    ("nbsp", " "),
    ("sp", " "),
    ("empty", ""),
    ("blank", ""),
    ("plus", "+"),
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("startsb", "["),
    ("endsb", "]"),
    ("vbar", "|"),
    ("asterisk", "*"),
    ("backtick", "`"),
    ("tilde", "~"),
    ("caret", "^"),
    ("cpp", "C++"),
    ("two-colons", "::"),
    ("apos", "'"),
    ("quot", "\""),
    ("zwsp", ""),
];

/// Renders paragraphs with the attributes of a file.
pub(super) struct Inline<'t> {
    attributes: HashMap<&'t str, &'t str>,
    /// Bytes that values of attributes may still take: the text grows at most to twice its size.
    budget: usize,
}

impl<'t> Inline<'t> {
    pub(super) fn new(attributes: HashMap<&'t str, &'t str>, n_bytes: usize) -> Self {
        Self { attributes, budget: n_bytes + 10_000 }
    }

    /// Renders the prose of one paragraph; none where nothing changes.
    pub(super) fn render(&mut self, text: &str) -> Option<String> {
        text.contains(['`', '{', '<', '[', '*', '+', '"', '\'']).then(|| {
            let out = String::with_capacity(text.len());
            let mut scanner = Scanner {
                text,
                at: 0,
                out,
                word: 0,
                missing: Vec::new(),
                is_bold: false,
                quotes: Vec::new(),
                values: self,
            };
            while scanner.at < text.len() {
                scanner.step();
            }
            scanner.out
        })
    }

    fn value(&mut self, name: &str) -> Option<&'t str> {
        let own = self.attributes.get(name).copied();
        let built_in = || BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let value = own.or_else(built_in).filter(|value| value.len() <= self.budget.min(MAX_VALUE_BYTES))?;
        self.budget -= value.len();
        Some(value)
    }
}

struct Scanner<'s, 't> {
    text: &'s str,
    at: usize,
    out: String,
    /// Where the last word begins that was written.
    word: usize,
    /// What is nowhere in the rest of the text.
    missing: Vec<&'static str>,
    is_bold: bool,
    /// Quotes that are open: what they are written as.
    quotes: Vec<char>,
    values: &'s mut Inline<'t>,
}

impl<'s> Scanner<'s, '_> {
    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let next = rest.find(['`', '{', '<', '[', '*', '+', '"', '\'']).unwrap_or(rest.len());
        self.copy(next);
        let rest = self.rest();
        let is_read = match rest.as_bytes().first() {
            None => return,
            Some(b'`') => self.code(),
            Some(b'{') => self.attribute(),
            Some(b'<') => self.reference(),
            Some(b'[') => self.bracket(),
            Some(b'*') => self.bold(),
            Some(b'+') => self.verbatim(),
            Some(_) => self.quote(),
        };
        if !is_read {
            self.copy(1);
        }
    }

    fn copy(&mut self, n_bytes: usize) {
        self.push(&self.rest()[..n_bytes]);
        self.at += n_bytes;
    }

    fn push(&mut self, text: &str) {
        if let Some(blank) = text.rfind(char::is_whitespace) {
            self.word = self.out.len() + blank + text[blank..].chars().next().map_or(1, char::len_utf8);
        }
        self.out.push_str(text);
    }

    /// Writes what was rendered of the next bytes.
    fn write(&mut self, rendered: &str, n_bytes: usize) -> bool {
        let written = &self.rest()[..n_bytes];
        self.push(&with_line_breaks(rendered.to_owned(), written));
        self.at += n_bytes;
        true
    }

    /// Where `closer` begins behind `from`; what is missing is looked for once.
    fn find(&mut self, from: usize, closer: &'static str) -> Option<usize> {
        if self.missing.contains(&closer) {
            return None;
        }
        let found = self.rest().get(from..).and_then(|rest| rest.find(closer));
        if found.is_none() {
            self.missing.push(closer);
        }
        found.map(|at| from + at)
    }

    fn code(&mut self) -> bool {
        let rest = self.rest();
        if let Some(quote) = self.quotes.last().copied().filter(|quote| rest[1..].starts_with(*quote)) {
            self.quotes.pop();
            return self.write(&quote.to_string(), 2);
        }
        let marks = if rest.starts_with("``") { "``" } else { "`" };
        let Some(close) = self.find(marks.len(), marks) else { return false };
        let inside = &rest[marks.len()..close];
        let bare = inside.strip_prefix('+').and_then(|inside| inside.strip_suffix('+'));
        let shown = bare.map_or_else(|| self.with_values(inside), str::to_owned);
        self.write(&code(shown.trim()), close + marks.len())
    }

    /// A text with the values of the attributes in it.
    fn with_values(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            shown.push_str(&rest[..at]);
            rest = &rest[at..];
            let value = attribute_name(rest).and_then(|name| Some((name, self.values.value(name)?)));
            let (n_bytes, text) = value.map_or((1, "{"), |(name, value)| (name.len() + 2, value));
            shown.push_str(text);
            rest = &rest[n_bytes..];
        }
        shown + rest
    }

    fn attribute(&mut self) -> bool {
        let value = attribute_name(self.rest()).and_then(|name| Some((name, self.values.value(name)?)));
        value.is_some_and(|(name, value)| self.write(value, name.len() + 2))
    }

    /// `<<target,text>>`; another angle bracket is no tag.
    fn reference(&mut self) -> bool {
        if !self.rest().starts_with("<<") {
            self.push(if begins_tag(self.rest()) { "\\" } else { "" });
            return false;
        }
        let Some(close) = self.find(2, ">>") else { return false };
        let inside = &self.rest()[2..close];
        let text = inside.split_once(',').map_or(inside.trim_start_matches('#'), |(_, text)| text);
        self.write(text.trim(), close + 2)
    }

    /// The brackets behind a macro or an address, or around the name of a place.
    fn bracket(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with("[[") {
            let Some(close) = self.find(2, "]]") else { return false };
            return self.write("", close + 2);
        }
        let start = self.word.min(self.out.len());
        let found = macro_start(&self.out[start..]).map(|at| start + at);
        let close = found.and_then(|_| self.find(1, "]"));
        let (Some(found), Some(close)) = (found, close) else {
            // No target of a macro holds a bracket.
            self.word = self.out.len();
            return false;
        };
        let inside = self.with_values(&rest[1..close]);
        let rendered = rendered_macro(&self.out[found..], inside.trim());
        self.out.truncate(found);
        self.word = found;
        self.write(&rendered, close + 1)
    }

    fn bold(&mut self) -> bool {
        let rest = self.rest();
        let before = self.out.chars().next_back();
        let after = rest[1..].chars().next();
        if rest.starts_with("**") {
            self.copy(2);
        } else if self.is_bold && !before.is_some_and(char::is_whitespace) {
            self.is_bold = false;
            self.write("**", 1);
        } else if before.is_none_or(|c| !c.is_alphanumeric())
            && after.is_some_and(|c| !c.is_whitespace())
            && self.find(1, "*").is_some()
        {
            self.is_bold = true;
            self.write("**", 1);
        } else {
            self.copy(1);
        }
        true
    }

    /// Text between pluses is as it is; a plus at the end of a line breaks it.
    fn verbatim(&mut self) -> bool {
        let rest = self.rest();
        let marks = ["+++", "++", "+"].into_iter().find(|marks| rest.starts_with(marks)).unwrap_or("+");
        let after = rest[marks.len()..].chars().next();
        if marks == "+" && self.out.ends_with(' ') && after.is_none_or(|c| c == '\n') {
            self.out.truncate(self.out.trim_end_matches(' ').len());
            self.at += 1;
            return true;
        }
        let is_open = !self.out.ends_with(char::is_alphanumeric) && after.is_some_and(|c| !c.is_whitespace());
        let Some(close) = is_open.then(|| self.find(marks.len(), marks)).flatten() else { return false };
        let inside = &rest[marks.len()..close];
        self.write(inside, close + marks.len())
    }

    /// Quotes with backticks inside of them are typographic.
    fn quote(&mut self) -> bool {
        let rest = self.rest();
        let (quote, closer) = if rest.starts_with('"') { ('"', "`\"") } else { ('\'', "`'") };
        if !rest[1..].starts_with('`') || self.find(2, closer).is_none() {
            return false;
        }
        self.quotes.push(quote);
        self.write(&quote.to_string(), 2)
    }
}

/// The name of the attribute that a text begins with: `{name}`.
fn attribute_name(text: &str) -> Option<&str> {
    let near = &text.as_bytes()[..text.len().min(MAX_NAME_BYTES)];
    let end = near.iter().position(|&b| b == b'}')?;
    let name = &text[1..end];
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    is_name.then_some(name)
}

/// Where the name of a macro, or an address, begins in a word that brackets follow.
fn macro_start(word: &str) -> Option<usize> {
    let colon = word.find(':')?;
    let name = word[..colon].rfind(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
    let start = name.map_or(0, |at| at + word[at..].chars().next().map_or(1, char::len_utf8));
    (start < colon && word[start..].starts_with(|c: char| c.is_ascii_alphabetic())).then_some(start)
}

/// What is read of a macro, `name:target[text]`.
fn rendered_macro(written: &str, text: &str) -> String {
    let (name, target) = written.split_once(':').unwrap_or((written, ""));
    let label =
        text.split_once(",role=").or_else(|| text.split_once(",window=")).map_or(text, |(text, _)| text);
    let label = label.trim_end_matches('^').trim_matches('"');
    let is_address = target.starts_with("//");
    match name {
        _ if is_address && label.is_empty() => written.to_owned(),
        _ if is_address => format!("[{label}]({written})"),
        "link" | "mailto" if label.is_empty() => target.to_owned(),
        "link" if target.contains("://") => format!("[{label}]({target})"),
        "image" | "icon" | "anchor" | "indexterm" | "indexterm2" | "bibitem" => String::new(),
        "footnote" | "footnoteref" => String::new(),
        "menu" => format!("{target} > {label}"),
        _ if label.is_empty() => target.trim_matches(['#', '+']).to_owned(),
        _ => label.to_owned(),
    }
}
