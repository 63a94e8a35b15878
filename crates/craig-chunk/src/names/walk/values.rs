//! What the syntax says about the values of expressions.

use super::scopes::Scope;
use tree_sitter::Node;

use super::{
    Choice, DefinitionIx, DefinitionKind, MAX_BACK, MAX_CHOICE, MAX_NARROWED, Narrowed, Occurrence,
    OccurrenceIx, PARTS, Role, Site, Source, Traits, Value, Walk, position,
};

impl<'t> Walk<'t> {
    /// One of two values; the first, if that would be between too many.
    pub(crate) fn choice(&mut self, choice: Choice) -> Value {
        let size = |value: Value| match value {
            Value::Choice(at) => self.choice_sizes.get(at as usize).copied().unwrap_or(1),
            _ => 1,
        };
        let [first, other] = choice.values();
        let n_values = size(first).saturating_add(size(other));
        if n_values > MAX_CHOICE {
            return first;
        }
        self.choice_sizes.push(n_values);
        self.found.choices.push(choice);
        Value::Choice((self.found.choices.len() - 1) as u32)
    }

    /// Declares a type parameter of the enclosing definition, the one of number `at`, with the type that bounds it.
    pub(crate) fn declare_type_parameter(&mut self, name: Node<'t>, at: usize, bound: Value) {
        self.declare_type_parameter_named(self.text_of(name), at, bound);
    }

    /// As [`Walk::declare_type_parameter`], by a name that stands in a comment.
    pub(crate) fn declare_type_parameter_named(&mut self, name: &'t str, at: usize, bound: Value) {
        let Some(of) = self.within else {
            self.declare_local_named(name, bound);
            return;
        };
        let value = self.type_parameter(of, at, bound);
        self.redeclare_local(name, value);
    }

    /// What the type parameter of number `at` stands for, with the type that bounds it.
    pub(crate) fn type_parameter(&mut self, of: DefinitionIx, at: usize, bound: Value) -> Value {
        let Ok(at) = u8::try_from(at) else { return bound };
        let argument = Value::Argument(of, at);
        match bound {
            Value::Unknown | Value::Builtin => argument,
            bound => self.choice(Choice::Guarded(argument, bound)),
        }
    }

    /// An instance of a generic type with what it is applied to. Of its arguments, so many are followed.
    pub(crate) fn applied(&mut self, whole: Value, mut arguments: Vec<Value>) -> Value {
        const MAX_ARGUMENTS: usize = 3;
        let is_known = |argument: &Value| argument.is_typed();
        if !matches!(whole, Value::Itself(_) | Value::Instance(_)) {
            return whole;
        }
        arguments.truncate(MAX_ARGUMENTS);
        arguments.truncate(arguments.iter().rposition(is_known).map_or(0, |last| last + 1));
        let apply =
            |of: Value, argument: Value| self.choice(Choice::Applied(of.instance(), argument.instance()));
        arguments.into_iter().fold(whole, apply)
    }

    /// A collection of instances of a type, of its parts the first.
    pub(crate) fn several(&self, of: Value) -> Value {
        self.first_of(of).collection()
    }

    /// What a call returns that names a type.
    pub(crate) fn inferred(&mut self, called: Value, named: Value) -> Value {
        match (called, named) {
            (Value::Called(_), Value::Unknown | Value::Builtin) => called,
            (Value::Called(_), named) => self.choice(Choice::Inferred(called, named.instance())),
            _ => called,
        }
    }

    /// Either value: what branches give, or operators that fall back to another.
    pub(crate) fn either(&mut self, first: Value, other: Value) -> Value {
        match (first, other) {
            (Value::Unknown | Value::Builtin, known) | (known, Value::Unknown | Value::Builtin) => known,
            (first, other) if first == other => first,
            (first, other) => self.choice(Choice::Union(first, other)),
        }
    }

    /// A tuple: a type of its own that has no name, whose members are its parts, and a collection of what the first known one
    /// is. Where nothing is known of these, neither is of the tuple.
    pub(crate) fn tuple(&mut self, node: Node<'t>, parts: &[Value]) -> Value {
        let Some(first) = parts.iter().find(|part| part.is_typed()) else { return Value::Builtin };
        let Some(at) = self.define_as("tuple", node, node, DefinitionKind::Type, Traits::LOCAL) else {
            return Value::Unknown;
        };
        self.set_value(at, first.collection());
        self.positional(at, node, parts);
        Value::Instance(Source::Definition(at))
    }

    /// Gives a type members by position, for patterns that take it apart.
    pub(crate) fn positional(&mut self, of: DefinitionIx, node: Node<'t>, parts: &[Value]) {
        let traits = Traits::LOCAL.and(Traits::EXPORTED);
        for (name, &value) in PARTS.iter().zip(parts).filter(|(_, part)| part.is_typed()) {
            if let Some(part) = self.define_named(name, Some(of), node, node, DefinitionKind::Field, traits) {
                self.set_value(part, value);
            }
        }
    }

    /// Gives a type a member `value`.
    pub(crate) fn hold(&mut self, of: DefinitionIx, node: Node<'t>, value: Value) {
        let traits = Traits::LOCAL.and(Traits::EXPORTED);
        let kind = DefinitionKind::Field;
        if let Some(member) = self.define_named("value", Some(of), node, node, kind, traits) {
            self.set_value(member, value);
        }
    }

    /// A part of a tuple, or of what has members by position.
    pub(crate) fn part(&mut self, of: Value, at: usize) -> Value {
        let Some(name) = PARTS.get(at).filter(|_| of.is_typed()) else { return Value::Unknown };
        let name = self.id(name);
        self.unwritten(name, Role::Read, Site::Member(of))
    }

    /// A part of a tuple, or an element of a collection.
    pub(crate) fn part_or_element(&mut self, of: Value, at: usize) -> Value {
        let part = self.part(of, at);
        let element = self.element(of);
        self.guarded(part, element)
    }

    /// The first value if its type is known, else the other.
    pub(crate) fn guarded(&mut self, first: Value, other: Value) -> Value {
        match (first, other) {
            (Value::Unknown, known) | (known, Value::Unknown) => known,
            (first, other) => self.choice(Choice::Guarded(first, other)),
        }
    }

    /// An element of a collection; of one of two values, that of the first whose type is known.
    pub(crate) fn element(&mut self, of: Value) -> Value {
        let Value::Choice(at) = of else { return of.element() };
        match self.found.choices.get(at as usize) {
            Some(&Choice::Inferred(called, named)) => {
                // `fetch(Order.class)` gives what holds an order.
                let held = if let Value::Instance(_) = named { named } else { named.element() };
                self.choice(Choice::Inferred(called.element(), held))
            }
            Some(&Choice::Applied(of, argument)) => {
                let element = self.element(of);
                self.guarded(element, argument)
            }
            Some(&Choice::Guarded(first, other)) => {
                let (first, other) = (self.element(first), self.element(other));
                self.guarded(first, other)
            }
            _ => self.first_of(of).element(),
        }
    }

    /// Notes until the scope ends what a variable, or a member of one, is known to be.
    pub(crate) fn narrow(&mut self, path: Node<'t>, value: Value) {
        let depth = self.scopes.len();
        self.narrowed.push(Narrowed { path: self.text_of(path), value, depth });
    }

    /// Runs `inside` with what guards say.
    pub(crate) fn narrowing<T>(
        &mut self,
        facts: &[(Node<'t>, Value)],
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let n_narrowed = self.narrowed.len();
        facts.iter().for_each(|&(path, value)| self.narrow(path, value));
        let result = inside(self);
        self.narrowed.truncate(n_narrowed);
        result
    }

    /// What a variable, or a member of one, is known to be here.
    pub(crate) fn narrowed(&self, path: Node<'t>) -> Option<Value> {
        if self.narrowed.is_empty() {
            return None;
        }
        let text = self.text_of(path);
        let found = self.narrowed.iter().rev().take(MAX_NARROWED).find(|narrowed| narrowed.path == text)?;
        let root = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next()?;
        let is_inner = |scope: &Scope| self.ids.get(root).is_some_and(|name| scope.names.contains_key(name));
        let inner = self.scopes.get(found.depth..).unwrap_or_default();
        (!inner.iter().any(is_inner)).then_some(found.value)
    }

    /// What was read last of that name as a member.
    pub(crate) fn last_member(&self, node: Node<'t>) -> Value {
        let (line, column) = position(node);
        let is_it = |found: &Occurrence| found.line == line && found.column == column;
        let n = self.found.occurrences.len();
        let first = n.saturating_sub(MAX_BACK);
        match self.found.occurrences[first..].iter().rposition(is_it) {
            Some(at) => Value::Itself(Source::Occurrence((first + at) as OccurrenceIx)),
            None => Value::Unknown,
        }
    }

    /// A value, or the first of those that it is one of.
    pub(crate) fn first_of(&self, mut value: Value) -> Value {
        while let Value::Choice(at) = value
            && let Some(choice) = self.found.choices.get(at as usize)
        {
            [value, _] = choice.values();
        }
        value
    }

    /// What the member that is called is a member of.
    pub(crate) fn receiver(&self, called: Value) -> Value {
        let Value::Itself(Source::Occurrence(at)) = called else { return Value::Unknown };
        match self.found.occurrences.get(at as usize).map(|occurrence| occurrence.site) {
            Some(Site::Member(of)) => of,
            _ => Value::Unknown,
        }
    }

    /// What the first parameter of a lambda is that is an argument of a call: what the function says, or else an element of the
    /// collection whose method is called.
    pub(crate) fn lambda_parameter(&mut self, argument: Value, element: Value) -> Value {
        self.guarded(argument.parameter(0), element)
    }
}
