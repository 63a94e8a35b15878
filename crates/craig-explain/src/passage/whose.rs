//! Whose name a text says: that of the subject, or of another thing that is called alike.

use craig_chunk::ChunkKind;
use craig_text::whole_words;

use crate::context::{Subject, is_same_owner, owner_likeness};
use crate::library::Library;
use crate::names::{is_in_span, trailing_name, words_of};

/// Whose a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whose {
    /// What stands before its dot is another owner, module or variable than the subject's.
    Foreign,
    /// Nothing says whose it is.
    Unknown,
    /// What stands before its dot is the project.
    Project,
    /// What stands before its dot is what the subject belongs to, or where it is defined.
    Own,
}

/// What stands for the owner itself inside of it.
const SELF: &[&str] = &["this", "self", "cls", "super", "my", "parent", "static"];

/// Whose name a text mentions, by the qualifier before it. The subject's own in one place outweighs another's in the next;
/// `Unknown` if the text does not mention the name, or no qualifier decides.
pub(super) fn whose(library: &Library, subject: &Subject, name: &str, text: &str) -> Whose {
    let places = occurrences(text, name).map(|at| match qualifier(&text[..at]) {
        Some(written) => whose_is(library, subject, written),
        None => Whose::Unknown,
    });
    let places: Vec<Whose> = places.collect();
    let surest = places.iter().copied().max().unwrap_or(Whose::Unknown);
    match surest {
        Whose::Unknown if places.contains(&Whose::Foreign) => Whose::Foreign,
        Whose::Unknown if mentions_owner(subject, name, text) => Whose::Own,
        _ => surest,
    }
}

/// Whether a text mentions a name and, as code, its owner: "the `Mutation` property of your `Schema`".
fn mentions_owner(subject: &Subject, name: &str, text: &str) -> bool {
    let is_span = |at: usize| is_in_span(text, at);
    let owner = subject.owner.as_deref().filter(|owner| owner.len() > 2 && *owner != name);
    owner.is_some_and(|owner| whole_words(text, owner).any(is_span)) && occurrences(text, name).any(is_span)
}

/// Where a text says a name as a thing of its own: neither the owner of another one, as in `Client.close`, nor a part of a
/// compound, as in "client-side" and `http-client`.
pub(super) fn occurrences<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
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
pub(super) fn whose_is(library: &Library, subject: &Subject, written: &str) -> Whose {
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
    if library.is_project(written) || library.is_main_qualifier(written) {
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
        let mentions = |text: &str| occurrences(text, "load").next().is_some();
        assert!(mentions("`load`") && mentions("`a.load()`") && mentions("It is load."));
        for text in ["`load.now()`", "`load::Now`", r"`load\Now`", "pre-load", "a load-test", "`$load->now`"]
        {
            assert!(!mentions(text), "{text}");
        }
    }
}
