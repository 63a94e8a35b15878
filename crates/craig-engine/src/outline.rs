//! Outlines: the definitions of a file, or of the files of a folder, without their bodies.

mod nesting;

use std::collections::HashMap;

use craig_chunk::ChunkKind;
use craig_chunk::names::{DefinitionKind, Names};
use craig_source::Language;
use craig_store::{FileId, OutlinedFile, ProjectId, Store, StoreError, TrackedFile};
use serde::Serialize;

use crate::project::unknown_file;
use crate::symbol_graph::FileLines;
use crate::{Engine, EngineError};

/// Options of an outline.
#[derive(Clone, Debug)]
pub struct OutlineRequest {
    /// Maximum number of levels of definitions in definitions; `None` is all of a file's, and the first of a folder's
    /// files.
    pub depth: Option<usize>,
    /// Maximum number of definitions.
    pub limit: usize,
}

impl Default for OutlineRequest {
    fn default() -> Self {
        Self { depth: None, limit: usize::MAX }
    }
}

/// The definitions of a file, or of the files of a folder.
#[derive(Clone, Debug, Serialize)]
pub struct Outline {
    /// Name of the project.
    pub project: String,
    /// The file or folder, relative to the project's folder; empty for the whole project.
    pub path: String,
    /// Files with definitions, by path.
    pub files: Vec<FileOutline>,
    /// Number of files that were skipped because the limit was reached.
    pub files_left: u64,
}

/// The definitions of one file.
#[derive(Clone, Debug, Serialize)]
pub struct FileOutline {
    /// Path relative to the project's folder.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Lines of the file.
    pub lines: u32,
    /// Definitions, each before those in it, otherwise by line.
    pub definitions: Vec<OutlinedDefinition>,
}

/// A definition, or a section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutlinedDefinition {
    /// Name as written.
    pub name: String,
    /// Its kind.
    pub kind: ChunkKind,
    /// The word of its language for what it is: `struct`, `field`.
    #[serde(skip)]
    pub word: &'static str,
    /// Qualified name of what it belongs to.
    pub parent: Option<String>,
    /// 0, or one more than that of the definition before it that it is in.
    pub depth: u32,
    /// Line of the name, 1-based.
    pub line: u32,
    /// Last line, 1-based, inclusive.
    pub line_end: u32,
    /// Its declaration on one line.
    pub signature: String,
}

/// Files whose outlines are read at a time.
const GROUP: usize = 32;

impl OutlinedDefinition {
    /// What it belongs to, if that is defined elsewhere: the type of `impl Trait for Type`.
    pub fn outside(&self) -> Option<&str> {
        self.parent.as_deref().filter(|_| self.depth == 0)
    }
}

impl Engine {
    /// The definitions of the file or folder at `path`, of a project as currently indexed.
    ///
    /// Fails if there is no such file or folder.
    pub fn outline(
        &self,
        handle: &str,
        path: &str,
        request: &OutlineRequest,
    ) -> Result<Outline, EngineError> {
        let path = path.trim_start_matches("./").trim_matches('/');
        let path = if path == "." { "" } else { path };
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let mut tracked = store.tracked_files(project.id)?;
            let is_file = tracked.iter().any(|file| file.path == path);
            tracked.retain(|file| craig_text::path::is_in(&file.path, path));
            if tracked.is_empty() && !path.is_empty() {
                return Err(unknown_file(&store, project, path)?);
            }
            let most_depth = request.depth.unwrap_or(if is_file { usize::MAX } else { 1 });
            let (files, files_left) = outlines(&store, project.id, &tracked, most_depth, request.limit)?;
            Ok(Outline { project: project.name.clone(), path: path.to_owned(), files, files_left })
        })
    }
}

/// Outlines of the files with definitions, until there are `most` of these, and the number of files after that.
fn outlines(
    store: &Store,
    project: ProjectId,
    files: &[TrackedFile],
    most_depth: usize,
    most: usize,
) -> Result<(Vec<FileOutline>, u64), EngineError> {
    let (mut outlines, mut n_definitions, mut n_read) = (Vec::new(), 0, 0);
    let mut n_left = 0;
    for group in files.chunks(GROUP) {
        if n_definitions >= most {
            break;
        }
        let ids: Vec<FileId> = group.iter().map(|file| file.id).collect();
        n_read += group.len();
        let named = store.load_names(project, &ids)?.into_iter();
        let names: HashMap<FileId, Names> = named
            .map(|file| Ok((file.record().id, file.unpacked()?.names)))
            .collect::<Result<_, StoreError>>()?;
        for file in store.load_outlines(project, &ids)? {
            let mut outline = outline(file, &names, most_depth);
            n_left += u64::from(n_definitions == most && !outline.definitions.is_empty());
            outline.definitions.truncate(most - n_definitions);
            n_definitions += outline.definitions.len();
            if !outline.definitions.is_empty() {
                outlines.push(outline);
            }
        }
    }
    Ok((outlines, n_left + (files.len() - n_read) as u64))
}

fn outline(file: OutlinedFile, names: &HashMap<FileId, Names>, most_depth: usize) -> FileOutline {
    let language = file.record.language;
    let members = names.get(&file.record.id).map(|names| members(names, language)).unwrap_or_default();
    let lines = FileLines::new(file.text);
    let nested = nesting::nested(&file.symbols, file.record.language);
    let shown = nested.into_iter().filter(|(_, depth)| (*depth as usize) < most_depth);
    let definitions = shown
        .map(|(symbol, depth)| OutlinedDefinition {
            name: symbol.name.clone(),
            kind: symbol.kind,
            word: match members.get(&(symbol.line, symbol.name.as_str())) {
                Some(word) => word,
                None => symbol.kind.word(language),
            },
            parent: symbol.parent.clone().filter(|parent| !parent.is_empty()),
            depth,
            line: symbol.line,
            line_end: symbol.line_end,
            signature: lines.signature(symbol.line, symbol.line_end),
        })
        .collect();
    FileOutline {
        path: file.record.path,
        language: file.record.language,
        lines: lines.n_lines() as u32,
        definitions,
    }
}

/// The words for fields and for members of enumerations, by line and name: as chunks, all of these are constants.
fn members(names: &Names, language: Language) -> HashMap<(u32, &str), &'static str> {
    let is_member = |kind| matches!(kind, DefinitionKind::Field | DefinitionKind::EnumMember);
    let members = names.definitions.iter().filter(|definition| is_member(definition.kind));
    members.map(|member| ((member.line, names.text(member.name)), member.kind.word(language))).collect()
}
