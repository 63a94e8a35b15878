//! Who read which projects: one line of the log for each request that read any.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use craig_engine::ReadObserver;

use crate::caller::Caller;
use crate::journal::{Event, Journal, ProjectsRead};

/// Names that are logged of one request; all are counted.
const MAX_NAMES: usize = 100;

/// The projects that a request has read so far; logged when it ends.
struct Reads {
    journal: Journal,
    request_id: Arc<str>,
    user: Arc<str>,
    projects: Mutex<BTreeSet<String>>,
}

/// An observer for the engine of one request.
pub(crate) fn observer(journal: &Journal, caller: &Caller) -> ReadObserver {
    let reads = Reads {
        journal: journal.clone(),
        request_id: Arc::clone(&caller.request_id),
        user: Arc::clone(&caller.user),
        projects: Mutex::default(),
    };
    Arc::new(move |project: &str| reads.note(project))
}

impl Reads {
    fn note(&self, project: &str) {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        if !projects.contains(project) {
            projects.insert(project.to_owned());
        }
    }
}

impl Drop for Reads {
    fn drop(&mut self) {
        let projects = std::mem::take(&mut *self.projects.lock().unwrap_or_else(PoisonError::into_inner));
        if projects.is_empty() {
            return;
        }
        self.journal.log(Event::ProjectsRead(ProjectsRead {
            request_id: self.request_id.to_string(),
            user: self.user.to_string(),
            num_projects: projects.len(),
            projects: projects.into_iter().take(MAX_NAMES).collect(),
        }));
    }
}
