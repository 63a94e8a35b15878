//! Finds a project's documentation: its READMEs, the files in `docs`, ignored by git or not, and folders that consist
//! of documents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use craig_text::PathRole;
use craig_text::path::{extension, file_stem, folder, name};
use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::{
    Entry, FileStamp, Root, SkipReason, Skipped, SourceError, SourceOptions,
    walk::{lossy, reason, relative_to, slash_separated, walk},
};

/// Endings of files that documentation is read from: Markdown, MDX, reStructuredText, AsciiDoc.
pub const DOCUMENT_ENDINGS: [&str; 6] = ["md", "markdown", "mdx", "rst", "adoc", "asciidoc"];

/// Endings of texts that are documentation, too, and are not read; they are counted.
const UNREAD_ENDINGS: [&str; 10] =
    ["org", "textile", "rdoc", "pod", "tex", "texi", "dox", "ipynb", "html", "htm"];

/// Folder of the root whose documents are documentation, whatever the ignore files say.
const DOCUMENTATION: &str = "docs";

/// Names of folders of documentation, anywhere.
const FOLDERS: [&str; 10] = [
    "docs",
    "doc",
    "documentation",
    "guide",
    "guides",
    "manual",
    "handbook",
    "book",
    "tutorial",
    "tutorials",
];

/// Names, in lower case, of documents that are about the project's life and not about its code.
const NOT_ABOUT_CODE: [&str; 22] = [
    "changelog",
    "changes",
    "history",
    "news",
    "releases",
    "release",
    "release_notes",
    "release-notes",
    "contributing",
    "code_of_conduct",
    "license",
    "licence",
    "security",
    "authors",
    "contributors",
    "maintainers",
    "governance",
    "support",
    "todo",
    "roadmap",
    "agents",
    "claude",
];

/// Endings of pictures, which say nothing of what a folder is.
const IMAGES: [&str; 6] = ["png", "svg", "jpg", "jpeg", "gif", "webp"];

/// A folder with fewer documents is not made of them.
const MIN_DOCUMENTS: usize = 3;

/// Larger documents are left out unless the user raises the limit: books, logs, data.
pub const DEFAULT_MAX_DOCUMENT_BYTES: u64 = 4 * 1_048_576;

/// Folders that hold other people's documentation, or none.
const NEVER_ENTERED: &[&str] = &["node_modules", ".git", ".aidocs"];

/// Which files are the documentation of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentOptions {
    /// Larger files are left out. Default: [`DEFAULT_MAX_DOCUMENT_BYTES`].
    pub max_file_size_bytes: u64,
    /// Further documents, as globs of paths relative to the root: `packages/*/NOTES.md`.
    pub include: Vec<String>,
    /// Files to leave out, as such globs: `docs/archive/**`, `**/*.rst`.
    pub exclude: Vec<String>,
}

/// The documentation of a project; every list is sorted by path.
#[derive(Clone, Debug, Default)]
pub struct DocumentListing {
    /// Documents to read.
    pub entries: Vec<Entry>,
    /// Documents left out for their size.
    pub too_large: Vec<Entry>,
    /// Files and folders that could not be read.
    pub skipped: Vec<Skipped>,
    /// How many files of documentation there are of each kind that is not read, by its ending.
    pub unread: BTreeMap<String, usize>,
}

impl Default for DocumentOptions {
    fn default() -> Self {
        Self { max_file_size_bytes: DEFAULT_MAX_DOCUMENT_BYTES, include: Vec::new(), exclude: Vec::new() }
    }
}

/// Whether a path has the ending of a document.
pub fn is_document(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    DOCUMENT_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Whether a document of this name, without its ending, is about code and not about the life of the project.
pub(crate) fn is_about_code(stem: &str) -> bool {
    !NOT_ABOUT_CODE.contains(&stem.to_lowercase().as_str())
}

/// Lists the documentation of a project:
///
/// - every document below the root's `docs`, whatever ignore files say;
/// - where they do not object: documents of the root, READMEs, folders called like documentation, and folders that
///   consist of documents for the most part; in Sphinx projects, also `.txt`. Tests, examples and other people's code
///   have no say, nor have changelogs and the like;
/// - what the options include.
///
/// Links are not followed. Fails only for a bad glob; trouble below the root is reported in the listing.
pub fn documents(root: &Root, options: &DocumentOptions) -> Result<DocumentListing, SourceError> {
    let (include, exclude) = (globs(&options.include)?, globs(&options.exclude)?);
    let mut listing = DocumentListing::default();
    let mut found: BTreeMap<String, FileStamp> = BTreeMap::new();
    // Sizes are judged here: a book may be larger than code is.
    let tracked = walk(root, &SourceOptions { max_file_size_bytes: u64::MAX, ..SourceOptions::default() })?;
    let folders = Folders::from_paths(tracked.entries.iter().map(|entry| entry.path.as_str()));
    for entry in &tracked.entries {
        if folders.holds_documentation(&entry.path) {
            found.insert(entry.path.clone(), entry.stamp);
        }
    }
    walk_unfiltered(root, !options.include.is_empty(), &mut listing, |path, stamp| {
        if is_below_docs(&path) || include.is_match(&path) {
            found.insert(path, stamp);
        }
    });
    for (path, stamp) in found.into_iter().filter(|(path, _)| !exclude.is_match(path)) {
        if !is_document(Path::new(&path)) && !folders.is_sphinx_text(&path) && !include.is_match(&path) {
            let ending = extension(&path).to_lowercase();
            if UNREAD_ENDINGS.contains(&ending.as_str()) {
                *listing.unread.entry(ending).or_default() += 1;
            }
            continue;
        }
        let is_too_large = stamp.size > options.max_file_size_bytes;
        let list = if is_too_large { &mut listing.too_large } else { &mut listing.entries };
        list.push(Entry { path, stamp, is_in_git: false });
    }
    listing.skipped.extend(tracked.skipped.into_iter().filter(|one| is_document(Path::new(&one.path))));
    listing.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    listing.skipped.dedup_by(|a, b| a.path == b.path);
    Ok(listing)
}

/// Properties of the folders of a project.
struct Folders<'p> {
    /// Folders that consist mostly of documents.
    of_documents: BTreeSet<&'p str>,
    /// Folders with a subfolder for each page: `api/parse/index.mdx`.
    of_pages: BTreeSet<&'p str>,
    /// Those with the `conf.py` of Sphinx.
    of_sphinx: BTreeSet<&'p str>,
}

impl<'p> Folders<'p> {
    fn from_paths(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut of_sphinx = BTreeSet::new();
        let mut pages: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
        for path in paths {
            let (n_pages, below) = pages.entry(folder(folder(path))).or_default();
            *n_pages += usize::from(is_page(path));
            below.insert(folder(path));
            let (documents, others) = counts.entry(folder(path)).or_default();
            match extension(path) {
                ending if IMAGES.contains(&ending) => {}
                _ if is_document(Path::new(path)) => *documents += 1,
                _ => *others += 1,
            }
            if name(path) == "conf.py" {
                of_sphinx.insert(folder(path));
            }
        }
        let is_made_of =
            |(documents, others): (usize, usize)| documents >= MIN_DOCUMENTS && documents >= 2 * others;
        let of_documents = counts
            .into_iter()
            .filter(|(at, counts)| !at.is_empty() && is_made_of(*counts))
            .map(|(at, _)| at)
            .collect();
        let of_pages = pages
            .into_iter()
            .filter(|(at, (n_pages, below))| {
                !at.is_empty() && *n_pages >= MIN_DOCUMENTS && 2 * n_pages >= below.len()
            })
            .map(|(at, _)| at)
            .collect();
        Self { of_documents, of_pages, of_sphinx }
    }

    /// Whether a tracked file belongs to the documentation, whatever its kind.
    fn holds_documentation(&self, path: &str) -> bool {
        let at = folder(path);
        let stem = file_stem(path).to_lowercase();
        let parts = || at.split('/').filter(|part| !part.is_empty());
        let is_elsewhere = parts().any(|part| part.starts_with(['.', '_']))
            || matches!(PathRole::from_path(&format!("{at}/x")), PathRole::Test | PathRole::Vendored)
            || parts().any(|part| EXAMPLES.contains(&part.to_lowercase().as_str()));
        if is_elsewhere || !is_about_code(&stem) {
            return false;
        }
        let is_readme = stem == "readme" || at.is_empty();
        is_document(Path::new(path)) && is_readme
            || parts().any(|part| FOLDERS.contains(&part.to_lowercase().as_str()))
            || self.of_documents.contains(at)
            || is_page(path) && self.of_pages.contains(folder(at))
    }

    /// Whether a file is one of the texts that Sphinx projects such as Django write reStructuredText in.
    fn is_sphinx_text(&self, path: &str) -> bool {
        let is_text = extension(path).eq_ignore_ascii_case("txt");
        let is_below = |at: &&str| path.strip_prefix(*at).is_some_and(|rest| rest.starts_with('/'));
        is_text && self.of_sphinx.iter().any(is_below)
    }
}

/// Whether a document is the index page of its folder.
fn is_page(path: &str) -> bool {
    is_document(Path::new(path)) && PAGES.contains(&file_stem(path).to_lowercase().as_str())
}

/// Names of pages that have a folder of their own.
const PAGES: [&str; 3] = ["index", "page", "+page"];

/// Folders of code that shows how a project is used.
const EXAMPLES: [&str; 6] = ["example", "examples", "sample", "samples", "demo", "demos"];

/// Takes every file of the root's `docs`, or everywhere when it `is_open`, without regard to ignore files.
fn walk_unfiltered(
    root: &Root,
    is_open: bool,
    listing: &mut DocumentListing,
    mut take: impl FnMut(String, FileStamp),
) {
    let base = root.path().to_owned();
    let mut builder = WalkBuilder::new(root.path());
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(move |entry| leads_to_documents(entry, &base, is_open));
    for found in builder.build() {
        let entry = match found {
            Ok(entry) => entry,
            Err(error) => {
                listing.skipped.push(skip(root, &error));
                continue;
            }
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let relative = relative_to(root.path(), entry.path());
        let Some(path) = slash_separated(relative) else {
            if is_document(relative) {
                listing.skipped.push(Skipped { path: lossy(relative), reason: SkipReason::NotUtf8 });
            }
            continue;
        };
        match entry.metadata() {
            Ok(metadata) => take(path, FileStamp::from_metadata(&metadata)),
            Err(error) if is_document(relative) => listing
                .skipped
                .push(Skipped { path, reason: SkipReason::Unreadable { message: error.to_string() } }),
            Err(_) => {}
        }
    }
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

fn is_below_docs(path: &str) -> bool {
    path.split_once('/').is_some_and(|(first, _)| first == DOCUMENTATION)
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
