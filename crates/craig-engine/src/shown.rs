//! The lines of a hit that answer: what it is called, and where it shares most with the query.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use craig_chunk::{ChunkKind, Symbol, definition_start};
use craig_search::Hit;
use craig_store::{OutlinedFile, Project, Store};
use craig_text::{is_stop_word, runs, stems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// How much of a hit's text is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// The hit with the numbers of its lines; of a long one the lines that answer, with `…` where others are left out.
    Lines,
    /// The whole symbol that the hit is a part of, with the numbers of its lines.
    Symbol,
    /// The hit as indexed.
    #[default]
    Full,
}

/// A hit with more lines than this is cut.
const MAX_LINES: usize = 40;

/// Symbols with more lines than this are not given whole.
const MAX_SYMBOL_LINES: u32 = 400;

/// Default maximum number of hits per file: the piece that answers may be the second of the right file.
pub const PER_FILE: usize = 3;

/// How likely the second and the third hit need to be in comparison with the first to be given with their code.
const MIN_SHARES: [f32; 2] = [0.2, 0.5];

/// Hits behind these that are given as places, if they are at least so likely.
const MAX_PLACES: usize = 3;
pub(crate) const MIN_PLACE: f32 = 0.02;

/// How much of the hits is shown without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// First hits, with their code.
    pub n_whole: usize,
    /// Hits behind these, as places.
    pub n_places: usize,
}

impl Shown {
    /// What is shown of hits with these scores, best first. If none seems to answer, it is places alone.
    pub fn from_scores(scores: &[f32], is_answered: bool) -> Self {
        if !is_answered {
            return Self { n_whole: 0, n_places: scores.len().min(MAX_PLACES) };
        }
        let others = scores.iter().skip(1).zip(MIN_SHARES);
        let n_others = others.take_while(|(score, share)| **score >= share * scores[0]).count();
        let n_whole = (1 + n_others).min(scores.len());
        let places = scores[n_whole..].iter().take(MAX_PLACES).take_while(|score| **score >= MIN_PLACE);
        Self { n_whole, n_places: places.count() }
    }
}

impl Detail {
    /// Gives the hits as much text as is wanted, and the lines of the symbols that they are parts of.
    pub(crate) fn shape(
        self,
        store: &Store,
        project: &Project,
        query: &str,
        hits: &mut [Hit],
    ) -> Result<(), EngineError> {
        if self == Self::Full {
            return Ok(());
        }
        let mut files = OutlinedFiles::new(store, project);
        for hit in hits {
            if let Some(file) = files.get(&hit.path)? {
                name_after_answer(hit, file, query);
                if self == Self::Symbol {
                    widen(hit, file);
                }
            }
            hit.content = match self {
                Self::Lines => excerpt(&hit.content, hit.line_start, hit.symbol_name.as_deref(), query),
                _ => with_numbers(&hit.content, hit.line_start),
            };
        }
        Ok(())
    }
}

/// Files of a project with their definitions, each read once.
pub(crate) struct OutlinedFiles<'s> {
    store: &'s Store,
    project: &'s Project,
    read: HashMap<String, Option<OutlinedFile>>,
}

impl<'s> OutlinedFiles<'s> {
    pub(crate) fn new(store: &'s Store, project: &'s Project) -> Self {
        Self { store, project, read: HashMap::new() }
    }

    /// A file; `None` if it is gone.
    pub(crate) fn get(&mut self, path: &str) -> Result<Option<&OutlinedFile>, EngineError> {
        if !self.read.contains_key(path) {
            let tracked = self.store.tracked_file(self.project.id, path)?;
            let outlined =
                tracked.map(|file| self.store.load_outlines(self.project.id, &[file.id])).transpose()?;
            self.read.insert(path.to_owned(), outlined.and_then(|mut files| files.pop()));
        }
        Ok(self.read[path].as_ref())
    }
}

/// Calls a hit by the symbol in it that the query names, else by the innermost one that has the line that answers best, and
/// gives that one's lines: a chunk may hold several, and has the name of one.
fn name_after_answer(hit: &mut Hit, file: &OutlinedFile, query: &str) {
    let symbol = asked_for(hit, file, query).or_else(|| answering(hit, file, query));
    if let Some(symbol) = symbol {
        name_after(hit, symbol);
    }
}

/// Calls a hit by the symbol in it that the query names, if there is one.
pub(crate) fn name_as_asked(hit: &mut Hit, file: &OutlinedFile, query: &str) {
    if let Some(symbol) = asked_for(hit, file, query) {
        name_after(hit, symbol);
    }
}

/// The symbol in a hit that the query names, unless it is a field.
fn asked_for<'f>(hit: &Hit, file: &'f OutlinedFile, query: &str) -> Option<&'f Symbol> {
    let lines = hit.line_start..=hit.line_end;
    let is_named = |symbol: &Symbol| is_named_by(query, &symbol.name, symbol.parent.as_deref());
    let is_asked_for =
        |symbol: &&Symbol| lines.contains(&symbol.line) && !is_field(symbol) && is_named(symbol);
    file.symbols.iter().find(is_asked_for)
}

/// Whether a hit is of the symbol that the query names.
pub(crate) fn is_asked_for(hit: &Hit, query: &str) -> bool {
    hit.symbol_name.as_ref().is_some_and(|name| is_named_by(query, name, hit.parent.as_deref()))
}

fn name_after(hit: &mut Hit, symbol: &Symbol) {
    hit.symbol_lines = Some((symbol.line, symbol.line_end));
    if hit.symbol_name.as_ref() != Some(&symbol.name) {
        hit.symbol_name = Some(symbol.name.clone());
        hit.chunk_type = symbol.kind;
        hit.parent.clone_from(&symbol.parent);
    }
}

/// Whether the first line of a query is the name of a symbol, alone or after names of what encloses it.
fn is_named_by(query: &str, name: &str, parent: Option<&str>) -> bool {
    let names = |text: &str| -> Vec<String> {
        let names = text.split(['.', ':', '#', '\\']).filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    };
    let query = query.lines().next().unwrap_or_default().trim();
    let asked_for = names(query.strip_suffix("()").unwrap_or(query));
    let mut own = names(parent.unwrap_or_default());
    own.push(name.to_owned());
    !asked_for.is_empty() && own.ends_with(&asked_for)
}

/// A field is called by its type.
fn is_field(symbol: &Symbol) -> bool {
    symbol.kind == ChunkKind::Constant && symbol.parent.is_some()
}

/// The innermost symbol that has the line that answers best. A field is called by its type.
fn answering<'f>(hit: &Hit, file: &'f OutlinedFile, query: &str) -> Option<&'f Symbol> {
    let lines: Vec<&str> = hit.content.lines().collect();
    let scores = line_scores(&lines, hit.symbol_name.as_deref(), query);
    let best = (hit.line_start..).zip(scores).filter(|(_, score)| *score > 0.0);
    let best = best.reduce(|best, next| if next.1 > best.1 { next } else { best });
    // A comment is about what follows it.
    let code = best.and_then(|(line, _)| {
        let is_code = |&at: &u32| {
            let line = lines[(at - hit.line_start) as usize];
            !line.trim().is_empty() && !is_comment(line)
        };
        (line..hit.line_start + lines.len() as u32).find(is_code)
    });
    let text_of = |number: u32| {
        let at = number.checked_sub(hit.line_start);
        at.and_then(|at| lines.get(at as usize)).copied().unwrap_or_default()
    };
    let holds = |symbol: &&Symbol| {
        code.is_some_and(|line| line <= symbol.line_end && definition_start(text_of, symbol.line) <= line)
            && !is_field(symbol)
    };
    let is_named = |symbol: &&Symbol| {
        Some(&symbol.name) == hit.symbol_name.as_ref()
            && symbol.line <= hit.line_end
            && hit.line_start <= symbol.line_end
    };
    let n_lines = |symbol: &&Symbol| symbol.line_end - symbol.line;
    let named = file.symbols.iter().filter(is_named).min_by_key(n_lines);
    file.symbols.iter().filter(holds).min_by_key(n_lines).or(named)
}

/// Lets the hit hold all of its symbol, unless that is too long.
fn widen(hit: &mut Hit, file: &OutlinedFile) {
    let Some((first, last)) = hit.symbol_lines else { return };
    let (first, last) = (first.min(hit.line_start), last.max(hit.line_end));
    if last - first >= MAX_SYMBOL_LINES {
        return;
    }
    hit.content = lines_of(&file.text, (first, last));
    (hit.line_start, hit.line_end) = (first, last);
}

/// The lines of `text` that are shown for `query`, each with its number; the first line of `text` has the number `first`.
fn excerpt(text: &str, first: u32, symbol: Option<&str>, query: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut written = String::new();
    let mut next = 0;
    for at in shown_lines(text, symbol, query) {
        if at > next {
            written.push_str("…\n");
        }
        written.push_str(&numbered(first as usize + at, lines[at]));
        next = at + 1;
    }
    if next < lines.len() {
        written.push_str("…\n");
    }
    written.pop();
    written
}

/// Lines of a text by their numbers, both ends included.
pub fn lines_of(text: &str, (first, last): (u32, u32)) -> String {
    let lines = text.lines().skip(first as usize - 1).take((last - first + 1) as usize);
    lines.collect::<Vec<_>>().join("\n")
}

/// A text whose lines have their numbers before them; the first is `first`.
pub fn with_numbers(text: &str, first: u32) -> String {
    let mut written: String =
        (first as usize..).zip(text.lines()).map(|(number, line)| numbered(number, line)).collect();
    written.pop();
    written
}

fn numbered(number: usize, line: &str) -> String {
    format!("{number}\t{}\n", line.trim_end())
}

/// The lines of a hit's `text` that are shown for `query`, from 0: all of them, unless there are too many. Then it is the run of
/// lines that shares most with the query, below the line that names the symbol.
fn shown_lines(text: &str, symbol: Option<&str>, query: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= MAX_LINES {
        return (0..lines.len()).collect();
    }
    let scores = line_scores(&lines, symbol, query);
    let head = head(&lines, symbol);
    let start = best_run(&scores, head, MAX_LINES - 1);
    let above = (head < start).then_some(head);
    let n_lines = if above.is_some() { MAX_LINES - 1 } else { MAX_LINES };
    above.into_iter().chain((start..lines.len()).take(n_lines)).collect()
}

/// Where the run of `length` lines begins that shares most, not before `head` as far as there are enough lines behind that: with
/// what it shares in its middle, unless `head` is in it, too.
fn best_run(scores: &[f32], head: usize, length: usize) -> usize {
    let last = scores.len().saturating_sub(length);
    let starts = head.min(last)..=last;
    let sums = starts.clone().map(|start| scores[start..].iter().take(length).sum::<f32>());
    let sums: Vec<(usize, f32)> = starts.zip(sums).collect();
    let most = sums.iter().map(|(_, sum)| *sum).fold(0.0, f32::max);
    let best: Vec<usize> = sums.iter().filter(|(_, sum)| *sum >= most).map(|(start, _)| *start).collect();
    if best.contains(&head) { head } else { best[best.len() / 2] }
}

/// Weight of a word that is part of the symbol's own name, which all of its lines are about.
const OWN_NAME: f32 = 0.3;

/// Weight of an identifier of the query that occurs as a whole.
const IDENTIFIER: f32 = 3.0;

/// How much each line of a text shares with a query.
fn line_scores(lines: &[&str], symbol: Option<&str>, query: &str) -> Vec<f32> {
    let own: BTreeSet<String> = symbol.into_iter().flat_map(stems).collect();
    let words: BTreeSet<String> = stems(query).filter(|word| !is_stop_word(word)).collect();
    let names: BTreeSet<&str> = runs(query)
        .map(|word| word.text)
        .filter(|name| Some(*name) != symbol && is_written_as_name(name))
        .collect();
    // Each line's words of the query with their weights; names count as well as their words.
    let found: Vec<BTreeMap<String, f32>> = lines
        .iter()
        .map(|line| {
            let weight = |word: &String| if own.contains(word) { OWN_NAME } else { 1.0 };
            let shared = stems(line).filter(|word| words.contains(word));
            let mut found: BTreeMap<String, f32> = shared.map(|word| (word.clone(), weight(&word))).collect();
            let named = runs(line).map(|word| word.text).filter(|name| names.contains(name));
            found.extend(named.map(|name| (format!("`{name}"), IDENTIFIER)));
            found
        })
        .collect();
    let mut n_lines_with: HashMap<&str, f32> = HashMap::new();
    for word in found.iter().flat_map(BTreeMap::keys) {
        *n_lines_with.entry(word).or_default() += 1.0;
    }
    // A word on every line does not distinguish any of them.
    let score = |found: &BTreeMap<String, f32>| {
        found.iter().map(|(word, weight)| weight / n_lines_with[word.as_str()].sqrt()).sum::<f32>()
    };
    found.iter().map(score).collect()
}

/// Whether a word of a query is spelled as names in code are: `at_position`, `maxAge`, `HTTPServer2`.
fn is_written_as_name(word: &str) -> bool {
    word.contains('_') || word.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit())
}

/// The line that names the symbol, else the first that is neither import nor comment.
fn head(lines: &[&str], symbol: Option<&str>) -> usize {
    let is_code = |line: &str| !line.trim().is_empty() && !is_comment(line) && !is_import(line);
    let names = |line: &str| is_code(line) && symbol.is_some_and(|symbol| line.contains(symbol));
    let first = || lines.iter().position(|line| is_code(line));
    lines.iter().position(|line| names(line)).or_else(first).unwrap_or_default()
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "*", "#!", "# ", "--", ";;", "\"\"\"", "<!--"].iter().any(|mark| line.starts_with(mark))
}

fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    let begins = [
        "import ",
        "use ",
        "from ",
        "#include",
        "require",
        "package ",
        "using ",
        "pub use ",
        "@import",
        "<?php",
        "declare(",
        "namespace ",
    ];
    begins.iter().any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_numbered_and_whole() {
        let text = "fn a() {\n    b();\n}\n";
        assert_eq!(excerpt(text, 7, Some("a"), "b"), "7\tfn a() {\n8\t    b();\n9\t}");
        assert_eq!(with_numbers(text, 7), excerpt(text, 7, None, ""));
        assert_eq!((excerpt("", 1, None, "b"), with_numbers("", 1)), (String::new(), String::new()));
    }

    /// A function of 102 lines whose line 82 is `line`.
    fn long_function(line: &str) -> String {
        let steps =
            |range: std::ops::Range<u32>| range.map(|n| format!("    step_{n}();\n")).collect::<String>();
        format!("/// Closes.\nfn close(pool: &Pool) {{\n{}    {line}\n{}}}\n", steps(3..82), steps(83..102))
    }

    #[test]
    fn long_texts_are_one_run_below_the_signature() {
        let given = excerpt(&long_function("pool.drain(timeout);"), 1, Some("close"), "timeout of draining");
        assert!(given.starts_with("…\n2\tfn close(pool: &Pool) {\n…\n"), "{given}");
        assert!(given.contains("\n82\t    pool.drain(timeout);\n83\t") && given.ends_with("\n…"), "{given}");
        assert_eq!(given.lines().filter(|line| *line != "…").count(), MAX_LINES);
    }

    #[test]
    fn the_beginning_is_shown_where_that_answers_or_nothing_does() {
        for query in ["closing of the pool", "gardening"] {
            let given = excerpt(&long_function("nothing();"), 1, Some("close"), query);
            assert!(given.starts_with("…\n2\tfn close(pool: &Pool) {\n3\t    step_3();"), "{given}");
        }
    }

    #[test]
    fn words_of_any_script_and_identifiers_choose_the_run() {
        for (line, query) in [
            ("drop(old); // 会话在三十分钟后过期", "会话什么时候过期"),
            ("tracks.insert(at_position, track);", "how does close use at_position"),
        ] {
            let given = excerpt(&long_function(line), 1, Some("close"), query);
            assert!(given.contains(&format!("82\t    {line}")), "{given}");
        }
    }

    #[test]
    fn what_is_shown_depends_on_the_scores() {
        let of = |scores: &[f32]| {
            let Shown { n_whole, n_places } = Shown::from_scores(scores, true);
            (n_whole, n_places)
        };
        assert_eq!(of(&[0.9, 0.1, 0.05, 0.03, 0.01]), (1, 3));
        assert_eq!(of(&[0.5, 0.1, 0.05, 0.01]), (2, 1));
        assert_eq!(of(&[0.9, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]), (3, 3));
        assert_eq!((of(&[]), of(&[0.5])), ((0, 0), (1, 0)));
        assert_eq!(Shown::from_scores(&[0.01; 9], false), Shown { n_whole: 0, n_places: 3 });
    }
}
