//! Names that a macro makes of its arguments.

use super::Role;

/// A name that a macro pastes together: `do_##name`.
pub(crate) struct Paste {
    pub(crate) parts: Vec<PastePart>,
    pub(crate) role: Role,
}

pub(crate) enum PastePart {
    Text(String),
    /// An argument of the macro, by its number.
    Argument(usize),
}

impl Paste {
    /// The name, if the arguments that it is made from are words.
    pub(crate) fn name(&self, arguments: &[&str]) -> Option<String> {
        let mut name = String::new();
        for part in &self.parts {
            name += match part {
                PastePart::Text(text) => text,
                PastePart::Argument(at) => arguments.get(*at).filter(|text| text.bytes().all(is_word))?,
            };
        }
        Some(name)
    }
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
