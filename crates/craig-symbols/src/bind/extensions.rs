//! Functions that extend a type from outside of it, and who sees them.

use craig_chunk::names::{Role, Traits};

use super::{Binder, Bound, FileBinder, GLOBAL, MAX_CANDIDATES, Sought, Type};
use crate::SymbolIx;
use crate::modules::Entity;
use crate::table::Family;

/// Types that most types extend, or that have many subtypes of other names.
const GENERAL_TYPES: &[&str] = &[
    "Any",
    "AutoCloseable",
    "CharSequence",
    "Closeable",
    "Collection",
    "Comparable",
    "Iterable",
    "Map",
    "Number",
    "Sequence",
];

impl<'n> Binder<'_, 'n> {
    /// Whether an extension may be one of a type of another project, by the name of what it extends.
    fn may_extend(&self, at: SymbolIx, of: Type) -> bool {
        let Some(owner) = self.extended(at) else { return true };
        if GENERAL_TYPES.contains(&owner) {
            return true;
        }
        match of {
            // Subtypes mostly end as what they extend: `FileInputStream`.
            Type::External(Some(name)) => self.table.text(name).is_some_and(|name| name.ends_with(owner)),
            Type::Instance(of) if self.table.definition(of).supers.is_empty() => {
                self.table.text(self.table.entry(of).name) == Some(owner)
            }
            _ => true,
        }
    }

    /// Whether an extension may be one of a type: it extends that, a supertype, or what is of another project.
    fn may_extend_in_csharp(&self, at: SymbolIx, of: Type) -> bool {
        let Some(owner) = self.extended(at) else { return true };
        let Some(owner) = self.table.find(owner) else { return true };
        let is_type =
            |&at: &SymbolIx| self.table.entry(at).kind.is_type() && self.table.family(at) == Family::CSharp;
        if !self.table.named(owner).iter().any(is_type) {
            return true;
        }
        match self.generics.plain(of) {
            Type::Instance(of) | Type::Static(of) => {
                let above = self.all_supers.get(self.table.canonical(of) as usize).into_iter().flatten();
                std::iter::once(&of).chain(above).any(|&of| self.table.entry(of).name == owner)
            }
            Type::Collection(_) => false,
            _ => true,
        }
    }

    /// The name of the type that an extension extends.
    fn extended(&self, at: SymbolIx) -> Option<&'n str> {
        let file = self.table.entry(at).file as usize;
        let owner = self.table.files[file].text(self.table.definition(at).owner?);
        owner.rsplit('.').next()
    }

    /// Of extensions, those of the type itself if there are any.
    fn nearest_extensions(&self, mut found: Vec<SymbolIx>, of: Type) -> Vec<SymbolIx> {
        let name = match of {
            Type::External(name) => name,
            Type::Instance(of) | Type::Static(of) => Some(self.table.entry(of).name),
            _ => None,
        };
        let Some(name) = name.and_then(|name| self.table.text(name)) else { return found };
        let is_own = |at: SymbolIx| self.extended(at) == Some(name);
        if found.iter().any(|&at| is_own(at)) {
            found.retain(|&at| is_own(at));
        }
        found
    }
}

impl FileBinder<'_, '_, '_> {
    /// What extends a type from outside of it.
    pub(super) fn extension(&self, of: Type, sought: Sought) -> Bound {
        if let Some(found) = self.imported_extension(of, sought) {
            return found;
        }
        let all = self.binder.table.extensions(sought.name).iter().copied();
        let found = all.filter(|&at| self.extends(at, of, sought) && self.sees_extension(at));
        let found: Vec<SymbolIx> = found.take(MAX_CANDIDATES).collect();
        let found = self.binder.nearest_extensions(found, of);
        if found.is_empty() { Bound::external() } else { Bound::symbols(&found, GLOBAL) }
    }

    /// An extension that the file imports by its name.
    pub(super) fn imported_extension(&self, of: Type, sought: Sought) -> Option<Bound> {
        if self.family != Family::Jvm {
            return None;
        }
        let imported = self.binder.modules.imported(self.file, sought.name)?.into_iter();
        let found = imported.filter_map(|entity| match entity {
            Entity::Symbol(at) => Some(at).filter(|&at| self.extends(at, of, sought)),
            _ => None,
        });
        let found = self.binder.nearest_extensions(found.collect(), of);
        (!found.is_empty()).then(|| Bound::symbols(&found, GLOBAL))
    }

    /// Whether a definition is an extension that is sought.
    fn extends(&self, at: SymbolIx, of: Type, sought: Sought) -> bool {
        let entry = self.binder.table.entry(at);
        let is_jvm = self.family == Family::Jvm;
        let fits_role = match sought.role {
            Role::Call => entry.kind.is_callable(),
            Role::Read | Role::Write => is_jvm && !entry.kind.is_callable(),
            _ => false,
        };
        fits_role
            && entry.traits.has(Traits::EXTENSION)
            && !entry.kind.is_type()
            && self.binder.table.families[entry.file as usize] == self.family
            && match self.family {
                Family::Jvm => self.binder.takes(at, sought.arguments) && self.binder.may_extend(at, of),
                Family::CSharp => self.binder.may_extend_in_csharp(at, of),
                _ => true,
            }
    }

    /// Whether a file sees an extension: in Kotlin those of its package, and what it imports.
    pub(super) fn sees_extension(&self, at: SymbolIx) -> bool {
        let (table, modules) = (self.binder.table, self.binder.modules);
        let entry = table.entry(at);
        if self.family != Family::Jvm || entry.file as usize == self.file {
            return true;
        }
        let group = table.group_of[entry.file as usize];
        !entry.traits.has(Traits::PRIVATE)
            && (group == table.group_of[self.file] || modules.imports_all_of(self.file, group))
    }
}
