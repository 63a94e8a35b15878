//! `craig stats`: statistics of one project or all, and of the context that was returned.

use std::path::Path;

use anstyle::Style;
use craig_engine::{ContextStatistics, Engine, LanguageShare, Statistics};
use serde::Serialize;

use super::failure::Outcome;
use super::output::{BOLD, Columns, GOOD, LABEL, styled};
use super::project::ProjectArg;
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::{bytes, count, counted};

/// Show statistics for one project or for all projects
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
    /// Show statistics for all projects; the default outside a project
    #[arg(long, conflicts_with = "project")]
    all: bool,
}

/// The whole answer.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    statistics: Statistics,
    context: ContextStatistics,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let project = project(args, &engine)?;
    let project = project.as_deref();
    let shown =
        Shown { statistics: engine.statistics(project)?, context: engine.context_statistics(project)? };
    session.output.show(&shown, |columns| text(&shown.statistics, columns) + &context(&shown.context))?;
    Ok(Outcome::Complete)
}

/// The project of the argument; `None` for all.
fn project(args: &Args, engine: &Engine) -> anyhow::Result<Option<String>> {
    match args.project.is_default() {
        _ if args.all => Ok(None),
        true => Ok(engine.project_of_directory(Path::new("."))?),
        false => args.project.handle(engine).map(Some),
    }
}

/// Statistics of returned context; empty if none was requested.
fn context(sums: &ContextStatistics) -> String {
    let requests = sums.chats + sums.inline_edits;
    if requests == 0 {
        return String::new();
    }
    let share = |part: u64| format!("{:.0}%", 100.0 * part as f64 / requests as f64);
    let total = sums.latency.iter().find(|latency| latency.step == "total");
    let times = total.map_or_else(String::new, |total| {
        format!("{:.1} / {:.1} / {:.1} ms", total.p50_ms, total.p90_ms, total.p99_ms)
    });
    let without =
        sums.without.iter().map(|(reason, n)| format!("{} {}", reason.replace('_', " "), count(*n)));
    let rows = [
        ("requests", format!("{} of chats, {} of inline edits", count(sums.chats), count(sums.inline_edits))),
        ("with context", format!("{} ({})", count(sums.with_context), share(sums.with_context))),
        ("without", without.collect::<Vec<_>>().join(", ")),
        ("mean score", sums.mean_score.map_or_else(|| "–".to_owned(), |score| format!("{score:.2}"))),
        ("p50/p90/p99", times),
        ("tokens", format!("{} given, about {} saved", count(sums.tokens), count(sums.tokens_saved))),
        ("feedback", format!("{} helpful, {} not", count(sums.helpful), count(sums.unhelpful))),
    ];
    let rows =
        rows.iter().map(|(label, value)| format!("{} {value}\n", styled(LABEL, format_args!("{label:<12}"))));
    format!("\n{}\n{}", styled(BOLD, "context"), rows.collect::<String>())
}

fn text(statistics: &Statistics, columns: Columns) -> String {
    let rows = [
        ("projects", count(statistics.projects)),
        (
            "files",
            format!(
                "{} ({} binary), {}",
                count(statistics.files),
                count(statistics.binary_files),
                bytes(statistics.bytes)
            ),
        ),
        ("chunks", count(statistics.chunks)),
        ("embedder", statistics.embedder.clone()),
        ("database", format!("{}, {}", statistics.database, bytes(statistics.database_bytes))),
    ];
    let sums: String = rows
        .iter()
        .map(|(label, value)| format!("{} {value}\n", styled(LABEL, format_args!("{label:<9}"))))
        .collect();
    if statistics.languages.is_empty() {
        return sums;
    }
    format!("{sums}\n{}", languages(statistics, columns))
}

/// Maximum number of languages to show; the others are only counted.
const MOST_LANGUAGES: usize = 20;

/// Columns of the longest bar.
const BAR_WIDTH: u64 = 24;

fn languages(statistics: &Statistics, columns: Columns) -> String {
    let mut shares: Vec<(&String, &LanguageShare)> = statistics.languages.iter().collect();
    shares.sort_by_key(|(_, share)| std::cmp::Reverse((share.bytes, share.files)));
    let total: u64 = shares.iter().map(|(_, share)| share.bytes).sum();
    let most = shares.first().map_or(1, |(_, share)| share.bytes.max(1));
    let mut table = Table::new()
        .column("language", Align::Left, Cut::End, BOLD)
        .column("files", Align::Right, Cut::Never, Style::new())
        .column("size", Align::Right, Cut::Never, Style::new())
        .column("share", Align::Right, Cut::Never, Style::new())
        .column("", Align::Left, Cut::Never, GOOD);
    for (language, share) in shares.iter().take(MOST_LANGUAGES) {
        let percent = 100.0 * share.bytes as f64 / total.max(1) as f64;
        table.row([
            (*language).clone(),
            count(share.files),
            bytes(share.bytes),
            format!("{percent:.1}%"),
            bar(share.bytes, most),
        ]);
    }
    let rest = shares.len().saturating_sub(MOST_LANGUAGES) as u64;
    let others = if rest > 0 { format!("and {}\n", counted(rest, "other language")) } else { String::new() };
    table.render(columns) + &others
}

/// A bar in eighths of a column.
fn bar(part: u64, most: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part * BAR_WIDTH * 8).div_ceil(most);
    "█".repeat((eighths / 8) as usize) + EIGHTHS[(eighths % 8) as usize]
}
