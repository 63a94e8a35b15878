//! Times in answers.

use std::time::Duration;

/// A time in milliseconds, to the microsecond.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_decimals() {
        let text = |nanoseconds| milliseconds(Duration::from_nanos(nanoseconds)).to_string();
        assert_eq!([9_539_354, 212_400_000, 999].map(text), ["9.539", "212.4", "0"]);
    }
}
