//! The rules of a walk that ignore files do not know: hidden names, skipped folders, the user's own globs.

use std::{collections::HashSet, slice};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::{
    Root, SourceError, SourceOptions,
    ignore_files::lines_of,
    options::{DEPENDENCY_FOLDERS, Hidden, IgnoreRules, OUTPUT_FOLDERS, skipped_folders},
    secret::is_env_file,
};

/// Why a name is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByName {
    Hidden,
    BuildOutput,
    Dependencies,
    Setting,
}

impl ByName {
    /// Whether what git tracks is taken all the same.
    pub(crate) fn yields_to_git(self) -> bool {
        matches!(self, Self::Hidden | Self::BuildOutput)
    }
}

/// The options of a walk, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    hidden: Hidden,
    skipped_by_setting: HashSet<String>,
    left_out: Gitignore,
    /// `!` lines of the root's ignore files and the user's includes: they bring back hidden and skipped names.
    brought_in: Gitignore,
    /// The same as plain text, to see whether a folder leads to one of them.
    brought_in_globs: Vec<String>,
}

impl Rules {
    pub(crate) fn new(root: &Root, options: &SourceOptions) -> Result<Rules, SourceError> {
        let skipped_by_setting: HashSet<String> = options.extra_skipped_folders.iter().cloned().collect();
        let mut brought_in_globs = options.extra_include_globs.clone();
        // Checked before the lines of the user's files join them: only a bad glob in the options is an error.
        compile(root, &brought_in_globs, "!")?;
        if options.ignore_rules == IgnoreRules::Respect {
            let mut from_files = globs_brought_back(root, &skipped_by_setting);
            from_files.retain(|glob| compile(root, slice::from_ref(glob), "!").is_ok());
            brought_in_globs.extend(from_files);
        }
        Ok(Rules {
            hidden: options.hidden,
            skipped_by_setting,
            left_out: compile(root, &options.extra_ignore_globs, "")?,
            brought_in: compile(root, &brought_in_globs, "!")?,
            brought_in_globs,
        })
    }

    /// Whether a glob of the options leaves out a path relative to the root.
    pub(crate) fn is_excluded_by_glob(&self, relative: &str, is_dir: bool) -> bool {
        !self.left_out.is_empty() && self.left_out.matched_path_or_any_parents(relative, is_dir).is_ignore()
    }

    /// Why a path relative to the root is left out by its own name; the folders above it are taken to be entered.
    pub(crate) fn by_name(&self, relative: &str, is_dir: bool) -> Option<ByName> {
        let name = relative.rsplit('/').next().unwrap_or(relative);
        let is_hidden = self.hidden == Hidden::Exclude && name.starts_with('.');
        match () {
            () if name == ".git" => Some(ByName::Dependencies),
            () if is_dir && self.skipped_by_setting.contains(name) => Some(ByName::Setting),
            () if is_dir && DEPENDENCY_FOLDERS.contains(&name) => Some(ByName::Dependencies),
            () if is_dir && OUTPUT_FOLDERS.contains(&name) && !is_package(relative) => {
                Some(ByName::BuildOutput)
            }
            () if is_hidden && (is_dir || !is_env_file(name)) => Some(ByName::Hidden),
            () => None,
        }
    }

    /// Whether a file that git tracks is taken, as far as ignore files made for search tools do not object.
    pub(crate) fn takes_tracked(&self, relative: &str) -> bool {
        let mut ends = relative.match_indices('/').map(|(at, _)| at);
        let is_skipped = |end: usize| {
            let folder = &relative[..end];
            self.by_name(folder, true).is_some_and(|why| !why.yields_to_git())
                && !self.is_brought_in(folder, true)
        };
        !self.is_excluded_by_glob(relative, false) && !ends.any(is_skipped)
    }

    /// Whether a glob of the user brings in a path, or one below it.
    pub(crate) fn is_brought_in(&self, relative: &str, is_dir: bool) -> bool {
        if self.brought_in_globs.is_empty() {
            return false;
        }
        self.brought_in.matched_path_or_any_parents(relative, is_dir).is_whitelist()
            || (is_dir && self.leads_to_one_brought_in(relative))
    }

    /// `.github` must be entered for `.github/**` and `.github/workflows/*.yml` to be found.
    fn leads_to_one_brought_in(&self, folder: &str) -> bool {
        let folder = format!("{folder}/");
        self.brought_in_globs.iter().any(|glob| glob.trim_start_matches('/').starts_with(&folder))
    }
}

/// Whether a folder is a package of a JVM source tree, such as Spring's `src/main/java/org/springframework/aop/target`.
/// No build tool writes its output there, and in the repositories of the evaluation set these are where most of the source
/// below a folder named `target` or `build` lies.
fn is_package(folder: &str) -> bool {
    let above: Vec<&str> = folder.split('/').collect();
    let above = &above[..above.len() - 1];
    above
        .windows(3)
        .any(|parts| parts[0] == "src" && ["java", "kotlin", "scala", "groovy"].contains(&parts[2]))
}

/// The `!` lines of the root's `.pukuignore` and `.ignore` that name a hidden or skipped folder in so many letters.
///
/// Others keep their usual meaning only: `!*/` must not open `node_modules`.
fn globs_brought_back(root: &Root, skipped_by_setting: &HashSet<String>) -> Vec<String> {
    let is_skipped =
        |part: &str| skipped_folders().any(|name| name == part) || skipped_by_setting.contains(part);
    let names_excluded =
        |glob: &&str| glob.split('/').any(|part| part.len() > 1 && part.starts_with('.') || is_skipped(part));
    let lines = [".pukuignore", ".ignore"].map(|name| lines_of(root, name)).concat();
    lines
        .iter()
        .filter_map(|line| line.trim().strip_prefix('!'))
        .filter(|glob| glob.len() <= MAX_GLOB_BYTES)
        .filter(names_excluded)
        .take(MAX_GLOBS_BROUGHT_BACK)
        .map(str::to_owned)
        .collect()
}

/// Globs of a repository's files that are compiled with those of the options: a bound on what they cost, far from what
/// anybody writes.
const MAX_GLOBS_BROUGHT_BACK: usize = 500;
const MAX_GLOB_BYTES: usize = 256;

fn compile(root: &Root, globs: &[String], prefix: &str) -> Result<Gitignore, SourceError> {
    let bad = |glob: &str, source| SourceError::BadGlob { glob: glob.to_owned(), source };
    let mut builder = GitignoreBuilder::new(root.path());
    for glob in globs {
        builder.add_line(None, &format!("{prefix}{glob}")).map_err(|error| bad(glob, error))?;
    }
    builder.build().map_err(|error| bad(&globs.join(" "), error))
}
