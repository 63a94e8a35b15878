//! What one file refers to in the packages that it imports: the file and the packages are bound as one project.

use std::collections::BTreeMap;

use craig_chunk::names::Names;
use craig_store::{ProjectId, Store};
use craig_text::path::under;
use rayon::ThreadPool;

use crate::bind::Binder;
use crate::modules::{Entity, Modules};
use crate::table::{Family, Table};
use crate::{
    Ecosystem, FileIx, IsCancelled, Packages, Resolver, SourceFile, SymbolDefinition, SymbolError,
    SymbolReference, Workspace, json,
};

/// Folder of the packages in the project that they are bound in. No file of a user is in a folder of this name.
const FOLDER: &str = "\u{1}packages";

/// Packages are loaded until they have so many occurrences of names, about 150 MB; further ones are left out.
const MAX_OCCURRENCES: usize = 3_000_000;

/// A package whose files are a project of the store.
#[derive(Clone, Copy, Debug)]
pub struct PackageFiles<'a> {
    /// Its package manager.
    pub ecosystem: Ecosystem,
    /// The name by which code imports it.
    pub name: &'a str,
    /// The project of the store.
    pub project: ProjectId,
}

/// A reference from the file to a definition in a package.
#[derive(Clone, Debug)]
pub struct ImportedReference {
    /// Line of the occurrence, 1-based.
    pub line: u32,
    /// Byte in its line, 0-based.
    pub column: u32,
    /// How sure it is that the occurrence refers to this definition, in percent.
    pub confidence: u8,
    /// Index of the package.
    pub package: usize,
    /// Path of the definition in the package.
    pub path: String,
    /// The definition. Its `file` and `parent` are indexes that nothing else has.
    pub definition: SymbolDefinition,
    /// Name of the type or module that has it as a member.
    pub owner: Option<String>,
}

/// A module of a package that the file imports as a whole.
#[derive(Clone, Debug)]
pub struct ImportedModule {
    /// Index of the import among those of the file's names.
    pub import: u32,
    /// Index of the package.
    pub package: usize,
    /// Paths of its files in the package: one, or all of a package of Go.
    pub paths: Vec<String>,
}

/// What a file refers to in packages.
#[derive(Clone, Debug, Default)]
pub struct ImportedNames {
    /// References to definitions, in file order.
    pub references: Vec<ImportedReference>,
    /// Imports of modules.
    pub modules: Vec<ImportedModule>,
}

/// What a file refers to in packages. `manifests` are those of the file's project. Whatever
/// else the project has is unknown here.
pub fn imported(
    store: &Store,
    (file, names): (SourceFile, Names),
    manifests: &Workspace,
    packages: &[PackageFiles<'_>],
    pool: &ThreadPool,
    is_cancelled: IsCancelled<'_>,
) -> Result<ImportedNames, SymbolError> {
    let path = file.path.clone();
    let mut files = vec![(file, names)];
    let mut texts: BTreeMap<String, String> =
        manifests.texts().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    let mut n_occurrences = 0;
    for (at, package) in packages.iter().enumerate() {
        if n_occurrences >= MAX_OCCURRENCES {
            break;
        }
        let loaded = Workspace::load_with_names(store, package.project, pool, |_| false, is_cancelled)?;
        n_occurrences += loaded.1.iter().map(|names| names.occurrences.len()).sum::<usize>();
        add_package(&format!("{FOLDER}/{at}"), package, loaded, &mut files, &mut texts);
    }
    files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let (files, names): (Vec<SourceFile>, Vec<Names>) = files.into_iter().unzip();
    let workspace = Workspace::new(files, texts);
    let from = workspace.file(&path);
    Ok(from.map_or(ImportedNames::default(), |from| pool.install(|| bind(&workspace, &names, from))))
}

fn bind(workspace: &Workspace, names: &[Names], from: FileIx) -> ImportedNames {
    let packages = Packages::read(workspace);
    let resolver = Resolver::new(workspace, &packages);
    let table = Table::new(workspace, names);
    let modules = Modules::new(&table, &resolver);
    let definitions = table.symbols();
    let reference = |found: SymbolReference| {
        let definition = definitions.get(found.symbol as usize)?;
        let (package, path) = in_package(&workspace.files.get(definition.file as usize)?.path)?;
        let owner = definition.parent.and_then(|parent| definitions.get(parent as usize));
        Some(ImportedReference {
            line: found.line,
            column: found.column,
            confidence: found.confidence,
            package,
            path: path.to_owned(),
            definition: definition.clone(),
            owner: owner.map(|owner| owner.name.clone()),
        })
    };
    let found = Binder::new(&table, &modules).references(from).into_iter();
    let mut references: Vec<ImportedReference> = found.filter_map(reference).collect();
    references.sort_by_key(|found| (found.line, found.column));
    let n_imports = names.get(from).map_or(0, |names| names.imports.len() as u32);
    let module = |import: u32| {
        let files = modules.import(from, import).into_iter().flat_map(|of| files_of(&table, of));
        let paths = files.filter_map(|file| in_package(&workspace.files.get(file)?.path));
        let paths: Vec<(usize, &str)> = paths.collect();
        let &(package, _) = paths.first()?;
        let of_package = paths.iter().filter(|(of, _)| *of == package);
        Some(ImportedModule {
            import,
            package,
            paths: of_package.map(|(_, path)| (*path).to_owned()).collect(),
        })
    };
    ImportedNames { references, modules: (0..n_imports).filter_map(module).collect() }
}

/// The files of a module, or of a package of Go.
fn files_of(table: &Table<'_>, module: Entity) -> Vec<FileIx> {
    match module {
        Entity::Module(file) => vec![file],
        Entity::Package(group) => {
            let groups = table.group_of.iter().enumerate();
            groups
                .filter(|&(file, of)| *of == group && table.families[file] == Family::Go)
                .map(|(file, _)| file)
                .collect()
        }
        Entity::Symbol(_) | Entity::External => Vec::new(),
    }
}

/// Index of the package that a path is in, and the path in it.
fn in_package(path: &str) -> Option<(usize, &str)> {
    let (package, path) = path.strip_prefix(FOLDER)?.strip_prefix('/')?.split_once('/')?;
    Some((package.parse().ok()?, path))
}

/// Adds the files of a package below a folder, with a manifest by which imports find them.
fn add_package(
    folder: &str,
    package: &PackageFiles<'_>,
    (workspace, names): (Workspace, Vec<Names>),
    files: &mut Vec<(SourceFile, Names)>,
    texts: &mut BTreeMap<String, String>,
) {
    if let Some((name, text)) = manifest(package, &workspace) {
        texts.insert(under(folder, name), text);
    }
    files.extend(workspace.files.into_iter().zip(names).map(|(mut file, names)| {
        file.path = under(folder, &file.path);
        // A package may be about testing.
        file.is_test = false;
        (file, names)
    }));
}

fn manifest(package: &PackageFiles<'_>, workspace: &Workspace) -> Option<(&'static str, String)> {
    match package.ecosystem {
        Ecosystem::Npm => {
            let own =
                workspace.text("package.json").and_then(json::parse).filter(serde_json::Value::is_object);
            let mut manifest = own.unwrap_or_else(|| serde_json::json!({}));
            // `@types/express` declares `express`.
            manifest["name"] = package.name.into();
            Some(("package.json", manifest.to_string()))
        }
        Ecosystem::Cargo => {
            let own = workspace.text("Cargo.toml").map(str::to_owned);
            Some(("Cargo.toml", own.unwrap_or_else(|| format!("[package]\nname = {:?}\n", package.name))))
        }
        Ecosystem::Go => Some(("go.mod", format!("module {}\n", package.name))),
        _ => None,
    }
}
