//! Headings of Markdown, as CommonMark reads them.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Heading;

/// Headings at the top level of the document, in order; those in lists and quotes do not count.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut found: Vec<Heading> = Vec::new();
    let mut depth = 0_usize;
    let mut is_title = false;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                is_title = depth == 0;
                if is_title {
                    let start = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
                    found.push(Heading {
                        start,
                        end: range.end,
                        level: level as usize,
                        title: String::new(),
                    });
                }
                depth += 1;
            }
            Event::End(TagEnd::Heading(_)) => {
                depth = depth.saturating_sub(1);
                is_title = false;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Text(part) | Event::Code(part) if is_title => {
                found.last_mut().into_iter().for_each(|heading| heading.title.push_str(&part));
            }
            Event::SoftBreak | Event::HardBreak if is_title => {
                found.last_mut().into_iter().for_each(|heading| heading.title.push(' '));
            }
            _ => {}
        }
    }
    for heading in &mut found {
        heading.title = heading.title.trim().to_owned();
    }
    found
}
