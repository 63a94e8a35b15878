//! Answers that were given before, for conversations that ask again.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use crate::lock::locked;

use craig_store::{FileId, ProjectKey};

use super::{ContextAnswer, Steps};

/// Answers that are kept; the oldest goes first.
const MOST_ANSWERS: usize = 256;

/// Answers by conversation and question, each dropped when a file in it changes.
#[derive(Default)]
pub(crate) struct ContextCache {
    /// Held only to find, add or remove an answer.
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Clone)]
struct Kept {
    key: CacheKey,
    /// The versions of the files in the answer, by path.
    files: Vec<(String, FileId)>,
    /// The project's generation when it was made.
    generation: u64,
    answer: ContextAnswer,
}

/// The request of a cached answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CacheKey {
    pub(super) project: ProjectKey,
    pub(super) conversation: String,
    /// The question with everything that decides the answer.
    pub(super) request: String,
}

impl ContextCache {
    /// The cached answer, if its files are unchanged; `version` returns the current version of a file.
    ///
    /// An answer without files holds as long as nothing in the project changes. No step was repeated for it, so it has
    /// neither a rerank report nor times.
    pub(super) fn get(
        &self,
        key: &CacheKey,
        generation: u64,
        version: impl Fn(&str) -> Option<FileId>,
    ) -> Option<ContextAnswer> {
        let kept = self.kept().iter().find(|kept| kept.key == *key)?.clone();
        let is_same = |(path, id): &(String, FileId)| version(path) == Some(*id);
        let holds = kept.generation == generation || !kept.files.is_empty() && kept.files.iter().all(is_same);
        if holds {
            let elapsed = Steps::default();
            return Some(ContextAnswer { is_cached: true, rerank: None, elapsed, ..kept.answer });
        }
        self.remove(key);
        None
    }

    pub(super) fn put(
        &self,
        key: CacheKey,
        generation: u64,
        files: Vec<(String, FileId)>,
        answer: ContextAnswer,
    ) {
        self.remove(&key);
        let mut all = self.kept();
        if all.len() >= MOST_ANSWERS {
            all.pop_front();
        }
        all.push_back(Kept { key, files, generation, answer });
    }

    /// Drops the answers from a project.
    pub(crate) fn remove_project(&self, project: &ProjectKey) {
        self.kept().retain(|kept| kept.key.project != *project);
    }

    /// Drops all answers.
    pub(crate) fn clear(&self) {
        self.kept().clear();
    }

    fn remove(&self, key: &CacheKey) {
        self.kept().retain(|kept| kept.key != *key);
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        locked(&self.kept)
    }
}
