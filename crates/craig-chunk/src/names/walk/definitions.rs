//! Definitions, and what becomes known of them later.

use std::mem;
use std::ops::Range;

use super::scopes::{Bound, ScopeKind};
use tree_sitter::Node;

use super::super::doc::Comment;
use super::{
    Definition, DefinitionIx, DefinitionKind, MAX_AFTER_DOC, MAX_DOC_BYTES, MAX_NAME_BYTES, NameId,
    Parameter, Source, Traits, Value, Walk, number, position,
};

impl<'t> Walk<'t> {
    /// The doc comment on the line before a node, or before it on its line.
    pub(crate) fn doc_before(&self, node: Node<'_>) -> Option<Comment<'t>> {
        let doc = self.doc.filter(|doc| doc.text.len() <= MAX_DOC_BYTES)?;
        let end = doc.node.start_byte() + doc.text.len();
        let between = self.text.get(end..node.start_byte())?;
        let n_lines = between.bytes().filter(|byte| *byte == b'\n').count();
        (between.len() <= MAX_AFTER_DOC && n_lines <= 1).then_some(doc)
    }

    /// Whether a definition is a type.
    pub(crate) fn is_type(&self, at: DefinitionIx) -> bool {
        self.found.definitions.get(at as usize).is_some_and(|definition| definition.kind.is_type())
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

    pub(super) fn define_named(
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

    /// Defines what the whole file is, which is exported as its default. Others know it by the name of the file.
    pub(crate) fn define_file(&mut self, kind: DefinitionKind) -> DefinitionIx {
        let name = self.id("default");
        let index = self.found.definitions.len() as DefinitionIx;
        self.found.definitions.push(Definition {
            name,
            kind,
            parent: None,
            owner: None,
            line: 1,
            column: 0,
            line_start: 1,
            line_end: u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX).max(1),
            traits: Traits::EXPORTED,
            value: Value::Unknown,
            supers: Vec::new(),
            arity: None,
            parameters: Vec::new(),
        });
        index
    }

    /// Exports what the whole file is as its default. What the file exported as that, it has the members of.
    pub(crate) fn export_file(&mut self, file: DefinitionIx) {
        let name = self.id("default");
        let value = Value::Itself(Source::Definition(file));
        let exported = self.found.exports.iter_mut().find(|export| export.name == name);
        let Some(exported) = exported else { return self.export("default", value) };
        let before = mem::replace(&mut exported.value, value);
        if before.is_typed() {
            self.add_super(file, before);
        }
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

    /// Notes a supertype of a type of the file.
    pub(crate) fn later_super(&mut self, of: NameId, value: Value) {
        self.later_supers.push((of, value));
    }

    /// Notes a supertype of a definition; of a module, one whose names it has as well.
    pub(crate) fn add_super(&mut self, of: DefinitionIx, value: Value) {
        if let Some(known) = self.definition(of) {
            known.supers.push(value);
        }
    }
}
