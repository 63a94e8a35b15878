//! The queue of jobs.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use craig_store::{Job, NewJob, Store};

use crate::fixture::TestStore;

const LEASE: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);

fn job(source: &str, every: Option<Duration>) -> NewJob {
    NewJob { source: source.into(), branch: None, name: None, every }
}

fn sources(store: &Store) -> Vec<String> {
    store.jobs().unwrap().into_iter().map(|job| job.order.source).collect()
}

fn take(store: &mut Store, worker: &str) -> Option<Job> {
    store.take_job(worker, LEASE).unwrap()
}

#[test]
fn a_job_is_taken_by_one_worker_and_runs_once_or_again() {
    let mut fixture = TestStore::new();
    let store = &mut fixture.store;
    store.add_job(&job("once", None)).unwrap();
    store.add_job(&job("again", Some(MINUTE))).unwrap();
    let first = take(store, "one").unwrap();
    let second = take(store, "two").unwrap();
    assert_eq!((&*first.order.source, &*second.order.source), ("once", "again"));
    assert_eq!(take(store, "three"), None);
    assert!(store.jobs().unwrap()[0].holder.as_deref() == Some("one"));
    assert!(store.renew_job(&first, LEASE).unwrap());
    store.finish_job(&first, Ok(())).unwrap();
    store.finish_job(&second, Ok(())).unwrap();
    assert_eq!(sources(store), ["again"]);
    assert_eq!(take(store, "one"), None, "it is due in a minute");
    let id = store.jobs().unwrap()[0].id;
    store.hasten_job(id).unwrap();
    assert!(take(store, "one").is_some());
    assert!(store.remove_job(id).unwrap() && !store.remove_job(id).unwrap());
}

#[test]
fn a_job_whose_worker_is_gone_is_taken_by_another() {
    let mut fixture = TestStore::new();
    let store = &mut fixture.store;
    store.add_job(&job("a", None)).unwrap();
    let lost = store.take_job("gone", Duration::ZERO).unwrap().unwrap();
    std::thread::sleep(Duration::from_millis(5));
    let taken = take(store, "next").unwrap();
    assert_eq!(taken.id, lost.id);
    assert!(!store.renew_job(&lost, LEASE).unwrap());
    store.finish_job(&lost, Err("too late")).unwrap();
    let listed = &store.jobs().unwrap()[0];
    assert_eq!((listed.holder.as_deref(), listed.failures), (Some("next"), 1));
    store.finish_job(&taken, Ok(())).unwrap();
    assert!(sources(store).is_empty());
}

#[test]
fn a_job_that_ends_its_workers_waits_like_one_that_fails() {
    let mut fixture = TestStore::new();
    let store = &mut fixture.store;
    store.add_job(&job("deadly", None)).unwrap();
    let mut n_lost = 0;
    while store.take_job("one", Duration::ZERO).unwrap().is_some() {
        n_lost += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    let waiting = store.jobs().unwrap().remove(0);
    assert_eq!((n_lost, waiting.failures, waiting.holder.as_deref()), (3, 3, None));
    assert!(waiting.error.is_some_and(|error| error.contains("disappeared")) && waiting.due_at.is_some());
}

#[test]
fn a_job_that_fails_waits_and_is_given_up_in_the_end() {
    let mut fixture = TestStore::new();
    let store = &mut fixture.store;
    store.add_job(&job("broken", None)).unwrap();
    let mut n_runs = 0;
    while let Some(taken) = take(store, "one") {
        store.finish_job(&taken, Err("no such server")).unwrap();
        n_runs += 1;
        let after = store.jobs().unwrap().remove(0);
        assert_eq!((after.failures, after.error.as_deref()), (n_runs, Some("no such server")));
        assert_eq!(take(store, "one"), None, "it waits before the next try");
        if after.is_given_up() {
            break;
        }
        // As if the wait were over.
        store.hasten_job(after.id).unwrap();
    }
    assert_eq!(n_runs, 8);
    let id = store.jobs().unwrap()[0].id;
    store.hasten_job(id).unwrap();
    let again = take(store, "one").unwrap();
    store.finish_job(&again, Ok(())).unwrap();
    assert!(sources(store).is_empty());

    store.add_job(&job("repeating", Some(MINUTE))).unwrap();
    for _ in 0..20 {
        let id = store.jobs().unwrap()[0].id;
        store.hasten_job(id).unwrap();
        let taken = take(store, "one").unwrap();
        store.finish_job(&taken, Err("down")).unwrap();
    }
    assert!(!store.jobs().unwrap()[0].is_given_up(), "what repeats is never given up");
    store.add_job(&job("repeating", None)).unwrap();
    let replaced = store.jobs().unwrap().remove(0);
    assert_eq!((replaced.failures, replaced.error, replaced.order.every), (0, None, None));
}

#[test]
fn a_job_that_becomes_due_while_it_runs_runs_again() {
    let mut fixture = TestStore::new();
    let store = &mut fixture.store;
    store.add_job(&job("a", None)).unwrap();
    let taken = take(store, "one").unwrap();
    store.hasten_job(taken.id).unwrap();
    assert_eq!(take(store, "two"), None, "it runs");
    store.finish_job(&taken, Ok(())).unwrap();
    let again = take(store, "two").unwrap();
    assert_eq!(again.id, taken.id);
    store.hasten_job(again.id).unwrap();
    store.finish_job(&again, Err("down")).unwrap();
    let again = take(store, "one").expect("it was made due while it failed");
    store.finish_job(&again, Ok(())).unwrap();
    assert!(sources(store).is_empty());
}

#[test]
fn workers_that_race_share_the_jobs() {
    let mut fixture = TestStore::new();
    let expected: BTreeSet<String> = (0..40).map(|n| format!("source-{n}")).collect();
    expected.iter().for_each(|source| fixture.store.add_job(&job(source, None)).unwrap());
    let runs = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (fixture, runs) = (&fixture, &runs);
            let mut store = fixture.open_again();
            scope.spawn(move || {
                // A worker that lost every race may see nothing for a moment.
                while !store.jobs().unwrap().is_empty() {
                    let Some(taken) = take(&mut store, &worker.to_string()) else { continue };
                    runs.lock().unwrap().push(taken.order.source.clone());
                    store.finish_job(&taken, Ok(())).unwrap();
                }
            });
        }
    });
    let runs = runs.into_inner().unwrap();
    assert_eq!(runs.len(), 40, "{runs:?}");
    assert_eq!(runs.into_iter().collect::<BTreeSet<_>>(), expected);
}
