//! Selects the files that document a package.

use std::{fs, path::Path};

use craig_text::{
    PathRole, is_test,
    path::{extension, file_stem, folder, name, under},
};

use super::{PackageLimits, PackageListing, PackageManager, archive::SourceArchive};
use crate::{
    Entry, FileStamp, Language, Listing, Root, SkipReason, Skipped,
    documents::{is_about_code, is_document},
    options::DEPENDENCY_FOLDERS,
    walk::reason,
};

/// Folder of the inputs of Go's tests, which is not entered; neither are those of dependencies.
const TEST_INPUTS: &str = "testdata";

/// Folders nested deeper than this are not entered.
const MAX_DEPTH: usize = 24;

/// What a file does for whoever reads about a package. What comes first is kept when there is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Maps imports to files. It documents nothing by itself.
    Manifest,
    Document,
    Declaration,
    Code,
}

/// The files that document a package, before they are counted.
#[derive(Default)]
pub(super) struct Candidates {
    files: Vec<(Part, Entry)>,
    skipped: Vec<Skipped>,
}

impl Candidates {
    pub(super) fn add_document(&mut self, entry: Entry) {
        self.files.push((Part::Document, entry));
    }

    fn add(&mut self, manager: PackageManager, path: &str, stamp: impl FnOnce() -> Option<FileStamp>) {
        if let Some(part) = part(manager, path)
            && let Some(stamp) = stamp()
        {
            self.files.push((part, Entry { path: path.to_owned(), stamp, is_in_git: false }));
        }
    }

    /// The files within the limits: documents before declarations before code, and the outer folders before the inner ones.
    pub(super) fn within(mut self, limits: &PackageLimits) -> PackageListing {
        if self.files.iter().any(|(part, _)| *part == Part::Declaration) {
            self.leave_compiled_out();
        }
        if self.files.iter().all(|(part, _)| *part == Part::Manifest) {
            self.files.clear();
        }
        let depth = |path: &str| path.matches('/').count();
        self.files.sort_by(|(part_a, a), (part_b, b)| {
            (part_a, depth(&a.path), &a.path).cmp(&(part_b, depth(&b.path), &b.path))
        });
        self.files.dedup_by(|(_, a), (_, b)| a.path == b.path);
        let mut listing = Listing { skipped: self.skipped, ..Listing::default() };
        let (mut n_bytes, mut n_over_limits) = (0, 0);
        for (_, entry) in self.files {
            if entry.stamp.size > limits.max_file_bytes {
                listing.too_large.push(entry);
            } else if listing.entries.len() < limits.n_files && n_bytes + entry.stamp.size <= limits.n_bytes {
                n_bytes += entry.stamp.size;
                listing.entries.push(entry);
            } else {
                n_over_limits += 1;
            }
        }
        listing.entries.sort_by(|a, b| a.path.cmp(&b.path));
        listing.too_large.sort_by(|a, b| a.path.cmp(&b.path));
        PackageListing { listing, n_over_limits }
    }

    /// Leaves out JavaScript that has declarations: it is compiled, and they have the comments.
    fn leave_compiled_out(&mut self) {
        self.files.retain(|(part, entry)| {
            let language = Language::from_path(&entry.path);
            !(*part == Part::Code && language == Some(Language::JavaScript))
        });
    }
}

/// Files below a folder, links left out.
pub(super) fn of_folder(root: &Root, manager: PackageManager, limits: &PackageLimits) -> Candidates {
    let mut found = Candidates::default();
    let mut n_left = limits.n_looked_at;
    let mut folders = vec![(root.path().to_owned(), String::new(), 0)];
    while let Some((full, below, depth)) = folders.pop() {
        let entries = match fs::read_dir(&full) {
            Ok(entries) => entries,
            Err(error) => {
                found.skipped.push(Skipped { path: below, reason: reason(&error) });
                continue;
            }
        };
        for entry in entries.flatten().take(n_left) {
            n_left -= 1;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                found.skipped.push(Skipped { path: below.clone(), reason: SkipReason::NotUtf8 });
                continue;
            };
            let (Ok(kind), path) = (entry.file_type(), under(&below, &name)) else { continue };
            if kind.is_dir() && depth < MAX_DEPTH && may_enter(&name) {
                folders.push((entry.path(), path, depth + 1));
            } else if kind.is_file() {
                found.add(manager, &path, || Some(FileStamp::from_metadata(&entry.metadata().ok()?)));
            }
        }
    }
    found
}

fn may_enter(folder: &str) -> bool {
    !DEPENDENCY_FOLDERS.contains(&folder) && folder != TEST_INPUTS
}

/// Files that a package manager recorded.
pub(super) fn of_record(
    root: &Root,
    manager: PackageManager,
    paths: &[String],
    limits: &PackageLimits,
) -> Candidates {
    let mut found = Candidates::default();
    for path in paths.iter().take(limits.n_looked_at) {
        found.add(manager, path, || crate::stamp(root, path).ok());
    }
    found
}

/// Files of a jar.
pub(super) fn of_archive(
    archive: &SourceArchive,
    manager: PackageManager,
    limits: &PackageLimits,
) -> Candidates {
    let mut found = Candidates::default();
    for (path, stamp) in archive.files().take(limits.n_looked_at) {
        found.add(manager, path, || Some(stamp));
    }
    found
}

/// What a file does for readers; none if it does nothing.
fn part(manager: PackageManager, path: &str) -> Option<Part> {
    if folder(path).split('/').any(|part| part.starts_with('.')) || name(path).starts_with('.') {
        return None;
    }
    if is_document(Path::new(path)) {
        let role = PathRole::from_path(path);
        let is_elsewhere = matches!(role, PathRole::Test | PathRole::Vendored);
        return (!is_elsewhere && is_about_code(file_stem(path))).then_some(Part::Document);
    }
    if manager.manifest() == Some(path) {
        return Some(Part::Manifest);
    }
    let language = Language::from_path(path)?;
    if !manager.languages().contains(&language) || !is_product(manager, path) {
        return None;
    }
    let is_declaration = path.contains(".d.") && extension(path).ends_with("ts") || extension(path) == "pyi";
    Some(if is_declaration { Part::Declaration } else { Part::Code })
}

/// Whether code is no test, example or nested package. Jars of sources have no tests, and may be about testing; the tests of
/// Go have one ending.
fn is_product(manager: PackageManager, path: &str) -> bool {
    match manager {
        PackageManager::Maven => true,
        PackageManager::Go => !path.ends_with("_test.go"),
        _ => {
            let role = PathRole::from_path(path);
            !is_test(path) && !matches!(role, PathRole::Test | PathRole::Example | PathRole::Vendored)
        }
    }
}
