//! Sections that may explain a subject.

use std::collections::BTreeMap;

use craig_text::root;

use crate::context::Subject;
use crate::library::{Library, Place};
use crate::names::{is_stem_alike, words_of};

/// Maximum number of sections to read for a subject.
const MAX_SECTIONS: usize = 200;

/// Number of sections to read because their text is similar to the code.
const N_ALIKE: usize = 5;

/// Sections that contain the name, an alias or another spelling of it, whose heading and its parents contain the words of the
/// name, or whose text is similar to the code; in the order of the library.
pub(super) fn sections(
    library: &Library,
    subject: &Subject,
    stems: &[String],
    similarities: &[f32],
) -> Vec<usize> {
    let mut weights: BTreeMap<u32, u32> = BTreeMap::new();
    for name in spelled(library, subject) {
        for (at, mentions) in library.mentions(name) {
            let n_in_code = u32::from(mentions.spans) + u32::from(mentions.fences.min(4));
            *weights.entry(*at).or_default() += n_in_code + u32::from(mentions.definitions) * 6 + 1;
        }
        for at in library.named(name) {
            *weights.entry(*at).or_default() += 1_000;
        }
    }
    for at in headed_by_words(library, stems).into_iter().chain(alike(similarities)) {
        *weights.entry(at).or_default() += 1;
    }
    let mut sections: Vec<(u32, u32)> = weights.into_iter().collect();
    sections.sort_by_key(|&(at, weight)| (std::cmp::Reverse(weight), at));
    sections.truncate(MAX_SECTIONS);
    let mut found: Vec<usize> = sections.into_iter().map(|(at, _)| at as usize).collect();
    found.sort_unstable();
    found
}

/// The name, its aliases and its other spellings in the documentation.
fn spelled<'a>(library: &'a Library, subject: &'a Subject) -> impl Iterator<Item = &'a str> {
    let exact = std::iter::once(&subject.name).chain(&subject.aliases).map(String::as_str);
    exact.chain(library.other_spellings(&subject.name))
}

/// Stems of the words of a name, without the words of the project's name unless there are no others: "Request Config"
/// describes `AxiosRequestConfig`.
pub(super) fn stems(library: &Library, name: &str) -> Vec<String> {
    let words = words_of(name);
    let own: Vec<&String> = words.iter().filter(|word| !library.is_project_word(word)).collect();
    let kept = if own.is_empty() { words.iter().collect() } else { own };
    kept.into_iter().map(|word| root(word).to_owned()).collect()
}

/// Share of the stems that a heading contains; `with_above`, that its parents or the path may contain instead.
pub(super) fn share_of_stems(stems: &[String], place: Place<'_>, with_above: bool) -> f32 {
    let has = |all: &[String], stem: &str| all.iter().any(|other| is_stem_alike(stem, other));
    let is_said = |stem: &&String| {
        has(&place.section.heading_stems, stem) || with_above && has(&place.section.stems_above, stem)
    };
    stems.iter().filter(is_said).count() as f32 / stems.len().max(1) as f32
}

/// Sections whose heading and its parents contain all stems of a name, with at least one in the heading itself.
fn headed_by_words(library: &Library, stems: &[String]) -> Vec<u32> {
    let headed = stems.iter().map(|stem| library.headed_with_stem(stem));
    let headed = headed.filter(|found| found.len() <= MAX_SECTIONS).flatten();
    headed.copied().filter(|&at| share_of_stems(stems, library.place(at as usize), true) >= 1.0).collect()
}

/// The sections that are most similar to the code: a description need not contain the name.
fn alike(similarities: &[f32]) -> Vec<u32> {
    let mut alike: Vec<(f32, u32)> = similarities.iter().copied().zip(0..).collect();
    let n_kept = N_ALIKE.min(alike.len());
    if n_kept < alike.len() {
        alike.select_nth_unstable_by(n_kept, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    alike.truncate(n_kept);
    alike.into_iter().map(|(_, at)| at).collect()
}
