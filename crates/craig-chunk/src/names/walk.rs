//! The walk that reads names: scopes, definitions and occurrences, by the rules of a language.

mod definitions;
mod occurrences;
mod scopes;
mod values;

use std::mem;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree, TreeCursor};

use super::paste::Paste;
use super::{
    Choice, Definition, DefinitionIx, DefinitionKind, Export, Imported, ImportedName, NameId, Names,
    Occurrence, OccurrenceIx, Parameter, Role, Site, Source, Traits, Value, doc::Comment,
};
use crate::grammar::Grammar;
use crate::grammar::find::{self, FEW};
pub(crate) use scopes::ScopeKind;
use scopes::{Bound, Scope};

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
    /// What the next callback gets as its first two arguments.
    pub(crate) callback: [Value; 2],
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
    /// In a component, an instance of the type of its properties.
    pub(crate) properties: Value,
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
    /// In PHP, type parameters of what encloses the node, with their values.
    pub(crate) templates: Vec<(&'t str, Value)>,
    /// In Rust, type parameters whose bound is the type of a function, with what that takes.
    pub(crate) callables: Vec<(&'t str, Vec<Value>)>,
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
            callback: Default::default(),
            named: Value::Unknown,
            parameters: Vec::new(),
            doc: None,
            narrowed: Vec::new(),
            choice_sizes: Vec::new(),
            properties: Value::Unknown,
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
            templates: Vec::new(),
            callables: Vec::new(),
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

    /// Reads the names of one tree, if those of its language are read.
    pub(crate) fn tree(&mut self, grammar: &'static Grammar, tree: &'t Tree) {
        if grammar.table.names.is_some() {
            self.use_rules(grammar);
            self.visit(tree.root_node());
        }
    }

    /// From here on, nodes are those of a grammar.
    pub(crate) fn use_rules(&mut self, grammar: &'static Grammar) {
        self.hoists = grammar.table.names.is_some_and(|table| table.hoists);
        self.rules = &grammar.name_rules;
    }

    /// What was read, without local variables.
    pub(crate) fn finish(mut self) -> Names {
        for (name, value) in mem::take(&mut self.later_supers) {
            let is_function = |found: &Definition| {
                found.name == name && found.kind == DefinitionKind::Function && found.parent.is_none()
            };
            let first_function = || self.found.definitions.iter().position(is_function);
            let at = self.type_named(name).map(|at| at as usize).or_else(first_function);
            if let Some(found) = at.and_then(|at| self.found.definitions.get_mut(at)) {
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
        find::field(node, field).map_or(Value::Unknown, |child| self.visit_as(child, role))
    }

    /// The role of the name that is read now; the next one is read.
    pub(crate) fn take_role(&mut self) -> Role {
        mem::replace(&mut self.role, Role::Read)
    }

    /// Reads the named children of a node; the value of the last.
    pub(crate) fn children(&mut self, node: Node<'t>) -> Value {
        let mut value = Value::Unknown;
        let n = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
        if n <= FEW {
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

    /// The import of a module by a dotted name: `a.b` after `import a.b`.
    pub(crate) fn dotted_import(&self, path: &str) -> Option<u32> {
        let name = self.ids.get(path)?;
        let is_it = |import: &ImportedName| import.local == Some(*name) && import.what == Imported::Module;
        let at = self.found.imports.iter().position(is_it)?;
        path.contains('.').then_some(at as u32)
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

    /// As [`Walk::export`], by a name that does not stand in the file.
    pub(crate) fn export_as(&mut self, name: &str, value: Value) {
        let name = self.id_of(name);
        self.found.exports.push(Export { name, value });
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
