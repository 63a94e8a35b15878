//! No answer from deleted code: a project is brought up to date before it answers, and an answer says when it is not.
//!
//! This has a bound of its own, so that reading never waits behind an ingestion for longer than [`PATIENCE`].

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use craig_engine::{Consent, Currency, Engine, EngineError, Fault, Freshness};

use super::engine_calls::EngineCalls;
use super::failure::Failure;
use super::tools::Abilities;

/// How long an answer waits for changed files to be read; then they go on being read behind it.
const PATIENCE: Duration = Duration::from_millis(1_200);

/// How an index compares with its directory; an answer from several has the greatest of their states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// It was the same a moment ago.
    Fresh,
    /// Nobody looked.
    Unchecked,
    /// Changes are being read; the answer may miss them.
    Updating,
    /// It cannot be brought up to date, and why.
    Stale(String),
}

/// The names of the states in answers.
pub(super) const STATES: [&str; 4] = ["fresh", "updating", "stale", "unchecked"];

impl State {
    /// Its name in answers.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Fresh => STATES[0],
            Self::Updating => STATES[1],
            Self::Stale(_) => STATES[2],
            Self::Unchecked => STATES[3],
        }
    }

    /// What an agent should know of it.
    pub(super) fn note(&self, project: &str) -> Option<String> {
        match self {
            Self::Fresh | Self::Unchecked => None,
            Self::Updating => Some(format!(
                "{project} is being ingested right now, so this may miss the newest changes: query_ingestion_status tells \
                 how far it is"
            )),
            Self::Stale(why) => Some(format!("{project} may be out of date: {why}")),
        }
    }
}

/// Brings projects up to date, each one by one request at a time.
pub(super) struct Refreshes {
    calls: Arc<EngineCalls>,
    abilities: Abilities,
    /// By what callers call a project: its name, reference and id have gates of their own, between which the lock of the
    /// store decides. Held only to find a gate.
    gates: Mutex<HashMap<String, Arc<Gate>>>,
}

/// Where the requests of one project wait for the one that brings it up to date.
#[derive(Default)]
struct Gate {
    turn: tokio::sync::Mutex<()>,
    /// Held only to read or set when the work began.
    since: Mutex<Option<Instant>>,
}

impl Gate {
    fn set(&self, since: Option<Instant>) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }

    fn is_slow(&self) -> bool {
        let since = *self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| since.elapsed() > PATIENCE)
    }
}

impl Refreshes {
    pub(super) fn new(calls: EngineCalls, abilities: Abilities) -> Self {
        Self { calls: Arc::new(calls), abilities, gates: Mutex::default() }
    }

    /// What is said of a project while its directory is being looked at.
    fn meanwhile(&self) -> State {
        match self.abilities {
            Abilities::All => State::Updating,
            Abilities::ReadOnly => State::Unchecked,
        }
    }

    /// Brings a project up to date, as far as that takes little time; a server that writes nothing only looks. Fails when there
    /// is no such project.
    pub(super) async fn bring_up_to_date(&self, project: &str) -> Result<State, Failure> {
        let gate = self.gate(project);
        if gate.is_slow() {
            return Ok(self.meanwhile());
        }
        let (calls, project) = (Arc::clone(&self.calls), project.to_owned());
        let refresh = match self.abilities {
            Abilities::All => refresh,
            Abilities::ReadOnly => look,
        };
        let work = tokio::spawn(async move {
            let _turn = gate.turn.lock().await;
            gate.set(Some(Instant::now()));
            let state = calls.run(move |engine| refresh(engine, &project)).await;
            gate.set(None);
            state
        });
        match tokio::time::timeout(PATIENCE, work).await {
            Ok(done) => done.map_err(Failure::internal)?,
            Err(_) => Ok(self.meanwhile()),
        }
    }

    fn gate(&self, project: &str) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(gates.entry(project.to_owned()).or_default())
    }
}

/// Says how a project compares with its directory, and changes nothing.
fn look(engine: &Engine, project: &str) -> Result<State, EngineError> {
    match engine.check_directory(project) {
        Ok(check) if check.up_to_date => Ok(State::Fresh),
        Ok(check) => Ok(State::Stale(format!(
            "{} files were added, {} changed and {} removed since it was ingested, and this server is read-only; \
             'craig ingest-delta {}' takes them in",
            check.added.len(),
            check.changed.len(),
            check.removed.len(),
            check.project,
        ))),
        Err(error) if error.fault() == Fault::User => Err(error),
        Err(error) => Ok(State::Stale(error.to_string())),
    }
}

fn refresh(engine: &Engine, project: &str) -> Result<State, EngineError> {
    match engine.prepare(Some(project), Path::new("."), Freshness::UpToDate, Consent::default(), &mut |_| {})
    {
        Ok((_, Currency::UpToDate(_))) => Ok(State::Fresh),
        Ok((_, Currency::InProgress)) => Ok(State::Updating),
        Ok((_, Currency::DirectoryGone)) => {
            Ok(State::Stale("its directory is gone, or is a link now".into()))
        }
        Ok((_, Currency::Unwritable(why))) => Ok(State::Stale(why)),
        Ok((_, Currency::Unchecked)) => Ok(State::Unchecked),
        Err(error) if error.fault() == Fault::User => Err(error),
        Err(error) => Ok(State::Stale(error.to_string())),
    }
}
