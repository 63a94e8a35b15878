//! Scopes: what a name stands for where it is written.

use std::mem;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::{Definition, DefinitionIx, DefinitionKind, MAX_SPARE, NameId, Site, Source, Value, Walk};

impl<'t> Walk<'t> {
    /// Runs `inside` in a new scope.
    pub(crate) fn scope<T>(&mut self, kind: ScopeKind, inside: impl FnOnce(&mut Self) -> T) -> T {
        let first = self.found.occurrences.len();
        let names = self.spare_scopes.pop().unwrap_or_default();
        self.scopes.push(Scope { kind, names, outside: Vec::new(), first });
        let n_narrowed = self.narrowed.len();
        let result = inside(self);
        self.narrowed.truncate(n_narrowed);
        if let Some(mut scope) = self.scopes.pop() {
            if self.hoists {
                self.resolve_later_declared(&scope);
            }
            if scope.names.capacity() <= MAX_SPARE {
                scope.names.clear();
                self.spare_scopes.push(scope.names);
            }
        }
        result
    }

    /// Resolves names that stand before their declaration in a scope.
    pub(super) fn resolve_later_declared(&mut self, scope: &Scope) {
        if scope.names.is_empty() {
            return;
        }
        for occurrence in &mut self.found.occurrences[scope.first..] {
            if occurrence.site == Site::Bare
                && let Some(bound) = scope.names.get(&occurrence.name)
            {
                occurrence.site = bound.site().unwrap_or(Site::Local);
            }
        }
    }

    /// Runs `inside` as a part of a definition.
    pub(crate) fn inside<T>(
        &mut self,
        definition: Option<DefinitionIx>,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let enclosing = definition.or(self.within);
        let before = mem::replace(&mut self.within, enclosing);
        let result = inside(self);
        self.within = before;
        result
    }

    /// Runs `inside` as the body of a type.
    pub(crate) fn inside_type<T>(
        &mut self,
        definition: DefinitionIx,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.this.replace(definition);
        let result = self.inside(Some(definition), inside);
        self.this = before;
        result
    }

    /// Whether the walk is inside of a function.
    pub(crate) fn is_in_function(&self) -> bool {
        self.scopes.iter().any(|scope| scope.kind == ScopeKind::Function)
    }

    /// An instance of the enclosing type.
    pub(crate) fn this_value(&self) -> Value {
        self.this.map_or(Value::Unknown, |this| Value::Instance(Source::Definition(this)))
    }

    pub(super) fn bound(&self, name: NameId) -> Option<Bound> {
        let mut inner = self.scopes.iter().rev().take_while(|scope| !scope.outside.contains(&name));
        inner.find_map(|scope| scope.names.get(&name).copied())
    }

    /// Declares a local variable in the nearest scope. Outside of functions there are none, and false is returned.
    pub(crate) fn declare_local(&mut self, node: Node<'t>, value: Value) -> bool {
        self.declare_local_named(self.text_of(node), value)
    }

    /// As [`Walk::declare_local`], of a name that stands nowhere: `this`.
    pub(crate) fn declare_local_named(&mut self, name: &'t str, value: Value) -> bool {
        let name = self.id(name);
        let Some(scope) = self.scopes.last_mut() else { return false };
        let value = match scope.names.get(&name) {
            Some(Bound::Local(known)) => value.or(*known),
            _ => value,
        };
        scope.names.insert(name, Bound::Local(value));
        true
    }

    /// As [`Walk::declare_local_named`], whatever the name stood for before.
    pub(crate) fn redeclare_local(&mut self, name: &'t str, value: Value) {
        let name = self.id(name);
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, Bound::Local(value));
        }
    }

    /// As [`Walk::redeclare_local`], for the whole file.
    pub(crate) fn declare_in_file(&mut self, name: &'t str, value: Value) {
        let name = self.id(name);
        if let Some(scope) = self.scopes.first_mut() {
            scope.names.insert(name, Bound::Local(value));
        }
    }

    /// As [`Walk::declare_local`], in the enclosing function.
    pub(crate) fn declare_in_function(&mut self, node: Node<'t>, value: Value) -> bool {
        self.declare_in_function_named(self.text_of(node), value)
    }

    /// As [`Walk::declare_in_function`], of a name that stands in a comment.
    pub(crate) fn declare_in_function_named(&mut self, name: &'t str, value: Value) -> bool {
        let name = self.id(name);
        let Some(scope) = self.scopes.iter_mut().rev().find(|scope| scope.kind == ScopeKind::Function) else {
            return false;
        };
        let value = match scope.names.get(&name) {
            Some(Bound::Local(known)) => value.or(*known),
            Some(Bound::Definition(_) | Bound::Member(_)) => return true,
            _ => value,
        };
        scope.names.insert(name, Bound::Local(value));
        true
    }

    /// Whether a scope of a function binds a name.
    pub(crate) fn is_bound(&mut self, node: Node<'t>) -> bool {
        let name = self.id(self.text_of(node));
        self.bound(name).is_some()
    }

    /// Notes that a name of the nearest scope is one of the module: Python's `global`.
    pub(crate) fn declare_outside(&mut self, node: Node<'t>) {
        let name = self.id(self.text_of(node));
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.remove(&name);
            scope.outside.push(name);
        }
    }

    /// Whether the enclosing function says that a name is one of the module.
    pub(crate) fn is_declared_outside(&mut self, node: Node<'t>) -> bool {
        let name = self.id(self.text_of(node));
        let scope = self.scopes.iter().rev().find(|scope| scope.kind == ScopeKind::Function);
        scope.is_some_and(|scope| scope.outside.contains(&name))
    }

    /// Makes a definition known in the nearest scope, if there is one.
    pub(crate) fn bind(&mut self, definition: DefinitionIx) {
        let Some(name) = self.definition(definition).map(|definition| definition.name) else { return };
        self.bind_named(name, definition);
    }

    /// As [`Walk::bind`], by the name that is written.
    pub(crate) fn bind_as(&mut self, name: Node<'t>, definition: DefinitionIx) {
        let name = self.id(self.text_of(name));
        self.bind_named(name, definition);
    }

    pub(super) fn bind_named(&mut self, name: NameId, definition: DefinitionIx) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, Bound::Definition(definition));
        }
    }

    /// Makes members of a type of the file known in the nearest scope, except those whose names the file itself has.
    pub(crate) fn bind_members(&mut self, instance: Value) {
        let of = match self.first_of(instance) {
            Value::Instance(Source::Definition(of)) => Some(of),
            Value::Instance(Source::Occurrence(at)) => {
                let named = self.found.occurrences.get(at as usize);
                named.and_then(|named| self.top.get(&named.name).copied()).filter(|&of| self.is_type(of))
            }
            _ => None,
        };
        let Some(of) = of else { return };
        let is_member = |found: &Definition| found.parent == Some(of);
        let members = self.found.definitions.iter().enumerate().filter(|(_, found)| is_member(found));
        let members: Vec<(NameId, usize)> = members.map(|(at, found)| (found.name, at)).collect();
        let imported: FxHashSet<NameId> =
            self.found.imports.iter().filter_map(|import| import.local).collect();
        for (name, at) in members {
            if !self.top.contains_key(&name) && !imported.contains(&name) {
                self.bind_named(name, at as DefinitionIx);
            }
        }
    }

    /// Makes a name that `value` has as a member known in the nearest scope; false outside of functions, where there is none.
    pub(crate) fn bring_in(&mut self, node: Node<'t>, value: Value) -> bool {
        let name = self.id(self.text_of(node));
        let Some(scope) = self.scopes.last_mut() else { return false };
        scope.names.insert(name, Bound::Member(value));
        true
    }

    /// Notes that a local variable holds another value, if nothing was known of it.
    pub(crate) fn declare_again(&mut self, node: Node<'t>, value: Value) {
        let name = self.id(self.text_of(node));
        for scope in self.scopes.iter_mut().rev() {
            if let Some(bound) = scope.names.get_mut(&name) {
                if let Bound::Local(known) = bound {
                    *known = if known.is_typed() { *known } else { value };
                }
                return;
            }
        }
    }

    /// Whether the node is directly in the body of a type.
    pub(crate) fn is_in_type(&self) -> bool {
        self.this.is_some() && self.within == self.this
    }

    /// Names of the inline modules around the node, outermost first.
    pub(crate) fn enclosing_modules(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = self.within;
        while let Some(definition) = at.and_then(|at| self.found.definitions.get(at as usize)) {
            if definition.kind == DefinitionKind::Module {
                names.push(self.found.text(definition.name));
            }
            at = definition.parent;
        }
        names.reverse();
        names
    }

    /// The first type of that name among the definitions read so far.
    pub(crate) fn type_named(&self, name: NameId) -> Option<DefinitionIx> {
        let is_it = |of: &Definition| of.name == name && of.kind.is_type();
        self.found.definitions.iter().position(is_it).map(|at| at as DefinitionIx)
    }

    /// The value of a local variable, if there is one.
    pub(crate) fn local_value(&mut self, name: &'t str) -> Value {
        let name = self.id(name);
        match self.bound(name) {
            Some(Bound::Local(value)) => value,
            Some(Bound::Definition(definition)) => Value::Itself(Source::Definition(definition)),
            Some(Bound::Member(_)) | None => Value::Unknown,
        }
    }
}

/// What a name stands for in a scope.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Local(Value),
    Definition(DefinitionIx),
    /// A member of the value, brought in by its name alone: `using shop::rate;`.
    Member(Value),
}

impl Bound {
    /// How a name that is bound so stands in the code; `None` of a local variable.
    pub(super) fn site(self) -> Option<Site> {
        match self {
            Self::Local(_) => None,
            Self::Definition(definition) => Some(Site::Lexical(definition)),
            Self::Member(of) => Some(Site::Member(of)),
        }
    }
}

/// What a scope belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Function,
    Block,
}

pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) names: FxHashMap<NameId, Bound>,
    /// Names that are those of the module: Python's `global`.
    pub(super) outside: Vec<NameId>,
    /// Number of occurrences before it.
    pub(super) first: usize,
}
