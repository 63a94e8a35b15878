//! Deleted data is in no file any more, and its space is returned.

use craig_store::Store;

use crate::database::Database;
use crate::fixture::{QUEUE, TestStore, file};

/// How many files of the database's folder hold `mark`.
fn n_files_with(fixture: &TestStore, mark: &str) -> usize {
    let files = std::fs::read_dir(fixture.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let holds = |path: &std::path::PathBuf| {
        path.is_file()
            && std::fs::read(path).unwrap().windows(mark.len()).any(|bytes| bytes == mark.as_bytes())
    };
    files.filter(holds).count()
}

fn text(mark: &str, n_lines: usize) -> String {
    format!("def {mark}():\n") + &format!("    # {mark} is on this line\n").repeat(n_lines)
}

/// A text that can hardly be compressed.
fn text_of_hashes(mark: &str, seed: usize, n_lines: usize) -> String {
    let line = |number| format!("    # {mark} {}\n", blake3::hash(format!("{seed} {number}").as_bytes()));
    format!("def {mark}():\n") + &(0..n_lines).map(line).collect::<String>()
}

#[test]
fn no_trace_of_a_changed_or_removed_text_remains_after_the_ingestion() {
    for n_lines in [1, 40, 4_000] {
        let mut fixture = TestStore::new();
        let jobs = fixture.project("jobs");
        fixture.apply(&jobs, vec![file("a.py", &text("mark_one", n_lines)), file("b.rs", QUEUE)], vec![]);
        assert!(n_files_with(&fixture, "mark_one") > 0);
        fixture.apply(&jobs, vec![file("a.py", &text("mark_two", n_lines))], vec![]);
        assert_eq!(n_files_with(&fixture, "mark_one"), 0, "{n_lines} lines");
        let id = fixture.file_id(&jobs, "a.py");
        fixture.apply(&jobs, vec![], vec![id]);
        assert_eq!(n_files_with(&fixture, "mark_two"), 0, "{n_lines} lines");
        assert_eq!(fixture.outline(&jobs), "b.rs 1\n");
    }
}

#[test]
fn nothing_is_left_of_a_purged_project_and_its_space_is_returned() {
    let mut fixture = TestStore::new();
    let (jobs, mail) = (fixture.project("jobs"), fixture.project("mail"));
    let version = |seed: usize| -> Vec<_> {
        (0..50).map(|n| file(&format!("mark_{n}.py"), &text_of_hashes("mark_text", n + seed, 200))).collect()
    };
    fixture.apply_from_git(&jobs, version(50));
    fixture.apply_from_git(&jobs, version(0));
    assert!(!fixture.store.kept_versions(jobs.id).unwrap().is_empty());
    fixture.apply(&mail, vec![file("src/queue.rs", QUEUE)], vec![]);
    // Another process that has the database open keeps the log from being removed.
    let other = fixture.open_again();
    let before = fixture.count("SELECT page_count FROM pragma_page_count");
    fixture.purge(&jobs);
    assert_eq!(n_files_with(&fixture, "mark_"), 0);
    let after = fixture.count("SELECT page_count FROM pragma_page_count");
    assert!(after * 4 < before, "{before} pages, then {after}");
    assert_eq!(fixture.count("SELECT freelist_count FROM pragma_freelist_count"), 0);
    assert_eq!(other.projects().unwrap().len(), 1);
    assert_eq!(fixture.outline(&mail), "src/queue.rs 1\n");
}

/// As long as somebody reads the old state, the log has to keep it; then the next ingestion empties it.
#[test]
fn a_log_that_is_being_read_is_emptied_later() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    fixture.apply(&jobs, vec![file("a.py", &text("mark_one", 40))], vec![]);
    let other = fixture.open_again();
    let snapshot = other.snapshot().unwrap();
    assert_eq!(other.generation(jobs.id).unwrap(), Some(1));
    fixture.apply(&jobs, vec![file("a.py", &text("mark_two", 40))], vec![]);
    assert!(n_files_with(&fixture, "mark_one") > 0, "somebody reads it");
    let of_a_moment_ago = other.file_text(jobs.id, "a.py").unwrap().unwrap();
    assert!(of_a_moment_ago.content.unwrap().contains("mark_one"), "a snapshot does not change");
    drop(snapshot);
    fixture.store.begin_ingestion(jobs.id, 0).unwrap();
    assert_eq!(n_files_with(&fixture, "mark_one"), 0);
}

#[test]
fn a_database_with_free_pages_is_rewritten_once() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    fixture.apply(&jobs, vec![file("a.py", &text("mark_one", 4_000)), file("b.rs", QUEUE)], vec![]);
    let (folder, path) = fixture.closed();
    let older = rusqlite::Connection::open(&path).unwrap();
    older.execute_batch("PRAGMA auto_vacuum = none; VACUUM; DELETE FROM project_files WHERE path = 'a.py'; DELETE FROM files WHERE path = 'a.py'").unwrap();
    drop(older);
    let mut fixture =
        TestStore { store: Store::open(&path).unwrap(), database: Database::new(folder.path()), folder };
    assert!(n_files_with(&fixture, "mark_one") > 0, "as an older version left it");
    fixture.apply(&jobs, vec![file("c.rs", QUEUE)], vec![]);
    assert_eq!(n_files_with(&fixture, "mark_one"), 0);
    assert_eq!(fixture.count("SELECT auto_vacuum FROM pragma_auto_vacuum"), 1);
    assert_eq!(fixture.outline(&jobs), "b.rs 1\nc.rs 1\n");
}
