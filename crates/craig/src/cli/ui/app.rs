//! What is on the screen, and what each key does with it.

use craig_engine::{Hit, KindFilter, NO_ANSWER, SearchAnswer};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tui_input::Input;
use tui_input::backend::crossterm::EventHandler as _;

use super::searcher::{Found, Wanted};

/// Lines that Page Up and Page Down move the preview by.
const PAGE: u16 = 10;

/// What a key asks for beyond a change of the screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nothing,
    Quit,
    /// Open a file of the project in the editor.
    Open {
        path: String,
        line: u32,
    },
}

pub(super) struct App {
    /// Name of the project.
    pub(super) project: String,
    pub(super) input: Input,
    /// Files that are searched.
    pub(super) kind: KindFilter,
    pub(super) answer: Option<SearchAnswer>,
    /// Index of the selected hit.
    pub(super) selected: usize,
    /// First line of the preview.
    pub(super) scroll: u16,
    /// What went wrong last.
    pub(super) error: Option<String>,
    /// The newest query that was handed to the searcher.
    asked: Option<Wanted>,
    /// The query of the answer.
    answered: Option<Wanted>,
}

impl App {
    pub(super) fn new(project: &str, query: &str, kind: KindFilter) -> Self {
        Self {
            project: project.to_owned(),
            input: Input::from(query),
            kind,
            answer: None,
            selected: 0,
            scroll: 0,
            error: None,
            asked: None,
            answered: None,
        }
    }

    /// The search that the screen needs, once.
    pub(super) fn wanted_search(&mut self) -> Option<Wanted> {
        let wanted = Wanted { query: self.input.value().trim().to_owned(), kind: self.kind };
        if wanted.query.is_empty() {
            (self.answer, self.asked, self.answered, self.error) = (None, None, None, None);
            return None;
        }
        if self.asked.as_ref() == Some(&wanted) {
            return None;
        }
        self.asked = Some(wanted.clone());
        Some(wanted)
    }

    /// Whether an answer is on its way.
    pub(super) fn is_searching(&self) -> bool {
        self.asked != self.answered
    }

    /// Shows an answer, unless the input has been emptied.
    pub(super) fn show(&mut self, Found { wanted, answer }: Found) {
        if self.asked.is_none() {
            return;
        }
        self.answered = Some(wanted);
        (self.selected, self.scroll) = (0, 0);
        match answer {
            Ok(answer) => {
                self.error = (!answer.is_answered && !answer.hits.is_empty()).then(|| NO_ANSWER.to_owned());
                self.answer = Some(answer);
            }
            Err(error) => self.error = Some(error.to_string()),
        }
    }

    /// Reports how opening an editor ended.
    pub(super) fn opened(&mut self, opened: anyhow::Result<()>) {
        self.error = opened.err().map(|error| error.to_string());
    }

    pub(super) fn hits(&self) -> &[Hit] {
        self.answer.as_ref().map_or(&[], |answer| &answer.hits)
    }

    pub(super) fn selected_hit(&self) -> Option<&Hit> {
        self.hits().get(self.selected)
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> Action {
        let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Action::Quit,
            KeyCode::Char('c') if with_control => return Action::Quit,
            KeyCode::Down => self.select(self.selected.saturating_add(1)),
            KeyCode::Char('n' | 'j') if with_control => self.select(self.selected.saturating_add(1)),
            KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::Char('p' | 'k') if with_control => self.select(self.selected.saturating_sub(1)),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_add(PAGE),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyCode::Tab => self.kind = next_kind(self.kind),
            KeyCode::Enter => {
                if let Some(hit) = self.selected_hit() {
                    return Action::Open { path: hit.path.clone(), line: hit.line_start };
                }
            }
            _ => {
                let _ = self.input.handle_event(&Event::Key(key));
            }
        }
        Action::Nothing
    }

    fn select(&mut self, at: usize) {
        let last = self.hits().len().saturating_sub(1);
        (self.selected, self.scroll) = (at.min(last), 0);
    }
}

fn next_kind(kind: KindFilter) -> KindFilter {
    match kind {
        KindFilter::All => KindFilter::Code,
        KindFilter::Code => KindFilter::Docs,
        KindFilter::Docs => KindFilter::Config,
        KindFilter::Config => KindFilter::All,
    }
}
