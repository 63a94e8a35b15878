//! Numbers and other values in readable form.

use craig_engine::Withheld;

/// 1,234,567.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The number of `-n N`: 0 shows all.
pub(crate) fn limit_or_all(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

/// "1 file", "1,234 files".
pub(crate) fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// 12 kB, 3.4 MB: units of 1,000.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = usize::from(unit > 0 && value < 9.95);
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// 340 ms, 1.2 s, 3 min 20 s.
pub(crate) fn seconds(s: f64) -> String {
    match s {
        s if s < 0.0095 => format!("{:.1} ms", s * 1e3),
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        s if s < 59.95 => format!("{s:.1} s"),
        s => format!("{} min {} s", s.round() as u64 / 60, s.round() as u64 % 60),
    }
}

/// Why the text of a file is not searched.
pub(crate) fn withheld(why: Withheld) -> &'static str {
    match why {
        Withheld::Secret => "secret, tracked by name only",
        Withheld::Minified => "minified, not searched",
        Withheld::Generated => "generated, not searched",
    }
}

/// A relevance as percent.
pub(crate) fn percent(score: f32) -> String {
    format!("{:.0}%", score * 100.0)
}

/// A stored time (RFC 3339, UTC) in the local time zone; unchanged if it cannot be parsed.
pub(crate) fn local_time(stored: &str) -> String {
    match stored.parse::<jiff::Timestamp>() {
        Ok(time) => time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => stored.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        let counts: Vec<_> = [0, 999, 1_000, 1_234_567].map(count).into();
        assert_eq!(counts, ["0", "999", "1,000", "1,234,567"]);
        let sizes: Vec<_> = [0, 999, 1_000, 12_345, 999_999, 3_440_000, 52_000_000_000].map(bytes).into();
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "12 kB", "1.0 MB", "3.4 MB", "52 GB"]);
        let times: Vec<_> = [0.0012, 0.34, 1.24, 59.96, 200.0].map(seconds).into();
        assert_eq!(times, ["1.2 ms", "340 ms", "1.2 s", "1 min 0 s", "3 min 20 s"]);
        assert_eq!(counted(1, "file"), "1 file");
    }
}
