//! An open text of the editor, the names in it, and its project.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use craig_engine::{Cancellation, Engine, ImportingCode, Language, SymbolCursor, SymbolRequest, language};
use lsp_types::{Position, Range, Uri};

use super::addresses::uri_of;
use super::folders::Code;
use super::server::Server;
use super::text::{Encoding, offset, position};

/// Maximum number of places of an answer.
pub(super) const MAX_PLACES: usize = 2_000;

/// A text of a folder of the workspace.
pub(super) struct OpenText {
    pub(super) folder: PathBuf,
    /// The file's path in the editor's folder.
    pub(super) path: String,
    /// Empty if it is not open: items of call hierarchies may be in files that are not.
    pub(super) text: String,
    pub(super) encoding: Encoding,
}

/// A name in a text.
pub(super) struct Name {
    /// Where it begins.
    pub(super) byte: usize,
    /// Its line, from 1.
    pub(super) line: u32,
    /// Where it begins in its line, in bytes.
    pub(super) column: u32,
    pub(super) text: String,
}

impl OpenText {
    /// None if the file is outside the workspace.
    pub(super) fn new(server: &Server, uri: &Uri) -> Option<Self> {
        let (folder, path) = server.folder_of(uri)?;
        Some(Self {
            folder: folder.path.clone(),
            path,
            text: server.texts.get(uri.as_str()).cloned().unwrap_or_default(),
            encoding: server.client.encoding,
        })
    }

    pub(super) fn language(&self) -> Language {
        language(&self.path, &self.text)
    }

    /// The text as an explanation of its imports reads it.
    pub(super) fn importing(&self) -> ImportingCode<'_> {
        ImportingCode { path: &self.path, language: self.language(), text: &self.text }
    }

    /// The identifier at a position, or that ends there.
    pub(super) fn name_at(&self, at: Position) -> Option<Name> {
        let byte = offset(&self.text, at, self.encoding);
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let start = self.text[..byte].rfind(|c| !is_name(c)).map_or(0, |at| at + char_width(&self.text, at));
        let end = self.text[byte..].find(|c| !is_name(c)).map_or(self.text.len(), |n| byte + n);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        (start < end).then(|| Name {
            byte: start,
            line: self.text[..start].matches('\n').count() as u32 + 1,
            column: (start - line_start) as u32,
            text: self.text[start..end].to_owned(),
        })
    }

    /// The range of a name in the text.
    pub(super) fn range_of(&self, name: &Name) -> Range {
        let line = self.text.lines().nth(name.line as usize - 1).unwrap_or_default();
        name_range(line, name.line, name.column, name.text.len() as u32, self.encoding)
    }
}

fn char_width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// The range of a name in a line, whose number counts from 1.
pub(super) fn name_range(line: &str, number: u32, column: u32, length: u32, encoding: Encoding) -> Range {
    let at = |byte: u32| {
        Position::new(number.saturating_sub(1), position(line, byte as usize, encoding).character)
    };
    Range::new(at(column), at(column.saturating_add(length)))
}

/// A text in the project that its folder belongs to, which may begin above the folder or below it.
pub(super) struct InProject<'t> {
    pub(super) text: &'t OpenText,
    pub(super) engine: &'t Engine,
    pub(super) project: String,
    pub(super) request: SymbolRequest,
    /// The folder without links.
    real: PathBuf,
    /// The project's directory.
    root: PathBuf,
}

impl<'t> InProject<'t> {
    /// None if the folder does not belong to a project.
    pub(super) fn open(
        text: &'t OpenText,
        code: &'t Code,
        cancellation: &Cancellation,
    ) -> anyhow::Result<Option<Self>> {
        let engine = &*code.engine;
        if !engine.database().may_exist() {
            return Ok(None);
        }
        let Some(project) = engine.project_of_directory(&code.folder)? else { return Ok(None) };
        let root = engine.directory_of(&project)?;
        Ok(Some(Self {
            text,
            engine,
            real: text.folder.canonicalize().unwrap_or_else(|_| text.folder.clone()),
            root,
            project,
            request: SymbolRequest {
                limit: MAX_PLACES,
                cancellation: cancellation.clone(),
                ..SymbolRequest::default()
            },
        }))
    }

    /// The path of the text in the project.
    pub(super) fn path(&self) -> Option<String> {
        slashed(self.real.join(&self.text.path).strip_prefix(&self.root).ok()?)
    }

    /// The path in the editor's folder of a file of the project.
    pub(super) fn path_in_folder(&self, path: &str) -> Option<String> {
        slashed(self.root.join(path).strip_prefix(&self.real).ok()?)
    }

    /// The address by which the editor knows a file of the project.
    pub(super) fn uri(&self, path: &str) -> Option<Uri> {
        uri_of(&self.text.folder.join(self.path_in_folder(path)?))
    }

    pub(super) fn cursor<'c>(&'c self, path: &'c str, name: &'c Name) -> SymbolCursor<'c> {
        SymbolCursor { path, text: &self.text.text, line: name.line, column: name.column, name: &name.text }
    }
}

fn slashed(path: &Path) -> Option<String> {
    path.to_str().map(|path| path.replace(MAIN_SEPARATOR, "/"))
}
