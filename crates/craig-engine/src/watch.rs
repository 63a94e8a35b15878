//! Keeps a project up to date until the watch is stopped.

use std::ops::ControlFlow;
use std::time::Duration;

use craig_source::WatchMode;

use crate::consent::Consent;
use crate::ingest::Waiting;
use crate::options::StoredOptions;
use crate::project::root_of;
use crate::report::IngestReport;
use crate::{Engine, EngineError, Progress};

/// An event of a watch.
#[derive(Debug)]
pub enum WatchEvent<'a> {
    /// The watch has started. The notice is the reason for polling, if changes are polled.
    Watching {
        /// Why, and what to do about it.
        notice: Option<&'a str>,
    },
    /// An ingestion is going on.
    Progress(&'a Progress),
    /// Changes were ingested; the first report is of what had changed before.
    Updated(&'a IngestReport),
}

impl Engine {
    /// Brings a project up to date, then ingests changes as they happen, until `report` breaks or something fails.
    ///
    /// Changes are taken together when nothing has changed for `debounce`.
    pub fn watch(
        &self,
        handle: &str,
        debounce: Duration,
        consent: Consent,
        report: &mut dyn FnMut(WatchEvent<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        let project = self.find(&*self.store()?, handle)?;
        let root = root_of(&project)?;
        // Watched before the first ingestion, so that no change falls between.
        let mut watcher =
            craig_source::watch(&root, &StoredOptions::parse(&project.options).source(), debounce)?;
        if report(WatchEvent::Watching { notice: notice(watcher.mode()) }).is_break() {
            return Ok(());
        }
        loop {
            let mut has_ended = false;
            let mut progress = |progress: &Progress| {
                has_ended |= report(WatchEvent::Progress(progress)).is_break();
            };
            let updated =
                self.ingest_changes(&mut *self.store()?, &project, Waiting::Wait, consent, &mut progress)?;
            if has_ended || report(WatchEvent::Updated(&updated)).is_break() || watcher.next().is_none() {
                return Ok(());
            }
        }
    }
}

fn notice(mode: &WatchMode) -> Option<&str> {
    match mode {
        WatchMode::Events => None,
        WatchMode::Polling { notice } => notice.as_deref(),
    }
}
