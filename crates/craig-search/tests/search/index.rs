//! The index on disk: its health, damage, repair, locks and removal.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use craig_model::{Embedder as _, StaticModel};
use craig_search::{Index, IndexHealth, SearchError, SearchOptions};

use crate::fixture::{TestProject, distractors};

fn health(project: &TestProject) -> IndexHealth {
    let model = StaticModel::builtin();
    Index::check(&project.store, &project.project(), model.id(), model.dimensions().unwrap()).unwrap()
}

fn repaired(project: &TestProject) -> Index {
    let model = StaticModel::builtin();
    let dimensions = model.dimensions().unwrap();
    Index::repair(&project.store, &project.project(), model.id(), dimensions, &project.pool).unwrap()
}

fn segment(project: &TestProject) -> PathBuf {
    let entries = fs::read_dir(project.index_folder()).unwrap().flatten().map(|entry| entry.path());
    entries.into_iter().find(|path| path.extension().is_some_and(|end| end == "seg")).unwrap()
}

/// Changes one byte at a share of a file's length.
fn flip(path: &PathBuf, share: f64) {
    let mut bytes = fs::read(path).unwrap();
    let at = (bytes.len() as f64 * share) as usize;
    bytes[at] ^= 0x40;
    fs::write(path, bytes).unwrap();
}

fn project() -> TestProject {
    let project = TestProject::new(&(distractors(50) + "//- /parcel.rs\nfn deliver_parcel() {}\n"));
    project.index();
    project
}

#[test]
fn an_index_is_stale_until_it_is_made_and_whenever_files_change() {
    let mut project = TestProject::new("//- /parcel.rs\nfn deliver_parcel() {}\n");
    assert_eq!(health(&project), IndexHealth::Stale);
    project.index();
    assert!(matches!(health(&project), IndexHealth::Sound { n_segments: 1, n_bytes } if n_bytes > 1_000));
    project.write("//- /letter.rs\nfn deliver_letter() {}\n");
    assert_eq!(health(&project), IndexHealth::Stale);
}

#[test]
fn vectors_of_another_embedder_make_another_index() {
    let project = project();
    let other = Index::check(&project.store, &project.project(), "other-embedder", 256).unwrap();
    assert_eq!(other, IndexHealth::Stale);
    let index =
        Index::sync(&project.store, &project.project(), "other-embedder", 256, &project.pool).unwrap();
    assert_eq!(index.n_files(), 51);
    let model = StaticModel::builtin();
    let found = index.candidates("deliver_parcel", model, &SearchOptions::default()).unwrap();
    assert_eq!(found[0].path, "parcel.rs", "words are found without vectors");
    assert_eq!(found[0].features.dense_best, 0.0);
}

#[test]
fn a_flipped_bit_anywhere_is_found_and_repaired() {
    for share in [0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999] {
        let project = project();
        let path = segment(&project);
        flip(&path, share);
        let IndexHealth::Damaged { what } = health(&project) else { panic!("{share} is found") };
        assert!(what.starts_with("000000.seg: "), "{what}");
        let index = repaired(&project);
        let report = index.repaired().unwrap_or_else(|| panic!("{share} is reported"));
        assert!(report.starts_with("000000.seg: "), "{report}");
        assert!(matches!(health(&project), IndexHealth::Sound { .. }));
        assert_eq!(project.index().repaired(), None);
        assert_eq!(project.paths("deliver_parcel")[0], "parcel.rs");
    }
}

#[test]
fn damage_that_a_search_meets_is_an_error_and_not_an_answer() {
    let project = project();
    let index = project.index();
    let before =
        index.candidates("deliver_parcel", StaticModel::builtin(), &SearchOptions::default()).unwrap();
    let mut n_errors = 0;
    for share in 1..40 {
        let project = self::project();
        flip(&segment(&project), f64::from(share) / 40.0);
        // Damage of the parts that are verified on opening is repaired at once.
        let index = project.index();
        match index.candidates("deliver_parcel", StaticModel::builtin(), &SearchOptions::default()) {
            Err(SearchError::Damaged { path }) => {
                assert_eq!(path, segment(&project));
                n_errors += 1;
            }
            found => {
                let paths = |found: &[craig_search::CandidateFeatures]| {
                    found.iter().map(|one| (one.path.clone(), one.features)).collect::<Vec<_>>()
                };
                assert_eq!(paths(&found.unwrap()), paths(&before), "{share}");
            }
        }
    }
    assert!(n_errors > 5, "a search reads a good part of a small index: {n_errors}");
}

#[test]
fn a_missing_or_short_segment_is_made_anew() {
    let project = project();
    fs::remove_file(segment(&project)).unwrap();
    let index = project.index();
    assert!(index.repaired().unwrap().starts_with("000000.seg: "), "{:?}", index.repaired());
    let path = segment(&project);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(project.index().repaired().is_some());
    assert_eq!(project.paths("deliver_parcel")[0], "parcel.rs");
}

#[test]
fn a_damaged_manifest_is_reported_and_made_anew() {
    let sound = fs::read_to_string(project().index_folder().join("manifest.json")).unwrap();
    let other_generation = sound.replacen("\"generation\":", "\"generation\":1", 1);
    assert_ne!(other_generation, sound);
    for content in ["", "{", "null", "[1, 2]", &sound[..sound.len() / 2], &other_generation] {
        let project = project();
        fs::write(project.index_folder().join("manifest.json"), content).unwrap();
        let found = health(&project);
        assert!(
            matches!(&found, IndexHealth::Damaged { what } if what.starts_with("manifest.json: ")),
            "{content}"
        );
        assert!(project.index().repaired().unwrap().starts_with("manifest.json: "), "{content}");
        assert_eq!(project.paths("deliver_parcel")[0], "parcel.rs");
    }
}

#[test]
fn a_manifest_of_another_format_is_stale_without_being_damaged() {
    let project = project();
    fs::write(project.index_folder().join("manifest.json"), "{\"format\": 1, \"whatever\": []}").unwrap();
    assert_eq!(health(&project), IndexHealth::Stale);
    assert_eq!(project.index().repaired(), None);
}

#[test]
fn an_index_of_other_files_is_found_by_a_full_check() {
    let mut project = project();
    let segment_before = fs::read(segment(&project)).unwrap();
    let manifest = project.index_folder().join("manifest.json");
    project.write("//- /letter.rs\nfn deliver_letter() {}\n");
    project.index();
    // The manifest of this generation with only the segment of the one before: what a lost write may leave.
    let files: Vec<PathBuf> =
        fs::read_dir(project.index_folder()).unwrap().flatten().map(|entry| entry.path()).collect();
    assert!(files.len() >= 2 && manifest.is_file());
    assert!(files.iter().any(|path| fs::read(path).unwrap() == segment_before), "the old segment is kept");
    assert!(matches!(health(&project), IndexHealth::Sound { n_segments: 2, .. }));
}

#[test]
fn files_that_no_manifest_names_are_removed_by_the_next_update() {
    let mut project = project();
    let stray = [project.index_folder().join("000099.seg"), project.index_folder().join("000098.tmp")];
    stray.iter().for_each(|path| fs::write(path, "stray").unwrap());
    let kept = project.index_folder().join("readme.txt");
    fs::write(&kept, "not ours").unwrap();
    project.write("//- /letter.rs\nfn deliver_letter() {}\n");
    project.index();
    assert!(stray.iter().all(|path| !path.exists()));
    assert!(kept.exists(), "only segments and temporary files are removed");
}

#[test]
fn a_removed_index_is_made_again() {
    let project = project();
    let lock = project.store.lock_index(&project.project(), Duration::ZERO).unwrap();
    Index::remove(&project.store, &project.project(), &lock).unwrap();
    Index::remove(&project.store, &project.project(), &lock).unwrap();
    assert!(!project.index_folder().exists());
    drop(lock);
    assert_eq!(project.paths("deliver_parcel")[0], "parcel.rs");
}

#[test]
fn what_is_of_a_member_is_removed_with_the_segments_that_have_it() {
    let mut project = project();
    project.write("//- /mail/letter.rs\nfn deliver_letter() {}\n");
    project.index();
    let segments = || {
        let names = fs::read_dir(project.index_folder()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(segments(), ["000000.seg", "000001.seg", "manifest.json"]);
    fs::write(project.index_folder().join("symbols"), "derived").unwrap();
    let model = StaticModel::builtin();
    let model = (model.id(), model.dimensions().unwrap());
    let lock = project.store.lock_index(&project.project(), Duration::ZERO).unwrap();
    Index::remove_member(&project.store, &project.project(), model, "mail", &lock).unwrap();
    drop(lock);
    assert_eq!(segments(), ["000000.seg", "manifest.json"]);
    assert_eq!(project.paths("deliver_parcel")[0], "parcel.rs");
    assert_eq!(project.paths("deliver_letter")[0], "mail/letter.rs", "it is still in the store");
}

#[test]
fn an_index_that_cannot_be_written_is_an_error_with_its_path() {
    let project = TestProject::new("//- /parcel.rs\nfn deliver_parcel() {}\n");
    // A file where the folder should be.
    fs::create_dir_all(project.index_folder().parent().unwrap()).unwrap();
    fs::write(project.index_folder(), "a file").unwrap();
    let error = project.try_index().unwrap_err();
    assert!(matches!(&error, SearchError::Io { path, .. } if path.starts_with(project.folder())), "{error}");
    assert!(error.to_string().starts_with("cannot use the search index file "), "{error}");
    let model = StaticModel::builtin();
    let dimensions = model.dimensions().unwrap();
    let index =
        Index::build_in_memory(&project.store, &project.project(), model.id(), dimensions, &project.pool)
            .unwrap();
    assert_eq!(index.n_files(), 1);
}

#[test]
fn signs_are_those_of_every_chunk() {
    let project = project();
    let index = project.index();
    assert_eq!(index.signs().count(), 51);
    assert!(index.signs().all(|signs| signs.len() == 4 && signs.iter().any(|word| *word != 0)));
}
