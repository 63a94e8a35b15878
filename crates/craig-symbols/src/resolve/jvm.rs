//! Imports of Java, Kotlin, Scala and Groovy: types by their qualified names, across these languages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use craig_chunk::Reference;
use craig_source::Language;

use super::{Beyond, Implicit, ImplicitKind, Target, nearest};
use crate::declared::Ecosystem;
use crate::workspace::{FileIx, SourceFile, Workspace};

/// Prefixes of what comes with the platform or the language.
const STANDARD: &[&str] = &[
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "scala.",
    "org.w3c.dom",
    "org.xml.sax",
    "groovy.",
];

/// Parts of `javax` that are packages of their own.
const NOT_STANDARD: &[&str] = &[
    "javax.inject",
    "javax.servlet",
    "javax.ws",
    "javax.persistence",
    "javax.validation",
    "javax.enterprise",
    "javax.annotation.Nullable",
    "javax.annotation.Nonnull",
    "javax.annotation.concurrent",
    "javax.json",
    "javax.mail",
];

const LANGUAGES: &[Language] = &[Language::Java, Language::Kotlin, Language::Scala, Language::Groovy];

pub(super) struct Types<'w> {
    workspace: &'w Workspace,
    /// Files by package and simple name.
    packages: HashMap<String, BTreeMap<String, Vec<FileIx>>>,
}

impl<'w> Types<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Self {
        let mut packages: HashMap<String, BTreeMap<String, Vec<FileIx>>> = HashMap::new();
        for (at, file) in workspace.files_in(LANGUAGES) {
            let package = package_of(file);
            let names = packages.entry(package.clone()).or_default();
            for symbol in &file.symbols {
                let parent = symbol.parent.as_deref().unwrap_or_default();
                if !parent.is_empty() && parent != package {
                    continue;
                }
                let files = names.entry(symbol.name.clone()).or_default();
                if !files.contains(&at) {
                    files.push(at);
                }
            }
        }
        Self { workspace, packages }
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        let target: String = import.target.chars().filter(|c| !matches!(c, '`' | ' ')).collect();
        let file = &self.workspace.files[from];
        if file.language == Language::Scala {
            return self.resolve_scala(from, &target, &import.names);
        }
        match import.names.first().is_some_and(|name| name == "*") {
            true => self.all_of(from, &target).unwrap_or_else(|| vec![outside(&target)]),
            false => vec![self.one(from, &target).map_or_else(|| self.unresolved(&target), Target::File)],
        }
    }

    /// Scala also imports relative to the enclosing packages.
    fn resolve_scala(&self, from: FileIx, target: &str, names: &[String]) -> Vec<Target> {
        let package = package_of(&self.workspace.files[from]);
        let target = target.trim_start_matches("_root_.");
        let mut prefixes = vec![String::new()];
        let mut above = package.as_str();
        while !above.is_empty() {
            prefixes.push(format!("{above}."));
            above = above.rsplit_once('.').map_or("", |(above, _)| above);
        }
        let absolute =
            |name: &str| prefixes.iter().find_map(|prefix| self.one(from, &format!("{prefix}{name}")));
        if names.is_empty() {
            return vec![absolute(target).map_or_else(|| self.unresolved(target), Target::File)];
        }
        let mut targets = Vec::new();
        for name in names {
            let found = match name.as_str() {
                "*" | "_" | "given" => {
                    prefixes.iter().find_map(|prefix| self.all_of(from, &format!("{prefix}{target}")))
                }
                name => absolute(&format!("{target}.{name}")).map(|file| vec![Target::File(file)]),
            };
            for target in found.unwrap_or_else(|| vec![self.unresolved(target)]) {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
        }
        targets
    }

    /// The file of a qualified name: of a type, or of what a type has inside.
    fn one(&self, from: FileIx, qualified: &str) -> Option<FileIx> {
        let mut name = qualified;
        while let Some((package, simple)) = name.rsplit_once('.') {
            if let Some(files) = self.packages.get(package).and_then(|names| names.get(simple)) {
                return nearest(self.workspace, from, files);
            }
            name = package;
        }
        None
    }

    /// What a file uses of a package, or the file of the type whose members are imported.
    fn all_of(&self, from: FileIx, target: &str) -> Option<Vec<Target>> {
        let Some(names) = self.packages.get(target) else {
            return self.one(from, target).map(|file| vec![Target::File(file)]);
        };
        let file = &self.workspace.files[from];
        let used = file.references.uses.iter().filter_map(|used| names.get(&used.name));
        let files: BTreeSet<FileIx> =
            used.filter_map(|files| nearest(self.workspace, from, files)).filter(|&to| to != from).collect();
        Some(files.into_iter().map(Target::File).collect())
    }

    /// A name of a package that the project has is no package of others.
    fn unresolved(&self, target: &str) -> Target {
        let package = target.rsplit_once('.').map_or("", |(package, _)| package);
        match self.packages.contains_key(package) {
            true => Target::Unknown,
            false => outside(target),
        }
    }

    /// Types of the same package, and qualified names.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        let file = &self.workspace.files[from];
        let Some(names) = self.packages.get(&package_of(file)) else { return beyond };
        let imported: BTreeSet<&str> = file
            .references
            .imports
            .iter()
            .flat_map(|import| {
                import.names.iter().map(String::as_str).chain(import.target.rsplit('.').next())
            })
            .collect();
        for used in &file.references.uses {
            let (found, kind) = if used.name.contains('.') {
                (self.one(from, &used.name), ImplicitKind::QualifiedName)
            } else if imported.contains(used.name.as_str()) {
                continue;
            } else {
                let files = names.get(&used.name).filter(|files| !files.contains(&from));
                (files.and_then(|files| nearest(self.workspace, from, files)), ImplicitKind::SamePackage)
            };
            if let Some(to) = found.filter(|&to| to != from) {
                beyond.files.push(Implicit { to, line: used.line, kind });
            }
        }
        beyond
    }
}

/// The package of a file; several clauses of Scala nest.
fn package_of(file: &SourceFile) -> String {
    file.references.packages.join(".")
}

fn outside(target: &str) -> Target {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| target.starts_with(prefix));
    if starts(STANDARD) && !starts(NOT_STANDARD) || !target.contains('.') {
        return Target::Standard;
    }
    Target::Package(Ecosystem::Maven, target.to_owned())
}
