//! The folders of a workspace: each has a thread that keeps its documentation indexed, so that no request waits for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use craig_engine::{DocumentationLibrary, Explainer, IndexReport};

/// What a folder's thread tells.
pub(crate) enum Told {
    /// It has begun to read documentation.
    Indexing { folder: PathBuf },
    /// It is up to date.
    Indexed { folder: PathBuf, library: Arc<DocumentationLibrary>, report: IndexReport },
    /// It could not.
    Failed { folder: PathBuf, error: String },
}

/// A folder of the workspace.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// What can be asked now; none until it was indexed once.
    pub(crate) library: Option<Arc<DocumentationLibrary>>,
    /// Asks the thread to look again. The thread ends when this is dropped.
    refresh: Sender<()>,
}

impl Folder {
    /// Opens a folder; its thread begins at once and tells by `tell`.
    pub(crate) fn open(path: PathBuf, tell: impl Fn(Told) + Send + 'static) -> Self {
        let (refresh, asked) = mpsc::channel();
        let folder = path.clone();
        thread::spawn(move || keep(&folder, &asked, tell));
        let folder = Self { path, library: None, refresh };
        folder.refresh();
        folder
    }

    /// Has the documentation looked at again.
    pub(crate) fn refresh(&self) {
        // The thread is gone when it could not open the folder; it has told so.
        let _ = self.refresh.send(());
    }

    /// The path of a file relative to the folder, `/`-separated; none when it lies outside.
    pub(crate) fn relative(&self, file: &Path) -> Option<String> {
        let parts = file.strip_prefix(&self.path).ok()?.components();
        let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        Some(parts?.join("/"))
    }
}

fn keep(folder: &Path, asked: &Receiver<()>, tell: impl Fn(Told)) {
    let failed = |error: craig_engine::EngineError| Told::Failed {
        folder: folder.to_owned(),
        error: error.to_string(),
    };
    let mut explainer = match Explainer::open(folder) {
        Ok(explainer) => explainer,
        Err(error) => return tell(failed(error)),
    };
    while asked.recv().is_ok() {
        // Several wishes are one.
        while asked.try_recv().is_ok() {}
        tell(Told::Indexing { folder: folder.to_owned() });
        tell(match explainer.refresh() {
            Ok(report) => Told::Indexed { folder: folder.to_owned(), library: explainer.library(), report },
            Err(error) => failed(error),
        });
    }
}
