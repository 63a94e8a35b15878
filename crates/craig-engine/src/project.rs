//! One project of the store: its row, its directory, its files.

use std::path::Path;

use craig_source::{Root, SourceError};
use craig_store::{FileRecord, Project, Store, StoreError};
use craig_text::path::name;

use crate::EngineError;
use crate::left_out::left_out;
use crate::similar::{LEAST_SIMILARITY, similarity};

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
    let similar = similar_paths(&store.file_records(project.id)?, path);
    Ok(EngineError::UnknownFile {
        project: project.name.clone(),
        path: path.to_owned(),
        left_out: left_out(project, path)?.map(Box::new),
        similar,
    })
}

/// Paths of files whose names are most like that of `path`.
fn similar_paths(records: &[FileRecord], path: &str) -> Vec<String> {
    let wanted = name(path).to_lowercase();
    let scored = records.iter().map(|record| (similarity(&wanted, name(&record.path)), &record.path));
    let mut scored: Vec<(f64, &String)> = scored.filter(|(score, _)| *score >= LEAST_SIMILARITY).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    scored.into_iter().take_while(|(score, _)| *score == best).take(3).map(|(_, path)| path.clone()).collect()
}
