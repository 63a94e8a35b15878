//! The documents of a package, and how its README introduces it.

use std::sync::Arc;

use craig_explain::{Document, Library};
use craig_source::FileKind;
use craig_store::{FileId, Project, Store};
use craig_text::path::{file_stem, folder, name};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::explain::PackageQuote;
use crate::EngineError;

/// The documents of a package.
pub(crate) struct PackageLibrary {
    pub(super) library: Library,
    introduction: Option<PackageQuote>,
}

impl PackageLibrary {
    /// Reads the documents of a package from the store, on the threads of `pool`.
    pub(super) fn load(store: &Store, corpus: &Project, pool: &ThreadPool) -> Result<Self, EngineError> {
        let records = store.file_records(corpus.id)?.into_iter();
        let ids: Vec<FileId> =
            records.filter(|record| record.kind == FileKind::Docs).map(|record| record.id).collect();
        let texts = store.load_texts(corpus.id, &ids)?.into_iter();
        let documents = texts.filter_map(|text| Some((text.record.path, text.content?))).collect();
        Ok(pool.install(|| Self::new(documents)))
    }

    /// A library of documents, each with its path.
    fn new(documents: Vec<(String, String)>) -> Self {
        let readmes = documents.iter().filter(|(path, _)| is_readme(path));
        let introduction = readmes.filter_map(|(path, text)| introduction_in(path, text)).next();
        let read = |(path, text): (String, String)| Arc::new(Document::read(&path, text, 0));
        Self { library: Library::new(documents.into_par_iter().map(read).collect()), introduction }
    }

    /// The first paragraph of the package's README.
    pub(super) fn introduction(&self) -> Option<PackageQuote> {
        self.introduction.clone()
    }
}

/// Whether a document introduces the package: its README, or the description that Python keeps.
fn is_readme(path: &str) -> bool {
    folder(path).is_empty() && file_stem(path).eq_ignore_ascii_case("readme") || name(path) == "METADATA"
}

/// A paragraph of an introduction has at least so many words: shorter ones are badges and slogans.
const MIN_WORDS: usize = 5;

/// No more of a paragraph is quoted, in bytes.
const MAX_PARAGRAPH_BYTES: usize = 600;

/// The first paragraph of prose, or a motto before it: no heading, list, table, image, code or markup.
fn introduction_in(path: &str, text: &str) -> Option<PackageQuote> {
    let mut in_code = false;
    let mut paragraph: Option<(u32, String)> = None;
    let body = if path.ends_with("METADATA") { text.find("\n\n").map_or(0, |at| at + 2) } else { 0 };
    let skipped = text[..body].lines().count();
    for (at, line) in text[body..].lines().enumerate() {
        let line = line.trim();
        let quotation = line.strip_prefix("> ").filter(|line| line.starts_with(char::is_alphanumeric));
        if let Some(motto) =
            quotation.filter(|motto| !in_code && paragraph.is_none() && n_words(motto) >= MIN_WORDS)
        {
            let line = (skipped + at + 1) as u32;
            return Some(PackageQuote { text: shortened(motto), file_path: path.to_owned(), line });
        }
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        let is_link = line.starts_with('[') && !line.starts_with("[![") && !line.contains("]:");
        let is_prose = !in_code
            && !line.starts_with("* ")
            && (is_link
                || line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '`' | '"')));
        match &mut paragraph {
            None if is_prose => paragraph = Some(((skipped + at + 1) as u32, line.to_owned())),
            Some((_, text)) if is_prose => {
                text.push(' ');
                text.push_str(line);
            }
            Some((line, text)) if is_sentence(text) => {
                return Some(PackageQuote { text: shortened(text), file_path: path.to_owned(), line: *line });
            }
            _ => paragraph = None,
        }
    }
    let (line, text) = paragraph.filter(|(_, text)| is_sentence(text))?;
    Some(PackageQuote { text: shortened(&text), file_path: path.to_owned(), line })
}

fn n_words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn is_sentence(text: &str) -> bool {
    n_words(text) >= MIN_WORDS && text.ends_with(['.', '!', ':', ')', '`'])
}

fn shortened(text: &str) -> String {
    let end =
        text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_PARAGRAPH_BYTES);
    text[..end.last().unwrap_or_default()].to_owned()
}
