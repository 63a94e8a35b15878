//! `using` of C#: namespaces are spread over files, so an edge leads to the files that define what is used.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use craig_chunk::{ChunkKind, Reference, ReferenceKind};
use craig_source::Language;

use super::{Beyond, Implicit, ImplicitKind, Target, nearest};
use crate::declared::Ecosystem;
use crate::packages::Packages;
use crate::workspace::{FileIx, Workspace};

pub(super) struct Types<'w> {
    workspace: &'w Workspace,
    packages: &'w Packages,
    namespaces: HashMap<String, BTreeMap<String, Vec<FileIx>>>,
}

impl<'w> Types<'w> {
    pub(super) fn new(workspace: &'w Workspace, packages: &'w Packages) -> Self {
        let mut namespaces: HashMap<String, BTreeMap<String, Vec<FileIx>>> = HashMap::new();
        for (at, file) in workspace.files_in(&[Language::CSharp]) {
            let types = file.symbols.iter().filter(|symbol| {
                use ChunkKind::{Class, Enum, Interface, Type};
                matches!(symbol.kind, Class | Enum | Interface | Type)
            });
            for symbol in types {
                let parent = symbol.parent.as_deref().unwrap_or_default();
                let own = file
                    .references
                    .packages
                    .iter()
                    .find(|namespace| parent.is_empty() || *namespace == parent);
                let namespace = own.map_or("", String::as_str);
                if own.is_none() && !parent.is_empty() {
                    continue;
                }
                let bare = symbol.name.split('<').next().unwrap_or_default();
                let files =
                    namespaces.entry(namespace.to_owned()).or_default().entry(bare.to_owned()).or_default();
                if !files.contains(&at) {
                    files.push(at);
                }
            }
        }
        Self { workspace, packages, namespaces }
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        let target = import.target.trim_start_matches("global::");
        let is_type = import.kind == ReferenceKind::StaticImport || import.alias.is_some();
        if is_type && let Some(file) = self.type_named(from, target) {
            return vec![Target::File(file)];
        }
        let mut targets: Vec<Target> = match self.namespaces.get(target) {
            Some(types) => self.used(from, types).into_keys().map(Target::File).collect(),
            None => Vec::new(),
        };
        // A project may add to the namespace of a package that it uses.
        let path = &self.workspace.files[from].path;
        let is_own = self.namespaces.contains_key(target) || self.has_inside(target);
        let is_declared = || match is_own {
            true => self.packages.declares_exactly(path, Ecosystem::NuGet, target),
            false => self.packages.declares(path, Ecosystem::NuGet, target),
        };
        match () {
            () if is_declared() => targets.push(Target::Package(Ecosystem::NuGet, target.to_owned())),
            () if is_own => {}
            () => targets.push(outside(target)),
        }
        targets
    }

    fn type_named(&self, from: FileIx, qualified: &str) -> Option<FileIx> {
        let (namespace, name) = qualified.rsplit_once('.')?;
        nearest(self.workspace, from, self.namespaces.get(namespace)?.get(name)?)
    }

    /// Whether some namespace of the project begins so.
    fn has_inside(&self, target: &str) -> bool {
        self.namespaces.keys().any(|name| name.strip_prefix(target).is_some_and(|rest| rest.starts_with('.')))
    }

    fn used(&self, from: FileIx, types: &BTreeMap<String, Vec<FileIx>>) -> BTreeMap<FileIx, u32> {
        let mut found = BTreeMap::new();
        for used in &self.workspace.files[from].references.uses {
            let Some(files) = types.get(&used.name).filter(|files| !files.contains(&from)) else { continue };
            if let Some(to) = nearest(self.workspace, from, files) {
                found.entry(to).or_insert(used.line);
            }
        }
        found
    }

    /// Types of the enclosing namespaces.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        let mut visible: BTreeSet<&str> = BTreeSet::from([""]);
        for namespace in &self.workspace.files[from].references.packages {
            let mut name = namespace.as_str();
            while !name.is_empty() {
                visible.insert(name);
                name = name.rsplit_once('.').map_or("", |(above, _)| above);
            }
        }
        for types in visible.into_iter().filter_map(|namespace| self.namespaces.get(namespace)) {
            let used = self.used(from, types).into_iter();
            beyond.files.extend(used.map(|(to, line)| Implicit {
                to,
                line,
                kind: ImplicitKind::SamePackage,
            }));
        }
        beyond
    }
}

fn outside(target: &str) -> Target {
    match target == "System" || target.starts_with("System.") {
        true => Target::Standard,
        false => Target::Package(Ecosystem::NuGet, target.to_owned()),
    }
}
