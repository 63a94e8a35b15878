//! Keeps the index of a folder's code as new as its files, on a thread of its own.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use craig_engine::{EngineError, Freshness, PrepareRequest, Progress, ProjectSummary};
use serde_json::{Value, json};

use super::folders::Code;

/// Changes that come within this time of each other are one: an editor that saves all its texts, a checkout.
const QUIET: Duration = Duration::from_millis(300);

/// Interval of checking the files if the editor does not report changes, or the last update failed.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// When to look again if another process was ingesting.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Minimum time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// The index of a folder's code. Its thread ends when this is dropped.
pub(crate) struct CodeIndex {
    wishes: Sender<Wish>,
}

/// What is wanted of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// Bring it up to date.
    Look,
    /// Rebuild it.
    Rebuild,
    /// Pause checks until it is resumed.
    Pause,
    Resume,
}

/// The state of an index.
#[derive(Debug)]
pub(crate) enum IndexUpdate {
    Indexing { percent: usize, current: String },
    Ready(Box<ProjectSummary>),
    Paused,
    Failed(String),
}

impl IndexUpdate {
    /// The update as clients of ours read it.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Indexing { percent, current } => {
                json!({ "state": "indexing", "percent": percent, "current": current })
            }
            Self::Ready(project) => {
                json!({ "state": "ready", "project": project.name, "files": project.files, "chunks": project.chunks })
            }
            Self::Paused => json!({ "state": "paused" }),
            Self::Failed(error) => json!({ "state": "failed", "error": error }),
        }
    }
}

impl CodeIndex {
    /// Starts the thread, which sends updates to `send`. With `polls`, it checks for changes itself.
    pub(crate) fn start(code: Code, polls: bool, send: impl Fn(IndexUpdate) + Send + 'static) -> Self {
        let (wishes, asked) = mpsc::channel();
        thread::spawn(move || Worker { code, polls: polls.then_some(LOOK_EVERY), send }.run(&asked));
        Self { wishes }
    }

    /// Requests a check of the files.
    pub(crate) fn look(&self) {
        self.wish(Wish::Look);
    }

    /// Requests a rebuild of the index.
    pub(crate) fn rebuild(&self) {
        self.wish(Wish::Rebuild);
    }

    /// Pauses or resumes it. An ingestion that is under way comes to its end.
    pub(crate) fn pause(&self, is_paused: bool) {
        self.wish(if is_paused { Wish::Pause } else { Wish::Resume });
    }

    fn wish(&self, wish: Wish) {
        // The thread lives as long as the channel.
        let _ = self.wishes.send(wish);
    }
}

/// State of the thread.
struct Worker<S> {
    code: Code,
    polls: Option<Duration>,
    send: S,
}

impl<S: Fn(IndexUpdate)> Worker<S> {
    fn run(&self, asked: &Receiver<Wish>) {
        let mut is_paused = false;
        let mut again = self.polls;
        while let Some(wishes) = next(asked, again) {
            for wish in &wishes {
                match wish {
                    Wish::Pause => is_paused = true,
                    Wish::Resume | Wish::Rebuild => is_paused = false,
                    Wish::Look => {}
                }
            }
            if is_paused {
                (self.send)(IndexUpdate::Paused);
                again = None;
                continue;
            }
            let is_anew = wishes.contains(&Wish::Rebuild);
            let done = if is_anew { self.purge().and_then(|()| self.refresh()) } else { self.refresh() };
            again = match &done {
                Ok(None) => Some(LOOK_AGAIN),
                // What failed may work later: a database that another process held, a full disk.
                Err(_) | Ok(Some(IndexUpdate::Failed(_))) => Some(LOOK_EVERY),
                Ok(_) => self.polls,
            };
            match done {
                Ok(Some(update)) => (self.send)(update),
                Ok(None) => {}
                Err(error) => (self.send)(IndexUpdate::Failed(described(&error))),
            }
        }
    }

    fn purge(&self) -> Result<(), EngineError> {
        match self.code.engine.project_of_directory(&self.code.folder)? {
            Some(project) => self.code.engine.purge(&project, &mut |_| {}).map(drop),
            None => Ok(()),
        }
    }

    /// Ingests what changed. None while another process does.
    fn refresh(&self) -> Result<Option<IndexUpdate>, EngineError> {
        let request = PrepareRequest {
            options: Some(&self.code.options),
            ..PrepareRequest::for_directory(&self.code.folder)
        };
        let mut reported: Option<Instant> = None;
        let mut report = |progress: &Progress| {
            if reported.is_none_or(|last| last.elapsed() >= REPORT_EVERY) {
                reported = Some(Instant::now());
                let (percent, current) = (progress.percent(), progress.current.clone());
                (self.send)(IndexUpdate::Indexing { percent, current });
            }
        };
        let (project, freshness) = self.code.engine.prepare(&request, &mut report)?;
        match freshness {
            Freshness::InProgress | Freshness::Held(_) => Ok(None),
            Freshness::Unwritable(error) => Ok(Some(IndexUpdate::Failed(error))),
            _ => Ok(Some(IndexUpdate::Ready(Box::new(self.code.engine.project(&project)?)))),
        }
    }
}

/// The next wishes, those that come close together at once; after `again`, to look. None when the folder is closed.
fn next(asked: &Receiver<Wish>, again: Option<Duration>) -> Option<Vec<Wish>> {
    let first = match again {
        None => asked.recv().ok()?,
        Some(after) => match asked.recv_timeout(after) {
            Ok(wish) => wish,
            Err(RecvTimeoutError::Timeout) => return Some(vec![Wish::Look]),
            Err(RecvTimeoutError::Disconnected) => return None,
        },
    };
    let mut wishes = vec![first];
    while let Ok(wish) = asked.recv_timeout(QUIET) {
        wishes.push(wish);
    }
    Some(wishes)
}

fn described(error: &EngineError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}
