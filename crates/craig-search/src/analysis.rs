//! The code tokenizer of the lexical index: identifiers as a whole and their parts, lower-cased and lightly stemmed.

use craig_text::{compact, runs, stem, words_of_run};

/// Fields of the lexical index; the byte precedes each term in the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    /// Words of a chunk's text.
    Body = b'b',
    /// Words of the names that a chunk defines.
    Symbol = b's',
    /// Whole names that a chunk defines.
    Definition = b'd',
    /// Whole names of the types and modules that a chunk defines.
    TypeDefinition = b't',
    /// Words of a file's path.
    Path = b'p',
    /// Words of a file's name without extension.
    Name = b'n',
    /// A file's whole name without extension.
    Stem = b'w',
}

impl Field {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 7] = [
        Self::Body,
        Self::Symbol,
        Self::Definition,
        Self::TypeDefinition,
        Self::Path,
        Self::Name,
        Self::Stem,
    ];

    /// True when the documents of its postings are files, false when they are chunks.
    pub(crate) fn is_of_files(self) -> bool {
        matches!(self, Self::Path | Self::Name | Self::Stem)
    }
}

/// Longest term kept, in bytes: what is longer is data, not a word.
const MAX_TERM_BYTES: usize = 64;

/// Calls `emit` with each term of `text`: the parts of every identifier, and the identifier as a whole when it has several.
pub(crate) fn terms(text: &str, mut emit: impl FnMut(&str)) {
    runs(text).for_each(|run| terms_of_run(run.text, &mut emit));
}

/// Calls `emit` with each term of one of the [`runs`] of a text.
pub(crate) fn terms_of_run(run: &str, emit: &mut impl FnMut(&str)) {
    let n_words = words_of_run(run, &mut |word| {
        if word.len() <= MAX_TERM_BYTES {
            emit(stem(word));
        }
    });
    if n_words > 1 && run.len() <= MAX_TERM_BYTES {
        emit(&compact(run));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        terms(text, |term| found.push(term.to_owned()));
        assert_eq!(found.join(" "), expected, "terms of {text:?}");
    }

    #[test]
    fn identifiers_give_their_parts_and_themselves() {
        check("parseHTTPResponse(x)", "parse http response parsehttpresponse x");
        check("user_names_v2", "user name v 2 usernamesv2");
        check("class access status queries", "class access status quer");
        check("größe naïve", "groesse grosse naive");
        check("会话 getÜber", "会 会话 话 get ueber get uber getuber");
        check("$scope a$b “open”—now", "scope a b ab open now");
        check("", "");
    }
}
