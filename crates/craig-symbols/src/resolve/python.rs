//! Imports of Python: relative and absolute, `src` layouts, packages with and without `__init__`, stubs.

use std::collections::{BTreeSet, HashMap};

use craig_chunk::Reference;
use craig_source::Language;
use craig_text::path::{ancestors, file_stem, folder, name, under};

use super::{Target, nearest, standard};
use crate::declared::Ecosystem;
use crate::workspace::{FileIx, Workspace};

/// Folders beside a project's files that hold its packages.
const SOURCE_FOLDERS: &[&str] = &["src", "lib", "python", "source"];
/// Modules that a folder shares with a package that is imported, for it to be taken for that package: at least so many, and
/// four of five.
const MIN_SHARED_MODULES: usize = 3;

pub(super) struct Modules<'w> {
    workspace: &'w Workspace,
    /// Folders that hold a top-level module or package of a name.
    parents: HashMap<String, BTreeSet<String>>,
    /// Folders with modules, and all above them.
    folders: BTreeSet<String>,
    /// Folders that hold a folder of a name that is no package itself, but may have some: `google` of `google.cloud`.
    namespaces: HashMap<String, BTreeSet<String>>,
    /// Folders of packages that are imported by another name than the folder's, by that name: an installer gives it
    /// (`package_dir`), or the folder that the project is checked out into.
    renamed: HashMap<String, String>,
}

/// What a dotted name is.
enum Module {
    File(FileIx),
    /// A package without `__init__`.
    Folder(String),
}

impl<'w> Modules<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Self {
        let mut modules = Self {
            workspace,
            parents: HashMap::new(),
            folders: BTreeSet::new(),
            namespaces: HashMap::new(),
            renamed: HashMap::new(),
        };
        for (_, file) in workspace.files_in(&[Language::Python]) {
            for above in ancestors(folder(&file.path)) {
                if !modules.folders.insert(above.to_owned()) {
                    break;
                }
            }
            modules.add_parents(&file.path);
        }
        modules.namespaces = modules.find_namespaces();
        modules.renamed = modules.find_renamed();
        modules
    }

    fn find_namespaces(&self) -> HashMap<String, BTreeSet<String>> {
        let mut found: HashMap<String, BTreeSet<String>> = HashMap::new();
        for at in self.folders.iter().filter(|at| !at.is_empty() && !self.is_package(at)) {
            found.entry(name(at).to_owned()).or_default().insert(folder(at).to_owned());
        }
        found
    }

    /// Packages that no folder is named like, with the folder that has nearly all the modules that are imported from them.
    fn find_renamed(&self) -> HashMap<String, String> {
        let parents = self.parents_of_modules();
        let nearly_all = |modules: &BTreeSet<&str>| {
            let mut shared: HashMap<&str, usize> = HashMap::new();
            for folder in modules.iter().filter_map(|module| parents.get(module)).flatten() {
                *shared.entry(folder).or_default() += 1;
            }
            let (folder, n) = shared.into_iter().max_by_key(|&(folder, n)| (n, std::cmp::Reverse(folder)))?;
            (n >= MIN_SHARED_MODULES && n * 5 >= modules.len() * 4).then(|| folder.to_owned())
        };
        let packages = self.modules_of_missing_packages().into_iter();
        packages.filter_map(|(name, modules)| Some((name.to_owned(), nearly_all(&modules)?))).collect()
    }

    /// What is imported from packages of which no folder has the name, by package.
    fn modules_of_missing_packages(&self) -> HashMap<&str, BTreeSet<&str>> {
        let mut imported: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        let files = self.workspace.files_in(&[Language::Python]);
        for import in files.flat_map(|(_, file)| &file.references.imports) {
            let mut parts = import.target.split('.');
            let package = parts.next().unwrap_or_default();
            let is_known = self.parents.contains_key(package) || standard::is_python_module(package);
            if package.is_empty() || is_known {
                continue;
            }
            let modules = imported.entry(package).or_default();
            match parts.next() {
                Some(module) => modules.extend([module]),
                None => modules.extend(import.names.iter().map(String::as_str).filter(|name| *name != "*")),
            }
        }
        imported
    }

    /// The folders that have a module or package of a name, by that.
    fn parents_of_modules(&self) -> HashMap<&str, BTreeSet<&str>> {
        let mut parents: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for (_, file) in self.workspace.files_in(&[Language::Python]) {
            let parent = folder(&file.path);
            let (module, parent) = match file_stem(&file.path) {
                "__init__" if parent.is_empty() => continue,
                "__init__" => (name(parent), folder(parent)),
                module => (module, parent),
            };
            parents.entry(module).or_default().insert(parent);
        }
        parents
    }

    /// Notes under which name a file is found from outside of its packages, unless it is a script without extension.
    fn add_parents(&mut self, path: &str) {
        if !name(path).contains('.') {
            return;
        }
        let mut top = path;
        let mut parent = folder(path);
        while self.is_package(parent) {
            top = parent;
            parent = folder(parent);
        }
        let top = if top == path { file_stem(path) } else { name(top) };
        self.parents.entry(top.to_owned()).or_default().insert(parent.to_owned());
    }

    fn is_package(&self, folder: &str) -> bool {
        let has = |name: &str| self.workspace.file(&under(folder, name)).is_some();
        !folder.is_empty() && (has("__init__.py") || has("__init__.pyi"))
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        let dots = import.target.len() - import.target.trim_start_matches('.').len();
        let parts: Vec<&str> =
            import.target[dots..].split('.').map(str::trim).filter(|p| !p.is_empty()).collect();
        let found = match dots {
            0 => self.absolute(from, &parts, &import.names),
            _ => self.relative(from, dots, &parts),
        };
        match found {
            Some(module) => self.named(module, &import.names),
            None if dots > 0 => vec![Target::Unknown],
            None => vec![outside(&parts)],
        }
    }

    fn relative(&self, from: FileIx, dots: usize, parts: &[&str]) -> Option<Module> {
        let here = folder(&self.workspace.files[from].path);
        let base = ancestors(here).nth(dots - 1)?;
        self.module(base, parts)
    }

    /// The module below `base`.
    fn module(&self, base: &str, parts: &[&str]) -> Option<Module> {
        let path = under(base, &parts.join("/"));
        let file = |path: String| self.workspace.file(&path);
        if !parts.is_empty() {
            let found = file(format!("{path}/__init__.py"))
                .or_else(|| file(format!("{path}.py")))
                .or_else(|| file(format!("{path}/__init__.pyi")))
                .or_else(|| file(format!("{path}.pyi")))
                .or_else(|| file(format!("{path}.pyx")));
            if let Some(found) = found {
                return Some(Module::File(found));
            }
        } else if let Some(found) =
            file(under(base, "__init__.py")).or_else(|| file(under(base, "__init__.pyi")))
        {
            return Some(Module::File(found));
        }
        self.folders.contains(&path).then_some(Module::Folder(path))
    }

    /// By the folders in which Python would look, nearest first. A folder that has not one of the names is not the package
    /// that is meant: tests often lie in folders named like those of the package that they test.
    fn absolute(&self, from: FileIx, parts: &[&str], names: &[String]) -> Option<Module> {
        let has_names = |module: &Module| match module {
            Module::File(_) => true,
            Module::Folder(folder) => {
                names.is_empty() || names.iter().any(|name| self.module(folder, &[name]).is_some())
            }
        };
        let first = *parts.first()?;
        let path = &self.workspace.files[from].path;
        let mut root = folder(path);
        while self.is_package(root) {
            root = folder(root);
        }
        // A script sees what lies beside it, even what is called like a module of Python.
        if let Some(found) = self.module(root, parts).filter(has_names) {
            return Some(found);
        }
        if standard::is_python_module(first) {
            return None;
        }
        let above = ancestors(root).flat_map(|folder| {
            let beside = SOURCE_FOLDERS.iter().map(move |source| under(folder, source));
            std::iter::once(folder.to_owned()).chain(beside)
        });
        let mut above = above.filter_map(|folder| self.module(&folder, parts)).filter(has_names);
        let found = above.next().or_else(|| self.anywhere(from, parts));
        found.or_else(|| self.module(self.renamed.get(first)?, &parts[1..]))
    }

    /// A package of another part of the project, but not of its tests' sample data.
    fn anywhere(&self, from: FileIx, parts: &[&str]) -> Option<Module> {
        let first = *parts.first()?;
        let mut files = Vec::new();
        let mut first_folder = None;
        for root in self.parents.get(first).into_iter().flatten() {
            match self.module(root, parts) {
                Some(Module::File(file)) => files.push(file),
                Some(Module::Folder(folder)) => first_folder = first_folder.or(Some(folder)),
                None => {}
            }
        }
        // The name of a namespace alone may be that of any folder.
        let namespaces = self.namespaces.get(first).filter(|_| parts.len() > 1).into_iter().flatten();
        files.extend(namespaces.filter_map(|root| match self.module(root, parts)? {
            Module::File(file) => Some(file),
            Module::Folder(_) => None,
        }));
        files.retain(|&file| !self.workspace.files[file].is_test);
        let file = nearest(self.workspace, from, &files).map(Module::File);
        file.or(first_folder.map(Module::Folder))
    }

    /// What `from module import names` brings in: submodules by their own files.
    fn named(&self, module: Module, names: &[String]) -> Vec<Target> {
        let (base, own) = match &module {
            Module::File(file) => {
                let path = &self.workspace.files[*file].path;
                (file_stem(path) == "__init__")
                    .then(|| folder(path).to_owned())
                    .map_or((None, Some(*file)), |folder| (Some(folder), Some(*file)))
            }
            Module::Folder(folder) => (Some(folder.clone()), None),
        };
        let of_name = |name: &String| {
            let submodule =
                base.as_deref().filter(|_| name != "*").and_then(|base| match self.module(base, &[name]) {
                    Some(Module::File(file)) => Some(file),
                    _ => None,
                });
            submodule.or(own).map_or(Target::Unknown, Target::File)
        };
        if names.is_empty() {
            return vec![own.map_or(Target::Unknown, Target::File)];
        }
        let mut targets: Vec<Target> = Vec::new();
        for target in names.iter().map(of_name) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets
    }
}

fn outside(parts: &[&str]) -> Target {
    match parts.first() {
        None => Target::Unknown,
        Some(first) if standard::is_python_module(first) => Target::Standard,
        Some(_) => Target::Package(Ecosystem::PyPi, parts.join(".")),
    }
}
