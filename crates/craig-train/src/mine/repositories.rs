//! Which repositories and files may be trained on.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

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

/// Folders whose files others wrote, tools made, or nobody reads.
const FOREIGN_FOLDERS: &[&str] = &[
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "3rd-party",
    "vendor",
    "vendored",
    "_vendor",
    "deps",
    "extern",
    "external",
    "externals",
    "node_modules",
    "dist",
    "build",
    "target",
    "out",
    "generated",
    "gen",
    "fixtures",
    "testdata",
    "test-data",
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
    !path
        .split('/')
        .any(|part| part.starts_with('.') || FOREIGN_FOLDERS.contains(&part.to_lowercase().as_str()))
}

/// True for files whose folder or name says that they are tests.
pub(crate) fn is_test(path: &str) -> bool {
    let is_test_word =
        |word: &str| matches!(word, "test" | "tests" | "spec" | "specs" | "testing" | "benches" | "bench");
    let lower = path.to_lowercase();
    lower.split(['/', '.', '_', '-']).any(is_test_word)
        || path.rsplit('/').next().is_some_and(|name| name.contains("Test") || name.contains("Spec."))
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
    fn foreign_and_test_files_are_told_by_their_paths() {
        assert!(is_own("src/vendoring.rs") && !is_own("a/vendor/b.c") && !is_own(".github/x.yml"));
        assert!(is_test("src/foo_test.go") && is_test("spec/a.rb") && is_test("src/FooTest.java"));
        assert!(!is_test("src/latest.rs") && !is_test("src/inspector.rs"));
    }
}
