//! Whose name a text says: that of the subject, or of another thing that is called alike.

use craig_chunk::ChunkKind;
use craig_text::{compact, whole_words};

use crate::context::{Subject, is_same_owner, owner_likeness};
use crate::library::{Library, Place};
use crate::names::{BEFORE_NAMES, is_in_span, is_plain_word, trailing_name, words_of};
use crate::page::{HeadingName, heading_names, plain};

/// Whose a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whose {
    /// What stands before its dot is another owner, module or variable than the subject's.
    Foreign,
    /// Nothing says whose it is.
    Unknown,
    /// What stands before its dot is the project.
    Project,
    /// What stands before its dot is what the subject belongs to, or where it is defined.
    Own,
}

/// Share of the names beside the subject from which on a qualifier that they have in the documentation is its own, too.
const SAME_OWNER_KIN: f32 = 0.3;

/// Fewer names beside the subject than this say little of a qualifier.
const FEW_SIBLINGS: usize = 4;

/// Most names beside the subject that are looked for.
const MAX_SIBLINGS: usize = 80;

/// What stands for the owner itself inside of it.
const SELF: &[&str] = &["this", "self", "cls", "super"];

/// Whose name a text says, by what stands before it: the subject's own if it is so in one place, else another's if it is so
/// in one.
pub(crate) fn whose(library: &Library, subject: &Subject, name: &str, text: &str) -> Whose {
    let places: Vec<Whose> = occurrences(text, name)
        .map(|at| {
            qualifier(&text[..at]).map_or(Whose::Unknown, |written| whose_is(library, subject, written))
        })
        .collect();
    let surest = places.iter().copied().max().unwrap_or(Whose::Unknown);
    match surest {
        Whose::Unknown if places.contains(&Whose::Foreign) => Whose::Foreign,
        Whose::Unknown if says_owner(subject, name, text) => Whose::Own,
        _ => surest,
    }
}

/// Whether a text says, as code, a name and its owner: "the `Mutation` property of your `Schema`".
fn says_owner(subject: &Subject, name: &str, text: &str) -> bool {
    let is_span = |at: usize| is_in_span(text, at);
    let owner = subject.owner.as_deref().filter(|owner| owner.len() > 2 && *owner != name);
    owner.is_some_and(|owner| whole_words(text, owner).any(is_span)) && occurrences(text, name).any(is_span)
}

/// Whether a section speaks of what has something of the subject's name: its heading, one above or the page's is the name of
/// that, and none is that of what the subject belongs to.
pub(crate) fn is_of_namesake(place: Place<'_>, subject: &Subject) -> bool {
    if subject.namesakes.is_empty() {
        return false;
    }
    let headings: Vec<String> = headings(place).chain([place.page.stem().to_owned()]).collect();
    let names: Vec<HeadingName> = headings.iter().flat_map(|heading| heading_names(heading)).collect();
    let is_of = |holder: &String| {
        let is_holder = |of: &HeadingName| {
            of.is_alone && is_same_owner(&of.named.name, holder) || is_same_owner(&of.named.owner, holder)
        };
        headings.iter().any(|heading| is_same_owner(heading, holder)) || names.iter().any(is_holder)
    };
    subject.namesakes.iter().any(is_of) && !subject.holders().any(is_of)
}

/// The heading of a section, those above it, and the page's, as they are read.
pub(crate) fn headings(place: Place<'_>) -> impl Iterator<Item = String> {
    let mut sections = place.page.sections.iter();
    let title = sections.find(|section| section.outline.level == 1 && !section.names.is_empty());
    let outline = &place.section.outline;
    let above = outline.path.iter().chain([&outline.heading]).chain(title.map(|of| &of.outline.heading));
    above.map(|heading| plain(heading))
}

/// Whether a sentence says a name; a name that is a plain word, only as code that begins with it.
pub(crate) fn says(sentence: &str, name: &str) -> bool {
    let is_word = is_plain_word(name);
    occurrences(sentence, name).any(|at| {
        let is_call = sentence[at + name.len()..].starts_with('(');
        let is_member = sentence[..at].ends_with(['.', '#', ':']) && !sentence[..at].ends_with(": ");
        let after = sentence[at + name.len()..].strip_prefix(' ');
        let is_phrase = after.is_some_and(|after| after.starts_with(char::is_alphabetic));
        let is_annotation = sentence[..at].ends_with('@');
        !is_word || begins_span(&sentence[..at]) && !is_phrase || is_call || is_member || is_annotation
    })
}

/// Whether what ends here is the beginning of a code span, or of one with a mark or a word for the kind of thing: `@x`,
/// `new x`. What stands in the middle of code is a part of something else: `ignore missing`, `{ "code": 80 }`.
fn begins_span(before: &str) -> bool {
    let Some((outside, inside)) = before.rsplit_once('`') else { return false };
    let is_span = outside.matches('`').count() % 2 == 0;
    let is_mark = inside.chars().all(|c| "@.#$&*:<'\"-".contains(c));
    is_span && (is_mark || is_kind_before(inside))
}

fn is_kind_before(inside: &str) -> bool {
    inside.ends_with(' ') && !inside.trim().contains(' ') && BEFORE_NAMES.contains(&inside.trim())
}

/// Where a text says a name as a thing of its own: neither the owner of another one, as in `Client.close`, nor a part of a
/// compound, as in "client-side" and `http-client`.
pub(crate) fn occurrences<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    whole_words(text, name).filter(move |&at| {
        let (before, rest) = (&text[..at], &text[at + name.len()..]);
        let more = rest.trim_start_matches(['.', ':', '#', '\\']);
        let more = more.strip_prefix("->").unwrap_or(more);
        let is_owner = more.len() < rest.len() && more.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_compound = before.ends_with('-')
            && before[..before.len() - 1].ends_with(char::is_alphanumeric)
            || rest.starts_with('-') && rest[1..].starts_with(char::is_alphanumeric);
        !is_owner && !is_compound
    })
}

/// The identifier before the dot, colons, arrow or backslash that a text ends with, or before the call of a type there:
/// `Builder().`. What another call returns is not known.
fn qualifier(before: &str) -> Option<&str> {
    let joint =
        ["::", "->", "?.", ".", "#", "\\"].into_iter().find_map(|joint| before.strip_suffix(joint))?;
    let made = joint.strip_suffix("()").map(trailing_name);
    let written = made.unwrap_or_else(|| trailing_name(joint));
    let is_name = !written.is_empty() && !written.starts_with(|c: char| c.is_ascii_digit());
    (is_name && made.is_none_or(|made| made.starts_with(char::is_uppercase))).then_some(written)
}

/// Whose a name behind a qualifier is.
pub(crate) fn whose_is(library: &Library, subject: &Subject, written: &str) -> Whose {
    if let Some(package) = subject.package.as_ref().filter(|_| subject.owner.is_none()) {
        return if is_same_owner(package, written) { Whose::Own } else { Whose::Foreign };
    }
    if subject.namesakes.iter().any(|other| is_same_owner(other, written))
        && !subject.owner.as_ref().is_some_and(|owner| has_words(owner, written))
    {
        return Whose::Foreign;
    }
    let owners = || subject.owner.iter().chain(&subject.ancestors);
    // The folders of a member may be called like something else that has one of its name.
    let n_folders = if subject.owner.is_some() { subject.homes.len().saturating_sub(1) } else { 0 };
    let homes = &subject.homes[n_folders..];
    let is_own = SELF.contains(&written.trim_start_matches('$'))
        || owners().any(|owner| is_like_owner(written, owner))
        || homes.iter().any(|home| is_same_owner(home, written));
    if is_own {
        return Whose::Own;
    }
    if library.is_project(written) || library.is_main_qualifier(written) || kin(library, subject, written) {
        return Whose::Project;
    }
    let is_member =
        subject.owner.is_some() && matches!(subject.kind, Some(ChunkKind::Method | ChunkKind::Constant));
    let is_variable = written.trim_start_matches(['$', '@', '_']).starts_with(char::is_lowercase);
    if subject.kind.is_none() || is_member && is_variable { Whose::Unknown } else { Whose::Foreign }
}

/// Whether what is written before a dot may be an owner: a variable called like it, or a type whose name has all its words,
/// or the other way around.
fn is_like_owner(written: &str, owner: &str) -> bool {
    let is_type = written.starts_with(char::is_uppercase);
    let is_part = || has_words(owner, written) || has_words(written, owner);
    owner_likeness(written, owner) >= 0.5 && (!is_type || is_same_owner(written, owner) || is_part())
}

/// Whether a name has all words of another one: `BaseEmitter` those of `Emitter`.
fn has_words(name: &str, other: &str) -> bool {
    let words = words_of(name);
    words_of(other).iter().all(|word| words.contains(word))
}

/// Whether the documentation has names beside the subject behind the same qualifier.
fn kin(library: &Library, subject: &Subject, written: &str) -> bool {
    let written = compact(written);
    let siblings = || subject.siblings.iter().take(MAX_SIBLINGS);
    let n = siblings().filter(|name| library.owners(name).contains(&written)).count();
    n as f32 / siblings().count().max(FEW_SIBLINGS) as f32 >= SAME_OWNER_KIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(owner: Option<&str>, homes: &[&str]) -> Subject {
        Subject {
            name: "load".into(),
            owner: owner.map(str::to_owned),
            kind: Some(if owner.is_some() { ChunkKind::Method } else { ChunkKind::Function }),
            homes: homes.iter().map(|home| (*home).to_owned()).collect(),
            ..Subject::default()
        }
    }

    fn check(subject: &Subject, expected: &[(&str, Whose)]) {
        let library = Library::of_texts(vec![("README.md".into(), "# Fetch\n".into())]);
        for (text, whose_name) in expected {
            assert_eq!(whose(&library, subject, "load", text), *whose_name, "{text}");
        }
    }

    #[test]
    fn a_qualifier_says_whose_a_name_is() {
        check(
            &subject(None, &["providers", "etcd"]),
            &[
                ("`etcd.load(x)` loads.", Whose::Own),
                ("`vault.load(x)` loads.", Whose::Foreign),
                ("`fetch.load(x)` loads.", Whose::Project),
                ("`vault.load()` or `etcd.load()`", Whose::Own),
                ("`vault.load(x)` is the load of a vault.", Whose::Foreign),
                ("Use `load` from [lodash](https://lodash.com).", Whose::Foreign),
                ("Call `load()`.", Whose::Unknown),
                ("It loads.", Whose::Unknown),
            ],
        );
        check(
            &subject(Some("ConfigStore"), &["store"]),
            &[
                ("`ConfigStore::load`", Whose::Own),
                ("`store.load()`", Whose::Own),
                ("`self.load()`", Whose::Own),
                ("`x.load()`", Whose::Unknown),
                ("`Image::load()`", Whose::Foreign),
                (r"`\App\Image\load`", Whose::Foreign),
            ],
        );
    }

    #[test]
    fn a_namesake_before_the_dot_has_the_name() {
        let namesakes = ["GsonBuilder", "Emitter"].map(str::to_owned).to_vec();
        let of = |owner: &str| Subject {
            namesakes: namesakes.clone(),
            ..subject(Some(owner), &["gson", "Writer"])
        };
        check(
            &of("Gson"),
            &[
                ("`new GsonBuilder().load()`", Whose::Foreign),
                ("`Gson.load()`", Whose::Own),
                ("`start().load()`", Whose::Unknown),
            ],
        );
        check(&of("BaseEmitter"), &[("`Emitter.load()`", Whose::Own), ("`gson.load()`", Whose::Unknown)]);
    }

    #[test]
    fn what_a_package_has_is_behind_its_name_alone() {
        let packaged = Subject { package: Some("etcd".into()), ..subject(None, &["fetch", "etcd"]) };
        check(&packaged, &[("`etcd.load(x)`", Whose::Own), ("`fetch.load(x)` loads.", Whose::Foreign)]);
    }

    #[test]
    fn an_owner_or_a_part_of_a_compound_is_no_name() {
        let says = |text: &str| occurrences(text, "load").next().is_some();
        assert!(says("`load`") && says("`a.load()`") && says("It is load."));
        for text in ["`load.now()`", "`load::Now`", r"`load\Now`", "pre-load", "a load-test", "`$load->now`"]
        {
            assert!(!says(text), "{text}");
        }
    }
}
