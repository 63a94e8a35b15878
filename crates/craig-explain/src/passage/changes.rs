//! Pages about what was, will or may be: notes of changes, news, plans.

use crate::library::Place;
use crate::names::words_of;

/// Whether a section is about changes or plans, by its path, its heading or one above.
pub(super) fn is_about_changes(place: Place<'_>) -> bool {
    let outline = &place.section.outline;
    let texts = outline.path.iter().chain([&outline.heading, &place.page.path]);
    texts.flat_map(|text| words_of(text)).any(|word| CHANGES.contains(&word.as_str()))
}

/// Words of such paths and headings.
const CHANGES: &[&str] = &[
    "blog",
    "breaking",
    "changelog",
    "changes",
    "deprecations",
    "history",
    "migrate",
    "migrating",
    "migration",
    "news",
    "plan",
    "posts",
    "proposal",
    "proposals",
    "release",
    "releases",
    "rfc",
    "rfcs",
    "roadmap",
    "upgrade",
    "upgrading",
    "whatsnew",
];
