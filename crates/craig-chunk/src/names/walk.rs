//! The walk that reads names: scopes, definitions and occurrences, by the rules of a language.

use std::mem;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree, TreeCursor};

use super::{
    Choice, Definition, DefinitionIx, DefinitionKind, Export, Imported, ImportedName, NameId, Names,
    Occurrence, OccurrenceIx, Parameter, Role, Site, Source, Traits, Value, doc::Comment,
};
use crate::grammar::{self, Grammar};
use crate::languages::c::names::Paste;

/// Nodes nested deeper than this are not read.
const MAX_DEPTH: usize = 400;
/// A value is one of no more than so many.
const MAX_CHOICE: u16 = 32;
/// Of what guards say, so much is asked, the last first.
const MAX_NARROWED: usize = 64;
/// A name that was read is sought among so many last ones.
const MAX_BACK: usize = 64;
/// Scopes with room for more names are not used again: emptying one takes as long as it is large.
const MAX_SPARE: usize = 32;
/// Longer names are no identifiers.
const MAX_NAME_BYTES: usize = 200;
/// Most bytes between a doc comment and what it documents: `export const name = async `.
const MAX_AFTER_DOC: usize = 160;
/// Longer doc comments are not read: each parameter is sought in all of it.
const MAX_DOC_BYTES: usize = 16 << 10;
/// Names of members by position.
const PARTS: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7"];

/// What the walk does with a node of some kind.
#[derive(Clone, Copy)]
pub(crate) enum NameRule {
    /// Reads its children; its value is unknown.
    Inside,
    /// Skips it: comments, strings.
    Skip,
    /// A literal.
    Literal,
    /// Its value is that of its last named child: parentheses, `await`, casts that keep the type.
    Transparent,
    /// An identifier in an expression.
    Name,
    /// An identifier that stands for a type.
    TypeName,
    /// A block with a scope of its own.
    Block,
    /// Read by a function.
    Read(for<'t> fn(&mut Walk<'t>, Node<'t>) -> Value),
}

/// How names of a language are read.
pub(crate) struct NameTable {
    /// By node kind, `ERROR` for what cannot be parsed; kinds that are not listed are read inside.
    pub(crate) rules: &'static [(&'static str, NameRule)],
    /// Whether a name counts in its whole scope, also before its declaration.
    pub(crate) hoists: bool,
}

/// What a name stands for in a scope.
#[derive(Clone, Copy)]
enum Bound {
    Local(Value),
    Definition(DefinitionIx),
    /// A member of the value, brought in by its name alone: `using shop::rate;`.
    Member(Value),
}

impl Bound {
    /// How a name that is bound so stands in the code; `None` of a local variable.
    fn site(self) -> Option<Site> {
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

struct Scope {
    kind: ScopeKind,
    names: FxHashMap<NameId, Bound>,
    /// Names that are those of the module: Python's `global`.
    outside: Vec<NameId>,
    /// Number of occurrences before it.
    first: usize,
}

/// What a type guard says about a variable or a member of one.
struct Narrowed<'t> {
    /// As it is written: `node.left`.
    path: &'t str,
    value: Value,
    /// Number of scopes around the guard: a variable of an inner one is another.
    depth: usize,
}

/// The state of a walk over one file.
pub(crate) struct Walk<'t> {
    pub(crate) text: &'t str,
    hoists: bool,
    rules: &'t [NameRule],
    ids: FxHashMap<&'t str, NameId>,
    pub(crate) found: Names,
    scopes: Vec<Scope>,
    /// The definition that encloses the node.
    pub(crate) within: Option<DefinitionIx>,
    /// The type whose instance `this` is.
    pub(crate) this: Option<DefinitionIx>,
    /// Role of the next name.
    pub(crate) role: Role,
    /// What the context wants of the next expression: of an object its type.
    pub(crate) expected: Value,
    /// What the next callback gets first.
    pub(crate) callback: Value,
    /// The type that the call names which is read: as a type argument, or as a class.
    pub(crate) named: Value,
    /// The parameters of the signature that was read last.
    pub(crate) parameters: Vec<Parameter>,
    /// The doc comment that was read last.
    pub(crate) doc: Option<Comment<'t>>,
    /// What type guards say about variables and their members here.
    narrowed: Vec<Narrowed<'t>>,
    /// How many values each choice is between, those of choices within it counted.
    choice_sizes: Vec<u16>,
    /// What the enclosing function is declared to return.
    pub(crate) declared: Value,
    /// What the function expression returns that was read last.
    pub(crate) result: Value,
    /// The type alias whose type is read.
    pub(crate) alias: Option<DefinitionIx>,
    /// The module that is declared here, as `declare module 'name'`.
    pub(crate) declared_module: Option<DefinitionIx>,
    /// Definitions outside of types and functions by name.
    top: FxHashMap<NameId, DefinitionIx>,
    /// Members of definitions, and with `None` what is defined at top level.
    defined: FxHashMap<(Option<DefinitionIx>, NameId), DefinitionIx>,
    /// What the enclosing function returns.
    returned: Value,
    /// The object without a type that it returns.
    returned_object: Value,
    /// The type whose members are defined, where the syntax does not enclose them: Rust's `impl`.
    pub(crate) owner: Option<NameId>,
    /// Whether members are defined as those of the type itself.
    pub(crate) is_static: bool,
    /// Whether methods are defined as private from here on; in C++, functions and variables, in a namespace without a name.
    pub(crate) is_private: bool,
    /// Of macros of C by name, how they paste names from their arguments.
    pub(crate) pastes: FxHashMap<NameId, Vec<Paste>>,
    /// In Rust, fields by their type whose type is the parameter of it at this index.
    pub(crate) parameter_fields: Vec<(NameId, NameId, usize)>,
    /// In PHP, type parameters of what encloses the node, with their values.
    pub(crate) templates: Vec<(&'t str, Value)>,
    /// In Rust, type parameters whose bound is the type of a function, with what that takes.
    pub(crate) callables: Vec<(&'t str, Vec<Value>)>,
    /// In an `impl` of Rust, what fields of the type hold.
    pub(crate) held: Vec<(NameId, Value)>,
    /// In Ruby, the parameter of the enclosing method that is its block.
    pub(crate) block: Option<&'t str>,
    /// In Ruby, the parameter of a hook that stands for the class that includes the module.
    pub(crate) hooked: Option<&'t str>,
    /// Whether the walk is inside of a group of examples.
    pub(crate) is_in_examples: bool,
    /// Variables that are known to hold an instance that is made.
    constructed: FxHashSet<DefinitionIx>,
    /// Supertypes of types by name, that may stand later in the file.
    later_supers: Vec<(NameId, Value)>,
    depth: usize,
    /// Names of scopes that ended, empty, and cursors that are not in use: making one takes memory.
    spare_scopes: Vec<FxHashMap<NameId, Bound>>,
    cursors: Vec<TreeCursor<'t>>,
}

impl<'t> Walk<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            hoists: false,
            rules: &[],
            ids: FxHashMap::default(),
            found: Names::default(),
            scopes: Vec::new(),
            within: None,
            this: None,
            role: Role::Read,
            expected: Value::Unknown,
            callback: Value::Unknown,
            named: Value::Unknown,
            parameters: Vec::new(),
            doc: None,
            narrowed: Vec::new(),
            choice_sizes: Vec::new(),
            declared: Value::Unknown,
            result: Value::Unknown,
            alias: None,
            declared_module: None,
            top: FxHashMap::default(),
            defined: FxHashMap::default(),
            returned: Value::Unknown,
            returned_object: Value::Unknown,
            owner: None,
            is_static: false,
            is_private: false,
            pastes: FxHashMap::default(),
            parameter_fields: Vec::new(),
            templates: Vec::new(),
            callables: Vec::new(),
            held: Vec::new(),
            block: None,
            hooked: None,
            is_in_examples: false,
            constructed: FxHashSet::default(),
            later_supers: Vec::new(),
            depth: 0,
            spare_scopes: Vec::new(),
            cursors: Vec::new(),
        }
    }

    /// Reads the names of one tree.
    pub(crate) fn tree(&mut self, grammar: &'t Grammar, tree: &'t Tree) {
        let Some(table) = grammar.table.names else { return };
        (self.hoists, self.rules) = (table.hoists, &grammar.name_rules);
        self.visit(tree.root_node());
    }

    /// What was read, without local variables.
    pub(crate) fn finish(mut self) -> Names {
        for (name, value) in mem::take(&mut self.later_supers) {
            let is_type = |found: &Definition| found.name == name && found.kind.is_type();
            let is_function = |found: &Definition| {
                found.name == name && found.kind == DefinitionKind::Function && found.parent.is_none()
            };
            let all = &mut self.found.definitions;
            let at = all.iter().position(is_type).or_else(|| all.iter().position(is_function));
            if let Some(found) = at.and_then(|at| all.get_mut(at)) {
                found.supers.push(value);
            }
        }
        let occurrences = mem::take(&mut self.found.occurrences);
        let mut kept = Vec::with_capacity(occurrences.len());
        let mut new_index: Vec<Option<OccurrenceIx>> = Vec::with_capacity(occurrences.len());
        for occurrence in occurrences {
            let is_kept = occurrence.site != Site::Local;
            new_index.push(is_kept.then_some(kept.len() as OccurrenceIx));
            kept.extend(is_kept.then_some(occurrence));
        }
        let renumbered = |value: &mut Value| *value = renumbered(*value, &new_index);
        for occurrence in &mut kept {
            if let Site::Member(value) | Site::Key(value) = &mut occurrence.site {
                renumbered(value);
            }
        }
        for definition in &mut self.found.definitions {
            renumbered(&mut definition.value);
            definition.supers.iter_mut().for_each(renumbered);
            for parameter in &mut definition.parameters {
                renumbered(&mut parameter.value);
                parameter.takes.iter_mut().for_each(renumbered);
            }
        }
        for choice in &mut self.found.choices {
            let (Choice::Guarded(first, other)
            | Choice::Union(first, other)
            | Choice::Tested(first, other)
            | Choice::Applied(first, other)
            | Choice::Inferred(first, other)) = choice;
            renumbered(first);
            renumbered(other);
        }
        self.found.exports.iter_mut().for_each(|export| renumbered(&mut export.value));
        Names { occurrences: kept, ..self.found }
    }

    /// Reads a node; its value as an expression.
    pub(crate) fn visit(&mut self, node: Node<'t>) -> Value {
        if self.depth >= MAX_DEPTH {
            return Value::Unknown;
        }
        self.depth += 1;
        // The last rule is that of what cannot be parsed, whose kind is beyond all others.
        let rule = self.rules.get(usize::from(node.kind_id())).or(self.rules.last());
        let rule = rule.copied().unwrap_or(NameRule::Inside);
        let value = match rule {
            NameRule::Inside => {
                self.role = Role::Read;
                self.children(node);
                Value::Unknown
            }
            NameRule::Skip => Value::Unknown,
            NameRule::Literal => Value::Builtin,
            NameRule::Transparent => self.children(node),
            NameRule::Name => {
                let role = self.take_role();
                self.name(node, role)
            }
            NameRule::TypeName => match self.take_role() {
                Role::Read => self.name(node, Role::Type),
                role => self.name(node, role),
            },
            NameRule::Block => {
                self.scope(ScopeKind::Block, |walk| walk.children(node));
                Value::Unknown
            }
            NameRule::Read(read) => read(self, node),
        };
        self.depth -= 1;
        value
    }

    /// Reads a node whose name, if it is one, has this role.
    pub(crate) fn visit_as(&mut self, node: Node<'t>, role: Role) -> Value {
        self.role = role;
        let value = self.visit(node);
        self.role = Role::Read;
        value
    }

    /// Reads a field of a node.
    pub(crate) fn field(&mut self, node: Node<'t>, field: &'static str) -> Value {
        self.field_as(node, field, Role::Read)
    }

    /// Reads a field of a node whose name, if it is one, has this role.
    pub(crate) fn field_as(&mut self, node: Node<'t>, field: &'static str, role: Role) -> Value {
        grammar::field(node, field).map_or(Value::Unknown, |child| self.visit_as(child, role))
    }

    /// The role of the name that is read now; the next one is read.
    pub(crate) fn take_role(&mut self) -> Role {
        mem::replace(&mut self.role, Role::Read)
    }

    /// Reads the named children of a node; the value of the last.
    pub(crate) fn children(&mut self, node: Node<'t>) -> Value {
        let mut value = Value::Unknown;
        let n = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
        if n <= grammar::FEW {
            for child in (0..n).filter_map(|at| node.named_child(at)) {
                value = self.visit(child);
            }
            return value;
        }
        self.each_child(node, |walk, cursor| {
            if cursor.node().is_named() {
                value = walk.visit(cursor.node());
            }
        });
        value
    }

    /// Reads the named children that are no fields of these names.
    pub(crate) fn children_except(&mut self, node: Node<'t>, fields: &[&str]) {
        self.each_child(node, |walk, cursor| {
            let is_read =
                cursor.node().is_named() && cursor.field_name().is_none_or(|field| !fields.contains(&field));
            if is_read {
                walk.visit(cursor.node());
            }
        });
    }

    fn each_child(&mut self, node: Node<'t>, mut visit: impl FnMut(&mut Self, &TreeCursor<'t>)) {
        if node.child_count() == 0 {
            return;
        }
        let mut cursor = match self.cursors.pop() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        };
        if cursor.goto_first_child() {
            loop {
                visit(self, &cursor);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.push(cursor);
    }

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
    fn resolve_later_declared(&mut self, scope: &Scope) {
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

    /// The doc comment on the line before a node, or before it on its line.
    pub(crate) fn doc_before(&self, node: Node<'_>) -> Option<Comment<'t>> {
        let doc = self.doc.filter(|doc| doc.text.len() <= MAX_DOC_BYTES)?;
        let end = doc.node.start_byte() + doc.text.len();
        let between = self.text.get(end..node.start_byte())?;
        let n_lines = between.bytes().filter(|byte| *byte == b'\n').count();
        (between.len() <= MAX_AFTER_DOC && n_lines <= 1).then_some(doc)
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

    /// An element of a collection; of one of two, an element of either.
    pub(crate) fn element(&mut self, of: Value) -> Value {
        let Value::Choice(at) = of else { return of.element() };
        match self.found.choices.get(at as usize) {
            Some(&Choice::Guarded(first, other)) => {
                let (first, other) = (self.element(first), self.element(other));
                self.guarded(first, other)
            }
            _ => Value::Unknown,
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

    /// Whether a definition is a type.
    pub(crate) fn is_type(&self, at: DefinitionIx) -> bool {
        self.found.definitions.get(at as usize).is_some_and(|definition| definition.kind.is_type())
    }

    /// The text of a node.
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The id of a name.
    pub(crate) fn id(&mut self, text: &'t str) -> NameId {
        let text = &text[..text.floor_char_boundary(MAX_NAME_BYTES)];
        let texts = &mut self.found.texts;
        *self.ids.entry(text).or_insert_with(|| {
            texts.push(text.to_owned());
            NameId((texts.len() - 1) as u32)
        })
    }

    /// An identifier in an expression: what the scopes say about it, else an occurrence.
    pub(crate) fn name(&mut self, node: Node<'t>, role: Role) -> Value {
        let text = self.text_of(node);
        if text.is_empty() || text.len() > MAX_NAME_BYTES {
            return Value::Unknown;
        }
        let name = self.id(text);
        match self.bound(name) {
            Some(Bound::Local(value)) => value,
            Some(Bound::Definition(definition)) => {
                self.push(node, name, role, Site::Lexical(definition));
                Value::Itself(Source::Definition(definition))
            }
            bound => {
                let site = bound.and_then(Bound::site).unwrap_or(Site::Bare);
                Value::Itself(Source::Occurrence(self.push(node, name, role, site)))
            }
        }
    }

    /// As [`Walk::name`], if the scopes say something about it.
    pub(crate) fn bound_name(&mut self, node: Node<'t>, role: Role) -> Option<Value> {
        let name = self.id(self.text_of(node));
        match self.bound(name)? {
            Bound::Local(value) => Some(value),
            Bound::Definition(definition) => {
                self.push(node, name, role, Site::Lexical(definition));
                Some(Value::Itself(Source::Definition(definition)))
            }
            Bound::Member(of) => Some(self.member(node, of, role)),
        }
    }

    /// The call of a local variable that holds what is imported, or a member of what a function returns: a call of that.
    pub(crate) fn local_call(&mut self, node: Node<'t>) {
        let name = self.id(self.text_of(node));
        if let Some(Bound::Local(Value::Itself(Source::Occurrence(at)))) = self.bound(name)
            && let Some(&held) = self.found.occurrences.get(at as usize)
            && matches!(held.site, Site::Member(Value::Called(_) | Value::Itself(_)) | Site::Import(_))
        {
            self.push(node, held.name, Role::Call, held.site);
        }
    }

    /// A name that is a member of `value`.
    pub(crate) fn member(&mut self, node: Node<'t>, value: Value, role: Role) -> Value {
        self.at_site(node, role, Site::Member(value))
    }

    /// Another name than the one that is written, at a site.
    pub(crate) fn name_as(&mut self, text: &str, node: Node<'t>, role: Role, site: Site) -> Value {
        let name = self.id_of(text);
        Value::Itself(Source::Occurrence(self.push(node, name, role, site)))
    }

    /// A name that does not stand in the code and only gives a type.
    pub(crate) fn unwritten(&mut self, name: NameId, role: Role, site: Site) -> Value {
        Value::Itself(Source::Occurrence(self.push_at(0, 0, name, role, site)))
    }

    /// Another name where an occurrence is, at a site.
    pub(crate) fn name_where(&mut self, at: OccurrenceIx, text: &str, role: Role, site: Site) -> Value {
        let Some(&Occurrence { line, column, .. }) = self.found.occurrences.get(at as usize) else {
            return Value::Unknown;
        };
        let name = self.id_of(text);
        Value::Itself(Source::Occurrence(self.push_at(line, column, name, role, site)))
    }

    /// Whether an occurrence stands for what is imported there.
    pub(crate) fn is_import(&self, at: OccurrenceIx) -> bool {
        let occurrence = self.found.occurrences.get(at as usize);
        occurrence.is_some_and(|occurrence| matches!(occurrence.site, Site::Import(_)))
    }

    /// A name at a site.
    pub(crate) fn at_site(&mut self, node: Node<'t>, role: Role, site: Site) -> Value {
        let text = self.text_of(node);
        if text.is_empty() || text.len() > MAX_NAME_BYTES {
            return Value::Unknown;
        }
        let name = self.id(text);
        Value::Itself(Source::Occurrence(self.push(node, name, role, site)))
    }

    /// A name at `range` of the text of `node`, which is no syntax tree: a macro's body.
    pub(crate) fn name_in(
        &mut self,
        node: Node<'t>,
        range: Range<usize>,
        role: Role,
        site: Option<Site>,
    ) -> Value {
        let Some(text) = self.text_of(node).get(range.clone()) else { return Value::Unknown };
        if text.is_empty() || text.len() > MAX_NAME_BYTES {
            return Value::Unknown;
        }
        let name = self.id(text);
        let site = match (site, self.bound(name)) {
            (Some(site), _) => site,
            (None, Some(Bound::Local(value))) => return value,
            (None, bound) => bound.and_then(Bound::site).unwrap_or(Site::Bare),
        };
        let (line, column) = self.position_in(node, range.start);
        Value::Itself(Source::Occurrence(self.push_at(line, column, name, role, site)))
    }

    /// Line and byte of what begins so many bytes after the start of a node.
    fn position_in(&self, node: Node<'_>, start: usize) -> (u32, u32) {
        let (line, column) = position(node);
        let before = self.text_of(node).get(..start).unwrap_or_default();
        let n_lines = before.bytes().filter(|byte| *byte == b'\n').count();
        let column = match before.rfind('\n') {
            Some(at) => before.len() - at - 1,
            None => column as usize + before.len(),
        };
        let line = line.saturating_add(u32::try_from(n_lines).unwrap_or(u32::MAX));
        (line, u32::try_from(column).unwrap_or(u32::MAX))
    }

    fn push(&mut self, node: Node<'_>, name: NameId, role: Role, site: Site) -> OccurrenceIx {
        let (line, column) = position(node);
        self.push_at(line, column, name, role, site)
    }

    fn push_at(&mut self, line: u32, column: u32, name: NameId, role: Role, site: Site) -> OccurrenceIx {
        let within = self.within;
        let (arguments, type_arguments) = (None, 0);
        let found = Occurrence { name, line, column, role, site, within, arguments, type_arguments };
        self.found.occurrences.push(found);
        (self.found.occurrences.len() - 1) as OccurrenceIx
    }

    fn bound(&self, name: NameId) -> Option<Bound> {
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

    /// The import of a module by a dotted name: `a.b` after `import a.b`.
    pub(crate) fn dotted_import(&self, path: &str) -> Option<u32> {
        let name = self.ids.get(path)?;
        let is_it = |import: &ImportedName| import.local == Some(*name) && import.what == Imported::Module;
        let at = self.found.imports.iter().position(is_it)?;
        path.contains('.').then_some(at as u32)
    }

    /// Adds a definition whose name is at `name` and which is `whole`. In a function it is seen by its scope alone.
    pub(crate) fn define(
        &mut self,
        name: Node<'t>,
        whole: Node<'t>,
        kind: DefinitionKind,
        traits: Traits,
    ) -> Option<DefinitionIx> {
        self.define_in(self.within, name, whole, kind, traits)
    }

    /// As [`Walk::define`], as a member of another definition than the enclosing one.
    pub(crate) fn define_in(
        &mut self,
        parent: Option<DefinitionIx>,
        name: Node<'t>,
        whole: Node<'t>,
        kind: DefinitionKind,
        traits: Traits,
    ) -> Option<DefinitionIx> {
        self.define_named(self.text_of(name), parent, name, whole, kind, traits)
    }

    /// As [`Walk::define`], by another name than the one that is written: of something that has none.
    pub(crate) fn define_as(
        &mut self,
        text: &'t str,
        name: Node<'t>,
        whole: Node<'t>,
        kind: DefinitionKind,
        traits: Traits,
    ) -> Option<DefinitionIx> {
        self.define_named(text, self.within, name, whole, kind, traits)
    }

    fn define_named(
        &mut self,
        text: &'t str,
        parent: Option<DefinitionIx>,
        name: Node<'t>,
        whole: Node<'t>,
        kind: DefinitionKind,
        traits: Traits,
    ) -> Option<DefinitionIx> {
        if text.is_empty() || text.len() > MAX_NAME_BYTES {
            return None;
        }
        let id = self.id(text);
        let (line, column) = position(name);
        let is_local = self.is_in_function();
        let (first, last) = (whole.start_position(), whole.end_position());
        let last_row = if last.column == 0 && last.row > first.row { last.row - 1 } else { last.row };
        let index = self.found.definitions.len() as DefinitionIx;
        self.defined.insert((parent, id), index);
        if parent.is_none() && !is_local && !traits.has(Traits::LOCAL) {
            self.top.entry(id).or_insert(index);
        }
        self.found.definitions.push(Definition {
            name: id,
            kind,
            parent,
            owner: None,
            line,
            column,
            line_start: number(first.row),
            line_end: number(last_row).max(line),
            traits: if is_local { traits.and(Traits::LOCAL) } else { traits },
            value: Value::Unknown,
            supers: Vec::new(),
            arity: None,
            parameters: Vec::new(),
        });
        Some(index)
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

    fn bind_named(&mut self, name: NameId, definition: DefinitionIx) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, Bound::Definition(definition));
        }
    }

    /// Makes a name that `value` has as a member known in the nearest scope; false outside of functions, where there is none.
    pub(crate) fn bring_in(&mut self, node: Node<'t>, value: Value) -> bool {
        let name = self.id(self.text_of(node));
        let Some(scope) = self.scopes.last_mut() else { return false };
        scope.names.insert(name, Bound::Member(value));
        true
    }

    /// A definition that was added.
    pub(crate) fn definition(&mut self, index: DefinitionIx) -> Option<&mut Definition> {
        self.found.definitions.get_mut(index as usize)
    }

    /// The definition that an identifier refers to, as far as the file was read.
    pub(crate) fn defined_as(&mut self, node: Node<'t>) -> Option<DefinitionIx> {
        let name = self.id(self.text_of(node));
        match self.bound(name) {
            Some(Bound::Definition(definition)) => Some(definition),
            Some(Bound::Local(_) | Bound::Member(_)) => None,
            None => self.top.get(&name).copied(),
        }
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

    /// Notes what a variable holds, by its declaration.
    pub(crate) fn override_value(&mut self, index: DefinitionIx, value: Value) {
        if let Some(definition) = self.definition(index) {
            definition.value = value;
        }
    }

    /// Notes what a definition returns, holds or stands for, unless that is known already.
    pub(crate) fn set_value(&mut self, index: DefinitionIx, value: Value) {
        if let Some(definition) = self.definition(index) {
            definition.value = definition.value.or(value);
        }
    }

    /// Notes that a variable holds an instance that is made, whatever else it holds; the first counts.
    pub(crate) fn is_constructed(&mut self, index: DefinitionIx, value: Value) {
        if self.constructed.insert(index) {
            self.override_value(index, value);
        }
    }

    /// Notes the parameters of the signature that was read last.
    pub(crate) fn set_parameters(&mut self, index: DefinitionIx) {
        let mut parameters = mem::take(&mut self.parameters);
        let n_known = parameters.iter().rposition(Parameter::is_known).map_or(0, |last| last + 1);
        parameters.truncate(n_known);
        parameters.shrink_to_fit();
        if let Some(definition) = self.definition(index) {
            definition.parameters = parameters;
        }
    }

    /// Notes that a function returns what it is called on.
    pub(crate) fn set_returns_receiver(&mut self, index: DefinitionIx) {
        if let Some(definition) = self.definition(index) {
            definition.traits = definition.traits.and(Traits::RETURNS_RECEIVER);
        }
    }

    /// Notes how many arguments a function takes.
    pub(crate) fn set_arity(&mut self, index: DefinitionIx, arity: Option<u8>) {
        if let Some(definition) = self.definition(index) {
            definition.arity = arity;
        }
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

    /// Notes how many arguments the call of a value has.
    pub(crate) fn set_arguments(&mut self, called: Value, n: usize) {
        if let Value::Itself(Source::Occurrence(at)) | Value::Instance(Source::Occurrence(at)) = called
            && let Some(occurrence) = self.found.occurrences.get_mut(at as usize)
            && occurrence.role == Role::Call
        {
            occurrence.arguments = u8::try_from(n).ok();
        }
    }

    /// Notes how many type arguments what a value is made from has.
    pub(crate) fn set_type_arguments(&mut self, of: Value, n: u8) {
        if let Value::Itself(Source::Occurrence(at)) | Value::Instance(Source::Occurrence(at)) = of
            && let Some(occurrence) = self.found.occurrences.get_mut(at as usize)
        {
            occurrence.type_arguments = n;
        }
    }

    /// Whether a member of a type, or with `None` a name outside of types and functions, is defined already.
    pub(crate) fn is_defined(&mut self, owner: Option<DefinitionIx>, name: Node<'t>) -> bool {
        self.member_defined_as(owner, name).is_some()
    }

    /// The last definition of that name, of a type or with `None` outside of types and functions.
    pub(crate) fn member_defined_as(
        &mut self,
        owner: Option<DefinitionIx>,
        name: Node<'t>,
    ) -> Option<DefinitionIx> {
        let id = self.id(self.text_of(name));
        self.defined.get(&(owner, id)).copied()
    }

    /// As [`Walk::member_defined_as`], by a name that stands in the file.
    pub(crate) fn member_called(&self, owner: DefinitionIx, text: &str) -> Option<DefinitionIx> {
        self.defined.get(&(Some(owner), *self.ids.get(text)?)).copied()
    }

    /// From here on, what a variable of the module is given are members of another definition.
    pub(crate) fn stands_for(&mut self, variable: Node<'t>, other: DefinitionIx) {
        let name = self.id(self.text_of(variable));
        self.top.insert(name, other);
    }

    /// Whether the node is directly in the body of a type.
    pub(crate) fn is_in_type(&self) -> bool {
        self.this.is_some() && self.within == self.this
    }

    /// Notes what the enclosing function returns.
    pub(crate) fn returns(&mut self, value: Value) {
        self.returned = self.either(self.returned, value);
    }

    /// Notes an object that the enclosing function returns, which counts if nothing else is known.
    pub(crate) fn returns_object(&mut self, value: Value) {
        self.returned_object = self.returned_object.or(value);
    }

    /// Reads a function: its parts in a scope of their own, what it returns by `declared` or by its statements.
    pub(crate) fn function(
        &mut self,
        definition: Option<DefinitionIx>,
        inside: impl FnOnce(&mut Self) -> Value,
    ) {
        let before = (mem::take(&mut self.returned), mem::take(&mut self.returned_object));
        let declared = self.inside(definition, |walk| walk.scope(ScopeKind::Function, inside));
        self.result = declared.or(self.returned).or(self.returned_object);
        (self.returned, self.returned_object) = before;
        if let Some(definition) = definition {
            self.set_value(definition, self.result);
        }
    }

    /// Adds an import.
    pub(crate) fn import(
        &mut self,
        node: Node<'_>,
        local: Option<&'t str>,
        module: &'t str,
        what: Imported,
        reexported: bool,
    ) -> u32 {
        let local = local.map(|local| self.id(local));
        let module = self.id(module);
        let (line, _) = position(node);
        self.found.imports.push(ImportedName { local, module, what, line, reexported });
        (self.found.imports.len() - 1) as u32
    }

    /// As [`Walk::import`], of a module whose name does not stand in the file as such.
    pub(crate) fn import_from(
        &mut self,
        node: Node<'_>,
        local: Option<NameId>,
        module: &str,
        what: Imported,
        reexported: bool,
    ) -> u32 {
        let module = self.id_of(module);
        let (line, _) = position(node);
        self.found.imports.push(ImportedName { local, module, what, line, reexported });
        (self.found.imports.len() - 1) as u32
    }

    /// Whether an import brings a name into the file.
    pub(crate) fn imports_name(&mut self, name: &'t str) -> bool {
        let name = self.id(name);
        self.found.imports.iter().any(|import| import.local == Some(name))
    }

    /// The id of a text that does not stand in the file.
    pub(crate) fn id_of(&mut self, text: &str) -> NameId {
        if let Some(known) = self.ids.get(text) {
            return *known;
        }
        self.found.texts.push(text.to_owned());
        NameId((self.found.texts.len() - 1) as u32)
    }

    /// As [`Walk::define_in`], of a name that is a part of a node: `text` begins `skip` bytes after the start of `at`.
    pub(crate) fn define_text(
        &mut self,
        parent: Option<DefinitionIx>,
        text: &'t str,
        (at, skip): (Node<'t>, u32),
        whole: Node<'t>,
        kind: DefinitionKind,
        traits: Traits,
    ) -> Option<DefinitionIx> {
        let definition = self.define_in(parent, at, whole, kind, traits)?;
        let name = self.id(text);
        self.defined.insert((parent, name), definition);
        if let Some(known) = self.definition(definition) {
            known.name = name;
            known.column += skip;
        }
        Some(definition)
    }

    /// Defines a name in the text of a comment, as a member of a type unless the type has it already.
    pub(crate) fn define_in_text(
        &mut self,
        of: Option<DefinitionIx>,
        comment: Node<'t>,
        range: Range<usize>,
        kind: DefinitionKind,
        traits: Traits,
    ) -> Option<DefinitionIx> {
        let text = self.text_of(comment).get(range.clone())?;
        let name = self.id(text);
        if self.defined.contains_key(&(of, name)) {
            return None;
        }
        let definition = self.define_named(text, of, comment, comment, kind, traits)?;
        let (line, column) = self.position_in(comment, range.start);
        if let Some(known) = self.definition(definition) {
            (known.line, known.column) = (line, column);
            (known.line_start, known.line_end) = (line, line);
        }
        Some(definition)
    }

    /// `attr_reader :name` gives what `@name` holds.
    pub(crate) fn accessors_hold_variables(&mut self, of: DefinitionIx) {
        let members = self.found.definitions.iter().filter(|found| found.parent == Some(of));
        let held: Vec<(String, Value)> = members
            .filter(|found| found.value != Value::Unknown)
            .filter_map(|found| {
                Some((self.found.text(found.name).strip_prefix('@')?.to_owned(), found.value))
            })
            .collect();
        for (name, value) in held {
            let Some(&name) = self.ids.get(name.as_str()) else { continue };
            let accessors = self.found.definitions.iter_mut().filter(|found| {
                found.parent == Some(of) && found.name == name && found.kind == DefinitionKind::Field
            });
            for accessor in accessors {
                accessor.value = accessor.value.or(value);
            }
        }
    }

    /// The number of modules written out in the file that enclose the node.
    pub(crate) fn module_depth(&self) -> usize {
        let mut n_modules = 0;
        let mut at = self.within;
        while let Some(definition) = at.and_then(|at| self.found.definitions.get(at as usize)) {
            n_modules += usize::from(definition.kind == DefinitionKind::Module);
            at = definition.parent;
        }
        n_modules
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

    /// Notes a supertype of a type of the file.
    pub(crate) fn later_super(&mut self, of: NameId, value: Value) {
        self.later_supers.push((of, value));
    }

    /// As [`Walk::export`], by a name that does not stand in the file.
    pub(crate) fn export_as(&mut self, name: &str, value: Value) {
        let name = self.id_of(name);
        self.found.exports.push(Export { name, value });
    }

    /// Notes a supertype of a definition; of a module, one whose names it has as well.
    pub(crate) fn add_super(&mut self, of: DefinitionIx, value: Value) {
        if let Some(known) = self.definition(of) {
            known.supers.push(value);
        }
    }

    /// Adds an export.
    pub(crate) fn export(&mut self, name: &'t str, value: Value) {
        let name = self.id(name);
        self.found.exports.push(Export { name, value });
    }
}

fn renumbered(value: Value, new_index: &[Option<OccurrenceIx>]) -> Value {
    let source = |source: Source| match source {
        Source::Occurrence(at) => new_index.get(at as usize).copied().flatten().map(Source::Occurrence),
        definition => Some(definition),
    };
    let known = match value {
        Value::Unknown
        | Value::Builtin
        | Value::Super(_)
        | Value::Choice(_)
        | Value::Argument(..)
        | Value::Arguments(..) => return value,
        Value::Receiver(at) => new_index.get(at as usize).copied().flatten().map(Value::Receiver),
        Value::Itself(of) => source(of).map(Value::Itself),
        Value::Called(of) => source(of).map(Value::Called),
        Value::Instance(of) => source(of).map(Value::Instance),
        Value::Collection(of) => source(of).map(Value::Collection),
        Value::Element(of) => source(of).map(Value::Element),
        Value::ElementOfCalled(of) => source(of).map(Value::ElementOfCalled),
        Value::Parameter(of, at, part) => source(of).map(|of| Value::Parameter(of, at, part)),
    };
    known.unwrap_or(Value::Unknown)
}

/// Line of a node, 1-based, and its byte there.
fn position(node: Node<'_>) -> (u32, u32) {
    let start = node.start_position();
    (number(start.row), u32::try_from(start.column).unwrap_or(u32::MAX))
}

fn number(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}
