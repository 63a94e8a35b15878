//! Jobs: sources that workers ingest, once or again and again.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use craig_source::{GitUrl, Root, SourceOptions};
use craig_store::NewJob;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ingest::{IngestRequest, Waiting};
use crate::options::StoredOptions;
use crate::repository::RepositoryRequest;
use crate::{Consent, Engine, EngineError, IngestReport, Progress, Visibility};

/// How long a job belongs to a worker that gives no sign of life.
const LEASE: Duration = Duration::from_secs(60);

/// How often a worker gives one.
const RENEWAL: Duration = Duration::from_secs(15);

/// A job of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// Directory, or URL of a repository.
    pub source: String,
    /// Branch, tag or commit.
    pub branch: Option<String>,
    /// Name of the project, if it was given.
    pub name: Option<String>,
    /// Seconds between two runs; null for a job that runs once.
    pub every_seconds: Option<u64>,
    /// What becomes of it.
    pub state: JobState,
    /// When it runs next, RFC 3339.
    pub due_at: Option<String>,
    /// When it last started, RFC 3339.
    pub started_at: Option<String>,
    /// The worker that runs it.
    pub worker: Option<String>,
    /// Failures in a row.
    pub failures: u32,
    /// The error of the last one.
    pub error: Option<String>,
}

/// A push to a repository.
#[derive(Clone, Debug, Default)]
pub struct Push {
    /// URLs of the repository, in any spelling.
    pub urls: Vec<String>,
    /// The branch or tag, if it is known.
    pub reference: Option<String>,
    /// The repository's default branch, if it is known.
    pub default_branch: Option<String>,
}

impl Push {
    /// Whether a job that follows `branch`, or the default branch, may find something new.
    fn is_of(&self, branch: Option<&str>) -> bool {
        match (self.reference.as_deref(), branch.or(self.default_branch.as_deref())) {
            (Some(pushed), Some(followed)) => pushed == followed,
            _ => true,
        }
    }
}

/// What becomes of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It runs when it is due.
    Waiting,
    /// A worker runs it.
    Running,
    /// It failed too often, and runs no more.
    GivenUp,
}

/// A job that a worker has taken.
#[derive(Clone, Debug)]
pub struct TakenJob(craig_store::Job);

/// A run of a job.
#[derive(Debug)]
pub struct JobRun {
    /// Directory, or URL of a repository.
    pub source: String,
    /// What the ingestion did, or why it failed: the job is tried again later.
    pub outcome: Result<IngestReport, EngineError>,
}

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Which files are tracked.
    pub source: SourceOptions,
    /// What it may do without confirmation.
    pub consent: Consent,
}

impl From<craig_store::Job> for Job {
    fn from(job: craig_store::Job) -> Self {
        let state = match &job.holder {
            Some(_) => JobState::Running,
            None if job.is_given_up() => JobState::GivenUp,
            None => JobState::Waiting,
        };
        Self {
            id: job.id,
            source: job.order.source,
            branch: job.order.branch,
            name: job.order.name,
            every_seconds: job.order.every.map(|every| every.as_secs()),
            state,
            due_at: job.due_at,
            started_at: job.started_at,
            worker: job.holder,
            failures: job.failures,
            error: job.error,
        }
    }
}

impl Engine {
    /// Puts a source into the queue, due now. One that is there already, with the same branch, gets this name and schedule.
    ///
    /// Fails for a directory that does not exist, and for a URL that git may not fetch.
    pub fn add_job(&self, job: &NewJob) -> Result<(), EngineError> {
        let source = match repository(&job.source)? {
            Some(url) => url.as_str().to_owned(),
            None => Root::open(Path::new(&job.source))?.as_str().to_owned(),
        };
        Ok(self.store()?.add_job(&NewJob { source, ..job.clone() })?)
    }

    /// The jobs of the queue, by number; none if only some projects are shown.
    pub fn jobs(&self) -> Result<Vec<Job>, EngineError> {
        if self.visibility != Visibility::All {
            return Ok(Vec::new());
        }
        Ok(self.store()?.jobs()?.into_iter().map(Job::from).collect())
    }

    /// Numbers of the jobs that will ingest a project again.
    pub fn jobs_of(&self, handle: &str) -> Result<Vec<u64>, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let remote = StoredOptions::parse(&project.options).remote();
        let is_of_it = |job: &craig_store::Job| match &remote {
            Some(remote) => {
                repository_key(&job.order.source) == repository_key(remote.url.as_str())
                    && job.order.branch == remote.reference
            }
            None => job.order.source == project.source_path,
        };
        let jobs = store.jobs()?.into_iter().filter(|job| is_of_it(job) && !job.is_given_up());
        Ok(jobs.map(|job| job.id).collect())
    }

    /// Makes a job due now, also one that was given up.
    pub fn hasten_job(&self, id: u64) -> Result<(), EngineError> {
        known(id, self.store()?.hasten_job(id)?)
    }

    /// Makes the jobs due that follow what was pushed; returns their number.
    pub fn hasten_jobs_of(&self, push: &Push) -> Result<usize, EngineError> {
        let keys: Vec<String> = push.urls.iter().map(|url| repository_key(url)).collect();
        let mut store = self.store()?;
        let jobs = store.jobs()?;
        let of_it = jobs.iter().map(|job| (job.id, &job.order)).filter(|(_, order)| {
            keys.contains(&repository_key(&order.source)) && push.is_of(order.branch.as_deref())
        });
        let ids: Vec<u64> = of_it.map(|(id, _)| id).collect();
        ids.iter().try_for_each(|&id| store.hasten_job(id).map(drop))?;
        Ok(ids.len())
    }

    /// Removes a job from the queue; what it has ingested stays.
    pub fn remove_job(&self, id: u64) -> Result<(), EngineError> {
        known(id, self.store()?.remove_job(id)?)
    }

    /// Takes the job that has been due longest for the worker of this name; `None` if none is due.
    pub fn take_job(&self, worker: &str) -> Result<Option<TakenJob>, EngineError> {
        Ok(self.store()?.take_job(worker, LEASE)?.map(TakenJob))
    }

    /// Gives a job back that will not be run to its end, so that another worker may take it at once.
    pub fn return_job(&self, TakenJob(job): &TakenJob) -> Result<(), EngineError> {
        Ok(self.store()?.return_job(job)?)
    }

    /// Runs a job that was taken. Its failure is part of the run.
    pub fn run_job(
        &self,
        TakenJob(job): &TakenJob,
        options: &WorkerOptions,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<JobRun, EngineError> {
        let outcome = std::thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            scope.spawn(move || self.keep_lease(job, &is_done));
            let outcome = self.ingest_source(job, options, progress);
            drop(done);
            outcome
        });
        let worker = job.holder.as_deref().unwrap_or_default();
        // A fault of one machine looks like one of the queue otherwise.
        let error = outcome.as_ref().err().map(|error| format!("{error} (on the worker {worker})"));
        self.store()?.finish_job(job, error.as_deref().map_or(Ok(()), Err))?;
        Ok(JobRun { source: job.order.source.clone(), outcome })
    }

    /// Renews the lease of a job until it `is_done`. If the database cannot be reached, the next try may succeed in time.
    fn keep_lease(&self, job: &craig_store::Job, is_done: &mpsc::Receiver<()>) {
        while is_done.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) {
            let _ = self.store().and_then(|mut store| Ok(store.renew_job(job, LEASE)?));
        }
    }

    fn ingest_source(
        &self,
        job: &craig_store::Job,
        options: &WorkerOptions,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let NewJob { source, branch, name, .. } = job.order.clone();
        let (waiting, consent) = (Waiting::Wait, options.consent);
        match repository(&source)? {
            Some(url) => {
                let options = options.source.clone();
                let request = RepositoryRequest {
                    url,
                    reference: branch,
                    depth: None,
                    name,
                    options,
                    waiting,
                    consent,
                };
                self.ingest_repository(&request, progress)
            }
            None => {
                let options = options.source.clone();
                let directory = source.into();
                self.ingest(&IngestRequest { directory, name, options, waiting, consent }, progress)
            }
        }
    }
}

/// Fails unless the job of this number `is_known`.
fn known(id: u64, is_known: bool) -> Result<(), EngineError> {
    if is_known { Ok(()) } else { Err(EngineError::UnknownJob { id }) }
}

/// The URL, unless there is a directory of that name.
fn repository(source: &str) -> Result<Option<GitUrl>, EngineError> {
    let url = if Path::new(source).is_dir() { None } else { GitUrl::parse(source) };
    Ok(url.transpose()?)
}

/// Server and path of a repository: `https://host/a/b.git`, `git@host:a/b` and `ssh://git@host/a/b` are the same one.
fn repository_key(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let rest = rest.trim_end_matches('/').trim_end_matches(".git");
    rest.replacen(':', "/", 1).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_repository() {
        let all = ["https://Host.example/a/b.git", "git@host.example:a/b", "ssh://git@host.example/a/b.git/"];
        for url in all {
            assert_eq!(repository_key(url), "host.example/a/b", "{url}");
        }
        assert_ne!(repository_key("https://host.example/a/b"), repository_key("https://host.example/a/c"));
    }
}
