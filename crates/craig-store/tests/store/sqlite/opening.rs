//! Which files are opened, which are refused, and that the refused ones are left untouched.

use std::path::Path;

use craig_store::{Store, StoreError, StoreErrorKind};

use crate::fixture::{GUIDE, TestStore, file};

fn refusal(path: &Path) -> StoreError {
    match Store::open(path) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

#[test]
fn a_missing_folder_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b/ü/craig.db");
    assert!(Store::open(&path).unwrap().projects().unwrap().is_empty());
    assert!(path.is_file());
}

#[test]
fn a_newer_version_is_refused_and_left_untouched() {
    let (folder, path) = TestStore::new().closed();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let present: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let newer = present + 1;
    connection.pragma_update(None, "journal_mode", "delete").unwrap();
    connection.pragma_update(None, "user_version", newer).unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();

    let error = refusal(&path);
    assert!(matches!(error, StoreError::Newer { found, .. } if found == newer), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing was put beside it: {names:?}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    for text in ["x".to_owned(), "Not a database, but some notes. ".repeat(100)] {
        std::fs::write(&path, &text).unwrap();
        let error = refusal(&path);
        assert_eq!(error.kind(), StoreErrorKind::Damage, "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    let error = refusal(folder.path());
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = refusal(&folder.path().join("file/craig.db"));
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
}

#[test]
fn the_database_of_another_program_is_refused_and_left_untouched() {
    for version in [0, 1] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("photos.sqlite");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE photos (id INTEGER PRIMARY KEY)").unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        let error = refusal(&path);
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("another program"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_damaged_database_is_reported() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let files = (0..50).map(|i| file(&format!("f{i}.md"), &format!("# {i}\n\n{GUIDE}"))).collect();
    fixture.apply(&project, files, vec![]);
    let (_folder, path) = fixture.closed();
    let whole = std::fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[4096..].iter_mut().for_each(|byte| *byte = 0x5A);
    std::fs::write(&path, damaged).unwrap();
    let read = Store::open(&path).and_then(|store| store.file_records(project.id));
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");

    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let read = Store::open(&path).and_then(|store| store.file_records(project.id));
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
}

#[test]
fn a_database_of_another_role_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("moved.db");
    let (_kept, index) = TestStore::new().closed();
    for (id, name) in
        [(*b"CrgD", "the documentation of a repository"), (*b"CrgW", "the index of an editor's workspace")]
    {
        std::fs::copy(&index, &path).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "application_id", i32::from_be_bytes(id)).unwrap();
        connection.pragma_update(None, "journal_mode", "delete").unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        let error = refusal(&path);
        assert!(
            error.to_string().ends_with(&format!("moved.db holds {name}, not an index of projects")),
            "{error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

/// Triggers run when Craig writes, and a view can take for ever: what the migrations did not make is not opened.
#[test]
fn a_database_with_a_program_in_it_is_refused() {
    let programs = [
        "CREATE TRIGGER t AFTER UPDATE ON projects BEGIN DELETE FROM files; END",
        "CREATE VIEW w AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "DROP TABLE context_uses; CREATE VIEW context_uses AS SELECT 1",
        "CREATE TABLE notes (text TEXT)",
        "CREATE INDEX i ON files (length(content))",
    ];
    for program in programs {
        let (_folder, path) = TestStore::new().closed();
        rusqlite::Connection::open(&path).unwrap().execute_batch(program).unwrap();
        let error = refusal(&path);
        assert!(error.to_string().contains("are not those of craig"), "{program}: {error}");
    }
    let (_folder, path) = TestStore::new().closed();
    rusqlite::Connection::open(&path).unwrap().execute_batch("ANALYZE").unwrap();
    assert!(Store::open(&path).is_ok());
}

#[cfg(unix)]
#[test]
fn permissions_of_others_are_removed() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    drop(fixture.store.lock(&project).unwrap());
    let (path, derived) = (fixture.path(), fixture.store.derived_folder().to_owned());
    let lock = std::fs::read_dir(&derived).unwrap().next().unwrap().unwrap().path();
    let wal = path.with_file_name("craig.db-wal");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let loosen = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap()
    };
    assert_eq!([&path, &wal, &lock, &derived].map(|path| mode(path)), [0o600, 0o600, 0o600, 0o700]);

    loosen(fixture.folder.path(), 0o755);
    [&path, &wal, &lock].into_iter().for_each(|path| loosen(path, 0o644));
    loosen(&derived, 0o755);
    let again = Store::open(&path).unwrap();
    assert_eq!([&path, &wal, &lock, &derived].map(|path| mode(path)), [0o600, 0o600, 0o600, 0o700]);
    assert_eq!(mode(fixture.folder.path()), 0o755, "the folder was there before Craig");
    drop(again);
}

/// A reference names a folder that is removed with the project.
#[test]
fn a_reference_that_is_a_path_is_refused() {
    let mut fixture = TestStore::new();
    fixture.project("jobs");
    fixture.sqlite().execute("UPDATE projects SET reference = '../../elsewhere'", []).unwrap();
    let error = fixture.store.project("jobs").unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains("\"../../elsewhere\""), "{error}");
}

/// The record of an ingestion is written over what is there, so that a full disk has room for it.
#[test]
fn a_lock_file_keeps_its_length() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    let lock = fixture.store.lock(&jobs).unwrap();
    let path = fixture.store.derived_folder().join(format!("{}.lock", jobs.reference));
    let n_bytes = || std::fs::metadata(&path).unwrap().len();
    let before = n_bytes();
    lock.record_run(|| Err::<(), _>("no room left ".repeat(100))).unwrap_err();
    assert_eq!(n_bytes(), before);
    lock.record_run(|| Ok::<_, String>(())).unwrap();
    fixture.store.purge(&lock).unwrap();
    assert_eq!(n_bytes(), before);
}

#[test]
fn a_database_is_set_aside_only_if_it_is_craigs() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    drop(fixture.store.lock(&jobs).unwrap());
    let (folder, path) = fixture.closed();
    let letter = folder.path().join("letter.txt");
    std::fs::write(&letter, "a letter, and no database").unwrap();
    assert_eq!(Store::set_aside(&letter).unwrap(), None);
    assert!(letter.is_file());

    for number in 1..=2 {
        std::fs::write(&path, "damaged").unwrap();
        let kept = Store::set_aside(&path).unwrap().unwrap();
        assert_eq!(kept, folder.path().join(format!("craig.db.damaged-{number}")));
        assert_eq!((std::fs::read_to_string(&kept).unwrap().as_str(), path.exists()), ("damaged", false));
    }
    assert_eq!(Store::open(&path).unwrap().projects().unwrap(), []);
}

#[test]
fn derived_data_is_in_one_folder_and_orphans_are_found() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    let derived = fixture.store.derived_folder().to_owned();
    assert_eq!(derived, fixture.folder.path().join("craig.db.d"));
    for folder in [&*jobs.reference, "0123456789ab", "clones"] {
        std::fs::create_dir_all(derived.join(folder)).unwrap();
    }
    std::fs::write(derived.join("0123456789ac"), "a file").unwrap();
    assert_eq!(fixture.store.index_folder(&jobs), derived.join(&jobs.reference));
    assert_eq!(fixture.store.orphaned_indexes().unwrap(), [derived.join("0123456789ab")]);
    let before = fixture.store.bytes_on_disk();
    std::fs::write(derived.join(&jobs.reference).join("segment"), [0; 1_000]).unwrap();
    assert_eq!(fixture.store.bytes_on_disk(), before + 1_000);
}

/// Removed with the files beside it, as `rm craig.db*` does.
#[cfg(unix)]
#[test]
fn a_connection_to_a_file_that_was_removed_or_replaced_is_not_used_again() {
    let mut fixture = TestStore::new();
    let old = fixture.project("jobs");
    let path = fixture.path();
    assert!(fixture.store.is_reusable());
    for ending in ["", "-wal", "-shm"] {
        std::fs::remove_file(format!("{}{ending}", path.display())).unwrap();
    }
    assert!(!fixture.store.is_reusable(), "the file is missing");
    let Err(StoreError::Open { .. }) = fixture.store.reopen() else { panic!("it was opened again") };
    assert!(!path.exists(), "it was not made again either");

    let mut replacement = Store::open(&path).unwrap();
    let new = replacement.create_project("jobs", "/src/jobs", "{}").unwrap();
    assert!(!fixture.store.is_reusable(), "another file is at its path");
    assert!(replacement.is_reusable() && replacement.reopen().unwrap().is_reusable());
    assert_eq!((old.id, &old.reference, old.generation), (new.id, &new.reference, new.generation));
    assert_ne!(old.key(), new.key());
    assert_eq!(replacement.reopen().unwrap().project("jobs").unwrap().key(), new.key());
}
