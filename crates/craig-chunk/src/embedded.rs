//! Files that have code of other languages in them: components and pages with scripts.

pub(crate) mod template;

use std::ops::Range;

use craig_source::Language;
use tree_sitter::{Point, Range as TreeRange};

use crate::kind::ChunkKind;
use crate::outline::{Outline, Parsed};
use crate::parse::ParsedCode;
use crate::text::windows;
use crate::{code, languages, sql};

/// Code of one language in a file.
pub(crate) struct Code {
    pub(crate) bytes: Range<usize>,
    pub(crate) language: Language,
}

/// The scripts of a component or page, in order; `None` for other files and for pages without scripts.
pub(crate) fn scripts_of(language: Language, text: &str) -> Option<Vec<Code>> {
    match language {
        _ if language.is_component() => Some(scripts(language, text)),
        _ if is_page(language) => Some(scripts(language, text)).filter(|scripts| !scripts.is_empty()),
        _ => None,
    }
}

/// Whether a language is that of pages, or of templates for them.
fn is_page(language: Language) -> bool {
    use Language::{Ejs, Erb, Handlebars, Html, Jinja, Liquid, Razor, Twig};
    matches!(language, Html | Ejs | Erb | Handlebars | Jinja | Liquid | Razor | Twig)
}

/// The language that the scripts in a file have, or that the file has.
pub(crate) fn language_of_scripts(language: Language, text: &str) -> Language {
    match language {
        _ if language.is_component() => Language::TypeScript,
        _ if is_page(language) && scripts_of(language, text).is_some() => Language::JavaScript,
        _ => language,
    }
}

/// Cuts a component or page with the trees of its scripts; offsets are those of the whole file.
pub(crate) fn outline(text: &str, scripts: Vec<Code>, trees: &[ParsedCode]) -> Outline {
    let mut outline = Outline::default();
    let mut at = 0;
    for script in scripts {
        let start = script.bytes.start;
        let before = at..start;
        at = script.bytes.end;
        let mut part = part(text, script, trees);
        match part.chunks.first_mut().filter(|_| is_fence(&text[before.clone()])) {
            Some(first) => first.bytes.start = before.start,
            None => markup(text, before, &mut outline),
        }
        append(&mut outline, part);
    }
    match outline.chunks.last_mut().filter(|_| is_fence(&text[at..])) {
        Some(last) => last.bytes.end = text.len(),
        None => markup(text, at..text.len(), &mut outline),
    }
    outline
}

/// Whether markup is no more than what begins and ends scripts.
fn is_fence(markup: &str) -> bool {
    let first_word =
        |line: &'_ str| line.trim().split(['>', ' ']).next().unwrap_or_default().to_ascii_lowercase();
    markup.lines().all(|line| matches!(first_word(line).as_str(), "" | "---" | "<script" | "</script"))
}

/// Cuts code by its tree, if it has one.
pub(crate) fn part(text: &str, code: Code, trees: &[ParsedCode]) -> Outline {
    let is_of_code = |(_, tree): &&ParsedCode| {
        tree.included_ranges().first().is_some_and(|range| range.start_byte == code.bytes.start)
    };
    match trees.iter().find(is_of_code) {
        Some((grammar, tree)) => code::outline(grammar, text, tree, Some(code.bytes)),
        None if code.language == Language::Sql => sql::outline(text, code.bytes),
        None => {
            let chunks = windows(text, code.bytes, ChunkKind::Block, None, None);
            Outline { chunks, ..Outline::default() }
        }
    }
}

/// The trees of the code in a file.
pub(crate) fn trees(text: &str, code: &[Code]) -> Vec<ParsedCode> {
    let mut points = Points { text, at: 0, row: 0 };
    let parse = |code: &Code| {
        let range = points.range(&code.bytes);
        let grammar = languages::grammar(code.language)?;
        code::tree(grammar, text, Some(range))
    };
    code.iter().filter_map(parse).collect()
}

pub(crate) fn append(outline: &mut Outline, part: Outline) {
    outline.chunks.extend(part.chunks);
    outline.symbols.extend(part.symbols);
    outline.imports.extend(part.imports);
    if part.parsed == Parsed::Partly {
        outline.parsed = Parsed::Partly;
    }
}

/// Windows of markup, cut where a top-level tag starts.
fn markup(text: &str, range: Range<usize>, outline: &mut Outline) {
    let mut start = range.start;
    for tag in ["\n<template", "\n<style"] {
        if let Some(found) = text[start..range.end].find(tag) {
            let cut = start + found + 1;
            if text[start..cut].trim().len() > 160 {
                outline.chunks.extend(windows(text, start..cut, ChunkKind::Block, None, None));
                start = cut;
            }
        }
    }
    outline.chunks.extend(windows(text, start..range.end, ChunkKind::Block, None, None));
}

/// The front matter of an Astro component, and what is between `<script …>` and `</script>`, in order.
fn scripts(language: Language, text: &str) -> Vec<Code> {
    let mut found = Vec::new();
    let mut at = 0;
    if let Some(bytes) = front_matter(text).filter(|_| language == Language::Astro) {
        at = bytes.end;
        found.push(Code { bytes, language: Language::TypeScript });
    }
    let default = if language == Language::Astro { Language::TypeScript } else { Language::JavaScript };
    while let Some(tag) = next_script(text, at) {
        let start = end_of_tag(text, tag);
        let end = find_ignoring_case(text, start, "</script").unwrap_or(text.len());
        let of_script = language_of_script(&text[tag..start], default);
        if let Some(language) = of_script.filter(|_| !text[start..end].trim().is_empty()) {
            found.push(Code { bytes: start..end, language });
        }
        at = end;
    }
    found
}

/// What is between the lines with `---` that a component begins with.
fn front_matter(text: &str) -> Option<Range<usize>> {
    let fence = text.len() - text.trim_start().len();
    let start = fence + text[fence..].strip_prefix("---")?.find('\n')? + 4;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(start..at).filter(|range| !text[range.clone()].trim().is_empty());
        }
        at += line.len();
    }
    None
}

/// The next `<script`, not in a comment.
fn next_script(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            at += comment.find("-->").map_or(rest.len(), |end| end + 4);
        } else if is_tag(rest, "<script") {
            return Some(at);
        } else {
            at += 1;
        }
    }
}

fn is_tag(text: &str, tag: &str) -> bool {
    let is_named = text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    is_named && text[tag.len()..].starts_with([' ', '\t', '\n', '\r', '>', '/'])
}

/// Behind the `>` that ends a tag, not one in quotes: attributes of Vue hold types.
fn end_of_tag(text: &str, tag: usize) -> usize {
    let mut quote = None;
    for (at, byte) in text[tag..].bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return tag + at + 1,
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    text[tag..].find('>').map_or(text.len(), |end| tag + end + 1)
}

fn find_ignoring_case(text: &str, from: usize, wanted: &str) -> Option<usize> {
    let mut at = from;
    loop {
        at += text[at..].find('<')?;
        if text[at..].get(..wanted.len()).is_some_and(|found| found.eq_ignore_ascii_case(wanted)) {
            return Some(at);
        }
        at += 1;
    }
}

/// The language of a script by its tag; `None` for data and templates.
fn language_of_script(tag: &str, default: Language) -> Option<Language> {
    let lang = attribute(tag, "lang").unwrap_or_default();
    let mime = attribute(tag, "type").unwrap_or_default();
    let id = if lang.is_empty() { mime.rsplit('/').next().unwrap_or_default() } else { lang };
    match id.trim().to_ascii_lowercase().trim_start_matches("x-") {
        "" | "module" => Some(default),
        "javascript" | "ecmascript" | "babel" | "jsx" | "js" | "es6" => Some(Language::JavaScript),
        "json" | "ld+json" | "importmap" | "html" | "template" | "markdown" => None,
        other => Language::from_id(other).filter(|_| !lang.is_empty() || other == "typescript"),
    }
}

/// The value of an attribute, in quotes or without.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let starts = tag.match_indices(name).map(|(at, _)| at);
    starts.filter(|at| tag[..*at].ends_with([' ', '\t', '\n', '\r'])).find_map(|at| {
        let value = tag[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split(quote).next(),
            _ => value.split([' ', '\t', '\n', '\r', '>']).next(),
        }
    })
}

/// Rows and columns of offsets that only grow.
struct Points<'t> {
    text: &'t str,
    at: usize,
    row: usize,
}

impl Points<'_> {
    fn range(&mut self, bytes: &Range<usize>) -> TreeRange {
        let (start_point, end_point) = (self.point(bytes.start), self.point(bytes.end));
        TreeRange { start_byte: bytes.start, end_byte: bytes.end, start_point, end_point }
    }

    fn point(&mut self, to: usize) -> Point {
        let bytes = self.text.as_bytes();
        self.row += bytes[self.at..to].iter().filter(|byte| **byte == b'\n').count();
        self.at = to;
        let column = bytes[..to].iter().rev().take_while(|byte| **byte != b'\n').count();
        Point { row: self.row, column }
    }
}
