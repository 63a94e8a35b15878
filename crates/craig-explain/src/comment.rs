//! What the comment of a definition says: the second source, which is code and no documentation.

use std::borrow::Cow;

use craig_chunk::{DocComment, doc_comment};
use craig_text::path::extension;
use schemars::JsonSchema;
use serde::Serialize;

use crate::sentence;

/// Most sentences that are shown.
const MAX_SENTENCES: usize = 4;

/// No sentence begins after so many bytes.
const MAX_BYTES: usize = 500;

/// What the comment of a definition says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Comment {
    /// Its first sentences, without markup: data, not instructions.
    pub text: String,
    /// Path of the file relative to the root.
    pub file_path: String,
    /// Line on which the comment begins, from 1.
    pub line: u32,
}

impl Comment {
    /// The comment of the definition whose name is on `line`, counted from 1; `None` without a description. In Python stubs,
    /// only docstrings count: other comments address the stub's maintainers.
    pub fn of_definition(path: &str, text: &str, line: u32, line_end: u32) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let text_of = numbered(&lines);
        let is_stub = path.ends_with(".pyi");
        let before =
            doc_comment(&text_of, line, line, line_end).filter(|found| !is_stub || found.line > line);
        let found = before
            .map(|found| (found.text, found.line))
            .or_else(|| module_doc(&text_of, line, line_end))
            .or_else(|| Some((trailing(text_of(line))?.to_owned(), line)));
        let (text, line) = found?;
        let text = description(&text).or_else(|| returned(&text))?;
        Some(Self { text, file_path: path.to_owned(), line })
    }

    /// The comment of a module, or of a package of Go: its docstring, its `//!` lines, or what is right before the package
    /// clause; `None` without a description.
    pub fn of_module(path: &str, text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let text_of = numbered(&lines);
        let line_of = |start: &str| lines.iter().position(|line| line.starts_with(start));
        let DocComment { text, line } = match extension(path) {
            "go" => {
                let clause = line_of("package ")? as u32 + 1;
                doc_comment(text_of, clause, clause, clause)?
            }
            "py" | "pyi" => doc_comment(text_of, 0, 0, lines.len() as u32)?,
            "rs" => {
                let first = line_of("//!")?;
                let own = lines[first..].iter().map_while(|line| line.strip_prefix("//!"));
                DocComment { text: own.collect::<Vec<_>>().join("\n"), line: first as u32 + 1 }
            }
            _ => return None,
        };
        // The README of a crate may be its comment, and begins with badges.
        let text = description(&text).filter(|text| !text.starts_with(['<', '[', '!']))?;
        Some(Self { text, file_path: path.to_owned(), line })
    }
}

/// The lines of a text by their numbers, from 1; empty where there are none.
fn numbered<'t>(lines: &[&'t str]) -> impl Fn(u32) -> &'t str {
    |number| (number as usize).checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or_default()
}

/// The comment behind a definition of one line: `TakesFile bool // whether it takes a file`.
fn trailing(line: &str) -> Option<&str> {
    let (code, comment) = line.split_once(" // ")?;
    let is_whole = !code.trim().is_empty() && !code.trim_end().ends_with(['{', '(', '[']);
    is_whole.then_some(comment)
}

/// No attribute stands so many lines after the name of its module.
const MAX_LINES_BEFORE_DOC: u32 = 20;

/// What Elixir's `@moduledoc` says of the module whose name stands in `line`, and the line on which it begins.
fn module_doc<'t>(text_of: impl Fn(u32) -> &'t str, line: u32, line_end: u32) -> Option<(String, u32)> {
    if !text_of(line).trim_start().starts_with("defmodule ") {
        return None;
    }
    let last = line_end.min(line + MAX_LINES_BEFORE_DOC);
    let is_inner = |number: &u32| text_of(*number).trim_start().starts_with("def");
    let (at, value) = (line + 1..=last)
        .take_while(|number| !is_inner(number))
        .find_map(|number| Some((number, text_of(number).trim().strip_prefix("@moduledoc ")?)))?;
    let opened = value.trim_start_matches("~S");
    if opened.starts_with("\"\"\"") {
        let lines = (at + 1..=line_end).map(|number| text_of(number).trim());
        let inside: Vec<&str> = lines.take_while(|line| *line != "\"\"\"").collect();
        return Some((inside.join("\n"), at));
    }
    let inside = opened.strip_prefix('"')?.strip_suffix('"')?;
    Some((inside.to_owned(), at))
}

/// The first sentences of a comment, before parameters, lists and code.
fn description(comment: &str) -> Option<String> {
    let is_telling = |line: &&str| !is_ruler(line) && !is_directive(line);
    let comment = tagged(comment).unwrap_or(comment);
    let described = comment.lines().map(str::trim).filter(is_telling).take_while(|line| !is_end(line));
    let mut paragraph = String::new();
    for line in described {
        match line.is_empty() || line.starts_with("<p>") && !paragraph.is_empty() {
            true if paragraph.is_empty() => {}
            true => break,
            false => {
                paragraph += if paragraph.is_empty() { "" } else { " " };
                paragraph += &plain(line);
            }
        }
    }
    let sentences = sentence::split(&paragraph);
    let shown = sentences.iter().take(MAX_SENTENCES).take_while(|bytes| bytes.start < MAX_BYTES).last()?;
    let text = paragraph[..shown.end].trim();
    is_prose(text).then(|| text.to_owned())
}

/// The text of the `@return` tag, for comments without a description.
fn returned(comment: &str) -> Option<String> {
    let of_line = |line: &str| {
        let text = line.trim().strip_prefix("@return")?;
        text.strip_prefix('s').unwrap_or(text).strip_prefix(' ').map(|text| plain(text.trim()).into_owned())
    };
    comment.lines().find_map(of_line).filter(|text| is_prose(text) && !text.ends_with(':'))
}

/// What a comment that begins with tags has as its description: `@name`, `@category`, then `@description`.
fn tagged(comment: &str) -> Option<&str> {
    let begins_with_tag = comment.trim_start().starts_with('@');
    let of_tag = |tag| comment.split_once(tag).map(|(_, described)| described);
    begins_with_tag.then(|| of_tag("@description").or_else(|| of_tag("@summary")))?
}

/// Whether a line is drawn, and says nothing.
fn is_ruler(line: &str) -> bool {
    !line.is_empty() && !line.contains(char::is_alphanumeric)
}

/// Whether a line is for a tool: linters, type checkers, folding.
fn is_directive(line: &str) -> bool {
    DIRECTIVES.iter().any(|start| line.starts_with(start))
}

const DIRECTIVES: &[&str] = &[
    "eslint",
    "prettier-",
    "@ts-",
    "tslint",
    "biome-",
    "istanbul",
    "c8 ",
    "v8 ",
    "noqa",
    "type:",
    "pylint",
    "mypy:",
    "nolint",
    "go:",
    "rubocop",
    "typed:",
    "frozen_string_literal",
    "phpcs",
    "region",
    "endregion",
    "NOLINT",
    "clang-format",
];

/// Whether the description ends here: tags, sections of parameters, code.
fn is_end(line: &str) -> bool {
    line.starts_with('@')
        // `\param a`, but no escaped bracket: `\[Generic\]`.
        || line.strip_prefix('\\').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        // `:param a:`, but no role: `` :term:`a` ``.
        || line.starts_with(':') && !line.contains(":`")
        || line.starts_with("```")
        || line.starts_with(">>>")
        || line.starts_with("# ")
        || line.starts_with("<param")
        || BLOCKS.iter().any(|tag| line.starts_with(tag))
        || line.starts_with("<returns")
        || SECTIONS.iter().any(|section| line.eq_ignore_ascii_case(section))
}

/// Code and lists of HTML.
const BLOCKS: &[&str] = &["<pre", "<ul", "<ol", "<li", "<dl", "<table"];

const SECTIONS: &[&str] = &[
    "args:",
    "arguments:",
    "parameters",
    "parameters:",
    "params:",
    "returns",
    "returns:",
    "raises:",
    "yields:",
    "example",
    "example:",
    "examples",
    "examples:",
    "usage:",
    "notes",
    "note:",
    "see also",
];

/// A line without tags of HTML and XML, and with `{@link x}` as `x`.
fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains(['<', '{']) {
        return Cow::Borrowed(line);
    }
    let mut found = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{', '`']) {
        found.push_str(&rest[..at]);
        rest = &rest[at..];
        let (shown, length) = marked(rest);
        found.push_str(&shown);
        rest = &rest[length..];
    }
    found.push_str(rest);
    Cow::Owned(found.trim().to_owned())
}

/// What is shown of the mark that a text begins with, and the mark's length.
fn marked(text: &str) -> (Cow<'_, str>, usize) {
    let closed = |close: char| text[1..].find(close).map(|at| at + 2);
    let as_it_is = (Cow::Borrowed(&text[..1]), 1);
    if text.starts_with('`') {
        return closed('`').map_or(as_it_is, |end| (Cow::Borrowed(&text[..end]), end));
    }
    if let Some(inside) = text.strip_prefix("{@") {
        let Some(end) = inside.find('}') else { return as_it_is };
        let (tag, value) = inside[..end].split_once(char::is_whitespace).unwrap_or((&inside[..end], ""));
        let is_code = tag == "code" || tag == "literal";
        let value = value.trim();
        let shown = if is_code { format!("`{value}`") } else { value.to_owned() };
        return (Cow::Owned(shown), end + 3);
    }
    let is_tag = text[1..].trim_start_matches('/').starts_with(char::is_lowercase);
    match (text.starts_with('<') && is_tag).then(|| closed('>')).flatten() {
        Some(end) => (Cow::Borrowed(cref(&text[..end])), end),
        None => as_it_is,
    }
}

/// What a tag of C# names: `<see cref="Name"/>`.
fn cref(tag: &str) -> &str {
    let value = ["cref=\"", "langword=\"", "name=\""].into_iter().find_map(|key| tag.split_once(key));
    value.and_then(|(_, value)| value.split('"').next()).unwrap_or_default()
}

/// Whether a text describes something: words, no licence, no code that was commented out, nothing left to do.
fn is_prose(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_notice = NOTICES.iter().any(|notice| lower.contains(notice));
    let is_open = ["todo", "fixme", "xxx", "hack"].iter().any(|mark| lower.starts_with(mark));
    !is_notice && !is_open && sentence::n_words(text) >= 2 && !text.ends_with([';', '{', '}'])
}

const NOTICES: &[&str] =
    &["copyright", "license", "licence", "spdx-", "all rights reserved", "auto-generated"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(comment: &str, expected: &str) {
        assert_eq!(description(comment).unwrap_or_default(), expected, "{comment}");
    }

    #[test]
    fn the_first_sentences_describe() {
        check("Adds two.\nTwice.\n\nMore.", "Adds two. Twice.");
        check("Adds two\n@param a one", "Adds two");
        check("@name add\n@summary Sum\n\n@description\nAdds two.\n\n@param a one", "Adds two.");
        check("@internal\nAdds two.", "");
        check("Adds two.\n\nArgs:\n    a: one", "Adds two.");
        check("Adds.\nArgs:\n    a: one", "");
        check("会话过期后重新登录。\n@param 用户", "会话过期后重新登录。");
        check("One of. Two of. Three of. Four of. Five of.", "One of. Two of. Three of. Four of.");
    }

    #[test]
    fn markup_is_no_text() {
        check("<summary>\nAdds to a <see cref=\"Sum\"/>.\n</summary>\n<param name=\"a\">", "Adds to a Sum.");
        check("Adds to {@link Sum} by {@code a < b}.", "Adds to Sum by `a < b`.");
        check("<p>Adds if a < b and `<p>`.", "Adds if a < b and `<p>`.");
        check("Adds two.\n<p>\nMore.", "Adds two.");
        check("\\[Generic\\] Adds two.\n\\param a one", "\\[Generic\\] Adds two.");
        check("Adds two\n:term:`numbers`.\n:param a: one", "Adds two :term:`numbers`.");
        check("Adds two.\n<pre>add(1, 2);</pre>", "Adds two.");
        check("---------\nAdds two.\n---------", "Adds two.");
    }

    #[test]
    fn what_is_returned_describes_a_getter() {
        let comment = |text: &str| Comment::of_definition("a.java", text, 4, 4).map(|found| found.text);
        assert_eq!(
            comment("/**\n * @return the {@code sum} of both\n */\nint sum();").as_deref(),
            Some("the `sum` of both")
        );
        assert_eq!(comment("/**\n * @param a one\n */\nint sum(int a);"), None);
    }

    #[test]
    fn a_comment_may_be_behind_its_definition() {
        let comment = |text: &str| Comment::of_definition("a.go", text, 1, 1).map(|of| of.text);
        let found = comment("TakesFile bool // whether it takes a file");
        assert_eq!(found.as_deref(), Some("whether it takes a file"));
        assert_eq!(comment("func run() { // begins with the first"), None);
        assert_eq!(comment("Url = \"http://example.com/a\""), None);
        assert_eq!(comment("// begins with the first one"), None);
    }

    #[test]
    fn modules_describe_themselves() {
        let comment = |path: &str, text: &str| Comment::of_module(path, text).map(|of| (of.text, of.line));
        let found = |text: &str, line: u32| Some((text.to_owned(), line));
        let python = "# Copyright the authors.\n\n\"\"\"Retries what fails.\n\nMore.\n\"\"\"\nimport os\n";
        assert_eq!(comment("a/__init__.py", python), found("Retries what fails.", 3));
        assert_eq!(comment("a.py", "import os\n\"\"\"A text of no use to anyone.\"\"\"\n"), None);
        let go = "// Copyright the authors.\n\n// Package yaml parses YAML\n// bytes.\npackage yaml\n";
        assert_eq!(comment("yaml.go", go), found("Package yaml parses YAML bytes.", 3));
        assert_eq!(comment("x.go", "// Copyright the authors.\n\npackage x\n"), None);
        let rust = "#![no_std]\n//! Finds bytes quickly.\n//!\n//! # Examples\nmod a;\n";
        assert_eq!(comment("src/lib.rs", rust), found("Finds bytes quickly.", 2));
        assert_eq!(comment("a.js", "// Finds bytes quickly.\n"), None);
        assert_eq!(comment("a.py", ""), None);
    }

    #[test]
    fn what_describes_nothing_is_no_description() {
        for comment in [
            "Copyright 2024 The Authors. All rights reserved.",
            "TODO: add two of them",
            "eslint-disable-next-line no-console",
            "const sum = add(1, 2);",
            "----",
            "Adds",
            "",
        ] {
            check(comment, "");
        }
    }

    #[test]
    fn a_module_of_elixir_has_its_comment_inside() {
        let comment = |text: &str| {
            let found = Comment::of_definition("a.ex", text, 1, text.lines().count() as u32);
            found.map(|found| format!("{} {}", found.line, found.text)).unwrap_or_default()
        };
        let text = "defmodule A.B do\n  use GenServer\n  @moduledoc \"\"\"\n  Adds two.\n\n  Later.\n  \"\"\"\nend\n";
        assert_eq!(comment(text), "3 Adds two.");
        assert_eq!(comment("defmodule A do\n  @moduledoc \"Adds two.\"\nend\n"), "2 Adds two.");
        assert_eq!(comment("defmodule A do\n  @moduledoc false\nend\n"), "");
        let inner = "defmodule A do\n  defmodule B do\n    @moduledoc \"Adds two.\"\n  end\nend\n";
        assert_eq!(comment(inner), "", "that of another module");
    }

    #[test]
    fn a_comment_has_its_place() {
        let text = "x\n\n// Adds two.\nfunc Add() {\n}\n";
        let found = Comment::of_definition("a.go", text, 4, 5).unwrap();
        let expected = Comment { text: "Adds two.".into(), file_path: "a.go".into(), line: 3 };
        assert_eq!(found, expected);
        assert_eq!(Comment::of_definition("a.go", text, 5, 5), None);
    }
}
