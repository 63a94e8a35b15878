//! Archives of indexes, and copies of databases: one machine reads a project, others take what it has read.

use std::fs;
use std::path::{Path, PathBuf};

use craig_source::{Root, private};
use craig_store::{Archive, ArchiveError, ArchiveHeader, Copied};
use serde::Serialize;

use crate::ingest::{IngestRequest, Waiting, stored_vectors_of, wait_to_write};
use crate::options::StoredOptions;
use crate::progress::{Phase, Progress};
use crate::report::IngestReport;
use crate::{Engine, EngineError};

/// An archive that was written.
#[derive(Clone, Debug, Serialize)]
pub struct ExportReport {
    /// Name of the project.
    pub project: String,
    /// The archive.
    pub path: PathBuf,
    /// Number of its files.
    pub files: u64,
    /// Its size.
    pub bytes: u64,
}

impl Engine {
    /// Writes the index of a project as an archive: the files, masked, with everything that was read from them, and the vectors of
    /// a local or hosted model. A file at `path` is replaced when the archive is complete.
    pub fn export_index(
        &self,
        handle: &str,
        path: &Path,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<ExportReport, EngineError> {
        let store = self.store()?;
        let failed = |source: ArchiveError| EngineError::Archive { path: path.to_owned(), source };
        self.read(&store, handle, |project| {
            if project.is_group() {
                return Err(EngineError::IsAGroup { group: project.name.clone() });
            }
            let options = StoredOptions::parse(&project.options);
            let files = store.count_files(project.id)?;
            let header = ArchiveHeader {
                made: options.identity(),
                embedder: stored_vectors_of(options.embedder()).map(str::to_owned),
                project: project.name.clone(),
                n_files: files,
            };
            let unfinished = path.with_added_extension("unfinished");
            let mut written = |n_files| progress(&archive_progress(n_files, files));
            let mut write = || {
                let out =
                    private::file_options().create(true).truncate(true).write(true).open(&unfinished)?;
                store.export(project.id, &header, out, &mut written)?;
                Ok(fs::rename(&unfinished, path)?)
            };
            write().map_err(|error| {
                let _ = fs::remove_file(&unfinished);
                failed(error)
            })?;
            let bytes = path.metadata().map_or(0, |metadata| metadata.len());
            Ok(ExportReport { project: project.name.clone(), path: path.to_owned(), files, bytes })
        })
    }

    /// Ingests a directory with the help of an archive: files that are the same as in the archive are taken from it, the others are
    /// read. Files of the archive that the directory does not have are not kept.
    ///
    /// The archive has to be of this version of Craig and of the configured embedder. Trust it as much as the code: whether its
    /// definitions and names are those of a file shows only when the file is parsed.
    pub fn import_index(
        &self,
        archive: &Path,
        request: &IngestRequest,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let failed = |source: ArchiveError| EngineError::Archive { path: archive.to_owned(), source };
        // A wrong directory is found before the archive is read.
        Root::open(&request.directory)?;
        let opened = Archive::open(archive).map_err(failed)?;
        let made = StoredOptions::default().made_with(self.embedder()?.id());
        if opened.header().made != made.identity() {
            return Err(failed(ArchiveError::MadeOtherwise));
        }
        let mut store = self.store()?;
        store.check_writable()?;
        wait_to_write(&mut store, Waiting::Wait, progress)?;
        let total = opened.header().n_files;
        let mut read = |n_files| progress(&archive_progress(n_files, total));
        let imported = store.import(opened, &mut read).map_err(failed);
        let report = imported.and_then(|()| self.ingest_directory(&mut store, request, progress));
        let dropped = store.drop_unused_files();
        // The first error is the cause.
        let report = report?;
        dropped?;
        Ok(report)
    }
}

/// A database that was copied.
#[derive(Clone, Debug, Serialize)]
pub struct CopyReport {
    /// Where it was copied to.
    pub database: String,
    /// What it has.
    #[serde(flatten)]
    pub copied: Copied,
}

impl Engine {
    /// Copies all projects with everything that is stored of them into the database of `to`, which has none; a copy that was cut
    /// off is continued. At the end, both databases are compared row by row.
    pub fn copy_database(
        &self,
        to: &Self,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<CopyReport, EngineError> {
        let (from, mut into) = (self.store()?, to.store()?);
        let copied = from.copy_to(&mut into, &mut |n_files, total| {
            progress(&archive_progress(n_files, total));
            if n_files == total {
                let current = "both databases".to_owned();
                progress(&Progress { current, ..Progress::new(Phase::Examining) });
            }
        })?;
        Ok(CopyReport { database: into.location(), copied })
    }
}

fn archive_progress(n_files: u64, total: u64) -> Progress {
    Progress {
        processed_files: n_files as usize,
        total_files: total as usize,
        ..Progress::new(Phase::Reading)
    }
}
