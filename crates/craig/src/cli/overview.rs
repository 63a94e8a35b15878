//! `craig overview`: what a newcomer should know about a project, on one page.

use craig_engine::{Cancellation, Flow, Overview, OverviewSymbol, shell_word};

use super::failure::Outcome;
use super::insight::{architecture, heading};
use super::output::{BOLD, Columns, DIM, PATH, styled};
use super::project::ProjectArg;
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::{count, counted};

/// Maximum number of entry points to show.
const MOST_ENTRIES: usize = 8;

/// Print a one-page summary of a project: modules, main types, public API, entry points, and calls from the first one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
    /// Answer from the index without looking for changed files
    #[arg(long)]
    no_refresh: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let (engine, project, outcome) = args.project.prepare(args.no_refresh, session)?;
    // Ctrl-C ends the program.
    let found = engine.overview(&project, &Cancellation::default())?;
    session.output.show(&found, |columns| text(&found, columns))?;
    Ok(outcome)
}

fn text(found: &Overview, columns: Columns) -> String {
    let parts = [
        title(found),
        modules(found, columns),
        symbols("Main types", "most central first", &found.types, columns),
        symbols("Public API", "most used by tests and examples first", &found.public_api, columns),
        architecture::entries(&found.entry_points, MOST_ENTRIES, columns),
        found.flow.as_ref().map(flow).unwrap_or_default(),
        more(found),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn title(found: &Overview) -> String {
    let name = styled(BOLD, &found.project);
    match &found.about {
        Some(about) => format!("{name}: {}  {}\n", about.text, styled(DIM, &about.file)),
        None => format!("{name}\n"),
    }
}

fn modules(found: &Overview, columns: Columns) -> String {
    const MOST_USES: usize = 3;
    let mut table = Table::new()
        .column("module", Align::Left, Cut::Start, PATH)
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("lines", Align::Right, Cut::Never, Default::default())
        .column("about", Align::Left, Cut::End, Default::default())
        .column("uses", Align::Left, Cut::End, DIM);
    for module in &found.modules {
        table.row([
            module.path.clone(),
            count(module.files as u64),
            count(module.lines),
            module.about.as_ref().map(|about| about.text.clone()).unwrap_or_default(),
            module.uses.iter().take(MOST_USES).cloned().collect::<Vec<_>>().join(", "),
        ]);
    }
    heading("Modules", counted(found.modules.len() as u64, "module")) + &table.render(columns)
}

fn symbols(title: &str, order: &str, symbols: &[OverviewSymbol], columns: Columns) -> String {
    if symbols.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("name", Align::Left, Cut::Start, BOLD)
        .column("kind", Align::Left, Cut::Never, DIM)
        .column("where", Align::Left, Cut::Start, PATH)
        .column("about", Align::Left, Cut::End, Default::default());
    for OverviewSymbol { symbol, about, signature } in symbols {
        table.row([
            symbol.name.clone(),
            symbol.word().to_owned(),
            format!("{}:{}", symbol.path, symbol.line),
            about.clone().unwrap_or_else(|| signature.clone()),
        ]);
    }
    heading(title, order) + &table.render(columns)
}

fn flow(flow: &Flow) -> String {
    let mut text = heading("One flow", "the calls of one function in order; less important ones are omitted");
    text += &format!(
        "{}  {}\n",
        flow.from.name,
        styled(PATH, format_args!("{}:{}", flow.from.path, flow.from.line))
    );
    for call in &flow.calls {
        let place = styled(PATH, format_args!("{}:{}", call.path, call.line));
        text += &format!("{}{}  {place}\n", "  ".repeat(call.depth as usize), call.name);
    }
    text
}

/// Commands that show more about the subjects of the page.
fn more(found: &Overview) -> String {
    let mut text = styled(BOLD, "More") + "\n";
    let name = |symbol: &OverviewSymbol| shell_word(&symbol.symbol.name).into_owned();
    let symbol = found.types.first().or(found.public_api.first()).map(name);
    let mut commands = vec![("craig map".to_owned(), "the declarations of the central symbols")];
    if let Some(name) = symbol {
        commands.push((format!("craig symbol {name}"), "the definition of a symbol"));
        commands.push((format!("craig references {name}"), "the references to it"));
    }
    if let Some(flow) = &found.flow {
        let name = shell_word(&flow.from.name);
        commands.push((format!("craig callees {name} --depth 3"), "all callees of a symbol"));
    }
    commands.push(("craig insight architecture".to_owned(), "layers, cycles, all entry points"));
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, about) in commands {
        text += &format!("{command:width$}  {}\n", styled(DIM, about));
    }
    text
}
