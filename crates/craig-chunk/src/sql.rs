//! SQL of any dialect: statements and what they create, from tokens.
//!
//! Dialects disagree about nearly everything inside of a statement, but `CREATE … NAME` is common to all of them, and so are
//! the few ways in which a statement ends: a semicolon outside of a body, the delimiter that a client was told, and lines
//! with `GO` or `/` alone.

mod head;
mod tokens;

use std::ops::Range;

use crate::cut::cut;
use crate::kind::ChunkKind;
use crate::lines::newlines;
use crate::outline::{Outline, Symbol};
use crate::walk::{Unit, Walked};
use head::{Head, head};
use tokens::{Kind, Token, Tokens};

/// Cuts a `part` of `text` into its statements.
pub(crate) fn outline(text: &str, part: Range<usize>) -> Outline {
    let mut reading = Reading::new(text, part.clone());
    reading.read();
    let (walked, symbols) = reading.finish();
    let chunks = cut(None, text, &walked, part);
    Outline { chunks, symbols, ..Outline::default() }
}

/// Routines nested deeper than this are read as statements.
const MAX_NESTED: usize = 64;

/// A definition that has begun.
struct Open {
    head: Head,
    /// None for a routine among the declarations of another.
    unit: Option<usize>,
    /// Open blocks: `BEGIN` and `CASE`, and the package itself.
    depth: usize,
    /// A body was read to its end.
    has_body: bool,
    /// Declarations, or statements without a block, follow `AS` or `IS`.
    declares: bool,
    is_member: bool,
    /// `ALTER` defines only what it gives a body.
    is_defined: bool,
}

struct Reading<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    /// After the last line with `GO` or `/`.
    last_separator: usize,
    units: Vec<Unit>,
    parents: Vec<String>,
    symbols: Vec<(Range<usize>, Symbol)>,
    /// The definition that is being read, and a routine in it.
    open: Vec<Open>,
    parens: usize,
    /// Whether the next token begins a statement.
    is_start: bool,
    is_plain: bool,
    first_word: &'t str,
    before: Option<Token<'t>>,
}

impl<'t> Reading<'t> {
    fn new(text: &'t str, part: Range<usize>) -> Self {
        Self {
            text,
            last_separator: tokens::last_separator(&text[part.clone()]).map_or(0, |at| part.start + at),
            tokens: Tokens::new(text, part),
            units: Vec::new(),
            parents: vec![String::new()],
            symbols: Vec::new(),
            open: Vec::new(),
            parens: 0,
            is_start: true,
            is_plain: false,
            first_word: "",
            before: None,
        }
    }

    fn read(&mut self) {
        while let Some(token) = self.tokens.next() {
            match token.kind {
                Kind::Separator => self.end_all(),
                Kind::Delimiter => self.delimiter(token),
                _ => self.token(token),
            }
            self.before = Some(token);
        }
        self.end_all();
        if self.units.is_empty() {
            self.plain(0);
        }
    }

    fn token(&mut self, token: Token<'t>) {
        match token.text {
            "(" => self.parens += 1,
            ")" => self.parens = self.parens.saturating_sub(1),
            _ => {}
        }
        if let Some(head) = self.starts_definition(token) {
            self.define(head, token);
        } else if self.is_start && self.open.is_empty() {
            self.first_word = token.text;
            self.plain(token.lead);
        } else {
            self.in_routine(token);
        }
        self.is_start = false;
    }

    /// The head of a definition that begins with this token: at the start of a statement, or of a line where statements need
    /// no end. A routine of the first column ends whatever is open; a body may create temporary tables.
    fn starts_definition(&self, token: Token<'t>) -> Option<Head> {
        if !token.is_first_on_line {
            return None;
        }
        let is_create = ["create", "alter", "replace"].iter().any(|word| token.is(word));
        if !is_create {
            return None;
        }
        let head = head(self.tokens.after(token), token)?;
        let is_free = match self.open.last() {
            None => self.is_start || self.parens == 0,
            Some(open) if !open.head.is_routine() => self.is_start || self.parens == 0,
            Some(_) => head.is_routine() && is_first_column(self.text, token.start),
        };
        is_free.then_some(head)
    }

    fn define(&mut self, head: Head, token: Token<'t>) {
        self.end_all();
        self.push_unit(head.kind, Some(&self.text[head.name.clone()]), token.lead, 0);
        let depth = usize::from(head.is_package);
        self.tokens.go_to(head.end);
        self.open_unit(head, token.start, depth, false);
        self.is_plain = false;
    }

    fn open_unit(&mut self, head: Head, start: usize, depth: usize, is_member: bool) {
        let unit = self.units.len() - 1;
        self.symbol(&head, start, is_member);
        self.open(head, Some(unit), depth, is_member);
    }

    fn symbol(&mut self, head: &Head, start: usize, is_member: bool) {
        let name = head.name.clone();
        let symbol = Symbol {
            name: self.text[name.clone()].to_owned(),
            kind: head.kind,
            parent: is_member.then(|| self.parents.last().cloned()).flatten(),
            line: 0,
            line_end: 0,
        };
        self.symbols.push((name.start..start, symbol));
    }

    fn open(&mut self, head: Head, unit: Option<usize>, depth: usize, is_member: bool) {
        let is_defined = !head.is_alter;
        self.open.push(Open { head, unit, depth, has_body: false, declares: false, is_member, is_defined });
    }

    fn push_unit(&mut self, kind: ChunkKind, name: Option<&str>, start: usize, level: u16) {
        let inner_end = self.units.len() + 1;
        let parent = if level == 0 { 0 } else { self.parents.len() - 1 };
        self.units.push(Unit { start, inner_end, level, kind, name: name.map(str::to_owned), parent });
    }

    /// A statement that defines nothing; neighbours run together.
    fn plain(&mut self, start: usize) {
        if !self.is_plain {
            self.push_unit(ChunkKind::Block, None, start, 0);
        }
        self.is_plain = true;
    }

    /// Follows the blocks of a routine.
    fn in_routine(&mut self, token: Token<'t>) {
        if let Some(member) = self.starts_member(token) {
            return self.member(member, token);
        }
        let is_keyword = ["begin", "case", "end", "as", "is"].iter().any(|word| token.is(word));
        if token.kind != Kind::DollarBody && !is_keyword {
            return;
        }
        let next = self.tokens.after(token).next();
        let next_is = |words: &[&str]| next.is_some_and(|next| words.iter().any(|word| next.is(word)));
        // `END IF` without a delimiter is T-SQL: the end of a block, and an `IF` that follows.
        let then = next.and_then(|next| self.tokens.after(next).next());
        let ends_statement = then.is_none_or(|then| then.kind == Kind::Delimiter);
        let is_end_of_control =
            next_is(&["loop", "repeat"]) || next_is(&["if", "while", "for"]) && ends_statement;
        let after_end = self.before.is_some_and(|before| before.is("end"));
        let Some(open) = self.open.last_mut() else { return };
        match token.kind {
            Kind::DollarBody => (open.has_body, open.is_defined) = (true, true),
            Kind::Word if token.is("begin") => {
                let is_transaction = next_is(&["tran", "transaction", "work", "distributed", "dialog", ";"]);
                open.depth += usize::from(!is_transaction);
            }
            Kind::Word if token.is("case") && !after_end => open.depth += 1,
            Kind::Word if token.is("end") && !is_end_of_control => {
                open.depth = open.depth.saturating_sub(1);
                open.has_body |= open.depth == 0;
            }
            Kind::Word
                if token.text.ends_with(['s', 'S']) && open.depth == usize::from(open.head.is_package) =>
            {
                open.is_defined = true;
                let is_body = next.is_some_and(|next| matches!(next.kind, Kind::DollarBody | Kind::String));
                open.declares |=
                    self.parens == 0 && open.head.is_routine() && !is_body && !next_is(&["begin"]);
            }
            _ => {}
        }
    }

    /// A procedure or function of a package, or among the declarations of a routine.
    fn starts_member(&self, token: Token<'t>) -> Option<Head> {
        let is_declaring = |open: &&Open| open.declares && open.depth == 0 && !open.has_body;
        let is_open = |open: &&Open| open.head.is_package && open.depth == 1 || is_declaring(open);
        let package = self.open.last().filter(is_open).filter(|_| self.open.len() < MAX_NESTED)?;
        let before = self.before.as_ref()?;
        let is_at_start = before.kind == Kind::Delimiter
            || ["as", "is", "member", "static", "constructor", ","].iter().any(|word| before.is(word))
            || before.end == package.head.end;
        let is_routine = token.is("procedure") || token.is("function");
        (is_at_start && is_routine).then(|| head::member(self.tokens.after(token)))?
    }

    fn member(&mut self, head: Head, token: Token<'t>) {
        self.tokens.go_to(head.end);
        if self.open.last().is_some_and(|around| !around.head.is_package) {
            return self.open(head, None, 0, true);
        }
        let owner =
            self.open.last().map_or(String::new(), |open| self.text[open.head.name.clone()].to_owned());
        if self.parents.last() != Some(&owner) {
            self.parents.push(owner);
        }
        self.push_unit(head.kind, Some(&self.text[head.name.clone()]), token.lead, 1);
        self.open_unit(head, token.start, 0, true);
    }

    fn delimiter(&mut self, token: Token<'t>) {
        let is_end = match self.open.last() {
            None => true,
            Some(_) if !token.is(";") => true,
            Some(open) if open.is_member => open.depth == 0 && (open.has_body || !open.declares),
            Some(open) if open.head.is_routine() => {
                let is_batch = token.start < self.last_separator;
                !is_batch && open.depth == 0 && self.parens == 0 && (open.has_body || !open.declares)
            }
            Some(_) => self.parens == 0,
        };
        if !is_end {
            return;
        }
        let is_data =
            self.first_word.eq_ignore_ascii_case("copy") && self.before.is_some_and(|word| word.is("stdin"));
        if self.open.is_empty() && is_data {
            self.tokens.skip_data();
        }
        if self.open.last().is_some_and(|open| open.is_member) {
            self.end(token.end);
        } else {
            self.end_statement(token.end);
        }
    }

    /// Ends the innermost definition at `end`.
    fn end(&mut self, end: usize) {
        let Some(Open { head, unit: Some(unit), is_defined, .. }) = self.open.pop() else { return };
        self.units[unit].inner_end = self.units.len();
        let name = head.name.start;
        let Some(at) = self.symbols.iter().rposition(|(range, _)| range.start == name) else { return };
        if is_defined {
            self.symbols[at].0.end = end;
        } else {
            self.symbols.remove(at);
            let unit = &mut self.units[unit];
            (unit.kind, unit.name) = (ChunkKind::Block, None);
        }
    }

    fn end_statement(&mut self, end: usize) {
        while !self.open.is_empty() {
            self.end(end);
        }
        (self.parens, self.is_start) = (0, true);
    }

    fn end_all(&mut self) {
        let end = self.before.map_or(0, |before| before.end);
        self.end_statement(end);
    }

    fn finish(self) -> (Walked, Vec<Symbol>) {
        let mut line = 1;
        let mut counted = 0;
        let mut symbols = Vec::with_capacity(self.symbols.len());
        for (range, mut symbol) in self.symbols {
            line += newlines(&self.text.as_bytes()[counted..range.start]);
            counted = range.start;
            symbol.line = line;
            let inside = self.text.as_bytes().get(range.start..range.end).unwrap_or_default();
            symbol.line_end = line + newlines(inside);
            symbols.push(symbol);
        }
        let walked =
            Walked { units: self.units, parents: self.parents, symbols: Vec::new(), imports: Vec::new() };
        (walked, symbols)
    }
}

fn is_first_column(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}
