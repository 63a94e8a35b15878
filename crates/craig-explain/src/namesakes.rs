//! Names that several things of a project have, told apart by what they belong to.

use std::collections::BTreeSet;

use craig_chunk::ChunkKind;
use craig_source::Language;
use craig_text::PathRole;

use crate::context::{CodeContext, Subject, homes, is_same_owner, owner_likeness};
use crate::names::COMMON_FILES;

/// What the code of a project defines.
pub trait Definitions {
    /// What each definition of a name belongs to.
    fn holders(&self, name: &str) -> Vec<Holder>;
}

/// What a definition belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its type, else its file without folders and endings.
    pub name: String,
    /// Whether that is a type.
    pub is_type: bool,
    /// What the members belong to that it overrides or implements.
    pub overrides: Vec<String>,
    /// Whether the definition itself is a type.
    pub holds_type: bool,
    /// Its file.
    pub path: String,
}

impl CodeContext {
    /// Notes for each function and member what else of the project has its name, and what it overrides.
    pub fn distinguish(&mut self, code: &dyn Definitions) {
        let Some(first) = self.subjects.first() else { return };
        let name = first.name.clone();
        let of_first = code.holders(&name);
        let bases = bases(first, &of_first);
        self.subjects.splice(1..1, bases);
        for subject in self.subjects.iter_mut().filter(|subject| subject.kind.is_some()) {
            let of_other = (subject.name != name).then(|| code.holders(&subject.name));
            let holders = of_other.as_deref().unwrap_or(&of_first);
            if may_have_namesakes(subject) {
                subject.namesakes = namesakes(subject, holders);
            }
            // Ruby opens a class again in any file.
            if subject.owner.is_none() && self.language != Language::Ruby {
                subject.variants = variants(subject, &self.file_name, holders);
            }
        }
    }
}

/// The members that a member overrides or implements, each as something that may be asked about.
fn bases(subject: &Subject, holders: &[Holder]) -> Vec<Subject> {
    let own = holders.iter().filter(|holder| Some(&holder.name) == subject.owner.as_ref());
    let owners: BTreeSet<&String> = own.flat_map(|holder| &holder.overrides).collect();
    let base = |owner: &String| Subject {
        owner: Some(owner.clone()),
        ancestors: Vec::new(),
        is_base: true,
        ..subject.clone()
    };
    owners.into_iter().map(base).collect()
}

/// What sets the file of a definition apart from each other file that defines the same name. Of functions and values only that
/// of a former version counts: several files may define the same one for several platforms.
fn variants(subject: &Subject, path: &str, holders: &[Holder]) -> Vec<Vec<String>> {
    let is_type = matches!(subject.kind, Some(ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum));
    let is_code = |path: &str| {
        !matches!(PathRole::from_path(path), PathRole::Test | PathRole::Example) && !path.ends_with(".d.ts")
    };
    let version = newest_version(&subject.homes);
    let is_other = |holder: &&Holder| {
        let is_former = version < newest_version(&homes(&holder.path));
        let is_alike = is_type && holder.holds_type || is_former;
        is_alike && !holder.is_type && holder.path != path && is_code(&holder.path)
    };
    let apart = |holder: &Holder| -> Vec<String> {
        let other = homes(&holder.path);
        let is_common = |part: &str| COMMON_FILES.contains(&part) || part.ends_with("Main");
        let is_own = |part: &&String| !other.contains(part) && !is_common(part);
        subject.homes.iter().filter(is_own).cloned().collect()
    };
    let found: BTreeSet<Vec<String>> = holders.iter().filter(is_other).map(apart).collect();
    found.into_iter().filter(|apart| !apart.is_empty()).collect()
}

/// The version that a path says to be one of, `v1`; those of none are the newest.
fn newest_version(homes: &[String]) -> u32 {
    let versions = homes.iter().filter_map(|part| part.strip_prefix('v')?.parse().ok());
    versions.max().unwrap_or(u32::MAX)
}

/// Whether other things may have the subject's name and be described for it: types are hardly ever taken for another, and
/// what is made to be mixed in belongs to what mixes it in.
fn may_have_namesakes(subject: &Subject) -> bool {
    let is_mixed_in =
        |owner: &str| owner == "Companion" || owner.ends_with("Methods") || owner.ends_with("Mixin");
    matches!(subject.kind, Some(ChunkKind::Method | ChunkKind::Function | ChunkKind::Constant))
        && !subject.owner.as_deref().is_some_and(is_mixed_in)
}

/// Types whose names share more of their words may be the same thing: `RealBufferedSource`, `BufferedSource`.
pub(crate) const ALIKE: f32 = 0.5;

/// What has a subject's name and neither is its own type nor overrides the same member.
fn namesakes(subject: &Subject, holders: &[Holder]) -> Vec<String> {
    let mut own: BTreeSet<&str> = subject.holders().map(String::as_str).collect();
    loop {
        let n_known = own.len();
        for holder in holders {
            let overrides = || holder.overrides.iter().map(String::as_str);
            if own.contains(holder.name.as_str()) {
                own.extend(overrides());
            } else if overrides().any(|of| own.contains(of)) {
                own.insert(&holder.name);
            }
        }
        if own.len() == n_known {
            break;
        }
    }
    let is_own =
        |name: &str| own.iter().any(|own| is_same_owner(own, name) || owner_likeness(own, name) > ALIKE);
    // Too short, or too common, to say whose something is.
    let is_common = |name: &str| name.len() < 3 || COMMON_FILES.contains(&name);
    // A member is taken for that of another type, a function for that of another file, too.
    let others = holders.iter().filter(|holder| holder.is_type || subject.owner.is_none());
    let others: BTreeSet<&str> = others.map(|holder| holder.name.as_str()).collect();
    others.into_iter().filter(|name| !is_own(name) && !is_common(name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(name: &str, overrides: &[&str]) -> Holder {
        let is_type = name.starts_with(char::is_uppercase);
        Holder {
            name: name.into(),
            is_type,
            overrides: overrides.iter().map(|of| (*of).to_owned()).collect(),
            holds_type: false,
            path: format!("src/{name}.rs"),
        }
    }

    #[test]
    fn what_overrides_the_same_member_is_no_namesake() {
        let subject = Subject { name: "flush".into(), owner: Some("Pipe".into()), ..Subject::default() };
        let holders = [
            holder("Pipe", &["Sink"]),
            holder("Sink", &[]),
            holder("Deflater", &["Sink"]),
            holder("Journal", &[]),
            holder("utils", &[]),
        ];
        assert_eq!(namesakes(&subject, &holders), ["Journal"]);
    }

    #[test]
    fn a_member_may_be_asked_about_as_what_it_overrides() {
        let subject = Subject { name: "flush".into(), owner: Some("Pipe".into()), ..Subject::default() };
        let found = bases(&subject, &[holder("Pipe", &["Sink"]), holder("Journal", &["Log"])]);
        let owners: Vec<_> = found.iter().map(|base| (base.owner.as_deref(), base.is_base)).collect();
        assert_eq!(owners, [(Some("Sink"), true)]);
    }

    #[test]
    fn a_type_of_several_files_is_set_apart_by_its_path() {
        let of = |kind: ChunkKind, path: &str, others: &[&str]| {
            let subject = Subject { kind: Some(kind), homes: homes(path), ..Subject::default() };
            let holder =
                |other: &&str| Holder { holds_type: true, path: (*other).into(), ..holder("x", &[]) };
            let holders: Vec<Holder> = others.iter().map(holder).collect();
            variants(&subject, path, &holders).concat()
        };
        assert_eq!(of(ChunkKind::Class, "pool/thread.py", &["pool/fork.py", "tests/pool.py"]), ["thread"]);
        assert_eq!(of(ChunkKind::Class, "types.py", &["v1/types.py"]), Vec::<String>::new());
        assert_eq!(of(ChunkKind::Constant, "v1/types.py", &["types.py"]), ["v1"]);
        assert_eq!(of(ChunkKind::Constant, "unix/poll.c", &["win/poll.c"]), Vec::<String>::new());
    }

    #[test]
    fn what_belongs_to_no_type_belongs_to_its_file() {
        let subject = Subject {
            name: "record".into(),
            homes: vec!["src".into(), "Guard".into()],
            ..Subject::default()
        };
        assert_eq!(namesakes(&subject, &[holder("Guard", &[]), holder("Decoder", &[])]), ["Decoder"]);
    }
}
