//! Statistics as one HTML page with plots: nothing is loaded from anywhere, so that it can be kept and sent.

use craig_engine::{ContextStatistics, LanguageShare, Statistics};

use crate::cli::units::{bytes, count};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem;color:#1c2530}\
    h1{font-size:1.6rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}table{border-collapse:collapse}td{padding:.15rem 1.2rem .15rem 0}\
    td:first-child{color:#5b6b7b}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:0 2rem}\
    svg{width:100%;height:auto}text{font:11px system-ui,sans-serif;fill:#5b6b7b}";

/// The page.
pub(super) fn page(statistics: &Statistics, context: &ContextStatistics) -> String {
    let plots = [
        plot("Requests a day, with context (dark) and without", &requests(context)),
        plot("Requests by the score of their best piece", &scores(context)),
        plot("Time of each step, p50 · p90 · p99 in milliseconds", &times(context)),
        plot("Why there was no context", &reasons(context)),
        plot("Bytes by language", &languages(statistics)),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Craig: statistics</title><style>{STYLE}</style>\n\
         <h1>Craig: statistics</h1>\n<p>Kept on this machine; nothing of it is sent anywhere.</p>\n\
         <h2>Index</h2>\n{}\n<h2>Context</h2>\n{}\n<div class=\"plots\">\n{}</div>\n</html>\n",
        table(&index_rows(statistics)),
        table(&context_rows(context)),
        plots.concat(),
    )
}

fn index_rows(statistics: &Statistics) -> Vec<(&'static str, String)> {
    vec![
        ("Projects", count(statistics.projects)),
        ("Files", format!("{} ({})", count(statistics.files), bytes(statistics.bytes))),
        ("Chunks", count(statistics.chunks)),
        ("Database", bytes(statistics.database_bytes)),
    ]
}

fn context_rows(sums: &ContextStatistics) -> Vec<(&'static str, String)> {
    let requests = sums.chats + sums.inline_edits;
    let share = 100.0 * sums.with_context as f64 / requests.max(1) as f64;
    vec![
        ("Requests", format!("{} of chats, {} of inline edits", count(sums.chats), count(sums.inline_edits))),
        ("With context", format!("{} ({share:.0}%)", count(sums.with_context))),
        ("Mean score", sums.mean_score.map_or_else(|| "–".to_owned(), |score| format!("{score:.2}"))),
        ("Tokens given", count(sums.tokens)),
        ("Tokens saved", format!("about {}, against reading the same files whole", count(sums.tokens_saved))),
        ("Feedback", format!("{} helpful, {} not", count(sums.helpful), count(sums.unhelpful))),
    ]
}

fn table(rows: &[(&str, String)]) -> String {
    let row =
        |(label, value): &(&str, String)| format!("<tr><td>{label}</td><td>{}</td></tr>", escaped(value));
    format!("<table>{}</table>", rows.iter().map(row).collect::<String>())
}

/// A bar of a plot: its label, and values from the innermost to the whole, the last one being told.
struct Bar {
    label: String,
    values: Vec<f64>,
    told: String,
}

fn requests(sums: &ContextStatistics) -> Vec<Bar> {
    let newest = sums.days.iter().skip(sums.days.len().saturating_sub(MOST_BARS));
    let bar = |day: &craig_engine::UseOverTime| Bar {
        label: day.day.clone(),
        values: vec![day.with_context as f64, day.requests as f64],
        told: format!("{} of {}", count(day.with_context), count(day.requests)),
    };
    newest.map(bar).collect()
}

fn scores(sums: &ContextStatistics) -> Vec<Bar> {
    let bar = |share: &craig_engine::ScoreShare| Bar {
        label: format!("{:.1}–{:.1}", share.from, share.from + 0.1),
        values: vec![share.requests as f64],
        told: count(share.requests),
    };
    sums.best_scores.iter().map(bar).collect()
}

fn times(sums: &ContextStatistics) -> Vec<Bar> {
    let bar = |latency: &craig_engine::Latency| Bar {
        label: latency.step.to_owned(),
        values: vec![latency.p50_ms, latency.p90_ms, latency.p99_ms],
        told: format!("{:.1} · {:.1} · {:.1}", latency.p50_ms, latency.p90_ms, latency.p99_ms),
    };
    sums.latency.iter().map(bar).collect()
}

fn reasons(sums: &ContextStatistics) -> Vec<Bar> {
    let bar = |(reason, n): (&String, &u64)| Bar {
        label: reason.replace('_', " "),
        values: vec![*n as f64],
        told: count(*n),
    };
    sums.without.iter().map(bar).collect()
}

fn languages(statistics: &Statistics) -> Vec<Bar> {
    let mut shares: Vec<(&String, &LanguageShare)> = statistics.languages.iter().collect();
    shares.sort_by_key(|(_, share)| std::cmp::Reverse(share.bytes));
    let bar = |(language, share): (&String, &LanguageShare)| Bar {
        label: language.clone(),
        values: vec![share.bytes as f64],
        told: bytes(share.bytes),
    };
    shares.into_iter().take(MOST_BARS).map(bar).collect()
}

/// Bars of one plot.
const MOST_BARS: usize = 14;

/// Sizes in a plot, in its own units.
const WIDTH: f64 = 460.0;
const LABELS: f64 = 110.0;
const TOLD: f64 = 100.0;
const ROW: f64 = 20.0;

/// From the innermost value of a bar outwards.
const COLOURS: [&str; 3] = ["#1f5f8b", "#7fb2d6", "#cfe2f0"];

/// A plot of horizontal bars.
fn plot(title: &str, bars: &[Bar]) -> String {
    if bars.is_empty() {
        return format!("<section><h2>{title}</h2><p>Nothing yet.</p></section>\n");
    }
    let most = bars.iter().flat_map(|bar| &bar.values).copied().fold(f64::MIN_POSITIVE, f64::max);
    let height = ROW * bars.len() as f64 + 4.0;
    let rows: String = bars.iter().enumerate().map(|(at, bar)| row(bar, ROW * at as f64, most)).collect();
    format!(
        "<section><h2>{title}</h2><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">{rows}</svg></section>\n"
    )
}

fn row(bar: &Bar, top: f64, most: f64) -> String {
    let room = WIDTH - LABELS - TOLD;
    let width = |value: f64| room * value / most;
    let label = format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        LABELS - 8.0,
        top + 14.0,
        escaped(&bar.label)
    );
    // The widest first, so that the inner ones lie over it.
    let rects: String = bar
        .values
        .iter()
        .zip(COLOURS)
        .rev()
        .map(|(value, colour)| {
            format!(
                "<rect x=\"{LABELS}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>",
                top + 3.0,
                width(*value),
                ROW - 6.0
            )
        })
        .collect();
    let widest = bar.values.iter().copied().fold(0.0, f64::max);
    let told = format!(
        "<text x=\"{:.1}\" y=\"{}\">{}</text>",
        LABELS + width(widest) + 6.0,
        top + 14.0,
        escaped(&bar.told)
    );
    label + &rects + &told
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_values() {
        let bar = |label: &str, values: &[f64]| Bar {
            label: label.into(),
            values: values.into(),
            told: "x".into(),
        };
        let plot = plot("t", &[bar("a<b", &[5.0, 10.0]), bar("c", &[0.0])]);
        let widths: Vec<&str> =
            plot.split(" width=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect();
        assert_eq!(widths, ["250.0", "125.0", "0.0"]);
        assert!(plot.contains("a&lt;b") && !plot.contains("a<b"));
        assert!(super::plot("t", &[]).contains("Nothing yet"));
    }
}
