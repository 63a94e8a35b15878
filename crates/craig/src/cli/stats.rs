//! `craig stats`: sums over one project or all.

use anstyle::Style;
use craig_engine::{LanguageShare, Statistics};

use super::failure::Outcome;
use super::output::{BOLD, Columns, GOOD, LABEL, styled};
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::{bytes, count, counted};

/// Show sums over a project, or over all
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, reference or name of the project [default: all]
    project: Option<String>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let statistics = session.engine()?.statistics(args.project.as_deref())?;
    session.output.show(&statistics, |columns| text(&statistics, columns))?;
    Ok(Outcome::Complete)
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

/// Languages shown; the others are summed up.
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
