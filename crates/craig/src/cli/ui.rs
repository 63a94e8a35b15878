//! `craig ui`: search as you type.

mod app;
mod editor;
mod searcher;
mod view;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use craig_engine::{EngineError, PER_FILE, SearchRequest};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use self::app::{Action, App};
use self::searcher::Searcher;
use super::failure::{Outcome, Refusal};
use super::filters::Filters;
use super::project_selector::ProjectOptions;
use super::session::Session;

/// How long to wait for a key while a search runs.
const WHILE_SEARCHING: Duration = Duration::from_millis(10);

/// How long to wait for a key otherwise.
const WHILE_IDLE: Duration = Duration::from_millis(500);

/// Search as you type, with a preview of the code
///
/// Up and Down select a result, Page Up and Page Down scroll its code, Enter opens it in $VISUAL or $EDITOR, Tab switches between
/// all files, code, documentation and configuration, Esc quits.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Words, a symbol or a question to begin with
    query: Vec<String>,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    from: ProjectOptions,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(
            Refusal::new("craig ui needs a terminal", "use 'craig search' in scripts and pipes").into()
        );
    }
    let engine = Arc::new(session.engine_with(&session.settings(Some(&args.from.root))?)?);
    let selector = args.from.selector();
    let (project, outcome) = selector.prepare(&engine, &mut session.output)?;
    let request = SearchRequest {
        limit: 50,
        per_file: PER_FILE,
        languages: args.filters.language.clone(),
        path: args.filters.path.clone(),
        folder: selector.folder(&engine, &project)?,
        kind: args.filters.kind,
        rerank: false,
        ..SearchRequest::default()
    };
    // An unknown language ends the program here, where it can be read.
    request.check("a query")?;
    let name = engine.project(&project)?.name;
    let app = App::new(&name, &args.query.join(" "), args.filters.kind);
    let searcher = Searcher::start(Arc::clone(&engine), project.clone(), request)?;
    let mut terminal = ratatui::try_init()?;
    let ended = run_until_quit(&mut terminal, app, &searcher, &|path| engine.place_of_file(&project, path));
    ratatui::try_restore()?;
    ended?;
    Ok(outcome)
}

fn run_until_quit(
    terminal: &mut DefaultTerminal,
    mut app: App,
    searcher: &Searcher,
    place_of: &dyn Fn(&str) -> Result<PathBuf, EngineError>,
) -> anyhow::Result<()> {
    let mut is_drawn = false;
    loop {
        if let Some(wanted) = app.wanted_search() {
            searcher.search(wanted);
        }
        if !is_drawn {
            terminal.draw(|frame| view::draw(frame, &mut app))?;
            is_drawn = true;
        }
        let patience = if app.is_searching() { WHILE_SEARCHING } else { WHILE_IDLE };
        if event::poll(patience)? {
            is_drawn = false;
            let action = match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => app.press(key),
                _ => Action::Nothing,
            };
            match action {
                Action::Nothing => {}
                Action::Quit => return Ok(()),
                Action::Open { path, line } => {
                    ratatui::try_restore()?;
                    let place = place_of(&path).map_err(anyhow::Error::from);
                    let opened = place.and_then(|place| Ok(editor::open(&place, line)?));
                    *terminal = ratatui::try_init()?;
                    app.opened(opened);
                }
            }
        }
        if let Some(found) = searcher.found() {
            is_drawn = false;
            app.show(found);
        }
    }
}
