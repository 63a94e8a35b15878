//! Finds, filters, decodes, hashes and watches the files of a project. The only crate that reads user files.
//!
//! [`Root::open`] checks the folder, [`walk`] lists what is tracked, [`read`] gives one file decoded and hashed,
//! [`content_hash`] sums up a project, [`watch`] reports changes, [`Checkout`] clones and follows a repository.

mod decode;
mod documents;
mod error;
mod file;
mod file_type;
mod git;
mod ignore_files;
mod language;
pub mod notebook;
mod open;
mod options;
mod own_database;
mod own_folder;
mod packages;
mod place;
pub mod private;
mod protected;
mod read;
mod regular;
mod root;
mod rules;
mod secret;
mod selection;
mod unindexed;
mod walk;
mod watch;

pub use documents::{
    DEFAULT_MAX_DOCUMENT_BYTES, DOCUMENT_ENDINGS, DocumentListing, DocumentOptions, documents, is_document,
};
pub use error::SourceError;
pub use file::{Content, ContentHash, FileStamp, FileType, SourceFile, Withheld, content_hash};
pub use git::{
    BadUrl, Checkout, Commit, Differences, GitAccess, GitError, GitToken, GitUrl, Reach, Remote,
    public_addresses, repository_leads_elsewhere,
};
pub use language::{CommentSyntax, FileKind, Language};
pub use options::{
    DEFAULT_MAX_FILE_SIZE_BYTES, Hidden, IGNORE_FILES, IgnoreRules, SourceOptions, skipped_folders,
};
pub use own_database::leave_out_database;
pub use own_folder::{Entry as OwnEntry, FileIdentity, OwnFolder};
pub use packages::{
    InstalledPackage, PackageError, PackageLimits, PackageListing, PackageManager, PackagePlaces,
    WantedPackage,
};
pub use protected::{ProtectedFolder, protected_folder};
pub use read::{RawFile, ReadError, interpret, language, read, read_bytes, read_raw, stamp};
pub use root::Root;
pub use secret::{is_secret_by_name, mask_secrets, mask_text};
pub use selection::{LeftOut, WhyLeftOut, left_out};
pub use walk::{Entry, ExcludedCounts, Listing, SkipReason, Skipped, walk};
pub use watch::{ChangeBatch, ChangeDetector, WatchMode, Watcher, watch, watch_by_polling};
