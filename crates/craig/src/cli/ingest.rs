//! `craig ingest`: a directory becomes a project.

use std::path::PathBuf;

use craig_engine::{DEFAULT_MAX_FILE_SIZE_BYTES, Hidden, IgnoreRules, IngestRequest, SourceOptions, Waiting};

use super::failure::Outcome;
use super::progress::ProgressView;
use super::session::Session;
use super::{report, size};

/// Ingest a directory as a project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directory to ingest
    directory: PathBuf,
    /// Name of the project [default: the directory's name]
    #[arg(long)]
    name: Option<String>,
    /// Leave out larger files: a number of bytes, or a size such as 500kB or 2MB
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value_t = DEFAULT_MAX_FILE_SIZE_BYTES)]
    max_file_size: u64,
    /// Track hidden files and folders, too
    #[arg(long)]
    hidden: bool,
    /// Track what .gitignore, .ignore and .pukuignore files exclude, too
    #[arg(long)]
    no_ignore: bool,
    /// Leave out what matches, written as a line of a .gitignore file (may be repeated)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Bring in what matches although it is hidden or in a skipped folder (may be repeated)
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Fail when another process ingests the same project, instead of waiting for it
    #[arg(long)]
    no_wait: bool,
}

impl From<Args> for IngestRequest {
    fn from(args: Args) -> Self {
        Self {
            directory: args.directory,
            name: args.name,
            options: SourceOptions {
                max_file_size_bytes: args.max_file_size,
                hidden: if args.hidden { Hidden::Include } else { Hidden::Exclude },
                ignore_rules: if args.no_ignore { IgnoreRules::Disregard } else { IgnoreRules::Respect },
                extra_ignore_globs: args.exclude,
                extra_include_globs: args.include,
                ..SourceOptions::default()
            },
            waiting: waiting(args.no_wait),
        }
    }
}

/// What `--no-wait` means.
pub(crate) fn waiting(no_wait: bool) -> Waiting {
    if no_wait { Waiting::Fail } else { Waiting::Wait }
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut engine = session.engine()?;
    let mut view = ProgressView::of_ingestion(&session.output);
    let report = engine.ingest(&args.into(), &mut |progress| view.step(progress));
    view.finish();
    report::tell(&report?, &mut session.output)
}
