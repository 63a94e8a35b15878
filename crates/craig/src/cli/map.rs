//! `craig map`: the declarations of a project's central symbols.

use std::path::Path;

use craig_engine::{MapRequest, MappedFile, RepoMap};

use super::failure::Outcome;
use super::output::{DIM, PATH, styled};
use super::project_selector::ProjectOptions;
use super::session::Session;
use super::units::{count, counted};

/// Show the declarations of a project's central types and functions, within a token budget
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and folders to focus on [default: the whole project]
    paths: Vec<String>,
    /// Question to focus on
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Maximum number of tokens
    #[arg(long, value_name = "N", default_value_t = MapRequest::default().budget_tokens)]
    tokens: usize,
    #[command(flatten)]
    from: ProjectOptions,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let (project, prepared) = args.from.selector().prepare(&engine, &mut session.output)?;
    let paths = args.paths.iter().map(|path| match &args.from.project {
        Some(_) => Ok(path.clone()),
        None => engine.path_in_project(&project, &args.from.root, Path::new(path)),
    });
    let request = MapRequest {
        paths: paths.collect::<Result<_, _>>()?,
        query: args.query.clone(),
        budget_tokens: args.tokens,
        ..MapRequest::default()
    };
    let map = engine.repo_map(&project, &request)?;
    let output = &mut session.output;
    output.show(&map, |_| text(&map))?;
    if map.shown < map.total {
        let (shown, total) = (count(map.shown), counted(map.total, "symbol"));
        output
            .note(format_args!("{shown} of {total} in {} tokens: --tokens N shows more", count(map.tokens)));
    } else if map.total == 0 {
        output.note(format_args!("Craig found no symbols in {}", map.project));
    }
    Ok(prepared)
}

/// Files with declarations and their lines, as in [`MappedFile::text`], with styles.
fn text(map: &RepoMap) -> String {
    map.files.iter().map(of_file).collect()
}

fn of_file(file: &MappedFile) -> String {
    let mut text = format!("{}\n", styled(PATH, &file.path));
    for symbol in &file.symbols {
        let line = styled(DIM, format_args!("{:>5}", symbol.line));
        text += &format!("{line} {}{}\n", "  ".repeat(symbol.depth as usize), symbol.signature);
    }
    text
}
