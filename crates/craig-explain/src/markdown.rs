//! Explanations as Markdown, for tooltips and pages: sentences with links that can be followed.

use std::borrow::Cow;

use craig_text::path::folder;

use crate::comment::Comment;
use crate::explain::{Bullet, Citation, Explanation, Kind, NOT_DOCUMENTED};
use crate::names::is_in_span;

/// The address of a file of the project, given its path, that a link can have; none where files have no address.
pub type Addresses<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Two sentences longer than this are too much for a tooltip.
const HOVER_BYTES: usize = 400;

impl Explanation {
    /// Two or three lines for a tooltip: one or two sentences and where they are from; none when nothing is documented, by
    /// samples alone that do not fit, or by the way.
    pub fn hover(&self, addresses: Addresses<'_>) -> Option<String> {
        let mut bullets = self.documented().filter(|bullet| !bullet.is_sample());
        let Some(first) = bullets.next() else { return self.sample_hover(addresses) };
        let second = bullets.next().filter(|second| {
            second.citation == first.citation && first.text.len() + second.text.len() < HOVER_BYTES
        });
        let cited = self.citations.get(first.citation)?;
        let sentences = [Some(first), second].into_iter().flatten();
        let mut lines: Vec<String> =
            sentences.map(|bullet| on_one_line(&linked(&bullet.text, &cited.file_path, addresses))).collect();
        lines.push(cited.link(cited.heading_line, addresses));
        Some(lines.join("\n"))
    }

    fn documented(&self) -> impl Iterator<Item = &Bullet> {
        self.bullets.iter().filter(|bullet| bullet.kind == Kind::Documented)
    }

    /// A tooltip of a sample of one line.
    fn sample_hover(&self, addresses: Addresses<'_>) -> Option<String> {
        let bullet = self.documented().next()?;
        let cited = self.citations.get(bullet.citation)?;
        let mut code = bullet.text.lines().filter(|line| !line.starts_with("```") && !line.trim().is_empty());
        let line = code.next().filter(|line| code.next().is_none() && !line.contains('`'))?;
        Some(format!("`{}`\n{}", line.trim(), cited.link(cited.heading_line, addresses)))
    }

    /// The whole explanation as Markdown: each sentence a bullet with its citation, those that only mention the symbol below
    /// a heading of their own.
    pub fn markdown(&self, addresses: Addresses<'_>) -> String {
        let title = self.symbol.as_deref().map(|symbol| format!("# `{symbol}`\n\n")).unwrap_or_default();
        let comment = self.comment.as_ref().map(|comment| comment.markdown(addresses)).unwrap_or_default();
        if !self.has_relevant_docs {
            return format!("{title}{NOT_DOCUMENTED}\n{comment}");
        }
        let bullet = |bullet: &Bullet| {
            let cited = &self.citations[bullet.citation];
            let entry = match bullet.is_sample() {
                true => format!("{}\n\n", bullet.entry()),
                false => format!("- {}  \n", on_one_line(&linked(&bullet.text, &cited.file_path, addresses))),
            };
            let link = cited.link(bullet.line, addresses);
            format!("{entry}  {link} · {:.0}%\n", cited.relevance_score * 100.0)
        };
        let of_kind = |kind| -> String {
            self.bullets.iter().filter(|bullet| bullet.kind == kind).map(bullet).collect()
        };
        let (documented, mut mentioned) = (of_kind(Kind::Documented), of_kind(Kind::Mentioned));
        if !mentioned.is_empty() {
            let joint = if documented.is_empty() { "" } else { "\n" };
            mentioned = format!("{joint}Mentioned in:\n\n{mentioned}");
        }
        format!(
            "{title}{documented}{mentioned}\n*{} confidence*\n{comment}",
            confidence_in_words(self.confidence)
        )
    }
}

/// A confidence in words; `editors/vscode/src/webview/documentation.ts` uses the same.
fn confidence_in_words(confidence: f32) -> &'static str {
    match confidence {
        0.9.. => "High",
        0.75.. => "Good",
        _ => "Fair",
    }
}

impl Bullet {
    /// An entry of a Markdown list, in the documentation's own lines.
    pub(crate) fn entry(&self) -> String {
        format!("- {}", self.indented())
    }

    /// The text, indented as the rest of an entry of a list.
    pub(crate) fn indented(&self) -> String {
        self.text.replace('\n', "\n  ")
    }

    /// Whether it is a code block.
    pub fn is_sample(&self) -> bool {
        self.text.starts_with("```")
    }
}

impl Citation {
    /// The place of a line of the section, as a link where it has an address: `docs/client.md:3 · Client`.
    fn link(&self, line: u32, addresses: Addresses<'_>) -> String {
        let place = format!("{}:{line} · {}", self.file_path, escaped(self.section_heading.trim()));
        match addresses(&self.file_path) {
            Some(address) => format!("[{place}]({address}#L{line})"),
            None => format!("*{place}*"),
        }
    }
}

/// A heading as the text of a link: its brackets stay and end no link. In code spans they need no escape.
fn escaped(heading: &str) -> String {
    let mut text = String::with_capacity(heading.len());
    for (at, c) in heading.char_indices() {
        if matches!(c, '[' | ']') && !is_in_span(heading, at) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

impl Comment {
    /// A quotation below a line that says what it is.
    fn markdown(&self, addresses: Addresses<'_>) -> String {
        let place = format!("{}:{}", self.file_path, self.line);
        let link = match addresses(&self.file_path) {
            Some(address) => format!("[{place}]({address}#L{})", self.line),
            None => format!("*{place}*"),
        };
        format!("\nComment in the code, {link}:\n\n> {}\n", linked(&self.text, &self.file_path, addresses))
    }
}

/// A sentence with its links as they can be followed from elsewhere: what is relative to its page gets an address or is no
/// link, nor is what names a definition at the end of the page.
fn linked<'t>(text: &'t str, page: &str, addresses: Addresses<'_>) -> Cow<'t, str> {
    if !text.contains("](") && !text.contains("][") {
        return Cow::Borrowed(text);
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(link) = Link::first(rest) {
        found.push_str(&rest[..link.start]);
        match link.target.and_then(|target| followable(target, page, addresses)) {
            Some(target) => found += &format!("[{}]({target})", link.text),
            None => found.push_str(link.text),
        }
        rest = &rest[link.end..];
    }
    found.push_str(rest);
    Cow::Owned(found)
}

/// `[text](target)` or `[text][name]`.
struct Link<'t> {
    start: usize,
    end: usize,
    text: &'t str,
    /// None where it is named elsewhere.
    target: Option<&'t str>,
}

impl<'t> Link<'t> {
    fn first(text: &'t str) -> Option<Self> {
        let middles = text.match_indices("](").chain(text.match_indices("]["));
        let mut middles: Vec<usize> = middles.map(|(at, _)| at).collect();
        middles.sort_unstable();
        middles.into_iter().find_map(|middle| Self::at(text, middle))
    }

    fn at(text: &'t str, middle: usize) -> Option<Self> {
        let start = text[..middle].rfind('[')?;
        // What stands in code is no link.
        if is_in_span(text, start) {
            return None;
        }
        let is_named = text[middle + 1..].starts_with('[');
        let inside = &text[middle + 2..];
        let inside = &inside[..inside.find(if is_named { ']' } else { ')' })?];
        Some(Self {
            start,
            end: middle + 2 + inside.len() + 1,
            text: &text[start + 1..middle],
            target: (!is_named).then(|| inside.split_whitespace().next().unwrap_or_default()),
        })
    }
}

/// A target as it can be followed from outside of its page.
fn followable(target: &str, page: &str, addresses: Addresses<'_>) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Some(target.to_owned());
    }
    let (path, fragment) = target.split_once('#').map_or((target, ""), |(path, fragment)| (path, fragment));
    let path = if path.is_empty() { page.to_owned() } else { below(folder(page), path)? };
    let mark = if fragment.is_empty() { "" } else { "#" };
    Some(format!("{}{mark}{fragment}", addresses(&path)?))
}

/// A path relative to a folder of the project, as one of the project; none where it leads out of it.
fn below(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    Some(parts.join("/"))
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(heading: &str, line: u32) -> Citation {
        Citation {
            file_path: "docs/client.md".into(),
            section_heading: heading.into(),
            heading_line: line,
            relevance_score: 0.9,
        }
    }

    fn explanation(bullets: &[(&str, usize)]) -> Explanation {
        let bullet = |&(text, citation): &(&str, usize)| Bullet {
            text: text.to_owned(),
            kind: Kind::Documented,
            citation,
            line: 5,
        };
        Explanation {
            explanation: String::new(),
            kind: Some(Kind::Documented),
            citations: vec![cited("Client", 1), cited("Class: `Client`", 3)],
            confidence: 0.9,
            has_relevant_docs: true,
            symbol: Some("Client".into()),
            bullets: bullets.iter().map(bullet).collect(),
            comment: None,
        }
    }

    fn address(path: &str) -> Option<String> {
        Some(format!("file:///p/{path}"))
    }

    #[test]
    fn a_hover_names_the_section_that_it_quotes() {
        let hover = explanation(&[("A client of one server.", 1)]).hover(&|_| None).unwrap();
        assert_eq!(hover, "A client of one server.\n*docs/client.md:3 · Class: `Client`*");
        let hover = explanation(&[("A client of one server.", 1)]).hover(&address).unwrap();
        let place = "[docs/client.md:3 · Class: `Client`](file:///p/docs/client.md#L3)";
        assert_eq!(hover, format!("A client of one server.\n{place}"));
    }

    #[test]
    fn a_hover_keeps_the_brackets_of_a_heading() {
        let link = |heading| cited(heading, 3).link(3, &address);
        let place = "[docs/client.md:3 · .redirect(dest, \\[code\\])](file:///p/docs/client.md#L3)";
        assert_eq!(link(".redirect(dest, [code])"), place);
        assert_eq!(link("`a[0]`"), "[docs/client.md:3 · `a[0]`](file:///p/docs/client.md#L3)");
    }

    #[test]
    fn a_sample_is_a_hover_where_it_has_one_line() {
        let hover = |text| explanation(&[(text, 0)]).hover(&|_| None);
        assert_eq!(hover("```js\nopen()\n```").unwrap(), "`open()`\n*docs/client.md:1 · Client*");
        assert_eq!(hover("```js\nopen()\nclose()\n```"), None);
    }

    #[test]
    fn a_page_has_samples_as_blocks() {
        let page = explanation(&[("Opens it.", 0), ("```js\nopen()\n```", 0)]).markdown(&|_| None);
        let cited = "*docs/client.md:5 · Client* · 90%";
        assert_eq!(
            page,
            format!(
                "# `Client`\n\n- Opens it.  \n  {cited}\n- ```js\n  open()\n  ```\n\n  {cited}\n\n*High confidence*\n"
            )
        );
    }

    #[test]
    fn a_comment_is_called_one() {
        let comment = Comment { text: "Opens it.".into(), file_path: "a.js".into(), line: 2 };
        let explanation =
            Explanation { comment: Some(comment), ..Explanation::not_documented(Some("open"), 0.0) };
        let expected = "# `open`\n\nNot documented.\n\nComment in the code, *a.js:2*:\n\n> Opens it.\n";
        assert_eq!(explanation.markdown(&|_| None), expected);
        assert_eq!(explanation.hover(&|_| None), None);
    }

    #[test]
    fn links_can_be_followed_or_are_none() {
        let linked = |text| linked(text, "docs/a/client.md", &address).into_owned();
        assert_eq!(linked("See [x](../b.md#y)."), "See [x](file:///p/docs/b.md#y).");
        assert_eq!(
            linked("See [`x`](#y) and [z](https://z.org)."),
            "See [`x`](file:///p/docs/a/client.md#y) and [z](https://z.org)."
        );
        assert_eq!(linked("See [x][y] or [z](../../../out.md)."), "See x or z.");
        assert_eq!(linked("Call `a[0](b)`."), "Call `a[0](b)`.");
        assert_eq!(linked("Odd [x](y"), "Odd [x](y");
    }
}
