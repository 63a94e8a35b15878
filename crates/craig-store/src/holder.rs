//! The process that holds a lock, as far as the system reports it.

use std::path::Path;

/// `process 4711 (sqlite3)`, and whether it is stopped, as by Ctrl-Z: then waiting for it is in vain.
pub(crate) fn process(id: u32) -> String {
    if id == std::process::id() {
        return "another thread of this process".to_owned();
    }
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let described = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
    let Some((name, rest)) = described else { return format!("process {id}") };
    // A process names itself.
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    let is_stopped = rest.trim_start().starts_with(['T', 't']);
    format!("process {id} ({name}){}", if is_stopped { ", which is stopped" } else { "" })
}

/// The result of [`process`] for the process that has a write transaction open on the database at `path`.
pub(crate) fn of_database(path: &Path) -> String {
    writer(path).map_or_else(|| "another process".to_owned(), process)
}

/// SQLite locks this byte of the memory that processes share while it writes; see `wal.c`.
#[cfg(target_os = "linux")]
const WRITE_LOCK_BYTE: u64 = 120;

#[cfg(target_os = "linux")]
fn writer(path: &Path) -> Option<u32> {
    use crate::access::{SHARED_MEMORY, with_suffix};
    use std::os::unix::fs::MetadataExt as _;
    let inode = std::fs::metadata(with_suffix(path, SHARED_MEMORY)).ok()?.ino();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| holder_of_byte(line, inode, WRITE_LOCK_BYTE))
}

/// Other systems do not show who holds a lock.
#[cfg(not(target_os = "linux"))]
fn writer(_path: &Path) -> Option<u32> {
    None
}

/// The process of a line of `/proc/locks` such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234567 120 120`, if it locks a
/// byte of the file `inode`.
#[cfg(target_os = "linux")]
fn holder_of_byte(line: &str, inode: u64, byte: u64) -> Option<u32> {
    let mut words = line.split_whitespace().skip(1);
    let (_, _, kind, id, file) = (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
    let (first, last) = (words.next()?.parse::<u64>().ok()?, words.next()?);
    let is_it = kind == "WRITE" && file.rsplit(':').next()?.parse() == Ok(inode);
    let is_within = first <= byte && last.parse().map_or(last == "EOF", |last: u64| byte <= last);
    (is_it && is_within).then(|| id.parse().ok())?
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
