//! Files derived from a project's rows, kept next to its index: written whole, read whole, and made again when they are
//! missing, damaged, or of another state of the project.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use craig_source::private;

use crate::{Project, Store};

/// What is derived, and how: a file of another version is not read.
#[derive(Clone, Copy, Debug)]
pub struct DerivedFile {
    /// Its name in the folder of the index.
    pub name: &'static str,
    /// Changes when something else is derived from the same rows, or it is written in another way.
    pub version: u32,
}

/// The header of a file: BLAKE3 of its owner and contents.
const CHECKSUM_BYTES: usize = 32;

impl Store {
    /// The contents of a derived file of `project` in its present generation; `None` if it has to be made.
    pub fn read_derived(&self, project: &Project, file: DerivedFile) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.index_folder(project).join(file.name)).ok()?;
        let (checksum, contents) = bytes.split_first_chunk::<CHECKSUM_BYTES>()?;
        if *checksum != self::checksum(project, file, contents) {
            return None;
        }
        bytes.drain(..CHECKSUM_BYTES);
        Some(bytes)
    }

    /// Writes a derived file of `project` in this generation, unless the project has changed since or its index is being
    /// written. Returns whether it was written: if not, it is made again when it is next needed.
    pub fn write_derived(&self, project: &Project, file: DerivedFile, contents: &[u8]) -> bool {
        // A purge holds it while it removes the folder.
        let Some(_lock) = self.try_lock_index(project) else { return false };
        if self.generation(project.id).ok().flatten() != Some(project.generation) {
            return false;
        }
        let folder = self.index_folder(project);
        let write = || {
            private::create_folder(&folder)?;
            replace(&folder.join(file.name), &checksum(project, file, contents), contents)
        };
        write().is_ok()
    }
}

fn replace(path: &Path, checksum: &[u8], contents: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("tmp");
    let mut out = private::file_options().create(true).truncate(true).write(true).open(&unfinished)?;
    out.write_all(checksum)?;
    out.write_all(contents)?;
    drop(out);
    fs::rename(&unfinished, path)
}

/// The checksum of contents that are of this project, generation and version.
fn checksum(project: &Project, file: DerivedFile, contents: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let DerivedFile { name, version } = file;
    let Project { reference, generation, .. } = project;
    let owner = format!("{name} {version} {reference} {} {generation}\0", project.owner());
    *blake3::Hasher::new().update(owner.as_bytes()).update(contents).finalize().as_bytes()
}
