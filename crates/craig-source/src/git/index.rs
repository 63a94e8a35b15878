//! Reads which paths a git repository tracks, and which of the files it has, from its index.
//!
//! The format is that of `gitformat-index(5)`: versions 2 to 4, split indexes, either object format. Starting git for
//! each walk would cost more than the walk. The file may come from an archive that nobody vouches for, so it is read
//! within bounds, and one that is damaged is an error.

mod bitmap;

use std::{fmt::Write as _, io::Read as _, ops::Range, path::Path, str};

use crate::{ContentHash, FileStamp, regular::open_regular};
use bitmap::set_bits;

/// Larger indexes are not read: this has room for a million files.
const MAX_INDEX_BYTES: u64 = 128 << 20;

/// Names of a version 4 index take more room unpacked.
const MAX_NAME_BYTES: usize = 128 << 20;

/// The paths that a repository tracks, relative to its top folder. A submodule is one path.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrackedPaths {
    /// One behind the other, sorted by their bytes.
    names: Vec<u8>,
    /// Where each name ends.
    ends: Vec<u32>,
    /// What git knows of the file at each path.
    stats: Vec<Stat>,
    /// Modification time of the index.
    written_ns: i64,
}

/// Size and modification time of a file when git compared it with the content that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stat {
    modified_s: u32,
    modified_ns: u32,
    /// Modulo 2^32.
    size: u32,
}

/// Why an index cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadIndex {
    #[error("it is not a regular file")]
    NotRegular,
    #[error("it is larger than {MAX_INDEX_BYTES} bytes")]
    TooLarge,
    #[error("it is damaged")]
    Damaged,
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

impl TrackedPaths {
    /// Reads the index in a repository's git folder. A repository without one tracks nothing.
    pub(crate) fn read(git_folder: &Path) -> Result<TrackedPaths, BadIndex> {
        let Some(file) = read_file(&git_folder.join("index"))? else { return Ok(TrackedPaths::default()) };
        let index = Index::parse(&file.bytes).ok_or(BadIndex::Damaged)?;
        let paths = match index.link.filter(Link::names_base) {
            None => index.paths,
            Some(link) => {
                let shared = read_file(&git_folder.join(format!("sharedindex.{}", link.base_in_hex())))?;
                let base = shared.and_then(|file| Index::parse(&file.bytes)).ok_or(BadIndex::Damaged)?;
                let deleted = link.deleted(base.paths.len()).ok_or(BadIndex::Damaged)?;
                let kept = base.paths.iter().zip(deleted).filter(|(_, is_deleted)| !is_deleted);
                TrackedPaths::sorted(kept.map(|(path, _)| path).chain(index.paths.iter()).collect())
            }
        };
        Ok(TrackedPaths { written_ns: file.modified_ns, ..paths })
    }

    /// Whether git has the content of the file at `path`, which has this stamp: it has not changed since git compared it with what
    /// was added or checked out. Never true of a file that was changed while the index was written.
    pub(crate) fn has_content_of(&self, path: &str, stamp: FileStamp) -> bool {
        stamp.modified_ns < self.written_ns
            && self.find(path).is_some_and(|at| self.stats[at] == Stat::from_stamp(stamp))
    }

    /// Whether the repository tracks the file or submodule at `path`.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Whether the repository tracks anything in `folder`, or the folder itself as a submodule.
    pub(crate) fn contains_below(&self, folder: &str) -> bool {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let at = self.first_from(prefix.as_bytes());
        (at < self.len() && self.name(at).starts_with(prefix.as_bytes())) || self.contains(folder)
    }

    /// Hash of all paths, to see whether they have changed.
    pub(crate) fn hash(&self) -> ContentHash {
        let ends: Vec<u8> = self.ends.iter().flat_map(|end| end.to_le_bytes()).collect();
        ContentHash::from_content(&[&*self.names, &ends].concat())
    }

    fn find(&self, path: &str) -> Option<usize> {
        let at = self.first_from(path.as_bytes());
        (at < self.len() && self.name(at) == path.as_bytes()).then_some(at)
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn name(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.names[start..self.ends[at] as usize]
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], Stat)> {
        (0..self.len()).map(|at| (self.name(at), self.stats[at]))
    }

    /// The place of the first path that does not come before `name`.
    fn first_from(&self, name: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.name(middle) < name { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn sorted(mut found: Vec<(&[u8], Stat)>) -> TrackedPaths {
        found.sort_unstable_by_key(|(name, _)| *name);
        let mut paths = TrackedPaths::default();
        found
            .into_iter()
            .filter(|(name, _)| !name.is_empty())
            .for_each(|(name, stat)| paths.push(name, stat));
        paths
    }

    fn push(&mut self, name: &[u8], stat: Stat) {
        self.names.extend_from_slice(name);
        self.ends.push(self.names.len() as u32);
        self.stats.push(stat);
    }
}

impl Stat {
    /// Reads the fields of the index entry that begins at `at`.
    fn read(bytes: &[u8], at: usize) -> Option<Stat> {
        let field = |offset: usize| number(bytes, at + offset..at + offset + 4).map(|value| value as u32);
        Some(Stat { modified_s: field(8)?, modified_ns: field(12)?, size: field(36)? })
    }

    /// The fields that git would write for a file with this stamp.
    fn from_stamp(stamp: FileStamp) -> Stat {
        Stat {
            modified_s: stamp.modified_ns.div_euclid(1_000_000_000) as u32,
            modified_ns: stamp.modified_ns.rem_euclid(1_000_000_000) as u32,
            size: stamp.size as u32,
        }
    }
}

/// One index file.
struct Index {
    paths: TrackedPaths,
    link: Option<Link>,
}

/// The extension of a split index: which file has the other entries, and which of them are deleted.
struct Link {
    base: Vec<u8>,
    bitmaps: Vec<u8>,
}

impl Link {
    fn names_base(&self) -> bool {
        self.base.iter().any(|&byte| byte != 0)
    }

    fn base_in_hex(&self) -> String {
        self.base.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Which of the `n_entries` of the base are deleted. Entries that are replaced keep their path.
    fn deleted(&self, n_entries: usize) -> Option<Vec<bool>> {
        if self.bitmaps.is_empty() {
            Some(vec![false; n_entries])
        } else {
            set_bits(&self.bitmaps, n_entries)
        }
    }
}

impl Index {
    /// The file does not tell the length of its hashes: the names are where their lengths say with one of the two only.
    fn parse(bytes: &[u8]) -> Option<Index> {
        [20, 32].into_iter().find_map(|hash_bytes| Entries::new(bytes, hash_bytes)?.read())
    }
}

/// Bit of an entry's flags: two more bytes of flags follow.
const EXTENDED: usize = 0x4000;

/// Bits of an entry's flags: the length of the name, or all set when it is longer.
const NAME_LENGTH: usize = 0x0FFF;

/// Times, device, inode, mode, owner and size of an entry.
const STAT_BYTES: usize = 40;

/// The entries of one index file, as they are read.
struct Entries<'a> {
    /// Without the checksum at the end.
    bytes: &'a [u8],
    version: usize,
    n_entries: usize,
    hash_bytes: usize,
    at: usize,
}

impl<'a> Entries<'a> {
    fn new(bytes: &'a [u8], hash_bytes: usize) -> Option<Self> {
        let bytes = bytes.get(..bytes.len().checked_sub(hash_bytes)?)?;
        let entries = Entries {
            bytes,
            version: number(bytes, 4..8)?,
            n_entries: number(bytes, 8..12)?,
            hash_bytes,
            at: 12,
        };
        (bytes.starts_with(b"DIRC") && (2..=4).contains(&entries.version)).then_some(entries)
    }

    fn read(mut self) -> Option<Index> {
        let mut paths = TrackedPaths::default();
        // Replaced entries of a split index have no name.
        let (mut is_sorted, mut n_unnamed) = (true, 0);
        let mut name: Vec<u8> = Vec::new();
        for _ in 0..self.n_entries {
            let before = paths.len().checked_sub(1).map(|at| paths.name(at)).unwrap_or_default();
            let stat = Stat::read(self.bytes, self.at)?;
            self.next(&mut name)?;
            match () {
                () if name.is_empty() => n_unnamed += 1,
                // A path with conflicts has several entries.
                () if name == before => {}
                () => {
                    is_sorted &= *before < *name;
                    paths.push(&name, stat);
                }
            }
            if paths.names.len() > MAX_NAME_BYTES {
                return None;
            }
        }
        let link = self.link();
        if n_unnamed > 0 && link.is_none() {
            return None;
        }
        let paths = if is_sorted { paths } else { TrackedPaths::sorted(paths.iter().collect()) };
        Some(Index { paths, link })
    }

    /// Reads the name of the next entry in place of the one before.
    fn next(&mut self, name: &mut Vec<u8>) -> Option<()> {
        let flags_at = self.at + STAT_BYTES + self.hash_bytes;
        let flags = number(self.bytes, flags_at..flags_at + 2)?;
        let is_extended = self.version >= 3 && flags & EXTENDED != 0;
        let mut name_at = flags_at + 2 + if is_extended { 2 } else { 0 };
        if self.version == 4 {
            let n_dropped = self.varint(&mut name_at)?;
            name.truncate(name.len().checked_sub(n_dropped)?);
        } else {
            name.clear();
        }
        let rest = self.bytes.get(name_at..)?;
        let length = memchr::memchr(0, rest)?;
        name.extend_from_slice(&rest[..length]);
        let has_its_length = name.len().min(NAME_LENGTH) == flags & NAME_LENGTH;
        let end = name_at + length;
        self.at = match self.version {
            4 => end + 1,
            // One to eight zeros, up to a multiple of eight.
            _ => self.at + (end - self.at + 8) / 8 * 8,
        };
        (has_its_length && self.at <= self.bytes.len()).then_some(())
    }

    /// A number of seven bits a byte, the highest first, in which no number has two forms.
    fn varint(&self, at: &mut usize) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = *self.bytes.get(*at)?;
            *at += 1;
            value = (value << 7) | usize::from(byte & 0x7F);
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1).filter(|value| *value <= MAX_NAME_BYTES)?;
        }
    }

    /// The extension that makes this a split index.
    fn link(&self) -> Option<Link> {
        let mut at = self.at;
        loop {
            let size = number(self.bytes, at + 4..at + 8)?;
            let data = self.bytes.get(at + 8..at.checked_add(8 + size)?)?;
            if self.bytes[at..].starts_with(b"link") {
                let (base, bitmaps) = data.split_at_checked(self.hash_bytes)?;
                return Some(Link { base: base.to_owned(), bitmaps: bitmaps.to_owned() });
            }
            at += 8 + size;
        }
    }
}

/// A big-endian number of up to four bytes.
fn number(bytes: &[u8], range: Range<usize>) -> Option<usize> {
    Some(bytes.get(range)?.iter().fold(0, |value, &byte| value << 8 | usize::from(byte)))
}

/// A file in a git folder.
struct GitFile {
    bytes: Vec<u8>,
    modified_ns: i64,
}

/// Reads a file in a git folder; `None` if there is none.
fn read_file(path: &Path) -> Result<Option<GitFile>, BadIndex> {
    let unreadable = |error: std::io::Error| BadIndex::Unreadable(error.to_string());
    let file = match open_regular(path) {
        Ok(file) => file.ok_or(BadIndex::NotRegular)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let FileStamp { size, modified_ns, .. } = FileStamp::from_metadata(&file.metadata().map_err(unreadable)?);
    if size > MAX_INDEX_BYTES {
        return Err(BadIndex::TooLarge);
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(MAX_INDEX_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(Some(GitFile { bytes, modified_ns }))
}

#[cfg(test)]
mod tests;
