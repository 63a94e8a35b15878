//! Reads one file: bytes, stamp, hash, language, text.

use std::{
    fmt, fs,
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use crate::{
    Content, ContentHash, FileStamp, FileType, Language, Root, SourceFile, SourceOptions,
    decode::decode,
    file_type::{binary_by_extension, is_pointer},
    language::of_shared_extension,
    notebook::{cells_of, max_bytes_of},
    open::{is_link, open_without_links},
    secret::{is_secret_by_name, mask_file},
    unindexed::withheld,
};

/// Why a file that a walk has listed could not be read. Each is a row of the report, no reason to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It was deleted or renamed since the walk.
    #[error("{path} was deleted after it was listed; the next ingest removes it")]
    Vanished {
        /// Path relative to the root.
        path: String,
    },
    /// Someone is writing it.
    #[error("{path} was modified while it was read; the next ingest reads it again")]
    Changing {
        /// Path relative to the root.
        path: String,
    },
    /// It has grown over the limit since the walk.
    #[error(
        "{path} is over the size limit ({size_bytes} of {max_bytes} bytes); raise the limit to have it tracked"
    )]
    TooLarge {
        /// Path relative to the root.
        path: String,
        /// Its size.
        size_bytes: u64,
        /// The limit.
        max_bytes: u64,
    },
    /// A directory, link, pipe or device.
    #[error("{path} is not a regular file")]
    NotAFile {
        /// Path relative to the root.
        path: String,
    },
    /// An absolute path, or one that climbs out of the root.
    #[error("{path} is outside the project; give a path relative to the project's directory")]
    OutsideRoot {
        /// The path as given.
        path: String,
    },
    /// Permission is missing, or the disk fails.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Path relative to the root.
        path: String,
        /// The error of the system.
        source: io::Error,
    },
}

/// Reads a file of the project by its path relative to the root, `/`-separated.
///
/// The stamp is the one the bytes belong to: a file that changes while it is read is an error. The ignore rules are not
/// asked again; the size limit is.
pub fn read(root: &Root, path: &str, options: &SourceOptions) -> Result<SourceFile, ReadError> {
    read_raw(root, path, options).map(RawFile::interpret)
}

/// Like [`read`], for callers that may know the content by its hash.
pub fn read_raw(root: &Root, path: &str, options: &SourceOptions) -> Result<RawFile, ReadError> {
    let (bytes, stamp) = read_bytes(root, path, max_bytes_of(path, options.max_file_size_bytes))?;
    Ok(RawFile::new(path, stamp, bytes))
}

/// The bytes of a file, before they are decoded and their secrets are masked.
pub struct RawFile {
    /// Path relative to the root.
    pub path: String,
    /// File system state that the bytes belong to.
    pub stamp: FileStamp,
    /// Hash of the bytes.
    pub hash: ContentHash,
    bytes: Vec<u8>,
}

/// Without its bytes, which may hold secrets.
impl fmt::Debug for RawFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, stamp, hash, .. } = self;
        f.debug_struct("RawFile")
            .field("path", path)
            .field("stamp", stamp)
            .field("hash", hash)
            .finish_non_exhaustive()
    }
}

impl RawFile {
    /// A file with these bytes.
    pub fn new(path: &str, stamp: FileStamp, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), stamp, hash: ContentHash::from_content(&bytes), bytes }
    }

    /// Decodes the bytes, recognises their language and masks their secrets.
    pub fn interpret(self) -> SourceFile {
        let Self { path, stamp, hash, bytes } = self;
        let (language, file_type, content) = understand(&path, bytes);
        SourceFile { path, stamp, hash, language, kind: language.kind(), file_type, content }
    }
}

/// The metadata of a file of the project.
pub fn stamp(root: &Root, path: &str) -> Result<FileStamp, ReadError> {
    Ok(FileStamp::from_metadata(&metadata(&inside(root, path)?, path)?))
}

/// Makes a file of bytes that are already there, such as an editor's unsaved buffer. The path need not exist.
pub fn interpret(path: &str, stamp: FileStamp, bytes: Vec<u8>) -> SourceFile {
    RawFile::new(path, stamp, bytes).interpret()
}

fn inside(root: &Root, path: &str) -> Result<PathBuf, ReadError> {
    let relative = Path::new(path);
    let is_inside =
        !path.is_empty() && relative.components().all(|part| matches!(part, Component::Normal(_)));
    if is_inside {
        Ok(root.path().join(relative))
    } else {
        Err(ReadError::OutsideRoot { path: path.to_owned() })
    }
}

/// Describes the file itself, not the target of a link.
fn metadata(full_path: &Path, path: &str) -> Result<fs::Metadata, ReadError> {
    let metadata = fs::symlink_metadata(full_path).map_err(|error| read_error(path, error))?;
    match metadata.is_file() {
        true => Ok(metadata),
        false => Err(ReadError::NotAFile { path: path.to_owned() }),
    }
}

/// Reads the current content of a file of the project, with its stamp.
pub fn read_bytes(root: &Root, path: &str, max_bytes: u64) -> Result<(Vec<u8>, FileStamp), ReadError> {
    let fail = |error| read_error(path, error);
    let full_path = &*inside(root, path)?;
    // Asked before opening: opening a pipe would wait for its writer.
    let before = metadata(full_path, path)?;
    if before.len() > max_bytes {
        return Err(ReadError::TooLarge { path: path.to_owned(), size_bytes: before.len(), max_bytes });
    }
    let file = open_without_links(full_path).map_err(fail)?;
    // One byte more than expected shows growth without a second look at the size.
    let mut bytes = Vec::with_capacity(before.len() as usize + 1);
    (&file).take(before.len() + 1).read_to_end(&mut bytes).map_err(fail)?;
    let stamp = FileStamp::from_metadata(&before);
    let after = FileStamp::from_metadata(&file.metadata().map_err(fail)?);
    if stamp != after || bytes.len() as u64 != stamp.size {
        return Err(ReadError::Changing { path: path.to_owned() });
    }
    Ok((bytes, stamp))
}

fn read_error(path: &str, source: io::Error) -> ReadError {
    let path = path.to_owned();
    match source.kind() {
        _ if is_link(&source) => ReadError::NotAFile { path },
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Vanished { path },
        _ => ReadError::Unreadable { path, source },
    }
}

fn understand(path: &str, bytes: Vec<u8>) -> (Language, FileType, Content) {
    let by_name = Language::from_path(path);
    if is_secret_by_name(path) {
        return (by_name.unwrap_or(Language::Text), FileType::Text, Content::Secret);
    }
    if let Some(file_type) = binary_by_extension(path) {
        return (by_name.unwrap_or(Language::Text), file_type, Content::Binary);
    }
    let text = if is_pointer(&bytes) { None } else { decode(bytes) };
    let Some(mut text) = text else {
        return (by_name.unwrap_or(Language::Text), FileType::Binary, Content::Binary);
    };
    if by_name == Some(Language::Notebook) {
        text = cells_of(&text).unwrap_or(text);
    }
    let language = language_of(path, by_name, &text);
    (language, FileType::Text, content_of(path, language, text))
}

/// The language of a text that would be saved as `path`: the one that [`interpret`] returns, from the text alone.
pub fn language(path: &str, text: &str) -> Language {
    let by_name = Language::from_path(path);
    if is_secret_by_name(path) || binary_by_extension(path).is_some() {
        return by_name.unwrap_or(Language::Text);
    }
    language_of(path, by_name, text)
}

fn content_of(path: &str, language: Language, text: String) -> Content {
    let text = mask_file(path, language, text);
    match withheld(path, language, &text) {
        Some(why) => Content::Unindexed(text, why),
        None => Content::Text(text),
    }
}

/// The language by name, corrected by content where names are shared, or by the first line where the name is silent.
fn language_of(path: &str, by_name: Option<Language>, text: &str) -> Language {
    let name = craig_text::path::name(path);
    let has_extension = name.trim_start_matches('.').contains('.');
    match by_name {
        Some(language) if has_extension => of_shared_extension(name, language, text).unwrap_or(language),
        silent => {
            let by_shebang = Language::from_shebang(text.lines().next().unwrap_or_default());
            by_shebang.or(silent).unwrap_or(Language::Text)
        }
    }
}

#[cfg(test)]
mod tests;
