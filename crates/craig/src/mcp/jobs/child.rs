//! A subprocess: started in a process group of its own, ended with its children, and its result.

use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitStatus, Output, Stdio};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::process::Command;
use tokio::sync::Notify;

use super::super::failure::in_terms_of_tools;
use super::{Ending, Stage};

/// How long a process may take to end after SIGTERM, before it is killed.
const GRACE: Duration = Duration::from_secs(3);

/// What to do about a process that died without a report.
const COMPLETE_IT: &str = "what was committed is kept: call trigger_delta_ingest to complete it";

/// Runs `craig` until it ends or `cancel` is notified.
pub(super) async fn run(
    program: &Path,
    global: &[OsString],
    arguments: &[OsString],
    cancel: &Notify,
) -> Ending {
    let mut command = Command::new(program);
    command.args(global).args(["--format", "json", "--quiet"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ending::failed(format!("craig could not be started: {error}"), None),
    };
    let id = child.id();
    let mut output = Box::pin(child.wait_with_output());
    tokio::select! {
        output = &mut output => ending(output),
        () = cancel.notified() => {
            end_group(id, false);
            if tokio::time::timeout(GRACE, &mut output).await.is_err() {
                end_group(id, true);
                // It cannot be ignored this time.
                let _ = output.await;
            }
            Ending::cancelled()
        }
    }
}

/// Ends a process group, gracefully or at once.
#[cfg(unix)]
fn end_group(id: Option<u32>, at_once: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if at_once { Signal::KILL } else { Signal::TERM };
    if let Some(group) = id.and_then(|id| Pid::from_raw(id as i32)) {
        // It may have ended already.
        let _ = kill_process_group(group, signal);
    }
}

/// Other systems have no process groups: the system's own tool ends a process with its children.
#[cfg(not(unix))]
fn end_group(id: Option<u32>, _at_once: bool) {
    if let Some(id) = id {
        let _ = std::process::Command::new("taskkill").args(["/T", "/F", "/PID", &id.to_string()]).output();
    }
}

fn ending(output: std::io::Result<Output>) -> Ending {
    let output = match output {
        Ok(output) => output,
        Err(error) => return Ending::failed(error.to_string(), Some(COMPLETE_IT.into())),
    };
    let report = last_json(&output.stdout);
    match output.status.code() {
        // 2 is partial success: the report names the files that could not be read.
        Some(0 | 2) => Ending { stage: Stage::Completed, error: None, next: None, report },
        _ => failed(&output),
    }
}

fn failed(output: &Output) -> Ending {
    let report = last_json(&output.stderr).unwrap_or_default();
    let word = |name: &str| report.get(name)?.as_str().map(str::to_owned);
    let stderr = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let error = word("error").or_else(|| Some(stderr()).filter(|text| !text.is_empty()));
    Ending::failed(
        error.unwrap_or_else(|| died(output.status)),
        Some(word("hint").map_or_else(|| COMPLETE_IT.to_owned(), |hint| in_terms_of_tools(&hint))),
    )
}

fn died(status: ExitStatus) -> String {
    format!("the craig process died: {status}")
}

/// The last line that is a JSON object.
fn last_json(bytes: &[u8]) -> Option<Map<String, Value>> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().rev().find_map(|line| serde_json::from_str(line).ok())
}
