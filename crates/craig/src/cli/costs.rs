//! What needs a yes before it is begun: embedding that takes much, and home directories or system folders as projects.

use craig_engine::{Consent, EngineError, NewSources};

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
    /// What the command line agrees to.
    pub(crate) fn consent(self) -> Consent {
        match self.yes {
            true => Consent { costs: true, new_sources: NewSources::Any },
            false => Consent::default(),
        }
    }

    /// Does something that may ingest, after asking where that needs a yes and somebody can be asked.
    pub(crate) fn agree<T>(
        self,
        output: &mut Output,
        mut operation: impl FnMut(Consent, &mut Output) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut consent = self.consent();
        loop {
            match operation(consent, output) {
                Err(EngineError::CostsNotAccepted(cost))
                    if is_accepted(&format!("{cost}: go on?"), output) =>
                {
                    consent.costs = true;
                }
                Err(error @ EngineError::ProtectedSource { .. })
                    if is_accepted(&format!("{error}: ingest everything in it?"), output) =>
                {
                    consent.new_sources = NewSources::Any;
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
