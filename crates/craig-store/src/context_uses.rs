//! How context was used, kept for statistics on this machine.

use std::time::Duration;

use crate::project::now;
use crate::sql::{self, Connection, Row, params};
use crate::{ProjectId, Store, StoreError};

/// Uses that are kept; older ones are deleted.
const MAX_USES: i64 = 50_000;

/// One answer to a request for context. Never holds code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextUse {
    /// Its number, by which it is rated; 0 before it is stored.
    pub number: u64,
    /// When, RFC 3339, UTC; empty before it is stored.
    pub used_at: String,
    /// `chat` or `inline`.
    pub kind: String,
    /// Why there was no context; `None` if there was some.
    pub reason: Option<String>,
    /// Blocks returned.
    pub blocks: u32,
    /// Tokens returned.
    pub tokens: u64,
    /// Tokens of the same files read whole, estimated.
    pub whole_tokens: u64,
    /// Score of the best block.
    pub best_score: Option<f64>,
    /// Mean score of the blocks.
    pub mean_score: Option<f64>,
    /// Microseconds of extraction, search, ranking and formatting, in this order.
    pub step_us: [u64; 4],
    /// Microseconds in all.
    pub total_us: u64,
    /// The question, if texts are kept.
    pub query: Option<String>,
    /// Whether it was rated as helpful; `None` if it was not rated.
    pub helpful: Option<bool>,
    /// Their comment.
    pub note: Option<String>,
}

impl ContextUse {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        let whole = |column| row.unsigned(column);
        Ok(Self {
            number: whole(0)?,
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
    /// Keeps a use and returns its number. Does not wait: fails with [`StoreError::Busy`] while another process writes.
    pub fn record_context_use(&mut self, project: ProjectId, used: &ContextUse) -> Result<u64, StoreError> {
        self.write_at_once(|transaction| {
            let [extract, search, rank, format] = used.step_us;
            let id: Option<i64> = transaction.one(
                "INSERT INTO context_uses (project_id, used_at, kind, reason, blocks, tokens, whole_tokens, best_score,
                    mean_score, extract_us, search_us, rank_us, format_us, total_us, query)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) RETURNING id",
                &params![
                    project,
                    now(),
                    used.kind,
                    used.reason,
                    used.blocks,
                    used.tokens,
                    used.whole_tokens,
                    used.best_score,
                    used.mean_score,
                    extract,
                    search,
                    rank,
                    format,
                    used.total_us,
                    used.query
                ],
                |row| row.get(0),
            )?;
            let id = id.unwrap_or_default();
            transaction.execute("DELETE FROM context_uses WHERE id <= ?1", &params![id - MAX_USES])?;
            Ok(id.cast_unsigned())
        })
    }

    /// The uses of one project, or of all, oldest first.
    pub fn context_uses(&self, project: Option<ProjectId>) -> Result<Vec<ContextUse>, StoreError> {
        let sql = "SELECT id, used_at, kind, reason, blocks, tokens, whole_tokens, best_score, mean_score, extract_us,
                      search_us, rank_us, format_us, total_us, query, helpful, note
                   FROM context_uses WHERE CAST(?1 AS BIGINT) IS NULL OR project_id = ?1 ORDER BY id";
        self.read_all(sql, &params![project], ContextUse::from_row)
    }

    /// Stores whether the context of this number, or the newest one, was helpful; returns its number, `None` if there is none.
    pub fn rate_context_use(
        &mut self,
        number: Option<u64>,
        helpful: bool,
        note: Option<&str>,
    ) -> Result<Option<u64>, StoreError> {
        self.write(|transaction| {
            let sql = "UPDATE context_uses SET helpful = ?2, note = ?3 WHERE id = (
                           SELECT id FROM context_uses WHERE (CAST(?1 AS BIGINT) IS NULL AND blocks > 0) OR id = ?1 ORDER BY id DESC LIMIT 1)
                       RETURNING id";
            transaction.one(sql, &params![number, helpful, note], |row| row.unsigned(0))
        })
    }

    /// Writes unless another process does at the moment.
    fn write_at_once<T>(&mut self, work: impl FnMut(&Connection) -> sql::Result<T>) -> Result<T, StoreError> {
        let usual = self.patience;
        self.set_patience(Duration::ZERO)?;
        let done = self.write(work);
        self.set_patience(usual)?;
        done
    }
}
