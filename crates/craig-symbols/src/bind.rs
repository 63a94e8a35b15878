//! Binds occurrences to definitions.
//!
//! First the supertypes of all types are bound, then, in a few rounds, the types of what functions return and variables hold,
//! each round with what the one before found; then all occurrences. Every round reads only the results of earlier ones, so that
//! the result does not depend on the order of files or threads.

mod c;
mod extensions;
mod generics;
mod globals;
mod overriding;
mod php;
mod ruby;
mod rust;
mod values;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use craig_chunk::names::{
    Choice, DefinitionIx, DefinitionKind, OccurrenceIx, Role, Site, Source, Traits, Value,
};
use craig_source::Language;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use self::generics::{GenericIx, Generics};
use super::modules::{Entity, Modules};
use super::table::{Family, GroupIx, Name, Scope, Table};
use super::{SymbolIx, SymbolReference};
use crate::workspace::FileIx;

/// Rounds in which types of values are derived from each other.
const ROUNDS: usize = 3;
/// Supertypes of supertypes are followed so far.
const MAX_SUPERS: usize = 24;
/// Of the types that a value of a union may be of, with their supertypes, so many are asked for a member.
const MAX_UNION: usize = 256;
/// An occurrence refers to so many definitions, and to so many constructors of each.
const MAX_REFERENTS: usize = 16;
/// An unknown receiver may be of one of so many types; of more, nothing is said.
const MAX_CANDIDATES: usize = 8;

/// Confidence in percent: bound by scopes or imports.
const CERTAIN: u8 = 99;
/// A member of a type that the code makes evident.
const TYPED: u8 = 95;
/// The only one of its name that is in sight of a file without import.
const GLOBAL: u8 = 85;
/// A function or class that a variable or key holds which is meant: another may have taken its place.
const HELD: u8 = 85;
/// The only member of its name in the project, of an unknown receiver.
const ONLY: u8 = 70;
/// From here on an occurrence tells the type of what it refers to.
const TRUSTED: u8 = 50;

/// The type of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Type {
    #[default]
    Unknown,
    /// Of another project, or of the language; the name of the type where it is written.
    External(Option<Name>),
    /// The type itself, or a namespace.
    Static(SymbolIx),
    Instance(SymbolIx),
    Collection(SymbolIx),
    Callable(SymbolIx),
    Module(FileIx),
    Package(GroupIx),
    /// An instance of a generic type with what it is applied to, or of a type parameter with what bounds it.
    Generic(GenericIx),
    /// What a generic type, or function, is applied to as its parameter of this number.
    Argument(SymbolIx, u8),
    /// A collection of such.
    Arguments(SymbolIx, u8),
}

impl Type {
    fn instance(self) -> Self {
        match self {
            Self::Static(of) | Self::Callable(of) => Self::Instance(of),
            other => other,
        }
    }
}

/// What an occurrence refers to.
#[derive(Clone, Debug, Default)]
struct Bound {
    entities: Vec<Entity>,
    confidence: u8,
}

impl Bound {
    fn symbols(symbols: &[SymbolIx], confidence: u8) -> Self {
        Self { entities: Entity::symbols(symbols), confidence }
    }

    /// What all files see, of which there are `n` different ones: the first of them, less sure if there are many.
    fn global(symbols: &[SymbolIx], n: usize) -> Self {
        let confidence = if n > MAX_CANDIDATES { GLOBAL / 2 } else { GLOBAL };
        Self::symbols(&symbols[..symbols.len().min(MAX_CANDIDATES)], confidence)
    }

    fn external() -> Self {
        Self { entities: vec![Entity::External], confidence: CERTAIN }
    }

    /// Whether it is something of the project, by evidence.
    fn is_known(&self) -> bool {
        self.confidence >= TRUSTED && self.entities.iter().any(|entity| *entity != Entity::External)
    }

    /// Leaves out what is named again. Else parts would multiply from member to member: `A::B::C` of modules that are
    /// opened in hundreds of files would have millions.
    fn keep_first(&mut self) {
        let mut seen = FxHashSet::default();
        self.entities.retain(|&entity| seen.insert(entity));
    }

    fn package(group: GroupIx) -> Self {
        Self::certain(vec![Entity::Package(group)])
    }

    fn certain(entities: Vec<Entity>) -> Self {
        Self { entities, confidence: CERTAIN }
    }
}

/// What is sought by a name.
#[derive(Clone, Copy)]
struct Sought {
    name: Name,
    role: Role,
    /// Of a call, the number of its arguments if that tells overloads apart.
    arguments: Option<u8>,
    /// The number of type arguments, where that tells types apart.
    type_arguments: u8,
}

pub(super) struct Binder<'t, 'n> {
    table: &'t Table<'n>,
    modules: &'t Modules<'t, 'n>,
    /// Supertypes by definition.
    supers: Vec<Vec<SymbolIx>>,
    /// Generic types with what they are applied to.
    generics: Generics,
    /// Supertypes that are generic, with what they are applied to.
    generic_supers: FxHashMap<SymbolIx, Vec<GenericIx>>,
    /// What a type of another project holds that is a supertype: `User` of `JpaRepository<User, Long>`.
    held_by_supers: FxHashMap<SymbolIx, SymbolIx>,
    /// Supertypes of supertypes, too.
    all_supers: Vec<Vec<SymbolIx>>,
    /// What each definition returns, holds or stands for.
    types: Vec<Type>,
    /// Methods that return what they are called on.
    fluent: FxHashSet<SymbolIx>,
    /// What the parameters of functions are.
    parameters: FxHashMap<SymbolIx, Vec<Taken>>,
    /// What files of C++ bring in by `using`.
    usings: c::Usings,
}

/// What a parameter is, and what its own parameters are if its type is written as that of a function.
struct Taken {
    of: Type,
    takes: Vec<Type>,
}

impl<'t, 'n> Binder<'t, 'n> {
    pub(super) fn new(table: &'t Table<'n>, modules: &'t Modules<'t, 'n>) -> Self {
        let n = table.entries.len();
        let mut binder = Self {
            table,
            modules,
            supers: vec![Vec::new(); n],
            generics: Generics::default(),
            generic_supers: FxHashMap::default(),
            held_by_supers: FxHashMap::default(),
            all_supers: Vec::new(),
            types: vec![Type::Unknown; n],
            fluent: FxHashSet::default(),
            parameters: FxHashMap::default(),
            usings: c::Usings::default(),
        };
        binder.open_inline_namespaces();
        binder.usings = binder.bind_usings();
        binder.bind_supers();
        binder.all_supers = (0..n as SymbolIx).map(|of| binder.supers_of(of)).collect();
        for round in 0..ROUNDS {
            binder.usings = binder.bind_usings();
            binder.derive_parameters();
            binder.derive_types();
            binder.find_fluent();
            if round == 0 {
                binder.bind_made_supers();
            }
        }
        binder
    }

    /// Binds supertypes of scripts that functions make, which are known once it is known what these return.
    fn bind_made_supers(&mut self) {
        let found = self.for_definitions(|binder, at, ix| {
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
            if binder.family != Family::Script {
                return None;
            }
            let made =
                definition.supers.iter().filter(|value| matches!(value, Value::Called(_) | Value::Choice(_)));
            let made: Vec<SymbolIx> = made
                .filter_map(|&value| match binder.value_type(value, 0) {
                    Type::Static(of) | Type::Instance(of) => (of != at).then_some(of),
                    _ => None,
                })
                .collect();
            (!made.is_empty()).then_some(made)
        });
        for (at, made) in found {
            let of = self.table.canonical(at);
            let known = &mut self.supers[of as usize];
            known.extend(made.into_iter().filter(|above| *above != of));
            known.dedup();
            self.all_supers[of as usize] = self.supers_of(of);
        }
    }

    fn derive_parameters(&mut self) {
        let found = self.for_definitions(|binder, _, ix| {
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
            let taken = definition.parameters.iter().map(|parameter| Taken {
                of: binder.value_type(parameter.value, 0),
                takes: parameter.takes.iter().map(|&value| binder.value_type(value, 0)).collect(),
            });
            let taken: Vec<Taken> = taken.collect();
            (!taken.is_empty()).then_some(taken)
        });
        self.parameters = found.into_iter().collect();
    }

    fn find_fluent(&mut self) {
        let found = self.for_definitions(|binder, at, ix| {
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
            let is_new = binder.family == Family::Script
                && definition.kind == DefinitionKind::Method
                && !binder.binder.fluent.contains(&at);
            (is_new && binder.is_receiver(definition.value, definition.parent?, 0)).then_some(())
        });
        self.fluent.extend(found.into_iter().map(|(at, ())| at));
    }

    /// Runs `read` for all definitions, with a reader of their file.
    fn for_definitions<T: Send>(
        &self,
        read: impl Fn(&mut FileBinder<'_, 't, 'n>, SymbolIx, DefinitionIx) -> Option<T> + Sync,
    ) -> Vec<(SymbolIx, T)> {
        let files = (0..self.table.files.len()).into_par_iter();
        let found = files.flat_map_iter(|file| {
            let mut binder = FileBinder::new(self, file);
            let n = self.table.files[file].definitions.len() as DefinitionIx;
            let offset = self.table.offsets[file];
            let found = (0..n).filter_map(|ix| Some((offset + ix, read(&mut binder, offset + ix, ix)?)));
            found.collect::<Vec<_>>()
        });
        found.collect()
    }

    fn bind_supers(&mut self) {
        let found = self.for_definitions(|binder, at, ix| {
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
            if definition.supers.is_empty() || binder.binder.is_namespace(at) {
                return None;
            }
            let types = definition.supers.iter().map(|&value| binder.value_type(value, 0));
            Some(types.collect::<Vec<Type>>())
        });
        for (at, types) in found {
            let of = self.table.canonical(at);
            for found in types {
                match found {
                    Type::Generic(applied) => self.generic_supers.entry(of).or_default().push(applied),
                    Type::Collection(held) => {
                        self.held_by_supers.entry(of).or_insert(held);
                    }
                    _ => {}
                }
                match self.generics.plain(found) {
                    Type::Static(above) | Type::Instance(above) if above != at => {
                        self.supers[of as usize].push(above);
                    }
                    // A function that makes instances.
                    Type::Callable(above) if above != at && self.table.family(at) == Family::Script => {
                        self.supers[of as usize].push(above);
                    }
                    _ => {}
                }
            }
        }
        for (addition, of) in self.modules.added_types() {
            self.supers[self.table.canonical(of) as usize].push(addition);
        }
    }

    fn derive_types(&mut self) {
        let found = self.for_definitions(|binder, at, ix| {
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
            let is_known = match binder.binder.types[at as usize] {
                Type::Unknown => false,
                // The other value may be known by now.
                Type::External(None) => !matches!(definition.value, Value::Choice(_)),
                _ => true,
            };
            if is_known {
                return None;
            }
            if definition.value == Value::Unknown {
                return binder.binder.inherited_type(at);
            }
            // `struct { … } name`: the variable is its own type.
            let derived = match definition.value {
                Value::Instance(Source::Definition(own)) if own == ix && !definition.kind.is_type() => {
                    Type::Instance(at)
                }
                value => binder.value_type(value, 0),
            };
            (derived != Type::Unknown && derived != Type::Callable(at)).then_some(derived)
        });
        for (at, derived) in found {
            self.types[at as usize] = derived;
        }
    }

    /// What a method of PHP that says nothing of it returns, by what it takes the place of.
    fn inherited_type(&self, at: SymbolIx) -> Option<Type> {
        let is_method = self.table.entry(at).kind == DefinitionKind::Method;
        if !is_method || self.table.family(at) != Family::Php {
            return None;
        }
        let types = self.overridden(at).into_iter().map(|base| self.types[base as usize]);
        types.into_iter().find(|of| matches!(of, Type::Instance(_) | Type::Collection(_)))
    }

    /// The references of one file.
    pub(super) fn references(&self, file: FileIx) -> Vec<SymbolReference> {
        let mut binder = FileBinder::new(self, file);
        let names = &self.table.files[file];
        let mut found = Vec::new();
        for (at, occurrence) in names.occurrences.iter().enumerate() {
            // An attribute of Ruby is read by a call.
            let is_attribute = |symbol: SymbolIx| {
                let entry = self.table.entry(symbol);
                self.table.families[file] == Family::Ruby
                    && occurrence.role == Role::Call
                    && (entry.kind == DefinitionKind::Field || entry.traits.has(Traits::PROPERTY))
            };
            if !occurrence.is_written() {
                continue;
            }
            let bound = binder.bound(at as OccurrenceIx, 0);
            let confidence = bound.confidence;
            for &entity in bound.entities.iter().take(MAX_REFERENTS) {
                let Entity::Symbol(symbol) = entity else { continue };
                let is_type = self.table.entry(symbol).kind.is_type();
                let is_qualifier =
                    is_type && binder.family.has_separate_names() && occurrence.role == Role::Read;
                let reference = SymbolReference {
                    symbol,
                    file: file as u32,
                    line: occurrence.line,
                    column: occurrence.column,
                    role: match occurrence.role {
                        _ if is_attribute(symbol) => Role::Read,
                        _ if is_qualifier => Role::Type,
                        role => role,
                    },
                    within: occurrence.within.map(|within| self.table.offsets[file] + within),
                    confidence,
                };
                found.push(reference);
                if let Some(held) = self.held(symbol).filter(|_| occurrence.role != Role::Write) {
                    let confidence = confidence.min(HELD);
                    found.push(SymbolReference { symbol: held, confidence, ..reference });
                }
                if is_type && occurrence.role == Role::Call {
                    let made = self.table.constructors(symbol).iter().copied();
                    let made = made.filter(|&at| self.takes(at, occurrence.arguments)).take(MAX_REFERENTS);
                    found.extend(made.map(|symbol| SymbolReference { symbol, ..reference }));
                }
            }
        }
        found
    }

    /// The function or class that a variable or key of a script holds.
    fn held(&self, at: SymbolIx) -> Option<SymbolIx> {
        let entry = self.table.entry(at);
        let is_variable =
            matches!(entry.kind, DefinitionKind::Field | DefinitionKind::Variable | DefinitionKind::Constant)
                || entry.traits.has(Traits::PROPERTY);
        if !is_variable || self.table.family(at) != Family::Script {
            return None;
        }
        match self.types[at as usize] {
            Type::Callable(held) => Some(held),
            Type::Static(held) if self.table.entry(held).kind == DefinitionKind::Class => Some(held),
            _ => None,
        }
    }

    /// Whether a function may be called with so many arguments.
    fn takes(&self, at: SymbolIx, arguments: Option<u8>) -> bool {
        let arity = self.table.definition(at).arity;
        arity.is_none() || arguments.is_none() || arity == arguments
    }

    /// A member of a type or of one of its supertypes: the nearest that fits, else the nearest of that name.
    fn member(&self, of: SymbolIx, sought: Sought) -> Vec<SymbolIx> {
        let found = self.member_where(of, sought.name, |at| self.fits(at, sought));
        if !found.is_empty() {
            return found;
        }
        let found = self.member_where(of, sought.name, |at| self.may_fit(at, sought));
        let family = self.table.family(of);
        if found.is_empty() && family == Family::Jvm { self.accessor(of, sought) } else { found }
    }

    /// A getter of Java that Kotlin reads as a property, or a property of Kotlin whose getter Java calls.
    fn accessor(&self, of: SymbolIx, sought: Sought) -> Vec<SymbolIx> {
        let Some(text) = self.table.text(sought.name) else { return Vec::new() };
        let is_method = sought.role == Role::Call;
        let names: Vec<String> = match sought.role {
            Role::Call => {
                let prefixed = ["get", "set"].into_iter().filter_map(|prefix| text.strip_prefix(prefix));
                let is_name = |rest: &str| rest.starts_with(char::is_uppercase);
                let mut names: Vec<String> = prefixed
                    .filter(|rest| is_name(rest))
                    .map(|rest| cased(rest, char::to_ascii_lowercase))
                    .collect();
                names.extend(
                    text.strip_prefix("set").filter(|rest| is_name(rest)).map(|rest| format!("is{rest}")),
                );
                names
            }
            Role::Read => {
                vec![format!("get{}", cased(text, char::to_ascii_uppercase)), text.to_owned()]
            }
            Role::Write => {
                let rest = text.strip_prefix("is").unwrap_or(text);
                vec![format!("set{}", cased(rest, char::to_ascii_uppercase))]
            }
            _ => return Vec::new(),
        };
        let is_accessor = |at: SymbolIx| {
            let entry = self.table.entry(at);
            let language = self.table.workspace.files[entry.file as usize].language;
            entry.kind.is_callable() != is_method
                && (language == Language::Java) != is_method
                && !entry.traits.has(Traits::PRIVATE)
        };
        let found = names.iter().filter_map(|name| self.table.find(name));
        found
            .map(|name| self.member_where(of, name, is_accessor))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// Whether a definition can be what is sought, in languages in which types, functions and variables may share a name.
    fn fits(&self, at: SymbolIx, sought: Sought) -> bool {
        let entry = self.table.entry(at);
        if !self.table.families[entry.file as usize].has_separate_names() {
            return true;
        }
        if !self.has_arity(at, sought) {
            return false;
        }
        let is_callable = entry.kind.is_callable() && !entry.traits.has(Traits::PROPERTY);
        match sought.role {
            Role::Type | Role::Inherit | Role::Implement => {
                entry.kind.is_type() || entry.kind == DefinitionKind::Module
            }
            Role::Call if entry.kind.is_type() => true,
            Role::Call | Role::Override => {
                is_callable && !self.is_constructor(at) && self.takes(at, sought.arguments)
            }
            Role::Read | Role::Write => !is_callable,
            Role::Import => true,
        }
    }

    /// Whether a definition may be what is sought if nothing fits: a variable that is called, a function as a value.
    fn may_fit(&self, at: SymbolIx, sought: Sought) -> bool {
        let is_type_sought = matches!(sought.role, Role::Type | Role::Inherit | Role::Implement);
        let is_never = is_type_sought || sought.role == Role::Override;
        !is_never && !self.is_constructor(at) && self.has_arity(at, sought)
    }

    /// Whether a type of C# takes as many type arguments as are written: `List` and `List<T>` are two types.
    fn has_arity(&self, at: SymbolIx, sought: Sought) -> bool {
        self.table.type_arity(at).is_none_or(|arity| arity == sought.type_arguments)
    }

    /// Whether a definition is a constructor that is called by the name of its type.
    fn is_constructor(&self, at: SymbolIx) -> bool {
        let entry = self.table.entry(at);
        let is_of_type = |parent: SymbolIx| self.table.entry(parent).name == entry.name;
        entry.kind == DefinitionKind::Constructor && entry.parent.is_some_and(is_of_type)
    }

    /// A member of that name, of a type or of one of its supertypes, the nearest that `fits`.
    fn member_where(&self, of: SymbolIx, name: Name, fits: impl Fn(SymbolIx) -> bool) -> Vec<SymbolIx> {
        self.member_within(of, name, &fits, &mut FxHashSet::default())
    }

    fn member_within(
        &self,
        of: SymbolIx,
        name: Name,
        fits: &dyn Fn(SymbolIx) -> bool,
        seen: &mut FxHashSet<SymbolIx>,
    ) -> Vec<SymbolIx> {
        let mut open = vec![self.table.canonical(of)];
        let mut n_steps = 0;
        while !open.is_empty() && n_steps < MAX_SUPERS {
            n_steps += 1;
            let mut next = Vec::new();
            for at in open {
                if !seen.insert(at) {
                    continue;
                }
                let own = self.table.own_members(at, name).iter().copied();
                let mut own: Vec<SymbolIx> = own.filter(|&at| fits(at)).collect();
                if self.is_union(at) && seen.len() < MAX_UNION {
                    // A member of each of the types that it may be.
                    let parts = self.supers[at as usize].iter();
                    own.extend(parts.flat_map(|&of| self.member_within(of, name, fits, seen)));
                    own.sort_unstable();
                    own.dedup();
                    if own.is_empty() {
                        continue;
                    }
                }
                if !own.is_empty() {
                    return own;
                }
                next.extend(self.supers[at as usize].iter().map(|&at| self.table.canonical(at)));
                // An alias whose type was not known yet when it was used.
                if let (DefinitionKind::Type, Type::Instance(of) | Type::Static(of)) =
                    (self.table.entry(at).kind, self.types[at as usize])
                {
                    next.push(self.table.canonical(of));
                }
            }
            open = next;
        }
        Vec::new()
    }

    /// Whether a type is an alias of several, each value being of one of them.
    fn is_union(&self, at: SymbolIx) -> bool {
        let entry = self.table.entry(at);
        entry.kind == DefinitionKind::Type
            && self.table.family(at) == Family::Script
            && entry.traits.has(Traits::UNION)
    }

    /// All supertypes of a type.
    fn supers_of(&self, of: SymbolIx) -> Vec<SymbolIx> {
        let mut open = self.supers[of as usize].clone();
        let mut seen: FxHashSet<SymbolIx> = FxHashSet::default();
        while let Some(above) = open.pop() {
            let above = self.table.canonical(above);
            if above != of && seen.len() < MAX_SUPERS && seen.insert(above) {
                open.extend(&self.supers[above as usize]);
            }
        }
        seen.into_iter().collect()
    }

    fn super_member(&self, of: SymbolIx, sought: Sought) -> Vec<SymbolIx> {
        let supers = &self.supers[self.table.canonical(of) as usize];
        supers
            .iter()
            .map(|&above| self.member(above, sought))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// The type of what an entity is, read as a value.
    fn entity_type(&self, entity: Entity) -> Type {
        let at = match entity {
            Entity::Symbol(at) => at,
            Entity::Module(file) => return Type::Module(file),
            Entity::Package(group) => return Type::Package(group),
            Entity::External => return Type::External(None),
        };
        let entry = self.table.entry(at);
        let held = self.types[at as usize];
        match entry.kind {
            DefinitionKind::Type => match held {
                // `type Routes []Route` has methods of its own.
                Type::External(_) | Type::Collection(_) if self.table.has_members(at) => Type::Static(at),
                Type::Instance(_) | Type::Static(_) | Type::External(_) if self.is_made_of_several(at) => {
                    Type::Static(at)
                }
                Type::Static(_) | Type::External(_) => held,
                Type::Instance(of) => Type::Static(of),
                Type::Collection(_) => held,
                _ => Type::Static(at),
            },
            DefinitionKind::Class
            | DefinitionKind::Interface
            | DefinitionKind::Enum
            | DefinitionKind::Module => Type::Static(at),
            kind if kind.is_callable() && !entry.traits.has(Traits::PROPERTY) => Type::Callable(at),
            DefinitionKind::EnumMember => match entry.parent {
                Some(parent) => Type::Instance(parent),
                None => held,
            },
            // An object written out where it is defined.
            _ if matches!(held, Type::Unknown | Type::External(_)) && self.table.has_members(at) => {
                Type::Static(at)
            }
            _ => held,
        }
    }

    /// The functions that a call of a definition may run: itself, the constructors of a class, those of its type.
    fn called_functions(&self, at: SymbolIx) -> Vec<SymbolIx> {
        let entry = self.table.entry(at);
        if entry.kind == DefinitionKind::Class {
            let all =
                std::iter::once(at).chain(self.supers[self.table.canonical(at) as usize].iter().copied());
            let made = all.map(|of| self.table.constructors(of)).find(|found| !found.is_empty());
            return made.unwrap_or_default().to_vec();
        }
        if entry.kind.is_callable() || self.parameters.contains_key(&at) {
            return vec![at];
        }
        match self.types[at as usize] {
            Type::Instance(of) | Type::Static(of) | Type::Callable(of) if of != at => vec![of],
            _ => Vec::new(),
        }
    }

    /// Whether nothing is known of what an alias stands for.
    fn is_opaque(&self, at: SymbolIx) -> bool {
        self.table.entry(at).kind == DefinitionKind::Type
            && matches!(self.types[at as usize], Type::Unknown | Type::External(_))
            && self.supers[at as usize].is_empty()
            && !self.table.has_members(at)
    }

    /// Whether an alias is of several types, of which one is known, or has members of its own.
    fn is_made_of_several(&self, at: SymbolIx) -> bool {
        let is_of_known_type = !self.supers[at as usize].is_empty();
        self.table.family(at) == Family::Script
            && (is_of_known_type && self.table.definition(at).supers.len() > 1 || self.table.has_members(at))
    }

    fn called(&self, called: Type) -> Type {
        match self.generics.plain(called) {
            Type::Static(of) => self.made_by_new(of).unwrap_or(Type::Instance(of)),
            Type::Callable(at) if self.table.entry(at).kind == DefinitionKind::Constructor => {
                self.table.entry(at).parent.map_or(Type::Unknown, Type::Instance)
            }
            Type::Callable(at) => self.types[at as usize],
            // `Kind::Named(name)` of Rust is a value of the enumeration; in Ruby, reading an attribute is a call.
            Type::Instance(of) | Type::Collection(of)
                if matches!(self.table.family(of), Family::Rust | Family::Ruby) =>
            {
                called
            }
            Type::External(_) => Type::External(None),
            _ => Type::Unknown,
        }
    }
}

/// A name whose first letter is changed.
fn cased(name: &str, letter: impl Fn(&char) -> char) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| letter(&first)).into_iter().chain(letters).collect()
}

/// Binds the occurrences of one file, each once.
struct FileBinder<'b, 't, 'n> {
    binder: &'b Binder<'t, 'n>,
    file: FileIx,
    family: Family,
    bound: Vec<Option<Rc<Bound>>>,
    /// Of a file of Rust, what names of crates stand for.
    crates: FxHashMap<Name, Vec<Entity>>,
    /// Of a file of C, the files that it includes.
    included: OnceCell<FxHashSet<FileIx>>,
    /// Of a file of C++, the namespaces that are opened in others.
    opened: RefCell<FxHashMap<Option<SymbolIx>, Rc<[SymbolIx]>>>,
}

/// Values that are made of each other are followed so far.
const MAX_CHAIN: usize = 32;

impl<'b, 't, 'n> FileBinder<'b, 't, 'n> {
    fn new(binder: &'b Binder<'t, 'n>, file: FileIx) -> Self {
        let bound = vec![None; binder.table.files[file].occurrences.len()];
        Self {
            binder,
            file,
            family: binder.table.families[file],
            bound,
            crates: FxHashMap::default(),
            included: OnceCell::new(),
            opened: RefCell::default(),
        }
    }

    fn bound(&mut self, at: OccurrenceIx, depth: usize) -> Rc<Bound> {
        if let Some(known) = self.bound.get(at as usize).and_then(Option::as_ref) {
            return Rc::clone(known);
        }
        if depth >= MAX_CHAIN {
            return Rc::default();
        }
        let mut found = self.bind(at, depth);
        if found.entities.len() > 1 {
            found.keep_first();
        }
        if self.family == Family::Rust && found.entities.len() > 1 {
            let role =
                self.binder.table.files[self.file].occurrences.get(at as usize).map(|found| found.role);
            self.keep_namespace(&mut found.entities, role.unwrap_or(Role::Read));
        }
        let found = Rc::new(found);
        if let Some(slot) = self.bound.get_mut(at as usize) {
            *slot = Some(Rc::clone(&found));
        }
        found
    }

    fn bind(&mut self, at: OccurrenceIx, depth: usize) -> Bound {
        let table = self.binder.table;
        let Some(occurrence) = table.files[self.file].occurrences.get(at as usize) else {
            return Bound::default();
        };
        let name = table.name(self.file, occurrence.name);
        let sought = Sought {
            name,
            role: occurrence.role,
            arguments: occurrence.arguments,
            type_arguments: occurrence.type_arguments,
        };
        match occurrence.site {
            Site::Lexical(ix) => Bound::symbols(&[table.offsets[self.file] + ix], CERTAIN),
            // `::name` of C++
            Site::Import(_) if self.family == Family::C => self.of_no_namespace(sought),
            Site::Import(import) => Bound::certain(self.binder.modules.import(self.file, import)),
            Site::Bare => self.bare(sought, occurrence.within),
            Site::Member(Value::Super(of)) => {
                let of = table.offsets[self.file] + of;
                let found = self.binder.super_member(of, sought);
                if found.is_empty() { Bound::external() } else { Bound::symbols(&found, TYPED) }
            }
            Site::Member(Value::Choice(at)) => {
                self.of_choice(at, depth, &|binder, value, depth| binder.member_of(value, sought, depth))
            }
            Site::Member(value) => self.member_of(value, sought, depth + 1),
            Site::Key(Value::Choice(at)) => {
                self.of_choice(at, depth, &|binder, value, depth| binder.key_of(value, sought, depth))
            }
            Site::Key(value) => self.key_of(value, sought, depth + 1),
            Site::Local => Bound::default(),
        }
    }

    /// What a member of one of two values is.
    fn of_choice(&mut self, at: u32, depth: usize, read: &dyn Fn(&mut Self, Value, usize) -> Bound) -> Bound {
        let Some(&choice) = self.binder.table.files[self.file].choices.get(at as usize) else {
            return Bound::default();
        };
        if depth > MAX_CHAIN {
            return Bound::default();
        }
        if matches!(choice, Choice::Inferred(..)) {
            return read(self, Value::Choice(at), depth + 1);
        }
        let [first, other] = choice.values();
        let is_guard = matches!(choice, Choice::Guarded(..)) && self.family != Family::Script;
        if is_guard && self.value_type(first, depth + 1) == Type::Unknown {
            let known = if self.is_own_method(first, depth + 1) { first } else { other };
            return self.of_value(known, depth + 1, read);
        }
        let mut found = self.of_value(first, depth + 1, read);
        if matches!(choice, Choice::Tested(..)) && self.n_unrelated(&found.entities) > 1 {
            found.confidence = found.confidence.min(TRUSTED - 1);
        }
        if found.is_known() && !matches!(choice, Choice::Union(..)) || matches!(choice, Choice::Tested(..)) {
            return found;
        }
        if matches!(choice, Choice::Applied(..)) && !self.is_alias(first, depth + 1) {
            return found;
        }
        let more = self.of_value(other, depth + 1, read);
        match (found.is_known(), more.is_known()) {
            (true, true) => {
                found.confidence = found.confidence.min(more.confidence);
                found.entities.extend(more.entities);
                found.entities.sort_unstable();
                found.entities.dedup();
                found
            }
            (false, true) => more,
            (false, false) if found.entities.is_empty() => more,
            _ => found,
        }
    }

    /// Of how many types members are that have no supertype among them.
    fn n_unrelated(&self, members: &[Entity]) -> usize {
        let table = self.binder.table;
        let owner = |entity: &Entity| match *entity {
            Entity::Symbol(at) => table.entry(at).parent.map(|parent| table.canonical(parent)),
            _ => None,
        };
        let owners: FxHashSet<SymbolIx> = members.iter().filter_map(owner).collect();
        let supers = |of: SymbolIx| self.binder.all_supers.get(of as usize);
        let is_sub =
            |of: SymbolIx| supers(of).is_some_and(|all| all.iter().any(|above| owners.contains(above)));
        owners.iter().filter(|&&of| !is_sub(of)).count()
    }

    fn of_value(
        &mut self,
        value: Value,
        depth: usize,
        read: &dyn Fn(&mut Self, Value, usize) -> Bound,
    ) -> Bound {
        match value {
            Value::Choice(inner) => self.of_choice(inner, depth, read),
            value => read(self, value, depth),
        }
    }

    /// Whether the type of a value is an alias.
    fn is_alias(&mut self, value: Value, depth: usize) -> bool {
        let table = self.binder.table;
        match value {
            Value::Choice(at) => {
                let first = table.files[self.file].choices.get(at as usize).map(|choice| choice.values()[0]);
                first.is_some_and(|first| depth <= MAX_CHAIN && self.is_alias(first, depth + 1))
            }
            Value::Instance(Source::Occurrence(at)) | Value::Itself(Source::Occurrence(at)) => {
                let is_alias = |entity: &Entity| matches!(*entity, Entity::Symbol(at) if table.entry(at).kind == DefinitionKind::Type);
                self.bound(at, depth).entities.iter().any(is_alias)
            }
            Value::Instance(Source::Definition(ix)) | Value::Itself(Source::Definition(ix)) => {
                table.entry(table.offsets[self.file] + ix).kind == DefinitionKind::Type
            }
            _ => false,
        }
    }

    fn member_of(&mut self, value: Value, sought: Sought, depth: usize) -> Bound {
        let own = self.own_member(value, sought.name, depth);
        if !own.is_empty() {
            return Bound::symbols(&own, TYPED);
        }
        if let Some(found) = self.of_global_object(value, sought, depth) {
            return found;
        }
        let mut types = self.value_types(value, depth).into_iter();
        let first = types.next().unwrap_or_default();
        if let (Type::External(_), true) = (first, self.is_rust_path(value)) {
            return Bound::external();
        }
        let found = self.member(first, sought);
        if found.is_known() {
            return found;
        }
        types.map(|of| self.member(of, sought)).find(Bound::is_known).unwrap_or(found)
    }

    fn key_of(&mut self, value: Value, sought: Sought, depth: usize) -> Bound {
        let types = match value {
            Value::Parameter(source, at, part) => self.parameter_types(source, at, part, depth),
            value if self.family == Family::Script => self.value_types(value, depth),
            value => vec![self.keyed_type(value, depth)],
        };
        for of in types {
            if let Type::Instance(of) | Type::Static(of) = self.binder.generics.plain(of) {
                let found = self.for_role(self.binder.member(of, sought), sought.role);
                if !found.is_empty() {
                    return Bound::symbols(&found, TYPED);
                }
            }
        }
        Bound::default()
    }

    /// A member that was given to a variable itself: `app.name = function () {}`.
    fn own_member(&mut self, value: Value, name: Name, depth: usize) -> Vec<SymbolIx> {
        let table = self.binder.table;
        let (Value::Itself(source) | Value::Instance(source)) = value else { return Vec::new() };
        let held = match source {
            Source::Definition(ix) => vec![Entity::Symbol(table.offsets[self.file] + ix)],
            Source::Occurrence(at) => match self.bound(at, depth) {
                bound if bound.confidence >= TRUSTED => bound.entities.clone(),
                _ => Vec::new(),
            },
        };
        let variables = held.into_iter().filter_map(|entity| match entity {
            Entity::Symbol(at)
                if table.has_members(at)
                    && !table.entry(at).kind.is_type()
                    && !self.binder.is_namespace(at) =>
            {
                Some(table.canonical(at))
            }
            _ => None,
        });
        // A module that is opened in many places is asked once.
        let mut seen = FxHashSet::default();
        let variables = variables.filter(|&at| seen.insert(at));
        variables.flat_map(|at| table.own_members(at, name)).copied().collect()
    }

    /// In Rust a field may have the name of a method: the one is called, the other is not.
    fn for_role(&self, mut found: Vec<SymbolIx>, role: Role) -> Vec<SymbolIx> {
        let fits = |at: SymbolIx| self.binder.table.entry(at).kind.is_callable() == (role == Role::Call);
        if self.family == Family::Rust && found.iter().any(|&at| fits(at)) {
            found.retain(|&at| fits(at));
        }
        found
    }

    /// The type whose literal has keys: also a variant of an enumeration, which is no type elsewhere.
    fn keyed_type(&mut self, value: Value, depth: usize) -> Type {
        if let (Family::Rust, Value::Instance(Source::Occurrence(at)) | Value::Itself(Source::Occurrence(at))) =
            (self.family, value)
            && let [Entity::Symbol(of)] = self.bound(at, depth).entities[..]
            && self.binder.table.entry(of).kind == DefinitionKind::EnumMember
        {
            return Type::Instance(of);
        }
        self.value_type(value, depth)
    }

    /// A name by itself: members of what encloses it, names of the file, imports, the package, then what is seen everywhere.
    fn bare(&mut self, sought: Sought, within: Option<DefinitionIx>) -> Bound {
        let Sought { name, role, .. } = sought;
        let (table, modules) = (self.binder.table, self.binder.modules);
        let binder = self.binder;
        if self.family == Family::C {
            return self.bare_of_c(sought, within);
        }
        let fitting = self.enclosing_member(name, within, |at| binder.fits(at, sought));
        let found = fitting.or_else(|| self.enclosing_member(name, within, |at| binder.may_fit(at, sought)));
        if let Some(found) = found {
            return Bound::symbols(&found, CERTAIN);
        }
        let is_import = |entity: &Entity| matches!(*entity, Entity::Symbol(at) if binder.fits(at, sought));
        let mut imported = None;
        // An import goes before what the file's package has by the name.
        if self.family == Family::Jvm {
            imported = modules.imported(self.file, name);
            let found: Vec<Entity> = imported.iter().flatten().copied().filter(is_import).collect();
            if !found.is_empty() {
                return Bound::certain(found);
            }
        }
        if let Some(found) = self.fitting(&table.top[self.file], sought) {
            // A value of the file and an imported type may have one name.
            let is_type_sought = matches!(role, Role::Type | Role::Inherit | Role::Implement);
            if self.family == Family::Script
                && is_type_sought
                && !found.iter().any(|&at| table.entry(at).kind.is_type())
                && let Some(imported) = modules.imported(self.file, name).filter(|found| !found.is_empty())
            {
                return Bound::certain(imported);
            }
            return Bound::symbols(&found, CERTAIN);
        }
        if let Some(mut found) = imported.or_else(|| modules.imported(self.file, name)) {
            if self.family == Family::Script {
                self.keep_meant(&mut found, role);
            }
            let fits = |entity: &Entity| !matches!(entity, Entity::Symbol(_)) || is_import(entity);
            if found.iter().any(fits) {
                found.retain(fits);
            }
            let is_known = found.iter().any(|entity| *entity != Entity::External);
            if self.family == Family::Rust && role == Role::Call && !is_known {
                return self.rust_root(name, role);
            }
            return Bound::certain(found);
        }
        let group = table.group_of[self.file];
        if self.family.has_packages()
            && let Some(found) = self.fitting(&table.group_top[group as usize], sought)
        {
            return Bound::symbols(&found, CERTAIN);
        }
        let mut found = modules.by_stars(self.file, name);
        found.retain(|entity| !matches!(*entity, Entity::Symbol(at) if !binder.has_arity(at, sought)));
        if !found.is_empty() {
            return Bound { entities: found, confidence: TYPED };
        }
        if self.family == Family::Ruby {
            return self.ruby_bare(sought, within);
        }
        if let Some(found) = self.of_outer_package(sought, group) {
            return found;
        }
        if self.family.has_global_names() {
            return self.global(sought);
        }
        match self.family {
            Family::Rust => self.rust_root(name, role),
            // What a module of CommonJS exports itself.
            Family::Script if table.text(name) == Some("exports") => {
                Bound::certain(vec![Entity::Module(self.file)])
            }
            Family::Script => self.script_global(sought),
            _ => Bound::external(),
        }
    }

    /// Of a type and a value that have one name, the one that is meant.
    fn keep_meant(&self, found: &mut Vec<Entity>, role: Role) {
        let kind = |entity: &Entity| match *entity {
            Entity::Symbol(at) => Some(self.binder.table.entry(at).kind),
            _ => None,
        };
        let is_type = |entity: &Entity| kind(entity).is_some_and(DefinitionKind::is_type);
        let is_no_value =
            |entity: &Entity| matches!(kind(entity), Some(DefinitionKind::Interface | DefinitionKind::Type));
        match role {
            Role::Type | Role::Inherit | Role::Implement if found.iter().any(is_type) => {
                found.retain(is_type)
            }
            Role::Call | Role::Write if !found.iter().all(is_no_value) => {
                found.retain(|entity| !is_no_value(entity));
            }
            _ => {}
        }
    }

    /// What a name is in the packages around that of the file, or a package by the first part of its name.
    fn of_outer_package(&self, sought: Sought, group: GroupIx) -> Option<Bound> {
        let table = self.binder.table;
        let outer = table.outer_groups(self.family, group);
        // Functions and constants of PHP are sought in the global namespace, but classes are not.
        let seen = match self.family {
            Family::CSharp => &outer[..],
            Family::Php if sought.role == Role::Read || sought.role == Role::Call => {
                &outer[outer.len().saturating_sub(1)..]
            }
            _ => &[],
        };
        let is_function = |at: SymbolIx| !table.entry(at).kind.is_type() || self.family != Family::Php;
        let found = seen.iter().find_map(|&outer| self.fitting(&table.group_top[outer as usize], sought));
        if let Some(found) = found.filter(|found| found.iter().all(|&at| is_function(at))) {
            return Some(Bound::symbols(&found, TYPED));
        }
        let around: Vec<GroupIx> = match self.family {
            Family::Php => vec![group],
            Family::CSharp => std::iter::once(group).chain(outer).collect(),
            Family::Jvm => {
                let text = table.text(sought.name)?;
                // A script sees what is in no package.
                let is_script = table.workspace.files[self.file].path.ends_with(".kts");
                let unnamed = table.group(self.family, "").filter(|_| is_script);
                if let Some(found) =
                    unnamed.and_then(|unnamed| self.fitting(&table.group_top[unnamed as usize], sought))
                {
                    return Some(Bound::symbols(&found, GLOBAL));
                }
                // `ShapeKt` has what stands outside of types in `Shape.kt`.
                let of_file = || (sought.role != Role::Call && text.ends_with("Kt")).then_some(group);
                return table.group(self.family, text).or_else(of_file).map(Bound::package);
            }
            _ => return None,
        };
        // A qualified name of C# may begin at the outermost namespace.
        let outermost = || table.group(self.family, table.text(sought.name)?);
        let found = around.into_iter().find_map(|outer| table.inner_group(self.family, outer, sought.name));
        found.or_else(|| outermost().filter(|_| self.family == Family::CSharp)).map(Bound::package)
    }

    /// The definitions of a scope that are what is sought.
    fn fitting(&self, scope: &Scope, sought: Sought) -> Option<Vec<SymbolIx>> {
        let found = scope.get(&sought.name)?;
        let those = |fits: &dyn Fn(SymbolIx) -> bool| -> Option<Vec<SymbolIx>> {
            let found: Vec<SymbolIx> = found.iter().copied().filter(|&at| fits(at)).collect();
            (!found.is_empty()).then_some(found)
        };
        let extends = |at: SymbolIx| self.binder.table.entry(at).traits.has(Traits::EXTENSION);
        those(&|at| self.binder.fits(at, sought) && !extends(at))
            .or_else(|| those(&|at| self.binder.fits(at, sought)))
            .or_else(|| those(&|at| self.binder.may_fit(at, sought)))
    }

    fn enclosing_member(
        &self,
        name: Name,
        within: Option<DefinitionIx>,
        fits: impl Fn(SymbolIx) -> bool + Copy,
    ) -> Option<Vec<SymbolIx>> {
        let table = self.binder.table;
        let offset = table.offsets[self.file];
        let mut at = within.map(|within| offset + within);
        let mut is_direct = true;
        while let Some(current) = at {
            let entry = table.entry(current);
            let is_space = entry.kind.is_type() || entry.kind == DefinitionKind::Module;
            let sees_members = is_direct && self.family == Family::Python
                || self.family.has_implicit_members()
                || entry.kind == DefinitionKind::Module;
            if is_space && sees_members {
                let found = self.binder.member_where(current, name, fits);
                if !found.is_empty() {
                    return Some(found);
                }
                // Constants of Ruby are sought further out, methods are not.
                let is_method = || table.text(name).is_some_and(|name| !name.starts_with(char::is_uppercase));
                if self.family == Family::Ruby && is_method() {
                    return None;
                }
            }
            is_direct = false;
            at = entry.parent;
        }
        None
    }

    /// A name as a member of something.
    fn member(&self, of: Type, sought: Sought) -> Bound {
        let of = self.binder.generics.plain(of);
        let name = sought.name;
        let (table, modules) = (self.binder.table, self.binder.modules);
        match of {
            Type::Static(at) if self.binder.is_namespace(at) => self.member_of_namespace(at, sought),
            Type::Static(at) | Type::Instance(at) | Type::Callable(at) => {
                let found = self.for_role(self.binder.member(at, sought), sought.role);
                if !found.is_empty() {
                    return Bound::symbols(&found, TYPED);
                }
                if let Some(found) = self.of_rust_type(at, sought) {
                    return found;
                }
                let is_itself = self.family == Family::Jvm
                    && matches!(of, Type::Static(_))
                    && table
                        .text(name)
                        .is_some_and(|name| modules.is_kotlin_wrapper(Entity::Symbol(at), name));
                if is_itself {
                    return Bound::symbols(&[at], TYPED);
                }
                // `module.exports = thing`, and then `module.exports.name = other`.
                let file = table.entry(at).file as usize;
                let found = modules.exports(file, name);
                if !found.is_empty() && self.family != Family::C {
                    return Bound { entities: found, confidence: TYPED };
                }
                if self.family == Family::Php {
                    return self.of_subtypes(at, sought);
                }
                // What else an object has was given to it elsewhere: by a mixin, by `Object.create`.
                let is_object = self.family == Family::Script && !table.entry(at).kind.is_type();
                if is_object { self.candidates(sought) } else { self.extension(of, sought) }
            }
            Type::Module(file) => {
                let found = modules.exported(file, name);
                if found.is_empty() {
                    return match modules.below(file, name) {
                        Some(below) => Bound::certain(vec![Entity::Module(below)]),
                        None => Bound::external(),
                    };
                }
                Bound { entities: found, confidence: TYPED }
            }
            Type::Package(group) => match self.fitting(&table.group_top[group as usize], sought) {
                Some(found) => Bound::symbols(&found, TYPED),
                None => {
                    table.inner_group(self.family, group, name).map_or_else(Bound::external, Bound::package)
                }
            },
            Type::External(_) | Type::Collection(_) | Type::Arguments(..) => {
                let mut found = match of {
                    Type::External(Some(interface)) => self.declared_member(interface, sought),
                    _ => Vec::new(),
                };
                if found.is_empty() {
                    found = self.of_traits_in_scope(sought);
                }
                match found.is_empty() {
                    true => self.extension(of, sought),
                    false => Bound::symbols(&found, GLOBAL),
                }
            }
            Type::Unknown | Type::Argument(..) | Type::Generic(_) if self.family == Family::Jvm => {
                self.imported_extension(of, sought).unwrap_or_else(|| self.candidates(sought))
            }
            Type::Unknown | Type::Argument(..) | Type::Generic(_) => match self.extension(of, sought) {
                found if found.confidence == GLOBAL => found,
                _ => match self.of_traits_in_scope(sought) {
                    found if found.is_empty() => self.candidates(sought),
                    found => Bound::symbols(&found, ONLY),
                },
            },
        }
    }
}
