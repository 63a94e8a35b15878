//! Languages whose imports name files or modules in one plain way.

use std::collections::HashMap;

use craig_chunk::{ChunkKind, Reference};
use craig_source::Language;
use craig_text::path::{ancestors, extension, folder, join, name, under};

use super::script::package_name;
use super::{Beyond, Implicit, ImplicitKind, Target, nearest};
use crate::declared::Ecosystem;
use crate::packages::Packages;
use crate::workspace::{FileIx, Workspace};
use crate::yaml;

pub(super) struct Names<'w> {
    workspace: &'w Workspace,
    packages: &'w Packages,
    by_name: HashMap<&'w str, Vec<FileIx>>,
    /// Modules of Elixir by their names.
    modules: HashMap<String, Vec<FileIx>>,
    /// Manifests of packages of Dart by their names.
    pubs: HashMap<String, &'w str>,
}

impl<'w> Names<'w> {
    pub(super) fn new(workspace: &'w Workspace, packages: &'w Packages) -> Self {
        let mut by_name: HashMap<&str, Vec<FileIx>> = HashMap::new();
        for (at, file) in workspace.files.iter().enumerate() {
            by_name.entry(name(&file.path)).or_default().push(at);
        }
        let mut modules: HashMap<String, Vec<FileIx>> = HashMap::new();
        for (at, file) in workspace.files_in(&[Language::Elixir]) {
            for symbol in file.symbols.iter().filter(|symbol| symbol.kind == ChunkKind::Module) {
                let parent = symbol.parent.as_deref().map(|parent| format!("{parent}.")).unwrap_or_default();
                modules.entry(format!("{parent}{}", symbol.name)).or_default().push(at);
            }
        }
        let named = |(path, text)| Some((yaml::first(text)["name"].as_str()?.to_owned(), path));
        let pubs = workspace.manifests_named("pubspec.yaml").filter_map(named).collect();
        Self { workspace, packages, by_name, modules, pubs }
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Target {
        let target = import.target.as_str();
        match self.workspace.files[from].language {
            Language::Haskell | Language::PureScript | Language::Elm => {
                let ends = [".hs", ".lhs", ".hsc", ".purs", ".elm"];
                let path = target.replace('.', "/");
                self.any_ending(from, &path, &ends)
                    .unwrap_or_else(|| Target::Package(Ecosystem::Hackage, target.to_owned()))
            }
            Language::Lua => self.lua(from, target),
            Language::Dart => self.dart(from, target),
            Language::Swift => Target::Package(Ecosystem::Swift, target.to_owned()),
            Language::Zig => match target.ends_with(".zig") {
                true => self.relative(from, target),
                false => Target::Standard,
            },
            Language::Css | Language::Scss | Language::Less => self.style(from, target),
            Language::Proto => {
                let here = folder(&self.workspace.files[from].path);
                let found = ancestors(here).find_map(|folder| self.workspace.file(&under(folder, target)));
                found.map_or_else(
                    || self.any_ending(from, target, &[""]).unwrap_or(Target::Unknown),
                    Target::File,
                )
            }
            _ => self.relative(from, target),
        }
    }

    fn file(&self, path: Option<String>) -> Option<FileIx> {
        self.workspace.file(&path?)
    }

    fn relative(&self, from: FileIx, target: &str) -> Target {
        let here = folder(&self.workspace.files[from].path);
        // Scripts write their own folder as a variable: "$DIR/lib.sh".
        let target = match target.split_once('/') {
            Some((first, rest)) if first.contains('$') => rest,
            _ => target,
        };
        let found = self.file(join(here, target)).or_else(|| self.file(join("", target)));
        found.map_or(Target::Unknown, Target::File)
    }

    /// The nearest file that ends with the path and one of the endings.
    fn any_ending(&self, from: FileIx, path: &str, endings: &[&str]) -> Option<Target> {
        endings.iter().find_map(|ending| {
            let whole = format!("{path}{ending}");
            let fits = |at: &FileIx| {
                let path = &self.workspace.files[*at].path;
                path.strip_suffix(&whole).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            };
            let found: Vec<FileIx> = self.by_name.get(name(&whole))?.iter().copied().filter(fits).collect();
            nearest(self.workspace, from, &found).map(Target::File)
        })
    }

    fn lua(&self, from: FileIx, target: &str) -> Target {
        let path = target.replace('.', "/");
        let found = self.any_ending(from, &path, &[".lua", "/init.lua", ".luau"]);
        found.unwrap_or_else(|| {
            match ["string", "table", "math", "io", "os", "debug", "ffi", "bit", "jit"].contains(&target) {
                true => Target::Standard,
                false => Target::Package(Ecosystem::LuaRocks, target.to_owned()),
            }
        })
    }

    fn dart(&self, from: FileIx, target: &str) -> Target {
        if target.starts_with("dart:") {
            return Target::Standard;
        }
        let Some(rest) = target.strip_prefix("package:") else { return self.relative(from, target) };
        let Some((package, path)) = rest.split_once('/') else { return Target::Unknown };
        match self.pubs.get(package) {
            Some(manifest) => {
                let file = self.workspace.file(&under(folder(manifest), &format!("lib/{path}")));
                file.map_or(Target::Unknown, Target::File)
            }
            None => Target::Package(Ecosystem::Pub, package.to_owned()),
        }
    }

    /// Style sheets leave out their extension and the underscore of a partial.
    fn style(&self, from: FileIx, target: &str) -> Target {
        let target = target.trim_matches(['"', '\'']).trim_start_matches('~');
        let here = folder(&self.workspace.files[from].path);
        let path = join(here, target).unwrap_or_default();
        let partial = under(folder(&path), &format!("_{}", name(&path)));
        let endings: &[&str] = match extension(&path) {
            "css" | "scss" | "less" | "sass" => &[""],
            _ => &[".scss", ".less", ".css", "/_index.scss", "/index.scss", ""],
        };
        let found = endings.iter().find_map(|ending| {
            self.file(Some(format!("{path}{ending}")))
                .or_else(|| self.file(Some(format!("{partial}{ending}"))))
        });
        // Bundlers find packages by their bare names, too.
        let package = || {
            let package = package_name(target)?;
            let is_declared =
                self.packages.declares(&self.workspace.files[from].path, Ecosystem::Npm, &package);
            is_declared.then_some(Target::Package(Ecosystem::Npm, package))
        };
        found.map(Target::File).or_else(package).unwrap_or(Target::Unknown)
    }

    /// `alias Shop.{Cart, Price}` names two modules.
    pub(super) fn elixir(&self, from: FileIx, import: &Reference) -> Vec<Target> {
        let whole = self.module(from, &import.target);
        let outside =
            || whole.map_or_else(|| Target::Package(Ecosystem::Hex, import.target.clone()), Target::File);
        if import.names.is_empty() {
            return vec![outside()];
        }
        let of_name = |name: &String| {
            let inner = self.module(from, &format!("{}.{name}", import.target));
            inner.map_or_else(outside, Target::File)
        };
        import.names.iter().map(of_name).collect()
    }

    fn module(&self, from: FileIx, name: &str) -> Option<FileIx> {
        nearest(self.workspace, from, self.modules.get(name)?)
    }

    /// Modules of Elixir that are called without an alias.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        for used in &self.workspace.files[from].references.uses {
            if let Some(to) = self.module(from, &used.name).filter(|&to| to != from) {
                beyond.files.push(Implicit { to, line: used.line, kind: ImplicitKind::QualifiedName });
            }
        }
        beyond
    }
}
