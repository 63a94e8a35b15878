//! Names that several things of a project have, told apart by what they belong to.

use std::collections::BTreeSet;

use craig_chunk::ChunkKind;

use crate::context::{CodeContext, Subject, is_same_owner, owner_likeness};
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
    fn what_belongs_to_no_type_belongs_to_its_file() {
        let subject = Subject {
            name: "record".into(),
            homes: vec!["src".into(), "Guard".into()],
            ..Subject::default()
        };
        assert_eq!(namesakes(&subject, &[holder("Guard", &[]), holder("Decoder", &[])]), ["Decoder"]);
    }
}
