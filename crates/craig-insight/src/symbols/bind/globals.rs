//! Names that no scope and no import binds: linked symbols of C, globals of Ruby and PHP, crates of Rust, and candidates by name alone.

use craig_chunk::names::{DefinitionKind, Imported, Role, Traits};
use rustc_hash::FxHashSet;

use super::{Bound, CERTAIN, FileBinder, GLOBAL, MAX_CANDIDATES, ONLY, Sought};
use crate::symbols::SymbolIx;
use crate::symbols::modules::Entity;
use crate::symbols::table::{Family, Name};
use crate::workspace::FileIx;

/// Of so many definitions of a name it is asked whether they may be meant.
const MAX_SOUGHT: usize = 64;

/// Of a module of Ruby, so many places that open it are named.
const MAX_OPENED: usize = 64;

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

/// Methods of Rust's standard library and of futures that traits of projects define, too.
const RUST: &[&str] = &[
    "and_then",
    "as_mut",
    "as_ref",
    "as_str",
    "borrow",
    "boxed",
    "by_ref",
    "chain",
    "clone",
    "cmp",
    "collect",
    "default",
    "drain",
    "eq",
    "filter_map",
    "flat_map",
    "fmt",
    "fold",
    "for_each",
    "from",
    "get_mut",
    "hash",
    "inspect",
    "into",
    "into_iter",
    "into_inner",
    "iter",
    "iter_mut",
    "map_err",
    "max",
    "min",
    "ok",
    "or_else",
    "poll",
    "ready",
    "rev",
    "take",
    "to_owned",
    "to_string",
    "try_from",
    "try_into",
    "unwrap",
    "unwrap_or",
    "with",
    "zip",
];

impl FileBinder<'_, '_, '_> {
    /// The first name of a path, where it is that of a crate; macros are seen in all files.
    pub(super) fn rust_root(&mut self, name: Name, role: Role) -> Bound {
        let (table, modules, file) = (self.binder.table, self.binder.modules, self.file);
        if role == Role::Call {
            let is_macro = |&&at: &&SymbolIx| table.entry(at).kind == DefinitionKind::Macro;
            let found = table.named(name).iter().filter(is_macro);
            let found: Vec<SymbolIx> = found.copied().take(MAX_CANDIDATES).collect();
            return if found.is_empty() { Bound::external() } else { Bound::symbols(&found, GLOBAL) };
        }
        let text = table.text(name).unwrap_or_default();
        if role != Role::Type || text.starts_with(char::is_uppercase) {
            return Bound::external();
        }
        let found = self.crates.entry(name).or_insert_with(|| modules.rust_space(file, text));
        if found.is_empty() { Bound::external() } else { Bound::certain(found.clone()) }
    }

    /// A name of C: of the file and what it includes, and where that only declares it, of the file that defines it.
    pub(super) fn linked(&mut self, name: Name, role: Role) -> Bound {
        let table = self.binder.table;
        let is_seen = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            let is_top = entry.parent.is_none_or(|parent| {
                let parent = table.entry(parent);
                let is_open = matches!(parent.kind, DefinitionKind::Module | DefinitionKind::Enum);
                is_open || entry.kind.is_type()
            });
            is_top && table.families[entry.file as usize] == self.family
        };
        let mut all: Vec<SymbolIx> = table.named(name).iter().filter(is_seen).copied().collect();
        if all.is_empty() {
            return Bound::external();
        }
        // Tags have names of their own: `struct stat` is not `stat()`.
        let is_type = |at: SymbolIx| table.entry(at).kind.is_type();
        if matches!(role, Role::Type | Role::Call)
            && all.iter().any(|&at| is_type(at) == (role == Role::Type))
        {
            all.retain(|&at| is_type(at) == (role == Role::Type));
        }
        let is_linked = |at: SymbolIx| {
            let entry = table.entry(at);
            let has_linkage = matches!(entry.kind, DefinitionKind::Function | DefinitionKind::Variable)
                || entry.kind.is_type();
            has_linkage && !entry.traits.has(Traits::PRIVATE)
        };
        let is_near = |file: &mut Self, at: SymbolIx| file.includes(table.entry(at).file as usize);
        let mut near: Vec<SymbolIx> = all.iter().copied().filter(|&at| is_near(self, at)).collect();
        if near.is_empty() {
            let file_of = |at: SymbolIx| table.entry(at).file as usize;
            let found: Vec<SymbolIx> = all
                .into_iter()
                .filter(|&at| {
                    let is_value =
                        matches!(table.entry(at).kind, DefinitionKind::Function | DefinitionKind::Variable);
                    table.is_header(file_of(at)) || is_value && is_linked(at)
                })
                .collect();
            return Bound::global(&found, found.len());
        }
        let is_value = |&at: &SymbolIx| !table.entry(at).kind.is_type() && is_linked(at);
        if near.iter().any(is_value) {
            let others = all.into_iter().filter(is_value).filter(|at| !near.contains(at));
            let others: Vec<SymbolIx> = others.take(MAX_CANDIDATES).collect();
            near.extend(others);
        }
        Bound::symbols(&near, CERTAIN)
    }

    /// Whether the file is `other` or includes it.
    fn includes(&mut self, other: FileIx) -> bool {
        let (modules, file) = (self.binder.modules, self.file);
        self.included.get_or_insert_with(|| modules.included(file)).contains(&other)
    }

    /// A name of Ruby outside of all types; else a member of what includes the module, or is included.
    pub(super) fn ruby_global(&self, sought: Sought) -> Bound {
        let name = sought.name;
        let table = self.binder.table;
        let is_top = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            entry.parent.is_none() && table.families[entry.file as usize] == Family::Ruby
        };
        let mut found: Vec<SymbolIx> = table.named(name).iter().filter(is_top).copied().collect();
        if found.is_empty() {
            let is_constant = table.text(name).is_some_and(|name| name.starts_with(char::is_uppercase));
            return match self.candidates(sought) {
                nothing if is_constant && nothing.entities.is_empty() => Bound::external(),
                found => found,
            };
        }
        // A module is one however often it is opened.
        let mut seen = FxHashSet::default();
        let n_distinct = found.iter().filter(|&&at| seen.insert(table.canonical(at))).count();
        if n_distinct == 1 {
            found.truncate(MAX_OPENED);
            return Bound::symbols(&found, GLOBAL);
        }
        Bound::global(&found, n_distinct)
    }

    /// A name that all files of a language see.
    pub(super) fn global(&self, name: Name) -> Bound {
        let table = self.binder.table;
        let is_seen = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            let is_top = entry.parent.is_none_or(|parent| table.entry(parent).kind == DefinitionKind::Module);
            let is_visible = !entry.traits.has(Traits::PRIVATE) || entry.file as usize == self.file;
            is_top && is_visible && table.family(at) == self.family
        };
        let found: Vec<SymbolIx> = table.named(name).iter().filter(is_seen).copied().collect();
        if found.is_empty() { Bound::external() } else { Bound::global(&found, found.len()) }
    }

    /// Methods of Rust's traits that the file names: of one, or nothing is said.
    pub(super) fn of_traits_in_scope(&self, sought: Sought) -> Vec<SymbolIx> {
        let table = self.binder.table;
        let is_common =
            table.text(sought.name).is_some_and(|name| COMMON.contains(&name) || RUST.contains(&name));
        if self.family != Family::Rust || sought.role != Role::Call || is_common {
            return Vec::new();
        }
        let is_in_scope = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            let of_trait = entry.parent.filter(|&of| table.entry(of).kind == DefinitionKind::Interface);
            entry.kind.is_callable() && of_trait.is_some_and(|of| self.names(of))
        };
        let found = table.named(sought.name).iter();
        let found: Vec<SymbolIx> = found.take(MAX_SOUGHT).filter(is_in_scope).copied().collect();
        if found.len() == 1 { found } else { Vec::new() }
    }

    /// Whether the file defines or imports a type.
    fn names(&self, of: SymbolIx) -> bool {
        let (table, modules) = (self.binder.table, self.binder.modules);
        let entry = table.entry(of);
        if entry.file as usize == self.file {
            return true;
        }
        let is_it = |entity: &Entity| matches!(*entity, Entity::Symbol(at) if table.canonical(at) == table.canonical(of));
        let names = &table.files[self.file];
        let imports = names.imports.iter().enumerate().filter(|(_, import)| match import.what {
            Imported::Name(name) => table.name(self.file, name) == entry.name,
            _ => false,
        });
        imports.into_iter().any(|(at, _)| modules.import(self.file, at as u32).iter().any(is_it))
            || modules.by_stars(self.file, entry.name).iter().any(is_it)
    }

    /// Members of that name of any type, for a receiver of which nothing is known.
    pub(super) fn candidates(&self, sought: Sought) -> Bound {
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
            let is_seen = !entry.traits.has(Traits::PRIVATE) || entry.file as usize == self.file;
            let fits = self.binder.fits(at, sought) || role == Role::Read;
            let is_in_sight = !extends || self.sees_extension(at);
            is_member && fits_role && fits_value && is_family && is_seen && fits && is_in_sight
        };
        let found: Vec<SymbolIx> = table.named(name).iter().filter(fits).copied().collect();
        let owners: FxHashSet<SymbolIx> = found
            .iter()
            .filter_map(|&at| table.entry(at).parent)
            .map(|parent| table.canonical(parent))
            .collect();
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
        let is_common = table.text(name).is_some_and(|name| COMMON.contains(&name));
        Bound::symbols(&found, if is_common { confidence / 3 } else { confidence })
    }
}
