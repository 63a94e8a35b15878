//! Occurrences of names.

use std::ops::Range;

use super::scopes::Bound;
use tree_sitter::Node;

use super::{MAX_NAME_BYTES, NameId, Occurrence, OccurrenceIx, Role, Site, Source, Value, Walk, position};

impl<'t> Walk<'t> {
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

    /// A component in a template, by the name that it has in a script.
    pub(crate) fn component(&mut self, name: &'t str, line: u32, column: u32) {
        let name = self.id(name);
        self.push_at(line, column, name, Role::Call, Site::Bare);
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
    pub(super) fn position_in(&self, node: Node<'_>, start: usize) -> (u32, u32) {
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

    pub(super) fn push(&mut self, node: Node<'_>, name: NameId, role: Role, site: Site) -> OccurrenceIx {
        let (line, column) = position(node);
        self.push_at(line, column, name, role, site)
    }

    pub(super) fn push_at(
        &mut self,
        line: u32,
        column: u32,
        name: NameId,
        role: Role,
        site: Site,
    ) -> OccurrenceIx {
        let within = self.within;
        let (arguments, type_arguments) = (None, 0);
        let found = Occurrence { name, line, column, role, site, within, arguments, type_arguments };
        self.found.occurrences.push(found);
        (self.found.occurrences.len() - 1) as OccurrenceIx
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
}
