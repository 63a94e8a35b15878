//! What the tools of `craig mcp` returned on this machine, and what an assistant would have read without them.
//!
//! A call is a line `2027-01-31<TAB>explore<TAB>5217` in the file of its month: the day in UTC, the tool, and the bytes of
//! the answer. Nothing of a question or an answer is kept.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::ops::AddAssign;
use std::path::PathBuf;

use serde::Serialize;

/// Calls and bytes of an assistant with Craig's core tools as a share of those of the same one with grep and a reader: the
/// mean and its 95% interval over eight code bases (docs/benchmarks.md, "Agents").
pub(crate) const CALLS: Share = Share { mean: 0.58, least: 0.52, most: 0.67 };
pub(crate) const BYTES: Share = Share { mean: 0.64, least: 0.57, most: 0.75 };

/// A measured share.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Share {
    pub(crate) mean: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

/// An estimate with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) mean: u64,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl Share {
    /// What `part` is this share of.
    pub(crate) fn whole(self, part: u64) -> Estimate {
        let of = |share: f64| (part as f64 / share).round() as u64;
        Estimate { mean: of(self.mean), least: of(self.most), most: of(self.least) }
    }
}

/// Calls and the bytes of their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Returned {
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
}

impl AddAssign for Returned {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.bytes += other.bytes;
    }
}

/// What was returned, by day and tool.
pub(crate) type ByDayAndTool = BTreeMap<(String, String), Returned>;

/// The folder with the files of all months. Any number of processes append to them.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    folder: PathBuf,
}

impl Log {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Adds a call of today.
    pub(crate) fn add(&self, tool: &str, bytes: usize) -> io::Result<()> {
        let day = craig_gateway::usage::today();
        let file = self.folder.join(&day[.."2027-01".len()]).with_extension("tsv");
        let open = || OpenOptions::new().append(true).create(true).open(&file);
        let mut opened = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&self.folder)?;
                open()?
            }
            opened => opened?,
        };
        // One write, so that lines of several processes do not mix.
        opened.write_all(format!("{day}\t{tool}\t{bytes}\n").as_bytes())
    }

    /// Everything that was added; lines that are cut off are left out.
    pub(crate) fn read(&self) -> io::Result<ByDayAndTool> {
        let mut sums = ByDayAndTool::new();
        let files = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(sums),
            files => files?,
        };
        for file in files {
            let text = String::from_utf8_lossy(&fs::read(file?.path())?).into_owned();
            for (key, bytes) in text.lines().filter_map(parse) {
                *sums.entry(key).or_default() += Returned { calls: 1, bytes };
            }
        }
        Ok(sums)
    }
}

/// The day, the tool and the bytes of a line.
fn parse(line: &str) -> Option<((String, String), u64)> {
    let mut fields = line.split('\t');
    let (day, tool, bytes) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
    fields.next().is_none().then(|| ((day.to_owned(), tool.to_owned()), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_up_by_day_and_tool() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path().join("new"));
        assert!(log.read().unwrap().is_empty());
        for bytes in [100, 20] {
            log.add("explore", bytes).unwrap();
        }
        log.add("grep", 3).unwrap();
        let sums = log.read().unwrap();
        let of = |tool: &str| sums.iter().find(|((_, name), _)| name == tool).map(|(_, sum)| *sum);
        assert_eq!(of("explore"), Some(Returned { calls: 2, bytes: 120 }));
        assert_eq!(of("grep"), Some(Returned { calls: 1, bytes: 3 }));
    }

    #[test]
    fn damaged_lines_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let lines = b"2027-01-31\tgrep\t5\n2027-01-31\tgrep\n\n2027-01-31\tgrep\tx\n2027-02\xff";
        fs::write(folder.path().join("2027-01.tsv"), lines).unwrap();
        let sums = Log::new(folder.path().to_owned()).read().unwrap();
        assert_eq!(sums.into_values().collect::<Vec<_>>(), [Returned { calls: 1, bytes: 5 }]);
    }

    #[test]
    fn a_share_of_a_whole() {
        assert_eq!(CALLS.whole(45), Estimate { mean: 78, least: 67, most: 87 });
    }
}
