//! The command line: one definition, from which parsing, help, completions and the man page are generated.

mod batch;
mod calls;
mod check_updates;
mod completions;
mod context;
mod costs;
mod db;
mod docs;
mod doctor;
mod explain;
mod explore;
mod failure;
mod feedback;
mod file;
mod filters;
mod gateway;
mod global;
mod grep;
mod group;
mod guesses;
mod hook;
mod impact;
mod index;
mod ingest;
mod ingest_delta;
mod insight;
mod install;
mod jobs;
mod links;
mod list;
mod lsp;
mod man;
mod map;
mod mcp;
mod outline;
mod output;
mod overview;
mod paint;
mod progress;
mod project;
mod project_selector;
mod purge;
mod question;
mod references;
mod related;
mod report;
mod savings;
mod scip;
mod search;
mod serve;
mod session;
mod settings;
mod size;
mod stats;
mod status;
mod symbol;
mod symbol_args;
mod table;
mod tree;
mod ui;
mod units;
mod visible;

mod watch;
mod worker;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use craig_engine::private;

use failure::Outcome;
use global::Global;
use session::Session;

/// Finds the right code and documentation in a workspace, on this machine.
///
/// Run 'craig search "where are tokens checked"' in any directory: Craig ingests and searches it. Exit codes: 0
/// success; 1 error, or no match of 'craig grep'; 2 partial success (some files or batch lines could not be processed).
#[derive(Debug, Parser)]
#[command(name = "craig", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Ingest(ingest::Args),
    IngestDelta(ingest_delta::Args),
    Search(search::Args),
    Ui(ui::Args),
    Explore(explore::Args),
    Grep(grep::Args),
    Symbol(symbol::Args),
    #[command(alias = "usages")]
    References(references::Args),
    Callers(calls::CallersArgs),
    Callees(calls::CalleesArgs),
    #[command(alias = "affected")]
    Impact(impact::Args),
    Related(related::Args),
    Outline(outline::Args),
    Map(map::Args),
    Overview(overview::Args),
    Context(context::Args),
    Explain(explain::Args),
    Docs(docs::Args),
    List(list::Args),
    Group(group::Args),
    Status(status::Args),
    CheckUpdates(check_updates::Args),
    Tree(tree::Args),
    File(file::Args),
    Stats(stats::Args),
    Savings(savings::Args),
    Feedback(feedback::Args),
    Watch(watch::Args),
    Index(index::Args),
    Insight(insight::Args),
    Scip(scip::Args),
    Purge(purge::Args),
    Db(db::Args),
    Doctor(doctor::Args),
    Settings(settings::Args),
    Mcp(mcp::Args),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Lsp(lsp::Args),
    Hook(hook::Args),
    Gateway(gateway::Args),
    Serve(serve::Args),
    Jobs(jobs::Args),
    Worker(worker::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Parses the arguments, runs the command and reports errors.
pub(crate) fn main() -> ExitCode {
    private::restrict_new_files();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let mut session = Session::new(cli.global);
    if !handles_signals(&cli.command) {
        session::end_on_interrupt();
    }
    match run(cli.command, &mut session) {
        Ok(outcome) => outcome.into(),
        Err(error) => failure::report(&error, &mut session.output),
    }
}

/// Whether a command handles signals itself because it has work to do before it ends.
fn handles_signals(command: &Command) -> bool {
    match command {
        Command::Gateway(args) => args.serves(),
        Command::Mcp(_) | Command::Serve(_) => true,
        _ => false,
    }
}

fn run(command: Command, session: &mut Session) -> anyhow::Result<Outcome> {
    match command {
        Command::Ingest(args) => ingest::run(args, session),
        Command::IngestDelta(args) => ingest_delta::run(&args, session),
        Command::Ui(args) => ui::run(&args, session),
        Command::Explore(args) => explore::run(args, session),
        Command::Search(args) => search::run(args, session),
        Command::Grep(args) => grep::run(&args, session),
        Command::Symbol(args) => symbol::run(&args, session),
        Command::References(args) => references::run(&args, session),
        Command::Callers(args) => calls::callers(&args, session),
        Command::Callees(args) => calls::callees(&args, session),
        Command::Impact(args) => impact::run(&args, session),
        Command::Related(args) => related::run(&args, session),
        Command::Outline(args) => outline::run(&args, session),
        Command::Map(args) => map::run(&args, session),
        Command::Overview(args) => overview::run(&args, session),
        Command::Context(args) => context::run(args, session),
        Command::Explain(args) => explain::run(&args, session),
        Command::Docs(args) => docs::run(&args, session),
        Command::List(_) => list::run(session),
        Command::Group(args) => group::run(&args, session),
        Command::Status(args) => status::run(&args, session),
        Command::CheckUpdates(args) => check_updates::run(&args, session),
        Command::Tree(args) => tree::run(&args, session),
        Command::File(args) => file::run(&args, session),
        Command::Stats(args) => stats::run(&args, session),
        Command::Savings(_) => savings::run(session),
        Command::Feedback(args) => feedback::run(&args, session),
        Command::Index(args) => index::run(args, session),
        Command::Insight(args) => insight::run(&args, session),
        Command::Scip(args) => scip::run(&args, session),
        Command::Watch(args) => watch::run(&args, session),
        Command::Purge(args) => purge::run(&args, session),
        Command::Db(args) => db::run(&args, session),
        Command::Doctor(args) => doctor::run(&args, session),
        Command::Settings(args) => settings::run(&args, session),
        Command::Mcp(args) => mcp::run(args, session),
        Command::Install(args) => install::install(&args, session),
        Command::Uninstall(args) => install::uninstall(&args, session),
        Command::Lsp(args) => lsp::run(&args, session),
        Command::Hook(args) => hook::run(&args, session),
        Command::Gateway(args) => gateway::run(args, session),
        Command::Serve(args) => serve::run(args, session),
        Command::Jobs(args) => jobs::run(args, session),
        Command::Worker(args) => worker::run(&args, session),
        Command::Completions(args) => completions::run(&args, session),
        Command::Man(args) => man::run(&args, session),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;

    const PAGE: &str = include_str!("../../../docs/cli.md");

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_page_names_every_command_flag_and_variable() {
        let root = Cli::command();
        let own = root.get_subcommands().flat_map(|command| {
            let name = format!("craig {}", command.get_name());
            let flags = command.get_arguments().filter_map(|arg| arg.get_long());
            flags.map(|flag| format!("--{flag}")).chain([name]).collect::<Vec<_>>()
        });
        let global = root.get_arguments().flat_map(|arg| {
            let variable = arg.get_env().map(|name| name.to_string_lossy().into_owned());
            arg.get_long().map(|flag| format!("--{flag}")).into_iter().chain(variable)
        });
        let missing: Vec<String> = own.chain(global).filter(|name| !names(name)).collect();
        assert!(missing.is_empty(), "docs/cli.md lacks {missing:?}");
    }

    /// Whether the page has `name` as a whole word: `--no-wait` is not `--no`.
    fn names(name: &str) -> bool {
        PAGE.match_indices(name).any(|(at, _)| {
            let next = PAGE[at + name.len()..].chars().next();
            !next.is_some_and(|c| c.is_alphanumeric() || c == '-')
        })
    }
}
