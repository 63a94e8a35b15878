//! `craig related`: code that is similar to the code at a place.

use std::path::Path;

use craig_engine::{Detail, NOTHING_ALIKE, PER_FILE, Related, SearchRequest};

use super::failure::Outcome;
use super::filters::Filters;
use super::global::Format;
use super::output::{BOLD, Columns, DIM, styled};
use super::paint::Painter;
use super::project_selector::ProjectOptions;
use super::search::text::{listed, n_results, shown};
use super::session::Session;
use super::units::limit_or_all;
use super::visible::one_line;
use crate::place;

/// Show code similar to the code at a location: candidates for the same change, duplicates, examples
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File, optionally with a line: src/cart.py:12 [default line: the first]
    #[arg(value_name = "PATH[:LINE]")]
    place: String,
    /// Maximum number of results, all with their code; 0 for all [default: 1 to 3 results with code, up
    /// to 3 more without; in JSON, 10 results]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    from: ProjectOptions,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let (project, prepared) = args.from.selector().prepare(&engine, &mut session.output)?;
    let limit = args.limit.map(limit_or_all);
    let (path, lines) = place::split(&args.place);
    let path = match &args.from.project {
        Some(_) => path.to_owned(),
        None => engine.path_in_project(&project, &args.from.root, Path::new(path))?,
    };
    let line = lines.map_or(1, |(first, _)| u32::try_from(first).unwrap_or(u32::MAX));
    let request = SearchRequest {
        limit: limit.unwrap_or(SearchRequest::default().limit),
        per_file: PER_FILE,
        languages: args.filters.language.clone(),
        path: args.filters.path.clone(),
        folder: args.from.selector().folder(&engine, &project)?,
        kind: args.filters.kind,
        detail: if session.output.format == Format::Text { Detail::Lines } else { Detail::Full },
        ..SearchRequest::default()
    };
    let related = engine.related(&project, &path, line, &request)?;
    session.output.show(&related, |columns| text(&related, limit, columns))?;
    Ok(prepared)
}

fn text(related: &Related, limit: Option<usize>, columns: Columns) -> String {
    let Related { path, line_start, line_end, hits, .. } = related;
    let symbol = related.symbol_name.as_deref().and_then(|symbol| symbol.lines().next());
    let symbol = symbol.map(|symbol| format!("  {}", styled(BOLD, one_line(symbol)))).unwrap_or_default();
    let of = format!("like {}:{line_start}-{line_end}{symbol}\n", one_line(path));
    let is_doubtful = !related.is_alike && !hits.is_empty();
    let doubt = if is_doubtful { format!("{NOTHING_ALIKE}:\n") } else { String::new() };
    let shown = shown(hits, limit, related.is_alike);
    let painter = Painter::new("");
    let end = format!("{} in {}", n_results(shown, hits.len()), related.project);
    format!("{of}{doubt}{}{}\n", listed(hits, shown, false, &painter, columns), styled(DIM, end))
}
