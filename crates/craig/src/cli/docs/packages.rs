//! `craig docs add`, `list` and `remove`: the documentation of installed packages.

use std::collections::BTreeMap;

use craig_engine::{AddPackages, MAX_UNNAMED, PackageDocs, PackageState};
use serde::Serialize;

use crate::cli::failure::Outcome;
use crate::cli::output::{BOLD, Columns, DIM, GOOD, styled};
use crate::cli::progress::ProgressView;
use crate::cli::project_selector::ProjectOptions;
use crate::cli::session::Session;
use crate::cli::table::{Align, Cut, Table};
use crate::cli::units::{count, counted, local_time};

/// Index the documentation of installed packages, in the versions that the project has locked
#[derive(Debug, clap::Args)]
pub(crate) struct AddArgs {
    /// Packages, such as express or npm:express [default: those that the project's manifests name]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
    #[command(flatten)]
    from: ProjectOptions,
}

/// List the packages that the project uses, with their versions and whether their documentation is indexed
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    from: ProjectOptions,
}

/// Remove the documentation of packages from the project's answers, and from the database if no project uses it
#[derive(Debug, clap::Args)]
pub(crate) struct RemoveArgs {
    /// Packages, such as express or npm:express@4.19.2
    #[arg(value_name = "PACKAGE", required = true)]
    packages: Vec<String>,
    #[command(flatten)]
    from: ProjectOptions,
}

/// The result of a removal.
#[derive(Debug, Serialize)]
struct Removed {
    removed: Vec<String>,
}

pub(super) fn add(args: &AddArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let selector = args.from.selector();
    let (project, prepared) = selector.prepare(&engine, &mut session.output)?;
    let added = args.from.costs.agree(&mut session.output, |consent, output| {
        let request = AddPackages { names: args.packages.clone(), consent, ..AddPackages::default() };
        let mut view = ProgressView::beside_results(output);
        let added = engine.add_packages(&project, &request, &mut |progress| view.step(progress));
        view.finish();
        added
    })?;
    session.output.summarize(&added, |_| summary(&added))?;
    if args.packages.is_empty() && added.len() == MAX_UNNAMED {
        session
            .output
            .warn(format_args!("only the first {MAX_UNNAMED} packages were looked at; name others"));
    }
    // Named packages are to be there; of all that the manifests name, some are not installed everywhere.
    let is_missing = |row: &PackageDocs| row.state != PackageState::Indexed;
    Ok(match !args.packages.is_empty() && added.iter().any(is_missing) {
        true => Outcome::Partial,
        false => prepared,
    })
}

pub(super) fn list(args: &ListArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let (project, prepared) = args.from.selector().prepare(&engine, &mut session.output)?;
    let packages = engine.packages(&project)?;
    session.output.show(&packages, |columns| table(&packages, columns))?;
    Ok(prepared)
}

pub(super) fn remove(args: &RemoveArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let (project, prepared) = args.from.selector().prepare(&engine, &mut session.output)?;
    let mut view = ProgressView::beside_results(&session.output);
    let removed = engine.remove_packages(&project, &args.packages, &mut |progress| view.step(progress));
    view.finish();
    let removed = Removed { removed: removed? };
    session.output.summarize(&removed, |_| {
        let line = |label: &String| format!("removed {}\n", styled(BOLD, label));
        removed.removed.iter().map(line).collect()
    })?;
    Ok(prepared)
}

/// The indexed packages, and the others in one line for each reason.
fn summary(added: &[PackageDocs]) -> String {
    let (indexed, others): (Vec<_>, Vec<_>) =
        added.iter().partition(|row| row.state == PackageState::Indexed);
    let mut text = format!(
        "{} the documentation of {}  {}\n",
        styled(GOOD, "indexed"),
        styled(BOLD, counted(indexed.len() as u64, "package")),
        counted(indexed.iter().map(|row| row.files).sum(), "file"),
    );
    for row in indexed {
        let note = row.note.as_ref().map(|note| format!("  {note}")).unwrap_or_default();
        text += &format!("  {}{}\n", label(row), styled(DIM, note));
    }
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in others {
        let reason = row.note.as_deref().unwrap_or_else(|| state(row.state));
        by_reason.entry(reason).or_default().push(label(row));
    }
    for (reason, labels) in by_reason {
        let n_packages = counted(labels.len() as u64, "package");
        text += &format!("{n_packages} not indexed ({reason}): {}\n", labels.join(", "));
    }
    text
}

/// `npm:express@4.19.2`, or `npm:express`.
fn label(row: &PackageDocs) -> String {
    let version = row.version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
    format!("{}:{}{version}", row.manager, row.name)
}

fn table(packages: &[PackageDocs], columns: Columns) -> String {
    if packages.is_empty() {
        return "the project's manifests name no packages of npm, PyPI, cargo, Go or Maven\n".to_owned();
    }
    let mut table = Table::new()
        .column("from", Align::Left, Cut::Never, DIM)
        .column("package", Align::Left, Cut::End, BOLD)
        .column("version", Align::Left, Cut::Never, Default::default())
        .column("state", Align::Left, Cut::Never, Default::default())
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("documents", Align::Right, Cut::Never, Default::default())
        .column("indexed", Align::Left, Cut::Never, Default::default())
        .column("note", Align::Left, Cut::End, DIM);
    for package in packages {
        table.row([
            package.manager.clone(),
            package.name.clone(),
            package.version.clone().unwrap_or_default(),
            state(package.state).to_owned(),
            count(package.files),
            count(package.documents),
            package.indexed_at.as_deref().map(local_time).unwrap_or_default(),
            package.note.clone().unwrap_or_default(),
        ]);
    }
    table.render(columns)
}

fn state(state: PackageState) -> &'static str {
    match state {
        PackageState::Indexed => "indexed",
        PackageState::Installed => "installed",
        PackageState::Missing => "missing",
        PackageState::Undocumented => "no documentation",
    }
}
