//! Searches on a thread of their own, so that typing never waits: of the queries that wait, only the newest is answered.

use std::sync::Arc;
use std::thread;

use craig_engine::{Engine, EngineError, KindFilter, SearchAnswer, SearchRequest};
use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};

/// A query, as typed, and the files that it is asked of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) query: String,
    pub(super) kind: KindFilter,
}

/// The answer to a query, or what is wrong with it.
pub(super) struct Found {
    pub(super) wanted: Wanted,
    pub(super) answer: Result<SearchAnswer, EngineError>,
}

pub(super) struct Searcher {
    wanted: Sender<Wanted>,
    found: Receiver<Found>,
}

impl Searcher {
    /// Starts the thread, which ends when this value is dropped.
    pub(super) fn start(
        engine: Arc<Engine>,
        project: String,
        request: SearchRequest,
    ) -> anyhow::Result<Self> {
        let (wanted, to_answer) = unbounded::<Wanted>();
        let (answered, found) = unbounded();
        thread::Builder::new().name("search".into()).spawn(move || {
            while let Some(wanted) = newest(&to_answer) {
                let request = SearchRequest { kind: wanted.kind, ..request.clone() };
                let answer = engine.search(&project, &wanted.query, &request);
                if answered.send(Found { wanted, answer }).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { wanted, found })
    }

    /// Asks for an answer.
    pub(super) fn search(&self, wanted: Wanted) {
        // The thread ends only with this value, or by a panic, which has been reported.
        let _ = self.wanted.send(wanted);
    }

    /// The newest answer, if one has come since the last call.
    pub(super) fn found(&self) -> Option<Found> {
        self.found.try_iter().last()
    }
}

/// The newest of the queries that wait; `None` when no more will come.
fn newest(queries: &Receiver<Wanted>) -> Option<Wanted> {
    let mut newest = queries.recv().ok()?;
    loop {
        match queries.try_recv() {
            Ok(query) => newest = query,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Some(newest),
        }
    }
}
