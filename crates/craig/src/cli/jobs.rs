//! `craig jobs`: the queue of sources that workers ingest.

use std::time::Duration;

use craig_engine::{GitUrl, Job, JobState, NewJob};

use super::failure::{Outcome, Refusal};
use super::output::{BOLD, Columns, DIM, styled};
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::{counted, local_time};

/// The shortest time between two runs.
const SHORTEST: Duration = Duration::from_secs(10);

/// Show and change the queue of sources that workers ingest
///
/// A job is a directory or repository that 'craig worker' ingests, once or again and again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: JobsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum JobsCommand {
    Add(AddArgs),
    /// List all jobs
    List,
    /// Run a job as soon as a worker is free, even one that was given up
    Run {
        /// Number of the job
        job: u64,
    },
    /// Remove a job, but keep what it has ingested
    Remove {
        /// Number of the job
        job: u64,
    },
}

/// Add a directory or repository; if it is in the queue already, change its schedule and name
#[derive(Debug, clap::Args)]
struct AddArgs {
    /// Directory, or URL of a repository, without credentials
    #[arg(value_name = "DIRECTORY|URL")]
    source: String,
    /// Ingest it again and again, with this time from one start to the next: 90s, 5m, 1h
    #[arg(long, value_name = "TIME")]
    every: Option<String>,
    /// Name of the project [default: the name of the directory or repository]
    #[arg(long)]
    name: Option<String>,
    /// Branch, tag or commit of the repository to follow [default: its default branch]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    match args.command {
        JobsCommand::Add(AddArgs { source, every, name, branch }) => {
            let every = every.as_deref().map(interval).transpose()?;
            if matches!(GitUrl::parse(&source), Some(Ok(url)) if url.has_credentials()) {
                let note =
                    "the credentials in the URL are not stored: a worker uses those of its own machine";
                session.output.warn(note);
            }
            engine.add_job(&NewJob { source, branch, name, every })?;
        }
        JobsCommand::List => {}
        JobsCommand::Run { job } => engine.hasten_job(job)?,
        JobsCommand::Remove { job } => engine.remove_job(job)?,
    }
    let jobs = engine.jobs()?;
    session.output.show(&jobs, |columns| table(&jobs, columns))?;
    Ok(Outcome::Complete)
}

/// `90s`, `5m`, `1h`.
fn interval(text: &str) -> anyhow::Result<Duration> {
    let hint = "give a time of at least 10 seconds, such as 90s, 5m or 1h";
    let refused = || Refusal::new(format!("--every {text}: this is not a time between two runs"), hint);
    let time: jiff::SignedDuration = text.parse().map_err(|_| refused())?;
    let time = Duration::try_from(time).ok().filter(|time| *time >= SHORTEST);
    Ok(time.ok_or_else(refused)?)
}

fn table(jobs: &[Job], columns: Columns) -> String {
    if jobs.is_empty() {
        return "no jobs: 'craig jobs add <directory|url> --every 5m' adds one for 'craig worker'\n"
            .to_owned();
    }
    let mut table = Table::new()
        .column("job", Align::Right, Cut::Never, BOLD)
        .column("source", Align::Left, Cut::Start, Default::default())
        .column("every", Align::Right, Cut::Never, Default::default())
        .column("state", Align::Left, Cut::End, Default::default())
        .column("next", Align::Left, Cut::Never, DIM);
    for job in jobs {
        table.row([
            job.id.to_string(),
            source(job),
            job.every_seconds.map_or_else(
                || "once".to_owned(),
                |every| format!("{:#}", jiff::SignedDuration::from_secs(every.cast_signed())),
            ),
            state(job),
            job.due_at.as_deref().map(local_time).unwrap_or_default(),
        ]);
    }
    let failed = jobs.iter().filter_map(|job| {
        Some(format!("{} {}\n", styled(BOLD, format_args!("job {}:", job.id)), job.error.as_ref()?))
    });
    table.render(columns) + &failed.collect::<String>()
}

/// What the job ingests: `https://host/shop (main) as till`.
fn source(job: &Job) -> String {
    let branch = job.branch.as_ref().map(|branch| format!(" ({branch})")).unwrap_or_default();
    let name = job.name.as_ref().map(|name| format!(" as {name}")).unwrap_or_default();
    format!("{}{branch}{name}", job.source)
}

fn state(job: &Job) -> String {
    match (job.state, job.failures, &job.worker) {
        (JobState::Running, _, Some(worker)) => format!("running: {worker}"),
        (JobState::Running, ..) => "running".to_owned(),
        (JobState::GivenUp, failures, _) => format!("given up after {}", counted(failures.into(), "failure")),
        (JobState::Waiting, 0, _) => "waiting".to_owned(),
        (JobState::Waiting, failures, _) => format!("failed {}, waiting", counted(failures.into(), "time")),
    }
}
