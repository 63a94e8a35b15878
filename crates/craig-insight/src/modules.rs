//! The modules of a project: folders, expanded where most of the product code is, and parts of flat folders; few enough for a
//! chart.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use craig_symbols::{FileIx, SourceFile, Workspace};
use craig_text::PathRole;
use craig_text::path::{folder, is_in};

use crate::clusters::clusters;
use crate::graph::{Graph, Weakness};

/// Uses of one module by another, in pairs of files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// By product code.
    pub(crate) product: usize,
    /// Of these, of types only.
    pub(crate) types: usize,
    /// Of these, by examples; those of types are not counted again.
    pub(crate) examples: usize,
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
    /// Whether each file is an example.
    pub(crate) is_example: Vec<bool>,
    /// The module of the top, if it holds folders for which there was no room: its layer would mean nothing.
    pub(crate) rest: Option<usize>,
}

/// A folder with a smaller share of the product code is not expanded: one in so many files.
const LEAST_SHARE: usize = 50;

/// A folder with so many files of its own, and such a share of the product code, is divided by what its files use of each other.
const FLAT_FILES: usize = 40;
const FLAT_SHARE: usize = 4;

/// Most parts of such a folder.
const MOST_CLUSTERS: usize = 12;

impl Modules {
    /// Divides the code into at most `most` modules, expanding the folder with most product code as long as that fits; then a
    /// large flat folder into parts.
    pub(crate) fn from_workspace(workspace: &Workspace, graph: &Graph, most: usize) -> Self {
        let files = &workspace.files;
        let paths: Vec<Option<&str>> =
            files.iter().map(|file| file.is_code().then_some(file.path.as_str())).collect();
        let mut is_product: Vec<bool> = files.iter().map(is_product).collect();
        if !is_product.contains(&true) {
            is_product.fill(true);
        }
        let (mut modules, has_rest) = divided(&paths, &is_product, most);
        divide_flat(workspace, graph, &is_product, most, &mut modules);
        Self::from_parts(modules, has_rest, &paths)
    }

    /// By folders alone; files without a path are in no module.
    pub(crate) fn from_paths(code_paths: &[Option<&str>], most: usize) -> Self {
        let (modules, has_rest) = divided(code_paths, &vec![true; code_paths.len()], most);
        Self::from_parts(modules, has_rest, code_paths)
    }

    fn from_parts(modules: Parts, has_rest: bool, code_paths: &[Option<&str>]) -> Self {
        let mut of_file = vec![None; code_paths.len()];
        let is_example = |path: &str| PathRole::from_path(path) == PathRole::Example;
        // A project of examples is its own product.
        let has_product = code_paths.iter().flatten().any(|path| !is_example(path));
        let is_example = code_paths.iter().map(|path| has_product && path.is_some_and(is_example)).collect();
        let paths: Vec<String> = modules.keys().cloned().collect();
        for (module, files) in modules.values().enumerate() {
            files.iter().for_each(|&file| of_file[file] = Some(module));
        }
        let rest = paths.iter().position(|path| has_rest && path.is_empty());
        Self { paths, of_file, is_example, rest }
    }

    /// How often files of one module use those of another.
    pub(crate) fn uses(&self, graph: &Graph) -> Uses {
        let mut uses = Uses::new();
        for edge in graph.all() {
            if let (Some(from), Some(to)) = (self.of_file[edge.from], self.of_file[edge.to])
                && from != to
            {
                let counts = uses.entry((from, to)).or_default();
                let Weakness { test, type_only, .. } = edge.weakness;
                counts.tests += usize::from(test);
                counts.product += usize::from(!test);
                counts.types += usize::from(!test && type_only);
                counts.examples += usize::from(!test && !type_only && self.is_example[edge.from]);
            }
        }
        uses
    }
}

/// Files by the folder or pattern that they are shown under.
type Parts = BTreeMap<String, Vec<FileIx>>;

/// Code of the product itself: no tests, examples, vendored or generated code.
fn is_product(file: &SourceFile) -> bool {
    file.is_code() && !file.is_test && PathRole::from_path(&file.path).is_product()
}

/// The modules, and whether that of the top holds folders for which there was no room.
fn divided(code_paths: &[Option<&str>], is_product: &[bool], most: usize) -> (Parts, bool) {
    let code: Vec<FileIx> = (0..code_paths.len()).filter(|&at| code_paths[at].is_some()).collect();
    let size = |files: &Vec<FileIx>| files.iter().filter(|&&file| is_product[file]).count();
    let least = is_product.iter().filter(|is_product| **is_product).count() / LEAST_SHARE;
    let mut modules: Parts = BTreeMap::from([(String::new(), code)]);
    let mut closed: Vec<String> = Vec::new();
    let mut has_rest = false;
    loop {
        let largest = modules
            .iter()
            .filter(|(path, files)| size(files) > least.max(1) && !closed.contains(path))
            .max_by_key(|(path, files)| (size(files), Reverse((*path).clone())))
            .map(|(path, _)| path.clone());
        let Some(path) = largest else { break };
        let files = modules.remove(&path).unwrap_or_default();
        let parts = parts(code_paths, is_product, &path, &files);
        let n_parts = parts.len();
        let Some(parts) = fitting(&path, parts, most.saturating_sub(modules.len()), size) else {
            modules.insert(path.clone(), files);
            closed.push(path);
            continue;
        };
        has_rest |= path.is_empty() && parts.len() < n_parts;
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
    (modules, has_rest)
}

/// The folders of a folder that hold product code; the rest stays with the folder itself. Folders that hold nothing but one
/// folder of product code are passed. At the top, the others are parts, too.
fn parts(code_paths: &[Option<&str>], is_product: &[bool], path: &str, files: &[FileIx]) -> Parts {
    let (mut here, mut inner) = (path.to_owned(), files.to_vec());
    let mut rest = Parts::new();
    let product = loop {
        let (product, others): (Parts, Parts) = opened(code_paths, &here, &inner)
            .into_iter()
            .partition(|(_, files)| files.iter().any(|&file| is_product[file]));
        for (part, files) in others {
            rest.entry(if path.is_empty() { part } else { path.to_owned() }).or_default().extend(files);
        }
        match product.first_key_value() {
            Some((only, files)) if product.len() == 1 && *only != here => {
                (here, inner) = (only.clone(), files.clone());
            }
            _ => break product,
        }
    };
    if product.len() == 1 && !rest.is_empty() && !path.is_empty() {
        return Parts::from([(path.to_owned(), files.to_vec())]);
    }
    for (part, files) in product {
        rest.entry(part).or_default().extend(files);
    }
    rest
}

/// Divides the folder with most of the product code if it is flat, as far as there is room.
fn divide_flat(workspace: &Workspace, graph: &Graph, is_product: &[bool], most: usize, modules: &mut Parts) {
    let n_product = is_product.iter().filter(|is_product| **is_product).count();
    let own_files = |path: &str, files: &[FileIx]| -> Vec<FileIx> {
        let is_own = |file: FileIx| is_product[file] && folder(&workspace.files[file].path) == path;
        files.iter().copied().filter(|&file| is_own(file)).collect()
    };
    let mut flat: Vec<(String, Vec<FileIx>)> = modules
        .iter()
        .map(|(path, files)| (path.clone(), own_files(path, files)))
        .filter(|(_, own)| own.len() >= FLAT_FILES && own.len() * FLAT_SHARE >= n_product)
        .collect();
    flat.sort_by_key(|(path, own)| (Reverse(own.len()), path.clone()));
    for (path, own) in flat {
        let room = most.saturating_sub(modules.len()).min(MOST_CLUSTERS);
        for cluster in clusters(workspace, graph, &path, &own, room) {
            if let Some(rest) = modules.get_mut(&path) {
                rest.retain(|file| !cluster.files.contains(file));
            }
            modules.entry(cluster.path).or_default().extend(cluster.files);
        }
        modules.retain(|_, files| !files.is_empty());
    }
}

/// The parts of a folder that fit into `room` modules: all, or the largest, with the others left in the folder itself; `None` if
/// there is hardly any room.
fn fitting(path: &str, parts: Parts, room: usize, size: impl Fn(&Vec<FileIx>) -> usize) -> Option<Parts> {
    const LEAST_ROOM: usize = 4;
    if parts.len() <= room {
        return Some(parts);
    }
    if room < LEAST_ROOM {
        return None;
    }
    let mut by_size: Vec<(String, Vec<FileIx>)> = parts.into_iter().collect();
    by_size.sort_by_key(|(part, files)| (Reverse((size(files), files.len())), part.clone()));
    let mut kept: Parts = Parts::new();
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
fn opened(code_paths: &[Option<&str>], path: &str, files: &[FileIx]) -> Parts {
    let mut parts: Parts = Parts::new();
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
