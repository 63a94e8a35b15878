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

/// The definition that is surely meant, the surest that has a comment; none if several would do. `references` are sorted by
/// confidence; `arguments` is the number of those in a call, in languages that select overloads by it.
pub(super) fn choose<'f>(
    store: &Store,
    corpus: &Project,
    references: &[&'f ImportedReference],
    arguments: Option<u8>,
) -> Result<Option<Found<'f>>, EngineError> {
    let mut surest = None;
    for equal in references.chunk_by(|a, b| a.confidence == b.confidence) {
        let found = equal
            .iter()
            .map(|&reference| Ok(Found { reference, comment: comment(store, corpus, reference)? }));
        let found: Vec<Found<'f>> = found.collect::<Result<_, EngineError>>()?;
        let has_comment = found.iter().any(|of| of.comment.is_some());
        let chosen = only(found, arguments);
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
/// same comment, the one with the longest comment; overloads with as many arguments must have the same.
fn only(mut found: Vec<Found<'_>>, arguments: Option<u8>) -> Option<Found<'_>> {
    if found.iter().any(|of| of.comment.is_some()) {
        found.retain(|of| of.comment.is_some());
    }
    let is_constructor = |of: &Found<'_>| of.reference.definition.kind == DefinitionKind::Constructor;
    if !found.iter().all(is_constructor) {
        found.retain(|of| !is_constructor(of));
    }
    let first = found.first()?;
    let is_same = |of: &Found<'_>| {
        let is_overload = of.reference.path == first.reference.path;
        of.text() == first.text() && (first.comment.is_some() || is_overload)
            || is_overload && arguments.is_none()
    };
    if !found.iter().all(is_same) {
        return None;
    }
    let path = first.reference.path.clone();
    let length = |of: &Found<'_>| of.text().map_or(0, str::len);
    found.into_iter().rev().filter(|of| of.reference.path == path).max_by_key(length)
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
        };
        let (path, owner) = ("a.java".to_owned(), Some("Sum".to_owned()));
        ImportedReference { line: 1, column: 0, confidence: 99, package: 0, path, definition, owner }
    }

    /// The line of the one that is chosen.
    fn chosen(definitions: &[(DefinitionKind, u32, Option<&str>)], arguments: Option<u8>) -> Option<u32> {
        let references: Vec<ImportedReference> =
            definitions.iter().map(|&(kind, line, _)| reference(kind, line)).collect();
        let comment = |text: &str| Comment { text: text.to_owned(), file_path: "a.java".to_owned(), line: 1 };
        let found = references.iter().zip(definitions);
        let found = found.map(|(reference, (.., text))| Found { reference, comment: text.map(comment) });
        only(found.collect(), arguments).map(|of| of.reference.definition.line)
    }

    #[test]
    fn overloads_with_as_many_arguments_have_the_same_comment() {
        use DefinitionKind::Method;
        let overloads = [(Method, 4, Some("Adds two.")), (Method, 6, Some("Adds two others."))];
        assert_eq!(chosen(&overloads, Some(2)), None, "either may be meant");
        assert_eq!(chosen(&overloads, None), Some(6), "where arguments tell nothing, the longest comment");
        assert_eq!(chosen(&[(Method, 4, Some("Adds.")), (Method, 6, Some("Adds."))], Some(2)), Some(4));
        assert_eq!(chosen(&[(Method, 4, None), (Method, 6, Some("Adds."))], Some(2)), Some(6));
        assert!(chosen(&[(Method, 4, None), (Method, 6, None)], Some(2)).is_some());
        assert_eq!(chosen(&[], None), None);
    }

    #[test]
    fn a_type_comes_before_its_constructors() {
        use DefinitionKind::{Class, Constructor};
        let both = [(Class, 1, Some("Sums.")), (Constructor, 3, Some("Creates an empty sum."))];
        assert_eq!(chosen(&both, Some(0)), Some(1));
        assert_eq!(chosen(&[(Class, 1, None), (Constructor, 3, Some("Creates one."))], Some(0)), Some(3));
        assert_eq!(chosen(&[(Class, 1, None), (Constructor, 3, None)], Some(0)), Some(1));
    }
}
