//! What the caller expects to find: names, and lines of code as they may be there.

use schemars::JsonSchema;
use serde::Deserialize;

/// Most names that count.
const MAX_NAMES: usize = 8;

/// Most lines of code that count, and most bytes of a name or line.
const MAX_LINES: usize = 3;
const MAX_BYTES: usize = 200;

/// What a language model that asks expects the code to look like, in words that the question lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Guesses {
    /// Guess: five to eight identifiers of the code.
    #[serde(default)]
    pub names: Vec<String>,
    /// Guess: one to three of its lines.
    #[serde(default)]
    pub code: Vec<String>,
}

impl Guesses {
    /// The question followed by the guesses; `None` without any.
    pub fn beside(&self, question: &str) -> Option<String> {
        let names = filled(&self.names).take(MAX_NAMES);
        let lines = filled(&self.code).take(MAX_LINES);
        let guesses: Vec<&str> = names.chain(lines).collect();
        (!guesses.is_empty()).then(|| format!("{question}\n{}", guesses.join("\n")))
    }
}

/// The lines of texts that are not blank, each as far as it counts.
fn filled(texts: &[String]) -> impl Iterator<Item = &str> {
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    lines.filter(|line| !line.is_empty()).map(|line| &line[..line.floor_char_boundary(MAX_BYTES)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn guesses_follow_the_question_as_far_as_they_count() {
        let many: Vec<String> = (0..10).map(|n| format!("name{n}")).collect();
        let guesses = Guesses { names: many, code: owned(&["a();\n\n  b();", "c();", "d();"]) };
        let expected = "q\nname0\nname1\nname2\nname3\nname4\nname5\nname6\nname7\na();\nb();\nc();";
        assert_eq!(guesses.beside("q").as_deref(), Some(expected));
        let long = Guesses { code: owned(&["é".repeat(500).as_str()]), ..Guesses::default() };
        assert_eq!(long.beside("").map(|text| text.len()), Some(1 + MAX_BYTES));
    }

    #[test]
    fn blank_guesses_are_none() {
        assert_eq!(Guesses::default().beside("q"), None);
        assert_eq!(Guesses { names: owned(&[" ", ""]), code: owned(&["\n"]) }.beside("q"), None);
    }
}
