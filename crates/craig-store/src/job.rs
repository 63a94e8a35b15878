//! Sources to ingest, once or again and again: a queue that workers take jobs from.
//!
//! A worker takes a job by a lease, which it renews while it works. When it is gone, the lease ends, and another worker takes the
//! job. A job is taken by one statement that fails if another worker was faster, so that no job runs twice at a time. All times are
//! those of the database: the clocks of the workers' machines do not matter.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::sql::{self, Row, params};
use crate::{Store, StoreError};

/// Wait after the first failure; it doubles with each further one …
const FIRST_WAIT: Duration = Duration::from_secs(30);

/// … up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

/// A job that is to run once is given up after this many failures in a row: two hours.
const MAX_FAILURES: u32 = 8;

/// A job that has lost this many workers in a row waits like one that fails: it may be what ends them.
const MAX_LOST: u32 = 3;

/// Tries to take a job while other workers take theirs.
const TRIES: usize = 10;

/// What to ingest, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// Directory or URL, without credentials.
    pub source: String,
    /// Branch, tag or commit; `None` for the default branch.
    pub branch: Option<String>,
    /// Name of the project; `None` for that of the source.
    pub name: Option<String>,
    /// Time between the starts of two runs; `None` to run once.
    pub every: Option<Duration>,
}

/// A job of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// What to ingest, and when.
    pub order: NewJob,
    /// When it is to run next, RFC 3339, UTC; `None` while it runs for the only time, and when it is given up.
    pub due_at: Option<String>,
    /// Failures in a row.
    pub failures: u32,
    /// The error of the last one.
    pub error: Option<String>,
    /// The worker that runs it.
    pub holder: Option<String>,
    /// When its last run started, RFC 3339, UTC.
    pub started_at: Option<String>,
}

impl Job {
    /// Whether nobody will run it any more.
    pub fn is_given_up(&self) -> bool {
        self.due_at.is_none() && self.holder.is_none()
    }

    /// When to try again after this many failures; `None` to give up.
    fn next_try(&self, failures: u32, now: Timestamp) -> Option<String> {
        if self.order.every.is_none() && failures >= MAX_FAILURES {
            return None;
        }
        let wait = FIRST_WAIT.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST_WAIT);
        Some(after(now, wait.max(self.order.every.unwrap_or_default())))
    }

    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        let branch: String = row.get(2)?;
        let every: Option<i64> = row.get(4)?;
        Ok(Self {
            id: row.unsigned(0)?,
            order: NewJob {
                source: row.get(1)?,
                branch: (!branch.is_empty()).then_some(branch),
                name: row.get(3)?,
                every: every.map(|seconds| Duration::from_secs(seconds.unsigned_abs())),
            },
            due_at: row.get(5)?,
            failures: u32::try_from(row.unsigned(6)?).unwrap_or(u32::MAX),
            error: row.get(7)?,
            holder: row.get(8)?,
            started_at: row.get(9)?,
        })
    }
}

const COLUMNS: &str = "id, source, branch, name, every_seconds, due_at, failures, error, holder, started_at";

impl Store {
    /// Puts a job into the queue, due now; one of the same source and branch is replaced, and starts again if it was given up.
    pub fn add_job(&mut self, job: &NewJob) -> Result<(), StoreError> {
        let every = job.every.map(|every| every.as_secs().cast_signed());
        let branch = job.branch.as_deref().unwrap_or_default();
        let now = text(self.now()?);
        self.write(|connection| {
            connection.execute(
                "INSERT INTO jobs (source, branch, name, every_seconds, due_at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (source, branch) DO UPDATE SET name = excluded.name,
                     every_seconds = excluded.every_seconds, due_at = excluded.due_at, failures = 0, error = NULL",
                &params![job.source, branch, job.name, every, now],
            )
        })?;
        Ok(())
    }

    /// All jobs by number.
    pub fn jobs(&self) -> Result<Vec<Job>, StoreError> {
        self.read_all(&format!("SELECT {COLUMNS} FROM jobs ORDER BY id"), &[], Job::from_row)
    }

    /// Removes a job from the queue; false if there is none of this number. A run that has begun goes on.
    pub fn remove_job(&mut self, id: u64) -> Result<bool, StoreError> {
        let removed =
            self.write(|connection| connection.execute("DELETE FROM jobs WHERE id = ?1", &params![id]))?;
        Ok(removed > 0)
    }

    /// Makes a job due now, also one that was given up; false if there is none of this number. One that runs is run once more
    /// after that.
    pub fn hasten_job(&mut self, id: u64) -> Result<bool, StoreError> {
        let now = text(self.now()?);
        let hastened = self.write(|connection| {
            connection.execute("UPDATE jobs SET due_at = ?2 WHERE id = ?1", &params![id, now])
        })?;
        Ok(hastened > 0)
    }

    /// Takes the job that has been due longest, or whose worker is gone, for `lease`; `None` if no job is due. One whose workers
    /// disappear again and again counts as failing.
    pub fn take_job(&mut self, worker: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        for _ in 0..TRIES {
            let time = self.now()?;
            let now = text(time);
            let Some(found) = self.due_job(&now)? else { return Ok(None) };
            let mut job = found.clone();
            if let Some(gone) = job.holder.take() {
                job.failures += 1;
                job.error = Some(format!("its worker ({gone}) disappeared"));
            }
            let has_to_wait = found.holder.is_some() && job.failures >= MAX_LOST;
            if has_to_wait {
                job.due_at = job.next_try(job.failures, time);
            } else {
                job.due_at = job.order.every.map(|every| after(time, every));
                job.holder = Some(worker.to_owned());
                job.started_at = Some(now.clone());
            }
            let lease_until = job.holder.is_some().then(|| after(time, lease));
            let Job { id, failures, .. } = job;
            let n_changed = self.write(|connection| {
                connection.execute(
                    "UPDATE jobs SET holder = ?2, started_at = ?3, lease_until = ?4, due_at = ?5, failures = ?6, error = ?7
                     WHERE id = ?1 AND (lease_until IS NULL OR lease_until < ?8)
                       AND due_at IS NOT DISTINCT FROM CAST(?9 AS TEXT)",
                    &params![id, job.holder, job.started_at, lease_until, job.due_at, failures, job.error, now, found.due_at],
                )
            })?;
            if n_changed > 0 && !has_to_wait {
                return Ok(Some(job));
            }
        }
        Ok(None)
    }

    /// The time of the database.
    fn now(&self) -> Result<Timestamp, StoreError> {
        if self.connection.sqlite().is_some() {
            return Ok(Timestamp::now());
        }
        let sql = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)";
        let milliseconds: Option<i64> = self.read_one(sql, &[], |row| row.get(0))?;
        Ok(Timestamp::from_millisecond(milliseconds.unwrap_or_default()).unwrap_or(Timestamp::UNIX_EPOCH))
    }

    /// The job that is to be taken next.
    fn due_job(&self, now: &str) -> Result<Option<Job>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs WHERE (lease_until IS NULL AND due_at <= ?1) OR lease_until < ?1
             ORDER BY coalesce(lease_until, due_at), id LIMIT 1"
        );
        self.read_one(&sql, &params![now], Job::from_row)
    }

    /// Extends the lease of a job that was taken; false if it has been lost to another worker, or removed.
    pub fn renew_job(&mut self, job: &Job, lease: Duration) -> Result<bool, StoreError> {
        let until = after(self.now()?, lease);
        let renewed = self.write(|connection| {
            connection.execute(
                "UPDATE jobs SET lease_until = ?4 WHERE id = ?1 AND holder = ?2 AND started_at = ?3",
                &params![job.id, job.holder, job.started_at, until],
            )
        })?;
        Ok(renewed > 0)
    }

    /// Gives a job back that was taken and has not been done, so that another worker may take it at once.
    pub fn return_job(&mut self, job: &Job) -> Result<(), StoreError> {
        let now = text(self.now()?);
        self.write(|connection| {
            connection.execute(
                "UPDATE jobs SET holder = NULL, lease_until = NULL, due_at = ?4
                 WHERE id = ?1 AND holder = ?2 AND started_at = ?3",
                &params![job.id, job.holder, job.started_at, now],
            )
        })?;
        Ok(())
    }

    /// Gives a job back that was taken, done or with the error that ended it. One that is lost is left as it is.
    pub fn finish_job(&mut self, job: &Job, outcome: Result<(), &str>) -> Result<(), StoreError> {
        let failures = job.failures + 1;
        let next_try = job.next_try(failures, self.now()?);
        self.write(|connection| match outcome {
            Ok(()) => {
                connection.execute(
                    "UPDATE jobs SET holder = NULL, lease_until = NULL, failures = 0, error = NULL
                     WHERE id = ?1 AND holder = ?2 AND started_at = ?3",
                    &params![job.id, job.holder, job.started_at],
                )?;
                // One that was to run once, and was not made due again meanwhile, is done.
                let sql =
                    "DELETE FROM jobs WHERE id = ?1 AND due_at IS NULL AND holder IS NULL AND error IS NULL";
                connection.execute(sql, &params![job.id])
            }
            Err(error) => connection.execute(
                // One that was made due again meanwhile stays so.
                "UPDATE jobs SET holder = NULL, lease_until = NULL, failures = ?4, error = ?5,
                     due_at = CASE WHEN due_at IS NOT DISTINCT FROM CAST(?7 AS TEXT) THEN CAST(?6 AS TEXT) ELSE due_at END
                 WHERE id = ?1 AND holder = ?2 AND started_at = ?3",
                &params![job.id, job.holder, job.started_at, failures, error, next_try, job.due_at],
            ),
        })?;
        Ok(())
    }
}

/// The time after a wait, as it is stored.
fn after(time: Timestamp, wait: Duration) -> String {
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    text(time.saturating_add(wait).unwrap_or(Timestamp::MAX))
}

/// A time as it is stored.
fn text(time: Timestamp) -> String {
    format!("{time:.3}")
}
