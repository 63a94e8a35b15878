//! Which files of a project are tracked.

/// Files above this size are not tracked unless the user raises the limit.
pub const DEFAULT_MAX_FILE_SIZE_BYTES: u64 = 1_048_576;

/// Folders of dependencies, caches and git's own data: not entered even if git tracks files in them.
pub(crate) const DEPENDENCY_FOLDERS: &[&str] = &["node_modules", ".git", "__pycache__", ".venv"];

/// Folders of build output: not entered unless git tracks files in them.
pub(crate) const OUTPUT_FOLDERS: &[&str] = &["dist", "build", ".next", "out", "target"];

/// Names of folders that are not entered unless git or the options bring them in: dependencies, caches, build output.
pub fn skipped_folders() -> impl Iterator<Item = &'static str> {
    DEPENDENCY_FOLDERS.iter().chain(OUTPUT_FOLDERS).copied()
}

/// Files that hold ignore rules, strongest first.
pub const IGNORE_FILES: &[&str] = &[".pukuignore", ".ignore", ".gitignore"];

/// What to do with files and folders whose name begins with a dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// Leave them out, but for what git tracks and `.env` files, which are tracked by name.
    #[default]
    Exclude,
    /// Track them like any other.
    Include,
}

/// What to do with `.gitignore`, `.ignore` and `.pukuignore` files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoreRules {
    /// Keep their rules. Those of git hold for what git does not track.
    #[default]
    Respect,
    /// Track what they exclude, too.
    Disregard,
}

/// Which files of a project are tracked. The default is what a user expects of a fresh project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceOptions {
    /// Larger files are not tracked. Default: [`DEFAULT_MAX_FILE_SIZE_BYTES`].
    pub max_file_size_bytes: u64,
    /// Hidden files and folders that git does not track. Default: left out.
    pub hidden: Hidden,
    /// Ignore files, global git excludes included. Default: respected.
    pub ignore_rules: IgnoreRules,
    /// Names of folders to skip anywhere, in addition to [`skipped_folders`], whatever git tracks in them.
    pub extra_skipped_folders: Vec<String>,
    /// Files and folders to leave out, as lines of a `.gitignore` at the root.
    pub extra_ignore_globs: Vec<String>,
    /// Files and folders to bring in although they are hidden or in a skipped folder: `.github/**`, `src/build/`.
    ///
    /// They do not bring back what an ignore file excludes: for that, write `!pattern` into a `.pukuignore`.
    pub extra_include_globs: Vec<String>,
}

impl Default for SourceOptions {
    fn default() -> Self {
        SourceOptions {
            max_file_size_bytes: DEFAULT_MAX_FILE_SIZE_BYTES,
            hidden: Hidden::default(),
            ignore_rules: IgnoreRules::default(),
            extra_skipped_folders: Vec::new(),
            extra_ignore_globs: Vec::new(),
            extra_include_globs: Vec::new(),
        }
    }
}
