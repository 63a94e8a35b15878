//! The work of an ingestion: the current directory compared with the store.

use std::collections::HashMap;

use craig_source::{Entry, Listing, SkipReason};
use craig_store::{FileId, TrackedFile};

/// How a stored file is recognised as unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    /// By its stamp where the stamp proves it, else by content hash.
    Stamp,
    /// By content hash.
    Content,
    /// No comparison: every file is chunked and stored again.
    Nothing,
}

/// Files to read, files to drop.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files whose content must be read, with their rows in the store.
    pub(crate) read: Vec<(Entry, Option<TrackedFile>)>,
    /// Files that are gone.
    pub(crate) removed: Vec<TrackedFile>,
    /// Files that are surely the same.
    pub(crate) unchanged: Vec<TrackedFile>,
}

impl Plan {
    /// Compares a listing with the tracked files.
    ///
    /// Files under a folder that could not be read are kept as they are: nobody has seen them gone.
    pub(crate) fn new(listing: &Listing, tracked: Vec<TrackedFile>, compare: Compare) -> Self {
        let mut known: HashMap<String, TrackedFile> =
            tracked.into_iter().map(|file| (file.path.clone(), file)).collect();
        let mut plan = Self::default();
        for entry in &listing.entries {
            match known.remove(&entry.path) {
                Some(file)
                    if compare == Compare::Stamp
                        && file.stamp.proves_unchanged(entry.stamp, file.read_ns) =>
                {
                    plan.unchanged.push(file);
                }
                file => plan.read.push((entry.clone(), file)),
            }
        }
        for file in known.into_values() {
            if is_hidden_by_trouble(listing, &file.path) {
                plan.unchanged.push(file);
            } else {
                plan.removed.push(file);
            }
        }
        plan.removed.sort_by(|a, b| a.path.cmp(&b.path));
        plan
    }

    /// True when there is nothing to read and nothing to drop.
    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.removed.is_empty()
    }

    pub(crate) fn removed_ids(&self) -> Vec<FileId> {
        self.removed.iter().map(|file| file.id).collect()
    }
}

fn is_hidden_by_trouble(listing: &Listing, path: &str) -> bool {
    let unseen =
        listing.skipped.iter().filter(|skipped| matches!(skipped.reason, SkipReason::Unreadable { .. }));
    unseen.into_iter().any(|skipped| {
        path.strip_prefix(skipped.path.as_str())
            .is_some_and(|rest| skipped.path.is_empty() || rest.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use craig_source::{ContentHash, FileStamp};

    use super::*;

    const AGES_AGO: FileStamp = FileStamp { size: 3, modified_ns: 1_000, changed_ns: 1_000 };

    fn tracked(path: &str, stamp: FileStamp, read_ns: i64) -> TrackedFile {
        TrackedFile { id: FileId::from_u64(1), path: path.into(), hash: ContentHash([0; 32]), stamp, read_ns }
    }

    fn entry(path: &str, stamp: FileStamp) -> Entry {
        Entry { path: path.into(), stamp, is_in_git: false }
    }

    #[test]
    fn a_stamp_proves_nothing_about_a_file_that_was_read_in_the_tick_of_its_change() {
        let listing = Listing { entries: vec![entry("a", AGES_AGO)], ..Listing::default() };
        let old_read = Plan::new(&listing, vec![tracked("a", AGES_AGO, 9_000_000_000)], Compare::Stamp);
        assert_eq!((old_read.read.len(), old_read.unchanged.len()), (0, 1));
        let racy_read = Plan::new(&listing, vec![tracked("a", AGES_AGO, 2_000)], Compare::Stamp);
        assert_eq!((racy_read.read.len(), racy_read.unchanged.len()), (1, 0));
        let by_content = Plan::new(&listing, vec![tracked("a", AGES_AGO, 9_000_000_000)], Compare::Content);
        assert_eq!(by_content.read.len(), 1);
    }

    #[test]
    fn what_lies_in_an_unreadable_folder_is_not_taken_for_gone() {
        let trouble = craig_source::Skipped {
            path: "src".into(),
            reason: SkipReason::Unreadable { message: "permission denied".into() },
        };
        let listing = Listing { skipped: vec![trouble], ..Listing::default() };
        let plan = Plan::new(
            &listing,
            vec![tracked("src/a", AGES_AGO, 0), tracked("srcs/b", AGES_AGO, 0)],
            Compare::Stamp,
        );
        assert_eq!(plan.removed.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["srcs/b"]);
        assert_eq!(plan.unchanged.len(), 1);
    }
}
