//! What a file, a folder or a symbol uses and is used by, and the impact of changing it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use craig_chunk::Symbol;
use craig_source::Language;
use craig_store::{FileId, ProjectId, Store};
use craig_symbols::{FileIx, SourceFile, SymbolGraph, SymbolQuery, SymbolReference, Workspace, module_names};
use craig_text::path::{extension, file_stem, folder, is_in, name};
use craig_text::whole_words;
use rayon::{ThreadPool, prelude::*};
use serde::Serialize;

use crate::dependencies::{FileEdge, Place, file_edge};
use crate::graph::Weakness;
use crate::{Analysis, InsightError, mermaid};

/// The relations of one part of a project to the others.
#[derive(Clone, Debug, Serialize)]
pub struct Relations {
    /// The requested target.
    pub target: String,
    /// `file`, `folder` or `symbol`.
    pub kind: &'static str,
    /// Its files: of a symbol, those that define it.
    pub files: Vec<String>,
    /// Where a symbol is defined.
    pub definitions: Vec<Definition>,
    /// Files that it uses, with the statements that say so.
    pub uses: Vec<FileEdge>,
    /// Packages that it uses.
    pub packages: Vec<UsedPackage>,
    /// Files that use it; of a symbol, those that name it.
    pub used_by: Vec<FileEdge>,
    /// Places outside of its definitions that refer to a symbol.
    pub mentions: Vec<Place>,
    /// Files that a change may affect, nearest first: distance 1 for those that use it, 2 for those that use these, and so on.
    pub impact: Vec<Reached>,
    /// What is next to it, as a Mermaid chart.
    pub mermaid: String,
}

/// A definition of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// Path.
    pub file: String,
    /// Line of the name.
    pub line: u32,
    /// Last line.
    pub line_end: u32,
    /// Qualified name of what encloses it.
    pub parent: Option<String>,
    /// What it is: `function`, `class` and so on.
    pub kind: &'static str,
}

/// A package that is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedPackage {
    /// Name in its ecosystem, or as imported where no manifest declares it.
    pub name: String,
    /// Places that use it.
    pub uses: Vec<Place>,
}

/// A file that a change may affect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// Path.
    pub file: String,
    /// Steps from the target.
    pub distance: usize,
    /// Whether it is a test.
    pub is_test: bool,
}

/// Neighbours in the chart.
const MOST_NEIGHBOURS: usize = 12;

/// Suggestions for an unknown target.
const MOST_SIMILAR: usize = 5;

/// What the target is.
enum Part {
    Files(&'static str, BTreeSet<FileIx>),
    Symbol(Vec<(FileIx, Symbol)>),
}

/// The name of the symbol that `target` refers to; `None` if it is a file or a folder.
pub(crate) fn asked_symbol<'t>(analysis: &Analysis, target: &'t str) -> Option<&'t str> {
    match part(analysis, target) {
        Some(Part::Symbol(_)) => Some(last_name(target)),
        _ => None,
    }
}

/// Files that contain a word, each with the lines.
pub(crate) fn mentions(
    store: &Store,
    project: ProjectId,
    word: &str,
    pool: &ThreadPool,
) -> Result<BTreeMap<String, Vec<u32>>, InsightError> {
    let records = store.file_records(project)?;
    let code = records.iter().filter(|record| !record.is_binary && record.withheld.is_none());
    let wanted: Vec<FileId> = code.map(|record| record.id).collect();
    let mut found = BTreeMap::new();
    for group in wanted.chunks(256) {
        let files = store.load_outlines(project, group)?;
        let named = files.par_iter().filter_map(|file| {
            let lines = lines_naming(&file.text, word);
            (!lines.is_empty()).then(|| (file.record.path.clone(), lines))
        });
        found.extend(pool.install(|| named.collect::<Vec<_>>()));
    }
    Ok(found)
}

/// Lines that contain a whole word.
pub(crate) fn lines_naming(text: &str, word: &str) -> Vec<u32> {
    if word.is_empty() || !text.contains(word) {
        return Vec::new();
    }
    let has = |line: &str| whole_words(line, word).next().is_some();
    text.lines().zip(1u32..).filter(|(line, _)| has(line)).map(|(_, number)| number).collect()
}

pub(crate) fn relations(
    analysis: &Analysis,
    target: &str,
    mentions: &BTreeMap<String, Vec<u32>>,
) -> Result<Relations, InsightError> {
    match part(analysis, target) {
        Some(Part::Files(kind, files)) => Ok(of_files(analysis, target, kind, &files)),
        Some(Part::Symbol(definitions)) => Ok(of_symbol(analysis, target, &definitions, mentions)),
        None => Err(unknown(analysis, target)),
    }
}

/// References that are surer than this count as relations.
const MIN_CONFIDENCE: u8 = 50;

/// Steps that the impact of a symbol goes.
const MAX_DISTANCE: usize = 3;

/// Whether `target` is a file or a folder.
pub(crate) fn is_path(analysis: &Analysis, target: &str) -> bool {
    matches!(part(analysis, target), Some(Part::Files(..)))
}

/// What refers to a symbol, what it refers to, and which files a change of it may affect; `None` if the graph has no such
/// symbol.
pub fn relations_of_symbol(graph: &SymbolGraph, target: &str) -> Option<Relations> {
    let &first = graph.find(&SymbolQuery::parse(target)?).first()?;
    let symbols = graph.parts(first);
    let path = |file: u32| graph.files[file as usize].path.as_str();
    let is_sure = |found: &&SymbolReference| found.confidence >= MIN_CONFIDENCE;
    let definition = |symbol: u32| graph.definition(symbol);
    let to = |found: &SymbolReference| path(definition(found.symbol).file);
    let edges = |references: &[&SymbolReference]| -> Vec<FileEdge> {
        let mut first: BTreeMap<(&str, &str), &SymbolReference> = BTreeMap::new();
        for &found in references {
            let (from, to) = (path(found.file), to(found));
            if from != to {
                let known = first.entry((from, to)).or_insert(found);
                *known = if found.line < known.line { found } else { *known };
            }
        }
        let edge = |((from, to), found): ((&str, &str), &SymbolReference)| FileEdge {
            from_file: from.to_owned(),
            to_file: to.to_owned(),
            line: found.line,
            kind: found.role.as_str().into(),
            weakness: Weakness { test: craig_text::is_test(from), ..Weakness::default() },
        };
        first.into_iter().map(edge).collect()
    };
    let users: Vec<&SymbolReference> =
        symbols.iter().flat_map(|&symbol| graph.references_to(symbol)).filter(is_sure).collect();
    let used: Vec<&SymbolReference> =
        symbols.iter().flat_map(|&symbol| graph.references_within(symbol)).filter(is_sure).collect();
    let (uses, used_by) = (edges(&used), edges(&users));
    let place = |found: &&SymbolReference| Place { file: path(found.file).to_owned(), line: found.line };
    let mentions: BTreeSet<Place> = users.iter().map(place).collect();
    let files: BTreeSet<&str> = symbols.iter().map(|&symbol| path(definition(symbol).file)).collect();
    let definitions = symbols.iter().map(|&symbol| {
        let found = definition(symbol);
        Definition {
            file: path(found.file).to_owned(),
            line: found.line,
            line_end: found.line_end,
            parent: found.parent.map(|parent| graph.qualified_name(parent)),
            kind: found.kind.as_str(),
        }
    });
    let reach = graph.reach(&symbols, MAX_DISTANCE, MIN_CONFIDENCE);
    let impact = reach.files.iter().map(|found| Reached {
        file: path(found.file).to_owned(),
        distance: found.distance,
        is_test: graph.files[found.file as usize].is_test,
    });
    Some(Relations {
        target: target.to_owned(),
        kind: "symbol",
        files: files.into_iter().map(str::to_owned).collect(),
        definitions: definitions.collect(),
        packages: Vec::new(),
        mentions: mentions.into_iter().collect(),
        impact: impact.collect(),
        mermaid: chart(target, &uses, &used_by),
        uses,
        used_by,
    })
}

/// Paths take precedence over names, and so do whole dotted paths of modules.
fn part(analysis: &Analysis, target: &str) -> Option<Part> {
    by_path(analysis, target)
        .or_else(|| by_path(analysis, module(analysis, target)?))
        .or_else(|| symbol(analysis, target))
}

/// The file that `celery.app.task` or `crate::auth::login` names, or the folder of such a package.
fn module<'a>(analysis: &'a Analysis, target: &str) -> Option<&'a str> {
    let names: Vec<&str> = target.split(['.', ':']).filter(|name| !matches!(*name, "" | "crate")).collect();
    let is_named = |file: &&SourceFile| file.is_code() && module_names(&file.path) == names;
    let file = analysis.workspace.files.iter().find(is_named).filter(|_| target.contains(['.', ':']))?;
    let is_package = matches!(file_stem(&file.path), "__init__" | "mod" | "index");
    Some(if is_package { folder(&file.path) } else { &file.path })
}

fn by_path(analysis: &Analysis, target: &str) -> Option<Part> {
    let files = &analysis.workspace.files;
    let path = target.trim_start_matches("./").trim_end_matches('/');
    if let Some(file) = analysis.workspace.file(path) {
        return Some(Part::Files("file", BTreeSet::from([file])));
    }
    let path = if path == "." { "" } else { path };
    let inside: BTreeSet<FileIx> = (0..files.len()).filter(|&at| is_in(&files[at].path, path)).collect();
    (!inside.is_empty()).then_some(Part::Files("folder", inside))
}

fn symbol(analysis: &Analysis, target: &str) -> Option<Part> {
    let name = last_name(target);
    let outer = target[..target.len() - name.len()].trim_end_matches([':', '.', '#']);
    let fits = |symbol: &Symbol| {
        let parent = symbol.parent.as_deref().unwrap_or_default();
        symbol.name == name && (outer.is_empty() || parent.ends_with(outer))
    };
    let found = analysis.workspace.files.iter().enumerate().flat_map(|(at, file)| {
        file.symbols.iter().filter(|symbol| fits(symbol)).map(move |symbol| (at, symbol.clone()))
    });
    let found: Vec<(FileIx, Symbol)> = found.collect();
    (!found.is_empty()).then_some(Part::Symbol(found))
}

/// `total` of `Cart::total` and `Cart.total`.
fn last_name(target: &str) -> &str {
    target.rsplit([':', '.', '#']).next().unwrap_or(target)
}

fn unknown(analysis: &Analysis, target: &str) -> InsightError {
    let wanted = last_name(target).to_lowercase();
    let mut similar = BTreeSet::new();
    for file in &analysis.workspace.files {
        if name(&file.path) == name(target) {
            similar.insert(file.path.clone());
        }
        let symbols = file.symbols.iter().filter(|symbol| symbol.name.to_lowercase() == wanted);
        similar.extend(symbols.map(|symbol| symbol.name.clone()));
    }
    InsightError::UnknownTarget {
        target: target.to_owned(),
        similar: similar.into_iter().take(MOST_SIMILAR).collect(),
    }
}

fn of_files(analysis: &Analysis, target: &str, kind: &'static str, files: &BTreeSet<FileIx>) -> Relations {
    let edges = |is_one: &dyn Fn(FileIx, FileIx) -> bool| -> Vec<FileEdge> {
        let found = analysis.graph.all().filter(|edge| is_one(edge.from, edge.to));
        let mut found: Vec<FileEdge> = found.map(|edge| file_edge(analysis, edge)).collect();
        found.sort();
        found
    };
    let used_by = edges(&|from, to| files.contains(&to) && !files.contains(&from));
    let uses = edges(&|from, to| files.contains(&from) && !files.contains(&to));
    let direct = uses_for_impact(analysis);
    let direct = direct.filter(|(from, to)| files.contains(to) && !files.contains(from));
    let first: BTreeSet<FileIx> = direct.map(|(from, _)| from).collect();
    Relations {
        target: target.to_owned(),
        kind,
        files: paths(analysis, files),
        definitions: Vec::new(),
        packages: packages(analysis, files),
        mentions: Vec::new(),
        impact: impact(analysis, files, &first),
        mermaid: chart(target, &uses, &used_by),
        uses,
        used_by,
    }
}

fn of_symbol(
    analysis: &Analysis,
    target: &str,
    definitions: &[(FileIx, Symbol)],
    mentions: &BTreeMap<String, Vec<u32>>,
) -> Relations {
    let files: BTreeSet<FileIx> = definitions.iter().map(|(file, _)| *file).collect();
    let whole = of_files(analysis, target, "symbol", &files);
    let is_definition = |path: &str, line: u32| {
        definitions
            .iter()
            .any(|(file, symbol)| analysis.workspace.files[*file].path == path && symbol.line == line)
    };
    let reached: BTreeSet<&str> = whole
        .impact
        .iter()
        .map(|reached| reached.file.as_str())
        .chain(whole.files.iter().map(String::as_str))
        .collect();
    // Where the definition is not reachable, the name may mean something else.
    let connected = mentions.iter().filter(|(path, _)| reached.contains(path.as_str()));
    let places: Vec<Place> = connected
        .flat_map(|(path, lines)| lines.iter().map(move |&line| Place { file: path.clone(), line }))
        .filter(|place| !is_definition(&place.file, place.line))
        .collect();
    let named: BTreeSet<&str> = places.iter().map(|place| place.file.as_str()).collect();
    let used_by: Vec<FileEdge> = named
        .iter()
        .filter(|path| !whole.files.iter().any(|own| own == *path))
        .filter_map(|path| {
            let line = places.iter().find(|place| place.file == **path)?.line;
            let to_file = whole.files.first()?.clone();
            let weakness = Weakness { test: craig_text::is_test(path), ..Weakness::default() };
            Some(FileEdge { from_file: (*path).to_owned(), to_file, line, kind: "mention".into(), weakness })
        })
        .collect();
    let first: BTreeSet<FileIx> =
        used_by.iter().filter_map(|edge| analysis.workspace.file(&edge.from_file)).collect();
    let definitions = definitions.iter().map(|(file, symbol)| Definition {
        file: analysis.workspace.files[*file].path.clone(),
        line: symbol.line,
        line_end: symbol.line_end,
        parent: symbol.parent.clone(),
        kind: symbol.kind.as_str(),
    });
    Relations {
        definitions: definitions.collect(),
        mentions: places,
        impact: impact(analysis, &files, &first),
        mermaid: chart(target, &whole.uses, &used_by),
        used_by,
        ..whole
    }
}

fn paths(analysis: &Analysis, files: &BTreeSet<FileIx>) -> Vec<String> {
    files.iter().map(|&file| analysis.workspace.files[file].path.clone()).collect()
}

fn packages(analysis: &Analysis, files: &BTreeSet<FileIx>) -> Vec<UsedPackage> {
    let mut found: BTreeMap<String, BTreeSet<Place>> = BTreeMap::new();
    for used in analysis.graph.packages.iter().filter(|used| files.contains(&used.file)) {
        let name = used
            .package
            .map_or_else(|| used.import.clone(), |at| analysis.packages.declared[at].name.clone());
        let file = analysis.workspace.files[used.file].path.clone();
        found.entry(name).or_default().insert(Place { file, line: used.line });
    }
    found.into_iter().map(|(name, uses)| UsedPackage { name, uses: uses.into_iter().collect() }).collect()
}

/// Pairs of files of which the first uses the second. Those that include a header of C use the source beside it, too.
fn uses_for_impact(analysis: &Analysis) -> impl Iterator<Item = (FileIx, FileIx)> {
    let sources = sources_of_headers(&analysis.workspace);
    let pairs = analysis.graph.all().map(|edge| (edge.from, edge.to));
    pairs.flat_map(move |(from, to)| {
        let source = sources.get(&to).copied().filter(|&source| source != from);
        std::iter::once((from, to)).chain(source.map(|source| (from, source)))
    })
}

/// Headers of C with the source of the same name in the same folder.
fn sources_of_headers(workspace: &Workspace) -> HashMap<FileIx, FileIx> {
    use Language::{C, Cpp, Cuda, ObjectiveC};
    let bare = |path: &str| path.rsplit_once('.').map_or(String::new(), |(bare, _)| bare.to_owned());
    let files = workspace.files_in(&[C, Cpp, Cuda, ObjectiveC]);
    let (headers, sources): (Vec<_>, Vec<_>) =
        files.partition(|(_, file)| extension(&file.path).starts_with('h'));
    let sources: HashMap<String, FileIx> =
        sources.into_iter().map(|(at, file)| (bare(&file.path), at)).collect();
    let source = |(at, file): (FileIx, &SourceFile)| Some((at, *sources.get(&bare(&file.path))?));
    headers.into_iter().filter_map(source).collect()
}

/// Breadth-first search against the direction of use, from the files that use the target directly.
fn impact(analysis: &Analysis, own: &BTreeSet<FileIx>, first: &BTreeSet<FileIx>) -> Vec<Reached> {
    let mut users: BTreeMap<FileIx, Vec<FileIx>> = BTreeMap::new();
    for (from, to) in uses_for_impact(analysis) {
        users.entry(to).or_default().push(from);
    }
    let mut distances: BTreeMap<FileIx, usize> = first.iter().map(|&file| (file, 1)).collect();
    let mut open: VecDeque<FileIx> = first.iter().copied().collect();
    while let Some(file) = open.pop_front() {
        let next = distances[&file] + 1;
        for &user in users.get(&file).into_iter().flatten() {
            if !own.contains(&user) && !distances.contains_key(&user) {
                distances.insert(user, next);
                open.push_back(user);
            }
        }
    }
    let files = &analysis.workspace.files;
    let reached = distances.into_iter().filter(|(file, _)| !own.contains(file));
    let mut reached: Vec<Reached> = reached
        .map(|(file, distance)| Reached {
            file: files[file].path.clone(),
            distance,
            is_test: files[file].is_test,
        })
        .collect();
    reached.sort_by(|a, b| a.distance.cmp(&b.distance).then_with(|| a.file.cmp(&b.file)));
    reached
}

/// The target between those that use it and those that it uses.
fn chart(target: &str, uses: &[FileEdge], used_by: &[FileEdge]) -> String {
    let mut nodes = vec![target.to_owned()];
    let mut edges = BTreeMap::new();
    let distinct = |paths: BTreeSet<String>| paths.into_iter().take(MOST_NEIGHBOURS);
    for user in distinct(used_by.iter().map(|edge| edge.from_file.clone()).collect()) {
        nodes.push(user);
        edges.insert((nodes.len() - 1, 0), 1);
    }
    for used in distinct(uses.iter().map(|edge| edge.to_file.clone()).collect()) {
        nodes.push(used);
        edges.insert((0, nodes.len() - 1), 1);
    }
    mermaid::flowchart(&nodes, &edges)
}
