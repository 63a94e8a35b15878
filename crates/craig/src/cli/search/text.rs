//! Search results for people.

use anstyle::Style;
use craig_engine::{Evidence, Hit, Language, NO_ANSWER, RerankStatus, SearchAnswer, Shown};
use unicode_width::UnicodeWidthStr as _;

use crate::cli::output::{BOLD, Columns, DIM, FAIR, GOOD, LABEL, PATH, styled};
use crate::cli::paint::{Painter, painted};
use crate::cli::table::{Cut, cut};
use crate::cli::units::{counted, percent, seconds};
use crate::cli::visible::one_line;

/// Widest line of content in a pipe.
const WIDTH_IN_PIPE: usize = 160;

/// The hits, best first, or what to try if there are none. With a limit, all have their code; by default, only the
/// best.
pub(super) fn text(
    answer: &SearchAnswer,
    limit: Option<usize>,
    with_evidence: bool,
    columns: Columns,
) -> String {
    if answer.hits.is_empty() {
        return nothing_found(answer);
    }
    let shown = shown(&answer.hits, limit, answer.is_answered);
    let mut text = match answer.is_answered {
        true => String::new(),
        false => format!("{NO_ANSWER}\n"),
    };
    text += &listed(&answer.hits, shown, with_evidence, &Painter::new(&answer.query), columns);
    let took = seconds(answer.elapsed_ms / 1e3);
    let reranked = answer.rerank.as_ref().filter(|rerank| rerank.status == RerankStatus::Applied);
    let reranked = reranked.map(|rerank| format!(", reranked by {}", rerank.reranker)).unwrap_or_default();
    let n_results = n_results(shown, answer.hits.len());
    text += &styled(DIM, format_args!("{n_results} in {}{reranked}, {took}", answer.project));
    text + "\n"
}

/// The hits to show: with a limit, all with their code; by default, only the best with it.
pub(in crate::cli) fn shown(hits: &[Hit], limit: Option<usize>, is_answered: bool) -> Shown {
    let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
    match limit {
        Some(limit) => Shown { n_whole: limit, n_places: 0 },
        None => Shown::from_scores(&scores, is_answered),
    }
}

/// The shown hits, each below its place.
pub(in crate::cli) fn listed(
    hits: &[Hit],
    shown: Shown,
    with_evidence: bool,
    painter: &Painter,
    columns: Columns,
) -> String {
    let width = columns.or(WIDTH_IN_PIPE);
    let shown_hits = hits.iter().take(shown.n_whole + shown.n_places);
    let one = |(at, hit): (usize, &Hit)| {
        let evidence = if with_evidence { evidence(hit, width) } else { String::new() };
        let content = match at < shown.n_whole {
            true => content(hit, painter, width) + &more(hit, width),
            false => String::new(),
        };
        let gap = if content.is_empty() && evidence.is_empty() { "" } else { "\n" };
        heading(at + 1, hit, width) + &content + &evidence + gap
    };
    shown_hits.enumerate().map(one).collect()
}

/// `1 result`, or `3 of 10 results` if others are omitted.
pub(in crate::cli) fn n_results(shown: Shown, n_found: usize) -> String {
    let found = counted(n_found as u64, "result");
    let n_shown = shown.n_whole.saturating_add(shown.n_places);
    if n_shown < n_found { format!("{n_shown} of {found}") } else { found }
}

fn nothing_found(answer: &SearchAnswer) -> String {
    format!(
        "no results in {}\n{} try other words, a lower --min-score, or fewer of --language, --path and --kind\n",
        answer.project,
        styled(LABEL, "hint:"),
    )
}

/// ` 1  92%  src/auth.rs:12-40  verify_token  function in Auth`, on two lines if it does not fit on one.
fn heading(rank: usize, hit: &Hit, width: usize) -> String {
    let range = lines(hit.line_start, hit.line_end);
    let what = what(hit);
    let score = format!("{:>4}", percent(hit.score));
    let used = format!("{rank:>2} {score}  ").width();
    // A path is never cut: terminals open it.
    let path = one_line(&hit.path);
    let place_width = path.width() + range.width() + 1;
    let place = format!("{}:{}", styled(PATH, path), styled(GOOD, range));
    let head =
        format!("{} {}  {place}", styled(BOLD, format_args!("{rank:>2}")), styled(worth(hit.score), score));
    match what {
        None => head + "\n",
        Some(what) if used + place_width + 2 + what.plain.width() <= width => {
            format!("{head}  {}\n", what.styled)
        }
        Some(what) => format!("{head}\n{}{}\n", " ".repeat(used), what.styled),
    }
}

/// The colour of a relevance.
pub(in crate::cli) fn worth(score: f32) -> Style {
    match score {
        0.5.. => GOOD.bold(),
        0.2.. => GOOD,
        0.05.. => FAIR,
        _ => DIM,
    }
}

struct What {
    plain: String,
    styled: String,
}

/// Symbol, kind, and what encloses it.
fn what(hit: &Hit) -> Option<What> {
    let kind = kind(hit);
    let parent = hit.parent.as_deref().filter(|parent| !parent.is_empty());
    let inside = parent.map(|parent| format!(" in {parent}")).unwrap_or_default();
    let symbol = hit.symbol_name.as_deref()?;
    let symbol = one_line(symbol.lines().next().unwrap_or_default());
    let inside = one_line(&inside);
    Some(What {
        plain: format!("{symbol}  {kind}{inside}"),
        styled: format!("{}  {}", styled(BOLD, symbol), styled(DIM, format_args!("{kind}{inside}"))),
    })
}

/// The kind of a hit as its language calls it.
fn kind(hit: &Hit) -> &'static str {
    let kind = hit.chunk_type;
    Language::from_id(&hit.language).map_or(kind.as_str(), |language| kind.word(language))
}

/// `12-40`, or `12`.
fn lines(start: u32, end: u32) -> String {
    if start == end { start.to_string() } else { format!("{start}-{end}") }
}

/// The lines of a hit with their numbers, as [`Detail::Lines`](craig_engine::Detail::Lines) gives them, without their common
/// indentation.
fn content(hit: &Hit, painter: &Painter, width: usize) -> String {
    let numbered = hit.content.lines().filter_map(|line| {
        let (number, line) = line.split_once('\t')?;
        Some((number.parse::<u32>().ok()?, visible(line)))
    });
    let all: Vec<(u32, String)> = numbered.collect();
    let has_text = |(_, line): &(u32, String)| !line.is_empty();
    let Some((start, end)) = all.iter().position(has_text).zip(all.iter().rposition(has_text)) else {
        return String::new();
    };
    let shown = &all[start..=end];
    let indent = shown.iter().filter(|line| has_text(line)).map(|(_, line)| indent(line)).min().unwrap_or(0);
    let gap = |n_left: u32| {
        let gap = format!("         … {}", counted(n_left.into(), "more line"));
        if n_left > 0 { format!("{}\n", styled(DIM, gap)) } else { String::new() }
    };
    let mut text = String::new();
    let mut next = if hit.content.starts_with('…') { hit.line_start } else { shown[0].0 };
    let lines: Vec<&str> = shown.iter().map(|(_, line)| line.get(indent..).unwrap_or_default()).collect();
    let styles = painter.styles(&hit.language, &lines);
    for (at, (number, _)) in shown.iter().enumerate() {
        text += &gap(number.saturating_sub(next));
        next = number + 1;
        let line = cut(lines[at], width.saturating_sub(NUMBERS_WIDTH), Cut::End);
        let line = painted(&line, styles.get(at).map_or(&[], Vec::as_slice));
        let space = if line.is_empty() { "" } else { "  " };
        text += &format!("{}{space}{line}\n", styled(DIM, format_args!("{number:>7}")));
    }
    let is_cut = hit.content.ends_with('…');
    text + &gap(if is_cut { (hit.line_end + 1).saturating_sub(next) } else { 0 })
}

const NUMBERS_WIDTH: usize = 9;

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A line with tabs as spaces and without terminal control characters.
fn visible(line: &str) -> String {
    one_line(&line.replace('\t', "    ")).trim_end().to_owned()
}

/// The file's other matching ranges.
fn more(hit: &Hit, width: usize) -> String {
    if hit.more.is_empty() {
        return String::new();
    }
    let ranges = hit.more.iter().map(|range| {
        let symbol = range.symbol_name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        format!("{}{symbol}", lines(range.line_start, range.line_end))
    });
    let line = format!("         also {}", ranges.collect::<Vec<_>>().join(", "));
    styled(DIM, cut(&visible(&line), width, Cut::End)) + "\n"
}

/// The signals behind a score, strongest first, column by column.
fn evidence(hit: &Hit, width: usize) -> String {
    const INDENT: usize = 9;
    const VALUE_WIDTH: usize = 9;
    const GAP: usize = 3;
    let name_width = hit.evidence.iter().map(|e| e.signal.width()).max().unwrap_or_default();
    let n_columns = ((width + GAP).saturating_sub(INDENT) / (name_width + VALUE_WIDTH + GAP)).clamp(1, 3);
    let n_rows = hit.evidence.len().div_ceil(n_columns);
    let cell = |evidence: &Evidence| {
        let name = styled(LABEL, format_args!("{:<name_width$}", evidence.signal));
        format!("{name}{:>VALUE_WIDTH$.3}", evidence.value)
    };
    (0..n_rows)
        .map(|row| {
            let cells: Vec<String> = hit.evidence.iter().skip(row).step_by(n_rows).map(cell).collect();
            format!("{}{}\n", " ".repeat(INDENT), cells.join(&" ".repeat(GAP)))
        })
        .collect()
}
