//! Members of Rust's types that stand elsewhere: of traits in scope, of what a type dereferences to, of inline modules.

use craig_chunk::names::{DefinitionKind, Imported, Role, Site, Source, Value};

use super::{Bound, FileBinder, GLOBAL, Sought, TYPED, Type};
use crate::SymbolIx;
use crate::modules::Entity;
use crate::table::{Family, Name};

/// Of so many definitions of a name it is asked whether they may be meant.
const MAX_SOUGHT: usize = 64;

/// Methods of Rust's standard library and of futures that types and traits of projects define, too.
#[rustfmt::skip]
const OF_RUST: &[&str] = &[
    "add", "all", "and_then", "any", "append", "as_bytes", "as_deref", "as_mut", "as_ref", "as_slice",
    "as_str", "borrow", "borrow_mut", "boxed", "by_ref", "bytes", "ceil", "chain", "chars",
    "checked_add", "clear", "clone", "cloned", "cmp", "collect", "concat", "contains", "contains_key",
    "copied", "count", "dedup", "default", "deref", "deref_mut", "drain", "drop", "ends_with", "entry",
    "enumerate", "eq", "err", "expect", "extend", "filter", "filter_map", "find", "first", "flat_map",
    "flatten", "floor", "flush", "fmt", "fold", "for_each", "from", "from_str", "get", "get_mut",
    "get_or_insert_with", "hash", "index", "insert", "inspect", "into", "into_boxed_slice",
    "into_inner", "into_iter", "into_string", "is_empty", "is_err", "is_none", "is_ok", "is_some",
    "iter", "iter_mut", "join", "key", "keys", "kind", "last", "len", "lines", "load", "lock", "map",
    "map_err", "map_or", "map_or_else", "max", "min", "name", "ne", "next", "next_back", "nth", "ok",
    "ok_or", "ok_or_else", "open", "or", "or_default", "or_else", "or_insert", "or_insert_with",
    "parse", "partial_cmp", "path", "peek", "peekable", "poll", "pop", "position", "push", "push_back",
    "push_front", "push_str", "read", "read_exact", "read_to_end", "read_to_string", "ready", "recv",
    "reduce", "remove", "replace", "reserve", "resize", "retain", "rev", "reverse", "round", "seek",
    "send", "set", "shutdown", "size_hint", "skip", "skip_while", "sort", "sort_by", "sort_by_key",
    "source", "spawn", "splice", "split", "split_at", "split_first", "split_off", "starts_with",
    "step_by", "store", "sub", "sum", "swap", "swap_remove", "take", "take_while", "then", "then_some",
    "to_ascii_lowercase", "to_bytes", "to_lowercase", "to_owned", "to_string", "to_uppercase", "to_vec",
    "trim", "truncate", "try_from", "try_into", "try_recv", "type_id", "unwrap", "unwrap_or",
    "unwrap_or_default", "unwrap_or_else", "unzip", "update", "values", "values_mut", "wait", "wake",
    "windows", "with", "with_capacity", "write", "write_all", "write_fmt", "write_str", "zip",
];

/// Of these, what `Option`, `Result`, cells and iterators do not have: a value of a type of the project has them from a trait.
const OF_NO_WRAPPER: &[&str] = &[
    "boxed", "bytes", "get", "kind", "name", "open", "path", "ready", "send", "set", "shutdown", "spawn",
    "with",
];

impl FileBinder<'_, '_, '_> {
    /// Whether a method of Rust's standard library is called so.
    pub(super) fn is_of_rust(&self, name: Name) -> bool {
        self.binder.table.text(name).is_some_and(|name| OF_RUST.contains(&name))
    }

    /// What a name is that a type or an inline module of Rust does not define itself; `None` in other languages.
    pub(super) fn of_rust_type(&self, of: SymbolIx, sought: Sought) -> Option<Bound> {
        if self.family != Family::Rust {
            return None;
        }
        let (table, modules) = (self.binder.table, self.binder.modules);
        let entry = table.entry(of);
        if entry.kind == DefinitionKind::Module {
            let definition = table.definition(of);
            let lines = definition.line_start..=definition.line_end;
            let entities = modules.brought_into(entry.file as usize, lines, sought.name);
            let is_known = !entities.is_empty();
            return Some(if is_known { Bound { entities, confidence: TYPED } } else { Bound::external() });
        }
        let found = self.of_target(of, sought);
        if !found.is_empty() {
            return Some(Bound::symbols(&found, TYPED));
        }
        let text = table.text(sought.name).unwrap_or_default();
        let is_common = OF_RUST.contains(&text) && !OF_NO_WRAPPER.contains(&text);
        if !is_common {
            let found = self.trait_methods(sought);
            if !found.is_empty() {
                return Some(Bound::symbols(&found, GLOBAL));
            }
        }
        // A macro may make what is not seen here.
        Some(if is_common { Bound::external() } else { Bound::default() })
    }

    /// What `Kind::Named(value)` has for a value; `None` where that is no variant.
    pub(super) fn held_by_variant(&mut self, source: Source, depth: usize) -> Option<Type> {
        let Source::Occurrence(at) = source else { return None };
        let is_variant = self.family == Family::Rust && self.is_capitalized(source);
        let bound = is_variant.then(|| self.bound(at, depth + 1))?;
        match bound.entities[..] {
            [Entity::Symbol(of)] => match self.binder.table.entry(of).kind {
                DefinitionKind::EnumMember => Some(self.binder.types[of as usize]),
                kind if kind.is_type() => Some(Type::Unknown),
                _ => None,
            },
            _ => Some(Type::Unknown),
        }
    }

    /// The result of an associated function from another crate's trait, such as `Order::default()` or `Cli::parse()`: nearly all
    /// of them return the type that they are called on.
    pub(super) fn made_by_other_trait(&mut self, source: Source, depth: usize) -> Option<Type> {
        let Source::Occurrence(at) = source else { return None };
        let occurrence = self.binder.table.files[self.file].occurrences.get(at as usize)?;
        let Site::Member(of) = occurrence.site else { return None };
        match self.value_type(of, depth + 1) {
            Type::Static(of) => {
                let kind = self.binder.table.entry(of).kind;
                matches!(kind, DefinitionKind::Class | DefinitionKind::Enum).then_some(Type::Instance(of))
            }
            _ => None,
        }
    }

    /// Of what one name stands for, keeps what the place asks for: Rust has types and modules beside functions of their name.
    pub(super) fn keep_namespace(&self, found: &mut Vec<Entity>, role: Role) {
        let table = self.binder.table;
        let is_space = |entity: &Entity| match *entity {
            Entity::Symbol(at) => {
                let kind = table.entry(at).kind;
                kind.is_type() || kind == DefinitionKind::Module
            }
            Entity::Module(_) | Entity::Package(_) => true,
            Entity::External => false,
        };
        let is_function = |entity: &Entity| match *entity {
            Entity::Symbol(at) => table.entry(at).kind.is_callable(),
            _ => false,
        };
        match role {
            Role::Type | Role::Inherit | Role::Implement if found.iter().any(is_space) => {
                found.retain(is_space)
            }
            Role::Call if found.iter().any(is_function) => found.retain(is_function),
            Role::Read if !found.iter().all(is_space) => found.retain(|entity| !is_space(entity)),
            _ => {}
        }
    }

    /// Whether a value is the first part of a path: `net::Listener` of `net::Listener::bind`.
    pub(super) fn is_rust_path(&self, value: Value) -> bool {
        let Value::Itself(Source::Occurrence(at)) = value else { return false };
        let occurrence = self.binder.table.files[self.file].occurrences.get(at as usize);
        self.family == Family::Rust && occurrence.is_some_and(|found| found.role == Role::Type)
    }

    /// A member of what a type dereferences to, or what it gives when it is awaited.
    fn of_target(&self, of: SymbolIx, sought: Sought) -> Vec<SymbolIx> {
        let table = self.binder.table;
        let targets = ["Target", "Output"].into_iter().filter_map(|name| table.find(name));
        let targets = targets.flat_map(|name| table.own_members(of, name));
        let held = targets.filter_map(|&at| match self.binder.types[at as usize] {
            Type::Instance(target) | Type::Static(target) => Some(target),
            _ => None,
        });
        held.filter(|&target| table.canonical(target) != table.canonical(of))
            .map(|target| self.for_role(self.binder.member(target, sought), sought.role))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// Methods of the traits that the file names: of one, or nothing is said; nor of a name that Rust has, too.
    pub(super) fn of_traits_in_scope(&self, sought: Sought) -> Vec<SymbolIx> {
        if self.is_of_rust(sought.name) { Vec::new() } else { self.trait_methods(sought) }
    }

    fn trait_methods(&self, sought: Sought) -> Vec<SymbolIx> {
        let table = self.binder.table;
        if self.family != Family::Rust || sought.role != Role::Call {
            return Vec::new();
        }
        let of_trait = |&at: &SymbolIx| {
            let entry = table.entry(at);
            let of = entry.parent.filter(|&of| table.entry(of).kind == DefinitionKind::Interface)?;
            entry.kind.is_callable().then_some((at, of))
        };
        let found = table.named(sought.name).iter().filter_map(of_trait).take(MAX_SOUGHT);
        let found: Vec<SymbolIx> = found.filter(|&(_, of)| self.names(of)).map(|(at, _)| at).collect();
        if found.len() == 1 { found } else { Vec::new() }
    }

    /// Leaves out the members that implement others of a trait: a call by the trait's name is one of the trait's.
    pub(super) fn keep_declared(&self, found: &mut Vec<SymbolIx>) {
        let table = self.binder.table;
        let owner = |at: SymbolIx| table.entry(at).parent.map(|of| table.canonical(of));
        let declared: Vec<SymbolIx> = found
            .iter()
            .filter_map(|&at| owner(at))
            .filter(|&of| table.entry(of).kind == DefinitionKind::Interface)
            .collect();
        let implements = |at: SymbolIx| {
            let mut supers = self.binder.supers[at as usize].iter().map(|&of| table.canonical(of));
            supers.any(|of| declared.contains(&of))
        };
        found.retain(|&at| !implements(at));
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
}
