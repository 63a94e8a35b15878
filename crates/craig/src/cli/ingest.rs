//! `craig ingest`: ingests a directory or a repository as a project.

use std::path::PathBuf;

use craig_engine::{
    Consent, Engine, EngineError, GitUrl, Hidden, IgnoreRules, IngestReport, IngestRequest, NewSources,
    Progress, RepositoryRequest, Settings, SourceOptions, Waiting, shell_word,
};

use super::costs::Costs;
use super::failure::{Outcome, Refusal};
use super::progress::ProgressView;
use super::session::Session;
use super::{report, size};

/// Ingest a directory or a git repository as a project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directory, or URL of a repository to clone: https://…, ssh://…, git@host:path, file:///…
    #[arg(value_name = "DIRECTORY|URL")]
    source: PathBuf,
    /// Name of the project [default: the name of the directory or repository]
    #[arg(long)]
    name: Option<String>,
    /// Branch, tag or commit of the repository to follow [default: its default branch]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Number of commits of history to fetch; 0 means all [default: 1]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Skip larger files: a number of bytes, or a size such as 500kB or 2MB [default: 1MB]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    max_file_size: Option<u64>,
    /// Also track hidden files and folders
    #[arg(long)]
    hidden: bool,
    /// Also track files that .gitignore, .ignore and .pukuignore exclude
    #[arg(long)]
    no_ignore: bool,
    /// Skip files that match this pattern, in the syntax of .gitignore (may be repeated)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Track files that match this pattern, even if they are hidden or in a skipped folder (may be repeated)
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Fail if another process is ingesting the same project, instead of waiting for it
    #[arg(long)]
    no_wait: bool,
    /// Ingest exactly DIRECTORY, without confirmation, and fail if its path contains a link to another location; fetch
    /// a URL only from a public address. For programs that ingest on behalf of an assistant, such as 'craig mcp'
    #[arg(long, conflicts_with = "yes")]
    exact: bool,
    #[command(flatten)]
    costs: Costs,
}

/// The source given by the arguments.
enum Order {
    Directory(IngestRequest),
    Repository(RepositoryRequest),
}

impl Order {
    fn carry_out(
        &self,
        engine: &Engine,
        consent: Consent,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        match self {
            Self::Directory(request) => {
                engine.ingest(&IngestRequest { consent, ..request.clone() }, progress)
            }
            Self::Repository(request) => {
                engine.ingest_repository(&RepositoryRequest { consent, ..request.clone() }, progress)
            }
        }
    }
}

impl Args {
    /// The URL, unless there is a directory of that name.
    fn url(&self) -> Result<Option<GitUrl>, EngineError> {
        let url = self.source.to_str().filter(|_| !self.source.is_dir()).and_then(GitUrl::parse);
        Ok(url.transpose()?)
    }

    /// Which files to track: from the flags, or otherwise from `settings`.
    fn order(self, url: Option<GitUrl>, settings: &Settings) -> Order {
        let set = settings.source();
        let options = SourceOptions {
            max_file_size_bytes: self.max_file_size.unwrap_or(set.max_file_size_bytes),
            hidden: if self.hidden { Hidden::Include } else { set.hidden },
            ignore_rules: if self.no_ignore { IgnoreRules::Disregard } else { set.ignore_rules },
            extra_ignore_globs: [set.extra_ignore_globs, self.exclude].concat(),
            extra_include_globs: [set.extra_include_globs, self.include].concat(),
            extra_skipped_folders: set.extra_skipped_folders,
        };
        let (name, waiting, consent) = (self.name, waiting(self.no_wait), Consent::default());
        match url {
            None => {
                Order::Directory(IngestRequest { directory: self.source, name, options, waiting, consent })
            }
            Some(url) => {
                let (reference, depth) = (self.branch, self.depth);
                Order::Repository(RepositoryRequest {
                    url,
                    reference,
                    depth,
                    name,
                    options,
                    waiting,
                    consent,
                })
            }
        }
    }
}

/// What to do when another process ingests the project.
pub(crate) fn waiting(no_wait: bool) -> Waiting {
    if no_wait { Waiting::Fail } else { Waiting::Wait }
}

/// Warns of settings about which files count that only an ingestion of the whole directory applies to the index.
pub(crate) fn warn_of_settings(engine: &Engine, project: &str, session: &mut Session) -> anyhow::Result<()> {
    let directory = engine.directory_of(project)?;
    let settings = match session.settings(Some(&directory)) {
        Ok(settings) => settings.source(),
        Err(error) => {
            session.output.warn(error);
            return Ok(());
        }
    };
    let keys = engine.unapplied_settings(project, &settings)?;
    if !keys.is_empty() {
        session.output.warn(format_args!(
            "the index was built without the present settings of {}: run 'craig ingest {}' to apply them",
            keys.join(", "),
            shell_word(&directory.to_string_lossy())
        ));
    }
    Ok(())
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let url = args.url()?;
    if url.is_none() && (args.branch.is_some() || args.depth.is_some()) {
        let message = "--branch and --depth apply only to repositories, and this is a directory";
        return Err(Refusal::new(message, "give the URL of a repository, or omit them").into());
    }
    // The settings file in a cloned repository is ignored.
    let settings = session.settings(url.is_none().then_some(args.source.as_path()))?;
    let engine = session.engine_with(&settings)?;
    let (costs, exact) = (args.costs, args.exact);
    let order = args.order(url, &settings);
    let report = costs.agree(&mut session.output, |consent, output| {
        let new_sources = if exact { NewSources::Exact } else { consent.new_sources };
        let mut view = ProgressView::for_ingestion(output);
        let consent = Consent { new_sources, ..consent };
        let report = order.carry_out(&engine, consent, &mut |progress| view.step(progress));
        view.finish();
        report
    });
    report::show(&report?, &mut session.output)
}
