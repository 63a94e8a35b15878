//! What type an expression has.

use craig_chunk::names::{DefinitionKind, OccurrenceIx, Site, Source, Traits, Value};

use super::{FileBinder, MAX_CHAIN, TRUSTED, Type};
use crate::symbols::modules::Entity;
use crate::symbols::table::{Family, Name};

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
