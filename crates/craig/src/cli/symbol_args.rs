//! What the commands about symbols have in common: their arguments, and what they print besides their answers.

use std::path::Path;

use craig_engine::{Engine, GraphSymbol, Subject, SymbolRequest};

use super::failure::Outcome;
use super::output::{BOLD, DIM, Output, PATH, styled};
use super::project_selector::ProjectOptions;
use super::session::Session;
use super::units::{count, counted};

/// A symbol of a project.
#[derive(Debug, clap::Args)]
pub(crate) struct SymbolArgs {
    /// Name of the symbol, 'total' or 'Cart.total' or 'Cart::total', or its place, 'src/cart.py:12'
    name: String,
    /// Least confidence, in percent, that a place refers to the symbol
    #[arg(long, value_name = "PERCENT", default_value_t = SymbolRequest::default().min_confidence,
          value_parser = clap::value_parser!(u8).range(0..=100))]
    min_confidence: u8,
    /// Also what only may be meant, however unlikely, and of references the lines that have the name alone
    #[arg(long, conflicts_with = "min_confidence")]
    pub(super) all: bool,
    #[command(flatten)]
    from: ProjectOptions,
}

/// What a command about a symbol asks.
pub(crate) struct Prepared {
    pub(crate) engine: Engine,
    pub(crate) project: String,
    pub(crate) name: String,
    pub(crate) request: SymbolRequest,
    pub(crate) outcome: Outcome,
}

impl SymbolArgs {
    /// Brings the project up to date. A `limit` of 0 is none.
    pub(crate) fn prepare(&self, limit: usize, session: &mut Session) -> anyhow::Result<Prepared> {
        let engine = session.engine_with(&session.settings(Some(&self.from.root))?)?;
        let selector = self.from.selector();
        let (project, outcome) = selector.prepare(&engine, &mut session.output)?;
        let request = SymbolRequest {
            min_confidence: if self.all { 0 } else { self.min_confidence },
            limit: if limit == 0 { usize::MAX } else { limit },
            ..SymbolRequest::default()
        };
        let name = self.name_in(&engine, &project);
        Ok(Prepared { engine, project, name, request, outcome })
    }

    /// The name; a place relative to the directory becomes one relative to the project.
    fn name_in(&self, engine: &Engine, project: &str) -> String {
        let place = self.name.rsplit_once(':').filter(|(_, line)| line.parse::<u32>().is_ok());
        match (place, &self.from.project) {
            (Some((path, line)), None) => {
                match engine.path_in_project(project, &self.from.root, Path::new(path)) {
                    Ok(path) => format!("{path}:{line}"),
                    Err(_) => self.name.clone(),
                }
            }
            _ => self.name.clone(),
        }
    }
}

/// The symbol of an answer, on a line of its own, with its other definitions and what it overrides below.
pub(crate) fn heading(subject: &Subject) -> String {
    let mut text = format!("{}  {}\n", styled(BOLD, &subject.symbol.name), place(&subject.symbol));
    if let Some(line) = subject.inner_line {
        text += &format!("  {} line {line}, where no name is defined\n", styled(DIM, "around"));
    }
    for also in &subject.also_defined {
        text += &format!("  {} {}\n", styled(DIM, "also"), place(also));
    }
    for base in &subject.overrides {
        text += &format!("  {} {}  {}\n", styled(DIM, "overrides"), base.name, place(base));
    }
    text
}

fn place(symbol: &GraphSymbol) -> String {
    let lines = match symbol.line == symbol.line_end {
        true => symbol.line.to_string(),
        false => format!("{}-{}", symbol.line, symbol.line_end),
    };
    let place = styled(PATH, format_args!("{}:{lines}", symbol.path));
    format!("{}  {place}", styled(DIM, symbol.kind.as_str()))
}

/// Says which other symbols have that name.
pub(crate) fn note_others(subject: &Subject, output: &mut Output) {
    if subject.others.is_empty() {
        return;
    }
    let others =
        subject.others.iter().map(|other| format!("{} at {}:{}", other.name, other.path, other.line));
    let mut others = others.collect::<Vec<_>>().join(", ");
    if subject.more_others > 0 {
        others += &format!(", and {} more", count(subject.more_others));
    }
    output.note(format_args!(
        "other symbols of that name, to ask for by qualified name or path:line: {others}"
    ));
}

/// Says what a limit or the confidence leaves out.
pub(crate) fn note_left_out(n_shown: usize, total: u64, noun: &str, possible: u64, output: &mut Output) {
    let n_shown = n_shown as u64;
    if n_shown < total {
        let (more, total) = (count(total - n_shown), counted(total, noun));
        output.note(format_args!("{more} more of {total}: -n 0 shows all"));
    }
    if possible > 0 {
        let places = if possible == 1 { "place" } else { "places" };
        output.note(format_args!("{} more possible {places}: --all shows them", count(possible)));
    }
}
