//! What is committed, what is removed with it, and how it is found.

use std::sync::atomic::{AtomicBool, Ordering};

use craig_model::Quantized;
use craig_store::{
    Batch, ChunkPlace, FileId, FileIdentity, IngestionState, Missing, Project, ProjectCounts, Store,
    StoreError, TextHash, TrackedFile,
};

use crate::fixture::{EMBEDDER, GUIDE, QUEUE, TestStore, apply, bytes, file, file_of_known_texts};

#[test]
fn files_are_added_replaced_and_removed() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("src/queue.rs", QUEUE), file("GUIDE.md", GUIDE)], vec![]);
    assert_eq!(fixture.outline(&project), "GUIDE.md 1\nsrc/queue.rs 1\n");

    let before = fixture.file_id(&project, "src/queue.rs");
    fixture.apply(&project, vec![file("src/queue.rs", "pub fn empty() {}\n")], vec![]);
    let after = fixture.file_id(&project, "src/queue.rs");
    assert_eq!(fixture.outline(&project), "GUIDE.md 1\nsrc/queue.rs 1\n");
    assert!(after > before, "a new version has a new id: {before:?}, {after:?}");
    assert_eq!(
        fixture.store.load_files(project.id, &[before], EMBEDDER).unwrap(),
        [],
        "the old version is gone"
    );

    fixture.apply(&project, vec![], vec![after]);
    assert_eq!(fixture.outline(&project), "GUIDE.md 1\n");
    assert_eq!(fixture.store.project("jobs").unwrap().generation, 3, "one generation a change");
}

#[test]
fn ids_of_removed_files_never_come_back() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    let first = fixture.file_id(&project, "a.rs");
    fixture.apply(&project, vec![], vec![first]);
    fixture.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    assert_ne!(fixture.file_id(&project, "a.rs"), first);
}

#[test]
fn stored_chunks_are_those_of_the_file() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let cut = file("src/queue.rs", QUEUE);
    fixture.apply(&project, vec![cut.clone()], vec![]);
    let id = fixture.file_id(&project, "src/queue.rs");
    let stored = fixture.store.load_files(project.id, &[id], EMBEDDER).unwrap().remove(0);

    assert_eq!(stored.text, QUEUE);
    let outline = craig_chunk::chunk(cut.source.language, QUEUE);
    assert_eq!((stored.symbols, stored.imports), (outline.symbols, outline.imports));
    assert_eq!(stored.record.file_hash, cut.source.hash.to_hex());
    for ((stored, chunk), text) in stored.chunks.iter().zip(&cut.outline.chunks).zip(&cut.texts) {
        assert_eq!(stored.start_byte as usize..stored.end_byte as usize, chunk.bytes);
        assert_eq!((stored.kind, &stored.symbol_name), (chunk.kind, &chunk.symbol_name));
        assert_eq!((stored.text_hash, &stored.vector), (text.hash, &text.vector));
        assert_eq!(stored.text(QUEUE), chunk.text(QUEUE));
    }
}

#[test]
fn symbols_are_found_by_a_part_of_their_names() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let code = "fn open_file() {}\nfn Open() {}\nfn reopen() {}\nfn openXfile() {}\nfn other() {}\n";
    fixture.apply(&project, vec![file("b.rs", code), file("a.rs", "fn open() {}\n")], vec![]);
    let found = |part: &str, limit| -> Vec<String> {
        let id = fixture.store.project("jobs").unwrap().id;
        let symbols = fixture.store.symbols_with(id, part, limit).unwrap();
        symbols.iter().map(|(path, symbol)| format!("{path}:{} {}", symbol.line, symbol.name)).collect()
    };
    let all = ["a.rs:1 open", "b.rs:2 Open", "b.rs:1 open_file", "b.rs:4 openXfile", "b.rs:3 reopen"];
    assert_eq!(found("OPEN", 9), all);
    assert_eq!(found("open", 2), all[..2]);
    assert_eq!(found("n_f", 9), ["b.rs:1 open_file"], "an underscore is one");
    assert_eq!((found("%", 9), found("!", 9)), (vec![], vec![]));
    assert_eq!(found("", 9).len(), 6);
}

#[test]
fn binary_files_and_secrets_are_known_by_name_only() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(
        &project,
        vec![bytes("logo.png", vec![0x89, 0, 1]), bytes(".env", b"TOKEN=hush\n".to_vec())],
        vec![],
    );
    let content = |path: &str| fixture.store.file_text(project.id, path).unwrap().unwrap();
    assert_eq!((content("logo.png").content, content("logo.png").record.is_binary), (None, true));
    assert_eq!((content(".env").content, content(".env").record.is_binary), (None, false));
    assert_eq!(fixture.store.counts(project.id).unwrap(), ProjectCounts { files: 2, chunks: 0 });
}

#[test]
fn a_purge_removes_what_belongs_to_the_project_alone() {
    let mut fixture = TestStore::new();
    let (jobs, other) = (fixture.project("jobs"), fixture.project("other"));
    fixture.apply(&jobs, vec![file("a.rs", "fn only_here() {}"), file("b.rs", "fn shared() {}")], vec![]);
    fixture.apply(&other, vec![file("c.rs", "fn shared() {}")], vec![]);
    let texts = ["fn only_here() {}", "fn shared() {}"];
    assert_eq!(fixture.embedded(&texts), texts);

    let all = fixture.store.projects().unwrap();
    let counts = fixture.store.counts_of(&all).unwrap();
    assert!(all.iter().all(|project| counts[&project.id] == fixture.store.counts(project.id).unwrap()));

    fixture.purge(&jobs);
    assert_eq!(fixture.store.projects().unwrap().len(), 1);
    assert_eq!(fixture.store.generation(jobs.id).unwrap(), None);
    assert_eq!(fixture.store.counts(jobs.id).unwrap(), ProjectCounts::default());
    assert_eq!(fixture.store.ingestion_status(&jobs).unwrap().state, IngestionState::Pending);
    assert_eq!(fixture.embedded(&texts), ["fn shared() {}"], "the shared text keeps its vector");
    assert_eq!(fixture.outline(&other), "c.rs 1\n");
    assert_eq!(fixture.store.ingestion_status(&other).unwrap().state, IngestionState::Completed);
}

#[test]
fn files_with_the_same_text_share_its_vector() {
    let mut fixture = TestStore::new();
    let (jobs, other) = (fixture.project("jobs"), fixture.project("other"));
    fixture.apply(&jobs, vec![file("a.rs", "fn same() {}"), file("copy/a.rs", "fn same() {}")], vec![]);
    assert_eq!(fixture.embedded(&["fn same() {}", "fn unheard_of() {}"]), ["fn same() {}"]);
    let hash = TextHash::new("fn same() {}");
    assert!(fixture.store.known_vectors("another-embedder", [hash].into_iter()).unwrap().is_empty());

    fixture.apply(&other, vec![file_of_known_texts("z.rs", "fn same() {}")], vec![]);
    let id = fixture.file_id(&other, "z.rs");
    let stored = fixture.store.load_files(other.id, &[id], EMBEDDER).unwrap().remove(0);
    assert_eq!(stored.chunks[0].vector, file("z.rs", "fn same() {}").texts[0].vector);
}

#[test]
fn vectors_of_another_embedder_are_never_returned() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    let id = fixture.file_id(&project, "a.rs");
    let vector_of = |store: &Store, embedder: &str| {
        store.load_files(project.id, &[id], embedder).unwrap().remove(0).chunks.remove(0).vector
    };
    assert_eq!(vector_of(&fixture.store, "another-embedder"), None);

    let other = Quantized { scale: 0.5, codes: vec![1, -1] };
    let mut same_text = file("b.rs", "fn a() {}");
    same_text.texts[0].vector = Some(other.clone());
    let run = fixture.store.begin_ingestion(project.id, 1).unwrap();
    let batch = Batch { changed: vec![same_text], ..Batch::default() };
    assert_eq!(fixture.store.apply(&run, Some("another-embedder"), &batch, 1).unwrap(), Missing::default());
    assert_eq!(vector_of(&fixture.store, "another-embedder"), Some(other));
    assert_eq!(vector_of(&fixture.store, EMBEDDER), file("a.rs", "fn a() {}").texts[0].vector);
}

#[test]
fn vectors_of_texts_that_are_gone_are_dropped_on_request() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("a.rs", "fn old() {}")], vec![]);
    fixture.apply(&project, vec![file("a.rs", "fn new() {}")], vec![]);
    let texts = ["fn old() {}", "fn new() {}"];
    assert_eq!(fixture.embedded(&texts), texts, "it may come back with another branch");
    fixture.store.drop_unused_vectors().unwrap();
    assert_eq!(fixture.embedded(&texts), ["fn new() {}"]);
}

/// A project that shares a text may be purged between the look for its vector and the commit.
#[test]
fn a_batch_whose_vector_was_dropped_meanwhile_is_refused() {
    let mut fixture = TestStore::new();
    let (jobs, other) = (fixture.project("jobs"), fixture.project("other"));
    fixture.apply(&jobs, vec![file("a.rs", "fn same() {}")], vec![]);
    assert_eq!(fixture.embedded(&["fn same() {}"]).len(), 1);
    fixture.purge(&jobs);

    let run = fixture.store.begin_ingestion(other.id, 1).unwrap();
    let batch = Batch { changed: vec![file_of_known_texts("z.rs", "fn same() {}")], ..Batch::default() };
    let missing = fixture.store.apply(&run, Some(EMBEDDER), &batch, 1).unwrap();
    assert_eq!(missing, Missing { texts: vec![TextHash::new("fn same() {}")], files: vec![] });
    assert_eq!(fixture.outline(&other), "", "nothing of it is committed");
}

#[test]
fn projects_share_equal_files_until_the_last_of_them_is_gone() {
    let mut fixture = TestStore::new();
    let (trunk, branch) = (fixture.project("trunk"), fixture.project("branch"));
    fixture.apply(&trunk, vec![file("a.rs", "fn a() {}"), file("b.rs", "fn b() {}")], vec![]);
    let shared = fixture.store.tracked_files(trunk.id).unwrap();
    let identities: Vec<FileIdentity> =
        shared.iter().map(|file| FileIdentity::new("1", &file.path, file.hash)).collect();
    let found = fixture.store.find_files(&identities).unwrap();
    assert_eq!(found, shared.iter().map(|file| Some((file.id, 1))).collect::<Vec<_>>());
    let elsewhere = FileIdentity::new("1", "c.rs", shared[0].hash);
    let otherwise = FileIdentity::new("2", "a.rs", shared[0].hash);
    assert_eq!(fixture.store.find_files(&[elsewhere, otherwise]).unwrap(), [None, None]);

    fixture.share(&branch, shared.clone());
    assert_eq!(fixture.store.tracked_files(branch.id).unwrap(), shared);
    let nearest = |fixture: &TestStore, project: &Project| {
        fixture.store.nearest_project(project.id).unwrap().map(|project| project.name)
    };
    assert_eq!(nearest(&fixture, &branch).as_deref(), Some("trunk"));
    // What one of them changes or removes is as it was for the other.
    fixture.apply(&trunk, vec![file("a.rs", "fn changed() {}")], vec![shared[1].id]);
    assert_eq!(fixture.outline(&trunk), "a.rs 1\n");
    assert_eq!(fixture.outline(&branch), "a.rs 1\nb.rs 1\n");
    assert_eq!(fixture.store.counts(branch.id).unwrap().chunks, 2);
    assert_eq!(nearest(&fixture, &branch), None);
    // A file that is made twice at the same time is stored once.
    fixture.apply(&trunk, vec![file("a.rs", "fn a() {}")], vec![]);
    assert_eq!(fixture.file_id(&trunk, "a.rs"), shared[0].id);
    fixture.purge(&branch);
    assert_eq!(fixture.outline(&trunk), "a.rs 1\n");
    assert_eq!(fixture.store.find_files(&identities).unwrap()[1], None, "nobody has it any more");
}

#[test]
fn versions_that_git_has_are_kept_for_when_the_project_changes_back() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let version = |number: usize| file("a.rs", &format!("fn version_{number}() {{}}"));
    let others = (0..8).map(|number| file(&format!("{number}.rs"), "fn other() {}")).collect();
    fixture.apply(&project, others, vec![]);
    let mut ids = Vec::new();
    for number in 0..4 {
        fixture.apply_from_git(&project, vec![version(number)]);
        ids.push(fixture.file_id(&project, "a.rs"));
    }
    // Two of nine files, those that were replaced last.
    assert_eq!(fixture.store.kept_versions(project.id).unwrap(), ids[1..3]);
    fixture.apply(&project, vec![version(1)], vec![]);
    assert_eq!(fixture.file_id(&project, "a.rs"), ids[1]);
    assert_eq!(fixture.store.kept_versions(project.id).unwrap(), ids[2..4]);
    // Git does not have this one, and of the others the one that was replaced first is dropped.
    fixture.apply(&project, vec![version(5)], vec![]);
    fixture.apply(&project, vec![version(3)], vec![]);
    assert_eq!(fixture.file_id(&project, "a.rs"), ids[3]);
    assert_eq!(fixture.store.kept_versions(project.id).unwrap(), [ids[1]]);
    fixture.store.keep_no_versions(project.id).unwrap();
    assert_eq!(fixture.store.kept_versions(project.id).unwrap(), []);
    assert_eq!(fixture.file_id(&project, "a.rs"), ids[3]);
}

#[test]
fn a_batch_whose_shared_file_was_dropped_meanwhile_is_refused() {
    let mut fixture = TestStore::new();
    let (trunk, branch) = (fixture.project("trunk"), fixture.project("branch"));
    fixture.apply(&trunk, vec![file("a.rs", "fn a() {}")], vec![]);
    let shared = fixture.store.tracked_files(trunk.id).unwrap();
    fixture.purge(&trunk);
    let run = fixture.store.begin_ingestion(branch.id, 1).unwrap();
    let batch = Batch { changed: vec![file("b.rs", "fn b() {}")], shared, ..Batch::default() };
    let missing = fixture.store.apply(&run, None, &batch, 1).unwrap();
    assert_eq!(missing, Missing { texts: vec![], files: vec!["a.rs".to_owned()] });
    assert_eq!(fixture.outline(&branch), "", "nothing of it is committed");
}

#[test]
fn a_damaged_file_is_forgotten_by_all_that_share_it() {
    let mut fixture = TestStore::new();
    let (trunk, branch) = (fixture.project("trunk"), fixture.project("branch"));
    fixture.apply(&trunk, vec![file("a.rs", "fn a() {}")], vec![]);
    let shared = fixture.store.tracked_files(trunk.id).unwrap();
    fixture.share(&branch, shared.clone());
    let before = fixture.store.project("branch").unwrap().generation;
    fixture.store.forget_files(&[shared[0].id]).unwrap();
    assert_eq!([fixture.outline(&trunk), fixture.outline(&branch)], ["", ""]);
    assert_eq!(fixture.store.project("branch").unwrap().generation, before + 1);
}

#[test]
fn a_range_of_a_text_is_counted_in_bytes() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("GUIDE.md", GUIDE), bytes("logo.png", vec![0])], vec![]);
    let id = fixture.file_id(&project, "GUIDE.md");
    let at = GUIDE.find("naïve").unwrap() as u32;
    let place =
        |file, n_bytes, text: &str| ChunkPlace { file, bytes: at..at + n_bytes, hash: TextHash::new(text) };
    let (word, letters) = (place(id, 6, "naïve"), place(id, 2, "na"));
    let gone = place(FileId::from_u64(999), 6, "naïve");
    let found = fixture.store.chunk_texts(&[word.clone(), gone, letters]).unwrap();
    assert_eq!(found, [Some("naïve".to_owned()), None, Some("na".to_owned())]);
    let half_a_letter = [word, place(id, 3, "naïve")];
    assert_eq!(
        fixture.store.chunk_texts(&half_a_letter).unwrap_err().to_string(),
        r#"the stored text of "GUIDE.md" is damaged"#
    );
}

#[test]
fn a_project_is_found_by_id_reference_or_name() {
    let mut fixture = TestStore::new();
    let (first, second) = (fixture.project("jobs"), fixture.project("mail"));
    let found = |handle: &str| fixture.store.project(handle).map(|project| project.name);
    assert_eq!(found("jobs").unwrap(), "jobs");
    assert_eq!(found(&second.id.to_u64().to_string()).unwrap(), "mail");
    assert_eq!(found(&first.reference).unwrap(), "jobs");
    assert_eq!(first.reference.len(), 12);
    let error = found("job").unwrap_err();
    let StoreError::UnknownProject { handle, known } = error else { panic!("{error}") };
    assert_eq!((handle.as_str(), known.join(" ").as_str()), ("job", "jobs mail"));
}

#[test]
fn an_id_takes_precedence_over_a_reference_and_a_reference_over_a_name() {
    let mut fixture = TestStore::new();
    let first = fixture.project("jobs");
    let like_an_id = fixture.project(&first.id.to_u64().to_string());
    let like_a_reference = fixture.project(&first.reference);
    let found = |handle: &str| fixture.store.project(handle).unwrap().id;
    assert_eq!(found(&like_an_id.name), first.id);
    assert_eq!(found(&like_a_reference.name), first.id);
    assert_eq!(found(&like_an_id.reference), like_an_id.id);
    // Only the digits of an id are one.
    for handle in ["01", "+1", " 1", "1 ", "1.0", "1e0", "1abc", ""] {
        assert!(
            matches!(fixture.store.project(handle), Err(StoreError::UnknownProject { .. })),
            "{handle:?}"
        );
    }
}

#[test]
fn a_name_belongs_to_one_directory() {
    let mut fixture = TestStore::new();
    let project = fixture.store.create_project("jobs", "/src/jobs", "{}").unwrap();
    let again = fixture.store.create_project("jobs", "/src/jobs", r#"{"exclude":["*.log"]}"#).unwrap();
    assert_eq!((again.id, again.options.as_str()), (project.id, r#"{"exclude":["*.log"]}"#));
    let error = fixture.store.create_project("jobs", "/elsewhere", "{}").unwrap_err();
    assert_eq!(error.to_string(), r#"the name "jobs" already belongs to the project of /src/jobs"#);
    assert_eq!(fixture.store.project("jobs").unwrap().options, again.options, "nothing of it was changed");
    assert_eq!(fixture.store.project_of_path("/src/jobs").unwrap().unwrap().id, project.id);
    assert_eq!(fixture.store.project_of_path("/elsewhere").unwrap(), None);
}

#[test]
fn commits_survive_reopening() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("src/queue.rs", QUEUE)], vec![]);
    fixture.store = fixture.open_again();
    assert_eq!(fixture.outline(&project), "src/queue.rs 1\n");
    assert_eq!(fixture.store.reopen().unwrap().project("jobs").unwrap().generation, 1);
}

#[test]
fn an_empty_batch_does_not_increase_the_generation() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![], vec![]);
    assert_eq!(fixture.store.project("jobs").unwrap().generation, 0);
}

#[test]
fn a_file_that_was_only_touched_shows_its_new_date() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    let before = fixture.store.project("jobs").unwrap();
    let tracked = fixture.store.tracked_files(project.id).unwrap().remove(0);
    let stamp = craig_source::FileStamp { modified_ns: 1_700_000_060_000_000_000, ..tracked.stamp };
    let restamped = vec![TrackedFile { stamp, read_ns: 42, ..tracked.clone() }];
    let run = fixture.store.begin_ingestion(project.id, 1).unwrap();
    fixture.store.apply(&run, Some(EMBEDDER), &Batch { restamped, ..Batch::default() }, 1).unwrap();

    let now = fixture.store.tracked_files(project.id).unwrap().remove(0);
    assert_eq!(fixture.store.tracked_file(project.id, "a.rs").unwrap().as_ref(), Some(&now));
    assert_eq!((now.id, now.stamp, now.read_ns), (tracked.id, stamp, 42));
    assert_eq!(fixture.store.project("jobs").unwrap(), before, "its content is the same");
}

/// A reader sees a batch whole or not at all: file i of each batch holds the number of the batch.
#[test]
fn readers_see_whole_batches_while_a_writer_commits() {
    const N_FILES: usize = 8;
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let batch = |number: usize| {
        (0..N_FILES).map(|i| file(&format!("f{i}.rs"), &format!("fn v{number}() {{}}"))).collect::<Vec<_>>()
    };
    fixture.apply(&project, batch(0), vec![]);
    let done = AtomicBool::new(false);
    let stores: Vec<Store> = (0..2).map(|_| fixture.open_again()).collect();
    std::thread::scope(|scope| {
        let readers: Vec<_> = stores
            .into_iter()
            .map(|store| {
                let done = &done;
                scope.spawn(move || {
                    let mut n_seen = std::collections::BTreeSet::new();
                    while !done.load(Ordering::Relaxed) {
                        let hashes: Vec<_> = store
                            .tracked_files(project.id)
                            .unwrap()
                            .into_iter()
                            .map(|file| file.hash)
                            .collect();
                        assert_eq!(hashes.len(), N_FILES);
                        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "a batch was seen in part");
                        n_seen.insert(hashes[0]);
                    }
                    n_seen.len()
                })
            })
            .collect();
        for number in 1..60 {
            apply(&mut fixture.store, &project, batch(number), vec![]);
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 1, "the reader saw the writer's progress");
        }
    });
}
