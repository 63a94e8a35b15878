//! `#include` of C, C++ and Objective-C: relative to the file, else by the end of a path, the nearest first.

use std::collections::HashMap;

use craig_chunk::{Reference, ReferenceKind};
use craig_source::Language;
use craig_text::path::{folder, join, name, shared_folders};

use super::{Target, standard};
use crate::declared::Ecosystem;
use crate::workspace::{FileIx, Workspace};

const LANGUAGES: &[Language] = &[Language::C, Language::Cpp, Language::Cuda, Language::ObjectiveC];

pub(super) struct Headers<'w> {
    workspace: &'w Workspace,
    by_name: HashMap<&'w str, Vec<FileIx>>,
}

impl<'w> Headers<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Self {
        let mut by_name: HashMap<&str, Vec<FileIx>> = HashMap::new();
        // Any text file may be included: tables as `.def`, `.inc`, `.in`.
        if workspace.files_in(LANGUAGES).next().is_some() {
            for (at, file) in workspace.files.iter().enumerate() {
                by_name.entry(name(&file.path)).or_default().push(at);
            }
        }
        Self { workspace, by_name }
    }

    pub(super) fn resolve(&self, from: FileIx, import: &Reference) -> Target {
        let target = import.target.trim();
        let is_quoted = import.kind != ReferenceKind::SystemInclude;
        let here = folder(&self.workspace.files[from].path);
        let beside = join(here, target).and_then(|path| self.workspace.file(&path));
        if let Some(file) = beside.filter(|_| is_quoted) {
            return Target::File(file);
        }
        if !is_quoted && standard::is_system_header(target) {
            return Target::Standard;
        }
        match self.ending(from, target).or(beside) {
            Some(file) => Target::File(file),
            None if standard::is_system_header(target) => Target::Standard,
            None if is_quoted && !target.contains('/') => Target::Unknown,
            None => Target::Package(Ecosystem::C, target.to_owned()),
        }
    }

    /// The nearest file whose path ends with what is written: which of several as near is included depends on the build.
    fn ending(&self, from: FileIx, target: &str) -> Option<FileIx> {
        let mut written = target;
        while let Some(rest) = written.strip_prefix("../").or_else(|| written.strip_prefix("./")) {
            written = rest;
        }
        let ends = |at: &FileIx| {
            let path = &self.workspace.files[*at].path;
            path.strip_suffix(written).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        // A file that includes its own name means another one: a wrapper, or `<x.h>` beside it.
        let others = self.by_name.get(name(written))?.iter().copied().filter(|&at| at != from);
        let found: Vec<FileIx> = others.filter(ends).collect();
        let distance = |at: FileIx| {
            let (path, file) = (&self.workspace.files[from].path, &self.workspace.files[at]);
            let shared = shared_folders(path, &file.path);
            (std::cmp::Reverse(shared), file.is_test, file.path.matches('/').count())
        };
        let least = found.iter().map(|&at| distance(at)).min()?;
        let mut nearest = found.into_iter().filter(|&at| distance(at) == least);
        let first = nearest.next();
        first.filter(|_| nearest.next().is_none())
    }
}
