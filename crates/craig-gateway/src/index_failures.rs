//! Failures of the index: clients learn that it cannot be read, and the log has the cause.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use craig_engine::{EngineError, Fault, SearchError};

use crate::journal::{Event, Journal};
use crate::limits::locked;

/// The message for clients.
pub(crate) const INDEX_UNREADABLE: &str = "the index is not readable at the moment";

/// Minimum time between two logged causes.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Logs the causes of failures.
pub(crate) struct IndexFailures {
    journal: Journal,
    logged_at: Mutex<Option<Instant>>,
}

impl IndexFailures {
    pub(crate) fn new(journal: Journal) -> Self {
        Self { journal, logged_at: Mutex::default() }
    }

    /// Logs the cause if the error is one of the index.
    pub(crate) fn log(&self, error: &EngineError) {
        if is_of_the_index(error) && self.is_due(Instant::now()) {
            self.journal.log(Event::IndexUnreadable { reason: error.to_string() });
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        let mut logged_at = locked(&self.logged_at);
        let is_due = logged_at.is_none_or(|at| now - at >= LOG_INTERVAL);
        if is_due {
            *logged_at = Some(now);
        }
        is_due
    }
}

/// Whether an error is one of the database or of what is derived from it, and not of the request.
pub(crate) fn is_of_the_index(error: &EngineError) -> bool {
    let is_read = match error {
        EngineError::Search(error) => !matches!(error, SearchError::Model(_)),
        EngineError::Store(_) | EngineError::Symbols(_) | EngineError::Insight(_) => true,
        _ => false,
    };
    is_read && error.fault() != Fault::User
}
