//! Release notes, news and plans.

use crate::library::Place;
use crate::names::words_of;

/// Whether the path, the heading or one of its parents contains a word for changes or plans.
pub(super) fn is_about_changes(place: Place<'_>) -> bool {
    let outline = &place.section.outline;
    let texts = outline.path.iter().chain([&outline.heading, &place.page.path]);
    texts.flat_map(|text| words_of(text)).any(|word| CHANGES.contains(&word.as_str()))
}

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
