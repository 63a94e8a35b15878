//! `craig search`: finds the right code in a project for a question.

mod batch;
pub(super) mod text;

use std::path::PathBuf;

use craig_engine::{
    Detail, Engine, EngineError, Hit, PER_FILE, ProjectHit, ProjectsAnswer, RerankStatus, SearchAnswer,
    SearchRequest,
};

use self::batch::QueryLine;
use super::failure::Outcome;
use super::filters::Filters;
use super::global::Format;
use super::guesses::Guesses;
use super::project_selector::ProjectOptions;
use super::session::Session;
use super::units::{counted, limit_or_all};

/// Search a project; ingests the directory first if necessary
#[derive(Debug, clap::Args)]
#[command(override_usage = "craig search [OPTIONS] <QUERY>...\n       craig search [OPTIONS] --batch <FILE>")]
pub(crate) struct Args {
    /// Words, a symbol or a question
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    query: Vec<String>,
    /// Read queries from a file, or from stdin with '-': one JSON object per line, {"query": "…"}
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Maximum number of results, all with their code; 0 for all [default: 1 to 3 results with code, up
    /// to 3 more without; in JSON, 10 results]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Maximum number of results per file
    #[arg(long, value_name = "N", default_value_t = PER_FILE)]
    per_file: usize,
    /// Search the documentation of a package that the project uses, added by 'craig docs add'
    #[arg(long = "in", value_name = "PACKAGE")]
    package: Option<String>,
    /// Search the indexes of all projects, without looking for changed files; paths begin with the name of their project
    #[arg(long, conflicts_with_all = ["project", "root", "package", "batch"])]
    all: bool,
    #[command(flatten)]
    guesses: Guesses,
    #[command(flatten)]
    filters: Filters,
    /// Minimum relevance of a result, from 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.0)]
    min_score: f32,
    /// Show how each signal contributes to the score
    #[arg(long)]
    explain: bool,
    /// Keep Craig's own order even if a reranker is configured
    #[arg(long)]
    no_rerank: bool,
    #[command(flatten)]
    from: ProjectOptions,
}

impl Args {
    /// The limit, if one is given.
    fn most(&self) -> Option<usize> {
        self.limit.map(limit_or_all)
    }

    fn request(&self) -> SearchRequest {
        SearchRequest {
            limit: self.most().unwrap_or(SearchRequest::default().limit),
            per_file: self.per_file,
            min_score: self.min_score,
            languages: self.filters.language.clone(),
            path: self.filters.path.clone(),
            kind: self.filters.kind,
            rerank: !self.no_rerank,
            guesses: self.guesses.clone().into(),
            ..SearchRequest::default()
        }
    }
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut request = args.request();
    let query = args.query.join(" ");
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    if let Some(file) = &args.batch {
        let lines = super::batch::open::<QueryLine>(file)?;
        let (project, folder, prepared) = searched(&args, &engine, session)?;
        request.folder = folder;
        let answered = super::batch::run(lines, &mut session.output, |line: &QueryLine| {
            Ok(engine.search(&project, &line.query, &line.request(&request))?)
        })?;
        return Ok(prepared.and(answered));
    }
    if session.output.format == Format::Text {
        request.detail = Detail::Lines;
    }
    request.check(&query)?;
    let (answer, prepared) = if args.all {
        (everywhere(&engine, query, &request)?, Outcome::Complete)
    } else {
        let (project, folder, prepared) = searched(&args, &engine, session)?;
        request.folder = folder;
        (engine.search(&project, &query, &request)?, prepared)
    };
    answer.notes.iter().for_each(|note| session.output.warn(note));
    warn_of_fallback(&answer, session);
    session.output.show(&answer, |columns| text::text(&answer, args.most(), args.explain, columns))?;
    Ok(prepared)
}

/// A search of all projects as one answer: like in a group, each project is a folder.
fn everywhere(engine: &Engine, query: String, request: &SearchRequest) -> Result<SearchAnswer, EngineError> {
    let ProjectsAnswer { num_projects, elapsed_ms, hits, is_answered, rerank, notes, .. } =
        engine.search_projects(&[], &query, request)?;
    let in_its_folder = |ProjectHit { project, hit }| Hit { path: format!("{project}/{}", hit.path), ..hit };
    let hits = hits.into_iter().map(in_its_folder).collect();
    Ok(SearchAnswer {
        project: counted(num_projects as u64, "project"),
        query,
        elapsed_ms,
        hits,
        is_answered,
        rerank,
        notes,
    })
}

/// What to search: the project, or the documentation of one of its packages; and the folder that paths may be relative to.
fn searched(
    args: &Args,
    engine: &Engine,
    session: &mut Session,
) -> anyhow::Result<(String, String, Outcome)> {
    let selector = args.from.selector();
    let (project, prepared) = selector.prepare(engine, &mut session.output)?;
    match &args.package {
        Some(package) => Ok((engine.package_named(&project, package)?, String::new(), prepared)),
        None => {
            let folder = selector.folder(engine, &project)?;
            Ok((project, folder, prepared))
        }
    }
}

/// Warns if the configured reranker failed.
fn warn_of_fallback(answer: &SearchAnswer, session: &mut Session) {
    let fallback = answer.rerank.as_ref().filter(|rerank| rerank.status == RerankStatus::Fallback);
    if let Some(rerank) = fallback {
        let reason = rerank.reason.as_deref().unwrap_or("it failed");
        session.output.warn(format_args!("not reranked by {}: {reason}", rerank.reranker));
    }
}
