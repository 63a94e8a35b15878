//! What is derived of definitions in rounds: supertypes, values, parameters.

use craig_chunk::names::{DefinitionIx, DefinitionKind, IMPLEMENTATION, Source, Value};
use rayon::prelude::*;

use super::super::table::Family;
use super::{Binder, FileBinder, SymbolIx, Taken, Type};

impl<'t, 'n> Binder<'t, 'n> {
    /// Binds supertypes of scripts that functions make, which are known once it is known what these return.
    pub(super) fn bind_made_supers(&mut self) {
        let found = self.for_definitions(|binder, at, ix| {
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
            let is_made = |value: &&Value| match binder.family {
                Family::Script => matches!(value, Value::Called(_) | Value::Choice(_)),
                // A variable may hold the class: `Base: type[Table] = …`.
                Family::Python => matches!(value, Value::Itself(_)),
                _ => false,
            };
            let made = definition.supers.iter().filter(is_made).collect::<Vec<_>>().into_iter();
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
            for above in made.into_iter().filter(|above| *above != of) {
                if !known.contains(&above) {
                    known.push(above);
                }
            }
            self.all_supers[of as usize] = self.supers_of(of);
        }
    }

    pub(super) fn derive_parameters(&mut self) {
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

    pub(super) fn find_fluent(&mut self) {
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
    pub(super) fn for_definitions<T: Send>(
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

    pub(super) fn bind_supers(&mut self) {
        let found = self.for_definitions(|binder, at, ix| {
            let definition = &binder.binder.table.files[binder.file].definitions[ix as usize];
            if definition.supers.is_empty() || binder.binder.is_namespace(at) {
                return None;
            }
            let types = definition.supers.iter().map(|&value| binder.value_type(value, 0));
            Some(types.collect::<Vec<Type>>())
        });
        for (at, types) in found.into_iter().chain(self.implementations()) {
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

    /// Types with the trait that an `impl` of Rust, in whatever file, is of.
    fn implementations(&self) -> Vec<(SymbolIx, Vec<Type>)> {
        let Some(name) = self.table.find(IMPLEMENTATION) else { return Vec::new() };
        let files = (0..self.table.files.len()).into_par_iter();
        let found = files.filter(|&file| self.table.families[file] == Family::Rust).flat_map_iter(|file| {
            let names = &self.table.files[file];
            let mut binder = FileBinder::new(self, file);
            let all = names.exports.iter().filter(|export| self.table.name(file, export.name) == name);
            let found = all.filter_map(|export| {
                let Value::Choice(at) = export.value else { return None };
                let [of_trait, of] = names.choices.get(at as usize)?.values();
                match binder.value_type(of, 0) {
                    Type::Static(of) | Type::Instance(of) => Some((of, vec![binder.value_type(of_trait, 0)])),
                    _ => None,
                }
            });
            found.collect::<Vec<_>>()
        });
        found.collect()
    }

    pub(super) fn derive_types(&mut self) {
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
}
