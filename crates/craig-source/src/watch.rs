//! Reports changes to a project's files, debounced.

mod detector;
mod events;
mod polling;

use std::time::{Duration, Instant};

pub use detector::ChangeDetector;
use events::{Events, Lost};
use polling::Polling;

use crate::{Root, SourceError, SourceOptions};

/// Files that changed, close together in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeBatch {
    /// Paths relative to the root, sorted: files written, created or deleted; a folder includes everything below it.
    pub paths: Vec<String>,
    /// False when the system has dropped some changes: then the whole tree wants a look.
    pub is_complete: bool,
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMode {
    /// By events of the system.
    Events,
    /// The tree is walked again and again.
    Polling {
        /// The reason, and what the user can do about it; `None` if polling was requested.
        notice: Option<String>,
    },
}

/// Watches a project. An iterator over batches that waits for the next one and never ends.
///
/// Excluded files are not watched, so a build in `target` causes no events; a change to an ignore file does. Changes
/// made before the watcher existed are not reported: start watching, then ingest.
#[derive(Debug)]
pub struct Watcher {
    root: Root,
    options: SourceOptions,
    debounce: Duration,
    mode: WatchMode,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Events(Box<Events>),
    Polling(Polling),
}

/// Starts to watch a project, by the system's events where it can, by polling where it cannot: see [`Watcher::mode`].
///
/// A batch is reported when nothing has changed for `debounce`, or after ten times as long. Fails for a bad glob in the
/// options.
pub fn watch(root: &Root, options: &SourceOptions, debounce: Duration) -> Result<Watcher, SourceError> {
    let (mode, source) = match Events::start(root, options)? {
        Ok(events) => (WatchMode::Events, Source::Events(Box::new(events))),
        Err(lost) => (polling_because(lost), Source::Polling(Polling::start(root, options)?)),
    };
    Ok(Watcher { root: root.clone(), options: options.clone(), debounce, mode, source })
}

/// Starts to watch a project by walking it every second or so, for file systems that send no events, such as network
/// drives. Fails for a bad glob in the options.
pub fn watch_by_polling(root: &Root, options: &SourceOptions) -> Result<Watcher, SourceError> {
    let source = Source::Polling(Polling::start(root, options)?);
    let mode = WatchMode::Polling { notice: None };
    Ok(Watcher { root: root.clone(), options: options.clone(), debounce: Duration::ZERO, mode, source })
}

impl Watcher {
    /// How changes are noticed. May go from events to polling while watching.
    pub fn mode(&self) -> &WatchMode {
        &self.mode
    }

    /// Waits for the next batch, at most so long. `None` when nothing has changed.
    pub fn next_batch(&mut self, timeout: Duration) -> Option<ChangeBatch> {
        let deadline = Instant::now() + timeout.min(LONGEST_WAIT);
        match &mut self.source {
            Source::Polling(polling) => polling.next_batch(&self.root, &self.options, deadline),
            Source::Events(events) => match events.next_batch(self.debounce, deadline) {
                Ok(batch) => batch,
                Err(lost) => Some(self.go_on_polling(lost)),
            },
        }
    }

    /// Changes during the switch may be lost, so the batch that reports it is incomplete.
    fn go_on_polling(&mut self, lost: Lost) -> ChangeBatch {
        // The options were good when the watch began.
        if let Ok(polling) = Polling::start(&self.root, &self.options) {
            self.source = Source::Polling(polling);
            self.mode = polling_because(lost);
        }
        ChangeBatch::default()
    }
}

impl Iterator for Watcher {
    type Item = ChangeBatch;

    fn next(&mut self) -> Option<ChangeBatch> {
        loop {
            if let Some(batch) = self.next_batch(LONGEST_WAIT) {
                return Some(batch);
            }
        }
    }
}

/// Keeps deadlines within what a clock can hold.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

fn polling_because(lost: Lost) -> WatchMode {
    let notice = match lost {
        Lost::WatchLimit => {
            "the system's limit of watched folders is reached, so changes are looked for by polling; \
            raise it with `sysctl fs.inotify.max_user_watches=524288`"
                .to_owned()
        }
        Lost::Other(message) => {
            format!("the system cannot report changes ({message}), so Craig polls for them")
        }
    };
    WatchMode::Polling { notice: Some(notice) }
}

#[cfg(test)]
mod tests;
