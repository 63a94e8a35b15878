//! Names like one that nothing has.

/// Minimum similarity of a suggested name, 1 for the same.
pub(crate) const LEAST_SIMILARITY: f64 = 0.85;

/// The similarity of a name to `wanted`, which is in small letters.
pub(crate) fn similarity(wanted: &str, name: &str) -> f64 {
    // Long names are no slips of the keyboard, and cost the product of their lengths.
    if name.len() > 3 * wanted.len() + 8 {
        return 0.0;
    }
    strsim::jaro_winkler(wanted, &name.to_lowercase())
}
