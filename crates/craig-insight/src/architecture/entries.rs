//! Entry points: `main` functions, and files that manifests name, the most important first.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Table;

use craig_chunk::{ChunkKind, Symbol};
use craig_source::Language;
use craig_text::PathRole;
use craig_text::path::{file_stem, folder, join, name};

use crate::workspace::{FileIx, SourceFile};
use crate::{Analysis, json, launch};

/// The entry point of a program or library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryPoint {
    /// Path.
    pub file: String,
    /// Line, where there is one.
    pub line: Option<u32>,
    /// `program`, `library` or `script`.
    pub kind: Cow<'static, str>,
    /// What it was recognised by.
    pub evidence: String,
    /// Scripts, images and build files that start it, by path.
    pub started_by: Vec<String>,
    /// How many files of product code it uses, directly or through others.
    pub reach: usize,
}

/// Entry points whose reach is counted; each visits the whole graph.
const MOST_REACHES: usize = 500;

/// Scripts reported for an entry point.
const MOST_STARTERS: usize = 5;

pub(super) fn entry_points(analysis: &Analysis) -> Vec<EntryPoint> {
    let files = analysis.workspace.files.iter().filter(|file| file.is_code() && !file.is_test);
    let has_django = analysis.workspace.files.iter().any(|file| name(&file.path) == "manage.py");
    let mut found: Vec<EntryPoint> = files.filter_map(|file| of_file(file, has_django)).collect();
    for (path, text) in &analysis.workspace.manifests {
        match name(path) {
            "package.json" => of_package_json(analysis, path, text, &mut found),
            "pyproject.toml" => of_pyproject(analysis, path, text, &mut found),
            "Cargo.toml" => of_cargo(path, text, &mut found),
            _ => {}
        }
    }
    found.sort();
    found.dedup_by(|b, a| a.file == b.file && a.kind == b.kind);
    weigh(analysis, &mut found);
    found
}

/// Orders entry points by importance: product code that something starts or a manifest names, other product code, the rest;
/// among these by how many scripts start them, then by reach.
fn weigh(analysis: &Analysis, found: &mut [EntryPoint]) {
    let mut uses: BTreeMap<FileIx, Vec<FileIx>> = BTreeMap::new();
    for edge in analysis.graph.of_product() {
        uses.entry(edge.from).or_default().push(edge.to);
    }
    let mut n_starters: HashMap<String, usize> = HashMap::new();
    for (at, entry) in found.iter_mut().enumerate() {
        let Some(file) = analysis.workspace.file(&entry.file) else { continue };
        let names = names(&analysis.workspace.files[file], entry.line);
        let mut starters = launch::started_by(&analysis.workspace, &entry.file, &names);
        // That the manifest names it is known already.
        starters.retain(|path| !entry.evidence.ends_with(path));
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
        let rank = match (is_product, is_named) {
            (true, true) => 0,
            (true, false) => 1,
            _ => 2,
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

fn of_file(file: &SourceFile, has_django: bool) -> Option<EntryPoint> {
    let entry = |line: Option<u32>, kind: &'static str, evidence: &str| {
        let (file, kind, evidence) = (file.path.clone(), kind.into(), evidence.to_owned());
        Some(EntryPoint { file, line, kind, evidence, started_by: Vec::new(), reach: 0 })
    };
    if let Some(main) = file.symbols.iter().find(|symbol| is_main(file, symbol)) {
        return entry(Some(main.line), "program", MAIN);
    }
    match (file.language, name(&file.path)) {
        (Language::Python, "__main__.py") => entry(None, "program", "runs with python -m"),
        (Language::Python, "manage.py" | "wsgi.py" | "asgi.py") if has_django => {
            entry(None, "program", "Django starts here")
        }
        (Language::Rust, "lib.rs") if file.path.ends_with("src/lib.rs") => {
            entry(None, "library", "root of a crate")
        }
        (Language::Php, "artisan") => entry(None, "program", "Laravel's command line"),
        (Language::Php, "index.php") if folder(&file.path).ends_with("public") => {
            entry(None, "program", "front controller")
        }
        (Language::Ruby, _) if matches!(name(folder(&file.path)), "exe") => {
            entry(None, "program", "executable of a gem")
        }
        (Language::Ruby, "config.ru") => entry(None, "program", "Rack starts here"),
        (Language::Dart, "main.dart") => entry(None, "program", "Flutter starts here"),
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

fn push(
    analysis: &Analysis,
    path: Option<String>,
    kind: &'static str,
    evidence: String,
    found: &mut Vec<EntryPoint>,
) {
    if let Some(file) = path.and_then(|path| analysis.workspace.file(&path)) {
        let file = analysis.workspace.files[file].path.clone();
        let kind = kind.into();
        found.push(EntryPoint { file, line: None, kind, evidence, started_by: Vec::new(), reach: 0 });
    }
}

fn of_package_json(analysis: &Analysis, path: &str, text: &str, found: &mut Vec<EntryPoint>) {
    let Some(manifest) = json::parse(text) else { return };
    let here = folder(path);
    let bins: Vec<&str> = match &manifest["bin"] {
        Value::String(one) => vec![one],
        Value::Object(several) => several.values().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for bin in bins {
        push(analysis, join(here, bin), "program", format!("bin of {path}"), found);
    }
    for field in ["source", "module", "main"] {
        if let Some(main) = manifest[field].as_str() {
            push(analysis, join(here, main), "library", format!("{field} of {path}"), found);
        }
    }
    for usual in
        ["src/index.ts", "src/index.tsx", "src/main.ts", "src/main.tsx", "src/index.js", "src/main.js"]
    {
        push(analysis, join(here, usual), "library", format!("usual entry beside {path}"), found);
    }
}

/// The programs of a package: `src/main.rs`, and those that it lists. Their `main` is found already.
fn of_cargo(path: &str, text: &str, found: &mut [EntryPoint]) {
    let Ok(table) = text.parse::<Table>() else { return };
    if !table.contains_key("package") {
        return;
    }
    let listed = table.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let listed = listed.filter_map(|program| program.get("path")?.as_str());
    for program in std::iter::once("src/main.rs").chain(listed) {
        let program = join(folder(path), program);
        let main = found.iter_mut().find(|entry| Some(&entry.file) == program.as_ref());
        if let Some(main) = main.filter(|main| main.evidence == MAIN) {
            main.evidence = format!("program of {path}");
        }
    }
}

/// `name = "package.module:function"`.
fn of_pyproject(analysis: &Analysis, path: &str, text: &str, found: &mut Vec<EntryPoint>) {
    let Ok(table) = text.parse::<Table>() else { return };
    let project = table.get("project").and_then(|project| project.get("scripts"));
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry")?.get("scripts"));
    for scripts in [project, poetry].into_iter().flatten().filter_map(toml::Value::as_table) {
        for (script, target) in scripts {
            let Some(module) = target.as_str().and_then(|target| target.split(':').next()) else { continue };
            let inner = module.replace('.', "/");
            for root in ["", "src/"] {
                for end in [".py", "/__init__.py"] {
                    let path = join(folder(path), &format!("{root}{inner}{end}"));
                    push(analysis, path, "program", format!("script {script}"), found);
                }
            }
        }
    }
}
