//! What files of scripts export, and what others export of them.

use craig_chunk::names::{OccurrenceIx, Site, Source, Value};

use super::super::table::{Family, GroupIx, Name};
use super::{Entity, MAX_HOPS, Modules, Place, Trail};
use crate::workspace::FileIx;

impl<'t, 'n> Modules<'t, 'n> {
    pub(super) fn exported_as(&self, file: FileIx, name: &str, trail: Trail<'_>) -> Vec<Entity> {
        self.table.find(name).map_or(Vec::new(), |name| self.exports_within(file, name, trail))
    }

    /// What a module exports by statements of their own.
    pub(crate) fn exports(&self, file: FileIx, name: Name) -> Vec<Entity> {
        Trail::begin(MAX_HOPS, |trail| self.exports_within(file, name, trail))
    }

    pub(super) fn exports_within(&self, file: FileIx, name: Name, trail: Trail<'_>) -> Vec<Entity> {
        let names = &self.table.files[file];
        let found = names.exports.iter().filter(|export| self.table.name(file, export.name) == name);
        found.flat_map(|export| self.entities_of(file, export.value, trail)).collect()
    }

    /// What a file of scripts exports by a statement, its own or of other files, each once; of a file of which it exports
    /// everything, the file.
    pub(crate) fn handed_on(&self, file: FileIx) -> Vec<Entity> {
        let names = &self.table.files[file];
        if self.table.families[file] != Family::Script {
            return Vec::new();
        }
        let of_statements = names
            .exports
            .iter()
            .flat_map(|export| Trail::begin(MAX_HOPS, |trail| self.entities_of(file, export.value, trail)));
        let reexported = names.imports.iter().enumerate().filter(|(_, import)| import.reexported);
        let of_others = reexported.flat_map(|(at, import)| match (import.local, &self.places[file][at]) {
            (None, Place::Files(files)) => files.iter().map(|&to| Entity::Module(to)).collect(),
            _ => self.import(file, at as u32),
        });
        let mut found: Vec<Entity> = of_statements.chain(of_others).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What a plain value is: a name, or a definition.
    pub(super) fn entities_of(&self, file: FileIx, value: Value, trail: Trail<'_>) -> Vec<Entity> {
        match value {
            Value::Itself(Source::Definition(ix)) | Value::Instance(Source::Definition(ix)) => {
                vec![Entity::Symbol(self.table.offsets[file] + ix)]
            }
            Value::Itself(Source::Occurrence(at)) | Value::Instance(Source::Occurrence(at)) => {
                self.entities_at(file, at, trail)
            }
            _ => Vec::new(),
        }
    }

    /// What an occurrence names, as far as the file's own definitions, imports and their members say so.
    pub(super) fn entities_at(&self, file: FileIx, at: OccurrenceIx, trail: Trail<'_>) -> Vec<Entity> {
        let names = &self.table.files[file];
        let Some(occurrence) = names.occurrences.get(at as usize) else { return Vec::new() };
        let name = self.table.name(file, occurrence.name);
        match occurrence.site {
            Site::Lexical(ix) => vec![Entity::Symbol(self.table.offsets[file] + ix)],
            Site::Bare => match self.table.top[file].get(&name) {
                Some(found) => Entity::symbols(found),
                None if trail.goes_on() => self.imported_within(file, name, trail.next()).unwrap_or_default(),
                None => Vec::new(),
            },
            Site::Import(at) if trail.goes_on() => self.import_within(file, at, trail.next()),
            Site::Member(inner) if trail.goes_on() => {
                let of = self.entities_of(file, inner, trail.next());
                let members = of.into_iter().flat_map(|of| match of {
                    Entity::Module(to) => self.exported_within(to, name, trail.next()),
                    Entity::Symbol(of) => Entity::symbols(self.table.own_members(of, name)),
                    _ => Vec::new(),
                });
                members.collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a module has by a name: its own definition, its export, what it imports and hands on.
    pub(crate) fn exported(&self, file: FileIx, name: Name) -> Vec<Entity> {
        Trail::begin(MAX_HOPS, |trail| self.exported_within(file, name, trail))
    }

    pub(super) fn exported_within(&self, file: FileIx, name: Name, trail: Trail<'_>) -> Vec<Entity> {
        if !trail.enters(file, name) {
            return Vec::new();
        }
        let exports = self.exports_within(file, name, trail);
        if !exports.is_empty() {
            return exports;
        }
        let scope = match self.table.families[file] {
            Family::Go => &self.table.group_top[self.table.group_of[file] as usize],
            _ => &self.table.top[file],
        };
        if let Some(found) = scope.get(&name) {
            let mut found = Entity::symbols(found);
            // A value of the file and an imported type may have one name, and are exported together.
            if self.table.families[file] == Family::Script && trail.goes_on() {
                found.extend(self.imported_within(file, name, trail.next()).unwrap_or_default());
            }
            return found;
        }
        if !trail.goes_on() {
            return Vec::new();
        }
        let imported = self.imported_within(file, name, trail.next()).filter(|found| !found.is_empty());
        if let Some(mut found) = imported {
            // A type of that name may come from a module of which everything is exported.
            let is_type = |entity: &Entity| matches!(*entity, Entity::Symbol(at) if self.table.entry(at).kind.is_type());
            if self.table.families[file] == Family::Script
                && !self.stars[file].is_empty()
                && !found.iter().any(is_type)
            {
                found.extend(self.by_stars_within(file, name, trail.next()).into_iter().filter(is_type));
            }
            return found;
        }
        let found = self.by_stars_within(file, name, trail.next());
        if !found.is_empty() {
            return found;
        }
        // `module.exports = object`: its members, and what the module takes from others.
        let wholes = self.exported_as(file, "=", trail.next()).into_iter();
        let mut found: Vec<Entity> = wholes
            .flat_map(|whole| match whole {
                Entity::Symbol(whole) => Entity::symbols(self.table.own_members(whole, name)),
                _ => Vec::new(),
            })
            .collect();
        let taken = self.exported_as(file, "*", trail.next()).into_iter().filter(|_| found.is_empty());
        let taken: Vec<Entity> = taken
            .flat_map(|from| match from {
                Entity::Symbol(from) => Entity::symbols(self.table.own_members(from, name)),
                Entity::Module(from) => self.exported_within(from, name, trail.next()),
                _ => Vec::new(),
            })
            .collect();
        found.extend(taken);
        if let Some(modules) = self.added.get(&file).filter(|_| found.is_empty()) {
            let members = modules.iter().flat_map(|&module| self.table.own_members(module, name));
            found.extend(members.map(|&at| Entity::Symbol(at)));
        }
        // A module of Python may import it from compiled code, and JavaScript has no types.
        if found.is_empty()
            && let Some(declaration) = self.resolver.declaration_of(file)
        {
            found = self.exported_within(declaration, name, trail.next());
        }
        found
    }

    /// What a name may be by imports of everything.
    pub(crate) fn by_stars(&self, file: FileIx, name: Name) -> Vec<Entity> {
        Trail::begin(MAX_HOPS, |trail| self.by_stars_within(file, name, trail))
    }

    pub(super) fn by_stars_within(&self, file: FileIx, name: Name, trail: Trail<'_>) -> Vec<Entity> {
        let family = self.table.families[file];
        let mut found = Vec::new();
        if family == Family::Rust {
            let spaces = self.star_spaces.get(file).map_or(&[][..], Vec::as_slice);
            let trail = trail.at_most(MAX_HOPS / 2);
            return spaces.iter().flat_map(|&space| self.of_rust_space(space, name, trail)).collect();
        }
        for &at in &self.stars[file] {
            if family.has_packages() && family != Family::Go {
                let module = self.table.files[file].imports[at as usize].module;
                let package = self.table.files[file].text(module);
                for entity in self.qualified(family, package) {
                    found.extend(self.member_of_entity(entity, name));
                }
                continue;
            }
            if let Place::Files(files) = &self.places[file][at as usize] {
                for &to in files.iter().filter(|&&to| to != file) {
                    found.extend(self.exported_within(to, name, trail.at_most(MAX_HOPS / 2)));
                }
            }
        }
        found
    }

    /// Whether a file imports all of a package.
    pub(crate) fn imports_all_of(&self, file: FileIx, group: GroupIx) -> bool {
        let names = &self.table.files[file];
        let module = |at: u32| names.imports.get(at as usize).map(|import| names.text(import.module));
        self.stars[file]
            .iter()
            .filter_map(|&at| self.table.group(self.table.families[file], module(at)?))
            .any(|of| of == group)
    }
}
