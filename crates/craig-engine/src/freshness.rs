//! What is known of the directories of projects, so that not every answer needs a walk over one.

use std::collections::HashMap;
use std::mem;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use craig_source::ChangeDetector;
use craig_store::Project;

use crate::lock::locked;
use crate::options::StoredOptions;
use crate::project::root_of;

/// A project that was up to date and whose directory has not changed since needs no walk.
#[derive(Debug, Default)]
pub(crate) struct FreshnessCache {
    /// By reference. Held only to find one.
    watches: Mutex<HashMap<String, Arc<ProjectWatch>>>,
}

impl FreshnessCache {
    pub(crate) fn watch(&self, reference: &str) -> Arc<ProjectWatch> {
        Arc::clone(locked(&self.watches).entry(reference.to_owned()).or_default())
    }

    /// Stops watching a project.
    pub(crate) fn remove(&self, reference: &str) {
        locked(&self.watches).remove(reference);
    }
}

/// One project, which one thread at a time compares with its directory.
#[derive(Debug, Default)]
pub(crate) struct ProjectWatch {
    /// Held only to take or return the state.
    slot: Mutex<Slot>,
    returned: Condvar,
}

#[derive(Debug)]
enum Slot {
    Returned(Box<WatchState>),
    Taken { since: Instant },
}

impl Default for Slot {
    fn default() -> Self {
        Self::Returned(Box::default())
    }
}

impl ProjectWatch {
    /// Waits until no other thread is at it.
    pub(crate) fn wait(self: &Arc<Self>) -> Turn {
        let mut slot = locked(&self.slot);
        loop {
            match self.take(&mut slot) {
                Ok(turn) => return turn,
                Err(_) => slot = self.returned.wait(slot).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// The same for at most `limit`; a thread that has been at it for longer is not waited for at all.
    pub(crate) fn wait_within(self: &Arc<Self>, limit: Duration) -> Option<Turn> {
        let started = Instant::now();
        let mut slot = locked(&self.slot);
        loop {
            let since = match self.take(&mut slot) {
                Ok(turn) => return Some(turn),
                Err(since) => since,
            };
            let left = limit.checked_sub(since.elapsed().max(started.elapsed()))?;
            slot = self.returned.wait_timeout(slot, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes the state, or returns since when another thread has had it.
    fn take(self: &Arc<Self>, slot: &mut Slot) -> Result<Turn, Instant> {
        match mem::replace(slot, Slot::Taken { since: Instant::now() }) {
            Slot::Returned(state) => Ok(Turn { watch: Arc::clone(self), state }),
            Slot::Taken { since } => {
                *slot = Slot::Taken { since };
                Err(since)
            }
        }
    }
}

/// The right to compare a project with its directory, until it is dropped.
pub(crate) struct Turn {
    watch: Arc<ProjectWatch>,
    state: Box<WatchState>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        *locked(&self.watch.slot) = Slot::Returned(mem::take(&mut self.state));
        self.watch.returned.notify_all();
    }
}

/// One project, as it was when it was last up to date.
#[derive(Debug, Default)]
struct WatchState {
    /// What the store held then, and when that was; `None` when something may have changed since.
    verified: Option<(Project, Instant)>,
    detection: Detection,
}

/// Whether changes of a directory are detected.
#[derive(Debug, Default)]
enum Detection {
    /// No: the directory was never compared, and may not be compared again.
    #[default]
    Unused,
    /// No; from the next comparison on.
    Idle,
    /// Yes.
    Active { detector: Box<ChangeDetector>, options: String },
    /// They cannot be: each answer needs a walk.
    Unavailable,
}

/// How long a detector is believed; then a walk finds what it cannot see.
const MAX_TRUST: Duration = Duration::from_secs(60);

impl Turn {
    /// Whether the index of `project` is surely that of its directory.
    pub(crate) fn is_fresh(&mut self, project: &Project) -> bool {
        let state = &mut self.state;
        let Detection::Active { detector, .. } = &mut state.detection else { return false };
        match detector.has_changes() {
            Some(false) => {
                state.verified.as_ref().is_some_and(|(then, at)| then == project && at.elapsed() < MAX_TRUST)
            }
            // The detector reports a change once, so the index must not count as fresh for the next caller.
            Some(true) => {
                state.verified = None;
                false
            }
            None => {
                state.verified = None;
                state.detection = Detection::Unavailable;
                false
            }
        }
    }

    /// Must be called before the directory is walked, so that no change is missed in between.
    pub(crate) fn before_walk(&mut self, project: &Project, cookies: &Path) {
        self.state.verified = None;
        match &self.state.detection {
            Detection::Unused => self.state.detection = Detection::Idle,
            Detection::Active { options, .. } if *options == project.options => {}
            Detection::Unavailable => {}
            Detection::Idle | Detection::Active { .. } => self.state.detection = detection(project, cookies),
        }
    }

    /// Notes that the index is that of the directory, `project` being what the store holds now.
    pub(crate) fn verified(&mut self, project: Project) {
        self.state.verified = Some((project, Instant::now()));
    }
}

fn detection(project: &Project, cookies: &Path) -> Detection {
    let options = StoredOptions::parse(&project.options).source();
    let detector = root_of(project).ok().and_then(|root| ChangeDetector::start(&root, &options, cookies));
    detector.map_or(Detection::Unavailable, |detector| Detection::Active {
        detector: Box::new(detector),
        options: project.options.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_at_a_time_has_a_project_and_the_others_wait_as_long_as_they_like() {
        let cache = FreshnessCache::default();
        let turn = cache.watch("a").wait();
        assert!(cache.watch("a").wait_within(Duration::ZERO).is_none());
        assert!(cache.watch("b").wait_within(Duration::ZERO).is_some(), "another project waits for nobody");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drop(cache.watch("a").wait()));
            let within = scope.spawn(|| cache.watch("a").wait_within(Duration::from_secs(600)).is_some());
            drop(turn);
            waiting.join().unwrap();
            assert!(within.join().unwrap());
        });
    }
}
