//! Binds occurrences to definitions.
//!
//! First the supertypes of all types are bound, then, in a few rounds, the types of what functions return and variables hold,
//! each round with what the one before found; then all occurrences. Every round reads only the results of earlier ones, so that
//! the result does not depend on the order of files or threads.

use std::rc::Rc;

use craig_chunk::names::{
    DefinitionIx, DefinitionKind, Imported, OccurrenceIx, Role, Site, Source, Traits, Value,
};
use craig_source::Language;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::modules::{Entity, Modules};
use super::table::{Family, GroupIx, Name, Scope, Table};
use super::{SymbolIx, SymbolReference};
use crate::workspace::FileIx;

/// Rounds in which types of values are derived from each other.
const ROUNDS: usize = 3;
/// Supertypes of supertypes are followed so far.
const MAX_SUPERS: usize = 24;
/// An unknown receiver may be of one of so many types; of more, nothing is said.
const MAX_CANDIDATES: usize = 8;

/// Of an interface, so many methods are sought in types.
const MAX_METHODS: usize = 64;
/// Of so many types it is asked whether they satisfy an interface.
const MAX_IMPLEMENTERS: usize = 1024;
/// Of so many definitions of a name it is asked whether they may be meant.
const MAX_SOUGHT: usize = 64;
/// Of a module of Ruby, so many places that open it are named.
const MAX_OPENED: usize = 64;
/// Of more types, it is not asked which extend each other.
const MAX_OWNERS: usize = 32;

/// Confidence in percent: bound by scopes or imports.
const CERTAIN: u8 = 99;
/// A member of a type that the code makes evident.
const TYPED: u8 = 95;
/// The only one of its name that is in sight of a file without import.
const GLOBAL: u8 = 85;
/// The only member of its name in the project, of an unknown receiver.
const ONLY: u8 = 70;
/// From here on an occurrence tells the type of what it refers to.
const TRUSTED: u8 = 50;

/// The type of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
        Self { entities: symbols.iter().map(|&at| Entity::Symbol(at)).collect(), confidence }
    }

    fn external() -> Self {
        Self { entities: vec![Entity::External], confidence: CERTAIN }
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
}

pub(super) struct Binder<'t, 'n> {
    table: &'t Table<'n>,
    modules: &'t Modules<'t, 'n>,
    /// Supertypes by definition.
    supers: Vec<Vec<SymbolIx>>,
    /// Supertypes of supertypes, too.
    all_supers: Vec<Vec<SymbolIx>>,
    /// What each definition returns, holds or stands for.
    types: Vec<Type>,
}

impl<'t, 'n> Binder<'t, 'n> {
    pub(super) fn new(table: &'t Table<'n>, modules: &'t Modules<'t, 'n>) -> Self {
        let n = table.entries.len();
        let mut binder = Self {
            table,
            modules,
            supers: vec![Vec::new(); n],
            all_supers: Vec::new(),
            types: vec![Type::Unknown; n],
        };
        binder.bind_supers();
        binder.all_supers = (0..n as SymbolIx).map(|of| binder.supers_of(of)).collect();
        for _ in 0..ROUNDS {
            binder.derive_types();
        }
        binder
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
            if definition.supers.is_empty() {
                return None;
            }
            let types: Vec<Type> =
                definition.supers.iter().map(|&value| binder.value_type(value, 0)).collect();
            let is_known = |found: &Type| match found {
                Type::Static(of) | Type::Instance(of) => (*of != at).then_some(*of),
                _ => None,
            };
            Some(types.iter().filter_map(is_known).collect::<Vec<SymbolIx>>())
        });
        for (at, known) in found {
            self.supers[self.table.canonical(at) as usize].extend(known);
        }
    }

    fn derive_types(&mut self) {
        let found = self.for_definitions(|binder, at, ix| {
            if binder.binder.types[at as usize] != Type::Unknown {
                return None;
            }
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
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

    /// The references of one file.
    pub(super) fn references(&self, file: FileIx) -> Vec<SymbolReference> {
        let mut binder = FileBinder::new(self, file);
        let names = &self.table.files[file];
        let mut found = Vec::new();
        for (at, occurrence) in names.occurrences.iter().enumerate() {
            // An attribute of Ruby is read by a call.
            let is_attribute = |symbol: SymbolIx| {
                self.table.families[file] == Family::Ruby
                    && occurrence.role == Role::Call
                    && self.table.entry(symbol).kind == DefinitionKind::Field
            };
            let bound = binder.bound(at as OccurrenceIx, 0);
            let confidence = bound.confidence;
            for &entity in &bound.entities {
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
                if is_type && occurrence.role == Role::Call {
                    let made = self.table.constructors(symbol).iter().copied();
                    let made = made.filter(|&at| self.takes(at, occurrence.arguments));
                    found.extend(made.map(|symbol| SymbolReference { symbol, ..reference }));
                }
            }
        }
        found
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
        let family = self.table.families[self.table.entry(of).file as usize];
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
        !is_never && !self.is_constructor(at)
    }

    /// Whether a definition is a constructor that is called by the name of its type.
    fn is_constructor(&self, at: SymbolIx) -> bool {
        let entry = self.table.entry(at);
        let is_of_type = |parent: SymbolIx| self.table.entry(parent).name == entry.name;
        entry.kind == DefinitionKind::Constructor && entry.parent.is_some_and(is_of_type)
    }

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

    /// A member of that name, of a type or of one of its supertypes, the nearest that `fits`.
    fn member_where(&self, of: SymbolIx, name: Name, fits: impl Fn(SymbolIx) -> bool) -> Vec<SymbolIx> {
        let mut open = vec![self.table.canonical(of)];
        let mut seen: FxHashSet<SymbolIx> = FxHashSet::default();
        let mut n_steps = 0;
        while !open.is_empty() && n_steps < MAX_SUPERS {
            n_steps += 1;
            let mut next = Vec::new();
            for at in open {
                if !seen.insert(at) {
                    continue;
                }
                let own = self.table.own_members(at, name).iter().copied();
                let own: Vec<SymbolIx> = own.filter(|&at| fits(at)).collect();
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

    /// The members that each member takes the place of: (member, overridden), by member.
    pub(super) fn overrides(&self) -> Vec<(SymbolIx, SymbolIx)> {
        let all = (0..self.table.entries.len() as SymbolIx).into_par_iter();
        let pairs = all.flat_map_iter(|at| {
            self.overridden(at).into_iter().map(move |base| (at, base)).collect::<Vec<_>>()
        });
        let mut pairs: Vec<(SymbolIx, SymbolIx)> = pairs.collect();
        pairs.extend(self.satisfied());
        pairs
    }

    /// The methods of Go's interfaces that methods of types satisfy: (method, method of the interface).
    fn satisfied(&self) -> Vec<(SymbolIx, SymbolIx)> {
        let table = self.table;
        let is_go = |at: SymbolIx| table.families[table.entry(at).file as usize] == Family::Go;
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
                if table.entry(of).kind != DefinitionKind::Interface {
                    found.extend(self.satisfying(of, &wanted).unwrap_or_default());
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
        if self.table.definition(at).arity != self.table.definition(other).arity {
            return false;
        }
        match (self.types[at as usize], self.types[other as usize]) {
            (Type::Instance(a), Type::Instance(b)) => self.table.canonical(a) == self.table.canonical(b),
            (Type::External(_), Type::Instance(_)) | (Type::Instance(_), Type::External(_)) => false,
            _ => true,
        }
    }

    /// The members of supertypes that a member takes the place of.
    fn overridden(&self, at: SymbolIx) -> Vec<SymbolIx> {
        let entry = self.table.entry(at);
        let family = self.table.families[entry.file as usize];
        let has_overloads = family.has_separate_names();
        let hides_static = matches!(family, Family::Jvm | Family::CSharp);
        // Fields of Java hide each other.
        let is_java = self.table.workspace.files[entry.file as usize].language == Language::Java;
        let can_override = match entry.kind {
            DefinitionKind::Method => !(hides_static && entry.traits.has(Traits::STATIC)),
            DefinitionKind::Field => !is_java,
            _ => false,
        };
        let is_special = self.table.text(entry.name).is_some_and(|name| name.starts_with("__"));
        // A method of Rust knows the trait that it implements, whatever the type is.
        let of_own = family == Family::Rust && !self.supers[at as usize].is_empty();
        let above = match entry.parent {
            _ if of_own => at,
            Some(parent) => self.table.canonical(parent),
            None => return Vec::new(),
        };
        if !can_override || is_special || entry.traits.has(Traits::PRIVATE) && family != Family::Ruby {
            return Vec::new();
        }
        let role = if entry.kind == DefinitionKind::Method { Role::Override } else { Role::Read };
        let sought = Sought { name: entry.name, role, arguments: self.table.definition(at).arity };
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

    fn called(&self, called: Type) -> Type {
        match called {
            Type::Static(of) => Type::Instance(of),
            Type::Callable(at) if self.table.entry(at).kind == DefinitionKind::Constructor => {
                self.table.entry(at).parent.map_or(Type::Unknown, Type::Instance)
            }
            Type::Callable(at) => self.types[at as usize],
            // `Kind::Named(name)` of Rust is a value of the enumeration; in Ruby, reading an attribute is a call.
            Type::Instance(of) | Type::Collection(of)
                if matches!(
                    self.table.families[self.table.entry(of).file as usize],
                    Family::Rust | Family::Ruby
                ) =>
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
    included: Option<FxHashSet<FileIx>>,
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
            included: None,
        }
    }

    fn bound(&mut self, at: OccurrenceIx, depth: usize) -> Rc<Bound> {
        if let Some(known) = self.bound.get(at as usize).and_then(Option::as_ref) {
            return Rc::clone(known);
        }
        if depth >= MAX_CHAIN {
            return Rc::default();
        }
        let found = Rc::new(self.bind(at, depth));
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
        let sought = Sought { name, role: occurrence.role, arguments: occurrence.arguments };
        match occurrence.site {
            Site::Lexical(ix) => Bound::symbols(&[table.offsets[self.file] + ix], CERTAIN),
            Site::Import(import) => Bound::certain(self.binder.modules.import(self.file, import)),
            Site::Bare => self.bare(sought, occurrence.within),
            Site::Member(Value::Super(of)) => {
                let of = table.offsets[self.file] + of;
                let found = self.binder.super_member(of, sought);
                if found.is_empty() { Bound::external() } else { Bound::symbols(&found, TYPED) }
            }
            Site::Member(value) => {
                let own = self.own_member(value, name, depth + 1);
                if !own.is_empty() {
                    return Bound::symbols(&own, TYPED);
                }
                let of = self.value_type(value, depth + 1);
                self.member(of, sought)
            }
            Site::Key(value) => match self.keyed_type(value, depth + 1) {
                Type::Instance(of) | Type::Static(of) => {
                    let found = self.for_role(self.binder.member(of, sought), occurrence.role);
                    Bound::symbols(&found, TYPED)
                }
                _ => Bound::default(),
            },
            Site::Local => Bound::default(),
        }
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
            Entity::Symbol(at) if table.has_members(at) && !table.entry(at).kind.is_type() => Some(at),
            _ => None,
        });
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
        let fitting = self.enclosing_member(name, within, |at| binder.fits(at, sought));
        let found = fitting.or_else(|| self.enclosing_member(name, within, |at| binder.may_fit(at, sought)));
        if let Some(found) = found {
            return Bound::symbols(&found, CERTAIN);
        }
        if self.family == Family::C {
            return self.linked(name, role);
        }
        // An import goes before what the file's package has by the name.
        let shadowing = || {
            let imported = modules.imported(self.file, name).filter(|_| self.family == Family::Jvm)?;
            let fits = |entity: &Entity| matches!(*entity, Entity::Symbol(at) if binder.fits(at, sought));
            Some(imported.into_iter().filter(fits).collect::<Vec<Entity>>()).filter(|found| !found.is_empty())
        };
        if let Some(found) = shadowing() {
            return Bound::certain(found);
        }
        if let Some(found) = self.fitting(&table.top[self.file], sought) {
            return Bound::symbols(&found, CERTAIN);
        }
        if let Some(mut found) = modules.imported(self.file, name) {
            let fits = |entity: &Entity| match *entity {
                Entity::Symbol(at) => binder.fits(at, sought),
                _ => true,
            };
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
        let found = modules.by_stars(self.file, name);
        if !found.is_empty() {
            return Bound { entities: found, confidence: TYPED };
        }
        if self.family == Family::Ruby {
            return self.ruby_global(sought);
        }
        if let Some(found) = self.of_outer_package(sought, group) {
            return found;
        }
        if self.family.has_global_names() {
            return self.global(name, role);
        }
        match self.family {
            Family::Rust => self.rust_root(name, role),
            // What a module of CommonJS exports itself.
            Family::Script if table.text(name) == Some("exports") => {
                Bound::certain(vec![Entity::Module(self.file)])
            }
            _ => Bound::external(),
        }
    }

    /// The first name of a path, where it is that of a crate; macros are seen in all files.
    fn rust_root(&mut self, name: Name, role: Role) -> Bound {
        let (table, modules, file) = (self.binder.table, self.binder.modules, self.file);
        if role == Role::Call {
            let is_macro = |&&at: &&SymbolIx| table.entry(at).kind == DefinitionKind::Macro;
            let found = table.by_name.get(&name).into_iter().flatten().filter(is_macro);
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
        around
            .into_iter()
            .find_map(|outer| table.inner_group(self.family, outer, sought.name))
            .map(Bound::package)
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
                let mut found = self.binder.member_where(current, name, fits);
                // The type's own name is the type, not what makes it.
                if self.family == Family::C {
                    found.retain(|&at| table.entry(at).kind != DefinitionKind::Constructor);
                }
                if !found.is_empty() {
                    return Some(found);
                }
            }
            is_direct = false;
            at = entry.parent;
        }
        None
    }

    /// A name of C: of the file and what it includes, and where that only declares it, of the file that defines it.
    fn linked(&mut self, name: Name, role: Role) -> Bound {
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
        let mut all: Vec<SymbolIx> =
            table.by_name.get(&name).into_iter().flatten().filter(is_seen).copied().collect();
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
            let confidence = if found.len() > MAX_CANDIDATES { GLOBAL / 2 } else { GLOBAL };
            return Bound::symbols(&found[..found.len().min(MAX_CANDIDATES)], confidence);
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
    fn ruby_global(&self, sought: Sought) -> Bound {
        let name = sought.name;
        let table = self.binder.table;
        let is_top = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            entry.parent.is_none() && table.families[entry.file as usize] == Family::Ruby
        };
        let mut found: Vec<SymbolIx> =
            table.by_name.get(&name).into_iter().flatten().filter(is_top).copied().collect();
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
        let confidence = if n_distinct > MAX_CANDIDATES { GLOBAL / 2 } else { GLOBAL };
        Bound::symbols(&found[..found.len().min(MAX_CANDIDATES)], confidence)
    }

    /// A name that all files of a language see.
    fn global(&self, name: Name, role: Role) -> Bound {
        let table = self.binder.table;
        let found: Vec<SymbolIx> = table
            .by_name
            .get(&name)
            .into_iter()
            .flatten()
            .copied()
            .filter(|&at| {
                let entry = table.entry(at);
                let is_top = entry.parent.is_none_or(|parent| {
                    table.entry(parent).kind == DefinitionKind::Module || self.family == Family::Ruby
                });
                let is_seen = !entry.traits.has(Traits::PRIVATE) || entry.file as usize == self.file;
                let fits = self.family != Family::Ruby || entry.kind.is_type() || role != Role::Type;
                is_top && is_seen && fits && table.families[entry.file as usize] == self.family
            })
            .collect();
        match found.len() {
            0 => Bound::external(),
            1..=MAX_CANDIDATES => Bound::symbols(&found, GLOBAL),
            _ => Bound::symbols(&found[..MAX_CANDIDATES], GLOBAL / 2),
        }
    }

    /// A name as a member of something.
    fn member(&self, of: Type, sought: Sought) -> Bound {
        let name = sought.name;
        let (table, modules) = (self.binder.table, self.binder.modules);
        match of {
            Type::Static(at) | Type::Instance(at) | Type::Callable(at) => {
                let found = self.for_role(self.binder.member(at, sought), sought.role);
                if !found.is_empty() {
                    return Bound::symbols(&found, TYPED);
                }
                let found = self.of_traits_in_scope(sought);
                if !found.is_empty() {
                    return Bound::symbols(&found, GLOBAL);
                }
                let is_itself = self.family == Family::Jvm
                    && matches!(of, Type::Static(_))
                    && table.text(name).is_some_and(|name| matches!(name, "Companion" | "INSTANCE"));
                if is_itself {
                    return Bound::symbols(&[at], TYPED);
                }
                // `module.exports = thing`, and then `module.exports.name = other`.
                let file = table.entry(at).file as usize;
                let found = modules.exports(file, name);
                if !found.is_empty() {
                    return Bound { entities: found, confidence: TYPED };
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
            Type::External(_) | Type::Collection(_) => match self.of_traits_in_scope(sought) {
                found if found.is_empty() => self.extension(of, sought),
                found => Bound::symbols(&found, GLOBAL),
            },
            Type::Unknown if self.family == Family::Jvm => {
                self.imported_extension(of, sought).unwrap_or_else(|| self.candidates(sought))
            }
            Type::Unknown => match self.extension(of, sought) {
                found if found.confidence == GLOBAL => found,
                _ => match self.of_traits_in_scope(sought) {
                    found if found.is_empty() => self.candidates(sought),
                    found => Bound::symbols(&found, ONLY),
                },
            },
        }
    }

    /// Methods of Rust's traits that the file names: of one, or nothing is said.
    fn of_traits_in_scope(&self, sought: Sought) -> Vec<SymbolIx> {
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
        let found = table.by_name.get(&sought.name).into_iter().flatten();
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

    /// What extends a type from outside of it.
    fn extension(&self, of: Type, sought: Sought) -> Bound {
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
    fn imported_extension(&self, of: Type, sought: Sought) -> Option<Bound> {
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
            && (!is_jvm || self.binder.takes(at, sought.arguments) && self.binder.may_extend(at, of))
    }

    /// Whether a file sees an extension: in Kotlin those of its package, and what it imports.
    fn sees_extension(&self, at: SymbolIx) -> bool {
        let (table, modules) = (self.binder.table, self.binder.modules);
        let entry = table.entry(at);
        if self.family != Family::Jvm || entry.file as usize == self.file {
            return true;
        }
        let group = table.group_of[entry.file as usize];
        !entry.traits.has(Traits::PRIVATE)
            && (group == table.group_of[self.file] || modules.imports_all_of(self.file, group))
    }

    /// Members of that name of any type, for a receiver of which nothing is known.
    fn candidates(&self, sought: Sought) -> Bound {
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
        let found: Vec<SymbolIx> =
            table.by_name.get(&name).into_iter().flatten().filter(fits).copied().collect();
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

    /// The type of a value.
    fn value_type(&mut self, value: Value, depth: usize) -> Type {
        if depth > MAX_CHAIN {
            return Type::Unknown;
        }
        match value {
            Value::Unknown => Type::Unknown,
            Value::Builtin => Type::External(None),
            Value::Itself(source) => self.source_type(source, depth),
            Value::Called(source) => self.called_type(source, depth),
            Value::Instance(source) => match self.source_type(source, depth).instance() {
                Type::External(None) => Type::External(self.written_name(source)),
                found => found,
            },
            Value::Collection(source) => match self.source_type(source, depth) {
                Type::Static(of) | Type::Instance(of) => Type::Collection(of),
                Type::Callable(at) => match self.binder.called(Type::Callable(at)) {
                    Type::Instance(of) => Type::Collection(of),
                    other => other,
                },
                other => other,
            },
            Value::Element(source) => {
                let of = self.source_type(source, depth);
                self.element(of)
            }
            Value::ElementOfCalled(source) => {
                let of = self.called_type(source, depth);
                self.element(of)
            }
            Value::Receiver(at) => self.lambda_receiver(at, depth),
            Value::Super(of) => {
                let of = self.binder.table.offsets[self.file] + of;
                let supers = &self.binder.supers[self.binder.table.canonical(of) as usize];
                supers.first().map_or(Type::Unknown, |&above| Type::Instance(above))
            }
        }
    }

    /// The type of what a function calls its lambda on.
    fn lambda_receiver(&mut self, at: OccurrenceIx, depth: usize) -> Type {
        let bound = self.bound(at, depth + 1);
        let (table, supers) = (self.binder.table, &self.binder.supers);
        let receiver = |entity: &Entity| match *entity {
            Entity::Symbol(at) if table.entry(at).kind.is_callable() => supers[at as usize].first().copied(),
            _ => None,
        };
        let found = bound.entities.iter().find_map(receiver).filter(|_| bound.confidence >= TRUSTED);
        found.map_or(Type::Unknown, Type::Instance)
    }

    /// The type of what a call returns.
    fn called_type(&mut self, source: Source, depth: usize) -> Type {
        let called = self.source_type(source, depth);
        if let Some(found) = self.returned_receiver(called, source, depth) {
            return found;
        }
        match self.binder.called(called) {
            // An instance of a type that is made.
            Type::External(None) if self.is_capitalized(source) => Type::External(self.written_name(source)),
            found @ (Type::Unknown | Type::External(_)) => {
                self.called_of_collection(source, depth).unwrap_or(found)
            }
            found => found,
        }
    }

    /// What a function is called on, if it returns that.
    fn returned_receiver(&mut self, called: Type, source: Source, depth: usize) -> Option<Type> {
        let (Type::Callable(function), Source::Occurrence(at)) = (called, source) else { return None };
        let table = self.binder.table;
        let occurrence = table.files[self.file].occurrences.get(at as usize)?;
        let Site::Member(receiver) = occurrence.site else { return None };
        if !table.entry(function).traits.has(Traits::RETURNS_RECEIVER) {
            return None;
        }
        Some(self.value_type(receiver, depth + 1)).filter(|&of| of != Type::Unknown)
    }

    /// The name of what a value is made from, as it is written.
    fn written_name(&self, source: Source) -> Option<Name> {
        let Source::Occurrence(at) = source else { return None };
        let occurrence = self.binder.table.files[self.file].occurrences.get(at as usize)?;
        Some(self.binder.table.name(self.file, occurrence.name))
    }

    fn is_capitalized(&self, source: Source) -> bool {
        let text = self.written_name(source).and_then(|name| self.binder.table.text(name));
        text.is_some_and(|text| text.starts_with(char::is_uppercase))
    }

    /// What methods of collections return that have the same name in most languages.
    fn called_of_collection(&mut self, source: Source, depth: usize) -> Option<Type> {
        let Source::Occurrence(at) = source else { return None };
        let table = self.binder.table;
        let occurrence = table.files[self.file].occurrences.get(at as usize)?;
        let Site::Member(receiver) = occurrence.site else { return None };
        let name = table.files[self.file].text(occurrence.name);
        let is_element = ELEMENT_METHODS.contains(&name);
        if !is_element && !COLLECTION_METHODS.contains(&name) {
            return None;
        }
        match self.value_type(receiver, depth + 1) {
            Type::Collection(of) if is_element => Some(Type::Instance(of)),
            found @ Type::Collection(_) => Some(found),
            _ => None,
        }
    }

    fn element(&self, of: Type) -> Type {
        match of {
            Type::Collection(of) => Type::Instance(of),
            Type::Static(of) | Type::Instance(of)
                if self.binder.table.entry(of).kind == DefinitionKind::Type
                    && matches!(self.binder.types[of as usize], Type::Collection(_) | Type::External(_)) =>
            {
                match self.binder.types[of as usize] {
                    Type::Collection(of) => Type::Instance(of),
                    other => other,
                }
            }
            // Pointers and arrays of C are not told from what they point to.
            Type::Instance(_) if self.family == Family::C => of,
            Type::External(_) => Type::External(None),
            _ => Type::Unknown,
        }
    }

    fn source_type(&mut self, source: Source, depth: usize) -> Type {
        match source {
            Source::Definition(ix) => {
                let at = self.binder.table.offsets[self.file] + ix;
                self.binder.entity_type(Entity::Symbol(at))
            }
            Source::Occurrence(at) => {
                let bound = self.bound(at, depth + 1);
                if bound.confidence < TRUSTED {
                    return Type::Unknown;
                }
                let types = bound.entities.iter().map(|&entity| self.binder.entity_type(entity));
                let known = |found: &Type| match *found {
                    Type::Callable(at) => self.binder.types[at as usize] != Type::Unknown,
                    other => other != Type::Unknown,
                };
                let types: Vec<Type> = types.collect();
                if let (Family::Jvm, [Type::External(_)]) = (self.family, &types[..])
                    && let Some(held) = self.called_of_collection(source, depth)
                {
                    return held;
                }
                types.iter().copied().find(known).or_else(|| types.first().copied()).unwrap_or_default()
            }
        }
    }
}

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

/// Methods of collections that return an element.
const ELEMENT_METHODS: &[&str] = &[
    "First",
    "FirstOrDefault",
    "Last",
    "LastOrDefault",
    "Single",
    "SingleOrDefault",
    "computeIfAbsent",
    "current",
    "element",
    "end",
    "find",
    "first",
    "firstOrNull",
    "get",
    "getFirst",
    "getLast",
    "getOrDefault",
    "getValue",
    "last",
    "lastOrNull",
    "next",
    "orElse",
    "orElseGet",
    "orElseThrow",
    "peek",
    "poll",
    "pop",
    "previous",
    "put",
    "remove",
    "removeFirst",
    "removeLast",
    "reset",
    "shift",
    "single",
    "singleOrNull",
];

/// Methods of collections that return a collection of the same elements.
const COLLECTION_METHODS: &[&str] = &[
    "Concat",
    "Distinct",
    "OrderBy",
    "OrderByDescending",
    "Reverse",
    "Skip",
    "Take",
    "ToArray",
    "ToList",
    "Where",
    "asSequence",
    "concat",
    "distinct",
    "drop",
    "filter",
    "filterNot",
    "findAny",
    "findFirst",
    "iterator",
    "limit",
    "listIterator",
    "parallelStream",
    "reversed",
    "skip",
    "slice",
    "sorted",
    "sortedBy",
    "stream",
    "subList",
    "take",
    "toArray",
    "toList",
    "toMutableList",
    "toSet",
    "values",
];

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
