//! The modules of a project: folders, expanded where most of the code is, few enough for a chart.

use std::collections::BTreeMap;

use craig_text::path::{folder, is_in};

use crate::graph::Graph;
use crate::mermaid;
use crate::workspace::{FileIx, Workspace};

/// Uses of one module by another, in pairs of files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// By product code.
    pub(crate) product: usize,
    /// Of these, of types only.
    pub(crate) types: usize,
    /// Of these, within functions.
    pub(crate) lazy: usize,
    /// By tests.
    pub(crate) tests: usize,
}

/// Uses by module that uses and module that is used.
pub(crate) type Uses = BTreeMap<(usize, usize), Counts>;

/// Folders with the files that belong to them.
pub(crate) struct Modules {
    /// Path of each module; empty for files at the top.
    pub(crate) paths: Vec<String>,
    /// Module of each file, where it has one.
    pub(crate) of_file: Vec<Option<usize>>,
}

impl Modules {
    /// Divides the code into at most `most` modules, expanding the largest folder as long as that fits.
    pub(crate) fn from_workspace(workspace: &Workspace, most: usize) -> Self {
        let code = workspace.files.iter().map(|file| file.is_code().then_some(file.path.as_str()));
        Self::from_paths(&code.collect::<Vec<_>>(), most)
    }

    /// The same for paths; files without one are in no module.
    pub(crate) fn from_paths(code_paths: &[Option<&str>], most: usize) -> Self {
        let code: Vec<FileIx> = (0..code_paths.len()).filter(|&at| code_paths[at].is_some()).collect();
        let mut modules: BTreeMap<String, Vec<FileIx>> = BTreeMap::from([(String::new(), code)]);
        let mut closed: Vec<String> = Vec::new();
        loop {
            let largest = modules
                .iter()
                .filter(|(path, files)| files.len() > 1 && !closed.contains(path))
                .max_by_key(|(path, files)| (files.len(), std::cmp::Reverse((*path).clone())))
                .map(|(path, _)| path.clone());
            let Some(path) = largest else { break };
            let files = modules.remove(&path).unwrap_or_default();
            let parts = opened(code_paths, &path, &files);
            let Some(parts) = fitting(&path, parts, most.saturating_sub(modules.len())) else {
                modules.insert(path.clone(), files);
                closed.push(path);
                continue;
            };
            if parts.len() == 1 && parts.contains_key(&path) {
                closed.push(path);
            }
            for (part, files) in parts {
                if modules.contains_key(&part) || part.is_empty() {
                    closed.push(part.clone());
                }
                modules.entry(part).or_default().extend(files);
            }
        }
        let mut of_file = vec![None; code_paths.len()];
        let paths: Vec<String> = modules.keys().cloned().collect();
        for (module, files) in modules.values().enumerate() {
            files.iter().for_each(|&file| of_file[file] = Some(module));
        }
        Self { paths, of_file }
    }

    /// How often files of one module use those of another.
    pub(crate) fn uses(&self, graph: &Graph) -> Uses {
        let mut uses = Uses::new();
        for edge in graph.all() {
            if let (Some(from), Some(to)) = (self.of_file[edge.from], self.of_file[edge.to])
                && from != to
            {
                let counts = uses.entry((from, to)).or_default();
                counts.tests += usize::from(edge.weakness.test);
                counts.product += usize::from(!edge.weakness.test);
                counts.types += usize::from(!edge.weakness.test && edge.weakness.type_only);
                counts.lazy += usize::from(!edge.weakness.test && edge.weakness.lazy);
            }
        }
        uses
    }

    /// The map as a Mermaid chart.
    pub(crate) fn chart(&self, graph: &Graph) -> String {
        let names: Vec<String> = self.paths.iter().map(|path| shown(path).to_owned()).collect();
        let uses = self.uses(graph).into_iter().map(|(pair, counts)| (pair, counts.product));
        mermaid::flowchart(&names, &uses.filter(|(_, count)| *count > 0).collect())
    }
}

/// The parts of a folder that fit into `room` modules: all, or the largest, with the others left in the folder itself; `None` if
/// there is hardly any room.
fn fitting(
    path: &str,
    parts: BTreeMap<String, Vec<FileIx>>,
    room: usize,
) -> Option<BTreeMap<String, Vec<FileIx>>> {
    const LEAST_ROOM: usize = 4;
    if parts.len() <= room {
        return Some(parts);
    }
    if room < LEAST_ROOM {
        return None;
    }
    let mut by_size: Vec<(String, Vec<FileIx>)> = parts.into_iter().collect();
    by_size.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    let mut kept: BTreeMap<String, Vec<FileIx>> = BTreeMap::new();
    for (at, (part, files)) in by_size.into_iter().enumerate() {
        let part = if at + 1 < room { part } else { path.to_owned() };
        kept.entry(part).or_default().extend(files);
    }
    Some(kept)
}

/// A module's path for display.
pub(crate) fn shown(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

/// Files of a folder by what lies directly in it: its folders, and itself for its own files.
fn opened(code_paths: &[Option<&str>], path: &str, files: &[FileIx]) -> BTreeMap<String, Vec<FileIx>> {
    let mut parts: BTreeMap<String, Vec<FileIx>> = BTreeMap::new();
    for &file in files {
        let here = folder(code_paths[file].unwrap_or_default());
        let part = match here == path || !is_in(here, path) {
            true => path.to_owned(),
            false => {
                let rest = here[path.len()..].trim_start_matches('/');
                craig_text::path::under(path, rest.split('/').next().unwrap_or(rest))
            }
        };
        parts.entry(part).or_default().push(file);
    }
    parts
}
