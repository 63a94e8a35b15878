//! What each module is for, in a sentence.

use std::collections::BTreeMap;

use craig_source::Language;
use craig_text::path::{ancestors, folder, name};

use super::About;
use crate::Analysis;
use crate::about::is_readme;
use crate::workspace::{FileIx, SourceFile};

/// Folders that only lead to the code: what describes the folder above holds for them.
const PASSED: &[&str] = &["src", "lib", "main", "java", "kotlin", "scala", "python"];

pub(super) struct Sentences<'a> {
    analysis: &'a Analysis,
    /// Files that speak for their folder, by folder: the best first.
    by_folder: BTreeMap<&'a str, Vec<(Voice, FileIx)>>,
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
        let mut by_folder: BTreeMap<&str, Vec<(Voice, FileIx)>> = BTreeMap::new();
        for (at, file) in analysis.workspace.files.iter().enumerate().filter(|(_, file)| file.about.is_some())
        {
            if let Some(voice) = voice(file) {
                by_folder.entry(folder(&file.path)).or_default().push((voice, at));
            }
        }
        by_folder.values_mut().for_each(|files| files.sort_unstable());
        Self { analysis, by_folder }
    }

    /// Of the files at the top.
    pub(super) fn of_project(&self) -> Option<About> {
        let (_, file) = self.by_folder.get("")?.first()?;
        self.about(*file)
    }

    /// Of its folder, or of one above that only leads to it.
    pub(super) fn of_module(&self, path: &str) -> Option<About> {
        let mut leading = ancestors(path);
        let mut here = leading.next();
        while let Some(place) = here {
            if let Some((_, file)) = self.by_folder.get(place).and_then(|files| files.first()) {
                return self.about(*file);
            }
            here = leading.next().filter(|above| !above.is_empty() && PASSED.contains(&name(place)));
        }
        None
    }

    fn about(&self, file: FileIx) -> Option<About> {
        let file = &self.analysis.workspace.files[file];
        Some(About { text: file.about.clone()?, file: file.path.clone() })
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
