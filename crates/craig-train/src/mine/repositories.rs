//! Which repositories and files may be trained on.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use craig_source::skipped_folders;
use craig_text::PathRole;

/// One line of the list: `owner/name`, language, licence, bare git directory, commit.
pub(crate) struct Repository {
    pub(crate) name: String,
    pub(crate) git_dir: PathBuf,
    pub(crate) commit: String,
}

/// Reads the list; refuses it when it names a repository of `never_train`.
pub(crate) fn load(list: &Path, never_train: &Path) -> Result<Vec<Repository>> {
    let never: HashSet<String> = lines(never_train)?.into_iter().map(|name| name.to_lowercase()).collect();
    let repositories = lines(list)?
        .iter()
        .map(|line| parse(line))
        .collect::<Result<Vec<_>>>()
        .with_context(|| format!("{} is not a list of repositories", list.display()))?;
    for repository in &repositories {
        if never.contains(&repository.name.to_lowercase()) {
            bail!("{} must never be trained on", repository.name);
        }
    }
    Ok(repositories)
}

fn parse(line: &str) -> Result<Repository> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[name, _language, _licence, git_dir, commit] = columns.as_slice() else {
        bail!("expected five columns: {line:?}");
    };
    Ok(Repository { name: name.to_owned(), git_dir: git_dir.into(), commit: commit.to_owned() })
}

/// Paths to leave out, by repository: files that repositories of the evaluation hold too.
pub(crate) fn load_skipped(path: &Path) -> Result<HashMap<String, HashSet<String>>> {
    let mut skipped: HashMap<String, HashSet<String>> = HashMap::new();
    for line in lines(path)? {
        let mut columns = line.split('\t');
        if let (Some(name), Some(path)) = (columns.next(), columns.next()) {
            skipped.entry(name.to_owned()).or_default().insert(path.to_owned());
        }
    }
    Ok(skipped)
}

/// Lines of a file that are neither empty nor comments.
fn lines(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text
        .lines()
        .map(str::trim_end)
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(str::to_owned)
        .collect())
}

/// Folders of data that code reads and nobody describes, and of code that a build writes, beside those that no project tracks.
const DATA_FOLDERS: &[&str] = &[
    "gen",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test-data",
    "test_data",
    "snapshots",
    "__snapshots__",
    "locale",
    "locales",
    "i18n",
    "corpus",
    "minified",
];

/// True for files of the project's own making.
pub(crate) fn is_own(path: &str) -> bool {
    let is_data = |part: &str| {
        let lower = part.to_lowercase();
        part.starts_with('.')
            || skipped_folders().any(|name| name == lower)
            || DATA_FOLDERS.contains(&lower.as_str())
    };
    !matches!(PathRole::from_path(path), PathRole::Vendored | PathRole::Generated)
        && !path.split('/').any(is_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_of_the_evaluation_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let list = write("list.tsv", "a/b\tRust\tMIT\t/nowhere\tabc\n");
        assert_eq!(load(&list, &write("never", "# comment\nc/d\n")).unwrap()[0].name, "a/b");
        let refused = load(&list, &write("never", "A/B\n")).err().unwrap();
        assert_eq!(refused.to_string(), "a/b must never be trained on");
    }

    #[test]
    fn files_of_others_and_data_are_left_out() {
        assert!(is_own("src/vendoring.rs") && !is_own("a/vendor/b.c") && !is_own(".github/x.yml"));
    }
}
