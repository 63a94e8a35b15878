//! What a file or a folder is for, in one sentence: of a README, a manifest's description, or the comment at the top of a file.

use craig_source::{FileKind, Language};
use craig_text::path::{file_stem, folder, name};
use toml::Table;

use crate::json;

/// Longest sentence, in characters.
const MOST_CHARS: usize = 160;

/// Fewer characters say nothing.
const LEAST_CHARS: usize = 12;

/// Lines of a file that are looked at.
const MOST_LINES: usize = 120;

/// The sentence of a file; `None` if it has none.
pub(crate) fn about(path: &str, language: Language, text: &str) -> Option<String> {
    if !may_describe(path) {
        return None;
    }
    if is_readme(path) {
        return first_prose(text);
    }
    if let Some(described) = description(path, text) {
        return sentence(&described);
    }
    if language.kind() != FileKind::Code {
        return None;
    }
    let head: Vec<&str> = text.lines().take(MOST_LINES).collect();
    match language {
        Language::Python => docstring(&head).as_deref().and_then(sentence),
        _ => comments(language, &head).iter().find_map(|comment| of_comment(comment, name(path))),
    }
}

/// Whether a file may say what its folder is for: a README, a manifest, the documentation of a package, or a file that is called
/// like its folder. Other files are not read.
pub(crate) fn may_describe(path: &str) -> bool {
    let is_named = matches!(
        name(path),
        "package.json"
            | "composer.json"
            | "Cargo.toml"
            | "pyproject.toml"
            | "package-info.java"
            | "__init__.py"
            | "mod.rs"
            | "lib.rs"
            | "doc.go"
    );
    is_named || path.ends_with(".gemspec") || is_readme(path) || file_stem(path) == name(folder(path))
}

/// Whether a file introduces its folder.
pub(crate) fn is_readme(path: &str) -> bool {
    let lower = name(path).to_lowercase();
    lower == "readme" || lower.starts_with("readme.") && !lower.ends_with(".html")
}

/// What a manifest says about its package.
fn description(path: &str, text: &str) -> Option<String> {
    let of_table = |keys: &[&str]| -> Option<String> {
        let table = text.parse::<Table>().ok()?;
        let mut value = toml::Value::Table(table);
        for key in keys {
            value = value.get(key)?.clone();
        }
        value.as_str().map(str::to_owned)
    };
    match name(path) {
        "package.json" | "composer.json" => json::parse(text)?["description"].as_str().map(str::to_owned),
        "Cargo.toml" => of_table(&["package", "description"]),
        "pyproject.toml" => {
            of_table(&["project", "description"]).or_else(|| of_table(&["tool", "poetry", "description"]))
        }
        file if file.ends_with(".gemspec") => {
            let line = text.lines().find(|line| line.contains(".summary"))?;
            let quoted = line.split_once('=')?.1.trim();
            let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            Some(quoted.trim_matches(quote).to_owned())
        }
        _ => None,
    }
}

/// How lines of a README begin that are headings, badges, lists, tables, quotes or directives.
const NO_PROSE: &[&str] = &["#", "<", "!", "[!", "|", ">", "- ", "* ", "+ ", "=", "..", ":", "---", "***"];

/// The first sentence of the first paragraph that is neither a heading, nor badges, nor code.
fn first_prose(text: &str) -> Option<String> {
    let mut paragraph = String::new();
    let mut is_code = false;
    let mut is_comment = false;
    for line in text.lines().take(MOST_LINES) {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        is_comment |= line.starts_with("<!--");
        let skipped = is_code || is_comment;
        is_comment &= !line.contains("-->");
        let is_rule = line.len() > 2 && line.chars().all(|c| matches!(c, '=' | '-' | '~' | '*' | '^' | '#'));
        if is_rule {
            // What is underlined is a heading.
            paragraph.clear();
        } else if line.is_empty() {
            let text = plain(&paragraph);
            if text.trim().chars().count() >= LEAST_CHARS {
                return sentence(&text);
            }
            paragraph.clear();
        } else if !skipped && !NO_PROSE.iter().any(|start| line.starts_with(start)) {
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    sentence(&plain(&paragraph))
}

/// Markdown without its marks: texts of links, names without quotes.
fn plain(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        found.push_str(rest[..start].trim_end_matches('!'));
        let after = &rest[start + 1..];
        let link = after.split_once(']').filter(|(label, _)| !label.contains('['));
        let Some((label, behind)) = link else {
            rest = after;
            continue;
        };
        found.push_str(label);
        rest = match behind.strip_prefix('(').and_then(|target| target.split_once(')')) {
            Some((_, behind)) => behind,
            None => behind,
        };
    }
    found.push_str(rest);
    if found.contains("{@") {
        found = found.replace("{@link ", "").replace("{@code ", "").replace('}', "");
    }
    found.replace("<p>", " ").replace("**", "").replace("``", "").replace(['`', '\u{feff}'], "")
}

/// The docstring of a module.
fn docstring(head: &[&str]) -> Option<String> {
    let first = head.iter().position(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    })?;
    let line = head[first].trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''"].into_iter().find(|quote| line.starts_with(quote))?;
    let mut text = String::new();
    for line in std::iter::once(&line[quote.len()..]).chain(head[first + 1..].iter().copied()) {
        let (inside, is_end) = match line.split_once(quote) {
            Some((inside, _)) => (inside, true),
            None => (line, false),
        };
        if inside.trim().is_empty() && !text.trim().is_empty() {
            break;
        }
        text.push_str(inside.trim());
        text.push(' ');
        if is_end {
            break;
        }
    }
    Some(text)
}

/// What lines may stand between the comments at the top of a file and its code.
const BEFORE_CODE: &[&str] = &[
    "package ",
    "import ",
    "from ",
    "use ",
    "using ",
    "pub use ",
    "mod ",
    "pub mod ",
    "extern ",
    "export * ",
    "namespace ",
    "module ",
    "require",
    "include",
    "@",
    "#",
    "<?php",
    "<",
    "\"use ",
    "'use ",
    "declare(",
    "local ",
    "*/",
    "}",
    "defmodule ",
];

/// The paragraphs of comments at the top of a file, before and between its imports, without their marks.
fn comments(language: Language, head: &[&str]) -> Vec<String> {
    let marks: &[&str] = match language {
        Language::Ruby | Language::Elixir | Language::Bash => &["#"],
        Language::Haskell | Language::Lua | Language::Sql => &["--"],
        Language::Php => &["//", "#"],
        _ => &["//!", "///", "//"],
    };
    let mut paragraphs = vec![String::new()];
    let mut is_block = false;
    for line in head {
        let line = line.trim();
        let inside = if is_block {
            is_block = !line.contains("*/");
            Some(line.split("*/").next().unwrap_or_default().trim_start_matches('*'))
        } else if let Some(start) = line.strip_prefix("/*") {
            is_block = !start.contains("*/");
            Some(start.split("*/").next().unwrap_or_default().trim_start_matches(['*', '!']))
        } else {
            marks.iter().find_map(|mark| line.strip_prefix(mark))
        };
        // A comment further down is about what is beside it.
        if inside.is_none() && !line.is_empty() && !BEFORE_CODE.iter().any(|start| line.starts_with(start)) {
            break;
        }
        match inside.map(str::trim).filter(|inside| !inside.is_empty() && !inside.starts_with('@')) {
            Some(inside) => {
                if let Some(last) = paragraphs.last_mut() {
                    last.push_str(inside);
                    last.push(' ');
                }
            }
            None => paragraphs.push(String::new()),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// Words of comments that are for lawyers and tools.
const NOT_ABOUT: &[&str] = &[
    "copyright",
    "license",
    "licence",
    "licensed",
    "spdx-",
    "all rights reserved",
    "permission is hereby granted",
    "redistribution and use",
    "without warrant",
    "frozen_string_literal",
    "eslint-",
    "prettier-",
    "@ts-",
    "noinspection",
    "code generated",
    "do not edit",
    "go:build",
    "+build",
    "vim:",
    "-*-",
    "nolint",
    "rubocop",
    "shellcheck",
    "coding:",
    "typed:",
    "author:",
    "http://",
    "https://",
    "todo",
    "fixme",
];

/// The sentence of a comment that says what its file is for; a name of the file in front is left out.
fn of_comment(comment: &str, file: &str) -> Option<String> {
    let lower = comment.to_lowercase();
    let is_heading = comment.trim_start_matches('#').starts_with(' ') && comment.starts_with('#');
    if is_heading || comment.starts_with('!') || NOT_ABOUT.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let comment =
        comment.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '=' | '*' | '/' | '~'));
    let rest = comment.strip_prefix(file).map(|rest| rest.trim_start_matches([' ', '-', ':', '–', '—']));
    sentence(&plain(rest.unwrap_or(comment)))
}

/// The first sentence of a text, on one line; `None` if it is too short or no prose.
pub fn sentence(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_end = |at: usize| {
        let before = &text[..at];
        let is_short =
            ["e.g", "i.e", "etc", "vs", "cf", "approx", "Inc"].iter().any(|end| before.ends_with(end));
        !is_short
            && text[at + 1..].chars().next().is_none_or(char::is_whitespace)
            && !before.ends_with(|c: char| c.is_ascii_digit())
    };
    let end = text.match_indices(['.', '!', '?']).map(|(at, _)| at).find(|&at| is_end(at));
    let first = text[..end.unwrap_or(text.len())].trim_end_matches(':').trim();
    let is_elsewhere = ["See ", "see ", "This README"].iter().any(|start| first.starts_with(start));
    let is_prose = !is_elsewhere
        && !first.contains("<br")
        && first.contains(' ')
        && first.chars().any(char::is_alphabetic)
        && !first.contains(['{', ';']);
    if !is_prose || first.chars().count() < LEAST_CHARS {
        return None;
    }
    if first.chars().count() <= MOST_CHARS {
        return Some(first.to_owned());
    }
    let cut: String = first.chars().take(MOST_CHARS - 1).collect();
    Some(cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole).to_owned() + "…")
}
