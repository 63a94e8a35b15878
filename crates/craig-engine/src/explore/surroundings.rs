//! What is around the hits of a question: what they use, who calls them, what has a guessed name, and the calls between all these.

use std::collections::BTreeMap;

use craig_chunk::{ChunkKind, Symbol};
use craig_search::{Filter, Hit, KindFilter};
use craig_store::{OutlinedFile, Project, Store};
use craig_symbols::{SymbolGraph, SymbolIx};

use super::nearby::nearby;
use super::{ExploreRequest, ExploredDefinition, ExploredPiece, ExploredPlace, LinkedFunction, lines};
use crate::search::filter;
use crate::shown::{MIN_PLACE, OutlinedFiles, is_asked_for, name_as_asked};
use crate::symbol_graph::{defined_at, described, named, neighbours, runs, values, ways};
use crate::{EngineError, Neighbour, Neighbours, lines_of, with_numbers};

/// Number of best pieces, which may be longer than the others, and whose surroundings are shown in full; for the others, only
/// the constants that they use.
const N_BEST: usize = 2;

/// Definitions with more lines are not given whole: the best piece if the question is its name, the best pieces,
/// others, and what has a guessed name.
const MOST_ASKED_LINES: u32 = 200;
const MOST_BEST_LINES: u32 = 120;
const MOST_WHOLE_LINES: u32 = 40;
const MOST_NAMED_LINES: u32 = 60;

/// Definitions with a guessed name.
const MOST_NAMED: usize = 6;

/// Longer callees are shown by their signatures.
const MOST_HELPER_LINES: u32 = 25;

/// Definitions used by a piece that are shown in full, the likeliest first.
const MOST_HELPERS: usize = 3;

/// Definitions that are named of a piece, and others of its file that are listed with the best piece.
const MOST_DEFINITIONS: usize = 6;
const MOST_SIBLINGS: usize = 6;

/// Functions that are listed because they are linked to hits.
const MOST_NEARBY: usize = 8;

/// Other functions of the answer that are named with each of them.
const MOST_RUN: usize = 4;

/// What is found around hits.
pub(super) struct Found {
    pub(super) pieces: Vec<ExploredPiece>,
    pub(super) named: Vec<ExploredDefinition>,
    pub(super) ways: Vec<Vec<Neighbour>>,
    pub(super) places: Vec<ExploredPlace>,
    pub(super) nearby: Vec<LinkedFunction>,
}

/// Looks around hits. Nothing is given twice.
pub(super) struct Surroundings<'a> {
    store: &'a Store,
    project: &'a Project,
    graph: &'a SymbolGraph,
    files: OutlinedFiles<'a>,
    /// The question.
    query: &'a str,
    /// All hits, by which the rest is ranked.
    ranked: &'a [Hit],
    /// Lines of files that are given.
    seen: Vec<(String, (u32, u32))>,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(
        store: &'a Store,
        project: &'a Project,
        graph: &'a SymbolGraph,
        query: &'a str,
        ranked: &'a [Hit],
    ) -> Self {
        let files = OutlinedFiles::new(store, project);
        Self { store, project, graph, files, query, ranked, seen: Vec::new() }
    }

    /// The hits that are given `whole` with what is around them, and the `others` as places.
    pub(super) fn found(
        mut self,
        whole: Vec<Hit>,
        others: &[&Hit],
        request: &ExploreRequest,
    ) -> Result<Found, EngineError> {
        let whole = self.completed(whole)?;
        self.seen = whole.iter().map(|hit| (hit.path.clone(), lines(hit))).collect();
        let pieces = whole.iter().enumerate().map(|(at, hit)| self.piece(at, hit));
        let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
        let named = self.named(request, &whole)?;
        let ways = self.ways(&whole, &named)?;
        let named = self.unseen(&named)?;
        let places = self.places(others)?;
        let nearby = self.nearby(request, &pieces, &ways, &places)?;
        Ok(Found { pieces, named, ways, places, nearby })
    }

    /// The hits with all of their definitions, as far as these are not too long. A question that names a member of a type that
    /// is given whole is about the member.
    fn completed(&mut self, mut hits: Vec<Hit>) -> Result<Vec<Hit>, EngineError> {
        for (at, hit) in hits.iter_mut().enumerate() {
            let most_lines = match at {
                0 if is_asked_for(hit, self.query) => MOST_ASKED_LINES,
                0..N_BEST if is_function(hit) => MOST_BEST_LINES,
                _ => MOST_WHOLE_LINES,
            };
            if let Some(file) = self.files.get(&hit.path)? {
                complete(hit, file, most_lines);
                name_as_asked(hit, file, self.query);
            }
        }
        Ok(by_function(without_repeated(hits)))
    }

    fn piece(&mut self, at: usize, hit: &Hit) -> Result<ExploredPiece, EngineError> {
        let place = (hit.path.as_str(), first_line(hit));
        let mut around = match at < N_BEST {
            true => neighbours(self.store, self.project, self.graph, place)?,
            false => Neighbours::default(),
        };
        let values = values(self.store, self.project, self.graph, place, lines(hit))?;
        let is_new = |value: &Neighbour| !around.uses.iter().any(|used| is_one(used, value));
        let new: Vec<Neighbour> = values.into_iter().filter(is_new).collect();
        around.uses.extend(new);
        around.uses.retain(|used| !self.has_seen(&used.path, used.lines));
        let mut helpers = Vec::new();
        for at in self.likeliest(&around.uses) {
            let used = &around.uses[at];
            if let Some(file) = self.files.get(&used.path)? {
                let code = Some(numbered(&file.text, used.lines));
                helpers.push(ExploredDefinition { definition: used.clone(), code });
                self.seen.push((used.path.clone(), used.lines));
            }
        }
        around.uses.retain(|used| !helpers.iter().any(|helper| helper.definition == *used));
        let seen = &self.seen;
        let file = self.files.get(&hit.path)?;
        let siblings = file.filter(|_| at == 0).map(|file| siblings(file, hit, seen));
        Ok(ExploredPiece {
            is_asked_for: is_asked_for(hit, self.query),
            place: ExploredPlace::new(hit),
            definitions: file.map(|file| definitions(file, hit)).unwrap_or_default(),
            code: hit.content.clone(),
            helpers,
            around,
            siblings: siblings.unwrap_or_default(),
        })
    }

    /// The definitions with a guessed name in the selected files; of a common name, those in the files of the hits.
    fn named(&self, request: &ExploreRequest, hits: &[Hit]) -> Result<Vec<SymbolIx>, EngineError> {
        let selection = self.selection(request)?;
        let is_selected = |at: SymbolIx| selection.passes_path(self.path_of(at));
        let is_near = |at: SymbolIx| hits.iter().any(|hit| hit.path == self.path_of(at));
        Ok(named(self.graph, &request.guesses.names, is_selected, is_near))
    }

    fn selection(&self, request: &ExploreRequest) -> Result<Filter, EngineError> {
        filter(self.project, KindFilter::All, &[], request.path.as_deref(), &request.folder)
    }

    fn ways(&self, whole: &[Hit], named: &[SymbolIx]) -> Result<Vec<Vec<Neighbour>>, EngineError> {
        let hits = whole.iter().filter_map(|hit| defined_at(self.graph, &hit.path, first_line(hit)));
        let between: Vec<SymbolIx> = hits.chain(named.iter().copied()).collect();
        ways(self.store, self.project, self.graph, &between)
    }

    /// Those of the definitions that are not shown yet, the short ones with their lines.
    fn unseen(&mut self, named: &[SymbolIx]) -> Result<Vec<ExploredDefinition>, EngineError> {
        let mut named = described(self.store, self.project, self.graph, named)?;
        named.retain(|found| !self.has_seen(&found.path, found.lines));
        named.truncate(MOST_NAMED);
        let mut given = Vec::new();
        for definition in named {
            let is_short = definition.lines.1 - definition.lines.0 < MOST_NAMED_LINES;
            let file = self.files.get(&definition.path)?.filter(|_| is_short);
            let code = file.map(|file| numbered(&file.text, definition.lines));
            self.seen.push((definition.path.clone(), definition.lines));
            given.push(ExploredDefinition { definition, code });
        }
        Ok(given)
    }

    /// Hits as places, except those that are already shown in part.
    fn places(&mut self, hits: &[&Hit]) -> Result<Vec<ExploredPlace>, EngineError> {
        let mut places = Vec::new();
        for hit in hits {
            let place = ExploredPlace::new(hit).of_definition(self.files.get(&hit.path)?);
            if !self.has_seen(&place.path, place.lines) {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// Functions that are linked to the hits and are neither shown nor listed.
    fn nearby(
        &self,
        request: &ExploreRequest,
        pieces: &[ExploredPiece],
        ways: &[Vec<Neighbour>],
        places: &[ExploredPlace],
    ) -> Result<Vec<LinkedFunction>, EngineError> {
        let places = places.iter().map(|place| (place.path.as_str(), place.lines.0));
        let on_ways = ways.iter().flatten().map(|step| (step.path.as_str(), step.lines.0));
        let of_pieces = pieces.iter().enumerate().flat_map(|(at, piece)| piece.listed(at == 0));
        let listed: Vec<(&str, u32)> = of_pieces.chain(on_ways).chain(places).collect();
        let is_listed = |at: SymbolIx| {
            let definition = self.graph.definition(at);
            let lines = definition.line_start..=definition.line;
            listed.iter().any(|&(path, line)| path == self.path_of(at) && lines.contains(&line))
        };
        // What is linked to hits that do not answer leads nowhere.
        let hits = if pieces.is_empty() { &[] } else { self.ranked };
        let selection = self.selection(request)?;
        let mut found = nearby(self.graph, self.query, &request.guesses, hits);
        found.retain(|&at| selection.passes_path(self.path_of(at)) && !is_listed(at) && !self.shows(at));
        found.truncate(MOST_NEARBY);
        let described = described(self.store, self.project, self.graph, &found)?;
        let is_of_answer = |at: SymbolIx| found.contains(&at) || is_listed(at) || self.shows(at);
        let linked = found.iter().zip(described);
        let linked = linked
            .map(|(&at, definition)| LinkedFunction { definition, runs: self.run_by(at, is_of_answer) });
        Ok(linked.collect())
    }

    /// Names of the functions of the answer that a function calls or hands on.
    fn run_by(&self, at: SymbolIx, is_of_answer: impl Fn(SymbolIx) -> bool) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for other in runs(self.graph, at).into_iter().filter(|&other| other != at && is_of_answer(other)) {
            let name = &self.graph.definition(other).name;
            if names.len() < MOST_RUN && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    fn path_of(&self, at: SymbolIx) -> &str {
        &self.graph.files[self.graph.definition(at).file as usize].path
    }

    /// Whether some of a definition is shown.
    fn shows(&self, at: SymbolIx) -> bool {
        let definition = self.graph.definition(at);
        self.has_seen(self.path_of(at), (definition.line_start, definition.line_end))
    }

    fn has_seen(&self, path: &str, lines: (u32, u32)) -> bool {
        is_seen(&self.seen, path, lines)
    }

    /// How likely a definition answers, by the hits that hold some of it.
    fn score_of(&self, found: &Neighbour) -> f32 {
        let holds = |hit: &&Hit| {
            hit.path == found.path && hit.line_start <= found.lines.1 && found.lines.0 <= hit.line_end
        };
        self.ranked.iter().filter(holds).map(|hit| hit.score).fold(0.0, f32::max)
    }

    /// What is short of what is used and likeliest to answer, too.
    fn likeliest(&self, used: &[Neighbour]) -> Vec<usize> {
        let is_short = |used: &Neighbour| used.lines.1 - used.lines.0 < MOST_HELPER_LINES;
        let short = used.iter().enumerate().filter(|(_, used)| is_short(used) && !used.test);
        let mut scored: Vec<(usize, f32)> = short.map(|(at, used)| (at, self.score_of(used))).collect();
        scored.retain(|(_, score)| *score >= MIN_PLACE);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        scored.into_iter().take(MOST_HELPERS).map(|(at, _)| at).collect()
    }
}

/// Whether two are the same definition.
fn is_one(a: &Neighbour, b: &Neighbour) -> bool {
    (&a.path, a.lines) == (&b.path, b.lines)
}

/// The line of the definition that a hit is of.
pub(super) fn first_line(hit: &Hit) -> u32 {
    hit.symbol_lines.map_or(hit.line_start, |(first, _)| first)
}

/// Lets a hit hold all of its definition, unless that is too long.
fn complete(hit: &mut Hit, file: &OutlinedFile, most_lines: u32) {
    let Some((first, last)) = hit.symbol_lines else { return };
    let whole = (first.min(hit.line_start), last.max(hit.line_end));
    if whole.1 - whole.0 < most_lines {
        (hit.line_start, hit.line_end) = whole;
        hit.content = numbered(&file.text, whole);
    }
}

/// Hits without those whose lines are mostly in another hit; the longer of two is kept at the rank of the better one.
fn without_repeated(hits: Vec<Hit>) -> Vec<Hit> {
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        let n_lines = |hit: &Hit| hit.line_end + 1 - hit.line_start;
        let is_same = |other: &Hit| {
            let (first, last) = (hit.line_start.max(other.line_start), hit.line_end.min(other.line_end));
            let n_shared = (last + 1).saturating_sub(first);
            other.path == hit.path && 2 * n_shared > n_lines(other).min(n_lines(&hit))
        };
        match kept.iter_mut().find(|other| is_same(other)) {
            Some(other) if n_lines(other) < n_lines(&hit) => *other = Hit { score: other.score, ..hit },
            Some(_) => {}
            None => kept.push(hit),
        }
    }
    kept
}

fn is_function(hit: &Hit) -> bool {
    matches!(hit.chunk_type, ChunkKind::Function | ChunkKind::Method)
}

/// Hits of which those of one function are one, at the rank of the best.
fn by_function(hits: Vec<Hit>) -> Vec<Hit> {
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        let function = hit.symbol_lines.filter(|_| is_function(&hit));
        let is_same =
            |other: &&mut Hit| other.path == hit.path && function.is_some() && other.symbol_lines == function;
        match kept.iter_mut().find(is_same) {
            Some(other) => add_lines(other, &hit),
            None => kept.push(hit),
        }
    }
    kept
}

/// Lets a hit hold the lines of another, too: in the order of the file, with `…` where others are left out.
fn add_lines(hit: &mut Hit, other: &Hit) {
    let numbered = hit.content.lines().chain(other.content.lines()).filter_map(|line| {
        let (number, _) = line.split_once('\t')?;
        Some((number.parse().ok()?, line))
    });
    let lines: BTreeMap<u32, &str> = numbered.collect();
    (hit.line_start, hit.line_end) = (hit.line_start.min(other.line_start), hit.line_end.max(other.line_end));
    let mut content = String::new();
    let mut next = hit.line_start;
    for (number, line) in lines {
        if number > next {
            content.push_str("…\n");
        }
        content.push_str(line);
        content.push('\n');
        next = number + 1;
    }
    if next <= hit.line_end {
        content.push_str("…\n");
    }
    content.pop();
    hit.content = content;
}

fn is_seen(seen: &[(String, (u32, u32))], path: &str, lines: (u32, u32)) -> bool {
    seen.iter().any(|(other, shown)| other == path && shown.0 <= lines.1 && lines.0 <= shown.1)
}

/// Lines of a text with their numbers.
fn numbered(text: &str, (first, last): (u32, u32)) -> String {
    with_numbers(&lines_of(text, (first, last)), first)
}

/// The functions and types that a hit is of, the innermost.
fn definitions(file: &OutlinedFile, hit: &Hit) -> Vec<(String, (u32, u32))> {
    let is_here = |symbol: &&Symbol| {
        symbol.kind != ChunkKind::Constant && symbol.line <= hit.line_end && hit.line_start <= symbol.line_end
    };
    let here: Vec<&Symbol> = file.symbols.iter().filter(is_here).collect();
    let is_inner = |symbol: &&&Symbol| {
        let is_in = |other: &Symbol| symbol.line < other.line && other.line_end <= symbol.line_end;
        !here.iter().any(|other| is_in(other))
    };
    let inner = here.iter().filter(is_inner).take(MOST_DEFINITIONS);
    let definition =
        |symbol: &&Symbol| (symbol.qualified_name(file.record.language), (symbol.line, symbol.line_end));
    inner.map(definition).collect()
}

/// Functions, types and constants of a hit's file that are not shown, but members that are data: the nearest, in the order of
/// the file.
fn siblings(file: &OutlinedFile, hit: &Hit, seen: &[(String, (u32, u32))]) -> Vec<(String, (u32, u32))> {
    let is_shown = |symbol: &Symbol| is_seen(seen, &hit.path, (symbol.line, symbol.line_end));
    let others = file.symbols.iter().filter(|symbol| {
        (symbol.kind != ChunkKind::Constant || symbol.parent.is_none()) && !is_shown(symbol)
    });
    let mut others: Vec<_> =
        others.map(|symbol| (symbol.name.clone(), (symbol.line, symbol.line_end))).collect();
    others.sort_by_key(|(_, (line, _))| line.abs_diff(hit.line_start));
    others.truncate(MOST_SIBLINGS);
    others.sort_by_key(|(_, lines)| *lines);
    others
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn hits_of_one_function_are_one() {
        let hit = |symbol: &str, symbol_lines: (u32, u32), (first, last): (u32, u32)| {
            let text: String = (first..=last).map(|line| format!("step_{line}();\n")).collect();
            Hit {
                path: "a.rs".into(),
                line_start: first,
                line_end: last,
                language: "rust".into(),
                chunk_type: ChunkKind::Function,
                symbol_name: Some(symbol.into()),
                symbol_lines: Some(symbol_lines),
                parent: None,
                score: 0.5,
                file_score: 0.5,
                content: with_numbers(&text, first),
                evidence: Vec::new(),
                more: Vec::new(),
            }
        };
        let hits = vec![
            hit("run", (1, 300), (8, 9)),
            hit("stop", (301, 303), (301, 302)),
            hit("run", (1, 300), (6, 8)),
            hit("run", (1, 300), (12, 12)),
        ];
        let shown = |hit: &Hit| format!("{}-{}\n{}\n", hit.line_start, hit.line_end, hit.content);
        expect![[r#"
            6-12
            6	step_6();
            7	step_7();
            8	step_8();
            9	step_9();
            …
            12	step_12();
            301-302
            301	step_301();
            302	step_302();
        "#]]
        .assert_eq(&by_function(hits).iter().map(shown).collect::<String>());
    }
}
