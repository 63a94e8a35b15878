//! One answer to act on: the code that answers a question, with its callees, callers and siblings.

mod text;

use std::collections::HashMap;
use std::time::Instant;

use craig_chunk::{ChunkKind, Symbol};
use craig_search::{Guesses, Hit};
use craig_store::{OutlinedFile, Project, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::shown::OutlinedFiles;
use crate::symbol_graph::neighbours;
use crate::{
    Cancellation, Detail, Engine, EngineError, Neighbour, Neighbours, PER_FILE, SearchRequest, Shown,
    with_numbers,
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
    /// Its lines with their numbers.
    pub code: String,
    /// What it calls that is short and matters here, with numbered lines.
    pub helpers: Vec<(Neighbour, String)>,
    /// What else it calls, who calls it.
    #[serde(flatten)]
    pub around: Neighbours,
    /// Other definitions of its file with their first lines.
    pub siblings: Vec<(String, u32)>,
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

/// Longer callees are given by their signature.
const MOST_HELPER_LINES: u32 = 15;

/// Callees of a piece that are given whole, the likeliest first.
const MOST_HELPERS: usize = 3;

/// Other definitions of its file that are listed with a piece.
const MOST_SIBLINGS: usize = 12;

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
        let scores: Vec<f32> = found.iter().map(|hit| hit.score).collect();
        let shown = Shown::from_scores(&scores, answer.is_answered);
        let store = self.store()?;
        let pieces = self.read(&store, handle, |project| {
            let mut whole: Vec<Hit> = found[..shown.n_whole].iter().map(|&hit| hit.clone()).collect();
            let guessed = request.guesses.appended_to(query);
            Detail::Lines.shape(&store, project, guessed.as_deref().unwrap_or(query), &mut whole)?;
            self.explored(&store, project, &whole, &answer.hits, request)
        })?;
        let places = found.iter().skip(shown.n_whole).take(shown.n_places).map(|hit| ExploredPlace::new(hit));
        Ok(Explored {
            places: places.collect(),
            pieces,
            project: answer.project,
            query: answer.query,
            is_answered: answer.is_answered,
            notes: answer.notes,
            elapsed_ms: started.elapsed().as_secs_f64() * 1e3,
        })
    }

    /// The pieces with what is around them. What was shown with one is not shown with another.
    fn explored(
        &self,
        store: &Store,
        project: &Project,
        whole: &[Hit],
        ranked: &[Hit],
        request: &ExploreRequest,
    ) -> Result<Vec<ExploredPiece>, EngineError> {
        let graph = self.symbol_graph(store, project, &request.cancellation)?;
        let mut files = OutlinedFiles::new(store, project);
        let mut seen: Vec<(String, (u32, u32))> =
            whole.iter().map(|hit| (hit.path.clone(), (hit.line_start, hit.line_end))).collect();
        let mut pieces = Vec::new();
        for (at, hit) in whole.iter().enumerate() {
            let line = hit.symbol_lines.map_or(hit.line_start, |(first, _)| first);
            let mut around = neighbours(store, project, &graph, (&hit.path, line))?;
            around.callees.retain(|callee| !is_seen(&seen, callee));
            let mut helpers = Vec::new();
            for at in likeliest(&around.callees, ranked) {
                let callee = &around.callees[at];
                if let Some(file) = files.get(&callee.path)? {
                    seen.push((callee.path.clone(), callee.lines));
                    helpers.push((callee.clone(), numbered(&file.text, callee.lines)));
                }
            }
            around.callees.retain(|callee| !helpers.iter().any(|(helper, _)| helper == callee));
            let is_last = !whole[at + 1..].iter().any(|other| other.path == hit.path);
            let siblings = match files.get(&hit.path)?.filter(|_| is_last) {
                Some(file) => siblings(file, hit, &seen),
                None => Vec::new(),
            };
            let place = ExploredPlace::new(hit);
            pieces.push(ExploredPiece { place, code: hit.content.clone(), helpers, around, siblings });
        }
        Ok(pieces)
    }
}

impl ExploredPlace {
    fn new(hit: &Hit) -> Self {
        let parent = hit.parent.as_deref().filter(|parent| !parent.is_empty());
        let name = hit.symbol_name.as_ref().map(|name| match parent {
            Some(parent) => format!("{parent}.{name}"),
            None => name.clone(),
        });
        Self { path: hit.path.clone(), lines: (hit.line_start, hit.line_end), name, score: hit.score }
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

fn is_seen(seen: &[(String, (u32, u32))], callee: &Neighbour) -> bool {
    let overlaps = |lines: &(u32, u32)| lines.0 <= callee.lines.1 && callee.lines.0 <= lines.1;
    seen.iter().any(|(path, lines)| *path == callee.path && overlaps(lines))
}

/// The short callees that are likeliest to answer, too, by the hits that hold them.
fn likeliest(callees: &[Neighbour], ranked: &[Hit]) -> Vec<usize> {
    let score = |callee: &Neighbour| {
        let holds = |hit: &&Hit| {
            hit.path == callee.path && hit.line_start <= callee.lines.1 && callee.lines.0 <= hit.line_end
        };
        ranked.iter().filter(holds).map(|hit| hit.score).fold(0.0, f32::max)
    };
    let is_short = |callee: &Neighbour| callee.lines.1 - callee.lines.0 < MOST_HELPER_LINES;
    let short = callees.iter().enumerate().filter(|(_, callee)| is_short(callee) && !callee.test);
    let mut scored: Vec<(usize, f32)> = short.map(|(at, callee)| (at, score(callee))).collect();
    scored.retain(|(_, score)| *score > 0.0);
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.into_iter().take(MOST_HELPERS).map(|(at, _)| at).collect()
}

/// Lines of a text with their numbers.
fn numbered(text: &str, (first, last): (u32, u32)) -> String {
    let lines = text.lines().skip(first as usize - 1).take((last - first + 1) as usize);
    with_numbers(&lines.collect::<Vec<_>>().join("\n"), first)
}

/// Functions and types of a hit's file that are not shown: the nearest, in the order of the file.
fn siblings(file: &OutlinedFile, hit: &Hit, seen: &[(String, (u32, u32))]) -> Vec<(String, u32)> {
    let is_shown = |symbol: &Symbol| {
        let overlaps = |lines: &(u32, u32)| lines.0 <= symbol.line_end && symbol.line <= lines.1;
        seen.iter().any(|(path, lines)| *path == hit.path && overlaps(lines))
    };
    let others = file.symbols.iter().filter(|symbol| symbol.kind != ChunkKind::Constant && !is_shown(symbol));
    let mut others: Vec<_> = others.map(|symbol| (symbol.name.clone(), symbol.line)).collect();
    others.sort_by_key(|(_, line)| line.abs_diff(hit.line_start));
    others.truncate(MOST_SIBLINGS);
    others.sort_by_key(|(_, line)| *line);
    others
}
