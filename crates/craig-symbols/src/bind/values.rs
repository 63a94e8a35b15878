//! What type an expression has.

use craig_chunk::names::{
    Choice, DefinitionIx, DefinitionKind, OccurrenceIx, Part, Role, Site, Source, Traits, Value,
};

use super::{FileBinder, MAX_CHAIN, ONLY, TRUSTED, Type};
use crate::modules::Entity;
use crate::table::{Family, Name};

/// Methods of collections that return an element.
const ELEMENT_METHODS: &[&str] = &[
    "First",
    "FirstOrDefault",
    "Last",
    "LastOrDefault",
    "Single",
    "SingleOrDefault",
    "aget",
    "at",
    "await",
    "back",
    "begin",
    "cbegin",
    "computeIfAbsent",
    "create",
    "current",
    "element",
    "end",
    "find",
    "findById",
    "findOne",
    "findOneBy",
    "first",
    "firstOrNull",
    "front",
    "get",
    "getFirst",
    "getLast",
    "getOrDefault",
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
    "save",
    "shift",
    "single",
    "singleOrNull",
    "top",
];

/// Methods of pointers and other wrappers of C++ that return what is in them.
const WRAPPER_METHODS: &[&str] = &["get", "load", "lock", "release", "value", "value_or"];

/// Members of the entries of maps that hold their values.
const ENTRY_MEMBERS: &[&str] = &["Value", "getValue", "value"];

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
    "Values",
    "Where",
    "all",
    "annotate",
    "asSequence",
    "concat",
    "copy",
    "distinct",
    "drop",
    "entries",
    "entrySet",
    "exclude",
    "filter",
    "filterNot",
    "findAll",
    "findAny",
    "findBy",
    "findFirst",
    "items",
    "iterator",
    "limit",
    "listIterator",
    "order_by",
    "parallelStream",
    "prefetch_related",
    "reversed",
    "select_related",
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
    "withIndex",
];

impl FileBinder<'_, '_, '_> {
    /// The type of a value.
    pub(super) fn value_type(&mut self, value: Value, depth: usize) -> Type {
        if depth > MAX_CHAIN {
            return Type::Unknown;
        }
        match value {
            Value::Unknown => Type::Unknown,
            Value::Builtin => Type::External(None),
            Value::Itself(source) => self.source_type(source, depth),
            Value::Called(source) => self.called_type(source, depth),
            Value::Instance(source) => match self.made_type(source, depth).instance() {
                Type::External(None) => Type::External(self.written_name(source)),
                found => found,
            },
            Value::Argument(of, at) => Type::Argument(self.binder.table.offsets[self.file] + of, at),
            Value::Arguments(of, at) => Type::Arguments(self.binder.table.offsets[self.file] + of, at),
            Value::Collection(source) => match self.source_type(source, depth) {
                Type::Static(of) | Type::Instance(of) => Type::Collection(of),
                Type::Callable(at) => match self.binder.called(Type::Callable(at)) {
                    Type::Instance(of) => Type::Collection(of),
                    other => other,
                },
                other => other,
            },
            Value::Element(source) => {
                if let Some(held) = self.held_by_variant(source, depth) {
                    return held;
                }
                let of = self.source_type(source, depth);
                self.element(of)
            }
            Value::ElementOfCalled(source) => {
                let of = self.called_type(source, depth);
                self.element(of)
            }
            Value::Receiver(at) => self.lambda_receiver(at, depth),
            Value::Parameter(source, at, part) => {
                let types = self.parameter_types(source, at, part, depth + 1);
                let is_known = |found: &Type| !matches!(found, Type::Unknown | Type::External(_));
                types.iter().copied().find(is_known).or(types.first().copied()).unwrap_or_default()
            }
            Value::Choice(at) => self.chosen_type(at, depth + 1),
            Value::Super(of) => {
                let of = self.binder.table.offsets[self.file] + of;
                let supers = &self.binder.supers[self.binder.table.canonical(of) as usize];
                supers.first().map_or(Type::Unknown, |&above| Type::Instance(above))
            }
        }
    }

    /// The type of one of two values.
    fn chosen_type(&mut self, at: u32, depth: usize) -> Type {
        let Some(&choice) = self.binder.table.files[self.file].choices.get(at as usize) else {
            return Type::Unknown;
        };
        let [first, other] = choice.values();
        let found = self.value_type(first, depth);
        match choice {
            Choice::Inferred(..) => return self.inferred(first, found, other, depth),
            Choice::Applied(..) if self.family == Family::Rust && matches!(found, Type::External(_)) => {
                return match self.value_type(other, depth) {
                    Type::Instance(of) | Type::Static(of) | Type::Wrapped(of) => Type::Wrapped(of),
                    _ => found,
                };
            }
            Choice::Applied(..) if self.family == Family::C && self.is_alias(first, depth) => {
                if self.binder.generics.is_open(found) {
                    let argument = self.value_type(other, depth).instance();
                    return self.binder.generics.replaced_at(found, self.n_applied(first), argument);
                }
                if self.binder.is_pending(found) {
                    return Type::Unknown;
                }
            }
            Choice::Applied(..) => {
                if let Some(applied) = self.applied(first, found, other, depth) {
                    return applied;
                }
            }
            Choice::Guarded(..) => {
                if let Type::Argument(of, at) = found {
                    return match self.value_type(other, depth) {
                        Type::Unknown | Type::External(_) => found,
                        bound => self.binder.generics.bounded(of, at, bound),
                    };
                }
            }
            _ => {}
        }
        let is_known = match (choice, found) {
            (_, Type::Unknown | Type::External(_)) => self.is_own_method(first, depth),
            (Choice::Applied(..), Type::Instance(of) | Type::Static(of)) => !self.binder.is_opaque(of),
            _ => true,
        };
        if is_known {
            return found;
        }
        match self.value_type(other, depth) {
            Type::Unknown => found,
            _ if matches!(choice, Choice::Applied(..)) && !self.is_alias(first, depth) => found,
            other => other,
        }
    }

    /// How many types a generic type is applied to.
    fn n_applied(&self, mut of: Value) -> u8 {
        let mut n = 0;
        while let Value::Choice(at) = of
            && let Some(&Choice::Applied(inner, _)) =
                self.binder.table.files[self.file].choices.get(at as usize)
        {
            (of, n) = (inner, n + 1);
        }
        n
    }

    /// A generic type applied to one more type; `None` for an alias. What a type of another project is applied to, it is taken to
    /// hold.
    fn applied(&mut self, first: Value, of: Type, argument: Value, depth: usize) -> Option<Type> {
        match of {
            Type::Instance(symbol) | Type::Static(symbol) => {
                let is_alias = self.is_alias(first, depth);
                if is_alias && self.binder.table.entry(symbol).kind != DefinitionKind::Type
                    || self.binder.is_opaque(symbol)
                {
                    return None;
                }
                let argument = self.value_type(argument, depth).instance();
                self.binder.generics.apply(Type::Instance(symbol), argument)
            }
            Type::Generic(_) => {
                let argument = self.value_type(argument, depth).instance();
                self.binder.generics.apply(of, argument)
            }
            Type::External(_) if !self.is_alias(first, depth) => {
                let held = self.value_type(argument, depth).instance();
                let held = self.binder.generics.collection(held);
                matches!(held, Type::Collection(_) | Type::Arguments(..)).then_some(held)
            }
            Type::Collection(_) | Type::Arguments(..) => Some(of),
            _ => None,
        }
    }

    /// Whether a value is that of a call of a method of the project in Ruby, of which a framework's rules say nothing.
    pub(super) fn is_own_method(&mut self, value: Value, depth: usize) -> bool {
        let (Value::Called(Source::Occurrence(at)) | Value::ElementOfCalled(Source::Occurrence(at))) = value
        else {
            return false;
        };
        if self.family != Family::Ruby {
            return false;
        }
        let bound = self.bound(at, depth);
        bound.confidence > ONLY && bound.is_known()
    }

    /// The types that a value may have: of a name that stands for several things, all of theirs.
    pub(super) fn value_types(&mut self, value: Value, depth: usize) -> Vec<Type> {
        let (Family::Script, Value::Itself(Source::Occurrence(at)) | Value::Instance(Source::Occurrence(at))) =
            (self.family, value)
        else {
            return vec![self.value_type(value, depth)];
        };
        let bound = self.bound(at, depth + 1);
        if bound.entities.len() < 2 || bound.confidence < TRUSTED {
            return vec![self.value_type(value, depth)];
        }
        let is_instance = matches!(value, Value::Instance(_));
        let types = bound.entities.iter().map(|&entity| self.binder.entity_type(entity));
        types.map(|of| if is_instance { of.instance() } else { of }).collect()
    }

    /// What functions take as a parameter: each overload for itself.
    pub(super) fn parameter_types(&mut self, source: Source, at: u8, part: Part, depth: usize) -> Vec<Type> {
        if depth > MAX_CHAIN {
            return Vec::new();
        }
        // Much has an `each` in Ruby: a method by its name alone says nothing of its block.
        let least = if self.family == Family::Ruby { ONLY + 1 } else { TRUSTED };
        let functions = match source {
            Source::Definition(ix) => vec![Entity::Symbol(self.binder.table.offsets[self.file] + ix)],
            Source::Occurrence(of) => match self.bound(of, depth + 1) {
                bound if bound.confidence >= least => bound.entities.clone(),
                _ => Vec::new(),
            },
        };
        let symbols = functions.into_iter().filter_map(|entity| match entity {
            Entity::Symbol(at) => Some(at),
            _ => None,
        });
        let binder = self.binder;
        let taken = symbols
            .flat_map(|symbol| binder.called_functions(symbol))
            .filter_map(|function| binder.parameters.get(&function)?.get(usize::from(at)));
        let types: Vec<Option<Type>> = taken
            .map(|taken| match part {
                Part::Whole => Some(taken.of),
                Part::Element => Some(self.element(taken.of)),
                Part::Parameter(inner) => match taken.takes.get(usize::from(inner)) {
                    Some(&of) => Some(of),
                    None => match taken.of {
                        Type::Instance(of) | Type::Static(of) => {
                            let mut functions = binder.called_functions(of).into_iter();
                            functions
                                .find_map(|of| Some(binder.parameters.get(&of)?.get(usize::from(inner))?.of))
                        }
                        // A function type of another project, as `Consumer<Order>`: it is applied to what it takes first.
                        Type::Collection(of) if inner == 0 => Some(Type::Instance(of)),
                        Type::Arguments(of, at) if inner == 0 => Some(Type::Argument(of, at)),
                        _ => None,
                    },
                },
            })
            .collect();
        let types = types.into_iter().flatten().map(|of| self.substituted(of, source, depth + 1));
        types.filter(|found| !matches!(found, Type::Unknown | Type::Argument(..))).collect()
    }

    /// Whether a value is what a method of `owner` is called on: `this`, or what a fluent method of it returns.
    pub(super) fn is_receiver(&mut self, value: Value, owner: DefinitionIx, depth: usize) -> bool {
        if depth > MAX_CHAIN {
            return false;
        }
        match value {
            Value::Instance(Source::Definition(of)) => of == owner,
            Value::Called(Source::Occurrence(at)) => {
                let Some(occurrence) = self.binder.table.files[self.file].occurrences.get(at as usize) else {
                    return false;
                };
                let Site::Member(receiver) = occurrence.site else { return false };
                self.is_receiver(receiver, owner, depth + 1) && self.returns_receiver(at, depth + 1)
            }
            _ => false,
        }
    }

    /// Whether what is called at an occurrence returns what it is called on.
    fn returns_receiver(&mut self, at: OccurrenceIx, depth: usize) -> bool {
        let bound = self.bound(at, depth);
        let is_fluent =
            |entity: &Entity| matches!(entity, Entity::Symbol(at) if self.binder.fluent.contains(at));
        bound.confidence >= TRUSTED && bound.entities.iter().any(is_fluent)
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

    /// What `new` makes of a type, or of a variable that holds what makes one.
    fn made_type(&mut self, source: Source, depth: usize) -> Type {
        let of = self.source_type(source, depth);
        let Source::Occurrence(at) = source else { return of };
        let occurrence = self.binder.table.files[self.file].occurrences.get(at as usize);
        let is_made = self.family == Family::Script && occurrence.is_some_and(|of| of.role == Role::Call);
        match (is_made, of) {
            (true, Type::Instance(_)) => Some(self.binder.called(of)).filter(|&made| made != Type::Unknown),
            _ => None,
        }
        .unwrap_or(of)
    }

    /// The type of what a call returns, found once for each depth.
    fn called_type(&mut self, source: Source, depth: usize) -> Type {
        if let Some(&known) = self.returned.get(&(source, depth)) {
            return known;
        }
        let found = self.find_called_type(source, depth);
        self.returned.insert((source, depth), found);
        found
    }

    fn find_called_type(&mut self, source: Source, depth: usize) -> Type {
        let called = self.source_type(source, depth);
        if let Some(found) = self.returned_receiver(called, source, depth) {
            return found;
        }
        if let (Family::Rust, Type::Unknown | Type::External(None)) = (self.family, called)
            && let Some(made) = self.made_by_other_trait(source, depth)
        {
            return made;
        }
        let returned = self.binder.called(called);
        let found = self.substituted(returned, source, depth + 1);
        if let Type::Unknown | Type::External(_) = found
            && let Some(held) = self.called_of_collection(source, depth)
        {
            return held;
        }
        match found {
            // An instance of a type that is made.
            Type::External(None) if self.is_capitalized(source) => Type::External(self.written_name(source)),
            // The result of another project's function is unknown: it may be a type of this project. In Kotlin and scripts it stays
            // external, because extensions and type guards depend on it.
            Type::External(None)
                if matches!(called, Type::External(_))
                    && !matches!(self.family, Family::Jvm | Family::Script) =>
            {
                Type::Unknown
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
        let returns_receiver = table.entry(function).traits.has(Traits::RETURNS_RECEIVER)
            || self.family == Family::Script && self.returns_receiver(at, depth + 1);
        if !returns_receiver {
            return None;
        }
        // `static` of PHP is an instance also where the method is one of the class.
        let of = match self.value_type(receiver, depth + 1) {
            of if self.family == Family::Php => of.instance(),
            of => of,
        };
        Some(of).filter(|&of| of != Type::Unknown)
    }

    /// The name of what a value is made from, as it is written.
    pub(super) fn written_name(&self, source: Source) -> Option<Name> {
        let Source::Occurrence(at) = source else { return None };
        let occurrence = self.binder.table.files[self.file].occurrences.get(at as usize)?;
        Some(self.binder.table.name(self.file, occurrence.name))
    }

    pub(super) fn is_capitalized(&self, source: Source) -> bool {
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
        // A wrapper is not told from what is in it.
        let of_wrapper = self.family == Family::C && WRAPPER_METHODS.contains(&name);
        let of_entry = of_wrapper || ENTRY_MEMBERS.contains(&name);
        let is_element = of_entry || ELEMENT_METHODS.contains(&name);
        if !is_element && !COLLECTION_METHODS.contains(&name) {
            return None;
        }
        let held = match self.value_type(receiver, depth + 1) {
            Type::Arguments(of, at) if is_element => return Some(Type::Argument(of, at)),
            found @ Type::Arguments(..) => return Some(found),
            Type::Collection(of) => of,
            other => match self.binder.generics.plain(other) {
                Type::Instance(of) | Type::Static(of) => match self.binder.held_by_super(of) {
                    // Maps count as collections of their values.
                    None if of_entry => of,
                    held => held?,
                },
                _ => return None,
            },
        };
        Some(if is_element { Type::Instance(held) } else { Type::Collection(held) })
    }

    fn element(&self, of: Type) -> Type {
        match of {
            Type::Collection(of) => Type::Instance(of),
            Type::Arguments(of, at) => Type::Argument(of, at),
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
            Type::Instance(_) | Type::Generic(_) if self.family == Family::C => {
                self.element_of_range(of).unwrap_or(of)
            }
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
                if matches!(self.family, Family::Jvm | Family::CSharp)
                    && types.iter().all(|of| matches!(of, Type::Unknown | Type::External(_)))
                    && let Some(held) = self.called_of_collection(source, depth)
                {
                    return held;
                }
                let found = types.iter().copied().find(known).or_else(|| types.first().copied());
                self.substituted(found.unwrap_or_default(), source, depth + 1)
            }
        }
    }
}
