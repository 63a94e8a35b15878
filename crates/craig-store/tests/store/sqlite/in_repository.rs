//! Databases in repositories: whose they are, and what a clone can bring in their place.

use std::fs;
use std::path::{Path, PathBuf};

use craig_source::Root;
use craig_store::{RepositoryDatabase, Role, Store, StoreError};
use tempfile::TempDir;

/// A repository, and the data folder of the user who works in it.
struct Repository {
    folder: TempDir,
    data: TempDir,
}

impl Repository {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() }
    }

    /// One whose database holds the project `mine`.
    fn with_database() -> Self {
        let repository = Self::new();
        repository.open().unwrap().create_project("mine", "/src/mine", "{}").unwrap();
        repository
    }

    fn database(&self) -> RepositoryDatabase {
        RepositoryDatabase {
            root: Root::open(self.folder.path()).unwrap(),
            folder: ".aidocs",
            file: "docs.db".into(),
            role: Role::Documentation,
            data_folder: self.data.path().to_owned(),
        }
    }

    fn open(&self) -> Result<Store, StoreError> {
        Store::open_in_repository(&self.database())
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.database().root.path().join(".aidocs").join(format!("docs.db{ending}"))
    }

    /// Names of the projects in the database as it is opened now.
    fn projects(&self) -> Vec<String> {
        self.open().unwrap().projects().unwrap().into_iter().map(|project| project.name).collect()
    }
}

/// Puts a file into the place of another as git does.
fn put(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_database_of_this_user_is_reopened() {
    let repository = Repository::with_database();
    assert_eq!(repository.projects(), ["mine"]);
    let store = repository.open().unwrap();
    assert_eq!(store.reopen().unwrap().projects().unwrap().len(), 1);
    // Its log is there as long as it is open, and others open it as well.
    assert!(repository.path("-wal").exists());
    assert_eq!(repository.projects(), ["mine"]);
    assert!(store.derived_folder().starts_with(repository.data.path()));
}

#[test]
fn a_database_left_by_a_killed_process_is_reopened() {
    let repository = Repository::with_database();
    // Never closed: its log stays.
    std::mem::forget(repository.open().unwrap());
    assert_eq!(repository.projects(), ["mine"]);
}

#[test]
fn a_database_that_came_with_the_repository_is_replaced() {
    let (ours, theirs) = (Repository::new(), Repository::with_database());
    drop(ours.open().unwrap());
    put(&ours.path(""), &fs::read(theirs.path("")).unwrap());
    assert_eq!(ours.projects(), [""; 0]);

    // The same bytes as the user's own, as if they had been committed, changed, and pulled.
    let ours = Repository::with_database();
    put(&ours.path(""), &fs::read(ours.path("")).unwrap());
    assert_eq!(ours.projects(), [""; 0]);

    // Into the same file, as `cp` does it.
    let ours = Repository::with_database();
    fs::write(ours.path(""), fs::read(theirs.path("")).unwrap()).unwrap();
    assert_eq!(ours.projects(), [""; 0]);

    // To another place.
    let moved = Repository { folder: tempfile::tempdir().unwrap(), ..Repository::with_database() };
    assert_eq!(moved.projects(), [""; 0]);
}

#[test]
fn a_log_that_came_with_the_repository_is_not_played_back() {
    let repository = Repository::with_database();
    let store = repository.open().unwrap();
    store.reopen().unwrap().create_project("forged", "/src/forged", "{}").unwrap();
    let (database, log) =
        (fs::read(repository.path("")).unwrap(), fs::read(repository.path("-wal")).unwrap());
    drop(store);
    let other = Repository::new();
    drop(other.open().unwrap());
    fs::write(other.path(""), database).unwrap();
    put(&other.path("-wal"), &log);
    assert_eq!(other.projects(), [""; 0]);
    assert_eq!(fs::metadata(other.path("-wal")).map(|found| found.len()).unwrap_or(0), 0);
}

/// A process that is killed while it opens the database leaves its log without a word about it.
#[test]
fn an_empty_log_does_not_invalidate_the_database() {
    let repository = Repository::with_database();
    put(&repository.path("-wal"), b"");
    assert_eq!(repository.projects(), ["mine"]);
}

#[test]
fn a_journal_that_came_with_the_repository_is_removed() {
    let repository = Repository::with_database();
    put(&repository.path("-journal"), &[0xD9; 4_096]);
    assert_eq!(repository.projects(), ["mine"]);
    assert!(!repository.path("-journal").exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let user = tempfile::tempdir().unwrap();
    let index = user.path().join("craig.db");
    Store::open(&index).unwrap().create_project("shop", "/src/shop", "{}").unwrap();
    let before = fs::read(&index).unwrap();

    for ending in ["", "-wal", "-shm", "-journal"] {
        let repository = Repository::with_database();
        let _ = fs::remove_file(repository.path(ending));
        symlink(&index, repository.path(ending)).unwrap();
        repository.open().unwrap().create_project("new", "/src/new", "{}").unwrap();
        assert!(!repository.path(ending).is_symlink(), "{ending:?}");
    }
    let repository = Repository::with_database();
    fs::remove_file(repository.path("")).unwrap();
    fs::hard_link(&index, repository.path("")).unwrap();
    assert_eq!(repository.projects(), [""; 0]);

    let repository = Repository::new();
    symlink(user.path(), repository.folder.path().join(".aidocs")).unwrap();
    let error = repository.open().map(drop).unwrap_err();
    assert!(error.to_string().contains("is a link"), "{error}");

    assert_eq!(fs::read(&index).unwrap(), before);
    assert_eq!(fs::read_dir(user.path()).unwrap().count(), 1);
}

#[test]
fn an_index_that_a_user_put_there_is_left_alone() {
    let repository = Repository::new();
    fs::create_dir(repository.folder.path().join(".aidocs")).unwrap();
    Store::open(&repository.path("")).unwrap().create_project("shop", "/src/shop", "{}").unwrap();
    let error = repository.open().map(drop).unwrap_err();
    let (found, wanted) = (Role::Index, Role::Documentation);
    assert!(
        matches!(error, StoreError::OtherRole { found: f, wanted: w, .. } if (f, w) == (found, wanted)),
        "{error}"
    );
    assert_eq!(Store::open(&repository.path("")).unwrap().projects().unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_has_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::with_database();
    let store = repository.open().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(["", "-wal", "-shm"].map(|ending| mode(&repository.path(ending))), [0o600; 3]);
    assert_eq!([mode(repository.path("").parent().unwrap()), mode(store.derived_folder())], [0o700; 2]);
}
