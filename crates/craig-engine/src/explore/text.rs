//! What is found as text for a model: paths as headings, lines with their numbers.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Explored, ExploredDefinition, ExploredPiece, ExploredPlace, LinkedFunction};
use crate::symbol_graph::lines_of_definition;
use crate::{CallRow, NO_ANSWER, Neighbour, Neighbours};

/// What is used, who calls, and tests that are listed.
const MOST_USES: usize = 6;
const MOST_CALLERS: usize = 12;
const MOST_TESTS: usize = 3;

/// Callers of a piece that is not the best.
const MOST_OTHER_CALLERS: usize = 5;

/// Behind so many bytes a piece is given without what is around it, and behind so many more as a place.
const MOST_BYTES_AROUND: usize = 8_000;
const MOST_BYTES: usize = 10_000;

/// Behind so many bytes nothing more is listed but less likely places.
const MOST_BYTES_LISTED: usize = 11_000;

/// Bytes of a piece's lines, of the best one's if its name is asked for, and of a helper's: lines of data are long.
const MOST_CODE_BYTES: usize = 6_000;
const MOST_ASKED_BYTES: usize = 9_000;
const MOST_HELPER_BYTES: usize = 1_500;

/// From this probability on one of the first pieces is likely to answer.
const LIKELY: f32 = 0.05;

impl Explored {
    /// The answer as text for an assistant. Lines of code begin with their number and a tab; nothing else does.
    pub fn text(&self) -> String {
        let mut text = self.terminal_text();
        if self.is_likely() {
            text.push_str("The code above counts as read.\n");
        }
        text
    }

    /// The answer as text for a person.
    pub fn terminal_text(&self) -> String {
        let mut text = String::new();
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        if !self.is_answered {
            let _ = writeln!(text, "{NO_ANSWER}");
        }
        let mut pieces = self.pieces.iter();
        if let Some(best) = pieces.next() {
            best.write(&mut text, true);
        }
        self.write_named(&mut text);
        while text.len() < MOST_BYTES {
            match pieces.next() {
                Some(piece) => piece.write(&mut text, false),
                None => break,
            }
        }
        self.write_ways(&mut text);
        let places: Vec<_> = pieces.map(|piece| &piece.place).chain(&self.places).collect();
        if !places.is_empty() && !self.pieces.is_empty() {
            text.push_str("less likely:\n");
        }
        for place in places {
            let _ = writeln!(text, "  {}", place.heading());
        }
        self.write_nearby(&mut text);
        if !self.is_likely() {
            text.push_str(self.advice());
        }
        text
    }

    /// The calls between what is shown, as far as there is room.
    fn write_ways(&self, text: &mut String) {
        let step = |step: &Neighbour| format!("{}  {}", step.name, place(step, ""));
        let lines = self.ways.iter().map(|way| way.iter().map(step).collect::<Vec<_>>().join(" → "));
        for line in lines {
            if text.len() + line.len() < MOST_BYTES_LISTED {
                let _ = writeln!(text, "calls in order: {line}\n");
            }
        }
    }

    /// Definitions with a guessed name, in full as far as they fit.
    fn write_named(&self, text: &mut String) {
        for ExploredDefinition { definition, code } in &self.named {
            if text.len() > MOST_BYTES_LISTED {
                break;
            }
            let code = code.as_ref().filter(|code| text.len() + code.len() < MOST_BYTES_AROUND);
            let name = if code.is_some() { &definition.name } else { &definition.signature };
            let _ = writeln!(text, "you named {name}  {}", place(definition, ""));
            if let Some(code) = code {
                let _ = writeln!(text, "{code}");
            }
        }
        if !self.named.is_empty() {
            text.push('\n');
        }
    }

    /// A line for each file: `  src/a.rs: read 12-30 → parse, write 34-90`.
    fn write_nearby(&self, text: &mut String) {
        let mut by_file: Vec<(&str, Vec<String>)> = Vec::new();
        for LinkedFunction { definition: Neighbour { name, path, lines, .. }, runs } in &self.nearby {
            let arrow = if runs.is_empty() { "" } else { " → " };
            let entry = format!("{name} {}{arrow}{}", lines_of_definition(lines.0, lines.1), runs.join(" "));
            match by_file.iter_mut().find(|(file, _)| file == path) {
                Some((_, entries)) => entries.push(entry),
                None => by_file.push((path, vec![entry])),
            }
        }
        if !by_file.is_empty() {
            text.push_str("linked by calls:\n");
        }
        for (path, entries) in by_file {
            let _ = writeln!(text, "  {path}: {}", entries.join(", "));
        }
    }

    /// Whether the best piece is likely to answer.
    fn is_likely(&self) -> bool {
        self.pieces.first().is_some_and(|best| best.place.score >= LIKELY)
    }

    fn advice(&self) -> &'static str {
        if self.pieces.is_empty() {
            return "Ask again with names that the code may use and a line of code that it may contain.\n";
        }
        "Not sure. If this is not it, ask again with names that the code may use and a line of code that it may contain.\n"
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
    /// `src/a.rs:12-50  parse 12-30, write 34-90  64%`: the place, and what is defined there with all of its lines.
    fn heading(&self) -> String {
        if self.definitions.is_empty() {
            return self.place.heading();
        }
        let (first, last) = self.place.lines;
        let names = with_lines(&self.definitions);
        format!("{}:{first}-{last}  {names}  {:.0}%", self.place.path, self.place.score * 100.0)
    }

    fn write(&self, text: &mut String, is_best: bool) {
        let most_bytes = if is_best && self.is_asked_for { MOST_ASKED_BYTES } else { MOST_CODE_BYTES };
        let _ = writeln!(text, "{}\n{}", self.heading(), limited(&self.code, most_bytes));
        if text.len() < MOST_BYTES_AROUND {
            self.write_around(text, most_callers(is_best));
        } else if is_best {
            self.write_callers(text, MOST_OTHER_CALLERS);
        }
        text.push('\n');
    }

    /// What its text lists by place: path and first line.
    pub(super) fn listed(&self, is_best: bool) -> impl Iterator<Item = (&str, u32)> {
        let uses = self.values().chain(self.calls().take(MOST_USES));
        let callers = self.callers(most_callers(is_best));
        let uses = uses.map(|used| (used.path.as_str(), used.lines.0));
        uses.chain(callers.map(|caller| (caller.path.as_str(), caller.line)))
    }

    /// The values that it uses, except its own.
    fn values(&self) -> impl Iterator<Item = &Neighbour> {
        self.product_uses().filter(|used| used.is_value() && !self.holds(used))
    }

    /// What it calls.
    fn calls(&self) -> impl Iterator<Item = &Neighbour> {
        self.product_uses().filter(|used| !used.is_value() && !used.call_lines.is_empty())
    }

    fn product_uses(&self) -> impl Iterator<Item = &Neighbour> {
        self.around.uses.iter().filter(|used| !used.test)
    }

    /// As many levels of callers as there is room for.
    fn callers(&self, most: usize) -> impl Iterator<Item = &CallRow> {
        let callers = &self.around.callers;
        let depth = (1..=3).rev().find(|&depth| n_up_to(callers, depth) <= most).unwrap_or(1);
        callers.iter().filter(move |caller| caller.depth <= depth).take(most)
    }

    fn holds(&self, other: &Neighbour) -> bool {
        let (first, last) = self.place.lines;
        other.path == self.place.path && (first..=last).contains(&other.lines.0)
    }

    fn write_around(&self, text: &mut String, most_callers: usize) {
        let path = self.place.path.as_str();
        for ExploredDefinition { definition, code } in &self.helpers {
            let code = limited(code.as_deref().unwrap_or_default(), MOST_HELPER_BYTES);
            let _ = writeln!(text, "uses {}  {}\n{code}", definition.name, place(definition, path));
        }
        for value in self.values() {
            let _ = writeln!(text, "uses {}  {}", value.signature, place(value, path));
        }
        let shown: Vec<_> = self
            .calls()
            .take(MOST_USES)
            .map(|call| format!("{}  {}", call.name, place(call, path)))
            .collect();
        let more = self.calls().count().saturating_sub(MOST_USES);
        if !shown.is_empty() {
            let more = if more > 0 { format!("; {more} more") } else { String::new() };
            let _ = writeln!(text, "calls {}{more}", shown.join("; "));
        }
        self.write_callers(text, most_callers);
        if !self.siblings.is_empty() {
            let _ = writeln!(text, "also in this file: {}", with_lines(&self.siblings));
        }
    }

    /// The callers, then the tests.
    fn write_callers(&self, text: &mut String, most: usize) {
        let Neighbours { through, callers, tests, n_possible, .. } = &self.around;
        let name = self.place.name.as_deref().filter(|_| self.definitions.len() > 1);
        let name = name.map(|name| format!("{name} ")).unwrap_or_default();
        let by = through.as_ref().map_or("by".to_owned(), |base| format!("through {base} by"));
        if !callers.is_empty() {
            let _ = writeln!(text, "{name}called {by}");
        }
        for caller in self.callers(most) {
            let indent = "  ".repeat(caller.depth as usize);
            let _ = writeln!(text, "{indent}{}", caller.text(&self.place.path));
        }
        let n_more = n_up_to(callers, 1).saturating_sub(most);
        if n_more > 0 {
            let _ = writeln!(text, "  {n_more} more");
        }
        if callers.is_empty() && *n_possible > 0 {
            let _ = writeln!(text, "{name}called by nothing for certain, perhaps at {n_possible} places");
        }
        let test = |test: &CallRow| {
            let file = if test.path == self.place.path { "" } else { test.path.as_str() };
            format!("{}  {file}:{}", test.name, test.line)
        };
        let shown: Vec<_> = tests.iter().take(MOST_TESTS).map(test).collect();
        let n_more = tests.len().saturating_sub(MOST_TESTS);
        let more = if n_more > 0 { format!("; {n_more} more") } else { String::new() };
        if !shown.is_empty() {
            let name = if callers.is_empty() { name.as_str() } else { "" };
            let _ = writeln!(text, "{name}tested {by} {}{more}", shown.join("; "));
        }
    }
}

/// Callers that are listed of the best piece, or of another.
fn most_callers(is_best: bool) -> usize {
    if is_best { MOST_CALLERS } else { MOST_OTHER_CALLERS }
}

/// Callers of at most a depth.
fn n_up_to(callers: &[CallRow], depth: u32) -> usize {
    callers.iter().filter(|caller| caller.depth <= depth).count()
}

/// `parse 12-30, write 34-90`
fn with_lines(definitions: &[(String, (u32, u32))]) -> String {
    let named = |(name, (first, last)): &(String, (u32, u32))| format!("{name} {first}-{last}");
    definitions.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// Code, or its first lines.
fn limited(code: &str, most: usize) -> Cow<'_, str> {
    if code.len() <= most {
        return code.into();
    }
    let most = code.floor_char_boundary(most);
    match code[..most].rfind('\n') {
        Some(end) => format!("{}\n…", &code[..end]).into(),
        None => format!("{} …", &code[..most]).into(),
    }
}

/// `src/a.rs:12-20`; in the file at `path` itself `:12-20`.
fn place(of: &Neighbour, path: &str) -> String {
    let file = if of.path == path { "" } else { of.path.as_str() };
    format!("{file}:{}", lines_of_definition(of.lines.0, of.lines.1))
}
