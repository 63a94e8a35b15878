//! How an ingestion is going, for every process that asks.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::project::now;
use crate::{ProjectId, Store, StoreError};

/// Where an ingestion stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IngestionState {
    /// Announced, not begun.
    Pending,
    /// Running, or cut off: a run whose lock is free was cut off.
    InProgress,
    /// Done.
    Completed,
    /// Ended by an error.
    Failed,
}

impl IngestionState {
    /// The word stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestionStatus {
    /// Number of the run.
    pub id: i64,
    /// Where it stands.
    pub state: IngestionState,
    /// Percent, 0–100.
    pub progress: u8,
    /// The file last processed.
    pub current_file: Option<String>,
    /// Files to process.
    pub total_files: u64,
    /// Files processed.
    pub processed_files: u64,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// RFC 3339, UTC.
    pub completed_at: Option<String>,
    /// What ended it, when it failed.
    pub error: Option<String>,
}

impl IngestionStatus {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            state: IngestionState::parse(&row.get::<_, String>(1)?),
            progress: row.get(2)?,
            current_file: row.get(3)?,
            total_files: row.get::<_, i64>(4)? as u64,
            processed_files: row.get::<_, i64>(5)? as u64,
            started_at: row.get(6)?,
            completed_at: row.get(7)?,
            error: row.get(8)?,
        })
    }
}

impl Store {
    /// Announces an ingestion of `total_files` files; gives the number of the run.
    pub fn begin_ingestion(&mut self, project: ProjectId, total_files: u64) -> Result<i64, StoreError> {
        // It may not have been possible when the last one ended.
        self.empty_log();
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO ingestion_status (project_id, status, total_files, started_at)
                 VALUES (?1, 'in_progress', ?2, ?3)",
                params![project.0, total_files as i64, now()],
            )?;
            Ok(transaction.last_insert_rowid())
        })
    }

    /// Marks run `id` as completed and stores the project's content hash.
    pub fn complete_ingestion(
        &mut self,
        project: ProjectId,
        id: i64,
        content_hash: &str,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE ingestion_status SET status = 'completed', progress = 100, completed_at = ?2,
                 processed_files = total_files, current_file = NULL WHERE id = ?1",
                params![id, now()],
            )?;
            transaction.execute(
                "UPDATE projects SET content_hash = ?2 WHERE id = ?1",
                params![project.0, content_hash],
            )?;
            Ok(())
        })?;
        self.erase_deleted();
        Ok(())
    }

    /// Marks run `id` as failed, with the reason.
    pub fn fail_ingestion(&mut self, id: i64, error: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE ingestion_status SET status = 'failed', completed_at = ?2, error = ?3 WHERE id = ?1",
                params![id, now(), error],
            )?;
            Ok(())
        })?;
        self.empty_log();
        Ok(())
    }

    /// The newest ingestion of a project, `None` when there was none.
    pub fn ingestion_status(&self, project: ProjectId) -> Result<Option<IngestionStatus>, StoreError> {
        self.read_one(
            "SELECT id, status, progress, current_file, total_files, processed_files, started_at, completed_at, error
             FROM ingestion_status WHERE project_id = ?1 ORDER BY id DESC LIMIT 1",
            [project.0],
            IngestionStatus::from_row,
        )
    }
}
