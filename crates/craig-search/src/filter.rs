//! Which files a search may answer from.

use craig_source::{FileKind, Language};
use fixedbitset::FixedBitSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SearchError;
use crate::index::LiveSegment;
use crate::path_filter::PathFilter;
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
    path: Option<PathFilter>,
    kind: KindFilter,
}

impl Filter {
    /// Passes the files of `kind`, in one of `languages` unless that is empty, whose path is selected.
    pub fn new(kind: KindFilter, languages: Vec<Language>, path: Option<PathFilter>) -> Self {
        Self { languages, path, kind }
    }

    /// The same with its path read as the paths that there are require.
    ///
    /// Fails if the path selects none of them and is no valid glob.
    pub fn for_paths<'p>(&self, paths: impl Iterator<Item = &'p str> + Clone) -> Result<Self, SearchError> {
        let mut filter = self.clone();
        if let Some(path) = &mut filter.path {
            path.choose(paths);
            if let Some(reason) = path.syntax_error() {
                let (pattern, reason) = (path.as_written().to_owned(), reason.to_owned());
                return Err(SearchError::Glob { pattern, reason });
            }
        }
        Ok(filter)
    }

    /// A message for the user that no file passes; `any_path`: whether the path of a file does.
    pub fn nothing_passes(&self, any_path: bool) -> String {
        let path = self.path.as_ref().map(|path| format!("the path {:?}", path.as_written()));
        let languages: Vec<&str> = self.languages.iter().map(|language| language.id()).collect();
        let language = (!languages.is_empty()).then(|| format!("the language {}", languages.join(" or ")));
        let kind = self.kind().map(|kind| format!("the kind {kind:?}").to_lowercase());
        let wanted: Vec<String> = match any_path {
            true => [path, language, kind].into_iter().flatten().collect(),
            false => path.into_iter().collect(),
        };
        format!("no file of the project has {}", wanted.join(", "))
    }

    /// Whether it names a path.
    pub fn has_path(&self) -> bool {
        self.path.is_some()
    }

    /// Whether every file passes.
    pub fn passes_everything(&self) -> bool {
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
        self.path.as_ref().is_none_or(|wanted| wanted.selects(path))
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
