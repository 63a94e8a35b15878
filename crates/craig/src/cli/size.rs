//! Sizes as users type them.

/// Reads `4096`, `500kB`, `1MB`, `2 GiB`. Units are powers of 1,024, as the default limit of 1 MB is 1,048,576 bytes.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| EXPECTED.to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "larger than any file can be".to_owned())
}

const EXPECTED: &str = "expected a size such as 500kB, 1MB or 1048576";

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_have_units() {
        let good: Vec<_> = ["4096", "500kB", "1MB", "2 GiB"].map(|text| parse(text).unwrap()).into();
        assert_eq!(good, [4096, 512_000, 1 << 20, 2 << 30]);
        assert!(
            ["", "MB", "1.5MB", "-1", "1 parsec", "99999999999GB"].iter().all(|text| parse(text).is_err())
        );
    }
}
