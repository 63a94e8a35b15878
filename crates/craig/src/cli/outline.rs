//! `craig outline`: the definitions of a file or folder.

use std::path::Path;

use craig_engine::{Outline, OutlineRequest, OutlinedDefinition};

use super::failure::Outcome;
use super::output::{DIM, GOOD, LABEL, PATH, styled};
use super::project_selector::ProjectOptions;
use super::session::Session;

/// Show the definitions of a file or folder; ingests the directory first if necessary
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File or folder [default: the whole project]
    path: Option<String>,
    /// Number of levels of nested definitions [default: all for a file, 1 for a folder]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    #[command(flatten)]
    from: ProjectOptions,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let (project, prepared) = args.from.selector().prepare(&engine, &mut session.output)?;
    let path = match (&args.path, &args.from.project) {
        (None, _) => String::new(),
        (Some(path), Some(_)) => path.clone(),
        (Some(path), None) => engine.path_in_project(&project, &args.from.root, Path::new(path))?,
    };
    let request = OutlineRequest { depth: args.depth, ..OutlineRequest::default() };
    let outline = engine.outline(&project, &path, &request)?;
    session.output.show(&outline, |_| text(&outline))?;
    if outline.files.is_empty() {
        let place = if outline.path.is_empty() { &outline.project } else { &outline.path };
        session.output.note(format_args!("{place} has no definitions"));
    }
    Ok(prepared)
}

/// Files with their definitions: lines, kind and declaration, indented by nesting.
fn text(outline: &Outline) -> String {
    let mut text = String::new();
    for file in &outline.files {
        text += &format!("{}\n", styled(PATH, &file.path));
        file.definitions.iter().for_each(|definition| text += &row(definition));
    }
    text
}

fn row(definition: &OutlinedDefinition) -> String {
    let OutlinedDefinition { line, line_end, depth, .. } = definition;
    let lines = if line == line_end { line.to_string() } else { format!("{line}-{line_end}") };
    let (lines, word) = (format!("{lines:>11}"), format!("{:<9}", definition.word));
    let indent = "  ".repeat(*depth as usize);
    let signature = styled(LABEL, &definition.signature);
    let outside =
        definition.outside().map(|parent| format!("  {}", styled(DIM, format_args!("in {parent}"))));
    let outside = outside.unwrap_or_default();
    format!("{}  {}  {indent}{signature}{outside}\n", styled(GOOD, lines), styled(DIM, word))
}
