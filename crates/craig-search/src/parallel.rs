//! Work on all segments of an index at once, where there is enough of it.

use rayon::prelude::*;

use crate::index::LiveSegment;

/// Chunks of an index from which on other processors are asked to help. Below, waking them takes longer than they save.
const MIN_CHUNKS: usize = 1 << 16;

/// Whether an index is so large that other processors should help.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Helpers {
    are_worth_it: bool,
}

impl Helpers {
    pub(crate) fn for_index(segments: &[LiveSegment]) -> Self {
        let n_chunks: usize = segments.iter().map(|live| live.segment.chunks().len()).sum();
        Self { are_worth_it: n_chunks >= MIN_CHUNKS }
    }

    /// Does `work` on every item; the results are in the order of the items.
    pub(crate) fn map<I: Sync, T: Send>(self, items: &[I], work: impl Fn(usize, &I) -> T + Sync) -> Vec<T> {
        let numbered = |(at, item)| work(at, item);
        match self.are_worth_it {
            true => items.par_iter().enumerate().map(numbered).collect(),
            false => items.iter().enumerate().map(numbered).collect(),
        }
    }

    /// Does both.
    pub(crate) fn both<A: Send, B: Send>(
        self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.are_worth_it { rayon::join(a, b) } else { (a(), b()) }
    }
}
