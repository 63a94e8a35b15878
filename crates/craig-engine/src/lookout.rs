//! Projects that stay up to date without a walk over their directories before every answer.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use craig_source::Sentinel;
use craig_store::Project;

use crate::engine::root_of;
use crate::options::StoredOptions;

/// What a server that lives for long knows of the directories of its projects: whoever is up to date and has not changed
/// since needs no walk. For the engines of one database.
#[derive(Debug, Default)]
pub(crate) struct Lookout {
    /// By reference. Held only to find one.
    watched: Mutex<HashMap<String, Arc<Mutex<Watched>>>>,
}

/// One project, as it was when it was last brought up to date.
#[derive(Debug, Default)]
pub(crate) struct Watched {
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
    Standing {
        sentinel: Box<Sentinel>,
        options: String,
    },
    /// Nobody can: each answer needs a walk.
    Impossible,
}

/// A sentinel is believed for so long; then a walk finds what it cannot see.
const LONGEST_TRUST: Duration = Duration::from_secs(60);

impl Lookout {
    pub(crate) fn watched(&self, project: &Project) -> Arc<Mutex<Watched>> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(watched.entry(project.reference.clone()).or_default())
    }
}

impl Watched {
    /// Whether the index of `project` is surely that of its directory.
    pub(crate) fn is_settled(&mut self, project: &Project) -> bool {
        let Guard::Standing { sentinel, .. } = &mut self.guard else { return false };
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
    pub(crate) fn before_look(&mut self, project: &Project, marks: &Path) {
        self.settled = None;
        match &self.guard {
            Guard::None => self.guard = Guard::Due,
            Guard::Standing { options, .. } if *options == project.options => {}
            Guard::Impossible => {}
            Guard::Due | Guard::Standing { .. } => self.guard = guard(project, marks),
        }
    }

    /// Notes that the index is that of the directory, `project` being what the store holds now.
    pub(crate) fn settle(&mut self, project: Project) {
        self.settled = Some((project, Instant::now()));
    }
}

fn guard(project: &Project, marks: &Path) -> Guard {
    let options = StoredOptions::parse(&project.options).source();
    let sentinel = root_of(project).ok().and_then(|root| Sentinel::start(&root, &options, marks));
    sentinel.map_or(Guard::Impossible, |sentinel| Guard::Standing {
        sentinel: Box::new(sentinel),
        options: project.options.clone(),
    })
}
