//! How context was handed out, kept for statistics on this machine.

use std::time::Duration;

use rusqlite::{OptionalExtension, Row, params};

use crate::project::now;
use crate::{ProjectId, Store, StoreError};

/// Uses that are kept; older ones go.
const MOST_USES: i64 = 50_000;

/// One answer to a request for context. Never holds code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextUse {
    /// Its number; 0 before it is stored.
    pub id: i64,
    /// When, RFC 3339, UTC; empty before it is stored.
    pub used_at: String,
    /// `chat` or `inline`.
    pub kind: String,
    /// Why there was no context; `None` when there was some.
    pub reason: Option<String>,
    /// Pieces handed out.
    pub blocks: u32,
    /// Tokens handed out.
    pub tokens: u64,
    /// Tokens of the same files read whole, estimated.
    pub whole_tokens: u64,
    /// Score of the best piece.
    pub best_score: Option<f64>,
    /// Mean score of the pieces.
    pub mean_score: Option<f64>,
    /// Microseconds of extraction, search, ranking and formatting, in this order.
    pub step_us: [u64; 4],
    /// Microseconds in all.
    pub total_us: u64,
    /// What was asked, when texts are kept.
    pub query: Option<String>,
    /// Whether somebody found it helpful.
    pub helpful: Option<bool>,
    /// What they said.
    pub note: Option<String>,
}

impl ContextUse {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let whole = |column| row.get::<_, i64>(column).map(|n| n as u64);
        Ok(Self {
            id: row.get(0)?,
            used_at: row.get(1)?,
            kind: row.get(2)?,
            reason: row.get(3)?,
            blocks: row.get(4)?,
            tokens: whole(5)?,
            whole_tokens: whole(6)?,
            best_score: row.get(7)?,
            mean_score: row.get(8)?,
            step_us: [whole(9)?, whole(10)?, whole(11)?, whole(12)?],
            total_us: whole(13)?,
            query: row.get(14)?,
            helpful: row.get(15)?,
            note: row.get(16)?,
        })
    }
}

impl Store {
    /// Keeps a use and gives its number. Does not wait: fails with [`StoreError::Busy`] while another process writes.
    pub fn record_context_use(&mut self, project: ProjectId, used: &ContextUse) -> Result<i64, StoreError> {
        self.write_at_once(|transaction| {
            let [extract, search, rank, format] = used.step_us.map(|us| us as i64);
            transaction.execute(
                "INSERT INTO context_uses (project_id, used_at, kind, reason, blocks, tokens, whole_tokens, best_score,
                    mean_score, extract_us, search_us, rank_us, format_us, total_us, query)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
                params![
                    project.0,
                    now(),
                    used.kind,
                    used.reason,
                    used.blocks,
                    used.tokens as i64,
                    used.whole_tokens as i64,
                    used.best_score,
                    used.mean_score,
                    extract,
                    search,
                    rank,
                    format,
                    used.total_us as i64,
                    used.query
                ],
            )?;
            let id = transaction.last_insert_rowid();
            transaction.execute("DELETE FROM context_uses WHERE id <= ?1", [id - MOST_USES])?;
            Ok(id)
        })
    }

    /// The uses of one project, or of all, oldest first.
    pub fn context_uses(&self, project: Option<ProjectId>) -> Result<Vec<ContextUse>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, used_at, kind, reason, blocks, tokens, whole_tokens, best_score, mean_score, extract_us,
                        search_us, rank_us, format_us, total_us, query, helpful, note
                     FROM context_uses WHERE ?1 IS NULL OR project_id = ?1 ORDER BY id",
                )?
                .query_map([project.map(|project| project.0)], ContextUse::from_row)?
                .collect()
        })
    }

    /// Says whether the context of number `id`, or the newest that was given, was helpful; gives its number, `None` when
    /// there is no such.
    pub fn rate_context_use(
        &mut self,
        id: Option<i64>,
        helpful: bool,
        note: Option<&str>,
    ) -> Result<Option<i64>, StoreError> {
        self.write(|transaction| {
            let found = transaction
                .query_row(
                    "SELECT id FROM context_uses WHERE (?1 IS NULL AND blocks > 0) OR id = ?1 ORDER BY id DESC LIMIT 1",
                    [id],
                    |row| row.get::<_, i64>(0),
                )
                .optional()?;
            if let Some(found) = found {
                transaction.execute(
                    "UPDATE context_uses SET helpful = ?2, note = ?3 WHERE id = ?1",
                    params![found, helpful, note],
                )?;
            }
            Ok(found)
        })
    }

    /// Writes unless another process does at the moment.
    fn write_at_once<T>(
        &mut self,
        work: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.set_patience(Duration::ZERO)?;
        let done = self.write(work);
        self.set_patience(crate::schema::BUSY_TIMEOUT)?;
        done
    }

    fn set_patience(&self, patience: Duration) -> Result<(), StoreError> {
        self.read(|connection| connection.busy_timeout(patience))
    }
}
