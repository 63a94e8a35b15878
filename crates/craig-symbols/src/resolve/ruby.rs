//! `require` of Ruby by load paths, and constants by the files that define them.

use std::collections::{BTreeMap, HashMap};

use craig_chunk::{ChunkKind, Reference};
use craig_source::Language;
use craig_text::path::{file_stem, folder, join, under};

use super::{Beyond, Implicit, ImplicitKind, Target, nearest};
use crate::declared::Ecosystem;
use crate::workspace::{FileIx, Workspace};

/// Folders that are load paths wherever they stand.
const LOAD_PATHS: &[&str] = &["lib", "app", "test", "spec"];

/// Libraries that come with Ruby.
const STANDARD: &[&str] = &[
    "abbrev",
    "base64",
    "benchmark",
    "bigdecimal",
    "cgi",
    "coverage",
    "csv",
    "date",
    "delegate",
    "digest",
    "drb",
    "English",
    "erb",
    "etc",
    "fcntl",
    "fiber",
    "fiddle",
    "fileutils",
    "find",
    "forwardable",
    "getoptlong",
    "io",
    "ipaddr",
    "irb",
    "json",
    "logger",
    "matrix",
    "minitest",
    "monitor",
    "mutex_m",
    "net",
    "nkf",
    "objspace",
    "observer",
    "open3",
    "open-uri",
    "openssl",
    "optparse",
    "ostruct",
    "pathname",
    "pp",
    "prettyprint",
    "prime",
    "pstore",
    "psych",
    "pty",
    "racc",
    "rbconfig",
    "readline",
    "resolv",
    "rinda",
    "ripper",
    "securerandom",
    "set",
    "shellwords",
    "singleton",
    "socket",
    "stringio",
    "strscan",
    "syslog",
    "tempfile",
    "thread",
    "time",
    "timeout",
    "tmpdir",
    "tsort",
    "un",
    "uri",
    "weakref",
    "yaml",
    "zlib",
];

pub(super) struct Libraries<'w> {
    workspace: &'w Workspace,
    /// Files by what `require` calls them.
    features: HashMap<String, Vec<FileIx>>,
    /// Files by the qualified constant that they define.
    constants: BTreeMap<String, Vec<FileIx>>,
}

impl<'w> Libraries<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Self {
        let mut libraries = Self { workspace, features: HashMap::new(), constants: BTreeMap::new() };
        for (at, file) in workspace.files_in(&[Language::Ruby]) {
            let bare = file.path.strip_suffix(".rb").unwrap_or(&file.path);
            for (end, _) in bare.match_indices('/').chain([(usize::MAX, "")]) {
                let feature = if end == usize::MAX { bare } else { &bare[end + 1..] };
                let load_path =
                    if end == usize::MAX { "" } else { bare[..end].rsplit('/').next().unwrap_or_default() };
                if end == usize::MAX || LOAD_PATHS.contains(&load_path) {
                    libraries.features.entry(feature.to_owned()).or_default().push(at);
                }
            }
            if !file.is_test {
                libraries.add_constants(at);
            }
        }
        libraries
    }

    /// Only the constant that a file is named after: modules are opened in many files.
    fn add_constants(&mut self, at: FileIx) {
        let file = &self.workspace.files[at];
        let wanted: String = file_stem(&file.path).split('_').collect();
        for symbol in &file.symbols {
            let is_type = matches!(symbol.kind, ChunkKind::Class | ChunkKind::Module);
            if is_type
                && symbol.name.rsplit("::").next().is_some_and(|name| name.eq_ignore_ascii_case(&wanted))
            {
                let parent = symbol.parent.as_deref().map(|parent| format!("{parent}::")).unwrap_or_default();
                self.constants.entry(format!("{parent}{}", symbol.name)).or_default().push(at);
            }
        }
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Target {
        let written = import.target.strip_suffix(".rb").unwrap_or(&import.target);
        let here = folder(&self.workspace.files[from].path);
        if written.starts_with('.') {
            let file = join(here, written).and_then(|path| {
                self.workspace.file(&format!("{path}.rb")).or_else(|| self.workspace.file(&path))
            });
            return file.map_or(Target::Unknown, Target::File);
        }
        let feature = self.features.get(written);
        let beside = || self.workspace.file(&format!("{}.rb", under(here, written)));
        if let Some(file) = feature.and_then(|files| nearest(self.workspace, from, files)).or_else(beside) {
            return Target::File(file);
        }
        match STANDARD.contains(&written.split('/').next().unwrap_or(written)) {
            true => Target::Standard,
            false => Target::Package(Ecosystem::RubyGems, written.to_owned()),
        }
    }

    /// Constants that an autoloader finds, by the names of the files.
    pub(super) fn beyond_imports(&self, from: FileIx) -> Beyond {
        let mut beyond = Beyond::default();
        let file = &self.workspace.files[from];
        for used in &file.references.uses {
            let Some(files) = self.constant(from, &used.name) else { continue };
            if let [to] = files[..]
                && to != from
            {
                beyond.files.push(Implicit { to, line: used.line, kind: ImplicitKind::QualifiedName });
            }
        }
        beyond
    }

    /// A constant as seen from the modules that the file opens, innermost first.
    fn constant(&self, from: FileIx, name: &str) -> Option<&Vec<FileIx>> {
        let file = &self.workspace.files[from];
        let types =
            file.symbols.iter().filter(|symbol| matches!(symbol.kind, ChunkKind::Class | ChunkKind::Module));
        let mut scopes: Vec<String> = types
            .map(|symbol| match &symbol.parent {
                Some(parent) => format!("{parent}::{}", symbol.name),
                None => symbol.name.clone(),
            })
            .collect();
        scopes.sort_by_key(|scope| std::cmp::Reverse(scope.len()));
        let inside = scopes.iter().find_map(|scope| self.constants.get(&format!("{scope}::{name}")));
        inside.or_else(|| self.constants.get(name))
    }
}
