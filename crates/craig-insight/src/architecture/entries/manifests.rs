//! Entry points that manifests name, each with the line that does.

use craig_symbols::{FileIx, Scripts, Workspace, json, yaml};
use craig_text::path::{folder, name, under};
use serde_json::Value;
use toml::Table;

use super::EntryPoint;
use crate::Analysis;

pub(super) fn entry_points(analysis: &Analysis) -> Vec<EntryPoint> {
    let workspace = &analysis.workspace;
    let scripts = Scripts::new(workspace);
    let mut found = Vec::new();
    for (path, text) in workspace.manifests() {
        let mut named = Named { workspace, path, text, found: &mut found };
        match name(path) {
            "package.json" => named.of_package_json(&scripts),
            "pyproject.toml" => named.of_pyproject(),
            "Cargo.toml" => named.of_cargo(),
            "pubspec.yaml" => named.of_pubspec(),
            file if file.ends_with(".csproj") => named.of_csproj(),
            file if file.ends_with(".gemspec") => named.of_gemspec(),
            _ => {}
        }
    }
    found
}

/// The entry points of one manifest.
struct Named<'a> {
    workspace: &'a Workspace,
    path: &'a str,
    text: &'a str,
    found: &'a mut Vec<EntryPoint>,
}

impl Named<'_> {
    /// Adds a file that the manifest names where it has `written`.
    fn add(&mut self, file: Option<FileIx>, kind: &'static str, what: &str, written: &str) {
        let Some(file) = file.map(|file| &self.workspace.files[file]).filter(|file| !file.is_test) else {
            return;
        };
        let evidence = format!("{what} of {}:{}", self.path, line_of(self.text, written));
        self.found.push(EntryPoint::new(&file.path, None, kind, evidence));
    }

    fn file(&self, path: &str) -> Option<FileIx> {
        self.workspace.file(&craig_text::path::join(folder(self.path), path)?)
    }

    fn of_package_json(&mut self, scripts: &Scripts<'_>) {
        let Some(manifest) = json::parse(self.text) else { return };
        let here = folder(self.path);
        let bins: Vec<&str> = match &manifest["bin"] {
            Value::String(one) => vec![one],
            Value::Object(several) => several.values().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        for bin in bins {
            self.add(
                scripts.written(here, bin).or_else(|| scripts.only_source(here, bin)),
                "program",
                "bin",
                bin,
            );
        }
        // Nobody else can use a private package.
        if manifest["private"].as_bool() != Some(true)
            && let Some((field, file)) = scripts.declared_entry(here, &manifest)
        {
            self.add(Some(file), "library", field, &format!("\"{field}\""));
        }
    }

    /// `src/main.rs`, `src/lib.rs`, and what the manifest lists.
    fn of_cargo(&mut self) {
        let Ok(table) = self.text.parse::<Table>() else { return };
        if !table.contains_key("package") {
            return;
        }
        let path_of =
            |value: &toml::Value| value.get("path").and_then(toml::Value::as_str).map(str::to_owned);
        let programs =
            table.get("bin").and_then(toml::Value::as_array).into_iter().flatten().filter_map(path_of);
        for program in programs {
            self.add(self.file(&program), "program", "program", &program);
        }
        self.add(self.file("src/main.rs"), "program", "program", "[package]");
        let library = table.get("lib").and_then(path_of).unwrap_or_else(|| "src/lib.rs".to_owned());
        self.add(self.file(&library), "library", "library", "[package]");
    }

    /// `name = "package.module:function"`.
    fn of_pyproject(&mut self) {
        let Ok(table) = self.text.parse::<Table>() else { return };
        let project = table.get("project").and_then(|project| project.get("scripts"));
        let poetry = table.get("tool").and_then(|tool| tool.get("poetry")?.get("scripts"));
        for scripts in [project, poetry].into_iter().flatten().filter_map(toml::Value::as_table) {
            for (script, target) in scripts {
                let Some(target) = target.as_str() else { continue };
                let inner = target.split(':').next().unwrap_or(target).replace('.', "/");
                let places = ["", "src/"]
                    .into_iter()
                    .flat_map(|root| [".py", "/__init__.py"].map(|end| format!("{root}{inner}{end}")));
                for place in places {
                    self.add(self.file(&place), "program", &format!("script {script}"), target);
                }
            }
        }
    }

    /// Executables, the library of the package's name, and the program of an application of Flutter.
    fn of_pubspec(&mut self) {
        let pubspec = yaml::first(self.text);
        for (executable, script) in pubspec["executables"].as_object().into_iter().flatten() {
            let script = script.as_str().unwrap_or(executable);
            self.add(self.file(&format!("bin/{script}.dart")), "program", "executable", executable);
        }
        if !pubspec["dependencies"]["flutter"].is_null() {
            self.add(self.file("lib/main.dart"), "program", "Flutter starts lib/main.dart", "flutter:");
        }
        if let (Some(name), None | Some("")) = (pubspec["name"].as_str(), pubspec["publish_to"].as_str()) {
            self.add(self.file(&format!("lib/{name}.dart")), "library", "library", "name:");
        }
    }

    /// `Program.cs` beside a project that is built as a program.
    fn of_csproj(&mut self) {
        let marks = [
            ".Sdk.Web\"",
            ".Sdk.Worker\"",
            ".Sdk.BlazorWebAssembly\"",
            "Aspire.AppHost.Sdk",
            "<OutputType>Exe",
            "<OutputType>WinExe",
        ];
        if let Some(mark) = marks.into_iter().find(|mark| self.text.contains(mark)) {
            self.add(self.file("Program.cs"), "program", "program", mark);
        }
    }

    /// Executables of a gem are in `exe`, unless it sets `bindir`.
    fn of_gemspec(&mut self) {
        let exe = under(folder(self.path), "exe");
        let files = self.workspace.files.iter().enumerate();
        let inside: Vec<FileIx> =
            files.filter(|(_, file)| folder(&file.path) == exe).map(|(at, _)| at).collect();
        for file in inside {
            self.add(Some(file), "program", "executable", "executables");
        }
    }
}

/// The first line that has a text, 1-based.
pub(super) fn line_of(text: &str, written: &str) -> usize {
    let at = text.find(written).unwrap_or(0);
    text[..at].matches('\n').count() + 1
}
