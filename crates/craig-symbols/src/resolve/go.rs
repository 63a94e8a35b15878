//! Imports of Go: packages are folders below the path of a module; an edge leads to the files that define what is used.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use craig_chunk::{ChunkKind, Reference};
use craig_source::Language;
use craig_text::path::{folder, join, name, under};

use super::{Beyond, Implicit, ImplicitKind, Target};
use crate::declared::Ecosystem;
use crate::workspace::{FileIx, Workspace};

/// Names of a package and where they are defined; in several files where these are built for different systems.
type Definitions = BTreeMap<String, Vec<FileIx>>;

#[derive(Default)]
struct Package {
    name: String,
    files: Vec<FileIx>,
    definitions: Definitions,
    /// What its inner tests define, which its tests alone can see.
    of_tests: Definitions,
    /// What its outer tests define, those of the package called after it with `_test`.
    of_outer_tests: Definitions,
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
            .flat_map(|(path, text)| {
                let own = module_path(text).map(|module| (module, folder(path).to_owned()));
                own.into_iter().chain(replaced(folder(path), text))
            })
            .collect();
        if modules.is_empty() {
            modules.extend(module_of_imports(workspace));
        }
        modules.sort_by_key(|(path, _)| (std::cmp::Reverse(path.len()), path.clone()));
        modules.dedup_by(|b, a| a.0 == b.0);
        let mut folders: BTreeMap<&str, Vec<FileIx>> = BTreeMap::new();
        for (at, file) in workspace.files_in(&[Language::Go]) {
            folders.entry(folder(&file.path)).or_default().push(at);
        }
        let packages =
            folders.into_iter().map(|(folder, files)| (folder.to_owned(), package(workspace, &files)));
        Self { workspace, modules, packages: packages.collect() }
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        let inside = self.modules.iter().find_map(|(module, folder)| {
            let rest = import.target.strip_prefix(module.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| under(folder, rest.trim_start_matches('/')))
        });
        let package = inside.as_deref().and_then(|folder| self.packages.get(folder));
        match (package, &inside) {
            (Some(package), Some(at)) => {
                let sees_tests = is_compiled_for_tests(&self.workspace.files[from].path)
                    && folder(&self.workspace.files[from].path) == at;
                let files = self.used_of(from, import, package, sees_tests);
                files.into_iter().map(Target::File).collect()
            }
            (_, Some(_)) => vec![Target::Unknown],
            (_, None) => vec![outside(&import.target)],
        }
    }

    /// The files of a package that define what `from` uses of it; all when it uses nothing by name.
    fn used_of(&self, from: FileIx, import: &Reference, package: &Package, sees_tests: bool) -> Vec<FileIx> {
        let called = import.alias.as_deref().unwrap_or(&package.name);
        let uses = &self.workspace.files[from].references.uses;
        let of_use = |name: &str| {
            let name = if called == "." { name } else { name.strip_prefix(called)?.strip_prefix('.')? };
            Some(package.defined_in(name.split('.').next()?, sees_tests))
        };
        let used: BTreeSet<FileIx> = uses.iter().filter_map(|used| of_use(&used.name)).flatten().collect();
        if used.is_empty() { package.files.clone() } else { used.into_iter().collect() }
    }

    /// Names of other files of the same package.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        let file = &self.workspace.files[from];
        let Some(package) = self.packages.get(folder(&file.path)) else { return beyond };
        let Some(clause) = file.references.packages.first() else { return beyond };
        let is_outer = clause.strip_suffix("_test") == Some(&package.name);
        if !is_outer && *clause != package.name {
            return beyond;
        }
        for used in &file.references.uses {
            let name = used.name.split('.').next().unwrap_or_default();
            if name != used.name && self.imports_as(from, name) {
                continue;
            }
            let files: Vec<FileIx> = match is_outer {
                true => package.of_outer_tests.get(name).cloned().unwrap_or_default(),
                false => package.defined_in(name, is_compiled_for_tests(&file.path)).collect(),
            };
            if !files.contains(&from) {
                let of = |to| Implicit { to, line: used.line, kind: ImplicitKind::SamePackage };
                beyond.files.extend(files.into_iter().map(of));
            }
        }
        beyond
    }

    /// Whether a file calls a package that it imports so.
    fn imports_as(&self, from: FileIx, name: &str) -> bool {
        self.workspace.files[from].references.imports.iter().any(|import| match &import.alias {
            Some(alias) => alias == name,
            None => import.target.split('/').any(|part| part == name),
        })
    }
}

impl Package {
    fn defined_in<'p>(&'p self, name: &str, sees_tests: bool) -> impl Iterator<Item = FileIx> + use<'p> {
        let of_tests = self.of_tests.get(name).filter(|_| sees_tests);
        self.definitions.get(name).into_iter().chain(of_tests).flatten().copied()
    }
}

/// What only tests see, by the rule of the toolchain: other files of tests, such as those in `testdata`, belong to no package.
fn is_compiled_for_tests(path: &str) -> bool {
    name(path).ends_with("_test.go")
}

/// The package of a folder's files. Programs that only generate code for it may lie beside it.
fn package(workspace: &Workspace, files: &[FileIx]) -> Package {
    let clause = |at: FileIx| workspace.files[at].references.packages.first().map_or("", String::as_str);
    let (tests, code): (Vec<FileIx>, Vec<FileIx>) =
        files.iter().copied().partition(|&at| is_compiled_for_tests(&workspace.files[at].path));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &at in &code {
        *counts.entry(clause(at)).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|&(name, n)| (name != "main", n));
    let name = most.map_or("", |(name, _)| name);
    let (inner, outer): (Vec<FileIx>, Vec<FileIx>) = tests.into_iter().partition(|&at| clause(at) == name);
    let code: Vec<FileIx> = code.into_iter().filter(|&at| clause(at) == name).collect();
    Package {
        definitions: definitions(workspace, &code),
        of_tests: definitions(workspace, &inner),
        of_outer_tests: definitions(workspace, &outer),
        name: name.to_owned(),
        files: code,
    }
}

fn definitions(workspace: &Workspace, files: &[FileIx]) -> Definitions {
    let mut found = Definitions::new();
    for &at in files {
        // Nobody can refer to `_` and `init`.
        let symbols = workspace.files[at].symbols.iter().filter(|symbol| {
            symbol.parent.is_none()
                && symbol.kind != ChunkKind::Method
                && !matches!(symbol.name.as_str(), "_" | "init")
        });
        for symbol in symbols {
            let files = found.entry(symbol.name.clone()).or_default();
            if !files.contains(&at) {
                files.push(at);
            }
        }
    }
    found
}

/// Modules that a `go.mod` takes from folders of the project: `replace a/b => ../b`.
fn replaced<'t>(here: &'t str, text: &'t str) -> impl Iterator<Item = (String, String)> + 't {
    text.lines().filter_map(move |line| {
        let (module, place) = line.split("//").next()?.split_once("=>")?;
        let module = module.trim().trim_start_matches("replace").split_whitespace().next()?;
        let place = place.trim();
        let folder = place.starts_with('.').then(|| join(here, place))??;
        Some((module.to_owned(), folder))
    })
}

/// The path of the module and its folder where no `go.mod` is: what most imports have before the path of a folder. One folder
/// alone could be called like a package of others, unless two parts of its path agree.
fn module_of_imports(workspace: &Workspace) -> Option<(String, String)> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut targets: BTreeSet<&str> = BTreeSet::new();
    for (_, file) in workspace.files_in(&[Language::Go]) {
        let here = folder(&file.path);
        folders.entry(name(here)).or_default().insert(here);
        let imports = file.references.imports.iter().map(|import| import.target.as_str());
        targets.extend(imports.filter(|target| matches!(outside(target), Target::Package(..))));
    }
    let mut votes: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for target in targets {
        for here in folders.get(name(target)).into_iter().flatten().filter(|here| !here.is_empty()) {
            let n_shared = target
                .rsplit('/')
                .zip(here.rsplit('/'))
                .take_while(|(a, b)| a == b)
                .map(|(a, _)| a.len() + 1)
                .sum();
            let before = |path: &'_ str| path.len().saturating_sub(n_shared);
            // A module has a path of its own.
            if n_shared < target.len() {
                let key = (&target[..before(target)], &here[..before(here)]);
                votes.entry(key).or_default().insert(&target[before(target) + 1..]);
            }
        }
    }
    let best =
        votes.into_iter().max_by_key(|((module, _), subs)| (subs.len(), std::cmp::Reverse(module.len())));
    let ((module, place), subs) = best?;
    let is_sure = subs.len() > 1 || subs.iter().any(|sub| sub.contains('/'));
    is_sure.then(|| (module.to_owned(), place.to_owned()))
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
