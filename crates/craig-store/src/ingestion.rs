//! The state of ingestions, for every process.

use std::collections::HashMap;

use craig_source::content_hash;
use serde::{Deserialize, Serialize};

use crate::lock::RecordedRun;
use crate::project::now;
use crate::sql::{self, Connection, Error, Row, Value, params};
use crate::{Project, ProjectId, Store, StoreError};

const COLUMNS: &str =
    "id, status, progress, current_file, total_files, processed_files, started_at, completed_at, error";

/// An ingestion that was announced, see [`Store::begin_ingestion`].
#[derive(Debug)]
pub struct IngestionRun {
    pub(crate) project: ProjectId,
    number: i64,
}

/// The state of an ingestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IngestionState {
    /// None was started yet.
    #[default]
    Pending,
    /// Running.
    InProgress,
    /// Its process ended before it was done. What it committed is kept.
    CutOff,
    /// Done.
    Completed,
    /// Ended by an error.
    Failed,
}

impl IngestionState {
    /// The word that is stored and shown. One that was cut off has failed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::CutOff | Self::Failed => "failed",
        }
    }

    fn parse(word: &str) -> Self {
        match word {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            _ => Self::Failed,
        }
    }
}

/// The newest ingestion of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IngestionStatus {
    /// Its state.
    pub state: IngestionState,
    /// Percent, 0–100.
    pub progress: u8,
    /// The file last processed.
    pub current_file: Option<String>,
    /// Files to process.
    pub total_files: u64,
    /// Files processed.
    pub processed_files: u64,
    /// RFC 3339, UTC; `None` if it could not be announced, as on a full disk.
    pub started_at: Option<String>,
    /// RFC 3339, UTC.
    pub completed_at: Option<String>,
    /// The error that ended it.
    pub error: Option<String>,
}

impl IngestionStatus {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        Ok(Self {
            state: IngestionState::parse(row.text(1)?),
            progress: row.get(2)?,
            current_file: row.get(3)?,
            total_files: row.unsigned(4)?,
            processed_files: row.unsigned(5)?,
            started_at: row.get(6)?,
            completed_at: row.get(7)?,
            error: row.get(8)?,
        })
    }

    /// The status in the database, corrected by what is recorded outside of it.
    fn corrected(self, recorded: RecordedRun) -> Self {
        match (recorded, self.state) {
            (RecordedRun::CutOff, _) => Self { state: IngestionState::CutOff, ..self },
            (RecordedRun::Failed(_), IngestionState::Failed) => self,
            (RecordedRun::Failed(error), _) => {
                Self { state: IngestionState::Failed, error: Some(error), ..self }
            }
            (RecordedRun::Unknown | RecordedRun::Completed, IngestionState::InProgress) => {
                Self { state: IngestionState::CutOff, ..self }
            }
            (RecordedRun::Running | RecordedRun::Unknown | RecordedRun::Completed, _) => self,
        }
    }
}

impl IngestionRun {
    /// Fails if another ingestion of the project has begun since: this one has lost its lock, as when the server of the database
    /// was restarted.
    pub(crate) fn write_progress(
        &self,
        connection: &Connection,
        current_file: Option<&str>,
        n_processed: u64,
    ) -> sql::Result<()> {
        let n_newest = connection.execute(
            "UPDATE ingestion_status SET
                current_file = coalesce(?2, current_file),
                processed_files = CASE WHEN total_files < ?3 THEN total_files ELSE ?3 END,
                progress = CASE WHEN total_files <= ?3 THEN 100 ELSE 100 * ?3 / total_files END
             WHERE id = ?1 AND NOT EXISTS (
                 SELECT 1 FROM ingestion_status later WHERE later.project_id = ?4 AND later.id > ?1)",
            &params![self.number, current_file, n_processed, self.project],
        )?;
        match n_newest {
            0 => Err(Error::Store(StoreError::Held { holder: "a later ingestion".to_owned() })),
            _ => Ok(()),
        }
    }
}

impl Store {
    /// Announces an ingestion of `total_files` files.
    pub fn begin_ingestion(
        &mut self,
        project: ProjectId,
        total_files: u64,
    ) -> Result<IngestionRun, StoreError> {
        // It may have been impossible when the last one ended.
        self.empty_log();
        let number = self.write(|connection| {
            connection.one(
                "INSERT INTO ingestion_status (project_id, status, total_files, started_at)
                 VALUES (?1, 'in_progress', ?2, ?3) RETURNING id",
                &params![project, total_files, now()],
                |row| row.get(0),
            )
        })?;
        Ok(IngestionRun { project, number: number.unwrap_or_default() })
    }

    /// Marks an ingestion as completed and stores the hash over all files of its project.
    pub fn complete_ingestion(&mut self, run: &IngestionRun) -> Result<(), StoreError> {
        let files = self.tracked_files(run.project)?;
        let hash = content_hash(files.iter().map(|file| (file.path.as_str(), file.hash))).to_hex();
        self.write(|connection| {
            connection.execute(
                "UPDATE ingestion_status SET status = 'completed', progress = 100, completed_at = ?2,
                 processed_files = total_files, current_file = NULL WHERE id = ?1",
                &params![run.number, now()],
            )?;
            let sql = "UPDATE projects SET content_hash = ?2 WHERE id = ?1";
            connection.execute(sql, &params![run.project, hash])
        })?;
        self.erase_deleted();
        Ok(())
    }

    /// Marks an ingestion as failed, with the reason.
    pub fn fail_ingestion(&mut self, run: &IngestionRun, error: &str) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.execute(
                "UPDATE ingestion_status SET status = 'failed', completed_at = ?2, error = ?3 WHERE id = ?1",
                &params![run.number, now(), error],
            )
        })?;
        self.empty_log();
        Ok(())
    }

    /// The newest ingestion of a project. Whether its process is still there, and how it ended if the database could not be
    /// written, as on a full disk, is known from the project's lock.
    pub fn ingestion_status(&self, project: &Project) -> Result<IngestionStatus, StoreError> {
        let number = |newest: &Option<(i64, IngestionStatus)>| newest.as_ref().map(|(number, _)| *number);
        let before = self.newest_ingestion(project.id)?;
        let recorded = self.recorded_run(project);
        // It may have ended between the two reads, and another one may have begun.
        let newest = self.newest_ingestion(project.id)?;
        let has_begun = number(&before) != number(&newest);
        let status = newest.map(|(_, status)| status).unwrap_or_default();
        Ok(status.corrected(if has_begun { RecordedRun::Running } else { recorded }))
    }

    /// The same of several projects, in their order.
    pub fn ingestion_statuses(&self, projects: &[Project]) -> Result<Vec<IngestionStatus>, StoreError> {
        let ids = Value::ints(projects.iter().map(|project| &project.id));
        let sql = format!(
            "SELECT {COLUMNS}, project_id FROM ingestion_status
             WHERE id IN (SELECT max(id) FROM ingestion_status WHERE project_id = ANY(?1) GROUP BY project_id)"
        );
        let newest = self
            .read_all(&sql, &[ids], |row| Ok((row.get::<ProjectId>(9)?, IngestionStatus::from_row(row)?)))?;
        let mut newest: HashMap<ProjectId, IngestionStatus> = newest.into_iter().collect();
        let status = |project: &Project| match newest.remove(&project.id) {
            // It has ended, and no record outside the database contradicts this.
            Some(status)
                if status.state != IngestionState::InProgress && !self.has_record_of_failure(project) =>
            {
                Ok(status)
            }
            _ => self.ingestion_status(project),
        };
        projects.iter().map(status).collect()
    }

    fn newest_ingestion(&self, project: ProjectId) -> Result<Option<(i64, IngestionStatus)>, StoreError> {
        let sql =
            format!("SELECT {COLUMNS} FROM ingestion_status WHERE project_id = ?1 ORDER BY id DESC LIMIT 1");
        self.read_one(&sql, &params![project], |row| Ok((row.get(0)?, IngestionStatus::from_row(row)?)))
    }
}
