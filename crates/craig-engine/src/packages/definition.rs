//! Chooses among the definitions of a package that a name refers to, by their comments.

use craig_chunk::names::DefinitionKind;
use craig_explain::Comment;
use craig_store::{Project, Store};
use craig_symbols::ImportedReference;

use crate::EngineError;

/// A definition in a package.
pub(super) struct Found<'f> {
    pub(super) reference: &'f ImportedReference,
    /// The comment that documents it.
    pub(super) comment: Option<Comment>,
}

/// The definition that is meant, the surest that has a comment; none if several would do. `references` are sorted by confidence;
/// `has_arguments` tells that overloads are selected by their arguments.
pub(super) fn choose<'f>(
    store: &Store,
    corpus: &Project,
    references: &[&'f ImportedReference],
    has_arguments: bool,
) -> Result<Option<Found<'f>>, EngineError> {
    let mut surest = None;
    for equal in references.chunk_by(|a, b| a.confidence == b.confidence) {
        let found = equal
            .iter()
            .map(|&reference| Ok(Found { reference, comment: comment(store, corpus, reference)? }));
        let found: Vec<Found<'f>> = found.collect::<Result<_, EngineError>>()?;
        let has_comment = found.iter().any(|of| of.comment.is_some());
        let chosen = only(found, has_arguments);
        if has_comment {
            return Ok(chosen);
        }
        surest = surest.or(chosen);
    }
    Ok(surest)
}

fn comment(
    store: &Store,
    corpus: &Project,
    reference: &ImportedReference,
) -> Result<Option<Comment>, EngineError> {
    let Some(file) = store.file_text(corpus.id, &reference.path)? else { return Ok(None) };
    let text = file.content.unwrap_or_default();
    let definition = &reference.definition;
    Ok(Comment::of_definition(&reference.path, &text, definition.line, definition.line_end))
}

/// Of a type and its constructors, the type if it has a comment. Of overloads in one file, and copies of another file with the
/// same comment, the first, with the sentences that the comments of all begin with. Without such, only overloads that nothing
/// tells apart are represented by the first: the usual one.
fn only(mut found: Vec<Found<'_>>, has_arguments: bool) -> Option<Found<'_>> {
    if found.iter().any(|of| of.comment.is_some()) {
        found.retain(|of| of.comment.is_some());
    }
    let is_constructor = |of: &Found<'_>| of.reference.definition.kind == DefinitionKind::Constructor;
    if !found.iter().all(is_constructor) {
        found.retain(|of| !is_constructor(of));
    }
    let mut found = found.into_iter();
    let mut first = found.next()?;
    for other in found {
        let (a, b) = (first.reference, other.reference);
        let is_overload = (&a.path, &a.owner, &a.definition.name) == (&b.path, &b.owner, &b.definition.name);
        let shared = shared_sentences(first.text().unwrap_or_default(), other.text().unwrap_or_default());
        let n_bytes = shared.len();
        match &mut first.comment {
            Some(comment) if n_bytes == comment.text.len() => {}
            Some(comment) if is_overload && n_bytes > 0 => comment.text.truncate(n_bytes),
            Some(_) if is_overload && !has_arguments => {}
            None if is_overload => {}
            _ => return None,
        }
    }
    Some(first)
}

/// The sentences that two texts begin with.
fn shared_sentences<'t>(a: &'t str, b: &str) -> &'t str {
    if a == b {
        return a;
    }
    let n_same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let ends = a.match_indices(". ").map(|(at, _)| at + 1).chain([a.len()]);
    let is_end = |end: &usize| *end <= n_same && (b.len() == *end || b[*end..].starts_with(' '));
    ends.filter(is_end).last().map_or("", |end| &a[..end])
}

impl Found<'_> {
    fn text(&self) -> Option<&str> {
        self.comment.as_ref().map(|comment| comment.text.as_str())
    }

    /// Its name, with that of the type that has it.
    pub(super) fn title(&self) -> String {
        let name = &self.reference.definition.name;
        match (&self.reference.owner, self.reference.definition.kind) {
            (Some(owner), DefinitionKind::Constructor) => owner.clone(),
            (Some(owner), _) => format!("{owner}.{name}"),
            (None, _) => name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use craig_chunk::names::Traits;
    use craig_symbols::SymbolDefinition;

    use super::*;

    fn reference(kind: DefinitionKind, line: u32) -> ImportedReference {
        let definition = SymbolDefinition {
            file: 0,
            name: "add".to_owned(),
            kind,
            parent: None,
            line,
            column: 0,
            line_start: line,
            line_end: line,
            traits: Traits::default(),
            arity: None,
        };
        let (path, owner) = ("a.java".to_owned(), Some("Sum".to_owned()));
        ImportedReference { line: 1, column: 0, confidence: 99, package: 0, path, definition, owner }
    }

    /// The line and the comment of the one that is chosen.
    fn chosen(
        definitions: &[(DefinitionKind, u32, Option<&str>)],
        has_arguments: bool,
    ) -> Option<(u32, Option<String>)> {
        let references: Vec<ImportedReference> =
            definitions.iter().map(|&(kind, line, _)| reference(kind, line)).collect();
        let comment = |text: &str| Comment { text: text.to_owned(), file_path: "a.java".to_owned(), line: 1 };
        let found = references.iter().zip(definitions);
        let found = found.map(|(reference, (.., text))| Found { reference, comment: text.map(comment) });
        let chosen = only(found.collect(), has_arguments)?;
        Some((chosen.reference.definition.line, chosen.text().map(str::to_owned)))
    }

    #[test]
    fn overloads_are_described_by_what_they_share() {
        use DefinitionKind::Method;
        let check = |a: Option<&str>, b: Option<&str>, has_arguments| {
            chosen(&[(Method, 4, a), (Method, 6, b)], has_arguments)
        };
        let found = |line: u32, text: &str| Some((line, Some(text.to_owned())));
        let (two, others) = (Some("Adds two."), Some("Adds two others."));
        assert_eq!(check(two, others, true), None, "either may be meant");
        assert_eq!(check(two, others, false), found(4, "Adds two."));
        assert_eq!(check(two, two, true), found(4, "Adds two."));
        let (ints, floats) = (Some("Adds two. Of ints."), Some("Adds two. Of floats."));
        assert_eq!(check(ints, floats, true), found(4, "Adds two."));
        assert_eq!(check(two, floats, true), found(4, "Adds two."));
        assert_eq!(check(floats, two, true), found(4, "Adds two."));
        assert_eq!(check(None, two, true), found(6, "Adds two."));
        assert_eq!(check(None, None, true), Some((4, None)));
        assert_eq!(chosen(&[], true), None);
    }

    #[test]
    fn definitions_of_several_files_have_one_comment() {
        let [first, other] = ["a.ts", "b.ts"].map(|path| {
            let path = path.to_owned();
            ImportedReference { path, ..reference(DefinitionKind::Method, 2) }
        });
        let comment = |text: &str| Some(Comment { text: text.to_owned(), file_path: String::new(), line: 1 });
        let both = |a: &str, b: &str| {
            vec![
                Found { reference: &first, comment: comment(a) },
                Found { reference: &other, comment: comment(b) },
            ]
        };
        assert!(only(both("Adds.", "Adds."), false).is_some());
        assert!(only(both("Adds.", "Adds others."), false).is_none(), "either may be meant");
    }

    #[test]
    fn a_type_comes_before_its_constructors() {
        use DefinitionKind::{Class, Constructor};
        let line = |definitions: &[_]| chosen(definitions, true).map(|(line, _)| line);
        let both = [(Class, 1, Some("Sums.")), (Constructor, 3, Some("Creates an empty sum."))];
        assert_eq!(line(&both), Some(1));
        assert_eq!(line(&[(Class, 1, None), (Constructor, 3, Some("Creates one."))]), Some(3));
        assert_eq!(line(&[(Class, 1, None), (Constructor, 3, None)]), Some(1));
    }
}
