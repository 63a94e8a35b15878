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

/// The definition that is meant, the surest that has a comment; none if several would do. `references` are sorted by confidence.
pub(super) fn choose<'f>(
    store: &Store,
    corpus: &Project,
    references: &[&'f ImportedReference],
) -> Result<Option<Found<'f>>, EngineError> {
    let mut surest = None;
    for equal in references.chunk_by(|a, b| a.confidence == b.confidence) {
        let found = equal
            .iter()
            .map(|&reference| Ok(Found { reference, comment: comment(store, corpus, reference)? }));
        let found: Vec<Found<'f>> = found.collect::<Result<_, EngineError>>()?;
        let has_comment = found.iter().any(|of| of.comment.is_some());
        let chosen = only(found);
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
/// same comment, the first: overloads that the number of arguments does not tell apart mostly do the same, and the usual one
/// comes first.
fn only(mut found: Vec<Found<'_>>) -> Option<Found<'_>> {
    if found.iter().any(|of| of.comment.is_some()) {
        found.retain(|of| of.comment.is_some());
    }
    let is_constructor = |of: &Found<'_>| of.reference.definition.kind == DefinitionKind::Constructor;
    if !found.iter().all(is_constructor) {
        found.retain(|of| !is_constructor(of));
    }
    let first = found.first()?;
    let is_overload = |of: &Found<'_>| {
        let (a, b) = (of.reference, first.reference);
        (&a.path, &a.owner, &a.definition.name) == (&b.path, &b.owner, &b.definition.name)
    };
    let is_copy = |of: &Found<'_>| of.text() == first.text() && first.comment.is_some();
    found.iter().all(|of| is_overload(of) || is_copy(of)).then(|| found.swap_remove(0))
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
    fn chosen(definitions: &[(DefinitionKind, u32, Option<&str>)]) -> Option<u32> {
        let references: Vec<ImportedReference> =
            definitions.iter().map(|&(kind, line, _)| reference(kind, line)).collect();
        let comment = |text: &str| Comment { text: text.to_owned(), file_path: "a.java".to_owned(), line: 1 };
        let found = references.iter().zip(definitions);
        let found = found.map(|(reference, (.., text))| Found { reference, comment: text.map(comment) });
        only(found.collect()).map(|of| of.reference.definition.line)
    }

    #[test]
    fn the_first_overload_with_a_comment_stands_for_all() {
        use DefinitionKind::Method;
        assert_eq!(chosen(&[(Method, 4, Some("Adds two.")), (Method, 6, Some("Adds others."))]), Some(4));
        assert_eq!(chosen(&[(Method, 4, None), (Method, 6, Some("Adds."))]), Some(6));
        assert_eq!(chosen(&[(Method, 4, None), (Method, 6, None)]), Some(4));
        assert_eq!(chosen(&[]), None);
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
        assert!(only(both("Adds.", "Adds.")).is_some());
        assert!(only(both("Adds.", "Adds others.")).is_none(), "either may be meant");
    }

    #[test]
    fn a_type_comes_before_its_constructors() {
        use DefinitionKind::{Class, Constructor};
        let both = [(Class, 1, Some("Sums.")), (Constructor, 3, Some("Creates an empty sum."))];
        assert_eq!(chosen(&both), Some(1));
        assert_eq!(chosen(&[(Class, 1, None), (Constructor, 3, Some("Creates one."))]), Some(3));
        assert_eq!(chosen(&[(Class, 1, None), (Constructor, 3, None)]), Some(1));
    }
}
