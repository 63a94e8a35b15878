//! What every command works with: the engine's settings and the output.

use std::io::{IsTerminal as _, Write as _};

use craig_engine::{Config, Engine};

use super::global::Global;
use super::output::Output;

/// One run of the program.
pub(crate) struct Session {
    global: Global,
    /// Where the command writes.
    pub(crate) output: Output,
}

impl Session {
    pub(crate) fn new(global: Global) -> Self {
        anstream::ColorChoice::from(global.color).write_global();
        let output = Output::new(global.format, global.quiet);
        Self { global, output }
    }

    /// Opens the engine on the database that was asked for.
    pub(crate) fn engine(&self) -> anyhow::Result<Engine> {
        let config = Config { database: self.global.database()?, threads: self.global.threads };
        Ok(Engine::open(&config)?)
    }
}

/// Ends the program with 130 on Ctrl-C. What was committed stays; an ingestion is completed by the next one.
pub(crate) fn end_on_interrupt() {
    // Where no handler can be set, the system ends the program, and the shell says 130 all the same.
    let _ = ctrlc::set_handler(|| {
        let mut stderr = std::io::stderr();
        if stderr.is_terminal() {
            // Leaves the line of a progress bar.
            let _ = writeln!(stderr);
        }
        std::process::exit(130);
    });
}
