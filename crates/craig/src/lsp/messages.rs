//! Messages of worker threads to the session.

use std::path::PathBuf;
use std::sync::Arc;

use craig_engine::{DocumentationLibrary, Explained, IndexReport};
use lsp_server::RequestId;
use lsp_types::Uri;
use serde_json::Value;

use super::index::IndexUpdate;

/// A message of a worker thread.
pub(crate) enum WorkerMessage {
    /// About a folder; `opened` is the number that it was opened with.
    Folder { opened: u64, update: FolderUpdate },
    /// About the index of a folder's code.
    Index { opened: u64, update: IndexUpdate },
    /// How far the work for a request is.
    Progress { id: RequestId, message: String, percentage: u32 },
    /// The work for a request has ended.
    Done { id: RequestId, result: anyhow::Result<Done> },
}

/// The state of a folder's documentation.
pub(crate) enum FolderUpdate {
    /// It is being read.
    Indexing,
    /// It is up to date.
    Indexed { library: Arc<DocumentationLibrary>, report: IndexReport, is_automatic: bool },
    /// It is read only when an explanation is requested.
    Inactive,
    /// It could not be read.
    Failed { error: String },
}

/// The result of some work.
pub(crate) enum Done {
    /// An answer.
    Answer(Value),
    /// An explanation of code of a text, which we show, too, unless the editor does.
    Explanation { uri: Uri, folder: PathBuf, explained: Box<Explained>, is_shown: bool },
}
