//! Watching by walking the tree again and comparing stamps.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use super::ChangeBatch;
use crate::{FileStamp, Root, SourceError, SourceOptions, walk};

/// A tree at its last check.
#[derive(Debug)]
pub(super) struct Polling {
    known: BTreeMap<String, FileStamp>,
    interval: Duration,
}

/// A second is soon enough for a reader and seldom enough for a disk.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// A walk may take up this share of the time.
const PAUSE_PER_WALK: u32 = 10;

impl Polling {
    pub(super) fn start(root: &Root, options: &SourceOptions) -> Result<Polling, SourceError> {
        Ok(Polling { known: stamps(root, options)?, interval: MIN_INTERVAL })
    }

    pub(super) fn next_batch(
        &mut self,
        root: &Root,
        options: &SourceOptions,
        deadline: Instant,
    ) -> Option<ChangeBatch> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            thread::sleep(self.interval.min(left));
            let paths = self.look_again(root, options);
            if !paths.is_empty() {
                return Some(ChangeBatch { paths, is_complete: true });
            }
        }
    }

    fn look_again(&mut self, root: &Root, options: &SourceOptions) -> Vec<String> {
        let started = Instant::now();
        // Only a bad glob fails, and the first walk had none.
        let now = stamps(root, options).unwrap_or_default();
        self.interval = MIN_INTERVAL.max(started.elapsed() * PAUSE_PER_WALK);
        let before = std::mem::replace(&mut self.known, now);
        differences(&before, &self.known)
    }
}

fn stamps(root: &Root, options: &SourceOptions) -> Result<BTreeMap<String, FileStamp>, SourceError> {
    Ok(walk(root, options)?.entries.into_iter().map(|entry| (entry.path, entry.stamp)).collect())
}

fn differences(before: &BTreeMap<String, FileStamp>, now: &BTreeMap<String, FileStamp>) -> Vec<String> {
    let deleted = before.keys().filter(|path| !now.contains_key(*path));
    let written = now.iter().filter(|(path, stamp)| before.get(*path) != Some(stamp)).map(|(path, _)| path);
    let mut paths: Vec<String> = deleted.chain(written).cloned().collect();
    paths.sort_unstable();
    paths
}
