//! What is found as text for a model: paths as headings, lines with their numbers.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Explored, ExploredPiece, ExploredPlace};
use crate::{NO_ANSWER, Neighbour};

/// Callees by signature, callers and tests that are listed.
const MOST_CALLEES: usize = 8;
const MOST_CALLERS: usize = 12;
const MOST_TESTS: usize = 3;

/// Behind so many bytes a piece is given without what is around it.
const MOST_BYTES: usize = 9_000;

/// Bytes of a piece's lines, and of a helper's: lines of data are long.
const MOST_CODE_BYTES: usize = 5_000;
const MOST_HELPER_BYTES: usize = 1_500;

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
            let _ = writeln!(text, "{}\n{}", piece.place.heading(), limited(&piece.code, MOST_CODE_BYTES));
            if text.len() < MOST_BYTES {
                piece.write_around(&mut text);
            }
            text.push('\n');
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
            Some(best) if best.place.score >= LIKELY => "Lines are as they are in the files now.\n",
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
    fn holds(&self, other: &Neighbour) -> bool {
        let (first, last) = self.place.lines;
        other.path == self.place.path && (first..=last).contains(&other.lines.0)
    }

    fn write_around(&self, text: &mut String) {
        let path = self.place.path.as_str();
        for (helper, code) in &self.helpers {
            let code = limited(code, MOST_HELPER_BYTES);
            let _ = writeln!(text, "calls {}  {}\n{code}", helper.name, place(helper, path));
        }
        for constant in self.around.constants.iter().filter(|constant| !self.holds(constant)) {
            let _ = writeln!(text, "uses {}  {}", constant.signature, place(constant, path));
        }
        let callees = self.around.callees.iter().filter(|callee| !callee.test);
        for callee in callees.clone().take(MOST_CALLEES) {
            let _ = writeln!(text, "calls {}  {}", callee.signature, place(callee, path));
        }
        let n_left = callees.count().saturating_sub(MOST_CALLEES);
        if n_left > 0 {
            let _ = writeln!(text, "calls {n_left} more");
        }
        let (tests, callers): (Vec<_>, Vec<_>) = self.around.callers.iter().partition(|caller| caller.test);
        let n_callers = self.around.n_callers.saturating_sub(tests.len() as u64);
        write_callers(text, ("called by", path), &callers, MOST_CALLERS, n_callers);
        write_callers(text, ("tested by", path), &tests, MOST_TESTS, tests.len() as u64);
        if self.around.n_possible > 0 {
            let _ = writeln!(text, "{} more calls whose other end is not certain", self.around.n_possible);
        }
        if !self.siblings.is_empty() {
            let siblings: Vec<_> =
                self.siblings.iter().map(|(name, line)| format!("{name} {line}")).collect();
            let _ = writeln!(text, "also in this file: {}", siblings.join(", "));
        }
    }
}

/// Code, or its beginning.
fn limited(code: &str, most: usize) -> Cow<'_, str> {
    if code.len() <= most {
        return code.into();
    }
    format!("{} …", &code[..code.floor_char_boundary(most)]).into()
}

/// `src/a.rs:12-20`; in the file at `path` itself `:12-20`.
fn place(of: &Neighbour, path: &str) -> String {
    let (first, last) = of.lines;
    let file = if of.path == path { "" } else { of.path.as_str() };
    if first == last { format!("{file}:{first}") } else { format!("{file}:{first}-{last}") }
}

/// `called by run  :12, 20; main  src/main.rs:4; 3 more`: the lines are those of the calls.
fn write_callers(
    text: &mut String,
    (what, path): (&str, &str),
    callers: &[&Neighbour],
    most: usize,
    n_all: u64,
) {
    if callers.is_empty() {
        return;
    }
    let caller = |caller: &&Neighbour| {
        let lines: Vec<_> = caller.call_lines.iter().map(u32::to_string).collect();
        let file = if caller.path == path { "" } else { caller.path.as_str() };
        let name = if caller.kind.is_some() { caller.name.as_str() } else { "top level" };
        format!("{name}  {file}:{}", lines.join(", "))
    };
    let mut listed: Vec<_> = callers.iter().take(most).map(caller).collect();
    let n_left = n_all.saturating_sub(listed.len() as u64);
    if n_left > 0 {
        listed.push(format!("{n_left} more"));
    }
    let _ = writeln!(text, "{what} {}", listed.join("; "));
}
