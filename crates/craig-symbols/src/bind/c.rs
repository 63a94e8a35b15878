//! Names of C and C++: what the file and those that it includes declare, by namespace, and what is linked with that.

use std::rc::Rc;

use craig_chunk::names::{DefinitionIx, DefinitionKind, OccurrenceIx, Role, Source, Traits, Value};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Binder, Bound, CERTAIN, FileBinder, MAX_CANDIDATES, ONLY, Sought, TYPED, Type};
use crate::SymbolIx;
use crate::modules::Entity;
use crate::table::{Family, Name};
use crate::workspace::FileIx;

/// Where something is brought in: a namespace, or outside of all, and by which name; without one, all of a namespace.
type Place = (Option<SymbolIx>, Option<Name>);

/// What `using` brings into a namespace, for those that include the file.
#[derive(Clone)]
pub(super) struct Using {
    file: FileIx,
    of: Vec<SymbolIx>,
}

/// What `using` brings in, by place.
pub(super) type Usings = FxHashMap<Place, Vec<Using>>;

impl Binder<'_, '_> {
    /// Makes the names of inline namespaces those of what encloses them.
    pub(super) fn open_inline_namespaces(&mut self) {
        for at in 0..self.table.entries.len() as SymbolIx {
            if self.is_namespace(at) {
                let offset = self.table.offsets[self.table.entry(at).file as usize];
                let inner = self.table.definition(at).supers.iter().filter_map(|value| match value {
                    Value::Itself(Source::Definition(ix)) => Some(self.table.canonical(offset + ix)),
                    _ => None,
                });
                self.supers[self.table.canonical(at) as usize].extend(inner);
            }
        }
    }

    /// Whether a definition is a namespace of C++.
    pub(super) fn is_namespace(&self, at: SymbolIx) -> bool {
        self.table.entry(at).kind == DefinitionKind::Module && self.table.family(at) == Family::C
    }

    /// Whether what an alias stands for may become known.
    pub(super) fn is_pending(&self, of: Type) -> bool {
        let (Type::Static(at) | Type::Instance(at)) = of else { return false };
        !self.is_derived
            && self.types[at as usize] == Type::Unknown
            && self.table.entry(at).kind == DefinitionKind::Type
            && self.table.definition(at).value != Value::Unknown
    }

    /// What the files of C++ bring in by `using`.
    pub(super) fn bind_usings(&self) -> Usings {
        let files = (0..self.table.files.len()).into_par_iter();
        let files = files.filter(|&file| self.table.families[file] == Family::C);
        let found = files.flat_map_iter(|file| FileBinder::new(self, file).usings());
        let mut usings = Usings::default();
        for (place, using) in found.collect::<Vec<_>>() {
            usings.entry(place).or_default().push(using);
        }
        usings
    }
}

impl FileBinder<'_, '_, '_> {
    fn usings(&mut self) -> Vec<(Place, Using)> {
        let (table, file) = (self.binder.table, self.file);
        let mut found = Vec::new();
        for export in &table.files[file].exports {
            let is_namespace = table.files[file].text(export.name) == "*";
            let of: Vec<SymbolIx> = if is_namespace {
                match self.value_type(export.value, 0) {
                    Type::Static(of) if self.binder.is_namespace(of) => vec![table.canonical(of)],
                    _ => continue,
                }
            } else {
                let Value::Itself(Source::Occurrence(at)) = export.value else { continue };
                let symbol = |entity: &Entity| match *entity {
                    Entity::Symbol(at) => Some(at),
                    _ => None,
                };
                self.bound(at, 0).entities.iter().filter_map(symbol).collect()
            };
            if !of.is_empty() {
                let name = (!is_namespace).then(|| table.name(file, export.name));
                found.push(((self.namespace_around(export.value), name), Using { file, of }));
            }
        }
        found
    }

    /// The namespace in which a value stands.
    fn namespace_around(&self, value: Value) -> Option<SymbolIx> {
        let table = self.binder.table;
        let within = match value {
            Value::Itself(Source::Occurrence(at)) => {
                table.files[self.file].occurrences.get(at as usize)?.within
            }
            Value::Itself(Source::Definition(ix)) => {
                table.files[self.file].definitions.get(ix as usize)?.parent
            }
            _ => None,
        };
        let first = within.map(|within| table.offsets[self.file] + within);
        let mut around = std::iter::successors(first, |&at| table.entry(at).parent);
        around.find(|&at| self.binder.is_namespace(at)).map(|at| table.canonical(at))
    }

    /// A name of C by itself: of a type or namespace around it, from the inside, else outside of all.
    pub(super) fn bare_of_c(&self, sought: Sought, within: Option<DefinitionIx>) -> Bound {
        let table = self.binder.table;
        let mut at = within.map(|within| table.offsets[self.file] + within);
        while let Some(current) = at {
            let found = match table.entry(current).kind {
                DefinitionKind::Module => self.of_namespace(current, sought),
                kind if kind.is_type() => {
                    // The type's own name is the type, not what makes it.
                    let is_maker = |at| table.entry(at).kind == DefinitionKind::Constructor;
                    let mut found = self.binder.member_where(current, sought.name, |_| true);
                    // A field may have the name of its type.
                    let is_type = |at| table.entry(at).kind.is_type() || self.binder.is_namespace(at);
                    let is_sought = |at| sought.role != Role::Type || is_type(at);
                    found.retain(|&at| !is_maker(at) && is_sought(at));
                    Bound::symbols(&found, CERTAIN)
                }
                _ => Bound::default(),
            };
            if !found.entities.is_empty() {
                return found;
            }
            at = table.entry(current).parent;
        }
        match self.of_no_namespace(sought) {
            found if found.entities.is_empty() => self.of_some_namespace(sought, within),
            found => found,
        }
    }

    /// What a namespace has by a name: its own, what `using` brings in by the name, else what is in namespaces that it opens.
    fn of_namespace(&self, space: SymbolIx, sought: Sought) -> Bound {
        let space = self.binder.table.canonical(space);
        let mut all = self.binder.member_where(space, sought.name, |_| true);
        all.extend(self.brought_in((Some(space), Some(sought.name))));
        if all.is_empty() {
            all = self.of_opened(Some(space), sought.name);
        }
        let mut found = self.linked(all, sought.role);
        // Of a type that is declared alone, the header need not be included.
        if self.is_one_type(&found.entities) {
            found.confidence = CERTAIN;
        }
        found
    }

    fn is_one_type(&self, found: &[Entity]) -> bool {
        let table = self.binder.table;
        let types = found.iter().map(|entity| match *entity {
            Entity::Symbol(at) if table.entry(at).kind.is_type() => Some(table.canonical(at)),
            _ => None,
        });
        let types: Option<FxHashSet<SymbolIx>> = types.collect();
        types.is_some_and(|types| types.len() == 1)
    }

    /// A member of a namespace.
    pub(super) fn member_of_namespace(&self, space: SymbolIx, sought: Sought) -> Bound {
        match self.of_namespace(space, sought) {
            found if found.entities.is_empty() => Bound::external(),
            found => Bound { confidence: found.confidence.min(TYPED), ..found },
        }
    }

    /// A name outside of all namespaces, or of one that is opened there.
    pub(super) fn of_no_namespace(&self, sought: Sought) -> Bound {
        let mut all: Vec<SymbolIx> = self.named_in_c(sought.name).filter(|&at| self.is_global(at)).collect();
        all.extend(self.brought_in((None, Some(sought.name))));
        all.extend(self.of_opened(None, sought.name));
        self.linked(all, sought.role)
    }

    /// A name of some namespace: that of an argument of the call, or one that a macro opens. The body of a macro counts where it
    /// is used.
    fn of_some_namespace(&self, sought: Sought, within: Option<DefinitionIx>) -> Bound {
        let table = self.binder.table;
        let namespace = |at: SymbolIx| table.entry(at).parent.filter(|&of| self.binder.is_namespace(of));
        let all = self.named_in_c(sought.name).filter(|&at| namespace(at).is_some()).collect();
        let mut found = self.linked(all, sought.role);
        let namespaces = found.entities.iter().filter_map(|entity| match *entity {
            Entity::Symbol(at) => namespace(at).map(|of| table.canonical(of)),
            _ => None,
        });
        let n_namespaces = namespaces.collect::<FxHashSet<SymbolIx>>().len();
        if n_namespaces == 0 {
            return Bound::external();
        }
        let around = within.map(|within| table.offsets[self.file] + within);
        let is_in_macro = around.is_some_and(|at| table.entry(at).kind == DefinitionKind::Macro);
        if !is_in_macro {
            found.confidence = found.confidence.min(ONLY / n_namespaces.min(MAX_CANDIDATES) as u8);
        }
        found
    }

    /// The definitions of a name in C and C++.
    fn named_in_c(&self, name: Name) -> impl Iterator<Item = SymbolIx> {
        let table = self.binder.table;
        table.named(name).iter().copied().filter(|&at| table.family(at) == Family::C)
    }

    /// Whether a name stands outside of all namespaces, and is no member: types and enumerators in a structure of C are none.
    fn is_global(&self, at: SymbolIx) -> bool {
        let table = self.binder.table;
        let entry = table.entry(at);
        let is_enumerator = entry.kind == DefinitionKind::EnumMember && !entry.traits.has(Traits::STATIC);
        let mut around = std::iter::successors(entry.parent, |&at| table.entry(at).parent);
        entry.parent.is_none()
            || (entry.kind.is_type() || is_enumerator) && !around.any(|of| self.binder.is_namespace(of))
    }

    /// What `using` brings in at a place.
    fn brought_in(&self, place: Place) -> Vec<SymbolIx> {
        let usings = self.binder.usings.get(&place).into_iter().flatten();
        usings.filter(|using| self.includes(using.file)).flat_map(|using| using.of.iter().copied()).collect()
    }

    /// Names of the namespaces that are opened in another one, or outside of all.
    fn of_opened(&self, space: Option<SymbolIx>, name: Name) -> Vec<SymbolIx> {
        let known = self.opened.borrow().get(&space).cloned();
        let opened = known.unwrap_or_else(|| {
            let mut opened = self.brought_in((space, None));
            opened.sort_unstable();
            opened.dedup();
            let opened: Rc<[SymbolIx]> = opened.into();
            self.opened.borrow_mut().insert(space, Rc::clone(&opened));
            opened
        });
        opened.iter().flat_map(|&of| self.binder.member_where(of, name, |_| true)).collect()
    }

    /// Of overloads, keeps those with as many parameters as the call has arguments, or where there are none, those with more: a
    /// declaration may say what they are by default.
    pub(super) fn keep_overloads(&self, found: &mut Vec<Entity>, call: OccurrenceIx) {
        let table = self.binder.table;
        let occurrence = table.files[self.file].occurrences.get(call as usize);
        let Some(n) = occurrence.and_then(|call| call.arguments) else { return };
        let arity = |entity: &Entity| match *entity {
            Entity::Symbol(at) => table.definition(at).arity,
            _ => None,
        };
        let most = if found.iter().any(|entity| arity(entity) == Some(n)) { n } else { u8::MAX };
        let fits = |entity: &Entity| arity(entity).is_none_or(|arity| (n..=most).contains(&arity));
        if found.iter().any(fits) {
            found.retain(fits);
        }
    }

    /// What a class of C++ points to, by its operator.
    pub(super) fn pointed_to(&self, of: Type) -> Option<Type> {
        ["operator->", "operator*"].into_iter().find_map(|method| self.returned_by(of, method))
    }

    /// An element of what a class of C++ is a range of; unknown where the class does not say it.
    pub(super) fn element_of_range(&self, of: Type) -> Option<Type> {
        ["begin", "operator[]"].into_iter().find_map(|method| self.returned_by(of, method))
    }

    /// What a method of a class returns, by what the class is applied to.
    fn returned_by(&self, of: Type, method: &str) -> Option<Type> {
        let binder = self.binder;
        let Type::Instance(class) = binder.generics.plain(of) else { return None };
        let methods = binder.member_where(class, binder.table.find(method)?, |_| true);
        let returned = methods.iter().map(|&at| binder.replaced_by_receiver(binder.types[at as usize], of));
        let is_known =
            |found: &Type| matches!(found, Type::Instance(_) | Type::Generic(_) | Type::Argument(..));
        (!methods.is_empty()).then(|| returned.into_iter().find(is_known).unwrap_or_default())
    }

    /// Of the definitions of a name, those of the file and what it includes, and where that only declares it, those that other
    /// files define.
    fn linked(&self, mut all: Vec<SymbolIx>, role: Role) -> Bound {
        let table = self.binder.table;
        if all.is_empty() {
            return Bound::default();
        }
        // Tags have names of their own: `struct stat` is not `stat()`.
        let is_type = |at: SymbolIx| table.entry(at).kind.is_type();
        if matches!(role, Role::Type | Role::Call)
            && all.iter().any(|&at| is_type(at) == (role == Role::Type))
        {
            all.retain(|&at| is_type(at) == (role == Role::Type));
        }
        let file_of = |at: SymbolIx| table.entry(at).file as usize;
        let is_linked = |at: SymbolIx| {
            let entry = table.entry(at);
            let is_value = matches!(entry.kind, DefinitionKind::Function | DefinitionKind::Variable);
            is_value && !entry.traits.has(Traits::PRIVATE)
        };
        let (mut near, others): (Vec<SymbolIx>, Vec<SymbolIx>) =
            all.into_iter().partition(|&at| self.includes(file_of(at)));
        if near.is_empty() {
            let is_seen = |&at: &SymbolIx| table.is_header(file_of(at)) || is_linked(at);
            let found: Vec<SymbolIx> = others.iter().copied().filter(is_seen).collect();
            return match (&found[..], &others[..]) {
                // A header names a type that only the file has which implements it: `typedef struct queue_s queue_t;`.
                ([], &[hidden]) if is_type(hidden) && table.is_header(self.file) => {
                    Bound::global(&[hidden], 1)
                }
                _ => Bound::global(&found, found.len()),
            };
        }
        // A namespace is one in all files; a declaration and what it declares are one.
        let space = |at: SymbolIx| table.entry(at).parent.map(|of| table.canonical(of));
        let is_declared = |at: SymbolIx| table.entry(at).traits.has(Traits::DECLARATION);
        let is_same = |&at: &SymbolIx| match table.entry(at).kind {
            DefinitionKind::Module => near.iter().any(|&own| table.canonical(own) == table.canonical(at)),
            _ => {
                let is_one = |&own: &SymbolIx| {
                    is_linked(own) && (is_declared(own) || is_declared(at)) && space(own) == space(at)
                };
                is_linked(at) && near.iter().any(is_one)
            }
        };
        let same: Vec<SymbolIx> = others.into_iter().filter(is_same).take(MAX_CANDIDATES).collect();
        near.extend(same);
        Bound::symbols(&near, CERTAIN)
    }

    /// Whether the file is `other` or includes it.
    fn includes(&self, other: FileIx) -> bool {
        let (modules, file) = (self.binder.modules, self.file);
        self.included.get_or_init(|| modules.included(file)).contains(&other)
    }
}
