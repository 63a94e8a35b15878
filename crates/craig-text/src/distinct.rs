//! Lists without repetitions.

use std::collections::HashSet;
use std::hash::Hash;

/// Each of the items once, in the order of their first occurrences.
pub fn distinct<T: Clone + Eq + Hash>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    items.into_iter().filter(move |item| seen.insert(item.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_stays() {
        assert_eq!(distinct(["b", "a", "b", "c", "a"]).collect::<Vec<_>>(), ["b", "a", "c"]);
    }
}
