//! Lines of a file, written after its path: `src/cart.py:10-40`.

/// A path with its first and last line. `10-` extends to the end of the file.
pub(crate) fn split(text: &str) -> (&str, Option<(usize, usize)>) {
    let lines = text.rsplit_once(':').and_then(|(path, lines)| {
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let first = first.trim().parse().ok()?;
        let last = if last.trim().is_empty() { usize::MAX } else { last.trim().parse().ok()? };
        Some((path, (first, last)))
    });
    lines.map_or((text, None), |(path, lines)| (path, Some(lines)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_lines_behind_them_or_not() {
        assert_eq!(split("src/a.rs"), ("src/a.rs", None));
        assert_eq!(split("src/a.rs:7"), ("src/a.rs", Some((7, 7))));
        assert_eq!(split("C:/src/a.rs:10-40"), ("C:/src/a.rs", Some((10, 40))));
        assert_eq!(split("src/a.rs:10-"), ("src/a.rs", Some((10, usize::MAX))));
        assert_eq!(split("src/a.rs:b"), ("src/a.rs:b", None));
    }
}
