//! `craig references`: the places that refer to a symbol.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use craig_engine::{References, SymbolRequest, SymbolRole};

use super::failure::Outcome;
use super::output::{Columns, DIM, PATH};
use super::session::Session;
use super::symbol_args::{self, SymbolArgs};
use super::table::{Align, Cut, Table};

/// List the places that refer to a symbol, each with how it uses it and how sure that is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    symbol: SymbolArgs,
    /// Only places that use it so (may be repeated)
    #[arg(long, value_parser = role(), value_name = "KIND")]
    kind: Vec<SymbolRole>,
    /// Maximum number of places that are shown, 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100)]
    limit: usize,
}

/// Reads a role by its name in JSON.
fn role() -> impl TypedValueParser<Value = SymbolRole> {
    PossibleValuesParser::new(["call", "type", "read", "write", "import", "inherit", "implement", "override"])
        .try_map(|name| {
            serde_json::from_value(name.into()).map_err(|error: serde_json::Error| error.to_string())
        })
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let asked = args.symbol.prepare(args.limit, session)?;
    let request = SymbolRequest { roles: args.kind.clone(), ..asked.request };
    let found = asked.engine.references(&asked.project, &asked.name, &request)?;
    let output = &mut session.output;
    output.show(&found, |columns| text(&found, columns))?;
    symbol_args::note_others(&found.subject, output);
    symbol_args::note_left_out(found.references.len(), found.total, "reference", found.possible, output);
    Ok(asked.outcome)
}

fn text(found: &References, columns: Columns) -> String {
    let heading = symbol_args::heading(&found.subject);
    if found.references.is_empty() {
        return heading + "nothing refers to it\n";
    }
    let mut table = Table::new()
        .column("where", Align::Left, Cut::Start, PATH)
        .column("use", Align::Left, Cut::Never, Default::default())
        .column("sure", Align::Right, Cut::Never, DIM)
        .column("in", Align::Left, Cut::Start, DIM)
        .column("line", Align::Left, Cut::End, Default::default());
    for reference in &found.references {
        table.row([
            format!("{}:{}", reference.path, reference.line),
            reference.role.as_str().to_owned(),
            format!("{}%", reference.confidence),
            reference.within.clone().unwrap_or_default(),
            reference.text.clone(),
        ]);
    }
    heading + &table.render(columns)
}
