//! Names in text: identifiers, qualified names, the words inside of a name.

use craig_text::{compact, is_identifier_char, is_prefix_of_other, is_unspaced, prose_words, runs};

/// The identifiers of a text that may be names, and where they begin: numbers are none.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    craig_text::identifiers(text)
        .filter(|word| word.text.starts_with(is_first))
        .map(|word| (word.start, word.text))
}

/// The same in prose, where names stand between words of a language that is written without spaces: `调用fetchUser方法`.
pub(crate) fn identifiers_in_prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    runs(text).filter(|word| word.text.starts_with(is_first)).map(|word| (word.start, word.text))
}

fn is_first(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

/// A name with what it belongs to: `client` and `request` of `client.request(options)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// What stands directly before the name; empty when nothing does.
    pub(crate) owner: String,
    pub(crate) name: String,
}

/// Words that may stand before the name that a heading is about.
const BEFORE_NAMES: &[&str] = &[
    "new",
    "class",
    "interface",
    "type",
    "function",
    "method",
    "event",
    "static",
    "get",
    "set",
    "async",
    "await",
    "enum",
    "hook",
    "namespace",
    "const",
    "let",
    "var",
    "export",
    "default",
    "import",
    "option",
    "options",
    "property",
    "abstract",
    "public",
    "constructor",
    "fn",
    "def",
    "func",
    "struct",
    "trait",
    "variable",
    "component",
    "module",
];

/// Names of files that say nothing of what is in them.
pub(crate) const COMMON_FILES: &[&str] = &[
    "index", "main", "mod", "lib", "README", "__init__", "init", "types", "utils", "util", "core", "base",
    "common", "helpers",
];

/// The name that `text` begins with, after words such as `new` and `class`, and how much of the text is read then.
pub(crate) fn leading_name(text: &str) -> Option<(Named, usize)> {
    let mut at = text.len() - text.trim_start().len();
    loop {
        let rest = &text[at..];
        let word = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let after = rest[word..].trim_start_matches(':');
        let is_marker = word > 0 && BEFORE_NAMES.contains(&rest[..word].to_ascii_lowercase().as_str());
        if !is_marker || !after.starts_with(' ') {
            break;
        }
        let next = after.trim_start();
        if !next.starts_with(|c: char| is_first(c) || c == '@' || c == '#') {
            break;
        }
        at = text.len() - next.len();
    }
    let start = at + text[at..].len() - text[at..].trim_start_matches(['@', '#', '.']).len();
    let mut parts: Vec<&str> = Vec::new();
    let mut end = start;
    loop {
        let rest = &text[end..];
        // Of `fetchUser方法`, where no spaces are written, the name is what is of its script.
        let run = runs(rest).next().filter(|run| run.start == 0);
        let length = run.map_or(0, |run| run.text.len());
        if length == 0 || !rest.starts_with(is_first) {
            break;
        }
        parts.push(&rest[..length]);
        end += length;
        let joint = ["::", "?.", ".", "#"]
            .into_iter()
            .find(|joint| text[end..].strip_prefix(joint).is_some_and(|next| next.starts_with(is_first)));
        match joint {
            Some(joint) => end += joint.len(),
            None => break,
        }
    }
    let name = (*parts.last()?).to_owned();
    let owner = parts.iter().rev().skip(1).find(|part| **part != "prototype").copied().unwrap_or_default();
    Some((Named { owner: owner.to_owned(), name }, end))
}

/// The words of a name or of prose in lower case: `parse`, `http`, `response` of `parseHTTPResponse`.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    prose_words(text)
}

/// Whether a name is a word of the language, too: `start`, `Query`.
pub(crate) fn is_plain_word(name: &str) -> bool {
    // Scripts without spaces have no case.
    let is_small = |c: char| c.is_lowercase() || is_unspaced(c);
    name.chars().skip(1).all(is_small) || name.chars().all(char::is_uppercase)
}

/// Whether a place of a text stands between backticks.
pub(crate) fn is_in_span(text: &str, at: usize) -> bool {
    text[..at].matches('`').count() % 2 == 1
}

/// What stands between backticks, in order: every other part of a text that is cut at them.
pub(crate) fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The part of a name that a text ends with; empty when it ends otherwise.
pub(crate) fn trailing_name(text: &str) -> &str {
    let whole = text.rsplit(|c| !is_identifier_char(c)).next().unwrap_or_default();
    let is_unspaced_end = whole.ends_with(is_unspaced);
    let other = whole.char_indices().rfind(|&(_, c)| is_unspaced(c) != is_unspaced_end);
    other.map_or(whole, |(at, c)| &whole[at + c.len_utf8()..])
}

/// Whether two stems are of one word: the same, or one begins with the other: `auth` and "authentication".
pub(crate) fn is_stem_alike(a: &str, b: &str) -> bool {
    a == b || is_prefix_of_other(a, b, 4)
}

/// A name with what it belongs to, as pages count it and questions ask for it: `owner.name`, the owner in lower case.
pub(crate) fn qualified(owner: &str, name: &str) -> String {
    format!("{}.{name}", compact(owner))
}

#[cfg(test)]
mod tests {
    use craig_text::root;

    use super::*;

    #[test]
    fn names_are_found_behind_words_and_before_arguments() {
        let leading = |text: &str| leading_name(text).map(|(named, _)| (named.owner, named.name));
        let pair = |owner: &str, name: &str| Some((owner.to_owned(), name.to_owned()));
        assert_eq!(leading("new Client(url[, options])"), pair("", "Client"));
        assert_eq!(leading("Class: Client"), pair("", "Client"));
        assert_eq!(leading("client.request(options)"), pair("client", "request"));
        assert_eq!(leading("Foo.prototype.bar = 1"), pair("Foo", "bar"));
        assert_eq!(leading("static method: Response.json()"), pair("Response", "json"));
        assert_eq!(leading("event: 'drain'"), pair("", "event"));
        assert_eq!(leading("get"), pair("", "get"));
        assert_eq!(leading("fetchUser方法"), pair("", "fetchUser"));
        assert_eq!(leading("(x)"), None);
    }

    #[test]
    fn a_name_and_a_word_of_a_heading_have_one_stem() {
        let alike = |a: &str, b: &str| is_stem_alike(root(a), root(b));
        for (name, word) in [
            ("retry", "retrying"),
            ("pipe", "piping"),
            ("query", "queries"),
            ("auth", "authentication"),
            ("attach", "attached"),
            ("class", "classes"),
        ] {
            assert!(alike(name, word), "{name} {word}: {} {}", root(name), root(word));
        }
        assert!(!alike("set", "setting") && !alike("use", "user") && !alike("type", "time"));
    }

    #[test]
    fn identifiers_are_found_in_any_text() {
        let found: Vec<_> = identifiers("a.b($c, 1d) é_1").map(|(_, name)| name).collect();
        assert_eq!(found, ["a", "b", "$c", "é_1"]);
    }
}
