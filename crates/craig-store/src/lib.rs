//! Durable projects, files, chunks, vectors and ingestion status in one database: a file of SQLite, or one on a PostgreSQL server.
//! One writer for each project, many readers.
//!
//! The database is the only truth: everything that makes search fast is derived from it and can be thrown away. What kind of
//! database it is shows nowhere outside of this crate: no type, row id, pragma or lock file leaves it.

mod access;
mod address;
mod archive;
mod check;
mod context_uses;
mod copy;
mod derived;
mod derived_file;
mod erase;
mod error;
mod group;
mod holder;
mod id;
mod in_repository;
mod ingestion;
mod job;
mod kept;
mod lock;
mod names;
mod project;
mod read;
mod role;
mod schema;
mod sealed;
mod server;
mod shown;
mod snapshot;
mod sql;
mod store;
mod write;

pub use access::DatabaseIdentity;
pub use address::{DatabaseAddress, ServerAddress};
pub use archive::{Archive, ArchiveError, ArchiveHeader};
pub use check::DamagedFile;
pub use context_uses::ContextUse;
pub use copy::Copied;
pub use derived_file::DerivedFile;
pub use error::{StoreError, StoreErrorKind};
pub use id::{FileId, FileIdentity, ProjectId, TextHash};
pub use in_repository::RepositoryDatabase;
pub use ingestion::{IngestionRun, IngestionState, IngestionStatus};
pub use job::{Job, NewJob};
pub use lock::{IndexLock, ProjectLock};
pub use names::{NamedFile, PackedFile};
pub use project::{Project, ProjectCounts, ProjectKey};
pub use read::{
    ChunkPlace, FileRecord, OutlinedFile, PackedText, StoredChunk, StoredFile, StoredText, TrackedFile,
};
pub use role::Role;
pub use snapshot::Snapshot;
pub use store::Store;
pub use write::{Batch, ChunkText, IndexedFile, Missing};
