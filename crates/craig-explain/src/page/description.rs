//! Whether prose describes a name in code: "use `x` to", "the `x` method", "`x` returns".

use std::ops::Range;

/// What a name in code is called right behind it.
pub(super) const KINDS: &[&str] = &[
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

/// What is done with a name, right before it.
const DEEDS: &[&str] = &[
    "use",
    "using",
    "uses",
    "used",
    "call",
    "calling",
    "calls",
    "called",
    "invoke",
    "invoking",
    "invokes",
    "via",
    "with",
    "through",
    "by",
    "run",
    "running",
    "pass",
    "passing",
    "provides",
    "provide",
    "add",
    "adding",
    "create",
    "creating",
    "set",
    "setting",
    "apply",
    "try",
    "import",
    "exposes",
    "exports",
    "instantiate",
    "extend",
    "extending",
    "subclass",
    "implement",
    "implementing",
    "chain",
];

/// What a name in code does, right behind it, where a sentence begins with it.
const SAYS: &[&str] = &[
    "is",
    "are",
    "returns",
    "return",
    "sets",
    "takes",
    "accepts",
    "can",
    "will",
    "creates",
    "allows",
    "lets",
    "makes",
    "gets",
    "adds",
    "removes",
    "has",
    "does",
    "may",
    "should",
    "must",
    "provides",
    "works",
    "calls",
    "runs",
    "defines",
    "represents",
    "enables",
    "converts",
    "and",
    "also",
];

/// Whether the prose around the code span at `range` says what to do with what it names, or what that is.
pub(super) fn is_described(text: &str, range: &Range<usize>) -> bool {
    let before = line_before(&text[..range.start]);
    let after = words_after(&text[range.end..]);
    let next = after.first().map(String::as_str).unwrap_or_default();
    let last = before.rsplit(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let is_apart = text[..range.start].trim_end_matches(['[', '*', '_', '"']).ends_with([' ', '\n']);
    let last = last.filter(|_| is_apart).map(str::to_lowercase).unwrap_or_default();
    let begins = before.trim_end_matches([' ', '*', '_', '[']);
    let is_beginning = begins.is_empty() || begins.ends_with(['.', ':', '!', '?', '-']);
    let is_after_the = ["the", "a", "an"].contains(&last.as_str());
    KINDS.contains(&next)
        || DEEDS.contains(&last.as_str())
        || SAYS.contains(&next) && (is_beginning || is_after_the)
}

/// What stands before on the same line, or on the line above where the line begins here.
fn line_before(text: &str) -> &str {
    let line = &text[text.rfind('\n').map_or(0, |end| end + 1)..];
    if !line.trim().is_empty() {
        return line.trim_start();
    }
    let above = text[..text.len() - line.len()].trim_end_matches('\n');
    if text.ends_with("\n\n") { "" } else { &text[above.rfind('\n').map_or(0, |end| end + 1)..] }
}

/// The next word, lower case, when only blanks and marks of emphasis come before it.
fn words_after(text: &str) -> Vec<String> {
    let rest = text.trim_start_matches(['*', '_', ']']);
    let rest = if rest.starts_with('(') { rest.find(')').map_or("", |end| &rest[end + 1..]) } else { rest };
    let word = rest.trim_start();
    let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
    if end == 0 || rest.len() == word.len() { Vec::new() } else { vec![word[..end].to_lowercase()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_describe_their_subject() {
        let has_description = |text: &str| {
            let start = text.find('`').unwrap();
            let end = start + 1 + text[start + 1..].find('`').unwrap() + 1;
            is_described(text, &(start..end))
        };
        for text in [
            "Use `a.b()` to sort.",
            "The `b` method sorts.",
            "So. `b` returns one.",
            "This is done\nby calling\n`b`.",
            "See [`b`](x.md) function.",
            "- `b` is a list",
        ] {
            assert!(has_description(text), "{text}");
        }
        for text in ["It equals `b`.", "Unlike `b`, it waits.", "the value of `b`:\n"] {
            assert!(!has_description(text), "{text}");
        }
    }
}
