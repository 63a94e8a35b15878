//! What a selection of code is: the symbol it defines or stands in, what that belongs to, what surrounds it.

mod definitions;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use craig_chunk::ChunkKind;
use craig_source::{ContentHash, Language, mask_text};
use craig_text::{compact, is_identifier_char, whole_words};
use serde::Serialize;

use crate::comment::Comment;
use crate::names::{identifiers, words_of};

use self::definitions::{Definition, File};

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
        let file = file_of(language, text);
        let reading = Reading { path: file_name, text, file: &file, first, last };
        let subjects = reading.subjects(asked);
        let (function_name, class_name) = reading.enclosing_names();
        Self {
            selected_text: line_range(text, first, last).to_owned(),
            file_name: file_name.to_owned(),
            function_name,
            class_name,
            imports: file.imports.clone(),
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

/// What a text defines. Whoever hovers asks about the same text again and again, and parsing it is most of the work: the
/// last one of each thread is kept.
fn file_of(language: Language, text: &str) -> Rc<File> {
    thread_local! {
        static LAST: RefCell<Option<(Language, ContentHash, Rc<File>)>> = const { RefCell::new(None) };
    }
    let hash = ContentHash::from_content(text.as_bytes());
    LAST.with_borrow_mut(|last| match last {
        Some((known_language, known, file)) if *known_language == language && *known == hash => {
            Rc::clone(file)
        }
        _ => {
            let file = Rc::new(File::read(language, text));
            *last = Some((language, hash, Rc::clone(&file)));
            file
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
    file: &'t File,
    first: usize,
    last: usize,
}

impl<'t> Reading<'t> {
    /// The outermost definition that begins in the selection, else the one around it and the names that are used in it.
    fn subjects(&self, asked: Asked) -> Vec<Subject> {
        let begun = self.file.definitions.iter().filter(|definition| self.begins_in_selection(definition));
        // Members come after what they are members of.
        let defined = begun.min_by_key(|definition| (self.file.depth(definition), definition.line));
        let around = self.innermost_around();
        let is_one_line = self.first == self.last;
        let clause = around.filter(|definition| is_one_line && self.is_clause_of(definition));
        let definition = defined.or(clause);
        let mut found: Vec<Subject> =
            definition.or(around).map(|definition| self.subject(definition)).into_iter().collect();
        // What a definition uses says nothing of what it is.
        if found.is_empty() || is_one_line && definition.is_none() || asked == Asked::Place {
            found.extend(self.used_names());
        }
        let mut known = BTreeSet::new();
        found.retain(|subject| known.insert((subject.name.clone(), subject.owner.clone())));
        // What a module exports has no name by that, and what a file imports from beside it is defined there.
        found.retain(|subject| subject.name != "exports" && !is_import(&subject.definition));
        found
    }

    fn begins_in_selection(&self, definition: &Definition) -> bool {
        (self.first..=self.last).contains(&definition.line)
    }

    /// Whether the selected line begins another clause of a function that has several, in Haskell also the first below its
    /// signature: `init(_arg) do`.
    fn is_clause_of(&self, definition: &Definition) -> bool {
        let line = line_range(self.text, self.first, self.first);
        let head = line.split(['(', '=', '{']).next().unwrap_or_default();
        let is_call = head.trim_start().starts_with("return ");
        is_function(definition.kind) && !is_call && identifiers(head).any(|(_, name)| name == definition.name)
    }

    fn innermost_around(&self) -> Option<&'t Definition> {
        let around = self.file.definitions.iter();
        let around =
            around.filter(|definition| definition.line <= self.last && definition.line_end >= self.first);
        around.max_by_key(|definition| (self.file.depth(definition), definition.line))
    }

    fn enclosing_names(&self) -> (Option<String>, Option<String>) {
        let is_class = |kind| matches!(kind, ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum);
        let touches = |definition: &&Definition| {
            self.begins_in_selection(definition)
                || (definition.line <= self.first && definition.line_end >= self.last)
        };
        let touching: Vec<&Definition> = self.file.definitions.iter().filter(touches).collect();
        let function = touching
            .iter()
            .filter(|definition| is_function(definition.kind))
            .min_by_key(|definition| (!self.begins_in_selection(definition), definition.line));
        let class = touching.iter().find(|of| is_class(of.kind)).map(|of| of.name.clone());
        let owner = function.and_then(|definition| definition.owner.clone());
        (function.map(|definition| definition.name.clone()), class.or(owner))
    }

    fn subject(&self, definition: &Definition) -> Subject {
        let Definition { name, line, line_end, .. } = definition;
        let text = line_range(self.text, *line, *line_end);
        Subject {
            name: name.clone(),
            owner: definition.owner.clone(),
            ancestors: self.file.ancestors(definition),
            aliases: self.file.aliases(definition),
            kind: Some(definition.kind),
            line: Some(*line),
            comment: Comment::of_definition(self.path, self.text, *line as u32, *line_end as u32),
            definition: clipped(text, MAX_DEFINITION_BYTES).to_owned(),
            siblings: self.file.siblings(definition),
            homes: homes(self.path),
            package: package(self.path, self.text),
            ..Subject::default()
        }
    }

    /// Names in the selection that look as if they came from somewhere: called, imported or qualified ones first.
    fn used_names(&self) -> Vec<Subject> {
        let selected = line_range(self.text, self.first, self.last);
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
            let is_likely = is_called || self.file.imported.contains(name);
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

fn is_function(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Function | ChunkKind::Method)
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
    craig_text::distinct(names).map(str::to_owned).collect()
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
