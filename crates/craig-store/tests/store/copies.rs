//! Copies have everything, continue where they were cut off, and overwrite nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use craig_store::{NewJob, Project, Store};

use crate::context_uses::context_use;
use crate::fixture::{EMBEDDER, GUIDE, QUEUE, TestStore, apply, bytes, file};

/// A database with something in each of its tables.
pub(crate) fn filled() -> TestStore {
    let mut fixture = TestStore::new();
    let (jobs, mail) = (fixture.project("jobs"), fixture.project("mail"));
    let logo = bytes("logo.png", vec![0x89, 0, 1]);
    fixture.apply(&jobs, vec![file("GUIDE.md", GUIDE), file("src/queue.rs", QUEUE), logo], vec![]);
    fixture.apply(&mail, vec![file("send.rs", "fn send() {}")], vec![]);
    fixture.store.add_to_group("all", &[jobs.clone(), mail]).unwrap();
    let used = fixture.store.record_context_use(jobs.id, &context_use()).unwrap();
    fixture.store.rate_context_use(Some(used), true, Some("a\0b größe")).unwrap();
    let every = Some(Duration::from_secs(60));
    let job = NewJob { source: "/src/jobs".into(), branch: None, name: None, every };
    fixture.store.add_job(&job).unwrap();
    fixture
}

/// Copies `from`, and checks that the copy answers as the original does, and goes on as a database of its own.
pub(crate) fn check_copy(from: &Store, to: &mut Store) {
    let mut steps = Vec::new();
    let copied = from.copy_to(to, &mut |n_files, total| steps.push((n_files, total))).unwrap();
    assert_eq!((copied.projects, copied.files, copied.chunks, copied.vectors), (3, 4, 3, 3));
    assert_eq!(steps, [(4, 4)]);
    let group = from.project("all").unwrap();
    for project in from.projects().unwrap().into_iter().chain([group]) {
        let copy = to.project(&project.name).unwrap();
        assert_eq!(contents(to, &copy), contents(from, &project));
        assert_eq!(to.damaged_files(copy.id, &mut |_| ()).unwrap(), []);
    }
    assert_eq!(to.jobs().unwrap(), from.jobs().unwrap());
    let [kept, used] = [&*to, from].map(|store| store.context_uses(None).unwrap().remove(0));
    assert_eq!(kept.note.unwrap(), used.note.clone().unwrap().replace('\0', "\u{FFFD}"));
    assert_eq!((kept.helpful, kept.best_score, kept.query), (Some(true), Some(0.9), used.query));

    let jobs = to.project("jobs").unwrap();
    apply(to, &jobs, vec![file("new.rs", "fn new() {}")], vec![]);
    let known = from.tracked_files(jobs.id).unwrap();
    let new = to.tracked_file(jobs.id, "new.rs").unwrap().unwrap();
    assert!(known.iter().all(|file| file.id < new.id), "no id is used twice");
}

fn contents(store: &Store, project: &Project) -> String {
    let files = store.tracked_files(project.id).unwrap();
    let ids: Vec<_> = files.iter().map(|file| file.id).collect();
    let stored = store.load_files(project.id, &ids, EMBEDDER).unwrap();
    let named = store.load_names(project.id, &ids).unwrap().into_iter().map(|file| {
        let named = file.unpacked().unwrap();
        format!("{:?} {:?}", named.names, named.references)
    });
    let texts = files.iter().map(|file| store.file_text(project.id, &file.path).unwrap().unwrap().content);
    let Project { id, name, reference, source_path, content_hash, generation, options, .. } = project;
    let texts: Vec<_> = texts.collect();
    let named: Vec<_> = named.collect();
    format!(
        "{id:?} {name} {reference} {source_path} {content_hash:?} {generation} {options} {files:?} {stored:?} {texts:?} {named:?}"
    )
}

#[test]
fn a_copy_has_everything() {
    let (from, mut to) = (filled(), TestStore::new());
    check_copy(&from.store, &mut to.store);
}

#[test]
fn a_copy_that_was_cut_off_is_continued() {
    let (from, mut to) = (filled(), TestStore::new());
    let cut_off = catch_unwind(AssertUnwindSafe(|| {
        let mut again = to.open_again();
        from.store.copy_to(&mut again, &mut |_, _| panic!("the power fails"))
    }));
    assert!(cut_off.is_err());
    assert_eq!(to.store.projects().unwrap(), [], "nobody sees half a copy");
    let mut steps = 0;
    let copied = from.store.copy_to(&mut to.store, &mut |_, _| steps += 1).unwrap();
    assert_eq!((copied.files_before, copied.files, steps), (4, 4, 0));
    for project in from.store.projects().unwrap() {
        let copy = to.store.project(&project.name).unwrap();
        assert_eq!(contents(&to.store, &copy), contents(&from.store, &project));
    }
}

#[test]
fn nothing_is_overwritten() {
    let (from, mut to) = (filled(), TestStore::new());
    let project = to.project("own");
    let refused = |to: &mut TestStore| {
        let error = from.store.copy_to(&mut to.store, &mut |_, _| ()).unwrap_err().to_string();
        assert!(error.ends_with(" is not empty"), "{error}");
    };
    refused(&mut to);
    // Files that belong to no project may be those of another copy.
    to.apply(&project, vec![file("own.rs", "fn own() {}")], vec![]);
    let archive = to.folder.path().join("own.craig");
    let header = craig_store::ArchiveHeader {
        made: "1".to_owned(),
        embedder: Some(EMBEDDER.to_owned()),
        project: "own".to_owned(),
        n_files: 1,
    };
    to.store.export(project.id, &header, std::fs::File::create(&archive).unwrap(), &mut |_| ()).unwrap();
    let mut other = TestStore::new();
    other.store.import(craig_store::Archive::open(&archive).unwrap(), &mut |_| ()).unwrap();
    refused(&mut other);
    let mut same = from.open_again();
    let error = from.store.copy_to(&mut same, &mut |_, _| ()).unwrap_err().to_string();
    assert!(error.ends_with(" is not empty"), "{error}");
}
