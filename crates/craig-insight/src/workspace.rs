//! The files of a project as input of the analyses: outlines, references, and the text of manifests.

use std::collections::{BTreeMap, HashMap};

use craig_chunk::names::Names;
use craig_chunk::{Outline, References, Symbol};
use craig_source::{FileKind, Language};
use craig_store::{FileId, FileRecord, NamedFile, PackedFile, ProjectId, Store, StoreError};
use rayon::{ThreadPool, prelude::*};

use crate::about::{about, may_describe};
use crate::{InsightError, IsCancelled, go_on_unless, launch, manifest};

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
    /// What it is for, where it says so.
    pub(crate) about: Option<String>,
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
    /// Texts of what starts programs, by path.
    pub(crate) launchers: BTreeMap<String, String>,
    by_path: HashMap<String, FileIx>,
}

/// Number of files read from the store at a time: bounds memory.
const GROUP: usize = 256;

impl Workspace {
    /// Reads a project from the store, on the threads of `pool`.
    pub(crate) fn load(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Self, InsightError> {
        Self::load_by(store, project, pool, is_cancelled, Store::load_references)
            .map(|(workspace, _)| workspace)
    }

    /// The same with the names of each file.
    pub(crate) fn load_with_names(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<(Self, Vec<Names>), InsightError> {
        Self::load_by(store, project, pool, is_cancelled, Store::load_names)
    }

    fn load_by(
        store: &Store,
        project: ProjectId,
        pool: &ThreadPool,
        is_cancelled: IsCancelled<'_>,
        load: fn(&Store, &[FileId]) -> Result<Vec<PackedFile>, StoreError>,
    ) -> Result<(Self, Vec<Names>), InsightError> {
        let mut records = store.file_records(project)?;
        records.retain(|record| !record.is_binary);
        records.sort_by(|a, b| a.path.cmp(&b.path));
        let wanted: Vec<FileId> = records.iter().map(|record| record.id).collect();
        let (mut files, mut all_names) = (Vec::with_capacity(wanted.len()), Vec::with_capacity(wanted.len()));
        for group in wanted.chunks(GROUP) {
            let packed = load(store, group)?;
            let read = |file: PackedFile| {
                go_on_unless(is_cancelled)?;
                let NamedFile { record, n_lines, symbols, references, names } = file.unpacked()?;
                let (path, language) = (record.path, record.language);
                let is_test = craig_text::is_test(&path);
                let about = None;
                Ok((SourceFile { path, language, n_lines, symbols, references, is_test, about }, names))
            };
            let read: Vec<(SourceFile, Names)> =
                pool.install(|| packed.into_par_iter().map(read).collect::<Result<_, InsightError>>())?;
            for (file, names) in read {
                files.push(file);
                all_names.push(names);
            }
        }
        let texts = texts(store, &records)?;
        let select = |is_wanted: fn(&str, &str) -> bool| -> BTreeMap<String, String> {
            let wanted = texts.iter().filter(|(path, (_, text))| is_wanted(path, text));
            wanted.map(|(path, (_, text))| (path.clone(), text.clone())).collect()
        };
        for file in &mut files {
            file.about =
                texts.get(&file.path).and_then(|(language, text)| about(&file.path, *language, text));
        }
        let manifests = select(|path, _| manifest::is_wanted(path));
        let launchers = select(|path, text| launch::is_launcher(path, text.len()));
        Ok((Self::new(files, manifests, launchers), all_names))
    }

    /// A workspace of texts, each with its path.
    pub(crate) fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> (Self, Vec<Names>) {
        let mut files = Vec::new();
        let (mut manifests, mut launchers) = (BTreeMap::new(), BTreeMap::new());
        for (path, text) in texts {
            if manifest::is_wanted(path) {
                manifests.insert(path.to_owned(), text.to_owned());
            }
            if launch::is_launcher(path, text.len()) {
                launchers.insert(path.to_owned(), text.to_owned());
            }
            let Some(language) = Language::from_path(path) else { continue };
            files.push(source_file(path.to_owned(), language, text));
        }
        files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let (files, names) = files.into_iter().unzip();
        (Self::new(files, manifests, launchers), names)
    }

    /// `files` are in path order.
    fn new(
        files: Vec<SourceFile>,
        manifests: BTreeMap<String, String>,
        launchers: BTreeMap<String, String>,
    ) -> Self {
        let by_path = files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        Self { files, manifests, launchers, by_path }
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

/// Texts of manifests, lock files, build settings, scripts, and of files that say what their folder is for, by path.
fn texts(
    store: &Store,
    records: &[FileRecord],
) -> Result<BTreeMap<String, (Language, String)>, InsightError> {
    let is_wanted =
        |path: &str| manifest::is_wanted(path) || launch::is_launcher(path, 0) || may_describe(path);
    let wanted = records.iter().filter(|record| is_wanted(&record.path));
    let wanted: Vec<FileId> = wanted.map(|record| record.id).collect();
    let mut found = BTreeMap::new();
    for group in wanted.chunks(GROUP) {
        let texts = store.load_outlines(group)?;
        found.extend(texts.into_iter().map(|file| (file.record.path, (file.record.language, file.text))));
    }
    Ok(found)
}

fn source_file(path: String, language: Language, text: &str) -> (SourceFile, Names) {
    let n_lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let Outline { symbols, references, names, .. } = craig_chunk::chunk(language, text);
    let is_test = craig_text::is_test(&path);
    let about = about(&path, language, text);
    (SourceFile { path, language, n_lines, symbols, references, is_test, about }, names)
}
