//! The journal of written changes, so that exactly these can be reverted.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files;

/// All current changes.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Journal {
    changes: Vec<Written>,
}

/// One change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Written {
    pub(super) path: PathBuf,
    /// Whether the file existed before.
    pub(super) existed: bool,
    /// Folders that were created for it, outermost first.
    pub(super) folders: Vec<PathBuf>,
    pub(super) hunk: Hunk,
}

/// The single difference between two texts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Hunk {
    removed: String,
    inserted: String,
}

impl Hunk {
    pub(super) fn between(before: &str, after: &str) -> Self {
        let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
        };
        let start = common(&mut before.chars().zip(after.chars()));
        let (before, after) = (&before[start..], &after[start..]);
        let end = common(&mut before.chars().rev().zip(after.chars().rev()));
        Self {
            removed: before[..before.len() - end].to_owned(),
            inserted: after[..after.len() - end].to_owned(),
        }
    }

    /// The text before the insertion, if the inserted part occurs exactly once.
    pub(super) fn undo(&self, text: &str) -> Option<String> {
        let is_once = !self.inserted.is_empty() && text.matches(&self.inserted).count() == 1;
        is_once.then(|| text.replacen(&self.inserted, &self.removed, 1))
    }
}

impl Journal {
    /// Reads the journal. An unreadable one counts as empty: changes are then reverted by their marks.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        Ok(files::read(path)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        if self.changes.is_empty() {
            return if path.exists() { files::remove(path, &[]) } else { Ok(()) };
        }
        files::write(path, &(serde_json::to_string_pretty(self)? + "\n"))
    }

    pub(super) fn find(&self, path: &Path) -> Option<&Written> {
        self.changes.iter().find(|written| written.path == path)
    }

    pub(super) fn note(&mut self, written: Written) {
        self.forget(&written.path.clone());
        self.changes.push(written);
    }

    pub(super) fn forget(&mut self, path: &Path) {
        self.changes.retain(|written| written.path != path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_is_undone_wherever_the_rest_has_changed() {
        for (before, after) in [
            ("{}", "{ \"craig\": 1 }"),
            ("{ \"a\": 1 }", "{ \"a\": 1, \"craig\": 1 }"),
            ("a", "a"),
            ("é", "éè"),
        ] {
            let hunk = Hunk::between(before, after);
            assert_eq!(hunk.undo(after).as_deref().unwrap_or(before), before);
        }
        let hunk = Hunk::between("{ \"a\": 1 }", "{ \"a\": 1, \"craig\": 1 }");
        assert_eq!(
            hunk.undo("{ \"b\": 2, \"craig\": 1, \"c\": 3 }").as_deref(),
            Some("{ \"b\": 2, \"c\": 3 }")
        );
        assert_eq!(hunk.undo("{ \"a\": 1 }"), None);
        assert_eq!(hunk.undo("{ \"a\": 1, \"craig\": 1, \"craig\": 1 }"), None);
    }
}
