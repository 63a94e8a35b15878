//! One answer to act on: the code that answers a question, with its callees, callers and tests.

mod nearby;
mod surroundings;
mod text;

use std::collections::HashMap;
use std::time::Instant;

use craig_chunk::{Symbol, qualified_name};
use craig_search::{Guesses, Hit};
use craig_source::Language;
use craig_store::OutlinedFile;
use craig_text::is_test;
use schemars::JsonSchema;
use serde::Serialize;

use self::surroundings::Surroundings;
use crate::clock::milliseconds;
use crate::shown::MIN_PLACE;
use crate::{Cancellation, Detail, Engine, EngineError, Neighbour, Neighbours, PER_FILE, SearchRequest};

/// What is explored.
#[derive(Clone, Debug, Default)]
pub struct ExploreRequest {
    /// Guesses of what the code looks like.
    pub guesses: Guesses,
    /// Only this file or folder, or files whose path matches.
    pub path: Option<String>,
    /// Folder that the path is relative to.
    pub folder: String,
    /// Ends the work from another thread.
    pub cancellation: Cancellation,
}

/// The answer to a question.
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
    /// Less likely places.
    pub places: Vec<ExploredPlace>,
    /// Functions that calls link to the hits.
    pub nearby: Vec<LinkedFunction>,
    /// Notes for the caller.
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
    /// Whether the question is its name.
    #[serde(skip)]
    pub is_asked_for: bool,
    /// What is defined in these lines, with all of its lines.
    pub definitions: Vec<(String, (u32, u32))>,
    /// Its lines with their numbers.
    pub code: String,
    /// Short and relevant definitions that it uses, with numbered lines.
    pub helpers: Vec<ExploredDefinition>,
    /// Its other callees, and its callers.
    #[serde(flatten)]
    pub around: Neighbours,
    /// Other definitions of its file with their lines.
    pub siblings: Vec<(String, (u32, u32))>,
}

/// A definition that is related to a hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExploredDefinition {
    /// Its kind and place.
    #[serde(flatten)]
    pub definition: Neighbour,
    /// Its numbered lines, if it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// A function that calls link to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkedFunction {
    /// Its place.
    #[serde(flatten)]
    pub definition: Neighbour,
    /// Names of the other functions of the answer that it calls or hands on.
    pub runs: Vec<String>,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExploredPlace {
    /// Path relative to the project's folder.
    pub path: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// The qualified names of their definitions.
    pub name: Option<String>,
    /// Probability that they answer, from 0 to 1.
    pub score: f32,
}

/// Hits by which what is called is ranked.
const N_RANKED: usize = 60;

/// Pieces are given until their probabilities add up to this, as far as each is likely enough in comparison with the first.
const ENOUGH: f32 = 0.7;
const MIN_SHARE: f32 = 0.25;
const MOST_PIECES: usize = 8;

/// Places that are listed after the pieces.
const MOST_PLACES: usize = 4;

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
        // Product code answers better than its tests.
        let is_whole = |at: usize, hit: &Hit| at < n_whole && (at == 0 || !is_test(&hit.path));
        let (whole, others): (Vec<_>, Vec<_>) =
            found.into_iter().enumerate().partition(|(at, hit)| is_whole(*at, hit));
        let others = others.into_iter().map(|(_, hit)| hit);
        let others: Vec<&Hit> =
            others.filter(|hit| !answer.is_answered || hit.score >= MIN_PLACE).take(MOST_PLACES).collect();
        let store = self.store()?;
        let found = self.read(&store, handle, |project| {
            let mut whole: Vec<Hit> = whole.iter().map(|(_, hit)| (*hit).clone()).collect();
            let guessed = request.guesses.appended_to(query);
            Detail::Lines.shape(&store, project, guessed.as_deref().unwrap_or(query), &mut whole)?;
            let graph = self.symbol_graph(&store, project, &request.cancellation)?;
            Surroundings::new(&store, project, &graph, query, &answer.hits).found(whole, &others, request)
        })?;
        Ok(Explored {
            pieces: found.pieces,
            named: found.named,
            ways: found.ways,
            places: found.places,
            nearby: found.nearby,
            project: answer.project,
            query: answer.query,
            is_answered: answer.is_answered,
            notes: answer.notes,
            elapsed_ms: milliseconds(started.elapsed()),
        })
    }
}

impl ExploredPlace {
    fn new(hit: &Hit) -> Self {
        Self { path: hit.path.clone(), lines: lines(hit), name: name(hit), score: hit.score }
    }

    /// The same with all lines of the definition that it is a part of.
    fn of_definition(mut self, file: Option<&OutlinedFile>) -> Self {
        let Some(file) = file else { return self };
        let (first, last) = self.lines;
        let is_it = |symbol: &&Symbol| {
            let is_named = self.name.as_deref() == Some(&symbol.qualified_name(file.record.language));
            is_named && symbol.line <= last && first <= symbol.line_end
        };
        if let Some(symbol) = file.symbols.iter().find(is_it) {
            self.lines = (first.min(symbol.line), last.max(symbol.line_end));
        }
        self
    }
}

/// The qualified name of a hit.
fn name(hit: &Hit) -> Option<String> {
    let name = hit.symbol_name.as_deref()?;
    let language = Language::from_id(&hit.language)?;
    Some(qualified_name(hit.parent.as_deref(), name, hit.chunk_type, language))
}

/// The hits, limited per file as in a search.
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
    let is_needed = |hit: &&&Hit| {
        let is_needed = covered < ENOUGH && hit.score >= best * MIN_SHARE;
        covered += hit.score;
        is_needed
    };
    hits.iter().take(MOST_PIECES).take_while(is_needed).count()
}

fn lines(hit: &Hit) -> (u32, u32) {
    (hit.line_start, hit.line_end)
}
