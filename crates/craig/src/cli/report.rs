//! Text reports of ingestions.

use std::collections::HashMap;

use craig_engine::{FailedFile, FileCounts, IngestReport};

use super::failure::Outcome;
use super::output::{BOLD, DIM, GOOD, Output, styled};
use super::table::{Cut, cut};
use super::units::{bytes, count, counted, seconds};
use super::visible::one_line;

/// Prints a report as a command's answer, and its problems as warnings.
pub(crate) fn show(report: &IngestReport, output: &mut Output) -> anyhow::Result<Outcome> {
    output.summarize(report, |_| text(report))?;
    report.notes.iter().for_each(|note| output.warn(note));
    warn(&report.failed, output);
    Ok(if report.is_partial() { Outcome::Partial } else { Outcome::Complete })
}

/// Warns about files that could not be processed; paths with the same reason share one line with a count. The JSON form
/// has every path at full length.
pub(crate) fn warn(failed: &[FailedFile], output: &mut Output) {
    let mut n_of_reason: HashMap<&str, usize> = HashMap::new();
    for file in failed {
        *n_of_reason.entry(&file.reason).or_default() += 1;
    }
    for FailedFile { path, reason } in failed {
        let path = if path.is_empty() { ".".into() } else { short(path) };
        match n_of_reason.get_mut(reason.as_str()) {
            None => {}
            Some(n) if *n > MOST_NAMED => {
                output.warn(format_args!("{path} and {} more: {reason}", count(*n as u64 - 1)));
                n_of_reason.remove(reason.as_str());
            }
            Some(_) => output.warn(format_args!("{path}: {reason}")),
        }
    }
}

/// A path, shortened if it is very long.
fn short(path: &str) -> String {
    const MAX_COLUMNS: usize = 120;
    cut(path, MAX_COLUMNS, Cut::Start)
}

fn text(report: &IngestReport) -> String {
    let mut lines = vec![
        format!(
            "{} {}  {}",
            styled(GOOD, "ingested"),
            styled(BOLD, &report.project),
            styled(DIM, format_args!("({}, id {}, {})", report.reference, report.id, report.source_path)),
        ),
        format!("  {}", files(report.files)),
    ];
    if let Some(git) = &report.git {
        let reference = git.reference.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let commit = git.commit.as_deref().unwrap_or_default();
        let place = format!("{}{reference} at {}", git.url, commit.get(..12).unwrap_or(commit));
        lines.push(format!("  {}", one_line(&place)));
    }
    if report.chunks > 0 {
        lines.push(format!(
            "  {} from {}: {} embedded, {} reused",
            counted(report.chunks, "chunk"),
            bytes(report.bytes),
            count(report.vectors_embedded),
            count(report.vectors_reused),
        ));
    }
    lines.extend(left_out("over the size limit, not tracked (--max-file-size)", &report.too_large));
    lines.extend(own_repositories(&report.own_repositories));
    lines.extend(left_out("with secrets, tracked by name only", &report.secrets));
    if report.is_partial() {
        let n_failed = counted(report.failed.len() as u64, "path");
        lines.push(format!("  {n_failed} could not be processed"));
    }
    lines.push(format!("  took {}\n", seconds(report.elapsed_s)));
    lines.join("\n")
}

/// "3 files: 1 added, 2 unchanged".
fn files(counts: FileCounts) -> String {
    let parts: Vec<String> = [
        (counts.added, "added"),
        (counts.changed, "changed"),
        (counts.removed, "removed"),
        (counts.unchanged, "unchanged"),
    ]
    .iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{} {what}", count(*n)))
    .collect();
    match parts.is_empty() {
        true => "no files: the directory has no tracked files".to_owned(),
        false => format!("{}: {}", counted(counts.total, "file"), parts.join(", ")),
    }
}

/// Maximum number of skipped files that are named; the JSON form has them all.
const MOST_NAMED: usize = 3;

fn left_out(why: &str, paths: &[String]) -> Option<String> {
    some_of("file", why, paths)
}

fn own_repositories(paths: &[String]) -> Option<String> {
    some_of("folder", "with a .git of their own, each a project of its own", paths)
}

fn some_of(noun: &str, why: &str, paths: &[String]) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let named = paths.iter().take(MOST_NAMED).map(|path| short(path)).collect::<Vec<_>>().join(", ");
    let more = if paths.len() > MOST_NAMED { ", …" } else { "" };
    Some(format!("  {} {why}: {named}{more}", counted(paths.len() as u64, noun)))
}
