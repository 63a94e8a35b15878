//! The common arguments of the commands about symbols, and the notes that they print with their answers.

use std::path::Path;

use craig_engine::{Engine, GraphSymbol, Subject, SymbolRequest, UnboundLines};

use super::failure::Outcome;
use super::output::{BOLD, DIM, Output, PATH, styled};
use super::project_selector::ProjectOptions;
use super::session::Session;
use super::units::{count, counted, limit_or_all};

/// A symbol of a project.
#[derive(Debug, clap::Args)]
pub(crate) struct SymbolArgs {
    /// Name of the symbol, such as 'total', 'Cart.total' or 'Cart::total', or its location, such as 'src/cart.py:12'
    name: String,
    /// Minimum confidence of a reference, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = SymbolRequest::default().min_confidence,
          value_parser = clap::value_parser!(u8).range(0..=100))]
    min_confidence: u8,
    /// Show references of any confidence; 'references' also lists unbound lines with the name
    #[arg(long, conflicts_with = "min_confidence")]
    pub(super) all: bool,
    #[command(flatten)]
    from: ProjectOptions,
}

/// The request of a command about a symbol.
pub(crate) struct Prepared {
    pub(crate) engine: Engine,
    pub(crate) project: String,
    pub(crate) name: String,
    pub(crate) request: SymbolRequest,
    pub(crate) outcome: Outcome,
}

impl SymbolArgs {
    /// Brings the project up to date. A `limit` of 0 means no limit.
    pub(crate) fn prepare(&self, limit: usize, session: &mut Session) -> anyhow::Result<Prepared> {
        let engine = session.engine_with(&session.settings(Some(&self.from.root))?)?;
        let selector = self.from.selector();
        let (project, outcome) = selector.prepare(&engine, &mut session.output)?;
        let request = SymbolRequest {
            min_confidence: if self.all { 0 } else { self.min_confidence },
            limit: limit_or_all(limit),
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

/// The symbol of an answer on a line of its own, followed by its other definitions and the members that it overrides.
pub(crate) fn heading(subject: &Subject) -> String {
    let mut text = format!("{}  {}\n", styled(BOLD, &subject.symbol.name), place(&subject.symbol));
    if let Some(line) = subject.inner_line {
        text += &format!("  {} line {line}, which defines no name\n", styled(DIM, "around"));
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
    format!("{}  {place}", styled(DIM, symbol.word()))
}

/// Notes the other symbols of that name.
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
    output.note(format_args!("other symbols of that name (use a qualified name or path:line): {others}"));
}

/// `2 lines with the word total are not bound to a symbol`.
pub(crate) fn unbound_lines(unbound: &UnboundLines) -> String {
    let are = if unbound.total == 1 { "is" } else { "are" };
    format!("{} with the word {} {are} not bound to a symbol", counted(unbound.total, "line"), unbound.word)
}

/// Notes how many rows the limit or the confidence excludes.
pub(crate) fn note_left_out(n_shown: usize, total: u64, noun: &str, possible: u64, output: &mut Output) {
    let n_shown = n_shown as u64;
    if n_shown < total {
        let (more, total) = (count(total - n_shown), counted(total, noun));
        output.note(format_args!("{more} more of {total}: -n 0 shows all"));
    }
    if possible > 0 {
        let places = if possible == 1 { "place" } else { "places" };
        output.note(format_args!("{} more {places} of lower confidence: --all shows them", count(possible)));
    }
}
