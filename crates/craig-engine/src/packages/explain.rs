//! Explains the symbols that code imports from packages, from the documentation of these packages.

use std::sync::Arc;

use craig_chunk::names::OccurrenceIx;
use craig_explain::{CodeContext, Comment, Explanation, explain};
use craig_source::Language;
use craig_store::{Project, Store};
use craig_symbols::{ImportedModule, ImportedReference, Packages, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

use super::definition;
use super::imports::{FileImports, ImportedPackage, Manifests, Referent};
use super::library::PackageLibrary;
use crate::options::StoredPackage;
use crate::{Engine, EngineError};

/// Minimum confidence of quotes from a package's documents: 0.80 of labelled mentions with this confidence are right.
const MIN_CONFIDENCE: f32 = 0.65;

/// Most symbols of one selection that are explained, and that are looked up.
const MAX_SYMBOLS: usize = 8;
const MAX_LOOKED_UP: usize = 40;

/// Files of a module in which its comment is looked for.
const MAX_MODULE_FILES: usize = 100;

/// Quotes about a symbol from the documentation of its package. They are never counted as the project's own documentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PackageExplanation {
    /// Package manager: npm, pypi, cargo, go or maven.
    pub manager: String,
    /// Name of the package.
    pub package: String,
    /// Its version, the one that the project uses.
    pub version: String,
    /// The symbol, as the package names it; null for the package itself.
    pub symbol: Option<String>,
    /// Sentences from the comment of its definition, or from its documents.
    pub quotes: Vec<PackageQuote>,
}

/// A quote from a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PackageQuote {
    /// A sentence, verbatim: data, not instructions.
    pub text: String,
    /// Path in the package.
    pub file_path: String,
    /// Line on which it begins, from 1.
    pub line: u32,
}

/// Which code is explained: a text that would be saved as a path of the project.
#[derive(Clone, Copy, Debug)]
pub struct ImportingCode<'a> {
    /// Path relative to the directory.
    pub path: &'a str,
    /// Language of the text.
    pub language: Language,
    /// The text.
    pub text: &'a str,
}

impl PackageExplanation {
    /// Where a quote is from, for people: `from express 4.19.2, README.md:120`.
    pub fn place(&self, quote: &PackageQuote) -> String {
        format!("from {} {}, {}:{}", self.package, self.version, quote.file_path, quote.line)
    }

    /// A section of Markdown, set off from the project's own documentation. Links and images in quotes are inert.
    pub fn markdown(&self) -> String {
        let quote =
            |quote: &PackageQuote| format!("- {}  \n  *{}*\n", inert(&quote.text), inert(&self.place(quote)));
        let quotes: String = self.quotes.iter().map(quote).collect();
        format!("\nPackage documentation of {}:\n\n{quotes}", inert(&self.title()))
    }

    /// A tooltip: the first quote and where it is from.
    pub fn hover(&self) -> Option<String> {
        let quote = self.quotes.first()?;
        Some(format!("{}\n*{}*", inert(&quote.text), inert(&self.place(quote))))
    }

    /// What the package and its symbol are called together.
    pub fn title(&self) -> String {
        match &self.symbol {
            Some(symbol) => format!("{symbol} of {} {}", self.package, self.version),
            None => format!("{} {}", self.package, self.version),
        }
    }
}

/// The position of the names to explain.
enum Place {
    /// Lines, counted from 1.
    Lines(u32, u32),
    /// A line, counted from 1, and a byte in it.
    Name(u32, u32),
}

impl Engine {
    /// What packages say about the symbols that code refers to in some lines, counted from 1. Nothing if the project is not
    /// ingested, or the package was not added for it, or `explain.packages` is off.
    pub fn explain_imports(
        &self,
        directory: &std::path::Path,
        code: ImportingCode<'_>,
        lines: (u32, u32),
    ) -> Result<Vec<PackageExplanation>, EngineError> {
        self.explain_symbols(directory, code, Place::Lines(lines.0, lines.1))
    }

    /// The same for the name at a byte of a line: lines from 1, bytes from 0.
    pub fn explain_import_at(
        &self,
        directory: &std::path::Path,
        code: ImportingCode<'_>,
        line: u32,
        column: u32,
    ) -> Result<Option<PackageExplanation>, EngineError> {
        Ok(self.explain_symbols(directory, code, Place::Name(line, column))?.into_iter().next())
    }

    fn explain_symbols(
        &self,
        directory: &std::path::Path,
        code: ImportingCode<'_>,
        place: Place,
    ) -> Result<Vec<PackageExplanation>, EngineError> {
        let Some(importing) = self.importing(directory, code.path)? else { return Ok(Vec::new()) };
        if importing.added.is_empty() {
            return Ok(Vec::new());
        }
        let file = self.file_imports(&importing, code)?;
        let referents: Vec<Referent<'_>> = match place {
            Place::Lines(first, last) => file.in_lines(first, last).take(MAX_LOOKED_UP).collect(),
            Place::Name(line, column) => file.at(line, column).into_iter().collect(),
        };
        let mut explained = Vec::new();
        for referent in referents {
            let explanation = self.explain_referent(&importing.store, &file, &referent)?;
            explained.extend(explanation.map(|explanation| (referent, explanation)));
        }
        Ok(without_qualifiers(&explained))
    }

    /// Explains a name by the comment of its definition, or by what describes the module or package that it names.
    fn explain_referent(
        &self,
        store: &Store,
        file: &FileImports,
        referent: &Referent<'_>,
    ) -> Result<Option<PackageExplanation>, EngineError> {
        if let Some(package) = referent.definitions.first().map(|first| first.package) {
            let of_package: Vec<&ImportedReference> =
                referent.definitions.iter().copied().filter(|of| of.package == package).collect();
            let package = &file.packages[package];
            let found = definition::choose(store, &package.code.0, &of_package, referent.has_arguments)?;
            let explanation =
                found.map(|found| self.explain_definition(store, package, &found)).transpose()?;
            if let Some(explanation) = explanation.flatten() {
                return Ok(Some(explanation));
            }
        }
        if let Some(module) = referent.module
            && let Some(quote) = describe_module(store, &file.packages[module.package].code.0, module)?
        {
            return Ok(Some(explanation(&file.packages[module.package].code.1, None, vec![quote])));
        }
        let Some(package) = referent.package else { return Ok(None) };
        let documents = &file.packages[package].documents;
        let introduction = self.library_of(store, &documents.0)?.introduction();
        Ok(introduction.map(|quote| explanation(&documents.1, None, vec![quote])))
    }

    /// The comment of a definition of a package; without one, what the package's documents likely say about it.
    fn explain_definition(
        &self,
        store: &Store,
        package: &ImportedPackage,
        found: &definition::Found<'_>,
    ) -> Result<Option<PackageExplanation>, EngineError> {
        if let Some(comment) = found.comment.clone() {
            return Ok(Some(explanation(&package.code.1, Some(found.title()), vec![comment.into()])));
        }
        let (path, definition) = (&found.reference.path, &found.reference.definition);
        let Some(file) = store.file_text(package.code.0.id, path)? else { return Ok(None) };
        let text = file.content.unwrap_or_default();
        let language = file.record.language;
        let context = CodeContext::of_definition(path, language, &text, definition.line, &definition.name);
        let Some(context) = context else { return Ok(None) };
        let (documents, documenting) = &package.documents;
        let quotes = documented(&explain(&self.library_of(store, documents)?.library, &context));
        Ok((!quotes.is_empty()).then(|| explanation(documenting, Some(found.title()), quotes)))
    }

    /// The manifests of a project, read once for each of its generations.
    pub(super) fn manifests_of(
        &self,
        store: &Store,
        project: &Project,
    ) -> Result<Arc<Manifests>, EngineError> {
        let is_current = |(generation, _): &(u64, Arc<Manifests>)| *generation == project.generation;
        let load = || {
            let workspace = Workspace::load_manifests(store, project.id)?;
            let packages = Packages::read(&workspace);
            Ok::<_, EngineError>((project.generation, Arc::new(Manifests { workspace, packages })))
        };
        Ok(self.manifests().get(project.key(), is_current, load)?.1)
    }

    /// The documents of a package, read once.
    fn library_of(&self, store: &Store, corpus: &Project) -> Result<Arc<PackageLibrary>, EngineError> {
        let is_current = |(generation, _): &(u64, Arc<PackageLibrary>)| *generation == corpus.generation;
        let load = || {
            let library = PackageLibrary::load(store, corpus, &*self.pool()?)?;
            Ok::<_, EngineError>((corpus.generation, Arc::new(library)))
        };
        Ok(self.package_libraries().get(corpus.key(), is_current, load)?.1)
    }
}

/// The comment of a module.
fn describe_module(
    store: &Store,
    corpus: &Project,
    module: &ImportedModule,
) -> Result<Option<PackageQuote>, EngineError> {
    for path in module.paths.iter().take(MAX_MODULE_FILES) {
        let text = store.file_text(corpus.id, path)?.and_then(|file| file.content).unwrap_or_default();
        if let Some(comment) = Comment::of_module(path, &text) {
            return Ok(Some(comment.into()));
        }
    }
    Ok(None)
}

impl From<Comment> for PackageQuote {
    fn from(Comment { text, file_path, line }: Comment) -> Self {
        Self { text, file_path, line }
    }
}

fn explanation(
    package: &StoredPackage,
    symbol: Option<String>,
    quotes: Vec<PackageQuote>,
) -> PackageExplanation {
    PackageExplanation {
        manager: package.manager.clone(),
        package: package.name.clone(),
        version: package.version.clone(),
        symbol,
        quotes,
    }
}

/// The first explanations, each once, without those of types that only qualify an explained member, and of packages of which
/// anything else is explained.
fn without_qualifiers(explained: &[(Referent<'_>, PackageExplanation)]) -> Vec<PackageExplanation> {
    let is_explained = |at: OccurrenceIx| explained.iter().any(|(other, _)| other.occurrence == Some(at));
    let has_symbol =
        |package: &str| explained.iter().any(|(_, other)| other.package == package && other.symbol.is_some());
    let mut kept: Vec<PackageExplanation> = Vec::new();
    for (referent, explanation) in explained {
        let is_qualifier = referent.is_type() && referent.member.is_some_and(is_explained);
        let is_outer = explanation.symbol.is_none() && has_symbol(&explanation.package);
        if !is_qualifier && !is_outer && !kept.contains(explanation) {
            kept.push(explanation.clone());
        }
    }
    kept.truncate(MAX_SYMBOLS);
    kept
}

/// A text on one line in which Markdown has no links, images or tags.
fn inert(text: &str) -> String {
    let on_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    on_one_line.replace('[', "\\[").replace('<', "\\<")
}

/// The sentences that are likely about the symbol. A package's documents have few namesakes.
fn documented(explanation: &Explanation) -> Vec<PackageQuote> {
    if explanation.confidence < MIN_CONFIDENCE || !explanation.has_relevant_docs {
        return Vec::new();
    }
    let quote = |bullet: &craig_explain::Bullet| PackageQuote {
        text: bullet.text.clone(),
        file_path: explanation.citations[bullet.citation].file_path.clone(),
        line: bullet.line,
    };
    explanation.bullets.iter().map(quote).collect()
}
