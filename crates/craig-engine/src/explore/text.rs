//! What is found as text for a model: paths as headings, lines with their numbers.

use std::fmt::Write as _;

use super::{Explored, ExploredPiece, ExploredPlace};
use crate::{NO_ANSWER, Neighbour};

/// Callees by signature, callers and tests that are listed.
const MOST_CALLEES: usize = 10;
const MOST_CALLERS: usize = 6;
const MOST_TESTS: usize = 3;

/// From this probability on the first piece is likely to answer.
const LIKELY: f32 = 0.5;

impl Explored {
    /// The answer as text. Lines of code begin with their number and a tab; nothing else does.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        if !self.is_answered {
            let _ = writeln!(text, "{NO_ANSWER}");
        }
        for piece in &self.pieces {
            piece.write(&mut text);
        }
        if !self.places.is_empty() && !self.pieces.is_empty() {
            text.push_str("less likely:\n");
        }
        for place in &self.places {
            let _ = writeln!(text, "  {}", place.heading());
        }
        text.push_str(self.advice());
        text
    }

    fn advice(&self) -> &'static str {
        match self.pieces.first() {
            Some(best) if best.place.score >= LIKELY => {
                "Lines are as they are in the files now: no need to read them again.\n"
            }
            Some(_) => {
                "Not sure. If this is not it, ask again with names that the code may use and a line of code as it may be.\n"
            }
            None => "Ask again with names that the code may use and a line of code as it may be.\n",
        }
    }
}

impl ExploredPlace {
    fn heading(&self) -> String {
        let (first, last) = self.lines;
        let name = self.name.as_deref().map(|name| format!("  {name}")).unwrap_or_default();
        format!("{}:{first}-{last}{name}  {:.0}%", self.path, self.score * 100.0)
    }
}

impl ExploredPiece {
    fn write(&self, text: &mut String) {
        let _ = writeln!(text, "{}\n{}", self.place.heading(), self.code);
        for (helper, code) in &self.helpers {
            let _ = writeln!(text, "calls {}  {}\n{code}", helper.name, place(helper));
        }
        let callees = self.around.callees.iter().filter(|callee| !callee.test);
        for callee in callees.clone().take(MOST_CALLEES) {
            let _ = writeln!(text, "calls {}  {}: {}", callee.name, place(callee), callee.signature);
        }
        let n_left = callees.count().saturating_sub(MOST_CALLEES);
        if n_left > 0 {
            let _ = writeln!(text, "calls {n_left} more");
        }
        let (tests, callers): (Vec<_>, Vec<_>) = self.around.callers.iter().partition(|caller| caller.test);
        write_callers(text, "called by", &callers, MOST_CALLERS, self.around.n_callers - tests.len() as u64);
        write_callers(text, "tested by", &tests, MOST_TESTS, tests.len() as u64);
        if self.around.n_possible > 0 {
            let _ = writeln!(text, "{} calls more whose other end is not certain", self.around.n_possible);
        }
        if !self.beside.is_empty() {
            let beside: Vec<_> = self.beside.iter().map(|(name, line)| format!("{name} {line}")).collect();
            let _ = writeln!(text, "also in {}: {}", self.place.path, beside.join(", "));
        }
        text.push('\n');
    }
}

/// `src/a.rs:12-20`.
fn place(of: &Neighbour) -> String {
    format!("{}:{}-{}", of.path, of.lines.0, of.lines.1)
}

/// `called by run  src/a.rs: 12, 20; main  src/main.rs: 4; 3 more`.
fn write_callers(text: &mut String, what: &str, callers: &[&Neighbour], most: usize, n_all: u64) {
    if callers.is_empty() {
        return;
    }
    let lines =
        |caller: &Neighbour| caller.call_lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let shown = callers.iter().take(most);
    let mut listed: Vec<_> =
        shown.map(|caller| format!("{}  {}: {}", caller.name, caller.path, lines(caller))).collect();
    let n_left = n_all.saturating_sub(listed.len() as u64);
    if n_left > 0 {
        listed.push(format!("{n_left} more"));
    }
    let _ = writeln!(text, "{what} {}", listed.join("; "));
}
