//! What a selection of code is: the symbol it defines or stands in, what that belongs to, what surrounds it.

mod layout;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use craig_chunk::{ChunkKind, Outline, Symbol, chunk};
use craig_source::{ContentHash, Language, mask_text};
use craig_text::{compact, is_identifier_char, whole_words};
use serde::Serialize;

use crate::comment::Comment;
use crate::names::{identifiers, words_of};

/// Lines around the selection that are kept.
const SURROUNDING_LINES: usize = 3;

/// A selection of code with what it stands in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CodeContext {
    /// The selected text; the whole file when no lines were given.
    pub selected_text: String,
    /// Path of the file relative to the root.
    pub file_name: String,
    /// The function or method that is selected or encloses the selection.
    pub function_name: Option<String>,
    /// The class or object that is selected or encloses the selection.
    pub class_name: Option<String>,
    /// Modules that the file imports, in order.
    pub imports: Vec<String>,
    /// The selected lines with a few before and after.
    pub surrounding_context: String,
    /// Language of the file.
    pub language: Language,
    /// First and last line, 1-based.
    pub lines: (usize, usize),
    /// What may be asked about, the likeliest first.
    #[serde(skip)]
    pub(crate) subjects: Vec<Subject>,
}

/// A name that documentation is looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// The name as the code has it.
    pub name: String,
    /// Class or object that it belongs to.
    pub owner: Option<String>,
    /// What its class extends or implements.
    pub ancestors: Vec<String>,
    /// Other names under which the file exports it.
    pub aliases: Vec<String>,
    /// What it is; none for a name that is used here and defined elsewhere.
    pub kind: Option<ChunkKind>,
    /// Line of its definition, from 1.
    pub line: Option<usize>,
    /// Whether the file exports it, or what it belongs to.
    pub is_exported: bool,
    /// Whether it is private by its spelling: `#x`, `_x`, `private x`.
    pub is_private: bool,
    /// The text of its definition.
    pub definition: String,
    /// What the comment of its definition says.
    pub comment: Option<Comment>,
    /// Names that the file defines beside it, in the same class, object or scope.
    pub siblings: Vec<String>,
    /// What the folders and the file are called that define it, without endings; none for what is used here.
    pub homes: Vec<String>,
    /// The package that it is in, where other files say it before every name of it: in Go.
    pub package: Option<String>,
    /// What else of the project has something of this name.
    pub namesakes: Vec<String>,
    /// Whether it is what the one before it overrides or implements.
    pub is_base: bool,
}

impl Subject {
    /// What it belongs to: its owner and what that extends, or its file where it has none.
    pub(crate) fn holders(&self) -> impl Iterator<Item = &String> {
        let home = self.homes.last().filter(|_| self.owner.is_none());
        self.owner.iter().chain(&self.ancestors).chain(home)
    }
}

impl CodeContext {
    /// Reads the context of `lines` (1-based, inclusive; clamped to the file) of a file. Total: any text, any lines.
    pub fn read(file_name: &str, language: Language, text: &str, lines: Option<(usize, usize)>) -> Self {
        Self::read_as(Asked::Lines, file_name, language, text, lines)
    }

    fn read_as(
        asked: Asked,
        file_name: &str,
        language: Language,
        text: &str,
        lines: Option<(usize, usize)>,
    ) -> Self {
        // It may come from an editor, where nobody has masked it yet.
        let text = &*mask_text(file_name, text);
        let n_lines = text.lines().count().max(1);
        let (first, last) = lines.unwrap_or((1, n_lines));
        let first = first.clamp(1, n_lines);
        let last = last.clamp(first, n_lines);
        let outline = outline_of(language, text);
        let reading = Reading { path: file_name, text, outline: &outline, first, last };
        let subjects = reading.subjects(asked);
        let (function_name, class_name) = reading.enclosing_names();
        Self {
            selected_text: line_range(text, first, last).to_owned(),
            file_name: file_name.to_owned(),
            function_name,
            class_name,
            imports: distinct(outline.imports.iter().map(|import| import.target.as_str())),
            surrounding_context: line_range(
                text,
                first.saturating_sub(SURROUNDING_LINES).max(1),
                (last + SURROUNDING_LINES).min(n_lines),
            )
            .to_owned(),
            language,
            lines: (first, last),
            subjects,
        }
    }

    /// Reads the context of one place: the name that stands there, as the code defines or uses it. Total.
    pub fn at(file_name: &str, language: Language, text: &str, byte: usize) -> Self {
        let text = &*mask_text(file_name, text);
        let byte = text.floor_char_boundary(byte);
        let line = text[..byte].matches('\n').count() + 1;
        let mut context = Self::read_as(Asked::Place, file_name, language, text, Some((line, line)));
        let name = &text[name_at(text, byte)];
        context.subjects.retain(|subject| subject.name == name);
        context.selected_text = name.to_owned();
        context
    }

    /// Reads the context of the definition whose name stands at a place; none if what stands there is no definition.
    pub fn defined_at(file_name: &str, language: Language, text: &str, byte: usize) -> Option<Self> {
        let name = name_at(text, byte);
        let line_start = text[..name.start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[..name.start].matches('\n').count() + 1;
        let is_first =
            whole_words(&text[line_start..], &text[name.clone()]).next() == Some(name.start - line_start);
        is_first.then(|| Self::of_definition(file_name, language, text, line as u32, &text[name]))?
    }

    /// Reads the context of the definition of `name` in a line, counted from 1; none if there is no such definition.
    pub fn of_definition(
        file_name: &str,
        language: Language,
        text: &str,
        line: u32,
        name: &str,
    ) -> Option<Self> {
        let mut context = Self::read(file_name, language, text, Some((line as usize, line as usize)));
        context.subjects.retain(|subject| subject.name == name && subject.line == Some(line as usize));
        (!context.subjects.is_empty()).then_some(context)
    }

    /// What may be asked about, the likeliest first.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// The likeliest subject.
    pub fn symbol(&self) -> Option<&str> {
        self.subjects.first().map(|subject| subject.name.as_str())
    }
}

/// The identifier at a place, or that ends there.
fn name_at(text: &str, byte: usize) -> Range<usize> {
    let byte = text.floor_char_boundary(byte);
    let start = text[..byte]
        .rfind(|c| !is_identifier_char(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[byte..].find(|c| !is_identifier_char(c)).map_or(text.len(), |length| byte + length);
    start..end
}

/// The outline of a text. Whoever hovers asks about the same text again and again, and parsing it is most of the work: the
/// last one of each thread is kept.
fn outline_of(language: Language, text: &str) -> Rc<Outline> {
    thread_local! {
        static LAST: RefCell<Option<(Language, ContentHash, Rc<Outline>)>> = const { RefCell::new(None) };
    }
    let hash = ContentHash::from_content(text.as_bytes());
    LAST.with_borrow_mut(|last| match last {
        Some((known_language, known, outline)) if *known_language == language && *known == hash => {
            Rc::clone(outline)
        }
        _ => {
            let outline = Rc::new(chunk(language, text));
            *last = Some((language, hash, Rc::clone(&outline)));
            outline
        }
    })
}

/// What of a file is asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Lines: what they define, or stand in.
    Lines,
    /// A place: the name there, whatever it is.
    Place,
}

struct Reading<'t> {
    path: &'t str,
    text: &'t str,
    outline: &'t Outline,
    first: usize,
    last: usize,
}

impl<'t> Reading<'t> {
    /// The definitions that begin in the selection, else the one around it, else the names that are used in it.
    fn subjects(&self, asked: Asked) -> Vec<Subject> {
        let mut found = Vec::new();
        let defined: Vec<&Symbol> =
            self.outline.symbols.iter().filter(|symbol| self.begins_in_selection(symbol)).collect();
        // Members come after what they are members of.
        if let Some(outermost) = defined.iter().min_by_key(|symbol| (depth(symbol), symbol.line)) {
            found.push(self.subject(outermost));
        } else if let Some(declared) = layout::declared(self.text, self.first_line_of_code()) {
            found.push(self.member(&declared));
        }
        let around = self.innermost_around();
        if found.is_empty() && self.first == self.last {
            found
                .extend(around.filter(|symbol| self.is_clause_of(symbol)).map(|symbol| self.subject(symbol)));
        }
        let is_definition = !found.is_empty();
        if !is_definition {
            // Members of an object that is assigned in passing are in no outline.
            // Inside of a function, only one that the selection begins with: `return { start () { … } }`.
            let is_value = around.is_none_or(|symbol| is_value(symbol.kind));
            let begins = |one: &layout::Member| self.first_line_of_code() == one.line;
            found.extend(
                layout::member_around(self.text, self.first)
                    .filter(|one| is_value || begins(one))
                    .map(|one| self.member(&one)),
            );
            found.extend(around.map(|symbol| self.subject(symbol)));
        }
        // What a definition uses says nothing of what it is.
        let is_one_line = !is_definition && self.last == self.first;
        if found.is_empty() || is_one_line || asked == Asked::Place {
            found.extend(self.used_names());
        }
        let mut known = BTreeSet::new();
        found.retain(|subject| known.insert((subject.name.clone(), subject.owner.clone())));
        // What a module exports has no name by that, and what a file imports from beside it is defined there.
        found.retain(|subject| subject.name != "exports" && !is_import(&subject.definition));
        found
    }

    /// The first selected line that is not blank, 1-based.
    fn first_line_of_code(&self) -> usize {
        let selected = line_range(self.text, self.first, self.last);
        self.first + selected.lines().position(|line| !line.trim().is_empty()).unwrap_or(0)
    }

    fn begins_in_selection(&self, symbol: &Symbol) -> bool {
        (self.first..=self.last).contains(&(symbol.line as usize))
    }

    /// Whether the selected line begins another clause of a function that has several, in Haskell also the first below its
    /// signature: `init(_arg) do`.
    fn is_clause_of(&self, symbol: &Symbol) -> bool {
        let line = line_range(self.text, self.first, self.first);
        let head = line.split(['(', '=', '{']).next().unwrap_or_default();
        let is_function = matches!(symbol.kind, ChunkKind::Function | ChunkKind::Method);
        let is_call = head.trim_start().starts_with("return ");
        is_function && !is_call && identifiers(head).any(|(_, name)| name == symbol.name)
    }

    fn innermost_around(&self) -> Option<&'t Symbol> {
        let around = self
            .outline
            .symbols
            .iter()
            .filter(|symbol| symbol.line as usize <= self.last && symbol.line_end as usize >= self.first);
        around.max_by_key(|symbol| (depth(symbol), symbol.line))
    }

    fn enclosing_names(&self) -> (Option<String>, Option<String>) {
        let is_function = |kind| matches!(kind, ChunkKind::Function | ChunkKind::Method);
        let is_class = |kind| matches!(kind, ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum);
        let touches = |symbol: &&Symbol| {
            self.begins_in_selection(symbol)
                || (symbol.line as usize <= self.first && symbol.line_end as usize >= self.last)
        };
        let touching: Vec<&Symbol> = self.outline.symbols.iter().filter(touches).collect();
        let function = touching
            .iter()
            .filter(|symbol| is_function(symbol.kind))
            .min_by_key(|symbol| (!self.begins_in_selection(symbol), symbol.line));
        let class = touching.iter().find(|symbol| is_class(symbol.kind)).map(|symbol| symbol.name.clone());
        let owner = function.and_then(|symbol| owner_of(symbol));
        (function.map(|symbol| symbol.name.clone()), class.or(owner))
    }

    fn subject(&self, symbol: &Symbol) -> Subject {
        let opener =
            layout::opener(self.text, symbol.line as usize).map(|(_, open)| open).unwrap_or_default();
        let owner = owner_of(symbol).or_else(|| layout::prototype_owner(opener).map(str::to_owned));
        let is_top_exported = is_exported(self.text, owner.as_deref().unwrap_or(&symbol.name));
        let definition = line_range(self.text, symbol.line as usize, symbol.line_end as usize);
        let name = symbol.name.trim_start_matches('#');
        // `defmodule A.B`
        let (above, name) = name.rsplit_once('.').map_or((None, name), |(above, name)| (Some(above), name));
        let owner = owner.or_else(|| above.and_then(|above| above.rsplit('.').next()).map(str::to_owned));
        let name = name.to_owned();
        let line = line_range(self.text, symbol.line as usize, symbol.line as usize);
        Subject {
            is_private: symbol.name.starts_with(['#', '_'])
                || name.ends_with('_')
                || line.trim_start().starts_with("private ")
                || line.trim_start().starts_with("protected "),
            is_exported: is_top_exported
                || line.contains("export ")
                || line.contains("exports")
                || layout::opens_export(opener)
                || layout::is_attached(self.text, &name),
            ancestors: owner
                .as_deref()
                .map(|owner| ancestors(self.text, owner))
                .unwrap_or_default()
                .into_iter()
                .chain(layout::implemented(opener).map(str::to_owned))
                .collect(),
            aliases: aliases(self.text, &name),
            kind: Some(symbol.kind),
            line: Some(symbol.line as usize),
            comment: Comment::of_definition(self.path, self.text, symbol.line, symbol.line_end),
            definition: clipped(definition, MAX_DEFINITION_BYTES).to_owned(),
            siblings: self.siblings(symbol),
            homes: homes(self.path),
            package: package(self.path, self.text),
            namesakes: Vec::new(),
            is_base: false,
            owner,
            name,
        }
    }

    /// What the file defines in the same place as a symbol.
    fn siblings(&self, symbol: &Symbol) -> Vec<String> {
        let beside = self.outline.symbols.iter().filter(|other| {
            other.parent == symbol.parent && other.name != symbol.name && !other.name.starts_with(['#', '_'])
        });
        distinct(beside.map(|other| other.name.as_str()))
    }

    fn member(&self, member: &layout::Member) -> Subject {
        let open = layout::opener(self.text, member.line).map(|(_, open)| open).unwrap_or_default();
        let owner = layout::prototype_owner(open)
            .or_else(|| layout::assigned_name(open))
            .or_else(|| layout::declared_type(open));
        let definition = line_range(self.text, member.line, member.line_end);
        Subject {
            name: member.name.clone(),
            is_exported: layout::opens_export(open)
                || owner.is_some_and(|owner| is_exported(self.text, owner)),
            owner: owner.map(str::to_owned),
            is_private: member.name.starts_with('_'),
            aliases: aliases(self.text, &member.name),
            kind: Some(if member.is_function { ChunkKind::Method } else { ChunkKind::Constant }),
            line: Some(member.line),
            comment: Comment::of_definition(self.path, self.text, member.line as u32, member.line_end as u32),
            definition: clipped(definition, MAX_DEFINITION_BYTES).to_owned(),
            siblings: member.siblings.clone(),
            homes: homes(self.path),
            ..Subject::default()
        }
    }

    /// Names in the selection that look as if they came from somewhere: called, imported or qualified ones first.
    fn used_names(&self) -> Vec<Subject> {
        let selected = line_range(self.text, self.first, self.last);
        let imported: BTreeSet<&str> =
            self.outline.imports.iter().flat_map(|import| import.names.iter().map(String::as_str)).collect();
        let (mut likely, mut others) = (Vec::new(), Vec::new());
        let mut before: Option<(usize, &str)> = None;
        for (at, name) in identifiers(selected) {
            let owner = before
                .filter(|(start, owner)| matches!(&selected[start + owner.len()..at], "." | "?."))
                .map(|(_, owner)| owner);
            before = Some((at, name));
            if KEYWORDS.contains(&name) || name.len() < 2 {
                continue;
            }
            let is_called = selected[at + name.len()..].starts_with(['(', '<', '`']);
            let is_likely = is_called || imported.contains(name);
            // A key or an argument, more likely than something that the project defines.
            if !is_likely && owner.is_none() && name.chars().all(char::is_lowercase) {
                continue;
            }
            let names = if is_likely { &mut likely } else { &mut others };
            if names.len() < MAX_USED_NAMES {
                names.push((name, owner.filter(|owner| !KEYWORDS.contains(owner))));
            }
            if likely.len() == MAX_USED_NAMES {
                break;
            }
        }
        let definition = clipped(selected, MAX_DEFINITION_BYTES);
        let used = likely.into_iter().chain(others).take(MAX_USED_NAMES);
        used.map(|(name, owner)| Subject {
            name: name.to_owned(),
            owner: owner.map(str::to_owned),
            definition: definition.to_owned(),
            ..Subject::default()
        })
        .collect()
    }
}

/// What the folders and the file of a path are called, without endings.
pub(crate) fn homes(path: &str) -> Vec<String> {
    distinct(path.split('/').map(|part| part.split('.').next().unwrap_or(part)).filter(|part| part.len() > 1))
}

/// The package of a file in Go, by which others call what it has; programs have none.
fn package(path: &str, text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|_| path.ends_with(".go"));
    let clause = lines.find_map(|line| line.strip_prefix("package "))?;
    let name = clause.split(|c: char| !is_identifier_char(c)).next().unwrap_or_default();
    (!name.is_empty() && name != "main").then(|| name.trim_end_matches("_test").to_owned())
}

/// Names used in a selection that are asked about.
const MAX_USED_NAMES: usize = 8;

/// Bytes of a definition that are kept: a line may be as long as its file.
const MAX_DEFINITION_BYTES: usize = 2_000;

const KEYWORDS: &[&str] = &[
    "abstract",
    "as",
    "async",
    "await",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "get",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "number",
    "of",
    "private",
    "protected",
    "public",
    "readonly",
    "require",
    "return",
    "self",
    "set",
    "static",
    "string",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unknown",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "crate",
    "mod",
    "trait",
    "func",
    "package",
    "val",
    "final",
    "override",
    "internal",
    "extern",
    "unsafe",
    "nil",
    "end",
    "bool",
    "int",
    "def",
    "fn",
    "pub",
    "use",
    "impl",
    "struct",
    "None",
    "True",
    "False",
    "any",
    "never",
];

/// Whether a definition only gives a file of the project a name: `const parser = require('./parser')`.
fn is_import(definition: &str) -> bool {
    let first = definition.lines().next().unwrap_or_default();
    ["require('.", "require(\".", "import('.", "import(\"."].iter().any(|call| first.contains(call))
}

/// Whether what a symbol is could hold members: a constant, say.
fn is_value(kind: ChunkKind) -> bool {
    use ChunkKind as Kind;
    !matches!(
        kind,
        Kind::Function
            | Kind::Method
            | Kind::Class
            | Kind::Interface
            | Kind::Enum
            | Kind::Type
            | Kind::Module
    )
}

fn depth(symbol: &Symbol) -> usize {
    symbol
        .parent
        .as_deref()
        .map_or(0, |parent| parent.split(['.', ':', '#']).filter(|part| !part.is_empty()).count())
}

/// The last part of what encloses a symbol.
fn owner_of(symbol: &Symbol) -> Option<String> {
    let parent = symbol.parent.as_deref()?;
    let last = parent.rsplit(['.', ':', '#']).find(|part| !part.is_empty() && *part != "prototype")?;
    Some(last.to_owned())
}

/// What a class of the file extends or implements.
fn ancestors(text: &str, class: &str) -> Vec<String> {
    let mut found = Vec::new();
    for at in whole_words(text, class) {
        let is_declared = ["class ", "interface ", "struct ", "object ", "protocol ", "record "]
            .iter()
            .any(|keyword| text[..at].ends_with(keyword));
        if is_declared {
            found.extend(layout::named_above(&text[at + class.len()..]));
        }
    }
    found.truncate(MAX_ANCESTORS);
    found
}

/// Most classes and interfaces that are kept as ancestors.
const MAX_ANCESTORS: usize = 4;

/// Whether a line of the file exports `name`.
fn is_exported(text: &str, name: &str) -> bool {
    whole_words(text, name).any(|at| {
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line_start..at].trim_start();
        if before.starts_with("export ") || before.contains("exports") || before.starts_with("pub ") {
            return true;
        }
        // `export { a, b }` and `module.exports = { a, b }` over several lines.
        let head = &text[..at];
        let open = head.rfind('{').map(|open| (open, head[..open].trim_end()));
        open.is_some_and(|(open, before)| {
            let is_list = !head[open..].contains(['}', ';']);
            is_list && (before.ends_with("export") || before.ends_with("exports ="))
        })
    })
}

/// Other names that the file exports `name` under: `export { _Parser as Parser }`, `exports.parse = parseIt`.
fn aliases(text: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for at in whole_words(text, name) {
        let after = text[at + name.len()..].trim_start();
        if let Some(alias) = after.strip_prefix("as ").and_then(|rest| identifiers(rest).next()) {
            found.push(alias.1.to_owned());
        }
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line_start..at].trim();
        let assigned = before.strip_suffix('=').map(str::trim_end);
        if let Some((_, alias)) = assigned.and_then(|left| left.rsplit_once("exports.")) {
            found.push(alias.to_owned());
        }
    }
    let plain = name.trim_matches('_');
    if plain != name && !plain.is_empty() {
        found.push(plain.to_owned());
    }
    found.retain(|alias| alias != name && alias.chars().all(is_identifier_char) && !alias.is_empty());
    found.sort();
    found.dedup();
    found.truncate(4);
    found
}

/// The text of lines `first` to `last`, 1-based, inclusive.
pub(crate) fn line_range(text: &str, first: usize, last: usize) -> &str {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let Some(start) = starts.nth(first.saturating_sub(1)) else { return "" };
    let end = text[start..].match_indices('\n').nth(last.saturating_sub(first)).map(|(at, _)| start + at);
    &text[start..end.unwrap_or(text.len())]
}

/// At most so many bytes of a text, on a boundary of characters.
pub(crate) fn clipped(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known = BTreeSet::new();
    names.filter(|name| known.insert(*name)).map(str::to_owned).collect()
}

/// How like the owner in a text (`app`, `string`, `mockPool`) is the one in code (`Application`, `StringSchema`,
/// `MockPool`): the share of the words of both that stand for one another, from 0 to 1.
pub(crate) fn owner_likeness(written: &str, actual: &str) -> f32 {
    if is_same_owner(written, actual) {
        return 1.0;
    }
    let (written, actual) = (words_of(written), words_of(actual));
    let is_written = |word: &&String| actual.iter().any(|other| stands_for(word, other));
    let n_written = written.iter().filter(is_written).count();
    n_written as f32 / written.len().max(actual.len()).max(1) as f32
}

/// Whether a word is another one, or short for it: `req` for `request`, `ctx` for `context`.
fn stands_for(short: &str, word: &str) -> bool {
    if short == word {
        return true;
    }
    let (short, word) = if short.len() <= word.len() { (short, word) } else { (word, short) };
    if short.len() < 3 {
        return false;
    }
    let mut rest = word.chars();
    let is_within = short.chars().all(|c| rest.any(|other| other == c));
    word.starts_with(short) || is_within && short.chars().next() == word.chars().next() && short.len() == 3
}

/// Whether two names of owners mean the same thing: `Client`, `client`, `_Client`.
pub(crate) fn is_same_owner(a: &str, b: &str) -> bool {
    let (a, b) = (compact(a), compact(b));
    !a.is_empty() && a == b
}

#[cfg(test)]
mod tests;
