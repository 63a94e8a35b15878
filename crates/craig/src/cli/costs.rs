//! Embedding that takes much: told, and asked about, before it is begun.

use craig_engine::{EmbeddingCost, Engine, EngineError};

use super::output::Output;
use super::question;

/// Option of commands that may embed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Costs {
    /// Embed without asking, also where it takes much or switches the embedder
    #[arg(long, short)]
    yes: bool,
}

impl Costs {
    /// Takes a yes that was given on the command line.
    pub(crate) fn accept(self, engine: &mut Engine) {
        if self.yes {
            engine.accept_costs();
        }
    }

    /// Does something that may embed, after asking where that takes much and somebody can be asked.
    pub(crate) fn agree<T>(
        self,
        engine: &mut Engine,
        output: &mut Output,
        mut operation: impl FnMut(&mut Engine, &mut Output) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.accept(engine);
        match operation(engine, output) {
            Err(EngineError::CostsNotAccepted(cost)) if is_accepted(&cost, output) => {
                engine.accept_costs();
                operation(engine, output)
            }
            other => other,
        }
    }
}

/// Asks on a terminal; elsewhere nobody has agreed.
fn is_accepted(cost: &EmbeddingCost, output: &mut Output) -> bool {
    question::can_ask() && question::ask(&format!("{cost}: go on?"), output).unwrap_or(false)
}
