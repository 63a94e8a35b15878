//! Entry points: `main` functions, what manifests name, and what frameworks call, the most important first.

mod frameworks;
mod manifests;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use craig_chunk::{ChunkKind, Symbol};
use craig_source::Language;
use craig_symbols::{FileIx, SourceFile};
use craig_text::PathRole;
use craig_text::path::{file_stem, folder, name};

use crate::{Analysis, launch};

/// The entry point of a program or library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryPoint {
    /// Path.
    pub file: String,
    /// Line, where there is one.
    pub line: Option<u32>,
    /// `program`, `library`, or what a framework calls: `route`, `listener`.
    pub kind: Cow<'static, str>,
    /// What it was recognised by, with the line of the manifest that names it.
    pub evidence: String,
    /// Scripts, images and build files that start it, by path.
    pub started_by: Vec<String>,
    /// How many files of product code it uses, directly or through others.
    pub reach: usize,
}

impl EntryPoint {
    fn new(file: &str, line: Option<u32>, kind: &'static str, evidence: String) -> Self {
        Self { file: file.to_owned(), line, kind: kind.into(), evidence, started_by: Vec::new(), reach: 0 }
    }
}

/// Entry points whose reach is counted; each visits the whole graph.
const MOST_REACHES: usize = 500;

/// Scripts reported for an entry point.
const MOST_STARTERS: usize = 5;

pub(super) fn entry_points(analysis: &Analysis) -> Vec<EntryPoint> {
    let files = analysis.workspace.files.iter().filter(|file| file.is_code() && !file.is_test);
    let mut found: Vec<EntryPoint> = manifests::entry_points(analysis);
    for file in files {
        found.extend(of_file(file));
        found.extend(frameworks::entry_point(analysis, file));
    }
    // What a manifest names comes first of the same file and kind, and knows the line of its `main`.
    found.sort_by_cached_key(|entry| (entry.file.clone(), entry.kind.clone(), entry.evidence == MAIN));
    found.dedup_by(|other, kept| {
        let is_same = other.file == kept.file && other.kind == kept.kind;
        if is_same {
            kept.line = kept.line.or(other.line);
        }
        is_same
    });
    weigh(analysis, &mut found);
    found
}

/// Orders entry points by importance: product code that something starts or a manifest names, other functions called `main`,
/// what frameworks call, the rest; among these by how many scripts start them, then by reach.
fn weigh(analysis: &Analysis, found: &mut [EntryPoint]) {
    let mut uses: BTreeMap<FileIx, Vec<FileIx>> = BTreeMap::new();
    for edge in analysis.graph.of_product() {
        uses.entry(edge.from).or_default().push(edge.to);
    }
    let launchers = launch::launchers(&analysis.workspace);
    let mut n_starters: HashMap<String, usize> = HashMap::new();
    for (at, entry) in found.iter_mut().enumerate() {
        let Some(file) = analysis.workspace.file(&entry.file) else { continue };
        let names = names(&analysis.workspace.files[file], entry.line);
        let mut starters = launch::started_by(&launchers, &entry.file, &names);
        // That the manifest names it is known already.
        starters.retain(|path| !entry.evidence.contains(path));
        // The same script for other systems or versions counts once.
        let distinct: BTreeSet<&str> = starters.iter().map(|path| file_stem(path)).collect();
        n_starters.insert(entry.file.clone(), distinct.len());
        entry.started_by = starters.into_iter().take(MOST_STARTERS).map(str::to_owned).collect();
        if at < MOST_REACHES {
            entry.reach = reach(&uses, file);
        }
    }
    found.sort_by_cached_key(|entry| {
        let is_product = PathRole::from_path(&entry.file).is_product();
        // A function called main says least: much of it prints documentation, or was once for trying something.
        let is_named = !entry.started_by.is_empty() || entry.evidence != MAIN;
        let is_called = !matches!(entry.kind.as_ref(), "program" | "library");
        let rank = match (is_product, is_called, is_named) {
            (true, false, true) => 0,
            (true, false, false) => 1,
            (true, true, _) => 2,
            _ => 3,
        };
        let n_starters = n_starters.get(&entry.file).copied().unwrap_or(0);
        (rank, Reverse(n_starters), Reverse(entry.reach), entry.file.clone(), entry.kind.clone())
    });
}

/// How many files one uses, directly or through others.
fn reach(uses: &BTreeMap<FileIx, Vec<FileIx>>, file: FileIx) -> usize {
    let mut seen = HashSet::from([file]);
    let mut open = vec![file];
    while let Some(at) = open.pop() {
        open.extend(uses.get(&at).into_iter().flatten().copied().filter(|&next| seen.insert(next)));
    }
    seen.len() - 1
}

/// What scripts call a program: its path, the folder of a Go program, a module of Python, a class of the JVM.
fn names(file: &SourceFile, line: Option<u32>) -> Vec<String> {
    let mut names = vec![file.path.clone()];
    let stem = file_stem(&file.path);
    match file.language {
        Language::Java | Language::Kotlin | Language::Scala | Language::Groovy => {
            let package = file.references.packages.join(".");
            let main = file.symbols.iter().find(|symbol| Some(symbol.line) == line);
            let outer = main.and_then(|main| main.parent.as_deref()?.rsplit('.').next());
            let types: [String; 2] = [outer.unwrap_or(stem).to_owned(), format!("{stem}Kt")];
            let qualified =
                |name: String| if package.is_empty() { name } else { format!("{package}.{name}") };
            names.extend(types.into_iter().map(qualified));
        }
        Language::Go => names.extend(Some(folder(&file.path).to_owned()).filter(|path| path.contains('/'))),
        Language::Python => {
            let module = file.path.trim_end_matches(".py").trim_end_matches("/__main__");
            let module = module.strip_prefix("src/").unwrap_or(module);
            names.extend(Some(module.replace('/', ".")).filter(|module| module.contains('.')));
        }
        _ => {}
    }
    // A name of one word is too common to mean this file.
    names.retain(|name| name.contains(['.', '/']));
    names
}

const MAIN: &str = "defines main";

fn of_file(file: &SourceFile) -> Option<EntryPoint> {
    let entry = |line: Option<u32>, evidence: &str| {
        Some(EntryPoint::new(&file.path, line, "program", evidence.to_owned()))
    };
    if let Some(main) = file.symbols.iter().find(|symbol| is_main(file, symbol)) {
        return entry(Some(main.line), MAIN);
    }
    let import =
        |package: &str| file.references.imports.iter().find(|import| import.target.starts_with(package));
    match (file.language, name(&file.path)) {
        (Language::Python, "__main__.py") => entry(None, "runs with python -m"),
        (Language::Python, "manage.py" | "wsgi.py" | "asgi.py") => {
            entry(Some(import("django")?.line), "Django starts here")
        }
        (Language::Php, "artisan") => entry(None, "Laravel's command line"),
        (Language::Php, "index.php") if folder(&file.path).ends_with("public") => {
            entry(None, "front controller")
        }
        (Language::Ruby, "config.ru") => entry(None, "Rack starts here"),
        _ => None,
    }
}

fn is_main(file: &SourceFile, symbol: &Symbol) -> bool {
    if !matches!(symbol.kind, ChunkKind::Function | ChunkKind::Method) {
        return false;
    }
    match file.language {
        Language::Go => {
            symbol.name == "main" && file.references.packages.first().is_some_and(|name| name == "main")
        }
        Language::Rust => symbol.name == "main" && symbol.parent.is_none() && name(&file.path) != "build.rs",
        Language::C | Language::Cpp => symbol.name == "main" && symbol.parent.is_none(),
        Language::Java | Language::Kotlin | Language::Scala | Language::Swift | Language::Zig => {
            symbol.name == "main"
        }
        Language::CSharp => symbol.name == "Main",
        _ => false,
    }
}
