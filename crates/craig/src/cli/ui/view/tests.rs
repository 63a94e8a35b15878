//! Screens, as text.

use craig_engine::{ChunkKind, SearchAnswer};
use expect_test::{Expect, expect};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::cli::ui::app::Action;
use crate::cli::ui::searcher::{Found, Wanted};

fn hit(path: &str, line: u32, symbol: &str, score: f32, content: &str) -> Hit {
    Hit {
        path: path.to_owned(),
        line_start: line,
        line_end: line + content.lines().count() as u32 - 1,
        language: "rust".to_owned(),
        chunk_type: ChunkKind::Function,
        symbol_name: Some(symbol.to_owned()),
        symbol_lines: None,
        parent: None,
        score,
        file_score: score,
        content: content.to_owned(),
        evidence: Vec::new(),
        more: Vec::new(),
    }
}

fn answer(query: &str, hits: Vec<Hit>) -> Found {
    let answer = SearchAnswer {
        project: "shop".to_owned(),
        query: query.to_owned(),
        elapsed_ms: 1.5,
        is_answered: !hits.is_empty(),
        hits,
        rerank: None,
        notes: Vec::new(),
    };
    Found { wanted: Wanted { query: query.to_owned(), kind: KindFilter::All }, answer: Ok(answer) }
}

fn app() -> App {
    let mut app = App::new("shop", "token", KindFilter::All);
    assert_eq!(app.wanted_search().map(|wanted| wanted.query).as_deref(), Some("token"));
    assert!(app.wanted_search().is_none() && app.is_searching(), "asked once");
    app.show(answer(
        "token",
        vec![
            hit("src/auth.rs", 12, "verify", 0.92, "fn verify(token: &str) -> bool {\n\tcheck(token)\n}"),
            hit("a/very/long/folder/of/a/deep/tree/session.rs", 3, "renew", 0.11, "fn renew() {\u{1b}[2J}"),
        ],
    ));
    app
}

fn press(app: &mut App, code: KeyCode) -> Action {
    app.press(KeyEvent::new(code, KeyModifiers::NONE))
}

fn check(app: &mut App, (width, height): (u16, u16), expect: Expect) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, app)).unwrap();
    let screen = terminal.backend().to_string();
    let lines: Vec<&str> = screen.lines().map(|line| line.trim_matches('"').trim_end()).collect();
    expect.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn results_with_the_code_of_the_selected_one() {
    let mut app = app();
    check(
        &mut app,
        (100, 8),
        expect![[r#"
        > token
        ╭ shop ────────────────────────────────╮╭ src/auth.rs:12-14 ───────────────────────────────────────╮
        │ 92%  src/auth.rs:12  verify          ││   12  fn verify(token: &str) -> bool {                   │
        │ 11%  …der/of/a/deep/tree/session.rs:3││   13      check(token)                                   │
        │                                      ││   14  }                                                  │
        │                                      ││                                                          │
        ╰──────────────────────────────────────╯╰──────────────────────────────────────────────────────────╯
        2 results, 1.5 ms · Enter opens, Tab filters, Esc quits
    "#]],
    );
    assert_eq!(press(&mut app, KeyCode::Down), Action::Nothing);
    check(
        &mut app,
        (60, 12),
        expect![[r#"
        > token
        ╭ shop ────────────────────────────────────────────────────╮
        │ 92%  src/auth.rs:12  verify                              │
        │ 11%  a/very/long/folder/of/a/deep/tree/session.rs:3  rene│
        ╰──────────────────────────────────────────────────────────╯
        ╭ a/very/long/folder/of/a/deep/tree/session.rs:3-3 ────────╮
        │    3  fn renew() {\u{1b}[2J}                             │
        │                                                          │
        │                                                          │
        │                                                          │
        ╰──────────────────────────────────────────────────────────╯
        2 results, 1.5 ms · Enter opens, Tab filters, Esc quits
    "#]],
    );
    let opened = Action::Open { path: "a/very/long/folder/of/a/deep/tree/session.rs".to_owned(), line: 3 };
    assert_eq!(press(&mut app, KeyCode::Enter), opened);
    assert_eq!(press(&mut app, KeyCode::Esc), Action::Quit);
}

#[test]
fn typing_asks_again_and_tab_chooses_files() {
    let mut app = app();
    press(&mut app, KeyCode::Char('s'));
    assert_eq!(app.wanted_search().unwrap().query, "tokens");
    press(&mut app, KeyCode::Tab);
    let wanted = app.wanted_search().unwrap();
    assert_eq!((&*wanted.query, wanted.kind), ("tokens", KindFilter::Code));
    app.show(answer("tokens", Vec::new()));
    check(
        &mut app,
        (60, 8),
        expect![[r#"
        > tokens
        ╭ shop: code ──────────────────────────────────────────────╮
        ╰──────────────────────────────────────────────────────────╯
        ╭──────────────────────────────────────────────────────────╮
        │                                                          │
        │                                                          │
        ╰──────────────────────────────────────────────────────────╯
        0 results, 1.5 ms · Enter opens, Tab filters, Esc quits
    "#]],
    );
    (0..6).for_each(|_| drop(press(&mut app, KeyCode::Backspace)));
    assert!(app.wanted_search().is_none() && !app.is_searching());
    // An answer that was on its way is too late.
    app.show(answer("tokens", vec![hit("a.rs", 1, "a", 0.9, "fn a() {}")]));
    check(
        &mut app,
        (60, 8),
        expect![[r#"
        >
        ╭ shop: code ──────────────────────────────────────────────╮
        ╰──────────────────────────────────────────────────────────╯
        ╭──────────────────────────────────────────────────────────╮
        │Type words, a name or a question.                         │
        │                                                          │
        ╰──────────────────────────────────────────────────────────╯
        Enter opens, Tab filters, Esc quits
    "#]],
    );
}

#[test]
fn the_preview_ends_with_its_last_line() {
    let mut app = app();
    let code: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    app.show(answer("token", vec![hit("long.rs", 1, "long", 0.9, &code)]));
    (0..9).for_each(|_| drop(press(&mut app, KeyCode::PageDown)));
    check(
        &mut app,
        (100, 6),
        expect![[r#"
        > token
        ╭ shop ────────────────────────────────╮╭ long.rs:1-40 ────────────────────────────────────────────╮
        │ 90%  long.rs:1  long                 ││   39  line 39                                            │
        │                                      ││   40  line 40                                            │
        ╰──────────────────────────────────────╯╰──────────────────────────────────────────────────────────╯
        1 result, 1.5 ms · Enter opens, Tab filters, Esc quits
    "#]],
    );
    app.opened(Err(anyhow::anyhow!("vi: not found; set EDITOR to your editor")));
    press(&mut app, KeyCode::PageUp);
    check(
        &mut app,
        (100, 6),
        expect![[r#"
        > token
        ╭ shop ────────────────────────────────╮╭ long.rs:1-40 ────────────────────────────────────────────╮
        │ 90%  long.rs:1  long                 ││   29  line 29                                            │
        │                                      ││   30  line 30                                            │
        ╰──────────────────────────────────────╯╰──────────────────────────────────────────────────────────╯
        vi: not found; set EDITOR to your editor
    "#]],
    );
}
