//! One project of the store: its row, its directory, its files.

use std::path::Path;

use craig_source::{Root, SourceError};
use craig_store::{FileRecord, Project, Store, StoreError};

use crate::EngineError;
use crate::left_out::left_out;

/// The source directory of a project.
/// Its path is kept without links, so a link on the way there was put there since: it is not followed.
pub(crate) fn root_of(project: &Project) -> Result<Root, EngineError> {
    if project.is_group() {
        return Err(EngineError::IsAGroup { group: project.name.clone() });
    }
    let root = Root::open(&project.source_path).map_err(|error| match error {
        SourceError::RootMissing { path } => EngineError::SourceGone { project: project.name.clone(), path },
        other => other.into(),
    })?;
    match root.path() == Path::new(&project.source_path) {
        true => Ok(root),
        false => Err(EngineError::SourceReplaced {
            path: (&project.source_path).into(),
            leads_to: root.path().to_owned(),
        }),
    }
}

/// The current row of the project; a removed project is an error with its name.
pub(crate) fn reload(store: &Store, project: &Project) -> Result<Project, EngineError> {
    store.project(&project.reference).map_err(|error| match error {
        StoreError::UnknownProject { known, .. } => {
            StoreError::UnknownProject { handle: project.name.clone(), known }.into()
        }
        other => other.into(),
    })
}

/// What is wrong with a path that is not tracked.
pub(crate) fn unknown_file(store: &Store, project: &Project, path: &str) -> Result<EngineError, EngineError> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let records = store.file_records(project.id)?;
    let ends = |record: &&FileRecord| record.path.rsplit('/').next() == Some(name);
    let similar = records.iter().filter(ends).take(3).map(|record| record.path.clone()).collect();
    Ok(EngineError::UnknownFile {
        project: project.name.clone(),
        path: path.to_owned(),
        left_out: left_out(project, path)?.map(Box::new),
        similar,
    })
}
