//! The packages that a file imports, and what its names refer to in them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use craig_chunk::names::{
    DefinitionKind, Imported, ImportedName, NameId, Names, Occurrence, OccurrenceIx, Site, Source, Value,
    names,
};
use craig_source::Language;
use craig_store::{Project, Store};
use craig_symbols::{
    Declared, Ecosystem, ImportedModule, ImportedNames, ImportedReference, PackageFiles, Packages,
    SourceFile, Workspace, imported, package_name,
};
use craig_text::path::{folder, under};

use super::explain::ImportingCode;
use super::{manager_of, packages_of, used};
use crate::options::StoredPackage;
use crate::stores::PooledStore;
use crate::{Engine, EngineError};

/// A reference counts from this confidence on, in percent: less is a guess by the name alone.
const MIN_CONFIDENCE: u8 = 80;

/// Definitions of one name that are looked at to find its package.
const MAX_ALIKE: usize = 300;

/// Declarations of a package that has none itself.
const TYPES: &str = "@types/";

/// The manifests of a project, and the packages that they declare.
pub(crate) struct Manifests {
    pub(super) workspace: Workspace,
    pub(super) packages: Packages,
}

/// An added package that a file imports.
#[derive(Clone)]
pub(super) struct ImportedPackage {
    ecosystem: Ecosystem,
    pub(super) code: AddedPackage,
    /// The package that has its documents: itself, or the one that it only declares.
    pub(super) documents: AddedPackage,
}

/// A package that was added for a project, with the project of the store that has its files.
pub(super) type AddedPackage = (Project, StoredPackage);

/// The project of code that is asked about.
pub(super) struct ImportingProject<'e> {
    pub(super) store: PooledStore<'e>,
    project: Project,
    pub(super) added: Vec<AddedPackage>,
    /// Path of the code in the project.
    path: String,
}

/// The names of a file with what they are in packages.
pub(crate) struct FileImports {
    path: String,
    text: String,
    /// Generations of the packages that it was bound to.
    generations: Vec<u64>,
    names: Names,
    pub(super) packages: Vec<ImportedPackage>,
    /// Indexes of packages, by modules as imports write them.
    modules: HashMap<String, usize>,
    /// Occurrences of members, by the occurrences that they are members of.
    members: HashMap<OccurrenceIx, OccurrenceIx>,
    /// Indexes of imports, by the names that they have in the file.
    by_local: HashMap<NameId, u32>,
    found: ImportedNames,
}

/// What a name of a file refers to in packages.
#[derive(Default)]
pub(super) struct Referent<'f> {
    /// Index of its occurrence.
    pub(super) occurrence: Option<OccurrenceIx>,
    /// Index of the occurrence of a member of it: of `Parser::from_env`, that of `from_env`.
    pub(super) member: Option<OccurrenceIx>,
    /// The definitions that it surely refers to, the surest first.
    pub(super) definitions: Vec<&'f ImportedReference>,
    /// Whether it is called in a language that selects overloads by their arguments.
    pub(super) has_arguments: bool,
    /// Index of the package that it names as a whole.
    pub(super) package: Option<usize>,
    /// The module of the package that it names.
    pub(super) module: Option<&'f ImportedModule>,
}

impl Referent<'_> {
    /// Whether all its definitions are types or constructors.
    pub(super) fn is_type(&self) -> bool {
        let kinds = self.definitions.iter().map(|found| found.definition.kind);
        kinds.into_iter().all(|kind| kind.is_type() || kind == DefinitionKind::Constructor)
    }
}

impl Engine {
    /// Opens the project of a directory, with its packages. None if it is not ingested, or `explain.packages` is
    /// off.
    pub(super) fn importing(
        &self,
        directory: &Path,
        path: &str,
    ) -> Result<Option<ImportingProject<'_>>, EngineError> {
        // A question creates no database.
        if !self.config().explain_packages || !self.database().may_exist() {
            return Ok(None);
        }
        let Some(handle) = self.project_of_directory(directory)? else { return Ok(None) };
        let store = self.store()?;
        let project = self.find(&store, &handle)?;
        let added = packages_of(&store, &project)?;
        let path = under(&self.folder_in_project(&handle, directory)?, path);
        Ok(Some(ImportingProject { store, project, added, path }))
    }

    /// What the names of a text are in the packages that were added for the project; kept until the text or a package changes.
    pub(super) fn file_imports(
        &self,
        importing: &ImportingProject<'_>,
        code: ImportingCode<'_>,
    ) -> Result<Arc<FileImports>, EngineError> {
        let ImportingProject { store, project, added, path } = importing;
        let generations: Vec<u64> = added.iter().map(|(corpus, _)| corpus.generation).collect();
        let is_current = |kept: &(u64, Arc<FileImports>)| {
            let (generation, kept) = kept;
            *generation == project.generation
                && (kept.path.as_str(), kept.text.as_str()) == (path, code.text)
                && kept.generations == generations
        };
        let make = || {
            let file = SourceFile::read(path, code.language, code.text);
            let manifests = self.manifests_of(store, project)?;
            let (packages, modules) = importing.packages(&manifests, code.language, &file.1)?;
            let names = file.1.clone();
            let files: Vec<PackageFiles<'_>> = packages.iter().map(ImportedPackage::files).collect();
            let pool = self.pool()?;
            let found = imported(store, file, &manifests.workspace, &files, &pool, &|| false)?;
            let (path, text) = (path.clone(), code.text.to_owned());
            let generations = generations.clone();
            let (members, by_local) = (members(&names), by_local(&names));
            let imports =
                FileImports { path, text, generations, names, packages, modules, members, by_local, found };
            Ok::<_, EngineError>((project.generation, Arc::new(imports)))
        };
        Ok(self.imports().get(project.key(), is_current, make)?.1)
    }

    /// The packages that manifests declare and some lines, counted from 1, refer to, but whose documentation was not added.
    pub fn packages_to_add(
        &self,
        directory: &Path,
        code: ImportingCode<'_>,
        (first, last): (u32, u32),
    ) -> Result<Vec<String>, EngineError> {
        let Some(importing) = self.importing(directory, code.path)? else { return Ok(Vec::new()) };
        let manifests = self.manifests_of(&importing.store, &importing.project)?;
        let names = names(code.language, code.text);
        let is_in = |line: u32| (first..=last).contains(&line);
        let in_lines = names.occurrences.iter().filter(|of| of.site == Site::Bare && is_in(of.line));
        let named: HashSet<NameId> = in_lines.map(|of| of.name).collect();
        let is_meant =
            |of: &&ImportedName| is_in(of.line) || of.local.is_some_and(|local| named.contains(&local));
        let mut missing = BTreeSet::new();
        for import in names.imports.iter().filter(is_meant) {
            let Some((ecosystem, key)) = Import::new(&names, import).package(code.language) else { continue };
            let Some(manager) = manager_of(ecosystem) else { continue };
            let is_added = |name: &str| {
                let mut added = importing.added.iter();
                added.any(|(_, package)| package.name == name && package.manager == manager.id())
            };
            let declared = manifests.declared(&importing.path, ecosystem, &key);
            missing.extend(declared.filter(|of| !is_added(&of.name)).map(|of| of.name.clone()));
        }
        Ok(missing.into_iter().collect())
    }
}

impl ImportedPackage {
    /// The name by which code imports it.
    fn called(&self) -> &str {
        self.code.1.name.strip_prefix(TYPES).unwrap_or(&self.code.1.name)
    }

    fn files(&self) -> PackageFiles<'_> {
        PackageFiles { ecosystem: self.ecosystem, name: self.called(), project: self.code.0.id }
    }
}

impl Manifests {
    /// The declared packages that an import in a file may belong to.
    fn declared(&self, path: &str, ecosystem: Ecosystem, import: &str) -> impl Iterator<Item = &Declared> {
        let found = self.packages.find(path, ecosystem, import);
        found.into_iter().map(|at| &self.packages.declared[at])
    }
}

impl ImportingProject<'_> {
    /// The added packages that the file imports, each once, and the package of each module.
    fn packages(
        &self,
        manifests: &Manifests,
        language: Language,
        names: &Names,
    ) -> Result<(Vec<ImportedPackage>, HashMap<String, usize>), EngineError> {
        let mut found: Vec<ImportedPackage> = Vec::new();
        let mut modules: HashMap<String, usize> = HashMap::new();
        for import in imports(language, names) {
            let Some((ecosystem, key)) = import.package(language) else { continue };
            let declared: Vec<&Declared> = manifests.declared(&self.path, ecosystem, &key).collect();
            let packages = packages_of_import(&self.store, &self.added, &declared, ecosystem, &import)?;
            for (code, documents) in packages {
                let known = found.iter().position(|known| known.code.0.id == code.0.id);
                let at = known.unwrap_or(found.len());
                if known.is_none() {
                    let (code, documents) = (code.clone(), documents.clone());
                    found.push(ImportedPackage { ecosystem, code, documents });
                }
                modules.entry(import.module.to_owned()).or_insert(at);
            }
        }
        Ok((found, modules))
    }
}

/// An import, as packages are matched with it.
struct Import<'n> {
    /// The module as written: `lodash/fp`, `flask.views`, `serde_json`.
    module: &'n str,
    /// The name that it brings in.
    name: Option<&'n str>,
}

/// The imports of a file. Paths of Rust need none: `serde_json::to_string`.
fn imports(language: Language, names: &Names) -> Vec<Import<'_>> {
    let import = |of: &ImportedName| Import::new(names, of);
    let mut found: Vec<Import<'_>> = names.imports.iter().map(import).collect();
    if language == Language::Rust {
        let roots = names.occurrences.iter().filter(|of| of.site == Site::Bare);
        let root = |of: &Occurrence| Import { module: names.text(of.name), name: None };
        found.extend(roots.map(root));
    }
    found.sort_by_key(|of| (of.module, of.name));
    found.dedup_by_key(|of| (of.module, of.name));
    found
}

impl<'n> Import<'n> {
    fn new(names: &'n Names, import: &ImportedName) -> Self {
        let name = match import.what {
            Imported::Name(name) => Some(names.text(name)),
            _ => None,
        };
        Self { module: names.text(import.module), name }
    }

    /// Its ecosystem, and what manifests are matched with; none for modules of the project itself, and for languages whose
    /// packages are not read.
    fn package(&self, language: Language) -> Option<(Ecosystem, String)> {
        use Language as L;
        let module = self.module;
        Some(match language {
            L::JavaScript | L::TypeScript | L::Tsx | L::Vue | L::Svelte | L::Astro => {
                (Ecosystem::Npm, package_name(module)?)
            }
            L::Python | L::Notebook => {
                (Ecosystem::PyPi, (!module.starts_with('.')).then(|| module.to_owned())?)
            }
            L::Rust => (Ecosystem::Cargo, module.split("::").next()?.to_owned()),
            L::Go => (Ecosystem::Go, module.to_owned()),
            L::Java | L::Kotlin | L::Scala | L::Groovy => {
                (Ecosystem::Maven, self.name.map_or(module.to_owned(), |name| format!("{module}.{name}")))
            }
            _ => return None,
        })
    }
}

/// The added packages that an import may be of, each with the one that has its documents: those that the manifests name, or
/// else those that have its module, which may be called unlike the package. Declarations (`@types/express`) take the place of the
/// code that they declare, but not of its documents.
fn packages_of_import<'p>(
    store: &Store,
    added: &'p [AddedPackage],
    declared: &[&Declared],
    ecosystem: Ecosystem,
    import: &Import<'_>,
) -> Result<Vec<(&'p AddedPackage, &'p AddedPackage)>, EngineError> {
    let Some(manager) = manager_of(ecosystem) else { return Ok(Vec::new()) };
    let of_manager = || added.iter().filter(|(_, package)| package.manager == manager.id());
    let of_version = |wanted: &&Declared| {
        let version = used::version(wanted);
        let is_it = |package: &StoredPackage| {
            package.name == wanted.name && version.as_ref().is_none_or(|version| *version == package.version)
        };
        of_manager().rfind(|(_, package)| is_it(package))
    };
    let mut found: Vec<&AddedPackage> = declared.iter().filter_map(of_version).collect();
    if found.is_empty() {
        for package in of_manager() {
            if has_module(store, &package.0, ecosystem, import)? {
                found.push(package);
            }
        }
    }
    let (types, code): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, package)| package.name.starts_with(TYPES));
    Ok(match types.is_empty() {
        true => code.into_iter().map(|of| (of, of)).collect(),
        false => types.into_iter().map(|of| (of, code.first().copied().unwrap_or(of))).collect(),
    })
}

/// Whether a package has the module that an import names, by its files.
fn has_module(
    store: &Store,
    corpus: &Project,
    ecosystem: Ecosystem,
    import: &Import<'_>,
) -> Result<bool, EngineError> {
    match ecosystem {
        Ecosystem::PyPi => {
            let top = import.module.split('.').next().unwrap_or_default();
            for end in ["/__init__.py", ".py", "/__init__.pyi", ".pyi"] {
                if store.tracked_file(corpus.id, &format!("{top}{end}"))?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Ecosystem::Maven => {
            let is_class = |part: &str| part.starts_with(char::is_uppercase);
            let (package, class) = match import.module.rsplit_once('.') {
                // A member of a class is imported by itself.
                Some((package, class)) if is_class(class) => (package, Some(class)),
                _ => (import.module, import.name),
            };
            let package = package.replace('.', "/");
            let is_there = |path: &str| folder(path).ends_with(&package);
            match class {
                Some(class) => {
                    let defined = store.symbols_with(corpus.id, class, MAX_ALIKE)?;
                    Ok(defined.iter().any(|(path, symbol)| symbol.name == class && is_there(path)))
                }
                None => {
                    let records = store.file_records(corpus.id)?;
                    Ok(!package.is_empty() && records.iter().any(|record| is_there(&record.path)))
                }
            }
        }
        _ => Ok(false),
    }
}

impl FileImports {
    /// What the names in some lines, counted from 1, refer to in packages, in order.
    pub(super) fn in_lines(&self, first: u32, last: u32) -> impl Iterator<Item = Referent<'_>> {
        let is_in = move |line: u32| (first..=last).contains(&line);
        let occurrences = (0..).zip(&self.names.occurrences).filter(move |(_, of)| is_in(of.line));
        // An import may have no name of its own, as in Go.
        let imports = (0..).zip(&self.names.imports).filter(move |(_, import)| is_in(import.line));
        let of_modules = imports.filter(|(_, import)| is_of_module(import));
        let named = occurrences.filter_map(|(at, of)| self.referent(at, of, false));
        named.chain(of_modules.map(|(import, _)| self.imported(import)))
    }

    /// What the name at a byte of a line refers to: lines from 1, bytes from 0.
    pub(super) fn at(&self, line: u32, column: u32) -> Option<Referent<'_>> {
        let holds = |of: &Occurrence| {
            let len = u32::try_from(self.names.text(of.name).len()).unwrap_or(u32::MAX);
            of.line == line && (of.column..=of.column.saturating_add(len)).contains(&column)
        };
        let mut here = (0..).zip(&self.names.occurrences).filter(|(_, of)| holds(of));
        here.find_map(|(at, of)| self.referent(at, of, true))
    }

    /// What an occurrence refers to. The qualifier of a member does not count as its package, unless the question is about the
    /// qualifier `alone`.
    fn referent(&self, at: OccurrenceIx, of: &Occurrence, alone: bool) -> Option<Referent<'_>> {
        let member = self.members.get(&at).copied().filter(|_| !alone);
        let import = self.import_of(of).filter(|_| member.is_none());
        let whole = import.map(|import| self.imported(import)).unwrap_or_default();
        let definitions = self.definitions(of);
        let has_arguments = of.arguments.is_some();
        let found = Referent { occurrence: Some(at), member, definitions, has_arguments, ..whole };
        (found.package.is_some() || !found.definitions.is_empty()).then_some(found)
    }

    /// The definitions that an occurrence surely refers to, the surest first.
    fn definitions(&self, of: &Occurrence) -> Vec<&ImportedReference> {
        let place = |found: &ImportedReference| (found.line, found.column);
        let first = self.found.references.partition_point(|found| place(found) < (of.line, of.column));
        let here =
            self.found.references[first..].iter().take_while(|found| place(found) == (of.line, of.column));
        let mut sure: Vec<&ImportedReference> =
            here.filter(|found| found.confidence >= MIN_CONFIDENCE).collect();
        sure.sort_by_key(|found| Reverse(found.confidence));
        sure
    }

    /// Index of the import of a module as a whole that brings a name in.
    fn import_of(&self, of: &Occurrence) -> Option<u32> {
        let at = match of.site {
            Site::Import(at) => Some(at),
            Site::Bare => self.by_local.get(&of.name).copied(),
            _ => None,
        };
        at.filter(|at| self.names.imports.get(*at as usize).is_some_and(is_of_module))
    }

    /// The package and the module of an import.
    fn imported(&self, at: u32) -> Referent<'_> {
        let import = self.names.imports.get(at as usize);
        let package = import.and_then(|import| self.modules.get(self.names.text(import.module)).copied());
        let module = self.found.modules.iter().find(|module| module.import == at);
        Referent { package, module, ..Referent::default() }
    }
}

/// The first member of each occurrence that has some.
fn members(names: &Names) -> HashMap<OccurrenceIx, OccurrenceIx> {
    let mut found = HashMap::new();
    for (at, of) in (0..).zip(&names.occurrences) {
        if let Site::Member(Value::Itself(Source::Occurrence(owner))) = of.site {
            found.entry(owner).or_insert(at);
        }
    }
    found
}

/// The first import of each name.
fn by_local(names: &Names) -> HashMap<NameId, u32> {
    let mut found = HashMap::new();
    for (at, import) in (0..).zip(&names.imports) {
        if let Some(local) = import.local {
            found.entry(local).or_insert(at);
        }
    }
    found
}

fn is_of_module(import: &ImportedName) -> bool {
    !matches!(import.what, Imported::Name(_))
}
