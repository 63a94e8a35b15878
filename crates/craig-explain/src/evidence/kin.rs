//! Where the documentation speaks of the names that stand beside the subject: a page about most methods of a class is about
//! that class, whatever it is called.

use std::collections::{BTreeSet, HashMap};

use crate::library::Library;

/// Most names beside the subject that are looked for.
const MAX_SIBLINGS: usize = 80;

/// Fewer names than this say little of a page: shares are of at least so many.
const FEW: usize = 4;

/// Where the names beside a subject are told of.
pub(super) struct Kin {
    /// Names looked for.
    n: usize,
    pages: HashMap<usize, usize>,
    sections: HashMap<usize, usize>,
}

impl Kin {
    pub(super) fn of(library: &Library, siblings: &[String]) -> Self {
        let mut kin =
            Self { n: siblings.len().min(MAX_SIBLINGS), pages: HashMap::new(), sections: HashMap::new() };
        for name in siblings.iter().take(MAX_SIBLINGS) {
            let told = library.named(name).iter().map(|&at| at as usize);
            let pages: BTreeSet<usize> = told.clone().map(|at| library.page_of(at)).collect();
            told.for_each(|at| *kin.sections.entry(at).or_default() += 1);
            pages.into_iter().for_each(|page| *kin.pages.entry(page).or_default() += 1);
        }
        kin
    }

    /// Share of the names that a page is about.
    pub(super) fn on_page(&self, page: usize) -> f32 {
        self.share(self.pages.get(&page))
    }

    /// Share of the names that a section is about.
    pub(super) fn in_section(&self, at: usize) -> f32 {
        self.share(self.sections.get(&at))
    }

    /// The largest share of a page.
    pub(super) fn best(&self) -> f32 {
        self.share(self.pages.values().max())
    }

    fn share(&self, n: Option<&usize>) -> f32 {
        n.copied().unwrap_or_default() as f32 / self.n.max(FEW) as f32
    }
}
