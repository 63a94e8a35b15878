//! `craig ingest`: a directory becomes a project.

use std::path::PathBuf;

use craig_engine::{Hidden, IgnoreRules, IngestRequest, Settings, SourceOptions, Waiting};

use super::costs::Costs;
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
    /// Leave out larger files: a number of bytes, or a size such as 500kB or 2MB [default: 1MB]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    max_file_size: Option<u64>,
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
    #[command(flatten)]
    costs: Costs,
}

impl Args {
    /// What to ingest, where the flags say nothing as `settings` say.
    fn request(self, settings: &Settings) -> IngestRequest {
        let set = settings.source();
        IngestRequest {
            directory: self.directory,
            name: self.name,
            options: SourceOptions {
                max_file_size_bytes: self.max_file_size.unwrap_or(set.max_file_size_bytes),
                hidden: if self.hidden { Hidden::Include } else { set.hidden },
                ignore_rules: if self.no_ignore { IgnoreRules::Disregard } else { set.ignore_rules },
                extra_ignore_globs: [set.extra_ignore_globs, self.exclude].concat(),
                extra_include_globs: [set.extra_include_globs, self.include].concat(),
                extra_skipped_folders: set.extra_skipped_folders,
            },
            waiting: waiting(self.no_wait),
        }
    }
}

/// What `--no-wait` means.
pub(crate) fn waiting(no_wait: bool) -> Waiting {
    if no_wait { Waiting::Fail } else { Waiting::Wait }
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let settings = session.settings(Some(&args.directory))?;
    let mut engine = session.engine_with(&settings)?;
    let costs = args.costs;
    let request = args.request(&settings);
    let report = costs.agree(&mut engine, &mut session.output, |engine, output| {
        let mut view = ProgressView::of_ingestion(output);
        let report = engine.ingest(&request, &mut |progress| view.step(progress));
        view.finish();
        report
    });
    report::tell(&report?, &mut session.output)
}
