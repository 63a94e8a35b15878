//! What a selection of code is: the symbol it defines or stands in, what that belongs to, what surrounds it.

mod definitions;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use craig_chunk::{ChunkKind, Outline, chunk};
use craig_source::{ContentHash, Language, mask_text};
use craig_text::{compact, is_identifier_char, whole_words};
use serde::Serialize;

use crate::comment::Comment;
use crate::names::{identifiers, trailing_name, words_of};

use self::definitions::Defined;

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
        let definitions = definitions::definitions(&outline);
        let reading = Reading { path: file_name, text, outline: &outline, definitions, lines: (first, last) };
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
    definitions: Vec<Defined>,
    /// First and last selected line, from 1.
    lines: (usize, usize),
}

impl Reading<'_> {
    /// The definition that begins in the selection, else the one around it, else the names that are used in it.
    fn subjects(&self, asked: Asked) -> Vec<Subject> {
        let mut found: Vec<Subject> = self.defined().map(|of| self.subject(of)).into_iter().collect();
        let is_one_line = found.is_empty() && self.lines.0 == self.lines.1;
        if found.is_empty() {
            found.extend(self.around().map(|of| self.subject(of)));
        }
        // What a definition uses says nothing of what it is.
        if found.is_empty() || is_one_line || asked == Asked::Place {
            found.extend(self.used_names());
        }
        let mut known = BTreeSet::new();
        found.retain(|subject| known.insert((subject.name.clone(), subject.owner.clone())));
        found
    }

    /// The outermost definition whose name, or else whose first line, is selected; or of which the line is another clause.
    fn defined(&self) -> Option<&Defined> {
        let (first, last) = self.lines;
        let outermost = |begins: &dyn Fn(&Defined) -> usize| {
            let within = self.definitions.iter().filter(|of| (first..=last).contains(&begins(of)));
            within.min_by_key(|of| (of.depth, of.line))
        };
        let clause = || self.around().filter(|of| first == last && self.is_clause_of(of));
        outermost(&|of| of.line).or_else(|| outermost(&|of| of.lines.0)).or_else(clause)
    }

    /// Whether the selected line begins another clause of a function that has several: `init(_arg) do`.
    fn is_clause_of(&self, of: &Defined) -> bool {
        let line = line_range(self.text, self.lines.0, self.lines.0);
        let head = line.split(['(', '=', '{']).next().unwrap_or_default();
        of.is_function()
            && !head.trim_start().starts_with("return ")
            && identifiers(head).any(|(_, name)| name == of.name)
    }

    /// The innermost definition around the selection.
    fn around(&self) -> Option<&Defined> {
        self.definitions.iter().filter(|of| of.holds(self.lines)).max_by_key(|of| (of.depth, of.line))
    }

    fn enclosing_names(&self) -> (Option<String>, Option<String>) {
        let begins = |of: &&Defined| (self.lines.0..=self.lines.1).contains(&of.line);
        let encloses = |of: &&Defined| of.lines.0 <= self.lines.0 && of.lines.1 >= self.lines.1;
        let touching = || self.definitions.iter().filter(|of| begins(of) || encloses(of));
        let function = touching().filter(|of| of.is_function()).min_by_key(|of| (!begins(of), of.line));
        let class = touching().find(|of| of.is_type()).map(|of| of.name.clone());
        let owner = function.and_then(|of| of.owner.clone());
        (function.map(|of| of.name.clone()), class.or(owner))
    }

    fn subject(&self, of: &Defined) -> Subject {
        let text = line_range(self.text, of.lines.0, of.lines.1);
        let is_beside = |other: &&Defined| {
            other.owner == of.owner && other.depth == of.depth && other.name != of.name && !other.is_private
        };
        let beside = self.definitions.iter().filter(is_beside);
        Subject {
            name: of.name.clone(),
            owner: of.owner.clone(),
            ancestors: of.ancestors.clone(),
            aliases: of.aliases.clone(),
            kind: of.kind,
            line: Some(of.line),
            is_exported: of.is_exported,
            is_private: of.is_private,
            definition: clipped(text, MAX_DEFINITION_BYTES).to_owned(),
            comment: Comment::of_definition(self.path, self.text, of.line as u32, of.lines.1 as u32),
            siblings: distinct(beside.map(|other| other.name.as_str())),
            homes: homes(self.path),
            package: package(self.path, self.text),
            namesakes: Vec::new(),
            is_base: false,
        }
    }

    /// Names in the selection that come from somewhere: called, imported or qualified ones.
    fn used_names(&self) -> Vec<Subject> {
        let selected = line_range(self.text, self.lines.0, self.lines.1);
        let imported: BTreeSet<&str> =
            self.outline.imports.iter().flat_map(|import| import.names.iter().map(String::as_str)).collect();
        let definition = clipped(selected, MAX_DEFINITION_BYTES);
        let used = |(at, name): (usize, &str)| {
            let before = selected[..at].strip_suffix("?.").or_else(|| selected[..at].strip_suffix('.'));
            let owner = before.map(trailing_name).filter(|owner| !owner.is_empty());
            let is_called = selected[at + name.len()..].starts_with(['(', '<', '`']);
            let is_cased = name.chars().any(char::is_uppercase);
            let is_used =
                name.len() > 1 && (is_called || imported.contains(name) || owner.is_some() || is_cased);
            is_used.then(|| Subject {
                name: name.to_owned(),
                owner: owner.map(str::to_owned),
                definition: definition.to_owned(),
                ..Subject::default()
            })
        };
        let mut found: Vec<Subject> =
            identifiers(selected).filter_map(used).take(4 * MAX_USED_NAMES).collect();
        found.sort_by_key(|subject| !imported.contains(subject.name.as_str()));
        found.truncate(MAX_USED_NAMES);
        found
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
