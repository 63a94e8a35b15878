//! Sections that may say something about a name.

use std::collections::BTreeMap;

use craig_text::root;

use crate::context::Subject;
use crate::library::{Library, Place};
use crate::names::{is_stem_alike, words_of};

/// Most sections that are read for one name.
const MAX_SECTIONS: usize = 200;

/// Sections that are read because their text is like the code.
const N_ALIKE: usize = 5;

/// Sections that say a name, an alias or another spelling of it, that have its words in their heading and what stands above,
/// or whose text is like the code; in order.
pub(super) fn sections(library: &Library, subject: &Subject, similarities: &[f32]) -> Vec<usize> {
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
    for at in headed_by_words(library, subject).into_iter().chain(alike(similarities)) {
        *weights.entry(at).or_default() += 1;
    }
    let mut sections: Vec<(u32, u32)> = weights.into_iter().collect();
    sections.sort_by_key(|&(at, weight)| (std::cmp::Reverse(weight), at));
    sections.truncate(MAX_SECTIONS);
    let mut found: Vec<usize> = sections.into_iter().map(|(at, _)| at as usize).collect();
    found.sort_unstable();
    found
}

/// Names that stand for the subject, the exact one first.
fn spelled<'a>(library: &'a Library, subject: &'a Subject) -> impl Iterator<Item = &'a str> {
    let exact = std::iter::once(&subject.name).chain(&subject.aliases).map(String::as_str);
    exact.chain(library.other_spellings(&subject.name))
}

/// Stems of the words of a name, without those of the project's name where others are left: "Request Config" describes
/// `AxiosRequestConfig`.
pub(super) fn stems(library: &Library, name: &str) -> Vec<String> {
    let words = words_of(name);
    let own: Vec<&String> = words.iter().filter(|word| !library.is_project_word(word)).collect();
    let kept = if own.is_empty() { words.iter().collect() } else { own };
    kept.into_iter().map(|word| root(word).to_owned()).collect()
}

/// Share of stems that a heading has; `with_above`, that the headings above it or the path have, too.
pub(super) fn share_of_stems(stems: &[String], place: Place<'_>, with_above: bool) -> f32 {
    let has = |all: &[String], stem: &str| all.iter().any(|other| is_stem_alike(stem, other));
    let is_said = |stem: &&String| {
        has(&place.section.heading_stems, stem) || with_above && has(&place.section.stems_above, stem)
    };
    stems.iter().filter(is_said).count() as f32 / stems.len().max(1) as f32
}

/// Sections that have all words of a name in their heading and what stands above it, one at least in the heading.
fn headed_by_words(library: &Library, subject: &Subject) -> Vec<u32> {
    let stems = stems(library, &subject.name);
    let headed = stems.iter().map(|stem| library.headed_with_stem(stem));
    let headed = headed.filter(|found| found.len() <= MAX_SECTIONS).flatten();
    headed.copied().filter(|&at| share_of_stems(&stems, library.place(at as usize), true) >= 1.0).collect()
}

/// The sections whose text is most like the code: who describes it need not say its name.
fn alike(similarities: &[f32]) -> Vec<u32> {
    let mut alike: Vec<(f32, u32)> = similarities.iter().copied().zip(0..).collect();
    let n_kept = N_ALIKE.min(alike.len());
    if n_kept < alike.len() {
        alike.select_nth_unstable_by(n_kept, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    alike.truncate(n_kept);
    alike.into_iter().map(|(_, at)| at).collect()
}
