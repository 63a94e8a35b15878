//! Entry points: `main` functions, and files that manifests name.

use serde::Serialize;
use serde_json::Value;
use toml::Table;

use craig_chunk::{ChunkKind, Symbol};
use craig_source::Language;
use craig_text::path::{folder, join, name};

use crate::workspace::SourceFile;
use crate::{Analysis, json};

/// The entry point of a program or library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EntryPoint {
    /// Path.
    pub file: String,
    /// Line, where there is one.
    pub line: Option<u32>,
    /// `program`, `library` or `script`.
    pub kind: &'static str,
    /// What it was recognised by.
    pub evidence: String,
}

pub(super) fn entry_points(analysis: &Analysis) -> Vec<EntryPoint> {
    let files = analysis.workspace.files.iter().filter(|file| file.is_code() && !file.is_test);
    let mut found: Vec<EntryPoint> = files.filter_map(of_file).collect();
    for (path, text) in &analysis.workspace.manifests {
        match name(path) {
            "package.json" => of_package_json(analysis, path, text, &mut found),
            "pyproject.toml" => of_pyproject(analysis, path, text, &mut found),
            _ => {}
        }
    }
    found.sort();
    found.dedup_by(|b, a| a.file == b.file && a.kind == b.kind);
    found
}

fn of_file(file: &SourceFile) -> Option<EntryPoint> {
    let entry = |line: Option<u32>, kind, evidence: &str| {
        Some(EntryPoint { file: file.path.clone(), line, kind, evidence: evidence.to_owned() })
    };
    if let Some(main) = file.symbols.iter().find(|symbol| is_main(file, symbol)) {
        return entry(Some(main.line), "program", "defines main");
    }
    match (file.language, name(&file.path)) {
        (Language::Python, "__main__.py") => entry(None, "program", "runs with python -m"),
        (Language::Python, "manage.py" | "wsgi.py" | "asgi.py") => {
            entry(None, "program", "Django starts here")
        }
        (Language::Rust, "lib.rs") if file.path.ends_with("src/lib.rs") => {
            entry(None, "library", "root of a crate")
        }
        (Language::Php, "artisan") => entry(None, "program", "Laravel's command line"),
        (Language::Php, "index.php") if folder(&file.path).ends_with("public") => {
            entry(None, "program", "front controller")
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
        found.push(EntryPoint { file, line: None, kind, evidence });
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
