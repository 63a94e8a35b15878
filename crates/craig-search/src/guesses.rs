//! What the caller expects to find: names, and lines that the code may contain.

use schemars::JsonSchema;
use serde::Deserialize;

/// Maximum number of names that count.
const MAX_NAMES: usize = 8;

/// Maximum number of lines of code that count, and most bytes of a name or line.
const MAX_LINES: usize = 3;
const MAX_BYTES: usize = 200;

/// What a calling language model expects the code to look like, in words that the question lacks.
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
    pub fn appended_to(&self, question: &str) -> Option<String> {
        let guesses: Vec<&str> = self.counted().collect();
        (!guesses.is_empty()).then(|| format!("{question}\n{}", guesses.join("\n")))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.counted().next().is_none()
    }

    /// The names and lines that count, each as far as it counts.
    pub fn bounded(&self) -> Self {
        let texts = |texts, most| filled(texts).take(most).map(str::to_owned).collect();
        Self { names: texts(&self.names, MAX_NAMES), code: texts(&self.code, MAX_LINES) }
    }

    /// The names and lines that count.
    fn counted(&self) -> impl Iterator<Item = &str> {
        filled(&self.names).take(MAX_NAMES).chain(filled(&self.code).take(MAX_LINES))
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
        assert_eq!(guesses.appended_to("q").as_deref(), Some(expected));
        let bounded = guesses.bounded();
        assert_eq!((bounded.names.len(), bounded.code), (MAX_NAMES, owned(&["a();", "b();", "c();"])));
        let long = Guesses { code: owned(&["é".repeat(500).as_str()]), ..Guesses::default() };
        assert_eq!(long.appended_to("").map(|text| text.len()), Some(1 + MAX_BYTES));
    }

    #[test]
    fn blank_guesses_are_none() {
        assert_eq!(Guesses::default().appended_to("q"), None);
        assert_eq!(Guesses { names: owned(&[" ", ""]), code: owned(&["\n"]) }.appended_to("q"), None);
    }
}
