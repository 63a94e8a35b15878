//! Durable projects, files, chunks, vectors and ingestion status in one SQLite database. One writer, many readers.
//!
//! The database is the only truth: everything that makes search fast is derived from it and can be thrown away.

mod access;
mod check;
mod context_uses;
mod erase;
mod error;
mod inside;
mod lock;
mod project;
mod read;
mod role;
mod schema;
mod snapshot;
mod status;
mod write;

pub use check::DamagedFile;
pub use context_uses::ContextUse;
pub use error::StoreError;
pub use inside::Inside;
pub use lock::{LastRun, LockError, LockHolder, ProjectLock};
pub use project::{Project, ProjectId};
pub use read::{FileId, FileRecord, OutlinedFile, StoredChunk, StoredFile, StoredText, TrackedFile};
pub use role::Role;
pub use schema::{SCHEMA_VERSION, Store};
pub use snapshot::Snapshot;
pub use status::{IngestionState, IngestionStatus};
pub use write::{Batch, ChunkText, IndexedFile, TextHash};
