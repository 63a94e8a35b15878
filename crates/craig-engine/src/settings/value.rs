//! Kinds and values of settings.

use serde::Serialize;

/// The kind of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A file or folder; `~/` stands for the home directory.
    Path,
    /// `http://…` or `https://…`.
    Address,
    /// A whole number from 0.
    Whole {
        /// The largest.
        most: u64,
    },
    /// A whole number between two others, both included.
    Between {
        /// Minimum.
        least: u64,
        /// Maximum.
        most: u64,
    },
    /// A number from 0.
    Number,
    /// A number from 0 to 1.
    Share,
    /// True or false.
    Switch,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of texts, separated by commas on a command line.
    Texts,
    /// Bytes, or a number with `kB`, `MB` or `GB`, which are powers of 1,024.
    Size,
}

/// A setting's value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Not set.
    Unset,
    /// A text, path, address or word.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// True or false.
    Switch(bool),
    /// A list.
    Texts(Vec<String>),
}

impl Kind {
    pub(super) fn unset(self) -> Value {
        if self == Self::Texts { Value::Texts(Vec::new()) } else { Value::Unset }
    }

    /// Parses a value from a command line.
    pub(super) fn parse(self, text: &str) -> Result<Value, String> {
        let trimmed = text.trim();
        match self {
            Self::Text => Ok(Value::Text(text.to_owned())),
            Self::Path | Self::Address | Self::OneOf(_) => self.checked_text(trimmed),
            Self::Whole { .. } | Self::Between { .. } => trimmed
                .parse()
                .map_err(|_| format!("{trimmed:?} is not a whole number"))
                .and_then(|n| self.checked_whole(n)),
            Self::Number | Self::Share => trimmed
                .parse()
                .map_err(|_| format!("{trimmed:?} is not a number"))
                .and_then(|number| self.checked_number(number)),
            Self::Size => size(trimmed).map(Value::Whole),
            Self::Switch => match trimmed.to_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Ok(Value::Switch(true)),
                "false" | "0" | "no" | "off" => Ok(Value::Switch(false)),
                _ => Err(format!("{trimmed:?} is neither true nor false")),
            },
            Self::Texts => {
                let texts = trimmed.split(',').map(str::trim).filter(|text| !text.is_empty());
                Ok(Value::Texts(texts.map(str::to_owned).collect()))
            }
        }
    }

    /// Checks a text from a file.
    pub(super) fn checked_text(self, text: &str) -> Result<Value, String> {
        match self {
            Self::Address
                if !text.is_empty() && !text.starts_with("http://") && !text.starts_with("https://") =>
            {
                Err(format!("{text:?} is not an address that begins with http:// or https://"))
            }
            Self::OneOf(words) if !words.contains(&text) => {
                Err(format!("{text:?} is not one of {}", words.join(", ")))
            }
            Self::Size => self.parse(text),
            Self::Whole { .. }
            | Self::Between { .. }
            | Self::Number
            | Self::Share
            | Self::Switch
            | Self::Texts => Err(self.expected()),
            _ => Ok(Value::Text(text.to_owned())),
        }
    }

    /// Checks a whole number from a file.
    pub(super) fn checked_whole(self, number: u64) -> Result<Value, String> {
        match self {
            Self::Whole { most } | Self::Between { most, .. } if number > most => {
                Err(format!("{number} is more than {most}"))
            }
            Self::Between { least, .. } if number < least => Err(format!("{number} is less than {least}")),
            Self::Whole { .. } | Self::Between { .. } | Self::Size => Ok(Value::Whole(number)),
            Self::Number | Self::Share => self.checked_number(number as f64),
            _ => Err(self.expected()),
        }
    }

    /// Checks a number from a file.
    pub(super) fn checked_number(self, number: f64) -> Result<Value, String> {
        match self {
            Self::Share if !(0.0..=1.0).contains(&number) => Err(format!("{number} is not between 0 and 1")),
            _ if number.is_finite() && number >= 0.0 => Ok(Value::Number(number)),
            _ => Err(format!("{number} is less than 0")),
        }
    }

    /// The error for a value of another kind.
    pub(super) fn expected(self) -> String {
        format!("expected {}", self.name())
    }

    /// Its name on the reference page.
    pub(super) fn name(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Address => "an address".to_owned(),
            Self::Whole { most } => format!("a whole number up to {most}"),
            Self::Between { least, most } => format!("a whole number from {least} to {most}"),
            Self::Number => "a number".to_owned(),
            Self::Share => "a number from 0 to 1".to_owned(),
            Self::Switch => "true or false".to_owned(),
            Self::OneOf(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
            Self::Texts => "a list of texts".to_owned(),
            Self::Size => "a size".to_owned(),
        }
    }
}

fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1024.0,
        "m" | "mb" => 1024.0 * 1024.0,
        "g" | "gb" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("{text:?} is not a size such as 500kB or 2MB")),
    };
    number
        .parse::<f64>()
        .map(|n| (n * factor) as u64)
        .map_err(|_| format!("{text:?} is not a size such as 500kB or 2MB"))
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unset => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Switch(is_on) => write!(f, "{is_on}"),
            Self::Texts(texts) => f.write_str(&texts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_values_are_parsed_and_others_rejected() {
        assert_eq!(Kind::Size.parse("2MB"), Ok(Value::Whole(2 << 20)));
        assert_eq!(Kind::Size.parse("17"), Ok(Value::Whole(17)));
        assert!(Kind::Size.parse("2 parsecs").is_err());
        assert_eq!(Kind::Switch.parse("Yes"), Ok(Value::Switch(true)));
        assert_eq!(Kind::Texts.parse("a, b,"), Ok(Value::Texts(vec!["a".into(), "b".into()])));
        assert_eq!(Kind::Whole { most: 9 }.parse("10"), Err("10 is more than 9".into()));
        assert_eq!(Kind::OneOf(&["a", "b"]).parse("c"), Err("\"c\" is not one of a, b".into()));
        assert!(Kind::Address.parse("ftp://x").is_err() && Kind::Address.parse("https://x").is_ok());
        let few = Kind::Between { least: 1, most: 20 };
        assert_eq!(few.parse("0"), Err("0 is less than 1".into()));
        assert_eq!(few.parse("21"), Err("21 is more than 20".into()));
        assert_eq!(few.parse("20"), Ok(Value::Whole(20)));
        assert_eq!(Kind::Share.parse("0.7"), Ok(Value::Number(0.7)));
        assert_eq!(Kind::Share.parse("1.5"), Err("1.5 is not between 0 and 1".into()));
        assert_eq!(Kind::Share.parse("NaN"), Err("NaN is not between 0 and 1".into()));
        assert_eq!(Kind::Share.checked_whole(1), Ok(Value::Number(1.0)));
        assert!(Kind::Number.parse("-1").is_err() && Kind::Number.parse("NaN").is_err());
        assert_eq!(Kind::Switch.checked_text("true"), Err("expected true or false".into()));
    }
}
