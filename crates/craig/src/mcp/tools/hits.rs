//! Hits of a search in an answer: the first with their code, others as places.

use std::collections::HashSet;

use craig_engine::{ChunkKind, Hit, MoreRange, ProjectHit, Shown};
use rmcp::model::Resource;
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::page::{Page, PageEnd, size_of, whole_lines};
use crate::mcp::resources;

/// A hit with what is needed to read on.
#[derive(Serialize, JsonSchema)]
pub(super) struct FoundHit {
    /// Name of the project.
    project: String,
    /// Path relative to the project's directory.
    path: String,
    line_start: u32,
    line_end: u32,
    chunk_type: ChunkKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_name: Option<String>,
    /// What encloses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    /// First and last line of the whole symbol that the lines are a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_lines: Option<(u32, u32)>,
    /// Probability that the lines answer; of code that is like other code, the share of words that both have.
    score: f32,
    #[serde(skip_serializing_if = "String::is_empty")]
    /// The code, each line after its number and a tab, with … where lines are left out.
    content: String,
    /// Further ranges of the file that match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<MoreRange>,
    /// The text is cut after this line: get_file_content has the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_cut_at_line: Option<usize>,
}

/// Hits of projects, best first, as those that are given with their code and, behind them, places in a line each: all with
/// their code if there is a limit. Places begin with their project if there are `several_projects`.
pub(super) fn split(
    mut hits: Vec<ProjectHit>,
    limit: Option<usize>,
    is_answered: bool,
    several_projects: bool,
) -> (Vec<ProjectHit>, Vec<String>) {
    let scores: Vec<f32> = hits.iter().map(|found| found.hit.score).collect();
    let shown = match limit {
        Some(_) => Shown { n_whole: hits.len(), n_places: 0 },
        None => Shown::from_scores(&scores, is_answered),
    };
    let others = hits.split_off(shown.n_whole);
    let place = |ProjectHit { project, hit }: &ProjectHit| match several_projects {
        true => format!("{project} {}", in_one_line(hit)),
        false => in_one_line(hit),
    };
    let places = others.iter().take(shown.n_places).map(place).collect();
    if limit.is_none() {
        // They are among the places.
        hits.iter_mut().for_each(|found| found.hit.more.clear());
    }
    (hits, places)
}

/// `src/auth.rs:12-40 verify_token 0.04`.
fn in_one_line(hit: &Hit) -> String {
    let symbol = hit.symbol_name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
    format!("{}:{}-{}{symbol} {:.2}", hit.path, hit.line_start, hit.line_end, hit.score)
}

/// The hits of a page, its end, and links to their files.
pub(super) fn paged(
    page: Page,
    hits: Vec<FoundHit>,
    notes: Vec<String>,
    with_links: bool,
) -> (Vec<FoundHit>, PageEnd, Vec<Resource>) {
    let fitting = page.fit(hits);
    let links = if with_links { links(&fitting.items) } else { Vec::new() };
    let end = page.end(&fitting, "hits", notes);
    (fitting.items, end, links)
}

fn links(hits: &[FoundHit]) -> Vec<Resource> {
    let mut seen = HashSet::new();
    let files = hits.iter().map(|hit| (hit.project.as_str(), hit.path.as_str()));
    files
        .filter(|file| seen.insert(*file))
        .map(|(project, path)| resources::file_link(project, path))
        .collect()
}

impl FoundHit {
    /// A hit with as many whole lines of its text as fit into `max_bytes`.
    pub(super) fn new(ProjectHit { project, hit }: ProjectHit, with_content: bool, max_bytes: usize) -> Self {
        let mut more = hit.more;
        more.iter_mut().for_each(|range| range.score = rounded(range.score));
        let mut found = Self {
            project,
            path: hit.path,
            line_start: hit.line_start,
            line_end: hit.line_end,
            chunk_type: hit.chunk_type,
            symbol_name: hit.symbol_name,
            parent: hit.parent,
            symbol_lines: hit.symbol_lines,
            score: rounded(hit.score),
            content: String::new(),
            more,
            content_cut_at_line: None,
        };
        if with_content {
            found.add_content(hit.content, max_bytes);
        }
        found
    }

    fn add_content(&mut self, mut content: String, max_bytes: usize) {
        let end = whole_lines(&content, max_bytes.saturating_sub(size_of(self) + 64));
        if end < content.len() {
            content.truncate(end);
            self.content_cut_at_line = Some(self.line_start as usize + content.matches('\n').count());
        }
        self.content = content;
    }
}

/// Three digits are as precise as a calibrated probability is.
fn rounded(score: f32) -> f32 {
    (score * 1e3).round() / 1e3
}
