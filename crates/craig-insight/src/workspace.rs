//! The files of a project as input of the analyses: outlines, references, and the text of manifests.

use std::collections::{BTreeMap, HashMap};

use craig_chunk::{References, Symbol, references};
use craig_source::{FileKind, Language};
use craig_store::{FileId, OutlinedFile, ProjectId, Store};
use rayon::{ThreadPool, prelude::*};

use crate::{InsightError, IsCancelled, go_on_unless, manifest};

/// Index of a file in [`Workspace::files`].
pub(crate) type FileIx = usize;

/// One text file.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) language: Language,
    pub(crate) n_lines: u32,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) references: References,
    pub(crate) is_test: bool,
}

impl SourceFile {
    pub(crate) fn is_code(&self) -> bool {
        self.language.kind() == FileKind::Code
    }
}

/// The input of the analyses of imports. Files are in path order.
pub(crate) struct Workspace {
    pub(crate) files: Vec<SourceFile>,
    /// Texts of manifests, lock files and build settings, by path.
    pub(crate) manifests: BTreeMap<String, String>,
    by_path: HashMap<String, FileIx>,
}

/// Number of texts read from the store at a time: bounds memory.
const GROUP: usize = 256;

impl Workspace {
    /// Reads a project from the store, parsing its texts on the threads of `pool`.
    pub(crate) fn load(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, InsightError> {
        let records = store.file_records(project)?;
        let wanted: Vec<FileId> =
            records.iter().filter(|record| !record.is_binary).map(|record| record.id).collect();
        let mut files = Vec::with_capacity(wanted.len());
        let mut manifests = BTreeMap::new();
        for group in wanted.chunks(GROUP) {
            let texts = store.load_outlines(group)?;
            for file in &texts {
                if manifest::is_wanted(&file.record.path) {
                    manifests.insert(file.record.path.clone(), file.text.clone());
                }
            }
            let read = |file: OutlinedFile| {
                (!is_cancelled())
                    .then(|| source_file(file.record.path, file.record.language, &file.text, file.symbols))
            };
            pool.install(|| files.par_extend(texts.into_par_iter().filter_map(read)));
            go_on_unless(is_cancelled)?;
        }
        Ok(Self::new(files, manifests))
    }

    /// A workspace of texts, each with its path.
    pub(crate) fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut files = Vec::new();
        let mut manifests = BTreeMap::new();
        for (path, text) in texts {
            if manifest::is_wanted(path) {
                manifests.insert(path.to_owned(), text.to_owned());
            }
            let Some(language) = Language::from_path(path) else { continue };
            let symbols = craig_chunk::chunk(language, text).symbols;
            files.push(source_file(path.to_owned(), language, text, symbols));
        }
        Self::new(files, manifests)
    }

    fn new(mut files: Vec<SourceFile>, manifests: BTreeMap<String, String>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let by_path = files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        Self { files, manifests, by_path }
    }

    /// The file of a path.
    pub(crate) fn file(&self, path: &str) -> Option<FileIx> {
        self.by_path.get(path).copied()
    }

    /// Files of some languages, with their indexes.
    pub(crate) fn files_in<'w>(
        &'w self,
        languages: &'w [Language],
    ) -> impl Iterator<Item = (FileIx, &'w SourceFile)> {
        self.files.iter().enumerate().filter(|(_, file)| languages.contains(&file.language))
    }

    /// Manifests of a file name, as (path, text).
    pub(crate) fn manifests_named<'w>(&'w self, name: &'w str) -> impl Iterator<Item = (&'w str, &'w str)> {
        let named = self.manifests.iter().filter(move |(path, _)| craig_text::path::name(path) == name);
        named.map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

fn source_file(path: String, language: Language, text: &str, symbols: Vec<Symbol>) -> SourceFile {
    let n_lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let references = references(language, text);
    let is_test = craig_text::is_test(&path);
    SourceFile { path, language, n_lines, symbols, references, is_test }
}
