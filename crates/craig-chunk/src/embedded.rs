//! Vue and Svelte components: their scripts as code, the rest as windows.

use std::ops::Range;

use craig_source::Language;
use tree_sitter::{Point, Range as TreeRange};

use crate::text::windows;
use crate::{ChunkKind, Outline, Parsed, ParsedCode, code, grammar};

/// Cuts a component with the trees of its scripts; offsets are those of the whole file.
pub(crate) fn outline(text: &str, trees: &[ParsedCode]) -> Outline {
    let mut outline = Outline::default();
    let mut at = 0;
    for (script, _) in scripts(text) {
        markup(text, at..script.start, &mut outline);
        at = script.end;
        let is_of_script = |(_, tree): &&ParsedCode| {
            tree.included_ranges().first().is_some_and(|range| range.start_byte == script.start)
        };
        match trees.iter().find(is_of_script) {
            Some((grammar, tree)) => {
                append(&mut outline, code::outline(grammar, text, tree, Some(script)));
            }
            None => outline.chunks.extend(windows(text, script, ChunkKind::Block, None, None)),
        }
    }
    markup(text, at..text.len(), &mut outline);
    outline
}

/// The trees of a component's scripts.
pub(crate) fn trees(text: &str) -> Vec<ParsedCode> {
    let parse = |(script, language): (Range<usize>, Language)| {
        let grammar = grammar::grammar(language)?;
        Some((grammar, code::tree(grammar, text, Some(tree_range(text, &script)))?))
    };
    scripts(text).into_iter().filter_map(parse).collect()
}

fn append(outline: &mut Outline, part: Outline) {
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

/// What stands between `<script …>` and `</script>`, with its language, in order.
fn scripts(text: &str) -> Vec<(Range<usize>, Language)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(tag) = text[at..].find("<script").map(|offset| at + offset) {
        let Some(start) = text[tag..].find('>').map(|offset| tag + offset + 1) else { break };
        let end = text[start..].find("</script").map_or(text.len(), |offset| start + offset);
        let attributes = &text[tag..start];
        let language =
            match ["tsx", "ts"].into_iter().find(|lang| attributes.contains(&format!("lang=\"{lang}\""))) {
                Some("tsx") => Language::Tsx,
                Some(_) => Language::TypeScript,
                None => Language::JavaScript,
            };
        if !text[start..end].trim().is_empty() {
            found.push((start..end, language));
        }
        at = end;
    }
    found
}

fn tree_range(text: &str, range: &Range<usize>) -> TreeRange {
    TreeRange {
        start_byte: range.start,
        end_byte: range.end,
        start_point: point(text, range.start),
        end_point: point(text, range.end),
    }
}

fn point(text: &str, at: usize) -> Point {
    let before = &text.as_bytes()[..at];
    let row = before.iter().filter(|byte| **byte == b'\n').count();
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
    Point { row, column }
}
