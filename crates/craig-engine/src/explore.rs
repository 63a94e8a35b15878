//! One answer to act on: the code that answers a question, with its callees, callers and siblings.

mod text;

use std::collections::HashMap;
use std::time::Instant;

use craig_chunk::{ChunkKind, Symbol};
use craig_search::{Guesses, Hit, KindFilter};
use craig_store::{OutlinedFile, Project, Store};
use craig_text::is_test;
use schemars::JsonSchema;
use serde::Serialize;

use crate::search::filter;
use crate::shown::OutlinedFiles;
use crate::symbol_graph::{named, neighbours, values, ways};
use crate::{
    Cancellation, Detail, Engine, EngineError, Neighbour, Neighbours, PER_FILE, SearchRequest, with_numbers,
};

/// What is explored.
#[derive(Clone, Debug, Default)]
pub struct ExploreRequest {
    /// What the code probably looks like.
    pub guesses: Guesses,
    /// Only this file or folder, or files whose path matches.
    pub path: Option<String>,
    /// Folder that the path is relative to.
    pub folder: String,
    /// Ends the work from another thread.
    pub cancellation: Cancellation,
}

/// What there is to a question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Explored {
    /// Name of the project.
    pub project: String,
    /// The question.
    pub query: String,
    /// Whether anything seems to answer; if not, the places are the nearest that there are.
    pub is_answered: bool,
    /// Code that answers, best first.
    pub pieces: Vec<ExploredPiece>,
    /// Definitions that have a guessed name and are not in the pieces; of short ones the numbered lines.
    pub named: Vec<ExploredDefinition>,
    /// How the definitions among these call each other, where others are between them.
    pub ways: Vec<Vec<Neighbour>>,
    /// Where else an answer may be.
    pub places: Vec<ExploredPlace>,
    /// What else to know.
    pub notes: Vec<String>,
    /// Time for all of it.
    pub elapsed_ms: f64,
}

/// Code that answers, and what is around it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExploredPiece {
    /// Where it is.
    #[serde(flatten)]
    pub place: ExploredPlace,
    /// What is defined in these lines, with all of its lines.
    pub definitions: Vec<(String, (u32, u32))>,
    /// Its lines with their numbers.
    pub code: String,
    /// What it uses that is short and matters here, with numbered lines.
    pub helpers: Vec<ExploredDefinition>,
    /// What else it uses, who calls it.
    #[serde(flatten)]
    pub around: Neighbours,
    /// Other definitions of its file with their lines.
    pub siblings: Vec<(String, (u32, u32))>,
}

/// A definition that is not what was searched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExploredDefinition {
    /// What it is, and where.
    #[serde(flatten)]
    pub definition: Neighbour,
    /// Its numbered lines, if it is short and likely to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExploredPlace {
    /// Path relative to the project's folder.
    pub path: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// What they define, qualified by what it is in.
    pub name: Option<String>,
    /// Probability that they answer, from 0 to 1.
    pub score: f32,
}

/// Hits by which what is called is ranked.
const N_RANKED: usize = 60;

/// Pieces are given until one of them answers with this probability, but no fewer than two, as far as each is so likely in
/// comparison with the first.
const ENOUGH: f32 = 0.7;
const MIN_SHARE: f32 = 0.15;
const LEAST_PIECES: usize = 2;
const MOST_PIECES: usize = 8;

/// The best pieces, of which all that is around them is given; of the others the constants that they use.
const MOST_AROUND: usize = 2;

/// Places behind the pieces, and what a piece uses, if they are at least so likely.
const MOST_PLACES: usize = 4;
const MIN_PLACE: f32 = 0.02;

/// Definitions with more lines are not given whole: of the best pieces, of others, and of what has a guessed name.
const MOST_BEST_LINES: u32 = 120;
const MOST_WHOLE_LINES: u32 = 40;
const MOST_NAMED_LINES: u32 = 60;

/// Definitions with a guessed name.
const MOST_NAMED: usize = 6;

/// What is used and longer is given by its signature.
const MOST_HELPER_LINES: u32 = 25;

/// What a piece uses that is given whole, the likeliest first.
const MOST_HELPERS: usize = 3;

/// Definitions that are named of a piece, and others of its file that are listed with the best piece.
const MOST_DEFINITIONS: usize = 6;
const MOST_SIBLINGS: usize = 16;

impl Engine {
    /// Finds the code that answers a question, or is called what the question is, and what is around it.
    pub fn explore(
        &self,
        handle: &str,
        query: &str,
        request: &ExploreRequest,
    ) -> Result<Explored, EngineError> {
        let started = Instant::now();
        let search = SearchRequest {
            limit: N_RANKED,
            per_file: usize::MAX,
            path: request.path.clone(),
            folder: request.folder.clone(),
            guesses: request.guesses.clone(),
            cancellation: request.cancellation.clone(),
            ..SearchRequest::default()
        };
        let answer = self.search(handle, query, &search)?;
        let found = limited_per_file(&answer.hits);
        let n_whole = if answer.is_answered { n_enough(&found) } else { 0 };
        // A test says less than what it tests.
        let is_whole = |at: usize, hit: &Hit| at < n_whole && (at == 0 || !is_test(&hit.path));
        let of_rank = || found.iter().enumerate();
        let store = self.store()?;
        let (found, places) = self.read(&store, handle, |project| {
            let places = of_rank().filter(|(at, hit)| !is_whole(*at, hit));
            let places = places.filter(|(_, hit)| !answer.is_answered || hit.score >= MIN_PLACE);
            let mut files = OutlinedFiles::new(&store, project);
            let place = |(_, hit): (usize, &&Hit)| {
                let file = files.get(&hit.path)?;
                Ok(ExploredPlace::new(hit).of_definition(file))
            };
            let places: Result<Vec<_>, EngineError> = places.take(MOST_PLACES).map(place).collect();
            let whole = of_rank().filter(|(at, hit)| is_whole(*at, hit));
            let mut whole: Vec<Hit> = whole.map(|(_, &hit)| hit.clone()).collect();
            let guessed = request.guesses.appended_to(query);
            let query = guessed.as_deref().unwrap_or(query);
            Detail::Lines.shape(&store, project, query, &mut whole)?;
            let found = self.explored(&store, project, whole, &answer.hits, request)?;
            let is_named = |place: &ExploredPlace| {
                let holds = |named: &ExploredDefinition| {
                    let (path, lines) = (&named.definition.path, named.definition.lines);
                    *path == place.path && lines.0 <= place.lines.1 && place.lines.0 <= lines.1
                };
                found.named.iter().any(holds)
            };
            let places: Vec<_> = places?.into_iter().filter(|place| !is_named(place)).collect();
            Ok((found, places))
        })?;
        Ok(Explored {
            places,
            pieces: found.pieces,
            named: found.named,
            ways: found.ways,
            project: answer.project,
            query: answer.query,
            is_answered: answer.is_answered,
            notes: answer.notes,
            elapsed_ms: started.elapsed().as_secs_f64() * 1e3,
        })
    }

    /// The pieces with what is around them, what has a guessed name, and the ways between these. Nothing is shown twice.
    fn explored(
        &self,
        store: &Store,
        project: &Project,
        mut whole: Vec<Hit>,
        ranked: &[Hit],
        request: &ExploreRequest,
    ) -> Result<Found, EngineError> {
        let graph = self.symbol_graph(store, project, &request.cancellation)?;
        let mut files = OutlinedFiles::new(store, project);
        for (at, hit) in whole.iter_mut().enumerate() {
            if let Some(file) = files.get(&hit.path)? {
                complete(hit, file, if at < LEAST_PIECES { MOST_BEST_LINES } else { MOST_WHOLE_LINES });
            }
        }
        let whole = without_repeated(whole);
        let mut seen: Seen = whole.iter().map(|hit| (hit.path.clone(), lines(hit))).collect();
        let mut pieces = Vec::new();
        for (at, hit) in whole.iter().enumerate() {
            let line = hit.symbol_lines.map_or(hit.line_start, |(first, _)| first);
            let mut around = match at < MOST_AROUND {
                true => neighbours(store, project, &graph, (&hit.path, line))?,
                false => values(store, project, &graph, (&hit.path, line))?,
            };
            around.uses.retain(|used| !is_seen(&seen, &used.path, used.lines));
            let mut helpers = Vec::new();
            for at in likeliest(&around.uses, ranked) {
                let used = &around.uses[at];
                if let Some(file) = files.get(&used.path)? {
                    seen.push((used.path.clone(), used.lines));
                    let code = Some(numbered(&file.text, used.lines));
                    helpers.push(ExploredDefinition { definition: used.clone(), code });
                }
            }
            around.uses.retain(|used| !helpers.iter().any(|helper| helper.definition == *used));
            let file = files.get(&hit.path)?;
            let siblings = file.filter(|_| at == 0).map(|file| siblings(file, hit, &seen));
            pieces.push(ExploredPiece {
                place: ExploredPlace::new(hit),
                definitions: file.map(|file| definitions(file, hit)).unwrap_or_default(),
                code: hit.content.clone(),
                helpers,
                around,
                siblings: siblings.unwrap_or_default(),
            });
        }
        let filter = filter(project, KindFilter::All, &[], request.path.as_deref(), &request.folder)?;
        let mut of_name = named(store, project, &graph, &request.guesses.names)?;
        of_name.retain(|found| filter.passes_path(&found.path));
        let of_hit =
            |hit: &Hit| (hit.path.clone(), hit.symbol_lines.map_or(hit.line_start, |(first, _)| first));
        let ends = whole.iter().map(of_hit);
        let ends: Vec<_> =
            ends.chain(of_name.iter().map(|found| (found.path.clone(), found.lines.1))).collect();
        let ways = ways(store, project, &graph, &ends)?;
        of_name.retain(|found| !is_seen(&seen, &found.path, found.lines));
        of_name.truncate(MOST_NAMED);
        let mut shown = Vec::new();
        for found in of_name {
            let is_short = found.lines.1 - found.lines.0 < MOST_NAMED_LINES;
            let is_likely = score_of(&found, ranked) >= MIN_PLACE;
            let file = files.get(&found.path)?.filter(|_| is_short && is_likely);
            let code = file.map(|file| numbered(&file.text, found.lines));
            shown.push(ExploredDefinition { definition: found, code });
        }
        Ok(Found { pieces, named: shown, ways })
    }
}

/// What is found around the hits.
struct Found {
    pieces: Vec<ExploredPiece>,
    named: Vec<ExploredDefinition>,
    ways: Vec<Vec<Neighbour>>,
}

impl ExploredPlace {
    fn new(hit: &Hit) -> Self {
        let name = hit.symbol_name.as_ref().map(|name| qualified(hit.parent.as_deref(), name));
        Self { path: hit.path.clone(), lines: lines(hit), name, score: hit.score }
    }

    /// The same with all lines of the definition that it is a part of.
    fn of_definition(mut self, file: Option<&OutlinedFile>) -> Self {
        let (first, last) = self.lines;
        let symbols = file.map_or(&[][..], |file| &file.symbols);
        let is_it = |symbol: &&Symbol| {
            let is_named = self.name.as_deref() == Some(&qualified(symbol.parent.as_deref(), &symbol.name));
            is_named && symbol.line <= last && first <= symbol.line_end
        };
        if let Some(symbol) = symbols.iter().find(is_it) {
            self.lines = (first.min(symbol.line), last.max(symbol.line_end));
        }
        self
    }
}

fn qualified(parent: Option<&str>, name: &str) -> String {
    match parent.filter(|parent| !parent.is_empty()) {
        Some(parent) => format!("{parent}.{name}"),
        None => name.to_owned(),
    }
}

/// No more hits of a file than a search shows.
fn limited_per_file(hits: &[Hit]) -> Vec<&Hit> {
    let mut n_of: HashMap<&str, usize> = HashMap::new();
    let mut limited = Vec::new();
    for hit in hits {
        let n = n_of.entry(&hit.path).or_default();
        *n += 1;
        if *n <= PER_FILE {
            limited.push(hit);
        }
    }
    limited
}

/// How many of the hits, best first, are likely to hold the answer together.
fn n_enough(hits: &[&Hit]) -> usize {
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let mut covered = 0.0;
    let is_needed = |(at, hit): &(usize, &&Hit)| {
        let is_needed = (*at < LEAST_PIECES || covered < ENOUGH) && hit.score >= best * MIN_SHARE;
        covered += hit.score;
        is_needed
    };
    hits.iter().enumerate().take(MOST_PIECES).take_while(is_needed).count()
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

/// Hits of which no other holds most lines; of two, the longer one is kept at the place of the better one.
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

/// Lines of files that are given.
type Seen = Vec<(String, (u32, u32))>;

fn lines(hit: &Hit) -> (u32, u32) {
    (hit.line_start, hit.line_end)
}

fn is_seen(seen: &Seen, path: &str, lines: (u32, u32)) -> bool {
    seen.iter().any(|(other, shown)| other == path && shown.0 <= lines.1 && lines.0 <= shown.1)
}

/// How likely a definition answers, by the hits that hold some of it.
fn score_of(found: &Neighbour, ranked: &[Hit]) -> f32 {
    let holds = |hit: &&Hit| {
        hit.path == found.path && hit.line_start <= found.lines.1 && found.lines.0 <= hit.line_end
    };
    ranked.iter().filter(holds).map(|hit| hit.score).fold(0.0, f32::max)
}

/// What is short of what is used and likeliest to answer, too, by the hits that hold it.
fn likeliest(used: &[Neighbour], ranked: &[Hit]) -> Vec<usize> {
    let is_short = |used: &Neighbour| used.lines.1 - used.lines.0 < MOST_HELPER_LINES;
    let short = used.iter().enumerate().filter(|(_, used)| is_short(used) && !used.test);
    let mut scored: Vec<(usize, f32)> = short.map(|(at, used)| (at, score_of(used, ranked))).collect();
    scored.retain(|(_, score)| *score >= MIN_PLACE);
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.into_iter().take(MOST_HELPERS).map(|(at, _)| at).collect()
}

/// Lines of a text with their numbers.
fn numbered(text: &str, (first, last): (u32, u32)) -> String {
    let lines = text.lines().skip(first as usize - 1).take((last - first + 1) as usize);
    with_numbers(&lines.collect::<Vec<_>>().join("\n"), first)
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
    let definition = |symbol: &&Symbol| {
        (qualified(symbol.parent.as_deref(), &symbol.name), (symbol.line, symbol.line_end))
    };
    inner.map(definition).collect()
}

/// Functions, types and constants of a hit's file that are not shown, but members that are data: the nearest, in the order of
/// the file.
fn siblings(file: &OutlinedFile, hit: &Hit, seen: &Seen) -> Vec<(String, (u32, u32))> {
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
