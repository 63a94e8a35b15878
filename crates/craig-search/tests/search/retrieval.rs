//! Candidates among many files: each retrieval alone finds the file that only it can find.

use craig_model::StaticModel;
use craig_search::{Retrieval, SearchOptions};

use crate::fixture::{TestProject, distractors, parse_files};

/// Whether `path` is a candidate for `query` among many other files.
fn is_candidate(file: &str, query: &str) -> bool {
    let (path, _) = parse_files(file).remove(0);
    let project = TestProject::new(&(distractors(600) + file));
    let index = project.index();
    let found = index.candidates(query, StaticModel::builtin(), &SearchOptions::default()).unwrap();
    assert!(found.len() < 150, "candidates are chosen");
    found.iter().any(|candidate| candidate.path == path)
}

#[test]
fn words_of_the_text_make_a_candidate() {
    let file = "//- /src/a.rs\nfn f() {\n    quibble(7);\n}\n";
    assert!(is_candidate(file, "how does one quibble"));
    assert!(!is_candidate(file, "how does one haggle over meadow copper lantern"));
}

#[test]
fn parts_of_identifiers_make_a_candidate() {
    assert!(is_candidate("//- /src/a.rs\nfn f() {\n    recomputeQuibbleFactor(7);\n}\n", "quibble factor"));
    assert!(is_candidate("//- /src/a.rs\nfn f() {\n    recompute_quibble_factor(7);\n}\n", "quibble factor"));
}

#[test]
fn words_of_the_path_make_a_candidate() {
    assert!(is_candidate("//- /quibbles/haggler/a.rs\nfn f() {\n    g();\n}\n", "haggler of quibbles"));
}

#[test]
fn the_name_of_the_file_makes_a_candidate() {
    assert!(is_candidate("//- /src/quibble_haggler.rs\nfn f() {\n    g();\n}\n", "QuibbleHaggler"));
}

#[test]
fn a_defined_name_makes_a_candidate_even_where_its_words_are_everywhere() {
    // Every file has these words, most of them more often.
    let others = distractors(600).replace("count", "meadow_lantern_copper");
    let project = TestProject::new(&format!(
        "{others}//- /zz/last.rs\nfn meadowLanternCopper() {{\n    nothing();\n}}\n"
    ));
    let found = project
        .index()
        .candidates("meadowLanternCopper", StaticModel::builtin(), &SearchOptions::default())
        .unwrap();
    assert_eq!(found[0].path, "zz/last.rs");
    assert_eq!(found[0].features.definition_exact, 1.0);
}

#[test]
fn phrases_are_tried_as_one_name() {
    let file = "//- /src/a.rs\nstruct QuibbleHaggler;\n";
    let project = TestProject::new(&(distractors(300) + file));
    let found = project
        .index()
        .candidates("where is the quibble haggler", StaticModel::builtin(), &SearchOptions::default())
        .unwrap();
    assert_eq!(found[0].path, "src/a.rs");
    assert!(found[0].features.type_exact > 0.0 && found[0].features.compound_symbol > 0.0);
}

#[test]
fn product_code_comes_first_where_many_files_define_a_name() {
    let definition = |path: String| format!("//- /{path}\nfn quibble() {{}}\n");
    let mut files: String = (0..20).map(|at| definition(format!("tests/a{at}_test.rs"))).collect();
    files.push_str(&definition("zz/product.rs".to_owned()));
    let project = TestProject::new(&(distractors(300) + &files));
    assert_eq!(project.paths("quibble")[0], "zz/product.rs");
}

#[test]
fn similar_meaning_makes_a_candidate_without_a_common_word() {
    let file = "//- /src/a.rs\n/// Deletes the customer from the database.\nfn f() {\n    database.delete(customer);\n}\n";
    assert!(is_candidate(file, "removing users permanently"));
}

#[test]
fn retrievals_alone_order_candidates_in_their_own_way() {
    let project = TestProject::new(
        "\
//- /src/words.rs
fn f() { quibble(); quibble(); quibble(); quibble(); }
//- /src/once.rs
fn g() { quibble(); copper(); lantern(); harvest(); violin(); glacier(); }
//- /src/meaning.rs
/// Argues about trivial matters.
fn argue() { dispute(); bicker(); squabble(); }
",
    );
    let paths = |retrieval| {
        let options = SearchOptions { retrieval, ..SearchOptions::default() };
        let hits = project.search("quibble", &options);
        hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(Retrieval::Lexical)[..2], ["src/words.rs", "src/once.rs"]);
    for retrieval in [Retrieval::Dense, Retrieval::Fused, Retrieval::Ranked] {
        assert_eq!(paths(retrieval).len(), 3, "{retrieval:?}");
        assert_eq!(paths(retrieval)[0], "src/words.rs", "{retrieval:?}");
    }
}

#[test]
fn ties_are_broken_by_path() {
    let files: String = ["m", "b", "z", "a", "k"]
        .iter()
        .map(|name| format!("//- /src/{name}.rs\nfn quibble() {{}}\n"))
        .collect();
    let project = TestProject::new(&files);
    // Paths have embeddings, too, so only words alone give equal scores.
    let options = SearchOptions { retrieval: Retrieval::Lexical, ..SearchOptions::default() };
    let paths: Vec<String> = project.search("quibble", &options).into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["src/a.rs", "src/b.rs", "src/k.rs", "src/m.rs", "src/z.rs"]);
}

#[test]
fn the_same_index_always_returns_the_same() {
    let project = TestProject::new(&distractors(300));
    let index = project.index();
    let ask = || {
        let options = SearchOptions { limit: 50, ..SearchOptions::default() };
        index.search(&project.store, "copper lantern violin", StaticModel::builtin(), &options).unwrap().hits
    };
    let first = ask();
    assert!((1..5).all(|_| ask() == first));
}

#[test]
fn relevances_name_the_files_of_the_ranked_hits() {
    let project = TestProject::new("//- /a.rs\nfn quibble() {}\n//- /b.rs\nfn haggle() {}\n");
    let relevances = project.index().relevances("haggle", StaticModel::builtin()).unwrap();
    let id = |path: &str| project.store.tracked_file(project.project().id, path).unwrap().unwrap().id;
    assert_eq!(relevances.iter().map(|(file, _)| *file).collect::<Vec<_>>(), [id("b.rs"), id("a.rs")]);
    assert!(relevances[0].1 > relevances[1].1);
}
