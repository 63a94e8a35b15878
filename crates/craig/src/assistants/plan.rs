//! The changes for one assistant, computed before anything is written.

use std::io;
use std::path::{Path, PathBuf};

use similar::TextDiff;
use thiserror::Error;

use super::journal::{Hunk, Journal, Written};
use super::table::{Assistant, Places};
use super::{Trouble, edit, files, note};

/// A file that is not changed, and the reason.
#[derive(Debug, Error)]
#[error("{} was not changed: {why}", path.display())]
pub(crate) struct Refused {
    path: PathBuf,
    why: String,
}

/// The changes to the files of one assistant.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) files: Vec<FilePlan>,
}

/// The change of one file.
#[derive(Debug)]
pub(crate) struct FilePlan {
    /// The file, links followed.
    pub(crate) path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    /// The journal's entry afterwards.
    written: Option<Written>,
    /// Folders that are created or removed with the file.
    folders: Vec<PathBuf>,
}

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    Create,
    Edit,
    Remove,
}

/// Adds Craig's part to a text, and removes it.
struct Editing<'a> {
    with: &'a dyn Fn(&str) -> Result<String, Trouble>,
    without: &'a dyn Fn(&str) -> Result<String, Trouble>,
}

impl Plan {
    /// Adds the server `program` and the note to the files of an assistant.
    pub(crate) fn install(
        assistant: &Assistant,
        places: &Places,
        journal: &Path,
        program: &str,
    ) -> Result<Self, Refused> {
        Self::for_assistant(assistant, places, program, |path, editing| {
            FilePlan::install(path, editing, journal)
        })
    }

    /// Removes them: exactly the changes in the journal, or otherwise the parts that look like Craig's.
    pub(crate) fn uninstall(assistant: &Assistant, places: &Places, journal: &Path) -> Result<Self, Refused> {
        Self::for_assistant(assistant, places, "", |path, editing| {
            FilePlan::uninstall(path, editing, journal)
        })
    }

    fn for_assistant(
        assistant: &Assistant,
        places: &Places,
        program: &str,
        plan: impl Fn(&Path, &Editing<'_>) -> Result<FilePlan, Refused>,
    ) -> Result<Self, Refused> {
        let form = assistant.form;
        let config = Editing {
            with: &|text| edit::with_server(form, text, program),
            without: &|text| edit::without_server(form, text),
        };
        let note = match assistant.owns_note {
            true => Editing {
                with: &|_| Ok(note::own_file()),
                without: &|text| Ok(if text == note::own_file() { String::new() } else { text.to_owned() }),
            },
            false => Editing {
                with: &|text| Ok(note::with_note(text)),
                without: &|text| Ok(note::without_note(text)),
            },
        };
        let mut files = vec![plan(&assistant.config(places), &config)?];
        if let Some(path) = assistant.note(places) {
            files.push(plan(&path, &note)?);
        }
        Ok(Self { files })
    }

    /// Whether there is anything to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.change() == Change::None)
    }

    /// Carries it out and records the changes in the journal.
    pub(crate) fn carry_out(&self, journal: &Path) -> Result<(), Refused> {
        self.files.iter().try_for_each(|file| file.carry_out(journal))
    }
}

impl FilePlan {
    fn install(path: &Path, editing: &Editing<'_>, journal: &Path) -> Result<Self, Refused> {
        let (path, before, known) = look(path, journal)?;
        // The original text is edited again, so that reverting restores it.
        let base = match (&known, &before) {
            (Some(known), Some(before)) => undone(known, before).unwrap_or_else(|| Some(before.clone())),
            _ => before.clone(),
        };
        let after = (editing.with)(base.as_deref().unwrap_or_default()).map_err(refused(&path))?;
        let folders = known.map_or_else(|| files::missing_folders(&path), |known| known.folders);
        let hunk = Hunk::between(base.as_deref().unwrap_or_default(), &after);
        let written = Written { path: path.clone(), existed: base.is_some(), folders, hunk };
        Ok(Self { path, before, after: Some(after), written: Some(written), folders: Vec::new() })
    }

    fn uninstall(path: &Path, editing: &Editing<'_>, journal: &Path) -> Result<Self, Refused> {
        let (path, before, known) = look(path, journal)?;
        let folders = known.as_ref().map(|known| known.folders.clone()).unwrap_or_default();
        let Some(text) = &before else {
            return Ok(Self { path, before: None, after: None, written: None, folders: Vec::new() });
        };
        let is_sound =
            |text: &Option<String>| text.as_deref().is_none_or(|text| (editing.without)(text).is_ok());
        let after = match known.and_then(|known| undone(&known, text)).filter(is_sound) {
            Some(after) => after,
            // A file of Craig's own is empty without what Craig wrote.
            None => Some((editing.without)(text).map_err(refused(&path))?)
                .filter(|after| !after.trim().is_empty() || text.trim().is_empty()),
        };
        Ok(Self { path, before, after, written: None, folders })
    }

    /// Its kind of change.
    pub(crate) fn change(&self) -> Change {
        match (&self.before, &self.after) {
            (before, after) if before == after => Change::None,
            (None, _) => Change::Create,
            (_, None) => Change::Remove,
            _ => Change::Edit,
        }
    }

    /// The changed lines without context, which may contain keys.
    pub(crate) fn diff(&self) -> String {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (before, after) = (text(&self.before), text(&self.after));
        TextDiff::from_lines(&before, &after)
            .unified_diff()
            .context_radius(0)
            .missing_newline_hint(false)
            .to_string()
    }

    fn carry_out(&self, journal: &Path) -> Result<(), Refused> {
        let trouble = |error: io::Error| Refused { path: self.path.clone(), why: error.to_string() };
        if self.change() != Change::None {
            if files::read(&self.path).map_err(trouble)? != self.before {
                let why = "it has changed in the meantime; run the command again".to_owned();
                return Err(Refused { path: self.path.clone(), why });
            }
            match &self.after {
                Some(text) => files::write(&self.path, text).map_err(trouble)?,
                None => files::remove(&self.path, &self.folders).map_err(trouble)?,
            }
        }
        let mut changes = Journal::read(journal).map_err(trouble)?;
        match &self.written {
            Some(_) if self.change() == Change::None => return Ok(()),
            Some(written) => changes.note(written.clone()),
            None => changes.forget(&self.path),
        }
        changes.write(journal).map_err(trouble)
    }
}

/// The file that a path leads to, its text, and what is known to have been written there.
fn look(path: &Path, journal: &Path) -> Result<(PathBuf, Option<String>, Option<Written>), Refused> {
    let trouble = |error: io::Error| Refused { path: path.to_owned(), why: error.to_string() };
    let real = files::real(path).map_err(trouble)?;
    let text = files::read(&real).map_err(trouble)?;
    let known = Journal::read(journal).map_err(trouble)?.find(&real).cloned();
    Ok((real, text, known))
}

/// The text before the recorded change; `Some(None)` if there was no file. `None` if it is no longer known.
fn undone(known: &Written, text: &str) -> Option<Option<String>> {
    match known.hunk.undo(text)? {
        rest if known.existed => Some(Some(rest)),
        rest => rest.is_empty().then_some(None),
    }
}

fn refused(path: &Path) -> impl Fn(Trouble) -> Refused {
    let path = path.to_owned();
    move |trouble| Refused { path: path.clone(), why: trouble.to_string() }
}
