//! Which members override or satisfy which.

use craig_chunk::names::{DefinitionKind, Role, Traits};
use craig_source::Language;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Binder, MAX_SUPERS, Sought, Type};
use crate::SymbolIx;
use crate::table::{Family, Name};

/// Of an interface, so many methods are sought in types.
const MAX_METHODS: usize = 64;

/// Of so many types it is asked whether they satisfy an interface.
const MAX_IMPLEMENTERS: usize = 1024;

impl Binder<'_, '_> {
    /// The members that each member takes the place of: (member, overridden), by member. Of Go, also (type, interface).
    pub(crate) fn overrides(&self) -> Vec<(SymbolIx, SymbolIx)> {
        let all = (0..self.table.entries.len() as SymbolIx).into_par_iter();
        let pairs = all.flat_map_iter(|at| {
            self.overridden(at).into_iter().map(move |base| (at, base)).collect::<Vec<_>>()
        });
        let mut pairs: Vec<(SymbolIx, SymbolIx)> = pairs.collect();
        pairs.extend(self.satisfied());
        pairs
    }

    /// What satisfies the interfaces of Go: (type, interface), and (method, method of the interface).
    fn satisfied(&self) -> Vec<(SymbolIx, SymbolIx)> {
        let table = self.table;
        let is_go = |at: SymbolIx| table.family(at) == Family::Go;
        let mut methods: FxHashMap<SymbolIx, Vec<SymbolIx>> = FxHashMap::default();
        let mut owners: FxHashMap<Name, Vec<SymbolIx>> = FxHashMap::default();
        let mut embedding: FxHashMap<SymbolIx, Vec<SymbolIx>> = FxHashMap::default();
        for at in (0..table.entries.len() as SymbolIx).filter(|&at| is_go(at)) {
            let entry = table.entry(at);
            if let (DefinitionKind::Method, Some(parent)) = (entry.kind, entry.parent) {
                let owner = table.canonical(parent);
                methods.entry(owner).or_default().push(at);
                owners.entry(entry.name).or_default().push(owner);
            }
            for &above in &self.supers[at as usize] {
                embedding.entry(table.canonical(above)).or_default().push(at);
            }
        }
        let interfaces: Vec<SymbolIx> = (0..table.entries.len() as SymbolIx)
            .filter(|&at| is_go(at) && table.entry(at).kind == DefinitionKind::Interface)
            .collect();
        let pairs = interfaces.into_par_iter().flat_map_iter(|interface| {
            let all = std::iter::once(interface).chain(self.all_supers[interface as usize].iter().copied());
            let wanted: Vec<SymbolIx> = all
                .flat_map(|of| methods.get(&of).into_iter().flatten())
                .copied()
                .take(MAX_METHODS)
                .collect();
            let rarest = wanted
                .iter()
                .map(|&at| owners.get(&table.entry(at).name))
                .min_by_key(|owners| owners.map_or(0, Vec::len));
            let mut open = rarest.flatten().cloned().unwrap_or_default();
            let mut seen: FxHashSet<SymbolIx> = FxHashSet::default();
            let mut found = Vec::new();
            while let Some(of) = open.pop().filter(|_| seen.len() < MAX_IMPLEMENTERS) {
                if !seen.insert(of) {
                    continue;
                }
                open.extend(embedding.get(&of).into_iter().flatten());
                if table.entry(of).kind == DefinitionKind::Interface {
                    continue;
                }
                if let Some(methods) = self.satisfying(of, &wanted) {
                    found.push((of, interface));
                    found.extend(methods);
                }
            }
            found.sort_unstable();
            found.dedup();
            found
        });
        pairs.collect()
    }

    /// The methods by which a type satisfies those of an interface; `None` if it does not.
    fn satisfying(&self, of: SymbolIx, wanted: &[SymbolIx]) -> Option<Vec<(SymbolIx, SymbolIx)>> {
        let found = wanted.iter().map(|&base| {
            let name = self.table.entry(base).name;
            let own = self.member_where(of, name, |at| self.table.entry(at).kind == DefinitionKind::Method);
            let own = own.into_iter().find(|&at| self.has_signature(at, base))?;
            Some((own, base))
        });
        let found: Option<Vec<(SymbolIx, SymbolIx)>> = found.collect();
        found.map(|found| found.into_iter().filter(|(own, base)| own != base).collect())
    }

    /// Whether two methods may have the same signature.
    fn has_signature(&self, at: SymbolIx, other: SymbolIx) -> bool {
        let written = (self.table.definition(at).arity, self.table.definition(other).arity);
        if matches!(written, (Some(at), Some(other)) if at != other) {
            return false;
        }
        let plain = |at: SymbolIx| self.generics.plain(self.types[at as usize]);
        match (plain(at), plain(other)) {
            (Type::Instance(a), Type::Instance(b)) => {
                let is_tuple = |of: SymbolIx| self.table.entry(of).traits.has(Traits::LOCAL);
                self.table.canonical(a) == self.table.canonical(b) || is_tuple(a) && is_tuple(b)
            }
            (Type::Instance(_), other) | (other, Type::Instance(_)) => {
                matches!(other, Type::Unknown | Type::Argument(..))
            }
            _ => true,
        }
    }

    /// The members of supertypes that a member takes the place of.
    pub(super) fn overridden(&self, at: SymbolIx) -> Vec<SymbolIx> {
        let entry = self.table.entry(at);
        let family = self.table.families[entry.file as usize];
        let has_overloads = family.has_separate_names();
        let hides_static = matches!(family, Family::Jvm | Family::CSharp);
        // Fields of Java hide each other, and so do those of embedded structs of Go.
        let language = self.table.workspace.files[entry.file as usize].language;
        let can_override = match entry.kind {
            DefinitionKind::Method => !(hides_static && entry.traits.has(Traits::STATIC)),
            DefinitionKind::Field => !matches!(language, Language::Java | Language::Go),
            DefinitionKind::Constant => family == Family::Rust,
            _ => false,
        };
        let is_special = matches!(family, Family::Python | Family::Php)
            && self.table.text(entry.name).is_some_and(|name| name.starts_with("__"));
        // A method of Rust knows the trait that it implements, whatever the type is.
        let of_own = family == Family::Rust && !self.supers[at as usize].is_empty();
        let above = match entry.parent {
            _ if of_own => at,
            // Other members take the place of none, whatever traits their type implements.
            Some(_) if family == Family::Rust => return Vec::new(),
            // A member of one of the types of a union has nothing to do with the others.
            Some(parent) if family == Family::Script && self.is_union(parent) => return Vec::new(),
            Some(parent) if family == Family::Script && self.is_object(parent) => {
                return self.declared_for(at, parent);
            }
            Some(parent) => self.table.canonical(parent),
            None => return Vec::new(),
        };
        if !can_override || is_special || entry.traits.has(Traits::PRIVATE) && family != Family::Ruby {
            return Vec::new();
        }
        let role = if entry.kind == DefinitionKind::Method { Role::Override } else { Role::Read };
        let arguments = self.table.definition(at).arity;
        let sought = Sought { name: entry.name, role, arguments, type_arguments: 0 };
        let is_overridden = |&base: &SymbolIx| {
            let traits = self.table.entry(base).traits;
            let is_hidden = has_overloads && traits.has(Traits::PRIVATE)
                || hides_static && traits.has(Traits::STATIC)
                || traits.has(Traits::EXTENSION);
            base != at && !is_hidden
        };
        let mut open = self.supers[above as usize].clone();
        if !has_overloads {
            return open
                .into_iter()
                .flat_map(|above| self.member(above, sought))
                .filter(is_overridden)
                .collect();
        }
        let mut found = Vec::new();
        let mut seen: FxHashSet<SymbolIx> = FxHashSet::default();
        while let Some(above) = open.pop() {
            let above = self.table.canonical(above);
            if seen.len() < MAX_SUPERS && seen.insert(above) {
                open.extend(&self.supers[above as usize]);
                let own = self.table.own_members(above, entry.name).iter().copied();
                found.extend(own.filter(|&base| self.fits(base, sought)).filter(is_overridden));
            }
        }
        found
    }

    /// Whether a definition is neither a type nor a function that makes instances.
    fn is_object(&self, at: SymbolIx) -> bool {
        let kind = self.table.entry(at).kind;
        !kind.is_type() && !kind.is_callable()
    }

    /// The members of the declared type of an object that a member of the object stands for.
    fn declared_for(&self, at: SymbolIx, object: SymbolIx) -> Vec<SymbolIx> {
        let Type::Instance(of) = self.types[object as usize] else { return Vec::new() };
        let name = self.table.entry(at).name;
        let sought = Sought { name, role: Role::Read, arguments: None, type_arguments: 0 };
        let mut found = self.member(of, sought);
        found.retain(|&base| base != at);
        found
    }
}
