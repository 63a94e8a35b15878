//! An index that an older version made: it is brought up to date by itself, with one line that says so.

use std::fs;
use std::path::Path;

use expect_test::expect;

use crate::harness::Home;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../craig-store/tests/fixtures");

/// A copy of a fixture whose project lies in `folder`, which has as many characters as the place that the fixture names.
fn database_of(version: u32, folder: &Path) -> Vec<u8> {
    let place = b"/src/jobs";
    let folder = folder.to_str().unwrap().as_bytes();
    assert_eq!(folder.len(), place.len());
    let mut bytes = fs::read(format!("{FIXTURES}/v{version}.db")).unwrap();
    let found: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(place)).collect();
    assert!(!found.is_empty());
    found.iter().for_each(|&at| bytes[at..at + place.len()].copy_from_slice(folder));
    bytes
}

#[test]
fn an_index_of_any_older_version_is_brought_up_to_date() {
    let n_versions = fs::read_dir(FIXTURES).unwrap().count() as u32;
    assert!(n_versions >= 6);
    for version in 1..=n_versions {
        // Before "/src/stopped" and its like in the order of the database.
        let project = tempfile::Builder::new().prefix("j").rand_bytes(3).tempdir_in("/tmp").unwrap();
        let home = Home::new();
        fs::write(home.database(), database_of(version, project.path())).unwrap();
        fs::write(
            project.path().join("queue.py"),
            "def append_job(job):\n    \"\"\"Puts a job at the end.\"\"\"\n",
        )
        .unwrap();
        let search = ["search", "where is a job put at the end", "-p", "jobs"];
        let first = home.transcript(&home.run(&search));
        assert!(first.starts_with("exit 0\n") && first.contains("queue.py:1"), "version {version}: {first}");
        let errors: Vec<&str> = first.split("-- stderr\n").skip(1).collect();
        expect![
            "warning: all files were read again, since the index was built by another version of Craig\n"
        ]
        .assert_eq(&errors.concat());
        let again = home.transcript(&home.run(&search));
        assert!(again.contains("queue.py:1") && !again.contains("stderr"), "version {version}: {again}");
        assert!(home.succeed(&["doctor"]).starts_with("sound  "), "version {version}");
    }
}
