//! Finds a project's documentation: its README and what lies in `docs`, ignored by git or not.

use std::path::Path;

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::{
    Entry, FileStamp, Listing, Root, SkipReason, Skipped, SourceError,
    walk::{lossy, reason, relative_to, slash_separated},
};

/// Folder whose Markdown is documentation.
const DOCUMENTATION: &str = "docs";

/// Larger documents are left out unless the user raises the limit: books, logs, data.
pub const DEFAULT_MAX_DOCUMENT_BYTES: u64 = 4 * 1_048_576;

/// Folders that hold other people's documentation, or none.
const NEVER_ENTERED: &[&str] = &["node_modules", ".git", ".aidocs"];

/// Which Markdown files are the documentation of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentOptions {
    /// Larger files are left out. Default: [`DEFAULT_MAX_DOCUMENT_BYTES`].
    pub max_file_size_bytes: u64,
    /// Further Markdown files, as globs of paths relative to the root: `packages/*/README.md`.
    pub include: Vec<String>,
    /// Files to leave out, as such globs: `docs/archive/**`.
    pub exclude: Vec<String>,
}

impl Default for DocumentOptions {
    fn default() -> Self {
        Self { max_file_size_bytes: DEFAULT_MAX_DOCUMENT_BYTES, include: Vec::new(), exclude: Vec::new() }
    }
}

/// Lists the documentation of a project: `README.md` of the root in any letter case, every `.md` file below `docs`, and
/// what the options include. Ignore files have no say, links are not followed, other kinds of files never count.
///
/// Fails only for a bad glob; trouble below the root is reported in the listing, whose lists are sorted by path.
pub fn documents(root: &Root, options: &DocumentOptions) -> Result<Listing, SourceError> {
    let (include, exclude) = (globs(&options.include)?, globs(&options.exclude)?);
    let is_open = !options.include.is_empty();
    let base = root.path().to_owned();
    let mut builder = WalkBuilder::new(root.path());
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(move |entry| leads_to_documents(entry, &base, is_open));
    let mut listing = Listing::default();
    for found in builder.build() {
        let entry = match found {
            Ok(entry) => entry,
            Err(error) => {
                listing.skipped.push(skip(root, &error));
                continue;
            }
        };
        let relative = relative_to(root.path(), entry.path());
        if !entry.file_type().is_some_and(|kind| kind.is_file()) || !is_markdown(relative) {
            continue;
        }
        let Some(path) = slash_separated(relative) else {
            listing.skipped.push(Skipped { path: lossy(relative), reason: SkipReason::NotUtf8 });
            continue;
        };
        if is_documentation(&path) && !exclude.is_match(&path) || include.is_match(&path) {
            take(&entry, path, options, &mut listing);
        }
    }
    for list in [&mut listing.entries, &mut listing.too_large] {
        list.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    }
    listing.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

fn skip(root: &Root, error: &ignore::Error) -> Skipped {
    let path = path_of(error).map(|path| lossy(relative_to(root.path(), path))).unwrap_or_default();
    let reason = match error.io_error() {
        Some(error) => reason(error),
        None => SkipReason::Unreadable { message: error.to_string() },
    };
    Skipped { path, reason }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.first().and_then(path_of),
        _ => None,
    }
}

fn take(entry: &DirEntry, path: String, options: &DocumentOptions, listing: &mut Listing) {
    match entry.metadata() {
        Ok(metadata) => {
            let list = if metadata.len() > options.max_file_size_bytes {
                &mut listing.too_large
            } else {
                &mut listing.entries
            };
            list.push(Entry { path, stamp: FileStamp::from_metadata(&metadata) });
        }
        Err(error) => {
            listing
                .skipped
                .push(Skipped { path, reason: SkipReason::Unreadable { message: error.to_string() } });
        }
    }
}

/// Whether a walk goes into or over an entry: everything of the root and of `docs`, or everywhere when it `is_open`, but for
/// dependencies.
fn leads_to_documents(entry: &DirEntry, root: &Path, is_open: bool) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let name = entry.file_name().to_string_lossy();
    let is_never_entered = NEVER_ENTERED.contains(&&*name);
    let is_top_level = entry.path().parent() == Some(root);
    !is_folder
        || entry.depth() == 0
        || !is_never_entered && (is_open || !is_top_level || name == DOCUMENTATION)
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// Whether a Markdown file, by its path relative to the root, is documentation of its own accord.
fn is_documentation(path: &str) -> bool {
    path.eq_ignore_ascii_case("readme.md")
        || path.split_once('/').is_some_and(|(first, _)| first == DOCUMENTATION)
}

fn globs(patterns: &[String]) -> Result<GlobSet, SourceError> {
    let bad = |glob: &str, error: globset::Error| SourceError::BadGlob {
        glob: glob.to_owned(),
        source: ignore::Error::Glob { glob: Some(glob.to_owned()), err: error.kind().to_string() },
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(|error| bad(pattern, error))?);
    }
    set.build().map_err(|error| bad(&patterns.join(" "), error))
}

#[cfg(test)]
mod tests;
