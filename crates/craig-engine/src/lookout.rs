//! Projects that stay up to date without a walk over their directories before every answer.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use craig_source::Sentinel;
use craig_store::Project;

use crate::engine::root_of;
use crate::options::StoredOptions;
use crate::{Engine, EngineError};

/// How an index compares with its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Currency {
    /// It is the same, or was a moment ago.
    UpToDate,
    /// Another process is reading changes.
    InProgress,
    /// There is no directory to compare it with.
    DirectoryGone,
}

/// What a server that lives for long knows of the directories of its projects: whoever is up to date and has not changed
/// since needs no walk. For the engines of one database.
#[derive(Debug, Default)]
pub struct Lookout {
    /// By reference. Held only to find one.
    watched: Mutex<HashMap<String, Arc<Mutex<Watched>>>>,
}

/// One project, as it was when it was last brought up to date.
#[derive(Debug, Default)]
struct Watched {
    /// What the store held then, and when that was; `None` when something may have changed since.
    settled: Option<(Project, Instant)>,
    guard: Guard,
}

/// Who sees changes of a directory.
#[derive(Debug, Default)]
enum Guard {
    /// Nobody, since the only look so far may stay the only one.
    #[default]
    None,
    /// Nobody; from the next look on somebody may.
    Due,
    Standing(Box<Sentinel>),
    /// Nobody can: each answer needs a walk.
    Impossible,
}

/// A sentinel is believed for so long; then a walk finds what it cannot see.
const LONGEST_TRUST: Duration = Duration::from_secs(60);

impl Lookout {
    fn watched(&self, project: &Project) -> Arc<Mutex<Watched>> {
        Arc::clone(locked(&self.watched).entry(project.reference.clone()).or_default())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watched {
    /// Whether the index of `project` is surely that of its directory.
    fn is_settled(&mut self, project: &Project) -> bool {
        let Guard::Standing(sentinel) = &mut self.guard else { return false };
        match sentinel.may_have_changed() {
            Some(false) => self
                .settled
                .as_ref()
                .is_some_and(|(then, at)| then == project && at.elapsed() < LONGEST_TRUST),
            Some(true) => false,
            None => {
                self.guard = Guard::Impossible;
                false
            }
        }
    }

    /// Stands guard before the directory is looked at, so that no change falls between.
    fn before_look(&mut self, project: &Project, marks: &Path) {
        let has_new_options = self.settled.take().is_some_and(|(then, _)| then.options != project.options);
        self.guard = match std::mem::take(&mut self.guard) {
            Guard::None => Guard::Due,
            Guard::Standing(sentinel) if !has_new_options => Guard::Standing(sentinel),
            Guard::Impossible => Guard::Impossible,
            Guard::Due | Guard::Standing(_) => {
                sentinel(project, marks).map_or(Guard::Impossible, |new| Guard::Standing(Box::new(new)))
            }
        };
    }
}

fn sentinel(project: &Project, marks: &Path) -> Option<Sentinel> {
    Sentinel::start(&root_of(project).ok()?, &StoredOptions::parse(&project.options).source(), marks)
}

impl Engine {
    /// Brings a project up to date, walking over its directory only when something may have changed in it since `lookout`
    /// saw that done. Fails when there is no such project, or when its changes cannot be read.
    pub fn keep_up_to_date(&mut self, handle: &str, lookout: &Lookout) -> Result<Currency, EngineError> {
        let project = self.store().project(handle)?;
        if !Path::new(&project.source_path).is_dir() {
            return Ok(Currency::DirectoryGone);
        }
        let watched = lookout.watched(&project);
        let mut watched = locked(&watched);
        if watched.is_settled(&project) {
            return Ok(Currency::UpToDate);
        }
        watched.before_look(&project, &self.store().side_folder().join("marks"));
        match self.catch_up(&project, &mut |_| {})? {
            None => Ok(Currency::InProgress),
            Some(_) => {
                watched.settled = Some((self.store().project(&project.reference)?, Instant::now()));
                Ok(Currency::UpToDate)
            }
        }
    }
}
