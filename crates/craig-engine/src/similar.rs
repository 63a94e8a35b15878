//! How similar names are, for suggestions in place of a name that does not exist.

/// Minimum similarity of a suggested name, 1 for the same.
pub(crate) const LEAST_SIMILARITY: f64 = 0.85;

/// The similarity of a name to `wanted`, which is in lower case.
pub(crate) fn similarity(wanted: &str, name: &str) -> f64 {
    // A much longer name is no typing mistake, and comparing it costs the product of their lengths.
    if name.len() > 3 * wanted.len() + 8 {
        return 0.0;
    }
    strsim::jaro_winkler(wanted, &name.to_lowercase())
}
