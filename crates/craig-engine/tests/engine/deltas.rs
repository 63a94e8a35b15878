//! What a delta has to notice, one case each.

use std::fs::File;
use std::time::Duration;

use craig_engine::{GrepRequest, PrepareRequest, SearchRequest, SymbolRequest};

use crate::workshop::{MAX_FILE_SIZE_BYTES, Workshop};

const TOKEN: &str = "let key = \"ghp_a8Dk3LqZ9xWvT2bNc7RmYp4HsUf6JgEo1iQz\";\n";

#[test]
fn an_unchanged_tree_is_no_new_generation() {
    let workshop = Workshop::with_files(&[("src/a.rs", "fn alpha() {}"), ("b.md", "# Beta")]);
    let before = workshop.contents();
    let report = workshop.delta();
    assert_eq!((report.files.unchanged, report.files.total, report.chunks), (2, 2, 0));
    assert_eq!(workshop.contents(), before);
}

/// The stamps lie: the size is the same, and the modification time was put back. The inode's change time does not lie.
#[test]
fn a_change_that_hides_behind_an_old_stamp_is_noticed() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    // Old enough for its stamp to prove something.
    std::thread::sleep(Duration::from_millis(2_100));
    assert_eq!(
        workshop.delta().bytes,
        13,
        "it is read once more, as it was changed right before it was read"
    );
    assert_eq!(workshop.delta().bytes, 0, "its stamp proves it unchanged");

    let modified = std::fs::metadata(workshop.source().join("a.rs")).unwrap().modified().unwrap();
    workshop.write("a.rs", "fn omega() {}");
    File::options().write(true).open(workshop.source().join("a.rs")).unwrap().set_modified(modified).unwrap();
    assert_eq!(workshop.delta().files.changed, 1);
    assert_eq!(workshop.found("omega"), ["a.rs"]);
    workshop.check_is_fresh();
}

#[test]
fn a_change_right_after_the_ingestion_is_noticed() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    for name in ["omega", "gamma", "theta"] {
        workshop.write("a.rs", format!("fn {name}() {{}}"));
        assert_eq!(workshop.delta().files.changed, 1, "{name}");
    }
    workshop.check_is_fresh();
}

#[test]
fn a_touched_file_shows_its_new_date_and_is_not_cut_again() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let long_ago = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().write(true).open(workshop.source().join("a.rs")).unwrap().set_modified(long_ago).unwrap();
    let report = workshop.delta();
    assert_eq!((report.files.changed, report.files.unchanged), (0, 1));
    let entry = workshop.engine.file("tree", "a.rs").unwrap().entry;
    assert_eq!(entry.modified_date.as_deref(), Some("2001-09-09T01:46:40.000Z"));
    workshop.check_is_fresh();
}

#[test]
fn a_file_becomes_a_folder_and_a_file_again() {
    let workshop = Workshop::with_files(&[("notes", "alpha beta\n"), ("z.md", "# Zeta")]);
    workshop.write("notes/inside.md", "# Gamma");
    workshop.delta();
    assert_eq!(workshop.tree(), "notes/inside.md text\nz.md text\n");
    workshop.check_is_fresh();
    workshop.write("notes", "alpha again\n");
    workshop.delta();
    assert_eq!(workshop.tree(), "notes text\nz.md text\n");
    workshop.check_is_fresh();
}

#[test]
fn a_text_that_becomes_binary_is_not_found_any_more() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    assert_eq!(workshop.found("alpha")[0], "a.rs");
    workshop.write("a.rs", b"fn alpha() {}\0\0\0");
    workshop.delta();
    assert_eq!(workshop.tree(), "a.rs binary\nb.rs text\n");
    assert!(!workshop.found("alpha").contains(&"a.rs".to_owned()));
    assert_eq!(workshop.engine.file("tree", "a.rs").unwrap().content, None);
    workshop.check_is_fresh();
}

#[test]
fn a_token_is_masked_and_the_text_around_it_is_found() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    workshop.write("a.rs", format!("fn alpha() {{}}\n{TOKEN}fn gamma() {{}}\n"));
    let report = workshop.delta();
    assert_eq!(report.secrets, Vec::<String>::new());
    assert_eq!(workshop.tree(), "a.rs text\nb.rs text\n");
    let text = workshop.engine.file("tree", "a.rs").unwrap().content.unwrap();
    assert_eq!(text, format!("fn alpha() {{}}\nlet key = \"{}\";\nfn gamma() {{}}\n", "*".repeat(40)));
    assert_eq!(workshop.found("gamma")[0], "a.rs");
    workshop.check_is_fresh();
}

#[test]
fn a_file_that_becomes_ignored_goes_and_comes_back() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    workshop.write(".gitignore", "a.rs\n");
    assert_eq!(workshop.delta().files.removed, 1);
    assert_eq!(workshop.tree(), "b.rs text\n");
    workshop.check_is_fresh();
    workshop.write(".pukuignore", "!a.rs\n");
    assert_eq!(workshop.delta().files.added, 1);
    assert_eq!(workshop.tree(), "a.rs text\nb.rs text\n");
    workshop.check_is_fresh();
}

#[test]
fn a_file_comes_with_being_tracked_by_git_and_goes_with_it() {
    let workshop = Workshop::new();
    workshop.git("init --quiet");
    workshop.write("a.rs", "fn alpha() {}");
    workshop.write("build/b.rs", "fn beta() {}");
    workshop.write(".github/ci.yml", "on: push");
    workshop.ingest();
    assert_eq!(workshop.tree(), "a.rs text\n");
    workshop.git("add --all");
    assert_eq!(workshop.delta().files.added, 2);
    assert_eq!(workshop.tree(), ".github/ci.yml text\na.rs text\nbuild/b.rs text\n");
    workshop.check_is_fresh();
    workshop.git("rm --quiet --cached build/b.rs");
    assert_eq!(workshop.delta().files.removed, 1);
    workshop.check_is_fresh();
}

#[test]
fn a_linked_worktree_is_a_project_of_its_own() {
    let workshop = Workshop::new();
    workshop.git("init --quiet");
    workshop.write("shop/tax.rs", "fn rate_of_main() {}");
    workshop.git("add --all");
    workshop.git("commit --quiet -m one");
    for place in ["trees/x", ".trees/y"] {
        workshop.git(&format!("worktree add --quiet {place}"));
        workshop.write(&format!("{place}/shop/tax.rs"), "fn rate_of_branch() {}");
    }
    let report = workshop.ingest();
    assert_eq!((report.files.total, report.own_repositories), (1, vec!["trees/x".to_owned()]));
    let main = workshop.engine.project_of_directory(&workshop.source().join("shop")).unwrap().unwrap();
    for place in ["trees/x", ".trees/y"] {
        let folder = workshop.source().join(place).join("shop");
        assert_eq!(workshop.engine.project_of_directory(&folder).unwrap(), None, "{place}");
        let request = PrepareRequest::for_directory(&folder);
        let (own, _) = workshop.engine.prepare(&request, &mut |_| ()).unwrap();
        let file = workshop.engine.file(&own, "shop/tax.rs").unwrap();
        assert!(own != main && file.content.unwrap().contains("rate_of_branch"), "{place}");
        let of_main = workshop.engine.file(&main, &format!("{place}/shop/tax.rs")).unwrap_err();
        let hint = of_main.hint().unwrap_or_default();
        assert!(hint.contains("left out"), "{hint}");
    }
    workshop.check_is_fresh();
}

#[test]
fn an_answer_names_the_files_that_match_and_are_not_searched() {
    let workshop = Workshop::new();
    let limit = MAX_FILE_SIZE_BYTES as usize;
    let filler = "// A line of a comment.\n".repeat(limit / 20);
    workshop.write("large.rs", format!("{filler}fn checkEverything() {{}}\n"));
    workshop.write("data.min.js", "function drawEverything(){}");
    workshop.write("small.rs", "fn other() { checkEverything(); }");
    workshop.ingest();
    let engine = &workshop.engine;
    let too_large = ["large.rs matches, too, but is not searched: over the size limit (max_file_size)"];
    let search = |query: &str| engine.search("tree", query, &SearchRequest::default()).unwrap().notes;
    assert_eq!(search("where is checkEverything defined"), too_large);
    assert_eq!(search("drawEverything"), ["data.min.js matches, too, but is not searched: minified"]);
    assert!(search("other").is_empty() && search("a line of a comment").is_empty());
    let grep = |pattern: &str| engine.grep("tree", pattern, &GrepRequest::default()).unwrap().notes;
    assert_eq!(grep("fn check[A-Z]"), too_large);
    assert!(grep("fn other").is_empty());
    let symbol = engine.symbol("tree", "checkEverything", &SymbolRequest::default()).unwrap_err();
    assert_eq!(symbol.hint().as_deref(), Some(too_large[0]));
    let file = engine.file("tree", "large.rs").unwrap_err();
    assert_eq!(file.hint().as_deref(), Some("large.rs is left out: over the size limit of 20000 bytes"));
}

#[test]
fn a_file_that_crosses_the_size_limit_goes_and_comes_back() {
    let workshop = Workshop::with_files(&[("a.md", "# Alpha"), ("b.md", "# Beta")]);
    let limit = MAX_FILE_SIZE_BYTES as usize;
    workshop.write("a.md", "alpha ".repeat(limit));
    assert_eq!(workshop.delta().too_large, ["a.md"]);
    assert_eq!(workshop.tree(), "b.md text\n");
    workshop.check_is_fresh();
    workshop.write("a.md", "x".repeat(limit));
    workshop.delta();
    assert_eq!(workshop.tree(), "a.md text\nb.md text\n", "the limit itself is within it");
    workshop.check_is_fresh();
}

#[test]
fn the_last_file_goes() {
    let workshop = Workshop::with_files(&[("a.md", "# Alpha")]);
    workshop.remove("a.md");
    workshop.delta();
    assert_eq!((workshop.tree().as_str(), workshop.found("alpha").len()), ("", 0));
    workshop.check_is_fresh();
}

/// More deltas than an index keeps segments: they are merged on the way, and nothing is lost or found twice.
#[test]
fn many_small_deltas_are_one_index() {
    let workshop = Workshop::with_files(&[("README.md", "# Numbers")]);
    for number in 0..20 {
        workshop
            .write(&format!("src/n{number}.rs"), format!("/// Number {number}.\nfn number_{number}() {{}}"));
        workshop.write("src/last.rs", format!("fn last() {{ number_{number}() }}"));
        workshop.delta();
    }
    workshop.check_is_fresh();
    let names = std::fs::read_dir(workshop.index_folder()).unwrap().map(|entry| entry.unwrap().path());
    let n_segments = names.filter(|path| path.extension().is_some_and(|e| e == "seg")).count();
    assert!((1..=7).contains(&n_segments), "{n_segments} segments");
}

/// A name that more places define than the ranker looks at: which of them it gets must not hang on their order.
#[test]
fn a_name_defined_in_many_places_is_found_the_same_way() {
    let workshop = Workshop::new();
    workshop.ingest();
    let text = |number: usize| {
        let filler = format!("    let word_{number} = other_{number} + {number};\n").repeat(number % 40);
        format!("fn hello() {{\n{filler}}}\n")
    };
    for number in (0..300).rev() {
        workshop.write(&format!("src/f{number:03}.rs"), text(number));
        if number % 60 == 0 {
            workshop.delta();
        }
    }
    workshop.delta();
    workshop.check_is_fresh();
}
