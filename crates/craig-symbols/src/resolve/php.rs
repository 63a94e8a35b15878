//! `use` and `include` of PHP: classes by their qualified names, files by their paths.

use std::collections::HashMap;

use craig_chunk::{Reference, ReferenceKind};
use craig_source::Language;
use craig_text::path::{ancestors, folder, join};

use super::{Beyond, Implicit, ImplicitKind, Target, nearest};
use crate::declared::Ecosystem;
use crate::packages::Packages;
use crate::workspace::{FileIx, SourceFile, Workspace};

pub(super) struct Types<'w> {
    workspace: &'w Workspace,
    packages: &'w Packages,
    /// Files by the qualified names of classes, functions and constants at top level.
    names: HashMap<String, Vec<FileIx>>,
    namespaces: HashMap<String, usize>,
}

impl<'w> Types<'w> {
    pub(super) fn new(workspace: &'w Workspace, packages: &'w Packages) -> Self {
        let mut types = Self { workspace, packages, names: HashMap::new(), namespaces: HashMap::new() };
        for (at, file) in workspace.files_in(&[Language::Php]) {
            let namespace = namespace_of(file);
            let mut above = namespace;
            while !above.is_empty() {
                *types.namespaces.entry(above.to_owned()).or_default() += 1;
                above = above.rsplit_once('\\').map_or("", |(above, _)| above);
            }
            for symbol in &file.symbols {
                let parent = symbol.parent.as_deref().unwrap_or_default();
                if parent.is_empty() || parent == namespace {
                    let files = types.names.entry(qualified(namespace, &symbol.name)).or_default();
                    if !files.contains(&at) {
                        files.push(at);
                    }
                }
            }
        }
        types
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        if import.kind == ReferenceKind::Include {
            return vec![self.included(from, &import.target).map_or(Target::Unknown, Target::File)];
        }
        let prefix = import.target.trim_matches('\\');
        match import.names.is_empty() {
            true => vec![self.named(from, prefix)],
            false => import.names.iter().map(|name| self.named(from, &qualified(prefix, name))).collect(),
        }
    }

    fn named(&self, from: FileIx, name: &str) -> Target {
        if let Some(file) = self.names.get(name).and_then(|files| nearest(self.workspace, from, files)) {
            return Target::File(file);
        }
        // PHP's own classes have names of one part, as have those of a few packages.
        let is_standard = || {
            let path = &self.workspace.files[from].path;
            !name.contains('\\') && !self.packages.declares(path, Ecosystem::Packagist, name)
        };
        match () {
            () if is_standard() => Target::Standard,
            () if self.namespaces.contains_key(name) => Target::Unknown,
            () => Target::Package(Ecosystem::Packagist, name.to_owned()),
        }
    }

    /// Relative to the file, else to a folder above it.
    fn included(&self, from: FileIx, written: &str) -> Option<FileIx> {
        let here = folder(&self.workspace.files[from].path);
        ancestors(here).find_map(|folder| self.workspace.file(&join(folder, written)?))
    }

    /// Classes of the same namespace, and names written out.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        let file = &self.workspace.files[from];
        let namespace = namespace_of(file);
        let is_imported = |name: &str| {
            file.references.imports.iter().any(|import| {
                import.target.rsplit('\\').next() == Some(name) || import.names.iter().any(|own| own == name)
            })
        };
        for used in &file.references.uses {
            let (name, kind) = match used.name.strip_prefix('\\') {
                Some(absolute) => (absolute.to_owned(), ImplicitKind::QualifiedName),
                None if is_imported(&used.name) => continue,
                None => (qualified(namespace, &used.name), ImplicitKind::SamePackage),
            };
            let Some(files) = self.names.get(&name).filter(|files| !files.contains(&from)) else { continue };
            if let Some(to) = nearest(self.workspace, from, files) {
                beyond.files.push(Implicit { to, line: used.line, kind });
            }
        }
        beyond
    }
}

fn namespace_of(file: &SourceFile) -> &str {
    file.references.packages.first().map_or("", String::as_str)
}

fn qualified(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}\\{name}") }
}
