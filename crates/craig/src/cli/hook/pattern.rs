//! Names of code in a search pattern.

use craig_engine::distinct;

/// Keywords before a name in its definition.
const KEYWORDS: &[&str] = &[
    "abstract",
    "async",
    "class",
    "const",
    "def",
    "enum",
    "export",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "let",
    "macro",
    "module",
    "new",
    "private",
    "protected",
    "pub",
    "public",
    "static",
    "struct",
    "trait",
    "type",
    "var",
    "void",
];

/// Syntax of regular expressions around a name.
const AROUND: &[&str] = &["\\b", "\\<", "\\>", "\\s+", "\\s*", "\\s", "\\(", "\\)", "^", "$", "(", ")", ":"];

/// Shorter names are more likely parts of words.
const MIN_NAME_BYTES: usize = 3;

/// The names that a regular expression searches for: `verify_token`, `\bCart\b`, `def total\(`, `open|close`.
/// Alternatives that are not names are omitted.
pub(super) fn names(pattern: &str) -> Vec<String> {
    let pattern = pattern.replace("\\|", "|");
    distinct(pattern.split('|').filter_map(name)).collect()
}

/// The name in a glob: `**/*UserService*`, `src/**/Cart.java`.
pub(super) fn names_of_glob(glob: &str) -> Vec<String> {
    let file = glob.rsplit('/').next().unwrap_or_default();
    let stem = file.trim_start_matches('*').split(['.', '*']).next().unwrap_or_default();
    is_name(stem).then(|| stem.to_owned()).into_iter().collect()
}

fn name(alternative: &str) -> Option<String> {
    let plain = AROUND.iter().fold(alternative.to_owned(), |text, around| text.replace(around, " "));
    let words: Vec<&str> = plain.split_whitespace().collect();
    let (name, before) = words.split_last()?;
    (is_name(name) && before.iter().all(|word| KEYWORDS.contains(word))).then(|| (*name).to_owned())
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.len() >= MIN_NAME_BYTES
        && text.chars().all(is_part)
        && !text.starts_with(|c: char| c.is_numeric())
        && !KEYWORDS.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_patterns() {
        for (pattern, expected) in [
            ("verify_token", "verify_token"),
            (r"\bCart\b", "Cart"),
            (r"def\s+total\(", "total"),
            ("^pub fn open(", "open"),
            ("open_file|close_file|open_file", "open_file close_file"),
            (r"open_file\|close_file", "open_file close_file"),
            ("(open_file|close.*)", "open_file"),
            ("class Cart:", "Cart"),
            ("größe", "größe"),
            ("where are tokens checked", ""),
            ("TODO.*token", ""),
            ("foo[0-9]+", ""),
            ("fn", ""),
            ("id", ""),
            ("200", ""),
            ("", ""),
            ("|", ""),
        ] {
            assert_eq!(names(pattern).join(" "), expected, "{pattern}");
        }
    }

    #[test]
    fn names_of_globs() {
        for (glob, expected) in [
            ("**/*UserService*", "UserService"),
            ("src/**/Cart.java", "Cart"),
            ("**/*.py", ""),
            ("**", ""),
            ("src/", ""),
        ] {
            assert_eq!(names_of_glob(glob).join(" "), expected, "{glob}");
        }
    }
}
