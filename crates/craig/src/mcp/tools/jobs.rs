//! Tools that write: `trigger_ingest`, `trigger_delta_ingest`, `trigger_purge`, `cancel_job`, and `query_ingestion_status`.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use craig_engine::{Engine, EngineError, GitUrl, IngestionState, ProjectStatus, ProjectSummary, Reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Abilities, About, Call, Caller, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::jobs::{Job, JobKind, Order};
use crate::mcp::server::Shared;
use crate::mcp::sources::Source;

/// How often progress is reported to a client that waits.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(400);

/// How long a call waits for the first ingestion of its workspace.
const FIRST_INGEST: Duration = Duration::from_secs(25);

/// The longest that a call waits for its job.
const MOST_SECONDS: u64 = 600;

#[derive(Deserialize, JsonSchema)]
struct Ingest {
    /// Directory in the workspace, or URL of a git repository.
    source: String,
    /// Name of the project.
    name: Option<String>,
    /// Branch, tag or commit.
    branch: Option<String>,
    /// Seconds to wait (default 0).
    wait_seconds: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct Delta {
    /// Default: the workspace's.
    project: Option<String>,
    /// Seconds to wait (default 0).
    wait_seconds: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct Purge {
    /// Name, reference, id or directory.
    project: String,
    /// The project's name, to confirm.
    confirm_name: String,
    /// Seconds to wait (default 0).
    wait_seconds: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct Cancel {
    /// Id of the job.
    job_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct Status {
    /// Default: all projects.
    project: Option<String>,
    /// One job of this server.
    job_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct OneJob {
    job: Job,
}

#[derive(Serialize, JsonSchema)]
struct Statuses {
    projects: Vec<ProjectStatus>,
    jobs: Vec<Job>,
}

pub(super) fn ingest_tool() -> Tool {
    let about = About {
        name: "trigger_ingest",
        title: "Ingest a directory or repository",
        description: "Ingests a whole directory or git repository as a project. Returns at once with a job_id for \
                      query_ingestion_status.",
        effect: Effect::Adds,
    };
    Tool::new(about, ingest)
}

pub(super) fn delta_tool() -> Tool {
    let about = About {
        name: "trigger_delta_ingest",
        title: "Ingest changed files",
        description: "Ingests only changed files; also completes an interrupted ingestion. Queries do this \
                      automatically for a few files.",
        effect: Effect::Adds,
    };
    Tool::new(about, delta)
}

pub(super) fn purge_tool() -> Tool {
    let about = About {
        name: "trigger_purge",
        title: "Remove a project",
        description: "Removes a project from the index; source files stay. Call it only if the user asked for it.",
        effect: Effect::Removes,
    };
    Tool::new(about, purge)
}

pub(super) fn cancel_tool() -> Tool {
    let about = About {
        name: "cancel_job",
        title: "Cancel a job",
        description: "Ends a job of this server; what it has committed is kept.",
        effect: Effect::Removes,
    };
    Tool::new(about, cancel)
}

pub(super) fn status_tool() -> Tool {
    let about = About {
        name: "query_ingestion_status",
        title: "Follow ingestions",
        description: "Returns the newest ingestion of each project and the jobs of this server.",
        effect: Effect::Reads,
    };
    Tool::new(about, status)
}

async fn ingest(call: Call<Ingest>) -> Result<Answer<OneJob>, Failure> {
    let Ingest { source, name, branch, wait_seconds } = call.arguments;
    let mut arguments: Vec<OsString> = vec!["ingest".into()];
    arguments.extend(name.map(|name| format!("--name={name}").into()));
    let source = match call.shared.source(&source).await? {
        Source::Repository(url, reach) => {
            // Its server's name is resolved again when the job begins.
            arguments.extend((reach == Reach::Public).then(|| "--exact".into()));
            arguments.extend(branch.map(|branch| format!("--branch={branch}").into()));
            url.to_string()
        }
        Source::Directory(_) if branch.is_some() => {
            let next = "leave branch out, or give the URL of a repository as source";
            return Err(Failure::new("branch applies only to repositories, not to directories", next));
        }
        Source::Directory(directory) => {
            // A link that is created before the job begins is not followed.
            arguments.push("--exact".into());
            directory.display().to_string()
        }
    };
    arguments.extend(["--".into(), source.clone().into()]);
    perform(&call.shared, &call.caller, Order { kind: JobKind::Ingest, source, arguments }, wait_seconds)
        .await
}

impl<A> Call<A> {
    /// The project `named`, or the workspace's, which is ingested first if it is not yet and the server may write.
    pub(super) async fn project_or_ingested(&self, named: Option<&str>) -> Result<String, Failure> {
        let shared = &self.shared;
        let may_write = shared.abilities == Abilities::All;
        match shared.workspace.folders().first() {
            Some(folder) if named.is_none() && may_write && shared.own_project().await?.is_none() => {
                ingest_workspace(shared, folder).await?;
            }
            _ => {}
        }
        shared.project_or_own(named).await
    }
}

/// Ingests the folder of the workspace. If that takes longer than a client may wait, it continues after the answer.
async fn ingest_workspace(shared: &Shared, folder: &Path) -> Result<(), Failure> {
    let Source::Directory(directory) = shared.source(&folder.display().to_string()).await? else {
        return Ok(());
    };
    let source = directory.display().to_string();
    let is_same = |job: &Job| job.source == source && job.kind == JobKind::Ingest && !job.state.is_final();
    let job = match shared.jobs.all().into_iter().find(is_same) {
        Some(job) => job,
        None => {
            let arguments = ["ingest", "--exact", "--", &source].map(OsString::from).into();
            shared.jobs.order(Order { kind: JobKind::Ingest, source: source.clone(), arguments })?
        }
    };
    let job = shared.jobs.wait(&job.job_id, tokio::time::sleep(FIRST_INGEST)).await.unwrap_or(job);
    match job.error {
        Some(error) => Err(Failure::new(
            format!("{source} could not be ingested: {error}"),
            job.next.unwrap_or_else(|| "use other tools for this workspace".into()),
        )),
        None if !job.state.is_final() => Err(Failure::new(
            format!("{source} is being ingested for the first time"),
            "use other tools meanwhile, and call this one again in a minute",
        )),
        None => Ok(()),
    }
}

async fn delta(call: Call<Delta>) -> Result<Answer<OneJob>, Failure> {
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let project = find(&call.shared, project).await?;
    let arguments = vec!["ingest-delta".into(), "--".into(), project.reference.into()];
    let order = Order { kind: JobKind::DeltaIngest, source: project.source_path, arguments };
    perform(&call.shared, &call.caller, order, call.arguments.wait_seconds).await
}

async fn purge(call: Call<Purge>) -> Result<Answer<OneJob>, Failure> {
    let project = find(&call.shared, call.arguments.project).await?;
    if project.name != call.arguments.confirm_name {
        return Err(Failure::new(
            format!(
                "confirm_name is {:?}, and the project is {:?}",
                call.arguments.confirm_name, project.name
            ),
            "nothing was removed; give the project's name as confirm_name if the user wants to remove it",
        ));
    }
    let arguments = vec!["purge".into(), "--yes".into(), "--".into(), project.reference.into()];
    let order = Order { kind: JobKind::Purge, source: project.source_path, arguments };
    perform(&call.shared, &call.caller, order, call.arguments.wait_seconds).await
}

async fn cancel(call: Call<Cancel>) -> Result<Answer<OneJob>, Failure> {
    let id = call.arguments.job_id;
    let job = known_job(&call.shared, &id)?;
    call.shared.jobs.cancel(&id);
    let patience = tokio::time::sleep(Duration::from_secs(10));
    let job = call.shared.jobs.wait(&id, patience).await.unwrap_or(job);
    Ok(OneJob { job }.into())
}

async fn status(call: Call<Status>) -> Result<Answer<Statuses>, Failure> {
    let Status { project, job_id } = call.arguments;
    let jobs = match &job_id {
        Some(id) => vec![known_job(&call.shared, id)?],
        None => call.shared.jobs.all(),
    };
    let project = match project {
        Some(named) => Some(call.shared.project_named(&named).await?),
        None => None,
    };
    let projects = call.shared.run(move |engine| statuses(engine, project.as_deref())).await?;
    Ok(Statuses { projects, jobs }.into())
}

fn known_job(shared: &Shared, id: &str) -> Result<Job, Failure> {
    shared.jobs.find(id).ok_or_else(|| {
        Failure::new(
            format!("this server has no job {id:?}"),
            "only the server that started a job knows it; query_ingestion_status without job_id lists all projects",
        )
    })
}

/// Of one project, or of all.
fn statuses(engine: &Engine, project: Option<&str>) -> Result<Vec<ProjectStatus>, EngineError> {
    match project {
        Some(project) => Ok(vec![engine.status(project)?]),
        None => Ok(engine.projects_with_status()?.into_iter().map(|(_, status)| status).collect()),
    }
}

async fn find(shared: &Shared, named: String) -> Result<ProjectSummary, Failure> {
    let handle = shared.project_named(&named).await?;
    shared.run(move |engine| engine.project(&handle)).await
}

/// Starts a job, and waits for it as long as the caller asked. A caller who cancels the call ends the job.
async fn perform(
    shared: &Shared,
    caller: &Caller,
    order: Order,
    wait_seconds: Option<u64>,
) -> Result<Answer<OneJob>, Failure> {
    let source = order.source.clone();
    let job = shared.jobs.order(order)?;
    let seconds =
        if caller.is_task { MOST_SECONDS * 60 } else { wait_seconds.unwrap_or(0).min(MOST_SECONDS) };
    if seconds == 0 {
        return Ok(OneJob { job }.into());
    }
    let stop = async {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
            () = caller.cancelled.cancelled() => shared.jobs.cancel(&job.job_id),
            () = report_progress(shared, caller, &source) => {}
        }
    };
    let mut ended = shared.jobs.wait(&job.job_id, stop).await;
    if caller.cancelled.is_cancelled() {
        // It is ending.
        ended = shared.jobs.wait(&job.job_id, tokio::time::sleep(Duration::from_secs(10))).await;
    }
    Ok(OneJob { job: ended.unwrap_or(job) }.into())
}

/// The project of a job's source.
fn project_of(engine: &Engine, source: &str) -> Result<Option<String>, EngineError> {
    match GitUrl::parse(source) {
        Some(Ok(url)) => engine.project_of_repository(&url),
        _ => engine.project_of_directory(Path::new(source)),
    }
}

/// Reports how far the ingestion of a directory is, again and again.
async fn report_progress(shared: &Shared, caller: &Caller, source: &str) {
    if !caller.wants_progress() {
        return std::future::pending().await;
    }
    let mut reported = -1.0;
    loop {
        tokio::time::sleep(PROGRESS_INTERVAL).await;
        let source = source.to_owned();
        let look = move |engine: &Engine| match project_of(engine, &source)? {
            Some(project) => engine.status(&project).map(Some),
            None => Ok(None),
        };
        let Ok(Some(status)) = shared.run(look).await else { continue };
        let done = status.processed_files as f64;
        // Progress has to grow from one message to the next.
        if status.status == IngestionState::InProgress && done > reported {
            reported = done;
            let file = status.current_file.unwrap_or_default();
            caller
                .report_progress(
                    done,
                    Some(status.total_files as f64),
                    format!("{}% {file}", status.progress),
                )
                .await;
        }
    }
}
