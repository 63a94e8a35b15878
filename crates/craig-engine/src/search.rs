//! Search: which project, which files.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use craig_model::Cancellation;
use craig_search::{
    CandidateFeatures, ChunkCandidate, Filter, Found, Guesses, Hit, Index, KindFilter, PathBase, PathFilter,
    Retrieval, SearchError, SearchOptions, has_words,
};
use craig_source::{Language, mask_secrets};
use craig_store::{Project, ProjectId, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::milliseconds;
use crate::rerank::{RerankReport, RerankSubject, reranked};
use crate::{Detail, Engine, EngineError};

/// Options of a search; the query itself is a separate argument.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// Maximum number of hits.
    pub limit: usize,
    /// Maximum number of hits of one file. With 1, hits are in the order of their files; with more, in the order of
    /// their lines.
    pub per_file: usize,
    /// Hits below this relevance are left out; 0..=1.
    pub min_score: f32,
    /// Languages to answer from, by id or common name; empty means all.
    pub languages: Vec<String>,
    /// File, folder or pattern to answer from; see [`PathFilter`].
    pub path: Option<String>,
    /// Folder that `path` may be relative to, relative to the project's own; empty for that.
    pub folder: String,
    /// Code, docs, config or all.
    pub kind: KindFilter,
    /// Which retrieval, for ablations.
    pub retrieval: Retrieval,
    /// Whether the configured reranker, if any, looks at the first hits again.
    pub rerank: bool,
    /// Features that are 0 for every candidate, of [`FEATURE_NAMES`](crate::FEATURE_NAMES), for ablations.
    pub without: Vec<&'static str>,
    /// How much of each hit's text is given.
    pub detail: Detail,
    /// The earlier messages.
    pub history: Option<String>,
    /// The message as it was written, where the query leaves code and stack traces out: the lines that its traces name count.
    pub message: Option<String>,
    /// What the caller expects the code to look like.
    pub guesses: Guesses,
    /// Ends reranking from another thread.
    pub cancellation: Cancellation,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            limit: 10,
            per_file: 1,
            min_score: 0.0,
            languages: Vec::new(),
            path: None,
            folder: String::new(),
            kind: KindFilter::All,
            retrieval: Retrieval::Ranked,
            rerank: true,
            without: Vec::new(),
            detail: Detail::Full,
            history: None,
            message: None,
            guesses: Guesses::default(),
            cancellation: Cancellation::default(),
        }
    }
}

impl SearchRequest {
    /// Fails for whatever a search for `query` would refuse in any project: to be asked before a long ingestion.
    pub fn check(&self, query: &str) -> Result<(), EngineError> {
        if !has_words(query) {
            return Err(SearchError::EmptyQuery.into());
        }
        if !(0.0..=1.0).contains(&self.min_score) {
            return Err(EngineError::ScoreOutOfRange { score: self.min_score });
        }
        languages(&self.languages).map(drop)
    }

    /// This request with enough hits for a reranker to choose from, whatever their relevance, in the order that they
    /// are found in; [`narrowed`](Self::narrowed) then returns the requested ones.
    #[must_use]
    fn widened(&self, n_candidates: usize) -> Self {
        Self { limit: self.limit.max(n_candidates), min_score: 0.0, rerank: false, ..self.clone() }
    }

    /// The requested number of reranked hits.
    fn narrowed(&self, mut hits: Vec<Hit>) -> Vec<Hit> {
        hits.retain(|hit| hit.score >= self.min_score);
        hits.truncate(self.limit);
        hits
    }

    fn filter(&self, project: &Project) -> Result<Filter, EngineError> {
        filter(project, self.kind, &self.languages, self.path.as_deref(), &self.folder)
    }
}

/// The files of `kind` in one of the languages of these names, unless there are none, whose path is selected by `path`,
/// relative to the project's folder or to `folder` in it.
pub(crate) fn filter(
    project: &Project,
    kind: KindFilter,
    language_names: &[String],
    path: Option<&str>,
    folder: &str,
) -> Result<Filter, EngineError> {
    let base = PathBase { root: Some(&project.source_path), folder };
    // The project's folder may have been reached through a link.
    let real = path
        .filter(|path| Path::new(path).is_absolute())
        .and_then(|path| Path::new(path).canonicalize().ok());
    let real = real.as_deref().filter(|real| real.starts_with(&project.source_path)).and_then(Path::to_str);
    let path = real.or(path).map(|path| PathFilter::new(path, base));
    Ok(Filter::new(kind, languages(language_names)?, path))
}

/// The languages of these names.
pub(crate) fn languages(names: &[String]) -> Result<Vec<Language>, EngineError> {
    names.iter().map(|name| language(name)).collect()
}

/// The message for people and assistants if no hit seems to answer.
pub const NO_ANSWER: &str = "nothing here seems to answer this; closest:";

/// A query seems to be answered if its first hit is at least this likely to answer …
const ANSWERS: f32 = 0.05;

/// … or it is at least this likely to be about the project.
const ABOUT: f32 = 0.5;

/// The result of a search.
#[derive(Clone, Debug, Serialize)]
pub struct SearchAnswer {
    /// Name of the project searched.
    pub project: String,
    /// The query.
    pub query: String,
    /// Milliseconds from query to hits, without bringing the index up to date.
    pub elapsed_ms: f64,
    /// Hits, best first.
    pub hits: Vec<Hit>,
    /// Whether anything seems to answer; if not, the hits are the nearest that there is.
    pub is_answered: bool,
    /// The outcome of reranking, if a reranker is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<RerankReport>,
    /// Notes: that no file passes the filters, or that a damaged index was rebuilt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A hit of a search in several projects.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProjectHit {
    /// Name of its project.
    pub project: String,
    /// The hit.
    #[serde(flatten)]
    pub hit: Hit,
}

/// The result of a search in several projects.
#[derive(Clone, Debug)]
pub struct ProjectsAnswer {
    /// Names of the projects that were searched; if there are more than 100, only those with hits.
    pub projects: Vec<String>,
    /// How many were searched.
    pub num_projects: usize,
    /// Milliseconds from query to hits.
    pub elapsed_ms: f64,
    /// Hits of all projects, best first.
    pub hits: Vec<ProjectHit>,
    /// Whether anything seems to answer.
    pub is_answered: bool,
    /// The outcome of reranking, if one project was searched.
    pub rerank: Option<RerankReport>,
    /// Notes about projects.
    pub notes: Vec<String>,
}

impl ProjectsAnswer {
    fn add(&mut self, part: Part, answer: SearchAnswer) {
        let SearchAnswer { project, hits, notes, rerank, is_answered, .. } = answer;
        self.is_answered |= is_answered;
        self.rerank = rerank;
        self.notes.extend(notes);
        self.hits.extend(hits.into_iter().map(|hit| part.hit(&project, hit)));
        match part.members.is_empty() {
            true => self.projects.push(project),
            false => self.projects.extend(part.members),
        }
    }
}

/// A project to search, or a group that answers for its members.
struct Part {
    handle: String,
    /// Names of the members of a group.
    members: Vec<String>,
}

impl Part {
    fn project(handle: &str) -> Self {
        Self { handle: handle.to_owned(), members: Vec::new() }
    }

    /// A hit with the member that it is in: the first part of its path in a group.
    fn hit(&self, project: &str, hit: Hit) -> ProjectHit {
        let in_member = self.members.iter().find_map(|member| {
            let path = hit.path.strip_prefix(member)?.strip_prefix('/')?;
            Some((member.clone(), path.to_owned()))
        });
        match in_member {
            Some((project, path)) => ProjectHit { project, hit: Hit { path, ..hit } },
            None => ProjectHit { project: project.to_owned(), hit },
        }
    }
}

/// A search of all projects that takes at least this many indexes suggests a group: each index costs more than half a
/// millisecond, and small projects overrate their best hits (docs/benchmarks.md, "455 repositories in one database").
const MANY_PARTS: usize = 16;

/// Above this number, an answer names only the projects with hits: 10,000 names take 200 kB.
const MAX_NAMED: usize = 100;

/// Projects that one call searches at the same time.
const MAX_PARALLEL: usize = 4;

/// The results of `work` for all `items`, in their order.
///
/// It has threads of its own: a search may wait for an index, which the threads of the engine's pool load.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_PARALLEL);
    let n_of_each = items.len().div_ceil(n_threads).max(1);
    std::thread::scope(|scope| {
        let work = &work;
        let parts = items
            .chunks(n_of_each)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()));
        let parts: Vec<_> = parts.collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

impl Engine {
    /// Searches several projects, or all if none is named, and merges their hits: scores are probabilities, which compare.
    ///
    /// Groups answer for their members where all projects are searched: one index takes far less time than many.
    /// Without reranking if there are several: each project would need a call of its own.
    pub fn search_projects(
        &self,
        handles: &[String],
        query: &str,
        request: &SearchRequest,
    ) -> Result<ProjectsAnswer, EngineError> {
        let started = Instant::now();
        request.check(query)?;
        let searches_all = handles.is_empty();
        let mut parts = match searches_all {
            true => self.parts_of_all(request)?,
            false => handles.iter().map(|handle| Part::project(handle)).collect(),
        };
        let mut seen = HashSet::new();
        parts.retain(|part| seen.insert(part.handle.clone()));
        let is_one = matches!(&*parts, [part] if part.members.is_empty());
        let request = SearchRequest { rerank: request.rerank && is_one, ..request.clone() };
        let answers = in_parallel(&parts, |part| match request.cancellation.is_cancelled() {
            true => Err(EngineError::Cancelled),
            false => self.search(&part.handle, query, &request),
        });
        let mut merged = ProjectsAnswer {
            projects: Vec::new(),
            num_projects: 0,
            elapsed_ms: 0.0,
            hits: Vec::new(),
            is_answered: false,
            rerank: None,
            notes: Vec::new(),
        };
        if searches_all && parts.len() >= MANY_PARTS {
            merged.notes.push(format!(
                "{} indexes were searched one by one: 'craig group add NAME --all' combines them into one, which is faster and \
                 ranks better",
                parts.len()
            ));
        }
        for (part, answer) in parts.into_iter().zip(answers) {
            // It may have been purged since it was listed.
            let is_gone =
                |error: &EngineError| searches_all && part.members.is_empty() && error.is_unknown_project();
            match answer {
                Err(error) if is_gone(&error) => {}
                answer => merged.add(part, answer?),
            }
        }
        // Stable: equal scores stay in the order of projects and paths.
        merged.hits.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
        merged.hits.truncate(request.limit);
        merged.num_projects = merged.projects.len();
        if merged.num_projects > MAX_NAMED {
            let with_hits: HashSet<&str> = merged.hits.iter().map(|hit| &*hit.project).collect();
            merged.projects.retain(|project| with_hits.contains(&**project));
        }
        merged.elapsed_ms = milliseconds(started.elapsed());
        Ok(merged)
    }

    /// The parts in which all projects are searched: groups, the largest first, and the projects that are in none.
    fn parts_of_all(&self, request: &SearchRequest) -> Result<Vec<Part>, EngineError> {
        let store = self.store()?;
        let mut left = self.shown_projects(&store)?;
        let mut parts = Vec::new();
        // Paths are those of each project.
        if request.path.is_none() {
            let mut groups = Vec::new();
            for group in self.shown_groups(&store)? {
                groups.push((store.members(group.id)?, group.reference));
            }
            groups.sort_by_key(|(members, _)| Reverse(members.len()));
            for (members, handle) in groups {
                let ids: HashSet<ProjectId> = members.iter().map(|member| member.id).collect();
                let n_left = left.iter().filter(|project| ids.contains(&project.id)).count();
                if members.len() > 1 && n_left == members.len() {
                    left.retain(|project| !ids.contains(&project.id));
                    parts.push(Part {
                        handle,
                        members: members.into_iter().map(|member| member.name).collect(),
                    });
                }
            }
        }
        parts.iter().flat_map(|part| &part.members).for_each(|member| self.observe(member));
        parts.extend(left.iter().map(|project| Part::project(&project.reference)));
        Ok(parts)
    }

    /// Searches a project as currently indexed.
    pub fn search(
        &self,
        handle: &str,
        query: &str,
        request: &SearchRequest,
    ) -> Result<SearchAnswer, EngineError> {
        let started = Instant::now();
        let pipeline = if request.rerank { self.loaded_reranker(RerankSubject::Hits)? } else { None };
        let wide = match &pipeline {
            Some(Ok(pipeline)) => Some(request.widened(pipeline.candidates)),
            _ => None,
        };
        let mut notes = Vec::new();
        let query = &*mask_secrets(query);
        request.check(query)?;
        // The connection goes back before a provider is asked, which may take seconds.
        let (project, Found { hits, about, .. }) = self.found_in_one_state(
            &*self.store()?,
            handle,
            query,
            wide.as_ref().unwrap_or(request),
            &mut notes,
        )?;
        let best = hits.first().map_or(0.0, |best| best.score);
        let is_answered = best >= ANSWERS || about >= ABOUT && best > 0.0;
        let (hits, rerank) = match pipeline {
            None => (hits, None),
            Some(Err(error)) => {
                let report = RerankReport::unavailable(error, hits.len());
                (hits, Some(report))
            }
            Some(Ok(pipeline)) => {
                let (hits, report) = reranked(&pipeline, query, hits, &request.cancellation);
                (request.narrowed(hits), Some(report))
            }
        };
        let mut hits = hits;
        notes.extend(self.notes_about_names(
            &*self.store()?,
            &project,
            query,
            &hits,
            &request.filter(&project)?,
        )?);
        if request.detail != Detail::Full {
            let guessed = request.guesses.appended_to(query);
            request.detail.shape(
                &*self.store()?,
                &project,
                guessed.as_deref().unwrap_or(query),
                &mut hits,
            )?;
        }
        let elapsed_ms = milliseconds(started.elapsed());
        let query = query.to_owned();
        Ok(SearchAnswer { project: project.name, query, hits, is_answered, rerank, elapsed_ms, notes })
    }

    /// The hits of a search that is part of another answer, without reranking. Messages for the user are added to
    /// `notes`.
    pub(crate) fn found(
        &self,
        store: &Store,
        handle: &str,
        query: &str,
        request: &SearchRequest,
        notes: &mut Vec<String>,
    ) -> Result<Found, EngineError> {
        let query = &*mask_secrets(query);
        request.check(query)?;
        Ok(self.found_in_one_state(store, handle, query, request, notes)?.1)
    }

    /// The hits of a query, with texts of the same state of the store that the index is of.
    fn found_in_one_state(
        &self,
        store: &Store,
        handle: &str,
        query: &str,
        request: &SearchRequest,
        notes: &mut Vec<String>,
    ) -> Result<(Project, Found), EngineError> {
        let embedder = self.embedder()?;
        let mut n_tries = 0;
        loop {
            n_tries += 1;
            let (project, options) = self.searched(store, handle, request)?;
            let found = self.ask_index(store, &project, notes, |index| {
                let _snapshot = store.snapshot()?;
                let generation = store.generation(project.id)?;
                // Constant ingestion must not block answers: in that case, removed files are omitted.
                let is_last = generation.is_some() && n_tries >= MOST_TRIES;
                let is_of_index = generation == Some(index.generation());
                (is_of_index || is_last).then(|| index.search(store, query, &*embedder, &options)).transpose()
            })?;
            if let Some(found) = found {
                notes.extend(found.note.clone());
                return Ok((project, found));
            }
        }
    }

    /// The candidates of a query with their features, in ranked order, for training and evaluation.
    pub fn candidates(
        &self,
        handle: &str,
        query: &str,
        request: &SearchRequest,
    ) -> Result<Vec<CandidateFeatures>, EngineError> {
        let store = self.store()?;
        let (project, options) = self.searched(&store, handle, request)?;
        let embedder = self.embedder()?;
        let ask = |index: &Index| index.candidates(query, &*embedder, &options);
        self.ask_index(&store, &project, &mut Vec::new(), ask)
    }

    /// The pool of a query: the chunks that may answer, with their features, for training and evaluation.
    pub fn chunk_candidates(
        &self,
        handle: &str,
        query: &str,
        request: &SearchRequest,
    ) -> Result<Vec<ChunkCandidate>, EngineError> {
        let store = self.store()?;
        let (project, options) = self.searched(&store, handle, request)?;
        let embedder = self.embedder()?;
        let ask = |index: &Index| index.chunk_candidates(&store, query, &*embedder, &options);
        self.ask_index(&store, &project, &mut Vec::new(), ask)
    }

    /// The project to search, and how.
    fn searched(
        &self,
        store: &Store,
        handle: &str,
        request: &SearchRequest,
    ) -> Result<(Project, SearchOptions), EngineError> {
        let masked = |text: &Option<String>| text.as_deref().map(|text| mask_secrets(text).into_owned());
        let project = self.find(store, handle)?;
        let options = SearchOptions {
            limit: request.limit,
            per_file: request.per_file,
            min_score: request.min_score,
            filter: request.filter(&project)?,
            retrieval: request.retrieval,
            without: request.without.clone(),
            history: masked(&request.history),
            message: masked(&request.message),
            guesses: without_secrets(&request.guesses),
        };
        Ok((project, options))
    }
}

/// Guesses that hold no secret, as the query does not.
pub(crate) fn without_secrets(guesses: &Guesses) -> Guesses {
    let masked = |texts: &[String]| texts.iter().map(|text| mask_secrets(text).into_owned()).collect();
    Guesses { names: masked(&guesses.names), code: masked(&guesses.code) }
}

/// Maximum number of retries of a search whose index changed in the meantime.
const MOST_TRIES: usize = 4;

fn language(name: &str) -> Result<Language, EngineError> {
    Language::from_id(name).ok_or_else(|| {
        let mut similar: Vec<(usize, &str)> = Language::all()
            .map(|language| (unlikeness(&name.to_lowercase(), language.id()), language.id()))
            .filter(|(unlikeness, _)| *unlikeness <= MOST_TYPOS)
            .collect();
        similar.sort();
        let similar = similar.into_iter().take(3).map(|(_, id)| id.to_owned()).collect();
        EngineError::UnknownLanguage { name: name.to_owned(), similar }
    })
}

/// A name with more typos than this is taken for another.
const MOST_TYPOS: usize = 2;

/// Typos between two names; a beginning of the other is as good as one typo.
fn unlikeness(name: &str, id: &str) -> usize {
    let is_beginning = !name.is_empty() && (id.starts_with(name) || name.starts_with(id) && id.len() > 2);
    if is_beginning { 1 } else { strsim::osa_distance(name, id) }
}
