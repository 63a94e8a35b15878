//! The files of a project as the store has them: outlines, references, names, and the texts that are needed besides.

use std::collections::{BTreeMap, HashMap};

use craig_chunk::names::Names;
use craig_chunk::{Outline, References, Symbol};
use craig_source::{FileKind, Language};
use craig_store::{FileId, FileRecord, NamedFile, PackedFile, ProjectId, Store, StoreError};
use craig_text::PathRole;
use rayon::{ThreadPool, prelude::*};

use crate::{IsCancelled, SymbolError, go_on_unless, manifest};

/// Index of a file in [`Workspace::files`].
pub type FileIx = usize;

/// One text file.
pub struct SourceFile {
    /// Path in the project.
    pub path: String,
    /// Language by its path.
    pub language: Language,
    /// Number of lines.
    pub n_lines: u32,
    /// Its definitions, in file order.
    pub symbols: Vec<Symbol>,
    /// What it imports and uses.
    pub references: References,
    /// Whether it is test code, by its path.
    pub is_test: bool,
}

impl SourceFile {
    /// Reads a text, with its names.
    pub fn read(path: &str, language: Language, text: &str) -> (Self, Names) {
        let path = path.to_owned();
        let n_lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let Outline { symbols, references, names, .. } = craig_chunk::chunk(language, text);
        let is_test = craig_text::is_test(&path);
        (Self { path, language, n_lines, symbols, references, is_test }, names)
    }

    /// Whether it is code, and not a document or data.
    pub fn is_code(&self) -> bool {
        self.language.kind() == FileKind::Code
    }
}

/// The files of a project, read once for all analyses.
pub struct Workspace {
    /// In path order.
    pub files: Vec<SourceFile>,
    /// Texts of manifests, lock files, build settings and of what else was wanted, by path.
    texts: BTreeMap<String, String>,
    by_path: HashMap<String, FileIx>,
}

/// Number of files read from the store at a time: bounds memory.
const GROUP: usize = 256;

/// Loads files of a project from the store.
type LoadFiles = fn(&Store, ProjectId, &[FileId]) -> Result<Vec<PackedFile>, StoreError>;

impl Workspace {
    /// Reads a project from the store, on the threads of `pool`, with the texts of the files whose paths are `wanted`.
    pub fn load(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        wanted: fn(&str) -> bool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, SymbolError> {
        Self::load_by(store, project, pool, wanted, is_cancelled, Store::load_references)
            .map(|(workspace, _)| workspace)
    }

    /// The same with the names of each file.
    pub fn load_with_names(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        wanted: fn(&str) -> bool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<(Self, Vec<Names>), SymbolError> {
        Self::load_by(store, project, pool, wanted, is_cancelled, Store::load_names)
    }

    fn load_by(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_text_wanted: fn(&str) -> bool,
        is_cancelled: IsCancelled<'_>,
        load: LoadFiles,
    ) -> Result<(Self, Vec<Names>), SymbolError> {
        let mut records = store.file_records(project)?;
        records.retain(|record| !record.is_binary);
        records.sort_by(|a, b| a.path.cmp(&b.path));
        let wanted: Vec<FileId> = records.iter().map(|record| record.id).collect();
        let (mut files, mut all_names) = (Vec::with_capacity(wanted.len()), Vec::with_capacity(wanted.len()));
        for group in wanted.chunks(GROUP) {
            let packed = load(store, project, group)?;
            let read = |file: PackedFile| {
                go_on_unless(is_cancelled)?;
                let NamedFile { record, n_lines, symbols, references, names } = file.unpacked()?;
                let (path, language) = (record.path, record.language);
                let is_test = craig_text::is_test(&path);
                Ok((SourceFile { path, language, n_lines, symbols, references, is_test }, names))
            };
            let read: Vec<(SourceFile, Names)> =
                pool.install(|| packed.into_par_iter().map(read).collect::<Result<_, SymbolError>>())?;
            for (file, names) in read {
                files.push(file);
                all_names.push(names);
            }
        }
        let texts =
            load_texts(store, project, &records, |path| manifest::is_wanted(path) || is_text_wanted(path))?;
        Ok((Self::new(files, texts), all_names))
    }

    /// The manifests, lock files and build settings of a project, without any other file.
    pub fn load_manifests(store: &Store, project: ProjectId) -> Result<Self, SymbolError> {
        let mut records = store.file_records(project)?;
        records.retain(|record| !record.is_binary && PathRole::from_path(&record.path) != PathRole::Vendored);
        Ok(Self::new(Vec::new(), load_texts(store, project, &records, manifest::is_wanted)?))
    }

    /// A workspace of texts, each with its path.
    pub fn from_texts<'a>(
        texts: impl IntoIterator<Item = (&'a str, &'a str)>,
        wanted: fn(&str) -> bool,
    ) -> (Self, Vec<Names>) {
        let (mut files, mut kept) = (Vec::new(), BTreeMap::new());
        for (path, text) in texts {
            if manifest::is_wanted(path) || wanted(path) {
                kept.insert(path.to_owned(), text.to_owned());
            }
            let Some(language) = Language::from_path(path) else { continue };
            files.push(SourceFile::read(path, language, text));
        }
        files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let (files, names) = files.into_iter().unzip();
        (Self::new(files, kept), names)
    }

    /// `files` are in path order.
    pub(crate) fn new(files: Vec<SourceFile>, texts: BTreeMap<String, String>) -> Self {
        let by_path = files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        Self { files, texts, by_path }
    }

    /// The file of a path.
    pub fn file(&self, path: &str) -> Option<FileIx> {
        self.by_path.get(path).copied()
    }

    /// Files of some languages, with their indexes.
    pub fn files_in<'w>(
        &'w self,
        languages: &'w [Language],
    ) -> impl Iterator<Item = (FileIx, &'w SourceFile)> {
        self.files.iter().enumerate().filter(|(_, file)| languages.contains(&file.language))
    }

    /// The text of a file, if it is a manifest or was wanted.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// Texts of manifests and of what else was wanted, as (path, text), by path.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Manifests, lock files and build settings, as (path, text), by path.
    pub fn manifests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| manifest::is_wanted(path))
    }

    /// Manifests of a file name, as (path, text).
    pub fn manifests_named<'w>(&'w self, name: &'w str) -> impl Iterator<Item = (&'w str, &'w str)> {
        self.manifests().filter(move |(path, _)| craig_text::path::name(path) == name)
    }
}

/// The texts of the files whose paths are wanted, by path.
fn load_texts(
    store: &Store,
    project: ProjectId,
    records: &[FileRecord],
    is_wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, String>, SymbolError> {
    let wanted = records.iter().filter(|record| is_wanted(&record.path));
    let wanted: Vec<FileId> = wanted.map(|record| record.id).collect();
    let mut found = BTreeMap::new();
    for group in wanted.chunks(GROUP) {
        let texts = store.load_outlines(project, group)?;
        found.extend(texts.into_iter().map(|file| (file.record.path, file.text)));
    }
    Ok(found)
}
