//! The rules of a walk that ignore files do not know: hidden names, skipped folders, the user's own globs.

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Component, Path},
    slice,
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::{
    Root, SourceError, SourceOptions,
    ignore_files::lines_of,
    options::{Hidden, IgnoreRules, SKIPPED_FOLDERS},
    secret::is_env_file,
};

/// Why a path is left out by a rule of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excluded {
    Hidden,
    SkippedFolder,
    Glob,
}

/// The options of a walk, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    hidden: Hidden,
    skipped_folders: HashSet<String>,
    left_out: Gitignore,
    /// `!` lines of the root's ignore files and the user's includes: they bring back hidden and skipped names.
    brought_in: Gitignore,
    /// The same as plain text, to see whether a folder leads to one of them.
    brought_in_globs: Vec<String>,
}

impl Rules {
    pub(crate) fn new(root: &Root, options: &SourceOptions) -> Result<Rules, SourceError> {
        let standard = SKIPPED_FOLDERS.iter().map(|name| name.to_string());
        let skipped_folders = standard.chain(options.extra_skipped_folders.iter().cloned()).collect();
        let mut brought_in_globs = options.extra_include_globs.clone();
        // Checked before the lines of the user's files join them: only a bad glob in the options is an error.
        compile(root, &brought_in_globs, "!")?;
        if options.ignore_rules == IgnoreRules::Respect {
            let mut from_files = globs_brought_back(root, &skipped_folders);
            from_files.retain(|glob| compile(root, slice::from_ref(glob), "!").is_ok());
            brought_in_globs.extend(from_files);
        }
        Ok(Rules {
            hidden: options.hidden,
            skipped_folders,
            left_out: compile(root, &options.extra_ignore_globs, "")?,
            brought_in: compile(root, &brought_in_globs, "!")?,
            brought_in_globs,
        })
    }

    /// Whether a path relative to the root is left out. Every part of the path counts, not only the last.
    pub(crate) fn exclude(&self, relative: &Path, is_dir: bool) -> Option<Excluded> {
        if self.left_out.matched_path_or_any_parents(relative, is_dir).is_ignore() {
            return Some(Excluded::Glob);
        }
        let reason = self.exclude_by_name(relative, is_dir)?;
        (!self.is_brought_in(relative, is_dir)).then_some(reason)
    }

    fn exclude_by_name(&self, relative: &Path, is_dir: bool) -> Option<Excluded> {
        let last = relative.components().count().checked_sub(1)?;
        relative.components().enumerate().find_map(|(at, part)| {
            let Component::Normal(name) = part else { return None };
            let name = name.to_string_lossy();
            let is_folder = is_dir || at < last;
            if is_folder && self.skipped_folders.contains(&*name) && !is_package(relative, at) {
                return Some(Excluded::SkippedFolder);
            }
            let is_hidden = self.hidden == Hidden::Exclude && name.starts_with('.');
            (is_hidden && (is_folder || !is_env_file(&name))).then_some(Excluded::Hidden)
        })
    }

    fn is_brought_in(&self, relative: &Path, is_dir: bool) -> bool {
        if self.brought_in_globs.is_empty() {
            return false;
        }
        self.brought_in.matched_path_or_any_parents(relative, is_dir).is_whitelist()
            || (is_dir && self.leads_to_one_brought_in(relative))
    }

    /// `.github` must be entered for `.github/**` and `.github/workflows/*.yml` to be found.
    fn leads_to_one_brought_in(&self, folder: &Path) -> bool {
        let folder = format!("{}/", folder.to_string_lossy());
        self.brought_in_globs.iter().any(|glob| glob.trim_start_matches('/').starts_with(&folder))
    }
}

/// Whether the part of a path at `at` is a package of a JVM source tree, such as Spring's
/// `src/main/java/org/springframework/aop/target`. No build tool writes its output there, and in the repositories of
/// the evaluation set these are where most of the source below a folder named `target` or `build` lies.
fn is_package(relative: &Path, at: usize) -> bool {
    let above: Vec<&OsStr> = relative.components().take(at).map(|part| part.as_os_str()).collect();
    let is_jvm =
        |language: &OsStr| ["java", "kotlin", "scala", "groovy"].iter().any(|name| language == *name);
    above.windows(3).any(|parts| parts[0] == "src" && is_jvm(parts[2]))
}

/// The `!` lines of the root's `.pukuignore` and `.ignore` that name a hidden or skipped folder in so many letters.
///
/// Others keep their usual meaning only: `!*/` must not open `node_modules`.
fn globs_brought_back(root: &Root, skipped_folders: &HashSet<String>) -> Vec<String> {
    let names_excluded = |glob: &&str| {
        glob.split('/').any(|part| part.len() > 1 && part.starts_with('.') || skipped_folders.contains(part))
    };
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
