//! What is committed, what goes with it, and what it is found by.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::project::{Bench, EMBEDDER, GUIDE, QUEUE, apply, bytes, file, file_of_known_texts};
use craig_store::{Batch, IngestionState, Store, StoreError, TextHash};

#[test]
fn files_are_added_replaced_and_removed() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(&project, vec![file("src/queue.rs", QUEUE), file("GUIDE.md", GUIDE)], vec![]);
    assert_eq!(bench.outline(&project), "GUIDE.md 1\nsrc/queue.rs 1\n");

    let before = bench.file_id(&project, "src/queue.rs");
    bench.apply(&project, vec![file("src/queue.rs", "pub fn empty() {}\n")], vec![]);
    let after = bench.file_id(&project, "src/queue.rs");
    assert_eq!(bench.outline(&project), "GUIDE.md 1\nsrc/queue.rs 1\n");
    assert!(after > before, "a new version has a new id: {before:?}, {after:?}");
    assert_eq!(bench.store.load_files(&[before], EMBEDDER).unwrap(), [], "the old version is gone");

    bench.apply(&project, vec![], vec![after]);
    assert_eq!(bench.outline(&project), "GUIDE.md 1\n");
    assert_eq!(bench.store.project("jobs").unwrap().generation, 3, "one generation a change");
}

#[test]
fn ids_of_removed_files_never_come_back() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    let first = bench.file_id(&project, "a.rs");
    bench.apply(&project, vec![], vec![first]);
    bench.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    assert_ne!(bench.file_id(&project, "a.rs"), first);
}

#[test]
fn what_is_stored_is_what_was_cut() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    let cut = file("src/queue.rs", QUEUE);
    bench.apply(&project, vec![cut.clone()], vec![]);
    let id = bench.file_id(&project, "src/queue.rs");
    let stored = bench.store.load_files(&[id], EMBEDDER).unwrap().remove(0);

    assert_eq!(stored.text, QUEUE);
    assert_eq!((stored.symbols, stored.imports), (cut.outline.symbols, cut.outline.imports));
    assert_eq!(stored.record.file_hash, cut.source.hash.to_hex());
    assert_eq!(stored.record.modified_date.as_deref(), Some("2023-11-14T22:13:20.000Z"));
    for ((stored, chunk), text) in stored.chunks.iter().zip(&cut.outline.chunks).zip(&cut.texts) {
        assert_eq!(stored.start_byte as usize..stored.end_byte as usize, chunk.bytes);
        assert_eq!((stored.kind, &stored.symbol_name), (chunk.kind, &chunk.symbol_name));
        assert_eq!((stored.text_hash, &stored.vector), (text.hash, &text.vector));
        assert_eq!(stored.text(QUEUE), chunk.text(QUEUE));
    }
}

#[test]
fn symbols_are_found_by_a_part_of_their_names() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    let code = "fn open_file() {}\nfn Open() {}\nfn reopen() {}\nfn openXfile() {}\nfn other() {}\n";
    bench.apply(&project, vec![file("b.rs", code), file("a.rs", "fn open() {}\n")], vec![]);
    let found = |part: &str, limit| -> Vec<String> {
        let id = bench.store.project("jobs").unwrap().id;
        let symbols = bench.store.symbols_with(id, part, limit).unwrap();
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
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(
        &project,
        vec![bytes("logo.png", vec![0x89, 0, 1]), bytes(".env", b"TOKEN=hush\n".to_vec())],
        vec![],
    );
    let content = |path: &str| bench.store.file_text(project.id, path).unwrap().unwrap();
    assert_eq!((content("logo.png").content, content("logo.png").record.is_binary), (None, true));
    assert_eq!((content(".env").content, content(".env").record.is_binary), (None, false));
    assert_eq!(bench.count("SELECT count(*) FROM chunks"), 0);
}

#[test]
fn purging_takes_along_what_belongs_to_the_project_alone() {
    let mut bench = Bench::new();
    let (jobs, other) = (bench.project("jobs"), bench.project("other"));
    bench.apply(&jobs, vec![file("a.rs", "fn only_here() {}"), file("b.rs", "fn shared() {}")], vec![]);
    bench.apply(&other, vec![file("c.rs", "fn shared() {}")], vec![]);
    assert_eq!(bench.count("SELECT count(*) FROM vectors"), 2);

    bench.store.purge(jobs.id).unwrap();
    assert_eq!(bench.count("SELECT count(*) FROM projects"), 1);
    assert_eq!(bench.count("SELECT count(*) FROM files"), 1);
    assert_eq!(bench.count("SELECT count(*) FROM chunks"), 1);
    assert_eq!(bench.count("SELECT count(*) FROM ingestion_status"), 1);
    assert_eq!(bench.count("SELECT count(*) FROM vectors"), 1, "the shared text keeps its vector");
    assert_eq!(bench.outline(&other), "c.rs 1\n");
}

#[test]
fn one_text_has_one_vector_whatever_holds_it() {
    let mut bench = Bench::new();
    let (jobs, other) = (bench.project("jobs"), bench.project("other"));
    bench.apply(&jobs, vec![file("a.rs", "fn same() {}"), file("copy/a.rs", "fn same() {}")], vec![]);
    assert_eq!(bench.count("SELECT count(*) FROM vectors"), 1);

    let hash = TextHash::of("fn same() {}");
    let unknown = TextHash::of("fn unheard_of() {}");
    let known = bench.store.known_vectors(EMBEDDER, [hash, unknown].into_iter()).unwrap();
    assert_eq!(known.into_iter().collect::<Vec<_>>(), [hash]);
    assert!(bench.store.known_vectors("another-embedder", [hash].into_iter()).unwrap().is_empty());

    bench.apply(&other, vec![file_of_known_texts("z.rs", "fn same() {}")], vec![]);
    let id = bench.file_id(&other, "z.rs");
    let stored = bench.store.load_files(&[id], EMBEDDER).unwrap().remove(0);
    assert_eq!(stored.chunks[0].vector, file("z.rs", "fn same() {}").texts[0].vector);
}

#[test]
fn vectors_of_another_embedder_are_never_given() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    let id = bench.file_id(&project, "a.rs");
    let vector_of = |store: &Store, embedder: &str| {
        store.load_files(&[id], embedder).unwrap().remove(0).chunks.remove(0).vector
    };
    assert_eq!(vector_of(&bench.store, "another-embedder"), None);

    let other = craig_model::Quantized { scale: 0.5, codes: vec![1, -1] };
    bench.store.add_vectors("another-embedder", &[(TextHash::of("fn a() {}"), other.clone())]).unwrap();
    assert_eq!(vector_of(&bench.store, "another-embedder"), Some(other));
    assert_eq!(vector_of(&bench.store, EMBEDDER), file("a.rs", "fn a() {}").texts[0].vector);
}

/// A project that shares a text may be purged between the look for its vector and the commit.
#[test]
fn a_batch_that_relies_on_a_vector_that_is_gone_is_refused_with_its_name() {
    let mut bench = Bench::new();
    let (jobs, other) = (bench.project("jobs"), bench.project("other"));
    bench.apply(&jobs, vec![file("a.rs", "fn same() {}")], vec![]);
    let hash = TextHash::of("fn same() {}");
    assert!(bench.store.known_vectors(EMBEDDER, [hash].into_iter()).unwrap().contains(&hash));
    bench.store.purge(jobs.id).unwrap();

    let run = bench.store.begin_ingestion(other.id, 1).unwrap();
    let batch = Batch { changed: vec![file_of_known_texts("z.rs", "fn same() {}")], removed: Vec::new() };
    assert_eq!(bench.store.apply(other.id, run, EMBEDDER, &batch, 1).unwrap(), [hash]);
    assert_eq!(bench.outline(&other), "", "nothing of it is committed");
}

#[test]
fn the_view_of_embeddings_shows_each_chunks_own_text() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    let long = format!("# Größe\n\n{}", "Ein Satz über größere Mengen, immer wieder. ".repeat(400));
    let files = vec![file("GUIDE.md", GUIDE), file("src/queue.rs", QUEUE), file("long.md", &long)];
    let mut expected: Vec<_> = files
        .iter()
        .flat_map(|file| {
            let text = file.source.indexed_text().unwrap();
            file.outline.chunks.iter().zip(&file.texts).map(move |(chunk, stored)| {
                (chunk.text(text).to_owned(), stored.vector.as_ref().unwrap().to_bytes())
            })
        })
        .collect();
    assert!(files[2].outline.chunks.iter().any(|chunk| chunk.overlap_bytes > 0), "one has overlap");
    bench.apply(&project, files, vec![]);

    let connection = rusqlite::Connection::open(bench.path()).unwrap();
    let mut statement =
        connection.prepare("SELECT chunk_text, vector, embedder FROM embeddings ORDER BY id").unwrap();
    let mut found: Vec<(String, Vec<u8>)> = statement
        .query_map([], |row| {
            assert_eq!(row.get::<_, String>(2)?, EMBEDDER);
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_range_of_a_text_is_counted_in_bytes() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(&project, vec![file("GUIDE.md", GUIDE), bytes("logo.png", vec![0])], vec![]);
    let id = bench.file_id(&project, "GUIDE.md");
    let at = GUIDE.find("naïve").unwrap() as u32;
    let text = |id, n_bytes| bench.store.chunk_text(id, at..at + n_bytes, TextHash::of("naïve"));
    assert_eq!(text(id, 6).unwrap().as_deref(), Some("naïve"));
    assert_eq!(
        text(id, 3).unwrap_err().to_string(),
        r#"the stored text of "GUIDE.md" is damaged"#,
        "half a letter"
    );
    assert_eq!(text(craig_store::FileId(999), 6).unwrap(), None);
}

#[test]
fn a_project_goes_by_id_reference_or_name() {
    let mut bench = Bench::new();
    let (first, second) = (bench.project("jobs"), bench.project("mail"));
    let found = |handle: &str| bench.store.project(handle).map(|project| project.name);
    assert_eq!(found("jobs").unwrap(), "jobs");
    assert_eq!(found(&second.id.get().to_string()).unwrap(), "mail");
    assert_eq!(found(&first.reference).unwrap(), "jobs");
    assert_eq!(first.reference.len(), 12);
    let error = found("job").unwrap_err();
    let StoreError::UnknownProject { handle, known } = error else { panic!("{error}") };
    assert_eq!((handle.as_str(), known.join(" ").as_str()), ("job", "jobs mail"));
}

#[test]
fn an_id_comes_before_a_reference_before_a_name() {
    let mut bench = Bench::new();
    let first = bench.project("jobs");
    let like_an_id = bench.project(&first.id.get().to_string());
    let like_a_reference = bench.project(&first.reference);
    let found = |handle: &str| bench.store.project(handle).unwrap().id;
    assert_eq!(found(&like_an_id.name), first.id);
    assert_eq!(found(&like_a_reference.name), first.id);
    assert_eq!(found(&like_an_id.reference), like_an_id.id);
    // Only the digits of an id are one.
    for handle in ["01", "+1", " 1", "1 ", "1.0", "1e0", "1abc", ""] {
        assert!(matches!(bench.store.project(handle), Err(StoreError::UnknownProject { .. })), "{handle:?}");
    }
}

#[test]
fn a_name_belongs_to_one_directory() {
    let mut bench = Bench::new();
    let project = bench.store.create_project("jobs", "/src/jobs", "{}").unwrap();
    let again = bench.store.create_project("jobs", "/src/jobs", r#"{"exclude":["*.log"]}"#).unwrap();
    assert_eq!((again.id, again.options.as_str()), (project.id, r#"{"exclude":["*.log"]}"#));
    let error = bench.store.create_project("jobs", "/elsewhere", "{}").unwrap_err();
    assert_eq!(error.to_string(), r#"the name "jobs" already belongs to the project of /src/jobs"#);
    assert_eq!(bench.store.project("jobs").unwrap().options, again.options, "nothing of it was changed");
    assert_eq!(bench.store.project_of_path("/src/jobs").unwrap().unwrap().id, project.id);
    assert_eq!(bench.store.project_of_path("/elsewhere").unwrap(), None);
}

#[test]
fn an_ingestion_is_told_from_beginning_to_end() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    assert_eq!(bench.store.ingestion_status(project.id).unwrap(), None);
    let status = |store: &Store| store.ingestion_status(project.id).unwrap().unwrap();

    let run = bench.store.begin_ingestion(project.id, 4).unwrap();
    let begun = status(&bench.store);
    assert_eq!((begun.state, begun.progress, begun.total_files), (IngestionState::InProgress, 0, 4));

    let batch = Batch { changed: vec![file("a.rs", "fn a() {}")], removed: Vec::new() };
    bench.store.apply(project.id, run, EMBEDDER, &batch, 1).unwrap();
    let under_way = status(&bench.store);
    assert_eq!((under_way.progress, under_way.processed_files), (25, 1));
    assert_eq!(under_way.current_file.as_deref(), Some("a.rs"));

    bench.store.complete_ingestion(project.id, run, "abcd").unwrap();
    let done = status(&bench.store);
    assert_eq!((done.state, done.progress, done.processed_files), (IngestionState::Completed, 100, 4));
    assert_eq!((done.current_file, done.completed_at.is_some()), (None, true));
    assert_eq!(bench.store.project("jobs").unwrap().content_hash.as_deref(), Some("abcd"));

    let second = bench.store.begin_ingestion(project.id, 2).unwrap();
    bench.store.fail_ingestion(second, "the disk is full").unwrap();
    let failed = status(&bench.store);
    assert_eq!((failed.id, failed.state), (second, IngestionState::Failed));
    assert_eq!(failed.error.as_deref(), Some("the disk is full"));
    assert_eq!(bench.count("SELECT count(*) FROM ingestion_status"), 2, "every run keeps its row");
}

#[test]
fn a_batch_without_files_is_no_new_generation() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(&project, vec![], vec![]);
    assert_eq!(bench.store.project("jobs").unwrap().generation, 0);
}

#[test]
fn a_file_that_was_only_touched_shows_its_new_date() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(&project, vec![file("a.rs", "fn a() {}")], vec![]);
    let before = bench.store.project("jobs").unwrap();
    let tracked = bench.store.tracked_files(project.id).unwrap().remove(0);
    let stamp = craig_source::FileStamp { modified_ns: 1_700_000_060_000_000_000, ..tracked.stamp };
    bench.store.restamp(&[(tracked.id, stamp, 42)]).unwrap();

    let now = bench.store.tracked_files(project.id).unwrap().remove(0);
    assert_eq!((now.id, now.stamp, now.read_ns), (tracked.id, stamp, 42));
    let record = bench.store.file_records(project.id).unwrap().remove(0);
    assert_eq!(record.modified_date.as_deref(), Some("2023-11-14T22:14:20.000Z"));
    assert_eq!(bench.store.project("jobs").unwrap(), before, "its content is the same");
}

/// A reader sees a batch whole or not at all: file i of each batch holds the number of the batch.
#[test]
fn readers_see_whole_batches_while_a_writer_commits() {
    const N_FILES: usize = 8;
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    let batch = |number: usize| {
        (0..N_FILES).map(|i| file(&format!("f{i}.rs"), &format!("fn v{number}() {{}}"))).collect::<Vec<_>>()
    };
    bench.apply(&project, batch(0), vec![]);
    let (done, path) = (AtomicBool::new(false), bench.path());
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let store = Store::open(&path).unwrap();
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
        let mut writer = Store::open(&path).unwrap();
        for number in 1..60 {
            apply(&mut writer, &project, batch(number), vec![]);
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 1, "the reader saw the writer's progress");
        }
    });
}
