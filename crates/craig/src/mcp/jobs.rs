//! Jobs that write: `craig` as a subprocess, one per directory at a time, a few in parallel, the others queued.
//!
//! A job continues when its client disconnects; its status is in the database. When the server ends, another process runs
//! the queued jobs.

mod child;
mod rest;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::{Notify, watch};

use super::Settings;
use super::failure::Failure;

pub(crate) use rest::finish;

/// Parallel subprocesses; each uses all cores while it reads.
const MOST_RUNNING: usize = 2;

/// Maximum number of queued jobs.
const MOST_WAITING: usize = 100;

/// Maximum number of ended jobs that are kept.
const MOST_REMEMBERED: usize = 100;

/// A job to be run.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) kind: JobKind,
    /// Directory or URL; jobs with the same source run one after the other.
    pub(super) source: String,
    /// Arguments of `craig`.
    pub(super) arguments: Vec<OsString>,
}

/// The operation of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum JobKind {
    Ingest,
    DeltaIngest,
    Purge,
}

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// In the queue.
    Queued,
    /// Its process is running.
    Running,
    /// Successful.
    Completed,
    /// Ended with an error.
    Failed,
    /// Ended by a client.
    Cancelled,
}

impl Stage {
    /// Whether the job has ended.
    pub(super) fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A job as clients see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Job {
    /// Id, for query_ingestion_status and cancel_job.
    pub(super) job_id: String,
    pub(super) kind: JobKind,
    /// Directory or URL.
    pub(super) source: String,
    pub(super) state: Stage,
    /// Jobs ahead of it in the queue.
    pub(super) queued_before: usize,
    /// When it was created, RFC 3339.
    pub(super) created_at: String,
    /// When its process started, RFC 3339.
    pub(super) started_at: Option<String>,
    /// When it ended, RFC 3339.
    pub(super) completed_at: Option<String>,
    /// The error.
    pub(super) error: Option<String>,
    /// What to do about it.
    pub(super) next: Option<String>,
    /// The result, as the command line reports it.
    pub(super) report: Option<Map<String, Value>>,
}

/// How a subprocess ended.
struct Ending {
    stage: Stage,
    error: Option<String>,
    next: Option<String>,
    report: Option<Map<String, Value>>,
}

struct Entry {
    job: Job,
    arguments: Vec<OsString>,
    cancel: Arc<Notify>,
    stage: watch::Sender<Stage>,
}

/// All jobs of a server, in the order in which they were created.
pub(super) struct Jobs {
    /// Locked only to read or change the list, never while a process runs.
    entries: Mutex<List>,
    global_arguments: Vec<OsString>,
    program: std::io::Result<PathBuf>,
}

#[derive(Default)]
struct List {
    n_ordered: usize,
    entries: Vec<Entry>,
}

impl Jobs {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            entries: Mutex::default(),
            global_arguments: settings.child_arguments.clone(),
            program: std::env::current_exe(),
        }
    }

    /// Queues an order and returns its job; an order that is queued already is not queued again. Fails if the queue is full.
    pub(super) fn order(self: &Arc<Self>, order: Order) -> Result<Job, Failure> {
        let job = self.change(|list| match list.waiting_like(&order) {
            Some(job) => Ok(job),
            None if list.n_waiting() >= MOST_WAITING => Err(Failure::new(
                format!("{MOST_WAITING} jobs are queued already"),
                "follow them with query_ingestion_status, or end some with cancel_job, and try again",
            )),
            None => Ok(list.add(order)),
        })?;
        self.start_next();
        // It can be missing only if very many other jobs were created meanwhile.
        Ok(self.find(&job.job_id).unwrap_or(job))
    }

    /// The current state of a job.
    pub(super) fn find(&self, id: &str) -> Option<Job> {
        self.all().into_iter().find(|job| job.job_id == id)
    }

    /// The current state of all jobs, newest first.
    pub(super) fn all(&self) -> Vec<Job> {
        self.change(|list| list.jobs())
    }

    /// Waits until a job has ended or `stop` completes; returns its state then.
    pub(super) async fn wait(&self, id: &str, stop: impl Future<Output = ()>) -> Option<Job> {
        let mut stage = self.change(|list| list.entry(id).map(|entry| entry.stage.subscribe()))?;
        tokio::select! {
            _ = stage.wait_for(|stage| stage.is_final()) => {}
            () = stop => {}
        }
        self.find(id)
    }

    /// Cancels a job: removes it from the queue, or ends its process and all child processes.
    pub(super) fn cancel(self: &Arc<Self>, id: &str) {
        self.change(|list| {
            if let Some(entry) = list.entry(id) {
                match entry.job.state {
                    Stage::Queued => entry.end(Ending::cancelled()),
                    Stage::Running => entry.cancel.notify_one(),
                    _ => {}
                }
            }
        });
        self.start_next();
    }

    /// Starts a process that runs the queued jobs and outlives this one.
    pub(super) fn hand_over(&self) {
        let waiting = self.change(List::take_waiting);
        if let (false, Ok(program)) = (waiting.is_empty(), &self.program) {
            rest::hand_over(program, &self.global_arguments, &waiting);
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut List) -> T) -> T {
        change(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts the jobs that can start now.
    fn start_next(self: &Arc<Self>) {
        while let Some((id, arguments, cancel)) = self.change(List::begin_next) {
            let jobs = Arc::clone(self);
            tokio::spawn(async move {
                let ending = jobs.perform(&arguments, &cancel).await;
                jobs.change(|list| list.end(&id, ending));
                jobs.start_next();
            });
        }
    }

    async fn perform(&self, arguments: &[OsString], cancel: &Notify) -> Ending {
        match &self.program {
            Ok(program) => child::run(program, &self.global_arguments, arguments, cancel).await,
            Err(error) => Ending::failed(format!("the path of the craig program is unknown: {error}"), None),
        }
    }
}

impl Ending {
    fn cancelled() -> Self {
        let next = "what was committed is kept: trigger_delta_ingest completes it";
        Self { stage: Stage::Cancelled, error: None, next: Some(next.into()), report: None }
    }

    fn failed(error: String, next: Option<String>) -> Self {
        Self { stage: Stage::Failed, error: Some(error), next, report: None }
    }
}

impl Entry {
    fn end(&mut self, ending: Ending) {
        self.job.state = ending.stage;
        self.job.completed_at = Some(now());
        self.job.error = ending.error;
        self.job.next = ending.next;
        self.job.report = ending.report;
        self.stage.send_replace(ending.stage);
    }
}

impl List {
    fn waiting_like(&self, order: &Order) -> Option<Job> {
        let is_like = |entry: &&Entry| entry.job.state == Stage::Queued && entry.arguments == order.arguments;
        self.entries.iter().find(is_like).map(|entry| entry.job.clone())
    }

    fn n_waiting(&self) -> usize {
        self.entries.iter().filter(|entry| entry.job.state == Stage::Queued).count()
    }

    fn add(&mut self, order: Order) -> Job {
        self.forget_old();
        self.n_ordered += 1;
        let job = Job {
            job_id: format!("job-{}-{}", std::process::id(), self.n_ordered),
            kind: order.kind,
            source: order.source,
            state: Stage::Queued,
            queued_before: 0,
            created_at: now(),
            started_at: None,
            completed_at: None,
            error: None,
            next: None,
            report: None,
        };
        let stage = watch::Sender::new(Stage::Queued);
        self.entries.push(Entry {
            job: job.clone(),
            arguments: order.arguments,
            cancel: Arc::default(),
            stage,
        });
        job
    }

    /// Removes the queued jobs from the list, in their order.
    fn take_waiting(&mut self) -> Vec<Vec<OsString>> {
        let waiting = self.entries.iter().filter(|entry| entry.job.state == Stage::Queued);
        let arguments = waiting.map(|entry| entry.arguments.clone()).collect();
        self.entries.retain(|entry| entry.job.state != Stage::Queued);
        arguments
    }

    fn forget_old(&mut self) {
        if self.entries.len() >= MOST_REMEMBERED
            && let Some(oldest) = self.entries.iter().position(|entry| entry.job.state.is_final())
        {
            self.entries.remove(oldest);
        }
    }

    fn jobs(&self) -> Vec<Job> {
        let mut n_queued = 0;
        let mut jobs: Vec<Job> = Vec::new();
        for entry in &self.entries {
            let is_queued = entry.job.state == Stage::Queued;
            jobs.push(Job { queued_before: if is_queued { n_queued } else { 0 }, ..entry.job.clone() });
            n_queued += usize::from(is_queued);
        }
        jobs.reverse();
        jobs
    }

    fn entry(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.job.job_id == id)
    }

    /// Marks the first job that can run as running, and returns what it needs.
    fn begin_next(&mut self) -> Option<(String, Vec<OsString>, Arc<Notify>)> {
        let running: Vec<String> = self
            .entries
            .iter()
            .filter(|entry| entry.job.state == Stage::Running)
            .map(|entry| entry.job.source.clone())
            .collect();
        if running.len() >= MOST_RUNNING {
            return None;
        }
        let may_run =
            |entry: &&mut Entry| entry.job.state == Stage::Queued && !running.contains(&entry.job.source);
        let entry = self.entries.iter_mut().find(may_run)?;
        entry.job.state = Stage::Running;
        entry.job.started_at = Some(now());
        entry.stage.send_replace(Stage::Running);
        Some((entry.job.job_id.clone(), entry.arguments.clone(), Arc::clone(&entry.cancel)))
    }

    fn end(&mut self, id: &str, ending: Ending) {
        if let Some(entry) = self.entry(id) {
            entry.end(ending);
        }
    }
}

fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(source: &str, argument: &str) -> Order {
        Order { kind: JobKind::Ingest, source: source.into(), arguments: vec![argument.into()] }
    }

    #[test]
    fn one_job_for_each_source_and_a_bounded_number_in_order() {
        let mut list = List::default();
        let ids: Vec<String> = [("a", "1"), ("a", "2"), ("b", "1"), ("c", "1")]
            .map(|(s, n)| list.add(order(s, n)).job_id)
            .into();
        let begun: Vec<String> = std::iter::from_fn(|| list.begin_next()).map(|(id, ..)| id).collect();
        assert_eq!(begun, [ids[0].clone(), ids[2].clone()], "the second of a waits, and so does c");
        assert_eq!(list.jobs()[0].queued_before, 1);
        list.end(&ids[0], Ending::cancelled());
        assert_eq!(list.begin_next().map(|(id, ..)| id), Some(ids[1].clone()));
        list.end(&ids[2], Ending::failed("no".into(), None));
        assert_eq!(list.begin_next().map(|(id, ..)| id), Some(ids[3].clone()));
    }

    #[test]
    fn the_same_order_is_not_queued_twice() {
        let mut list = List::default();
        list.add(order("a", "1"));
        assert!(list.waiting_like(&order("a", "1")).is_some());
        assert!(list.waiting_like(&order("a", "2")).is_none());
    }

    #[test]
    fn what_waits_is_handed_over_in_its_order() {
        let mut list = List::default();
        for (source, argument) in [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4")] {
            list.add(order(source, argument));
        }
        while list.begin_next().is_some() {}
        assert_eq!(list.take_waiting(), [["3"], ["4"]]);
        assert!(list.take_waiting().is_empty() && list.begin_next().is_none());
    }

    #[test]
    fn ended_jobs_are_forgotten_when_there_are_many() {
        let mut list = List::default();
        for n in 0..300 {
            let id = list.add(order(&n.to_string(), "x")).job_id;
            list.end(&id, Ending::cancelled());
        }
        assert_eq!(list.entries.len(), MOST_REMEMBERED);
    }
}
