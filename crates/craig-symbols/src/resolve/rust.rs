//! Paths of Rust: the tree of modules of each crate, `crate`, `super` and `self`, crates of the workspace.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use craig_chunk::{Reference, ReferenceKind};
use craig_source::Language;
use craig_text::path::{ancestors, file_stem, folder, is_in, join, name, under};
use toml::Table;

use super::{Beyond, Implicit, ImplicitKind, Target};
use crate::declared::Ecosystem;
use crate::packages::Packages;
use crate::workspace::{FileIx, Workspace};

/// A module by its crate's root and its path in it.
type Module = (FileIx, Vec<String>);

/// Modules nested deeper than this come from files that include each other.
const MAX_DEPTH: usize = 32;

/// Imports that bring in what another import brought in are followed so far.
const MAX_PASSED_ON: usize = 8;

/// Crates that come with Rust.
const STANDARD: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

/// A search for a module through imports: modules that import all of each other have many ways to each name.
#[derive(Default)]
struct Passing {
    /// What imports of a module were found to bring in under a name.
    known: HashMap<(Module, String), Option<Module>>,
    depth: usize,
}

pub(super) struct Crates<'w> {
    workspace: &'w Workspace,
    packages: &'w Packages,
    /// Roots of libraries by the name that code calls them.
    libraries: HashMap<String, Vec<FileIx>>,
    /// Folders of manifests with the name of their package.
    names: HashMap<String, String>,
    /// Folders of manifests with the root of their library or program.
    roots: BTreeMap<String, FileIx>,
    modules: HashMap<Module, FileIx>,
    places: HashMap<FileIx, Module>,
}

impl<'w> Crates<'w> {
    pub(super) fn new(workspace: &'w Workspace, packages: &'w Packages) -> Self {
        let mut crates = Self {
            workspace,
            packages,
            libraries: HashMap::new(),
            names: HashMap::new(),
            roots: BTreeMap::new(),
            modules: HashMap::new(),
            places: HashMap::new(),
        };
        let mut roots = Vec::new();
        for (path, text) in workspace.manifests_named("Cargo.toml") {
            if let Ok(manifest) = text.parse::<Table>() {
                roots.extend(crates.package(folder(path), &manifest));
            }
        }
        let loose = crates.loose_roots();
        roots.extend(loose);
        roots.extend(crates.roots_without_manifest());
        for root in roots {
            crates.grow(root, root, Vec::new());
        }
        crates.adopt();
        crates.place_by_folders();
        crates
    }

    /// Gives files that no `mod` names, as a macro declares them, the place that they lie in, with the modules they declare.
    fn adopt(&mut self) {
        let mut files: Vec<FileIx> =
            self.workspace.files_in(&[Language::Rust]).map(|(file, _)| file).collect();
        let workspace = self.workspace;
        files.sort_by_key(|&file| ancestors(&workspace.files[file].path).count());
        for file in files {
            if self.places.contains_key(&file) {
                continue;
            }
            let path = &workspace.files[file].path;
            let is_folder = name(path) == "mod.rs";
            let (here, own) = match is_folder {
                true => (folder(folder(path)), name(folder(path))),
                false => (folder(path), file_stem(path)),
            };
            let parents = ["mod.rs", "lib.rs", "main.rs"].map(|name| under(here, name));
            let beside = format!("{here}.rs");
            let parent = parents.iter().chain([&beside]).find_map(|path| workspace.file(path));
            let Some((root, module)) = parent.and_then(|parent| self.places.get(&parent)) else { continue };
            let (root, module) = (*root, [&module[..], &[own.to_owned()]].concat());
            self.modules.entry((root, module.clone())).or_insert(file);
            self.grow(root, file, module);
        }
    }

    /// Notes a package; gives the roots of its crates, the library first.
    fn package(&mut self, folder: &str, manifest: &Table) -> Vec<FileIx> {
        let Some(package) = manifest.get("package").and_then(|package| package.get("name")?.as_str()) else {
            return Vec::new();
        };
        self.names.insert(folder.to_owned(), package.to_owned());
        let library = manifest.get("lib");
        let text = |value: Option<&toml::Value>, key: &str| {
            value.and_then(|value| value.get(key)?.as_str().map(str::to_owned))
        };
        let called = text(library, "name").unwrap_or_else(|| package.to_owned()).replace('-', "_");
        let file = |path: &str| self.workspace.file(&join(folder, path)?);
        let root = file(&text(library, "path").unwrap_or_else(|| "src/lib.rs".to_owned()));
        let mut roots: Vec<FileIx> = root.into_iter().collect();
        roots.extend(file("src/main.rs"));
        for kind in ["bin", "example", "test", "bench"] {
            let targets = manifest.get(kind).and_then(toml::Value::as_array).into_iter().flatten();
            roots.extend(targets.filter_map(|target| file(target.get("path")?.as_str()?)));
        }
        let build = manifest.get("package").and_then(|package| package.get("build")?.as_str());
        roots.extend(file(build.unwrap_or("build.rs")));
        if let Some(root) = root {
            self.libraries.entry(called).or_default().push(root);
        }
        if let Some(&first) = roots.first() {
            self.roots.insert(folder.to_owned(), first);
        }
        roots
    }

    /// Programs, tests, examples and benches that a manifest need not name.
    fn loose_roots(&self) -> Vec<FileIx> {
        let folders: HashSet<String> =
            self.workspace.manifests_named("Cargo.toml").map(|(path, _)| folder(path).to_owned()).collect();
        let is_root = |path: &str| {
            ["src/bin", "tests", "examples", "benches"].iter().any(|place| {
                let here = folder(path);
                let direct = here.strip_suffix(place).map(|above| above.trim_end_matches('/'));
                let deeper = folder(here).strip_suffix(place).map(|above| above.trim_end_matches('/'));
                direct.is_some_and(|above| folders.contains(above))
                    || name(path) == "main.rs" && deeper.is_some_and(|above| folders.contains(above))
            })
        };
        let files = self.workspace.files_in(&[Language::Rust]);
        files.filter(|(_, file)| is_root(&file.path)).map(|(at, _)| at).collect()
    }

    /// Whether a manifest lies above a file.
    fn has_manifest(&self, file: FileIx) -> bool {
        let path = &self.workspace.files[file].path;
        ancestors(folder(path)).any(|above| self.workspace.text(&under(above, "Cargo.toml")).is_some())
    }

    /// `lib.rs` and `main.rs` where no manifest is: a library is called like the folder around its `src`.
    fn roots_without_manifest(&mut self) -> Vec<FileIx> {
        let is_root = |path: &str| matches!(name(path), "lib.rs" | "main.rs");
        let files = self.workspace.files_in(&[Language::Rust]);
        let mut roots: Vec<FileIx> = files
            .filter(|(at, file)| is_root(&file.path) && !self.has_manifest(*at))
            .map(|(at, _)| at)
            .collect();
        // The library first: a program beside it belongs to the same crate.
        roots.sort_by_key(|&root| {
            (folder(&self.workspace.files[root].path), name(&self.workspace.files[root].path))
        });
        for &root in &roots {
            let path = &self.workspace.files[root].path;
            let here = folder(path);
            let around = if name(here) == "src" { folder(here) } else { here };
            self.roots.entry(around.to_owned()).or_insert(root);
            if name(path) == "lib.rs" && !around.is_empty() {
                self.libraries.entry(name(around).replace('-', "_")).or_default().push(root);
            }
        }
        roots
    }

    /// Gives files without a manifest that no root reaches the place they lie in, below the nearest `src` or, without any, the
    /// highest folder with such files. The first of these stands for the crate.
    fn place_by_folders(&mut self) {
        let mut crates: BTreeMap<String, Vec<FileIx>> = BTreeMap::new();
        let files: Vec<FileIx> = self.workspace.files_in(&[Language::Rust]).map(|(at, _)| at).collect();
        let loose = files.into_iter().filter(|at| !self.places.contains_key(at) && !self.has_manifest(*at));
        let loose: Vec<FileIx> = loose.collect();
        let folders: HashSet<&str> = loose.iter().map(|&at| folder(&self.workspace.files[at].path)).collect();
        for &file in &loose {
            let here = folder(&self.workspace.files[file].path);
            let source = ancestors(here).find(|above| name(above) == "src");
            let highest = ancestors(here).filter(|above| folders.contains(above)).last();
            if let Some(base) = source.or(highest) {
                crates.entry(base.to_owned()).or_default().push(file);
            }
        }
        for (base, files) in crates {
            let root = self.workspace.file(&under(&base, "lib.rs"));
            let root = root.or_else(|| self.workspace.file(&under(&base, "main.rs")));
            let Some(root) = root.or(files.first().copied()) else { continue };
            for file in files {
                let inner = self.workspace.files[file].path[base.len()..].trim_start_matches('/');
                let mut module: Vec<String> =
                    inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
                if module.last().is_some_and(|last| last == "mod") {
                    module.pop();
                }
                // Folders without a file of their own lead to those inside of them.
                for depth in 1..module.len() {
                    self.modules.entry((root, module[..depth].to_vec())).or_insert(file);
                }
                self.modules.insert((root, module.clone()), file);
                self.places.insert(file, (root, module));
            }
        }
    }

    /// Follows `mod` from a file of a crate.
    fn grow(&mut self, root: FileIx, from: FileIx, path: Vec<String>) {
        let mut open = VecDeque::from([(from, path)]);
        let mut seen = HashSet::from([from]);
        while let Some((file, path)) = open.pop_front() {
            self.places.entry(file).or_insert((root, path.clone()));
            self.modules.entry((root, path.clone())).or_insert(file);
            for import in &self.workspace.files[file].references.imports {
                for depth in 1..=import.within.len() {
                    let inline = [&path[..], &import.within[..depth]].concat();
                    self.modules.entry((root, inline)).or_insert(file);
                }
                let Some(inner) = self.declared(file, file == root, import) else { continue };
                let name = import.target.trim_start_matches("self::").trim_start_matches("r#").to_owned();
                let path = [&path[..], &import.within, &[name]].concat();
                if path.len() < MAX_DEPTH && seen.insert(inner) {
                    open.push_back((inner, path));
                } else {
                    self.modules.entry((root, path)).or_insert(inner);
                }
            }
        }
    }

    /// The file of `mod x;`.
    fn declared(&self, file: FileIx, is_root: bool, import: &Reference) -> Option<FileIx> {
        if import.kind != ReferenceKind::Module {
            return None;
        }
        let path = &self.workspace.files[file].path;
        let is_folder = is_root || matches!(name(path), "mod.rs" | "lib.rs" | "main.rs");
        let base = if is_folder { folder(path).to_owned() } else { under(folder(path), file_stem(path)) };
        if let Some(written) = &import.path {
            let base = if import.within.is_empty() { folder(path).to_owned() } else { base };
            return self.workspace.file(&join(&under(&base, &import.within.join("/")), written)?);
        }
        let name = import.target.trim_start_matches("self::").trim_start_matches("r#");
        let at = under(&under(&base, &import.within.join("/")), name);
        self.workspace.file(&format!("{at}.rs")).or_else(|| self.workspace.file(&format!("{at}/mod.rs")))
    }

    /// The module of a file; for files that no crate reaches, by where they lie.
    fn place(&self, file: FileIx) -> Option<Module> {
        if let Some(place) = self.places.get(&file) {
            return Some(place.clone());
        }
        let path = &self.workspace.files[file].path;
        let root = ancestors(folder(path)).find_map(|folder| self.roots.get(folder))?;
        let source = folder(&self.workspace.files[*root].path);
        if !is_in(path, source) {
            return None;
        }
        let inner = path[source.len()..].trim_start_matches('/');
        let mut parts: Vec<String> = inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        Some((*root, parts))
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        if import.kind == ReferenceKind::Module {
            let is_root = self.places.get(&from).is_some_and(|(root, path)| *root == from && path.is_empty());
            let file = self.declared(from, is_root, import);
            return vec![file.map_or(Target::Unknown, Target::File)];
        }
        let whole = |name: &String| matches!(name.as_str(), "*" | "self");
        let mut targets = Vec::new();
        let paths: Vec<String> =
            match import.names.is_empty() {
                true => vec![import.target.clone()],
                false => import
                    .names
                    .iter()
                    .map(|name| {
                        if whole(name) { import.target.clone() } else { format!("{}::{name}", import.target) }
                    })
                    .collect(),
            };
        for path in paths {
            let target = self.path(from, &path, &import.within, true);
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets
    }

    /// What a path means in a file. Within expressions its first part may be a type or a variable, so that only declared
    /// packages count.
    fn path(&self, from: FileIx, path: &str, within: &[String], is_import: bool) -> Target {
        let path = path.trim_start_matches("::");
        let parts: Vec<&str> = path.split("::").map(|part| part.trim().trim_start_matches("r#")).collect();
        let Some(&first) = parts.first() else { return Target::Unknown };
        if let Some((start, rest)) = self.start(from, &parts, within) {
            return self.descend(start, rest);
        }
        if matches!(first, "super" | "self" | "crate") {
            return Target::Unknown;
        }
        if STANDARD.contains(&first) {
            return Target::Standard;
        }
        if self.packages.declares_crate(&self.workspace.files[from].path, first) {
            return Target::Package(Ecosystem::Cargo, first.to_owned());
        }
        if !is_import {
            return Target::Unknown;
        }
        self.of_local_name(from, first, within)
    }

    /// The module in which a path begins, and what is left of the path there.
    fn start<'p>(
        &self,
        from: FileIx,
        parts: &'p [&'p str],
        within: &[String],
    ) -> Option<(Module, &'p [&'p str])> {
        let (&first, rest) = parts.split_first()?;
        let place = self.place(from);
        if let Some((root, module)) = &place {
            let here = [&module[..], within].concat();
            match first {
                "crate" | "$crate" => return Some(((*root, Vec::new()), rest)),
                "self" => return Some(((*root, here), rest)),
                "super" => return above((*root, here), parts),
                _ => {}
            }
            let child = (*root, [&here[..], &[first.to_owned()]].concat());
            if self.modules.contains_key(&child) {
                return Some((child, rest));
            }
        }
        if STANDARD.contains(&first) {
            return None;
        }
        if let Some(root) = self.library(from, first) {
            return Some(((root, Vec::new()), rest));
        }
        let (root, module) = place?;
        let here = (root, [&module[..], within].concat());
        if let Some(brought) = self.brought(&here, first, &mut Passing::default()) {
            return Some((brought, rest));
        }
        // In the 2015 edition, paths of imports begin at the root, if they do not begin with a declared crate.
        if self.packages.declares_crate(&self.workspace.files[from].path, first) {
            return None;
        }
        let top = (root, vec![first.to_owned()]);
        self.modules.contains_key(&top).then_some((top, rest))
    }

    /// `use Kind::*`, where `Kind` is defined or imported in the same file.
    fn of_local_name(&self, from: FileIx, name: &str, within: &[String]) -> Target {
        let file = &self.workspace.files[from];
        let path = file.references.imports.iter().find_map(|import| path_of(import, name));
        match path.filter(|path| path.split("::").next() != Some(name)) {
            Some(path) => self.path(from, &path, within, false),
            None if file.symbols.iter().any(|symbol| symbol.name == name) => Target::File(from),
            None => Target::Unknown,
        }
    }

    /// The file of the deepest module on the way.
    fn descend(&self, start: Module, parts: &[&str]) -> Target {
        let mut at = start;
        for (n_before, part) in parts.iter().enumerate() {
            let is_last = n_before + 1 == parts.len();
            let next = match is_last {
                true => self.last_step(&at, part),
                false => self.step(&at, part, &mut Passing::default()),
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        self.file_of(at).map_or(Target::Unknown, Target::File)
    }

    /// The file of a module; an inline one without imports is in that of the nearest module above.
    fn file_of(&self, (root, mut module): Module) -> Option<FileIx> {
        loop {
            if let Some(&file) = self.modules.get(&(root, module.clone())) {
                return Some(file);
            }
            module.pop()?;
        }
    }

    /// The module called `name` in another, its own or one that it imports.
    fn step(&self, at: &Module, name: &str, passing: &mut Passing) -> Option<Module> {
        self.child(at, name).or_else(|| self.brought(at, name, passing))
    }

    /// The module that a path ends with. `pub use sleep::sleep` beside `mod sleep`: `sleep` alone is the function.
    fn last_step(&self, at: &Module, name: &str) -> Option<Module> {
        match self.child(at, name) {
            Some(child) => (!self.passes_on(at, name)).then_some(child),
            None => {
                self.brought(at, name, &mut Passing::default()).filter(|brought| !self.is_passed_on(brought))
            }
        }
    }

    /// Whether the module around a module re-exports something under its name.
    fn is_passed_on(&self, module: &Module) -> bool {
        module.1.split_last().is_some_and(|(name, around)| self.passes_on(&(module.0, around.to_vec()), name))
    }

    fn child(&self, at: &Module, name: &str) -> Option<Module> {
        let child = (at.0, [&at.1[..], &[name.to_owned()]].concat());
        self.modules.contains_key(&child).then_some(child)
    }

    /// The module that `use` statements of a module bring into it under a name.
    fn brought(&self, at: &Module, name: &str, passing: &mut Passing) -> Option<Module> {
        let key = (at.clone(), name.to_owned());
        if let Some(known) = passing.known.get(&key) {
            return known.clone();
        }
        if passing.depth >= MAX_PASSED_ON {
            return None;
        }
        // What is met again on the way to itself is not found there.
        passing.known.insert(key.clone(), None);
        passing.depth += 1;
        let found =
            self.imports_of(at).find_map(|(file, import)| self.brought_by((file, import), at, name, passing));
        passing.depth -= 1;
        passing.known.insert(key, found.clone());
        found
    }

    /// The module that one `use` statement brings in under a name.
    fn brought_by(
        &self,
        (file, import): (FileIx, &Reference),
        at: &Module,
        name: &str,
        passing: &mut Passing,
    ) -> Option<Module> {
        if let Some(path) = path_of(import, name) {
            return self.module(file, &path, &import.within, passing);
        }
        if !import.names.iter().any(|name| name == "*") {
            return None;
        }
        let all = self.module(file, &import.target, &import.within, passing)?;
        (all != *at).then(|| self.step(&all, name, passing))?
    }

    /// The module that a path names, whole.
    fn module(&self, from: FileIx, path: &str, within: &[String], passing: &mut Passing) -> Option<Module> {
        let parts: Vec<&str> = path.trim_start_matches("::").split("::").map(str::trim).collect();
        let (root, module) = self.place(from)?;
        let here = (root, [&module[..], within].concat());
        let (mut at, rest) = match parts[0] {
            "crate" | "$crate" => ((root, Vec::new()), &parts[1..]),
            "self" => (here, &parts[1..]),
            "super" => above(here, &parts)?,
            first => match self.library(from, first) {
                Some(library) => ((library, Vec::new()), &parts[1..]),
                None => (here, &parts[..]),
            },
        };
        for part in rest {
            at = self.step(&at, part, passing)?;
        }
        Some(at)
    }

    /// Whether a module re-exports something under a name.
    fn passes_on(&self, at: &Module, name: &str) -> bool {
        self.imports_of(at).any(|(_, import)| {
            import.kind == ReferenceKind::Reexport
                && path_of(import, name)
                    .is_some_and(|path| path.contains("::") && path != format!("self::{name}"))
        })
    }

    /// The `use` statements of a module, with its file.
    fn imports_of(&self, at: &Module) -> impl Iterator<Item = (FileIx, &Reference)> {
        let file = self.modules.get(at).copied();
        let n_own = file.and_then(|file| self.places.get(&file)).map_or(0, |(_, module)| module.len());
        let within: Vec<String> = at.1.get(n_own..).unwrap_or_default().to_vec();
        let imports = file.into_iter().flat_map(|file| {
            self.workspace.files[file].references.imports.iter().map(move |import| (file, import))
        });
        imports.filter(move |(_, import)| import.kind != ReferenceKind::Module && import.within == within)
    }

    /// The library of the project that a file calls `name`: of its own package, or of one that its manifest declares.
    fn library(&self, from: FileIx, name: &str) -> Option<FileIx> {
        let path = &self.workspace.files[from].path;
        let real = self.packages.renamed_crate(path, name);
        let found = self.libraries.get(real.as_deref().unwrap_or(name))?;
        let is_usable = |library: &FileIx| match (self.manifest_of(from), self.manifest_of(*library)) {
            (Some(own), Some(other)) if own != other => {
                self.packages.declares_own_crate(own, &self.names[other])
            }
            _ => true,
        };
        let found: Vec<FileIx> = found.iter().copied().filter(is_usable).collect();
        super::nearest(self.workspace, from, &found)
    }

    /// The folder of the manifest of a file's package.
    pub(super) fn manifest_of(&self, file: FileIx) -> Option<&str> {
        ancestors(folder(&self.workspace.files[file].path)).find(|above| self.names.contains_key(*above))
    }

    /// Paths written out in expressions, types and macros.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        for used in &self.workspace.files[from].references.uses {
            match self.path(from, &used.name, &[], false) {
                Target::File(to) if to != from => {
                    beyond.files.push(Implicit { to, line: used.line, kind: ImplicitKind::QualifiedName });
                }
                Target::Package(ecosystem, name) => beyond.packages.push((ecosystem, name, used.line)),
                _ => {}
            }
        }
        beyond
    }
}

/// The module so many `super` above, and what is left of the path.
fn above<'p>((root, mut module): Module, parts: &'p [&'p str]) -> Option<(Module, &'p [&'p str])> {
    let n_up = parts.iter().take_while(|part| **part == "super").count();
    for _ in 0..n_up {
        module.pop()?;
    }
    Some(((root, module), &parts[n_up..]))
}

/// The path by which an import brings a name in.
fn path_of(import: &Reference, name: &str) -> Option<String> {
    if let Some(alias) = &import.alias {
        let whole =
            || import.names.iter().fold(import.target.clone(), |path, name| format!("{path}::{name}"));
        return (alias == name).then(whole);
    }
    if import.names.iter().any(|brought| brought == name) {
        return Some(format!("{}::{name}", import.target));
    }
    let is_last = import.names.is_empty() || import.names.iter().any(|name| name == "self");
    let last = import.target.rsplit("::").next();
    (is_last && last == Some(name)).then(|| import.target.clone())
}
