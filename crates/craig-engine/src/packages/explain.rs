//! Explains the symbols that code imports from packages, from the documentation of these packages.

use std::sync::Arc;

use craig_explain::{CodeContext, Document, Explanation, Library, explain};
use craig_source::{FileKind, Language};
use craig_store::{Project, Store};
use craig_symbols::{Declared, Ecosystem, Packages, Workspace};
use craig_text::path::{file_stem, folder, name, under};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::imports::{self, ImportedSymbol};
use super::{definition, manager_of, used};
use crate::options::StoredPackage;
use crate::{Engine, EngineError};

/// Minimum confidence of quotes from a package's documents: 0.80 of labelled mentions with this confidence are right.
const MIN_CONFIDENCE: f32 = 0.65;

/// Most symbols of one selection that are explained, and that are looked up.
const MAX_SYMBOLS: usize = 8;
const MAX_LOOKED_UP: usize = 40;

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

impl Engine {
    /// What packages say about the symbols that code imports from them and refers to in some lines, counted from 1. Nothing if
    /// the project is not ingested, or the package was not added for it, or `explain.packages` is off.
    pub fn explain_imports(
        &self,
        directory: &std::path::Path,
        code: ImportingCode<'_>,
        lines: (u32, u32),
    ) -> Result<Vec<PackageExplanation>, EngineError> {
        self.explain_symbols(directory, code, || {
            imports::in_lines(code.language, code.text, lines.0, lines.1)
        })
    }

    /// The same for the name at a byte of a line: lines from 1, bytes from 0.
    pub fn explain_import_at(
        &self,
        directory: &std::path::Path,
        code: ImportingCode<'_>,
        line: u32,
        column: u32,
    ) -> Result<Option<PackageExplanation>, EngineError> {
        let symbols = || imports::at(code.language, code.text, line, column).into_iter().collect();
        Ok(self.explain_symbols(directory, code, symbols)?.into_iter().next())
    }

    fn explain_symbols(
        &self,
        directory: &std::path::Path,
        code: ImportingCode<'_>,
        symbols: impl FnOnce() -> Vec<ImportedSymbol>,
    ) -> Result<Vec<PackageExplanation>, EngineError> {
        // A question creates no database.
        if !self.config().explain_packages || !self.database().may_exist() {
            return Ok(Vec::new());
        }
        let Some(handle) = self.project_of_directory(directory)? else { return Ok(Vec::new()) };
        let store = self.store()?;
        let project = self.find(&store, &handle)?;
        let added = super::packages_of(&store, &project)?;
        if added.is_empty() {
            return Ok(Vec::new());
        }
        let declared = self.declared_packages(&store, &project)?;
        let path = under(&self.folder_in_project(&handle, directory)?, code.path);
        let symbols = symbols();
        let mut found: Vec<(&ImportedSymbol, PackageExplanation)> = Vec::new();
        for symbol in symbols.iter().take(MAX_LOOKED_UP) {
            let Some((ecosystem, import)) = symbol.package(code.language) else { continue };
            let wanted = declared.find(&path, ecosystem, &import).into_iter();
            let wanted: Vec<&Declared> = wanted.map(|at| &declared.declared[at]).collect();
            for (corpus, package) in imported_from(&store, &added, &wanted, ecosystem, symbol)? {
                if let Some(explanation) = self.explain_symbol(&store, corpus, package, ecosystem, symbol)? {
                    found.push((symbol, explanation));
                    break;
                }
            }
        }
        // Omit a type if one of its members is explained, and a package if the code names one of its symbols.
        let explained_symbols: Vec<&ImportedSymbol> = found.iter().map(|(symbol, _)| *symbol).collect();
        let is_told = |(symbol, _): &(&ImportedSymbol, _)| match symbol.is_module() {
            true => !symbols.iter().any(|other| symbol.has_member(other)),
            false => !explained_symbols.iter().any(|other| symbol.has_member(other)),
        };
        let mut explained: Vec<PackageExplanation> =
            found.into_iter().filter(is_told).map(|(_, explanation)| explanation).collect();
        explained.dedup();
        explained.truncate(MAX_SYMBOLS);
        Ok(explained)
    }

    fn explain_symbol(
        &self,
        store: &Store,
        corpus: &Project,
        package: &StoredPackage,
        ecosystem: Ecosystem,
        symbol: &ImportedSymbol,
    ) -> Result<Option<PackageExplanation>, EngineError> {
        let (title, quotes) = match symbol.is_module() {
            true => (None, self.library_of(store, corpus)?.introduction().into_iter().collect()),
            false => match definition::find(store, corpus, ecosystem, symbol, &package.name)? {
                Some(found) => (Some(found.title.clone()), self.quotes(store, corpus, &found)?),
                None => (None, Vec::new()),
            },
        };
        Ok((!quotes.is_empty()).then(|| PackageExplanation {
            manager: package.manager.clone(),
            package: package.name.clone(),
            version: package.version.clone(),
            symbol: title,
            quotes,
        }))
    }

    /// The comment of a definition of a package; without one, what the package's documents likely say about it.
    fn quotes(
        &self,
        store: &Store,
        corpus: &Project,
        found: &definition::Found,
    ) -> Result<Vec<PackageQuote>, EngineError> {
        if let Some(comment) = &found.comment {
            let (text, file_path) = (comment.text.clone(), comment.file_path.clone());
            return Ok(vec![PackageQuote { text, file_path, line: comment.line }]);
        }
        let context =
            CodeContext::of_definition(&found.path, found.language, &found.text, found.line, &found.name);
        let Some(context) = context else { return Ok(Vec::new()) };
        Ok(documented(&explain(&self.library_of(store, corpus)?.library, &context)))
    }

    /// The packages that the manifests of a project declare, read once for each of its generations.
    fn declared_packages(&self, store: &Store, project: &Project) -> Result<Arc<Packages>, EngineError> {
        let is_current = |(generation, _): &(u64, Arc<Packages>)| *generation == project.generation;
        let load = || {
            let workspace = Workspace::load_manifests(store, project.id)?;
            Ok::<_, EngineError>((project.generation, Arc::new(Packages::read(&workspace))))
        };
        Ok(self.declared().get(project.key(), is_current, load)?.1)
    }

    /// The documents of a package, read once.
    fn library_of(&self, store: &Store, corpus: &Project) -> Result<Arc<PackageLibrary>, EngineError> {
        let is_current = |(generation, _): &(u64, Arc<PackageLibrary>)| *generation == corpus.generation;
        let load = || {
            let documents = documents(store, corpus)?;
            let library = self.pool()?.install(|| PackageLibrary::new(documents));
            Ok::<_, EngineError>((corpus.generation, Arc::new(library)))
        };
        Ok(self.package_libraries().get(corpus.key(), is_current, load)?.1)
    }
}

/// The added packages that an import may be of: those that the manifests name, or else those that have its module, which may be
/// called unlike the package.
fn imported_from<'p>(
    store: &Store,
    added: &'p [(Project, StoredPackage)],
    wanted: &[&Declared],
    ecosystem: Ecosystem,
    symbol: &ImportedSymbol,
) -> Result<Vec<&'p (Project, StoredPackage)>, EngineError> {
    let Some(manager) = manager_of(ecosystem) else { return Ok(Vec::new()) };
    let of_manager = || added.iter().filter(|(_, package)| package.manager == manager.id());
    let of_version = |wanted: &&Declared| {
        let version = used::version(wanted);
        let is_it = |package: &StoredPackage| {
            package.name == wanted.name && version.as_ref().is_none_or(|version| *version == package.version)
        };
        of_manager().rfind(|(_, package)| is_it(package))
    };
    let mut found: Vec<_> = wanted.iter().filter_map(of_version).collect();
    // For a module as a whole, prefer the package itself to its `@types` package.
    found.sort_by_key(|(_, package)| symbol.is_module() && package.name.starts_with("@types/"));
    if found.is_empty() {
        for package in of_manager() {
            if definition::has_module(store, &package.0, ecosystem, symbol)? {
                found.push(package);
            }
        }
    }
    Ok(found)
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

/// The documents of a package, each with its path.
fn documents(store: &Store, corpus: &Project) -> Result<Vec<(String, String)>, EngineError> {
    let records = store.file_records(corpus.id)?.into_iter();
    let ids: Vec<_> =
        records.filter(|record| record.kind == FileKind::Docs).map(|record| record.id).collect();
    let texts = store.load_texts(corpus.id, &ids)?.into_iter();
    Ok(texts.filter_map(|text| Some((text.record.path, text.content?))).collect())
}

/// The documents of a package.
pub(crate) struct PackageLibrary {
    library: Library,
    introduction: Option<PackageQuote>,
}

impl PackageLibrary {
    /// A library of documents, each with its path.
    fn new(documents: Vec<(String, String)>) -> Self {
        let readmes = documents.iter().filter(|(path, _)| is_readme(path));
        let introduction = readmes.filter_map(|(path, text)| introduction_in(path, text)).next();
        let read = |(path, text): (String, String)| Arc::new(Document::read(&path, text, 0));
        Self { library: Library::new(documents.into_par_iter().map(read).collect()), introduction }
    }

    /// The first paragraph of the package's README.
    fn introduction(&self) -> Option<PackageQuote> {
        self.introduction.clone()
    }
}

/// Whether a document introduces the package: its README, or the description that Python keeps.
fn is_readme(path: &str) -> bool {
    folder(path).is_empty() && file_stem(path).eq_ignore_ascii_case("readme") || name(path) == "METADATA"
}

/// A paragraph of an introduction has at least so many words: shorter ones are badges and slogans.
const MIN_WORDS: usize = 5;

/// No more of a paragraph is quoted, in bytes.
const MAX_PARAGRAPH_BYTES: usize = 600;

/// The first paragraph of prose, or a motto before it: no heading, list, table, image, code or markup.
fn introduction_in(path: &str, text: &str) -> Option<PackageQuote> {
    let mut in_code = false;
    let mut paragraph: Option<(u32, String)> = None;
    let body = if path.ends_with("METADATA") { text.find("\n\n").map_or(0, |at| at + 2) } else { 0 };
    let skipped = text[..body].lines().count();
    for (at, line) in text[body..].lines().enumerate() {
        let line = line.trim();
        let quotation = line.strip_prefix("> ").filter(|line| line.starts_with(char::is_alphanumeric));
        if let Some(motto) =
            quotation.filter(|motto| !in_code && paragraph.is_none() && n_words(motto) >= MIN_WORDS)
        {
            let line = (skipped + at + 1) as u32;
            return Some(PackageQuote { text: shortened(motto), file_path: path.to_owned(), line });
        }
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        let is_prose = line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '`' | '"'))
            && !in_code
            && !line.starts_with("* ");
        match &mut paragraph {
            None if is_prose => paragraph = Some(((skipped + at + 1) as u32, line.to_owned())),
            Some((_, text)) if is_prose => {
                text.push(' ');
                text.push_str(line);
            }
            Some((line, text)) if is_sentence(text) => {
                return Some(PackageQuote { text: shortened(text), file_path: path.to_owned(), line: *line });
            }
            _ => paragraph = None,
        }
    }
    let (line, text) = paragraph.filter(|(_, text)| is_sentence(text))?;
    Some(PackageQuote { text: shortened(&text), file_path: path.to_owned(), line })
}

fn n_words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn is_sentence(text: &str) -> bool {
    n_words(text) >= MIN_WORDS && text.ends_with(['.', '!', ':', ')', '`'])
}

fn shortened(text: &str) -> String {
    let end =
        text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_PARAGRAPH_BYTES);
    text[..end.last().unwrap_or_default()].to_owned()
}
