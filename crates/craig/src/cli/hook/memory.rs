//! Names that a session of an assistant was shown, so that each is shown once.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A session that was shown nothing for so long has ended.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);

/// A session whose file is as long as this is shown nothing more.
const MAX_BYTES: u64 = 32_000;

/// Longest id of a session.
const MAX_ID_BYTES: usize = 64;

/// The names that a session was shown: a small file in a folder of all sessions.
pub(super) struct Memory {
    file: PathBuf,
}

impl Memory {
    /// Of the session `id`; `None` for an id that is no name of a file.
    pub(super) fn of_session(folder: &Path, id: &str) -> Option<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_name = !id.is_empty() && id.len() <= MAX_ID_BYTES && id.chars().all(is_plain);
        is_name.then(|| Self { file: folder.join(id) })
    }

    /// Those of `names` of a project that the session was not shown yet.
    pub(super) fn unseen(&self, project: &str, names: Vec<String>) -> Vec<String> {
        if fs::metadata(&self.file).is_ok_and(|file| file.len() >= MAX_BYTES) {
            return Vec::new();
        }
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let seen: HashSet<&str> = text.lines().collect();
        names.into_iter().filter(|name| !seen.contains(line(project, name).as_str())).collect()
    }

    /// Remembers that the session was shown `names` of a project.
    pub(super) fn add(&self, project: &str, names: &[String]) -> io::Result<()> {
        if let Some(folder) = self.file.parent().filter(|_| !self.file.exists()) {
            fs::create_dir_all(folder)?;
            remove_old(folder);
        }
        let lines: String = names.iter().map(|name| line(project, name) + "\n").collect();
        OpenOptions::new().append(true).create(true).open(&self.file)?.write_all(lines.as_bytes())
    }

    /// Forgets everything, for a session that begins anew.
    pub(super) fn forget(&self) {
        // Mostly there is nothing.
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
            // Another session may have been faster.
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
        assert_eq!(one.unseen("shop", names(&["open", "read", "close"])), ["read"]);
        assert_eq!(one.unseen("bank", names(&["open"])), ["open"]);
        assert_eq!(other.unseen("shop", names(&["open"])), ["open"]);
        one.forget();
        assert_eq!(one.unseen("shop", names(&["open"])), ["open"]);
    }

    #[test]
    fn memories_stay_small_and_few() {
        let folder = tempfile::tempdir().unwrap();
        let one = Memory::of_session(folder.path(), "1").unwrap();
        one.add("shop", &[String::from("x").repeat(MAX_BYTES as usize)]).unwrap();
        assert!(one.unseen("shop", names(&["open"])).is_empty());
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
