//! Binds occurrences to definitions.
//!
//! First the supertypes of all types are bound, then, in a few rounds, the types of what functions return and variables hold,
//! each round with what the one before found; then all occurrences. Every round reads only the results of earlier ones, so that
//! the result does not depend on the order of files or threads.

mod bare;
mod c;
mod derive;
mod extensions;
mod generics;
mod globals;
mod members;
mod overriding;
mod php;
mod ruby;
mod rust;
mod values;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use craig_chunk::names::{Choice, DefinitionKind, OccurrenceIx, Role, Site, Source, Traits, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use self::generics::{GenericIx, Generics};
use super::modules::{Entity, Modules};
use super::table::{Family, GroupIx, Name, Table};
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
    /// An instance of a type of another crate of Rust that is applied to a type: it may dereference to that.
    Wrapped(SymbolIx),
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
    /// Whether all that can be derived is.
    is_derived: bool,
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
            is_derived: false,
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
        binder.is_derived = true;
        binder
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
                if occurrence.role == Role::Call {
                    let confidence = confidence.min(TYPED);
                    let run = self.run_by_call_of(symbol).into_iter();
                    found.extend(run.map(|symbol| SymbolReference { symbol, confidence, ..reference }));
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

    /// The member that runs where a variable is called: `useCase(2)` is `useCase.invoke(2)` in Kotlin.
    fn run_by_call_of(&self, variable: SymbolIx) -> Option<SymbolIx> {
        let kind = self.table.entry(variable).kind;
        if !matches!(kind, DefinitionKind::Field | DefinitionKind::Variable | DefinitionKind::Constant) {
            return None;
        }
        match self.generics.plain(self.types[variable as usize]) {
            Type::Instance(of) => self.run_by_call(of),
            _ => None,
        }
    }

    /// The member that runs where an instance of a type is called.
    fn run_by_call(&self, of: SymbolIx) -> Option<SymbolIx> {
        let name = match self.table.family(of) {
            Family::Jvm => "invoke",
            Family::Php => "__invoke",
            Family::Python => "__call__",
            _ => return None,
        };
        let is_method = |at: SymbolIx| self.table.entry(at).kind == DefinitionKind::Method;
        self.member_where(of, self.table.find(name)?, is_method).first().copied()
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

    /// Whether a definition can be what is sought, in languages in which types, functions and variables may share a name.
    fn fits(&self, at: SymbolIx, sought: Sought) -> bool {
        let entry = self.table.entry(at);
        let family = self.table.families[entry.file as usize];
        if !family.has_separate_names() {
            // A field of Rust is called in parentheses only.
            return family != Family::Rust
                || sought.role != Role::Call
                || entry.kind != DefinitionKind::Field;
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
                Type::Generic(_) | Type::Argument(..) | Type::Arguments(..)
                    if self.table.family(at) == Family::C =>
                {
                    held
                }
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
            Type::Instance(of) => match self.run_by_call(of) {
                Some(run) => self.types[run as usize],
                // An interface of what can be called: `{ new (): Router }`.
                None if self.table.entry(of).kind == DefinitionKind::Interface => self.types[of as usize],
                None => Type::Unknown,
            },
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
    /// The types of what calls return, by how deep in other values they were asked for: a chain of calls asks for that of each
    /// link several times.
    returned: FxHashMap<(Source, usize), Type>,
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
            returned: FxHashMap::default(),
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
        if self.family == Family::C && found.entities.len() > 1 {
            self.keep_overloads(&mut found.entities, at);
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
        let is_one = matches!(self.family, Family::Rust | Family::C) && matches!(choice, Choice::Applied(..));
        if is_one || matches!(choice, Choice::Inferred(..)) {
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
}
