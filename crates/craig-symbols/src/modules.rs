//! What an import refers to: the definitions behind a name of a module, however often it is exported again.

mod exports;
mod rust;

use std::cell::RefCell;

use craig_chunk::names::{DefinitionKind, FIXTURES, GLOBAL, Imported, ImportedName, Source, Traits, Value};
use craig_chunk::{Reference, ReferenceKind};
use craig_source::Language;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::SymbolIx;
use super::table::{Family, GroupIx, Name, Table};
use crate::resolve::{Resolver, Target};
use crate::workspace::FileIx;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Entity {
    Symbol(SymbolIx),
    /// A file as a module.
    Module(FileIx),
    /// A package as a whole.
    Package(GroupIx),
    /// Of another project, or of the language.
    External,
}

impl Entity {
    pub(super) fn symbols(symbols: &[SymbolIx]) -> Vec<Self> {
        symbols.iter().map(|&at| Self::Symbol(at)).collect()
    }
}

/// Where an import leads.
#[derive(Clone, Debug, Default)]
pub(super) enum Place {
    Files(Vec<FileIx>),
    External,
    #[default]
    Unknown,
}

/// Exports of exports are followed so far.
const MAX_HOPS: usize = 8;
/// A name is sought in no more modules than this.
const MAX_SOUGHT: usize = 4000;
/// Of a name that all files see, so many definitions are compared.
const MAX_GLOBALS: usize = 64;
/// A file is taken to include no more files than this.
const MAX_INCLUDED: usize = 4000;

/// Where one name has been sought already: modules that export all of each other are read once.
#[derive(Clone, Copy)]
struct Trail<'s> {
    seen: &'s RefCell<FxHashSet<(FileIx, Name)>>,
    hops: usize,
}

impl Trail<'_> {
    /// Runs `seek` with a new trail of so many hops.
    fn begin<T>(hops: usize, seek: impl FnOnce(Trail<'_>) -> T) -> T {
        let seen = RefCell::default();
        seek(Trail { seen: &seen, hops })
    }

    fn goes_on(self) -> bool {
        self.hops > 0
    }

    fn next(self) -> Self {
        self.at_most(self.hops.saturating_sub(1))
    }

    fn at_most(self, hops: usize) -> Self {
        Self { hops: self.hops.min(hops), ..self }
    }

    /// Whether the module is asked for the name for the first time.
    fn enters(self, file: FileIx, name: Name) -> bool {
        let mut seen = self.seen.borrow_mut();
        seen.len() < MAX_SOUGHT && seen.insert((file, name))
    }
}

pub(super) struct Modules<'t, 'n> {
    pub(super) table: &'t Table<'n>,
    resolver: &'t Resolver<'n>,
    /// Where each import of each file leads, as a module.
    places: Vec<Vec<Place>>,
    /// Imports of each file by local name.
    by_local: Vec<FxHashMap<Name, Vec<u32>>>,
    /// Imports of everything, of each file.
    stars: Vec<Vec<u32>>,
    /// Of each file of Rust, the modules and types of which it imports everything.
    star_spaces: Vec<Vec<Entity>>,
    /// What files of scripts let all others see, by name.
    globals: FxHashMap<Name, Vec<SymbolIx>>,
    /// Modules of scripts that are declared by their names: `declare module 'name'`.
    declared: FxHashMap<Name, Vec<SymbolIx>>,
    /// Of these, those that add to a file of the project.
    added: FxHashMap<FileIx, Vec<SymbolIx>>,
}

impl<'t, 'n> Modules<'t, 'n> {
    pub(super) fn new(table: &'t Table<'n>, resolver: &'t Resolver<'n>) -> Self {
        let places: Vec<Vec<Place>> = (0..table.files.len())
            .into_par_iter()
            .map(|file| {
                let imports = &table.files[file].imports;
                imports.iter().map(|import| place(table, resolver, file, import, &[])).collect()
            })
            .collect();
        let mut by_local = Vec::with_capacity(table.files.len());
        let mut stars = Vec::with_capacity(table.files.len());
        for (file, names) in table.files.iter().enumerate() {
            let mut local: FxHashMap<Name, Vec<u32>> = FxHashMap::default();
            let mut all = Vec::new();
            for (at, import) in names.imports.iter().enumerate() {
                match (import.local, import.what) {
                    (Some(name), _) => local.entry(table.name(file, name)).or_default().push(at as u32),
                    (None, Imported::All) => all.push(at as u32),
                    (None, _) => {}
                }
            }
            if table.families[file] == Family::Go {
                add_go_packages(table, &places[file], &mut local);
            }
            by_local.push(local);
            stars.push(all);
        }
        let mut modules = Self {
            table,
            resolver,
            places,
            by_local,
            stars,
            star_spaces: Vec::new(),
            globals: FxHashMap::default(),
            declared: FxHashMap::default(),
            added: FxHashMap::default(),
        };
        modules.star_spaces =
            (0..table.files.len()).into_par_iter().map(|file| modules.rust_stars(file)).collect();
        modules.find_globals();
        modules.find_declared();
        modules
    }

    fn find_globals(&mut self) {
        let Some(name) = self.table.find(GLOBAL) else { return };
        let is_script = |file: &FileIx| {
            let language = self.table.workspace.files[*file].language;
            matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript)
        };
        let files = (0..self.table.files.len()).filter(is_script);
        let found: Vec<Entity> = files.flat_map(|file| self.exports(file, name)).collect();
        for entity in found {
            if let Entity::Symbol(at) = entity {
                let same_name = self.globals.entry(self.table.entry(at).name).or_default();
                if !same_name.contains(&at) && same_name.len() < MAX_GLOBALS {
                    same_name.push(at);
                }
            }
        }
    }

    fn find_declared(&mut self) {
        for (at, entry) in self.table.entries.iter().enumerate() {
            let (at, file) = (at as SymbolIx, entry.file as usize);
            let is_declared = entry.kind == DefinitionKind::Module && entry.traits.has(Traits::DECLARATION);
            if !is_declared || self.table.families[file] != Family::Script {
                continue;
            }
            self.declared.entry(entry.name).or_default().push(at);
            let module = self.table.text(entry.name).unwrap_or_default();
            if let Place::Files(files) = place_of(self.table, self.resolver, file, module, Vec::new(), 0) {
                files.into_iter().for_each(|to| self.added.entry(to).or_default().push(at));
            }
        }
    }

    /// What a file of scripts sees by a name without an import: of several, what is nearest in the tree of files.
    pub(super) fn global(&self, file: FileIx, name: Name) -> Vec<SymbolIx> {
        let path = |file: usize| self.table.workspace.files[file].path.split('/');
        let n_shared = |at: SymbolIx| {
            let other = path(self.table.entry(at).file as usize);
            path(file).zip(other).take_while(|(a, b)| a == b).count()
        };
        let all = self.globals.get(&name).map_or(&[][..], Vec::as_slice);
        let nearest = all.iter().map(|&at| n_shared(at)).max();
        all.iter().copied().filter(|&at| Some(n_shared(at)) == nearest).collect()
    }

    /// Whether a namespace of scripts is one that all files see, or a module that is declared by its name.
    pub(super) fn is_declared(&self, space: SymbolIx) -> bool {
        let outer =
            std::iter::successors(Some(space), |&at| self.table.entry(at).parent).last().unwrap_or(space);
        let name = self.table.entry(outer).name;
        [&self.globals, &self.declared]
            .iter()
            .any(|all| all.get(&name).is_some_and(|all| all.contains(&outer)))
    }

    /// Whether a file of scripts is there to declare: what it does not export is no secret of its own.
    pub(super) fn is_declaring(&self, file: FileIx) -> bool {
        let path = &self.table.workspace.files[file].path;
        let names = &self.table.files[file];
        let is_module = || names.exports.iter().any(|export| names.text(export.name) != GLOBAL);
        [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end))
            || !names.imports.is_empty()
            || is_module()
    }

    /// What a declared module has by the name of an import; its default may be what it is as a whole.
    fn of_declared(
        &self,
        file: FileIx,
        import: &ImportedName,
        modules: &[SymbolIx],
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        let names: Vec<Name> = match import.what {
            Imported::Name(name) => vec![self.table.name(file, name)],
            Imported::Default => {
                ["default", "="].into_iter().filter_map(|name| self.table.find(name)).collect()
            }
            Imported::Module | Imported::All => return Vec::new(),
        };
        let members = modules.iter().flat_map(|&module| {
            names.iter().flat_map(move |&name| self.table.own_members(module, name)).copied()
        });
        members.flat_map(|at| self.meant(at, trail)).collect()
    }

    /// What a name in a declared module stands for: an export of a name is that.
    fn meant(&self, at: SymbolIx, trail: Trail<'_>) -> Vec<Entity> {
        let entry = self.table.entry(at);
        let file = entry.file as usize;
        let is_export = entry.kind == DefinitionKind::Variable && entry.traits.has(Traits::LOCAL);
        let value = self.table.definition(at).value;
        let found = match (value, entry.parent) {
            _ if !is_export || !trail.goes_on() => Vec::new(),
            (Value::Itself(Source::Occurrence(named)), Some(module)) => {
                let occurrence = self.table.files[file].occurrences.get(named as usize);
                let name = occurrence.map(|occurrence| self.table.name(file, occurrence.name));
                let own = name.map_or(&[][..], |name| self.table.own_members(module, name));
                match own.is_empty() {
                    true => self.entities_at(file, named, trail.next()),
                    false => Entity::symbols(own),
                }
            }
            _ => self.entities_of(file, value, trail.next()),
        };
        if found.is_empty() { vec![Entity::Symbol(at)] } else { found }
    }

    /// Types in declared modules that add members to a type of the project: (addition, type).
    pub(super) fn added_types(&self) -> Vec<(SymbolIx, SymbolIx)> {
        let mut pairs = Vec::new();
        for (&file, modules) in &self.added {
            for &module in modules {
                let first = module + 1;
                let inner = (first..self.table.entries.len() as SymbolIx)
                    .take_while(|&at| self.table.entry(at).file == self.table.entry(module).file)
                    .filter(|&at| {
                        self.table.entry(at).parent == Some(module) && self.table.entry(at).kind.is_type()
                    });
                for at in inner {
                    for entity in self.exported(file, self.table.entry(at).name) {
                        if let Entity::Symbol(of) = entity
                            && self.table.entry(of).kind.is_type()
                            && of != at
                        {
                            pairs.push((at, of));
                        }
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// What a local name of a file was imported as; `None` if it was not.
    pub(super) fn imported(&self, file: FileIx, name: Name) -> Option<Vec<Entity>> {
        Trail::begin(MAX_HOPS, |trail| self.imported_within(file, name, trail))
    }

    fn imported_within(&self, file: FileIx, name: Name, trail: Trail<'_>) -> Option<Vec<Entity>> {
        let imports = self.by_local[file].get(&name)?;
        Some(imports.iter().flat_map(|&at| self.import_within(file, at, trail)).collect())
    }

    /// What an import refers to.
    pub(super) fn import(&self, file: FileIx, at: u32) -> Vec<Entity> {
        Trail::begin(MAX_HOPS, |trail| self.import_within(file, at, trail))
    }

    fn import_within(&self, file: FileIx, at: u32, trail: Trail<'_>) -> Vec<Entity> {
        let Some(import) = self.table.files[file].imports.get(at as usize) else { return Vec::new() };
        let family = self.table.families[file];
        if family.has_packages() && family != Family::Go {
            return self.of_package(file, import, family);
        }
        if let (Family::Rust, Imported::Name(name)) = (family, import.what) {
            let names = &self.table.files[file];
            let place = &self.places[file][at as usize];
            return self.rust_item(file, place, names.text(import.module), names.text(name), trail);
        }
        if let (Family::Python, Imported::Name(name), None) = (family, import.what, import.local)
            && self.table.files[file].text(import.module) == FIXTURES
        {
            return self.fixture(file, self.table.name(file, name), trail);
        }
        let place = &self.places[file][at as usize];
        if family == Family::Script
            && !matches!(place, Place::Files(_))
            && let Some(modules) = self.declared.get(&self.table.name(file, import.module))
        {
            let found = self.of_declared(file, import, modules, trail);
            if !found.is_empty() {
                return found;
            }
        }
        match place {
            Place::External => vec![Entity::External],
            Place::Unknown => match import.what {
                Imported::Name(_) => self.submodule(file, import),
                _ => Vec::new(),
            },
            Place::Files(files) => {
                let found = files.iter().flat_map(|&to| self.of_module(to, import, file, trail));
                let mut found: Vec<Entity> = found.collect();
                found.dedup();
                if found.is_empty() { self.submodule(file, import) } else { found }
            }
        }
    }

    /// The fixture of that name that a test sees: of its file, or of the nearest `conftest.py` above it.
    fn fixture(&self, file: FileIx, name: Name, trail: Trail<'_>) -> Vec<Entity> {
        let folder = craig_text::path::folder(&self.table.workspace.files[file].path);
        let above =
            craig_text::path::ancestors(folder).map(|folder| craig_text::path::under(folder, "conftest.py"));
        let files = std::iter::once(file).chain(above.filter_map(|path| self.table.workspace.file(&path)));
        files
            .map(|file| self.exports_within(file, name, trail))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    fn of_module(&self, to: FileIx, import: &ImportedName, from: FileIx, trail: Trail<'_>) -> Vec<Entity> {
        match import.what {
            Imported::Module if self.table.families[to] == Family::Go => {
                vec![Entity::Package(self.table.group_of[to])]
            }
            Imported::Module | Imported::All => vec![Entity::Module(to)],
            Imported::Default => {
                let default = self.exported_as(to, "default", trail);
                if !default.is_empty() {
                    return default;
                }
                let whole = self.exported_as(to, "=", trail);
                if !whole.is_empty() {
                    return whole;
                }
                let declared =
                    self.added.get(&to).map(|modules| self.of_declared(from, import, modules, trail));
                declared.filter(|found| !found.is_empty()).unwrap_or_else(|| vec![Entity::Module(to)])
            }
            Imported::Name(name) => self.exported_within(to, self.table.name(from, name), trail),
        }
    }

    /// `from package import module`.
    fn submodule(&self, file: FileIx, import: &ImportedName) -> Vec<Entity> {
        let Imported::Name(name) = import.what else { return Vec::new() };
        let name = self.table.files[file].text(name);
        match place(self.table, self.resolver, file, import, &[name.to_owned()]) {
            Place::Files(files) => files.into_iter().map(Entity::Module).collect(),
            Place::External => vec![Entity::External],
            Place::Unknown => Vec::new(),
        }
    }

    fn member_of_entity(&self, entity: Entity, name: Name) -> Vec<Entity> {
        let found = match entity {
            Entity::Package(group) => self.table.group_top[group as usize].get(&name).map(Vec::as_slice),
            Entity::Symbol(of) => Some(self.table.own_members(of, name)),
            _ => None,
        };
        let found = found.unwrap_or_default();
        if found.is_empty() && self.is_kotlin_wrapper(entity, self.table.text(name).unwrap_or_default()) {
            return vec![entity];
        }
        Entity::symbols(found)
    }

    /// Whether a name stands for the same space: a class that Kotlin makes of a file's functions, or the companion of a class.
    pub(super) fn is_kotlin_wrapper(&self, entity: Entity, text: &str) -> bool {
        match entity {
            Entity::Symbol(of) => {
                let family = self.table.family(of);
                family == Family::Jvm && matches!(text, "Companion" | "INSTANCE")
            }
            Entity::Package(group) => self.table.is_of_jvm(group) && text.ends_with("Kt"),
            _ => false,
        }
    }

    /// What an import of a language with packages refers to.
    fn of_package(&self, file: FileIx, import: &ImportedName, family: Family) -> Vec<Entity> {
        let module = self.table.files[file].text(import.module);
        let own = self.table.find(module).and_then(|name| self.table.top[file].get(&name));
        let spaces = match own {
            Some(own) if family == Family::Jvm => Entity::symbols(own),
            _ => self.qualified(family, module),
        };
        match import.what {
            Imported::Name(id) => {
                let name = self.table.name(file, id);
                let found = spaces.iter().flat_map(|&space| self.member_of_entity(space, name));
                let mut found: Vec<Entity> = found.collect();
                if found.is_empty() {
                    // The name may be a namespace itself.
                    let separator = if family == Family::Php { '\\' } else { '.' };
                    let whole = format!("{module}{separator}{}", self.table.files[file].text(id));
                    found.extend(self.table.group(family, &whole).map(Entity::Package));
                }
                if found.is_empty() { vec![Entity::External] } else { found }
            }
            _ => spaces,
        }
    }

    /// A package, or a type in one, by its qualified name.
    pub(super) fn qualified(&self, family: Family, name: &str) -> Vec<Entity> {
        let separator = if family == Family::Php { '\\' } else { '.' };
        let name = name.trim_start_matches(separator);
        if let Some(group) = self.table.group(family, name) {
            return vec![Entity::Package(group)];
        }
        let Some((outer, last)) = name.rsplit_once(separator) else {
            let found = self.table.group(family, "").map(Entity::Package);
            let id = self.table.find(name);
            return match (found, id) {
                (Some(found), Some(id)) => self.member_of_entity(found, id),
                _ => Vec::new(),
            };
        };
        let spaces = self.qualified(family, outer).into_iter();
        match self.table.find(last) {
            Some(id) => spaces.flat_map(|space| self.member_of_entity(space, id)).collect(),
            None => spaces.filter(|&space| self.is_kotlin_wrapper(space, last)).collect(),
        }
    }

    /// The files that a file includes, and those that they include.
    pub(super) fn included(&self, file: FileIx) -> FxHashSet<FileIx> {
        let mut seen = FxHashSet::default();
        let mut open = vec![file];
        while let Some(at) = open.pop() {
            if !seen.insert(at) || seen.len() > MAX_INCLUDED {
                continue;
            }
            for place in &self.places[at] {
                if let Place::Files(files) = place {
                    open.extend(files);
                }
            }
        }
        seen
    }

    /// A module below a package: `a.b` where `a` was imported.
    pub(super) fn below(&self, file: FileIx, name: Name) -> Option<FileIx> {
        let path = &self.table.workspace.files[file].path;
        let folder = craig_text::path::folder(path);
        let stem = craig_text::path::file_stem(path);
        if stem != "__init__" {
            return None;
        }
        let name = self.table.text(name)?;
        let module = format!("{folder}/{name}.py");
        let package = format!("{folder}/{name}/__init__.py");
        self.table.workspace.file(&module).or_else(|| self.table.workspace.file(&package))
    }
}

/// Adds the imports of a file of Go by the names that the packages give themselves: `kafka` for `…/kafka-go`.
fn add_go_packages(table: &Table<'_>, places: &[Place], local: &mut FxHashMap<Name, Vec<u32>>) {
    for (at, place) in places.iter().enumerate() {
        let Place::Files(files) = place else { continue };
        let declares = |&to: &FileIx| Some(table.name(to, *table.files[to].packages.first()?));
        if let Some(name) = files.iter().find_map(declares) {
            local.entry(name).or_insert_with(|| vec![at as u32]);
        }
    }
}

/// Whether a name is written as those of Rust's types are.
fn is_type_name(name: &str) -> bool {
    name.trim_start_matches("r#").starts_with(char::is_uppercase)
}

/// The files of an import's module, or of a name in it that is a module itself.
fn place(
    table: &Table<'_>,
    resolver: &Resolver<'_>,
    file: FileIx,
    import: &ImportedName,
    names: &[String],
) -> Place {
    let family = table.families[file];
    let names_of = |id| vec![table.files[file].text(id).to_owned()];
    let names = match import.what {
        // The module of a Rust path depends on what the name is.
        Imported::Name(name) if family == Family::Rust && names.is_empty() => names_of(name),
        _ => names.to_vec(),
    };
    let module = table.files[file].text(import.module);
    // `mod shape;` names the file, whatever else the module brings in by the name.
    if let (Family::Rust, Imported::Module, Some(name)) = (family, import.what, module.strip_prefix("self::"))
    {
        let found =
            resolved(resolver, file, &reference(ReferenceKind::Module, name, names.clone(), import.line));
        if matches!(found, Place::Files(_)) {
            return found;
        }
    }
    place_of(table, resolver, file, module, names, import.line)
}

/// The files of a module by its name.
fn place_of(
    table: &Table<'_>,
    resolver: &Resolver<'_>,
    file: FileIx,
    module: &str,
    names: Vec<String>,
    line: u32,
) -> Place {
    let system = module.strip_prefix('<').filter(|_| table.families[file] == Family::C);
    let kind = if system.is_some() { ReferenceKind::SystemInclude } else { ReferenceKind::Import };
    resolved(resolver, file, &reference(kind, system.unwrap_or(module), names, line))
}

fn reference(kind: ReferenceKind, target: &str, names: Vec<String>, line: u32) -> Reference {
    Reference {
        kind,
        target: target.to_owned(),
        names,
        alias: None,
        lazy: false,
        line,
        within: Vec::new(),
        path: None,
    }
}

/// Where a reference leads.
fn resolved(resolver: &Resolver<'_>, file: FileIx, reference: &Reference) -> Place {
    let targets = resolver.resolve(file, reference);
    let files: Vec<FileIx> = targets
        .iter()
        .filter_map(|target| match target {
            Target::File(file) => Some(*file),
            _ => None,
        })
        .collect();
    if !files.is_empty() {
        return Place::Files(files);
    }
    let is_external = |target: &Target| matches!(target, Target::Package(..) | Target::Standard);
    if targets.iter().any(is_external) { Place::External } else { Place::Unknown }
}
