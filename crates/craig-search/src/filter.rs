//! Which files a search may answer from.

use craig_source::{FileKind, Language};
use fixedbitset::FixedBitSet;
use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SearchError;
use crate::index::LiveSegment;
use crate::segment::kind_number;

/// Coarse kinds that a search may be limited to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KindFilter {
    /// Source code only.
    Code,
    /// Documentation only.
    Docs,
    /// Configuration only.
    Config,
    /// Everything.
    #[default]
    All,
}

/// Limits a search to some files; the default passes all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    languages: Vec<Language>,
    path: Option<GlobMatcher>,
    kind: KindFilter,
}

impl Filter {
    /// Passes the files of `kind`, in one of `languages` unless that is empty, whose path matches `path_glob`.
    ///
    /// A pattern without `/` matches the file name in any folder; a pattern that names a folder matches what is in it.
    pub fn new(
        kind: KindFilter,
        languages: Vec<Language>,
        path_glob: Option<&str>,
    ) -> Result<Self, SearchError> {
        let path = path_glob.map(path_matcher).transpose()?;
        Ok(Self { languages, path, kind })
    }

    fn passes_everything(&self) -> bool {
        self.languages.is_empty() && self.path.is_none() && self.kind == KindFilter::All
    }

    /// The live files of `segment` that pass.
    pub(crate) fn files(&self, segment: &LiveSegment) -> FixedBitSet {
        let mut files = segment.live.clone();
        if !self.passes_everything() {
            segment
                .live
                .ones()
                .filter(|&file| !self.passes(segment, file))
                .for_each(|file| files.remove(file));
        }
        files
    }

    fn passes(&self, segment: &LiveSegment, file: usize) -> bool {
        let (segment, row) = (&segment.segment, &segment.segment.files()[file]);
        self.kind().is_none_or(|kind| row.kind == kind_number(kind))
            && self.passes_language(segment.text(row.language))
            && self.passes_path(segment.text(row.path))
    }

    /// Whether files of this language and kind pass, whatever their path.
    pub fn passes_file(&self, language: Language, kind: FileKind) -> bool {
        self.kind().is_none_or(|wanted| wanted == kind) && self.passes_language(language.id())
    }

    /// Whether files at this path pass, whatever their language and kind.
    pub fn passes_path(&self, path: &str) -> bool {
        self.path.as_ref().is_none_or(|glob| glob.is_match(path))
    }

    fn passes_language(&self, language: &str) -> bool {
        self.languages.is_empty() || self.languages.iter().any(|wanted| wanted.id() == language)
    }

    /// The only kind that passes; `None` for all.
    fn kind(&self) -> Option<FileKind> {
        match self.kind {
            KindFilter::All => None,
            KindFilter::Code => Some(FileKind::Code),
            KindFilter::Docs => Some(FileKind::Docs),
            KindFilter::Config => Some(FileKind::Config),
        }
    }
}

fn path_matcher(pattern: &str) -> Result<GlobMatcher, SearchError> {
    let trimmed = pattern.trim_start_matches("./");
    let pattern_in_tree = match trimmed {
        folder if folder.ends_with('/') => format!("{folder}**"),
        name if !name.contains('/') => format!("{{{name},**/{name},{name}/**,**/{name}/**}}"),
        path => format!("{{{path},{path}/**}}"),
    };
    let glob = GlobBuilder::new(&pattern_in_tree).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| SearchError::Glob { pattern: pattern.to_owned(), reason: error.kind().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_patterns_match_names_folders_and_paths() {
        let matches = |pattern: &str, path: &str| path_matcher(pattern).unwrap().is_match(path);
        assert!(matches("*.rs", "src/a/b.rs"));
        assert!(matches("src/*.rs", "src/a.rs"));
        assert!(!matches("src/*.rs", "src/a/b.rs"));
        assert!(matches("src/**", "src/a/b.rs"));
        assert!(matches("src/", "src/a/b.rs"));
        assert!(matches("src", "src/a/b.rs"));
        assert!(matches("./src/a", "src/a/b.rs"));
        assert!(!matches("src", "lib/b.rs"));
        assert!(path_matcher("src/[").is_err());
    }
}
