//! The names that a session of an assistant has had a note about: each name gets one note.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A session without a note for this long is considered ended.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Longest file of a session; after that, it gets no more notes.
const MAX_BYTES: u64 = 32_000;

/// Longest id of a session.
const MAX_ID_BYTES: usize = 64;

/// The names that a session had a note about: a small file in a folder of all sessions.
pub(super) struct Memory {
    file: PathBuf,
}

impl Memory {
    /// The memory of the session `id`; `None` if the id is not a valid file name.
    pub(super) fn of_session(folder: &Path, id: &str) -> Option<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_name = !id.is_empty() && id.len() <= MAX_ID_BYTES && id.chars().all(is_plain);
        is_name.then(|| Self { file: folder.join(id) })
    }

    /// The `names` of a project that the session has had no note about yet.
    pub(super) fn new_ones(&self, project: &str, names: Vec<String>) -> Vec<String> {
        if fs::metadata(&self.file).is_ok_and(|file| file.len() >= MAX_BYTES) {
            return Vec::new();
        }
        let noted = fs::read_to_string(&self.file).unwrap_or_default();
        let noted: HashSet<&str> = noted.lines().collect();
        names.into_iter().filter(|name| !noted.contains(line(project, name).as_str())).collect()
    }

    /// Remembers that the session had a note about `names` of a project.
    pub(super) fn add(&self, project: &str, names: &[String]) -> io::Result<()> {
        if let Some(folder) = self.file.parent().filter(|_| !self.file.exists()) {
            fs::create_dir_all(folder)?;
            remove_old(folder);
        }
        let lines: String = names.iter().map(|name| line(project, name) + "\n").collect();
        OpenOptions::new().append(true).create(true).open(&self.file)?.write_all(lines.as_bytes())
    }

    /// Forgets everything, for a session that starts again.
    pub(super) fn forget(&self) {
        // Usually there is nothing to remove.
        let _ = fs::remove_file(&self.file);
    }
}

fn line(project: &str, name: &str) -> String {
    format!("{project} {name}")
}

/// Removes the files of sessions that have ended.
fn remove_old(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = file.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
        if matches!(age, Ok(Ok(age)) if age > KEPT) {
            // Another session may have removed it already.
            let _ = fs::remove_file(file.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_name_is_new_once_in_a_session_and_project() {
        let folder = tempfile::tempdir().unwrap();
        let of = |id| Memory::of_session(folder.path(), id).unwrap();
        let (one, other) = (of("a-1"), of("b_2"));
        one.add("shop", &names(&["open"])).unwrap();
        one.add("shop", &names(&["close"])).unwrap();
        assert_eq!(one.new_ones("shop", names(&["open", "read", "close"])), ["read"]);
        assert_eq!(one.new_ones("bank", names(&["open"])), ["open"]);
        assert_eq!(other.new_ones("shop", names(&["open"])), ["open"]);
        one.forget();
        assert_eq!(one.new_ones("shop", names(&["open"])), ["open"]);
    }

    #[test]
    fn memories_stay_small_and_few() {
        let folder = tempfile::tempdir().unwrap();
        let one = Memory::of_session(folder.path(), "1").unwrap();
        one.add("shop", &[String::from("x").repeat(MAX_BYTES as usize)]).unwrap();
        assert!(one.new_ones("shop", names(&["open"])).is_empty());
        let long_ago = SystemTime::now() - KEPT - Duration::from_secs(60);
        OpenOptions::new().append(true).open(&one.file).unwrap().set_modified(long_ago).unwrap();
        Memory::of_session(folder.path(), "2").unwrap().add("shop", &names(&["open"])).unwrap();
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left, ["2"]);
    }

    #[test]
    fn an_id_is_no_path() {
        for id in ["", "..", "../a", "a/b", "a\\b", "a.b", "ü", &"a".repeat(65)] {
            assert!(Memory::of_session(Path::new("x"), id).is_none(), "{id}");
        }
    }
}
