//! Finds, filters, decodes, hashes and watches the files of a project. The only crate that reads user files.

mod file;
mod language;

pub use file::{Content, ContentHash, FileStamp, FileType, SourceFile, Withheld};
pub use language::{FileKind, Language};
