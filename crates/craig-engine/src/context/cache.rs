//! Answers that were given before, for conversations that ask again.

use std::collections::VecDeque;

use craig_store::{FileId, ProjectId};

use super::ContextAnswer;

/// Answers that are kept; the oldest goes first.
const MOST_ANSWERS: usize = 256;

/// Answers by conversation and question, each dropped when a file in it changes.
#[derive(Default)]
pub(crate) struct ContextCache {
    kept: VecDeque<Kept>,
}

struct Kept {
    key: CacheKey,
    /// The versions of the files in the answer, by path.
    files: Vec<(String, FileId)>,
    /// The project's generation when it was made.
    generation: u64,
    answer: ContextAnswer,
}

/// What an answer was given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CacheKey {
    pub(super) project: ProjectId,
    pub(super) conversation: String,
    /// The question with everything that decides the answer.
    pub(super) request: String,
}

impl ContextCache {
    /// The answer that was given before, if its files still are what they were; `version` tells a file's present one.
    ///
    /// An answer without files holds as long as nothing in the project changes.
    pub(super) fn get(
        &mut self,
        key: &CacheKey,
        generation: u64,
        version: impl Fn(&str) -> Option<FileId>,
    ) -> Option<ContextAnswer> {
        let at = self.kept.iter().position(|kept| kept.key == *key)?;
        let kept = &self.kept[at];
        let is_same = |(path, id): &(String, FileId)| version(path) == Some(*id);
        let holds = kept.generation == generation || !kept.files.is_empty() && kept.files.iter().all(is_same);
        if holds {
            return Some(ContextAnswer { is_cached: true, ..kept.answer.clone() });
        }
        self.kept.remove(at);
        None
    }

    pub(super) fn put(
        &mut self,
        key: CacheKey,
        generation: u64,
        files: Vec<(String, FileId)>,
        answer: ContextAnswer,
    ) {
        if self.kept.len() >= MOST_ANSWERS {
            self.kept.pop_front();
        }
        self.kept.push_back(Kept { key, files, generation, answer });
    }
}
