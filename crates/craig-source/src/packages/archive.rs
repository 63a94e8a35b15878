//! Reads jars of sources: within limits, and without trust in what their directories claim.

use std::{
    collections::BTreeMap,
    io::{BufReader, Read},
    path::Path,
};

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive};

use super::PackageError;
use crate::{FileStamp, ReadError, Root, read::read_bytes};

/// Larger jars are not read: the largest of sources that was seen has 21 MB.
const MAX_ARCHIVE_BYTES: u64 = 64 << 20;

/// Only so many entries of a jar count.
const MAX_ENTRIES: usize = 50_000;

/// A jar in memory.
pub(super) struct SourceArchive {
    bytes: Vec<u8>,
    stamp: FileStamp,
    /// The files by their paths.
    entries: BTreeMap<String, Member>,
}

/// Where a file is in a jar, and what the jar claims about it.
#[derive(Clone, Copy)]
struct Member {
    at: rawzip::ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    size: u64,
}

impl SourceArchive {
    /// Reads the jar at `path` below `root`, a folder that belongs to a package manager.
    pub(super) fn open(root: &Root, path: &Path) -> Result<Self, PackageError> {
        let real = path.canonicalize().map_err(|_| PackageError::NotInstalled)?;
        let below = real.strip_prefix(root.path()).map_err(|_| PackageError::LeadsElsewhere)?;
        let below = below.to_str().ok_or(PackageError::BadName)?;
        let (bytes, stamp) =
            read_bytes(root, below, MAX_ARCHIVE_BYTES).map_err(|error| unreadable(&error))?;
        let entries = members(&bytes).map_err(|error| unreadable(&error))?;
        Ok(Self { bytes, stamp, entries })
    }

    /// The files with the sizes that the jar claims.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, FileStamp)> {
        self.entries.iter().map(|(path, member)| (path.as_str(), self.stamp_of(member)))
    }

    /// Reads a file. One that is larger than the jar claims is refused before it is inflated further.
    pub(super) fn read(&self, path: &str, max_bytes: u64) -> Result<(Vec<u8>, FileStamp), ReadError> {
        let vanished = || ReadError::Vanished { path: path.to_owned() };
        let member = *self.entries.get(path).ok_or_else(vanished)?;
        let too_large = |size_bytes| ReadError::TooLarge { path: path.to_owned(), size_bytes, max_bytes };
        if member.size > max_bytes {
            return Err(too_large(member.size));
        }
        let damaged = |error| ReadError::Unreadable { path: path.to_owned(), source: error };
        let archive =
            ZipArchive::from_slice(&self.bytes).map_err(|error| damaged(std::io::Error::other(error)))?;
        let entry = archive.get_entry(member.at).map_err(|error| damaged(std::io::Error::other(error)))?;
        let mut bytes = Vec::new();
        let limit = member.size + 1;
        match member.method {
            CompressionMethod::STORE => entry.data().take(limit).read_to_end(&mut bytes),
            CompressionMethod::DEFLATE => {
                DeflateDecoder::new(BufReader::new(entry.data())).take(limit).read_to_end(&mut bytes)
            }
            _ => return Err(damaged(std::io::Error::other("it is compressed in another way"))),
        }
        .map_err(damaged)?;
        match bytes.len() as u64 == member.size {
            true => Ok((bytes, self.stamp_of(&member))),
            false => Err(damaged(std::io::Error::other("its size is not the one that the archive claims"))),
        }
    }

    fn stamp_of(&self, member: &Member) -> FileStamp {
        FileStamp { size: member.size, ..self.stamp }
    }
}

fn members(bytes: &[u8]) -> Result<BTreeMap<String, Member>, rawzip::Error> {
    let archive = ZipArchive::from_slice(bytes)?;
    let mut entries = archive.entries();
    let mut members = BTreeMap::new();
    for _ in 0..MAX_ENTRIES {
        let Some(entry) = entries.next_entry()? else { break };
        let Ok(path) = std::str::from_utf8(entry.file_path().as_bytes()) else { continue };
        let is_inside = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if is_inside && !path.contains(['\\', '\0', ':']) {
            let member = Member {
                at: entry.wayfinder(),
                method: entry.compression_method(),
                size: entry.uncompressed_size_hint(),
            };
            members.insert(path.to_owned(), member);
        }
    }
    Ok(members)
}

fn unreadable(error: &dyn std::error::Error) -> PackageError {
    PackageError::Unreadable { reason: error.to_string() }
}
