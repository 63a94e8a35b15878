//! An index that follows its store: added, changed and removed files, merges of segments.

use craig_model::{Embedder as _, StaticModel};
use craig_search::{Index, SearchOptions};
use expect_test::expect;

use crate::fixture::{TestProject, distractors};

/// All candidates with all features, of queries that meet every file.
fn state(project: &TestProject, index: &Index) -> Vec<String> {
    let options = SearchOptions { limit: 1_000, ..SearchOptions::default() };
    let mut lines = Vec::new();
    for query in ["parcel", "meadow copper lantern", "how are letters delivered", "Courier::deliver"] {
        for hit in index.search(&project.store, query, StaticModel::builtin(), &options).unwrap().hits {
            lines.push(format!("{query}: {hit:?}"));
        }
    }
    lines
}

/// Whether the index, made in several steps, answers as one that is made at once.
fn assert_as_fresh(project: &TestProject) {
    let model = StaticModel::builtin();
    let dimensions = model.dimensions().unwrap();
    let fresh =
        Index::build_in_memory(&project.store, &project.project(), model.id(), dimensions, &project.pool)
            .unwrap();
    assert_eq!(state(project, &project.index()), state(project, &fresh));
}

const LETTER: &str = "//- /letter.rs\npub fn deliver_letter() { walk(); }\n";
const PARCEL: &str = "//- /parcel.rs\npub fn deliver_parcel() { drive(); }\n";

#[test]
fn an_empty_project_has_no_hits() {
    let project = TestProject::new("");
    assert_eq!(project.paths("anything"), [""; 0]);
    assert_eq!((project.index().n_files(), project.n_segments()), (0, 0));
}

#[test]
fn files_without_text_have_no_hits() {
    let project = TestProject::new("//- /empty.rs\n//- /blank.rs\n\n\n//- /parcel.rs\nfn parcel() {}\n");
    assert_eq!(project.paths("parcel")[0], "parcel.rs");
    assert_eq!(project.paths("blank").iter().filter(|path| *path == "empty.rs").count(), 0);
}

#[test]
fn added_files_are_found() {
    let mut project = TestProject::new(LETTER);
    assert_eq!(project.paths("deliver_parcel"), ["letter.rs"]);
    project.write(PARCEL);
    assert_eq!(project.paths("deliver_parcel"), ["parcel.rs", "letter.rs"]);
    assert_as_fresh(&project);
}

#[test]
fn a_changed_file_is_found_by_its_new_text_alone() {
    let mut project = TestProject::new(&format!("{LETTER}{PARCEL}"));
    project.write("//- /parcel.rs\npub fn weigh_crate() { lift(); }\n");
    let best = |query: &str| project.search(query, &SearchOptions::default())[0].symbol_name.clone().unwrap();
    assert_eq!(best("weigh_crate"), "weigh_crate");
    assert_eq!(best("deliver_parcel"), "deliver_letter");
    assert_as_fresh(&project);
}

#[test]
fn removed_files_are_found_no_more() {
    let mut project = TestProject::new(&format!("{LETTER}{PARCEL}"));
    assert_eq!(project.paths("deliver").len(), 2);
    project.remove(&["letter.rs"]);
    assert_eq!(project.paths("deliver"), ["parcel.rs"]);
    assert_eq!(project.index().n_files(), 1);
    project.remove(&["parcel.rs"]);
    assert_eq!(project.paths("deliver"), [""; 0]);
}

#[test]
fn frequencies_are_counted_over_live_files_alone() {
    let mut project = TestProject::new(&(distractors(20) + PARCEL));
    project.index();
    // A few of many files are removed, so that the segment is kept with holes.
    project.remove(&["other/meadow/harvest_0.rs", "other/copper/harvest_1.rs"]);
    assert_eq!(project.n_segments(), 1);
    assert_as_fresh(&project);
    assert_eq!(project.index().n_files(), 19);
}

#[test]
fn each_update_writes_a_segment_until_they_are_merged() {
    let mut project = TestProject::new(LETTER);
    let mut n_segments = Vec::new();
    for step in 0..12 {
        project.write(&format!("//- /parcel{step}.rs\npub fn deliver_parcel_{step}() {{ drive(); }}\n"));
        assert_eq!(project.index().n_files(), 2 + step);
        n_segments.push(project.n_segments());
    }
    expect!["[1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]"].assert_eq(&format!("{n_segments:?}"));
    assert_as_fresh(&project);
}

#[test]
fn a_segment_whose_files_are_mostly_removed_is_rewritten() {
    let mut project = TestProject::new(&distractors(10));
    project.index();
    let segment = || {
        std::fs::read_dir(project.index_folder())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .find(|name| name.to_string_lossy().ends_with(".seg"))
    };
    let before = segment();
    let removed: Vec<String> =
        project.paths("meadow copper lantern harvest violin").into_iter().take(4).collect();
    project.remove(&removed.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(project.index().n_files(), 6);
    let entries = std::fs::read_dir(project.index_folder()).unwrap().flatten();
    let after = entries.map(|entry| entry.file_name()).find(|name| name.to_string_lossy().ends_with(".seg"));
    assert_ne!(before, after);
    assert_as_fresh(&project);
}

#[test]
fn an_index_that_is_current_is_opened_as_it_is() {
    let project = TestProject::new(LETTER);
    let first = project.index();
    let manifest = project.index_folder().join("manifest.json");
    let before = std::fs::read(&manifest).unwrap();
    assert_eq!(project.index().generation(), first.generation());
    assert_eq!(std::fs::read(&manifest).unwrap(), before);
}

#[test]
fn an_old_snapshot_answers_as_before_while_the_project_changes() {
    let mut project = TestProject::new(&format!("{LETTER}{PARCEL}"));
    let old = project.index();
    let candidates = |index: &Index| {
        let found = index.candidates("deliver", StaticModel::builtin(), &SearchOptions::default()).unwrap();
        found.into_iter().map(|candidate| candidate.path).collect::<Vec<_>>()
    };
    let before = candidates(&old);
    project.remove(&["letter.rs"]);
    assert_eq!(candidates(&project.index()), ["parcel.rs"]);
    assert_eq!(candidates(&old), before);
}

#[test]
fn an_index_in_memory_answers_as_one_on_disk() {
    let project = TestProject::new(&(distractors(30) + LETTER + PARCEL));
    assert_as_fresh(&project);
    let memory = {
        let model = StaticModel::builtin();
        let id = project.project().id;
        let files = project.store.searchable_files(id).unwrap();
        Index::from_files(project.store.load_files(id, &files, model.id()).unwrap()).unwrap()
    };
    assert_eq!(state(&project, &project.index()), state(&project, &memory));
}
