//! Imports of Go: packages are folders below the path of a module; an edge leads to the files that define what is used.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use craig_chunk::{ChunkKind, Reference};
use craig_source::Language;

use super::{Beyond, Implicit, ImplicitKind, Target};
use crate::packages::Ecosystem;
use crate::paths::{folder, name, under};
use crate::workspace::{FileIx, Workspace};

#[derive(Default)]
struct Package {
    name: String,
    files: Vec<FileIx>,
    /// Where its names are defined; in several files where these are built for different systems.
    definitions: BTreeMap<String, Vec<FileIx>>,
}

pub(super) struct Modules<'w> {
    workspace: &'w Workspace,
    /// Module paths with their folders, longest first.
    modules: Vec<(String, String)>,
    packages: HashMap<String, Package>,
}

impl<'w> Modules<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Self {
        let mut modules: Vec<(String, String)> = workspace
            .manifests_named("go.mod")
            .filter_map(|(path, text)| Some((module_path(text)?, folder(path).to_owned())))
            .collect();
        modules.sort_by_key(|(path, _)| (std::cmp::Reverse(path.len()), path.clone()));
        let mut packages: HashMap<String, Package> = HashMap::new();
        for (at, file) in workspace.of_languages(&[Language::Go]) {
            if name(&file.path).ends_with("_test.go") {
                continue;
            }
            let package = packages.entry(folder(&file.path).to_owned()).or_default();
            if package.files.is_empty() {
                package.name = file.references.packages.first().cloned().unwrap_or_default();
            }
            package.files.push(at);
            for symbol in file
                .symbols
                .iter()
                .filter(|symbol| symbol.parent.is_none() && symbol.kind != ChunkKind::Method)
            {
                let files = package.definitions.entry(symbol.name.clone()).or_default();
                if !files.contains(&at) {
                    files.push(at);
                }
            }
        }
        Self { workspace, modules, packages }
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        let inside = self.modules.iter().find_map(|(module, folder)| {
            let rest = import.target.strip_prefix(module.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| under(folder, rest.trim_start_matches('/')))
        });
        let package = inside.as_deref().and_then(|folder| self.packages.get(folder));
        match (package, inside) {
            (Some(package), _) => self.used_of(from, import, package).into_iter().map(Target::File).collect(),
            (None, Some(_)) => vec![Target::Unknown],
            (None, None) => vec![outside(&import.target)],
        }
    }

    /// The files of a package that define what `from` uses of it; all when it uses nothing by name.
    fn used_of(&self, from: FileIx, import: &Reference, package: &Package) -> Vec<FileIx> {
        let called = import.alias.as_deref().unwrap_or(&package.name);
        let uses = &self.workspace.files[from].references.uses;
        let of_use = |name: &str| {
            let name = if called == "." { name } else { name.strip_prefix(called)?.strip_prefix('.')? };
            package.definitions.get(name.split('.').next()?)
        };
        let used: BTreeSet<FileIx> =
            uses.iter().filter_map(|used| of_use(&used.name)).flatten().copied().collect();
        if used.is_empty() { package.files.clone() } else { used.into_iter().collect() }
    }

    /// Names of other files of the same package.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        let file = &self.workspace.files[from];
        let Some(package) = self.packages.get(folder(&file.path)) else { return beyond };
        if file.references.packages.first() != Some(&package.name) {
            return beyond;
        }
        for used in &file.references.uses {
            for &to in package.definitions.get(&used.name).into_iter().flatten() {
                if package.definitions[&used.name].contains(&from) {
                    continue;
                }
                beyond.files.push(Implicit { to, line: used.line, kind: ImplicitKind::SamePackage });
            }
        }
        beyond
    }
}

/// The path that a `go.mod` gives its module.
fn module_path(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let path = line.split("//").next()?.trim().trim_matches('"');
    (!path.is_empty()).then(|| path.to_owned())
}

/// Paths without a dot in their first part are of the standard library.
fn outside(target: &str) -> Target {
    let first = target.split('/').next().unwrap_or(target);
    match first.contains('.') {
        true => Target::Package(Ecosystem::Go, target.to_owned()),
        false => Target::Standard,
    }
}
