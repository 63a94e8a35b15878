//! Decides which files of a directory belong to its project: by ignore files, by what git tracks, by the options.
//!
//! A decision is made in each folder on the way from the root down, for all entries of that folder. [`walk`](crate::walk)
//! makes it for a whole tree, [`Lookup`] and [`left_out`] for single paths.

use std::{
    collections::{HashMap, HashSet},
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    Root, SkipReason, Skipped, SourceError, SourceOptions,
    git::{BadIndex, Repository, common_folder, git_folder},
    ignore_files::{FolderRules, IgnoreFiles, IgnoredBy, Present},
    notebook::max_bytes_of,
    options::IgnoreRules,
    own_database,
    place::Place,
    rules::{ByName, Rules},
};

/// A file or folder that is not part of a project although it is in its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Path relative to the root: of the file itself, or of the folder that is left out with all its files.
    pub path: String,
    /// Why.
    pub why: WhyLeftOut,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: {}", self.path, self.why)
    }
}

/// Why a file or folder is no part of a project. Each reads as the end of a sentence about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WhyLeftOut {
    /// An ignore file excludes it.
    #[error("excluded by an ignore file")]
    Ignored,
    /// Its name begins with a dot, and git does not track it.
    #[error("hidden and not tracked by git")]
    Hidden,
    /// Folders of this name hold build output, and git tracks nothing in this one.
    #[error("a build folder without files tracked by git")]
    BuildOutput,
    /// Folders of this name hold dependencies, caches or git's own data.
    #[error("a folder of dependencies or caches")]
    Dependencies,
    /// A setting names it.
    #[error("excluded by a setting")]
    Setting,
    /// It has a `.git` of its own: a linked worktree, or a clone that is no submodule.
    #[error("a separate git working tree")]
    OwnRepository,
    /// A symbolic link.
    #[error("a symbolic link")]
    Link,
    /// A database of Craig's, in use.
    #[error("Craig's own database")]
    OwnDatabase,
    /// Larger than the limit.
    #[error("over the size limit of {max_bytes} bytes")]
    TooLarge {
        /// The limit.
        max_bytes: u64,
    },
    /// A pipe, a device, or a name that is not UTF-8.
    #[error("not a regular file with a UTF-8 name")]
    Special,
}

/// Which entries of a folder are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// All that no rule excludes.
    Ordinary,
    /// Files that git tracks: git's own rules exclude the folder.
    Tracked,
    /// Files that match a glob of the user: the folder is otherwise hidden or skipped.
    Named(ByName),
}

/// What is decided by in one folder.
#[derive(Clone, Debug)]
pub(crate) struct FolderState {
    /// `None` when ignore files are to be disregarded.
    rules: Option<Arc<FolderRules>>,
    /// The working tree that the folder belongs to.
    repository: Option<Arc<Repository>>,
    taken: Taken,
}

impl FolderState {
    /// The state of a subfolder before it is entered, from the result of [`Selection::judge`].
    pub(crate) fn towards(&self, taken: Taken) -> FolderState {
        FolderState { taken, ..self.clone() }
    }

    pub(crate) fn repository(&self) -> Option<&Arc<Repository>> {
        self.repository.as_ref()
    }
}

/// The rules of one project.
#[derive(Debug)]
pub(crate) struct Selection {
    root: PathBuf,
    rules: Rules,
    ignore_files: Option<IgnoreFiles>,
    /// Files and folders of databases that are in use.
    databases: HashSet<String>,
}

impl Selection {
    /// Fails for a bad glob in the options.
    pub(crate) fn new(root: &Root, options: &SourceOptions) -> Result<Selection, SourceError> {
        let respects = options.ignore_rules == IgnoreRules::Respect;
        Ok(Selection {
            root: root.path().to_owned(),
            rules: Rules::new(root, options)?,
            ignore_files: respects.then(|| IgnoreFiles::new(root)),
            databases: own_database::below(root.path()),
        })
    }

    /// The state around the root: the user's own excludes, and the working tree that contains the root.
    pub(crate) fn outside(&self, troubles: &mut Vec<Skipped>) -> FolderState {
        let rules = self.ignore_files.as_ref().map(|files| files.outside(troubles));
        let top = self.root.ancestors().find(|folder| folder.join(".git").exists());
        let repository = top.filter(|top| *top != self.root).and_then(|top| {
            let below = self.root.strip_prefix(top).ok()?.to_str()?.replace('\\', "/");
            self.open(top, Place::Above(format!("{below}/")), troubles)
        });
        FolderState { rules, repository, taken: Taken::Ordinary }
    }

    /// The state in a folder, given by its path relative to the root. `towards` is that of the folder above, with what was
    /// decided of this one. Fails if it is a project of its own.
    pub(crate) fn enter(
        &self,
        folder: &str,
        present: Present,
        towards: &FolderState,
        troubles: &mut Vec<Skipped>,
    ) -> Result<FolderState, WhyLeftOut> {
        let mut state = towards.clone();
        let git = self.root.join(folder).join(".git");
        if present.has_git() && git.symlink_metadata().is_ok() {
            if !folder.is_empty() && self.is_own_repository(folder, &git, towards) {
                return Err(WhyLeftOut::OwnRepository);
            }
            let opened = self.open(&self.root.join(folder), Place::below(folder), troubles);
            state.repository = opened.or(state.repository);
        }
        if let (Some(files), Some(above)) = (&self.ignore_files, &towards.rules) {
            state.rules = Some(files.enter(folder, present, above, troubles));
        }
        Ok(state)
    }

    /// Whether an entry of a folder is left out, and if not, which entries of it are taken.
    pub(crate) fn judge(&self, state: &FolderState, path: &str, is_dir: bool) -> Result<Taken, WhyLeftOut> {
        let repository = state.repository.as_deref();
        let is_tracked =
            || repository.is_some_and(|it| if is_dir { it.tracks_below(path) } else { it.tracks_file(path) });
        if self.databases.contains(path) {
            return Err(WhyLeftOut::OwnDatabase);
        }
        if self.rules.is_excluded_by_glob(path, is_dir) {
            return Err(WhyLeftOut::Setting);
        }
        let by_name = self.rules.by_name(path, is_dir);
        let is_named = || self.rules.is_brought_in(path, is_dir);
        match state.rules.as_ref().and_then(|rules| rules.ignored_by(path, is_dir)) {
            Some(IgnoredBy::SearchRules) => return Err(WhyLeftOut::Ignored),
            Some(IgnoredBy::GitRules) if by_name.is_some_and(|why| !why.yields_to_git()) || !is_tracked() => {
                return Err(WhyLeftOut::Ignored);
            }
            Some(IgnoredBy::GitRules) => return Ok(Taken::Tracked),
            None => {}
        }
        match (state.taken, by_name) {
            (Taken::Ordinary, None) => Ok(Taken::Ordinary),
            (_, Some(why)) if !why.yields_to_git() => match is_named() {
                true => Ok(Taken::Named(why)),
                false => Err(why.into()),
            },
            (Taken::Tracked, _) if is_tracked() => Ok(Taken::Tracked),
            (Taken::Tracked, _) => Err(WhyLeftOut::Ignored),
            (Taken::Ordinary, Some(_)) | (Taken::Named(_), _) if is_tracked() => Ok(Taken::Ordinary),
            (Taken::Ordinary, Some(why)) | (Taken::Named(why), _) => match is_named() {
                true => Ok(Taken::Named(why)),
                false => Err(why.into()),
            },
        }
    }

    /// Opens a working tree; one that cannot be used tracks nothing, and that is reported.
    fn open(&self, top: &Path, place: Place, troubles: &mut Vec<Skipped>) -> Option<Arc<Repository>> {
        match Repository::open(top, place) {
            Ok(repository) => repository.map(Arc::new),
            Err(error) => {
                troubles.push(self.trouble_with_index(top, &error));
                None
            }
        }
    }

    fn trouble_with_index(&self, top: &Path, error: &BadIndex) -> Skipped {
        let path = top.join(".git/index");
        let path = path.strip_prefix(&self.root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        Skipped { path, reason: SkipReason::UnusableGitIndex { message: error.to_string() } }
    }

    /// Whether a folder with a `.git` is a project of its own.
    ///
    /// In a working tree, all are that it does not track: linked worktrees, and clones that are no submodules. A plain
    /// folder of clones is one project, without the linked worktrees of clones in it.
    fn is_own_repository(&self, folder: &str, git: &Path, above: &FolderState) -> bool {
        match &above.repository {
            Some(repository) => !repository.tracks_below(folder),
            None => {
                let common = git_folder(git).as_deref().and_then(common_folder);
                common
                    .and_then(|path| path.canonicalize().ok())
                    .is_some_and(|path| path.starts_with(&self.root))
            }
        }
    }
}

impl From<ByName> for WhyLeftOut {
    fn from(why: ByName) -> Self {
        match why {
            ByName::Hidden => Self::Hidden,
            ByName::BuildOutput => Self::BuildOutput,
            ByName::Dependencies => Self::Dependencies,
            ByName::Setting => Self::Setting,
        }
    }
}

/// The same rules asked by single paths, in no order.
#[derive(Debug)]
pub(crate) struct Lookup {
    selection: Selection,
    /// The states of requested folders, by path.
    known: HashMap<String, Result<FolderState, WhyLeftOut>>,
}

/// Beyond this number, folders are read again when they are requested.
const MAX_KNOWN_FOLDERS: usize = 4_096;

impl Lookup {
    /// Fails for a bad glob in the options.
    pub(crate) fn new(root: &Root, options: &SourceOptions) -> Result<Lookup, SourceError> {
        Ok(Lookup { selection: Selection::new(root, options)?, known: HashMap::new() })
    }

    /// The rule that excludes a path relative to the root: a rule about the path, or about a folder above it.
    pub(crate) fn left_out(&mut self, relative: &str, is_dir: bool) -> Option<LeftOut> {
        let fail = |end: usize, why| Some(LeftOut { path: relative[..end].to_owned(), why });
        let mut state = match self.state("", None) {
            Ok(state) => state,
            Err(why) => return fail(0, why),
        };
        if relative.is_empty() {
            return None;
        }
        let ends = relative.match_indices('/').map(|(at, _)| at).chain([relative.len()]);
        for end in ends {
            let path = &relative[..end];
            let is_dir = is_dir || end < relative.len();
            let taken = match self.selection.judge(&state, path, is_dir) {
                Ok(taken) => taken,
                Err(why) => return fail(end, why),
            };
            if is_dir {
                state = match self.state(path, Some(&state.towards(taken))) {
                    Ok(state) => state,
                    Err(why) => return fail(end, why),
                };
            }
        }
        None
    }

    /// The state in a folder, from that on the way to it.
    fn state(&mut self, folder: &str, towards: Option<&FolderState>) -> Result<FolderState, WhyLeftOut> {
        if let Some(state) = self.known.get(folder) {
            return state.clone();
        }
        // The walk reports what is wrong with ignore files and indexes.
        let mut troubles = Vec::new();
        let towards = towards.map_or_else(|| self.selection.outside(&mut troubles), FolderState::clone);
        let state = self.selection.enter(folder, Present::PERHAPS_ALL, &towards, &mut troubles);
        if self.known.len() >= MAX_KNOWN_FOLDERS {
            self.known.clear();
        }
        self.known.insert(folder.to_owned(), state.clone());
        state
    }
}

/// Why the file or folder at a path relative to the root is no part of the project. `None` if it is a part, if nothing is
/// there, or if the path leads out of the root.
///
/// Fails for a bad glob in the options.
pub fn left_out(root: &Root, options: &SourceOptions, path: &str) -> Result<Option<LeftOut>, SourceError> {
    let full = root.path().join(path);
    let is_inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if path.is_empty() || !is_inside {
        return Ok(None);
    }
    let path = path.trim_end_matches('/');
    if let Some(link) = link_on_the_way(root, path) {
        return Ok(Some(LeftOut { path: link, why: WhyLeftOut::Link }));
    }
    let Ok(metadata) = fs::symlink_metadata(&full) else { return Ok(None) };
    if let Some(left_out) = Lookup::new(root, options)?.left_out(path, metadata.is_dir()) {
        return Ok(Some(left_out));
    }
    let max_bytes = max_bytes_of(path, options.max_file_size_bytes);
    let why = match () {
        () if metadata.is_dir() => return Ok(None),
        () if !metadata.is_file() => WhyLeftOut::Special,
        () if metadata.len() > max_bytes => WhyLeftOut::TooLarge { max_bytes },
        () => return Ok(None),
    };
    Ok(Some(LeftOut { path: path.to_owned(), why }))
}

fn link_on_the_way(root: &Root, path: &str) -> Option<String> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let mut links = ends.map(|end| &path[..end]).filter(|path| root.path().join(path).is_symlink());
    links.next().map(str::to_owned)
}

#[cfg(test)]
mod tests;
