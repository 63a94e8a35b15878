//! The database in `.aidocs/`: a store like any other, with one project, whose chunks are the parts of sections.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use craig_chunk::{Chunk, ChunkKind, Outline};
use craig_model::{Embedder, Quantized, StaticModel};
use craig_source::{ContentHash, OwnFolder, Root, SourceFile};
use craig_store::{
    Batch, ChunkText, FileId, IndexedFile, Project, RepositoryDatabase, Role, Store, StoreError,
    StoreErrorKind, StoredFile, TextHash, TrackedFile,
};
use rayon::prelude::*;

use super::Indexed;
use crate::library::{Document, part_ranges, part_text};
use crate::page::Page;

/// Folder of a project that Craig keeps its documentation in.
const FOLDER: &str = ".aidocs";

const DATABASE: &str = "docs.db";

/// The last explanation that an editor was shown.
const EXPLANATION: &str = "explanation.md";

/// How long an explanation waits for another process that writes the database; then it does without.
const PATIENCE: Duration = Duration::from_secs(2);

const IN_MEMORY: &str = "the documentation is kept in memory for now";

/// How documents are cut; another one has everything made anew.
const FORMAT: &str = "documentation 5";

/// Where documents are kept.
pub(super) struct Kept {
    /// None where nothing can be written: then they live as long as the process.
    store: Option<Store>,
    root: Root,
    notices: Vec<String>,
}

impl Kept {
    /// Opens what is kept of a project. What somebody else has made or cannot be read is made anew, what cannot be written
    /// is kept in memory.
    pub(super) fn open(root: &Root, data_folder: Option<&Path>) -> (Self, BTreeMap<String, Indexed>) {
        let mut kept = Self { store: None, root: root.clone(), notices: Vec::new() };
        let Some(data_folder) = data_folder else {
            kept.notices.push(format!("there is no home directory; {IN_MEMORY}"));
            return (kept, BTreeMap::new());
        };
        let database = database(root, data_folder);
        match open_store(&database).and_then(|store| load(&store, root).map(|documents| (store, documents))) {
            Ok((store, documents)) => {
                kept.store = Some(store);
                (kept, documents)
            }
            Err(error) if is_damage(&error) => {
                kept.notices
                    .push(format!("{FOLDER}/{DATABASE} could not be read ({error}); it is made anew"));
                match database.discard().and_then(|()| open_store(&database)) {
                    Ok(store) => kept.store = Some(store),
                    Err(error) => kept.give_up(&error),
                }
                (kept, BTreeMap::new())
            }
            Err(error) => {
                kept.give_up(&error);
                (kept, BTreeMap::new())
            }
        }
    }

    /// Keeps nothing.
    pub(super) fn in_memory(root: &Root) -> Self {
        Self { store: None, root: root.clone(), notices: Vec::new() }
    }

    pub(super) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn give_up(&mut self, error: &StoreError) {
        self.store = None;
        self.notices.push(format!("{error}; {IN_MEMORY}"));
    }

    /// Commits documents that changed and forgets those that are gone, all or nothing.
    pub(super) fn store(&mut self, changed: &[(Box<SourceFile>, Indexed)], gone: &[String]) {
        let Some(store) = &mut self.store else { return };
        if let Err(error) = write(store, &self.root, changed, gone) {
            self.give_up(&error);
        }
    }
}

/// Writes an explanation as Markdown into the project's folder for what Craig keeps, for an editor to show; gives its path.
///
/// A link that stands there is replaced, not followed: a project may come from anybody.
pub fn write_explanation(root: &Root, markdown: &str) -> std::io::Result<PathBuf> {
    let folder = OwnFolder::open(root, FOLDER)?;
    folder.replace(EXPLANATION, markdown.as_bytes())?;
    Ok(folder.path().join(EXPLANATION))
}

fn database(root: &Root, data_folder: &Path) -> RepositoryDatabase {
    RepositoryDatabase {
        root: root.clone(),
        folder: FOLDER,
        file: DATABASE.to_owned(),
        role: Role::Documentation,
        data_folder: data_folder.to_owned(),
    }
}

fn open_store(database: &RepositoryDatabase) -> Result<Store, StoreError> {
    let mut store = Store::open_in_repository(database)?;
    store.set_patience(PATIENCE)?;
    // Nobody wants to commit it. That there are rules already, or none can be written, is no reason to do without the rest.
    let _ = OwnFolder::open(&database.root, FOLDER)
        .and_then(|folder| folder.create(".gitignore"))
        .and_then(|mut rules| rules.write_all(b"*\n"));
    Ok(store)
}

/// Whether another database would do better than this one.
fn is_damage(error: &StoreError) -> bool {
    error.kind() == StoreErrorKind::Damage || matches!(error, StoreError::Newer { .. })
}

fn project_of(store: &Store, root: &Root) -> Result<Option<Project>, StoreError> {
    Ok(store.project_of_path(root.as_str())?.filter(|project| project.options == FORMAT))
}

fn load(store: &Store, root: &Root) -> Result<BTreeMap<String, Indexed>, StoreError> {
    let Some(project) = project_of(store, root)? else { return Ok(BTreeMap::new()) };
    let tracked = store.tracked_files(project.id)?;
    let ids: Vec<FileId> = tracked.iter().map(|file| file.id).collect();
    let files = store.load_files(project.id, &ids, StaticModel::builtin().id())?;
    let mut by_path: BTreeMap<String, StoredFile> =
        files.into_iter().map(|file| (file.record.path.clone(), file)).collect();
    let pairs: Vec<(TrackedFile, StoredFile)> = tracked
        .into_iter()
        .filter_map(|tracked| by_path.remove(&tracked.path).map(|file| (tracked, file)))
        .collect();
    Ok(pairs.into_par_iter().filter_map(|(tracked, file)| restored(tracked, file)).collect())
}

/// A document out of what is stored; none when a vector is missing or a text is not the one that was stored, so that it is read
/// again: sentences are quoted from it.
fn restored(tracked: TrackedFile, file: StoredFile) -> Option<(String, Indexed)> {
    let page = Page::read(&tracked.path, file.text, tracked.stamp.modified_ns);
    let mut chunks = file.chunks.into_iter();
    let mut vector =
        |text: &str| chunks.next().filter(|chunk| chunk.text_hash == TextHash::new(text))?.vector;
    let of_section = |(section, parts): (_, Vec<Range<usize>>)| -> Option<Vec<Quantized>> {
        parts.iter().map(|part| vector(&part_text(&page, section, part))).collect()
    };
    let vectors: Vec<Vec<Quantized>> =
        page.sections.iter().zip(part_ranges(&page)).map(of_section).collect::<Option<_>>()?;
    let hash = ContentHash::from_content(page.text.as_bytes());
    let document = Arc::new(Document { hash, page, vectors });
    let indexed = Indexed { stamp: tracked.stamp, hash: tracked.hash, read_ns: tracked.read_ns, document };
    Some((tracked.path, indexed))
}

fn write(
    store: &mut Store,
    root: &Root,
    changed: &[(Box<SourceFile>, Indexed)],
    gone: &[String],
) -> Result<(), StoreError> {
    let project = match project_of(store, root)? {
        Some(project) => project,
        None => {
            // Of another version, or of another folder that this one was copied from.
            for other in store.projects()? {
                let lock = store.try_lock(&other)?;
                store.purge(&lock)?;
            }
            store.create_project("documentation", root.as_str(), FORMAT)?
        }
    };
    let known = store.tracked_files(project.id)?;
    let removed = known.iter().filter(|file| gone.contains(&file.path)).map(|file| file.id).collect();
    let changed: Vec<IndexedFile> =
        changed.iter().map(|(source, indexed)| indexed_file(source.as_ref().clone(), indexed)).collect();
    let n_files = changed.len() as u64;
    let run = store.begin_ingestion(project.id, n_files)?;
    let batch = Batch { changed, removed, ..Batch::default() };
    store.apply(&run, Some(StaticModel::builtin().id()), &batch, n_files)?;
    store.complete_ingestion(&run)?;
    store.drop_unused_vectors()
}

fn indexed_file(source: SourceFile, indexed: &Indexed) -> IndexedFile {
    let page = &indexed.document.page;
    let mut chunks = Vec::new();
    let mut texts = Vec::new();
    for ((section, parts), vectors) in
        page.sections.iter().zip(part_ranges(page)).zip(&indexed.document.vectors)
    {
        for (part, vector) in parts.into_iter().zip(vectors) {
            let text = part_text(page, section, &part);
            texts.push(ChunkText { hash: TextHash::new(&text), vector: Some(vector.clone()) });
            let newlines = |bytes: &str| u32::try_from(bytes.matches('\n').count()).unwrap_or(u32::MAX);
            let before = newlines(&page.text[section.outline.bytes.start..part.start]);
            let line_start = section.outline.line + before;
            chunks.push(Chunk {
                line_end: line_start + newlines(page.text[part.clone()].trim_end_matches('\n')),
                line_start,
                bytes: part,
                overlap_bytes: 0,
                kind: ChunkKind::Section,
                symbol_name: Some(section.outline.heading.clone()),
                parent: (!section.outline.path.is_empty()).then(|| section.outline.path.join(" > ")),
            });
        }
    }
    let outline = Outline { chunks, ..Outline::default() };
    IndexedFile::new(source, FORMAT, indexed.read_ns, outline, texts)
}
