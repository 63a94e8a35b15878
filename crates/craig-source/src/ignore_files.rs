//! Reads ignore files and matches paths against them.
//!
//! The files come from repositories that nobody vouches for, so each is read with a look at what it is, a line at a time, and
//! within bounds. The syntax and the matching of one line are those of the `ignore` crate.

mod patterns;

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read as _},
    iter,
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, gitconfig_excludes_path},
};

use crate::{
    Root, SkipReason, Skipped,
    git::exclude_file,
    options::IGNORE_FILES,
    place::Place,
    regular::open_regular,
    walk::{lossy, relative_to},
};
use patterns::{Dialect, Patterns};

/// Larger ignore files hold only as far as this.
const MAX_FILE_BYTES: u64 = 1_048_576;

/// Kinds of rules, strongest first: [`IGNORE_FILES`], a repository's `info/exclude`, the user's own excludes.
const N_KINDS: usize = IGNORE_FILES.len() + 2;
const GITIGNORE: usize = IGNORE_FILES.len() - 1;
const EXCLUDE: usize = N_KINDS - 2;
const GLOBAL: usize = N_KINDS - 1;

/// The rules that hold in one folder: its own and, linked, those of the folders above it.
#[derive(Debug)]
pub(crate) struct FolderRules {
    above: Option<Arc<FolderRules>>,
    place: Place,
    /// By kind; of a kind's sets the last is the strongest.
    sets: [Vec<Gitignore>; N_KINDS],
    /// Memory that these and all above may take, by [`Patterns::weight`].
    weight: usize,
}

/// The kind of rule that leaves a path out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IgnoredBy {
    /// `.pukuignore` or `.ignore`: made for search tools, whatever git does with the path.
    SearchRules,
    /// Git's own rules, which hold for what git does not track.
    GitRules,
}

impl FolderRules {
    /// The rule that excludes a path relative to the root, if any. The folders above it are assumed to be entered.
    ///
    /// A stronger kind decides before a weaker one, in it the nearest folder, in a file the last line that matches.
    pub(crate) fn ignored_by(&self, relative: &str, is_dir: bool) -> Option<IgnoredBy> {
        let decided = |kind: usize| {
            let is_ignored = self.chain().find_map(|rules| rules.decision(kind, relative, is_dir))?;
            let by = if kind < GITIGNORE { IgnoredBy::SearchRules } else { IgnoredBy::GitRules };
            Some(is_ignored.then_some(by))
        };
        (0..N_KINDS).find_map(decided).flatten()
    }

    fn chain(&self) -> impl Iterator<Item = &FolderRules> {
        iter::successors(Some(self), |rules| rules.above.as_deref())
    }

    fn decision(&self, kind: usize, relative: &str, is_dir: bool) -> Option<bool> {
        let sets = &self.sets[kind];
        if sets.is_empty() {
            return None;
        }
        let path = self.place.path(relative)?;
        sets.iter().rev().find_map(|set| match set.matched(&*path, is_dir) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        })
    }
}

/// Which ignore files a folder has, and whether it has a `.git`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Present {
    files: [bool; IGNORE_FILES.len()],
    git: bool,
}

impl Present {
    /// For a folder whose entries are not known: missing files do no harm.
    pub(crate) const PERHAPS_ALL: Present = Present { files: [true; IGNORE_FILES.len()], git: true };

    /// Takes note of an entry of the folder.
    pub(crate) fn note(&mut self, name: &OsStr) {
        if !name.as_encoded_bytes().starts_with(b".") {
            return;
        }
        self.git |= name == ".git";
        for (is_there, file) in self.files.iter_mut().zip(IGNORE_FILES) {
            *is_there |= name == *file;
        }
    }

    /// Whether the folder may be the top of a working tree.
    pub(crate) fn has_git(self) -> bool {
        self.git
    }
}

/// The ignore files of a project.
#[derive(Debug)]
pub(crate) struct IgnoreFiles {
    root: PathBuf,
}

impl IgnoreFiles {
    pub(crate) fn new(root: &Root) -> Self {
        Self { root: root.path().to_owned() }
    }

    /// The rules from outside of the root: the user's own excludes, and those of the repository around the root.
    pub(crate) fn outside(&self, troubles: &mut Vec<Skipped>) -> Arc<FolderRules> {
        let mut rules =
            FolderRules { above: None, place: Place::Below(0), sets: Default::default(), weight: 0 };
        // As git does, what is wrong with the user's own file is passed over: no project is to blame.
        if let Some(patterns) = gitconfig_excludes_path().and_then(|path| read_own(&path)) {
            let patterns = Patterns::parse(&patterns, Dialect::Git, 0);
            (rules.weight, rules.sets[GLOBAL]) = (patterns.weight, patterns.sets);
        }
        let global = Arc::new(rules);
        let mut around = Vec::new();
        match self.around(&global, &mut around) {
            Some(rules) => {
                troubles.append(&mut around);
                rules
            }
            None => global,
        }
    }

    /// The rules of the folders above the root, if they have a say in it.
    ///
    /// They do inside a git repository. They do not in a plain folder (a `.gitignore` with `*` in the home directory would
    /// empty every project below), nor where the repository around ignores the very folder that the user requested.
    fn around(&self, global: &Arc<FolderRules>, troubles: &mut Vec<Skipped>) -> Option<Arc<FolderRules>> {
        let top = self.root.ancestors().find(|folder| folder.join(".git").exists())?;
        let below_top = self.root.strip_prefix(top).ok()?.to_str()?.replace('\\', "/");
        let mut rules = Arc::clone(global);
        let mut folder = top.to_owned();
        let mut left = below_top.as_str();
        while !left.is_empty() {
            let prefix = format!("{left}/");
            rules = self.join(&folder, Present::PERHAPS_ALL, Place::Above(prefix), &rules, troubles);
            let (name, rest) = left.split_once('/').unwrap_or((left, ""));
            // The rules take paths relative to the root, and this one is the root's own or lies above.
            if rules.is_ignored_above(left, name) {
                return None;
            }
            folder.push(name);
            left = rest;
        }
        Some(rules)
    }

    /// The rules in a folder of the root, given by its path relative to the root, from those in the folder above it.
    pub(crate) fn enter(
        &self,
        folder: &str,
        present: Present,
        above: &Arc<FolderRules>,
        troubles: &mut Vec<Skipped>,
    ) -> Arc<FolderRules> {
        if !present.git && present.files == [false; IGNORE_FILES.len()] {
            return Arc::clone(above);
        }
        self.join(&self.root.join(folder), present, Place::below(folder), above, troubles)
    }

    fn join(
        &self,
        folder: &Path,
        present: Present,
        place: Place,
        above: &Arc<FolderRules>,
        troubles: &mut Vec<Skipped>,
    ) -> Arc<FolderRules> {
        let mut rules = FolderRules {
            above: Some(Arc::clone(above)),
            place,
            sets: Default::default(),
            weight: above.weight,
        };
        for (kind, name) in IGNORE_FILES.iter().enumerate().filter(|&(kind, _)| present.files[kind]) {
            let dialect = if *name == ".gitignore" { Dialect::Git } else { Dialect::WithBraces };
            self.add(&mut rules, kind, &folder.join(name), dialect, troubles);
        }
        if let Some(exclude) = present.git.then(|| exclude_file(&folder.join(".git"))).flatten() {
            self.add(&mut rules, EXCLUDE, &exclude, Dialect::Git, troubles);
        }
        if rules.sets.iter().all(Vec::is_empty) {
            return Arc::clone(above);
        }
        Arc::new(rules)
    }

    /// Adds the rules of one file, and reports what of it does not hold.
    fn add(
        &self,
        rules: &mut FolderRules,
        kind: usize,
        path: &Path,
        dialect: Dialect,
        troubles: &mut Vec<Skipped>,
    ) {
        let mut report = |reason| {
            let path = lossy(relative_to(&self.root, path));
            troubles.push(Skipped { path, reason });
        };
        let text = match self.read(path) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(message) => return report(SkipReason::UnusableIgnoreFile { message }),
        };
        let patterns = Patterns::parse(&text, dialect, rules.weight);
        (rules.weight, rules.sets[kind]) = (patterns.weight, patterns.sets);
        if let Some(message) = patterns.bad_lines {
            report(SkipReason::BadIgnoreLine { message });
        }
        if let Some(message) = patterns.left_out {
            report(SkipReason::CutIgnoreFile { message });
        }
    }

    /// The beginning of an ignore file, up to one byte over the limit; `None` if there is none.
    ///
    /// A link is followed if it leads to a file in the root.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        let failure = |error: io::Error| format!("cannot be read: {error}");
        let kind = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(failure(error)),
        };
        if kind.is_dir() {
            return Ok(None);
        }
        let target = match kind.is_symlink() {
            true => path.canonicalize().map_err(|_| "it is a dangling link".to_owned())?,
            false => path.to_owned(),
        };
        if kind.is_symlink() && !target.starts_with(&self.root) {
            return Err("it is a link out of the project".to_owned());
        }
        match open_regular(&target) {
            Ok(Some(file)) => beginning(file).map(Some).map_err(failure),
            Ok(None) => Err("it is not a regular file".to_owned()),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }
}

impl FolderRules {
    /// Whether these rules, of a folder above the root, leave out its entry `name` on the way to the root, which lies at `left`.
    fn is_ignored_above(&self, left: &str, name: &str) -> bool {
        let decided = |kind: usize| {
            self.chain().find_map(|rules| {
                let Place::Above(prefix) = &rules.place else { return None };
                let on_the_way = &prefix[..prefix.len() - left.len() - 1 + name.len()];
                rules.sets[kind].iter().rev().find_map(|set| match set.matched(on_the_way, true) {
                    Match::None => None,
                    found => Some(found.is_ignore()),
                })
            })
        };
        (0..N_KINDS).find_map(decided).unwrap_or(false)
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A file that the user keeps for themselves: links are theirs, too.
fn read_own(path: &Path) -> Option<Vec<u8>> {
    let file = open_regular(&path.canonicalize().ok()?).ok()??;
    beginning(file).ok()
}

fn beginning(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The lines of one of the root's ignore files, as far as they are text and the file can be used.
pub(crate) fn lines_of(root: &Root, name: &str) -> Vec<String> {
    let text = IgnoreFiles::new(root).read(&root.path().join(name)).ok().flatten().unwrap_or_default();
    text.split(|&byte| byte == b'\n')
        .filter_map(|line| str::from_utf8(line).ok())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
