//! *Incremental index == fresh index*: whatever is done to a tree, and however often it is followed, in the end the
//! index is the one that a first ingestion of the tree makes.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::database::CASES;
use crate::workshop::Workshop;

/// Real code and text in many languages; equal pieces in several files are likely.
const SNIPPETS: [&str; 16] = [
    include_str!("../../src/ingest.rs"),
    include_str!("../../src/plan.rs"),
    include_str!("../../src/report.rs"),
    include_str!("../../../craig-source/src/options.rs"),
    include_str!("../../../../model/README.md"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.ts"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.py"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.java"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.go"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.rb"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.php"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.md"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.sql"),
    include_str!("../../../craig-chunk/tests/fixtures/Sample.cs"),
    include_str!("../../../craig-chunk/tests/fixtures/sample.cpp"),
    "",
];

const FOLDERS: [&str; 6] = ["", "src/", "src/deep/er/", "tests/", "docs a/", "größe/"];
const NAMES: [&str; 8] =
    ["queue.rs", "app.ts", "user_service.py", "Main.java", "GUIDE.md", "query.sql", "Makefile", "notes"];

/// One change of the tree. Numbers choose among what is there when it is made.
#[derive(Clone, Debug)]
enum Edit {
    Write { path: (usize, usize), snippet: usize, half: bool },
    Append { file: usize, line: String },
    Grow { file: usize },
    Touch { file: usize },
    Delete { file: usize },
    Rename { file: usize, path: (usize, usize) },
    MoveFolder { from: usize, to: usize },
    FileToFolder { file: usize },
    FolderToFile { folder: usize, snippet: usize },
    MakeBinary { file: usize },
    MakeSecret { file: usize },
    Ignore { file: usize },
    IgnoreNothing,
}

fn edit() -> impl Strategy<Value = Edit> {
    let path = || (0..FOLDERS.len(), 0..NAMES.len());
    let at = || 0..64usize;
    prop_oneof![
        8 => (path(), 0..SNIPPETS.len(), any::<bool>())
            .prop_map(|(path, snippet, half)| Edit::Write { path, snippet, half }),
        3 => (at(), "[a-z]{1,8} [a-z]{1,8}").prop_map(|(file, line)| Edit::Append { file, line }),
        1 => at().prop_map(|file| Edit::Grow { file }),
        1 => at().prop_map(|file| Edit::Touch { file }),
        3 => at().prop_map(|file| Edit::Delete { file }),
        3 => (at(), path()).prop_map(|(file, path)| Edit::Rename { file, path }),
        2 => (0..FOLDERS.len(), 0..FOLDERS.len()).prop_map(|(from, to)| Edit::MoveFolder { from, to }),
        1 => at().prop_map(|file| Edit::FileToFolder { file }),
        1 => (1..FOLDERS.len(), 0..SNIPPETS.len())
            .prop_map(|(folder, snippet)| Edit::FolderToFile { folder, snippet }),
        1 => at().prop_map(|file| Edit::MakeBinary { file }),
        1 => at().prop_map(|file| Edit::MakeSecret { file }),
        1 => at().prop_map(|file| Edit::Ignore { file }),
        1 => Just(Edit::IgnoreNothing),
    ]
}

impl Edit {
    fn make(&self, workshop: &Workshop) {
        let path = |(folder, name): (usize, usize)| format!("{}{}", FOLDERS[folder], NAMES[name]);
        let files = files(workshop.source());
        let file = |number: usize| (!files.is_empty()).then(|| files[number % files.len()].clone());
        match self {
            Self::Write { path: at, snippet, half } => {
                let text = SNIPPETS[*snippet];
                let end = if *half { text.floor_char_boundary(text.len() / 2) } else { text.len() };
                workshop.write(&path(*at), &text[..end]);
            }
            Self::IgnoreNothing => workshop.write(".gitignore", ""),
            Self::FolderToFile { folder, snippet } => {
                workshop.write(FOLDERS[*folder].trim_end_matches('/'), SNIPPETS[*snippet]);
            }
            Self::MoveFolder { from, to } => move_folder(workshop.source(), FOLDERS[*from], FOLDERS[*to]),
            Self::Rename { file: number, path: to } => {
                if let Some(from) = file(*number) {
                    let content = std::fs::read(workshop.source().join(&from)).unwrap();
                    workshop.remove(&from);
                    workshop.write(&path(*to), content);
                }
            }
            Self::Append { file: number, .. }
            | Self::Grow { file: number }
            | Self::Touch { file: number }
            | Self::Delete { file: number }
            | Self::FileToFolder { file: number }
            | Self::MakeBinary { file: number }
            | Self::MakeSecret { file: number }
            | Self::Ignore { file: number } => {
                if let Some(file) = file(*number) {
                    self.change_file(workshop, &file);
                }
            }
        }
    }

    fn change_file(&self, workshop: &Workshop, file: &str) {
        let content = std::fs::read(workshop.source().join(file)).unwrap();
        let changed = |more: &[u8]| workshop.write(file, [&content, more].concat());
        match self {
            Self::Append { line, .. } => changed(format!("\n{line}\n").as_bytes()),
            Self::Grow { .. } => changed(&content),
            Self::MakeBinary { .. } => changed(b"\0\0\0"),
            Self::MakeSecret { .. } => changed(b"\nkey = \"ghp_a8Dk3LqZ9xWvT2bNc7RmYp4HsUf6JgEo1iQz\"\n"),
            Self::Touch { .. } => changed(b""),
            Self::Delete { .. } => workshop.remove(file),
            Self::FileToFolder { .. } => workshop.write(&format!("{file}/inside.md"), content),
            Self::Ignore { .. } => workshop.write(".gitignore", format!("/{file}\n")),
            _ => unreachable!("the others change more than one file"),
        }
    }
}

/// Visible files below a folder, by path.
fn files(root: &Path) -> Vec<String> {
    fn collect(root: &Path, folder: PathBuf, files: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(root, path, files);
            } else if path.file_name().unwrap() != ".gitignore" {
                files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let mut found = Vec::new();
    collect(root, root.to_owned(), &mut found);
    found.sort();
    found
}

/// Moves a folder to a place where nothing is yet, unless it would have to move into itself.
fn move_folder(root: &Path, from: &str, to: &str) {
    let (from, to) = (root.join(from), root.join(to).join("moved"));
    let fits = from != root && from.is_dir() && !to.exists() && !to.starts_with(&from);
    if fits && std::fs::create_dir_all(to.parent().unwrap()).is_ok() {
        std::fs::rename(from, to).unwrap();
    }
}

/// Changes to a branch, in files that are older than git's index.
fn check_out(workshop: &Workshop, branch: &str) {
    workshop.git(&format!("checkout -q {branch}"));
    let index = std::fs::File::open(workshop.source().join(".git/index")).unwrap();
    index.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(1)).unwrap();
}

#[test]
fn a_branch_that_was_indexed_before_is_not_parsed_again() {
    let workshop = Workshop::new();
    workshop.git("init -q -b main");
    for (number, text) in SNIPPETS.iter().enumerate() {
        workshop.write(&format!("{number}.rs"), text);
    }
    workshop.git("add --all");
    workshop.git("commit -q -m one");
    workshop.git("checkout -q -b other");
    workshop.write("1.rs", SNIPPETS[0]);
    workshop.write("new.rs", SNIPPETS[1]);
    workshop.remove("2.rs");
    workshop.git("add --all");
    workshop.git("commit -q -m two");
    for (branch, is_known) in [("main", false), ("other", false), ("main", true), ("other", true)] {
        check_out(&workshop, branch);
        let report = if branch == "main" && !is_known { workshop.ingest() } else { workshop.delta() };
        assert_eq!(
            (report.vectors_reused > 0, report.vectors_embedded == 0),
            (is_known, is_known),
            "{branch}"
        );
        workshop.check_is_fresh();
    }
    // Git does not have this version.
    workshop.write("1.rs", SNIPPETS[2]);
    workshop.delta();
    workshop.git("checkout -q -f other");
    workshop.delta();
    workshop.write("1.rs", SNIPPETS[2]);
    assert_eq!(workshop.delta().vectors_reused, 0);
    workshop.check_is_fresh();
}

proptest! {
    #![proptest_config(ProptestConfig {
        // About 10 seconds on a busy machine; more with PROPTEST_CASES.
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_index_that_followed_is_the_index_of_a_fresh_start(
        steps in proptest::collection::vec((edit(), prop::bool::weighted(0.7)), 1..25)
    ) {
        let workshop = Workshop::new();
        workshop.ingest();
        for (edit, is_followed) in &steps {
            edit.make(&workshop);
            if *is_followed {
                workshop.delta();
            }
        }
        workshop.delta();
        workshop.check_is_fresh();
        prop_assert_eq!(workshop.contents_of_copy(), workshop.contents(), "a second worktree is the same");
    }
}
