//! Finds the comment that documents a definition, by lines: the same few habits hold in nearly all languages.

use std::ops::Range;

use craig_source::{CommentSyntax, Language};

/// Whether comments of `language` follow the habits that are known here.
pub(crate) fn is_understood(language: Language) -> bool {
    use Language::{
        Bash, C, CSharp, Cpp, Elixir, Go, Haskell, Java, JavaScript, Kotlin, Lua, Php, Python, Ruby, Rust,
        Scala, Swift, Tsx, TypeScript, Zig,
    };
    matches!(
        language,
        Bash | C
            | CSharp
            | Cpp
            | Elixir
            | Go
            | Haskell
            | Java
            | JavaScript
            | Kotlin
            | Lua
            | Php
            | Python
            | Ruby
            | Rust
            | Scala
            | Swift
            | Tsx
            | TypeScript
            | Zig
    )
}

/// A definition's lines without its documentation, and the documentation, markers removed, a line each.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Documented {
    pub(crate) doc: Vec<String>,
    pub(crate) code: String,
}

/// Most lines of attributes and modifiers between a comment and what it documents.
const MAX_PREFIX_LINES: usize = 8;

/// Takes the definition on `lines[at]`, which ends before `end`, apart.
pub(crate) fn documented(language: Language, lines: &[&str], at: usize, end: usize) -> Option<Documented> {
    let style = is_understood(language).then(|| language.comments())?;
    let prefix = prefix_start(language, lines, at);
    let above = comment_above(&style, lines, prefix);
    let mut doc = cleaned(&style, &lines[above]);
    let mut code = lines[prefix..at].join("\n");
    let inner = match language {
        Language::Python => python_docstring(lines, at, end),
        Language::Elixir => {
            elixir_doc(lines, prefix..at).or_else(|| elixir_doc(lines, at + 1..end.min(at + 6)))
        }
        _ => None,
    };
    let hidden = inner.clone().unwrap_or(0..0);
    for (number, line) in lines.iter().enumerate().take(end).skip(at) {
        if !hidden.contains(&number) {
            code.push('\n');
            code.push_str(line);
        }
    }
    if let Some(inner) = inner {
        code = if inner.start < at { lines[at..end].join("\n") } else { code };
        doc = unquoted(&lines[inner]);
    }
    (!doc.is_empty()).then_some(Documented { doc, code })
}

/// First of the lines above `at` that hold attributes, decorators, modifiers or the type in front of a name.
fn prefix_start(language: Language, lines: &[&str], at: usize) -> usize {
    let mut start = at;
    let mut in_heredoc = false;
    while start > 0 && at - start < MAX_PREFIX_LINES + if language == Language::Elixir { 40 } else { 0 } {
        let line = lines[start - 1].trim();
        if language == Language::Elixir && line.ends_with("\"\"\"") {
            in_heredoc = !line.starts_with('@');
        } else if !in_heredoc && !is_prefix(language, line) {
            break;
        }
        start -= 1;
    }
    if in_heredoc { at } else { start }
}

fn is_prefix(language: Language, line: &str) -> bool {
    if line.is_empty() {
        return false;
    }
    match language {
        Language::Rust | Language::Php => line.starts_with("#[") || line.starts_with("@"),
        Language::Elixir => {
            line.starts_with('@') && !line.starts_with("@moduledoc")
                || line.starts_with("when ")
                || line.starts_with('|')
        }
        Language::CSharp => line.starts_with('[') && line.ends_with(']'),
        Language::C | Language::Cpp => {
            let is_type = line.bytes().all(|b| b.is_ascii_alphanumeric() || b"_ *&:<>,".contains(&b));
            line.starts_with("template") || (is_type && !line.starts_with('*') && !line.ends_with(':'))
        }
        Language::Haskell => line.contains(" :: "),
        Language::Bash | Language::Lua | Language::Ruby | Language::Go | Language::Zig => false,
        _ => line.starts_with('@') || line == "export" || line == "public",
    }
}

/// The comment that ends right above line `below`.
fn comment_above(style: &CommentSyntax, lines: &[&str], below: usize) -> Range<usize> {
    let Some(last) = below.checked_sub(1) else { return 0..0 };
    let line = lines[last].trim();
    if let Some((open, close)) = style.block
        && line.ends_with(close)
        && !line.ends_with("#-}")
    {
        let first = (0..=last).rev().take(120).find(|&number| lines[number].trim_start().starts_with(open));
        return first.map_or(0..0, |first| first..below);
    }
    let is_comment = |number: &usize| {
        let line = lines[*number].trim_start();
        style.line.iter().any(|marker| line.starts_with(marker))
            && !line.starts_with("#!")
            && !line.starts_with("#[")
    };
    let first = (0..below).rev().take_while(is_comment).last();
    first.map_or(0..0, |first| first..below)
}

/// The comment at the head of a file, licences passed over, and the line after it.
pub(crate) fn file_header(language: Language, lines: &[&str]) -> Option<(Vec<String>, usize)> {
    let style = is_understood(language).then(|| language.comments())?;
    let mut at = 0;
    for _ in 0..6 {
        while at < lines.len() && is_preamble(lines[at].trim()) {
            at += 1;
        }
        let range = header_comment(language, &style, lines, at);
        if range.is_empty() {
            return None;
        }
        let doc = if is_quoted(lines[range.start]) {
            unquoted(&lines[range.clone()])
        } else {
            cleaned(&style, &lines[range.clone()])
        };
        if !is_licence(&doc) {
            return Some((doc, range.end));
        }
        at = range.end;
    }
    None
}

fn is_preamble(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("#!")
        || line.starts_with("#![")
        || line.starts_with("<?php")
        || line.starts_with("declare(")
        || line.starts_with("# -*-")
        || line.starts_with("{-#")
        || line.starts_with("# frozen_string_literal")
        || line.starts_with("# shellcheck")
        || line.starts_with("'use strict'")
        || line.starts_with("\"use strict\"")
}

fn header_comment(language: Language, style: &CommentSyntax, lines: &[&str], at: usize) -> Range<usize> {
    let Some(line) = lines.get(at).map(|line| line.trim()) else { return at..at };
    if language == Language::Python && is_quoted(line) {
        return quoted_range(lines, at, lines.len()).unwrap_or(at..at);
    }
    if let Some((open, close)) = style.block
        && line.starts_with(open)
    {
        let last = (at..lines.len()).take(200).find(|&number| lines[number].contains(close));
        return last.map_or(at..at, |last| at..last + 1);
    }
    let is_comment = |number: &usize| style.line.iter().any(|m| lines[*number].trim_start().starts_with(m));
    let n_lines = (at..lines.len()).take_while(is_comment).count();
    at..at + n_lines
}

fn is_licence(doc: &[String]) -> bool {
    let text = doc.join(" ").to_lowercase();
    doc.is_empty()
        || [
            "copyright",
            "licen",
            "spdx",
            "all rights reserved",
            "(c) ",
            "redistribution",
            "eslint",
            "jshint",
            "vim:",
        ]
        .iter()
        .any(|mark| text.contains(mark))
}

/// Comment lines without their markers.
fn cleaned(style: &CommentSyntax, lines: &[&str]) -> Vec<String> {
    let without = |line: &&str| {
        let mut line = line.trim();
        if let Some((open, close)) = style.block {
            line = line.strip_prefix(open).unwrap_or(line);
            line = line.strip_suffix(close).unwrap_or(line).trim();
        }
        let line = line
            .trim_start_matches(['/', '*', '#', '!', '-', ' ', '\t', '|'])
            .trim_end_matches(['*', '-', '=']);
        line.trim().to_owned()
    };
    lines.iter().map(without).collect()
}

fn is_quoted(line: &str) -> bool {
    quote(line).is_some()
}

/// The quote that a docstring on this line opens with.
fn quote(line: &str) -> Option<&'static str> {
    let line = line.trim_start().trim_start_matches(['r', 'R', 'u', 'b', 'f']);
    ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| line.starts_with(quote))
}

/// Lines of the string that begins on line `at`.
fn quoted_range(lines: &[&str], at: usize, end: usize) -> Option<Range<usize>> {
    let quote = quote(lines.get(at)?)?;
    let opening = lines[at].find(quote)? + quote.len();
    if lines[at][opening..].contains(quote) {
        return Some(at..at + 1);
    }
    if quote.len() == 1 {
        return None;
    }
    (at + 1..end).find(|&number| lines[number].contains(quote)).map(|last| at..last + 1)
}

/// The docstring under a `def` or `class` whose header starts on line `at`.
fn python_docstring(lines: &[&str], at: usize, end: usize) -> Option<Range<usize>> {
    let header_end = (at..end.min(at + 30)).find(|&number| {
        let line = lines[number].split(" #").next().unwrap_or_default().trim_end();
        line.ends_with(':')
    })?;
    let first = (header_end + 1..end).find(|&number| !lines[number].trim().is_empty())?;
    quoted_range(lines, first, end)
}

/// `@doc "…"`, `@doc """ … """` or `@moduledoc` within `range`.
fn elixir_doc(lines: &[&str], range: Range<usize>) -> Option<Range<usize>> {
    let first = range.clone().find(|&number| {
        let line = lines[number].trim_start();
        line.starts_with("@doc ") || line.starts_with("@moduledoc ") || line.starts_with("@typedoc ")
    })?;
    let line = lines[first];
    if !line.contains('"') {
        return None;
    }
    if !line.trim_end().ends_with("\"\"\"") {
        return Some(first..first + 1);
    }
    (first + 1..lines.len()).find(|&number| lines[number].trim() == "\"\"\"").map(|last| first..last + 1)
}

/// A docstring's lines without its quotes.
fn unquoted(lines: &[&str]) -> Vec<String> {
    let without = |line: &&str| {
        let line = line.trim();
        let line = line
            .strip_prefix("@moduledoc")
            .or_else(|| line.strip_prefix("@doc"))
            .unwrap_or(line)
            .trim_start();
        let line = line.strip_prefix("~S").unwrap_or(line);
        let opened = line.trim_start_matches(['r', 'R', 'u']);
        let line = if opened.starts_with(['"', '\'']) { opened } else { line };
        line.trim_matches(['"', '\'']).trim().to_owned()
    };
    lines.iter().map(without).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(language: Language, text: &str, name: &str, expect: Expect) {
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| line.contains(name)).unwrap();
        let found = documented(language, &lines, at, lines.len()).unwrap();
        expect.assert_eq(&format!("{}\n===\n{}\n", found.doc.join("\n"), found.code.trim()));
    }

    #[test]
    fn comments_above_a_definition_are_taken_off() {
        check(
            Language::Rust,
            "use a;\n\n/// Parses the header.\n///\n/// More.\n#[inline]\npub fn parse() {\n}",
            "fn parse",
            expect![[r#"
                Parses the header.

                More.
                ===
                #[inline]
                pub fn parse() {
                }
            "#]],
        );
        check(
            Language::C,
            "int a;\n/*\n * Grows the table.\n */\nstatic int\ngrow(t *t)\n{\n}",
            "grow(",
            expect![[r#"

                Grows the table.

                ===
                static int
                grow(t *t)
                {
                }
            "#]],
        );
    }

    #[test]
    fn docstrings_inside_a_definition_are_taken_out() {
        check(
            Language::Python,
            "@cached\ndef load(\n    path,\n):\n    \"\"\"Load the settings.\n\n    Twice.\n    \"\"\"\n    return 1",
            "def load",
            expect![[r#"
                Load the settings.

                Twice.

                ===
                @cached
                def load(
                    path,
                ):
                    return 1
            "#]],
        );
        check(
            Language::Elixir,
            "  @doc \"\"\"\n  Sends a message.\n  \"\"\"\n  @spec send(t) :: t\n  def send(x) do\n  end",
            "def send",
            expect![[r#"

                Sends a message.

                ===
                def send(x) do
                  end
            "#]],
        );
        check(
            Language::Elixir,
            "defmodule A do\n  @moduledoc \"Keeps sessions.\"\n  x\nend",
            "defmodule",
            expect![[r#"
                Keeps sessions.
                ===
                defmodule A do
                  x
                end
            "#]],
        );
    }

    #[test]
    fn the_head_of_a_file_is_read_past_its_licence() {
        let text = "#!/bin/sh\n# Copyright 2020 A\n\n# Installs the hooks.\n# Then leaves.\nset -e";
        let lines: Vec<&str> = text.lines().collect();
        let (doc, next) = file_header(Language::Bash, &lines).unwrap();
        assert_eq!((doc.join(" ").as_str(), next), ("Installs the hooks. Then leaves.", 5));
        assert_eq!(file_header(Language::Rust, &["use a;"]), None);
    }
}
