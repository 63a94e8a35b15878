//! What threads tell the session.

use std::path::PathBuf;
use std::sync::Arc;

use craig_engine::{DocumentationLibrary, Explained, IndexReport};
use lsp_server::RequestId;
use lsp_types::Uri;
use serde_json::Value;

/// What a thread tells.
pub(crate) enum Told {
    /// Of a folder; `opened` is the number that it was opened with.
    Folder { opened: u64, news: News },
    /// How far the work for a request is.
    Progress { id: RequestId, message: String, percentage: u32 },
    /// The work for a request has ended.
    Done { id: RequestId, result: anyhow::Result<Done> },
}

/// How the documentation of a folder stands.
pub(crate) enum News {
    /// It is being read.
    Indexing,
    /// It is up to date.
    Indexed { library: Arc<DocumentationLibrary>, report: IndexReport, is_automatic: bool },
    /// It is read only when somebody asks for an explanation.
    Inactive,
    /// It could not be read.
    Failed { error: String },
}

/// What came of some work.
pub(crate) enum Done {
    /// An answer.
    Answer(Value),
    /// An explanation of code of a text, which is shown, too.
    Explanation { uri: Uri, folder: PathBuf, explained: Box<Explained> },
}
