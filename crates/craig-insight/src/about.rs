//! What a folder is for, in one sentence: of a README, a manifest's description, or the documentation of a package. Comments of
//! other files are about these files alone.

use craig_source::{FileKind, Language};
use craig_symbols::json;
use craig_text::path::{file_stem, folder, name};
use craig_text::{columns, count_words, is_unspaced_stop};
use toml::Table;

/// Longest sentence, in columns.
const MOST_COLUMNS: usize = 160;

/// Fewer columns say nothing.
const LEAST_COLUMNS: usize = 12;

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
        Language::Python => docstring(&head).and_then(|text| sentence(&plain(&text))),
        Language::Rust => inner_comment(&head),
        _ => before_package(&head),
    }
}

/// Whether a file may say what its folder is for: a README, a manifest, or the documentation of a package. Other files are not
/// read.
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
    let is_package = path.ends_with(".go") && file_stem(path) == name(folder(path));
    is_named || is_package || path.ends_with(".gemspec") || is_readme(path)
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

/// Words of headings below which a README says what its folder is for.
const INTRODUCTIONS: &[&str] = &["introduction", "overview", "about", "description", "what is"];

/// More links on a line are for navigation.
const MOST_LINKS: usize = 5;

/// The first sentence of the first paragraph that is neither a heading, nor badges, nor code. What comes after a second heading
/// is about a part, how to install it, unless it is an introduction.
fn first_prose(text: &str) -> Option<String> {
    let mut paragraph = String::new();
    let mut n_headings = 0;
    let mut is_part = false;
    let mut is_code = false;
    let mut is_comment = false;
    let mut is_field = false;
    for line in text.lines().take(MOST_LINES) {
        let is_indented = line.starts_with([' ', '\t']);
        let line = line.trim();
        // `:Keywords: …` of reStructuredText, with the indented lines below it.
        is_field = line.starts_with(':') || is_field && (is_indented || line.is_empty());
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        is_comment |= line.starts_with("<!--");
        let skipped = is_code || is_comment || is_field;
        is_comment &= !line.contains("-->");
        let is_rule = line.len() > 2 && line.chars().all(|c| matches!(c, '=' | '-' | '~' | '*' | '^' | '#'));
        let is_heading = !skipped
            && (is_rule && !paragraph.is_empty()
                || line.starts_with("# ")
                || line.starts_with("##")
                || line.starts_with("= ")
                || line.starts_with("=="));
        if is_heading {
            n_headings += 1;
            let title = if is_rule { paragraph.to_lowercase() } else { line.to_lowercase() };
            is_part = n_headings > 1 && !INTRODUCTIONS.iter().any(|word| title.contains(word));
        }
        let is_left_out = NO_PROSE.iter().any(|start| line.starts_with(start))
            || is_numbered(line)
            || is_directive(line)
            || line.matches("](").count() > MOST_LINKS;
        if is_rule || is_left_out && !paragraph.trim_end().ends_with(is_stop) {
            // What is underlined is a heading, and what a list follows only leads to it.
            paragraph.clear();
        } else if line.is_empty() {
            let text = plain(&paragraph);
            if columns(text.trim()) >= LEAST_COLUMNS {
                return sentence(&text);
            }
            paragraph.clear();
        } else if !skipped && !is_left_out && !is_part {
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    sentence(&plain(&paragraph))
}

/// `1. ` of a list.
fn is_numbered(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_digit())
        && line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['.', ')'])
}

/// `image::logo.png[]` and `ifdef::env-github[]` of AsciiDoc.
fn is_directive(line: &str) -> bool {
    line.split_once("::").is_some_and(|(name, _)| !name.is_empty() && name.chars().all(char::is_alphanumeric))
}

/// Markdown without its marks: texts of links, names without quotes.
fn plain(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let before = rest[..start].trim_end_matches('!');
        // `https://…[text]` is a link of AsciiDoc.
        let last = before.rfind(' ').map_or(0, |at| at + 1);
        found.push_str(if before[last..].contains("://") { &before[..last] } else { before });
        let after = &rest[start + 1..];
        let link = after.split_once(']').filter(|(label, _)| !label.contains('['));
        let Some((label, behind)) = link else {
            rest = after;
            continue;
        };
        found.push_str(label);
        // `[text](target)` and `[text][label of the target]`.
        let target = [('(', ')'), ('[', ']')].into_iter();
        let mut target = target.filter_map(|(open, close)| behind.strip_prefix(open)?.split_once(close));
        rest = target.next().map_or(behind, |(_, behind)| behind);
    }
    found.push_str(rest);
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

/// The first paragraph of `//!` lines that is no heading.
fn inner_comment(head: &[&str]) -> Option<String> {
    let lines: Vec<&str> =
        head.iter().filter_map(|line| line.trim().strip_prefix("//!")).map(str::trim).collect();
    let mut paragraphs = lines.split(|line| line.is_empty());
    let first =
        paragraphs.find(|lines| lines.first().is_some_and(|line| !line.starts_with(['#', '!', '<', '['])))?;
    sentence(&plain(&first.join(" ")))
}

/// The first paragraph of the comment directly before a package clause: `/** … */`, or `// Package name …`.
fn before_package(head: &[&str]) -> Option<String> {
    let clause = head.iter().position(|line| line.starts_with("package "))?;
    let before = head[..clause].iter().map(|line| line.trim());
    let before: Vec<&str> = before.rev().skip_while(|line| line.starts_with('@')).collect();
    let is_block = before.first()?.ends_with("*/");
    let length = match is_block {
        true => before.iter().position(|line| line.starts_with("/*"))? + 1,
        false => before.iter().take_while(|line| line.starts_with("//")).count(),
    };
    let is_documentation =
        before[..length].iter().any(|line| line.starts_with("/**") || line.contains("Package "));
    let marks = |line: &&str| line.trim_end_matches("*/").trim_start_matches(['/', '*']).trim().to_owned();
    let lines = before[..length].iter().rev().map(marks).skip_while(String::is_empty);
    let lines: Vec<String> = lines.take_while(|line| !line.is_empty() && !line.starts_with('@')).collect();
    is_documentation.then(|| sentence(&plain(&lines.join(" "))))?
}

/// Whether a mark may end a sentence.
fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?') || is_unspaced_stop(c)
}

/// The first sentence of a text, on one line; `None` if it is too short or no prose.
pub fn sentence(text: &str) -> Option<String> {
    let text = without_tags(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_end = |at: usize, stop: &str| {
        let before = &text[..at];
        let is_short =
            ["e.g", "i.e", "etc", "vs", "cf", "approx", "Inc"].iter().any(|end| before.ends_with(end));
        stop.starts_with(is_unspaced_stop)
            || !is_short
                && text[at + 1..].chars().next().is_none_or(char::is_whitespace)
                && !before.ends_with(|c: char| c.is_ascii_digit())
    };
    let end = text.match_indices(is_stop).find(|&(at, stop)| is_end(at, stop)).map(|(at, _)| at);
    let first = text[..end.unwrap_or(text.len())].trim_end_matches([':', '：']).trim();
    let is_elsewhere = ["See ", "see ", "This README"].iter().any(|start| first.starts_with(start));
    let is_prose = !is_elsewhere
        && !is_banner(first)
        && !first.contains("<br")
        && count_words(first) > 1
        && first.chars().any(char::is_alphabetic)
        && !first.contains(['{', ';']);
    if !is_prose || columns(first) < LEAST_COLUMNS {
        return None;
    }
    if columns(first) <= MOST_COLUMNS {
        return Some(first.to_owned());
    }
    let mut room = MOST_COLUMNS - 1;
    let fits = |c: &char| {
        let width = columns(c.encode_utf8(&mut [0; 4]));
        let fits = width <= room;
        room -= if fits { width } else { room };
        fits
    };
    let cut: String = first.chars().take_while(fits).collect();
    Some(cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole).to_owned() + "…")
}

/// Whether a text ends in a rule, as the titles of parts of a file do: `base type ////`.
fn is_banner(text: &str) -> bool {
    let last = text.chars().next_back().filter(char::is_ascii_punctuation);
    last.is_some_and(|mark| text.chars().rev().take_while(|c| *c == mark).count() > 2)
}

/// A text with what inline tags of Javadoc and JSDoc show: `Cart` of `{@link Cart}`, `it` of `{@link Cart it}`.
fn without_tags(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tagged)) = rest.split_once("{@") {
        let Some((tag, behind)) = tagged.split_once('}') else { break };
        let (name, content) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        found.push_str(before);
        found.push_str(if name.starts_with("link") { label(content.trim()) } else { content.trim() });
        rest = behind;
    }
    found + rest
}

/// What a link shows: what follows its target, which may have parameters, or the target.
fn label(link: &str) -> &str {
    let parameters = link.find(')').map_or(0, |end| end + 1);
    let label = link[parameters..].split_once([' ', '\n', '|']).map_or("", |(_, label)| label.trim());
    if label.is_empty() { link.trim_start_matches('#') } else { label }
}
