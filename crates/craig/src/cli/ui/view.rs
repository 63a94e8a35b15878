//! The screen: the query, the results, and the code of the selected one.

use craig_engine::{Hit, KindFilter};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, List, ListItem, ListState, Paragraph};

use super::app::App;
use crate::cli::output::{BOLD, DIM, FAIR, LABEL, PATH, has_colours};
use crate::cli::paint::{Painter, runs};
use crate::cli::search::text::worth;
use crate::cli::table::{Cut, cut};
use crate::cli::units::{counted, percent, seconds};
use crate::cli::visible::{lines, one_line};

/// Screens with fewer columns show the code below the results, not next to them.
const SIDE_BY_SIDE: u16 = 100;

/// A tab in the preview.
const TAB: &str = "    ";

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let rows = [Constraint::Length(1), Constraint::Min(4), Constraint::Length(1)];
    let [input, middle, status] = Layout::vertical(rows).areas(frame.area());
    let [results, preview] = match middle.width >= SIDE_BY_SIDE {
        true => Layout::horizontal([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(middle),
        false => Layout::vertical([Constraint::Percentage(35), Constraint::Percentage(65)]).areas(middle),
    };
    draw_input(frame, app, input);
    draw_results(frame, app, results);
    draw_preview(frame, app, preview);
    draw_status(frame, app, status);
}

/// `> where are tokens checked`, with the cursor.
fn draw_input(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let prompt = "> ";
    let width = area.width.saturating_sub(prompt.len() as u16 + 1);
    let scroll = app.input.visual_scroll(usize::from(width));
    let query = one_line(app.input.value());
    let typed = Paragraph::new(query.as_ref()).scroll((0, scroll as u16));
    let [before, after] =
        Layout::horizontal([Constraint::Length(prompt.len() as u16), Constraint::Min(1)]).areas(area);
    frame.render_widget(Span::styled(prompt, converted(LABEL)), before);
    frame.render_widget(typed, after);
    let column = app.input.visual_cursor().max(scroll) - scroll;
    frame.set_cursor_position(Position::new(after.x + column as u16, after.y));
}

fn draw_results(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let files = match app.kind {
        KindFilter::All => "",
        KindFilter::Code => ": code",
        KindFilter::Docs => ": documentation",
        KindFilter::Config => ": configuration",
    };
    let block = bordered(format!(" {}{files} ", app.project));
    let width = usize::from(block.inner(area).width);
    let rows: Vec<ListItem<'_>> = app.hits().iter().map(|hit| row(hit, width)).collect();
    let list = List::new(rows).block(block).highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected(app.selected_hit().map(|_| app.selected));
    frame.render_stateful_widget(list, area, &mut state);
}

/// ` 92%  src/auth.rs:12  verify_token`; the path is cut at its start if the row is too narrow.
fn row(hit: &Hit, width: usize) -> ListItem<'static> {
    let score = format!("{:>4}  ", percent(hit.score));
    let place = format!("{}:{}", hit.path, hit.line_start);
    let symbol = hit.symbol_name.as_deref().and_then(|name| name.lines().next()).unwrap_or_default();
    let symbol = if symbol.is_empty() { String::new() } else { format!("  {}", one_line(symbol)) };
    let room = width.saturating_sub(score.len());
    let place = cut(&place, room, Cut::Start);
    ListItem::new(Line::from(vec![
        Span::styled(score, converted(worth(hit.score))),
        Span::styled(place, converted(PATH)),
        Span::styled(symbol, converted(BOLD)),
    ]))
}

fn draw_preview(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let Some(hit) = app.selected_hit() else {
        frame.render_widget(Paragraph::new(hint(app)).block(bordered(String::new())), area);
        return;
    };
    let title = format!(" {}:{}-{} ", one_line(&hit.path), hit.line_start, hit.line_end);
    let code = code(hit, app.input.value());
    let block = bordered(title);
    // The last line stays in sight.
    let most = (code.len() as u16).saturating_sub(block.inner(area).height);
    app.scroll = app.scroll.min(most);
    frame.render_widget(Paragraph::new(code).block(block).scroll((app.scroll, 0)), area);
}

fn hint(app: &App) -> &'static str {
    match () {
        () if app.input.value().trim().is_empty() => "Type words, a name or a question.",
        () if app.is_searching() => "",
        () => "Nothing found.",
    }
}

/// The numbered lines of a hit.
fn code(hit: &Hit, query: &str) -> Vec<Line<'static>> {
    let text = lines(&hit.content).replace('\t', TAB);
    let text: Vec<&str> = text.lines().collect();
    let styles = Painter::new(query).styles(&hit.language, &text);
    let line = |(at, line): (usize, &&str)| {
        let number = format!("{:>5}  ", hit.line_start as usize + at);
        let styles = styles.get(at).map_or(&[][..], Vec::as_slice);
        let code = runs(line, styles).into_iter().map(|(style, run)| (style, run.to_owned()));
        let spans = [(DIM, number)].into_iter().chain(code);
        Line::from_iter(spans.map(|(style, text)| Span::styled(text, converted(style))))
    };
    text.iter().enumerate().map(line).collect()
}

/// A style of the other commands; without its colour if the output has none.
fn converted(style: anstyle::Style) -> Style {
    let colour = match style.get_fg_color() {
        Some(anstyle::Color::Ansi(colour)) if has_colours() => Some(ansi(colour)),
        _ => None,
    };
    let effects = style.get_effects();
    let pairs = [
        (anstyle::Effects::BOLD, Modifier::BOLD),
        (anstyle::Effects::DIMMED, Modifier::DIM),
        (anstyle::Effects::UNDERLINE, Modifier::UNDERLINED),
    ];
    let modifiers =
        pairs.into_iter().filter(|(effect, _)| effects.contains(*effect)).map(|(_, modifier)| modifier);
    Style { fg: colour, ..Style::new().add_modifier(modifiers.collect()) }
}

fn ansi(colour: anstyle::AnsiColor) -> Color {
    match colour {
        anstyle::AnsiColor::Green => Color::Green,
        anstyle::AnsiColor::Cyan => Color::Cyan,
        anstyle::AnsiColor::Magenta => Color::Magenta,
        anstyle::AnsiColor::Yellow => Color::Yellow,
        _ => Color::Reset,
    }
}

/// `12 results, 3 ms · Enter opens, Tab filters, Esc quits`, or what went wrong.
fn draw_status(frame: &mut Frame<'_>, app: &App, area: Rect) {
    if let Some(error) = &app.error {
        frame.render_widget(Span::styled(one_line(error).into_owned(), converted(FAIR)), area);
        return;
    }
    let found = app.answer.as_ref().map(|answer| {
        format!("{}, {} · ", counted(answer.hits.len() as u64, "result"), seconds(answer.elapsed_ms / 1e3))
    });
    let text = format!("{}Enter opens, Tab filters, Esc quits", found.unwrap_or_default());
    frame.render_widget(Span::styled(text, converted(DIM)), area);
}

fn bordered(title: String) -> Block<'static> {
    Block::bordered().border_type(BorderType::Rounded).border_style(converted(DIM)).title(title)
}

#[cfg(test)]
mod tests;
