//! What each module is for, in a sentence.

use std::collections::BTreeMap;

use craig_source::Language;
use craig_symbols::SourceFile;
use craig_text::path::{ancestors, folder, name};

use super::About;
use crate::Analysis;
use crate::about::{about, is_readme};

/// Folders that only lead to the code: what describes the folder above holds for them.
const PASSED: &[&str] = &["src", "lib", "main", "java", "kotlin", "scala", "python"];

pub(super) struct Sentences<'a> {
    /// What files say of their folder, by folder: the best first.
    by_folder: BTreeMap<&'a str, Vec<(Voice, About)>>,
}

/// Who speaks for a folder, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Voice {
    Manifest,
    Package,
    /// The file of Go that is called like its folder.
    Clause,
    Readme,
}

impl<'a> Sentences<'a> {
    pub(super) fn new(analysis: &'a Analysis) -> Self {
        let workspace = &analysis.workspace;
        let mut by_folder: BTreeMap<&str, Vec<(Voice, About)>> = BTreeMap::new();
        for (path, text) in workspace.texts() {
            let Some(file) = workspace.file(path).map(|at| &workspace.files[at]) else { continue };
            let Some(voice) = voice(file) else { continue };
            if let Some(text) = about(path, file.language, text) {
                by_folder
                    .entry(folder(path))
                    .or_default()
                    .push((voice, About { text, file: path.to_owned() }));
            }
        }
        by_folder.values_mut().for_each(|files| files.sort_by_key(|(voice, _)| *voice));
        Self { by_folder }
    }

    /// Of the files at the top.
    pub(super) fn of_project(&self) -> Option<About> {
        self.of_folder("")
    }

    /// Of its folder, or of one above that only leads to it.
    pub(super) fn of_module(&self, path: &str) -> Option<About> {
        let mut leading = ancestors(path);
        let mut here = leading.next();
        while let Some(place) = here {
            if let Some(about) = self.of_folder(place) {
                return Some(about);
            }
            here = leading.next().filter(|above| !above.is_empty() && PASSED.contains(&name(place)));
        }
        None
    }

    fn of_folder(&self, folder: &str) -> Option<About> {
        let (_, about) = self.by_folder.get(folder)?.first()?;
        Some(about.clone())
    }
}

fn voice(file: &SourceFile) -> Option<Voice> {
    match name(&file.path) {
        "package.json" | "composer.json" | "Cargo.toml" | "pyproject.toml" => Some(Voice::Manifest),
        name if name.ends_with(".gemspec") => Some(Voice::Manifest),
        "package-info.java" | "__init__.py" | "mod.rs" | "lib.rs" | "doc.go" => Some(Voice::Package),
        _ if file.language == Language::Go => Some(Voice::Clause),
        _ if is_readme(&file.path) => Some(Voice::Readme),
        _ => None,
    }
}
