//! Rust source without its comments and literals, so that words in them are not taken for code.

use std::path::{Path, PathBuf};

/// Blanks comments and the content of string and character literals; lines stay where they are.
pub(crate) fn code_of(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let hidden = hidden_length(rest, code.chars().next_back());
        if hidden == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.extend(rest[..hidden].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[hidden..];
        }
    }
    code
}

/// Bytes of the comment or literal that `rest` begins with, 0 when it begins with neither.
fn hidden_length(rest: &str, before: Option<char>) -> usize {
    let is_inside_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest.starts_with("/*") {
        block_comment_length(rest)
    } else if let Some(length) = raw_string_length(rest).filter(|_| !is_inside_word) {
        length
    } else if rest.starts_with('"') {
        quoted_length(rest, '"')
    } else if is_character(rest) {
        quoted_length(rest, '\'')
    } else {
        0
    }
}

fn block_comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let step = &rest[at..];
        if step.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if step.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += step.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

fn raw_string_length(rest: &str) -> Option<usize> {
    let after =
        rest.strip_prefix("br").or_else(|| rest.strip_prefix("cr")).or_else(|| rest.strip_prefix('r'))?;
    let n_hashes = after.bytes().take_while(|&byte| byte == b'#').count();
    let body = after[n_hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(n_hashes));
    let start = rest.len() - body.len();
    Some(body.find(&end).map_or(rest.len(), |at| start + at + end.len()))
}

fn quoted_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if !is_escaped && c == quote {
            return at + 1;
        }
        is_escaped = !is_escaped && c == '\\';
    }
    rest.len()
}

/// A character literal, and no lifetime.
fn is_character(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next() == Some('\'') && (chars.next() == Some('\\') || chars.next() == Some('\''))
}

/// The code before the tests that a file ends with.
pub(crate) fn product_code_of(source: &str) -> String {
    let code = code_of(source);
    match code.find("#[cfg(test)]") {
        Some(at) => code[..at].to_owned(),
        None => code,
    }
}

/// Whether `word` stands in `code` with no letter, digit or underscore beside it.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

/// Rust files below a folder.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn words_in_comments_and_literals_are_no_code() {
    let hidden = [
        "// std::fs",
        "/// std::fs",
        "/* a /* std::fs */ std::fs */",
        r#""std::fs""#,
        r#""\" std::fs""#,
        r##"r#"" std::fs"#"##,
        r#"br"std::fs""#,
        "'\"' /* std::fs */",
        r"'\'' // std::fs",
        "fn f<'a>(x: &'a str) {} // std::fs",
    ];
    for source in hidden {
        assert!(!has_word(&code_of(source), "fs"), "{source}: {}", code_of(source));
    }
    for source in
        ["std::fs", "/* */ std::fs", r#""" std::fs"#, "&'a std::fs", r"'\\' std::fs", "b'\"' std::fs"]
    {
        assert!(has_word(&code_of(source), "fs"), "{source}: {}", code_of(source));
    }
    assert!(!has_word("offset::x nofs fs_x", "fs"));
    assert_eq!(product_code_of("use a;\n#[cfg(test)]\nmod tests { use std::fs; }").trim(), "use a;");
}
