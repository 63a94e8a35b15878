//! Where the documentation speaks of the names that stand beside the subject: a page about most methods of a class is about
//! that class, whatever it is called.

use std::collections::{BTreeSet, HashMap};

use craig_text::path::folder;

use crate::library::Library;

/// Most names beside the subject that are looked for.
const MAX_SIBLINGS: usize = 80;

/// Fewer names than this say little of a page: shares are of at least so many.
const FEW: usize = 4;

/// Where the documentation mentions a subject's siblings.
pub(super) struct Kin {
    /// Names looked for.
    n: usize,
    pages: HashMap<usize, usize>,
    sections: HashMap<usize, usize>,
    /// By folder of the pages that have headings for them.
    folders: HashMap<String, usize>,
    /// By what the documentation says they belong to.
    owners: HashMap<String, usize>,
    /// Names that the documentation calls or reads as members, in code.
    n_called: usize,
}

impl Kin {
    pub(super) fn from_siblings(library: &Library, siblings: &[String]) -> Self {
        let mut kin = Self {
            n: siblings.len().min(MAX_SIBLINGS),
            pages: HashMap::new(),
            sections: HashMap::new(),
            folders: HashMap::new(),
            owners: HashMap::new(),
            n_called: 0,
        };
        for name in siblings.iter().take(MAX_SIBLINGS) {
            let mentioned = library.named(name).iter().map(|&at| at as usize);
            let pages: BTreeSet<usize> = mentioned.clone().map(|at| library.page_of(at)).collect();
            let folders: BTreeSet<&str> =
                mentioned.clone().map(|at| folder(&library.place(at).page.path)).collect();
            folders.into_iter().for_each(|of| *kin.folders.entry(of.to_owned()).or_default() += 1);
            library.owners(name).iter().for_each(|of| *kin.owners.entry(of.clone()).or_default() += 1);
            kin.n_called += usize::from(library.mentions(name).iter().any(|(_, m)| m.calls + m.members > 0));
            mentioned.for_each(|at| *kin.sections.entry(at).or_default() += 1);
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

    /// Share of the names that the pages of a page's folder are about.
    pub(super) fn in_folder(&self, path: &str) -> f32 {
        self.share(self.folders.get(folder(path)))
    }

    /// Share of the names that the documentation says belong to an owner (normalised).
    pub(super) fn of_owner(&self, owner: &str) -> f32 {
        self.share(self.owners.get(owner))
    }

    /// Share of the names that the documentation calls, or reads as members.
    pub(super) fn called(&self) -> f32 {
        self.share(Some(&self.n_called))
    }

    fn share(&self, n: Option<&usize>) -> f32 {
        n.copied().unwrap_or_default() as f32 / self.n.max(FEW) as f32
    }
}
