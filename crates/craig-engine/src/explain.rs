//! Explanations through the one door: which root, which file, which lines, whose words.

mod config;
mod definitions;
mod words;

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use craig_explain::{
    Cache, CacheKey, CodeContext, ExplainError, Explanation, Index, IndexReport, Library, cache, explain,
    is_script_project, write_explanation,
};
use craig_model::Cancellation;
use craig_source::{Content, Language, ReadError, Root, SourceOptions};

pub use config::{Activation, ExplainConfig};
pub use definitions::CodeDefinitions;
pub use words::{Explained, Words, WordsReport, WordsStatus};

use crate::lock::locked;
use crate::packages::{ImportingCode, PackageExplanation};
use crate::{Engine, EngineError};

/// The explainer that quotes documentation, without a language model.
const EXTRACTIVE: &str = "extractive";

/// A selection of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The file: relative to the root, or absolute and below it.
    pub file: PathBuf,
    /// First and last line, 1-based, inclusive; the whole file when not given.
    pub lines: Option<(usize, usize)>,
}

/// Explains code of one project from its documentation, which it keeps up to date in `.aidocs/`.
///
/// Needs no database and no project of an [`Engine`](crate::Engine); where there is one, its
/// [definitions](crate::Engine::code_definitions) distinguish symbols of the same name. Can be shared between threads.
pub struct Explainer {
    root: Root,
    /// Held while the documentation is brought up to date; concurrent refreshes wait for it.
    index: Mutex<Index>,
    /// The last state of `index`. Locked only to read or replace it.
    library: Mutex<Arc<Library>>,
    /// The definitions in the code. Held only to read or replace it.
    code: Mutex<Option<Arc<CodeDefinitions>>>,
    cache: Cache,
    comments: bool,
    words: Words,
}

impl Explainer {
    /// Opens the documentation of the project at `root` as it was left.
    pub fn open(root: &Path, config: &ExplainConfig) -> Result<Self, EngineError> {
        let root = Root::open(root)?;
        let index = Index::open(root.clone(), config.documents.clone(), config.data_folder.as_deref());
        Ok(Self::new(root, index, config))
    }

    /// Opens the documentation of the project at `root` without writing there: it is read again by every process.
    pub fn open_in_memory(root: &Path, config: &ExplainConfig) -> Result<Self, EngineError> {
        let root = Root::open(root)?;
        let index = Index::in_memory(root.clone(), config.documents.clone());
        Ok(Self::new(root, index, config))
    }

    fn new(root: Root, index: Index, config: &ExplainConfig) -> Self {
        let library = Mutex::new(Arc::clone(index.library()));
        Self {
            root,
            index: Mutex::new(index),
            library,
            code: Mutex::default(),
            cache: cache(),
            comments: config.comments,
            words: Words::new(config),
        }
    }

    /// Brings the documentation up to date.
    pub fn refresh(&self) -> Result<IndexReport, EngineError> {
        let mut index = locked(&self.index);
        let report = index.refresh()?;
        *locked(&self.library) = Arc::clone(index.library());
        Ok(report)
    }

    /// Takes what the project's code defines.
    pub fn set_code(&self, code: Option<CodeDefinitions>) {
        *locked(&self.code) = code.map(Arc::new);
    }

    /// The folder of the project.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The documentation as it was brought up to date last.
    pub fn library(&self) -> Arc<Library> {
        Arc::clone(&locked(&self.library))
    }

    /// Explains a selection in the documentation's own words.
    pub fn explain(&self, selection: &Selection) -> Result<Explanation, EngineError> {
        let code = self.read(selection)?;
        Ok(self.explain_text(&code.path, code.language, &code.text, selection.lines))
    }

    /// Explains a selection in the language model's words, as far as the documentation bears them out.
    pub fn explain_in_words(
        &self,
        selection: &Selection,
        cancellation: &Cancellation,
    ) -> Result<Explained, EngineError> {
        let Code { path, language, text } = self.read(selection)?;
        let extract = self.explain_text(&path, language, &text, selection.lines);
        let context = self.context(&path, language, &text, selection.lines);
        Ok(self.words.reword(&self.library(), &context, extract, cancellation))
    }

    /// What packages say about the symbols that the lines of a selection import or refer to; see [`Engine::explain_imports`].
    /// Nothing for a whole file.
    pub fn explain_imports(
        &self,
        engine: &Engine,
        selection: &Selection,
    ) -> Result<Vec<PackageExplanation>, EngineError> {
        self.in_lines(selection, |code, lines| engine.explain_imports(self.root.path(), code, lines))
    }

    /// The packages that the lines of a selection refer to, but whose documentation was not added; see
    /// [`Engine::packages_to_add`]. Nothing for a whole file.
    pub fn packages_to_add(
        &self,
        engine: &Engine,
        selection: &Selection,
    ) -> Result<Vec<String>, EngineError> {
        self.in_lines(selection, |code, lines| engine.packages_to_add(self.root.path(), code, lines))
    }

    fn in_lines<T>(
        &self,
        selection: &Selection,
        ask: impl FnOnce(ImportingCode<'_>, (u32, u32)) -> Result<Vec<T>, EngineError>,
    ) -> Result<Vec<T>, EngineError> {
        let Some((first, last)) = selection.lines else { return Ok(Vec::new()) };
        let Code { path, language, text } = self.read(selection)?;
        let line = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        ask(ImportingCode { path: &path, language, text: &text }, (line(first), line(last)))
    }

    fn read(&self, selection: &Selection) -> Result<Code, EngineError> {
        let path = self.relative(&selection.file)?;
        let source = craig_source::read(self.root(), &path, &SourceOptions::default()).map_err(|error| {
            match error {
                // It has not been listed before.
                ReadError::Vanished { path } => ExplainError::NoFile { path },
                error => ExplainError::from(error),
            }
        })?;
        let (Content::Text(text) | Content::Unindexed(text, _)) = source.content else {
            return Err(ExplainError::NotText { path }.into());
        };
        let n_lines = text.lines().count().max(1);
        match selection.lines {
            Some((line, _)) if line > n_lines => Err(ExplainError::NoLine { path, line, n_lines }.into()),
            _ => Ok(Code { path, language: source.language, text }),
        }
    }

    /// Explains lines of a text that need not be saved; `path` is what it would be saved as, relative to the root.
    pub fn explain_text(
        &self,
        path: &str,
        language: Language,
        text: &str,
        lines: Option<(usize, usize)>,
    ) -> Explanation {
        let library = &self.library();
        let generation = locked(&self.code).as_ref().map_or(0, |code| code.generation);
        let key = CacheKey::new(path, text, lines, library.hash(), &format!("{EXTRACTIVE} {generation}"));
        if let Some(known) = self.cache.get(&key) {
            return known;
        }
        let mut explanation = explain(library, &self.context(path, language, text, lines));
        explanation.comment = explanation.comment.filter(|_| self.comments);
        self.cache.insert(key, explanation.clone());
        explanation
    }

    fn context(
        &self,
        path: &str,
        language: Language,
        text: &str,
        lines: Option<(usize, usize)>,
    ) -> CodeContext {
        let mut context = CodeContext::read(path, language, text, lines);
        let code = locked(&self.code).clone();
        if let Some(code) = code {
            context.distinguish(&*code);
        }
        context
    }

    /// A path relative to the root, `/`-separated.
    fn relative(&self, file: &Path) -> Result<String, EngineError> {
        let outside = || ExplainError::from(ReadError::OutsideRoot { path: file.display().to_string() });
        let below = if file.is_absolute() {
            let canonical = file.canonicalize().unwrap_or_else(|_| file.to_owned());
            canonical.strip_prefix(self.root().path()).map_err(|_| outside())?.to_owned()
        } else {
            file.to_owned()
        };
        // A folder on the way may be a link that came with the repository.
        if self
            .root()
            .path()
            .join(&below)
            .canonicalize()
            .is_ok_and(|real| !real.starts_with(self.root().path()))
        {
            return Err(outside().into());
        }
        let parts = below.components().filter(|part| *part != Component::CurDir);
        let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        Ok(parts.ok_or_else(outside)?.join("/"))
    }
}

/// Writes an explanation for an editor to show, into the folder `.aidocs` of the project at `root`; gives the path of the
/// page, or none where nothing can be written.
pub fn write_page(root: &Path, markdown: &str) -> Option<PathBuf> {
    write_explanation(&Root::open(root).ok()?, markdown).ok()
}

/// A file that is explained.
struct Code {
    path: String,
    language: Language,
    text: String,
}

impl Activation {
    /// Whether documentation is shown automatically in the project at `root`. Fails when the project cannot be walked.
    pub fn covers(self, root: &Path) -> Result<bool, EngineError> {
        match self {
            Self::Always => Ok(true),
            Self::Never => Ok(false),
            Self::Scripts => Ok(is_script_project(&Root::open(root)?)?),
        }
    }
}
