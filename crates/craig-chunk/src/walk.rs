//! One pass over a syntax tree: finds the units a file is made of, its symbols and its imports.

use tree_sitter::{Node, Tree};

use crate::grammar::{Answer, Definition, Grammar, ReadImports, Rule, unquoted};
use crate::kind::ChunkKind;
use crate::outline::{Import, Symbol};

/// Containers nested deeper than this are not looked into.
const MAX_DEPTH: usize = 64;
/// Names longer than this are cut; they are strings or selectors, not identifiers.
const MAX_NAME_BYTES: usize = 120;

/// A stretch of a file: it reaches to the start of the next unit of its level or above.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) start: usize,
    /// Index after the last unit inside this one.
    pub(crate) inner_end: usize,
    pub(crate) level: u16,
    pub(crate) kind: ChunkKind,
    /// None for imports and runs of statements.
    pub(crate) name: Option<String>,
    /// Index into [`Walked::parents`].
    pub(crate) parent: usize,
}

/// What a walk found.
pub(crate) struct Walked {
    /// In file order; a unit's inner units follow it, one level deeper.
    pub(crate) units: Vec<Unit>,
    /// Qualified names; the first is empty.
    pub(crate) parents: Vec<String>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) imports: Vec<Import>,
}

/// Walks a tree of `text`.
pub(crate) fn walk(tree: &Tree, text: &str, grammar: &Grammar) -> Walked {
    let walked =
        Walked { units: Vec::new(), parents: vec![String::new()], symbols: Vec::new(), imports: Vec::new() };
    let mut walk = Walk { text, grammar, walked, pending: None, last_row: None, depth: 0 };
    let mut room = Room { level: 0, parent: 0, in_type: false, in_function: false, last: None };
    walk.children(tree.root_node(), &mut room);
    if walk.walked.units.is_empty() {
        walk.push(0, ChunkKind::Block, None, &mut room);
    }
    walk.walked
}

/// Where the walk is: the container whose children are looked at.
struct Room {
    level: u16,
    parent: usize,
    in_type: bool,
    in_function: bool,
    /// The latest unit at this level.
    last: Option<usize>,
}

/// Comments and wrappers seen that wait for what they belong to.
struct Pending {
    start: usize,
    /// Row the comment ends on; none for wrappers, which hold on to what is inside.
    end_row: Option<usize>,
}

struct Walk<'t> {
    text: &'t str,
    grammar: &'t Grammar,
    walked: Walked,
    pending: Option<Pending>,
    /// Row the latest node ended on.
    last_row: Option<usize>,
    depth: usize,
}

impl<'t> Walk<'t> {
    fn children(&mut self, node: Node<'t>, room: &mut Room) {
        let mut cursor = node.walk();
        if self.depth >= MAX_DEPTH || !cursor.goto_first_child() {
            return;
        }
        self.depth += 1;
        loop {
            let child = cursor.node();
            if child.is_named() {
                self.visit(child, room);
            }
            self.last_row = Some(end_row(child));
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        self.depth -= 1;
    }

    fn visit(&mut self, node: Node<'t>, room: &mut Room) {
        match self.grammar.rule(node) {
            Rule::Plain => self.plain(node, room),
            Rule::Open => self.open(node, node, room),
            Rule::Attach => self.attach(node, room),
            Rule::Import(read) => self.import(node, read, room),
            Rule::Define(define) => match define.read(node) {
                Some(definition) => self.define(node, definition, room),
                None => self.plain(node, room),
            },
            Rule::Ask(ask) => self.answer(node, ask(node, self.text), room),
        }
    }

    fn answer(&mut self, node: Node<'t>, answer: Answer<'t>, room: &mut Room) {
        match answer {
            Answer::Plain => self.plain(node, room),
            Answer::Open(inner) => self.open(node, inner, room),
            Answer::OpenFunction(inner) => {
                let was_in_function = std::mem::replace(&mut room.in_function, true);
                self.open(node, inner, room);
                room.in_function = was_in_function;
            }
            Answer::Attach => self.attach(node, room),
            Answer::Define(definition) => self.define(node, definition, room),
            Answer::Several(definitions) => self.several(node, definitions, room),
            Answer::Import(read) => self.import(node, read, room),
        }
    }

    /// A statement: neighbours run together into one unit.
    fn plain(&mut self, node: Node<'t>, room: &mut Room) {
        self.release_if_apart(node, room);
        let follows_plain = room.last.is_some_and(|last| {
            let unit = &self.walked.units[last];
            unit.name.is_none() && unit.kind == ChunkKind::Block
        });
        if follows_plain {
            self.pending = None;
        } else {
            self.push(node.start_byte(), ChunkKind::Block, None, room);
        }
    }

    /// Looks at the children of `inner` as if they stood in place of `node`.
    fn open(&mut self, node: Node<'t>, inner: Node<'t>, room: &mut Room) {
        self.release_if_apart(node, room);
        let start = self.pending.as_ref().map_or(node.start_byte(), |pending| pending.start);
        self.pending = Some(Pending { start, end_row: None });
        self.children(inner, room);
        if self.pending.as_ref().is_some_and(|pending| pending.end_row.is_none()) {
            self.plain(node, room);
        }
        self.pending = None;
    }

    /// A comment waits for the definition that follows, unless it trails what came before.
    fn attach(&mut self, node: Node<'t>, room: &mut Room) {
        let row = node.start_position().row;
        if self.pending.is_none() && self.last_row == Some(row) {
            return;
        }
        self.release_if_apart(node, room);
        let pending = self.pending.get_or_insert(Pending { start: node.start_byte(), end_row: Some(row) });
        if pending.end_row.is_some() {
            pending.end_row = Some(end_row(node));
        }
    }

    /// A comment with a blank line under it stands for itself.
    fn release_if_apart(&mut self, node: Node<'t>, room: &mut Room) {
        let row = node.start_position().row;
        let apart = |pending: &mut Pending| pending.end_row.is_some_and(|end| row > end + 1);
        if let Some(pending) = self.pending.take_if(apart) {
            self.push(pending.start, ChunkKind::Block, None, room);
        }
    }

    fn import(&mut self, node: Node<'t>, read: ReadImports, room: &mut Room) {
        read(node, self.text, &mut self.walked.imports);
        self.release_if_apart(node, room);
        if room.last.is_some_and(|last| self.walked.units[last].kind == ChunkKind::Import) {
            self.pending = None;
            return;
        }
        self.push(node.start_byte(), ChunkKind::Import, None, room);
    }

    fn several(&mut self, node: Node<'t>, definitions: Vec<Definition<'t>>, room: &mut Room) {
        let mut definitions = definitions.into_iter();
        match definitions.next() {
            Some(first) => self.define(node, first, room),
            None => return self.plain(node, room),
        }
        for other in definitions {
            let kind = kind_in(other.kind, room);
            if !(room.in_function && kind == ChunkKind::Constant) {
                let parent = self.qualified(room.parent, other.owner);
                self.symbol(node, &other, kind, parent);
            }
        }
    }

    fn define(&mut self, node: Node<'t>, definition: Definition<'t>, room: &mut Room) {
        let kind = kind_in(definition.kind, room);
        if room.in_function && kind == ChunkKind::Constant {
            return self.plain(node, room);
        }
        self.release_if_apart(node, room);
        let name = self.name(definition.name);
        let parent = self.qualified(room.parent, definition.owner);
        if self.joins_last(name, kind, parent, node, room) {
            return;
        }
        if definition.is_symbol {
            self.symbol(node, &definition, kind, parent);
        }
        let index = self.push(node.start_byte(), kind, Some(name.to_owned()), room);
        self.walked.units[index].parent = parent;
        if definition.body.is_some() || definition.parameters.is_some() {
            self.inside(&definition, kind, index, room);
        }
    }

    /// The members of a definition.
    fn inside(&mut self, definition: &Definition<'t>, kind: ChunkKind, index: usize, room: &Room) {
        let name = bare_name(self.name(definition.name));
        let is_type = matches!(kind, ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum);
        let mut inner = Room {
            level: room.level + 1,
            parent: self.qualified(self.walked.units[index].parent, Some(name)),
            in_type: is_type,
            in_function: matches!(kind, ChunkKind::Function | ChunkKind::Method),
            last: None,
        };
        for part in [definition.parameters, definition.body].into_iter().flatten() {
            if !inner.in_function {
                self.comments_before(part, &mut inner);
            }
            self.children(part, &mut inner);
            self.pending = None;
        }
        self.walked.units[index].inner_end = self.walked.units.len();
    }

    /// Comments above the first member, which some grammars put before the body.
    fn comments_before(&mut self, body: Node<'t>, room: &mut Room) {
        let mut comments = Vec::new();
        let mut before = body.prev_sibling();
        while let Some(node) = before.filter(|node| matches!(self.grammar.rule(*node), Rule::Attach)) {
            comments.push(node);
            before = node.prev_sibling();
        }
        self.last_row = before.map(end_row);
        for comment in comments.into_iter().rev() {
            self.attach(comment, room);
        }
    }

    /// Whether a clause, equation or overload goes on with the definition before it.
    fn joins_last(
        &mut self,
        name: &str,
        kind: ChunkKind,
        parent: usize,
        node: Node<'t>,
        room: &Room,
    ) -> bool {
        if !self.grammar.table.joins_same_name {
            return false;
        }
        let Some(unit) = room.last.map(|last| &self.walked.units[last]) else { return false };
        let joins = unit.kind == kind && unit.name.as_deref() == Some(name) && unit.parent == parent;
        if joins {
            self.pending = None;
            let symbol = self.walked.symbols.iter_mut().rev().find(|symbol| symbol.name == name);
            if let Some(symbol) = symbol {
                symbol.line_end = line(end_row(node));
            }
        }
        joins
    }

    fn push(&mut self, start: usize, kind: ChunkKind, name: Option<String>, room: &mut Room) -> usize {
        let start = self.pending.take().map_or(start, |pending| pending.start.min(start));
        let earliest = self.walked.units.last().map_or(0, |unit| unit.start);
        let start = line_start(self.text, start).max(earliest);
        let index = self.walked.units.len();
        let (level, parent) = (room.level, room.parent);
        self.walked.units.push(Unit { start, inner_end: index + 1, level, kind, name, parent });
        room.last = Some(index);
        index
    }

    fn symbol(&mut self, node: Node<'t>, definition: &Definition<'t>, kind: ChunkKind, parent: usize) {
        let name = self.name(definition.name).to_owned();
        if name.is_empty() {
            return;
        }
        let parent = Some(&self.walked.parents[parent]).filter(|parent| !parent.is_empty()).cloned();
        let row = definition.name.start_position().row;
        self.walked.symbols.push(Symbol {
            name,
            kind,
            parent,
            line: line(row),
            line_end: line(end_row(node).max(row)),
        });
    }

    /// A name without quotes, on one line, not too long.
    fn name(&self, node: Node<'t>) -> &'t str {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let name = unquoted(text.lines().next().unwrap_or_default().trim());
        let name = if node.kind() == "simple_symbol" { name.trim_start_matches(':') } else { name };
        let name = if node.kind() == "operator_cast" { name.split('(').next().unwrap_or(name) } else { name };
        &name[..name.floor_char_boundary(MAX_NAME_BYTES)]
    }

    /// The index of `name` qualified by `parent`.
    fn qualified(&mut self, parent: usize, name: Option<&str>) -> usize {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return parent };
        let outer = &self.walked.parents[parent];
        let qualified = if outer.is_empty() {
            name.to_owned()
        } else {
            format!("{outer}{}{name}", self.grammar.table.separator)
        };
        let recent = self.walked.parents.len().saturating_sub(8);
        let known = self.walked.parents[recent..].iter().position(|known| *known == qualified);
        known.map(|at| recent + at).unwrap_or_else(|| {
            self.walked.parents.push(qualified);
            self.walked.parents.len() - 1
        })
    }
}

/// A function directly in a type is a method.
fn kind_in(kind: ChunkKind, room: &Room) -> ChunkKind {
    if kind == ChunkKind::Function && room.in_type { ChunkKind::Method } else { kind }
}

/// `Foo` of `Foo<T>`.
fn bare_name(name: &str) -> &str {
    match name.find('<') {
        Some(at) if at > 0 => name[..at].trim_end(),
        _ => name,
    }
}

/// The start of the line if only blanks stand before `at`, or the method of a chain that `at` has the arguments of; else `at`.
fn line_start(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let method = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let is_method = bytes.get(at) == Some(&b'(') && bytes[..at - method].last() == Some(&b'.');
    let at = if is_method { at - method - 1 } else { at };
    let before = &bytes[..at];
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = at - blanks;
    if start == 0 || before[start - 1] == b'\n' { start } else { at }
}

/// Row of a node's last character; some comments reach to the start of the next line.
fn end_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

fn line(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}
