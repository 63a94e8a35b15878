//! `craig index`: archives of indexes, for example from CI.

use std::path::PathBuf;

use craig_engine::{Consent, ExportReport, IngestRequest};

use super::costs::Costs;
use super::failure::Outcome;
use super::ingest::waiting;
use super::output::{BOLD, PATH, styled};
use super::progress::ProgressView;
use super::project::ProjectArg;
use super::report;
use super::session::Session;
use super::units::{bytes, counted};

/// Export an index to a file, or use such a file to ingest a directory
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: IndexCommand,
}

#[derive(Debug, clap::Subcommand)]
enum IndexCommand {
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Write the index of a project to a file, for other machines
#[derive(Debug, clap::Args)]
struct ExportArgs {
    /// File to write; an existing file is replaced
    file: PathBuf,
    #[command(flatten)]
    project: ProjectArg,
}

/// Ingest a directory, taking files that have not changed from an exported index
///
/// The file must come from a source that you trust as much as the code.
#[derive(Debug, clap::Args)]
struct ImportArgs {
    /// File that 'craig index export' wrote
    file: PathBuf,
    /// Directory to ingest
    #[arg(default_value = ".")]
    directory: PathBuf,
    /// Name of the project [default: the name of the directory]
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    costs: Costs,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    match args.command {
        IndexCommand::Export(args) => export(&args, session),
        IndexCommand::Import(args) => import(args, session),
    }
}

fn export(args: &ExportArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let project = args.project.handle(&engine)?;
    let mut view = ProgressView::beside_results(&session.output);
    let exported = engine.export_index(&project, &args.file, &mut |progress| view.step(progress));
    view.finish();
    let exported = exported?;
    session.output.show(&exported, |_| text(&exported))?;
    Ok(Outcome::Complete)
}

fn import(args: ImportArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let settings = session.settings(Some(&args.directory))?;
    let engine = session.engine_with(&settings)?;
    let ImportArgs { file, directory, name, costs } = args;
    let request = IngestRequest {
        directory,
        name,
        options: settings.source(),
        waiting: waiting(false),
        consent: Consent::default(),
    };
    let imported = costs.agree(&mut session.output, |consent, output| {
        let mut view = ProgressView::for_ingestion(output);
        let request = IngestRequest { consent, ..request.clone() };
        let report = engine.import_index(&file, &request, &mut |progress| view.step(progress));
        view.finish();
        report
    });
    report::show(&imported?, &mut session.output)
}

fn text(exported: &ExportReport) -> String {
    format!(
        "exported {} with {} to {} ({})\n",
        styled(BOLD, &exported.project),
        counted(exported.files, "file"),
        styled(PATH, exported.path.display()),
        bytes(exported.bytes)
    )
}
