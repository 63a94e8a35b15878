//! `craig references`: the references to a symbol.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use craig_engine::{References, SymbolRequest, SymbolRole, UnboundLines};

use super::failure::Outcome;
use super::output::{Columns, DIM, GOOD, PATH, styled};
use super::session::Session;
use super::symbol_args::{self, SymbolArgs};
use super::table::{Align, Cut, Table};

/// List the references to a symbol, each with its kind of use and its confidence
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    symbol: SymbolArgs,
    /// Only references of this kind (may be repeated)
    #[arg(long, value_parser = role(), value_name = "KIND")]
    kind: Vec<SymbolRole>,
    /// Maximum number of references to show; 0 for all
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
    let unbound = Some(if args.symbol.all { usize::MAX } else { 0 });
    let request = SymbolRequest { roles: args.kind.clone(), unbound, ..asked.request };
    let found = asked.engine.references(&asked.project, &asked.name, &request)?;
    let output = &mut session.output;
    output.show(&found, |columns| text(&found, columns))?;
    symbol_args::note_others(&found.subject, output);
    symbol_args::note_left_out(found.references.len(), found.total, "reference", found.possible, output);
    let unbound = found.unbound.as_ref().filter(|unbound| unbound.lines.is_empty());
    if let Some(unbound) = unbound.filter(|unbound| found.total > 0 && unbound.total > found.total) {
        output.note(format_args!("{}: --all lists them", symbol_args::unbound_lines(unbound)));
    }
    Ok(asked.outcome)
}

fn text(found: &References, columns: Columns) -> String {
    let heading = symbol_args::heading(&found.subject);
    if found.references.is_empty() {
        let unbound = found.unbound.as_ref().filter(|unbound| unbound.total > 0);
        let unbound = unbound.map(|unbound| match unbound.lines.is_empty() {
            true => format!("; {}: --all lists them", symbol_args::unbound_lines(unbound)),
            false => format!("; lines with the word {}\n{}", unbound.word, unbound_lines(unbound, columns)),
        });
        return heading + "no references found" + &unbound.unwrap_or_default() + "\n";
    }
    // A terminal shows each file once, as grep tools do; lines of a pipe are complete.
    let is_grouped = columns.0.is_some();
    let (place, align) = if is_grouped { ("line", Align::Right) } else { ("where", Align::Left) };
    let mut table = Table::new()
        .column(place, align, Cut::Never, if is_grouped { GOOD } else { PATH })
        .column("use", Align::Left, Cut::Never, Default::default())
        .column("sure", Align::Right, Cut::Never, DIM)
        .column("in", Align::Left, Cut::Start, DIM)
        .column("text", Align::Left, Cut::End, Default::default());
    let mut file = None;
    for reference in &found.references {
        if is_grouped && file != Some(&reference.path) {
            file = Some(&reference.path);
            table.heading(styled(PATH, &reference.path));
        }
        table.row([
            match is_grouped {
                true => reference.line.to_string(),
                false => format!("{}:{}", reference.path, reference.line),
            },
            reference.role.as_str().to_owned(),
            format!("{}%", reference.confidence),
            reference.within.clone().unwrap_or_default(),
            reference.text.clone(),
        ]);
    }
    let unbound = found.unbound.as_ref().filter(|unbound| !unbound.lines.is_empty());
    let unbound = unbound.map(|unbound| {
        format!("other lines with the word {}\n{}", unbound.word, unbound_lines(unbound, columns))
    });
    heading + &table.render(columns) + &unbound.unwrap_or_default()
}

/// Lines that have the symbol's name and are not bound to a symbol.
fn unbound_lines(unbound: &UnboundLines, columns: Columns) -> String {
    let mut table = Table::new()
        .column("where", Align::Left, Cut::Never, PATH)
        .column("in", Align::Left, Cut::Start, DIM)
        .column("text", Align::Left, Cut::End, Default::default());
    for line in &unbound.lines {
        let within = line.within.clone().unwrap_or_default();
        table.row([format!("{}:{}", line.path, line.line), within, line.text.clone()]);
    }
    table.render(columns)
}
