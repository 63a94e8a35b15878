//! The jobs that were queued when their server ended: one process runs them, in order.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Commands that a job may run; nothing else is accepted from stdin.
const COMMANDS: [&str; 3] = ["ingest", "ingest-delta", "purge"];

/// Starts the process, and passes it the arguments of each job. It has a process group of its own, so that it survives when
/// the server's group is ended.
pub(super) fn hand_over(program: &Path, global: &[OsString], jobs: &[Vec<OsString>]) {
    // Ingested directories have names in UTF-8, and so has everything that clients send.
    let jobs: Vec<Vec<&str>> =
        jobs.iter().map(|job| job.iter().filter_map(|word| word.to_str()).collect()).collect();
    let mut command = Command::new(program);
    command.args(global).args(["mcp", "--finish-jobs"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let Ok(mut child) = command.spawn() else { return };
    if let (Some(mut stdin), Ok(text)) = (child.stdin.take(), serde_json::to_vec(&jobs)) {
        // There is no client left to report an error to.
        let _ = stdin.write_all(&text);
    }
}

/// Runs the jobs on stdin, a list of lists of arguments, one after the other. Their results are in the database.
pub(crate) fn finish(global: &[OsString]) -> anyhow::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let jobs: Vec<Vec<String>> = serde_json::from_str(&text)?;
    let program = std::env::current_exe()?;
    for job in jobs.iter().filter(|job| job.first().is_some_and(|name| COMMANDS.contains(&name.as_str()))) {
        let mut command = Command::new(&program);
        command.args(global).args(["--format", "json", "--quiet"]).args(job);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // The others are run even if one fails.
        let _ = command.status();
    }
    Ok(())
}
