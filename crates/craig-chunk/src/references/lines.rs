//! Imports that are read line by line: those of languages without a grammar, and of the C preprocessor.

use crate::reference::{Reference, ReferenceKind};
use craig_source::Language;

/// Whether lines alone have all imports, so that no tree is needed.
pub(super) fn are_enough(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp | Language::Cuda)
}

/// Imports that are lines of their own.
pub(super) fn imports(language: Language, text: &str) -> Vec<Reference> {
    let read: fn(&str) -> Option<(ReferenceKind, &str)> = match language {
        Language::Proto => proto,
        Language::Groovy => groovy,
        Language::Scss | Language::Less => style,
        Language::C | Language::Cpp | Language::Cuda | Language::ObjectiveC => included,
        Language::Gleam | Language::Elm | Language::PureScript => plain,
        _ => return Vec::new(),
    };
    let mut is_comment = false;
    let found = text.lines().zip(1..).filter_map(|(line, number)| {
        let was_comment = is_comment;
        is_comment = stays_comment(line, is_comment);
        let (kind, target) = read(line.trim()).filter(|_| !was_comment)?;
        Some(reference(kind, target, number))
    });
    found.collect()
}

/// Whether a block comment is open after a line.
fn stays_comment(line: &str, mut is_comment: bool) -> bool {
    let mut rest = line;
    loop {
        if is_comment {
            let Some((_, after)) = rest.split_once("*/") else { return true };
            (is_comment, rest) = (false, after);
        } else {
            let Some((before, after)) = rest.split_once("/*") else { return false };
            // `//*` and `"/*"` open nothing.
            if before.contains("//") || before.matches('"').count() % 2 == 1 {
                return false;
            }
            (is_comment, rest) = (true, after);
        }
    }
}

fn reference(kind: ReferenceKind, target: &str, line: u32) -> Reference {
    let (target, names) = match target.strip_suffix(".*") {
        Some(package) => (package, vec!["*".to_owned()]),
        None => (target, Vec::new()),
    };
    Reference {
        kind,
        target: target.to_owned(),
        names,
        alias: None,
        line,
        within: Vec::new(),
        path: None,
        lazy: false,
    }
}

/// The first string in quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\''])?;
    let quote = &text[start..start + 1];
    let inside = &text[start + 1..];
    inside.find(quote).map(|end| &inside[..end])
}

fn word(text: &str) -> &str {
    text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '(')).next().unwrap_or_default()
}

fn proto(line: &str) -> Option<(ReferenceKind, &str)> {
    Some((ReferenceKind::Import, quoted(line.strip_prefix("import ")?)?))
}

fn groovy(line: &str) -> Option<(ReferenceKind, &str)> {
    let rest = line.strip_prefix("import ")?.trim_start();
    match rest.strip_prefix("static ") {
        Some(rest) => Some((ReferenceKind::StaticImport, word(rest.trim_start()))),
        None => Some((ReferenceKind::Import, word(rest))),
    }
}

fn style(line: &str) -> Option<(ReferenceKind, &str)> {
    // `@import` is read by the grammar of CSS.
    let rest = line.strip_prefix("@use ").or_else(|| line.strip_prefix("@forward "))?;
    Some((ReferenceKind::Import, quoted(rest)?))
}

/// Includes are lines of the preprocessor and may be where no grammar of the language expects them, such as among array values.
fn included(line: &str) -> Option<(ReferenceKind, &str)> {
    let directive = line.strip_prefix('#')?.trim_start();
    let rest =
        ["import", "include_next", "include"].into_iter().find_map(|word| directive.strip_prefix(word))?;
    let rest = rest.trim_start();
    match rest.strip_prefix('<') {
        Some(rest) => Some((ReferenceKind::SystemInclude, rest.split('>').next()?)),
        None => Some((ReferenceKind::Include, quoted(rest)?)),
    }
}

fn plain(line: &str) -> Option<(ReferenceKind, &str)> {
    Some((ReferenceKind::Import, word(line.strip_prefix("import ")?.trim_start())))
}
