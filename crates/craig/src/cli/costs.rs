//! Confirmations: expensive embedding, and home directories or system folders as projects.

use craig_engine::{Consent, EngineError, NewSources};

use super::output::Output;
use super::question;

/// Option of commands that may embed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Costs {
    /// Do not ask for confirmation of expensive embedding, a new embedder, home directories or system folders
    #[arg(long, short)]
    yes: bool,
}

impl Costs {
    /// The consent given on the command line.
    pub(crate) fn consent(self) -> Consent {
        match self.yes {
            true => Consent { costs: true, new_sources: NewSources::Any },
            false => Consent::default(),
        }
    }

    /// Runs something that may ingest; asks for confirmation if that is needed and possible.
    pub(crate) fn agree<T>(
        self,
        output: &mut Output,
        mut operation: impl FnMut(Consent, &mut Output) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut consent = self.consent();
        loop {
            match operation(consent, output) {
                Err(EngineError::CostsNotAccepted(cost))
                    if is_accepted(&format!("{cost}: continue?"), output) =>
                {
                    consent.costs = true;
                }
                Err(error @ EngineError::ProtectedSource { .. })
                    if is_accepted(&format!("{error}: ingest it anyway?"), output) =>
                {
                    consent.new_sources = NewSources::Any;
                }
                other => return other,
            }
        }
    }
}

/// Asks on a terminal; without one, the answer is no.
fn is_accepted(question: &str, output: &mut Output) -> bool {
    question::can_ask() && question::ask(question, output).unwrap_or(false)
}
