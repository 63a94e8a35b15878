//! Generic types: what they are applied to, and what stands for their parameters where a member of one is used.

use std::sync::{PoisonError, RwLock};

use craig_chunk::names::{Site, Source, Value};
use rustc_hash::FxHashMap;

use super::{Binder, FileBinder, MAX_SUPERS, Type};
use crate::SymbolIx;
use crate::table::Family;

/// Index of a generic type among those that the binder met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GenericIx(u32);

/// A type that is made of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Generic {
    /// An instance of a type of the project, with what it is applied to.
    Applied { of: SymbolIx, arguments: Vec<Type> },
    /// What a definition is applied to as its parameter of this number, and the type that bounds it.
    Bounded { of: SymbolIx, at: u8, bound: Type },
}

/// Arguments of arguments are followed so far.
const MAX_NESTED: u8 = 4;

/// The generic types that were met, each once. Threads add to it while they bind; its numbers stand for nothing else.
#[derive(Default)]
pub(super) struct Generics(RwLock<Known>);

#[derive(Default)]
struct Known {
    types: Vec<(Generic, u8)>,
    numbers: FxHashMap<Generic, u32>,
}

impl Generics {
    /// The type without what it is applied to; of a type parameter, what bounds it.
    pub(super) fn plain(&self, of: Type) -> Type {
        let Type::Generic(ix) = of else { return of };
        match self.get(ix) {
            Some(Generic::Applied { of, .. }) => Type::Instance(of),
            Some(Generic::Bounded { bound, .. }) => self.plain(bound),
            None => Type::Unknown,
        }
    }

    /// A type parameter with what bounds it.
    pub(super) fn bounded(&self, of: SymbolIx, at: u8, bound: Type) -> Type {
        self.add(Generic::Bounded { of, at, bound })
    }

    /// An instance of a type, applied to one more argument.
    pub(super) fn apply(&self, to: Type, argument: Type) -> Option<Type> {
        let (of, mut arguments) = match to {
            Type::Instance(of) => (of, Vec::new()),
            Type::Generic(ix) => match self.get(ix)? {
                Generic::Applied { of, arguments } => (of, arguments),
                Generic::Bounded { .. } => return None,
            },
            _ => return None,
        };
        arguments.push(argument);
        Some(self.add(Generic::Applied { of, arguments }))
    }

    /// Whether a type stands for something that only its use tells.
    pub(super) fn is_open(&self, of: Type) -> bool {
        match of {
            Type::Argument(..) | Type::Arguments(..) => true,
            Type::Generic(ix) => match self.get(ix) {
                Some(Generic::Bounded { .. }) => true,
                Some(Generic::Applied { arguments, .. }) => arguments.into_iter().any(|of| self.is_open(of)),
                None => false,
            },
            _ => false,
        }
    }

    /// The type with what `argument` gives for type parameters; those without stay.
    fn replaced(&self, of: Type, argument: &dyn Fn(SymbolIx, u8) -> Option<Type>) -> Type {
        match of {
            Type::Argument(owner, at) => argument(owner, at).unwrap_or(of),
            Type::Arguments(owner, at) => argument(owner, at).map_or(of, |held| self.collection(held)),
            Type::Generic(ix) => match self.get(ix) {
                Some(Generic::Bounded { of: owner, at, .. }) => argument(owner, at).unwrap_or(of),
                Some(Generic::Applied { of, arguments }) => {
                    let arguments = arguments.into_iter().map(|of| self.replaced(of, argument)).collect();
                    self.add(Generic::Applied { of, arguments })
                }
                None => of,
            },
            _ => of,
        }
    }

    /// What an alias stands for, with `argument` for its type parameter of this number.
    pub(super) fn replaced_at(&self, of: Type, at: u8, argument: Type) -> Type {
        self.replaced(of, &|_, parameter| (parameter == at && argument != Type::Unknown).then_some(argument))
    }

    /// A collection of instances of a type.
    pub(super) fn collection(&self, of: Type) -> Type {
        match self.plain(of) {
            Type::Instance(of) | Type::Static(of) => Type::Collection(of),
            Type::Argument(owner, at) => Type::Arguments(owner, at),
            Type::External(_) => Type::External(None),
            _ => Type::Unknown,
        }
    }

    fn get(&self, ix: GenericIx) -> Option<Generic> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.types.get(ix.0 as usize).map(|(of, _)| of.clone())
    }

    fn add(&self, mut generic: Generic) -> Type {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut depth = 0;
        if let Generic::Applied { arguments, .. } = &mut generic {
            for argument in arguments {
                if let Type::Generic(ix) = argument {
                    let inner = known.types.get(ix.0 as usize).map_or(0, |(_, depth)| depth + 1);
                    if inner > MAX_NESTED {
                        *argument = Type::Unknown;
                    } else {
                        depth = depth.max(inner);
                    }
                }
            }
        }
        if let Some(&number) = known.numbers.get(&generic) {
            return Type::Generic(GenericIx(number));
        }
        let number = known.types.len() as u32;
        known.types.push((generic.clone(), depth));
        known.numbers.insert(generic, number);
        Type::Generic(GenericIx(number))
    }
}

impl Binder<'_, '_> {
    /// What a type holds by a supertype of another project: `User` for `interface Users extends JpaRepository<User, Long>`.
    pub(super) fn held_by_super(&self, of: SymbolIx) -> Option<SymbolIx> {
        let of = self.table.canonical(of);
        let above = self.all_supers.get(of as usize).into_iter().flatten();
        std::iter::once(&of).chain(above).find_map(|of| self.held_by_supers.get(of).copied())
    }

    /// The type of a member with what the value is applied to whose member it is.
    pub(super) fn replaced_by_receiver(&self, of: Type, receiver: Type) -> Type {
        self.generics.replaced(of, &|owner, at| self.argument(receiver, owner, at))
    }

    /// What a value of type `receiver` is applied to as the parameter of number `at` of the type `owner`: itself or a supertype.
    fn argument(&self, receiver: Type, owner: SymbolIx, at: u8) -> Option<Type> {
        let owner = self.table.canonical(owner);
        let mut open = vec![receiver];
        let mut n_steps = 0;
        while let Some(of) = open.pop() {
            n_steps += 1;
            if n_steps > MAX_SUPERS {
                return None;
            }
            let (of, arguments) = match of {
                Type::Instance(of) | Type::Static(of) => (of, Vec::new()),
                Type::Generic(ix) => match self.generics.get(ix)? {
                    Generic::Applied { of, arguments } => (of, arguments),
                    Generic::Bounded { bound, .. } => {
                        open.push(bound);
                        continue;
                    }
                },
                _ => continue,
            };
            let of = self.table.canonical(of);
            if of == owner && !arguments.is_empty() {
                return arguments.get(usize::from(at)).copied().filter(|of| *of != Type::Unknown);
            }
            let given = |outer: SymbolIx, at: u8| {
                let is_own = self.table.canonical(outer) == of;
                is_own.then(|| arguments.get(usize::from(at)).copied()).flatten()
            };
            // Supertypes that are not generic may have supertypes that are.
            open.extend(self.supers[of as usize].iter().map(|&above| Type::Instance(above)));
            let generic = self.generic_supers.get(&of).into_iter().flatten();
            open.extend(generic.map(|&above| self.generics.replaced(Type::Generic(above), &given)));
        }
        None
    }
}

impl FileBinder<'_, '_, '_> {
    /// The type with what its use says about type parameters: of a member, what the value is applied to whose member it is.
    pub(super) fn substituted(&mut self, of: Type, source: Source, depth: usize) -> Type {
        let binder = self.binder;
        if !binder.generics.is_open(of) {
            return of;
        }
        match self.receiver_type(source, depth) {
            Some(receiver) => binder.replaced_by_receiver(of, receiver),
            None => of,
        }
    }

    /// The type of what a member is a member of: written before it, or the enclosing type.
    fn receiver_type(&mut self, source: Source, depth: usize) -> Option<Type> {
        let Source::Occurrence(at) = source else { return None };
        let table = self.binder.table;
        let occurrence = table.files[self.file].occurrences.get(at as usize)?;
        match occurrence.site {
            Site::Member(Value::Super(of)) => Some(Type::Instance(table.offsets[self.file] + of)),
            Site::Member(receiver) => Some(self.value_type(receiver, depth + 1)),
            _ => {
                // A member that stands outside of its type is declared in it.
                let within = table.canonical(table.offsets[self.file] + occurrence.within?);
                let mut outer = std::iter::successors(Some(within), |&at| table.entry(at).parent);
                outer.find(|&at| table.entry(at).kind.is_type()).map(Type::Instance)
            }
        }
    }

    /// What a call returns whose function returns a type parameter of its own: an instance of the type that the call names.
    pub(super) fn inferred(&mut self, called: Value, returned: Type, named: Value, depth: usize) -> Type {
        let table = self.binder.table;
        let of_other_project = match returned {
            // Python's type variables are names of the module.
            Type::External(Some(name)) if table.text(name) == Some("TypeVar") => true,
            // In scripts and Python, a class as an argument does not determine the result.
            Type::External(_) | Type::Unknown => {
                matches!(self.family, Family::Jvm | Family::CSharp | Family::Rust | Family::C)
                    && !self.is_of_project(called, depth)
            }
            _ => false,
        };
        if of_other_project {
            return self.value_type(named, depth);
        }
        if !self.binder.generics.is_open(returned) {
            return returned;
        }
        let named = Some(self.value_type(named, depth)).filter(|of| *of != Type::Unknown);
        let is_own = |owner: SymbolIx| table.entry(owner).kind.is_callable();
        self.binder.generics.replaced(returned, &|owner, _| named.filter(|_| is_own(owner)))
    }

    /// Whether a call is one of a function of the project.
    fn is_of_project(&mut self, called: Value, depth: usize) -> bool {
        match called {
            Value::Called(Source::Occurrence(at)) | Value::ElementOfCalled(Source::Occurrence(at)) => {
                self.bound(at, depth).is_known()
            }
            _ => true,
        }
    }
}
