//! Expressions in the template of a component, laid out as statements of a script, and the components that it shows.
//!
//! One text of the same length is parsed: the expressions where they stand, each in parentheses or braces in place of
//! its quotes, and blanks for the markup between them.

use std::ops::Range;

use craig_source::Language;

use super::{end_of_tag, find_ignoring_case};
use crate::languages;
use crate::parse::{ParsedCode, parse};

/// What is read of a template.
pub(crate) struct Template {
    /// In the order in which it is read: what declares names for an element precedes what uses them.
    pub(crate) parts: Vec<Part>,
    /// The statements; parts have where theirs begin.
    pub(crate) code: ParsedCode,
}

/// A part of a template.
pub(crate) enum Part {
    /// An element that declares names begins, or ends.
    Open,
    Close,
    /// The tag of a component.
    Component {
        /// Its name in a script: `ProjectSearch` for `<project-search>`.
        name: String,
        /// Line, 1-based.
        line: u32,
        /// Byte of the tag's name in its line, 0-based.
        column: u32,
    },
    /// An expression.
    Value(usize),
    /// Statements that handle an event.
    Handler(usize),
    /// Names that an element declares: `#item="{ row }"`.
    Names(usize),
    /// The call of names that an element declares with a collection of what they stand for: `v-for="row in rows"`.
    Each(usize),
}

/// Elements that declare names are followed so deep.
const MAX_SCOPES: usize = 64;
/// Open elements among which an end tag looks for its start.
const MAX_UNCLOSED: usize = 64;

/// Elements without content.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// Reads the template of a component of Vue.
pub(crate) fn template(language: Language, text: &str) -> Option<Template> {
    if language != Language::Vue || !text.contains("<template") {
        return None;
    }
    let blank = |byte: u8| if byte == b'\n' { byte } else { b' ' };
    let mut scan = Scan {
        text,
        at: 0,
        code: text.bytes().map(blank).collect(),
        parts: Vec::new(),
        open: Vec::new(),
        n_scopes: 0,
        tag: 0,
        line: 1,
        line_start: 0,
    };
    scan.markup();
    let code = String::from_utf8(scan.code).ok()?;
    let grammar = languages::grammar(Language::TypeScript)?;
    let tree = parse(grammar, &code, &[])?;
    Some(Template { parts: scan.parts, code: (grammar, tree) })
}

/// What an attribute holds.
enum Attribute {
    Value,
    Handler,
    Names,
    Each,
}

/// What kind of code an attribute holds, if any.
fn attribute_kind(name: &str) -> Option<Attribute> {
    let is_of = |directive: &str| {
        name.strip_prefix(directive).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '.']))
    };
    match name.as_bytes().first()? {
        b'@' => Some(Attribute::Handler),
        b'#' => Some(Attribute::Names),
        b':' | b'.' => Some(Attribute::Value),
        _ if name.starts_with("v-on:") => Some(Attribute::Handler),
        _ if is_of("v-slot") => Some(Attribute::Names),
        _ if name == "v-for" => Some(Attribute::Each),
        _ if name.starts_with("v-") => Some(Attribute::Value),
        _ => None,
    }
}

/// An element whose end was not read yet.
struct Element<'t> {
    name: &'t str,
    is_scope: bool,
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    /// The text for the parser.
    code: Vec<u8>,
    parts: Vec<Part>,
    open: Vec<Element<'t>>,
    n_scopes: usize,
    /// The component that was read last, its line, and where that line begins.
    tag: usize,
    line: u32,
    line_start: usize,
}

impl<'t> Scan<'t> {
    fn markup(&mut self) {
        while let Some(found) = self.text[self.at..].find(['<', '{']) {
            self.at += found;
            let rest = &self.text[self.at..];
            let next = rest.as_bytes().get(1).copied().unwrap_or_default();
            if let Some(comment) = rest.strip_prefix("<!--") {
                let Some(end) = comment.find("-->") else { return };
                self.at += end + 7;
            } else if rest.starts_with("</") {
                self.end_tag();
            } else if rest.starts_with('<') && next.is_ascii_alphabetic() {
                self.element();
            } else if rest.starts_with("{{") && !self.open.is_empty() {
                let Some(end) = rest.find("}}") else { return };
                self.value(self.at + 2..self.at + end, Part::Value);
                self.at += end + 2;
            } else {
                self.at += 1;
            }
        }
    }

    fn end_tag(&mut self) {
        let name = tag_name(&self.text[self.at + 2..]);
        let is_it = |element: &Element<'_>| element.name == name;
        let first = self.open.len().saturating_sub(MAX_UNCLOSED);
        if let Some(found) = self.open[first..].iter().rposition(is_it) {
            for element in self.open.drain(first + found..) {
                if element.is_scope {
                    self.parts.push(Part::Close);
                    self.n_scopes -= 1;
                }
            }
        }
        self.at += 2 + name.len();
    }

    fn element(&mut self) {
        let tag = self.at;
        let name = tag_name(&self.text[tag + 1..]);
        let is_template = name == "template";
        if self.open.is_empty() {
            let end = end_of_tag(self.text, tag);
            let is_read = is_template
                && super::attribute(&self.text[tag..end], "lang").is_none_or(|lang| lang == "html");
            self.at = if is_read {
                end
            } else {
                find_ignoring_case(self.text, end, &format!("</{name}")).unwrap_or(self.text.len())
            };
            if is_read {
                self.open.push(Element { name, is_scope: false });
            }
            return;
        }
        self.component(tag + 1, name);
        self.at = tag + 1 + name.len();
        let (attributes, is_closed) = self.attributes();
        let declares = |(kind, _): &(Attribute, _)| matches!(kind, Attribute::Names | Attribute::Each);
        let (declaring, others): (Vec<_>, Vec<_>) = attributes.into_iter().partition(declares);
        let is_scope = !declaring.is_empty() && self.n_scopes < MAX_SCOPES;
        if is_scope {
            self.parts.push(Part::Open);
        }
        for (kind, value) in declaring.into_iter().chain(others) {
            match kind {
                Attribute::Value => self.value(value, Part::Value),
                Attribute::Handler => self.handler(value),
                Attribute::Names if is_scope => self.value(value, Part::Names),
                Attribute::Each if is_scope => self.each(value),
                Attribute::Names | Attribute::Each => {}
            }
        }
        if !is_closed && !VOID.contains(&name) {
            self.n_scopes += usize::from(is_scope);
            self.open.push(Element { name, is_scope });
        } else if is_scope {
            self.parts.push(Part::Close);
        }
    }

    /// The attributes of a tag that hold code, and whether the tag ends its element.
    fn attributes(&mut self) -> (Vec<(Attribute, Range<usize>)>, bool) {
        let bytes = self.text.as_bytes();
        let mut found = Vec::new();
        let mut is_closed = false;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'>' => {
                    self.at += 1;
                    break;
                }
                b'<' => break,
                b'/' => is_closed = true,
                byte if byte.is_ascii_whitespace() => {}
                _ => {
                    is_closed = false;
                    let (name, value) = self.attribute();
                    let name = &self.text[name];
                    found.extend(attribute_kind(name).zip(value));
                    continue;
                }
            }
            self.at += 1;
        }
        (found, is_closed)
    }

    /// An attribute: its name, and where its value is. The value of `:name` is `name`.
    fn attribute(&mut self) -> (Range<usize>, Option<Range<usize>>) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let is_part = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'>' | b'/');
        self.at += 1 + bytes[start + 1..].iter().take_while(|byte| is_part(byte)).count();
        let name = start..self.at;
        let blanks = bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if bytes.get(self.at + blanks) != Some(&b'=') {
            let is_same = bytes[start] == b':' && self.text[start + 1..self.at].chars().all(is_identifier);
            return (name, is_same.then_some(start + 1..self.at));
        }
        self.at += blanks + 1;
        self.at += bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = self.at;
        match bytes.get(start) {
            Some(&quote @ (b'"' | b'\'')) => {
                let rest = &bytes[start + 1..];
                let end = start + 1 + rest.iter().position(|&byte| byte == quote).unwrap_or(rest.len());
                self.at = (end + 1).min(bytes.len());
                (name, Some(start + 1..end))
            }
            _ => {
                let is_part = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b'>';
                self.at += bytes[start..].iter().take_while(|byte| is_part(byte)).count();
                (name, Some(start..self.at))
            }
        }
    }

    /// A component is written with a capital, or with hyphens.
    fn component(&mut self, start: usize, tag: &str) {
        if !tag.starts_with(|c: char| c.is_ascii_uppercase()) && !tag.contains('-') {
            return;
        }
        let name: String = tag.split('.').next().unwrap_or(tag).split('-').map(capitalized).collect();
        for (at, _) in self.text[self.tag..start].match_indices('\n') {
            self.line += 1;
            self.line_start = self.tag + at + 1;
        }
        self.tag = start;
        let column = u32::try_from(start - self.line_start).unwrap_or(u32::MAX);
        self.parts.push(Part::Component { name, line: self.line, column });
    }

    fn value(&mut self, value: Range<usize>, part: fn(usize) -> Part) {
        if let Some(start) = self.statement(value, b"()") {
            self.parts.push(part(start));
        }
    }

    fn handler(&mut self, value: Range<usize>) {
        if let Some(start) = self.statement(value, b"{}") {
            self.parts.push(Part::Handler(start));
        }
    }

    /// `row in rows`, `(row, index) of rows`: for the parser, `(row)(rows)`.
    fn each(&mut self, value: Range<usize>) {
        let text = &self.text[value.clone()];
        let word = text.split_ascii_whitespace().skip(1).find(|word| matches!(*word, "in" | "of"));
        let Some(word) = word else { return };
        let at = value.start + (word.as_ptr() as usize - text.as_ptr() as usize);
        if let Some(start) = self.statement(value, b"()") {
            self.code[at..at + word.len()].copy_from_slice(b")(");
            self.parts.push(Part::Each(start));
        }
    }

    /// Makes a value a statement of the text for the parser, in brackets if it is in quotes or braces. Gives where the
    /// statement begins.
    fn statement(&mut self, value: Range<usize>, brackets: &[u8; 2]) -> Option<usize> {
        if self.text[value.clone()].trim().is_empty() || value.start < 2 {
            return None;
        }
        let bytes = self.text.as_bytes();
        let before = bytes[value.start - 1];
        // Lines must stay as they are.
        if bytes[value.start - 2] == b'\n' || value.end >= bytes.len() {
            return None;
        }
        self.code[value.clone()].copy_from_slice(&bytes[value.clone()]);
        // `:name`, `@click=save`
        if matches!(before, b':' | b'=') {
            self.code[value.start - 1] = b';';
            return Some(value.start);
        }
        self.code[value.start - 2] = b';';
        self.code[value.start - 1] = brackets[0];
        self.code[value.end] = brackets[1];
        Some(value.start - 1)
    }
}

fn tag_name(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/' | '<'));
    &text[..end.unwrap_or(text.len())]
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

fn capitalized(part: &str) -> String {
    let mut letters = part.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
