//! One documentation file, read: its sections, what they are called, what they say of which names.

mod heading;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use craig_chunk::{DocumentSection, document_sections};
use craig_text::{count_words, root};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::markup::to_markdown;
use crate::names::{Named, identifiers_in_prose, leading_name, qualified, words_of};
use crate::sentence;

pub(crate) use self::heading::{HeadingName, heading_names, plain};

/// A documentation file.
#[derive(Clone, Debug)]
pub struct Page {
    /// Path relative to the root, `/`-separated.
    pub path: String,
    /// Its text as Markdown, line by line that of the file.
    pub text: String,
    /// Nanoseconds since the Unix epoch at which the file was last modified.
    pub modified_ns: i64,
    /// Its sections in order.
    pub sections: Vec<Section>,
}

/// A section of a page.
#[derive(Clone, Debug)]
pub struct Section {
    /// Where it is and what it is called.
    pub outline: DocumentSection,
    /// Words of its content.
    pub n_words: usize,
    /// Names that the heading is about.
    pub(crate) names: Vec<HeadingName>,
    /// Names that the heading above is about, where this one is "Summary" or the like.
    pub(crate) names_above: Vec<HeadingName>,
    /// Stems of the words of the heading.
    pub(crate) heading_stems: Vec<String>,
    /// Stems of the words of the path and of the headings above.
    pub(crate) stems_above: Vec<String>,
    /// Identifiers of the heading as written.
    pub(crate) heading_identifiers: Vec<String>,
    /// Runs of prose, in order.
    pub(crate) units: Vec<Unit>,
    /// Code blocks, in order.
    pub(crate) fences: Vec<Fence>,
    /// Different names that it says in code.
    pub(crate) n_names_in_code: usize,
    /// How often it says which name; qualified names in lower case, `owner.name`.
    pub(crate) mentions: BTreeMap<String, Mentions>,
}

impl Section {
    /// Names that it is about: those of its heading, and of the one above where its own says nothing.
    pub(crate) fn titles(&self) -> impl Iterator<Item = &HeadingName> {
        self.names.iter().chain(&self.names_above)
    }
}

/// Headings of what comes first below another one, in whatever is made by a template.
const BEGINNINGS: &[&str] =
    &["summary", "overview", "description", "introduction", "about", "name", "definition"];

fn names_above(outline: &DocumentSection) -> Vec<HeadingName> {
    // A heading that leads elsewhere is a banner.
    let is_banner = outline.heading.starts_with('[')
        && outline.heading.contains("](http")
        && outline.heading.ends_with(')');
    let is_beginning = is_banner || BEGINNINGS.iter().any(|word| outline.heading.eq_ignore_ascii_case(word));
    let above = outline.path.last().filter(|_| is_beginning);
    above.map(|heading| heading_names(heading)).unwrap_or_default()
}

/// A run of prose that sentences are taken from.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Sentences, in bytes of the page.
    pub(crate) sentences: Vec<Range<usize>>,
    /// The name that it begins with as code: it says what that is.
    pub(crate) defines: Option<Named>,
    /// It is a row of a table; its cells are runs of their own, without sentences.
    pub(crate) is_row: bool,
    /// The entries of lists that it stands in, the outermost first; each has a number of its own on the page.
    pub(crate) items: Vec<usize>,
}

/// A code block.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    /// With its marks, in bytes of the page.
    pub(crate) bytes: Range<usize>,
    /// How many runs of prose of the section stand before it.
    pub(crate) n_units_before: usize,
}

/// How often a section says a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// In code spans.
    pub(crate) spans: u16,
    /// In code blocks.
    pub(crate) fences: u16,
    /// As a word of the prose.
    pub(crate) prose: u16,
    /// Runs of prose that begin with it as code.
    pub(crate) definitions: u16,
    /// In code, before arguments or behind a dot.
    pub(crate) uses: u16,
}

impl Mentions {
    /// How often in code.
    pub(crate) fn in_code(self) -> f32 {
        f32::from(self.spans) + f32::from(self.fences)
    }
}

impl Page {
    /// Reads a document, whatever its markup: the page's text is Markdown of the same lines.
    pub fn read(path: &str, text: String, modified_ns: i64) -> Self {
        let text = match to_markdown(path, &text) {
            Cow::Owned(rendered) => rendered,
            Cow::Borrowed(_) => text,
        };
        let outlines = document_sections(&text);
        let mut reader = Reader::new(path, &text, outlines);
        for (event, range) in Parser::new_ext(&text, options()).into_offset_iter() {
            reader.event(event, range);
        }
        let sections = reader.finish();
        Self { path: path.to_owned(), text, modified_ns, sections }
    }

    /// The name of the file without its ending.
    pub(crate) fn stem(&self) -> &str {
        craig_text::path::file_stem(&self.path)
    }
}

fn options() -> Options {
    Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES
}

/// Collects a parser's events, section by section.
struct Reader<'t> {
    text: &'t str,
    sections: Vec<Section>,
    current: usize,
    /// Bytes of the run of prose that is being read.
    run: Option<Range<usize>>,
    is_code: bool,
    /// Inside of `<code>`.
    is_html_code: bool,
    is_heading: bool,
    is_metadata: bool,
    quotes: usize,
    /// Entries of lists that are open, and how many there were.
    items: Vec<usize>,
    n_items: usize,
    /// Bytes of the cells of the row of a table that is being read; none outside of rows.
    row: Option<Range<usize>>,
    is_table: bool,
}

impl<'t> Reader<'t> {
    fn new(path: &str, text: &'t str, outlines: Vec<DocumentSection>) -> Self {
        let stem_of_path = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let section = |outline: DocumentSection| Section {
            n_words: count_words(&text[outline.content_start..outline.bytes.end]),
            names: heading_names(&outline.heading),
            names_above: names_above(&outline),
            heading_stems: stems(&plain(&outline.heading)),
            stems_above: stems_of([stem_of_path].into_iter().chain(outline.path.iter().map(String::as_str))),
            heading_identifiers: identifiers_in_prose(&plain(&outline.heading))
                .map(|(_, name)| name.to_owned())
                .collect(),
            units: Vec::new(),
            fences: Vec::new(),
            n_names_in_code: 0,
            mentions: BTreeMap::new(),
            outline,
        };
        Self {
            text,
            sections: outlines.into_iter().map(section).collect(),
            current: 0,
            run: None,
            is_code: false,
            is_html_code: false,
            is_heading: false,
            is_metadata: false,
            quotes: 0,
            items: Vec::new(),
            n_items: 0,
            row: None,
            is_table: false,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                self.flush();
                self.seek(range.start);
                self.is_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => {
                self.run = None;
                self.is_heading = false;
            }
            Event::Start(Tag::MetadataBlock(_)) => self.is_metadata = true,
            Event::End(TagEnd::MetadataBlock(_)) => {
                self.run = None;
                self.is_metadata = false;
            }
            Event::Start(Tag::CodeBlock(_)) => {
                self.flush();
                self.is_code = true;
                self.fence(range);
            }
            Event::End(TagEnd::CodeBlock) => self.is_code = false,
            Event::Start(Tag::BlockQuote(_)) => {
                self.flush();
                self.quotes += 1;
            }
            Event::End(TagEnd::BlockQuote(_)) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            Event::Start(Tag::Table(_)) => {
                self.flush();
                self.is_table = true;
            }
            Event::End(TagEnd::Table) => {
                self.flush();
                self.is_table = false;
            }
            Event::Start(Tag::TableRow) => self.row = Some(range.start..range.start),
            Event::End(TagEnd::TableRow) => {
                self.flush();
                self.end_row();
            }
            Event::Start(Tag::Item) => {
                self.flush();
                self.n_items += 1;
                self.items.push(self.n_items);
            }
            Event::End(TagEnd::Item) => {
                self.flush();
                self.items.pop();
            }
            Event::Start(Tag::Paragraph | Tag::List(_) | Tag::TableCell | Tag::HtmlBlock)
            | Event::End(TagEnd::Paragraph | TagEnd::List(_) | TagEnd::TableCell | TagEnd::HtmlBlock) => {
                self.flush();
            }
            Event::Text(_) if self.is_code => self.count(range, |m| &mut m.fences),
            Event::Text(_) if self.is_metadata => {}
            Event::Code(_) => {
                self.extend(&range);
                self.count(range, |m| &mut m.spans);
            }
            Event::Text(_) if self.is_html_code => {
                self.extend(&range);
                self.count(range, |m| &mut m.spans);
            }
            Event::Text(_) => {
                self.extend(&range);
                self.count(range, |m| &mut m.prose);
            }
            Event::InlineHtml(tag) if tag.starts_with("<code") => self.is_html_code = true,
            Event::InlineHtml(tag) if tag.starts_with("</code") => self.is_html_code = false,
            Event::Html(_) | Event::InlineHtml(_) => self.count(range, |m| &mut m.prose),
            Event::Start(
                Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough,
            ) => {
                self.extend(&range);
            }
            _ => {}
        }
    }

    /// Goes to the section that holds a byte; events come in order, but for what a list or quote has after a heading.
    fn seek(&mut self, at: usize) {
        while self.sections.get(self.current + 1).is_some_and(|next| next.outline.bytes.start <= at) {
            self.current += 1;
        }
    }

    fn section(&mut self, at: usize) -> Option<&mut Section> {
        self.seek(at);
        self.sections.get_mut(self.current)
    }

    fn extend(&mut self, range: &Range<usize>) {
        match &mut self.run {
            Some(run) => run.end = run.end.max(range.end),
            None => self.run = Some(range.clone()),
        }
    }

    /// Ends the run of prose: its sentences are known then.
    fn flush(&mut self) {
        self.is_html_code = false;
        let Some(run) = self.run.take() else { return };
        if self.is_heading || self.is_metadata {
            return;
        }
        let written = &self.text[run.clone()];
        if let Some(row) = &mut self.row {
            *row = if row.start == row.end { run.clone() } else { row.start..run.end };
        }
        let sentences = if self.is_table { Vec::new() } else { sentence::split(written) };
        let sentences = sentences
            .into_iter()
            .map(|part| run.start + part.start..run.start + part.end)
            // A sentence that goes on in another line of a quote would hold the quote's mark.
            .filter(|part| self.quotes == 0 || !self.text[part.clone()].contains('\n'))
            .collect();
        let defines = defined_name(written);
        let items = self.items.clone();
        let Some(section) = self.section(run.start) else { return };
        if let Some(defined) = &defines {
            let entry = section.mentions.entry(defined.name.clone()).or_default();
            entry.definitions = entry.definitions.saturating_add(1);
        }
        section.units.push(Unit { sentences, defines, is_row: false, items });
    }

    /// A row of a table is one sentence: a cell alone is not understandable.
    fn end_row(&mut self) {
        let Some(row) = self.row.take().filter(|row| row.start < row.end) else { return };
        let defines = defined_name(&self.text[row.clone()]);
        let Some(section) = self.section(row.start) else { return };
        section.units.push(Unit { sentences: vec![row], defines, is_row: true, items: Vec::new() });
    }

    fn fence(&mut self, range: Range<usize>) {
        let end = range.start + self.text[range.clone()].trim_end().len();
        let Some(section) = self.section(range.start) else { return };
        let n_units_before = section.units.len();
        section.fences.push(Fence { bytes: range.start..end, n_units_before });
    }

    /// Counts the identifiers of a range, and in code qualified names, too.
    fn count(&mut self, range: Range<usize>, field: fn(&mut Mentions) -> &mut u16) {
        let text = self.text;
        let is_code = self.is_code || text[range.clone()].starts_with('`') || self.is_html_code;
        let Some(section) = self.section(range.start) else { return };
        let written = &text[range];
        let mut before: Option<(usize, &str)> = None;
        for (at, name) in identifiers_in_prose(written) {
            let entry = section.mentions.entry(name.to_owned()).or_default();
            if is_code {
                let is_call = written[at + name.len()..].starts_with('(');
                let is_member = written[..at].ends_with(['.', '#']) || written[..at].ends_with("::");
                entry.uses = entry.uses.saturating_add(u16::from(is_call || is_member));
            }
            let count = field(entry);
            *count = count.saturating_add(1);
            if let Some((start, owner)) = before {
                let joint = &written[start + owner.len()..at];
                if matches!(joint, "." | "?." | "#" | "::" | ".prototype.") {
                    let count = field(section.mentions.entry(qualified(owner, name)).or_default());
                    *count = count.saturating_add(1);
                }
            }
            before = Some((at, name));
        }
    }

    fn finish(mut self) -> Vec<Section> {
        self.flush();
        for section in &mut self.sections {
            let in_code =
                section.mentions.iter().filter(|(name, m)| !name.contains('.') && m.spans + m.fences > 0);
            section.n_names_in_code = in_code.count();
        }
        self.sections
    }
}

/// Stems of the words of a text, each once.
fn stems(text: &str) -> Vec<String> {
    stems_of(std::iter::once(text))
}

fn stems_of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> =
        texts.flat_map(words_of).map(|word| root(&word).to_owned()).filter(|stem| stem.len() > 1).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The name that a run of prose begins with as code or in bold letters, as entries of lists and tables do.
fn defined_name(written: &str) -> Option<Named> {
    let stripped = written.trim_start_matches(|c: char| "*_[`~ \t(<.".contains(c));
    let marks = &written[..written.len() - stripped.len()];
    if !marks.contains(['`', '*', '_']) {
        return None;
    }
    let (mut named, mut end) = leading_name(stripped)?;
    // What closes `_Name_` is no part of it.
    if marks.ends_with('_') && named.name.ends_with('_') {
        named.name.pop();
        end -= 1;
    }
    // Words in bold letters are no definition of their first word.
    let next = stripped[end..].chars().next();
    let is_name = marks.contains('`') || next.is_none_or(|c| matches!(c, '*' | '_' | '(' | ':' | '`' | '?'));
    is_name.then_some(named)
}

#[cfg(test)]
mod tests;
