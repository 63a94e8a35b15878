//! Names that no scope and no import binds: globals of C#, crates of Rust, and candidates by name alone.

use craig_chunk::names::{DefinitionKind, GLOBAL_OBJECTS, Role, Site, Source, Traits, Value};
use rustc_hash::FxHashSet;

use super::{Bound, FileBinder, GLOBAL, MAX_CANDIDATES, ONLY, Sought, TYPED};
use crate::SymbolIx;
use crate::table::{Family, Name};

/// Of more types, it is not asked which extend each other.
const MAX_OWNERS: usize = 32;

/// Names of members that the collections, strings and streams of languages have: an unknown receiver is likelier one of these.
const COMMON: &[&str] = &[
    "add", "append", "apply", "bind", "call", "catch", "clear", "close", "concat", "contains", "copy",
    "count", "delete", "done", "emit", "encode", "decode", "end", "entries", "equals", "every", "exec",
    "extend", "filter", "find", "finally", "flush", "format", "forEach", "get", "has", "hashCode",
    "includes", "index", "indexOf", "insert", "isEmpty", "items", "iterator", "join", "key", "keys", "last",
    "len", "length", "list", "load", "log", "lower", "map", "match", "message", "name", "next", "on", "once",
    "open", "parse", "path", "pop", "push", "put", "read", "reduce", "remove", "replace", "resolve",
    "reverse", "run", "search", "send", "set", "shift", "size", "slice", "some", "sort", "splice", "split",
    "start", "stop", "strip", "test", "text", "then", "toString", "trim", "type", "unshift", "update",
    "upper", "url", "value", "values", "wait", "write", "Close", "Error", "Len", "Read", "String", "Write",
];

impl FileBinder<'_, '_, '_> {
    /// The first name of a path, where it is that of a crate; macros are seen in all files of their package.
    /// Elsewhere they must be imported: without an import, that is less sure.
    pub(super) fn rust_root(&mut self, name: Name, role: Role) -> Bound {
        let (table, modules, file) = (self.binder.table, self.binder.modules, self.file);
        if role == Role::Call {
            let is_macro = |&&at: &&SymbolIx| table.entry(at).kind == DefinitionKind::Macro;
            let found = table.named(name).iter().filter(is_macro);
            let found: Vec<SymbolIx> = found.copied().take(MAX_CANDIDATES).collect();
            let is_own = |&at: &SymbolIx| modules.are_in_one_package(table.entry(at).file as usize, file);
            let own: Vec<SymbolIx> = found.iter().copied().filter(is_own).collect();
            return match (found.is_empty(), own.is_empty()) {
                (true, _) => Bound::external(),
                (false, true) => Bound::symbols(&found, ONLY),
                (false, false) => Bound::symbols(&own, GLOBAL),
            };
        }
        let text = table.text(name).unwrap_or_default();
        if role != Role::Type || text.starts_with(char::is_uppercase) {
            return Bound::external();
        }
        let found = self.crates.entry(name).or_insert_with(|| modules.rust_space(file, text));
        if found.is_empty() { Bound::external() } else { Bound::certain(found.clone()) }
    }

    /// A name that all files of a language see.
    pub(super) fn global(&self, sought: Sought) -> Bound {
        let table = self.binder.table;
        let is_seen = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            let is_top = entry.parent.is_none_or(|parent| table.entry(parent).kind == DefinitionKind::Module);
            let is_visible = !entry.traits.has(Traits::PRIVATE) || entry.file as usize == self.file;
            is_top && is_visible && table.family(at) == self.family && self.binder.has_arity(at, sought)
        };
        let found: Vec<SymbolIx> = table.named(sought.name).iter().filter(is_seen).copied().collect();
        if found.is_empty() { Bound::external() } else { Bound::global(&found, found.len()) }
    }

    /// A name that a script, or a declaration, lets all files see.
    pub(super) fn script_global(&self, sought: Sought) -> Bound {
        let (table, modules) = (self.binder.table, self.binder.modules);
        let found = modules.global(self.file, sought.name);
        let is_test = |file: usize| table.workspace.files[file].is_test;
        let is_type = |at: SymbolIx| table.entry(at).kind.is_type();
        let is_sought = |&at: &SymbolIx| {
            // Tests stand in for what the platform has.
            if is_test(table.entry(at).file as usize) && !is_test(self.file) {
                return false;
            }
            let kind = table.entry(at).kind;
            match sought.role {
                Role::Type | Role::Inherit | Role::Implement => is_type(at) || kind == DefinitionKind::Module,
                _ => !matches!(kind, DefinitionKind::Interface | DefinitionKind::Type),
            }
        };
        let found: Vec<SymbolIx> = found.into_iter().filter(is_sought).collect();
        let Some(&first) = found.first() else { return Bound::external() };
        match modules.is_declaring(table.entry(first).file as usize) {
            true => Bound::symbols(&found, TYPED),
            false => Bound::global(&found, found.len()),
        }
    }

    /// A member of the object whose members all files see as names by themselves: of a declared `Window`, or a global name.
    pub(super) fn of_global_object(&mut self, value: Value, sought: Sought, depth: usize) -> Option<Bound> {
        let Value::Itself(Source::Occurrence(at)) = value else { return None };
        if self.family != Family::Script {
            return None;
        }
        let (table, modules) = (self.binder.table, self.binder.modules);
        let occurrence = table.files[self.file].occurrences.get(at as usize)?;
        let name = table.files[self.file].text(occurrence.name);
        let is_object = GLOBAL_OBJECTS.contains(&name) || name == "self";
        if occurrence.site != Site::Bare || !is_object || self.bound(at, depth).is_known() {
            return None;
        }
        let window = table.find("Window").map_or(Vec::new(), |window| modules.global(self.file, window));
        let members: Vec<SymbolIx> =
            window.into_iter().flat_map(|window| self.binder.member(window, sought)).collect();
        let found =
            if members.is_empty() { self.script_global(sought) } else { Bound::symbols(&members, TYPED) };
        found.is_known().then_some(found)
    }

    /// A member that declarations add to an interface of another project, of that name.
    pub(super) fn declared_member(&self, interface: Name, sought: Sought) -> Vec<SymbolIx> {
        if self.family != Family::Script {
            return Vec::new();
        }
        let (table, modules) = (self.binder.table, self.binder.modules);
        let is_added = |&at: &SymbolIx| {
            let entry = table.entry(at);
            entry.kind == DefinitionKind::Interface
                && table.family(at) == Family::Script
                && entry.parent.is_some_and(|parent| modules.is_declared(parent))
        };
        let added = table.named(interface).iter().copied().filter(is_added);
        added.flat_map(|at| self.binder.member(at, sought)).collect()
    }

    /// Members of that name of any type, for a receiver of which nothing is known.
    pub(super) fn candidates(&self, sought: Sought) -> Bound {
        // Members by position are those of known types alone.
        let is_position = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
        if self.binder.table.text(sought.name).is_some_and(is_position) {
            return Bound::default();
        }
        let mut found = self.members_named(sought, false);
        match self.family {
            Family::Rust => self.keep_declared(&mut found),
            Family::Ruby => self.keep_likely(&mut found, sought),
            _ => {}
        }
        let is_common = match self.family {
            Family::Rust => self.is_of_rust(sought.name),
            _ => self.is_common(sought.name),
        };
        self.weighed(&found, is_common)
    }

    /// Whether collections, strings or streams have a member of the name.
    pub(super) fn is_common(&self, name: Name) -> bool {
        self.binder.table.text(name).is_some_and(|name| COMMON.contains(&name))
    }

    /// Members of that name of any type.
    pub(super) fn members_named(&self, sought: Sought, sees_private: bool) -> Vec<SymbolIx> {
        let Sought { name, role, .. } = sought;
        let table = self.binder.table;
        let fits = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            let extends = entry.parent.is_none() && entry.traits.has(Traits::EXTENSION);
            let is_member = extends
                || entry.parent.is_some_and(|parent| {
                    let kind = table.entry(parent).kind;
                    kind.is_type() || self.family == Family::Ruby && kind == DefinitionKind::Module
                });
            let is_callable = entry.kind.is_callable() && !entry.traits.has(Traits::PROPERTY);
            let fits_role = role != Role::Call || !entry.kind.is_type();
            let fits_value = role == Role::Call || !is_callable || self.family.is_dynamic();
            let is_family = table.families[entry.file as usize] == self.family;
            let is_own = sees_private || entry.file as usize == self.file;
            let is_seen = !entry.traits.has(Traits::PRIVATE) || is_own;
            let fits = self.binder.fits(at, sought) || role == Role::Read;
            let is_in_sight = !extends || self.sees_extension(at);
            // What the comment of a class declares is defined elsewhere.
            let is_declared = self.family == Family::Php && entry.traits.has(Traits::DECLARATION);
            is_member
                && !is_declared
                && fits_role
                && fits_value
                && is_family
                && is_seen
                && fits
                && is_in_sight
        };
        table.named(name).iter().filter(fits).copied().collect()
    }

    /// The types that have the members.
    pub(super) fn owners(&self, found: &[SymbolIx]) -> FxHashSet<SymbolIx> {
        let table = self.binder.table;
        let owners = found.iter().filter_map(|&at| table.entry(at).parent);
        owners.map(|parent| table.canonical(parent)).collect()
    }

    /// Candidates with a confidence by the number of their types.
    pub(super) fn weighed(&self, found: &[SymbolIx], is_common: bool) -> Bound {
        let table = self.binder.table;
        let owners = self.owners(found);
        // Members that override each other count as one.
        let is_overriding = |&&owner: &&SymbolIx| {
            owners.len() <= MAX_OWNERS
                // Empty while the supertypes themselves are bound.
                && self
                    .binder
                    .all_supers
                    .get(owner as usize)
                    .is_some_and(|supers| supers.iter().any(|above| owners.contains(above)))
        };
        let n_extending = found.iter().filter(|&&at| table.entry(at).parent.is_none()).count();
        let n = owners.len() - owners.iter().filter(is_overriding).count() + n_extending;
        if n == 0 || n > MAX_CANDIDATES {
            return Bound::default();
        }
        let confidence = ONLY / n as u8;
        Bound::symbols(found, if is_common { confidence / 3 } else { confidence })
    }
}
