//! Files that match a query but are not searched, and the notes about them in answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use craig_search::{Filter, Hit};
use craig_source::{
    Content, Entry, Language, LeftOut, Listing, SourceOptions, Withheld, interpret, read_bytes,
};
use craig_store::{FileId, FileRecord, Project, ProjectId, Store};
use rayon::prelude::*;

use crate::lock::locked;
use crate::options::StoredOptions;
use crate::project::root_of;
use crate::{Engine, EngineError};

/// Records of files, and the generation of the project that they are from.
type OfGeneration = (u64, Arc<[FileRecord]>);

/// Files that are not searched, and yet looked through for a name that is found nowhere else.
#[derive(Debug, Default)]
pub(crate) struct UnsearchedFiles {
    /// Files over the size limit, by project: those of the newest walk in this process.
    large: Mutex<HashMap<String, Arc<[Entry]>>>,
    /// Minified and generated files, by project and generation.
    withheld: Mutex<HashMap<String, OfGeneration>>,
}

impl UnsearchedFiles {
    /// Takes note of a walk.
    pub(crate) fn note(&self, project: &Project, listing: &Listing) {
        let large = listing.too_large.iter().filter(|entry| is_text(&entry.path)).cloned().collect();
        locked(&self.large).insert(project.reference.clone(), large);
    }

    /// Drops what is known of a project, by its reference.
    pub(crate) fn remove(&self, reference: &str) {
        locked(&self.large).remove(reference);
        locked(&self.withheld).remove(reference);
    }

    /// Drops what is known of all projects.
    pub(crate) fn clear(&self) {
        locked(&self.large).clear();
        locked(&self.withheld).clear();
    }

    /// Minified and generated files whose texts together are no larger than is looked through for one answer.
    fn withheld(&self, store: &Store, project: &Project) -> Result<Arc<[FileRecord]>, EngineError> {
        let known = locked(&self.withheld).get(&project.reference).cloned();
        if let Some((_, records)) = known.filter(|(generation, _)| *generation == project.generation) {
            return Ok(records);
        }
        let mut room = MOST_WITHHELD_BYTES;
        let mut records = store.file_records(project.id)?;
        records.retain(|record| {
            let fits = record.size <= room
                && matches!(record.withheld, Some(Withheld::Minified | Withheld::Generated));
            room -= if fits { record.size } else { 0 };
            fits
        });
        let records: Arc<[FileRecord]> = records.into();
        locked(&self.withheld).insert(project.reference.clone(), (project.generation, Arc::clone(&records)));
        Ok(records)
    }

    fn large(&self, project: &Project) -> Option<Arc<[Entry]>> {
        locked(&self.large).get(&project.reference).cloned().filter(|files| !files.is_empty())
    }
}

/// Whether a path names a text file; only those have lines to search.
fn is_text(path: &str) -> bool {
    Language::from_path(path).is_some()
}

/// Bytes of files over the size limit that are looked through for one answer.
const MOST_LARGE_BYTES: u64 = 32 << 20;

/// Bytes of minified and generated files that are looked through for one answer.
const MOST_WITHHELD_BYTES: u64 = 4 << 20;

/// Files that a note names.
const MOST_NAMED: usize = 3;

/// Fewer characters are no name that a search is for.
const MIN_NAME_CHARS: usize = 4;

impl Engine {
    /// Why the file or folder at `path` is no part of a project; `None` if it is, or if nothing is there.
    pub fn left_out(&self, handle: &str, path: &str) -> Result<Option<LeftOut>, EngineError> {
        left_out(&self.find(&*self.store()?, handle)?, path)
    }

    /// A note about the files over the size limit that have a match, if any do. Texts are masked before they are searched,
    /// like those of the index.
    pub(crate) fn note_about_large_files(
        &self,
        project: &Project,
        filter: &Filter,
        has_match: impl Fn(&str) -> bool + Sync,
    ) -> Option<String> {
        let files = self.unsearched_files().large(project)?;
        let root = root_of(project).ok()?;
        let filter = filter.for_paths(files.iter().map(|entry| entry.path.as_str())).ok()?;
        let mut room = MOST_LARGE_BYTES;
        let wanted = files.iter().filter(|entry| filter.passes_path(&entry.path)).filter(|entry| {
            let fits = entry.stamp.size <= room;
            room -= if fits { entry.stamp.size } else { 0 };
            fits
        });
        let wanted: Vec<&Entry> = wanted.collect();
        let matches = |entry: &&&Entry| {
            // Most files have no match: they are not decoded and masked.
            read_bytes(&root, &entry.path, MOST_LARGE_BYTES)
                .ok()
                .filter(|(bytes, _)| has_match(&String::from_utf8_lossy(bytes)))
                .map(|(bytes, stamp)| interpret(&entry.path, stamp, bytes))
                .filter(|file| filter.passes_file(file.language, file.kind))
                .is_some_and(|file| match file.content {
                    Content::Text(text) | Content::Unindexed(text, _) => has_match(&text),
                    Content::Secret | Content::Binary => false,
                })
        };
        let found: Vec<&str> = wanted.par_iter().filter(matches).map(|entry| entry.path.as_str()).collect();
        note(&found, "over the size limit (max_file_size)")
    }

    /// Notes about files that are not searched and have a name that the query asks for, if no hit defines it.
    pub(crate) fn notes_about_names(
        &self,
        store: &Store,
        project: &Project,
        query: &str,
        hits: &[Hit],
        filter: &Filter,
    ) -> Result<Vec<String>, EngineError> {
        let defines =
            |hit: &Hit, name: &str| hit.symbol_name.as_deref().is_some_and(|symbol| has_word(symbol, name));
        let mut names = names(query);
        names.retain(|name| !hits.iter().any(|hit| defines(hit, name)));
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let has_name = |text: &str| names.iter().any(|name| has_word(text, name));
        let mut notes: Vec<String> =
            self.note_about_large_files(project, filter, has_name).into_iter().collect();
        if !hits.iter().any(|hit| has_name(&hit.content)) {
            let withheld = self.unsearched_files().withheld(store, project)?;
            notes.extend(notes_about_withheld(store, project.id, &withheld, filter, has_name)?);
        }
        Ok(notes)
    }
}

/// Notes about minified and generated files that have a match.
fn notes_about_withheld(
    store: &Store,
    project: ProjectId,
    records: &[FileRecord],
    filter: &Filter,
    has_match: impl Fn(&str) -> bool,
) -> Result<Vec<String>, EngineError> {
    let mut notes = Vec::new();
    let filter = filter.for_paths(records.iter().map(|record| record.path.as_str()))?;
    for (kind, why) in [(Withheld::Minified, "minified"), (Withheld::Generated, "generated")] {
        let ids: Vec<FileId> = records
            .iter()
            .filter(|record| record.withheld == Some(kind))
            .filter(|record| {
                filter.passes_path(&record.path) && filter.passes_file(record.language, record.kind)
            })
            .map(|record| record.id)
            .collect();
        let texts = store.load_texts(project, &ids)?;
        let found = texts.iter().filter(|text| text.content.as_deref().is_some_and(&has_match));
        let found: Vec<&str> = found.map(|text| text.record.path.as_str()).collect();
        notes.extend(note(&found, why));
    }
    Ok(notes)
}

/// Why the file or folder at `path` is no part of a project.
pub(crate) fn left_out(project: &Project, path: &str) -> Result<Option<LeftOut>, EngineError> {
    let options: SourceOptions = StoredOptions::parse(&project.options).source();
    // A directory that is gone leaves nothing out.
    let Ok(root) = root_of(project) else { return Ok(None) };
    Ok(craig_source::left_out(&root, &options, path)?)
}

/// "src/checker.ts has it as well, but is not searched: over the size limit (max_file_size)".
fn note(paths: &[&str], why: &str) -> Option<String> {
    let (named, rest) = paths.split_at(paths.len().min(MOST_NAMED));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more files", rest.len()) };
    let verb = if paths.len() > 1 { "match, too, but are" } else { "matches, too, but is" };
    (!paths.is_empty()).then(|| format!("{}{more} {verb} not searched: {why}", named.join(", ")))
}

/// The names of a query: words with an underscore or a capital inside, or its only word.
fn names(query: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let words: Vec<&str> = query.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
    let has_capital_inside =
        |word: &str| word.chars().skip(1).any(char::is_uppercase) && word.contains(char::is_lowercase);
    let is_name = |word: &&str| {
        word.chars().count() >= MIN_NAME_CHARS
            && (words.len() == 1 || word.trim_matches('_').contains('_') || has_capital_inside(word))
    };
    words.iter().copied().filter(is_name).collect()
}

/// Whether a text has `word`, with no letter, digit or underscore on either side.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_query() {
        assert_eq!(names("isTypeIdenticalTo"), ["isTypeIdenticalTo"]);
        assert_eq!(names("where is verify_token called, or HttpClient"), ["verify_token", "HttpClient"]);
        assert_eq!(names("caching"), ["caching"]);
        assert!(names("where are HTTP tokens checked").is_empty());
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("a = total(x)", "total") && has_word("total", "total"));
        assert!(!has_word("subtotal totals total_of", "total"));
    }

    #[test]
    fn a_note_names_a_few_files() {
        assert_eq!(note(&[], "why"), None);
        assert_eq!(note(&["a"], "why").as_deref(), Some("a matches, too, but is not searched: why"));
        let five = note(&["a", "b", "c", "d", "e"], "why");
        assert_eq!(five.as_deref(), Some("a, b, c and 2 more files match, too, but are not searched: why"));
    }
}
