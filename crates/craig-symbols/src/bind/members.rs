//! Members of types, of their supertypes and of values.

use craig_chunk::names::{DefinitionKind, Role, Source, Traits, Value};
use craig_source::Language;
use rustc_hash::FxHashSet;

use super::super::modules::Entity;
use super::super::table::{Family, Name};
use super::{
    Binder, Bound, FileBinder, GLOBAL, MAX_SUPERS, MAX_UNION, ONLY, Sought, SymbolIx, TRUSTED, TYPED, Type,
    cased,
};

impl<'t, 'n> Binder<'t, 'n> {
    /// What a method of PHP that says nothing of it returns, by what it takes the place of.
    pub(super) fn inherited_type(&self, at: SymbolIx) -> Option<Type> {
        let is_method = self.table.entry(at).kind == DefinitionKind::Method;
        if !is_method || self.table.family(at) != Family::Php {
            return None;
        }
        let types = self.overridden(at).into_iter().map(|base| self.types[base as usize]);
        types.into_iter().find(|of| matches!(of, Type::Instance(_) | Type::Collection(_)))
    }

    /// A member of a type or of one of its supertypes: the nearest that fits, else the nearest of that name.
    pub(super) fn member(&self, of: SymbolIx, sought: Sought) -> Vec<SymbolIx> {
        let found = self.member_where(of, sought.name, |at| self.fits(at, sought));
        if !found.is_empty() {
            return found;
        }
        let found = self.member_where(of, sought.name, |at| self.may_fit(at, sought));
        let family = self.table.family(of);
        if found.is_empty() && family == Family::Jvm { self.accessor(of, sought) } else { found }
    }

    /// A getter of Java that Kotlin reads as a property, or a property of Kotlin whose getter Java calls.
    pub(super) fn accessor(&self, of: SymbolIx, sought: Sought) -> Vec<SymbolIx> {
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

    /// A member of that name, of a type or of one of its supertypes, the nearest that `fits`.
    pub(super) fn member_where(
        &self,
        of: SymbolIx,
        name: Name,
        fits: impl Fn(SymbolIx) -> bool,
    ) -> Vec<SymbolIx> {
        self.member_within(of, name, &fits, &mut FxHashSet::default())
    }

    pub(super) fn member_within(
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
                    (self.table.entry(at).kind, self.generics.plain(self.types[at as usize]))
                {
                    next.push(self.table.canonical(of));
                }
            }
            open = next;
        }
        Vec::new()
    }

    /// Whether a type is an alias of several, each value being of one of them.
    pub(super) fn is_union(&self, at: SymbolIx) -> bool {
        let entry = self.table.entry(at);
        entry.kind == DefinitionKind::Type
            && self.table.family(at) == Family::Script
            && entry.traits.has(Traits::UNION)
    }

    /// All supertypes of a type.
    pub(super) fn supers_of(&self, of: SymbolIx) -> Vec<SymbolIx> {
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

    pub(super) fn super_member(&self, of: SymbolIx, sought: Sought) -> Vec<SymbolIx> {
        let supers = &self.supers[self.table.canonical(of) as usize];
        supers
            .iter()
            .map(|&above| self.member(above, sought))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }
}

impl<'b, 't, 'n> FileBinder<'b, 't, 'n> {
    pub(super) fn member_of(&mut self, value: Value, sought: Sought, depth: usize) -> Bound {
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
        let pointed = (self.family == Family::C).then(|| self.pointed_to(first)).flatten();
        let mut others = types.chain(pointed).map(|of| self.member(of, sought));
        others.find(Bound::is_known).unwrap_or(found)
    }

    pub(super) fn key_of(&mut self, value: Value, sought: Sought, depth: usize) -> Bound {
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
    pub(super) fn own_member(&mut self, value: Value, name: Name, depth: usize) -> Vec<SymbolIx> {
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

    /// The type whose literal has keys: also a variant of an enumeration, which is no type elsewhere.
    pub(super) fn keyed_type(&mut self, value: Value, depth: usize) -> Type {
        if let (Family::Rust, Value::Instance(Source::Occurrence(at)) | Value::Itself(Source::Occurrence(at))) =
            (self.family, value)
            && let [Entity::Symbol(of)] = self.bound(at, depth).entities[..]
            && self.binder.table.entry(of).kind == DefinitionKind::EnumMember
        {
            return Type::Instance(of);
        }
        self.value_type(value, depth)
    }

    /// A name as a member of something.
    pub(super) fn member(&self, of: Type, sought: Sought) -> Bound {
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
                let mut found = modules.exported(file, name);
                if found.is_empty() && sought.role == Role::Call && self.family == Family::Rust {
                    found = modules.macro_of_package(file, name);
                }
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
            Type::Wrapped(held) if !self.is_of_rust(name) => {
                let found = self.for_role(self.binder.member(held, sought), sought.role);
                match found.is_empty() {
                    true => self.member(Type::External(None), sought),
                    false => Bound::symbols(&found, TYPED),
                }
            }
            Type::External(_) | Type::Collection(_) | Type::Arguments(..) | Type::Wrapped(_) => {
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
