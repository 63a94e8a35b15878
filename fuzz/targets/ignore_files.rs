//! Any bytes as ignore files: the walk ends, and a file that no rule can name is still found.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use craig_source::{Root, SourceOptions, walk};
use libfuzzer_sys::fuzz_target;

static TREE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let tree = tempfile::tempdir().unwrap();
    for path in ["a.rs", "b/c.rs", "b/d/e.rs", "target/f.rs", ".hidden/g.rs"] {
        let path = tree.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "fn f() {}\n").unwrap();
    }
    tree
});

fuzz_target!(|files: (&[u8], &[u8])| {
    let root = Root::open(TREE.path()).unwrap();
    fs::write(TREE.path().join(".gitignore"), files.0).unwrap();
    fs::write(TREE.path().join("b/.pukuignore"), files.1).unwrap();
    let listing = walk(&root, &SourceOptions::default()).unwrap();
    assert!(listing.entries.iter().all(|entry| !entry.path.starts_with('/')));
});
