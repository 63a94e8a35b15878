use std::fs;

use super::*;

fn listed(files: &[&str], options: &DocumentOptions) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "# x\n").unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    documents(&root, options).unwrap().entries.into_iter().map(|entry| entry.path).collect()
}

#[test]
fn the_readme_and_everything_below_docs_count_and_nothing_else() {
    let files = [
        "ReadMe.MD",
        "CHANGELOG.md",
        ".gitignore",
        "docs/a.md",
        "docs/build/deep/b.md",
        "docs/.hidden/c.md",
        "docs/d.mdx",
        "docs/e.txt",
        "docs/node_modules/x/README.md",
        "packages/p/README.md",
        "packages/p/docs/f.md",
    ];
    let found = listed(&files, &DocumentOptions::default());
    assert_eq!(found, ["ReadMe.MD", "docs/.hidden/c.md", "docs/a.md", "docs/build/deep/b.md"]);
}

#[test]
fn globs_bring_in_and_leave_out() {
    let files = ["README.md", "docs/a.md", "docs/old/b.md", "packages/p/README.md", "packages/p/x.txt"];
    let options = DocumentOptions {
        include: vec!["packages/*/README.md".into()],
        exclude: vec!["docs/old/**".into()],
        ..DocumentOptions::default()
    };
    assert_eq!(listed(&files, &options), ["README.md", "docs/a.md", "packages/p/README.md"]);
}

#[test]
fn a_bad_glob_is_an_error_and_a_large_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("docs/big.md"), "x".repeat(100)).unwrap();
    let root = Root::open(folder.path()).unwrap();
    let bad = DocumentOptions { exclude: vec!["[".into()], ..DocumentOptions::default() };
    assert!(matches!(documents(&root, &bad), Err(SourceError::BadGlob { .. })));
    let small = DocumentOptions { max_file_size_bytes: 10, ..DocumentOptions::default() };
    let listing = documents(&root, &small).unwrap();
    assert!(listing.entries.is_empty());
    assert_eq!(listing.too_large[0].path, "docs/big.md");
}
