//! Yes-or-no questions on the terminal.

use std::io::{self, BufRead as _, IsTerminal as _};

use super::output::Output;

/// Whether a user can see a question and answer it.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks on stderr; any answer except yes counts as no.
pub(crate) fn ask(question: &str, output: &mut Output) -> io::Result<bool> {
    output.complain(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
