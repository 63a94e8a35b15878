//! A Markdown document as its sections, one heading each.

use std::ops::Range;

use super::markdown::headings;
use super::{Heading, leave};
use crate::lines::newlines;

/// A section of a document: a heading and what follows it, up to the next heading of any level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSection {
    /// The heading as written, without the marks that make it one. What stands before the first heading has the title of
    /// the front matter, or none.
    pub heading: String,
    /// 1 to 6; 1 before the first heading.
    pub level: u8,
    /// Headings that enclose it, outermost first.
    pub path: Vec<String>,
    /// Bytes of the section; all sections of a document partition it.
    pub bytes: Range<usize>,
    /// Where the content begins, after the heading.
    pub content_start: usize,
    /// Line of the heading, 1-based.
    pub line: u32,
}

/// Cuts a Markdown document into its sections, in order: ATX and setext headings at the top level of the document count,
/// those in fences, front matter, lists, quotes and HTML do not. An empty document has no sections.
pub fn document_sections(text: &str) -> Vec<DocumentSection> {
    let headings = headings(text);
    let mut found = Vec::with_capacity(headings.len() + 1);
    let first = headings.first().map_or(text.len(), |heading| heading.start);
    if first > 0 {
        let heading = front_matter_title(&text[..first]).unwrap_or_default();
        found.push(section(heading, 1, &[], 0..first, 0));
    }
    let mut path: Vec<(usize, String)> = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        leave(&mut path, heading.level);
        let end = headings.get(at + 1).map_or(text.len(), |next| next.start);
        let written = written_title(text, heading);
        found.push(section(written.clone(), heading.level, &path, heading.start..end, heading.end.min(end)));
        path.push((heading.level, written));
    }
    number(&mut found, text);
    found
}

fn section(
    heading: String,
    level: usize,
    path: &[(usize, String)],
    bytes: Range<usize>,
    content_start: usize,
) -> DocumentSection {
    let path = path.iter().map(|(_, title)| title.clone()).collect();
    DocumentSection { heading, level: u8::try_from(level).unwrap_or(6), path, bytes, content_start, line: 1 }
}

/// The title between the marks of an ATX heading, or above the line under a setext one.
fn written_title(text: &str, heading: &Heading) -> String {
    let written = text[heading.start..heading.end].trim();
    match written.strip_prefix('#') {
        Some(rest) => {
            let title = rest.trim_start_matches('#').trim();
            let open = title.trim_end_matches('#');
            // Closing marks count only after a space: the title of `# C#` is `C#`.
            if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { title }.to_owned()
        }
        None => {
            let lines = written.rsplit_once('\n').map_or(written, |(title, _)| title);
            lines.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}

/// The `title` of YAML or TOML front matter.
fn front_matter_title(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let fence = lines.next().filter(|line| matches!(line.trim_end(), "---" | "+++"))?.trim_end();
    let title = lines.take_while(|line| line.trim_end() != fence).find_map(|line| {
        let (key, value) = line.split_once([':', '='])?;
        (key.trim() == "title").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    title.filter(|title| !title.is_empty())
}

fn number(sections: &mut [DocumentSection], text: &str) {
    let (mut at, mut line) = (0, 1);
    for section in sections {
        line += newlines(&text.as_bytes()[at..section.bytes.start]);
        at = section.bytes.start;
        section.line = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> String {
        let sections = document_sections(text);
        let lines = sections.iter().map(|section| {
            format!("{} h{} {:?} in {:?}\n", section.line, section.level, section.heading, section.path)
        });
        assert_eq!(sections.iter().map(|s| &text[s.bytes.clone()]).collect::<String>(), text);
        lines.collect()
    }

    #[test]
    fn headings_are_as_written() {
        let text = "---\ntitle: \"The page\"\n---\nBefore.\n\n# `new Client(url)`\n\nSub *title*\nof two lines\n---\n\n```md\n# no\n```\n\n> # no\n\n- # no\n\n### C# ###\n# C#\n<div>\n# no\n</div>\n";
        expect_test::expect![[r#"
            1 h1 "The page" in []
            6 h1 "`new Client(url)`" in []
            8 h2 "Sub *title* of two lines" in ["`new Client(url)`"]
            20 h3 "C#" in ["`new Client(url)`", "Sub *title* of two lines"]
            21 h1 "C#" in []
        "#]]
        .assert_eq(&outline(text));
    }

    #[test]
    fn documents_without_headings_are_one_section() {
        assert_eq!(outline(""), "");
        assert_eq!(outline("words"), "1 h1 \"\" in []\n");
    }
}
