//! Names that may be defined in other files without being imported by their name.

use std::collections::BTreeMap;
use std::mem;

use craig_source::Language;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::Descent;
use crate::grammar::{Form, Style, line, text};
use crate::names::{Imported, NameId, Names, Occurrence, OccurrenceIx, Role, Site, Source, Value};

/// Names longer than this are generated or no names.
const MAX_NAME_BYTES: usize = 200;
/// Parts of a qualified name.
const MAX_PARTS: usize = 32;

/// Notes what the occurrences of a file use.
pub(super) fn of_names(style: &Style, names: &Names, used: &mut BTreeMap<String, u32>) {
    // Of a name that stands by itself again and again, the first place is enough, unless it may be a part of another.
    let mut is_noted = vec![false; names.texts.len()];
    let mut is_new = |occurrence: &Occurrence| {
        let is_bare = matches!(occurrence.site, Site::Bare | Site::Lexical(_));
        style.whole
            || !is_bare
            || occurrence.role == Role::Import
            || !mem::replace(&mut is_noted[occurrence.name.0 as usize], true)
    };
    let found: Vec<Option<String>> = names
        .occurrences
        .iter()
        .map(|occurrence| is_new(occurrence).then(|| style.name(names, occurrence))?)
        .collect();
    let outer = if style.whole { style.outer_parts(names, &found) } else { FxHashSet::default() };
    for (at, name) in found.into_iter().enumerate() {
        if let Some(name) = name.filter(|_| !outer.contains(&at)) {
            note(&name, names.occurrences[at].line, used);
        }
    }
}

impl Style {
    fn name(&self, names: &Names, occurrence: &Occurrence) -> Option<String> {
        if occurrence.role == Role::Import || !occurrence.is_written() {
            return None;
        }
        let last = || names.text(occurrence.name).to_owned();
        let name = match self.form {
            Form::Member => Some(last()),
            Form::Last => self.path(names, occurrence, 0).map(|_| last()),
            Form::Path(_) => self.path(names, occurrence, 0),
        };
        name.filter(|name| (self.is_wanted)(name))
    }

    /// Occurrences that are parts of the qualified name of another one, or of a definition's: `class A::B`.
    fn outer_parts(&self, names: &Names, found: &[Option<String>]) -> FxHashSet<usize> {
        let put_into = names.definitions.iter().filter(|_| self.is_put_into);
        let owners: FxHashSet<(NameId, u32)> =
            put_into.filter_map(|found| Some((found.owner?, found.line))).collect();
        let occurrences = names.occurrences.iter().enumerate();
        let of_definitions = occurrences.filter(|(_, found)| owners.contains(&(found.name, found.line)));
        let named = names.occurrences.iter().zip(found).filter(|(_, name)| name.is_some());
        let of_names = named.filter_map(|(occurrence, _)| Some(qualifier(occurrence)? as usize));
        of_definitions.map(|(at, _)| at).chain(of_names).collect()
    }

    /// The qualified name, as far as it consists of names alone.
    fn path(&self, names: &Names, occurrence: &Occurrence, n_parts: usize) -> Option<String> {
        let name = names.text(occurrence.name);
        match occurrence.site {
            Site::Bare | Site::Lexical(_) => Some(name.to_owned()),
            Site::Import(at) => {
                let import = names.imports.get(at as usize)?;
                let is_full_path = import.local.is_none() && matches!(import.what, Imported::Name(_));
                is_full_path.then(|| self.join(&format!("{}{}", self.root, names.text(import.module)), name))
            }
            Site::Member(_) => {
                let of = names.occurrences.get(qualifier(occurrence)? as usize)?;
                if n_parts > MAX_PARTS || self.qualified_by.is_some_and(|role| role != of.role) {
                    return None;
                }
                Some(self.join(&self.path(names, of, n_parts + 1)?, name))
            }
            Site::Key(_) | Site::Local => None,
        }
    }

    fn join(&self, before: &str, name: &str) -> String {
        let separator = if let Form::Path(separator) = self.form { separator } else { "" };
        format!("{before}{separator}{name}")
    }
}

/// The occurrence of which one is a member, as in `A::B`.
fn qualifier(occurrence: &Occurrence) -> Option<OccurrenceIx> {
    match occurrence.site {
        Site::Member(Value::Itself(Source::Occurrence(of))) => Some(of),
        _ => None,
    }
}

/// Collects the names that a node of a kind uses, in languages whose names are not read; whether to visit its children.
pub(super) fn collect(
    language: Language,
    (node, kind): (Node<'_>, &str),
    source: &str,
    used: &mut BTreeMap<String, u32>,
) -> Descent {
    match language {
        Language::Scala if kind.ends_with("identifier") && node.named_child_count() == 0 => {
            note(text(node, source), line(node), used);
            Descent::Inside
        }
        Language::Elixir if kind == "alias" => {
            note(text(node, source), line(node), used);
            Descent::Beside
        }
        _ => Descent::Inside,
    }
}

fn note(name: &str, at: u32, used: &mut BTreeMap<String, u32>) {
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return;
    }
    match used.get_mut(name) {
        Some(first) => *first = at.min(*first),
        None => drop(used.insert(name.to_owned(), at)),
    }
}
