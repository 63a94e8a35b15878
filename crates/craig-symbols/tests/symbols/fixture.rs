//! Projects written as text: each file below a line `//- /path`.

use craig_chunk::Outline;
use craig_source::{FileStamp, interpret};
use craig_store::{Batch, IndexedFile, Project, Store};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tempfile::TempDir;

/// The files in `text`, in order; lines before the first are ignored.
pub(crate) fn files(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("//- /") {
            Some(path) => files.push((path.to_owned(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    files
}

/// Borrowed as analyses take them.
pub(crate) fn borrowed(files: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> + Clone {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
}

pub(crate) struct Stored {
    _folder: TempDir,
    pub(crate) store: Store,
    pub(crate) project: Project,
    pub(crate) pool: ThreadPool,
}

/// A store with the files of a fixture, outlined and without chunks, since analyses read texts.
pub(crate) fn stored(fixture: &str) -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("craig.db")).unwrap();
    let project = store.create_project("test", "/src/test", "{}").unwrap();
    let changed: Vec<IndexedFile> = files(fixture).iter().map(|(path, text)| outlined(path, text)).collect();
    let run = store.begin_ingestion(project.id, 1).unwrap();
    let batch = Batch { changed, ..Batch::default() };
    store.apply(&run, None, &batch, 1).unwrap();
    Stored { _folder: folder, store, project, pool: ThreadPoolBuilder::new().num_threads(2).build().unwrap() }
}

pub(crate) fn outlined(path: &str, text: &str) -> IndexedFile {
    let stamp = FileStamp { size: text.len() as u64, modified_ns: 1_700_000_000_000_000_000, changed_ns: 7 };
    let source = interpret(path, stamp, text.as_bytes().to_vec());
    let outline = Outline { chunks: Vec::new(), ..craig_chunk::chunk(source.language, text) };
    IndexedFile::new(source, "1", 1_700_000_100_000_000_000, outline, Vec::new())
}
