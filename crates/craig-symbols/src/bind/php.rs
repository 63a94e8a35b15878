//! Members of PHP's types that only their subtypes have, or that are called by magic.

use super::{Bound, FileBinder, Sought};
use crate::SymbolIx;

impl FileBinder<'_, '_, '_> {
    /// A member that a type does not have: of one of its subtypes, else of any type if it hands on what it does not know.
    pub(super) fn of_subtypes(&self, of: SymbolIx, sought: Sought) -> Bound {
        let table = self.binder.table;
        let of = table.canonical(of);
        let mut found = self.members_named(sought, true);
        found.retain(|&at| {
            let owner = table.entry(at).parent.map(|owner| table.canonical(owner));
            let supers = owner.and_then(|owner| self.binder.all_supers.get(owner as usize));
            supers.is_some_and(|supers| supers.contains(&of))
        });
        if !found.is_empty() {
            return self.weighed(&found, false);
        }
        let magic = ["__call", "__callStatic"].into_iter().filter_map(|name| table.find(name));
        let hands_on = magic.into_iter().any(|name| !self.binder.member_where(of, name, |_| true).is_empty());
        if hands_on { self.candidates(sought) } else { Bound::external() }
    }
}
