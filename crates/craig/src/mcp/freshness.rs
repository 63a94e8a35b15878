//! Keeps answers current: a project is brought up to date before it answers; if that fails, the answer has a note.
//!
//! This has a bound of its own, so that reading never waits behind an ingestion for longer than [`PATIENCE`].

use std::time::Duration;

use craig_engine::{Fault, Freshness, Refresh, shell_word};
use schemars::JsonSchema;
use serde::Serialize;

use super::engine_calls::EngineCalls;
use super::failure::Failure;
use super::tools::Abilities;

/// How long an answer waits for changed files to be read; after that, reading continues in the background.
const PATIENCE: Duration = Duration::from_millis(1_200);

/// How an index compares with its directory; an answer from several has the greatest of their states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Up to date a moment ago.
    Fresh,
    /// Not checked.
    Unchecked,
    /// Changes are being read; the answer may miss them.
    Updating,
    /// It cannot be brought up to date, and why.
    Stale(String),
}

/// The same in answers.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum StateName {
    Fresh,
    Updating,
    Stale,
    Unchecked,
}

impl State {
    /// Its name in answers.
    pub(super) fn name(&self) -> StateName {
        match self {
            Self::Fresh => StateName::Fresh,
            Self::Updating => StateName::Updating,
            Self::Stale(_) => StateName::Stale,
            Self::Unchecked => StateName::Unchecked,
        }
    }

    /// The note as the first line of a text about `project`, or nothing.
    pub(super) fn line(&self, project: &str) -> String {
        self.note(project).map(|note| format!("note: {note}\n")).unwrap_or_default()
    }

    /// A note for the agent.
    pub(super) fn note(&self, project: &str) -> Option<String> {
        match self {
            Self::Fresh | Self::Unchecked => None,
            Self::Updating => Some(format!(
                "{project} is being ingested now, so this answer may miss the newest changes: \
                 query_ingestion_status shows the progress"
            )),
            Self::Stale(why) => Some(format!("{project} may be out of date: {why}")),
        }
    }
}

/// Brings projects up to date.
pub(super) struct Refreshes {
    calls: EngineCalls,
    abilities: Abilities,
}

impl Refreshes {
    /// `calls` are bounded by themselves, so that no read waits behind a project that is brought up to date.
    pub(super) fn new(calls: EngineCalls, abilities: Abilities) -> Self {
        Self { calls, abilities }
    }

    /// Brings a project up to date, as far as that takes little time; a server that writes nothing only looks. Fails when there
    /// is no such project.
    pub(super) async fn bring_up_to_date(&self, project: &str) -> Result<State, Failure> {
        let (project, refresh) = (project.to_owned(), self.refresh());
        let call = self.calls.run(move |engine| match engine.refresh_within(&project, refresh, PATIENCE) {
            Err(error) if error.fault() != Fault::User => Ok(Err(error)),
            done => done.map(Ok),
        });
        // Waiting calls stop waiting.
        match tokio::time::timeout(PATIENCE, call).await {
            Ok(done) => {
                Ok(done?.map_or_else(|error| State::Stale(error.to_string()), |done| self.state(done)))
            }
            Err(_) => Ok(self.state(Freshness::InProgress)),
        }
    }

    fn refresh(&self) -> Refresh {
        match self.abilities {
            Abilities::All => Refresh::Ingest,
            Abilities::ReadOnly => Refresh::Compare,
        }
    }

    fn state(&self, freshness: Freshness) -> State {
        match freshness {
            Freshness::UpToDate(_) => State::Fresh,
            Freshness::InProgress if self.abilities == Abilities::ReadOnly => State::Unchecked,
            Freshness::InProgress => State::Updating,
            // It is unknown when that ends.
            Freshness::Held(holder) if holder.ends_with("stopped") => {
                State::Stale(format!("it is being written by {holder}"))
            }
            Freshness::Held(_) if self.abilities == Abilities::ReadOnly => State::Unchecked,
            Freshness::Held(_) => State::Updating,
            Freshness::DirectoryGone => State::Stale("its directory is gone, or is a link now".into()),
            Freshness::Unwritable(why) => State::Stale(why),
            Freshness::Unchecked => State::Unchecked,
            Freshness::Changed(check) => State::Stale(format!(
                "{} files were added, {} changed and {} removed since it was ingested, and this server is read-only; \
                 'craig ingest-delta {}' ingests them",
                check.added.len(),
                check.changed.len(),
                check.removed.len(),
                shell_word(&check.project),
            )),
        }
    }
}
