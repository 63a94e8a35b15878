//! What needs a yes before it is begun: embedding that takes much, and home directories or system folders as projects.

use craig_engine::{Engine, EngineError, NewSources};

use super::output::Output;
use super::question;

/// Option of commands that may embed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Costs {
    /// Do not ask: embed where it takes much or switches the embedder, ingest home directories and system folders
    #[arg(long, short)]
    yes: bool,
}

impl Costs {
    /// Takes a yes that was given on the command line.
    pub(crate) fn accept(self, engine: &mut Engine) {
        if self.yes {
            engine.accept_costs();
            engine.set_new_sources(NewSources::Any);
        }
    }

    /// Does something that may ingest, after asking where that needs a yes and somebody can be asked.
    pub(crate) fn agree<T>(
        self,
        engine: &mut Engine,
        output: &mut Output,
        mut operation: impl FnMut(&mut Engine, &mut Output) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.accept(engine);
        loop {
            match operation(engine, output) {
                Err(EngineError::CostsNotAccepted(cost))
                    if is_accepted(&format!("{cost}: go on?"), output) =>
                {
                    engine.accept_costs();
                }
                Err(error @ EngineError::ProtectedSource { .. })
                    if is_accepted(&format!("{error}: ingest everything in it?"), output) =>
                {
                    engine.set_new_sources(NewSources::Any);
                }
                other => return other,
            }
        }
    }
}

/// Asks on a terminal; elsewhere nobody has agreed.
fn is_accepted(question: &str, output: &mut Output) -> bool {
    question::can_ask() && question::ask(question, output).unwrap_or(false)
}
