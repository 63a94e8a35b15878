//! Paths and macros of Rust.

use std::ops::RangeInclusive;

use craig_chunk::names::DefinitionKind;

use super::super::table::{Family, Name};
use super::{Entity, MAX_HOPS, Modules, Place, SymbolIx, Trail, is_type_name, place_of};
use crate::workspace::FileIx;

impl<'t, 'n> Modules<'t, 'n> {
    pub(super) fn rust_stars(&self, file: FileIx) -> Vec<Entity> {
        if self.table.families[file] != Family::Rust {
            return Vec::new();
        }
        let names = &self.table.files[file];
        let modules = self.stars[file].iter().map(|&at| names.text(names.imports[at as usize].module));
        let spaces = modules.flat_map(|module| self.rust_space(file, module));
        spaces.filter(|&space| space != Entity::Module(file)).collect()
    }

    /// What `outer::name` names in a file of Rust: an item of a module, the module itself, or a member of a type.
    pub(super) fn rust_path(&self, file: FileIx, outer: &str, name: &str, trail: Trail<'_>) -> Vec<Entity> {
        let place = place_of(self.table, self.resolver, file, outer, vec![name.to_owned()], 0);
        self.rust_item(file, &place, outer, name, trail)
    }

    /// As [`Modules::rust_path`], with the place of its module.
    pub(super) fn rust_item(
        &self,
        file: FileIx,
        place: &Place,
        outer: &str,
        name: &str,
        trail: Trail<'_>,
    ) -> Vec<Entity> {
        let Some(id) = self.table.find(name).filter(|_| trail.goes_on()) else { return Vec::new() };
        let files = match place {
            Place::Files(files) => files.as_slice(),
            Place::External => return vec![Entity::External],
            Place::Unknown => &[],
        };
        // `crate::Shape::new` is no function of the file that has the type.
        if is_type_name(outer.rsplit("::").next().unwrap_or_default()) {
            let spaces = self.rust_space_within(file, outer, trail.next()).into_iter();
            return spaces.flat_map(|space| self.of_rust_space(space, id, trail.next())).collect();
        }
        let modules: Vec<Entity> = files
            .iter()
            .filter(|&&to| self.is_module_called(to, name))
            .map(|&to| Entity::Module(to))
            .collect();
        // The module itself, and not what it imports by its own name: `use std::error` in `error.rs`.
        let is_outer = outer.rsplit("::").next() == Some(name);
        if !modules.is_empty() && !is_outer {
            return modules;
        }
        let found: Vec<Entity> =
            files.iter().flat_map(|&to| self.exported_within(to, id, trail.next())).collect();
        if !found.is_empty() {
            return found;
        }
        if !modules.is_empty() {
            return modules;
        }
        let spaces = self.rust_space_within(file, outer, trail.next());
        let found: Vec<Entity> =
            spaces.into_iter().flat_map(|space| self.of_rust_space(space, id, trail.next())).collect();
        if found.is_empty() && !files.is_empty() { self.rust_macro(id) } else { found }
    }

    /// A macro of that name: they are exported from the root of their crate, wherever they stand.
    pub(super) fn rust_macro(&self, name: Name) -> Vec<Entity> {
        let all = self.table.named(name).iter().copied();
        let is_macro = |&at: &SymbolIx| self.table.entry(at).kind == DefinitionKind::Macro;
        match all.filter(is_macro).take(2).collect::<Vec<SymbolIx>>()[..] {
            [only] => vec![Entity::Symbol(only)],
            _ => Vec::new(),
        }
    }

    /// The macro of that name that the package of a file has.
    pub(crate) fn macro_of_package(&self, file: FileIx, name: Name) -> Vec<Entity> {
        let all = self.table.named(name).iter().copied();
        let is_macro = |&at: &SymbolIx| {
            let entry = self.table.entry(at);
            entry.kind == DefinitionKind::Macro && self.are_in_one_package(entry.file as usize, file)
        };
        match all.filter(is_macro).take(2).collect::<Vec<SymbolIx>>()[..] {
            [only] => vec![Entity::Symbol(only)],
            _ => Vec::new(),
        }
    }

    /// Whether two files belong to one package of Cargo.
    pub(crate) fn are_in_one_package(&self, a: FileIx, b: FileIx) -> bool {
        self.resolver.cargo_manifest(a) == self.resolver.cargo_manifest(b)
    }

    pub(super) fn is_module_called(&self, file: FileIx, name: &str) -> bool {
        let path = &self.table.workspace.files[file].path;
        let name = name.trim_start_matches("r#");
        match craig_text::path::file_stem(path) {
            "mod" => craig_text::path::name(craig_text::path::folder(path)) == name,
            stem => stem == name,
        }
    }

    /// What a whole path names: a module, a type.
    pub(crate) fn rust_space(&self, file: FileIx, path: &str) -> Vec<Entity> {
        Trail::begin(MAX_HOPS, |trail| self.rust_space_within(file, path, trail))
    }

    pub(super) fn rust_space_within(&self, file: FileIx, path: &str, trail: Trail<'_>) -> Vec<Entity> {
        if !trail.goes_on() {
            return Vec::new();
        }
        if let Some((outer, last)) = path.rsplit_once("::") {
            return self.rust_path(file, outer, last, trail.next());
        }
        let id = self.table.find(path);
        if let Some(found) = id.and_then(|id| self.table.top[file].get(&id)) {
            return Entity::symbols(found);
        }
        if let Some(found) = id.and_then(|id| self.imported_within(file, id, trail.next())) {
            return found;
        }
        match place_of(self.table, self.resolver, file, path, Vec::new(), 0) {
            Place::Files(files) => files.into_iter().map(Entity::Module).collect(),
            Place::External => vec![Entity::External],
            Place::Unknown => Vec::new(),
        }
    }

    /// What an inline module of a file of Rust, by its lines, brings in by a name and hands on.
    pub(crate) fn brought_into(&self, file: FileIx, lines: RangeInclusive<u32>, name: Name) -> Vec<Entity> {
        let names = &self.table.files[file];
        let is_inside = |at: &&u32| {
            let import = names.imports.get(**at as usize);
            import.is_some_and(|import| import.reexported && lines.contains(&import.line))
        };
        let own = self.by_local[file].get(&name).into_iter().flatten().filter(is_inside);
        let found: Vec<Entity> = own.flat_map(|&at| self.import(file, at)).collect();
        if !found.is_empty() {
            return found;
        }
        let stars = self.stars[file].iter().filter(is_inside);
        let spaces =
            stars.flat_map(|&at| self.rust_space(file, names.text(names.imports[at as usize].module)));
        spaces
            .filter(|&space| space != Entity::Module(file))
            .flat_map(|space| Trail::begin(MAX_HOPS / 2, |trail| self.of_rust_space(space, name, trail)))
            .collect()
    }

    pub(super) fn of_rust_space(&self, space: Entity, name: Name, trail: Trail<'_>) -> Vec<Entity> {
        match space {
            Entity::Module(to) => self.exported_within(to, name, trail),
            other => self.member_of_entity(other, name),
        }
    }
}
