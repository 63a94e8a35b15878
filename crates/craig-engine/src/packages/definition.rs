//! Finds the definition of an imported symbol among those of its package.

use std::cmp::Reverse;

use craig_chunk::ChunkKind;
use craig_chunk::names::{Definition, Names, Source, Value, names};
use craig_explain::Comment;
use craig_source::Language;
use craig_store::{Project, Store};
use craig_symbols::Ecosystem;
use craig_text::path::{file_stem, folder};

use super::exports;
use super::imports::ImportedSymbol;
use crate::EngineError;

/// Definitions of one name that are looked at.
const MOST_ALIKE: usize = 300;

/// A definition in a package.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) language: Language,
    pub(super) text: String,
    pub(super) line: u32,
    pub(super) name: String,
    /// Names from the package, or from the type that has it as a member.
    pub(super) title: String,
    /// The comment that documents it.
    pub(super) comment: Option<Comment>,
}

/// A definition that may be meant.
struct Candidate {
    path: String,
    symbol: craig_chunk::Symbol,
    /// How well it fits, the best fitting part first.
    fit: Fit,
    /// The comment that documents it.
    comment: Option<Comment>,
    /// Number of arguments, in languages that select overloads by it.
    arity: Option<u8>,
}

/// How well the place of a definition fits an import. What is compared first comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Whether it is in the file of the module that exports it.
    is_module: bool,
    /// Number of segments of that module that its path has.
    n_shared: usize,
    is_outermost: bool,
    is_public: bool,
    /// What is nearer to the root of the package is likelier to be what its entry exports.
    nearness: Reverse<usize>,
}

/// The definition that an import surely means; none if several would do.
pub(super) fn find(
    store: &Store,
    corpus: &Project,
    ecosystem: Ecosystem,
    symbol: &ImportedSymbol,
    package: &str,
) -> Result<Option<Found>, EngineError> {
    if let Some(receiver) = &symbol.receiver {
        let Some(called) = find(store, corpus, ecosystem, receiver, package)? else { return Ok(None) };
        for returned in called.types() {
            let path: Vec<String> = std::iter::once(returned).chain(symbol.path.iter().cloned()).collect();
            if let Some(found) = defined(store, corpus, &Wanted::of_type(&path, symbol.arguments))? {
                return Ok(Some(found));
            }
        }
        return Ok(None);
    }
    let Some(imported) = symbol.path.first() else { return Ok(None) };
    let module = segments(ecosystem, symbol, package);
    let (module, exported) = exports::Exports { store, corpus, ecosystem }.origin(module, imported)?;
    let (name, owner) = match symbol.path.as_slice() {
        [.., owner, name] if symbol.path.len() == 2 => {
            (name, Some(if owner == imported { &exported } else { owner }))
        }
        [.., owner, name] => (name, Some(owner)),
        _ => (&exported, None),
    };
    let wanted = Wanted {
        name,
        owner: owner.map(String::as_str),
        arguments: symbol.arguments,
        module: Some((ecosystem, &module)),
        title: symbol.path.join("."),
    };
    defined(store, corpus, &wanted)
}

/// A definition that is looked for.
struct Wanted<'w> {
    name: &'w str,
    owner: Option<&'w str>,
    arguments: Option<u8>,
    /// The module that exports it; none for what a function of the package returns.
    module: Option<(Ecosystem, &'w [String])>,
    title: String,
}

impl<'w> Wanted<'w> {
    /// A type of the package, or a member of one.
    fn of_type(path: &'w [String], arguments: Option<u8>) -> Self {
        let (name, owner) = match path {
            [.., owner, name] => (name.as_str(), Some(owner.as_str())),
            [name] => (name.as_str(), None),
            [] => ("", None),
        };
        Self { name, owner, arguments, module: None, title: path.join(".") }
    }
}

fn defined(store: &Store, corpus: &Project, wanted: &Wanted<'_>) -> Result<Option<Found>, EngineError> {
    let mut candidates = likeliest(store, corpus, wanted)?;
    let with_arity = wanted.arguments.is_some();
    candidates.iter_mut().try_for_each(|candidate| candidate.read(store, corpus, with_arity))?;
    if candidates.iter().any(|candidate| candidate.comment.is_some()) {
        candidates.retain(|candidate| candidate.comment.is_some());
    }
    let Some(first) = only(&candidates, wanted.arguments) else { return Ok(None) };
    let Some(file) = store.file_text(corpus.id, &first.path)? else { return Ok(None) };
    Ok(Some(Found {
        path: first.path.clone(),
        language: file.record.language,
        text: file.content.unwrap_or_default(),
        line: first.symbol.line,
        name: wanted.name.to_owned(),
        title: wanted.title.clone(),
        comment: first.comment.clone(),
    }))
}

/// The definitions that fit best, without their comments: of what is called, only functions if there are any.
fn likeliest(store: &Store, corpus: &Project, wanted: &Wanted<'_>) -> Result<Vec<Candidate>, EngineError> {
    let (ecosystem, module) = wanted.module.unzip();
    let module = module.unwrap_or_default();
    let module_files = ecosystem.map(|of| exports::files_of(of, module)).unwrap_or_default();
    let is_meant = |path: &str, definition: &craig_chunk::Symbol| {
        definition.name == wanted.name
            && fits_owner(path, definition.parent.as_deref(), wanted.owner)
            && ecosystem.is_none_or(|ecosystem| fits_module(ecosystem, path, module))
    };
    let alike = store.symbols_with(corpus.id, wanted.name, MOST_ALIKE)?.into_iter();
    let meant = alike.filter(|(path, definition)| is_meant(path, definition));
    let mut candidates: Vec<Candidate> = meant
        .map(|(path, symbol)| {
            let fit = Fit {
                is_module: module_files.contains(&path),
                n_shared: module.iter().filter(|segment| has_segment(&path, segment)).count(),
                is_outermost: symbol.parent.is_none(),
                is_public: !is_internal(&path),
                nearness: Reverse(path.matches('/').count()),
            };
            Candidate { path, symbol, fit, comment: None, arity: None }
        })
        .collect();
    let is_function = |of: &Candidate| matches!(of.symbol.kind, ChunkKind::Function | ChunkKind::Method);
    if wanted.arguments.is_some() && candidates.iter().any(is_function) {
        candidates.retain(is_function);
    }
    let best = candidates.iter().map(|candidate| candidate.fit).max();
    candidates.retain(|candidate| Some(candidate.fit) == best);
    Ok(candidates)
}

impl Found {
    /// Names of the types of what a call of it returns, the likeliest first: of a type, itself.
    fn types(&self) -> Vec<String> {
        let names = names(self.language, &self.text);
        let Some(definition) = definition_at(&names, self.line, &self.name) else { return Vec::new() };
        if definition.kind.is_type() {
            return vec![self.name.clone()];
        }
        let parent = definition.parent.and_then(|at| names.definitions.get(at as usize));
        let own =
            parent.map(|parent| parent.name).or(definition.owner).map(|name| names.text(name).to_owned());
        let mut found = Vec::new();
        add_types(&names, definition.value, &mut found);
        for name in &mut found {
            if let Some(own) = own.as_ref().filter(|_| name == "Self") {
                name.clone_from(own);
            }
        }
        found
    }
}

/// Adds the names of the types that a value may be of.
fn add_types(names: &Names, value: Value, found: &mut Vec<String>) {
    let name_of = |source: Source| match source {
        Source::Occurrence(at) => names.occurrences.get(at as usize).map(|of| of.name),
        Source::Definition(at) => names.definitions.get(at as usize).map(|of| of.name),
    };
    match value {
        Value::Instance(source) | Value::Itself(source) | Value::Called(source) => {
            found.extend(name_of(source).map(|name| names.text(name).to_owned()));
        }
        Value::Super(at) => add_types(names, Value::Itself(Source::Definition(at)), found),
        // A choice never leads back to itself.
        Value::Choice(at) => {
            let values = names.choices.get(at as usize).map(|choice| choice.values());
            values.into_iter().flatten().for_each(|value| add_types(names, value, found));
        }
        _ => {}
    }
}

/// Of definitions that are overloads in one file, or copies of another file with the same comment, the one with the longest
/// comment. Of overloads that arguments tell apart, the one that takes as many, if no other has a comment of its own.
fn only(candidates: &[Candidate], arguments: Option<u8>) -> Option<&Candidate> {
    let fits = |of: &&Candidate| arguments.is_none() || of.arity.is_none() || of.arity == arguments;
    let candidates: Vec<&Candidate> = candidates.iter().filter(fits).collect();
    let &first = candidates.first()?;
    let is_same = |of: &&Candidate| {
        first.text() == of.text() && (first.comment.is_some() || first.path == of.path)
            || first.path == of.path && arguments.is_none()
    };
    let length = |of: &&&Candidate| of.text().map_or(0, str::len);
    let of_first = candidates.iter().rev().filter(|of| of.path == first.path);
    candidates.iter().all(is_same).then(|| of_first.max_by_key(length).copied())?
}

/// Whether a package has the module that an import names, by its files.
pub(super) fn has_module(
    store: &Store,
    corpus: &Project,
    ecosystem: Ecosystem,
    symbol: &ImportedSymbol,
) -> Result<bool, EngineError> {
    match ecosystem {
        Ecosystem::PyPi => {
            let top = symbol.module.split('.').next().unwrap_or_default().to_owned();
            for path in exports::files_of(ecosystem, &[top]) {
                if store.tracked_file(corpus.id, &path)?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Ecosystem::Maven => {
            let segments = segments(ecosystem, symbol.root(), "");
            let Some(class) = segments.last() else { return Ok(false) };
            let defined = store.symbols_with(corpus.id, class, MOST_ALIKE)?;
            let is_it = |(path, symbol): &(String, craig_chunk::Symbol)| {
                symbol.name == *class && fits_module(ecosystem, path, &segments)
            };
            Ok(segments.len() > 1 && defined.iter().any(is_it))
        }
        _ => Ok(false),
    }
}

/// The segments of the module that an import names, from the root of the package.
fn segments(ecosystem: Ecosystem, symbol: &ImportedSymbol, package: &str) -> Vec<String> {
    let split = |text: &str, by: &str| -> Vec<String> {
        text.split(by).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    match ecosystem {
        Ecosystem::PyPi => split(&symbol.module, "."),
        Ecosystem::Cargo => split(&symbol.module, "::").into_iter().skip(1).collect(),
        Ecosystem::Maven => {
            let mut segments = split(&symbol.module, ".");
            // A member of a class may be imported by itself.
            let is_class = segments.last().is_some_and(|last| last.starts_with(char::is_uppercase));
            segments.extend(symbol.path.first().filter(|_| !is_class).cloned());
            segments
        }
        Ecosystem::Go | Ecosystem::Npm => split(symbol.module.strip_prefix(package).unwrap_or_default(), "/"),
        _ => Vec::new(),
    }
}

/// Whether a file can hold what is imported. In Go and on the JVM, packages are folders; elsewhere, modules export names of
/// other files.
fn fits_module(ecosystem: Ecosystem, path: &str, segments: &[String]) -> bool {
    match ecosystem {
        Ecosystem::Go => folder(path) == segments.join("/"),
        Ecosystem::Maven => {
            let (class, package) = segments.split_last().map_or(("", &[][..]), |(last, rest)| (last, rest));
            let is_in_package = folder(path).ends_with(&package.join("/"));
            is_in_package && (file_stem(path) == class || !path.ends_with(".java"))
        }
        _ => true,
    }
}

/// Whether a definition belongs to the owner that code names: a type, or a module, which is a file or a folder.
fn fits_owner(path: &str, parent: Option<&str>, owner: Option<&str>) -> bool {
    let parent = parent.map(|parent| parent.rsplit([':', '.', '#', '/']).next().unwrap_or(parent));
    match (owner, parent) {
        (Some(owner), Some(parent)) => parent == owner || without_arguments(parent) == owner,
        (Some(owner), None) => has_segment(path, owner),
        (None, _) => true,
    }
}

/// `Vec` of `Vec<T>`.
fn without_arguments(name: &str) -> &str {
    name.split(['<', '[', '(']).next().unwrap_or(name).trim()
}

/// Whether a file or one of its folders is called so.
fn has_segment(path: &str, name: &str) -> bool {
    file_stem(path) == name || folder(path).split('/').any(|part| part == name)
}

/// Whether others are not to use what a file defines, as its name or folder shows.
fn is_internal(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('_') && !part.starts_with("__") || part == "internal")
}

fn definition_at<'n>(names: &'n Names, line: u32, name: &str) -> Option<&'n Definition> {
    names.definitions.iter().find(|of| of.line == line && names.text(of.name) == name)
}

impl Candidate {
    /// The text of its comment.
    fn text(&self) -> Option<&str> {
        self.comment.as_ref().map(|comment| comment.text.as_str())
    }

    /// Reads its comment and, if requested, its number of arguments.
    fn read(&mut self, store: &Store, corpus: &Project, with_arity: bool) -> Result<(), EngineError> {
        let Some(file) = store.file_text(corpus.id, &self.path)? else { return Ok(()) };
        let text = file.content.as_deref().unwrap_or_default();
        let symbol = &self.symbol;
        self.comment = Comment::of_definition(&self.path, text, symbol.line, symbol.line_end);
        if with_arity {
            let names = names(file.record.language, text);
            self.arity = definition_at(&names, symbol.line, &symbol.name).and_then(|of| of.arity);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use craig_chunk::Symbol;

    use super::*;

    fn overload(line: u32, comment: Option<&str>, arity: Option<u8>) -> Candidate {
        let (path, name) = ("a.java".to_owned(), "add".to_owned());
        let comment =
            comment.map(|text| Comment { text: text.to_owned(), file_path: path.clone(), line: line - 1 });
        let fit =
            Fit { is_module: true, n_shared: 0, is_outermost: false, is_public: true, nearness: Reverse(0) };
        let symbol = Symbol { kind: ChunkKind::Method, line, line_end: line, name, parent: None };
        Candidate { path, symbol, fit, comment, arity }
    }

    #[test]
    fn an_overload_takes_as_many_arguments_as_the_call() {
        let overloads = [
            overload(2, Some("Adds one."), Some(1)),
            overload(4, Some("Adds two of them."), Some(2)),
            overload(6, Some("Adds two others."), Some(2)),
        ];
        let line = |arguments| only(&overloads, arguments).map(|found| found.symbol.line);
        assert_eq!(line(Some(1)), Some(2));
        assert_eq!(line(Some(2)), None, "either may be meant");
        assert_eq!(line(Some(3)), None);
        assert_eq!(line(None), Some(4), "where arguments tell nothing, the longest comment");
        let without_comments = [overload(2, None, Some(1)), overload(4, None, Some(1))];
        assert!(only(&without_comments, Some(1)).is_some());
        let of_any_number = [overload(2, Some("Adds."), None), overload(4, Some("Adds all."), None)];
        assert!(only(&of_any_number, Some(1)).is_none());
    }
}
