//! What a heading is called: the names that it is about.

use std::borrow::Cow;

use crate::names::{Named, code_spans, leading_name};

/// A name that a heading is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeadingName {
    pub(crate) named: Named,
    /// The heading says nothing else.
    pub(crate) is_all: bool,
    /// The heading says nothing else but what kind of thing it is: `The Client class`.
    pub(crate) is_alone: bool,
    /// Arguments follow: `request(options)`.
    pub(crate) is_call: bool,
}

/// Names that a heading is about, best first: the one that it is, those that it lists, those in its code spans.
pub(crate) fn heading_names(heading: &str) -> Vec<HeadingName> {
    let plain = plain(heading);
    let plain = with_dots(&plain);
    let plain = without_returned(&plain);
    let bare: String = plain.chars().filter(|c| !matches!(c, '`' | '*' | '\\')).collect();
    let bare = without_flags(without_assignment(bare.trim()));
    let mut found = listed_names(plain);
    if found.is_empty() {
        found.extend(lone_name(bare));
    }
    for span in code_spans(plain).map(without_assignment) {
        let Some((named, end)) = leading_name(span) else { continue };
        if !found.iter().any(|known| known.named == named) {
            found.push(name(span, named, end, false));
        }
    }
    for of in found.iter_mut().filter(|of| !of.is_all) {
        of.is_alone = says_only_kind(plain, &of.named);
    }
    found
}

/// A heading with dots for the backslashes of namespaces; those before punctuation are escapes.
fn with_dots(heading: &str) -> Cow<'_, str> {
    if !heading.contains('\\') {
        return Cow::Borrowed(heading);
    }
    let mut found = String::with_capacity(heading.len());
    for (at, part) in heading.replace("\\\\", "\\").split('\\').enumerate() {
        let is_namespace = part.starts_with(char::is_alphabetic);
        let joint = match at {
            0 => "",
            _ if is_namespace && found.ends_with(char::is_alphanumeric) => ".",
            _ if is_namespace => "",
            _ => "\\",
        };
        found.push_str(joint);
        found.push_str(part);
    }
    Cow::Owned(found)
}

/// Whether a heading has no words but those of a name, its owner, and the kind of thing that it is.
fn says_only_kind(heading: &str, named: &Named) -> bool {
    let mut words = heading.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.all(|word| word == named.name || named.owner.contains(word) || is_kind(word))
}

/// Whether a word says what kind of thing a name is, or is an article: "the", "class", "enum".
pub(crate) fn is_kind(word: &str) -> bool {
    [ARTICLES, KINDS, TYPES].iter().any(|kinds| kinds.iter().any(|kind| word.eq_ignore_ascii_case(kind)))
}

/// What a name in code is called.
const KINDS: &[&str] = &[
    "method",
    "methods",
    "function",
    "functions",
    "property",
    "properties",
    "option",
    "options",
    "class",
    "object",
    "event",
    "hook",
    "helper",
    "helpers",
    "middleware",
    "decorator",
    "component",
    "interface",
    "type",
    "constructor",
    "callback",
    "handler",
    "api",
    "command",
    "macro",
    "attribute",
    "instance",
    "module",
    "plugin",
    "filter",
    "factory",
    "getter",
    "setter",
    "utility",
];

const ARTICLES: &[&str] = &["the", "a", "an"];

/// Kinds of types, as headings call them.
const TYPES: &[&str] =
    &["struct", "trait", "enum", "enumeration", "protocol", "record", "type", "alias", "variable"];

/// A heading without the type that it says is returned: `parse(text)` of `parse(text) ⇒ Unit`.
fn without_returned(heading: &str) -> &str {
    heading.find(['⇒', '→']).map_or(heading, |at| heading[..at].trim_end())
}

/// What is assigned, where a heading shows how something is made: `sinon.spy()` of `var spy = sinon.spy()`.
fn without_assignment(heading: &str) -> &str {
    let is_declared = ["var ", "let ", "const "].iter().any(|word| heading.starts_with(word));
    match heading.split_once(" = ") {
        Some((_, value)) if is_declared && value.contains('(') => value.trim_start(),
        _ => heading,
    }
}

/// The name that a text is, when it says nothing else.
fn lone_name(text: &str) -> Option<HeadingName> {
    let (named, end) = leading_name(text)?;
    says_no_more(text[end..].trim_start()).then(|| name(text, named, end, true))
}

fn name(text: &str, named: Named, end: usize, is_all: bool) -> HeadingName {
    HeadingName { named, is_all, is_alone: is_all, is_call: text[end..].starts_with('(') }
}

/// The names of a heading that is a list of names as code: `.parse() and .parseAsync()`. None when any part is a word.
fn listed_names(plain: &str) -> Vec<HeadingName> {
    let parts = parts(plain);
    if parts.len() < 2 {
        return Vec::new();
    }
    let named = |part: &&str| {
        let bare: String = part.chars().filter(|c| !matches!(c, '`' | '*' | '\\')).collect();
        let found = lone_name(bare.trim())?;
        let is_member = !found.named.owner.is_empty() || bare.trim_start().starts_with(['.', '#']);
        let is_code = part.contains('`')
            || found.is_call
            || is_member
            || found.named.name.chars().skip(1).any(|c| c.is_uppercase() || c == '_');
        is_code.then_some(found)
    };
    parts.iter().map(named).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// What a heading lists, one by one: cut at commas, slashes and `and` outside of brackets.
fn parts(heading: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (at, c) in heading.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 || at < start {
            continue;
        }
        let joint = [" and ", " or ", ", ", " / ", " & ", "、", "，"]
            .iter()
            .find(|joint| heading[at..].starts_with(**joint));
        if let Some(joint) = joint {
            found.push(&heading[start..at]);
            start = at + joint.len();
        }
    }
    found.push(&heading[start..]);
    found
}

/// Tags that headings are set in, or carry as anchors.
const INLINE_TAGS: &[&str] =
    &["a", "b", "i", "em", "strong", "code", "kbd", "sup", "sub", "span", "br", "img", "small", "tt"];

/// A heading as it is read: without tags, of links their text alone.
pub(crate) fn plain(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading;
    while let Some(at) = rest.find('<') {
        let inside = rest[at + 1..].trim_start_matches('/');
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
        let close = rest[at..].find('>').filter(|_| INLINE_TAGS.contains(&&inside[..end]));
        let after = close.map_or(at + 1, |close| at + close + 1);
        text.push_str(&rest[..if close.is_some() { at } else { after }]);
        rest = &rest[after..];
    }
    text.push_str(rest);
    without_targets(text.trim())
}

/// `[text](target)` becomes `text`.
fn without_targets(text: &str) -> String {
    let mut plain = text.to_owned();
    while let Some(middle) = plain.find("](") {
        let (Some(open), Some(close)) = (plain[..middle].rfind('['), plain[middle..].find(')')) else {
            break;
        };
        plain.replace_range(middle..=middle + close, "");
        plain.replace_range(open..=open, "");
    }
    plain
}

/// A heading without `[-PG +MY]`, `{#id}` and the like at its end.
fn without_flags(heading: &str) -> &str {
    let mut heading = heading;
    for (open, close) in [("[", "]"), ("{", "}")] {
        if let Some(at) = heading.rfind(open).filter(|&at| at > 0 && heading[..at].ends_with(' '))
            && heading.ends_with(close)
        {
            heading = heading[..at].trim_end();
        }
    }
    heading
}

/// Whether what follows a name in a heading belongs to it: arguments, a type, a default.
fn says_no_more(rest: &str) -> bool {
    let end = rest.trim_end_matches([';', ',', ':']).chars().next_back();
    match rest.chars().next() {
        None => true,
        Some('(') => {
            end == Some(')')
                || [") =>", "):", ") :", ") ->"].iter().any(|joint| rest.contains(joint))
                || closes_before_note(rest)
        }
        Some('<') => rest.rfind('>').is_some_and(|at| says_no_more(rest[at + 1..].trim_start())),
        Some(':' | '=' | '?' | '/' | ';') => true,
        Some('[') => end == Some(']'),
        _ => false,
    }
}

/// `(key) [DEPRECATED]`, `(x) <Badge text="NEW" />`, `(x) - ends it`: arguments, then a note in brackets or behind a dash.
fn closes_before_note(rest: &str) -> bool {
    rest.find(')').is_some_and(|at| {
        let note = rest[at + 1..].trim();
        note.starts_with(['[', '<', '(']) && note.ends_with([']', '>', ')'])
            || ["- ", "– ", "— "].iter().any(|dash| note.starts_with(dash))
    })
}
